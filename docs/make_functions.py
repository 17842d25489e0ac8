"""Writes the tables of functions of expressions and oracles into docs/scene: `python docs/make_functions.py`."""

from __future__ import annotations

import marked
from rigidsim.scene.expressions.vectors import FUNCTIONS as OF_VECTORS
from rigidsim.scene.expressions.vocabulary import CALLED, FUNCTIONS, REWRITTEN, SPECIAL

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


def documents() -> dict[str, str]:
    """The pages with the functions as they are now."""
    made = {"scene/expressions.md": {"functions": described()}, "scene/oracle.md": {"functions": described_special()}}
    return {page: marked.filled(page, tables) for page, tables in made.items()}


if __name__ == "__main__":
    marked.write(documents())
