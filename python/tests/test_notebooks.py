"""The notebooks of examples/notebooks run from top to bottom, headless, each in less than three minutes.

With ISINGLASS_GALLERY=DIR the pictures that they draw are written to DIR, as docs/python/gallery.md shows them:

    ISINGLASS_GALLERY=docs/python python3 -m pytest python/tests/test_notebooks.py

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import base64
import os
import time
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = Path(__file__).resolve().parents[2] / "examples" / "notebooks"

#: How many pictures each notebook draws.
PICTURES = {"digits": 6, "cells": 2}


def pictures(notebook: nbformat.NotebookNode) -> list[bytes]:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [base64.b64decode(output.data["image/png"]) for output in outputs
            if "image/png" in output.get("data", {})]


def test_all_are_listed() -> None:
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(PICTURES)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PICTURES))
def test_notebook(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    started = time.monotonic()
    client = nbclient.NotebookClient(notebook, timeout=170, kernel_name="python3",
                                     resources={"metadata": {"path": str(tmp_path)}})
    # Other tests draw on nothing; a notebook draws into itself.
    client.execute(env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    assert time.monotonic() - started < 180
    drawn = pictures(notebook)
    assert len(drawn) == PICTURES[name]
    if gallery := os.environ.get("ISINGLASS_GALLERY"):
        for k, content in enumerate(drawn, 1):
            (Path(gallery) / f"{name}-{k}.png").write_bytes(content)
