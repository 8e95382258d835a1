"""Checks of the identities behind the mappings.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, overload

import numpy.typing as npt

from . import _core
from ._convert import Progress, as_seed, reporting
from .patterns import Patterns, as_patterns


class Check(NamedTuple):
    """A quantity that is zero in theory, and a bound on what rounding may make of it."""

    name: str
    value: float
    bound: float
    ok: bool  #: value <= bound


class Checks(Sequence[Check]):
    """Results of :func:`verify`: a sequence of :class:`Check`, true as a whole if all passed."""

    __slots__ = ("_checks",)

    def __init__(self, checks: Iterable[Check]) -> None:
        self._checks = tuple(checks)

    @property
    def ok(self) -> bool:
        """Whether all checks passed."""
        return all(check.ok for check in self._checks)

    @property
    def failed(self) -> list[Check]:
        """Those that did not."""
        return [check for check in self._checks if not check.ok]

    @overload
    def __getitem__(self, index: int) -> Check: ...

    @overload
    def __getitem__(self, index: slice) -> Checks: ...

    def __getitem__(self, index: int | slice) -> Check | Checks:
        return Checks(self._checks[index]) if isinstance(index, slice) else self._checks[index]

    def __len__(self) -> int:
        return len(self._checks)

    def __repr__(self) -> str:
        return f"Checks({len(self)} checks, {len(self.failed)} failed)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checks) and self._checks == other._checks

    def __hash__(self) -> int:
        return hash(self._checks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Checks, (self._checks,)

    def _repr_html_(self) -> str:
        lines = [f"<tr><td style='text-align:left'>{html.escape(check.name)}</td><td>{check.value:.2g}</td>"
                 f"<td>{check.bound:.2g}</td>"
                 + ("<td>ok</td></tr>" if check.ok else "<td style='color:#b00020'>FAILED</td></tr>")
                 for check in self._checks]
        return ("<table><tr><th style='text-align:left'>check</th><th>value</th><th>bound</th><th></th></tr>"
                + "".join(lines) + "</table>")


def verify(patterns: Patterns | npt.ArrayLike | None = None, *, random_state: Any = 1, progress: Progress = None) -> Checks:
    """Checks the identities behind the mappings, as ``isinglass verify`` does.

    With patterns: that the weights of each mapping are orthonormal and reproduce the patterns, that the couplings are
    the same projector for all mappings, and that the network and all machines give 10000 random states the same energy.
    Without: energies and ln Z over all states of small random networks.

    Examples
    --------
    >>> verify(Patterns([[1, 1, -1, -1], [1, -1, 1, -1]])).ok
    True
    """
    stored = None if patterns is None else as_patterns(patterns, "patterns")
    with reporting(progress, "verifying") as report:
        found = _core.verify(None if stored is None else stored._handle, as_seed(random_state), report)
    return Checks(Check(**check) for check in found)
