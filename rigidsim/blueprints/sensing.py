"""Sensors and controllers as records of a blueprint, and all numbers that they read at a sample."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rigidsim.blueprints.metrics import metric_tables
from rigidsim.blueprints.programs import tree_of
from rigidsim.blueprints.rays import ray_of
from rigidsim.engine.assembly.blueprint import (
    AskedVector,
    ChannelRecord,
    ControllerRecord,
    SensingTables,
    SensorRecord,
)
from rigidsim.physics.elementary import sqrt
from rigidsim.quantities.vocabulary import CANONICAL
from rigidsim.scene import Scene
from rigidsim.scene.expressions import Apply, Expression, Number, Reduction, StateRead
from rigidsim.scene.expressions.tree import ExpressionTree
from rigidsim.scene.expressions.vocabulary import OWN_FRAMES
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.scene.hierarchy.nodes import SceneNode
from rigidsim.scene.schema.controllers import Python
from rigidsim.scene.schema.sensors import Channel, Mounted, Sensor, names_of
from rigidsim.tree.joints import NAMES, coordinate_called, coordinates_of, part_of
from rigidsim.tree.nodes import WORLD, Tree

NONE = -1


def sensing_tables(scene: Scene, tree: Tree, asked: Sequence[AskedVector]) -> SensingTables | None:
    """The tables of the sensors and controllers of a scene, if it has any; `asked` is what others ask for."""
    if not scene.scope.held:
        return None
    numbers: list[ExpressionTree] = [Number(scene.simulation.seed)]
    held, step = {(one.body, one.name): one.number for one in scene.scope.held}, scene.simulation.step

    def add(trees: Sequence[Any]) -> int:
        """Add numbers or expressions; the place of the first."""
        numbers.extend(map(tree_of, trees))
        return len(numbers) - len(trees)

    def sensor_of(node: SceneNode, name: str, sensor: Sensor) -> SensorRecord:
        mount = f"{node.path}/{name}" if isinstance(sensor, Mounted) and sensor.is_apart else node.path
        truth, channels, first = truths_of(scene, sensor, mount), [], held[node.path, _first_name(name, sensor)]
        for channel in sensor.measured():
            errors = error_numbers(sensor, channel)
            channels.append(
                ChannelRecord(
                    channel.name,
                    channel.width,
                    add(truth[channel.name]) if channel.name in truth else NONE,
                    NONE if errors is None else add(errors),
                    channel.turns,
                    first,
                    stream_of(node.path, name, channel.name),
                )
            )
            first += channel.width
        return SensorRecord(
            node.path, name, steps_in(sensor.every, step), tuple(channels), ray_of(scene.hierarchy, mount, sensor)
        )

    sensors = tuple(
        sensor_of(node, name, sensor) for node in scene.hierarchy for name, sensor in node.body.sensors.items()
    )
    controllers = []
    for name, one in scene.controllers.items():
        reads, outputs = [value for _, value in one.reads()], one.outputs_of(name)
        is_python = isinstance(one, Python)
        controllers.append(
            ControllerRecord(
                name,
                one.type,
                steps_in(one.every, step),
                steps_in(one.delay, step),
                add(reads),
                len(reads),
                held["", outputs[0]],
                outputs,
                tuple(one.inputs) if is_python else (),
                (one.call, one.source) if is_python else ("", ""),
            )
        )
    read = {str(k): Expression("", Reduction("final", (one,))) for k, one in enumerate(numbers)}
    return SensingTables(
        sensors, tuple(controllers), len(held), metric_tables(read, tree, loop_names(scene.world.loops), asked)
    )


def steps_in(time: float, step: float) -> int:
    """A time that is a whole number of steps, as that."""
    return math.floor(time / step + 0.5)


def stream_of(*names: str) -> int:
    """The number of the stream of random numbers of what has these names, of 64 bits."""
    return int.from_bytes(hashlib.sha256("\0".join(names).encode()).digest()[:8], "little")


def _first_name(name: str, sensor: Sensor) -> str:
    return names_of(name, sensor.channels)[0][0]


def truths_of(scene: Scene, sensor: Sensor, path: str) -> Mapping[str, Sequence[ExpressionTree | Expression]]:
    """What a sensor would measure without errors, by channel; not of what a ray gives."""

    def reads(quantity: str, width: int, observer: str, other: str = "") -> list[StateRead]:
        return [StateRead(quantity, k, path, observer, other) for k in range(width)]

    if sensor.type == "imu":
        return {name: reads(of, 3, OWN_FRAMES["body"]) for name, of in (
            ("acceleration", "felt_acceleration"), ("angular_velocity", "angular_velocity"))}  # fmt: skip
    if sensor.type == "pose":
        return {"position": reads("position", 3, WORLD), "orientation": reads(CANONICAL, 4, WORLD)}
    if sensor.type == "encoder":
        of = sensor.of or coordinates_of(scene.hierarchy.joint_types[path])[0]
        rate = rate_of(of, scene.hierarchy.joint_types[path])
        return {"coordinate": reads(of, 1, OWN_FRAMES["parent"]), "rate": reads(rate, 1, OWN_FRAMES["parent"])}
    if sensor.type == "contact":
        pairs = zip(*(reads(of, 3, WORLD, sensor.to) for of in ("contact_force", "friction_force")), strict=True)
        return {"force": [_length([Apply("subtract", pair) for pair in pairs])]}
    return {"value": [sensor.value]} if sensor.type == "value" else {}


def rate_of(coordinate: str, type: str) -> str:
    """The name of the rate of a coordinate of a type of joint."""
    number = coordinate_called(coordinate, type)
    return next(one for one in NAMES if part_of(one) == "rate" and coordinate_called(one, type) == number)


def _length(vector: Sequence[ExpressionTree]) -> ExpressionTree:
    x, y, z = (Apply("multiply", (part, part)) for part in vector)
    return Apply("sqrt", (Apply("add", (Apply("add", (x, y)), z)),))


def error_numbers(sensor: Sensor, channel: Channel) -> list[float] | None:
    """Bias, noise of a sample, step of the random walk and quantum of each component of a channel, one after the other;
    None if it has no errors.
    """
    errors = sensor.errors and getattr(sensor.errors, channel.name)
    if errors is None:
        return None
    root = sqrt(sensor.every)

    def each(value: Any) -> list:
        value = 0.0 if value is None else value
        return list(value) if isinstance(value, tuple) else [value] * channel.n_error

    noise = each(errors.noise) if errors.noise_density is None else [one / root for one in each(errors.noise_density)]
    walk = [one * root for one in each(errors.random_walk)]
    return [*each(errors.bias), *noise, *walk, *each(None if channel.turns else errors.quantum)]
