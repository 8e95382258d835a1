# Patterns from small data, and how they are refused.
try patterns --help
printf 'a,1,0,0\na,1,1,0\nb,0,0,1\n' >x.csv
try patterns x.csv --label-column 1 -o x.npz
try patterns x.csv --label-column 1 -o x.npz
try patterns x.csv --label-column 1 -o x.npz --force --json
try patterns x.csv --label-column 1 -o capped.npz --per-class 2
try patterns x.csv --label-column 1 -o y.npz --per-class 0
try patterns x.csv --label-column 1 -o y.npz --force --per-class 9999999999999
try patterns x.csv --label-column 1 -o y.txt
try patterns x.csv --label-column 1 -o no/such/place.npz
try patterns x.csv --label-column 1
try patterns -o y.npz
try patterns x.csv --label-column 1 -o z.npz --limit 2
