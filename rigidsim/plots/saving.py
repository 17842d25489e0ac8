"""Writing figures to files."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rigidsim.errors import UsageError
from rigidsim.plots.style import DPI, Picture, styled
from rigidsim.trajectory.destination import IN_PYTHON, FileKind, Hints, check_output, kind_of
from rigidsim.trajectory.spool import published

BEGINS = {".png": rb"\x89PNG\r\n\x1a\n", ".svg": rb"<\?xml|<svg", ".pdf": rb"%PDF-"}
"""The formats by suffix, and how such a file begins."""
KINDS = tuple(FileKind("a picture of this format", "pictures", (end,), begin) for end, begin in BEGINS.items())
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""So that the same figure gives the same bytes."""
CLIP_PATH = re.compile(rb'<clipPath id="(p[0-9a-f]{10})"')
MOST_PIXELS = 20_000


def check_picture(path: Path, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Raise UsageError if the suffix names no format, StorageError if the file cannot be written."""
    check_output(path, kind_of(path, KINDS), force, hints)


def save_picture(
    figure: Picture, path: Path, *, force: bool = False, dpi: float = DPI, hints: Hints = IN_PYTHON
) -> None:
    """Write a figure in the format of the suffix: png, svg or pdf. Raises UsageError, StorageError."""
    kind = kind_of(path, KINDS)
    check_output(path, kind, force, hints)
    width, height = (dpi * length for length in figure.get_size_inches())
    if max(width, height) > MOST_PIXELS or min(width, height) < 1.0:
        raise UsageError(f"a picture of {width:.0f} by {height:.0f} pixels cannot be made; change its size or dpi")
    suffix, image = path.suffix.lower(), io.BytesIO()
    with styled():
        figure.savefig(image, format=suffix[1:], dpi=dpi, metadata=UNDATED.get(suffix))
    with published(path, kind, force, hints) as file:
        file.write(numbered(image.getvalue()) if suffix == ".svg" else image.getvalue())


def numbered(svg: bytes) -> bytes:
    """An SVG whose clip paths have their numbers as names. matplotlib names them after all digits of their places, of
    which the solver of the layout changes the last ones from process to process.
    """
    names = dict.fromkeys(CLIP_PATH.findall(svg))
    numbers = {name: b"clip%d" % number for number, name in enumerate(names)}
    return re.sub(b"|".join(numbers) or b"$^", lambda match: numbers[match[0]], svg)
