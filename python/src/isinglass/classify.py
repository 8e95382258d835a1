"""Experts, one RBM for every class, and classifiers on what they compute.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, as_seed, as_whole, reporting

if TYPE_CHECKING:
    from .dataset import Dataset, Encoding
    from .rbm import SpinGaussianRBM

#: Samples: a Dataset, or an array of spins.
Samples = Any


def as_rates(learning_rate: Any) -> Floats:
    """A rate, or pairs (rate, epoch from which it holds), as the extension takes it.

    >>> as_rates(1e-3)
    array([[0.001, 0.   ]])
    """
    try:
        rates = np.asarray(learning_rate, np.float64)
    except (TypeError, ValueError):
        rates = np.empty((0, 0, 0))
    if rates.ndim == 0:
        rates = np.array([[float(rates), 0.0]])
    if rates.ndim != 2 or rates.shape[1] != 2 or len(rates) == 0:
        raise ValueError(f"learning_rate: expected a number, or pairs of a rate and the epoch from which it holds, "
                         f"found {learning_rate!r}")
    if not np.all(np.isfinite(rates)) or np.any(rates[:, 0] < 0):
        raise ValueError(f"learning_rate: expected finite rates from 0 on, found {learning_rate!r}")
    return np.ascontiguousarray(rates)


class Experts:
    """One RBM for every class, which starts from the samples of the class and is trained on them alone.

    Parameters
    ----------
    data : Dataset
        Samples with labels of at least two classes; what is needed of them is copied.
    joint : bool
        One RBM for all classes instead, over the spins and one more unit per class, which is +1 for the class of the
        sample. :meth:`Classifier.from_labels` makes a classifier of it.
    per_class : int
        Hidden units per class; an expert whose patterns are dependent has fewer.
    cap : bool
        Fewer units for a class with fewer samples, instead of an error.
    init : {"hopfield", "hebbian", "pca", "normal", "axes"}
        The start: the projection rule or the Hebbian rule of the patterns of the class, its principal axes, or random
        weights of standard deviation ``deviation``.
    beta : float
        Inverse temperature.
    learning_rate : float or sequence of (float, int)
        Of contrastive divergence; pairs of a rate and the epoch from which it holds.
    batch_size, gibbs_steps, estimator, persistent, fields, shuffle, impute_sweeps
        As for :class:`Training`.
    random_state : int, numpy.random.Generator or None
        An integer is the seed of the program; each expert has its own random numbers, a function of it.
    checkpoint : path, optional
        A file of :meth:`save`, by experts of the same data and options, to go on from.
    """

    __slots__ = ("_handle", "_classes")
    _handle: _core.Experts
    _classes: tuple[str, ...]

    def __init__(self, data: Dataset, *, joint: bool = False, per_class: int = 10, cap: bool = False,
                 init: str = "hopfield", deviation: float = 0.1, beta: float = 2.0, learning_rate: Any = 1e-4,
                 batch_size: int = 100, gibbs_steps: int = 20, estimator: str = "sampled", persistent: bool = False,
                 fields: bool = False, shuffle: bool = True, impute_sweeps: int = 20, random_state: Any = None,
                 checkpoint: str | os.PathLike[str] | None = None, progress: Progress = None) -> None:
        options = {"joint": joint, "per_class": per_class, "cap": cap, "init": init, "deviation": deviation,
                   "beta": beta, "batch_size": batch_size, "gibbs_steps": gibbs_steps, "estimator": estimator,
                   "persistent": persistent, "fields": fields, "shuffle": shuffle, "impute_sweeps": impute_sweeps,
                   "seed": as_seed(random_state)}
        samples = _labelled(data)
        rates = as_rates(learning_rate)
        with reporting(progress, "clustering") as report:
            self._handle = _core.Experts.create(samples._handle, options, rates, checkpoint, report)
        self._classes = tuple(samples.classes)

    def train(self, epochs: int = 1, *, progress: Progress = None) -> Experts:
        """So many more passes of every expert over its class; what was interrupted is finished first."""
        info = self._handle.describe()
        epochs = as_whole(epochs, "epochs")
        first, until, n_experts = info["epochs"], info["epochs"] + epochs, info["n_experts"]
        with reporting(progress, "training") as report:
            while info["epochs"] < until:
                part = _Part(report, (info["epochs"] - first) * n_experts + info["next"], epochs * n_experts)
                self._handle.step(part if report else None)
                if part.is_refused:
                    raise _core.CancelledError("cancelled")
                info = self._handle.describe()
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a checkpoint: ``Experts(data, ..., checkpoint=path)`` goes on as if it had never stopped."""
        self._handle.save(path)

    @property
    def rbms(self) -> list[SpinGaussianRBM]:
        """The experts as they are now, in the order of :attr:`classes`; copies."""
        from .rbm import SpinGaussianRBM

        return [SpinGaussianRBM._wrap(self._handle.rbm(k)) for k in range(len(self))]

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return list(self._classes)

    @property
    def epochs(self) -> int:
        """Finished by all."""
        return int(self._handle.describe()["epochs"])

    @property
    def n_hidden(self) -> int:
        """Hidden units of all together."""
        return int(self._handle.describe()["n_hidden"])

    def __len__(self) -> int:
        return int(self._handle.describe()["n_experts"])

    def __repr__(self) -> str:
        info = self._handle.describe()
        return (f"Experts(n_experts={info['n_experts']}, n_visible={info['n_visible']}, "
                f"n_hidden={info['n_hidden']}, epochs={info['epochs']})")


class Classifier:
    """Multinomial logistic regression on features that one or more RBMs compute from a sample.

    Made by :meth:`fit`, :meth:`from_labels` or :meth:`load`, which opens the ``classifier.npz`` of
    ``isinglass classify -o RUN``, too. :class:`HopfieldClassifier` does all of it, in the way of scikit-learn.
    """

    __slots__ = ("_handle", "report")
    _handle: _core.Classifier

    #: How the regression went: method, converged, iterations, gradient, loss, penalty and reason; None if unknown.
    report: dict[str, Any] | None

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("Classifier: use Classifier.fit(), Classifier.from_labels() or Classifier.load()")

    @classmethod
    def _wrap(cls, handle: _core.Classifier, report: dict[str, Any] | None = None) -> Classifier:
        self = cls.__new__(cls)
        self._handle = handle
        self.report = report
        return self

    @classmethod
    def fit(cls, rbms: Iterable[SpinGaussianRBM] | Experts, data: Dataset, *, features: str = "energy",
            l2: float = 1e-3, balanced: bool = False, standardize: bool = True, method: str = "auto",
            tolerance: float = 1e-10, max_iterations: int = 5000, progress: Progress = None) -> Classifier:
        """Fits the classes of the data.

        Parameters
        ----------
        rbms : Experts, or SpinGaussianRBMs
            Copied.
        data : Dataset
            With labels.
        features : {"energy", "hidden", "squares"}
            One per RBM, -2 H(s) = |W^T s + c|^2 - |c|^2 + 2 b.s; or one per hidden unit, W^T s + c or its square.
        l2 : float
            ``l2 / 2 |coefficients|^2`` is added to the sum of the losses: 1 / C of scikit-learn. Intercepts are free.
        balanced : bool
            All classes weigh the same.
        standardize : bool
            Features get mean 0 and variance 1 first.
        method : {"auto", "newton", "lbfgs"}
        tolerance : float
            For the largest entry of the gradient of the mean loss.
        max_iterations : int

        Returns
        -------
        Classifier
            Its ``report`` says whether the fit converged.
        """
        from .rbm import SpinGaussianRBM

        handles: list[_core.RBM] = []
        for rbm in rbms.rbms if isinstance(rbms, Experts) else rbms:
            if not isinstance(rbm, SpinGaussianRBM):
                raise TypeError(f"rbms: expected SpinGaussianRBMs, found {type(rbm).__name__}")
            handles.append(rbm._handle)
        options = {"l2": l2, "balanced": balanced, "standardize": standardize, "method": method,
                   "tolerance": tolerance, "max_iterations": max_iterations}
        samples = _labelled(data)
        with reporting(progress, "fitting") as report:
            return cls._wrap(*_core.Classifier.fit(handles, features, samples._handle, options, report))

    @classmethod
    def from_labels(cls, rbm: SpinGaussianRBM, data: Dataset) -> Classifier:
        """The classifier that equals an RBM over spins and labels, such as that of ``Experts(data, joint=True)``.

        p(class | s) is known in closed form. Of the data only the names of the classes and of the units matter.
        """
        return cls._wrap(_core.Classifier.from_labels(rbm._handle, _labelled(data)._handle))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Classifier:
        """From a file of :meth:`save` or of the program."""
        return cls._wrap(_core.Classifier.load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the .npz file that the program reads with ``--model``; ``numpy.load`` opens it."""
        self._handle.save(path)

    # ---- predicting

    def _samples(self, X: Samples) -> Dataset:
        from .dataset import as_dataset

        return as_dataset(X, "X", self.encoding)

    def predict(self, X: Samples) -> npt.NDArray[np.str_]:
        """The most probable class of every sample, by name; the first of equals."""
        return np.array(self.classes)[self._indices(self._samples(X))]

    def predict_proba(self, X: Samples, *, progress: Progress = False) -> Floats:
        """The probability of every class: (n_samples, n_classes), in the order of :attr:`classes`."""
        samples = self._samples(X)
        out = np.empty((len(samples), len(self.classes)))
        with reporting(progress, "classifying") as report:
            self._handle.predict(samples._handle, None, out, report)
        return out

    def decision_function(self, X: Samples, *, progress: Progress = False) -> Floats:
        """The exponents of :meth:`predict_proba` before they are normalized: (n_samples, n_classes)."""
        samples = self._samples(X)
        out = np.empty((len(samples), len(self.classes)))
        with reporting(progress, "classifying") as report:
            self._handle.decisions(samples._handle, out, report)
        return out

    def score(self, data: Dataset) -> float:
        """The share of the samples with a label that is classified correctly; NaN without any."""
        is_right, _ = self._answers(data)
        return float(np.mean(is_right)) if len(is_right) else math.nan

    def _answers(self, data: Dataset) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint32]]:
        """Of the samples with a label: whether they are classified correctly, and the number of their class."""
        from .dataset import check_units

        samples = _labelled(data)
        check_units(samples, "data", self.encoding)
        truth = np.empty(len(samples), np.uint32)
        self._handle.truth(samples._handle, truth)
        known = truth < len(self.classes)
        return self._indices(samples)[known] == truth[known], truth[known]

    def _error(self, data: Dataset, balanced: bool) -> float:
        """The share misclassified; ``balanced``: the mean of the shares of the classes."""
        is_right, truth = self._answers(data)
        if not balanced:
            return float(np.mean(~is_right))
        return float(np.mean([np.mean(~is_right[truth == k]) for k in np.unique(truth)]))

    def _indices(self, samples: Dataset) -> npt.NDArray[np.uint32]:
        out = np.empty(len(samples), np.uint32)
        self._handle.predict(samples._handle, out)
        return out

    # ---- looking

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return self._handle.class_names()

    @property
    def features(self) -> str:
        """What the regression sees: ``"energy"`` of every RBM, all ``"hidden"`` units, or their ``"squares"``."""
        return str(self._handle.describe()["features"])

    @property
    def tuning(self) -> dict[str, Any] | None:
        """How it was fine-tuned: the options of :class:`FineTuning`, and ``epochs_done``; None if it was not."""
        found = self._handle.tuned()
        return None if found is None else {"epochs_done": self._handle.describe()["tuned_epochs"], **found}

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
        """The numbers it is made of, as in its file; copies.

        ``decision_function`` is ``intercepts + coefficients @ ((features - means) / scales)`` for every sample, where
        features are sums of weights that are rounded to fixed point, and so good to about 7 digits. The columns of
        ``W`` are those of all RBMs side by side, ``hidden`` of each.
        """
        with np.load(io.BytesIO(self._handle.to_bytes())) as found:
            return {name: found[name] for name in found.files if not name.endswith(".json")}

    @property
    def coefficients(self) -> Floats:
        """Of the standardized features: (n_classes, n_features)."""
        return self.arrays()["coefficients"]

    @property
    def intercepts(self) -> Floats:
        """(n_classes), which sum to zero if they were fitted."""
        return self.arrays()["intercepts"]

    @property
    def rbms(self) -> list[SpinGaussianRBM]:
        """The RBMs whose features it sees; copies, which know nothing of the patterns they started from."""
        from .rbm import SpinGaussianRBM

        return [SpinGaussianRBM._wrap(self._handle.rbm(k)) for k in range(self._handle.describe()["n_rbms"])]

    def __repr__(self) -> str:
        info = self._handle.describe()
        return (f"Classifier(n_classes={info['n_classes']}, n_visible={info['n_visible']}, n_rbms={info['n_rbms']}, "
                f"n_hidden={info['n_hidden']}, features={info['features']!r})")

    def _repr_html_(self) -> str:
        info = self._handle.describe()
        rows = [("classes", ", ".join(self.classes[:20]) + (", ..." if info["n_classes"] > 20 else "")),
                ("units", info["n_visible"]), ("RBMs", info["n_rbms"]), ("hidden units", info["n_hidden"]),
                ("features", info["features"])]
        reason = "" if self.report is None or self.report["converged"] else self.report["reason"]
        return _show.html_table("Classifier", rows, f"The regression did not converge: {reason}." if reason else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return _classifier_from_bytes, (self._handle.to_bytes(), self.report)


def _classifier_from_bytes(content: bytes, report: dict[str, Any] | None) -> Classifier:
    return Classifier._wrap(_core.Classifier.from_bytes(content), report)


def _labelled(data: Any) -> Dataset:
    from .dataset import Dataset

    if not isinstance(data, Dataset):
        raise TypeError(f"data: expected a Dataset with labels, found {type(data).__name__}; "
                        "isinglass.Dataset.from_array(X, y) makes one")
    return data


class _Part:
    """The progress of one step among others. A step that is just done is not cancelled, but what follows is."""

    def __init__(self, report: Callable[[float], Any] | None, done: int, all_parts: int) -> None:
        self.report, self.done, self.all_parts, self.is_refused = report, done, all_parts, False

    def __call__(self, fraction: float) -> Any:
        answer = self.report((self.done + fraction) / self.all_parts) if self.report else None
        self.is_refused = answer is False
        return answer
