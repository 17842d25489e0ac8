"""Relative position and velocity of frames, without subtracting world coordinates.

Only the links on the path between two frames, below their nearest common ancestor, are summed: centimetres within a
vehicle stay centimetres on an orbit of 1.5e11 m. The winding angle of a torsion spring is updated from step to step,
because a pose does not determine the number of full turns.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.kinds import link
from rigidsim.engine.laws.registry import FOLLOWED
from rigidsim.engine.laws.wrench import acts, rows_of_load
from rigidsim.engine.model.layout import APART, EACH, LINK, UNWRAPPED, WINDING
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import select
from rigidsim.physics.vector import add, scaled


@lanewise
def pass_link(passed: LINK, sign, apart: APART, lane):
    """Add a link to a separation; the sign is its direction along the path."""
    apart.p = add(apart.p, scaled(sign, passed.p))
    apart.v = add(apart.v, scaled(sign, passed.v))


@lanewise
def keep_winding(t: EACH, acting, unwrapped: WINDING, state: UNWRAPPED, lane):
    """Store the winding at the end of a step, t (s); and the time when half a turn, at which the torque reverses, was
    first passed while the load acted (`acting` 1, else 0).
    """
    now, last = unwrapped.now, state.last
    before = state.passed
    turns_over = acting * unwrapped.turns_over
    state.passed = select(turns_over * now * last < 0.0, select(before == 0.0, t, before), before)
    state.last = now


@inlined
def step_row(state, scratch):
    """The number of the row `STEP` of a state that has one: after those of bodies and of rate-driven nodes."""
    return len(state) - len(scratch.unwrapped) - 1


@inlined
def row_of(law, k, state, scratch):
    """The row of the state that holds the winding of load k."""
    return state[len(state) - len(scratch.unwrapped) + law.who[k].followed]


@inlined
def follow_windings(block):
    """All windings, counted from those in the state."""
    scratch = block.scratch
    for table in FOLLOWED:
        law = getattr(block.model.pairwise, table.name)
        for k in range(len(law.who)):
            load = rows_of_load(law, k, block, winds=True)
            table.follow(law.value[k], load, row_of(law, k, block.state, scratch), block.lanes)


@inlined
def keep_windings(t, block):
    """Store the windings at the end of a step, t (s), from its last evaluation."""
    if block.model.pairwise is not None:
        for table in FOLLOWED:
            law = getattr(block.model.pairwise, table.name)
            for k in range(len(law.who)):
                acting, unwrapped = (
                    1.0 if acts(law, k, block.phase) else 0.0,
                    block.scratch.unwrapped[law.who[k].followed],
                )
                keep_winding(t, acting, unwrapped, row_of(law, k, block.state, block.scratch), block.lanes)


@inlined
def separate(relations, block):
    """The separation of every pair of frames; all frames are placed."""
    for node in relations.linked:
        link(node, block)
    for pair in range(len(relations.pair) - 1):
        apart = block.scratch.apart[pair]
        apart[:] = 0.0
        for way in range(relations.pair[pair].way, relations.pair[pair + 1].way):
            pass_link(block.scratch.link[relations.way_node[way]], relations.way_sign[way], apart, block.lanes)


@inlined
def relate(block):
    """All separations and windings."""
    model = block.model
    if model.relations is not None:
        separate(model.relations, block)
    if model.pairwise is not None:
        follow_windings(block)
