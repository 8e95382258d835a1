"""An RBM that starts from a Hopfield network, as an estimator of scikit-learn.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import hashlib
import numbers
import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, check_is_fitted

from ._convert import Floats, Spins, as_doubles, as_seed, using_threads
from ._estimator import SpinEstimator
from ._run_record import Rate, as_rates
from .dataset import Dataset
from .log_z import LogZ
from .patterns import Patterns
from .rbm import Method, SpinGaussianRBM, Start
from .training import Epoch, Training, _as_epochs

_FEATURES = ("hidden", "squares", "both")
_STARTS = ("hopfield", "hebbian", "pca", "normal", "axes")


class HopfieldRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SpinEstimator):  # type: ignore[misc]
    """Restricted Boltzmann machine of spins and Gaussian hidden units, trained from a Hopfield network.

    Training starts from the RBM that equals the Hopfield network of the class patterns, and continues by contrastive
    divergence. The defaults are those of ``isinglass train``: the same data and ``random_state=N`` give the same
    weights, bit for bit, as the program with ``--seed N``.

    Parameters
    ----------
    n_components : int, optional
        Hidden units. None: one for each class of y, or one if there is no y. With ``init`` "hopfield" or "hebbian", a
        multiple of the number of classes, which each get as many patterns, by Ward clustering; if it is smaller than
        the number of classes, the patterns are those of clusters of all samples, whatever their class.
    init : {"hopfield", "hebbian", "pca", "normal", "axes"} or SpinGaussianRBM
        Weights to start from: the projection rule of the patterns, the Hebbian rule, principal axes, random numbers,
        or a model, which is not changed and keeps its own ``beta``.
    learning_rate : float or list of (rate, from_epoch)
        Step size; a schedule begins with epoch 0, as in ``[(5e-4, 0), (1e-4, 25)]``.
    batch_size, n_iter : int
        Samples per update, and passes over the data.
    beta : float
        Inverse temperature.
    gibbs_steps : int
        Sweeps per update: the K of CD-K.
    persistent : bool
        Chains continue from update to update (PCD) instead of starting from the data.
    fields : bool
        Train the fields b and c, too.
    estimator : {"sampled", "mean"}
        What the spins after the last sweep are paired with: the hidden units they were drawn from, or their mean.
    shuffle : bool
        Visit the samples in a new order in every epoch.
    constraint : {"none", "stiefel", "span"}
        What the weights keep to, so that the model stays a Hopfield network: orthonormal columns, or the span of the
        patterns of the start.
    learn_beta : bool
        Train beta, too.
    deviation : float
        Standard deviation of the weights of ``init="normal"``.
    features : {"hidden", "squares", "both"}
        What ``transform`` gives: the hidden units h = W's + c; their squares, the terms that the energy is made of,
        which a linear model behind it needs to tell apart more than half-spaces; or first one and then the other.
    binarize : float, str or None
        What is +1: values above this number; or by a rule whose thresholds are learned, such as "mean", "median" or
        "otsu"; None if X are spins already. The program, which knows images, takes those of 8 bits at 2.55.
    log_z : {"auto", "exact", "wells", "population", "ais", "mixture"}
        How ``log_z_`` is computed.
    verbose : int
        Whether to print a line for each epoch.
    random_state : int, NumPy generator or None
        A number makes results reproducible, on any number of threads.
    n_jobs : int, optional
        Threads; None: a share of all cores.

    Attributes
    ----------
    rbm_ : SpinGaussianRBM
        The model.
    patterns_ : Patterns or None
        What the network stored that training started from.
    components_ : array of shape (n_components_, n_features)
        W', the model's own memory.
    n_components_, n_iter_ : int
        Hidden units, and epochs done.
    history_ : list of Epoch
        What is known of the start and of every epoch since ``fit``.
    log_z_ : LogZ
        ln Z, computed when first used, and again after the weights, the fields, beta or ``log_z`` have changed.
    n_features_in_, feature_names_in_, encoding_
        As in scikit-learn, and how X became spins.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> prototypes = rng.random((2, 30)) < 0.5
    >>> y = np.arange(200) % 2
    >>> X = prototypes[y] ^ (rng.random((200, 30)) < 0.1)
    >>> model = HopfieldRBM(random_state=0).fit(X, y)
    >>> model.transform(X).shape
    (200, 2)
    >>> bool(model.score(X) > model.score(rng.random((200, 30)) < 0.5))
    True
    """

    n_iter_: int
    _seed: int
    _log_z_of: tuple[str, float, bytes]

    def __init__(self, n_components: int | None = None, *, init: Start | SpinGaussianRBM = "hopfield",
                 learning_rate: Rate = 1e-4, batch_size: int = 100, n_iter: int = 10, beta: float = 2.0,
                 gibbs_steps: int = 20, persistent: bool = False, fields: bool = False, estimator: str = "sampled",
                 shuffle: bool = False, constraint: str = "none", learn_beta: bool = False, deviation: float = 0.1,
                 features: str = "hidden", binarize: float | str | None = 0.0, log_z: Method = "auto",
                 verbose: int = 0, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.n_components = n_components
        self.init = init
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.beta = beta
        self.gibbs_steps = gibbs_steps
        self.persistent = persistent
        self.fields = fields
        self.estimator = estimator
        self.shuffle = shuffle
        self.constraint = constraint
        self.learn_beta = learn_beta
        self.deviation = deviation
        self.features = features
        self.binarize = binarize
        self.log_z = log_z
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- fitting -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> HopfieldRBM:
        """Trains on X, from the patterns of the classes of y.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,), optional
            Classes, one for every sample; without y, or if it is continuous, all samples form one class.
        """
        epochs = _as_epochs(self.n_iter, "n_iter")
        self._check_features()
        data = self._fit_classes(X, self._classes_of(X, y))
        return self._train(data, None, as_seed(self.random_state), as_rates(self.learning_rate), epochs)

    def partial_fit(self, X: Any, y: Any = None) -> HopfieldRBM:
        """One pass over X from the weights as they are; the first call starts as :meth:`fit` does.

        Persistent chains start anew with every call.
        """
        rates = as_rates(self.learning_rate)
        if not hasattr(self, "rbm_"):
            data = self._fit_classes(X, self._classes_of(X, y))
            return self._train(data, None, as_seed(self.random_state), rates[:1], 1)
        done = self.n_iter_
        # Random numbers have their names from the seed and the update, which counts from zero in every call.
        seed = int(np.random.SeedSequence([self._seed, done]).generate_state(1, np.uint64)[0])
        now = [rate for rate, from_epoch in rates if from_epoch <= done][-1]
        return self._train(self._dataset(X), self.rbm_, seed, [(now, 0)], 1)

    def _fit_classes(self, X: Any, y: Any) -> Dataset:
        data = self._fit_dataset(X, y)
        if y is not None:
            self._class_names(np.unique(np.asarray(y)))  # one of them may mean that there is no label
        return data

    def _classes_of(self, X: Any, y: Any) -> Any:
        """y if it names classes that get patterns each."""
        kind = "continuous" if y is None else type_of_target(y)
        if kind == "continuous":
            return None
        if kind not in ("binary", "multiclass"):
            self._validated(X, None, True)  # what is wrong with X is said first
            raise ValueError(f"y: Unknown label type: {kind!r}; expected a class for every sample, all numbers or all "
                             "texts, without None or NaN")
        is_too_few = isinstance(self.n_components, numbers.Integral) and self.n_components < len(np.unique(y))
        return None if is_too_few and self.init in ("hopfield", "hebbian") else y

    def _train(self, data: Dataset, rbm: SpinGaussianRBM | None, seed: int, rates: Rate,
               epochs: int) -> HopfieldRBM:
        """What fit() has learned is set at the end, so that Ctrl-C leaves the estimator as it was."""
        is_new = rbm is None
        with using_threads(self.n_jobs):
            start = self._start(data, seed) if rbm is None else rbm
            training = Training(start, data, epochs=epochs, batch_size=self.batch_size, gibbs_steps=self.gibbs_steps,
                                learning_rate=rates, estimator=self.estimator, persistent=self.persistent,
                                fields=self.fields, shuffle=self.shuffle, constraint=self.constraint,
                                learn_beta=self.learn_beta, random_state=seed, progress=False)
            began_s = time.monotonic()
            for epoch in training:
                if self.verbose:
                    print(f"[HopfieldRBM] Iteration {epoch.epoch + (0 if is_new else self.n_iter_)}, reconstruction "
                          f"error = {epoch.reconstruction_error:.4f}, time = {time.monotonic() - began_s:.2f}s")
            training.warn_if_running_away()
        if is_new:
            self._seed = seed
            self.n_iter_ = 0
            self.history_: list[Epoch] = []
        self.rbm_: SpinGaussianRBM = training.rbm.copy()
        self.patterns_: Patterns | None = self.rbm_.patterns
        self.n_iter_ += epochs
        self.history_ = [*self.history_, *training.epochs[0 if is_new else 1:]]
        self._log_z: LogZ | None = None
        return self

    def _start(self, data: Dataset, seed: int) -> SpinGaussianRBM:
        count: Any = self.n_components
        if count is not None and (isinstance(count, bool) or not isinstance(count, numbers.Integral) or count < 1):
            raise ValueError(f"n_components: expected a whole number from 1 on or None, found {count!r}")
        if isinstance(self.init, SpinGaussianRBM):
            if self.init.n_visible != data.n_visible:
                raise ValueError(f"init: has {self.init.n_visible} visible units, but X has {data.n_visible} features")
            if count is not None and count != self.init.n_hidden:
                raise ValueError(f"n_components: {count}, but init has {self.init.n_hidden} hidden units")
            return self.init
        if not isinstance(self.init, str) or self.init not in _STARTS:
            raise ValueError(f"init: expected one of {', '.join(_STARTS)} or a SpinGaussianRBM, found {self.init!r}")
        n_classes = max(1, len(data.classes))
        if self.init in ("pca", "normal", "axes"):
            n_hidden = n_classes if count is None else int(count)
            return SpinGaussianRBM.start(data, kind=self.init, n_hidden=n_hidden, beta=self.beta,
                                         deviation=self.deviation, random_state=seed, progress=False)
        if count is not None and count % n_classes:
            raise ValueError(f"n_components: expected a multiple of the number of classes, {n_classes}, found {count}")
        per_class = 1 if count is None else int(count) // n_classes
        start = SpinGaussianRBM.start(data, kind=self.init, per_class=per_class, beta=self.beta, cap=True,
                                      allow_rank_deficient=True, progress=False)
        self._warn_of_fewer(start, per_class * n_classes)
        return start

    @staticmethod
    def _warn_of_fewer(start: SpinGaussianRBM, expected: int) -> None:
        stored = start.patterns
        found = expected if stored is None else len(stored)
        if found < expected:
            warnings.warn(f"n_components: a class has fewer samples than patterns were asked for, and gets one for "
                          f"each of them: {found} patterns instead of {expected}", UserWarning, stacklevel=5)
        if start.n_hidden < found:
            reason = "" if stored is None else stored._handle.rank()[1]
            warnings.warn(f"n_components: the patterns are linearly dependent, so there are {start.n_hidden} hidden "
                          f"units for {found} patterns{': ' if reason else ''}{reason}", UserWarning, stacklevel=5)

    # ---- using ---------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Floats:
        """The mean hidden units given X, h = W's + c (n_samples, n_components_), whose variance is 1 / beta.

        Or their squares, or both, (n_samples, 2 n_components_), as ``features`` says.
        """
        self._check_features()
        h, _ = self._hidden(X)
        if self.features == "hidden":
            return h
        return np.square(h, out=h) if self.features == "squares" else np.hstack([h, np.square(h)])

    def _check_features(self) -> None:
        if self.features not in _FEATURES:
            raise ValueError(f"features: expected one of {', '.join(_FEATURES)}, found {self.features!r}")

    def _hidden(self, X: Any) -> tuple[Floats, Floats]:
        """The same, and the energies H(s)."""
        check_is_fitted(self)
        data = self._dataset(X)
        h, energies = np.empty((data.n_samples, self.n_components_)), np.empty(data.n_samples)
        with using_threads(self.n_jobs):
            self.rbm_._handle.transform(data._handle, h, energies)
        return h, energies

    def inverse_transform(self, X: Any) -> Floats:
        """The expected spins given hidden units X, tanh(beta (W h + b)): numbers from -1 to +1.

        (1 + x) / 2 is the probability of +1. Of ``features="both"`` give the first half; squares have lost their sign.
        """
        check_is_fitted(self)
        h = as_doubles(check_array(X, dtype=np.float64))
        if h.shape[1] != self.n_components_:
            raise ValueError(f"X: expected {self.n_components_} hidden units, found {h.shape[1]}")
        out = np.empty((len(h), self.n_features_in_))
        self.rbm_._handle.visible_input(h, out)
        np.multiply(out, self.rbm_.beta, out=out)
        np.tanh(out, out=out)
        return out

    def score_samples(self, X: Any) -> Floats:
        """ln p of every sample, -beta H(s) - ln Z, in nats; a UserWarning if ln Z cannot be trusted."""
        _, energies = self._hidden(X)
        return -self.rbm_.beta * energies - self.log_z_.value

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of :meth:`score_samples`."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Spins:
        """Spins +1 and -1 from 20 sweeps of Gibbs sampling: (n_samples, n_features), int8.

        Chains start from the patterns in turn, or from random spins if there are none. At a large beta they stay near
        their start, so that they are samples of the model only as far as :meth:`Chains.measure` finds them to mix;
        ``rbm_.sample`` has other starts, more sweeps and temperatures. ``random_state=None`` gives others every time.
        """
        check_is_fitted(self)
        if isinstance(n_samples, bool) or not isinstance(n_samples, numbers.Integral) or n_samples < 1:
            raise ValueError(f"n_samples: expected a whole number from 1 on, found {n_samples!r}")
        with using_threads(self.n_jobs):
            return self.rbm_.sample(int(n_samples), random_state=random_state)

    @property
    def log_z_(self) -> LogZ:
        """ln Z of the model as it is, computed when first used; a UserWarning if it cannot be trusted."""
        check_is_fitted(self)
        state = self._model_state()
        if self._log_z is None or getattr(self, "_log_z_of", None) != state:
            with using_threads(self.n_jobs):
                self._log_z = self.rbm_.log_z(method=self.log_z, random_state=self._seed, progress=False)
            self._log_z_of = state
        if not self._log_z.is_trusted:
            warnings.warn(f"log_z: ln Z cannot be trusted: {self._log_z.reason}", UserWarning, stacklevel=3)
        return self._log_z

    def _model_state(self) -> tuple[str, float, bytes]:
        """What ln Z depends on. ``components_`` and ``rbm_`` can be written to, so that it may change at any time."""
        digest = hashlib.sha256()
        for array in (self.rbm_.weights, self.rbm_.visible_field, self.rbm_.hidden_field):
            digest.update(array.tobytes())
        return (self.log_z, self.rbm_.beta, digest.digest())

    @property
    def components_(self) -> Floats:
        """W' (n_components_, n_features), the model's own memory."""
        return self.rbm_.weights.T

    @property
    def beta_(self) -> float:
        """The inverse temperature."""
        return self.rbm_.beta

    @property
    def n_components_(self) -> int:
        """The number of hidden units."""
        return self.rbm_.n_hidden

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features: ``hopfieldrbm0`` and so on, and ``hopfieldrbm0_squared`` of a square."""
        check_is_fitted(self)
        names = [f"{type(self).__name__.lower()}{mu}" for mu in range(self.n_components_)]
        squares = [f"{name}_squared" for name in names]
        chosen = {"hidden": names, "squares": squares, "both": names + squares}[self.features]
        return np.asarray(chosen, dtype=object)

    @property
    def _n_features_out(self) -> int:
        return self.rbm_.n_hidden * (2 if self.features == "both" else 1)
