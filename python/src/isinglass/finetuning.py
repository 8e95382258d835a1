"""Fine-tuning: backpropagation through what RBMs compute, to tell classes apart.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._convert import Progress, as_number, as_seed, as_whole, reporting
from .classify import Classifier, _labelled, _Part

if TYPE_CHECKING:
    from .dataset import Dataset


class FineTuning:
    """Weights, coefficients and intercepts of a classifier follow the gradient of its cross entropy, by Adam.

    An expert that is trained alone learns what its class looks like; what tells it from the others is learned here.
    ``isinglass classify --finetune`` does the same. The rates fall linearly to zero over all epochs.

    Parameters
    ----------
    start : Classifier
        Where it starts; copied.
    data : Dataset
        With labels, and nothing missing.
    epochs : int, default=12
        Passes over the data in all.
    batch_size : int, default=100
        Samples per update.
    learning_rate : float, default=1e-3
        Of the weights, at first.
    logits_rate : float, default=1e-2
        Of the coefficients and intercepts, at first.
    shift : int, default=0
        Images are moved by up to so many pixels in both directions, anew every time.
    balanced : bool, default=False
        All classes weigh the same.
    random_state : int, numpy.random.Generator or None
        For the order of the samples and the shifts; an integer is the seed of the program.
    checkpoint : path, optional
        A file of :meth:`save`, of the same data and options, to go on from; ``start`` is not used then.

    Examples
    --------
    >>> import numpy as np
    >>> from isinglass import Classifier, Dataset, Experts
    >>> r = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = np.sign(r.choice([-1, 1], (2, 20))[y] + r.normal(0, 1.2, (100, 20)))
    >>> data = Dataset.from_array(X, y, binarize=0.0)
    >>> start = Classifier.fit(Experts(data, per_class=2), data)
    >>> tuned = FineTuning(start, data, batch_size=10, random_state=1).train().classifier
    >>> tuned.score(data) >= start.score(data)
    True
    """

    __slots__ = ("_epochs", "_handle")
    _handle: _core.Tuner

    def __init__(self, start: Classifier | None, data: Dataset, *, epochs: int = 12, batch_size: int = 100,
                 learning_rate: float = 1e-3, logits_rate: float = 1e-2, shift: int = 0, balanced: bool = False,
                 random_state: Any = None, checkpoint: str | os.PathLike[str] | None = None) -> None:
        options = {"epochs": as_whole(epochs, "epochs", 1), "batch_size": as_whole(batch_size, "batch_size", 1),
                   "rate": as_number(learning_rate, "learning_rate", is_positive=True),
                   "logits_rate": as_number(logits_rate, "logits_rate", is_positive=True),
                   "shift": as_whole(shift, "shift"), "balanced": balanced, "seed": as_seed(random_state)}
        samples = _labelled(data)
        if checkpoint is not None:
            self._handle = _core.Tuner.load(checkpoint, samples._handle, options)
        elif isinstance(start, Classifier):
            self._handle = _core.Tuner.create(start._handle, samples._handle, options)
        else:
            raise TypeError(f"start: expected a Classifier, found {type(start).__name__}")
        self._epochs = epochs

    def train(self, epochs: int | None = None, *, progress: Progress = None) -> FineTuning:
        """So many more passes over the data, or all that are left; what was interrupted is finished first."""
        done = self.epochs
        until = self._epochs if epochs is None else done + epochs
        if epochs is not None and (not hasattr(epochs, "__index__") or epochs < 0 or until > self._epochs):
            raise ValueError(f"epochs: expected a number from 0 to {self._epochs - done}, which are left, "
                             f"found {epochs!r}")
        with reporting(progress, "fine-tuning") as report:
            for k in range(done, until):
                part = _Part(report, k - done, until - done)
                self._handle.epoch(part if report else None)
                if part.is_refused:
                    raise _core.CancelledError("cancelled")
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a checkpoint: ``FineTuning(None, data, ..., checkpoint=path)`` goes on as if it had never stopped."""
        self._handle.save(path)

    @property
    def classifier(self) -> Classifier:
        """As it is now; a copy."""
        return Classifier._wrap(self._handle.classifier())

    @property
    def epochs(self) -> int:
        """Finished."""
        return int(self._handle.describe()["epochs"])

    @property
    def loss(self) -> float:
        """Mean cross entropy in the epoch just finished, each sample when its turn came; NaN at the start."""
        return float(self._handle.describe()["loss"])

    @property
    def error(self) -> float:
        """The share of the samples misclassified then."""
        return float(self._handle.describe()["error"])

    def __repr__(self) -> str:
        info = self._handle.describe()
        return f"FineTuning(epochs={info['epochs']} of {self._epochs}, loss={info['loss']:.4g}, " \
               f"error={info['error']:.4g})"


def tune_with_validation(tuning: FineTuning, held_out: Dataset | None, patience: int, balanced: bool,
                         progress: Progress) -> tuple[Classifier, int, list[float]]:
    """All epochs; with held-out data, the classifier of the best epoch, that epoch, and the errors from the start on.

    The first of equals is the best, as in the program, and so is the error: ``balanced`` is the mean over the classes.
    ``patience`` epochs without a better one end it, 0: never.
    """
    if held_out is None:
        return tuning.train(progress=progress).classifier, tuning._epochs, []
    best = tuning.classifier
    errors = [best._error(held_out, balanced)]
    best_epoch = 0
    while tuning.epochs < tuning._epochs and not 0 < patience <= tuning.epochs - best_epoch:
        tuning.train(1, progress=progress)
        now = tuning.classifier
        errors.append(now._error(held_out, balanced))
        if errors[-1] < errors[best_epoch]:
            best, best_epoch = now, tuning.epochs
    return best, best_epoch, errors
