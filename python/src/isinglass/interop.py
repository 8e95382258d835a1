"""Data from AnnData, and results back into it as plain arrays that can be written.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

from ._values import Table, as_table


def anndata_table(adata: Any, label: str | None, layer: str | None) -> tuple[Table, Any]:
    """The matrix, or a layer, with the names of its rows and columns, and a column of obs or None."""
    for part in ("X", "obs", "obs_names", "var_names", "layers"):
        if not hasattr(adata, part):
            raise TypeError(f"adata: expected an AnnData, found {type(adata)}")
    if layer is not None and layer not in adata.layers:
        raise KeyError(f"layer: expected one of {list(adata.layers)}, found {layer!r}")
    if label is not None and label not in adata.obs:
        raise KeyError(f"label: expected a column of obs, one of {list(adata.obs)}, found {label!r}")
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError("adata: has no X; name a layer")
    if type(matrix).__module__.startswith(("h5py", "anndata._core.sparse_dataset")):  # a file that is open
        matrix = matrix.to_memory() if hasattr(matrix, "to_memory") else matrix[()]
    table = as_table(matrix)
    table.unit_names = [str(name) for name in adata.var_names]
    table.ids = [str(name) for name in adata.obs_names]
    return table, None if label is None else adata.obs[label]
