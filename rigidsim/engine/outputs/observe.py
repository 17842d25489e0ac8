"""A sample: local and world motion of every node, energies and momenta; what joints do, and which of them breaks."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.constraints.loops import observe_loops
from rigidsim.engine.dynamics.articulated import deflection_of_ball, has_modes, inertia_of, is_prescribed, jet_of
from rigidsim.engine.dynamics.kinds import is_of_joint, sample_local
from rigidsim.engine.dynamics.kinematics import motion_rows, write_world
from rigidsim.engine.dynamics.relations import relate
from rigidsim.engine.dynamics.tanks import has_tanks, observe_tanks
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.loads.summing import store_energy
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ARM,
    ARTICULATED,
    BODY,
    CONSTRAINT,
    COORDINATE,
    FRAME,
    JET,
    JOINT_VALUE,
    KINEMATICS,
    LEDGER,
    SCALAR,
    STAGE,
    STRENGTH,
    TRIPLE,
    largest_of,
)
from rigidsim.engine.outputs.asked import observe_asked
from rigidsim.engine.outputs.terms import evaluate_touching, observe_terms
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.articulated import inertia_times, rotor_energy, shifted_wrench
from rigidsim.physics.elementary import NAN, select
from rigidsim.physics.forces import torsion_energy
from rigidsim.physics.modes import motor_share
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import (
    angular_momentum,
    kinetic_energy,
    momentum,
    orbital_angular_momentum,
    uniform_potential,
)
from rigidsim.physics.vector import add, norm, scaled, sub


@inlined
def add_body(omega_B, work, body, frame, arm, ledger):
    """Add one moved body's energies, work and momenta."""
    mass, g_W, inertia_B = (body.mass, body.g, body.inertia)
    q_WB, v_WC = (frame.q, arm.v_WC)
    p_WC = add(frame.p, rotate(q_WB, body.com))
    spin = rotate(q_WB, angular_momentum(inertia_B, omega_B))
    orbital = orbital_angular_momentum(mass, p_WC, v_WC)
    ledger.kinetic = ledger.kinetic + kinetic_energy(mass, inertia_B, v_WC, omega_B)
    ledger.potential = ledger.potential + uniform_potential(mass, g_W, p_WC)
    ledger.work += work
    ledger.momentum = add(ledger.momentum, momentum(mass, v_WC))
    ledger.spin = add(ledger.spin, spin)
    ledger.orbital = add(ledger.orbital, orbital)


@lanewise
def add_to_ledger(state: STAGE, body: BODY, frame: FRAME, arm: ARM, ledger: LEDGER, lane):
    """Add a free body."""
    add_body(state.omega, state.work, body, frame, arm, ledger)


@lanewise
def add_jointed_to_ledger(state: STAGE, body: BODY, frame: FRAME, arm: ARM, ledger: LEDGER, lane):
    """Add a jointed body, or a link without mass."""
    add_body(rotate_back(frame.q, frame.omega), state.work, body, frame, arm, ledger)


# --- joints


@lanewise
def write_coordinate(state: STAGE, coordinate: SCALAR, rate: SCALAR, lane):
    """Write a coordinate and its rate to a sample."""
    coordinate.value = state.p[0]
    rate.value = state.v[0]


@lanewise
def write_prescribed(jet: JET, coordinate: SCALAR, rate: SCALAR, lane):
    """Write a coordinate that a motor prescribes."""
    coordinate.value = jet.value
    rate.value = jet.rate


@lanewise
def write_none(coordinate: SCALAR, rate: SCALAR, motor: SCALAR, lane):
    """Write that there is no such coordinate now."""
    coordinate.value = NAN
    rate.value = NAN
    motor.value = NAN


@lanewise
def write_no_reaction(force: TRIPLE, torque: TRIPLE, lane):
    """Write that there is no such joint now."""
    force.xyz = (NAN, NAN, NAN)
    torque.xyz = (NAN, NAN, NAN)


@inlined
def observe_coordinates(block, found, k):
    """Write all coordinates to sample k, of which the frames are placed."""
    model, lanes = block.model, block.lanes
    rows = model.joints.coordinate
    for c in range(len(rows)):
        if rows[c] == at.NO_ROW:
            write_none(found.coordinate[k, c], found.rate[k, c], found.motor[k, c], lanes)
        elif model.expressions is not None and is_prescribed(rows[c], model.joints):
            write_prescribed(jet_of(rows[c], model, block.scratch), found.coordinate[k, c], found.rate[k, c], lanes)
        else:
            write_coordinate(block.state[rows[c]], found.coordinate[k, c], found.rate[k, c], lanes)
    if has_tanks(model):
        observe_tanks(block, found, k)


@inlined
def reaction_of(value, articulated, joint, acceleration):
    """(t, f) of a joint on its body, about its point on the body, which the coordinate may displace along the axis;
    world axes. Of the loads in the joint it has all, along its axes, too.
    """
    t, f = inertia_times(inertia_of(articulated), acceleration.alpha, acceleration.a)
    r = sub(joint.r, scaled(value.advance * joint.x, joint.u))
    return shifted_wrench(add(t, articulated.t), add(f, articulated.f), r)


class ReactionRows(NamedTuple):
    """The rows of a body whose joint's reaction is asked for."""

    value: JOINT_VALUE
    articulated: ARTICULATED
    joint: KINEMATICS
    acceleration: ACCELERATION


@inlined
def reaction_rows(i, model, scratch):
    """Those of a moved row."""
    dynamics = scratch.joints
    return ReactionRows(
        model.joints.value[i], dynamics.articulated[i], dynamics.kinematics[i], dynamics.acceleration[i]
    )


@lanewise
def write_reaction(rows: ReactionRows, parent: FRAME, force: TRIPLE, torque: TRIPLE, lane):
    """Write what a joint does to its body, in the parent's axes."""
    t, f = reaction_of(*rows)
    force.xyz = rotate_back(parent.q, f)
    torque.xyz = rotate_back(parent.q, t)


@lanewise
def find_load(rows: ReactionRows, strength: STRENGTH, bearing: SCALAR, lane):
    """The reaction of a joint in parts of what it bears: of force or torque that which is larger."""
    t, f = reaction_of(*rows)
    by_force, by_torque = norm(f) / strength.force, norm(t) / strength.torque
    bearing.value = select(by_force > by_torque, by_force, by_torque)


@routine
def find_broken(t, block):
    """Find the joint that bears more than it can at time t (s), the most in parts of that. Impulses and impacts act in
    no time, and are no part of it; contact counts by its mean forces in the last step.
    """
    scratch = block.scratch
    fragile, worst = block.model.joints.fragile, 1.0
    scratch.broken[0] = 0
    evaluate_touching(t, block)
    for j in range(len(fragile.row)):
        i = fragile.row[j]
        find_load(reaction_rows(i, block.model, scratch), fragile.strength[j], scratch.bearing[0], block.lanes)
        load = largest_of(scratch.bearing[0], block.lanes)
        if load > worst:
            worst = load
            scratch.broken[0] = 1 + i


@inlined
def can_break(model):
    """Whether joints can break."""
    return model.joints is not None and model.joints.fragile is not None


@lanewise
def write_motor(joint: KINEMATICS, motor: SCALAR, lane):
    """Write the torque or force of a motor; zero, if there is none."""
    motor.value = joint.motor


@lanewise
def add_motor(mode: COORDINATE, value: JOINT_VALUE, constraint: CONSTRAINT, motor: SCALAR, lane):
    """Add the torque or force of a motor of a wanted rate."""
    motor.value += motor_share(constraint.torque, mode.slip, mode.lag, value.friction, value.largest)


@inlined
def observe_reactions(block, found, k):
    """Write what all joints and their motors do to sample k; accelerations are those of the sample."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    rows, dynamics = model.joints.jointed, scratch.joints
    if has_tanks(model):
        observe_tanks(block, found, k)
    for j in range(len(rows)):
        i = rows[j]
        if i == at.NO_ROW:
            write_no_reaction(found.force[k, j], found.torque[k, j], lanes)
        else:
            parent = scratch.frame[model.node[model.moved_node[i]].parent]
            reaction = reaction_rows(i, model, scratch)
            write_reaction(reaction, parent, found.force[k, j], found.torque[k, j], lanes)
    for c in range(len(model.joints.coordinate)):
        i = model.joints.coordinate[c]
        if i != at.NO_ROW:
            write_motor(dynamics.kinematics[i], found.motor[k, c], lanes)
            if has_modes(i, model.joints):
                constraint = dynamics.modes.constraint[model.joints.joint[i].mode]
                add_motor(block.state[i], model.joints.value[i], constraint, found.motor[k, c], lanes)


@lanewise
def store_coordinate(state: STAGE, value: JOINT_VALUE, ledger: LEDGER, lane):
    """Add the energies of the spring in a joint and of its rotor."""
    ledger.kinetic = ledger.kinetic + rotor_energy(value.armature, state.v[0])
    ledger.potential = ledger.potential + torsion_energy(value.stiffness, (state.p[0] - value.rest, 0.0, 0.0))


@lanewise
def store_rotor(joint: KINEMATICS, value: JOINT_VALUE, ledger: LEDGER, lane):
    """Add the energy of the rotor in a joint of which a motor prescribes the coordinate."""
    ledger.kinetic = ledger.kinetic + rotor_energy(value.armature, joint.rate)


@lanewise
def store_ball(value: JOINT_VALUE, parent: FRAME, frame: FRAME, ledger: LEDGER, lane):
    """Add the energy of the spring in a ball joint."""
    theta = deflection_of_ball(value, parent, frame)
    ledger.potential = ledger.potential + torsion_energy(value.stiffness, theta)


@inlined
def store_joints(block, ledger):
    """Add the energies of all springs and rotors in joints."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    joints = model.joints
    for i in model.by_path:
        if joints.joint[i].dof == 1:
            store_coordinate(block.state[i], joints.value[i], ledger, lanes)
        elif is_prescribed(i, joints):
            store_rotor(scratch.joints.kinematics[i], joints.value[i], ledger, lanes)
        elif joints.joint[i].springs > 0:
            parent, frame = scratch.frame[joints.joint[i].parent_frame], scratch.frame[model.moved_node[i] + 1]
            store_ball(joints.value[i], parent, frame, ledger, lanes)


# --- samples


@inlined
def observe_motion(t, block, local, world, k):
    """Motion of every node in sample k, relative to its parent and in the world."""
    model = block.model
    place_nodes(model.every, t, block)
    for node in model.every:
        write_world(block.scratch.frame[node + 1], motion_rows(world, k, node), block.lanes)
    if len(local.position) > 0:
        for node in model.every:
            sample_local(node, block, local, k)


@inlined
def observe_ledger(block, ledger: LEDGER):
    """Energies, work and momenta; the motion was observed before."""
    model, scratch = block.model, block.scratch
    ledger[:] = 0.0
    for i in model.by_path:
        node = model.moved_node[i]
        frame, arm = scratch.frame[node + 1], scratch.arm[node]
        if is_of_joint(i, model):
            add_jointed_to_ledger(block.state[i], model.body[i], frame, arm, ledger, block.lanes)
        else:
            add_to_ledger(block.state[i], model.body[i], frame, arm, ledger, block.lanes)
    relate(block)
    store_energy(block, ledger)
    if model.joints is not None:
        store_joints(block, ledger)
    if model.contacts is not None:
        ledger.contact = scratch.contact_work[0] + scratch.contact_work[1]


@routine
def observe(t, block, samples, k):
    """Write sample k: the given state at time t (s), with the loads of the given phase. Parts of `samples` that have no
    room are left out; terms are wanted together with the ledger.
    """
    model = block.model
    observe_motion(t, block, samples.local, samples.world, k)
    if model.joints is not None and len(samples.joints.coordinate) > 0:
        observe_coordinates(block, samples.joints, k)
    if len(samples.ledger) > 0:
        observe_ledger(block, samples.ledger[k])
    with_reactions = model.joints is not None and len(samples.joints.force) > 0
    if with_reactions or samples.terms.shape[1] > 0:
        evaluate_touching(t, block)
    if model.joints is not None and with_reactions:
        observe_reactions(block, samples.joints, k)
        if model.loops is not None:
            observe_loops(block, samples.joints, k)
    if samples.terms.shape[1] > 0:
        observe_terms(block, samples.terms, k)
    if model.asked is not None and len(samples.asked) > 0:
        observe_asked(model.asked, t, block, samples, k)
