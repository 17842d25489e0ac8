"""Title, clock and names of bodies, written on pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

INK, FAINT, PAPER = (38, 42, 50), (96, 102, 112), (246, 247, 250)
MARGIN, TITLE, TEXT, HALO = 0.028, 0.036, 0.028, 0.0022
"""Heights relative to that of the picture."""
WIDEST = 0.2
"""The widest name of a body, relative to the width of the picture."""
LEAST = 9
"""Pixels of the smallest letters."""
GAP = 1.35
"""The distance between lines, relative to the size of letters."""


@dataclass(frozen=True)
class Lettering:
    """What is written on each picture: the `title`, a line of `remarks` below it, the `names` of bodies with their
    colours (a line without one is a remark), and the `scale` of the grid.
    """

    title: str
    remarks: str
    names: Sequence[tuple[str, str]]
    scale: str
    size: tuple[int, int]

    @cached_property
    def _fonts(self):
        from PIL import ImageFont

        return [ImageFont.load_default(max(LEAST, part * self.size[1])) for part in (TITLE, TEXT)]

    def written_on(self, pixels: np.ndarray, clock: str):
        """The picture (height, width, 3) as an image of Pillow, with all that is written and the time."""
        from PIL import Image, ImageDraw

        image = Image.fromarray(pixels)
        draw, (large, small) = ImageDraw.Draw(image), self._fonts
        width, height = self.size
        edge = MARGIN * height
        title = _fitting(self.title, large, 0.68 * width)
        halo: dict[str, Any] = {"stroke_width": max(1, round(HALO * height)), "stroke_fill": PAPER}
        draw.text((edge, edge), title, INK, large, "la", **halo)
        draw.text((edge, edge + GAP * large.size), self.remarks, FAINT, small, "la", **halo)
        draw.text((edge, height - edge), clock, INK, large, "ls", **halo)
        draw.text((width - edge, height - edge), self.scale, FAINT, small, "rs", **halo)
        for line, (name, colour) in enumerate(self.names):
            y = edge + line * GAP * small.size
            shown = _fitting(name, small, WIDEST * width)
            draw.text((width - edge, y), shown, INK if colour else FAINT, small, "ra", **halo)
            if not colour:
                continue
            right = width - edge - small.getlength(shown) - 0.5 * small.size
            draw.ellipse((right - 0.7 * small.size, y + 0.2 * small.size, right, y + 0.9 * small.size), colour)
        return image

    @property
    def missing(self) -> str:
        """The letters that the font lacks, in the title and the names."""
        blank = self._fonts[0].getmask("\uffff")
        text = dict.fromkeys("".join([self.title, self.remarks, *(name for name, _ in self.names)]))
        return "".join(c for c in text if ord(c) > 127 and _same(self._fonts[0].getmask(c), blank))


def _same(one, other) -> bool:
    return one.size == other.size and bytes(one) == bytes(other)


def _fitting(text: str, font, width: float) -> str:
    """A text, truncated if it is wider than a number of pixels."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text}..."
