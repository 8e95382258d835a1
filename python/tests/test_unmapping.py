"""From an RBM back to patterns: the numbers of the program.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isinglass import Patterns, SpinGaussianRBM, Unmapping

COMMON = {"method": "method", "n_patterns": "n_patterns", "rank": "rank", "residual": "residual", "error": "error",
          "residual_before": "residual_before", "error_before": "error_before", "sign_baseline": "sign_baseline",
          "random_baseline": "random_baseline", "n_distinct": "distinct", "n_starts": "starts",
          "n_candidates": "candidates", "is_exhaustive": "exhaustive", "verdict": "binarization"}
EACH = {"residuals": "residual", "errors": "error", "is_fixed_point": "fixed_point",
        "is_fixed_point_without_diagonal": "fixed_point_without_diagonal", "is_stable": "stable"}


def trained(noise: float = 0.05) -> SpinGaussianRBM:
    """As after training: near to a mapped network, but no longer exactly one."""
    random = np.random.default_rng(5)
    labels = [str(mu) for mu in range(4)]
    rbm = SpinGaussianRBM.from_patterns(Patterns(random.choice([-1, 1], (4, 30)), labels))
    rbm.weights[...] += random.normal(0, noise, rbm.weights.shape)
    return rbm


def agrees(found: Unmapping, said: dict[str, Any]) -> None:
    for ours, theirs in COMMON.items():
        value = getattr(found, ours)
        assert (None if isinstance(value, float) and math.isnan(value) else value) == said[theirs], ours
    for ours, theirs in EACH.items():
        assert getattr(found, ours).tolist() == [row[theirs] for row in said["patterns"]], ours
    for name in ("known", "bits_changed"):
        assert getattr(found, name).tolist() == [-1 if row[name] is None else row[name] for row in said["patterns"]]
    assert found.model_is_stable.tolist() == [row["model"]["stable"] for row in said["patterns"]]
    assert found.n_left_over.tolist() == [row["units_without_condition"] for row in said["patterns"]]
    assert found.patterns.labels == [row["label"] for row in said["patterns"]]


@pytest.mark.parametrize(("options", "arguments"), [
    ({}, []),
    ({"method": "descent", "alpha": 50.0, "gamma": 0.02, "steps": 30},
     ["--method", "descent", "--alpha", 50, "--gamma", "0.02", "--steps", 30]),
    ({"method": "enumerate"}, ["--method", "enumerate"]),
    ({"start": "random", "restarts": 20, "random_state": 3}, ["--start", "random", "--restarts", 20, "--seed", 3]),
    ({"flip": True}, ["--flip"]),
    ({"method": "capture", "samples": 500, "n_patterns": 3, "random_state": 2},
     ["--method", "capture", "--samples", 500, "--patterns", 3, "--seed", 2])])
def test_unmapping_is_that_of_the_program(options: dict[str, Any], arguments: list[Any], run_program: Any,
                                          tmp_path: Path) -> None:
    rbm = trained()
    rbm.save(tmp_path / "m.npz")
    said = json.loads(run_program("unmap", tmp_path / "m.npz", "-o", tmp_path / "u.npz", "--json", *arguments))
    found = rbm.unmap(**options)
    agrees(found, said)
    np.testing.assert_array_equal(found.patterns.spins, Patterns.load(tmp_path / "u.npz").spins)
    assert rbm.integrate().singular_values.tolist() == said["singular_values"]
    assert rbm.integrate().orthogonal_distance == said["integrated"]["orthogonal_distance"]


def test_capture_stays_near_the_data() -> None:
    rbm = trained()
    one = np.sign(rbm.weights[:, :1].T)
    found = rbm.unmap(method="capture", samples=200, near_data=True, data=one)
    assert found.mixing == "data" and found.flips >= 0 and found.capture >= found.capture_before
    assert rbm.unmap().mixing is None
    with pytest.raises(ValueError, match="no data"):
        rbm.unmap(method="capture", near_data=True)
    with pytest.raises(ValueError, match="n_patterns"):
        rbm.unmap(method="capture", n_patterns=-1)


def test_patterns_come_back_exactly() -> None:
    patterns = Patterns(np.random.default_rng(5).choice([-1, 1], (4, 30)))
    found = SpinGaussianRBM.from_patterns(patterns).unmap()
    assert found.verdict == "exact" and found.share < 1e-9 and len(found) == 4
    np.testing.assert_array_equal(found.patterns.spins, patterns.spins)
    rbm = trained()
    started = rbm.unmap(start=patterns)
    assert started.start == "patterns"
    np.testing.assert_array_equal(np.sign(rbm.weights @ started.coefficients).T, started.patterns.spins)


def test_looks_and_copies() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = trained().unmap()
    assert repr(found).startswith(f"Unmapping({found.verdict}, n_patterns=4")
    assert "residual" in found._repr_html_()
    found.plot()
    other = pickle.loads(pickle.dumps(found))
    assert other.residual == found.residual and np.array_equal(other.patterns.spins, found.patterns.spins)
    poor = trained(5.0).unmap()
    assert poor.verdict == "none" and "#b00020" in poor._repr_html_()


def test_bad_input() -> None:
    rbm = trained()
    with pytest.raises(ValueError):
        rbm.unmap(start=Patterns(np.ones((4, 29))))
    with pytest.raises(ValueError):
        rbm.unmap(start=Patterns(np.random.default_rng(1).choice([-1, 1], (3, 30))))
    with pytest.raises(ValueError, match="^data: "):
        rbm.unmap(data=np.full((2, 30), 0.3))
    with pytest.raises(ValueError):
        rbm.unmap(data=np.ones((2, 29)), start="random")
    with pytest.raises(ValueError):
        rbm.unmap(method="descent", gamma=1e9)
    with pytest.raises(ValueError):
        rbm.unmap(method="descent", alpha=float("nan"))
