"""Samples of +1 and -1, and how values became them.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import io
import operator
import os
import zipfile
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, Spins, as_seed, as_spins, reporting, using_threads
from ._values import Table, as_table, as_texts, csr_table, image_sizes, is_frame, label_texts, rule_text

if TYPE_CHECKING:
    from .rbm import SpinGaussianRBM

Path = str | os.PathLike[str]
Missing = Literal["refuse", "drop-samples", "majority", "impute"]

#: What is +1: a number (values above it), a rule ("zero", "value:T", "mean", "median", "midpoint", "quantile:Q",
#: "otsu", "mixture"), or None for the rule that the program uses.
Rule = float | str | None


class Encoding:
    """How values became spins: a threshold per unit, above which a value is +1, and the names of the units.

    Data have one, and hand it on to all that is made from them, so that a model can read further data as it read its
    own: ``Dataset.from_array(X, like=model)``. An encoding never changes.

    Examples
    --------
    >>> e = Encoding.from_thresholds([0.5, 2.0], unit_names=["a", "b"])
    >>> e
    Encoding(rule='thresholds', n_visible=2)
    >>> Dataset.from_array([[1, 1], [0, 3]], like=e).spins
    array([[ 1, -1],
           [-1,  1]], dtype=int8)
    """

    __slots__ = ("_handle",)
    _handle: _core.Encoding

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("Encoding: data and models have one, as .encoding; or use Encoding.from_thresholds()")

    @classmethod
    def _wrap(cls, handle: _core.Encoding) -> Encoding:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    @classmethod
    def from_thresholds(cls, thresholds: npt.ArrayLike, unit_names: Iterable[str] | None = None) -> Encoding:
        """For values above ``thresholds``, one for each unit."""
        try:
            array = np.array(thresholds, float, order="C")
        except (TypeError, ValueError):
            raise ValueError("thresholds: expected numbers") from None
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"thresholds: expected a number for each unit, found the shape {np.shape(array)}")
        if not np.all(np.isfinite(array)):
            raise ValueError("thresholds: expected finite numbers")
        return cls._wrap(_core.Encoding.from_thresholds(array, as_texts(unit_names, "unit_names")))

    @property
    def rule(self) -> str:
        """The rule by its name, such as "mean" or "value:3"."""
        return str(self._handle.describe()["rule"])

    @property
    def full_scale(self) -> float:
        """What the parameter of the rule "value:T" is a fraction of: 255 for 8-bit images, else 1."""
        return float(self._handle.describe()["full_scale"])

    @property
    def thresholds(self) -> Floats:
        """The threshold of every unit: value > threshold is +1; a copy."""
        out = np.empty(self.n_visible)
        self._handle.thresholds(out)
        return out

    @property
    def unit_names(self) -> list[str] | None:
        """What the units are called; None if they have no names."""
        return self._handle.unit_names()

    @property
    def n_visible(self) -> int:
        """The number of units."""
        return int(self._handle.describe()["n_visible"])

    @property
    def n_columns(self) -> int:
        """The columns of the data that they were taken from: more than ``n_visible`` if some were left out."""
        return int(self._handle.describe()["n_columns"])

    def __repr__(self) -> str:
        return f"Encoding(rule={self.rule!r}, n_visible={self.n_visible})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self._handle is other._handle or _parts(self._handle) == _parts(other._handle)

    def __hash__(self) -> int:
        return hash((self.rule, self.n_visible, self.thresholds.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _encoding_from_bytes, (self._handle.to_bytes(),)


def _encoding_from_bytes(content: bytes) -> Encoding:
    return Encoding._wrap(_core.Encoding.from_bytes(content))


def _parts(handle: _core.Encoding) -> dict[str, bytes]:
    """All that the encoding says, by the names of the parts of its file, where meta.json is about the writing."""
    with zipfile.ZipFile(io.BytesIO(handle.to_bytes())) as file:
        return {name: file.read(name) for name in file.namelist() if name != "meta.json"}


def encoding_of(like: Any, name: str = "like") -> Encoding:
    """That of a model, of data, of a fitted estimator, or the encoding itself."""
    found = like if isinstance(like, Encoding) else getattr(like, "encoding", getattr(like, "encoding_", None))
    if isinstance(found, Encoding):
        return found
    what = "does not say how its data became spins" if hasattr(like, "encoding") else "expected a model or an Encoding"
    raise ValueError(f"{name}: {type(like).__name__} {what}; give binarize=... instead")


class Dataset:
    """Labelled samples of +1 and -1, one bit each.

    Make them by :meth:`from_array`, :meth:`from_anndata`, :meth:`load` and their like. They never change.

    Examples
    --------
    >>> data = Dataset.from_array([[0.1, 0.9, 0.2], [0.8, 0.7, 0.1]], y=["a", "b"], binarize=0.5)
    >>> data
    Dataset(n_samples=2, n_visible=3, classes=['a', 'b'])
    >>> data.spins
    array([[-1,  1, -1],
           [ 1,  1, -1]], dtype=int8)
    """

    __slots__ = ("_handle",)
    _handle: _core.Dataset

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("Dataset: use Dataset.from_array(X), from_spins(), from_csr(), from_anndata() or load(path)")

    @classmethod
    def _wrap(cls, handle: _core.Dataset) -> Dataset:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    # ---- making -------------------------------------------------------------------------------------------------

    @classmethod
    def from_array(cls, X: Any, y: Any = None, *, binarize: Rule = None, like: Any = None, use_own_rule: bool = False,
                   scale: float | None = None, missing: Missing = "refuse", drop_constant: bool = False,
                   unit_names: Iterable[str] | None = None, ids: Iterable[str] | None = None,
                   image_shape: tuple[int, int] | None = None, keep_unlabelled: bool = True,
                   progress: Progress = None) -> Dataset:
        """From values in memory, which are read where they are.

        Parameters
        ----------
        X : array of shape (n_samples, n_visible), or (n_samples, height, width) of images
            Numbers or bools in any order of memory, also read-only or mapped from a file; a sparse matrix of SciPy; or
            a data frame, whose columns name the units and whose index the samples.
        y : sequence of length n_samples, optional
            The class of each sample: whole numbers or texts. None and NaN mean that a sample has none.
        binarize : float, str or None
            What is +1. A number t: values above t. A rule: "zero", "value:T" (above T times the scale), "mean",
            "median", "midpoint", "quantile:Q", "otsu" or "mixture", with a threshold for each unit. None: what the
            program does with a file of the same array, which is "zero", or "value:0.01" for images, that is, for
            three dimensions: (n, 28, 28) of 8 bits are +1 above 2.55, but (n, 784) above 0.
        like : model, Dataset or Encoding, optional
            Takes the thresholds of this instead, and its units: by their names if both have names, else by position.
            Test data need it after a rule such as "mean", which would learn other thresholds from them.
        use_own_rule : bool
            Takes only the units from ``like``.
        scale : float, optional
            The full scale of "value:T"; None: 255 for images with values from 0 to 255, and some
            above 2; else 1.
        missing : {"refuse", "drop-samples", "majority", "impute"}
            What to do with NaN: refuse the data, leave out the sample, take the more frequent spin of the unit, or mark
            it for a model to fill in, see :meth:`impute`.
        drop_constant : bool
            Leaves out units that are the same in all samples.
        unit_names, ids : sequence of str, optional
            What units and samples are called.
        image_shape : (height, width), optional
            Shape of the image that each row is; it does not change the rule.
        keep_unlabelled : bool
            Whether to keep samples without a class among others that have one.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[1.0, 5.0], [2.0, 7.0], [6.0, 6.0]])
        >>> data = Dataset.from_array(X, binarize="mean")
        >>> data.encoding.thresholds
        array([3., 6.])
        >>> Dataset.from_array([[4, 6]], like=data).spins
        array([[ 1, -1]], dtype=int8)
        """
        table = as_table(X)
        table.unit_names = table.unit_names if unit_names is None else as_texts(unit_names, "unit_names")
        table.ids = table.ids if ids is None else as_texts(ids, "ids")
        return cls._from_table(table, y, binarize, like, scale, progress, image_shape,
                               {"use_own_rule": use_own_rule, "missing": missing, "drop_constant": drop_constant,
                                "keep_unlabelled": keep_unlabelled})

    @classmethod
    def from_csr(cls, data: npt.ArrayLike, indices: npt.ArrayLike, indptr: npt.ArrayLike, shape: Sequence[int],
                 y: Any = None, *, binarize: Rule = None, like: Any = None, use_own_rule: bool = False,
                 scale: float | None = None, missing: Missing = "refuse", drop_constant: bool = False,
                 unit_names: Iterable[str] | None = None, ids: Iterable[str] | None = None,
                 image_shape: tuple[int, int] | None = None, keep_unlabelled: bool = True,
                 transpose: bool = False, progress: Progress = None) -> Dataset:
        """From the arrays of a sparse matrix that is compressed by rows, as :meth:`from_array`.

        ``shape`` is that of the matrix. With ``transpose``, its columns are the samples.

        Examples
        --------
        >>> Dataset.from_csr([1.0, 2.0], [2, 0], [0, 1, 2], (2, 3)).spins
        array([[-1, -1,  1],
               [ 1, -1, -1]], dtype=int8)
        """
        table = csr_table(data, indices, indptr, shape, "data", bool(transpose))
        table.unit_names = as_texts(unit_names, "unit_names")
        table.ids = as_texts(ids, "ids")
        return cls._from_table(table, y, binarize, like, scale, progress, image_shape,
                               {"use_own_rule": use_own_rule, "missing": missing, "drop_constant": drop_constant,
                                "keep_unlabelled": keep_unlabelled})

    @classmethod
    def from_spins(cls, spins: Any, y: Any = None, *, unit_names: Iterable[str] | None = None,
                   ids: Iterable[str] | None = None, image_shape: tuple[int, int] | None = None) -> Dataset:
        """From +1 and -1, or 1 and 0, or bools; other values are refused. A data frame names units and samples.

        >>> Dataset.from_spins([[1, -1], [-1, -1]], y=[0, 1]).classes
        ['0', '1']
        """
        frame = as_table(spins, "spins") if is_frame(spins) else None
        table = as_table(as_spins(spins if frame is None else frame.data, "spins"), "spins")
        if table.image_shape != (0, 0):
            image_shape, table.image_shape = image_shape or table.image_shape, (0, 0)
        table.unit_names, table.ids = as_texts(unit_names, "unit_names"), as_texts(ids, "ids")
        if frame is not None:
            table.unit_names, table.ids = table.unit_names or frame.unit_names, table.ids or frame.ids
        return cls._from_table(table, y, 0.0, None, None, False, image_shape, {"keep_unlabelled": True})

    @classmethod
    def from_anndata(cls, adata: Any, label: str | None = None, *, layer: str | None = None, binarize: Rule = None,
                     like: Any = None, use_own_rule: bool = False, scale: float | None = None,
                     missing: Missing = "refuse", drop_constant: bool = False, keep_unlabelled: bool = True,
                     progress: Progress = None) -> Dataset:
        """From the matrix of an AnnData, or from one of its layers.

        The names of observations become the ids of samples, those of variables the names of units, and the column
        ``label`` of ``adata.obs`` the classes. For the rest see :meth:`from_array`.
        """
        from .interop import anndata_table

        table, y = anndata_table(adata, label, layer)
        return cls._from_table(table, y, binarize, like, scale, progress, None,
                               {"use_own_rule": use_own_rule, "missing": missing, "drop_constant": drop_constant,
                                "keep_unlabelled": keep_unlabelled})

    @classmethod
    def _from_table(cls, table: Table, y: Any, binarize: Rule, like: Any, scale: float | None, progress: Progress,
                    image_shape: tuple[int, int] | None, options: dict[str, Any]) -> Dataset:
        rule, options["full_scale"] = rule_text(binarize, scale)
        options["image_height"], options["image_width"] = image_sizes(image_shape)
        options["transpose"] = table.transpose
        encoding = _chosen(like, binarize, scale, options)
        height, width = table.image_shape
        labels, n_samples = label_texts(y), table.shape[1 if table.transpose else 0]
        if labels is not None and len(labels) != n_samples:
            raise ValueError(f"y: expected a label for each of {n_samples} samples, found {len(labels)}")
        with reporting(progress, "reading") as report:
            return cls._wrap(_core.Dataset.from_values(
                table.data, table.indices, table.indptr, table.shape, labels, table.unit_names, table.ids,
                height, width, rule, encoding, options, report))

    @classmethod
    def load(cls, path: Path, *, labels: Path | None = None, label_column: str | int | None = None,
             id_column: str | int | None = None, ignore_columns: str | Iterable[str | int] | None = None,
             header: bool | None = None, transpose: bool = False, one_hot: bool = False, binarize: Rule = None,
             like: Any = None, use_own_rule: bool = False, scale: float | None = None, missing: Missing = "refuse",
             drop_constant: bool = False, image_shape: tuple[int, int] | None = None, only_class: str | None = None,
             limit: int | None = None, keep_unlabelled: bool = False, expected_sha256: str | None = None,
             expected_labels_sha256: str | None = None, progress: Progress = None) -> Dataset:
        """From a file, or a directory of 10x Genomics, whose name tells the format.

        These are IDX, .npy, .npz (arrays X and, if present, y, units and ids; or a matrix by
        ``scipy.sparse.save_npz``), .csv, .tsv, .arff, .mtx, .h5ad and .h5; most of them also as .gz.

        Parameters
        ----------
        path : path
        labels : path, optional
            File with the labels, if they are not in the data file.
        label_column, id_column : str or int, optional
            Columns of a table with the classes and the names of samples: by name, or by number from 1, -1 the last.
            Of an .h5ad file, a column of obs.
        ignore_columns : sequence of str or int, optional
            Columns to leave out; or one text with commas between them.
        header : bool, optional
            Whether the first row of a table has the names of columns; None: as it looks.
        transpose : bool
            Whether the samples are the columns of the file.
        one_hot : bool
            Whether a column of words becomes one unit per word.
        only_class : str, optional
            Keeps the samples of this class alone.
        limit : int, optional
            Then keeps this many samples, the first ones.
        keep_unlabelled : bool
            Whether to keep samples without a class among others that have one.
        expected_sha256, expected_labels_sha256 : str, optional
            Refuses files whose unpacked content has another hash.
        binarize, like, use_own_rule, scale, missing, drop_constant, image_shape, progress
            As in :meth:`from_array`.
        """
        rule, full_scale = rule_text(binarize, scale)
        height, width = image_sizes(image_shape)
        options = {
            "label_column": _column(label_column), "id_column": _column(id_column),
            "ignore_columns": _columns(ignore_columns),
            "header": "auto" if header is None else "yes" if header else "no", "transpose": transpose,
            "one_hot": one_hot, "use_own_rule": use_own_rule, "full_scale": full_scale, "missing": missing,
            "drop_constant": drop_constant, "image_height": height, "image_width": width,
            "only_class": only_class, "limit": 0 if limit is None else limit, "keep_unlabelled": keep_unlabelled,
            "expected_sha256": expected_sha256, "expected_labels_sha256": expected_labels_sha256,
        }
        encoding = _chosen(like, binarize, scale, options)
        with reporting(progress, "reading") as report:
            return cls._wrap(_core.Dataset.load(path, labels, rule, encoding, options, report))

    # ---- looking ------------------------------------------------------------------------------------------------

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self._handle.describe()["n_samples"])

    @property
    def n_visible(self) -> int:
        """The number of units, that is, of spins of a sample."""
        return int(self._handle.describe()["n_visible"])

    @property
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_visible)"""
        info = self._handle.describe()
        return (info["n_samples"], info["n_visible"])

    @property
    def image_shape(self) -> tuple[int, int] | None:
        """(height, width) if the samples are images."""
        info = self._handle.describe()
        return _show.image_shape(info["n_visible"], info["image_height"], info["image_width"])

    @property
    def spins(self) -> Spins:
        """The samples as +1 and -1: (n_samples, n_visible), int8; a copy."""
        out = np.empty(self.shape, np.int8)
        self._handle.spins(out)
        return out

    @property
    def missing(self) -> npt.NDArray[np.bool_] | None:
        """Which spins are still to be filled in by a model (they hold the majority of the unit); None if none is."""
        if not self._handle.has_missing():
            return None
        out = np.empty(self.shape, np.bool_)
        self._handle.missing(out)
        return out

    @property
    def classes(self) -> list[str]:
        """The names of the classes: by number if all are numbers, else in alphabetical order; empty without labels."""
        return self._handle.classes()

    @property
    def class_sizes(self) -> list[int]:
        """The number of samples of each class."""
        return self._handle.class_sizes()

    @property
    def labels(self) -> npt.NDArray[np.int64] | None:
        """The class of each sample as its place in ``classes``, -1 for none; None for data without labels."""
        out = np.empty(self.n_samples, np.int64)
        return out if self._handle.labels(out) else None

    @property
    def y(self) -> npt.NDArray[Any] | None:
        """The class of each sample by its name; an array of objects with None in it if some have none."""
        labels = self.labels
        if labels is None:
            return None
        if np.all(labels >= 0):
            return np.array(self.classes)[labels]
        return np.array([*self.classes, None], dtype=object)[labels]

    @property
    def ids(self) -> list[str] | None:
        """What the samples are called; None if they have no names."""
        return self._handle.ids()

    @property
    def unit_names(self) -> list[str] | None:
        """What the units are called; None if they have no names."""
        encoding = self.encoding
        return encoding.unit_names if encoding else None

    @property
    def encoding(self) -> Encoding | None:
        """How values became spins."""
        handle = self._handle.encoding()
        return None if handle is None else Encoding._wrap(handle)

    @property
    def checksum(self) -> str:
        """SHA-256 of the spins, the same whatever they came from; ``isinglass data info`` shows it, too."""
        return self._handle.checksum()

    @property
    def label_checksum(self) -> str:
        """SHA-256 of the class names of all samples."""
        return self._handle.label_checksum()

    @property
    def positive_fraction(self) -> float:
        """The share of +1."""
        return self._handle.positive_fraction()

    def n_duplicates(self) -> int:
        """How many samples equal an earlier one."""
        return self._handle.n_duplicates()

    def constant_units(self) -> list[int]:
        """The units that are the same in all samples."""
        return self._handle.constant_units()

    def describe(self) -> dict[str, Any]:
        """All that is known about the data, as plain values; ``threshold`` is None if units have their own."""
        encoding = self.encoding
        known = {name: None if value != value else value for name, value in self._handle.describe().items()}
        return {**known, "rule": encoding.rule if encoding else None,
                "positive_fraction": self.positive_fraction, "checksum": self.checksum,
                "classes": dict(zip(self.classes, self.class_sizes))}

    def __len__(self) -> int:
        return self.n_samples

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """``spins``, for NumPy."""
        return self.spins if dtype is None else self.spins.astype(dtype)

    def __repr__(self) -> str:
        n_samples, n_visible = self.shape
        classes = self.classes
        shown = f", n_classes={len(classes)}" if len(classes) > 6 else f", classes={classes}" if classes else ""
        return f"Dataset(n_samples={n_samples}, n_visible={n_visible}{shown})"

    def _repr_html_(self) -> str:
        info, encoding = self.describe(), self.encoding
        rows: list[tuple[str, Any]] = [("samples", info["n_samples"]), ("units", info["n_visible"])]
        if self.image_shape:
            rows.append(("image", "{} x {}".format(*self.image_shape)))
        if encoding:
            rows.append(("+1", f"by the rule {encoding.rule}"))
        rows.append(("share of +1", f"{info['positive_fraction']:.3g}"))
        if info["classes"]:
            shown = list(info["classes"].items())
            text = ", ".join(f"{name} ({size})" for name, size in shown[:12])
            rows.append((f"{len(shown)} class{'es' * (len(shown) != 1)}", text + ", ..." * (len(shown) > 12)))
        rows.append(("SHA-256", info["checksum"][:16] + "..."))
        share = info["positive_fraction"]
        warning = "" if 0 < share < 1 else f"every spin is {'+1' if share else '-1'}; see binarize"
        return _show.html_table("Dataset", rows, warning)

    def plot(self, rows: Any = None, *, columns: int | None = None, ax: Any = None) -> Any:
        """Samples as images, +1 white; without ``rows`` the first of each class. Returns the axes of matplotlib."""
        labels = self.labels
        if rows is None and labels is not None:
            firsts = [np.flatnonzero(labels == k)[:10] for k in range(min(len(self.classes), 20))]
            shown, columns = self.select(np.concatenate(firsts)), columns or 10
        else:
            shown = self.select(slice(40) if rows is None else rows)
        names = shown.y if self.image_shape or len(shown) <= 40 else None
        titles = None if names is None else names.tolist()
        return _show.plot_images(shown.spins, self.image_shape, titles=titles, columns=columns, ax=ax)

    # ---- parts --------------------------------------------------------------------------------------------------

    def select(self, rows: Any) -> Dataset:
        """The samples of these rows, in this order: a slice, a mask, or numbers; classes without a sample go."""
        n = self.n_samples
        if isinstance(rows, slice):
            chosen = np.arange(n)[rows]
        else:
            chosen = np.asarray(rows)
            if chosen.dtype == bool:
                if chosen.shape != (n,):
                    raise IndexError(f"rows: expected a mask of shape ({n},), found {chosen.shape}")
                chosen = np.flatnonzero(chosen)
        if chosen.size == 0:
            raise ValueError("rows: expected at least one, found none")
        if chosen.ndim > 1 or chosen.dtype.kind not in "iu":
            raise IndexError(f"rows: expected a slice, a mask or row numbers, found {rows!r}")
        chosen = np.atleast_1d(chosen)
        if np.any(chosen >= n) or (chosen.dtype.kind == "i" and np.any(chosen < -n)):
            raise IndexError(f"rows: expected numbers below {n}, found {rows!r}")
        chosen = np.where(chosen < 0, chosen + n, chosen) if chosen.dtype.kind == "i" else chosen
        return Dataset._wrap(self._handle.select(np.ascontiguousarray(chosen, np.uint64)))

    def __getitem__(self, rows: Any) -> Dataset:
        return self.select(rows)

    def of_class(self, name: str | int) -> Dataset:
        """The samples of one class."""
        classes = self.classes
        if str(name) not in classes:
            raise KeyError(f"name: expected one of {classes}, found {name!r}")
        return self.select(np.flatnonzero(self.labels == classes.index(str(name))))

    def split(self, fraction: float, random_state: Any = 1) -> tuple[Dataset, Dataset]:
        """Two parts drawn at random, class by class: the share ``fraction`` of every class, and the rest."""
        first, second = self._handle.split(fraction, as_seed(random_state))
        return Dataset._wrap(first), Dataset._wrap(second)

    # ---- missing values -----------------------------------------------------------------------------------------

    def impute(self, rbm: SpinGaussianRBM, *, marginal: bool = False, sweeps: int = 50, measured: int = 200,
               random_state: Any = 1, n_jobs: int | None = None, progress: Progress = None) -> Dataset:
        """A copy without missing values, drawn from the model given those that are known.

        One joint draw keeps correlations, which scores and training need; with ``marginal``, each spin is the more
        probable one by itself, which is right more often. Data for this are read with ``missing="impute"``.
        """
        options = {"marginal": marginal, "sweeps": sweeps, "measured": measured, "seed": as_seed(random_state)}
        with reporting(progress, "imputing") as report, using_threads(n_jobs):
            return Dataset._wrap(self._handle.impute(_rbm_for(self, rbm), options, report))

    def impute_probabilities(self, rbm: SpinGaussianRBM, *, sweeps: int = 50, measured: int = 200,
                             random_state: Any = 1, n_jobs: int | None = None,
                             progress: Progress = None) -> Floats:
        """The probability that a spin is +1, given those that are known: (n_samples, n_visible); 1 or 0 for these."""
        out = np.empty(self.shape)
        options = {"sweeps": sweeps, "measured": measured, "seed": as_seed(random_state)}
        with reporting(progress, "imputing") as report, using_threads(n_jobs):
            self._handle.probabilities(_rbm_for(self, rbm), out, options, report)
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return _dataset_from_bytes, (self._handle.to_bytes(),)


def _dataset_from_bytes(content: bytes) -> Dataset:
    return Dataset._wrap(_core.Dataset.from_bytes(content))


def _rbm_for(data: Dataset, rbm: Any) -> _core.RBM:
    handle = getattr(rbm, "_handle", None)
    if not isinstance(handle, _core.RBM):
        raise TypeError(f"rbm: expected a SpinGaussianRBM, found {type(rbm)}")
    check_units(data, "data", rbm.encoding)
    return handle


def _chosen(like: Any, binarize: Rule, scale: float | None, options: dict[str, Any]) -> _core.Encoding | None:
    """The encoding to read data by. Another rule beside it is more likely a mistake."""
    if like is None:
        if options.get("use_own_rule"):
            raise ValueError("use_own_rule: goes with like=...")
        return None
    encoding = encoding_of(like)
    if options.get("drop_constant"):
        raise ValueError("drop_constant: like says which units there are")
    if not options.get("use_own_rule") and (binarize is not None or scale is not None):
        raise ValueError(f"{'scale' if binarize is None else 'binarize'}: like says by the rule {encoding.rule} what "
                         "is +1; use_own_rule=True takes only its units")
    return encoding._handle


def _column(column: str | int | None) -> str | None:
    if column is None or isinstance(column, str):
        return column
    return str(operator.index(column))


def _columns(columns: str | Iterable[str | int] | None) -> str | None:
    if columns is None or isinstance(columns, str):
        return columns
    texts = [_column(column) or "" for column in columns]
    for text in texts:
        if not text or "," in text:
            raise ValueError(f"ignore_columns: expected names without a comma, found {text!r}; use its number")
    return ",".join(texts) if texts else None


def as_dataset(X: Any, name: str = "X", encoding: Encoding | None = None) -> Dataset:
    """A Dataset itself, or spins as one.

    Units that have names in both are those of the model: the columns of a data frame are found by their names, and a
    Dataset with other units, or the same in another order, is refused. Zeros and ones are taken as spins only if the
    thresholds of the model would make the same of them.
    """
    if isinstance(X, Dataset):
        check_units(X, name, encoding)
        return X
    if hasattr(X, "tocsr"):
        like = "" if encoding is None else ", like=model"
        raise TypeError(f"{name}: expected a Dataset or an array of spins, found a sparse matrix; "
                        f"use Dataset.from_array({name}{like})")
    unit_names, ids = None, None
    if is_frame(X):
        table = as_table(X, name)
        array, ids = _columns_of(table, name, encoding), table.ids
        unit_names = table.unit_names and (encoding and encoding.unit_names or table.unit_names)
    else:
        array = np.asarray(X)
    if array.ndim not in (2, 3):
        hint = "; X.reshape(1, -1) is one sample" if array.ndim == 1 else ""
        raise ValueError(f"{name}: expected a Dataset or an array of 2 dimensions, found {array.ndim}{hint}")
    spins = as_spins(array, name)
    if encoding is not None and array.dtype != bool and np.any(array == 0):
        thresholds = encoding.thresholds
        if not np.all((thresholds >= 0) & (thresholds < 1)):
            raise ValueError(f"{name}: are 0 and 1 spins, or values for the rule {encoding.rule} of the model? Use "
                             f"Dataset.from_array({name}, like=model) for values, Dataset.from_spins({name}) for spins")
    return Dataset.from_spins(spins, unit_names=unit_names, ids=ids)


def check_units(data: Dataset, name: str, encoding: Encoding | None) -> None:
    """Refuses data whose units have other names than those of a model."""
    own, theirs = None if encoding is None else encoding.unit_names, data.unit_names
    if own is None or theirs is None or own == theirs:
        return
    where = next((k for k, (one, other) in enumerate(zip(own, theirs)) if one != other), None)
    what = (f"unit {where} is {theirs[where]!r}, where the model has {own[where]!r}" if where is not None
            else f"{len(theirs)} units, where the model has {len(own)}")
    raise ValueError(f"{name}: these are not the units of the model, or not in its order: {what}; read the data with "
                     "like=model, as in Dataset.from_array(X, like=model), which finds units by their names")


def _columns_of(table: Table, name: str, encoding: Encoding | None) -> npt.NDArray[Any]:
    """The columns of a data frame that are the units of a model, in its order; all if either has no names."""
    own = None if encoding is None else encoding.unit_names
    if own is None or table.unit_names is None or own == table.unit_names:
        return table.data
    places = {unit: k for k, unit in enumerate(table.unit_names)}
    if len(places) < len(table.unit_names):
        raise ValueError(f"{name}: expected columns with different names")
    lacking = [unit for unit in own if unit not in places]
    if lacking:
        raise ValueError(f"{name}: lacks {len(lacking)} of the {len(own)} units of the model, such as {lacking[0]!r}")
    return table.data[:, [places[unit] for unit in own]]
