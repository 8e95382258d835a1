"""How objects look in a notebook: small tables, and pictures by matplotlib if that is there.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import html
import io
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def html_table(title: str, rows: Iterable[tuple[str, Any]], warning: str = "") -> str:
    """A heading, a row per (name, value), and a sentence in red if there is something to warn of."""
    parts = [f"<div><strong>{html.escape(title)}</strong><table>"]
    for name, value in rows:
        parts.append(f"<tr><td style='text-align:left'>{html.escape(name)}</td>"
                     f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>")
    parts.append("</table>")
    if warning:
        parts.append(f"<p style='color:#b00020'>{html.escape(warning)}</p>")
    parts.append("</div>")
    return "".join(parts)


def pyplot() -> Any:
    """matplotlib.pyplot, or an ImportError that says what for."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib") from error
    return matplotlib.pyplot


def new_axes(width: float, height: float) -> Any:
    """Axes of a figure of this size in inches."""
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def image_shape(n_visible: int, height: int, width: int) -> tuple[int, int] | None:
    """The shape of the images that samples are, or None."""
    return (height, width) if height and width and height * width == n_visible else None


def plot_images(images: npt.ArrayLike, shape: tuple[int, int] | None = None, *, titles: Sequence[Any] | None = None,
                columns: int | None = None, ax: Any = None) -> Any:
    """Rows of spins or weights as a sheet of images: white is +1 and black -1; weights are red and blue around zero.

    Without an image shape, the rows become the rows of one picture. Returns the axes.
    """
    rows = np.atleast_2d(np.asarray(images, float))
    if shape is not None and (len(shape) != 2 or shape[0] * shape[1] != rows.shape[1]):
        raise ValueError(f"shape: expected (height, width) of {rows.shape[1]} pixels, found {shape}")
    if titles is not None and len(titles) != len(rows):
        raise ValueError(f"titles: expected {len(rows)}, found {len(titles)}")
    is_spins = bool(np.all(np.abs(rows) == 1))
    limit = 1.0 if is_spins else float(np.max(np.abs(rows), initial=0.0)) or 1.0
    look = {"cmap": "gray" if is_spins else "RdBu_r", "vmin": -limit, "vmax": limit, "interpolation": "nearest"}
    count = len(rows)
    columns = columns or min(count, 10)
    if shape is None:
        ax = ax or new_axes(12, min(8, 0.3 * count + 1))
        ax.imshow(rows, aspect="auto", **look)
        ax.set_xlabel("unit")
        if titles is not None:
            ax.set_yticks(range(count), [str(title) for title in titles])
        return ax
    height, width = shape
    gap = max(1, height // 14)
    head = gap + (height // 4 if titles is not None else 0)
    lines = math.ceil(count / columns)
    sheet = np.full((lines * (height + head), columns * (width + gap)), np.nan)
    inches = min(12, 1.1 * columns)
    ax = ax or new_axes(inches, inches * sheet.shape[0] / sheet.shape[1])
    for k, row in enumerate(rows):
        top, left = (k // columns) * (height + head) + head, (k % columns) * (width + gap)
        sheet[top:top + height, left:left + width] = row.reshape(shape)
        if titles is not None:
            ax.text(left + width / 2, top - gap / 2, str(titles[k]), ha="center", va="bottom", fontsize=8)
    ax.imshow(sheet, **look)
    ax.set_axis_off()
    return ax


def png(draw: Callable[[], Any]) -> bytes | None:
    """What draw() draws on new axes, as a PNG file; None without matplotlib, so that text is shown instead."""
    try:
        plt = pyplot()
    except ImportError:
        return None
    figure = draw().figure
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=80)
    plt.close(figure)
    return content.getvalue()
