#!/bin/bash
# The results of every verb have the SHA-256 that docs/reliability.md has in its table, on every number
# of threads, instruction set and libm that this machine can offer.
#
#     one_answer.sh                   compare in all combinations
#     one_answer.sh --only NAME...    compare in these, such as threads-1 (see COMBINATIONS); an
#                                     emulator needs no more
#     one_answer.sh --print [NAME]    print "name sha256" lines of one combination [threads-1]
#     one_answer.sh --renew           put these into docs/reliability.md
#
# Renewing is for results that were meant to change: such a change has an entry in the changelog that is
# marked `numerics:`. $ISINGLASS may be a script that runs the program in an emulator.
exec /usr/bin/python3 "$SOURCE/tests/checks/one_answer.py" "$@"
