"""ln Z and log-likelihoods, each with its error and whether it can be trusted.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import _show

_SIDES = {
    "exact": "a bound",
    "both": "one standard error, in either direction",
    "lower": "ln Z is too low on average, perhaps by more than the error",
    "upper": "ln Z is too high on average",
    "bound": "ln Z is at least this, by the states that are known",
}


class Shares(NamedTuple):
    """Where Z is: in the wells of deep states, and elsewhere. NaN if unknown."""

    wells: float = math.nan
    rest: float = math.nan


def _with_error(value: float, error: float) -> str:
    """As many digits as the error makes sense of: 803.420 +- 0.001."""
    if not math.isfinite(value):
        return f"{value}"
    if not math.isfinite(error):
        return f"{value:.4f}, error unknown"
    digits = 6 if error < 5e-7 else max(0, min(6, -math.floor(math.log10(error))))
    return f"{value:.{digits}f} +- {error:.1g}"


@dataclass(frozen=True, slots=True)
class LogZ:
    """ln Z of an RBM, Z = sum over all states of exp(-beta H(s)), as :meth:`SpinGaussianRBM.log_z` found it.

    ``float(log_z)`` is its value, and ``f"{log_z:.2f}"`` formats it. Look at ``is_trusted`` before you rely on it.

    Attributes
    ----------
    value, error : float
        ln Z, and one standard error of it, or a bound if ``method`` is "exact"; NaN if unknown.
    method : str
        "exact", "wells", "population", "ais" or "mixture".
    side : str
        What the error means: "exact", "both", "lower" (too low on average), "upper" or "bound" (at least: the estimate
        agrees, within its error, with ``bound``, which ln Z is not below).
    ess, samples : float, int
        Effective sample size, and the number of chains, particles or draws; 0 if exact.
    spread : float
        Annealing, wells, population: standard deviation of the repeats; else NaN.
    modes, laplace : int, float
        Mixture: number of minima of the free energy, and the estimate by Laplace's method; else 0 and NaN. Wells: their
        number, mirror images included, and NaN.
    is_trusted, reason : bool, str
        Whether value and error can be relied on, and why not.
    choice : str
        Why "auto" took this method.
    beta : float
        The inverse temperature.
    shares : Shares
        Wells: ``shares.wells`` and ``shares.rest``, the parts of Z in the wells of deep states and elsewhere; else NaN.
    is_drawn : bool
        Wells: whether the rest was found by draws, which a small population confirmed, and not by a population alone.
    family : float
        Wells, population: the largest part of a population that descends from one state at beta = 0, averaged over
        repeats; else NaN.
    bound, states : float, int
        ln of the sum of exp(-beta H) over the states that are known, and how many these are. ln Z is never below it.
        -inf and 0 if none were looked for.
    """

    value: float
    error: float
    method: str
    side: str
    ess: float
    samples: int
    spread: float
    modes: int
    laplace: float
    is_trusted: bool
    reason: str
    choice: str
    beta: float
    shares: Shares = Shares()
    is_drawn: bool = False
    family: float = math.nan
    bound: float = -math.inf
    states: int = 0

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else repr(self)

    def __repr__(self) -> str:
        warning = "" if self.is_trusted else f", NOT TRUSTED: {self.reason}"
        least = "at least " if self.side == "bound" else ""
        return f"LogZ({least}{_with_error(self.value, self.error)}, method={self.method!r}{warning})"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [("ln Z", _with_error(self.value, self.error)), ("method", self.method),
                                       ("error", _SIDES[self.side]), ("beta", f"{self.beta:g}")]
        if self.method != "exact":
            rows.append(("effective sample size", f"{self.ess:.4g} of {self.samples}"))
        if not math.isnan(self.shares.wells):
            rows.append(("shares of Z", f"{self.shares.wells:.4g} in wells, {self.shares.rest:.4g} in the rest"))
        if self.states:
            rows.append(("bound", f"{self.bound:.4f} or more, by {self.states} known states"))
        if self.choice:
            rows.append(("chosen", self.choice))
        return _show.html_table("ln Z", rows, "" if self.is_trusted else f"not trusted: {self.reason}")

    @classmethod
    def _from(cls, found: dict[str, Any], beta: float) -> LogZ:
        shares = Shares(found.pop("wells"), found.pop("rest"))
        return cls(**found, shares=shares, beta=beta)

    def _given(self) -> dict[str, Any]:
        return {"value": self.value, "error": self.error, "is_trusted": self.is_trusted}


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The mean of ln p(s) = -beta H(s) - ln Z over samples, in nats per sample.

    Attributes
    ----------
    value, error : float
        The mean, and its error, which is that of ln Z.
    data_term : float
        The mean of -beta H(s), exact except for rounding.
    deviation : float
        Standard deviation of ln p(s) over the samples; NaN below two.
    samples : int
    is_trusted : bool
        Whether ln Z is.
    by_class : dict of Likelihood
        Of each class by its name, if that was asked for; without classes that have no sample.
    log_z : LogZ or None
        The ln Z behind it; None if only a number was given.
    """

    value: float
    error: float
    data_term: float
    deviation: float
    samples: int
    is_trusted: bool
    by_class: Mapping[str, Likelihood] = field(default_factory=dict)
    log_z: LogZ | None = None

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else repr(self)

    def _warning(self) -> str:
        if self.is_trusted:
            return ""
        return f"NOT TRUSTED: {self.log_z.reason}" if self.log_z else "NOT TRUSTED"

    def __repr__(self) -> str:
        warning = f", {self._warning()}" if not self.is_trusted else ""
        return f"Likelihood({_with_error(self.value, self.error)}, samples={self.samples}{warning})"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [("nats per sample", _with_error(self.value, self.error)),
                                       ("samples", self.samples), ("deviation", f"{self.deviation:.4g}")]
        rows += [(f"class {name}", _with_error(one.value, one.error)) for name, one in self.by_class.items()]
        return _show.html_table("Log-likelihood", rows, self._warning())
