"""The examples in docstrings and in docs/python give what they say.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import isinglass

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = Path(__file__).resolve().parents[2] / "docs" / "python"


def examples() -> list[doctest.DocTest]:
    found: list[doctest.DocTest] = []
    for module in sorted(pkgutil.iter_modules(isinglass.__path__), key=lambda module: module.name):
        if module.name != "_core":
            found += doctest.DocTestFinder().find(importlib.import_module(f"isinglass.{module.name}"))
    for page in sorted(PAGES.glob("*.md")):
        # The fence that ends a block of code is not what an example prints.
        text = page.read_text().replace("\n```\n", "\n\n")
        found.append(doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_example(test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append, clear_globs=False)
    assert tried > 0 and failed == 0, "".join(said)


def test_a_wrong_example_is_noticed() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner().run(wrong, out=lambda text: None).failed == 1
