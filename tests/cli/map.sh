# From patterns to an RBM: every way, dependent patterns, pictures, refusals.
cat >votes.csv <<'END'
left,1,1,1,1,-1,-1
right,-1,-1,1,-1,1,1
middle,1,-1,1,-1,-1,1
END
isinglass patterns votes.csv --label-column 1 -o p.npz >/dev/null
try map p.npz -o m.npz
try map p.npz -o m.npz
try map p.npz -o m.npz --via svd --beta 0.5 --force
try map p.npz -o sqrt.npz --via sqrt --json
try map p.npz -o hebbian.npz --via hebbian
/usr/bin/python3 - <<'END'
import numpy as np
for name in ["m.npz", "sqrt.npz", "hebbian.npz"]:
    m = np.load(name)
    print(name, sorted(m.files), m["W"].shape, m["W"].dtype, m["beta"], m["labels"], "meta.json" in m.files)
    assert np.allclose(m["W"] @ m["R"], m["xi"], atol=1e-12)
xi = np.load("p.npz")["xi"]
np.savez("twice.npz", xi=xi[:, [0, 1, 2, 1]])
np.savez("negative.npz", xi=np.column_stack([xi, -xi[:, 0]]))
np.savez("none.npz", X=xi)
np.save("plain.npy", xi)
np.savez("binary.npz", xi=xi > 0)
np.save("turned.npy", xi.T)
np.savez("mixed.npz", xi=xi * [1, 0, 1])
END
# Dependent patterns, named and mapped on request.
try map twice.npz -o d.npz
try map negative.npz -o d.npz --via svd
try map twice.npz -o d.npz --allow-rank-deficient
try map twice.npz -o d2.npz --via hebbian --quiet
# As users have them: a plain array, 0 and 1, transposed by mistake.
try map plain.npy -o plain.npz
try map binary.npz -o b.npz
/usr/bin/python3 -c 'import numpy as np; assert (np.load("plain.npz")["W"] == np.load("b.npz")["W"]).all()'
try map turned.npy -o t.npz
try map mixed.npz -o t.npz
# Units that are no image become a table, by gnuplot.
try map p.npz -o table.npz --picture table.png
mkdir without && ln -s "$(command -v isinglass)" without/isinglass
PATH=$PWD/without isinglass map p.npz -o none.png.npz --picture none.png 2>&1
isinglass patterns votes.csv --label-column 1 --shape 2x3 -o image.npz >/dev/null
try map image.npz -o x.npz --picture w.png
try map image.npz -o y.npz --picture w.png
ls
# Misuse, and files that are none.
try map p.npz
try map
try map p.npz -o z.npz --via cholesky
try map p.npz -o z.npz --beta 0
try map none.npz -o z.npz
try map votes.csv -o z.npz
try map nothing.npz -o z.npz
try map --help
# the same picture in a frame
isinglass map image.npz -o x.npz --picture w.svg --force >/dev/null
sed -n "s/.*base64,\([^']*\).*/\1/p" w.svg | base64 -d | cmp - w.png
# Axes of data.
try map votes.csv --label-column 1 --init axes -o axes.npz
try map votes.csv --label-column 1 --init pca --hidden 2 -o pca.npz --beta 1 --json
try map votes.csv --label-column 1 --init pca -o other.npz
try map votes.csv --label-column 1 --init axes --hidden 7 -o other.npz
try map votes.csv --label-column 1 --init axes --via svd -o other.npz
try map p.npz --hidden 3 -o other.npz
try map p.npz --init axes -o other.npz
