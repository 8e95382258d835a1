"""Hopfield networks and their dynamics.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, Spins, as_seed, reporting
from .patterns import Patterns, as_patterns

if TYPE_CHECKING:
    from .dataset import Dataset
    from .rbm import SpinGaussianRBM

Rule = Literal["projection", "hebbian"]
Dynamics = Literal["async", "sync", "glauber", "parallel", "gibbs"]
Via = Literal["qr", "svd", "sqrt", "hebbian"]
Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class NetworkStates:
    """Where samples lie in the energy landscape of a network; an entry per sample."""

    energy: Floats  #: H(s)
    least_rise: Floats  #: The smallest rise of H over all single flips; negative if one lowers H.
    n_unstable: Counts  #: Units whose flip does not raise H.
    is_stable: Bools  #: There are no such units: a strict local minimum of H.
    is_fixed_point: Bools  #: s = sgn(J s + b), where sgn(0) keeps the spin.

    def __len__(self) -> int:
        return len(self.energy)


@dataclasses.dataclass(frozen=True, eq=False)
class DynamicsResult(NetworkStates):
    """Where the dynamics of a network led; an entry per sample."""

    spins: Spins  #: The states at the end, (n_samples, n_visible).
    sweeps: Counts  #: Sweeps done; at zero temperature, those that changed a spin.
    flips: Counts  #: Spins changed, over all sweeps.
    is_two_cycle: Bools  #: Synchronous dynamics ended by returning to the state before last.


class HopfieldNetwork:
    """Spins with couplings J that store patterns: H(s) = -s'Js / 2 - b.s.

    Parameters
    ----------
    patterns : Patterns or array of shape (n_patterns, n_visible)
        What to store; :meth:`from_couplings` takes a J of your own instead.
    rule : {"projection", "hebbian"}
        J = xi (xi'xi)^-1 xi', of which every pattern is a fixed point, or J = xi xi' / n_visible.
    keep_diagonal : bool
        False sets J_ii = 0, which adds tr(J) / 2 to H and changes the dynamics at zero temperature.
    allow_rank_deficient : bool
        Projection: accept linearly dependent patterns and store their span, instead of a DependentError.
    field : array of shape (n_visible,), optional
        b.

    Examples
    --------
    >>> network = HopfieldNetwork([[1, 1, -1, -1], [1, -1, 1, -1]])
    >>> network
    HopfieldNetwork(n_patterns=2, n_visible=4, rule='projection')
    >>> network.energy([[1, 1, -1, -1], [1, 1, 1, -1]]).round(12)
    array([-2., -1.])
    >>> network.run([[1, 1, -1, -1]]).is_fixed_point
    array([ True])
    """

    __slots__ = ("_allow_rank_deficient", "_field", "_handle", "_patterns")
    _handle: _core.Hopfield
    _patterns: Patterns | None
    _field: Floats | None
    _allow_rank_deficient: bool

    def __init__(self, patterns: Patterns | npt.ArrayLike, *, rule: Rule = "projection", keep_diagonal: bool = True,
                 allow_rank_deficient: bool = False, field: npt.ArrayLike | None = None) -> None:
        try:
            self._patterns = as_patterns(patterns, "patterns")
        except ValueError as error:
            if not _is_symmetric(patterns):
                raise
            raise ValueError(f"{error}; if these are couplings J, use HopfieldNetwork.from_couplings(J)") from None
        self._field = None if field is None else _as_field(field, self._patterns.n_visible)
        self._allow_rank_deficient = bool(allow_rank_deficient)
        if rule not in ("projection", "hebbian"):
            raise ValueError(f"rule: expected one of projection, hebbian, found {rule!r}")
        options = {"rule": rule, "keep_diagonal": keep_diagonal, "allow_rank_deficient": allow_rank_deficient}
        self._handle = _core.Hopfield.create(self._patterns._handle, options, self._field)

    @classmethod
    def from_couplings(cls, couplings: npt.ArrayLike, *, field: npt.ArrayLike | None = None) -> HopfieldNetwork:
        """The network of a given J, with its diagonal: H(s) = -s'Js / 2 - b.s.

        J = WW' with W from its eigenvectors, one hidden unit for each eigenvalue above zero, so that a J of low rank
        stays quick. All else follows: dynamics here, and with ``to_rbm(beta=...)`` ln Z, likelihoods and chains.

        Parameters
        ----------
        couplings : array of shape (n_visible, n_visible)
            J, symmetric and without negative eigenvalues. If it has some, as it must when its diagonal is zero, add a
            number x to the diagonal, ``J + x * numpy.eye(n)``: no probability changes, H falls by n x / 2 everywhere
            and so ln Z rises by beta n x / 2. Dynamics at zero temperature move less, since x holds every spin.
        field : array of shape (n_visible,), optional
            b.

        Examples
        --------
        >>> J = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]  # a ferromagnet of three spins
        >>> network = HopfieldNetwork.from_couplings(J + np.eye(3))
        >>> network.energy([[1, 1, 1], [1, 1, -1]]).round(12)
        array([-4.5, -0.5])
        >>> round(float(network.to_rbm(beta=1.0).log_z()) - 3 / 2, 6)  # of J itself
        3.746638
        """
        from .rbm import SpinGaussianRBM, _finite

        j = _finite(couplings, "couplings", 2)
        if j.shape[0] != j.shape[1] or j.size == 0:
            raise ValueError(f"couplings: expected a square matrix, found the shape {j.shape}")
        size = float(np.max(np.abs(j)))
        if np.max(np.abs(j - j.T)) > 1e-12 * size:
            raise ValueError("couplings: expected a symmetric matrix; (J + J.T) / 2 has the same energies")
        values, vectors = np.linalg.eigh((j + j.T) / 2)
        limit = 1e-13 * len(j) * max(abs(values[0]), abs(values[-1]))
        if values[0] < -limit:
            raise ValueError(f"couplings: J has the negative eigenvalue {values[0]:.6g}; J + x * numpy.eye({len(j)}) "
                             f"with x = {-values[0]:.6g} or more has the same probabilities, and energies that are "
                             "lower by n x / 2")
        kept = np.flatnonzero(values > limit)[::-1]
        if len(kept) == 0:
            raise ValueError("couplings: expected some that are not zero")
        b = None if field is None else _as_field(field, len(j))
        return SpinGaussianRBM(vectors[:, kept] * np.sqrt(values[kept]), visible_field=b).to_hopfield()

    @classmethod
    def from_rbm(cls, rbm: SpinGaussianRBM) -> HopfieldNetwork:
        """The network that exactly equals an RBM with its hidden layer integrated out.

        J = WW' with its diagonal and the field b + Wc give the same H(s). It keeps the patterns that the RBM was made
        from, if known; after training, J may no longer store them.
        """
        if not hasattr(rbm, "_handle"):
            raise TypeError(f"rbm: expected a SpinGaussianRBM, found {type(rbm).__name__}")
        return cls._wrap(_core.Hopfield.from_rbm(rbm._handle))

    @classmethod
    def _wrap(cls, handle: _core.Hopfield) -> HopfieldNetwork:
        self = cls.__new__(cls)
        self._handle = handle
        stored = handle.patterns()
        self._patterns = None if stored is None else Patterns._wrap(stored)
        self._field = None
        self._allow_rank_deficient = False
        return self

    @property
    def patterns(self) -> Patterns | None:
        """What it stores; None if it was made from an RBM without patterns."""
        return self._patterns

    @property
    def n_visible(self) -> int:
        """The number of units."""
        return int(self._handle.describe()["n_visible"])

    @property
    def rank(self) -> int:
        """The number of linearly independent patterns."""
        return int(self._handle.describe()["rank"]) or (self._patterns.rank if self._patterns else 0)

    @property
    def rule(self) -> str:
        """"projection" or "hebbian"; "weights" if it was made from an RBM."""
        return str(self._handle.describe()["rule"])

    @property
    def keeps_diagonal(self) -> bool:
        """Whether J keeps J_ii."""
        return bool(self._handle.describe()["keeps_diagonal"])

    @property
    def trace(self) -> float:
        """tr(J), diagonal included."""
        return float(self._handle.describe()["trace"])

    @property
    def field(self) -> Floats:
        """b (n_visible); a copy."""
        if self._field is not None:
            return self._field.copy()
        if not self._handle.describe()["has_field"]:
            return np.zeros(self.n_visible)
        return np.array(self.to_rbm().visible_field)

    def couplings(self) -> Floats:
        """J (n_visible, n_visible), which the library itself never forms."""
        weights = np.asarray(self.to_rbm().weights)
        couplings: Floats = weights @ weights.T
        if not self.keeps_diagonal:
            np.fill_diagonal(couplings, 0)
        return couplings

    def _samples(self, X: Dataset | npt.ArrayLike) -> Dataset:
        from .dataset import as_dataset

        return as_dataset(X, "X", self._patterns.encoding if self._patterns else None)

    def energy(self, X: Dataset | npt.ArrayLike) -> Floats:
        """H of every sample: (n_samples,)."""
        samples = self._samples(X)
        out = np.empty(len(samples))
        self._handle.energy(samples._handle, out)
        return out

    def fields(self, X: Dataset | npt.ArrayLike) -> Floats:
        """Local fields J s + b, without J_ii s_i if the diagonal was removed: (n_samples, n_visible)."""
        samples = self._samples(X)
        out = np.empty((len(samples), self.n_visible))
        self._handle.fields(samples._handle, out)
        return out

    def overlaps(self, X: Dataset | npt.ArrayLike) -> Floats:
        """m = xi's / n_visible: (n_samples, n_patterns)."""
        samples = self._samples(X)
        out = np.empty((len(samples), self._n_patterns))
        self._handle.overlaps(samples._handle, out)
        return out

    def projections(self, X: Dataset | npt.ArrayLike, *, progress: Progress = None) -> Floats:
        """a = (xi'xi)^-1 xi's: (n_samples, n_patterns).

        A sample that equals a pattern has a 1 there and zeros elsewhere, however similar the patterns are. For
        dependent patterns, the shortest such a.
        """
        samples = self._samples(X)
        out = np.empty((len(samples), self._n_patterns))
        with reporting(progress, "projections") as report:
            self._handle.projections(samples._handle, out, report)
        return out

    @property
    def _n_patterns(self) -> int:
        return int(self._handle.describe()["n_patterns"])

    def examine(self, X: Dataset | npt.ArrayLike) -> NetworkStates:
        """Energy and stability of every sample."""
        found = self._handle.examine(self._samples(X)._handle)
        return NetworkStates(**{name: np.asarray(column) for name, column in found.items()})

    def run(self, X: Dataset | npt.ArrayLike, *, dynamics: Dynamics = "async", beta: float = 2.0, sweeps: int = 100,
            fixed_order: bool = False, clamped: npt.ArrayLike | None = None, first_sweep: int = 0,
            random_state: Any = 1, progress: Progress = None) -> DynamicsResult:
        """Moves every sample by the dynamics of the network.

        Parameters
        ----------
        X : Dataset or array of spins of shape (n_samples, n_visible)
            Where to start.
        dynamics : {"async", "sync", "glauber", "parallel", "gibbs"}
            At zero temperature one unit after another or all at once; at ``beta``, randomly drawn units, all at once,
            or blockwise through the RBM (which requires the diagonal).
        beta : float
            Inverse temperature, where there is one.
        sweeps : int
            Updates of all units; at zero temperature, the most, since it stops when nothing changes.
        fixed_order : bool
            "async": units in ascending order, not in a new random order each sweep.
        clamped : array, optional
            Units to hold fixed: a mask of bool (n_visible,) or their numbers.
        first_sweep : int
            The number of the first sweep: 5 sweeps, then 16 from sweep 5, give the same as 21 at once.
        random_state : int, NumPy generator or None
            An int is the library's seed. The outcome for a sample depends on it and on the sample's row.
        """
        samples = self._samples(X)
        out = np.empty((len(samples), self.n_visible), np.int8)
        options = {"dynamics": dynamics, "beta": beta, "sweeps": sweeps, "fixed_order": fixed_order,
                   "first_sweep": first_sweep, "seed": as_seed(random_state)}
        mask = as_mask(clamped, "clamped", self.n_visible)
        with reporting(progress, "dynamics") as report:
            found = self._handle.run(samples._handle, out, options, mask, report)
        return DynamicsResult(spins=out, **{name: np.asarray(column) for name, column in found.items()})

    def committor(self, X: Dataset | npt.ArrayLike, *, dynamics: Dynamics = "gibbs", beta: float = 2.0,
                  threshold: float = 0.9, max_updates: int = 100, trajectories: int = 20, random_state: Any = 1,
                  progress: Progress = None) -> Floats:
        """For every sample, the share of trajectories from it that reach each pattern first.

        Parameters
        ----------
        X : Dataset or array of spins of shape (n_samples, n_visible)
            Where to start.
        dynamics : {"gibbs", "glauber", "parallel"}
            Any at a temperature.
        beta : float
            Inverse temperature.
        threshold : float
            A trajectory reaches a pattern once their overlap exceeds this.
        max_updates : int
            Sweeps of one trajectory, at most.
        trajectories : int
            Per sample.

        Returns
        -------
        array of shape (n_samples, n_patterns + 1)
            Rows sum to 1; the last column has those that reached none.
        """
        samples = self._samples(X)
        out = np.empty((len(samples), self._n_patterns + 1))
        options = {"dynamics": dynamics, "beta": beta, "threshold": threshold, "max_updates": max_updates,
                   "trajectories": trajectories, "seed": as_seed(random_state)}
        with reporting(progress, "committor") as report:
            self._handle.committor(samples._handle, out, options, report)
        return out

    def to_rbm(self, *, via: Via = "qr", beta: float = 2.0) -> SpinGaussianRBM:
        """The RBM whose distribution over the spins is exactly that of the network at ``beta``.

        Parameters
        ----------
        via : {"qr", "svd", "sqrt", "hebbian"}
            Which of the weights with WW' = J a projection network gets: Q of xi = QR, U of xi = USV' or
            xi (xi'xi)^-1/2. Other networks have one W only, xi / sqrt(n_visible) or that of the RBM they are from.
        beta : float
            Inverse temperature.
        """
        from .rbm import SpinGaussianRBM

        return SpinGaussianRBM._wrap(self._handle.to_rbm(via, _as_float(beta, "beta")))

    def mapping_report(self, *, via: Via = "qr", beta: float = 2.0) -> dict[str, Any]:
        """How exact ``to_rbm()`` is, as ``isinglass map`` reports it: each error is the largest absolute entry."""
        return self._handle.mapping_report(via, _as_float(beta, "beta"))

    def __repr__(self) -> str:
        info = self._handle.describe()
        return (f"HopfieldNetwork(n_patterns={info['n_patterns']}, n_visible={info['n_visible']}, "
                f"rule={info['rule']!r}{'' if info['keeps_diagonal'] else ', keep_diagonal=False'})")

    def _repr_html_(self) -> str:
        info = self._handle.describe()
        return _show.html_table("Hopfield network", [
            ("units", info["n_visible"]), ("patterns", info["n_patterns"]), ("rank", self.rank),
            ("rule", info["rule"]), ("diagonal", "kept" if info["keeps_diagonal"] else "removed"),
            ("field", "yes" if info["has_field"] else "no")])

    def __reduce__(self) -> tuple[Any, ...]:
        if self.rule == "weights":
            return HopfieldNetwork.from_rbm, (self.to_rbm(),)
        return _network, (self._patterns, self.rule, self.keeps_diagonal, self._allow_rank_deficient, self._field)


def _network(patterns: Patterns, rule: Rule, keep_diagonal: bool, allow_rank_deficient: bool,
             field: Floats | None) -> HopfieldNetwork:
    return HopfieldNetwork(patterns, rule=rule, keep_diagonal=keep_diagonal,
                           allow_rank_deficient=allow_rank_deficient, field=field)


def _is_symmetric(values: Any) -> bool:
    """Whether it may be a matrix of couplings that was given in place of patterns."""
    array = np.asarray(values)
    return (array.ndim == 2 and array.shape[0] == array.shape[1] and array.dtype.kind in "iuf"
            and bool(np.allclose(array, array.T)))


def _as_float(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, found {value!r}") from None


def _as_field(field: npt.ArrayLike, n_visible: int) -> Floats:
    array = np.asarray(field)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"field: expected an array of numbers, found dtype {array.dtype}")
    if array.shape != (n_visible,):
        raise ValueError(f"field: expected the shape ({n_visible},), found {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError("field: expected finite numbers")
    return np.array(array, np.float64, order="C")


def as_mask(units: npt.ArrayLike | None, name: str, n_visible: int) -> Bools | None:
    """A mask of units that is given as such or by their numbers."""
    if units is None:
        return None
    array = np.asarray(units)
    if array.dtype == bool:
        if array.shape != (n_visible,):
            raise ValueError(f"{name}: expected a mask of shape ({n_visible},), found {array.shape}")
        return np.ascontiguousarray(array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise ValueError(f"{name}: expected a mask of bool or numbers of units, found {array.dtype} of shape "
                         f"{array.shape}")
    if array.size and (array.min() < 0 or array.max() >= n_visible):
        raise ValueError(f"{name}: expected units from 0 to {n_visible - 1}, found {array.min()} to {array.max()}")
    mask = np.zeros(n_visible, bool)
    mask[array.astype(np.int64)] = True
    return mask
