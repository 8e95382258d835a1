#!/bin/bash
# How values became spins belongs to the model: every reader, verb and model file agrees on the spins.
exec /usr/bin/python3 "$SOURCE/tests/checks/encoding.py"
