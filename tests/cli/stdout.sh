# Standard output that cannot be written is noticed; a reader that has seen enough is no error.
code() { echo "= $?"; }
isinglass info >/dev/full 2>&1 || code
isinglass info >/dev/full
code
isinglass --help >&-
code
isinglass info --json >&-
code
isinglass inof >&-
code
isinglass info 2>&- >/dev/null
code
isinglass inof 2>&-
code
isinglass info <&- >/dev/null
code
isinglass info <&- >&- 2>&-
code
isinglass --help | head -1
# The reader is gone before the first byte: the signal ends the program, silently.
{ sleep 0.2; isinglass --help; echo "= $?" >&2; } | true
# Where that signal is ignored, it is an error like any other.
(trap '' PIPE; { sleep 0.2; isinglass --help; echo "= $?" >&2; } | true)
# Everything arrives through a pipe that is read slowly and cannot be waited for.
isinglass --print-completion >all
isinglass --print-completion | { sleep 0.2; cat; } | cmp all -
