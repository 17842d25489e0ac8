"""What all figures have in common: sizes, lines, text, whatever the user's matplotlibrc says."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rigidsim.plots.letters import fitted, set_fonts

INK, GREY, FAINT = "#1a1a1a", "#6b6b6b", "#c8c8c8"
LINES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.3)),
    (0, (6, 1.4, 1.2, 1.4)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (9, 2)),
)
"""Solid, dashed, dotted, dash-dotted, ...: so that lines differ in grey, too."""
DENSE = 0.7
"""The width of lines of trajectories so long that they are drawn by their extremes."""
DPI = 150
LONGEST, MOST_NAMED, MOST_BELOW = 30, 16, 4
"""Characters of a name, names in a legend, and names in one that is below the axes."""
WIDEST = 0.2
"""The widest name beside the axes, relative to the figure."""
STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.formatter.limits": (-4, 5),
    "axes.formatter.use_mathtext": True,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "figure.dpi": DPI,
    "font.size": 9,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.linewidth": 1.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "rigidsim",
    "xtick.color": GREY,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8.5,
}


class Picture(Figure):
    """A figure that belongs to no window; a notebook shows it. `note` is a sentence about letters that are missing."""

    note = ""

    def finish(self, title: str) -> None:
        """Write the title, and let all texts have fonts with their letters."""
        if title:
            self.suptitle(title, parse_math=False, fontsize=11)
        self.note = set_fonts(self)

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        with styled():
            self.savefig(image, format="png")
        return image.getvalue()


@contextmanager
def styled() -> Iterator[None]:
    """The style of the figures in place of the user's own; names in letters that the font lacks are no warning."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name with its middle left out if it is long."""
    half = (longest - 1) // 2
    return name if len(name) <= longest else f"{name[:half]}…{name[-half:]}"


def with_unit(words: str, unit: str) -> str:
    """`speed, m/s`; without a unit, the words."""
    return ", ".join(part for part in (words, unit) if part)


def label_axes(axes: Axes, x: str = "", y: str = "", title: str = "") -> None:
    """Write the names of the axes and the title as they are: no `$` begins a formula."""
    for write, words in ((axes.set_xlabel, x), (axes.set_ylabel, y), (axes.set_title, title)):
        if words:
            write(words, parse_math=False)


def draw_legend(axes: Axes, handles: Sequence, names: Sequence[str], place: str = "beside") -> None:
    """A legend beside the axes, or below or above them if it is short: it covers no line."""
    if not names:
        return
    left_out = len(names) - MOST_NAMED
    if left_out > 0:
        handles, names = handles[:MOST_NAMED], [*names[: MOST_NAMED - 1], f"… and {left_out + 1} more"]
    figure = axes.get_figure(root=True)
    assert figure is not None
    narrow = WIDEST * figure.get_figwidth()
    places: dict[str, dict[str, Any]] = {
        "beside": {"loc": "upper left", "bbox_to_anchor": (1.005, 1.02)},
        "below": {"loc": "upper center", "bbox_to_anchor": (0.5, -0.1 if axes.name == "3d" else -0.14), "ncols": 2},
        "above": {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": min(len(names), 3)},
    }
    place = "beside" if place == "below" and len(names) > MOST_BELOW else place
    names = fitted(names, STYLE["legend.fontsize"], narrow if place == "beside" else 2 * narrow)
    named_legend(axes, handles, names, borderaxespad=0.4, **places[place])


def named_legend(owner: Axes | Figure, handles: Sequence, names: Sequence[str], **options) -> None:
    """A legend with these names as they are."""
    # Set afterwards, because a label that begins with an underscore would be left out.
    legend = owner.legend(handles, ["-"] * len(names), **options)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
