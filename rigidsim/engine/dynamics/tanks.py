"""Tanks: bodies on a weld whose mass is a number of the state.

A tank has a row of the state as any weld, in which nothing moves. Its mass takes the place of a rate there, and the
flow that of an acceleration, so all methods step it. Every evaluation begins with the masses of its state. Joints,
contact and samples read these as they read all others.
"""

from __future__ import annotations

from rigidsim.engine.model.layout import BODY, CONTENT, KINEMATICS, RATE, SCALAR, TANK, UNIT_CONTENT
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import select
from rigidsim.physics.inertia import multiplied


@inlined
def has_tanks(model):
    """Whether there are any."""
    return model.joints is not None and model.joints.tanks is not None


@lanewise
def set_mass(state: CONTENT, value: UNIT_CONTENT, body: BODY, joint: KINEMATICS, tank: TANK, lane):
    """The mass and the inertia of what a tank holds in a state, which keeps its distribution."""
    mass = state.mass
    some = select(mass == 0.0, 1.0, mass)
    body.mass = mass
    body.inertia = multiplied(mass, value.inertia)
    body.inverse = multiplied(1.0 / some, value.inverse)
    joint.x = mass
    tank.is_open = 1.0 - state.is_empty


@inlined
def set_tank_masses(block):
    """The masses of all tanks in a state."""
    tanks, joints = block.model.joints.tanks, block.scratch.joints
    for k in range(len(tanks.row)):
        i = tanks.row[k]
        set_mass(block.state[i], tanks.value[k], block.model.body[i], joints.kinematics[i], joints.tank[k], block.lanes)


@lanewise
def close(tank: TANK, lane):
    """Nothing flows yet."""
    tank.flow = 0.0


@inlined
def close_tanks(block):
    """The flows of all tanks before loads are applied."""
    for k in range(len(block.model.joints.tanks.row)):
        close(block.scratch.joints.tank[k], block.lanes)


@lanewise
def drain(tank: TANK, rate: RATE, lane):
    """The mass of a tank changes by what flows."""
    rate.a = (tank.flow, 0.0, 0.0)


@inlined
def drain_tanks(block):
    """The rates of the masses of all tanks; all loads are known."""
    tanks = block.model.joints.tanks
    for k in range(len(tanks.row)):
        drain(block.scratch.joints.tank[k], block.scratch.rate[tanks.row[k]], block.lanes)


@lanewise
def write_content(state: CONTENT, tank: TANK, coordinate: SCALAR, rate: SCALAR, lane):
    """Write the mass of a tank and its rate to a sample."""
    coordinate.value = state.mass
    rate.value = tank.flow


@inlined
def observe_tanks(block, found, k):
    """Write the masses of all tanks, and the flows of the last evaluation, to sample k."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    tanks = model.joints.tanks
    for j in range(len(tanks.row)):
        c = tanks.coordinate[j]
        write_content(state[tanks.row[j]], scratch.joints.tank[j], found.coordinate[k, c], found.rate[k, c], lanes)
