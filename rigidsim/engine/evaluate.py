"""One evaluation of the equations of motion, as a table of contents."""

from __future__ import annotations

from rigidsim._jit import inlined
from rigidsim.engine.accelerations import accelerate_nodes
from rigidsim.engine.kinematics import place_nodes
from rigidsim.engine.loads import apply_loads
from rigidsim.engine.relations import relate


@inlined
def evaluate(t, era, model, state, scratch, lanes):
    """Rates of every free body at time t (s) in the given state: `scratch.rate`, with frames and wrenches beside it."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    apply_loads(t, era, model, scratch, lanes)
    accelerate_nodes(model.active, model, state, scratch, lanes)
