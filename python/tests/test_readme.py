"""The README's program does what its comments say, and its picture is the one that it draws.

With ISINGLASS_GALLERY=DIR the picture is written to DIR, as for test_notebooks.py.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def test_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert found, "there is a program in the README"
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(found[1], "README.md", "exec"), {})
    assert printed.getvalue().splitlines() == re.findall(r"^print.*?# (.*)$", found[1], re.MULTILINE)
    assert (tmp_path / "recall.png").read_bytes().startswith(b"\x89PNG")
    if gallery := os.environ.get("ISINGLASS_GALLERY"):
        shutil.copy(tmp_path / "recall.png", gallery)
