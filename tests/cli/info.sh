# The verb `info`, and where data sets are kept.
try info
one_line() { tr -s '\n ' ' ' | sed 's/ $/\n/'; }
isinglass info --json | one_line
isinglass info --isa ref --threads 3 --json | one_line
try info --isa sse9
directory() { env "$@" isinglass info | sed -n 's/^data directory *//p'; }
directory HOME=/h
directory HOME=/h XDG_DATA_HOME=/x
directory HOME=/h XDG_DATA_HOME=
directory HOME=/h XDG_DATA_HOME=relative
directory HOME=/h XDG_DATA_HOME=/x ISINGLASS_DATA=/i
directory HOME=/h ISINGLASS_DATA=
directory -u HOME
directory HOME=
directory -u HOME XDG_DATA_HOME=/x
ISINGLASS_DATA=/i isinglass info --data-dir /d | tail -1
env -u HOME isinglass info --json | tail -2
# A name that is not UTF-8 still gives valid JSON.
ISINGLASS_DATA=$'/a\xff\xc3\xa9\xed\xa0\x80/"\\\t' isinglass info --json | tail -2
threads() { env "$@" isinglass info | sed -n 's/^threads *\([0-9]*\).*/\1/p'; }
threads OMP_NUM_THREADS=7
threads OMP_NUM_THREADS=3,2
OMP_NUM_THREADS=7 isinglass info --threads 5 | grep ^threads
# Out of range: all cores. (What is no number at all never gets here: some OpenMP runtimes abort.)
for bad in 0 99999; do
    [[ $(threads OMP_NUM_THREADS=$bad 2>/dev/null) == $(threads A=) ]] || echo "OMP_NUM_THREADS=$bad"
done
