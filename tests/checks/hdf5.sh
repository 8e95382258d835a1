#!/bin/bash
# Cells as anndata, h5py and Cell Ranger write them give the same spins, names and labels; what lies beyond is refused.
exec /usr/bin/python3 "$SOURCE/tests/checks/hdf5.py"
