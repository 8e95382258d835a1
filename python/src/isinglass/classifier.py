"""A product of experts as an estimator of scikit-learn.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._convert import Floats, as_number, as_seed, as_whole, using_threads
from ._estimator import SpinEstimator
from .classify import Classifier, Experts
from .finetuning import FineTuning, tune_with_validation

if TYPE_CHECKING:
    from .dataset import Dataset
    from .rbm import SpinGaussianRBM


class HopfieldClassifier(ClassifierMixin, SpinEstimator):  # type: ignore[misc]
    """Product of experts: one RBM for every class, and a logistic regression on their energies.

    Each class gets an RBM of ``per_class`` hidden units, which starts from the patterns of the class (the Hopfield
    network of its Ward clusters) and may be trained on the samples of that class alone. The features of a sample s
    are ``|W^T s|^2`` of every expert, -2 times its energy. With the same parameters, the predictions are those of
    ``isinglass classify TRAIN TEST``, which for images of 8 bits takes ``binarize=2.55``.

    Parameters
    ----------
    per_class : int, default=10
        Hidden units of every expert: as many as there are samples if a class has fewer, and fewer if its patterns are
        linearly dependent.
    init : {"hopfield", "hebbian", "pca", "normal", "axes"}, default="hopfield"
        Weights to start from.
    n_iter : int, default=0
        Epochs of contrastive divergence: passes of every expert over its class.
    learning_rate : float or sequence of (float, int), default=1e-4
        Pairs are a rate and the epoch from which it holds.
    batch_size : int, default=100
        Samples per update.
    gibbs_steps : int, default=20
        Sweeps per update, the k of CD-k.
    beta : float, default=2.0
        Inverse temperature of training.
    features : {"auto", "energy", "hidden", "squares", "labels"}, default="auto"
        What the regression sees: an energy per expert, all hidden units of all experts, or their squares. "auto" is
        "energy", as in the program, unless two classes have the same energy everywhere, because their patterns are the
        same up to the sign, as can happen with very few features; it is "hidden" then. With "labels" there is a single
        RBM over the spins and one more unit per class, and no regression: p(class | s) is in closed form.
    l2 : float, default=1e-3
        ``l2 / 2 |coef|^2`` is added to the sum of the losses, on standardized features: 1 / C of LogisticRegression.
    balanced : bool, default=False
        All classes weigh the same in the regression, as with ``class_weight="balanced"``.
    fields : bool, default=False
        Train the fields b and c, too.
    persistent : bool, default=False
        Persistent chains (PCD).
    shuffle : bool, default=True
        Visit the samples in a new order every epoch.
    estimator : {"sampled", "mean"}, default="sampled"
        What the spins after the last sweep are paired with: the hidden units they were drawn from, or the mean ones.
    deviation : float, default=0.1
        Standard deviation of the weights of ``init="normal"``.
    finetune : bool, default=False
        Then train all weights and the regression together, by backpropagation: see :class:`FineTuning`.
    tune_epochs : int, default=12
        Passes over all samples with ``finetune``, over which the rates fall to zero.
    tune_rate : float, default=1e-3
        Learning rate of the weights with ``finetune``, at first.
    logits_rate : float, default=1e-2
        Learning rate of the coefficients and intercepts with ``finetune``, at first.
    shift : int, default=0
        With ``finetune``, images of ``image_shape`` are moved by up to so many pixels, anew every time.
    image_shape : (height, width) or None, default=None
        Of the samples, if they are images.
    validation_fraction : float, default=0.0
        With ``finetune``, hold out this share of every class, and keep the epoch that classifies it best.
    patience : int, default=0
        End the fine-tuning once so many epochs brought no better one; 0: never.
    binarize : float, str or None, default=0.0
        Values above this are +1, others -1; a rule such as ``"mean"`` learns a threshold per feature; None: X are
        spins already.
    random_state : int, numpy generator or None, default=None
        Without training and with ``init="hopfield"`` nothing is random. An integer is the program's ``--seed``.
    n_jobs : int or None, default=None
        Threads; never changes results.
    verbose : int, default=0
        Whether to show progress.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    experts_ : list of SpinGaussianRBM
        In the order of ``classes_``; with ``features="labels"`` the single RBM.
    classifier_ : Classifier
        What the library made; ``save`` writes it for ``isinglass classify --model``.
    coef_ : array of shape (n_classes, n_experts or n_hidden)
        Of the standardized features, in the order of ``experts_``; after fine-tuning, of features divided by
        ``n_features_in_`` (hidden units: by its root).
    intercept_ : array of shape (n_classes,)
    report_ : dict or None
        Whether the regression, from which fine-tuning starts, converged, and its loss.
    tuning_ : dict or None
        How the classifier was fine-tuned.
    best_epoch_ : int or None
        The epoch of fine-tuning that was kept.
    validation_errors_ : list of float
        From the start on, one per epoch of fine-tuning; empty without ``validation_fraction``.
    n_iter_ : int
        Epochs that every expert was trained for.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        If X had names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> X, y = load_digits(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    >>> model = HopfieldClassifier(per_class=5, binarize=7.5).fit(X, y)
    >>> model.score(X_test, y_test) > 0.9
    True
    """

    classifier_: Classifier
    best_epoch_: int | None
    validation_errors_: list[float]

    def __init__(self, *, per_class: int = 10, init: str = "hopfield", n_iter: int = 0, learning_rate: Any = 1e-4,
                 batch_size: int = 100, gibbs_steps: int = 20, beta: float = 2.0, features: str = "auto",
                 l2: float = 1e-3, balanced: bool = False, fields: bool = False, persistent: bool = False,
                 shuffle: bool = True, estimator: str = "sampled", deviation: float = 0.1,
                 finetune: bool = False, tune_epochs: int = 12, tune_rate: float = 1e-3, logits_rate: float = 1e-2,
                 shift: int = 0, image_shape: tuple[int, int] | None = None, validation_fraction: float = 0.0,
                 patience: int = 0, binarize: float | str | None = 0.0, random_state: Any = None,
                 n_jobs: int | None = None, verbose: int = 0) -> None:
        self.per_class = per_class
        self.init = init
        self.n_iter = n_iter
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.gibbs_steps = gibbs_steps
        self.beta = beta
        self.features = features
        self.l2 = l2
        self.balanced = balanced
        self.fields = fields
        self.persistent = persistent
        self.shuffle = shuffle
        self.estimator = estimator
        self.deviation = deviation
        self.finetune = finetune
        self.tune_epochs = tune_epochs
        self.tune_rate = tune_rate
        self.logits_rate = logits_rate
        self.shift = shift
        self.image_shape = image_shape
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.binarize = binarize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> HopfieldClassifier:
        """Makes the experts, trains them for ``n_iter`` epochs and fits the regression."""
        if self.features not in ("auto", "energy", "hidden", "squares", "labels"):
            raise ValueError("features: expected one of auto, energy, hidden, squares, labels, "
                             f"found {self.features!r}")
        if not hasattr(self.n_iter, "__index__") or self.n_iter < 0:
            raise ValueError(f"n_iter: expected a whole number of epochs from 0 on, found {self.n_iter!r}")
        self._check_tuning()
        if y is None:
            raise ValueError("HopfieldClassifier requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        data = self._fit_dataset(X, y)
        self.classes_, places = np.unique(y, return_index=True)
        if len(self.classes_) < 2:
            raise ValueError("HopfieldClassifier needs samples of at least 2 classes in the data, but they contain "
                             f"only one class: {self.classes_[0]!r}")
        assert data.labels is not None
        with using_threads(self.n_jobs):
            self._fit_experts(data, data.labels[places])
        return self

    def _check_tuning(self) -> None:
        """What the library is not asked about."""
        if not self.finetune:
            return
        if self.features == "labels":
            raise ValueError('finetune: expected features other than "labels", which are no experts')
        for name, least in (("patience", 0), ("tune_epochs", 1), ("batch_size", 1), ("shift", 0)):
            as_whole(getattr(self, name), name, least)
        for name in ("tune_rate", "logits_rate"):
            as_number(getattr(self, name), name, is_positive=True)
        if not 0 <= as_number(self.validation_fraction, "validation_fraction") <= 0.5:
            raise ValueError(f"validation_fraction: expected a share from 0 to 0.5, found {self.validation_fraction!r}")
        if self.patience and not self.validation_fraction:
            raise ValueError("patience: needs a validation_fraction, whose errors tell when to stop")
        if self.shift and self.image_shape is None:
            raise ValueError(f"shift: moving images by {self.shift!r} pixels needs image_shape=(height, width)")

    def _tune(self, data: Dataset, held_out: Dataset | None, seed: int, progress: bool) -> None:
        """Replaces the classifier by a fine-tuned one."""
        tuning = FineTuning(self.classifier_, data, epochs=self.tune_epochs, batch_size=self.batch_size,
                            learning_rate=self.tune_rate, logits_rate=self.logits_rate, shift=self.shift,
                            balanced=self.balanced, random_state=seed)
        report = self.classifier_.report
        self.classifier_, self.best_epoch_, self.validation_errors_ = tune_with_validation(
            tuning, held_out, self.patience, self.balanced, progress)
        self.classifier_.report = report

    def _fit_experts(self, data: Dataset, order: npt.NDArray[np.int64]) -> None:
        """``order``: for every class its number in the library, which sorts numbers as numbers, also as texts."""
        if not np.array_equal(np.sort(order), np.arange(len(data.classes))):
            raise ValueError(f"y: expected classes whose names differ, also as numbers, and none that means a missing "
                             f"label, found {self.classes_.tolist()}")
        is_joint = self.features == "labels"
        progress = bool(self.verbose)
        seed = as_seed(self.random_state)
        held_out = None
        if self.finetune and self.validation_fraction > 0:
            data, held_out = data.split(1 - self.validation_fraction, seed)
        experts = Experts(data, joint=is_joint, per_class=self.per_class, cap=True, init=self.init,
                          deviation=self.deviation, beta=self.beta, learning_rate=self.learning_rate,
                          batch_size=self.batch_size, gibbs_steps=self.gibbs_steps, estimator=self.estimator,
                          persistent=self.persistent, fields=self.fields, shuffle=self.shuffle,
                          random_state=seed, progress=progress)
        experts.train(self.n_iter, progress=progress)
        rbms = experts.rbms
        if is_joint:
            self.classifier_ = Classifier.from_labels(rbms[0], data)
        else:
            features = self.features if self.features != "auto" else "hidden" if _has_twins(rbms) else "energy"
            self.classifier_ = Classifier.fit(rbms, data, features=features, l2=self.l2, balanced=self.balanced,
                                              progress=progress)
        self.best_epoch_, self.validation_errors_ = None, []
        if self.finetune:
            self._tune(data, held_out, seed, progress)
            rbms = self.classifier_.rbms
        self.tuning_ = self.classifier_.tuning
        self.experts_ = rbms if is_joint else [rbms[k] for k in order]
        self.report_ = self.classifier_.report
        self.n_iter_ = experts.epochs
        self._order = order
        arrays = self.classifier_.arrays()
        self.coef_ = arrays["coefficients"][order]
        if not is_joint:
            self.coef_ = self.coef_[:, _columns(arrays["hidden"], order, self.classifier_.features)]
        self.intercept_ = arrays["intercepts"][order]
        if self.report_ is not None and not self.report_["converged"]:
            warnings.warn(f"The regression did not converge: {self.report_['reason']}.", ConvergenceWarning,
                          stacklevel=4)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of every sample."""
        place = np.empty_like(self._checked()._order)
        with using_threads(self.n_jobs):
            found = self.classifier_._indices(self._dataset(X))
        place[self._order] = np.arange(len(place))
        answer: npt.NDArray[Any] = self.classes_[place[found]]
        return answer

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class of ``classes_``: (n_samples, n_classes)."""
        order = self._checked()._order
        with using_threads(self.n_jobs):
            found = self.classifier_.predict_proba(self._dataset(X), progress=bool(self.verbose))
        return found[:, order]

    def predict_log_proba(self, X: Any) -> Floats:
        """Its logarithm, exact where a probability is too small for a number."""
        exponents = self._exponents(X)
        exponents -= exponents.max(axis=1, keepdims=True)
        result: Floats = exponents - np.log(np.exp(exponents).sum(axis=1, keepdims=True))
        return result

    def decision_function(self, X: Any) -> Floats:
        """The exponents of the probabilities (n_samples, n_classes); of two classes their difference (n_samples,)."""
        exponents = self._exponents(X)
        return exponents[:, 1] - exponents[:, 0] if len(self.classes_) == 2 else exponents

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the classifier for ``isinglass classify --model`` and :meth:`Classifier.load`."""
        self._checked().classifier_.save(path)

    def _exponents(self, X: Any) -> Floats:
        order = self._checked()._order
        with using_threads(self.n_jobs):
            found = self.classifier_.decision_function(self._dataset(X), progress=bool(self.verbose))
        return found[:, order]

    def _checked(self) -> HopfieldClassifier:
        check_is_fitted(self)
        return self

    def _more_tags(self) -> dict[str, Any]:
        # Energies of experts without fields are the same for s and -s, and what is left of two features after the
        # threshold cannot tell the blobs of scikit-learn's checks apart.
        return {"poor_score": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def _has_twins(rbms: list[SpinGaussianRBM]) -> bool:
    """Whether two RBMs have the same energy everywhere: at two random points is enough, since it is a polynomial."""
    points = np.random.default_rng(0).standard_normal((2, rbms[0].weights.shape[0]))
    energies = np.array([[np.sum((x @ rbm.weights + rbm.hidden_field) ** 2) - np.sum(rbm.hidden_field ** 2)
                          + 2 * x @ rbm.visible_field for x in points] for rbm in rbms])
    sorted_by_first = energies[np.argsort(energies[:, 0])]
    step = np.abs(np.diff(sorted_by_first, axis=0))
    return bool(np.any(np.all(step <= 1e-9 * np.abs(sorted_by_first[1:]) + 1e-12, axis=1)))


def _columns(hidden: npt.NDArray[Any], order: npt.NDArray[np.int64], features: str) -> npt.NDArray[np.int64]:
    """The columns of the coefficients in the order of the classes."""
    if features == "energy":
        return order
    ends = np.cumsum(hidden)
    return np.concatenate([np.arange(ends[k] - hidden[k], ends[k]) for k in order])
