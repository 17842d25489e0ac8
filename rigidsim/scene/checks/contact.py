"""Checks of contact: groups that do not exist, shapes that cannot collide, too many surfaces, nothing to record."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.meetings import Meetings
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.outlines import described
from rigidsim.scene.schema.material import Groups
from rigidsim.scene.schema.record import CONTACTS
from rigidsim.scene.text.document import Path, shown

MOST_SURFACES = 1000
"""Of which each two have values of their own: a million."""
MOST_NAMED = 10
SMALLEST, LARGEST = 1e-50, 1e50
"""Bounds of the half sizes and radii of what collides, m: products of several are finite and do not vanish."""


def group_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every group to collide with to which nothing belongs."""
    given = list(_groups(hierarchy))
    known = dict.fromkeys(groups.group for _, groups in given if groups.group is not None)
    for place, groups in given:
        for index, name in enumerate(getattr(groups, "with") or ()):
            if name not in known:
                yield Finding(
                    "group", f"there is no group '{shown(name)}'", (*place, "with", index), _hint(name, known)
                )


def _groups(hierarchy: Hierarchy) -> Iterator[tuple[Path, Groups]]:
    for node in hierarchy:
        if isinstance(node.body.collide, Groups):
            yield (*node.place, "collide"), node.body.collide
        for index, shape in enumerate(node.body.shapes):
            if isinstance(shape.collide, Groups):
                yield (*node.place, "shapes", index, "collide"), shape.collide


def _hint(name: str, known: dict[str, None]) -> str:
    close = get_close_matches(name, known, n=1)
    if close:
        return f"did you mean '{shown(close[0])}'?"
    named = [*map(shown, list(known)[:MOST_NAMED]), *["..."][: len(known) > MOST_NAMED]]
    return f"there are: {', '.join(named)}" if known else "no shape has a group; write collide: {group: name} there"


def contact_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Shapes that cannot collide although contact is asked for; too many surfaces. The scene is valid otherwise."""
    meetings = Meetings(hierarchy.scene)
    record = hierarchy.scene.simulation.record or ()
    if CONTACTS in record and not meetings.is_on:
        message = "there are no contacts to record: no two shapes can touch, or contact is switched off"
        hint = "omit it, or give the bodies shapes and set simulation.contact"
        yield Finding("record", message, ("simulation", "record", record.index(CONTACTS)), hint)
    count = len(meetings.surfaces.all)
    if meetings.settings.mode != "off" and count > MOST_SURFACES:
        message = f"the shapes have {count} different materials and groups, at most {MOST_SURFACES} are possible"
        yield Finding("contact", message, ("bodies",), "use the same values for many bodies")
    for shape in (meetings.surfaces.shapes[k] for k in sorted(meetings.met)):
        metres, outline = shape.node.metres_per_unit, shape.outline
        is_sized = all(SMALLEST < metres * size < LARGEST for size in outline.sizes)
        if not is_sized or not all(metres * abs(part) < LARGEST for part in outline.position):
            what = "position" if is_sized else "size"
            bounds = f"below {LARGEST:g} m" if is_sized else f"between {SMALLEST:g} and {LARGEST:g} m"
            message = f"the {what} of the shape is not {bounds}, so it cannot collide"
            yield Finding("contact", message, (*shape.node.place, "shapes", shape.number), "write collide: false here")
    if meetings.settings.mode == "stepping":
        for shape in (meetings.surfaces.shapes[k] for k in sorted(meetings.unsupported)):
            hint = "write collide: false here, or contact: auto, under which such shapes are left out"
            place = (*shape.node.place, "shapes", shape.number)
            yield Finding("contact", f"{described(shape.shape)} cannot collide in this version", place, hint)
