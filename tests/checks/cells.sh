#!/bin/bash
# One set of cells in every form that users have it in: the same spins, names and labels.
exec /usr/bin/python3 "$SOURCE/tests/checks/cells.py"
