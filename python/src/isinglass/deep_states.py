"""Minima of the energy: stored patterns, their mixtures, and other spurious states.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Spins
from .log_z import LogZ, _with_error
from .patterns import Patterns

if TYPE_CHECKING:
    from .rbm import SpinGaussianRBM

Bools = npt.NDArray[np.bool_]
Wholes = npt.NDArray[np.int64]
Objects = npt.NDArray[np.object_]

_ONE_IN = 50  # a state is called a mixture if it differs from it in at most one of so many spins
_ROUNDED = 1e-3  # by how much a ln Z may be off because of the digits that were printed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DeepStates:
    """The minima of H that :meth:`SpinGaussianRBM.deep_states` found, sorted by energy; an entry per state.

    No flip of a single spin leads down from any of them. Those of the same energy begin with patterns. If
    ``is_even``, H(-s) = H(s), and a state stands for itself and its mirror image: it is the one of the two on the side
    of its nearest pattern or, without patterns, with at most half of its spins up.
    """

    spins: Spins  #: (count, n_visible)
    energy: Floats  #: H(s)
    share: Floats  #: of Z or, without ``log_z``, of exp(bound); if ``is_even``, with the mirror image
    well: Floats  #: share of Z in the well whose deepest state it is; NaN if it is none, or not known
    reached: Wholes  #: random starts that end in it or, if ``is_even``, in its mirror image
    nearest: Wholes  #: the pattern with the largest overlap, up to a sign if ``is_even``; -1 if there are none
    overlap: Floats  #: with it, s.xi / n_visible; NaN if there is none
    distance: Wholes  #: spins in which they differ; -1 if there is none
    mixture: Wholes  #: (count, 3), the patterns of the nearest sgn(+-a +-b +-c); -1 if there are fewer than three
    signs: Spins  #: (count, 3), their signs; 0 likewise
    mixture_distance: Wholes  #: spins in which the state differs from that; -1 likewise
    is_sum: Bools  #: +-a +-b +-c is +1 or -1 at every unit, and as deep as patterns are in a projection network

    found: int  #: minima found, of which the list has the deepest
    ground_states: int  #: those with the lowest energy
    starts: int  #: random starts
    bound: float  #: ln of the sum of exp(-beta H) over all that were found: rigorous, ln Z is not below it
    is_even: bool  #: H(-s) = H(s)
    is_closed: bool  #: combinations of the deepest led to nothing new, which is no proof that there is nothing
    beta: float
    log_z: LogZ | float | None  #: ln Z, as it was computed or given
    patterns: Patterns | None  #: those that the RBM was made from; None if unknown
    image_shape: tuple[int, int] | None  #: (height, width) if the visible units are an image

    @classmethod
    def _wrap(cls, rbm: SpinGaussianRBM, handle: _core.DeepStates, log_z: LogZ | float | None = None, *,
              is_weighed: bool = False) -> DeepStates:
        info = handle.describe()
        count = info.pop("count")
        columns: dict[str, Any] = {name: np.asarray(column) for name, column in handle.columns().items()}
        spins = np.empty((count, info.pop("n_visible")), np.int8)
        mixture, signs = np.empty((count, 3), np.int64), np.empty((count, 3), np.int8)
        handle.spins(spins)
        handle.mixtures(mixture, signs)
        self = cls(spins=spins, mixture=mixture, signs=signs, **columns, **info, log_z=log_z, patterns=rbm.patterns,
                   image_shape=rbm.image_shape)
        if log_z is not None and not is_weighed:
            self._check_bounds(rbm, log_z)
            self.share[:] = np.exp(-self.beta * self.energy - float(log_z)) * (2 if self.is_even else 1)
        return self

    def _check_bounds(self, rbm: SpinGaussianRBM, log_z: LogZ | float) -> None:
        error = log_z.error if isinstance(log_z, LogZ) and log_z.error > 0 else 0.0
        if float(log_z) < self.bound - _ROUNDED - 3 * error:
            raise ValueError(f"log_z: at beta {self.beta:g}, ln Z is at least {self.bound:.4f}, by the states that "
                             f"were found; found {float(log_z):g}")
        sums = np.abs(rbm.weights).sum(0)  # no -H is above the sum of its terms at their largest
        most = np.abs(rbm.visible_field).sum() + (sums * (sums / 2 + np.abs(rbm.hidden_field))).sum()
        most = self.n_visible * math.log(2) + self.beta * most
        if float(log_z) > most + _ROUNDED + 1e-9 * abs(most) + 3 * error:
            raise ValueError(f"log_z: at beta {self.beta:g}, ln Z is at most {most:.4f}, by the size of weights and "
                             f"fields; found {float(log_z):g}")

    @property
    def count(self) -> int:
        """The number of states in the list."""
        return len(self.energy)

    @property
    def n_visible(self) -> int:
        """The number of spins."""
        return int(self.spins.shape[1])

    @property
    def depth(self) -> Floats:
        """H above the lowest; 0 for all ground states, which only rounding tells apart."""
        out: Floats = self.energy - self.energy[0]
        out[:self.ground_states] = 0
        return out

    @property
    def basin(self) -> Floats:
        """The share of random starts that end in each state; NaN if there were none."""
        return self.reached / self.starts if self.starts else np.full(len(self), np.nan)

    @property
    def is_pattern(self) -> Bools:
        """Whether the state is a pattern or, if ``is_even``, its mirror image."""
        return np.asarray(self.distance == 0)

    @property
    def is_mixture(self) -> Bools:
        """Whether it differs from the nearest mixture in at most 2 % of its spins, and from all patterns in more."""
        near = (self.mixture_distance >= 0) & (self.mixture_distance <= self.n_visible // _ONE_IN)
        return np.asarray(near & (self.mixture_distance < self.distance))

    @property
    def kind(self) -> Objects:
        """"pattern", "mixture" or "other"; None if there are no patterns."""
        kinds = np.where(self.is_pattern, "pattern", np.where(self.is_mixture, "mixture", "other")).astype(object)
        kinds[self.nearest < 0] = None
        return kinds

    @property
    def label(self) -> Objects:
        """The class of the nearest pattern, or None."""
        labels = self.patterns.labels if self.patterns is not None else []
        return _objects([labels[mu] if mu >= 0 else None for mu in self.nearest])

    @property
    def formula(self) -> Objects:
        """Mixtures in terms of labels, "a + b - c" or "sgn(a + b + c)", with #number where these are not unique."""
        names = self._names()
        return _objects([self._formula(k, names) if mixed else None for k, mixed in enumerate(self.is_mixture)])

    def _names(self) -> list[str]:
        labels = self.patterns.labels if self.patterns is not None else []
        times = Counter(labels)
        return [label if label is not None and times[label] == 1 else f"{label or ''}#{mu}"
                for mu, label in enumerate(labels)]

    def _formula(self, k: int, names: list[str]) -> str:
        a, b, c = (names[mu] for mu in self.mixture[k])
        first, second, third = self.signs[k] < 0
        sum_ = f"{'-' if first else ''}{a} {'-' if second else '+'} {b} {'-' if third else '+'} {c}"
        return sum_ if self.is_sum[k] else f"sgn({sum_})"

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """All but the spins as a dict of arrays, as ``isinglass states`` prints it; ``pandas.DataFrame()`` takes it.

        Returns
        -------
        dict of arrays
            ``energy``, ``depth``, ``share``, ``well``, ``reached``, ``basin``, ``nearest``, ``label``, ``overlap``,
            ``distance``, ``kind``, ``formula``, ``mixture_distance``.
        """
        names = ("energy", "depth", "share", "well", "reached", "basin", "nearest", "label", "overlap", "distance",
                 "kind", "formula", "mixture_distance")
        return {name: np.array(getattr(self, name)) for name in names}

    def plot(self, *, limit: int = 20, columns: int | None = None, ax: Any = None) -> Any:
        """The deepest states as images if they are, with the names of those that are patterns. Returns the axes."""
        names, kinds = self._names(), self.kind[:limit]
        titles = [names[mu] if kind == "pattern" else kind for mu, kind in zip(self.nearest, kinds)] if names else None
        return _show.plot_images(self.spins[:limit], self.image_shape, titles=titles, columns=columns, ax=ax)

    def __len__(self) -> int:
        return len(self.energy)

    def __repr__(self) -> str:
        return (f"DeepStates(count={len(self)}, n_visible={self.n_visible}, ground_states={self.ground_states}, "
                f"lowest={self.energy[0]:.6g})")

    def _repr_html_(self) -> str:
        pairs = " pairs, each a state and its mirror image" if self.is_even else ""
        rows: list[tuple[str, Any]] = [
            ("units", self.n_visible), ("beta", f"{self.beta:g}"), ("minima", f"{self.found}{pairs}"),
            ("ground states", f"{self.ground_states} at H = {self.energy[0]:.6g}"),
            ("combinations", "lead to nothing new" if self.is_closed else "still lead to new states"),
            ("bound", f"ln Z is at least {self.bound:.4f}")]
        warning = ""
        if isinstance(self.log_z, LogZ):
            rows.append(("ln Z", f"{_with_error(self.log_z.value, self.log_z.error)}, by {self.log_z.method}"))
            warning = "" if self.log_z.is_trusted else f"ln Z cannot be trusted: {self.log_z.reason}"
        elif self.log_z is not None:
            rows.append(("ln Z", f"{self.log_z:g}"))
        if self.patterns is not None:
            rows.append(("patterns", f"{int(self.is_pattern.sum())} of {len(self.patterns)}"))
            if self.starts:
                ends = int(self.reached[self.is_pattern].sum())
                rows.append(("random starts", f"{self.starts}, of which {ends} end in patterns"))
        return _show.html_table("Deep states", rows, warning)


def _objects(items: list[Any]) -> Objects:
    out = np.empty(len(items), object)
    out[:] = items
    return out
