# ln Z and log-likelihoods: every method, several data sets, many betas, certificates, refusals.
cat >votes.csv <<'END_OF_DATA'
left,1,1,1,1,-1,-1
right,-1,-1,1,-1,1,1
middle,1,-1,1,-1,-1,1
left,1,1,1,1,-1,1
END_OF_DATA
isinglass patterns votes.csv --label-column 1 -o p.npz >/dev/null
isinglass map p.npz -o m.npz >/dev/null
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
m = np.load("m.npz")
np.savez("nan.npz", W=m["W"] * np.nan, beta=1.0)
np.savez("huge.npz", W=1e8 * np.random.default_rng(0).standard_normal((12, 3)), beta=1.0)
np.savez("large.npz", W=100 * m["W"], beta=2.0)
r = np.random.default_rng(1)
np.savez("wide.npz", W=0.08 * r.standard_normal((60, 5)), beta=1.0)
np.save("other.npy", r.choice([-1, 1], (5, 60)))
# What the numbers must be, by summing over all 64 states.
s = np.array([[1 if k >> i & 1 else -1 for i in range(6)] for k in range(64)])
for w, beta in [(m["W"], 2), (m["W"], 0.5), (100 * m["W"], 2)]:
    e = beta / 2 * ((s @ w) ** 2).sum(1)
    print("ln Z = %.6f" % (e.max() + np.log(np.exp(e - e.max()).sum())))
END_OF_PROGRAM
try score m.npz
try score m.npz votes.csv --label-column 1 --by-class
try score m.npz votes.csv votes.csv --label-column 1 --limit 3 --json
try score m.npz votes.csv --label-column 1 --beta 0.5 --method exact
try score m.npz --method ais --chains 2000 --steps 50 --repeats 3
try score m.npz --method ais --weights lambda --hmc --chains 300 --steps 50
try score m.npz --method ais --weights joint --adaptive 0.99 --chains 1000
try score m.npz --method mixture --samples 20000
try score wide.npz other.npy
try score large.npz --method exact
try score large.npz --method ais
try score m.npz --certificate 0.95 --steps 200
try score wide.npz --certificate 0.95
try score m.npz votes.csv --label-column 1 --betas 0.5,2
try score m.npz votes.csv --label-column 1 --betas 0.5:2:4 --method ais --chains 5000 --steps 100
try score m.npz votes.csv --label-column 1 --betas 0.5,2 --json
# Misuse.
try score
try score m.npz other.npy
try score m.npz votes.csv
try score nan.npz
try score p.npz
try score missing.npz
try score huge.npz --method population --particles 1000
try score huge.npz --method wells --particles 1000
try score m.npz --beta 0
try score m.npz --beta nan
try score m.npz --chains 0
try score m.npz --betas 2:1:5
try score m.npz --betas 1,-2
try score m.npz --betas 1,2,1
try score m.npz --betas 1,2 --beta 3
try score m.npz --betas 1,2 --method ais --adaptive 0.9
try score m.npz --betas 1,2 --certificate 0.9
try score m.npz --betas 1,2 --by-class
try score m.npz --by-class
try score m.npz --limit 3
try score wide.npz other.npy --by-class
try score m.npz --picture curve.png
try score m.npz --hmc
try score m.npz --weights lambda
try score m.npz --adaptive 0.9
try score m.npz --weights spin --method wells
try score m.npz --particles 1000 --method exact
try score m.npz --particles 100 --method ais
try score m.npz --steps 10 --method wells
try score m.npz --chains 10 --method wells
try score m.npz --samples 1000 --method wells
try score m.npz --samples 1000
try score m.npz --draws 3000 --method population
try score m.npz --repeats 3 --method mixture
try score m.npz --repeats 1
try score m.npz --repeats 1 --method wells
try score m.npz --certificate 0.9 --method wells --steps 50 --particles 100 --repeats 2 --draws 1000 --quiet
try score wide.npz --method exact
try score m.npz --help
