"""The letters of names: fonts that have them, and how wide they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

ELLIPSIS = "…"
MOST_NAMED = 12
PLACEHOLDERS = "Last Resort High-Efficiency"
"""A font of matplotlib that has a box for each letter."""


def set_fonts(figure: Figure) -> str:
    """Let texts with letters that the usual font lacks have another installed font for these; a sentence about letters
    that no font has, or nothing.
    """
    usual = findfont(FontProperties())
    texts = [text for text in figure.findobj(Text) if _lacking(usual, text.get_text())]
    wanted = dict.fromkeys("".join(_lacking(usual, text.get_text()) for text in texts))
    families, missing = _fonts_with("".join(wanted)) if wanted else ((), "")
    for text in texts:
        text.set_fontfamily([*text.get_fontfamily(), *families])
    named = missing[:MOST_NAMED] + ELLIPSIS * (len(missing) > MOST_NAMED)
    return f"no installed font has the letters {named}, which are drawn as boxes" if missing else ""


def _lacking(font: str, text: str) -> str:
    """The letters of a text that a font does not have."""
    known = get_font(font)
    return "".join(c for c in text if ord(c) > 127 and not known.get_char_index(ord(c)))


@lru_cache(maxsize=32)
def _fonts_with(letters: str) -> tuple[tuple[str, ...], str]:
    """Families of installed fonts that together have these letters, as few as the first that help; letters that none of
    them has.
    """
    families, left = [], letters
    for name, path in sorted(_installed()):
        rest = _lacking(path, left)
        if len(rest) < len(left):
            families.append(name)
            left = rest
        if not left:
            break
    return tuple(families), left


def _installed() -> Iterator[tuple[str, str]]:
    """The families of upright installed fonts of usual weight, and their files."""
    for entry in fontManager.ttflist:
        if entry.name == PLACEHOLDERS:
            continue
        if entry.style == "normal" and entry.weight in (400, "normal", "regular"):
            yield entry.name, entry.fname


def width_of(text: str, size: float) -> float:
    """The width of a text in inches, in letters of this size, points."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks are as wide as its box
        return text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)[0] / 72


def fitted(names: Iterable[str], size: float, widest: float) -> list[str]:
    """Names that are no wider than this, inches: broken after a comma, and with their middles left out."""
    return [_fitted(name, size, widest) for name in names]


def _fitted(name: str, size: float, widest: float) -> str:
    if "\n" in name or width_of(name, size) <= widest:
        return name  # what is broken already is a sentence
    first, comma, rest = name.partition(", ")
    lines = [f"{first},", rest] if comma else [name]
    return "\n".join(_cut(line, size, widest) for line in lines)


def _cut(name: str, size: float, widest: float) -> str:
    shown, kept = name, len(name)
    while kept > 2 and width_of(shown, size) > widest:
        kept -= 1
        shown = name[: -(-kept // 2)] + ELLIPSIS + name[len(name) - kept // 2 :]
    return shown
