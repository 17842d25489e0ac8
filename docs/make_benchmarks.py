"""Writes the measured tables of the pages and draws their figures: `python docs/make_benchmarks.py`.

Tables stand between `<!-- NAME | TITLE -->` and `<!-- end -->`, and are those of tests/perf/results/NAME.json, which
`python tests/perf/results.py NAME` measures. A comment `<!-- NAME | TITLE | A; B -->` has some of the columns, and
`<!-- NAME | TITLE | A; B | X -->` those rows whose first cell begins with X. A title may be the beginning of one.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGES = (HERE / "benchmarks.md", HERE / "accuracy.md", HERE.parent / "README.md")
RESULTS = HERE.parent / "tests" / "perf" / "results"
FIGURES = HERE / "figures"
PROBLEMS = ("tumbling top,", "tidy top,", "orbit,")
"""Beginnings of the titles of the diagram's panels."""
BLOCK = re.compile(r"<!-- (\w+) \| ([^|\n]+?)(?: \| ([^|\n]*?))?(?: \| ([^|\n]+?))? -->\n.*?<!-- end -->", re.DOTALL)


def result(name: str) -> dict:
    """What a benchmark measured."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def conditions(found: dict) -> str:
    """The sentences about where and when a table was measured."""
    machine, versions = found["machine"], dict(found["versions"])
    others = ", ".join(f"{name} {number}" for name, number in versions.items() if name != "rigidsim")
    return (
        f"Measured on {found['date']} by `{found['command']}` with rigidsim {versions['rigidsim']} on"
        f" {machine['cores']} cores of an {machine['processor']}. The load was {machine['load']:.1f} at the beginning"
        f" and {found['load_after']:.1f} at the end, other work included. Versions: {others}."
    )


def table_of(found: dict, title: str) -> dict:
    """The first table whose title begins so."""
    return next(one for one in found["tables"] if one["title"].startswith(title))


def table(found: dict, title: str, columns: str | None, first: str | None = None) -> str:
    """A table as Markdown, with the named columns, and rows whose first cell begins so."""
    one = table_of(found, title)
    names = columns.split("; ") if columns else one["columns"]
    places = [one["columns"].index(name) for name in names]
    rows = [[row[k] for k in places] for row in one["rows"] if row[0].startswith(first or "")]
    lines = [f"| {' | '.join(row)} |" for row in [names, *rows]]
    return "\n".join([lines[0], f"|{'---|' * len(names)}", *lines[1:]])


def block(match: re.Match) -> str:
    """A block of a page with its comments."""
    name, title, columns, first = match.groups()
    found = result(name)
    opening = match[0].partition("\n")[0]
    text = conditions(found) if title == "conditions" else table(found, title, columns, first)
    return f"{opening}\n{text}\n<!-- end -->"


def document(page: Path) -> str:
    """A whole page, with the tables of the results."""
    return BLOCK.sub(block, page.read_text())


# --- figures

COLOURS = {
    "euler": "#bbbbbb", "magnus": "#999999", "magnus2": "#d9a441", "rkmk4": "#2a9d4a", "adaptive": "#8e44ad",
    "taylor": "#d62728", "heyoka": "#1f77b4", "MuJoCo": "#333333", "Exudyn LG-RK44": "#8c564b",
    "Exudyn LG-RK67": "#e377c2", "Basilisk": "#17becf", "rigidsim": "#d62728", "Box3D": "#1f77b4", "Rapier": "#2a9d4a",
    "Bullet": "#8c564b", "Exudyn": "#8c564b",
}  # fmt: skip
AXES = {"xscale": "log", "yscale": "log"}


def colour(name: str) -> str:
    """That of the longest name which it begins with."""
    return COLOURS[max((known for known in COLOURS if name.startswith(known)), key=len)]


def begun(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    """A figure with panels of this size, inches."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def kept(figure: Any, name: str) -> None:
    """Write it as a picture of 64 colours."""
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=90)
    Image.open(drawn).convert("RGB").quantize(64).save(FIGURES / f"{name}.png", optimize=True)


def versions_of(found: dict, *names: str) -> str:
    """The line above a figure."""
    return f"{found['date']}: " + ", ".join(
        f"{name} {found['versions'][name]}" for name in ("rigidsim", *names) if name in found["versions"]
    )


def courses(rows: list[list[str]]) -> Iterator[tuple[str, str, list[float], list[float]]]:
    """Method, lanes, errors and milliseconds of each line of a diagram."""
    for name, lanes in dict.fromkeys((row[0], row[1]) for row in rows):
        points = [row for row in rows if (row[0], row[1]) == (name, lanes)]
        yield name, lanes, [max(float(row[3]), 1e-16) for row in points], [float(row[4]) for row in points]


def work_precision() -> None:
    """Error against time of three problems: solid lines one world, dashed ones a world in a block, dotted ones general
    code.
    """
    found = result("work_precision")
    figure, panels = begun(len(PROBLEMS), 1, 7.6, 4.2)
    lines: dict[str, Any] = {}
    for panel, problem in zip(panels, PROBLEMS, strict=True):
        rows = table_of(found, problem)["rows"]
        for name, lanes, errors, milliseconds in courses(rows):
            line = ":" if "general" in name else "-" if lanes == "1" else "--"
            label = name if lanes == "1" else f"{name}, a lane of {lanes}"
            style = {"color": colour(name), "linestyle": line, "marker": ".x"[lanes != "1"], "markersize": 5}
            lines.setdefault(label, panel.plot(errors, milliseconds, linewidth=1.2, **style)[0])
        panel.set(**AXES, title=problem.strip(","), ylabel="processor time of a world, ms", xlim=(5, 2e-16))
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel("error at the end, rad or m")
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    figure.suptitle(versions_of(found, "heyoka", "exudyn", "mujoco", "bsk"), fontsize=9)
    kept(figure, "work_precision")


def by_number() -> None:
    """Cost of a step by the number of free bodies, and of an evaluation by the number of rods of a pendulum."""
    figure, (left, right) = begun(1, 2, 4.2, 4.2)
    found = result("benchmark")
    one = table_of(found, "rkmk4 and peers")
    for k, name in enumerate(one["columns"]):
        if k > 0 and "/" not in name:
            label = name.replace("rkmk4", "rigidsim")
            style = {"color": colour(label), "linestyle": "--" if "16" in name else "-"}
            left.plot(
                *zip(*((int(row[0]), float(row[k])) for row in one["rows"]), strict=True), ".", label=label, **style
            )
    left.set(**AXES, title="free bodies", xlabel="bodies", ylabel="ns a body and step")
    one = table_of(result("joints_benchmark"), "Pendulums of n rods, rkmk4")
    at = {name: k for k, name in enumerate(one["columns"])}
    for name, lanes in dict.fromkeys((row[at["method"]], row[at["lanes"]]) for row in one["rows"]):
        rows = [row for row in one["rows"] if (row[at["method"]], row[at["lanes"]]) == (name, lanes)]
        points = [(int(row[0]), float(row[at["ns a rod and evaluation"]])) for row in rows]
        label = name.replace("rkmk4", "rigidsim") + (", a lane of 16" if lanes != "1" else "")
        line = (":" if "general" in name else "-") if lanes == "1" else "--"
        right.plot(*zip(*points, strict=True), ".", label=label, color=colour(label), linestyle=line)
    right.set(**AXES, title="pendulums of rods", xlabel="rods", ylabel="ns a rod and evaluation")
    for panel in (left, right):
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.suptitle(versions_of(found, "mujoco", "exudyn"), fontsize=9)
    kept(figure, "cost_by_number")


def piles() -> None:
    """Time of a step and the largest depth of two piles, beside other engines."""
    found = result("contact_benchmark")
    figure, panels = begun(1, 2, 4.2, 3.4)
    for panel, title in zip(panels, ("Spheres", "Stack of ten boxes"), strict=True):
        one = table_of(found, title)
        at = {name: k for k, name in enumerate(one["columns"])}
        for row in one["rows"]:
            place = (float(row[at["ms a step"]]), float(row[at["ever, mm"]]))
            panel.plot(*place, "o", color=colour(row[0]))
            panel.annotate(row[0], place, (5, 5), textcoords="offset points", fontsize=8)
        panel.set(**AXES, title=title.lower(), xlabel="a step, ms", ylabel="largest depth, mm")
        panel.margins(0.25)
        panel.grid(alpha=0.3, which="both")
    figure.suptitle(versions_of(found, "robox3d", "rapier3d", "mujoco", "pybullet"), fontsize=9)
    kept(figure, "piles_beside_peers")


DRAWN: dict[Callable[[], None], tuple[str, ...]] = {
    work_precision: ("work_precision",),
    by_number: ("benchmark", "joints_benchmark"),
    piles: ("contact_benchmark",),
}
"""The figures, and the results that they show."""


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(document(page))
    for draw, names in DRAWN.items():
        if all((RESULTS / f"{name}.json").exists() for name in names):
            draw()
