"""Blocks: worlds of one structure, one in each lane."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from rigidsim.engine.assembly.blueprint import Blueprint, World
from rigidsim.engine.integrators import trials_of
from rigidsim.engine.model.arrays import (
    JointSamples,
    Model,
    MotionSamples,
    Samples,
    copied,
    followed,
    holds_values,
    switches,
)
from rigidsim.engine.model.layout import COEFFICIENT, DESIRED, DRIVEN, NODE, PRESCRIBED

LANES = 16
MOST_LANES = 128
"""Of a block of worlds with sensors, of a sweep."""


def lanes_of(world: World) -> int:
    """The largest number of lanes of a block. One with contacts has one lane: its contacts have lanes of their own; so
    has one of which joints can break, or with triggers, because each world then changes at times of its own.
    """
    written = world.blueprint
    return 1 if world.model.contacts or written.has_fragile or written.triggers else LANES


def lanes_for(world: World, count: int) -> int:
    """The lanes of blocks of so many worlds. A sample of sensors and controllers costs Python as much for each block as
    for one lane, so with these a block has more lanes than steps need.
    """
    lanes = LANES
    while world.blueprint.sensing and lanes < min(count, MOST_LANES):
        lanes *= 2
    return lanes


def is_timeless(world: World) -> bool:
    """Whether its motion does not depend on the time at which it begins, and steps remember nothing but the state: then
    the worlds of a block may begin at different steps.
    """
    model, written = world.model, world.blueprint
    if lanes_of(world) == 1 or trials_of(written.method) is not None or switches(model) or model.loops is not None:
        return False
    if model.joints is not None and model.joints.tanks is not None:
        return False
    happens = len(model.edge_step) > 0 or model.due[-1] > 0 or written.schedule.reparentings
    if happens or followed(model) or np.isin(model.node[:, NODE.kind], (PRESCRIBED, DRIVEN)).any():
        return False
    given = model.expressions
    if given is None:
        return True
    if len(given.drive.code) or len(given.driven) or len(given.rate_driven) or len(given.desired):
        return False
    coefficients = given.varied.coefficients[:, COEFFICIENT.register] if given.varied else np.empty(0)
    registers = (given.script.code[:, 1:], given.script_register, given.motors[:, DESIRED.register], coefficients)
    time = len(given.script.constant)
    return not any((np.asarray(one) == time).any() for one in registers)


def overwrite(part: Any, other: Any) -> None:
    """Give a model, or a part of one, the values of another one of the same structure."""
    if isinstance(part, tuple):
        for mine, theirs in zip(part, other, strict=True):
            if mine is not theirs:
                overwrite(mine, theirs)
    elif holds_values(part) and len(part):
        part[:] = other


def put_lanes(part: Any, lanes: np.ndarray, other: Any) -> None:
    """Give some lanes of a model, a part of one, or a state, the values of another one that has these lanes only."""
    if isinstance(part, tuple):
        for mine, theirs in zip(part, other, strict=True):
            put_lanes(mine, lanes, theirs)
    elif holds_values(part) and len(part):
        width = other.shape[1] // len(lanes)
        part.reshape(len(part), width, -1)[..., lanes] = other.reshape(len(part), width, len(lanes))


def structure_of(part: Any) -> Hashable:
    """The parts of a model that must be equal for two worlds to share a block: everything but the values, and the
    shapes of the values.
    """
    if part is None:
        return None
    if isinstance(part, tuple):
        return tuple([None if inner is None else structure_of(inner) for inner in part])
    return part.shape if holds_values(part) else np.asarray(part).tobytes()


def names_in(part: object) -> Hashable:
    """The values of a load without its numbers: names, lengths, omitted values."""
    if isinstance(part, SimpleNamespace):
        return tuple((key, names_in(value)) for key, value in vars(part).items())
    if isinstance(part, tuple):
        return tuple(names_in(inner) for inner in part)
    return float if isinstance(part, float) else part


def later_structure(blueprint: Blueprint) -> Hashable:
    """The additional parts that must be equal, so that the models after each reparenting have equal structures, too:
    two names may stand for the same frame in one tree, and for different ones in the next.
    """
    if not blueprint.schedule.reparentings:
        return ()
    written = (blueprint.loads, blueprint.impulses, blueprint.scripts.views, blueprint.source, blueprint.mutual)
    return blueprint.schedule.reparentings, *map(names_in, written)


def structure(world: World) -> Hashable:
    """A key that is equal for worlds that may share a block: tree, kinds, loads and their times, expressions, method,
    step.
    """
    return structure_of(world.model), _beside_model(world.blueprint)


def share_structure(world: World, other: World) -> bool:
    """Whether two worlds have equal keys; this is found without making them."""
    if world is other:
        return True
    return _beside_model(world.blueprint) == _beside_model(other.blueprint) and _are_alike(world.model, other.model)


def _beside_model(blueprint: Blueprint) -> Hashable:
    """What must be equal besides the models."""
    method = blueprint.method
    return type(method), method, blueprint.n_step, blueprint.stride, later_structure(blueprint)


def _are_alike(part: Any, other: Any) -> bool:
    """Whether `structure_of` two parts is equal."""
    if not isinstance(part, tuple) or not isinstance(other, tuple):
        return structure_of(part) == structure_of(other)
    return len(part) == len(other) and all(a is b or _are_alike(a, b) for a, b in zip(part, other, strict=True))


def side_by_side(rows: Sequence[np.ndarray]) -> np.ndarray:
    """One array (row, component * lanes) from one (row, component) for each lane."""
    joined = np.stack(rows, axis=-1)
    return copied(joined.reshape(len(joined), joined.shape[1] * joined.shape[2]))


def joined(parts: Sequence) -> Any:
    """One model, or part of one, from that of each lane."""
    first = parts[0]
    if isinstance(first, tuple):
        return type(first)(*(joined(inner) for inner in zip(*parts, strict=True)))
    return side_by_side(parts) if holds_values(first) else first


def block_of(worlds: Sequence[World]) -> tuple[Model, np.ndarray]:
    """Model and state of one world for each lane."""
    return joined([world.model for world in worlds]), side_by_side([world.state for world in worlds])


def one_lane(samples: Samples, lane: int, n_lane: int) -> Samples:
    """The samples of one world of a block."""

    def own(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array[..., lane::n_lane])

    local, world = (MotionSamples(*map(own, motion)) for motion in (samples.local, samples.world))
    joints = samples.joints and JointSamples(*map(own, samples.joints))
    return Samples(local, world, joints, own(samples.ledger), own(samples.terms), own(samples.asked))
