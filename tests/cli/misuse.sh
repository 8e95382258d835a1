# Every way to misuse the frame: exit 2, one sentence, nothing on standard output.
try inof
try Info
try information
try xyzzy
try help
try version
try ''
try --json
try --
try -- inof
try info --jsno
try info --jso
try info -json
try info --JSON
try info -j
try info -jq
try info --threshold 1
try info --completely-different
try --sed 1 info
try info --=1
try info ---json
try info extra
try info ''
try info -- --json
try info -
# Values.
try info --seed
try info --seed=
try info --seed ''
try info --seed --json
try info --seed -5
try info --seed 1e3
try info --seed 1x
try info --seed ' 1'
try info --seed +1
try info --seed 0x10
try info --seed 18446744073709551616
try info --threads 0
try info --threads 1025
try info --threads -1
try info --threads 99999999999999999999999
try info --threads two
try info --json=yes
try info --json=
try info --data-dir
try info --data-dir=
# Twice, on either side of the verb.
try info --seed 1 --seed 1
try --seed 1 info --seed=2
try info --json --json
try --json info --json
# Whatever was typed, the sentence stays one printable line of bounded length.
try info $'--new\nline\e[31m'
long=$(printf 'x%.0s' {1..3000})
try "$long" 2>&1 | sed "s/x\{100,\}/LONG/"
try info "--$long" 2>&1 | sed "s/x\{100,\}/LONG/"
try info --seed "$long" 2>&1 | sed "s/x\{100,\}/LONG/"
# One dash before a long name is no short option with its value attached.
try map p.npz -output m.npz
try map p.npz -output=m.npz
