"""Values to spins, as a transformer of scikit-learn.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._convert import Floats, Spins
from ._estimator import SpinEstimator
from .dataset import Rule


class SpinBinarizer(OneToOneFeatureMixin, TransformerMixin, SpinEstimator):  # type: ignore[misc]
    """Values above a threshold become +1, others -1; the thresholds are learned by ``fit``.

    Parameters
    ----------
    rule : float or str, default="zero"
        A number t: values above t are +1. Or a rule with a threshold for each feature: "zero", "value:T", "mean",
        "median", "midpoint", "quantile:Q", "otsu" or "mixture".
    output : {"spins", "binary"}, default="spins"
        Whether -1 or 0 stands for a value that is not above its threshold.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    thresholds_ : array of shape (n_features_in_,)
    encoding_ : Encoding
        The same with the names of the features, as models have it.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X is a data frame.

    Examples
    --------
    >>> SpinBinarizer("mean").fit_transform([[1, 5], [2, 7], [6, 6]])
    array([[-1, -1],
           [-1,  1],
           [ 1, -1]], dtype=int8)
    """

    def __init__(self, rule: Rule = "zero", *, output: Literal["spins", "binary"] = "spins",
                 n_jobs: int | None = None) -> None:
        self.rule = rule
        self.output = output
        self.n_jobs = n_jobs

    def _rule(self) -> Rule:
        if self.rule is None:
            raise ValueError("rule: expected a number or a rule such as 'mean', found None")
        return self.rule

    def fit(self, X: Any, y: Any = None) -> SpinBinarizer:
        """Learns the thresholds; y is not used."""
        self._check_output()
        self._fit_dataset(X)
        return self

    def transform(self, X: Any) -> Spins:
        """The spins of X, int8; a dense array also for sparse X."""
        check_is_fitted(self)
        self._check_output()
        return self._shown(self._dataset(X).spins)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Spins:
        """The same as ``fit(X).transform(X)``, reading X once."""
        self._check_output()
        return self._shown(self._fit_dataset(X).spins)

    @property
    def thresholds_(self) -> Floats:
        """The threshold of each feature: value > threshold is +1."""
        check_is_fitted(self)
        return self.encoding_.thresholds

    def _check_output(self) -> None:
        if self.output not in ("spins", "binary"):
            raise ValueError(f"output: expected 'spins' or 'binary', found {self.output!r}")

    def _shown(self, spins: Spins) -> Spins:
        return spins if self.output == "spins" else np.maximum(spins, np.int8(0), out=spins)

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "preserves_dtype": []}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
