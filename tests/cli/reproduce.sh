# The figures of the paper: help and refusals; tests/checks/reproduce.sh computes them.
try reproduce -h
try reproduce --help
try reproduce
try reproduce fig7 -o out
try reproduce --scale large -o out
try reproduce -o out --data-dir nowhere
ls
