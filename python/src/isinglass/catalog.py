"""The data sets that ``isinglass data get NAME`` has installed, by name.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .dataset import Dataset

#: Files of the sets that are images: the parts and their IDX files.
_IMAGES = {"train": "train", "test": "t10k"}


def data_directory() -> Path:
    """Where the program keeps its data: $ISINGLASS_DATA, else below $XDG_DATA_HOME, else in the home directory."""
    if own := os.environ.get("ISINGLASS_DATA"):
        return Path(own)
    shared = os.environ.get("XDG_DATA_HOME", "")
    return (Path(shared) if os.path.isabs(shared) else Path.home() / ".local" / "share") / "isinglass"


def load_data(name: str, *, data_dir: str | os.PathLike[str] | None = None, **options: Any) -> Dataset:
    """A data set by the name that the program has for it: ``"mnist:train"``, ``"votes"``, ``"pbmc"``.

    Parameters
    ----------
    name : str
        A name of ``isinglass data list``; images have the parts ``:train`` and ``:test``.
    data_dir : path, optional
        Where the sets are, if not in :func:`data_directory`.
    **options
        As for :meth:`Dataset.load`.

    Raises
    ------
    FileNotFoundError
        If the set has not been fetched; the sentence says how.
    """
    directory = Path(data_dir) if data_dir is not None else data_directory()
    family, _, part = name.partition(":")
    if part:
        if part not in _IMAGES:
            raise ValueError(f"name: expected {family}:train or {family}:test, found {name!r}")
        path = directory / family / f"{_IMAGES[part]}-images-idx3-ubyte"
        options.setdefault("labels", directory / family / f"{_IMAGES[part]}-labels-idx1-ubyte")
    else:
        path = directory / family / f"{family}.npz"
        if not path.exists() and (directory / family / f"{_IMAGES['train']}-images-idx3-ubyte").exists():
            raise ValueError(f"name: expected {family}:train or {family}:test, found {name!r}")
    if not path.exists():
        raise FileNotFoundError(f"{name}: there is no {path}; fetch it with: isinglass data get {family}")
    return Dataset.load(path, **options)
