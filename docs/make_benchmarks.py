"""Writes the measured tables of docs/benchmarks.md: `python docs/make_benchmarks.py`.

They stand between `<!-- NAME: TITLE -->` and `<!-- end -->`, and are those of tests/perf/results/NAME.json, which
`python tests/perf/results.py NAME` measures. A comment `<!-- NAME: TITLE: A, B -->` has some of the columns.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

PAGE = Path(__file__).parent / "benchmarks.md"
RESULTS = PAGE.parents[1] / "tests" / "perf" / "results"
BLOCK = re.compile(r"<!-- (\w+): ([^:\n]+?)(?:: (.+?))? -->\n.*?<!-- end -->", re.DOTALL)


def result(name: str) -> dict:
    """What a benchmark measured."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def conditions(found: dict) -> str:
    """The sentence about where and when a table was measured."""
    machine, versions = found["machine"], dict(found["versions"])
    others = ", ".join(f"{name} {number}" for name, number in versions.items() if name != "rigidsim")
    return (
        f"Measured on {found['date']} by `{found['command']}` with rigidsim {versions['rigidsim']} on"
        f" {machine['cores']} cores of an {machine['processor']}. The load was {machine['load']:.1f} at the beginning"
        f" and {found['load_after']:.1f} at the end, other work included. Versions: {others}."
    )


def table(found: dict, title: str, columns: str | None) -> str:
    """A table as Markdown, with the named columns."""
    one = next(one for one in found["tables"] if one["title"].startswith(title))
    names = [name.strip() for name in columns.split(",")] if columns else one["columns"]
    places = [one["columns"].index(name) for name in names]
    rows = [names, *([row[k] for k in places] for row in one["rows"])]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(names)}", *lines[1:]])


def block(match: re.Match) -> str:
    """A block of the page with its comments."""
    name, title, columns = match.groups()
    found = result(name)
    opening = match[0].partition("\n")[0]
    text = conditions(found) if title == "conditions" else table(found, title, columns)
    return f"{opening}\n{text}\n<!-- end -->"


def document() -> str:
    """The whole page, with the tables of the results."""
    return BLOCK.sub(block, PAGE.read_text())


if __name__ == "__main__":
    PAGE.write_text(document())
