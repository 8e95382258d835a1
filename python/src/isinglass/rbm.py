"""Restricted Boltzmann machines of spins and Gaussian hidden units, which are Hopfield networks.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, overload

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, Spins, as_doubles, as_number, as_seed, as_spins, as_whole, reporting
from .log_z import Likelihood, LogZ
from .patterns import Patterns

if TYPE_CHECKING:
    from .dataset import Dataset, Encoding
    from .deep_states import DeepStates
    from .hopfield import HopfieldNetwork
    from .unmapping import Unmapping

Via = Literal["qr", "svd", "sqrt", "hebbian"]
Method = Literal["auto", "exact", "wells", "population", "ais", "mixture"]
Start = Literal["hopfield", "hebbian", "pca", "normal", "axes"]

#: Samples: a Dataset, or an array of spins (n_samples, n_visible).
Samples = Union["Dataset", npt.ArrayLike]


def _finite(values: npt.ArrayLike, name: str, ndim: int) -> Floats:
    """A contiguous array of finite doubles."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected an array of numbers, found dtype {array.dtype}")
    if array.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimension{'s' * (ndim > 1)}, found {array.ndim}")
    array = as_doubles(array)
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        where = tuple(int(k) for k in bad[0])
        raise ValueError(f"{name}: expected finite numbers, found {array[where]} at {where}")
    return array


@dataclass(frozen=True, slots=True)
class MappingReport:
    """How exact a mapping J = W W' is; each error is the largest absolute entry of a matrix that is zero in theory."""

    via: str
    n_hidden: int
    rank: int
    orthogonality_error: float  #: W'W - I
    reconstruction_error: float  #: W R - xi
    projector_error: float  #: J^2 - J
    fixed_point_error: float  #: J xi - xi: below 1, every pattern is a fixed point
    trace: float  #: of J
    energy_shift: float  #: H(s) of the network minus that of the RBM


@dataclass(frozen=True, slots=True, eq=False)
class Integrated:
    """The spins alone, hidden units integrated out: H(s) = -s'Js/2 - (b + Wc).s with J = WW'."""

    n_visible: int
    n_hidden: int
    rank: int  #: of W, and so of J
    orthogonality_error: float  #: largest entry of W'W - I: zero if J is a projector
    orthogonal_distance: float  #: |W - L| to the nearest orthonormal L
    correction: float  #: largest |sigma^-2 - 1|; infinite if the rank is not full
    is_binary: bool  #: every column of W is a multiple of a pattern of +1 and -1 ...
    is_hebbian: bool  #: ... with one factor for all: J is a multiple of the Hebbian rule
    hebbian_beta: float  #: if so, beta of the Hebbian network that equals the RBM; else NaN
    has_field: bool  #: whether b + Wc is not zero
    singular_values: Floats  #: of W, falling
    field: Floats  #: b + Wc


class SpinGaussianRBM:
    """Spins s (n_visible) and Gaussian hidden units lambda (n_hidden) at inverse temperature beta.

    H(s, lambda) = \\|lambda - c\\|^2 / 2 - b.s - s'W lambda

    With lambda integrated out, this is the Hopfield network of J = WW' (:meth:`to_hopfield`); a Hopfield network
    becomes an RBM by :meth:`from_patterns` or :meth:`from_hopfield`.

    Parameters
    ----------
    weights : array of shape (n_visible, n_hidden)
        W, as in the paper and the files. The array is copied; :attr:`weights` shows the model's own.
    beta : float
        Inverse temperature.
    visible_field, hidden_field : arrays, optional
        b (n_visible) and c (n_hidden); zero by default.
    image_shape : (height, width), optional
        If the visible units are the pixels of an image.
    encoding : Encoding, optional
        How data became spins; from ``Dataset.encoding``.

    Examples
    --------
    >>> rbm = SpinGaussianRBM([[1, 0], [0, 1], [0.5, -0.5]], beta=1.0)
    >>> rbm
    SpinGaussianRBM(n_visible=3, n_hidden=2, beta=1)
    >>> round(float(rbm.log_z()), 6)
    3.569671
    >>> rbm.weights[0, 0] = 0.9
    >>> rbm.weights[0]
    array([0.9, 0. ])
    """

    __slots__ = ("_handle", "_mapping", "__weakref__")
    _handle: _core.RBM
    _mapping: MappingReport | None

    def __init__(self, weights: npt.ArrayLike, *, beta: float = 2.0, visible_field: npt.ArrayLike | None = None,
                 hidden_field: npt.ArrayLike | None = None, image_shape: tuple[int, int] | None = None,
                 encoding: Encoding | None = None) -> None:
        w = _finite(weights, "weights", 2)
        self._mapping = None
        self._handle = _core.RBM.create(w.shape[0], w.shape[1], as_number(beta, "beta"))
        self.weights[...] = w
        for name, values, own in (("visible_field", visible_field, self.visible_field),
                                  ("hidden_field", hidden_field, self.hidden_field)):
            if values is not None:
                given = _finite(values, name, 1)
                if given.shape != own.shape:
                    raise ValueError(f"{name}: expected {len(own)} numbers, found {len(given)}")
                own[...] = given
        if image_shape is not None:
            self._set_image(image_shape)
        if encoding is not None:
            self._handle.set_encoding(encoding._handle)

    def _set_image(self, shape: tuple[int, int]) -> None:
        try:
            height, width = shape
            self._handle.set_image(as_whole(height, "height", 1), as_whole(width, "width", 1))
        except TypeError:
            raise TypeError(f"image_shape: expected (height, width), found {shape!r}") from None
        except ValueError as error:
            raise ValueError(f"image_shape: {error}".replace("image_shape: image_shape: ", "image_shape: ")) from None

    @classmethod
    def _wrap(cls, handle: _core.RBM) -> SpinGaussianRBM:
        self = cls.__new__(cls)
        self._handle = handle
        self._mapping = None
        return self

    # ---- making ------------------------------------------------------------------------------------------------

    @classmethod
    def from_patterns(cls, patterns: Patterns | npt.ArrayLike, *, via: Via = "qr", beta: float = 2.0,
                      field: npt.ArrayLike | None = None, allow_rank_deficient: bool = False,
                      report: bool = False) -> SpinGaussianRBM:
        """The RBM whose distribution over the spins is exactly that of the network that stores the patterns.

        Parameters
        ----------
        patterns : Patterns, or array of shape (n_patterns, n_visible)
        via : {"qr", "svd", "sqrt", "hebbian"}
            How W is found. The first three give orthonormal columns and the projection rule J = xi (xi'xi)^-1 xi';
            the last gives the Hebbian rule, W = xi / sqrt(n_visible).
        beta : float
            Inverse temperature.
        field : array of shape (n_visible,), optional
            b of the network and of the RBM.
        allow_rank_deficient : bool
            Map dependent patterns with fewer hidden units, instead of a DependentError.
        report : bool
            Measure how exact the mapping is, for :attr:`mapping`; costs n_visible^2 n_hidden multiplications.

        Examples
        --------
        >>> rbm = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]], report=True)
        >>> (abs(rbm.weights.T @ rbm.weights) > 0.5).tolist()
        [[True, False], [False, True]]
        >>> rbm.mapping.fixed_point_error < 1e-12
        True
        """
        stored = patterns if isinstance(patterns, Patterns) else Patterns(patterns)
        options = {"via": via, "beta": beta, "allow_rank_deficient": allow_rank_deficient}
        b = None if field is None else _finite(field, "field", 1)
        return cls._with_report(*_core.RBM.from_patterns(stored._handle, options, b, report))

    @classmethod
    def from_hopfield(cls, network: HopfieldNetwork, *, via: Via = "qr", beta: float = 2.0,
                      report: bool = False) -> SpinGaussianRBM:
        """The RBM whose distribution over the spins is exactly that of the network at ``beta``.

        ``via`` selects W for a projection network; a Hebbian network always gives W = xi / sqrt(n_visible), and a
        network made from an RBM gives back that RBM's W.
        """
        if not hasattr(network, "_handle"):
            raise TypeError(f"network: expected a HopfieldNetwork, found {type(network).__name__}")
        options = {"via": via, "beta": beta}
        return cls._with_report(*_core.RBM.from_hopfield(network._handle, options, report))

    @classmethod
    def _with_report(cls, handle: _core.RBM, report: dict[str, Any] | None) -> SpinGaussianRBM:
        self = cls._wrap(handle)
        self._mapping = None if report is None else MappingReport(**report)
        return self

    @classmethod
    def start(cls, data: Samples, *, kind: Start = "hopfield",
              per_class: int = 1, n_hidden: int = 0, beta: float = 2.0, deviation: float = 0.1, cap: bool = False,
              allow_rank_deficient: bool = False, random_state: Any = 1, patterns: Patterns | None = None,
              progress: Progress = None) -> SpinGaussianRBM:
        """An RBM to train on the data.

        Parameters
        ----------
        data : Dataset or array of spins
        kind : {"hopfield", "hebbian", "pca", "normal", "axes"}
            The projection rule of the patterns, mapped by QR; the Hebbian rule; the principal axes of the data as
            unit columns; the same of the second moments, no means removed, which of all orthonormal weights capture
            most of the data ("axes"); or independent normal weights of standard deviation ``deviation``.
        per_class : int
            Patterns, and so hidden units, per class.
        n_hidden : int
            For "pca", "axes" and "normal": hidden units; 0 for one per pattern.
        cap : bool
            A class of fewer samples than ``per_class`` gets a pattern for each of them.
        patterns : Patterns, optional
            To start from; by default, those of the data.
        """
        options = {"kind": kind, "per_class": per_class, "n_hidden": n_hidden, "beta": beta, "deviation": deviation,
                   "cap": cap, "allow_rank_deficient": allow_rank_deficient, "seed": as_seed(random_state)}
        if patterns is not None and not isinstance(patterns, Patterns):
            raise TypeError(f"patterns: expected Patterns, found {type(patterns).__name__}")
        from .dataset import as_dataset

        samples = as_dataset(data, "data")
        given = None if patterns is None else patterns._handle
        with reporting(progress, "start") as report:
            return cls._wrap(_core.RBM.start(samples._handle, options, given, report))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SpinGaussianRBM:
        """From a .npz file with W (n_visible, n_hidden) and beta, and b, c where they are not zero."""
        return cls._wrap(_core.RBM.load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the .npz file that the program reads, too; ``numpy.load`` opens it."""
        self._handle.save(path)

    def copy(self) -> SpinGaussianRBM:
        """Another RBM with the same numbers and arrays of its own."""
        other = self._wrap(self._handle.copy())
        other._mapping = self._mapping
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> SpinGaussianRBM:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rbm_from_bytes, (self._handle.to_bytes(), self._mapping)

    # ---- looking -----------------------------------------------------------------------------------------------

    @property
    def n_visible(self) -> int:
        """The number of spins."""
        return int(self._handle.describe()["n_visible"])

    @property
    def n_hidden(self) -> int:
        """The number of hidden units."""
        return int(self._handle.describe()["n_hidden"])

    @property
    def beta(self) -> float:
        """The inverse temperature; can be set."""
        return float(self._handle.describe()["beta"])

    @beta.setter
    def beta(self, value: float) -> None:
        self._handle.set_beta(as_number(value, "beta"))

    @property
    def image_shape(self) -> tuple[int, int] | None:
        """(height, width) if the visible units are an image; can be set."""
        info = self._handle.describe()
        return _show.image_shape(info["n_visible"], info["image_height"], info["image_width"])

    @image_shape.setter
    def image_shape(self, shape: tuple[int, int]) -> None:
        self._set_image(shape)

    @property
    def weights(self) -> Floats:
        """W (n_visible, n_hidden), the model's own memory: what is written to the array changes the model."""
        return np.asarray(self._handle.weights())

    @property
    def visible_field(self) -> Floats:
        """b (n_visible), the model's own memory."""
        return np.asarray(self._handle.visible_field())

    @property
    def hidden_field(self) -> Floats:
        """c (n_hidden), the model's own memory."""
        return np.asarray(self._handle.hidden_field())

    @property
    def coefficients(self) -> Floats | None:
        """R (n_hidden, n_patterns) with W R = xi when the RBM was made, read-only; None if unknown."""
        view = self._handle.coefficients()
        return None if view is None else np.asarray(view)

    @property
    def patterns(self) -> Patterns | None:
        """A copy of the patterns that the RBM was made from; None if unknown."""
        handle = self._handle.patterns()
        return None if handle is None else Patterns._wrap(handle)

    @property
    def encoding(self) -> Encoding | None:
        """How the data it was made from became spins; None if unknown."""
        handle = self._handle.encoding()
        if handle is None:
            return None
        from .dataset import Encoding

        return Encoding._wrap(handle)

    @property
    def unit_names(self) -> list[str] | None:
        """The names of the visible units; None if they have none."""
        return self._handle.unit_names()

    @property
    def mapping(self) -> MappingReport | None:
        """How exact the mapping was, if the RBM was made with ``report=True``."""
        return self._mapping

    def __repr__(self) -> str:
        info = self._handle.describe()
        return (f"SpinGaussianRBM(n_visible={info['n_visible']}, n_hidden={info['n_hidden']}, "
                f"beta={info['beta']:g})")

    def _repr_html_(self) -> str:
        info = self._handle.describe()
        known = self.patterns
        rows: list[tuple[str, Any]] = [("visible units", info["n_visible"]), ("hidden units", info["n_hidden"]),
                                       ("beta", f"{info['beta']:g}")]
        if self.image_shape:
            rows.append(("image", "{} x {}".format(*self.image_shape)))
        if known is not None:
            rows.append(("made from", f"{len(known)} pattern{'s' * (len(known) != 1)}"))
        finite = bool(np.isfinite(self.weights).all())
        rows.append(("largest |weight|", f"{np.max(np.abs(self.weights)):.4g}"))
        return _show.html_table("Spin-Gaussian RBM", rows, "" if finite else "a weight is not finite")

    def plot(self, *, columns: int | None = None, ax: Any = None) -> Any:
        """The columns of W, as images if the visible units are one. Returns the axes of matplotlib."""
        return _show.plot_images(self.weights.T, self.image_shape, columns=columns, ax=ax)

    # ---- samples and hidden states -----------------------------------------------------------------------------

    def _data(self, X: Samples, name: str = "X") -> Dataset:
        from .dataset import as_dataset

        return as_dataset(X, name, self.encoding)

    def hidden(self, X: Samples, *, progress: Progress = None) -> Floats:
        """W's + c of every sample, the mean of the hidden units given the spins: (n_samples, n_hidden)."""
        return self._transform(X, False, progress)[0]

    def capture(self, X: Samples, *, progress: Progress = None) -> float:
        """The mean share of a sample that lies in the span of W: for orthonormal W, the log-likelihood is beta/2
        n_visible times that, minus ln Z, which is about the same for all networks of as many binary patterns."""
        with reporting(progress, "capture") as report:
            return self._handle.capture(self._data(X)._handle, report)

    def energy(self, X: Samples, hidden: npt.ArrayLike | None = None, *, progress: Progress = None) -> Floats:
        """H(s) of every sample, hidden units integrated out; or H(s, lambda) with ``hidden`` (n_samples, n_hidden).

        H(s) = -b.s - \\|W's + c\\|^2 / 2 + \\|c\\|^2 / 2
        """
        if hidden is None:
            return self._transform(X, True, progress)[1]
        samples = self._data(X)
        out = np.empty(len(samples))
        self._handle.energy(samples._handle, _finite(hidden, "hidden", 2), out)
        return out

    def _transform(self, X: Samples, energies: bool, progress: Progress) -> tuple[Floats, Floats]:
        samples = self._data(X)
        h = np.empty((len(samples), self.n_hidden))
        out = np.empty(len(samples))
        with reporting(progress, "hidden units") as report:
            self._handle.transform(samples._handle, h, out if energies else None, report)
        return h, out

    def _hidden_states(self, hidden: npt.ArrayLike) -> tuple[Floats, bool]:
        array = _finite(hidden, "hidden", np.ndim(hidden) if np.ndim(hidden) == 1 else 2)
        return np.atleast_2d(array), array.ndim == 1

    def free_energy(self, hidden: npt.ArrayLike) -> Any:
        """F0(lambda) = \\|lambda - c\\|^2 / 2 - sum_i ln cosh(beta x_i) / beta, x = W lambda + b, spins summed out.

        A number for one state (n_hidden,), an array for several (n, n_hidden).
        """
        states, is_one = self._hidden_states(hidden)
        out = np.empty(len(states))
        self._handle.free_energy(states, out)
        return float(out[0]) if is_one else out

    def free_energy_gradient(self, hidden: npt.ArrayLike) -> Floats:
        """The gradient of :meth:`free_energy` by lambda, of the shape of ``hidden``."""
        states, is_one = self._hidden_states(hidden)
        gradient: Floats = np.empty_like(states)
        self._handle.free_energy(states, np.empty(len(states)), gradient)
        return gradient.reshape(-1) if is_one else gradient

    def visible_probability(self, hidden: npt.ArrayLike) -> Floats:
        """The probability of +1 of every spin given lambda: (n_visible,) or (n, n_visible)."""
        states, is_one = self._hidden_states(hidden)
        x = np.empty((len(states), self.n_visible))
        self._handle.visible_input(states, x)
        out: Floats = (1 + np.tanh(self.beta * x)) / 2
        return out.reshape(-1) if is_one else out

    # ---- ln Z and likelihoods ----------------------------------------------------------------------------------

    @overload
    def log_z(self, *, betas: None = None, method: Method = ..., patience: int = ...,
              fixed_steps: bool = ..., chains: int = ..., steps: int = ..., repeats: int | None = ...,
              weights: Literal["spin", "lambda", "joint"] = ..., move: Literal["gibbs", "hmc"] = ...,
              hmc_step: float = ..., hmc_leapfrogs: int = ..., schedule: npt.ArrayLike | None = ...,
              adaptive: float = ..., samples: int = ...,
              random_starts: int = ..., witnesses: int = ..., data: Samples | None = ..., data_starts: int = ...,
              particles: int = ..., sweeps: int = ..., keep: float = ..., well_draws: int = ..., bounded: bool = ...,
              random_state: Any = ..., progress: Progress = ...) -> LogZ: ...

    @overload
    def log_z(self, *, betas: npt.ArrayLike, method: Method = ..., patience: int = ...,
              fixed_steps: bool = ..., chains: int = ..., steps: int = ..., repeats: int | None = ...,
              weights: Literal["spin", "lambda", "joint"] = ..., move: Literal["gibbs", "hmc"] = ...,
              hmc_step: float = ..., hmc_leapfrogs: int = ..., schedule: npt.ArrayLike | None = ...,
              adaptive: float = ..., samples: int = ...,
              random_starts: int = ..., witnesses: int = ..., data: Samples | None = ..., data_starts: int = ...,
              particles: int = ..., sweeps: int = ..., keep: float = ..., well_draws: int = ..., bounded: bool = ...,
              random_state: Any = ..., progress: Progress = ...) -> list[LogZ]: ...

    def log_z(self, *, betas: npt.ArrayLike | None = None, method: Method = "auto", patience: int = 2,
              fixed_steps: bool = False, chains: int = 500, steps: int = 1000, repeats: int | None = None,
              weights: Literal["spin", "lambda", "joint"] = "spin", move: Literal["gibbs", "hmc"] = "gibbs",
              hmc_step: float = 0.2, hmc_leapfrogs: int = 2, schedule: npt.ArrayLike | None = None,
              adaptive: float = 0.0, samples: int = 100000, random_starts: int = 64, witnesses: int = 256,
              data: Samples | None = None, data_starts: int = 256, particles: int = 8000, sweeps: int = 5,
              keep: float = 0.97, well_draws: int = 20000, bounded: bool = True, random_state: Any = 1,
              progress: Progress = None) -> LogZ | list[LogZ]:
        """ln Z, with its error and whether it can be trusted.

        Parameters
        ----------
        betas : sequence of float, optional
            Computes ln Z at each of these instead of at :attr:`beta`, and returns a list. All that need wells share
            one run, and so do all that need annealing.
        method : {"auto", "exact", "wells", "population", "ais", "mixture"}
            "exact" enumerates states, sums over units with equal rows of W, or integrates over at most 3 hidden
            units; "wells" samples the wells of deep states by confined chains and all other states by population
            annealing; "population" is population annealing alone; "ais" is annealed importance sampling; "mixture" is
            importance sampling of lambda from Gaussians around the minima of the free energy. "auto" is exact if that
            is quick, else by wells if these can be trusted, else annealing; if neither can be trusted, the larger of
            the two.
        patience : int
            "auto": how often to repeat annealing with four times the steps while it cannot be trusted; wells: the
            same, at most once, with four times the sweeps.
        fixed_steps : bool
            "auto": anneal with ``steps`` and no more, whatever ``patience``, as the program does if it is told them.
        chains, steps : int
            Annealing: chains in one repeat, and steps from free spins to the model.
        repeats : int, optional
            Annealing: how often, 1 by default. Wells, population: independent populations, at least 2, 5 by default.
            "auto" takes the number for all of these.
        weights : {"spin", "lambda", "joint"}
            Annealing: the distribution that is weighted; "lambda" is the paper's Eq. 7.
        move : {"gibbs", "hmc"}
            Annealing: a block-Gibbs sweep, or a Hamiltonian trajectory in lambda of ``hmc_leapfrogs`` leapfrogs of
            ``hmc_step``, for the weights "lambda" alone.
        schedule : array, optional
            Annealing: alpha, rising from 0 to 1; its length sets ``steps``. Evenly spaced by default.
        adaptive : float
            Annealing: if above 0, a pilot run places the steps so that each keeps this share, below 1, of the
            effective sample size.
        samples, random_starts, witnesses : int
            Mixture: draws, random states to search for minima from, and annealed chains that look for missing ones.
        data : Dataset or array of spins, optional
            Samples to search for deep states from as well; mixture: to search for minima from, ``data_starts`` of them.
        particles, sweeps, keep : int, int, float
            Wells, population: states in one population, sweeps between two temperatures, and the share of the
            effective sample size that a step may leave.
        well_draws : int
            Wells: draws of lambda per repeat, at least 1000.
        bounded : bool
            "ais", "mixture", "population": whether to look for deep states, so that ln Z is not reported below the
            bound that they give. "wells" always does.
        random_state : int, Generator or None
            An integer gives what ``isinglass --seed`` gives.

        Examples
        --------
        >>> rbm = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]])
        >>> z = rbm.log_z()
        >>> z.method, z.is_trusted, round(float(z), 6)
        ('exact', True, 5.64015)
        >>> [round(z.value, 3) for z in rbm.log_z(betas=[0.5, 1, 2])]
        [3.334, 4.013, 5.64]
        """
        options = {"method": method, "patience": patience, "fixed_steps": fixed_steps, "bounded": bounded,
                   "chains": chains, "steps": steps, "weights": weights, "move": move, "hmc_step": hmc_step,
                   "hmc_leapfrogs": hmc_leapfrogs, "adaptive": adaptive, "samples": samples,
                   "random_starts": random_starts, "witnesses": witnesses, "data_starts": data_starts,
                   "particles": particles, "sweeps": sweeps, "keep": keep, "well_draws": well_draws,
                   "seed": as_seed(random_state)}
        if repeats is not None:
            options["repeats"] = repeats
        at = None if betas is None else _finite(betas, "betas", 1)
        if at is not None and len(at) == 0:
            return []
        plan = None if schedule is None else _finite(schedule, "schedule", 1)
        known = None if data is None else self._data(data, "data")._handle
        with reporting(progress, "ln Z") as report:
            found = self._handle.log_z(options, at, known, plan, report)
        if at is None:
            return LogZ._from(found[0], self.beta)
        return [LogZ._from(one, float(beta)) for one, beta in zip(found, at)]

    def log_z_interval(self, confidence: float = 0.95, *, chains: int = 500, steps: int = 1000, repeats: int = 20,
                       random_state: Any = 1, progress: Progress = None) -> tuple[float, float]:
        """A rigorous interval that contains ln Z with at least this probability, from ``repeats`` batches of annealing.

        It needs exact samples, so it is for small models (NotImplementedError otherwise): at most 20 visible units,
        or units with equal rows of W.
        """
        options = {"chains": chains, "steps": steps, "repeats": repeats, "seed": as_seed(random_state)}
        with reporting(progress, "certificate") as report:
            found = self._handle.certificate(as_number(confidence, "confidence"), options, report)
        return found["low"], found["high"]

    @overload
    def log_likelihood(self, X: Samples, log_z: LogZ | float | None = ..., *, by_class: bool = ...,
                       method: Method = ..., random_state: Any = ..., progress: Progress = ...) -> Likelihood: ...

    @overload
    def log_likelihood(self, X: Samples, log_z: Sequence[LogZ], *, by_class: bool = ..., method: Method = ...,
                       random_state: Any = ..., progress: Progress = ...) -> list[Likelihood]: ...

    def log_likelihood(self, X: Samples, log_z: LogZ | float | Sequence[LogZ] | None = None, *,
                       by_class: bool = False, method: Method = "auto", random_state: Any = 1,
                       progress: Progress = None) -> Likelihood | list[Likelihood]:
        """The mean of ln p(s) over samples, in nats per sample.

        Parameters
        ----------
        X : Dataset or array of spins
        log_z : LogZ, float, or sequence of LogZ, optional
            ln Z if it is known. By default it is computed as ``self.log_z(data=X, method=..., random_state=...)``; for
            other options, call that first. A sequence, from ``log_z(betas=...)``, gives a list: one for each beta.
        by_class : bool
            Also for each class, in :attr:`Likelihood.by_class`.

        Examples
        --------
        >>> rbm = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]])
        >>> round(rbm.log_likelihood([[1, 1, -1, -1]]).value, 6)
        -1.64015
        """
        samples = self._data(X)
        if isinstance(log_z, Sequence):
            if by_class:
                raise ValueError("by_class: is for one beta, not for a sequence of them")
            for one in log_z:
                if not isinstance(one, LogZ):
                    raise TypeError(f"log_z: expected a sequence of LogZ, found {one!r} in it")
            betas = np.array([one.beta for one in log_z])
            found = self._handle.likelihoods(samples._handle, betas, [one._given() for one in log_z])
            return [Likelihood(**values, log_z=one) for values, one in zip(found, log_z)]
        known = self._known_log_z(samples, log_z, method, random_state, progress)
        given = known._given() if isinstance(known, LogZ) else {"value": known, "error": 0.0, "is_trusted": True}
        behind = known if isinstance(known, LogZ) else None
        values, *classes = self._handle.likelihood(samples._handle, given, by_class)
        parts = {one.pop("name"): Likelihood(**one, log_z=behind) for one in classes if one["samples"]}
        return Likelihood(**values, by_class=parts, log_z=behind)

    def _known_log_z(self, samples: Dataset, log_z: LogZ | float | None, method: Method, random_state: Any,
                     progress: Progress) -> LogZ | float:
        if log_z is None:
            return self.log_z(data=samples, method=method, random_state=random_state, progress=progress)
        if isinstance(log_z, LogZ):
            return self._at_own_beta(log_z)
        return as_number(log_z, "log_z")

    def _at_own_beta(self, log_z: LogZ) -> LogZ:
        if log_z.beta != self.beta:
            raise ValueError(f"log_z: is that at beta {log_z.beta:g}, but the RBM has beta {self.beta:g}")
        return log_z

    def log_probability(self, X: Samples, log_z: LogZ | float | None = None, *, method: Method = "auto",
                        random_state: Any = 1, progress: Progress = None) -> Floats:
        """ln p(s) = -beta H(s) - ln Z of every sample: (n_samples,).

        All share the error of ln Z; a UserWarning says if that cannot be trusted.
        """
        samples = self._data(X)
        energies = self._transform(samples, True, False)[1]
        known = self._known_log_z(samples, log_z, method, random_state, progress)
        if isinstance(known, LogZ) and not known.is_trusted:
            warnings.warn(f"log_z: ln Z cannot be trusted: {known.reason}", UserWarning, stacklevel=2)
        return -self.beta * energies - float(known)

    def probabilities(self) -> Floats:
        """p(s) of all 2^n_visible states, for at most 24 visible units; bit i of the index is set if spin i is +1.

        >>> p = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]]).probabilities()
        >>> len(p), round(float(p.sum()), 12), round(float(p[0b0011] / p[0b1111]), 6)
        (16, 1.0, 54.59815)
        """
        out = np.empty(1 << self.n_visible if self.n_visible <= 24 else 0)
        self._handle.probabilities(out)
        return out

    # ---- minima ------------------------------------------------------------------------------------------------

    def deep_states(self, data: Samples | None = None, *, most: int = 1000, data_starts: int = 512,
                    random_starts: int = 1000, majorities: int = 500, window: float = 1.0,
                    log_z: LogZ | float | Method | None = None, random_state: Any = 1,
                    progress: Progress = None) -> DeepStates:
        """The minima of H(s), stored patterns and spurious states, the deepest first.

        The search starts from the patterns that the RBM was made from, from samples and random states, and from
        combinations of three of the deepest states that it has found, until these lead to nothing new. That is no proof
        that nothing is missing. For a network, ``network.to_rbm(beta=...).deep_states()``.

        Parameters
        ----------
        data : Dataset or array of spins, optional
            Samples to search from as well, ``data_starts`` of them, evenly spaced.
        most : int
            States to list, the deepest.
        random_starts : int
            Random states to search from, 1000 as in the program; the share of them that ends in a state is its basin.
        majorities : int
            Majorities of three deep states to search from, per round.
        window : float
            The search ends when combinations lead to nothing new within ``window / beta`` of the deepest state.
        log_z : LogZ, float or str, optional
            What shares are of. By default it is the sum over the states that were found, ``exp(bound)``, which is at
            most Z: shares of Z are no larger. "auto", or another method of :meth:`log_z`, computes ln Z, which takes
            most of the time; by wells, the share of Z in the well of each state becomes known, too.
        random_state : int, Generator or None
            An integer gives what ``isinglass --seed`` gives.

        Examples
        --------
        >>> a, b, d = [[1, 1, 1, 1, -1, -1, -1, -1], [1, 1, -1, -1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]]
        >>> rbm = SpinGaussianRBM.from_patterns(Patterns([a, b, d], labels=["a", "b", "d"]), beta=4.0)
        >>> states = rbm.deep_states()
        >>> states
        DeepStates(count=7, n_visible=8, ground_states=3, lowest=-4)
        >>> states.kind[:4].tolist(), sorted(states.formula[3:])[:2]
        (['pattern', 'pattern', 'pattern', 'mixture'], ['sgn(a + b + d)', 'sgn(a + b - d)'])
        >>> rbm.deep_states(log_z="exact").share.sum().round(3)
        0.948
        """
        from .deep_states import DeepStates

        options = {"most": as_whole(most, "most", 1), "data_starts": data_starts, "random_starts": random_starts,
                   "majorities": majorities, "window": window, "seed": as_seed(random_state)}
        given = self._given_log_z(log_z)
        known = None if data is None else self._data(data, "data")._handle
        with reporting(progress, "deep states") as report:
            if not isinstance(given, str):
                return DeepStates._wrap(self, self._handle.deep_states(options, known, report), given)
            first, rest = (None, None) if report is None else (_shifted(report, 0, 0.1), _shifted(report, 0.1, 0.9))
            found = self._handle.deep_states(options, known, first)
            how = {"method": given, "seed": options["seed"]}
            weighed = found.weigh(self._handle, how, known, rest)
        return DeepStates._wrap(self, found, LogZ._from(weighed, found.describe()["beta"]), is_weighed=True)

    def _given_log_z(self, log_z: LogZ | float | Method | None) -> LogZ | float | str | None:
        """Of deep states: ln Z, or the method that finds it."""
        if log_z is None:
            return None
        if isinstance(log_z, str):
            if log_z not in get_args(Method):
                raise ValueError(f"log_z: expected a LogZ, a number or one of {', '.join(get_args(Method))}, found "
                                 f"{log_z!r}")
            return log_z
        if isinstance(log_z, LogZ):
            return self._at_own_beta(log_z)
        value = as_number(log_z, "log_z")
        if not math.isfinite(value):
            raise ValueError(f"log_z: expected a finite number, found {value}")
        return value

    # ---- sampling ----------------------------------------------------------------------------------------------

    def sample(self, n: int = 1, *, sweeps: int = 20, start: Samples | Literal["patterns", "noise"] | None = None,
               beta: float | Mapping[int, float] | None = None, clamp: Any = None, random_state: Any = 1,
               progress: Progress = None) -> Spins:
        """Spins (n, n_visible) of chains after ``sweeps`` block-Gibbs sweeps, one chain per sample.

        The same as ``isinglass sample -o out.npz`` with the same settings. Chains that mix slowly, in models of a large
        beta, stay near their start: :meth:`Chains.measure` tells.

        Parameters
        ----------
        n : int
            Number of samples.
        start : Dataset, array of spins, "patterns" or "noise", optional
            Where chains start: from samples, as many of every class; from the patterns of the model, in turn; or from
            random spins. By default, the patterns if the model has them.
        beta : float, or dict of float by step, optional
            Inverse temperature; ``{0: 2, 19: 20}`` changes it to 20 after 19 sweeps. By default, the model's.
        clamp : indices or mask, optional
            Visible units to keep as they start.
        random_state : int, Generator or None
            The default, 1, gives the same samples in every call; None gives others every time.

        Examples
        --------
        >>> rbm = SpinGaussianRBM.from_patterns([[1, 1, -1, -1], [1, -1, 1, -1]], beta=20.0)
        >>> rbm.sample(2)
        array([[ 1,  1, -1, -1],
               [ 1, -1,  1, -1]], dtype=int8)
        """
        from .chains import Chains, schedule_of

        parts = schedule_of(beta, self.beta, sweeps)
        chains = Chains(self, as_whole(n, "n", 1), start=start, random_state=random_state)
        if clamp is not None:
            chains.clamp(clamp)
        with reporting(progress, "sampling") as report:
            done = 0
            for value, count in parts:
                part = None if report is None else _shifted(report, done / sweeps, count / sweeps)
                chains.sweep(count, beta=value, progress=False if part is None else part)
                done += count
        return chains.spins

    # ---- what becomes of it ------------------------------------------------------------------------------------

    def to_hopfield(self) -> HopfieldNetwork:
        """The Hopfield network that exactly equals the RBM with its hidden units integrated out: J = WW'."""
        from .hopfield import HopfieldNetwork

        return HopfieldNetwork._wrap(self._handle.to_hopfield())

    def orthonormalize(self) -> SpinGaussianRBM:
        """A copy with the orthonormal weights nearest to W, so that its J is a projector."""
        return self._wrap(self._handle.orthonormalize())

    def integrate(self) -> Integrated:
        """How far J = WW' is from a projector and from the Hebbian rule, and the singular values of W."""
        values, field = np.empty(min(self.n_visible, self.n_hidden)), np.empty(self.n_visible)
        found = self._handle.integrate(values, field)
        return Integrated(**found, singular_values=values, field=field)

    def append_pattern(self, pattern: npt.ArrayLike, label: str | None = None) -> SpinGaussianRBM:
        """A new RBM that stores one more pattern, if this one was mapped via "qr"."""
        return self._wrap(self._handle.append_pattern(as_spins(pattern, "pattern", ndim=1), label))

    def remove_pattern(self, index: int) -> SpinGaussianRBM:
        """A new RBM that stores one pattern less, if this one was mapped via "qr"."""
        return self._wrap(self._handle.remove_pattern(as_whole(index, "index")))

    def unmap(self, *, method: Literal["descent", "relax", "enumerate", "capture"] = "relax",
              start: Patterns | Literal["model", "random"] = "model", restarts: int = 50, data: Samples | None = None,
              alpha: float = 200.0, gamma: float = 0.05, steps: int = 50, flip: bool = False, samples: int = 10000,
              n_patterns: int = 0, near_data: bool = False, random_state: Any = 1,
              progress: Progress = None) -> Unmapping:
        """The patterns of a Hopfield network near to this RBM: B = sgn(WX) for an X that makes WX nearly binary.

        Parameters
        ----------
        method : {"descent", "relax", "enumerate", "capture"}
            Gradient descent as in the paper; b <- sgn(Pb) from there and from the start, which lowers the residual;
            or from all starts that there are, for at most 24 hidden units. "capture" looks for another network: the
            one under which samples of the RBM are most probable, learned from these.
        start : Patterns, "model" or "random"
            Where to start from: known patterns, one per hidden unit; those of the model; or random states.
        restarts : int
            Random states per pattern to find.
        data : Dataset or array of spins, optional
            Samples to start from along with random states.
        alpha, gamma, steps : float, float, int
            Descent: steepness of tanh, step size, number of steps.
        flip : bool
            Finally flip single spins while that lowers the residual.
        samples : int
            Capture: samples of the RBM, drawn by chains that change modes.
        n_patterns : int
            Capture: how many patterns; 0 means one per hidden unit. With another number than that, learning starts
            from clusters of the samples.
        near_data : bool
            Capture: draw samples by chains that start at ``data`` and stay in its modes instead, whose weights are
            then those of the data.

        The patterns stand for J alone. The network that goes with an RBM with fields also has the field b + Wc,
        ``integrate().field``: give it to :meth:`from_patterns` to score that network.
        """
        from .unmapping import Unmapping

        if not isinstance(start, Patterns) and start not in ("model", "random"):
            raise ValueError(f"start: expected Patterns, 'model' or 'random', found {start!r}")
        options = {"method": method, "start": "patterns" if isinstance(start, Patterns) else start,
                   "restarts": restarts, "alpha": alpha, "gamma": gamma, "steps": steps, "flip": flip,
                   "samples": samples, "near_data": near_data,
                   "n_patterns": as_whole(n_patterns, "n_patterns", 0),
                   "seed": as_seed(random_state)}
        given = start._handle if isinstance(start, Patterns) else None
        known = None if data is None else self._data(data, "data")._handle
        with reporting(progress, "searching") as report:
            return Unmapping._wrap(self._handle.unmap(options, given, known, report))


def _shifted(report: Any, start: float, share: float) -> Any:
    return lambda fraction: report(start + share * fraction)


def _rbm_from_bytes(content: bytes, mapping: MappingReport | None = None) -> SpinGaussianRBM:
    self = SpinGaussianRBM._wrap(_core.RBM.from_bytes(content))
    self._mapping = mapping
    return self
