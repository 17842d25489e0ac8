"""Vectors of bodies that metrics ask for beyond motion and energies: terms, forces of contact, felt accelerations,
coordinates and reactions of joints.

What is felt at the origin of a node is a - g(x), of which a has all loads and, with contact, the mean of the last step
without impacts. The gravity g(x) is all that acts on the body that moves the node, but at the origin of the node:
what is uniform as the loads have it, each source anew. Where no body moves the node it is that of the world.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import lasts, was_stepped
from rigidsim.engine.dynamics.relations import separate
from rigidsim.engine.evaluate import accelerate_nodes, accelerate_under_loads, evaluate
from rigidsim.engine.laws.field import FIELDS
from rigidsim.engine.laws.gravity import VALUES, field_of
from rigidsim.engine.laws.wrench import acts, begin
from rigidsim.engine.loads.scripts import apply_scripts
from rigidsim.engine.loads.summing import apply_tables
from rigidsim.engine.model.layout import (
    APART,
    ASKED_FORCE,
    ASKED_JOINT,
    ASKED_REACTION,
    ASKED_TERM,
    FRAME,
    SCALAR,
    TRIPLE,
    WRENCH,
)
from rigidsim.engine.outputs.terms import evaluate_touching, observe_terms, push_bodies
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.forces import separation
from rigidsim.physics.rigid_body import proper_acceleration
from rigidsim.physics.vector import add, rejection, sub

ORIGIN = (0.0, 0.0, 0.0)


@lanewise
def take(given: TRIPLE, vector: TRIPLE, lane):
    """Copy a vector."""
    vector.xyz = given.xyz


@lanewise
def take_number(given: SCALAR, metres: SCALAR, vector: TRIPLE, lane):
    """Copy a number, in its unit, to the first one of a vector."""
    vector.xyz = (given.value / metres.value, 0.0, 0.0)


@inlined
def take_coordinates(asked, joints, k, vectors, lanes):
    """Copy coordinates of joints, their rates, and what motors do in sample k."""
    for j in range(len(asked.joints)):
        one, metres = ASKED_JOINT(asked.joints[j]), asked.metres[j]
        if one.part == 0:
            take_number(joints.coordinate[k, one.coordinate], metres, vectors[one.place], lanes)
        elif one.part == 1:
            take_number(joints.rate[k, one.coordinate], metres, vectors[one.place], lanes)
        else:
            take_number(joints.motor[k, one.coordinate], metres, vectors[one.place], lanes)


@inlined
def take_reactions(rows, force, torque, k, vectors, lanes):
    """Copy reactions of joints or loops in sample k."""
    for j in range(len(rows)):
        one = ASKED_REACTION(rows[j])
        if one.is_torque > 0:
            take(torque[k, one.joint], vectors[one.place], lanes)
        else:
            take(force[k, one.joint], vectors[one.place], lanes)


@lanewise
def add_gravity(wrench: WRENCH, vector: TRIPLE, lane):
    """Add the gravity of a wrench."""
    vector.xyz = add(vector.xyz, wrench.g)


@lanewise
def add_source(value: VALUES, apart: APART, source: FRAME, frame: FRAME, vector: TRIPLE, lane):
    """Add the gravity of a source at the origin of a frame."""
    _, _, s = separation(apart.p, source.q, value.point, frame.q, ORIGIN)
    vector.xyz = add(vector.xyz, field_of(value, source, s))


@lanewise
def sense(frame: FRAME, vector: TRIPLE, lane):
    """What is felt at the origin of a frame, in place of the gravity there."""
    vector.xyz = proper_acceleration(frame.q, frame.a, vector.xyz)


@routine
def sum_forces(forces, asked, record, vectors: TRIPLE):
    """The sums of the forces of contact at the end of the last step, by the points where they act."""
    for f in range(len(forces)):
        asks, on, by, total = ASKED_FORCE(forces[f]), asked.acts_on[f], asked.acts_by[f], ORIGIN
        for m in range(record.count[2]):
            first, second, point = record.present[m].first, record.present[m].second, record.present_value[m]
            force = rejection(point.normal, point.force) if asks.is_friction else point.force
            if on[second] * by[first] > 0:
                total = add(total, force)
            if on[first] * by[second] > 0:
                total = sub(total, force)
        vectors[asks.place].xyz = total


@inlined
def apply_uniform(t, block):
    """Fill the gravity of all wrenches with that which does not depend on a place; nothing else in them is of use."""
    model = block.model
    for i in range(len(model.moved_node)):
        begin(model.body[i], block.scratch.wrench[i], block.lanes)
    apply_tables((FIELDS,), model.single, block)
    apply_scripts(t, block)


@inlined
def add_sources(felt, block, vectors):
    """Add the gravity of all sources at the places where they are felt."""
    scratch = block.scratch
    separate(felt.relations, block)
    for k in range(len(felt.pulls.who)):
        if acts(felt.pulls, k, block.phase):
            pair, row = felt.relations.pair[felt.pulls.who[k].pair], felt.row[felt.pulls.who[k].second]
            source, frame = scratch.frame[pair.first], scratch.frame[pair.second]
            apart = scratch.apart[felt.pulls.who[k].pair]
            add_source(felt.pulls.value[k], apart, source, frame, vectors[row.place], block.lanes)


@inlined
def observe_felt(felt, t, block, vectors):
    """What accelerometers feel; all frames were placed before."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    evaluate(t, block)
    if model.contacts is not None and was_stepped(scratch):
        push_bodies(model.contacts, model, scratch)
    if lasts(scratch):
        accelerate_under_loads(model.every, block, False)
    else:
        accelerate_nodes(model.every, block)
    apply_uniform(t, block)
    for j in range(len(felt.row)):
        take(felt.uniform[j], vectors[felt.row[j].place], lanes)
        if felt.row[j].row >= 0:
            add_gravity(scratch.wrench[felt.row[j].row], vectors[felt.row[j].place], lanes)
    if felt.relations is not None:
        add_sources(felt, block, vectors)
    for j in range(len(felt.row)):
        sense(scratch.frame[felt.row[j].node + 1], vectors[felt.row[j].place], lanes)


@inlined
def observe_asked(asked, t, block, samples, k):
    """Write the vectors of sample k: the given state at time t (s), with the loads of the given phase; motion and
    joints were observed before.
    """
    scratch, lanes = block.scratch, block.lanes
    vectors = samples.asked[k]
    if asked.joints is not None:
        take_coordinates(asked, samples.joints, k, vectors, lanes)
    if asked.reactions is not None:
        take_reactions(asked.reactions, samples.joints.force, samples.joints.torque, k, vectors, lanes)
    if asked.loops is not None:
        take_reactions(asked.loops, samples.joints.loop_force, samples.joints.loop_torque, k, vectors, lanes)
    if asked.terms is not None:
        evaluate_touching(t, block)
        observe_terms(block, scratch.terms, 0)
        for i in range(len(asked.terms)):
            one = ASKED_TERM(asked.terms[i])
            take(scratch.terms[one.term, 0, one.node], vectors[one.place], lanes)
    if asked.forces is not None:
        if scratch.touching is not None:
            sum_forces(asked.forces, asked, scratch.touching, vectors)
        else:
            for f in range(len(asked.forces)):
                vectors[ASKED_FORCE(asked.forces[f]).place][:] = 0.0
    if asked.felt is not None:
        observe_felt(asked.felt, t, block, vectors)
