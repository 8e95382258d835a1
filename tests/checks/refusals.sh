#!/bin/bash
# Files that must be refused are, with the right exit code, one sentence, no hang, little memory.
exec /usr/bin/python3 "$SOURCE/tests/checks/refusals.py"
