"""Names in a scene that stand for no body, with a suggestion: paths, patterns of what is recorded, quantities of the
oracle.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain, islice

from rigidsim.quantities.names import bodies_called, is_pattern, matches, read_name
from rigidsim.quantities.vocabulary import BODY, JOINT, LOOP, PARENT, REACTION
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.expressions.vocabulary import OF_JOINTS, SELF
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.references import coordinate_reads, quantities, references
from rigidsim.scene.schema.let import KEY as QUANTITIES
from rigidsim.scene.schema.oracle import KEY, Reference
from rigidsim.scene.schema.record import JOINTS, LOOPS, RecordedPart
from rigidsim.scene.text.document import Path, shown
from rigidsim.tree.joints import NAMES, coordinate_called, without_coordinate
from rigidsim.tree.nodes import WORLD

MOST_NAMED, MOST_MEANT = 10, 5
MOST_HINTED, MOST_COMPARED = 20, 3000
"""Number of names that get a suggestion, and number of paths each is compared with; a scene may have 100 000 of
both.
"""


def reference_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every path that refers to no body."""
    known = KnownPaths(node.path for node in hierarchy)
    for place, name, words in references(hierarchy):
        yield from known.unknown(place, name, words)
    yield from _parent_findings(hierarchy)
    for place, name, body in coordinate_reads(hierarchy):
        if body in hierarchy:
            yield from coordinate_findings(hierarchy, name, body, place)
            if QUANTITIES not in place[-2:]:
                yield from _lasting_findings(hierarchy, hierarchy[body], place)
        else:
            yield from known.unknown(place, body)


def _parent_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """A finding for each quantity that refers to the parent of a body whose parent changes."""
    changing = {event.body for event in hierarchy.scene.reparent}
    for place, quantity in quantities(hierarchy):
        states = [state for state in quantity.own_states if state.quantity not in OF_JOINTS]
        reads = any(PARENT in (state.body, state.body != SELF and state.observer) for state in states)
        if reads and "/".join(map(str, place[1:-2:2])) in changing:
            message = "this reads the parent, or another body as the parent sees it, and the parent changes"
            yield Finding("quantity", message, place, 'name the frame: x("moon", "world")')


def _lasting_findings(hierarchy: Hierarchy, node: SceneNode, place: Path) -> Iterator[Finding]:
    """A finding if a load reads a coordinate that is not there all the time. A motor has an end with its joint."""
    is_own = place == (*node.place, "motion", node.joint and node.joint.type, "motor")
    if node.path in hierarchy.joint_types and not is_own and not hierarchy.keeps_joint(node):
        message = f"'{node.path}' is not on its joint for the whole run, so a load cannot read its coordinates"
        yield Finding("quantity", message, place, "read its motion relative to its parent, such as orientation")


class KnownPaths:
    """The paths of all bodies, or the names of all loops, and the findings about others."""

    def __init__(self, paths: Iterable[str], what: str = "body"):
        self._what = what
        self._paths = dict.fromkeys(paths)
        self._hints: dict[tuple[str, ...], str] = {}

    def unknown(self, place: Path, name: str, words: Collection[str] = ()) -> Iterator[Finding]:
        """A finding if this is neither the path of a body nor one of the words."""
        if name in self._paths or name in words:
            return
        asked = (name, *words)
        if asked not in self._hints:
            self._hints[asked] = self._hint(name, words) if len(self._hints) < MOST_HINTED else ""
        yield Finding("reference", f"there is no {self._what} '{shown(name)}'", place, self._hints[asked])

    def unclear(self, place: Path, name: str, words: Collection[str] = ()) -> Iterator[Finding]:
        """A finding if this is no word, and neither the path of one body nor the end of it; empty is no name."""
        found = [name] if name in words or not name else bodies_called(name, self._paths)
        if not found:
            yield from self.unknown(place, name, words)
        elif len(found) > 1 and not is_pattern(name):
            named = ", ".join(map(shown, found[:MOST_MEANT])) + ", ..." * (len(found) > MOST_MEANT)
            message = f"{len(found)} bodies are called '{shown(name)}'"
            yield Finding("reference", message, place, f"write one of {named}")

    def _hint(self, name: str, words: Collection[str]) -> str:
        numbered = re.compile("/".join(f"{re.escape(part)}(_[0-9]+)?" for part in name.split("/")))
        copies = [path for path in self._paths if numbered.fullmatch(path)]
        if len(copies) > 1:
            return f"there are {shown(copies[0])} ... {shown(copies[-1])}"
        compared = list(islice(chain(words, self._paths), MOST_COMPARED))
        close = [path for path in self._paths if path.endswith(f"/{name}")] or get_close_matches(name, compared, n=1)
        named = [*map(shown, compared[: len(words) + MOST_NAMED]), *["..."][: len(self._paths) > MOST_NAMED]]
        return f"did you mean '{shown(close[0])}'?" if close else f"there are: {', '.join(named)}"


def record_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every path and pattern of `simulation.record` that stands for no body."""
    record = hierarchy.scene.simulation.record or ()
    absent = [(JOINTS, "no body is on a joint")] * (not hierarchy.joint_types)
    absent += [(LOOPS, "the scene has no loops")] * (not hierarchy.scene.world.loops)
    for name, why in absent:
        if name in record:
            message = f"{why}, so there is nothing to record of {name}"
            yield Finding("record", message, ("simulation", "record", record.index(name)), "omit it")
    parts = [(index, part) for index, part in enumerate(record) if isinstance(part, RecordedPart)]
    if not parts:
        return
    paths = dict.fromkeys(node.path for node in hierarchy)
    known = KnownPaths(paths)
    for index, part in parts:
        for number, name in enumerate(part.bodies):
            place = ("simulation", "record", index, "bodies", number)
            if not is_pattern(name):
                yield from known.unknown(place, name)
            elif not matches(name, paths):
                yield Finding("reference", f"no body matches '{shown(name)}'", place, _hint(name, paths))


def _hint(pattern: str, paths: Collection[str]) -> str:
    """The pattern with each name that no body has replaced by a similar one, if that matches anything."""
    names = {name for path in paths for name in path.split("/")}
    parts = [
        part if part in names else (get_close_matches(part, names, n=1) or [part])[0] for part in pattern.split("/")
    ]
    for candidate in ("/".join(parts), f"**/{pattern.lstrip('*/')}", pattern.removesuffix("/**").removesuffix("/*")):
        if candidate != pattern and matches(candidate, paths):
            return f"did you mean '{shown(candidate)}'?"
    return "* stands for any part of one name, ** for any part of a path"


def oracle_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every name of a body in the oracle that does not stand for one body, and every list of a wrong length."""
    if not hierarchy.scene.oracle:
        return
    known, loops = KnownPaths(node.path for node in hierarchy), known_loops(hierarchy)
    for text, reference in hierarchy.scene.oracle.items():
        place = (KEY, text)
        if hierarchy.scene.scope.named(text):
            yield from _length_findings((), reference, place)
            continue
        name = read_name(text)
        if name.body and name.kind.needs == LOOP:
            yield from (replace(finding, at_key=True) for finding in loops.unknown(place, name.body))
            yield from _length_findings(name.components, reference, place)
            continue
        for body, words in ((name.body, ()), (name.other, ()), (name.frame, (WORLD, PARENT, BODY))):
            yield from (replace(finding, at_key=True) for finding in known.unclear(place, body, words))
        if name.body and name.kind.needs in (JOINT, REACTION):
            found = coordinate_findings(hierarchy, name.quantity, name.body, place)
            yield from (replace(finding, at_key=True) for finding in found)
        yield from _length_findings(name.components, reference, place)


def known_loops(hierarchy: Hierarchy) -> KnownPaths:
    """The names of all loops."""
    return KnownPaths(loop_names(hierarchy.scene.world.loops), "loop")


def coordinate_findings(hierarchy: Hierarchy, name: str, body: str, place: tuple) -> Iterator[Finding]:
    """A finding for each body of a name that is not on a joint with such a coordinate."""
    for path in bodies_called(body, [node.path for node in hierarchy]):
        node = hierarchy[path]
        type = hierarchy.joint_types.get(path)
        if type is None or (name in NAMES and coordinate_called(name, type) is None):
            yield Finding("quantity", without_coordinate(node.kind, path, type, name), place)


def _length_findings(components: tuple, reference: Reference, place: tuple) -> Iterator[Finding]:
    given = len(reference.components)
    if given == max(1, len(components)) and isinstance(reference.value, tuple) == bool(components):
        return
    if not components:
        yield Finding("length", f"'{shown(place[1])}' is a single number, not a list of {given}", place)
        return
    expected = f"expected {len(components)} values [{', '.join(components)}]"
    got = f"a list of {given}" if isinstance(reference.value, tuple) else "one"
    hint = "null stands for a component that is not known"
    yield Finding("length", f"{expected}, got {got}", place, hint)
