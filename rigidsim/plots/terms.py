"""What a path is bent and a body is turned by: the terms of the acceleration relative to the parent, over time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes

from rigidsim.analysis.colours import colour_of
from rigidsim.analysis.path_directions import AT_REST, directions
from rigidsim.analysis.quantities import named, short_name
from rigidsim.errors import UsageError
from rigidsim.plots.history import PlottedHistory, Request
from rigidsim.plots.marks import draw_marks
from rigidsim.plots.style import FAINT, INK, LINES, draw_legend, label_axes, shortened
from rigidsim.trajectory.fields import angular_terms, linear_terms

TERM_KINDS = ("terms", "linear_terms", "angular_terms")
"""Of the acceleration and the angular acceleration of a body, or of one of them."""
NAMES = {
    "applied": "forces",
    "linear": "linear (frame accelerates)",
    "euler": "Euler (frame spins up)",
    "centrifugal": "centrifugal",
    "coriolis": "Coriolis",
    "angular_applied": "torques",
    "angular_parent": "frame spins up",
    "angular_transport": "transport (frame turns)",
    "angular_contact": "contact",
    "joint": "joints",
    "angular_joint": "joints",
}
NEGLIGIBLE = 1e-9
"""A term is not drawn if it always is below this, relative to the largest."""
NEARLY = 1e-3
"""Terms cancel each other if their sum is below this, relative to the largest of them at that time; a body is at rest
if its speed is below this, too, relative to the highest.
"""


def terms_panels(request: Request) -> list[TermsPanel]:
    """The panels of a body: the terms across its path and along it, with gaps while it is at rest, or along the largest
    term if they always cancel; and those of its angular acceleration about the axes of its parent. What has no terms is
    left out.

    Raises UsageError if the terms were not recorded, or all are zero.
    """
    history, body, kind = request.history, request.body, request.kind
    header = history.trajectory.header
    if not header.with_terms:
        scene = header.scene_name or "SCENE"
        raise UsageError(f"{body}.{kind}: no terms were recorded; `rigidsim run {scene} --terms` records them")
    of_path, of_rotation = (of(bool(header.shapes), bool(header.joints)) for of in (linear_terms, angular_terms))
    linear, angular = (
        Terms(history, body, [field.name.removeprefix("terms/") for field in fields], total)
        for fields, total in ((of_path, "acceleration"), (of_rotation, "angular_acceleration"))
    )
    panels = {"linear_terms": _linear_panels(linear, body), "angular_terms": _angular_panels(angular, body)}
    found = [panel for name, drawn in panels.items() if kind in ("terms", name) for panel in drawn]
    if not found:
        raise UsageError(f"{body}.{kind}: all terms of its acceleration are zero")
    return found


def _linear_panels(terms: Terms, body: str) -> Iterator[TermsPanel]:
    name, seen = shortened(short_name(body)), f"seen from {terms.frame}"
    if not terms.each:
        return
    along, across, is_at_rest, is_balanced = terms.path_directions()
    if is_balanced.all():
        largest = NAMES.get(terms.largest, terms.largest)
        direction = directions(np.zeros_like(along), terms.each[terms.largest])[0]
        yield TermsPanel(terms, direction, f"along {largest}, m/s²", f"what acts on {name} cancels, {seen}")
        return
    across[is_at_rest] = along[is_at_rest] = np.nan
    yield TermsPanel(terms, across, "across the path, m/s²", f"what bends the path of {name}, {seen}")
    yield TermsPanel(terms, along, "along the path, m/s²")


def _angular_panels(terms: Terms, body: str) -> Iterator[TermsPanel]:
    title = f"what turns {shortened(short_name(body))}, about the axes of {terms.frame}"
    largest = np.array([np.abs(term).max(axis=0, initial=0.0) for term in terms.each.values()] or [np.zeros(3)])
    for axis, letter in enumerate("xyz"):
        if largest[:, axis].max() > NEARLY * largest.max():
            direction = np.broadcast_to(np.eye(3)[axis], terms.total.shape)
            yield TermsPanel(terms, direction, f"about {letter}, rad/s²", title)
            title = ""


class Terms:
    """The terms of an acceleration that matter, (time, 3) each, and their sum."""

    def __init__(self, history: PlottedHistory, body: str, terms: list[str], total: str):
        self.history, self.body = history, body
        self.frame = shortened(short_name(history.trajectory[body].parent)) or "the world"
        names = [total, "velocity", *terms]
        self.time, values = history.read(*(named(history.trajectory, f"{body}.terms.{name}") for name in names))
        found = dict(zip(names, np.moveaxis(values.reshape(len(values), -1, 3), 1, 0), strict=True))
        self.total, self.velocity = found[total], found["velocity"]
        sizes = {name: float(np.nanmax(_norm(found[name]), initial=0.0)) for name in terms}
        self.largest = max(terms, key=sizes.__getitem__)
        self.each = {name: found[name] for name in terms if sizes[name] > NEGLIGIBLE * sizes[self.largest]}
        self.numbers = {name: number for number, name in enumerate(terms)}

    def path_directions(self) -> tuple[np.ndarray, ...]:
        """Along the path and across it, (time, 3), zero where there is none; whether the body is at rest, and whether
        the terms cancel, (time).
        """
        speed, scale = _norm(self.velocity), np.max([_norm(term) for term in self.each.values()], axis=0)
        is_slow = speed <= np.maximum(NEARLY * speed.max(), AT_REST * scale)
        is_balanced = _norm(self.total) <= NEARLY * scale
        velocity = np.where(is_slow[:, np.newaxis], 0.0, self.velocity)
        total = np.where(is_balanced[:, np.newaxis], 0.0, self.total)
        return *directions(velocity, total), is_slow & is_balanced, is_balanced


class TermsPanel:
    """The components of terms in a direction (time, 3) over time, and that of their sum."""

    is_wide, projection, height = True, None, 2.2

    def __init__(self, terms: Terms, direction: np.ndarray, axis: str, title: str = ""):
        self.terms, self.direction, self.axis, self.title = terms, direction, axis, title

    def draw(self, axes: Axes, is_first: bool) -> None:
        """Draw the terms, and their sum as a broad line below them."""
        terms = self.terms
        handles = axes.plot(terms.time, self._part(terms.total), color=FAINT, linewidth=4, zorder=1)
        for name, term in terms.each.items():
            k = terms.numbers[name]
            handles += axes.plot(terms.time, self._part(term), color=colour_of(k), linestyle=LINES[k % len(LINES)])
        axes.axhline(0.0, color=INK, linewidth=0.6, zorder=0)
        axes.margins(x=0)
        label_axes(axes, y=self.axis, title=self.title)
        marks = draw_marks(axes, terms.history, {terms.body}, is_first and not self.title)
        names = ["sum", *(NAMES.get(name, name) for name in terms.each)]
        draw_legend(axes, [*handles, *marks.values()], [*names, *marks])

    def _part(self, term: np.ndarray) -> np.ndarray:
        return np.sum(term * self.direction, axis=1)


def _norm(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors, axis=1)
