"""Writes the table of functions into docs/scene-format.md: `python docs/make_functions.py`."""

from __future__ import annotations

from pathlib import Path

from rigidsim.scene.expressions.vocabulary import described

PAGE = Path(__file__).parent / "scene-format.md"
BEGIN, END = "<!-- functions -->\n", "<!-- end -->"


def document() -> str:
    """The page with the functions as they are now."""
    before, rest = PAGE.read_text().split(BEGIN)
    return before + BEGIN + described() + END + rest.split(END, 1)[1]


if __name__ == "__main__":
    PAGE.write_text(document())
