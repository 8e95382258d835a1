"""An associative memory as an estimator of scikit-learn.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._convert import Floats, Spins, using_threads
from ._estimator import SpinEstimator
from .hopfield import DynamicsResult, HopfieldNetwork, Rule
from .patterns import Patterns
from ._recall import Readout


class HopfieldMemory(ClassifierMixin, TransformerMixin, SpinEstimator):  # type: ignore[misc]
    """A Hopfield network that stores the patterns of classes, and recalls them.

    ``fit`` makes patterns of the classes: the sign of the mean of each, or of its clusters. ``predict`` runs the
    network from every sample at zero temperature until nothing changes, and reads the class from where that ends;
    ``transform`` gives the projections of the samples onto the patterns, ``recall`` the states where they end.

    The outcome for a sample never depends on the other samples, since units are updated all at once or in a fixed
    order. The accuracy is the ``end_accuracy`` of ``recall(patterns_, data, protocol="attractor", dynamics="sync")``;
    ``isinglass recall`` and :func:`recall` have other defaults: the paper's protocol, which stops at the first pattern
    that is near and takes samples without one to a temperature, or a random order of the units.

    Parameters
    ----------
    per_class : int
        Patterns per class; more than one are found by clustering (Ward linkage).
    cap : bool
        A class of fewer samples gets a pattern for each of them, instead of an error.
    rule : {"projection", "hebbian"}
        How the patterns are stored: see :class:`HopfieldNetwork`.
    keep_diagonal : bool
        Whether the couplings keep J_ii. Without it, synchronous dynamics may end in a cycle of two states, and
        states move further.
    dynamics : {"sync", "async"}
        All units at once, or one after another in ascending order, which favours what the first units say.
    sweeps : int
        Updates of all units, at most; 0 reads the class from the samples themselves.
    readout : {"projection", "overlap", "energy"}
        Which pattern a state represents: that with the largest projection a = (xi'xi)^-1 xi's, overlap m = xi's / N or
        part of the energy, m a for the projection rule and m^2 for the Hebbian.
    allow_rank_deficient : bool
        Accept linearly dependent patterns and store their span: see ``n_components_``. False is a DependentError.
    binarize : float, str or None
        What is +1: values above this number or, by unit, above a threshold that a rule ("mean", "median", "otsu", ...)
        learns; None if X are spins already. The program, which knows images, takes those of 8 bits at 2.55.
    n_jobs : int or None
        Threads; None for a share of all cores, -1 for all. Never changes results.
    random_state : int, NumPy generator or None
        Of :meth:`committor`; nothing else is random.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    patterns_ : Patterns
    pattern_classes_ : array of shape (n_patterns,)
        The class of each pattern, as an index into ``classes_``.
    network_ : HopfieldNetwork
    n_components_ : int
        The number of linearly independent patterns.
    encoding_ : Encoding
        How X become spins.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Only if X has names.

    Examples
    --------
    >>> X = [[5, 4, 0, 0], [6, 0, 0, 0], [7, 5, 0, 1], [0, 0, 5, 9], [0, 1, 5, 5], [0, 0, 0, 5]]
    >>> memory = HopfieldMemory().fit(X, ["left"] * 3 + ["right"] * 3)
    >>> memory.predict([[9, 9, 0, 0], [0, 0, 0, 3]])
    array(['left', 'right'], dtype='<U5')
    >>> memory.recall([[9, 0, 0, 0]])
    array([[ 1,  1, -1, -1]], dtype=int8)
    """

    classes_: npt.NDArray[Any]
    patterns_: Patterns
    pattern_classes_: npt.NDArray[np.int64]
    network_: HopfieldNetwork
    n_components_: int

    def __init__(self, *, per_class: int = 1, cap: bool = True, rule: Rule = "projection", keep_diagonal: bool = True,
                 dynamics: Literal["async", "sync"] = "sync", sweeps: int = 1000, readout: Readout = "projection",
                 allow_rank_deficient: bool = True, binarize: float | str | None = 0.0, n_jobs: int | None = None,
                 random_state: Any = None) -> None:
        self.per_class = per_class
        self.cap = cap
        self.rule = rule
        self.keep_diagonal = keep_diagonal
        self.dynamics = dynamics
        self.sweeps = sweeps
        self.readout = readout
        self.allow_rank_deficient = allow_rank_deficient
        self.binarize = binarize
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> HopfieldMemory:
        """Stores the patterns of the classes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Classes.
        """
        self._check_parameters()
        if y is not None:
            check_classification_targets(y)
        data = self._fit_dataset(X, y)
        classes = np.unique(np.asarray(y))
        names = {name: k for k, name in enumerate(self._class_names(classes))}
        with using_threads(self.n_jobs):
            patterns = Patterns.from_data(data, per_class=self.per_class, cap=self.cap, progress=False)
            network = HopfieldNetwork(patterns, rule=self.rule, keep_diagonal=self.keep_diagonal,
                                      allow_rank_deficient=self.allow_rank_deficient)
        self.classes_ = classes
        self.patterns_ = patterns
        self.pattern_classes_ = np.array([names[str(label)] for label in patterns.labels], np.int64)
        self.network_ = network
        self.n_components_ = network.rank
        return self

    def _check_parameters(self) -> None:
        for name, choices in (("dynamics", ("async", "sync")), ("readout", ("projection", "overlap", "energy"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, found {getattr(self, name)!r}")

    def _run(self, data: Any) -> DynamicsResult:
        return self.network_.run(data, dynamics=self.dynamics, fixed_order=True, sweeps=self.sweeps, progress=False)

    def _read_out(self, data: Any) -> Floats:
        """How well each pattern is represented, (n_samples, n_patterns)."""
        if self.readout == "overlap":
            return self.network_.overlaps(data)
        projections = self.network_.projections(data, progress=False)
        if self.readout == "projection":
            return projections
        overlaps = self.network_.overlaps(data)
        return overlaps * (projections if self.rule == "projection" else overlaps)

    def _scores(self, X: Any) -> Floats:
        """The best pattern of each class at the end, (n_samples, n_classes)."""
        check_is_fitted(self)
        self._check_parameters()
        data = self._dataset(X)
        with using_threads(self.n_jobs):
            found = self._read_out(self._run(data).spins if self.sweeps else data)
        scores = np.full((len(found), len(self.classes_)), -np.inf)
        for mu, k in enumerate(self.pattern_classes_):
            np.maximum(scores[:, k], found[:, mu], out=scores[:, k])
        return scores

    def decision_function(self, X: Any) -> Floats:
        """What ``readout`` finds of the best pattern of each class where a sample ends.

        Returns
        -------
        array of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, that of the second minus that of the first.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class that every sample is recalled as."""
        best = np.argmax(self._scores(X), axis=1)
        return np.asarray(self.classes_[best])

    def recall(self, X: Any) -> Spins:
        """The states where samples end, +1 and -1: (n_samples, n_features)."""
        check_is_fitted(self)
        self._check_parameters()
        data = self._dataset(X)
        with using_threads(self.n_jobs):
            return self._run(data).spins

    def transform(self, X: Any) -> Floats:
        """The projections of samples onto the patterns, a = (xi'xi)^-1 xi's: (n_samples, n_patterns).

        A sample that equals a pattern has a 1 there and zeros elsewhere, however similar the patterns are.
        """
        check_is_fitted(self)
        data = self._dataset(X)
        with using_threads(self.n_jobs):
            return self.network_.projections(data, progress=False)

    def committor(self, X: Any, *, beta: float = 2.0, threshold: float = 0.9, max_updates: int = 100,
                  trajectories: int = 20) -> Floats:
        """The share of trajectories at ``beta`` that reach each pattern first, the last column for none.

        See :meth:`HopfieldNetwork.committor`. (n_samples, n_patterns + 1)
        """
        check_is_fitted(self)
        data = self._dataset(X)
        with using_threads(self.n_jobs):
            return self.network_.committor(data, dynamics="gibbs" if self.keep_diagonal else "glauber", beta=beta,
                                           threshold=threshold, max_updates=max_updates, trajectories=trajectories,
                                           random_state=self.random_state, progress=False)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """A name for each column of ``transform``: that of the class, and a number if it has several patterns."""
        check_is_fitted(self)
        prefix = type(self).__name__.lower()
        counts = np.bincount(self.pattern_classes_, minlength=len(self.classes_))
        names, seen = [], np.zeros(len(self.classes_), int)
        for k in self.pattern_classes_:
            names.append(f"{prefix}_{self.classes_[k]}" + (f"_{seen[k]}" if counts[k] > 1 else ""))
            seen[k] += 1
        return np.array(names, object)

    def _more_tags(self) -> dict[str, Any]:
        # One pattern per class tells apart few classes in two or three binary features, as in the checks.
        return {**super()._more_tags(), "poor_score": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
