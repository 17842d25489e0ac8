"""One evaluation of the equations of motion: the sequence of its passes."""

from __future__ import annotations

from rigidsim.engine.articulated import propagate_inertia
from rigidsim.engine.contact.lasting import hold_contacts, lasts
from rigidsim.engine.drive import drive
from rigidsim.engine.kinds import accelerate, is_apart, place
from rigidsim.engine.loads import apply_loads
from rigidsim.engine.loops import accelerate_measured, hold_loops
from rigidsim.engine.relations import relate
from rigidsim.engine.tanks import drain_tanks, has_tanks, weigh_tanks
from rigidsim.jit import inlined


@inlined
def place_nodes(nodes, t, model, state, scratch, lanes, in_world=False, omits=None):
    """Pose and rates of the frames of the given nodes, parents first; for `in_world` see `place`. Those of which
    `omits(node, model, scratch)` is true are left out, if it is given.
    """
    drive(t, model, state, scratch, lanes)
    if has_tanks(model):
        weigh_tanks(model, state, scratch, lanes)
    for node in nodes:
        if omits is None or not omits(node, model, scratch):
            place(node, t, model, state, scratch, lanes, in_world)


@inlined
def accelerate_under_loads(nodes, model, state, scratch, lanes, in_world, partly=False):
    """Accelerations of the given nodes, parents first, under the loads in the wrenches. With `partly`, here and below,
    bodies that are apart are left out.
    """
    if model.joints is not None:
        propagate_inertia(model, state, scratch, lanes)
    for node in nodes:
        if not (partly and is_apart(node, model, scratch)):
            accelerate(node, model, state, scratch, lanes, in_world)
    if has_tanks(model):
        drain_tanks(model, scratch, lanes)


@inlined
def accelerate_nodes(nodes, model, state, scratch, lanes, in_world=False, partly=False):
    """Accelerations of the given nodes, parents first, with the reactions of loops and of contacts that last, which
    are added to the wrenches; for `in_world` see `accelerate`.
    """
    accelerate_under_loads(nodes, model, state, scratch, lanes, in_world, partly)
    if model.loops is not None:
        hold_loops(model, state, scratch, lanes)
        accelerate_under_loads(nodes, model, state, scratch, lanes, in_world, partly)
        if model.loops.has_stops is not None:
            accelerate_measured(model, scratch, lanes)
    if lasts(scratch) and hold_contacts(model, state, scratch, lanes):
        accelerate_under_loads(nodes, model, state, scratch, lanes, in_world, partly)


@inlined
def evaluate(t, era, model, state, scratch, lanes):
    """Rates of every moved row at time t (s) in the given state: fills `scratch.rate`, and the frames and wrenches."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    evaluate_placed(t, era, model, state, scratch, lanes)


@inlined
def evaluate_placed(t, era, model, state, scratch, lanes, in_world=False, partly=False):
    """The same after all frames have been placed; for `in_world` see `place` and `accelerate`."""
    relate(model, state, scratch, lanes)
    apply_loads(t, era, model, scratch, lanes, partly)
    accelerate_nodes(model.active, model, state, scratch, lanes, in_world, partly)
