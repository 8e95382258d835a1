# What data info says of small files, and how it refuses what it cannot read.
cat >votes.csv <<'END'
party,q1,q2,q3
left,1,-1,1
right,-1,1,1
left,1,-1,1
END
try data info votes.csv --label-column party
try data info votes.csv --label-column party --json
try data info votes.csv --label-column 1 --class left
try data info votes.csv --label-column party --limit 1
try data info votes.csv --header no
try data info votes.csv
try data info votes.csv --label-column prty
try data info votes.csv --label-column party --class middle
try data info votes.csv --label-column party --picture votes.png
try data info votes.csv --label-column party --shape 1x3 --picture votes.png
try data info votes.csv --label-column party --shape 1x3 --picture votes.png
try data info votes.csv --label-column party --shape 1x3 --picture votes.png --force
try data info votes.csv --label-column party --shape 2x3
try data info votes.csv --label-column party --shape 3
try data info votes.csv --label-column party --shape 0x3
try data info votes.csv --label-column party --threshold nan
try data info votes.csv --label-column party --limit 0
try data info votes.csv --label-column party --header perhaps
# A class name is one printable line.
printf 'a,b\n1,"x\ny\033[31m"\n' >odd.csv
try data info odd.csv --label-column b --quiet | tail -n 1
# Spins that are all the same are remarked on.
printf '0,1\n2,3\n' >levels.csv
try data info levels.csv --threshold 5 | grep -e '^[$!]' -e share
try data info levels.csv --threshold -1 | grep -e '^[$!]' -e share
try data info levels.csv --threshold 5 --quiet | grep -e '^[$!]' -e share
# Names that are none, or not installed.
try data info mnist:train
try data info mnist
try data info mnist:valid
try data info minst:train
try data info nothing.csv
try data info
try data info a b
try data inof
try dta info
# a former name of the option
try data info votes.csv --label-column party --shape 1x3 --sheet votes.png --force
try data info votes.csv --label-column party --shape 1x3 --sheet votes.png --force --quiet
