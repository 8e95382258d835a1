"""From what users hold - arrays, data frames, sparse matrices, labels, rules - to what the extension takes.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass
class Table:
    """Values by row: an array, or the three arrays of a sparse matrix, in either case not copied if that can be."""

    data: npt.NDArray[Any]
    shape: tuple[int, int]
    indices: npt.NDArray[Any] | None = None
    indptr: npt.NDArray[Any] | None = None
    transpose: bool = False
    unit_names: list[str] | None = None
    ids: list[str] | None = None
    image_shape: tuple[int, int] = (0, 0)


def as_numbers(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """The array itself if the extension can read its numbers, else a copy with the same values in a type that it can.

    >>> as_numbers(np.array([1, None], dtype=object), "X")
    array([ 1., nan])
    """
    dtype = array.dtype
    if dtype.kind == "O":
        return _numbers_of_objects(array, name)
    if dtype.kind == "f" and dtype.itemsize == 2:
        return array.astype(np.float32)
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        remedy = "; X.astype(float) rounds them to what the library computes with" if dtype.kind == "f" else ""
        raise TypeError(f"{name}: expected numbers, found dtype {dtype}{remedy}")
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


def _numbers_of_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    for item in array.flat:
        if not (is_none(item) or isinstance(item, (numbers.Real, np.bool_))):
            raise TypeError(f"{name}: expected numbers, found {item!r} of {type(item)}")
    return np.array([math.nan if is_none(item) else float(item) for item in array.flat]).reshape(array.shape)


def is_none(item: Any) -> bool:
    """Whether it stands for no value: None, NaN, or one of pandas' words for it."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, (float, np.floating)) and math.isnan(item)


def is_frame(X: Any) -> bool:
    """Whether it is a data frame, of pandas or of another library."""
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def as_table(X: Any, name: str = "X") -> Table:
    """The rows of an array of two or three dimensions, a data frame, or a sparse matrix of SciPy."""
    if hasattr(X, "tocsr"):
        return _sparse_table(X, name)
    if is_frame(X):
        return _frame_table(X, name)
    if hasattr(X, "obs_names") and hasattr(X, "var_names"):
        raise TypeError(f"{name}: expected an array, found an AnnData; use Dataset.from_anndata()")
    if isinstance(X, np.ma.MaskedArray):
        X = np.where(X.mask, math.nan, X.data) if np.any(X.mask) else X.data
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"{name}: expected rows of the same length ({error})") from None
    if array.ndim not in (2, 3):
        hint = "; X.reshape(1, -1) is one sample" if array.ndim == 1 else ""
        raise ValueError(f"{name}: expected 2 dimensions, or 3 of images, found {array.ndim}{hint}")
    array = as_numbers(array, name)
    image = (array.shape[1], array.shape[2]) if array.ndim == 3 else (0, 0)
    if array.ndim == 3:  # a view, unless the pixels of an image lie in another order
        array = array.reshape(array.shape[0], array.shape[1] * array.shape[2])
    return Table(array, (array.shape[0], array.shape[1]), image_shape=image)


def _frame_table(frame: Any, name: str) -> Table:
    array = frame.to_numpy()
    if array.ndim != 2:
        raise ValueError(f"{name}: expected a data frame of 2 dimensions, found {array.ndim}")
    if array.dtype.kind not in "biuf":  # columns of several types, or of pandas' own
        columns = []
        for k, column in enumerate(frame.columns):
            values = np.asarray(frame.iloc[:, k] if hasattr(frame, "iloc") else frame[column])
            columns.append(as_numbers(values, f"{name}: column {column!r}").astype(float))
        array = np.stack(columns, axis=1) if columns else np.empty((len(frame), 0))
    names = list(frame.columns)
    index = getattr(frame, "index", None)
    has_ids = index is not None and type(index).__name__ != "RangeIndex"
    return Table(as_numbers(array, name), (array.shape[0], array.shape[1]),
                 unit_names=[str(unit) for unit in names] if any(isinstance(unit, str) for unit in names) else None,
                 ids=[str(sample) for sample in index] if index is not None and has_ids else None)


def _sparse_table(X: Any, name: str) -> Table:
    """Compressed by rows as it is, compressed by columns as the transpose of that, all others converted."""
    is_by_column = X.format == "csc"
    if not is_by_column and X.format != "csr":
        X = X.tocsr()
    if not X.has_canonical_format:  # entries stored twice mean their sum
        X = X.copy()
        X.sum_duplicates()
    rows, columns = X.shape
    return csr_table(X.data, X.indices, X.indptr, (columns, rows) if is_by_column else (rows, columns), name,
                     transpose=is_by_column)


def csr_table(data: npt.ArrayLike, indices: npt.ArrayLike, indptr: npt.ArrayLike, shape: Sequence[int],
              name: str = "X", transpose: bool = False) -> Table:
    try:
        rows, columns = (int(size) for size in shape)
    except (TypeError, ValueError):
        raise ValueError(f"shape: expected two sizes, found {shape!r}") from None
    places, starts = np.asarray(indices), np.asarray(indptr)
    for array, which in ((places, "indices"), (starts, "indptr")):
        if array.dtype.kind not in "iu" and array.size:
            raise TypeError(f"{which}: expected whole numbers, found dtype {array.dtype}")
    wanted = np.int32 if places.dtype == np.int32 and starts.dtype == np.int32 else np.int64
    values = as_numbers(np.ascontiguousarray(data), name)
    return Table(values, (rows, columns), np.ascontiguousarray(places, wanted), np.ascontiguousarray(starts, wanted),
                 transpose)


def label_texts(y: Any, name: str = "y") -> list[str | None] | None:
    """The class of each sample as a text; None for a sample without one. Whole numbers count as such, also as floats.

    >>> label_texts([3.0, float("nan"), 10.0])
    ['3', None, '10']
    """
    if y is None:
        return None
    try:
        array = np.asarray(y)
    except ValueError as error:
        raise ValueError(f"{name}: expected a label for each sample ({error})") from None
    if array.ndim != 1:
        raise ValueError(f"{name}: expected 1 dimension, found {array.ndim}")
    if array.dtype.kind not in "biufUSO":
        raise TypeError(f"{name}: expected numbers or texts, found dtype {array.dtype}")
    if array.dtype.kind == "O":
        return [_label_text(item, name) for item in array]
    found, place = np.unique(array, return_inverse=True)
    texts = [_label_text(item, name) for item in found]
    return [texts[k] for k in place]


def _label_text(item: Any, name: str) -> str | None:
    if is_none(item):
        return None
    if isinstance(item, bytes):
        return item.decode()
    if isinstance(item, str):
        return str(item)
    if isinstance(item, (bool, np.bool_)) or isinstance(item, numbers.Integral):
        return str(int(item))
    if isinstance(item, numbers.Real) and float(item).is_integer() and abs(item) < 2**53:
        return str(int(item))
    raise ValueError(f"{name}: expected whole numbers or texts as labels, found {item!r}")


def as_texts(names: Iterable[Any] | None, name: str) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"{name}: expected a sequence of texts, found one text")
    return [str(item) for item in names]


def rule_text(binarize: Any, scale: Any) -> tuple[str | None, float]:
    """The rule as the library writes it, and the full scale (0: as the data say).

    >>> rule_text(0.5, None)
    ('value:0.5', 1.0)
    """
    if scale is not None and not (isinstance(scale, numbers.Real) and 0 < float(scale) < math.inf):
        raise ValueError(f"scale: expected a number above 0, found {scale!r}")
    full_scale = 0.0 if scale is None else float(scale)
    if binarize is None or isinstance(binarize, str):
        return binarize, full_scale
    if isinstance(binarize, (bool, np.bool_)) or not isinstance(binarize, numbers.Real):
        raise TypeError(f"binarize: expected a number, a rule such as 'mean' or None, found {binarize!r}")
    if not math.isfinite(binarize):
        raise ValueError(f"binarize: expected a finite number, found {binarize!r}")
    if scale is not None:
        raise ValueError(f"scale: goes with a rule such as 'value:{float(binarize)!r}', not with a number, which is "
                         "compared with the values as they are")
    return ("zero" if binarize == 0 else f"value:{float(binarize)!r}"), 1.0


def image_sizes(image_shape: Any) -> tuple[int, int]:
    if image_shape is None:
        return (0, 0)
    try:
        height, width = (int(size) for size in image_shape)
    except (TypeError, ValueError):
        raise ValueError(f"image_shape: expected (height, width), found {image_shape!r}") from None
    if height < 1 or width < 1:
        raise ValueError(f"image_shape: expected sizes from 1 on, found {image_shape!r}")
    return (height, width)
