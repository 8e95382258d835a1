# The n-th allocation fails, for every n, once or for good: out of memory, or not needed after all.
sweep() {
    local n mark code
    for mark in '' +; do
        for ((n = 1; n <= 300; n++)); do
            ISINGLASS_FAIL_ALLOCATION=$n$mark isinglass "$@" >out 2>err
            code=$?
            [[ $code -eq 0 ]] && break
            if [[ $code -ne 5 || -s out || $(cat err) != "isinglass: out of memory"* ]]; then
                echo "$*: n = $n$mark gives $code: $(head -5 err)"
                return
            fi
        done
        [[ $n -gt 1 && $n -lt 300 ]] || echo "$*: not a sweep: $n"
        isinglass "$@" | cmp out - || echo "$*: n = $n$mark: different output"
        # Nothing beyond the first success fails any more.
        ISINGLASS_FAIL_ALLOCATION=$((n + 50))$mark isinglass "$@" | cmp out -
    done
}
sweep info
sweep info --json
sweep info -h
sweep info --help
sweep --help
sweep --version
sweep --print-man
sweep --print-completion
# The value is checked like an option's.
for value in 0 + x 1x 1++ -1 99999999999999999999 1111111111111111111111111111111111111+; do
    ISINGLASS_FAIL_ALLOCATION=$value isinglass info
    echo "= $?"
done
ISINGLASS_FAIL_ALLOCATION='' isinglass --version
