"""Scenes, states, trajectories and sweeps as small pieces of HTML, for notebooks. All text is escaped; nothing in them
is executed or loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

import numpy as np

from rigidsim.errors import FormatError, RigidsimError
from rigidsim.hindsight.colours import colour_of
from rigidsim.report.courses import Course, courses
from rigidsim.report.states import StateTable
from rigidsim.report.sweep_inspection import Statistics, range_of
from rigidsim.report.table import number
from rigidsim.report.wording import counted
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.mass import own_mass
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.motion import time_span
from rigidsim.trajectory.stored import as_format_error
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of

SHOWN_BODIES, SHOWN_ROWS, LONGEST_TEXT = 12, 40, 300
SHOWN_COURSES = ("kinetic_energy", "energy_drift")
MOST_SAMPLES = 1_000_000
"""With more, energies are not drawn: a notebook shows its results at once."""
WIDTH, HEIGHT = 220, 36  # of a small drawing, pixels
INDENT = "\N{NO-BREAK SPACE}" * 4


def html_of_trajectory(trajectory: Trajectory) -> str:
    """Title, status and sampling, the energies over time, and the last state of the first bodies."""
    about = [counted(len(trajectory), "body", "bodies"), time_span(trajectory.time), trajectory.status]
    lines = [_heading("Trajectory", trajectory.header.title), _paragraph("; ".join(about))]
    if trajectory.message:
        lines.append(_paragraph(trajectory.message))
    try:
        if trajectory.has_diagnostics and 1 < len(trajectory.time) <= MOST_SAMPLES:
            lines.append(_drawings(courses(trajectory, SHOWN_COURSES)))
        lines.append(_state_table(sample_of(trajectory, -1)))
    except RigidsimError as error:  # damaged, or closed
        lines.append(_paragraph(f"not shown: {error}"))
    return _piece(lines)


def html_of_state(state: State) -> str:
    """The first bodies at one time."""
    return _piece([_heading("State", state.header.title), _state_table(state)])


def html_of_scene(scene: Scene) -> str:
    """Title, step and duration, and the tree of the first bodies."""
    nodes = list(Hierarchy(scene))
    kinds = Counter(node.kind for node in nodes)
    settings = scene.simulation
    counts = f"{counted(len(nodes), 'body', 'bodies')} ({', '.join(f'{n} {kind}' for kind, n in kinds.items())})"
    run = f"{settings.duration:g} s in steps of {settings.step:g} s"
    table = _table(["body", "kind", "parent", "mass, kg"], [_row(node) for node in nodes[:SHOWN_ROWS]], len(nodes), 3)
    return _piece([_heading("Scene", scene.title or scene.name), _paragraph(f"{counts}; {run}"), table])


def html_of_sweep(sweep: Sweep) -> str:
    """The plan, how the runs ended, the ranges of the varied values, the metrics, and the first failures."""
    lines = [_heading("Sweep", sweep.path), _paragraph(sweep.description)]
    if sweep.is_closed:
        return _piece([*lines, _paragraph("not shown: the file is closed")])
    try:
        with as_format_error(sweep.path):
            return _piece([*lines, *_of_runs(sweep)])
    except FormatError as error:
        return _piece([*lines, _paragraph(f"not shown: {error}")])


def _of_runs(sweep: Sweep) -> list[str]:
    counts = Counter(sweep.runs["status"].tolist())
    lines = [_paragraph(", ".join(f"{count:,} {status}" for status, count in counts.items()))]
    lines += [_paragraph(range_of(sweep, name)) for name in sweep.names[:SHOWN_ROWS]]
    found = (Statistics.of(name, "", values, sweep.numbers) for name, values in sweep.metrics.items())
    rows = [one.row() for one in islice(filter(None, found), SHOWN_ROWS)]
    if rows:
        head = ["metric", "least", "mean", "most", "run of least", "run of most"]
        lines.append(_table(head, rows, len(sweep.metrics), 1))
    failed = [[str(sweep.numbers[k]), sweep.values_text(k), sweep.error_at(k)] for k in sweep.failed[:5].tolist()]
    return [*lines, *([_table(["failed run", "values", "error"], failed, len(sweep.failed), 3)] if failed else [])]


def _row(node: SceneNode) -> list[str]:
    """The name of a node, indented by level, its kind, parent and own mass."""
    name = INDENT * node.path.count("/") + node.path.rsplit("/", 1)[-1]
    mass = number(own_mass(node.body, node.metres_per_unit).mass) if node.body.has_mass else ""
    return [name, node.kind, "world" if node.parent is None else node.parent.path, mass]


def _state_table(state: State) -> str:
    table = StateTable.of(state, most=SHOWN_BODIES)
    about = zip(table.bodies, table.cells("position", 3), table.cells("velocity", 3), strict=True)
    rows = [[body.path, body.kind, *position, *velocity] for body, position, velocity in about]
    head = ["body", "kind", *(f"{name}, m" for name in "xyz"), *(f"v{name}, m/s" for name in "xyz")]
    return _paragraph(f"at t = {number(state.time)} s, in the world") + _table(head, rows, len(state), 2)


def _drawings(found: Sequence[Course]) -> str:
    """A small drawing of each course, with its name and range."""
    return "".join(
        f'<figure style="display:inline-block;margin:0 1em 0.5em 0"><figcaption>{_text(_caption(one))}</figcaption>'
        f"{_drawing(one)}</figure>"
        for one in found
    )


def _caption(one: Course) -> str:
    return f"{one.name.replace('_', ' ')}: {one.least:.4g} to {one.greatest:.4g} {one.unit}"


def _drawing(one: Course) -> str:
    """The band between the least and the greatest value of each group of samples that has finite ones."""
    _, low, high = one.columns(WIDTH // 2)
    places = np.linspace(0, WIDTH, len(low)).tolist()
    band = [(x, _down(one, a), _down(one, b)) for x, a, b in zip(places, low, high, strict=True) if np.isfinite(a)]
    points = [f"{x:.1f},{upper + 1:.1f}" for x, _, upper in band]
    points += [f"{x:.1f},{lower + 2:.1f}" for x, lower, _ in reversed(band)]
    colour = colour_of(0)
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT + 3}" role="img">'
        f'<polygon points="{" ".join(points)}" fill="{colour}" stroke="{colour}"/></svg>'
    )


def _down(one: Course, value: float) -> float:
    """How far a value is below the greatest one, in pixels."""
    return HEIGHT / 2 if one.is_constant else HEIGHT * (one.greatest - value) / (one.greatest - one.least)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], total: int, n_text: int) -> str:
    """A table whose first `n_text` columns are text, the others numbers."""
    lines = [_line("td", row, n_text) for row in rows]
    more = f'<tr><td colspan="{len(head)}">... and {total - len(rows):,} more</td></tr>' if total > len(rows) else ""
    return f"<table><thead>{_line('th', head, n_text)}</thead><tbody>{''.join(lines)}{more}</tbody></table>"


def _line(tag: str, row: Sequence[str], n_text: int) -> str:
    sides = ["left"] * n_text + ["right"] * (len(row) - n_text)
    cells = [f'<{tag} style="text-align:{side}">{_text(cell)}</{tag}>' for cell, side in zip(row, sides, strict=True)]
    return f"<tr>{''.join(cells)}</tr>"


def _heading(kind: str, title: object) -> str:
    return f"<p><b>{kind}</b> {_text(title)}</p>"


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _text(text: object) -> str:
    """Text of the user, of a bounded length, without anything that HTML or a terminal would act on."""
    clipped = str(text)
    clipped = clipped if len(clipped) <= LONGEST_TEXT else clipped[: LONGEST_TEXT - 3] + "..."
    return escape("".join(c if c.isprintable() or c == INDENT[0] else " " for c in clipped))


def _piece(lines: Iterable[str]) -> str:
    return f"<div>{''.join(lines)}</div>"
