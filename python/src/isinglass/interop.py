"""Data from AnnData, and results back into it as plain arrays that can be written.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._convert import Floats
from ._values import Table, as_table, label_texts
from .dataset import Dataset, Encoding, encoding_of


def _check(adata: Any) -> None:
    for part in ("X", "obs", "obs_names", "var_names", "layers", "obsm", "uns"):
        if not hasattr(adata, part):
            raise TypeError(f"adata: expected an AnnData, found {type(adata)}")


def _matrix(adata: Any, layer: str | None) -> Any:
    if layer is not None and layer not in adata.layers:
        raise KeyError(f"layer: expected one of {list(adata.layers)}, found {layer!r}")
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError("adata: has no X; name a layer")
    if type(matrix).__module__.startswith(("h5py", "anndata._core.sparse_dataset")):  # in a file that is open
        matrix = matrix.to_memory() if hasattr(matrix, "to_memory") else matrix[()]
    return matrix


def anndata_table(adata: Any, label: str | None, layer: str | None) -> tuple[Table, Any]:
    """The matrix, or a layer, with the names of its rows and columns, and a column of obs or None."""
    _check(adata)
    if label is not None and label not in adata.obs:
        raise KeyError(f"label: expected a column of obs, one of {list(adata.obs)}, found {label!r}")
    table = as_table(_matrix(adata, layer))
    table.unit_names = [str(name) for name in adata.var_names]
    table.ids = [str(name) for name in adata.obs_names]
    return table, None if label is None else adata.obs[label]


def annotate(adata: Any, model: Any = None, *, features: npt.ArrayLike | None = None, classes: Any = None,
             loadings: npt.ArrayLike | None = None, values: Mapping[str, npt.ArrayLike] | None = None,
             key: str = "isinglass", layer: str | None = None, copy: bool = False) -> Any:
    """Puts results into an AnnData, as plain arrays that ``write_h5ad`` accepts and others read.

    Parameters
    ----------
    adata : AnnData
    model : fitted estimator, model, Dataset or Encoding, optional
        Its thresholds go to ``var["isinglass_threshold"]`` (NaN for variables that are no units) and its rule to
        ``uns["isinglass"]``. An estimator also gives ``features`` by its ``transform`` and ``classes`` by its
        ``predict``, of the matrix of ``adata``, unless they are given.
    features : array of shape (n_obs, k), optional
        Projections or hidden units, to ``obsm["X_isinglass"]``, where scanpy looks for a representation.
    classes : sequence of length n_obs, optional
        To ``obs["isinglass_class"]``, as categories; None for no class.
    loadings : array of shape (n_visible, k), optional
        Patterns or weights of the units, to ``varm["isinglass"]``.
    values : mapping of str to arrays of length n_obs, optional
        Further numbers of each observation, to ``obs["isinglass_NAME"]``.
    key : str
        What stands for "isinglass" in these names.
    layer : str, optional
        The layer that the estimator reads instead of X.
    copy : bool
        Whether to return a copy instead of changing ``adata``.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> a = anndata.AnnData(np.array([[0.0, 2.0], [3.0, 1.0]], np.float32), dtype=np.float32)
    >>> data = Dataset.from_anndata(a, binarize="mean")
    >>> annotate(a, data, classes=["x", "y"])
    >>> a.obs["isinglass_class"].tolist(), a.var["isinglass_threshold"].tolist()
    (['x', 'y'], [1.5, 1.5])
    """
    _check(adata)
    if not isinstance(key, str) or not key or "/" in key:
        raise ValueError(f"key: expected a name without '/', found {key!r}")
    adata = adata.copy() if copy else adata
    encoding = None if model is None else encoding_of(model, "model")
    units = None if encoding is None else _unit_places(adata, encoding)
    if hasattr(model, "transform") and features is None:
        features = _applied(model.transform, adata, model, layer)
    if hasattr(model, "predict") and classes is None:
        classes = _applied(model.predict, adata, model, layer)
    # All is checked before anything is put.
    parts = {name: _numbers(array, f"values[{name!r}]", (adata.n_obs,)) for name, array in (values or {}).items()}
    table = None if features is None else _numbers(features, "features", (adata.n_obs, None))
    categories = None if classes is None else _categories(classes, adata.n_obs)
    weights = None if loadings is None else _loadings(loadings, adata.n_vars, units)
    if table is not None:
        adata.obsm[f"X_{key}"] = table
    if categories is not None:
        adata.obs[f"{key}_class"] = categories
    for name, array in parts.items():
        adata.obs[f"{key}_{name}"] = array
    if weights is not None:
        adata.varm[key] = weights
    if encoding is not None and units is not None:
        thresholds = np.full(adata.n_vars, np.nan)
        thresholds[units] = encoding.thresholds
        adata.var[f"{key}_threshold"] = thresholds
        adata.uns[key] = {"rule": encoding.rule, "full_scale": encoding.full_scale, "n_visible": encoding.n_visible,
                          "model": type(model).__name__, "version": _core.version()}
    return adata if copy else None


def _unit_places(adata: Any, encoding: Encoding) -> npt.NDArray[np.int64]:
    """Which variable each unit is: by name if units have names, else all of them in order."""
    names = encoding.unit_names
    places = {str(name): k for k, name in enumerate(adata.var_names)}
    if names is not None and all(name in places for name in names):
        return np.array([places[name] for name in names], np.int64)
    if encoding.n_visible != adata.n_vars:
        raise ValueError(f"model: adata, of {adata.n_vars} variables, does not have its {encoding.n_visible} units")
    return np.arange(adata.n_vars)


def _applied(method: Any, adata: Any, model: Any, layer: str | None) -> Any:
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        lacking = [name for name in names if name not in adata.var_names]
        if lacking:
            raise ValueError(f"adata: lacks {len(lacking)} features of the model, such as {lacking[0]!r}")
        adata = adata[:, list(names)]
    with warnings.catch_warnings():  # the order of the features is right, but a matrix cannot say so
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return method(_matrix(adata, layer))


def _numbers(values: Any, name: str, shape: tuple[int | None, ...]) -> Floats:
    try:
        array = np.array(values, np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers") from None
    if array.ndim != len(shape) or array.shape[0] != shape[0]:
        raise ValueError(f"{name}: expected the shape {shape}, found {array.shape}".replace("None", "k"))
    return array


def _loadings(loadings: Any, n_vars: int, units: npt.NDArray[np.int64] | None) -> Floats:
    places = np.arange(n_vars) if units is None else units
    array = _numbers(loadings, "loadings", (len(places), None))
    out = np.full((n_vars, array.shape[1]), np.nan)
    out[places] = array
    return out


def _categories(classes: Any, n_obs: int) -> Any:
    import pandas

    texts = label_texts(classes, "classes") or []
    if len(texts) != n_obs:
        raise ValueError(f"classes: expected one for each of {n_obs} observations, found {len(texts)}")
    found = sorted({text for text in texts if text is not None})
    # in the order of a Dataset, where 10 comes after 9
    order = Dataset.from_spins(np.ones((len(found), 1), np.int8), found).classes if found else []
    return pandas.Categorical(texts, categories=order if set(order) == set(found) else found)
