"""The triggers of a scene: what happens when a condition becomes true, and what else Python does during a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rigidsim.quantities.vocabulary import PARENT
from rigidsim.scene.expressions import Apply, Expression, Number
from rigidsim.scene.expressions.tree import StateRead
from rigidsim.scene.expressions.vocabulary import OWN_FRAMES
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.changes import CHANGES, STATES
from rigidsim.scene.schema.scene import SceneData
from rigidsim.scene.text.document import Path, path_text

EMPTY, REPARENT, IMPULSE, CHANGE, STATE, STOP = "empty", "reparent", "impulse", "change", "state", "stop"


class Passing(NamedTuple):
    """A passage of a state machine, by numbers; the first state of a machine follows none, -1."""

    machine: int
    source: int
    target: int


class Trigger(NamedTuple):
    """A condition, or a time, with what happens then."""

    kind: str
    id: str  # that of the event
    place: Path
    number: int = 0  # among the reparentings, or the impulses of the body; of a tank its node
    condition: Expression | None = None
    rearm: Expression | None = None
    every: bool = False
    delay: float = 0.0  # s
    time: float | None = None  # s, without a condition; of a passage since its state began
    setting: int = -1  # the number of what is set, if anything is
    passing: Passing | None = None
    name: str = ""


class Setting(NamedTuple):
    """Values for numbers of a scene, by the paths that overrides have, and where they stand."""

    place: Path
    numbers: Mapping[str, Any]


def settings_in(scene: SceneData) -> list[Setting]:
    """All that is set during a run, in the order of the file: by changes, then by the states of machines."""
    changes = (Setting((CHANGES, k, "set"), change.set) for k, change in enumerate(scene.changes))
    states = (
        Setting((STATES, machine, name, "set"), state.set)
        for machine, states in scene.states.items()
        for name, state in states.items()
        if state.set
    )
    return [*changes, *states]


def triggers_in(hierarchy: Hierarchy) -> Iterator[Trigger]:
    """Every trigger, in the order in which they happen at one instant: tanks that run empty, reparentings, impulses,
    changes of numbers, passages between states, the end of the run; of one kind in the order of the file.
    """
    scene = hierarchy.scene
    for node in hierarchy:
        if node.joint is not None and node.joint.is_tank:
            place, left = (*node.place, "motion", node.joint.type), StateRead("mass", 0, node.path, OWN_FRAMES[PARENT])
            yield Trigger(EMPTY, f"{node.path}.motion.tank", place, node.index, _is_used_up(left), name="empty")
    for number, event in enumerate(scene.reparent):
        if event.when is not None:
            yield Trigger(REPARENT, f"reparent[{number}]", ("reparent", number, "when"), number, **dict(event.when))
    for node in hierarchy:
        for number, impulse in enumerate(node.body.impulses):
            if impulse.when is not None:
                place, id = (*node.place, "impulses", number, "when"), f"{node.path}.impulses[{number}]"
                yield Trigger(IMPULSE, id, place, number, **dict(impulse.when))
    if scene.changes or scene.states:
        yield from _changes(scene)
    if scene.simulation.stop is not None:
        place = ("simulation", "stop")
        yield Trigger(STOP, path_text(place), (*place, "when"), **dict(scene.simulation.stop.when))


def _is_used_up(left: StateRead) -> Expression:
    """Whether a mass is zero, or less."""
    return Expression(f"= mass('{left.body}') <= 0", Apply("less_equal", (left, Number(0.0))))


def _changes(scene: SceneData) -> Iterator[Trigger]:
    """Every change of numbers, then every beginning of a state, machine by machine."""
    numbers = {setting.place: number for number, setting in enumerate(settings_in(scene))}
    for k, change in enumerate(scene.changes):
        how = {"time": change.time} if change.when is None else dict(change.when)
        place: Path = (CHANGES, k, "when")
        yield Trigger(CHANGE, f"{CHANGES}[{k}]", place, setting=numbers[(CHANGES, k, "set")], name=change.name, **how)
    for number, (machine, states) in enumerate(scene.states.items()):
        names = [*states]
        passages = ((one, other, way) for one, state in states.items() for other, way in state.to.items())
        for source, target, passage in (*((None, name, None) for name in names[:1]), *passages):
            place = (STATES, machine) if source is None else (STATES, machine, source, "to", target)
            ends = -1 if source is None else names.index(source), names.index(target) if target in names else -1
            condition, time = (None, 0.0) if passage is None else (passage.condition, passage.after)
            yield Trigger(
                STATE, path_text(place), place, setting=numbers.get((STATES, machine, target, "set"), -1),
                passing=Passing(number, *ends), name=target, condition=condition, time=time,
            )  # fmt: skip
