# The script bash would source, called the way bash calls it.
isinglass --print-completion >script
# shellcheck disable=SC1091 # written by the line above
bash -n script && source ./script
complete -p isinglass
mkdir directory 'two words' && : >file
complete_line() { # words; the last one is being completed
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _isinglass
    printf '%s ->' "$*"
    [[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}" | sort | xargs -d '\n' printf ' [%s]'
    echo
}
complete_line isinglass inf
complete_line isinglass --
complete_line isinglass info --th
complete_line isinglass info --d
complete_line isinglass info --data-dir ''
complete_line isinglass info --data-dir t
complete_line isinglass info --data-dir =
complete_line isinglass info --data-dir = d
complete_line isinglass info --seed ''
complete_line isinglass info --isa b
complete_line isinglass --seed 3 in
complete_line isinglass --data-dir=directory in
complete_line isinglass info ''
COMP_WORDBREAKS=' '
complete_line isinglass info --data-dir=d
