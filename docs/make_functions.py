"""Writes the tables of functions into docs/scene-format.md: `python docs/make_functions.py`."""

from __future__ import annotations

from pathlib import Path

from rigidsim.scene.expressions.vectors import FUNCTIONS as OF_VECTORS
from rigidsim.scene.expressions.vocabulary import CALLED, FUNCTIONS, REWRITTEN, SPECIAL

PAGE = Path(__file__).parent / "scene-format.md"
END = "<!-- end -->"
SPECIAL_ARGUMENTS = {"elliptic_f": "angle, m", "eccentric_anomaly": "M, e"}


def described() -> str:
    """The functions as a table."""
    meanings = {word: called.meaning for word, called in CALLED.items()}
    meanings |= {word: meaning for word, (_, meaning, _) in REWRITTEN.items()}
    lines = []
    for word, meaning in meanings.items():
        fewest, most = FUNCTIONS[word]
        names = "condition, a, b" if word == "if" else ", ".join("abc"[:fewest]) + ", ..." * (most > fewest)
        lines.append(f"| `{word}({names})` | {meaning} |")
    lines += [f"| `{word}({', '.join(names)})` | {meaning} |" for word, (names, meaning) in OF_VECTORS.items()]
    return _table(lines)


def described_special() -> str:
    """The functions of oracles as a table."""
    lines = []
    for name, called in SPECIAL.items():
        arguments = SPECIAL_ARGUMENTS.get(name, ("a", "u, m")[len(called.takes) - 1])
        lines.append(f"| `{name}({arguments})` | {called.meaning} |")
    return _table(lines)


def _table(lines: list[str]) -> str:
    return "\n".join(("| function | result |", "|---|---|", *lines, ""))


TABLES = {"<!-- functions -->\n": described, "<!-- functions of oracles -->\n": described_special}


def document() -> str:
    """The page with the functions as they are now."""
    page = PAGE.read_text()
    for begin, table in TABLES.items():
        before, rest = page.split(begin)
        page = before + begin + table() + END + rest.split(END, 1)[1]
    return page


if __name__ == "__main__":
    PAGE.write_text(document())
