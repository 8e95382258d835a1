#!/usr/bin/env python3
"""run_notebook.py IN OUT - runs all cells of a notebook, and writes it with what they gave

SPDX-License-Identifier: MIT

Exit status 1, with the error, if a cell raises one.
"""
import sys

import nbclient
import nbformat


def main() -> int:
    notebook = nbformat.read(sys.argv[1], as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        print(error, file=sys.stderr)
        return 1
    nbformat.write(notebook, sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
