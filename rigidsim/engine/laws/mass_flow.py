"""Mass that leaves a tank by a nozzle, or enters it: thrust, the Coriolis force of the flow, and the energy of what is
gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rigidsim.engine.laws.declaration import AT, DIRECTION, NUMBER, Force, Key, Load, LoadTable, unit
from rigidsim.engine.laws.declaration import TANK as TANK_FORM
from rigidsim.engine.laws.gravity import ATTRACTIONS, potential_of_mass
from rigidsim.engine.laws.gravity import VALUES as SOURCE
from rigidsim.engine.laws.wrench import LoadRows, rows_of_load
from rigidsim.engine.model import layout
from rigidsim.engine.model.layout import ARM, BODY, PULL, TANK, UNIT_CONTENT, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.mass_flow import exhaust_force, flow_force, flow_torque, lost_power
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import uniform_potential
from rigidsim.physics.vector import add, cross, sub

VALUES = Row(
    "mass flow: the rate at which mass leaves, kg/s; its speed relative to the nozzle, m/s; the direction of the thrust"
    " and the nozzle (the body's axes, m)",
    rate=1, exhaust_velocity=1, direction=3, point=3,
)  # fmt: skip


class TankRows(NamedTuple):
    """The rows of a tank: what is in it, itself as a body, and its wrench."""

    content: UNIT_CONTENT
    tank: TANK
    body: BODY
    arm: ARM
    wrench: WRENCH


@lanewise
def expel(value: VALUES, load: LoadRows, source: TankRows, wrench: WRENCH, pull: PULL, lane):
    """The forces of a flow from the centre of a tank to a nozzle of a body, world axes."""
    inner, frame, tank, holds, begin = load.first, load.second, source.tank, source.body, source.wrench
    rate, r = tank.is_open * value.rate, rotate(inner.q, holds.com)
    point, lever = rotate(frame.q, value.point), rotate(frame.q, sub(value.point, load.body.com))
    way = sub(add(load.apart.p, point), r)
    inside = flow_force(rate, frame.omega, way)
    at_nozzle = add(exhaust_force(rate, value.exhaust_velocity, rotate(frame.q, value.direction)), inside)
    wrench.f = add(wrench.f, at_nozzle)
    wrench.tau = add(wrench.tau, cross(lever, at_nozzle))
    omega_B = rotate_back(inner.q, inner.omega)
    begin.f = add(begin.f, inside)
    begin.tau = add(begin.tau, rotate(inner.q, flow_torque(rate, source.content.inertia, omega_B)))
    stored = uniform_potential(1.0, holds.g, add(inner.p, r))
    begin.power += lost_power(rate, source.content.inertia, source.arm.v_WC, omega_B, stored)
    tank.flow -= rate
    pull.power = rate


@lanewise
def lose_potential(value: SOURCE, load: LoadRows, pull: PULL, wrench: WRENCH, lane):
    """The potential energy in the field of a source of what leaves."""
    wrench.power -= pull.power * potential_of_mass(value, load)


@inlined
def mass_flow(law, k, block):
    """Apply one flow to its body and to the tank."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    if model.joints is not None and model.joints.tanks is not None:
        i, j, joints = law.who[k].second, law.who[k].first, scratch.joints
        number = model.joints.joint[j].tank
        source = TankRows(
            model.joints.tanks.value[number], joints.tank[number], model.body[j], scratch.arm[model.moved_node[j]],
            scratch.wrench[j],
        )  # fmt: skip
        expel(law.value[k], rows_of_load(law, k, block), source, scratch.wrench[i], scratch.pull, lanes)
        sources = getattr(model.pairwise, ATTRACTIONS.name)
        for n in range(len(sources.who)):
            if sources.who[n].second == j and sources.who[n].until == layout.NEVER:
                lose_potential(
                    sources.value[n], rows_of_load(sources, n, block), scratch.pull, scratch.wrench[j], lanes
                )


def flow_rows(force, site) -> Iterator[Load]:
    """One row, from the tank to the nozzle."""
    end = site.end(at=force.at)
    value = VALUES.filled(
        rate=force.rate, exhaust_velocity=force.exhaust_velocity, direction=rotate(end.turn, unit(force.direction)),
        point=end.point,
    )  # fmt: skip
    yield Load(FLOWS, site.end(force.tank), end, value)


FLOWS = LoadTable("flows", VALUES, mass_flow, is_rare=True)
MASS_FLOW = Force(
    name="mass_flow",
    title="mass flow",
    description="mass leaves the body `tank` by a nozzle at `at`: thrust is rate times exhaust velocity, and the flow"
    " inside has a Coriolis force (jet damping); a negative rate fills the tank",
    keys=(
        Key("tank", TANK_FORM, "the body on a tank joint of which the mass changes, by its path"),
        Key("rate", NUMBER, "mass that leaves in a second; negative if it enters", "mass flow", varies=True),
        Key(
            "exhaust_velocity", NUMBER, "speed of what leaves or enters, relative to the nozzle, against `direction`",
            "velocity", 0.0, varies=True,
        ),
        Key("direction", DIRECTION, "the direction of the thrust, in the body's axes", "", (0.0, 0.0, 1.0)),
        AT._replace(description="the nozzle, in the body's coordinates; default: the centre of mass"),
    ),
    table=FLOWS,
    rows=flow_rows,
)  # fmt: skip
