# The verb `bench`: what it takes and what it gives. Nothing here depends on how fast anything is.
try bench --help
try bench dc
try bench cd --hidden 0
try bench cd --repeats 0
try bench cd --init pca
try bench --data nowhere.npz
printf '1,0,0\n0,1,0\n1,1,1\n' >x.csv
try bench --data x.csv --visible 3
try bench --data x.csv --init hopfield --hidden 4
try bench cd --init hopfield --samples 3 --hidden 4
printf '1,0,0\n1,1,0\n0,0,1\n' >dependent.csv
try bench --data dependent.csv --init hopfield --hidden 3
# All jobs on three samples of three units: twice as many of neither samples nor patterns.
try bench --data x.csv --hidden 3 --batch 2 --sweeps 2 --repeats 1 --init hopfield --threads 2 --json
isinglass bench ward cd --threads 1 --repeats 2 --visible 5 --hidden 2 --samples 4 |
    sed -E 's/ +[0-9.]+x?/ #/g'
