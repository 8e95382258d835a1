"""What the estimators share: from X and y, as scikit-learn's users have them, to a Dataset.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from ._convert import using_threads
from ._values import label_texts
from .dataset import Dataset, Encoding, Rule

try:  # scikit-learn 1.6 on
    from sklearn.utils.validation import validate_data
except ImportError:
    validate_data = None


class SpinEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of estimators whose X become spins by the parameter ``binarize``, with ``n_jobs`` threads.

    ``binarize`` is a number (values above it are +1), a rule such as "mean" whose thresholds ``fit`` learns, or None if
    X are spins already, +1 and -1 or 1 and 0. Unlike ``Dataset.from_array``, estimators never guess: they do not know
    images, for which the rule of the program is "value:0.01" of the full scale, 2.55 of 8-bit grey levels.
    """

    encoding_: Encoding
    n_features_in_: int

    def _rule(self) -> Rule:
        rule: Rule = self.binarize
        return rule

    def _validated(self, X: Any, y: Any, reset: bool) -> Any:
        """X as an array or sparse matrix, not copied, and y; sets or checks what scikit-learn knows of the features."""
        if isinstance(X, Dataset):
            raise TypeError("X: expected an array, a sparse matrix or a data frame, found a Dataset; X.spins and X.y "
                            "are its arrays, to go with binarize=None")
        if hasattr(X, "obs_names") and hasattr(X, "var_names"):
            raise TypeError("X: expected an array, a sparse matrix or a data frame, found an AnnData; give its X, or "
                            "to_df() for the names of the variables")
        options: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "reset": reset}
        if reset or y is not None:  # None is an error of scikit-learn's in a fit that needs y
            options["y"] = y
        return self._validate_data(X, **options) if validate_data is None else validate_data(self, X, **options)

    def _fit_dataset(self, X: Any, y: Any = None) -> Dataset:
        """The data that ``fit`` gets; sets ``n_features_in_``, ``feature_names_in_`` and ``encoding_``.

        The classes of the data are the texts of those of y: see :meth:`_class_names`.
        """
        checked = self._validated(X, y, True)
        X, y = (checked, None) if y is None else checked
        names = getattr(self, "feature_names_in_", None)
        with using_threads(self.n_jobs):
            data = self._read(X, y, names, None)
        assert data.encoding is not None
        self.encoding_ = data.encoding
        self._warn_if_constant(data, "there is nothing to learn; give another threshold or rule")
        return data

    def _dataset(self, X: Any, y: Any = None) -> Dataset:
        """Further data, by the thresholds of the fit."""
        checked = self._validated(X, y, False)
        X, y = (checked, None) if y is None else checked
        with using_threads(self.n_jobs):
            data = self._read(X, y, None, self.encoding_)
        self._warn_if_constant(data, "all samples are the same; is X on the scale of the data that fit() had?")
        return data

    def _warn_if_constant(self, data: Dataset, consequence: str) -> None:
        share = data.positive_fraction
        if share in (0.0, 1.0) and len(data) > 1 and self._rule() is not None:
            warnings.warn(f"X: every value is {'above' if share else 'at most'} its threshold by the rule "
                          f"{self.encoding_.rule}, so that all spins are {'+1' if share else '-1'} and {consequence}",
                          UserWarning, stacklevel=4)

    def _read(self, X: Any, y: Any, names: Any, like: Encoding | None) -> Dataset:
        rule = self._rule()
        shape = getattr(self, "image_shape", None)
        if rule is None:
            dense = X.toarray() if hasattr(X, "tocsr") else X
            return Dataset.from_spins(dense, y, unit_names=names, image_shape=shape)
        if like is not None:
            return Dataset.from_array(X, y, like=like, image_shape=shape, progress=False)
        return Dataset.from_array(X, y, binarize=rule, unit_names=names, image_shape=shape, progress=False)

    @staticmethod
    def _class_names(classes: npt.ArrayLike) -> list[str]:
        """What a Dataset calls each of these classes, ``numpy.unique(y)``."""
        values = np.asarray(classes)
        data = Dataset.from_spins(np.ones((len(values), 1), np.int8), values)
        names = data.y
        if names is None or None in names.tolist() or len(set(names.tolist())) < len(values):
            raise ValueError(f"y: expected classes whose names differ, also as numbers, found {values.tolist()} "
                             f"as {label_texts(values)}")
        return [str(name) for name in names]

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["2darray", "sparse"]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
