"""Many states of one RBM, moved by block-Gibbs sweeps.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, Spins, as_number, as_seed, as_spins, as_whole, reporting
from .rbm import Samples, SpinGaussianRBM, _rbm_from_bytes, _shifted

if TYPE_CHECKING:
    import xarray

Start = Samples | Literal["patterns", "noise"] | None


@dataclass(frozen=True, slots=True)
class Autocorrelation:
    """The integrated autocorrelation time of a quantity, in sweeps: the mean over n sweeps is worth n / time values."""

    time: float  #: NaN if nothing varies
    error: float
    window: int
    is_reliable: bool  #: the chains are at least 50 times as long


@dataclass(frozen=True, slots=True)
class Jumps:
    """How chains jump from mode to mode: by proposals from a mixture of Gaussians fitted to the model."""

    is_usable: bool  #: if not, chains are only swept
    reason: str  #: why not; else empty
    beta: float
    minima: int  #: of F0 in the mixture, mirror images included
    expected: float  #: share of accepted jumps in equilibrium, estimated from the fit
    proposed: int  #: jumps so far
    accepted: int

    @property
    def acceptance(self) -> float:
        """Share of the jumps so far that were accepted; NaN before the first."""
        return self.accepted / self.proposed if self.proposed else np.nan


@dataclass(frozen=True, slots=True)
class Tempering:
    """How replicas of chains at smaller beta swap their states."""

    betas: tuple[float, ...]  #: the largest first
    rates: tuple[float, ...]  #: share of accepted swaps of each with the next; NaN before the first try
    steps: int  #: since the replicas were made
    untried: int  #: pairs that had no turn yet, which the next two leave out
    least_rate: float
    mean_rate: float


@dataclass(frozen=True, slots=True, eq=False)
class LabelTimes:
    """How the label of a chain changes, which is the nearest pattern or mirror image of one."""

    time: Autocorrelation  #: NaN if no label ever changed
    rhat: float
    changes: float  #: share of sweeps in which the label changed
    shares: Floats  #: (n_patterns, 2): of all states, nearest to a pattern and to its mirror image


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How fast chains forget: by :meth:`Chains.measure`."""

    chains: int
    sweeps: int
    energy: Autocorrelation
    hidden: Autocorrelation  #: of the slowest hidden unit
    slowest_unit: int
    energy_rhat: float  #: split R-hat: above 1.1, or more strictly 1.01, chains have not converged
    hidden_rhat: float  #: the largest of all hidden units
    is_reliable: bool  #: whether both times are
    is_trapped: bool  #: chains stay in different modes, so that longer ones will not help
    beta: float
    labels: LabelTimes | None = None  #: if the model has patterns

    def _warning(self) -> str:
        if self.is_trapped:
            return "chains are trapped in different modes; longer ones will not help"
        return "" if self.is_reliable else "chains are too short to tell"

    def __repr__(self) -> str:
        warning = self._warning()
        return (f"Diagnosis(energy time {self.energy.time:.3g}, hidden time {self.hidden.time:.3g}, "
                f"R-hat {max(self.energy_rhat, self.hidden_rhat):.3f}{': ' + warning if warning else ''})")

    def _repr_html_(self) -> str:
        def time(of: Autocorrelation) -> str:
            return f"{of.time:.3g} +- {of.error:.1g} sweeps"

        rows = [("chains", f"{self.chains}, {self.sweeps} sweeps at beta {self.beta:g}"),
                ("energy", time(self.energy)), (f"hidden unit {self.slowest_unit}", time(self.hidden)),
                ("R-hat", f"{self.energy_rhat:.4f}, hidden units {self.hidden_rhat:.4f}")]
        if self.labels is not None:
            rows.append(("nearest pattern", time(self.labels.time)))
        return _show.html_table("Decorrelation", rows, self._warning())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """What chains went through: arrays (chain, draw, ...) by name, and the sweep of every draw."""

    values: dict[str, npt.NDArray[Any]]
    sweeps: npt.NDArray[np.int64]
    beta: float
    seed: int

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.values[name]

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.values.items())
        return f"Trace({shapes})"

    def to_xarray(self) -> xarray.Dataset:
        """As an xarray.Dataset with the dimensions chain and draw, as ArviZ has them."""
        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray() needs xarray") from error
        extra = {"hidden": ("hidden_unit",), "spins": ("visible_unit",)}
        variables = {name: (("chain", "draw", *extra.get(name, ())), array) for name, array in self.values.items()}
        count = len(next(iter(self.values.values())))
        return xarray.Dataset(variables, coords={"chain": np.arange(count), "draw": self.sweeps},
                              attrs={"beta": self.beta, "seed": str(self.seed), "inference_library": "isinglass"})

    def to_arviz(self) -> Any:
        """As an InferenceData of ArviZ, with energies as the sample statistic of that name."""
        try:
            import arviz
        except ImportError as error:
            raise ImportError("to_arviz() needs arviz; to_xarray() needs only xarray") from error
        posterior = {name: array for name, array in self.values.items() if name != "energy"}
        stats = {"energy": self.values["energy"]} if "energy" in self.values else None
        return arviz.from_dict(posterior=posterior or None, sample_stats=stats)


def schedule_of(beta: float | Mapping[int, float] | None, own: float, sweeps: int) -> list[tuple[float, int]]:
    """The inverse temperatures of ``sweeps`` sweeps as (beta, number of sweeps).

    >>> schedule_of({0: 2, 19: 20}, 1.0, 20)
    [(2.0, 19), (20.0, 1)]
    """
    sweeps = as_whole(sweeps, "sweeps", 1)
    if not isinstance(beta, Mapping):
        return [(own if beta is None else as_number(beta, "beta"), sweeps)]
    steps = sorted(beta)
    if not steps or steps[0] != 0 or steps[-1] >= sweeps:
        raise ValueError(f"beta: expected steps from 0 to below the {sweeps} sweeps, such as {{0: 2, 19: 20}}, "
                         f"found {dict(beta)}")
    ends = [*steps[1:], sweeps]
    return [(as_number(beta[step], "beta"), int(end - step)) for step, end in zip(steps, ends)]


def _mask_of(units: Any, n_visible: int) -> npt.NDArray[np.bool_]:
    """Indices, a slice or a mask as a mask."""
    mask = np.zeros(n_visible, bool)
    if isinstance(units, slice):
        mask[units] = True
        return mask
    chosen = np.asarray(units)
    if chosen.size == 0:
        return mask
    if chosen.dtype.kind not in "biu" or chosen.ndim > 1:
        raise ValueError(f"clamp: expected units, as indices or as a mask, found dtype {chosen.dtype} in "
                         f"{chosen.ndim} dimensions")
    try:
        mask[chosen] = True
    except IndexError as error:
        raise ValueError(f"clamp: {error}") from None
    return mask


class Chains:
    """Gibbs chains of one RBM, whose weights are copied.

    Chain k in sweep t depends only on ``random_state``, k and t: not on threads, the machine, or how the sweeps are
    divided among calls.

    Parameters
    ----------
    rbm : SpinGaussianRBM
    count : int
        Number of chains.
    start : Dataset, array of spins, "patterns" or "noise", optional
        Where chains start: from samples, as many of every class; from the patterns of the model, in turn; or from
        random spins. By default, the patterns if the model has them.
    random_state : int, Generator or None
    moves : {"gibbs", "jump", "tempering"}
        What a sweep is. Block-Gibbs sweeps alone hardly ever lead from one deep mode to another. With "jump", each is
        followed by a proposal from a mixture of Gaussians fitted to the model; where none fits, chains are only swept,
        and a warning says so. With "tempering", every chain has replicas at smaller beta, and neighbours swap their
        states before the sweep: that costs as many sweeps as there are temperatures, and checks jumps. Both keep the
        law of the model. A pickle has no replicas: they start anew, from the states of the chains.
    data : Dataset or array of spins, optional
        For "jump": samples from which modes are searched for as well.
    temperatures, lowest_beta : int, float
        For "tempering": their number, in a geometric sequence down to ``lowest_beta``; 0 is 0.9 / |W|^2, where spins
        without fields are not yet ordered, but at most half of beta.
    progress : None, bool or callable
        For the fit of the mixture.

    Examples
    --------
    >>> rbm = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]])
    >>> chains = Chains(rbm, 100, start="noise")
    >>> chains.sweep(20)
    >>> chains
    Chains(count=100, n_visible=4, sweeps=20)
    >>> chains.spins.shape
    (100, 4)
    >>> chains = Chains(rbm, 100, moves="jump")
    >>> chains.sweep(20)
    >>> chains.acceptance > 0.5
    True
    """

    __slots__ = ("_clamped", "_data", "_handle", "_jumps", "_moves", "_rbm", "_replicas", "_replicas_beta",
                 "_tempering")
    _handle: _core.Chains
    _jumps: _core.Jumps | None
    _replicas: _core.Tempering | None
    _rbm: SpinGaussianRBM
    _clamped: npt.NDArray[np.bool_] | None

    def __init__(self, rbm: SpinGaussianRBM, count: int, *, start: Start = None, random_state: Any = 1,
                 moves: Literal["gibbs", "jump", "tempering"] = "gibbs", data: Samples | None = None,
                 temperatures: int = 20, lowest_beta: float = 0.0, progress: Progress = None) -> None:
        if not isinstance(rbm, SpinGaussianRBM):
            raise TypeError(f"rbm: expected a SpinGaussianRBM, found {type(rbm).__name__}")
        count = as_whole(count, "count", 1)
        if moves not in ("gibbs", "jump", "tempering"):
            raise ValueError(f"moves: expected 'gibbs', 'jump' or 'tempering', found {moves!r}")
        if data is not None and moves != "jump":
            raise ValueError("data: only for moves='jump'")
        self._moves = moves
        self._tempering = {"temperatures": as_whole(temperatures, "temperatures", 2), "lowest": lowest_beta}
        self._data = None if data is None else rbm._data(data, "data")
        self._jumps = self._replicas = None
        self._replicas_beta = 0.0
        self._rbm = rbm.copy()
        self._clamped = None
        seed = as_seed(random_state)
        self._handle = _core.Chains.create(self._rbm._handle, count, seed)
        if moves == "jump":
            self._fit_jumps(seed, progress)
        known = rbm.patterns if start is None or (isinstance(start, str) and start == "patterns") else None
        if isinstance(start, str):
            if start not in ("patterns", "noise"):
                raise ValueError(f"start: expected samples, 'patterns' or 'noise', found {start!r}")
            if start == "patterns" and known is None:
                raise ValueError("start: the model has no patterns; use 'noise' or samples")
        elif start is not None:
            self._handle.start(rbm._data(start, "start")._handle)
        if known is not None:
            self.spins = np.resize(known.spins, (count, rbm.n_visible))

    def _fit_jumps(self, seed: int, progress: Progress) -> None:
        with reporting(progress, "fitting Gaussians") as report:
            self._jumps = _core.Jumps.create(self._rbm._handle, {"seed": seed},
                                             None if self._data is None else self._data._handle, report)
        found = self._jumps.describe()
        if not found["is_usable"]:
            warnings.warn(f"moves: chains do not jump, they are only swept: {found['reason']}", UserWarning,
                          stacklevel=3)

    def _mover(self, beta: float) -> _core.Jumps | _core.Tempering | None:
        """What moves the chains besides sweeps. Replicas are copies of them as they are when first moved."""
        if self._moves == "tempering" and (self._replicas is None or self._replicas_beta != beta):
            self._replicas = _core.Tempering.create(self._handle, beta, self._tempering)
            self._replicas_beta = beta
        return self._jumps or self._replicas

    @property
    def moves(self) -> str:
        """What a sweep is: gibbs, jump or tempering."""
        return self._moves

    @property
    def jumps(self) -> Jumps | None:
        """What jumps, for such moves."""
        return None if self._jumps is None else Jumps(**self._jumps.describe())

    @property
    def tempering(self) -> Tempering | None:
        """What the replicas did, for such moves, after the first of them."""
        if self._replicas is None:
            return None
        found = self._replicas.describe()
        return Tempering(tuple(found.pop("betas")), tuple(found.pop("rates")), **found)

    @property
    def acceptance(self) -> float:
        """Share of jumps that were accepted, or of swaps; NaN before the first, and for plain sweeps."""
        jumps, tempering = self.jumps, self.tempering
        return jumps.acceptance if jumps else tempering.mean_rate if tempering and tempering.steps > 1 else np.nan

    @property
    def rbm(self) -> SpinGaussianRBM:
        """A copy of the RBM, as it was when the chains were made."""
        return self._rbm.copy()

    @property
    def count(self) -> int:
        """The number of chains."""
        return int(self._handle.describe()["count"])

    @property
    def sweeps(self) -> int:
        """Sweeps done so far."""
        return int(self._handle.describe()["sweeps"])

    @property
    def seed(self) -> int:
        """What ``random_state`` stood for."""
        return int(self._handle.describe()["seed"])

    @property
    def spins(self) -> Spins:
        """The spins of every chain: (count, n_visible), int8; a copy. They can be set as a whole."""
        info = self._handle.describe()
        out = np.empty((info["count"], info["n_visible"]), np.int8)
        self._handle.spins(out)
        return out

    @spins.setter
    def spins(self, spins: npt.ArrayLike) -> None:
        self._handle.set_spins(as_spins(spins, "spins", ndim=2))
        self._replicas = None

    @property
    def hidden(self) -> npt.NDArray[np.float32]:
        """The hidden units that the last sweep drew and drew the spins from: (count, n_hidden), float32.

        Zero before the first sweep, and after unpickling until the next one.
        """
        info = self._handle.describe()
        out = np.empty((info["count"], info["n_hidden"]), np.float32)
        self._handle.hidden(out)
        return out

    @property
    def energy(self) -> Floats:
        """H(s) of every chain: (count,)."""
        out = np.empty(self.count)
        self._handle.energy(out)
        return out

    def clamp(self, units: Any) -> None:
        """Holds these visible units fixed from now on, in all chains: indices, a slice or a mask; None for no unit."""
        mask = None if units is None else _mask_of(units, self._rbm.n_visible)
        self._handle.clamp(mask)
        self._clamped = mask

    def sweep(self, sweeps: int = 1, *, beta: float | None = None, progress: Progress = None) -> None:
        """Moves all chains: hidden units given the spins, then spins given the hidden units.

        ``beta`` may differ from the model's. If the work is interrupted, the chains are where the last sweep left them,
        and :attr:`sweeps` tells how many were done.
        """
        value = self._rbm.beta if beta is None else as_number(beta, "beta")
        with reporting(progress, "sweeps") as report:
            self._handle.sweep(as_whole(sweeps, "sweeps"), value, report, self._mover(value))

    def measure(self, skip: int = 0, sweeps: int = 1000, *, beta: float | None = None,
                progress: Progress = None) -> Diagnosis:
        """How fast the chains forget: sweeps them ``skip`` times, then measures ``sweeps`` more.

        All values are kept in memory meanwhile, 8 count sweeps (n_hidden + 1) bytes.
        """
        value = self._rbm.beta if beta is None else as_number(beta, "beta")
        with reporting(progress, "measuring") as report:
            patterns = self._rbm.patterns
            found = self._handle.measure(as_whole(skip, "skip"), as_whole(sweeps, "sweeps"), value, report,
                                         self._mover(value), None if patterns is None else patterns._handle)
        keys = ("time", "error", "window", "is_reliable")
        for name in ("energy", "hidden"):
            found[name] = Autocorrelation(**{key: found.pop(f"{name}_{key}") for key in keys})
        labels = found.pop("labels", None)
        if labels is not None:
            time = Autocorrelation(**{key: labels.pop(key) for key in keys})
            labels = LabelTimes(time, labels["rhat"], labels["changes"], np.reshape(labels["shares"], (-1, 2)))
        return Diagnosis(**found, beta=value, labels=labels)

    def trace(self, sweeps: int, *, every: int = 1, what: Sequence[Literal["energy", "hidden", "spins"]] = (
            "energy", "hidden"), beta: float | None = None, progress: Progress = None) -> Trace:
        """Moves all chains and records them after every ``every`` sweeps, for :meth:`Trace.to_xarray`.

        Examples
        --------
        >>> rbm = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]])
        >>> Chains(rbm, 8).trace(100, every=10)
        Trace(energy (8, 10), hidden (8, 10, 2))
        """
        value = self._rbm.beta if beta is None else as_number(beta, "beta")
        names = (what,) if isinstance(what, str) else tuple(what)
        for name in names:
            if name not in ("energy", "hidden", "spins"):
                raise ValueError(f"what: expected energy, hidden or spins, found {name!r}")
        if not names:
            raise ValueError("what: expected energy, hidden or spins, found nothing")
        sweeps, every = as_whole(sweeps, "sweeps", 1), as_whole(every, "every", 1)
        if sweeps < every:
            raise ValueError(f"every: expected 1 to {sweeps} sweeps, found {every}")
        draws = sweeps // every
        first = self.sweeps
        values: dict[str, npt.NDArray[Any]] = {}
        with reporting(progress, "sweeps") as report:
            for k in range(draws):
                part = False if report is None else _shifted(report, k / draws, 1 / draws)
                self.sweep(every, beta=value, progress=part)
                for name in names:
                    now = getattr(self, name)
                    if k == 0:
                        values[name] = np.empty((len(now), draws, *now.shape[1:]), now.dtype)
                    values[name][:, k] = now
        return Trace(values, first + every * np.arange(1, draws + 1), value, self.seed)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npz file with s (count, n_visible), lambda (count, n_hidden) and energy (count), as the program."""
        self._handle.save(path)

    def plot(self, *, limit: int = 100, columns: int | None = None, ax: Any = None) -> Any:
        """The spins of the first chains, as images if they are. Returns the axes of matplotlib."""
        return _show.plot_images(self.spins[:limit], self._rbm.image_shape, columns=columns, ax=ax)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        info = self._handle.describe()
        return f"Chains(count={info['count']}, n_visible={info['n_visible']}, sweeps={info['sweeps']})"

    def _repr_html_(self) -> str:
        info = self._handle.describe()
        energy = self.energy
        rows = [("chains", info["count"]), ("visible units", info["n_visible"]), ("hidden units", info["n_hidden"]),
                ("beta", f"{self._rbm.beta:g}"), ("sweeps", info["sweeps"]), ("seed", info["seed"]),
                ("energy", f"{energy.mean():.5g}, deviation {energy.std():.3g}")]
        if self._moves != "gibbs":
            rows.append(("moves", f"{self._moves}, {100 * self.acceptance:.1f} % accepted"))
        if self._clamped is not None:
            rows.append(("clamped", int(self._clamped.sum())))
        return _show.html_table("Gibbs chains", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        packed = np.packbits(self.spins > 0, axis=1)
        how = {"moves": self._moves, "data": self._data, "temperatures": self._tempering["temperatures"],
               "lowest_beta": self._tempering["lowest"]}
        return _chains_restored, (self._rbm._handle.to_bytes(), self.seed, self.sweeps, packed, self._clamped, how)


def _chains_restored(content: bytes, seed: int, sweeps: int, packed: npt.NDArray[np.uint8],
                     clamped: npt.NDArray[np.bool_] | None, how: dict[str, Any] | None = None) -> Chains:
    rbm = _rbm_from_bytes(content)
    chains = Chains(rbm, len(packed), start="noise", random_state=seed, **(how or {}))
    chains.spins = as_spins(np.unpackbits(packed, axis=1, count=rbm.n_visible).astype(bool), "spins")
    chains._handle.restore(sweeps)
    chains.clamp(clamped)
    return chains
