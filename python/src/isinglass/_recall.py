"""A Hopfield network as an associative memory.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, Spins, as_doubles, as_seed, as_spins, reporting
from .hopfield import Bools, Counts, Dynamics, HopfieldNetwork, Rule, as_mask
from .patterns import Patterns, as_patterns

if TYPE_CHECKING:
    from .dataset import Dataset

Protocol = Literal["published", "attractor"]
Readout = Literal["overlap", "projection", "energy"]

_READOUTS = ("overlap", "projection", "energy")
_ENDS = ("pattern", "undecided", "negative", "spurious", "two-cycle")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Recall:
    """What :func:`recall` found: a summary, an outcome per sample, and tables by class."""

    options: dict[str, Any]  #: What it ran with.
    n_samples: int
    accuracy: float  #: The fraction of samples that reached their class; NaN without labels in common.
    start_accuracy: dict[str, float]  #: Of the samples themselves, by readout; "overlap" is the nearest pattern.
    end_accuracy: dict[str, float]  #: Attractor: of the ends, by readout; else NaN.
    n_foreign: int  #: Samples of classes without a pattern, which count as wrong.
    decided_at_start: int  #: Published: before any update.
    decided: int  #: Published: by updates at zero temperature.
    n_ensembles: int  #: Published: samples left to trajectories.
    undecided: float  #: Weight that reached no pattern: samples, or fractions of them.
    n_ends: dict[str, int]  #: Samples by their end.
    end: npt.NDArray[np.str_]  #: "pattern", "undecided", "negative", "spurious" or "two-cycle", for each sample.
    pattern: Counts  #: Decided on or read out; -1 for none.
    label: npt.NDArray[np.object_]  #: The class of that pattern, or None.
    updates: Counts  #: Up to the end; with trajectories, those before them.
    trajectories: Counts  #: Run for it; 0 if it was decided without any.
    share: Floats  #: The fraction of its weight given to the pattern: 1, or less with trajectories.
    classes: list[str]  #: Rows of the tables.
    columns: list[str]  #: Columns of the tables: classes of the patterns, then undecided, negative, ...
    confusion: Floats  #: Samples by their class and where they ended, the readout applied.
    ends: Floats  #: The same, but only exact patterns count for their class (attractor).
    updates_histogram: Floats  #: How many samples took 0, 1, ... updates.

    def plot(self, *, ax: Any = None) -> Any:
        """The confusion matrix as a heat map with names and numbers; returns the axes."""
        keep = [k for k in range(len(self.columns)) if k < len(self.columns) - 4 or self.confusion[:, k].any()]
        table = self.confusion[:, keep]
        total = table.sum(axis=1, keepdims=True)
        if ax is None:
            size = (1.5 + 0.5 * len(keep), 1.2 + 0.4 * len(table))
            _, ax = _show.pyplot().subplots(figsize=size, layout="constrained")
        shares = table / np.where(total > 0, total, 1)
        ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(len(keep)), [self.columns[k] for k in keep], rotation=90)
        ax.set_yticks(range(len(table)), self.classes)
        ax.set_xlabel("recalled")
        ax.set_ylabel("class")
        if table.size <= 400:
            for (row, column), number in np.ndenumerate(table):
                ax.text(column, row, f"{number:.0f}", ha="center", va="center", fontsize=7,
                        color="white" if shares[row, column] > 0.5 else "black")
        return ax

    def __repr__(self) -> str:
        accuracy = "" if np.isnan(self.accuracy) else f", accuracy={self.accuracy:.4f}"
        return (f"Recall(protocol={self.options['protocol']!r}, n_samples={self.n_samples}{accuracy}, "
                f"undecided={self.undecided:g})")

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [("protocol", self.options["protocol"]), ("samples", self.n_samples)]
        warning = ""
        if not np.isnan(self.accuracy):
            rows += [("accuracy", f"{self.accuracy:.2%}"),
                     ("nearest pattern alone", f"{self.start_accuracy['overlap']:.2%}")]
            if self.n_foreign:
                warning = f"{self.n_foreign} samples of classes without a pattern count as wrong."
        rows.append(("undecided", f"{self.undecided:g}"))
        if self.options["protocol"] == "published":
            rows += [("decided before any update", self.decided_at_start), ("by updates", self.decided),
                     ("by trajectories", self.n_ensembles)]
        else:
            rows += [(f"ended: {name}", count) for name, count in self.n_ends.items()]
        return _show.html_table("Recall", rows, warning)


def recall(patterns: Patterns | npt.ArrayLike, data: Dataset | npt.ArrayLike, *, protocol: Protocol = "published",
           rule: Rule = "projection", allow_rank_deficient: bool = False, keep_diagonal: bool | None = None,
           dynamics: Dynamics | None = None, ensemble: Dynamics = "parallel", beta: float = 2.0,
           threshold: float = 0.7, max_updates: int | None = None, trajectories: int = 20,
           readout: Readout = "projection", random_state: Any = 1, progress: Progress = None) -> Recall:
    """Runs a Hopfield network from every sample, and tells which pattern it reaches and whether that has its class.

    Parameters
    ----------
    patterns : Patterns or array of spins
        What the network stores. Classes of patterns and data are matched by name.
    data : Dataset or array of spins
        The samples; there is an accuracy only if they have labels.
    protocol : {"published", "attractor"}
        The paper's: a sample is assigned to the first pattern with an overlap above ``threshold``; one that zero
        temperature leaves undecided gets ``trajectories`` at ``beta``, each of which counts as a fraction. Or until
        nothing changes: the end is a pattern, the negative of one, or spurious, and ``readout`` tells its class.
    rule : {"projection", "hebbian"}
        How the patterns are stored.
    allow_rank_deficient : bool
        Projection: accept linearly dependent patterns.
    keep_diagonal : bool, optional
        Of J; None is False for "published", True for "attractor".
    dynamics : str, optional
        None is "sync" for "published" ("async" is allowed), "async" for "attractor", where one at a temperature does
        ``max_updates`` sweeps and then continues at zero temperature.
    ensemble : {"parallel", "glauber", "gibbs"}
        Published: the dynamics of trajectories.
    max_updates : int, optional
        Sweeps of one state; None is 100 for "published", 1000 for "attractor".
    readout : {"projection", "overlap", "energy"}
        Attractor: which pattern an end represents.
    random_state : int, NumPy generator or None
        An int is the library's seed.

    Examples
    --------
    >>> found = recall([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]], [[1, 1, 1, -1, -1, -1]], protocol="attractor")
    >>> found.end, found.pattern
    (array(['pattern'], dtype='<U9'), array([0]))
    """
    from .dataset import as_dataset

    stored = as_patterns(patterns, "patterns")
    samples = as_dataset(data, "data", stored.encoding)
    options: dict[str, Any] = {
        "protocol": protocol, "rule": _as_rule(rule), "allow_rank_deficient": allow_rank_deficient,
        "ensemble": ensemble, "beta": beta, "threshold": threshold, "trajectories": trajectories, "readout": readout,
        "seed": as_seed(random_state)}
    for name, value in (("keep_diagonal", keep_diagonal), ("dynamics", dynamics), ("max_updates", max_updates)):
        if value is not None:  # else the library's choice for the protocol
            options[name] = value
    with reporting(progress, "recall") as report:
        handle = _core.Recall.run(stored._handle, samples._handle, options, report)
    return _collect(handle, samples, stored)


def _collect(handle: _core.Recall, samples: Dataset, stored: Patterns) -> Recall:
    found = handle.describe()
    outcomes: dict[str, Any] = {name: np.asarray(column) for name, column in handle.outcomes().items()}
    labels, pattern = stored.labels, outcomes["pattern"]
    return Recall(
        options=handle.options(),
        **{name: found[name] for name in ("n_samples", "accuracy", "n_foreign", "decided_at_start", "decided",
                                          "n_ensembles", "undecided")},
        start_accuracy={name: found[f"start_{name}"] for name in _READOUTS},
        end_accuracy={name: found[f"end_{name}"] for name in _READOUTS},
        n_ends={name: found[f"n_{name.replace('-', '_')}"] for name in _ENDS},
        end=np.array(_ENDS)[outcomes["end"]],
        pattern=pattern,
        label=np.array([*labels, None], object)[pattern],  # -1 is the last
        **{name: outcomes[name] for name in ("updates", "trajectories", "share")},
        classes=_core.Recall.class_names(samples._handle) or ["all"],
        columns=[*handle.labels(), *_ENDS[1:]],
        confusion=np.array(handle.confusion()),
        ends=np.array(handle.ends()),
        updates_histogram=np.array(handle.updates()))


def _as_rule(rule: Any) -> Any:
    if rule not in ("projection", "hebbian"):
        raise ValueError(f"rule: expected one of projection, hebbian, found {rule!r}")
    return rule


@dataclasses.dataclass(frozen=True, eq=False)
class Recovery:
    """What :func:`recover` found; an entry per way to corrupt."""

    flip: Floats  #: The ways: fraction of units flipped,
    mask: Floats  #: and masked.
    trials: Counts
    exact: Counts  #: Trials that reached the pattern, or one of the sample's class, to the last unit.
    near: Counts  #: With an overlap above ``near``; includes the exact ones.
    negative: Counts  #: Trials that reached its negative.
    start_overlap: Floats  #: The mean of the largest overlap with a pattern sought, before,
    thermal_overlap: Floats  #: after the sweeps at a temperature, if there is one,
    end_overlap: Floats  #: and at the end.

    @property
    def share(self) -> Floats:
        """The fraction of trials recovered exactly."""
        return np.asarray(self.exact / self.trials)

    def plot(self, *, ax: Any = None) -> Any:
        """The share recovered exactly and nearly against what was flipped or masked; returns the axes."""
        if ax is None:
            _, ax = _show.pyplot().subplots(layout="constrained")
        is_masked = np.ptp(self.mask) > np.ptp(self.flip)
        x = self.mask if is_masked else self.flip
        ax.plot(x, self.exact / self.trials, "o-", label="exactly")
        ax.plot(x, self.near / self.trials, "s--", label="nearly")
        ax.set_xlabel("share of units masked" if is_masked else "share of units flipped")
        ax.set_ylabel("recovered")
        ax.set_ylim(-0.03, 1.03)
        ax.legend()
        return ax


def _as_shares(flip: npt.ArrayLike, mask: npt.ArrayLike) -> tuple[Floats, Floats]:
    for name, value in (("flip", flip), ("mask", mask)):
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or array.ndim > 1 or array.size == 0:
            raise ValueError(f"{name}: expected a fraction or a sequence of them, found {value!r}")
        if not np.all((array >= 0) & (array <= 1)):
            raise ValueError(f"{name}: expected fractions from 0 to 1, found {value!r}")
    try:
        both = np.broadcast_arrays(np.atleast_1d(np.asarray(flip, float)), np.atleast_1d(np.asarray(mask, float)))
    except ValueError:
        raise ValueError(f"mask: expected as many fractions as flip has, {np.size(flip)}, "
                         f"found {np.size(mask)}") from None
    return np.array(both[0]), np.array(both[1])


def recover(patterns: Patterns | npt.ArrayLike, data: Dataset | None = None, *, flip: npt.ArrayLike = 0.0,
            mask: npt.ArrayLike = 0.0, units: npt.ArrayLike | None = None, rule: Rule = "projection",
            allow_rank_deficient: bool = False, keep_diagonal: bool = True, dynamics: Dynamics = "async",
            beta: float = 2.0, max_updates: int = 100, trials: int = 100, near: float = 0.95,
            clamp_known: bool = False, random_state: Any = 1, progress: Progress = None) -> Recovery:
    """Corrupts patterns, or samples, runs the network on them and counts what it recovers.

    All ways, rules and dynamics get the same choices of units for the same seed, so their differences are more precise
    than their separate errors suggest.

    Parameters
    ----------
    patterns : Patterns or array of spins
        What the network stores, and what is corrupted without data.
    data : Dataset, optional
        Labelled samples to corrupt; a pattern of their class is then sought.
    flip, mask : float or sequence of floats
        The ways: fractions of units that are flipped, and that are masked, which sets them to +1 or -1 at random.
        A single number goes with every entry of the other.
    units : array, optional
        Units that are masked in any case: a mask of bool (n_visible,) or their numbers.
    max_updates : int
        Most sweeps; at a temperature, all of them, and then up to as many at zero temperature.
    trials : int
        Per pattern or sample, each corrupted anew.
    near : float
        The overlap above which a pattern counts as nearly recovered.
    clamp_known : bool
        Hold units that are not masked fixed.

    Examples
    --------
    >>> found = recover([[1, 1, 1, 1, -1, -1, -1, -1]], flip=[0, 0.25, 1])
    >>> found.exact, found.negative
    (array([100, 100,   0]), array([  0,   0, 100]))
    """
    from .dataset import as_dataset

    stored = as_patterns(patterns, "patterns")
    samples = None if data is None else as_dataset(data, "data", stored.encoding)
    flips, masks = _as_shares(flip, mask)
    options = {"rule": _as_rule(rule), "allow_rank_deficient": allow_rank_deficient, "keep_diagonal": keep_diagonal,
               "dynamics": dynamics, "beta": beta, "max_updates": max_updates, "trials": trials, "near": near,
               "clamp_known": clamp_known, "seed": as_seed(random_state)}
    with reporting(progress, "recovery") as report:
        found = _core.Recall.recover(stored._handle, None if samples is None else samples._handle, flips, masks,
                                     as_mask(units, "units", stored.n_visible), options, report)
    return Recovery(flip=flips, mask=masks, **{name: np.asarray(column) for name, column in found.items()})


def committor(network: HopfieldNetwork, X: Dataset | npt.ArrayLike, *, dynamics: Dynamics = "gibbs",
              beta: float = 2.0, threshold: float = 0.9, max_updates: int = 100, trajectories: int = 20,
              random_state: Any = 1, progress: Progress = None) -> Floats:
    """The same as :meth:`HopfieldNetwork.committor`: (n_samples, n_patterns + 1)."""
    if not isinstance(network, HopfieldNetwork):
        raise TypeError(f"network: expected a HopfieldNetwork, found {type(network).__name__}")
    return network.committor(X, dynamics=dynamics, beta=beta, threshold=threshold, max_updates=max_updates,
                             trajectories=trajectories, random_state=random_state, progress=progress)


def corrupt(spins: npt.ArrayLike, *, flip: float = 0.0, mask: float = 0.0, units: npt.ArrayLike | None = None,
            random_state: Any = 1, number: int = 0) -> tuple[Spins, Bools]:
    """Flips and masks units of states; fractions are exact up to rounding to whole units.

    The same seed and number choose the same units whatever the fractions: a smaller fraction takes a subset of the
    units of a larger one.

    Parameters
    ----------
    spins : array of shape (n_visible,) or (n_states, n_visible)
        States; they stay as they are.
    flip, mask : float
        ``units`` and a random fraction ``mask`` of all units are set to +1 or -1 at random; a random fraction ``flip``
        of the other units is flipped.
    units : array, optional
        A mask of bool (n_visible,) or numbers of units.
    number : int
        Of the first state; the others follow.

    Returns
    -------
    spins, masked : arrays of the shape of ``spins``
        The corrupted states, and which of their units were masked.

    Examples
    --------
    >>> states, masked = corrupt([1, 1, 1, 1, -1, -1, -1, -1], flip=0.25)
    >>> (states != [1, 1, 1, 1, -1, -1, -1, -1]).sum()
    2
    """
    array = as_spins(spins, "spins")
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(f"spins: expected the shape (n_visible,) or (n_states, n_visible), found {array.shape}")
    flips, masks = _as_shares(flip, mask)
    if len(flips) != 1:
        raise ValueError("flip: expected one fraction")
    if not isinstance(number, (int, np.integer)) or not 0 <= number < 2**63:
        raise ValueError(f"number: expected a whole number from 0 on, found {number!r}")
    states = np.array(np.atleast_2d(array), order="C")
    masked = np.empty(states.shape, bool)
    _core.Recall.corrupt(states, masked, as_mask(units, "units", states.shape[1]),
                         {"flip": flips[0], "mask": masks[0], "seed": as_seed(random_state), "number": number})
    return states.reshape(array.shape), masked.reshape(array.shape)


def projections(data: Dataset | npt.ArrayLike, x: npt.ArrayLike, *, allow_rank_deficient: bool = False,
                progress: Progress = None) -> Floats:
    """(x'x)^-1 x's of every sample for any real-valued x (n_visible, p), such as the means of classes.

    A sample that equals a column has a 1 there and zeros elsewhere. With the means of cell types these are scores as in
    scTOP. DependentError if the columns are linearly dependent, unless that is allowed.

    Examples
    --------
    >>> projections([[1, 1, -1, -1]], [[1, 1], [1, -1], [-1, 1], [-1, -1]]).round(12)
    array([[1., 0.]])
    """
    from .dataset import as_dataset

    samples = as_dataset(data, "data", None)
    onto = np.asarray(x)
    if onto.dtype.kind not in "biuf" or onto.ndim != 2:
        raise ValueError(f"x: expected numbers of shape (n_visible, p), found {onto.dtype} of shape {onto.shape}")
    if not np.all(np.isfinite(onto)) or onto.size == 0:
        raise ValueError("x: expected finite numbers, and at least one")
    out = np.empty((len(samples), onto.shape[1]))
    with reporting(progress, "projections") as report:
        _core.Recall.projections(samples._handle, as_doubles(onto), out,
                                 bool(allow_rank_deficient), report)
    return out
