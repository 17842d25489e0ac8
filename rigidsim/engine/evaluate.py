"""One evaluation of the equations of motion: the sequence of its passes."""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import hold_contacts, lasts
from rigidsim.engine.constraints.loops import accelerate_measured, hold_loops
from rigidsim.engine.dynamics.articulated import propagate_inertia
from rigidsim.engine.dynamics.drive import drive
from rigidsim.engine.dynamics.kinds import accelerate, is_apart, place
from rigidsim.engine.dynamics.relations import relate
from rigidsim.engine.dynamics.tanks import drain_tanks, has_tanks, set_tank_masses
from rigidsim.engine.loads.summing import apply_loads
from rigidsim.jit import inlined


@inlined
def place_nodes(nodes, t, block, in_world=False, omits=None):
    """Pose and rates of the frames of the given nodes, parents first; for `in_world` see `place`. Those of which
    `omits(node, model, scratch)` is true are left out, if it is given.
    """
    drive(t, block)
    if has_tanks(block.model):
        set_tank_masses(block)
    for node in nodes:
        if omits is None or not omits(node, block.model, block.scratch):
            place(node, t, block, in_world)


@inlined
def accelerate_under_loads(nodes, block, in_world, partly=False):
    """Accelerations of the given nodes, parents first, under the loads in the wrenches. With `partly`, here and below,
    bodies that are apart are left out.
    """
    model = block.model
    if model.joints is not None:
        propagate_inertia(block)
    for node in nodes:
        if not (partly and is_apart(node, model, block.scratch)):
            accelerate(node, block, in_world)
    if has_tanks(model):
        drain_tanks(block)


@inlined
def accelerate_nodes(nodes, block, in_world=False, partly=False):
    """Accelerations of the given nodes, parents first, with the reactions of loops and of contacts that last, which
    are added to the wrenches; for `in_world` see `accelerate`.
    """
    accelerate_under_loads(nodes, block, in_world, partly)
    if block.model.loops is not None:
        hold_loops(block)
        accelerate_under_loads(nodes, block, in_world, partly)
        if block.model.loops.measured is not None:
            accelerate_measured(block)
    if lasts(block.scratch) and hold_contacts(block):
        accelerate_under_loads(nodes, block, in_world, partly)


@inlined
def evaluate(t, block):
    """Rates of every moved row at time t (s) in the given state: fills `scratch.rate`, and the frames and wrenches."""
    place_nodes(block.model.active, t, block)
    evaluate_placed(t, block)


@inlined
def evaluate_placed(t, block, in_world=False, partly=False):
    """The same after all frames have been placed; for `in_world` see `place` and `accelerate`."""
    relate(block)
    apply_loads(t, block, partly)
    accelerate_nodes(block.model.active, block, in_world, partly)
