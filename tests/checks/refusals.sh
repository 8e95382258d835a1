#!/bin/bash
# Bad files are refused with the right exit code and one sentence, without a hang or much memory.
exec /usr/bin/python3 "$SOURCE/tests/checks/refusals.py"
