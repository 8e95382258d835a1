# Every way to say the same thing.
isinglass info --json --threads 2 --data-dir /d >reference
for line in '--json info --threads 2 --data-dir /d' '--threads=2 info --data-dir=/d --json' \
    'info --data-dir=/d --threads=2 --json --' '--data-dir /d --threads 2 --json -- info' \
    '--json --threads 2 --data-dir /d --seed 18446744073709551615 --quiet --force info'; do
    # shellcheck disable=SC2086 # words
    isinglass $line | cmp reference - || echo "differs: $line"
done
try info --threads 1024 --data-dir - | grep -e '^[$!]' -e threads -e directory
try info --seed 0 --isa best --data-dir ./-x | grep -e '^[$!]' -e directory
