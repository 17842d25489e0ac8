"""One evaluation of the equations of motion: the sequence of its passes."""

from __future__ import annotations

from rigidsim.engine.drive import drive
from rigidsim.engine.kinds import accelerate, place
from rigidsim.engine.loads import apply_loads
from rigidsim.engine.relations import relate
from rigidsim.jit import inlined


@inlined
def place_nodes(nodes, t, model, state, scratch, lanes):
    """Pose and rates of the frames of the given nodes, parents first."""
    drive(t, model, state, scratch, lanes)
    for node in nodes:
        place(node, t, model, state, scratch, lanes)


@inlined
def accelerate_nodes(nodes, model, state, scratch, lanes):
    """Accelerations of the given nodes, parents first."""
    for node in nodes:
        accelerate(node, model, state, scratch, lanes)


@inlined
def evaluate(t, era, model, state, scratch, lanes):
    """Rates of every free body at time t (s) in the given state: fills `scratch.rate`, and the frames and wrenches."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    apply_loads(t, era, model, scratch, lanes)
    accelerate_nodes(model.active, model, state, scratch, lanes)
