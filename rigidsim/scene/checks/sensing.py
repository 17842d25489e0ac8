"""Checks of sensors and controllers: clocks that miss the steps, what they read, and methods that cannot have them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim.quantities.names import is_pattern
from rigidsim.scene.checks.findings import Finding, incapable, is_whole
from rigidsim.scene.checks.metrics import state_findings
from rigidsim.scene.checks.references import KnownPaths, known_loops
from rigidsim.scene.expressions import Expression
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.controllers import Controller
from rigidsim.scene.schema.sensors import Contact, Encoder, Mounted, Range, Sensor, Value
from rigidsim.scene.schema.shapes import described
from rigidsim.scene.text.document import Path, shown
from rigidsim.tree.joints import coordinate_called, coordinates_of, without_coordinate


def sensing_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every problem of the sensors and controllers of a scene."""
    for node in hierarchy:
        for name, sensor in node.body.sensors.items():
            yield from _sensor_findings(hierarchy, node, name, sensor)
    expressions = [*_expressions(hierarchy)]
    known, loops = KnownPaths(node.path for node in hierarchy if expressions), known_loops(hierarchy)
    for place, expression in expressions:
        for state in expression.states:
            if is_pattern(state.body):
                yield Finding("reference", f"the value of which of '{shown(state.body)}'?", place, "write one path")
        yield from state_findings(hierarchy, expression, place, known, loops)
    for name, one in hierarchy.scene.controllers.items():
        place = ("controllers", name)
        yield from _clock_findings(hierarchy, (*place, "every"), one.every)
        if one.delay:
            yield from _clock_findings(hierarchy, (*place, "delay"), one.delay)
        if len(set(one.outputs_of(name))) < len(one.outputs_of(name)):
            yield Finding("outputs", "two outputs have one name", (*place, "outputs"))
    yield from _method_findings(hierarchy)


def _clock_findings(hierarchy: Hierarchy, place: Path, time: float) -> Iterator[Finding]:
    """A finding for a time that is no whole number of steps."""
    step = hierarchy.scene.simulation.step
    if not is_whole(ratio := time / step):
        few = math.floor(ratio)
        hint = "nearest: " + " and ".join(f"{count * step:.12g} s" for count in (few, few + 1) if count)
        if not hierarchy.scene.simulation.has_step:
            hint = f"the step is {step:g} s; write simulation.step"
        yield Finding("clock", f"{place[-1]} / step = {ratio:.9g} is not a whole number", place, hint)


def _sensor_findings(hierarchy: Hierarchy, node: SceneNode, name: str, sensor: Sensor) -> Iterator[Finding]:
    place = (*node.place, "sensors", name)
    yield from _clock_findings(hierarchy, (*place, "every"), sensor.every)
    if isinstance(sensor, Mounted) and sensor.is_apart and name in node.body.children:
        message = f"'{node.path}' has a child '{name}', which is the name of the sensor's frame"
        yield Finding("sensor-name", message, place, "choose another name", at_key=True)
    if isinstance(sensor, Encoder):
        yield from _encoder_findings(hierarchy, node, place, sensor)
    if isinstance(sensor, Contact) and not any(
        hierarchy[part.path].body.shapes for tree in hierarchy.history for part in tree.parts(node)
    ):
        message = f"neither '{node.path}' nor what is fixed to it has shapes, so there is no contact"
        yield Finding("sensor", message, place, "give it 'shapes'")
    if isinstance(sensor, Range):
        for other in hierarchy:
            for shape in other.body.shapes:
                if shape.core() is None:
                    message = f"a ray does not meet {described(shape)}, such as that of '{other.path}'"
                    yield Finding("sensor", message, place, "use a mesh in its place")
                    return


def _encoder_findings(hierarchy: Hierarchy, node: SceneNode, place: Path, sensor: Sensor) -> Iterator[Finding]:
    """A finding for an encoder whose body has no such coordinate, or not for the whole run."""
    type = hierarchy.joint_types.get(node.path)
    if type is None or not coordinates_of(type) or (sensor.of and coordinate_called(sensor.of, type) is None):
        yield Finding("sensor", without_coordinate(node.kind, node.path, type, sensor.of or "coordinate"), place)


def _expressions(hierarchy: Hierarchy) -> Iterator[tuple[Path, Expression]]:
    """What sensors and controllers read, with its location."""
    for node in hierarchy:
        for name, sensor in node.body.sensors.items():
            if isinstance(sensor, Value):
                yield (*node.place, "sensors", name, "value"), sensor.value
    for name, one in hierarchy.scene.controllers.items():
        for key, value in one.reads():
            if isinstance(value, Expression):
                yield _place_of(name, one, key), value


def _place_of(name: str, one: Controller, key: str) -> Path:
    """Where a controller has what it reads under this name."""
    inputs = getattr(one, "inputs", {})
    return ("controllers", name, "inputs", key) if key in inputs else ("controllers", name, key.partition("[")[0])


def _method_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """A finding if loads read what is held, with a method that needs their equations."""
    method = hierarchy.scene.simulation.integrator
    if method.takes_callbacks or (not hierarchy.scene.controllers and not any(node.body.sensors for node in hierarchy)):
        return
    yield incapable(method, "takes_callbacks", "step scenes with sensors or controllers")
