"""Writes the tables of functions into docs/scene-format.md: `python docs/make_functions.py`."""

from __future__ import annotations

from pathlib import Path

from rigidsim.scene.expressions.vocabulary import described, described_special

PAGE = Path(__file__).parent / "scene-format.md"
TABLES = {"<!-- functions -->\n": described, "<!-- functions of oracles -->\n": described_special}
END = "<!-- end -->"


def document() -> str:
    """The page with the functions as they are now."""
    page = PAGE.read_text()
    for begin, table in TABLES.items():
        before, rest = page.split(begin)
        page = before + begin + table() + END + rest.split(END, 1)[1]
    return page


if __name__ == "__main__":
    PAGE.write_text(document())
