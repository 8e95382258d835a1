"""What a Hopfield network stores.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._convert import Floats, Progress, Spins, as_spins, reporting

if TYPE_CHECKING:
    from .dataset import Dataset, Encoding


class Patterns:
    """Binary patterns of ``n_visible`` spins, each with the class it represents.

    Parameters
    ----------
    spins : array of shape (n_patterns, n_visible)
        A pattern per row, +1 and -1 (or 1 and 0, or bool).
    labels : sequence of str, optional
        The class of each pattern.

    Examples
    --------
    >>> p = Patterns([[1, 1, -1, -1], [1, -1, 1, -1]], labels=["a", "b"])
    >>> p
    Patterns(n_patterns=2, n_visible=4)
    >>> p.overlaps()
    array([[1., 0.],
           [0., 1.]])
    """

    __slots__ = ("_handle",)
    _handle: _core.Patterns

    def __init__(self, spins: npt.ArrayLike, labels: Sequence[str] | None = None) -> None:
        xi = np.ascontiguousarray(as_spins(spins, "spins", ndim=2).T)
        names = None if labels is None else [str(label) for label in labels]
        self._handle = _core.Patterns.from_array(xi, names)

    @classmethod
    def _wrap(cls, handle: _core.Patterns) -> Patterns:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    @classmethod
    def from_data(cls, data: Dataset, *, per_class: int = 1, cap: bool = False, ward_samples: int = 20000,
                  progress: Progress = None) -> Patterns:
        """The sign of the mean of every class, or of its ``per_class`` clusters (Ward linkage).

        Data without labels form one class. With ``cap``, a class of fewer samples gets a pattern for each of them.
        """
        options = {"per_class": per_class, "cap": cap, "ward_samples": ward_samples}
        with reporting(progress, "patterns") as report:
            return cls._wrap(_core.Patterns.from_data(data._handle, options, report))

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
    def labels(self) -> list[str | None]:
        """The class that each pattern represents; None if it has none."""
        return self._handle.labels()

    # Parts of this class are still to come: members, rank, dependence, nearest(data), encoding, image_shape,
    # unit_names, checksum, plot, _repr_html_, pickling.

    def overlaps(self) -> Floats:
        """xi_mu . xi_nu / n_visible for all pairs."""
        out = np.empty((len(self), len(self)))
        self._handle.overlaps(out)
        return out

    def __len__(self) -> int:
        return int(self._handle.describe()["n_patterns"])

    def __repr__(self) -> str:
        info = self._handle.describe()
        return f"Patterns(n_patterns={info['n_patterns']}, n_visible={info['n_visible']})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _patterns_from_bytes, (self._handle.to_bytes(),)


def _patterns_from_bytes(content: bytes) -> Patterns:
    return Patterns._wrap(_core.Patterns.from_bytes(content))
