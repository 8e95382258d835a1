# Missing values: filled in by a model, in every verb that has one; refused where there is none.
cat >votes.csv <<'END_OF_DATA'
id,party,a,b,c,d,e,f
ann,left,1,1,1,1,-1,-1
bob,right,-1,-1,1,-1,1,1
cy,left,1,,1,1,-1,
di,right,-1,-1,1,,1,1
eve,left,1,1,1,1,-1,1
flo,right,,-1,-1,-1,1,1
END_OF_DATA
OPTIONS=(--label-column party --id-column id)
isinglass patterns votes.csv "${OPTIONS[@]}" --missing majority -o p.npz >/dev/null 2>&1
isinglass map p.npz -o m.npz >/dev/null
try impute m.npz votes.csv "${OPTIONS[@]}" -o full.csv --probabilities p.csv
cat full.csv
cat p.csv
try impute m.npz votes.csv "${OPTIONS[@]}" -o full.npz --draw --sweeps 5 --average 10 --seed 2 --json
try data info full.npz
try score m.npz full.npz
try score m.npz votes.csv "${OPTIONS[@]}" --missing impute
try score m.npz votes.csv "${OPTIONS[@]}" --missing impute --json
try sample m.npz --start votes.csv "${OPTIONS[@]}" --missing impute --count 6 --sweeps 1 -o s.npz
try transform m.npz votes.csv "${OPTIONS[@]}" --missing impute --energies e.csv
try recall p.npz votes.csv "${OPTIONS[@]}" --missing impute
try recall p.npz votes.csv "${OPTIONS[@]}" --missing impute --projections a.csv --class-means votes.csv
try train votes.csv "${OPTIONS[@]}" --missing impute --init hopfield --per-class 1 --epochs 2 --score-every 2 -o run
try classify votes.csv "${OPTIONS[@]}" --missing impute --per-class 1 --epochs 1 -o c
try classify --model c/classifier.npz votes.csv "${OPTIONS[@]}" --missing impute
# Misuse.
try impute
try impute m.npz votes.csv "${OPTIONS[@]}"
try impute m.npz votes.csv "${OPTIONS[@]}" -o full.txt
try impute m.npz votes.csv "${OPTIONS[@]}" -o full.csv
try impute m.npz votes.csv -o other.csv
try impute m.npz votes.csv "${OPTIONS[@]}" -o other.csv --missing majority
try impute m.npz votes.csv "${OPTIONS[@]}" -o other.csv --sweeps 0
try patterns votes.csv "${OPTIONS[@]}" --missing impute -o q.npz
try data info votes.csv "${OPTIONS[@]}" --missing impute
try score m.npz votes.csv "${OPTIONS[@]}" --missing impute --betas 1,2
try classify votes.csv "${OPTIONS[@]}" --missing impute --classifier labels --per-class 1
try train votes.csv "${OPTIONS[@]}" --missing majority --resume -o run
try impute --help
