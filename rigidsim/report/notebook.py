"""What a notebook shows of scenes, states, trajectories and sweeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from rigidsim.analysis.colours import colour_of
from rigidsim.errors import FormatError, RigidsimError
from rigidsim.report.sections import INDENT, CellTable, Report, Section, html_text
from rigidsim.report.sparklines import Sparkline, sparklines
from rigidsim.report.states import StateTable
from rigidsim.report.sweep_inspection import metric_statistics, run_sections, statistics_table
from rigidsim.report.table import number
from rigidsim.report.wording import counted
from rigidsim.scene import Scene
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.motion import time_span
from rigidsim.trajectory.stored import as_format_error
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of
from rigidsim.tree.nodes import path_of

SHOWN_BODIES, SHOWN_ROWS, SHOWN_FAILURES = 12, 40, 5
SHOWN_COURSES = ("kinetic_energy", "energy_drift")
MOST_SAMPLES = 1_000_000
"""With more, energies are not drawn: a notebook shows its results at once."""
WIDTH, HEIGHT = 220, 36  # of a small drawing, pixels


@singledispatch
def html_of(shown: object) -> str:
    """HTML of a scene, state, trajectory or sweep."""
    raise TypeError(f"a {type(shown).__name__} has no HTML")


@html_of.register
def _of_trajectory(trajectory: Trajectory) -> str:
    """Title, status and sampling, the energies over time, and the last state of the first bodies."""
    about = [counted(len(trajectory), "body", "bodies"), time_span(trajectory.time), trajectory.status]
    lines = ["; ".join(about), *filter(None, [trajectory.message])]
    sections = [Section(lines=[trajectory.header.title, *lines], kind="Trajectory")]
    try:
        if trajectory.has_diagnostics and 1 < len(trajectory.time) <= MOST_SAMPLES:
            found = sparklines(trajectory, SHOWN_COURSES)
            sections.append(Section(drawing=lambda: _drawings(found)))
        sections.append(_last_state(sample_of(trajectory, -1)))
    except RigidsimError as error:  # damaged, or closed
        sections.append(Section(lines=[f"not shown: {error}"]))
    return Report(*sections).html()


@html_of.register
def _of_state(state: State) -> str:
    """The first bodies at one time."""
    return Report(Section(lines=[state.header.title], kind="State"), _last_state(state)).html()


@html_of.register
def _of_scene(scene: Scene) -> str:
    """Title, step and duration, and the tree of the first bodies."""
    nodes = list(scene.hierarchy)
    kinds = Counter(node.kind for node in nodes)
    settings = scene.simulation
    counts = f"{counted(len(nodes), 'body', 'bodies')} ({', '.join(f'{n} {kind}' for kind, n in kinds.items())})"
    run = f"{settings.duration:g} s {settings.pace}"
    rows = []
    for node in nodes[:SHOWN_ROWS]:
        name, parent = INDENT * node.path.count("/") + node.path.rsplit("/", 1)[-1], scene.hierarchy.parent(node)
        rows.append([name, node.kind, path_of(parent) or "world", number(node.mass.mass) if node.mass else ""])
    table = CellTable(["body", "kind", "parent", "mass, kg"], rows, len(nodes) - len(rows), texts=3)
    return Report(Section(lines=[scene.title or scene.name, f"{counts}; {run}"], kind="Scene", table=table)).html()


@html_of.register
def _of_sweep(sweep: Sweep) -> str:
    """The plan, how the runs ended, the ranges of the varied values, the metrics, and the first failures."""
    title, reason = Section(lines=[str(sweep.path), sweep.description], kind="Sweep"), "the file is closed"
    try:
        if not sweep.is_closed:
            with as_format_error(sweep.path):
                metrics = Section(table=statistics_table(metric_statistics(sweep), SHOWN_ROWS))
                *about, failed = run_sections(sweep, SHOWN_FAILURES)
                return Report(title, *about, metrics, failed).html()
    except FormatError as error:
        reason = str(error)
    return Report(title, Section(lines=[f"not shown: {reason}"])).html()


def _last_state(state: State) -> Section:
    table, names = StateTable(state, most=SHOWN_BODIES), ("position", "velocity")
    rows = [[node.path, node.kind, *row] for node, row in zip(table.nodes, table.rows(*names), strict=True)]
    lines = [f"at t = {number(state.time)} s, in the world"]
    return Section(lines=lines, table=CellTable(["body", "kind", *table.head(*names)], rows, table.others, texts=2))


def _drawings(found: Sequence[Sparkline]) -> str:
    """A small drawing of each course, with its name and range."""
    shown = []
    for one in found:
        caption = f"{one.name.replace('_', ' ')}: {one.least:.4g} to {one.greatest:.4g} {one.unit}"
        style = "display:inline-block;margin:0 1em 0.5em 0"
        shown.append(f'<figure style="{style}"><figcaption>{html_text(caption)}</figcaption>{_drawing(one)}</figure>')
    return "".join(shown)


def _drawing(one: Sparkline) -> str:
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


def _down(one: Sparkline, value: float) -> float:
    """How far a value is below the greatest one, in pixels."""
    return HEIGHT / 2 if one.is_constant else HEIGHT * (one.greatest - value) / (one.greatest - one.least)
