"""A layer on top of an RBM: a Gaussian of its hidden units for every class.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, as_number, as_seed, as_whole, reporting
from .classify import Samples

if TYPE_CHECKING:
    from .dataset import Dataset, Encoding
    from .rbm import SpinGaussianRBM


@dataclass(frozen=True, slots=True)
class Elbo:
    """Means over samples, in nats; NaN where there are no samples."""

    value: float  #: lower bound on ln p(s)
    error: float  #: its standard error
    reconstruction: float  #: E_q[ln p(s | lambda)], its first term
    divergence: float  #: what is missing from that, of q from the prior
    labelled_value: float  #: lower bound on ln p(s, class), over the samples with a class that the model knows
    labelled_error: float  #: its standard error
    n_samples: int
    n_labelled: int

    def __float__(self) -> float:
        return self.value


class DeepModel:
    """An RBM with a layer on top: class, hidden units from the Gaussian of the class, spins from these.

    Made by :meth:`fit` or :meth:`load`, which opens the ``DEEP.npz`` of ``isinglass deepen``, too. Its likelihood has
    a lower bound that needs no ln Z, its samples are independent, and p(class | s) is in closed form.

    Examples
    --------
    >>> import numpy as np
    >>> from isinglass import Dataset, DeepModel, SpinGaussianRBM
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 3
    >>> X = np.where((rng.random((3, 40)) < 0.5)[y] ^ (rng.random((300, 40)) < 0.1), 1, -1)
    >>> data = Dataset.from_spins(X, y)
    >>> model = DeepModel.fit(SpinGaussianRBM.start(data), data, random_state=0)
    >>> model.score(data)
    1.0
    >>> model.sample(5, classes="2").spins.shape
    (5, 40)
    >>> model.elbo(data).value > -40 * np.log(2)
    True
    """

    __slots__ = ("_handle",)
    _handle: _core.DeepModel

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("DeepModel: use DeepModel.fit() or DeepModel.load()")

    @classmethod
    def _wrap(cls, handle: _core.DeepModel) -> DeepModel:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    @classmethod
    def fit(cls, rbm: SpinGaussianRBM, data: Dataset, *, beta: float | Sequence[float] | None = None,
            shrinkage: float | Sequence[float] | None = None, toward: str = "pooled", parts: int = 1,
            hold_out: float = 0.1, one_class: bool = False, random_state: Any = None,
            progress: Progress = None) -> DeepModel:
        """Fits the Gaussians of the classes, in closed form.

        Parameters
        ----------
        rbm : SpinGaussianRBM
            Copied; in the copy, beta is the one chosen.
        data : Dataset
            With labels, unless ``one_class``.
        beta : float or sequence of float, optional
            Inverse temperature, or several to choose from; None: uphill from that of the RBM.
        shrinkage : float or sequence of float, optional
            How much the covariance of a class is mixed with that ``toward`` says, from 0 to 1, or several to choose
            from; None: 0, 0.01, 0.03, 0.1, 0.3 and 1.
        toward : {"pooled", "diagonal"}
            The mean covariance of all classes, or the covariance's own diagonal.
        parts : int
            Gaussians per class: a mixture, fitted by expectation and maximization, at the beta that is best for one.
        hold_out : float
            The share of every class on which candidates are compared before the best is fitted to all.
        one_class : bool
            A single Gaussian for all samples, whatever their labels.
        random_state : int, numpy.random.Generator or None
            Of what is held out; an integer is the seed of the program.
        """
        from .dataset import Dataset
        from .rbm import SpinGaussianRBM

        if not isinstance(rbm, SpinGaussianRBM):
            raise TypeError(f"rbm: expected a SpinGaussianRBM, found {type(rbm).__name__}")
        if not isinstance(data, Dataset):
            raise TypeError(f"data: expected a Dataset, found {type(data).__name__}; "
                            "isinglass.Dataset.from_array(X, y) makes one")
        options = {"toward": toward, "parts": parts, "hold_out": hold_out, "one_class": one_class,
                   "seed": as_seed(random_state)}
        betas, shrinkages = _candidates(beta, "beta"), _candidates(shrinkage, "shrinkage")
        with reporting(progress, "fitting") as report:
            return cls._wrap(_core.DeepModel.fit(rbm._handle, data._handle, options, betas, shrinkages, report))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DeepModel:
        """From a file of :meth:`save` or of the program."""
        return cls._wrap(_core.DeepModel.load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npz file that is also the file of its RBM: ``SpinGaussianRBM.load`` and the program open it."""
        self._handle.save(path)

    # ---- likelihood and classes

    def _samples(self, X: Samples) -> Dataset:
        from .dataset import as_dataset

        return as_dataset(X, "X", self.encoding)

    def elbo(self, X: Samples, *, progress: Progress = False) -> Elbo:
        """The mean lower bound on ln p(s) and, where classes are known, on ln p(s, class)."""
        with reporting(progress, "scoring") as report:
            return Elbo(**self._handle.elbo(self._samples(X)._handle, None, report))

    def score_samples(self, X: Samples, *, progress: Progress = False) -> Floats:
        """The lower bound on ln p(s) of every sample: (n_samples,)."""
        samples = self._samples(X)
        out = np.empty(len(samples))
        with reporting(progress, "scoring") as report:
            self._handle.elbo(samples._handle, out, report)
        return out

    def predict(self, X: Samples, *, rule: str = "bound") -> npt.NDArray[np.str_]:
        """The most probable class of every sample, by name; the first of equals.

        ``rule`` is "bound", the p(class | s) for which the bound is largest, or "quadratic", for quadratic
        discriminants on W's + c.
        """
        return np.array(self.classes)[self._indices(self._samples(X), rule)]

    def predict_proba(self, X: Samples, *, rule: str = "bound", progress: Progress = False) -> Floats:
        """The probability of every class: (n_samples, n_classes), in the order of :attr:`classes`."""
        samples = self._samples(X)
        out = np.empty((len(samples), len(self.classes)))
        with reporting(progress, "classifying") as report:
            self._handle.predict(samples._handle, rule, None, out, report)
        return out

    def score(self, data: Dataset, *, rule: str = "bound") -> float:
        """The share of the samples with a label that is classified correctly; NaN without any."""
        from .dataset import Dataset, check_units

        if not isinstance(data, Dataset):
            raise TypeError(f"data: expected a Dataset, whose classes have names, found {type(data).__name__}")
        check_units(data, "data", self.encoding)
        truth = np.empty(len(data), np.uint32)
        self._handle.truth(data._handle, truth)
        known = truth < len(self.classes)
        return float(np.mean(self._indices(data, rule)[known] == truth[known])) if np.any(known) else math.nan

    def _indices(self, samples: Dataset, rule: str) -> npt.NDArray[np.uint32]:
        out = np.empty(len(samples), np.uint32)
        self._handle.predict(samples._handle, rule, out)
        return out

    # ---- samples

    def sample(self, count: int, *, classes: str | Sequence[str] | None = None, beta: float | None = None,
               random_state: Any = None) -> Dataset:
        """Independent samples, labelled by class.

        Parameters
        ----------
        count : int
        classes : str or sequence of str, optional
            The class of all samples, or of each; None: drawn by their shares.
        beta : float, optional
            Inverse temperature of the spins given the hidden units; None: that of the model; ``math.inf`` gives the
            most probable spins.
        random_state : int, numpy.random.Generator or None
            An integer is the seed of the program.
        """
        from .dataset import Dataset

        count = as_whole(count, "count", 1)
        if beta is not None and not as_number(beta, "beta") > 0:
            raise ValueError(f"beta: expected a positive number, found {beta!r}")
        which = None
        if classes is not None:
            if not isinstance(classes, (str, Sequence, np.ndarray)):
                raise ValueError(f"classes: expected a name, or one for each sample, found {classes!r}")
            names = [classes] * count if isinstance(classes, str) else [str(name) for name in classes]
            if len(names) != count:
                raise ValueError(f"classes: expected {count} names, one for each sample, found {len(names)}")
            places = {name: k for k, name in enumerate(self.classes)}
            unknown = next((name for name in names if name not in places), None)
            if unknown is not None:
                raise ValueError(f"classes: {unknown!r} is not one of the {len(places)} classes of the model")
            which = np.array([places[name] for name in names], np.uint32)
        return Dataset._wrap(self._handle.sample(count, which, beta or 0.0, as_seed(random_state)))

    # ---- looking

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return self._handle.class_names()

    @property
    def rbm(self) -> SpinGaussianRBM:
        """A copy of its RBM, at the beta of the model."""
        from .rbm import SpinGaussianRBM

        return SpinGaussianRBM._wrap(self._handle.rbm())

    @property
    def beta(self) -> float:
        """Inverse temperature, of hidden units given spins and of spins given hidden units."""
        return float(self._handle.describe()["beta"])

    @property
    def shrinkage(self) -> float:
        """How much the covariances are shrunk."""
        return float(self._handle.describe()["shrinkage"])

    @property
    def trials(self) -> list[dict[str, float]]:
        """What was tried: beta, shrinkage, the held-out elbo and error; empty without a choice, and after loading."""
        return self._handle.trials()

    @property
    def encoding(self) -> Encoding | None:
        """How the training data became spins, and the names of the units; None if unknown."""
        from .dataset import Encoding

        found = self._handle.encoding()
        return None if found is None else Encoding._wrap(found)

    @property
    def image_shape(self) -> tuple[int, int] | None:
        """Of the samples, if they are images."""
        info = self._handle.describe()
        return _show.image_shape(info["n_visible"], info["image_height"], info["image_width"])

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The numbers it is made of, as in its file; copies. ``covariances`` are without the 1 / beta.

        With several parts per class, ``shares``, ``means`` and ``covariances`` have those of a class one after another.
        """
        with np.load(io.BytesIO(self._handle.to_bytes())) as found:
            return {name: found[name] for name in found.files if not name.endswith(".json")}

    def __repr__(self) -> str:
        info = self._handle.describe()
        return (f"DeepModel(n_classes={info['n_classes']}, n_visible={info['n_visible']}, "
                f"n_hidden={info['n_hidden']}, beta={info['beta']:g}, shrinkage={info['shrinkage']:g})")

    def __reduce__(self) -> tuple[Any, ...]:
        return _deep_model_from_bytes, (self._handle.to_bytes(),)


def _deep_model_from_bytes(content: bytes) -> DeepModel:
    return DeepModel._wrap(_core.DeepModel.from_bytes(content))


def _candidates(values: Any, name: str) -> Floats | None:
    if values is None:
        return None
    try:
        array = np.atleast_1d(np.asarray(values, np.float64))
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name}: expected a number or several, found {values!r}")
    return np.ascontiguousarray(array)
