"""From an RBM back to the patterns of a Hopfield network.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats
from .patterns import Patterns

Bools = npt.NDArray[np.bool_]
Wholes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unmapping:
    """Patterns B = sgn(WX) found by :meth:`SpinGaussianRBM.unmap`, and how good they are.

    The residual of a pattern b is \\|b - Pb\\|^2, where P is the projector on the span of W. ``verdict`` compares it
    with what the same search finds for random W: "exact", "approximate" or "none", and then the patterns mean nothing.
    """

    patterns: Patterns
    coefficients: Floats  #: X (n_hidden, n_patterns)
    method: str
    start: str  #: the start used
    n_visible: int
    n_hidden: int
    n_patterns: int
    n_distinct: int  #: distinct patterns, up to sign
    rank: int  #: of the patterns
    n_starts: int  #: states relaxed or descended from
    n_candidates: int  #: distinct results that the patterns were chosen from; 0 if each has its own start
    is_exhaustive: bool  #: whether every start was tried
    residual: float  #: sum over the patterns
    error: float  #: \|WX - sgn(WX)\|, as in the paper
    residual_before: float  #: at the start; NaN unless each pattern has its own
    error_before: float
    sign_baseline: float  #: mean residual of as many random patterns
    random_baseline: float  #: residual that the same search finds for a random W
    verdict: str  #: "exact", "approximate" or "none"
    capture_before: float  #: "capture": mean share of a sample of the RBM in the span of the start; NaN otherwise
    capture: float  #: the same of the patterns found
    flips: int  #: "capture": single units flipped
    mixing: str | None  #: "capture": how samples were drawn, by "jumps" or "tempering", or near the "data"

    residuals: Floats  #: of each pattern
    errors: Floats  #: \|Wx - b\|^2 of each, at the x found
    known: Wholes  #: the nearest known pattern of each; -1 if there is none
    bits_changed: Wholes  #: relative to that; -1 likewise
    same_as: Wholes  #: the first pattern equal to it up to sign; often itself
    is_fixed_point: Bools  #: of sgn(Pb)
    is_fixed_point_without_diagonal: Bools
    is_stable: Bools  #: every single flip raises H, for J = P
    model_is_fixed_point: Bools  #: the same three for J = WW' with the field b + Wc
    model_is_fixed_point_without_diagonal: Bools
    model_is_stable: Bools
    n_small: Wholes  #: units that meet condition (a) of appendix D
    n_compatible: Wholes  #: condition (b)
    n_left_over: Wholes  #: neither

    @classmethod
    def _wrap(cls, handle: _core.Unmapping) -> Unmapping:
        rows = handle.rows()
        renamed = {"residual": "residuals", "error": "errors"}
        columns: dict[str, Any] = {}
        for name in rows[0] if rows else ():
            values = [row[name] for row in rows]
            columns[renamed.get(name, name)] = np.array([-1 if value is None else value for value in values])
        report = handle.describe()
        if report["method"] != "capture":
            report["mixing"] = None
        return cls(patterns=Patterns._wrap(handle.patterns()), coefficients=np.array(handle.coefficients()),
                   **report, **columns)

    @property
    def share(self) -> float:
        """The residual as a share of that for a random W: small is good, 1 is chance."""
        return self.residual / self.random_baseline if self.random_baseline else float("nan")

    def __len__(self) -> int:
        return self.n_patterns

    def __repr__(self) -> str:
        return (f"Unmapping({self.verdict}, n_patterns={self.n_patterns}, method={self.method!r}, "
                f"residual={self.residual:.4g})")

    def _repr_html_(self) -> str:
        rows = [("method", self.method), ("start", "all" if self.is_exhaustive else self.start),
                ("patterns", f"{self.n_patterns}, of rank {self.rank}"),
                ("residual", f"{self.residual:.5g}; of random signs {self.sign_baseline:.5g}, found for a random W "
                             f"{self.random_baseline:.5g}"),
                ("binarization", self.verdict),
                ("fixed points", f"{int(self.is_fixed_point.sum())} of {self.n_patterns}")]
        warning = "none found: these patterns mean nothing" if self.verdict == "none" else ""
        return _show.html_table("Unmapping", rows, warning)

    def plot(self, *, columns: int | None = None, ax: Any = None) -> Any:
        """The patterns as images if they are. Returns the axes of matplotlib."""
        labels = self.patterns.labels
        titles = None if all(label is None for label in labels) else labels
        return _show.plot_images(self.patterns.spins, getattr(self.patterns, "image_shape", None), titles=titles,
                                 columns=columns, ax=ax)
