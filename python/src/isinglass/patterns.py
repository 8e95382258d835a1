"""What a Hopfield network stores.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, _show
from ._convert import Floats, Progress, Spins, as_seed, as_spins, reporting
from ._values import is_frame

if TYPE_CHECKING:
    from .dataset import Dataset, Encoding


class Patterns:
    """Binary patterns of ``n_visible`` spins, each with the class it represents.

    Parameters
    ----------
    spins : array of shape (n_patterns, n_visible)
        A pattern per row, +1 and -1 (or 1 and 0, or bool). The columns of a data frame name the units.
    labels : sequence of str, optional
        The class of each pattern.
    image_shape : (height, width), optional
        The shape of the images that the patterns are.
    encoding : Encoding, optional
        How values became these spins, and the names of the units.

    Examples
    --------
    >>> p = Patterns([[1, 1, -1, -1], [1, -1, 1, -1]], labels=["a", "b"])
    >>> p
    Patterns(n_patterns=2, n_visible=4)
    >>> p.overlaps()
    array([[1., 0.],
           [0., 1.]])
    >>> Patterns([[1, 1, -1], [1, -1, 1], [-1, -1, 1]]).dependence
    'pattern 2 = -pattern 0'
    """

    __slots__ = ("_handle", "_members")
    _handle: _core.Patterns
    _members: list[int]

    def __init__(self, spins: npt.ArrayLike, labels: Sequence[Any] | None = None, *,
                 image_shape: tuple[int, int] | None = None, encoding: Encoding | None = None) -> None:
        if is_frame(spins):
            from .dataset import Dataset

            named = Dataset.from_spins(spins)
            spins, encoding = named.spins, encoding or named.encoding
        xi = np.ascontiguousarray(as_spins(spins, "spins", ndim=2).T)
        names = None if labels is None else [str(label) for label in labels]
        height, width = _as_shape(image_shape)
        self._handle = _core.Patterns.from_array(xi, names, height, width,
                                                 None if encoding is None else encoding._handle)
        self._members = self._handle.members()

    @classmethod
    def _wrap(cls, handle: _core.Patterns, members: list[int] | None = None) -> Patterns:
        self = cls.__new__(cls)
        self._handle = handle
        self._members = handle.members() if members is None else members
        return self

    @classmethod
    def from_data(cls, data: Dataset | npt.ArrayLike, *, per_class: int = 1, cap: bool = False,
                  ward_samples: int = 20000, ignore_labels: bool = False,
                  progress: Progress = None) -> Patterns:
        """The sign of the mean of every class, or of its ``per_class`` clusters (Ward linkage).

        A unit whose mean is zero becomes -1. Data without labels form one class.

        Parameters
        ----------
        data : Dataset or array of spins
            Samples; labels come with a Dataset.
        per_class : int
            Patterns per class.
        cap : bool
            A class of fewer samples gets a pattern for each of them, instead of an error.
        ward_samples : int
            Of a larger class, this many evenly spaced samples are clustered, and each of the others joins the
            nearest cluster mean; clustering takes about 2 bytes for every pair of them.
        ignore_labels : bool
            All samples form one class.
        """
        from .dataset import as_dataset

        options = {"per_class": per_class, "cap": cap, "ward_samples": ward_samples,
                   "ignore_labels": ignore_labels}
        with reporting(progress, "patterns") as report:
            return cls._wrap(_core.Patterns.from_data(as_dataset(data, "data", None)._handle, options, report))

    @classmethod
    def random(cls, n_visible: int, n_patterns: int, *, random_state: Any = None) -> Patterns:
        """Independent random spins."""
        return cls._wrap(_core.Patterns.random(n_visible, n_patterns, as_seed(random_state)))

    def learn(self, data: Dataset | npt.ArrayLike, *, memory: float = 0.0, rounds: int | None = None,
              progress: Progress = None) -> Patterns:
        """Patterns whose network is a better model of the data: single units are flipped, the best first, until
        no flip raises the capture.

        Parameters
        ----------
        data : Dataset or array of spins
            Samples; with labels, patterns remember the samples of their class.
        memory : float
            The weight of staying near the mean of the samples that are nearest to a pattern at the start; 0.05 to
            1 trades likelihood for recall.
        rounds : int, optional
            Rounds through all patterns, at most.

        Examples
        --------
        >>> data = [[1, 1, 1, -1], [1, 1, -1, -1], [-1, 1, -1, -1], [1, -1, 1, 1]]
        >>> p = Patterns([[1, -1, -1, -1]])
        >>> p.learn(data)
        Patterns(n_patterns=1, n_visible=4)
        >>> round(p.capture(data), 3), round(p.learn(data).capture(data), 3)
        (0.062, 0.562)
        """
        from .dataset import as_dataset

        options = {"memory": memory, "rounds": rounds or 0}
        with reporting(progress, "learning") as report:
            handle, _ = self._handle.learn(as_dataset(data, "data", self.encoding)._handle, options, report)
        return self._wrap(handle)

    def capture(self, data: Dataset | npt.ArrayLike) -> float:
        """The mean share of a sample that lies in the span of the patterns, tr(P C) / n_visible. The network has
        the log-likelihood beta/2 n_visible capture - ln Z per sample, and ln Z hardly depends on which binary patterns
        they are."""
        from .dataset import as_dataset

        return self._handle.capture(as_dataset(data, "data", self.encoding)._handle)

    @staticmethod
    def ceiling(data: Dataset | npt.ArrayLike, n_patterns: int) -> float:
        """The largest capture of any ``n_patterns`` vectors: that of the principal axes."""
        from .dataset import as_dataset

        return _core.Patterns.ceiling(as_dataset(data, "data", None)._handle, n_patterns)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Patterns:
        """From a .npz file with the array ``xi`` (n_visible, n_patterns), or such an array alone as .npy."""
        return cls._wrap(_core.Patterns.load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the .npz file that the program reads, too; ``numpy.load`` opens it."""
        self._handle.save(path)

    @property
    def spins(self) -> Spins:
        """The patterns, one per row: (n_patterns, n_visible), int8; a copy."""
        info = self._handle.describe()
        out = np.empty((info["n_patterns"], info["n_visible"]), np.int8)
        self._handle.spins(out)
        return out

    @property
    def xi(self) -> Spins:
        """The patterns as the paper and the files have them, one per column: (n_visible, n_patterns)."""
        return self.spins.T

    @property
    def n_visible(self) -> int:
        """The number of units."""
        return int(self._handle.describe()["n_visible"])

    @property
    def labels(self) -> list[str | None]:
        """The class that each pattern represents; None if it has none."""
        return self._handle.labels()

    @property
    def members(self) -> list[int]:
        """How many samples each pattern was made from; zeros if it was not made from data, or read from a file."""
        return list(self._members)

    @property
    def n_ties(self) -> int:
        """Units whose mean was zero, over all patterns; 0 if they were not made from data."""
        return int(self._handle.describe()["n_ties"])

    @property
    def rank(self) -> int:
        """The number of linearly independent patterns."""
        return self._handle.rank()[0]

    @property
    def dependence(self) -> str:
        """If patterns are dependent, one as a combination of others, in words; else an empty text."""
        return self._handle.rank()[1]

    @property
    def image_shape(self) -> tuple[int, int] | None:
        """(height, width) if the patterns are images."""
        info = self._handle.describe()
        return _show.image_shape(info["n_visible"], info["image_height"], info["image_width"])

    @property
    def encoding(self) -> Encoding | None:
        """How the data they were made from became spins; None if unknown."""
        from .dataset import Encoding

        handle = self._handle.encoding()
        return None if handle is None else Encoding._wrap(handle)

    @property
    def unit_names(self) -> list[str | None] | None:
        """The names of the units; None if they have none."""
        return self._handle.unit_names()

    @property
    def checksum(self) -> str:
        """SHA-256 of the patterns, whatever their order."""
        return self._handle.checksum()

    def overlaps(self) -> Floats:
        """xi_mu . xi_nu / n_visible for all pairs."""
        out = np.empty((len(self), len(self)))
        self._handle.overlaps(out)
        return out

    def nearest(self, data: Dataset | npt.ArrayLike) -> npt.NDArray[np.int64]:
        """For every sample, the pattern of its class with the largest overlap, the first of equals; -1 for none.

        If the samples or the patterns have no labels, all patterns count.
        """
        from .dataset import as_dataset

        samples = as_dataset(data, "data", self.encoding)
        out = np.empty(len(samples), np.uint32)
        self._handle.nearest(samples._handle, out)
        return np.where(out == 2**32 - 1, -1, out.astype(np.int64))

    def top_units(self, data: Dataset | npt.ArrayLike, top: int = 10) -> dict[str, npt.NDArray[Any]]:
        """The units that tell each pattern from the others: the marker genes, if samples are cells.

        A unit's weight is the share of +1 among the samples nearest to the pattern minus that among all others.
        The table is as ``isinglass patterns --table`` writes it; ``pandas.DataFrame()`` takes it as it is.

        Parameters
        ----------
        data : Dataset or array of spins
            The samples that the patterns were made from.
        top : int
            How many units for each pattern, the most distinctive first.

        Returns
        -------
        dict of arrays
            ``pattern``, ``label``, ``rank`` (from 1), ``unit``, ``name``, ``weight``, ``share_in_class``,
            ``share_in_rest``. Patterns that no sample is nearest to are left out.
        """
        from .dataset import as_dataset

        if not isinstance(top, (int, np.integer)) or top < 1:
            raise ValueError(f"top: expected a number from 1 on, found {top!r}")
        if len(self) < 2:
            raise ValueError("top_units: there is one pattern, which nothing can be told from")
        samples = as_dataset(data, "data", self.encoding)
        nearest = self.nearest(samples)
        shares = np.empty((self.n_visible, len(self)))
        _core.Patterns.shares(samples._handle, nearest.astype(np.uint32), shares)
        sizes = np.bincount(nearest[nearest >= 0], minlength=len(self))
        ups = np.rint(np.where(sizes > 0, shares, 0) * sizes)
        names, labels = self.unit_names, self.labels
        rows: list[tuple[Any, ...]] = []
        for mu in np.flatnonzero(sizes):
            rest = sizes.sum() - sizes[mu]
            with np.errstate(invalid="ignore"):
                others = (ups.sum(axis=1) - ups[:, mu]) / np.float64(rest)
            weight = shares[:, mu] - others
            for rank, unit in enumerate(np.argsort(-weight, kind="stable")[:top], 1):
                rows.append((mu, labels[mu], rank, unit, names[unit] if names else None, weight[unit],
                             shares[unit, mu], others[unit]))
        columns = {"pattern": np.int64, "label": object, "rank": np.int64, "unit": np.int64, "name": object,
                   "weight": np.float64, "share_in_class": np.float64, "share_in_rest": np.float64}
        return {name: np.array([row[k] for row in rows], dtype)
                for k, (name, dtype) in enumerate(columns.items())}

    def plot(self, *, ax: Any = None) -> Any:
        """Draws the patterns with matplotlib, as images if they are; returns the axes."""
        titles = [str(mu) if label is None else label for mu, label in enumerate(self.labels)]
        return _show.plot_images(self.spins, self.image_shape, titles=titles, ax=ax)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """``spins``, for NumPy."""
        return self.spins if dtype is None else self.spins.astype(dtype)

    def __len__(self) -> int:
        return int(self._handle.describe()["n_patterns"])

    def __repr__(self) -> str:
        info = self._handle.describe()
        return f"Patterns(n_patterns={info['n_patterns']}, n_visible={info['n_visible']})"

    def _repr_png_(self) -> bytes | None:
        return _show.png(self.plot) if len(self) <= 200 else None

    def _repr_html_(self) -> str:
        rank, sentence = self._handle.rank()
        shape = self.image_shape
        rows: list[tuple[str, Any]] = [("patterns", len(self)), ("units", self.n_visible), ("rank", rank)]
        if shape:
            rows.append(("images", f"{shape[0]} x {shape[1]}"))
        if any(label is not None for label in self.labels):
            rows.append(("classes", len(set(self.labels))))
        table = _show.html_table("Patterns", rows, sentence and f"Dependent: {sentence}")
        picture = self._repr_png_() if shape else None
        if picture is None:
            return table
        return f"{table}<img alt='patterns' src='data:image/png;base64,{base64.b64encode(picture).decode()}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _patterns_from_bytes, (self._handle.to_bytes(), self._members)


def _patterns_from_bytes(content: bytes, members: list[int]) -> Patterns:
    return Patterns._wrap(_core.Patterns.from_bytes(content), members)


def _as_shape(image_shape: tuple[int, int] | None) -> tuple[int, int]:
    if image_shape is None:
        return 0, 0
    sizes = tuple(image_shape) if isinstance(image_shape, (tuple, list)) else ()
    if len(sizes) != 2 or not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
        raise ValueError(f"image_shape: expected (height, width), found {image_shape!r}")
    return int(sizes[0]), int(sizes[1])


def as_patterns(patterns: Patterns | npt.ArrayLike, name: str) -> Patterns:
    """Patterns as they are, or those that are the rows of an array of spins."""
    if isinstance(patterns, Patterns):
        return patterns
    return Patterns(patterns if is_frame(patterns) else as_spins(patterns, name, ndim=2))
