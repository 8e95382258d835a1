# Tables as users have them: row names, words, missing values, and labels in another order.
short() { # what matters here
    "$@" | grep -v -e '^data ' -e '^values' -e '^+1' -e '^share' -e '^duplicates'
}
cat >cells.csv <<'END'
,CD79A,NKG7,LYZ
AAAC,3,0,0
AAAG,0,2,1
AACT,0,0,7
AAGA,5,0,1
END
cat >types.csv <<'END'
cell,type
AAGA,B
AACT,mono
AAAC,B
AAAG,NK
END
# The same cells with R's heading, with semicolons, and genes x cells: one checksum.
tail -n +2 cells.csv | tr , '\t' | { printf 'CD79A\tNKG7\tLYZ\n' && cat; } >cells.tsv
tr , ';' <cells.csv | sed '1s/^/barcode/' >semicolons.csv
cat >genes.csv <<'END'
gene,AAAC,AAAG,AACT,AAGA
CD79A,3,0,0,5
NKG7,0,2,0,0
LYZ,0,1,7,1
END
short try data info cells.csv --labels types.csv
short try data info cells.tsv --labels types.csv
short try data info semicolons.csv --id-column barcode --labels types.csv --label-column type
short try data info genes.csv --transpose --id-column gene --labels types.csv
# In whatever order the labels come, the patterns are the same.
isinglass patterns cells.csv --labels types.csv -o one.npz --quiet >one.txt
{ head -n 1 types.csv && tail -n +2 types.csv | sort; } >sorted.csv
isinglass patterns cells.csv --labels sorted.csv -o two.npz --quiet >two.txt
/usr/bin/python3 -c '
import numpy as np
one, two = np.load("one.npz"), np.load("two.npz")
print((one["xi"] == two["xi"]).all(), one["labels"].tolist(), one["units"].tolist(), one["xi"].T.tolist())'
# Labels as text are in the order of the samples; a blank one is none.
printf 'B\nNK\n\nB\n' >types.txt
short try data info cells.csv --labels types.txt
# Ids that are not those of the samples.
sed 's/,/-1,/; 1s/-1,/,/' types.csv >other.csv
try data info cells.csv --labels other.csv --label-column type
head -n 3 types.csv >some.csv
echo 'TTTT,B' >>some.csv
short try data info cells.csv --labels some.csv
echo 'AACT,B' >>some.csv
try data info cells.csv --labels some.csv
# Words for yes and no, missing values, and the same table as ARFF.
cat >votes.csv <<'END'
party,budget,water
left,y,?
right,n,y
left,y,n
right,n,n
END
cat >votes.arff <<'END'
% House votes
@RELATION vote
@ATTRIBUTE budget {'n','y'}
@ATTRIBUTE water {'n','y'}
@ATTRIBUTE party {left,right}
@DATA
'y',?,left
'n','y',right
{0 y}
{2 right}
END
try data info votes.csv --label-column party
short try data info votes.csv --label-column party --missing majority
short try data info votes.arff --label-column party --missing majority
short try data info votes.csv --label-column party --missing drop-samples
try data info votes.csv --label-column class
try data info votes.csv --missing majority
# Columns of words; those of a model decide for other data.
printf 'class,cap,odor\np,x,n\ne,b,a\ne,x,a\np,s,n\n' >train.csv
printf 'odor,cap,class\nn,x,p\na,c,e\n' >test.csv
short try data info train.csv --label-column class --one-hot
isinglass patterns train.csv --label-column class --one-hot -o mushrooms.npz --quiet >words.txt
/usr/bin/python3 -c 'import numpy as np; print(np.load("mushrooms.npz")["units"].tolist())'
try recall mushrooms.npz test.csv --label-column class --seed 1 | grep '^!'
printf 'p,x,n\ne,b,a\ne,x,a\n' >bare.csv
try data info bare.csv --label-column 1 --one-hot
# New samples need no label column, and samples without a label have projections.
printf ',CD79A,NKG7,LYZ\nTTTA,2,0,0\nTTTC,0,0,4\n' >new.csv
{ sed '1s/$/,type/; 2,$s/$/,B/' cells.csv && echo 'TTTG,0,3,0,' && echo 'TTTT,0,0,3,NK'; } >part.csv
try classify part.csv new.csv --label-column type --per-class 1 --predictions new-types.csv | grep '^!'
cut -d , -f 1-4 new-types.csv
try recall one.npz new.csv --label-column type --projections new-a.csv --allow-rank-deficient | grep '^!'
cut -d , -f 1-4 new-a.csv
try recall one.npz part.csv --label-column type --projections part-a.csv --allow-rank-deficient | grep -e '^!' -e ^samples
cut -d , -f 1-4 part-a.csv
try recall one.npz new.csv --label-column type --allow-rank-deficient | grep '^!'
# A constant unit of other data stays, and is not said to be left out; --force does not go unnoticed.
try recall one.npz new.csv --drop-constant --binarize mean --force --allow-rank-deficient | grep '^!'
# Labels are not joined by position if another column has the ids.
printf 'type,cell\nB,AAGA\nmono,AACT\nB,AAAC\nNK,AAAG\n' >turned.csv
try data info cells.csv --labels turned.csv --label-column type
short try data info cells.csv --labels turned.csv --label-column type --id-column cell
# What impute writes is on the right side of any threshold.
printf 'a,b,y\n2e18,1,p\n1e18,0,q\n2e18,0,p\n1e18,1,q\n' >large.csv
isinglass patterns large.csv --label-column y --binarize midpoint -o large.npz --quiet >large.txt
isinglass map large.npz --allow-rank-deficient -o large-model.npz --quiet >large.txt
isinglass impute large-model.npz large.csv --label-column y -o full.csv --quiet >large.txt
isinglass transform large-model.npz large.csv --label-column y -o h.csv --quiet >large.txt
isinglass transform large-model.npz full.csv --label-column class --ignore-columns row,id -o full-h.csv --quiet >large.txt
cmp h.csv full-h.csv && cut -d , -f 4- h.csv
# Columns without names are in the order of the model's units, as far as anybody knows.
printf '3,0,0\n0,0,7\n' >nameless.csv
try recall one.npz nameless.csv --allow-rank-deficient | grep '^!'
# The median of a unit that is mostly 1 is 1, above which there is nothing.
printf 'a,b\n1,0\n1,0\n1,1\n0,0\n' >mostly.csv
try data info mostly.csv --binarize median | grep -e '^!' -e ^constant
