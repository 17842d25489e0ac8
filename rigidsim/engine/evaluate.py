"""One evaluation of the equations of motion, as a table of contents."""

from __future__ import annotations

from rigidsim._jit import inlined
from rigidsim.engine.drive import drive
from rigidsim.engine.kinds import accelerate, place
from rigidsim.engine.loads import apply_loads
from rigidsim.engine.relations import relate


@inlined
def place_nodes(nodes, t, model, state, scratch, lanes):
    """Where the frames of the given nodes are and how they move, parents first, from the world outwards."""
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
    """Rates of every free body at time t (s) in the given state: `scratch.rate`, with frames and wrenches beside it."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    apply_loads(t, era, model, scratch, lanes)
    accelerate_nodes(model.active, model, state, scratch, lanes)
