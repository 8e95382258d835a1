# The identities behind the mappings: built in, on patterns, and on what is no such file.
try verify -h
isinglass verify | tail -n 1
isinglass verify --json | tr -d ' \n' | sed 's/"value":[^,]*/"value":V/g; s/"bound":[^,]*/"bound":B/g' | head -c 160 && echo
cat >four.csv <<'END'
a,1,0,0,1,1,0,1,0
b,0,1,1,0,1,0,0,1
c,1,1,1,0,0,0,1,0
END
isinglass patterns four.csv --label-column 1 -o three.npz --quiet | head -n 2
isinglass verify three.npz | sed 's/[ ]*[^ ]* *[^ ]* ok$/ ok/'
printf '1,0,1\n1,0,1\n' >same.csv
isinglass patterns same.csv --per-class 2 -o same.npz --json | grep rank
try verify same.npz
try verify four.csv
try verify nothing.npz
try verify three.npz same.npz
