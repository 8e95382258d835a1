"""Checks of the identities: the numbers of the program.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isinglass
from isinglass import Checks, Patterns, verify
from isinglass.theory import Check


@pytest.mark.parametrize("seed", [1, 12])
@pytest.mark.parametrize("own", [True, False])
def test_checks_are_those_of_the_program(own: bool, seed: int, run_program: Any, tmp_path: Path) -> None:
    patterns = Patterns(np.random.default_rng(5).choice([-1, 1], (4, 18))) if own else None
    if patterns is not None:
        patterns.save(tmp_path / "p.npz")
    said = json.loads(run_program("verify", *([tmp_path / "p.npz"] if own else []), "--seed", seed, "--json"))
    found = verify(patterns, random_state=seed)
    assert [check._asdict() for check in found] == said["checks"]
    assert found.ok and said["ok"] and not found.failed and len(found) > 5


def test_a_failure_is_shown() -> None:
    checks = Checks([Check("one", 1e-16, 1e-12, True), Check("a < b", 1.0, 1e-12, False)])
    assert not checks.ok and checks.failed == [checks[1]] and repr(checks) == "Checks(2 checks, 1 failed)"
    assert "FAILED" in checks._repr_html_() and "a &lt; b" in checks._repr_html_()
    assert checks[:1].ok and pickle.loads(pickle.dumps(checks)) == checks and len({checks, checks[:]}) == 1


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="^patterns: expected an array of spins"):
        verify("p.npz")
    with pytest.raises(isinglass.DependentError):
        verify(Patterns([[1, 1, -1, 1], [1, 1, -1, 1]]))
    with pytest.raises(ValueError, match="^random_state: "):
        verify(random_state=-1)


def test_arrays_are_patterns() -> None:
    assert verify([[1, 1, -1, -1], [1, -1, 1, -1]]).ok
