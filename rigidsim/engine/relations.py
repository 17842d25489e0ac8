"""Relative position and velocity of frames, without subtracting world coordinates.

Only the links on the path between two frames, below their nearest common ancestor, are summed: centimetres within a
vehicle stay centimetres on an orbit of 1.5e11 m. The winding angle of a torsion spring is updated from step to step,
because a pose does not determine the number of full turns.
"""

from __future__ import annotations

from rigidsim.engine.kinds import link
from rigidsim.engine.laws.chain import over
from rigidsim.engine.laws.registry import PAIRWISE
from rigidsim.engine.laws.wrench import acts, pair_arrays
from rigidsim.engine.layout import APART, EACH, LINK, WINDING, WOUND
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import select
from rigidsim.physics.vector import add, scaled


@lanewise
def pass_link(passed: LINK, sign, apart: APART, lane):
    """Add a link to a separation; the sign is its direction along the path."""
    p, v = passed.p, passed.v
    apart.p = add(apart.p, scaled(sign, p))
    apart.v = add(apart.v, scaled(sign, v))


@lanewise
def keep_winding(t: EACH, acting, wound: WINDING, state: WOUND, lane):
    """Store the winding at the end of a step, t (s); and the time when half a turn, at which the torque reverses, was
    first passed while the load acted (`acting` 1, else 0).
    """
    now, last = wound.now, state.last
    before = state.passed
    turns_over = acting * wound.turns_over
    passed = select(turns_over * now * last < 0.0, select(before == 0.0, t, before), before)
    state.passed = passed
    state.last = now


@inlined
def step_row(state, scratch):
    """The number of the row `STEP` of a state that has one: that of the rows of bodies and of paced nodes before it."""
    return len(state) - len(scratch.wound) - 1


@inlined
def row_of(law, k, state, arrays):
    """The row of the state that holds the winding of load k."""
    return len(state) - len(arrays.wound) + law.who[k].followed


@inlined
def follow_each(law, follow, state, arrays, lanes):
    """Compute the winding of every load of one table."""
    for k in range(len(law.who)):
        follow(law, k, state[row_of(law, k, state, arrays)], arrays, lanes)


@inlined
def keep_each(law, _follow, t, era, state, arrays, lanes):
    """Store the winding of every load of one table."""
    for k in range(len(law.who)):
        acting = 1.0 if acts(law, k, era) else 0.0
        keep_winding(t, acting, arrays.wound[law.who[k].followed], state[row_of(law, k, state, arrays)], lanes)


follow_every_pair = over(PAIRWISE, follow_each, "follow")
keep_every_pair = over(PAIRWISE, keep_each, "follow")


@inlined
def follow_pairwise(laws, model, state, scratch, lanes):
    """Compute all windings."""
    follow_every_pair(laws, state, pair_arrays(model, scratch), lanes)


@inlined
def keep_pairwise(laws, t, era, model, state, scratch, lanes):
    """Store all windings."""
    keep_every_pair(laws, t, era, state, pair_arrays(model, scratch), lanes)


@inlined
def keep_windings(t, era, model, state, scratch, lanes):
    """Store the windings at the end of a step, t (s), from its last evaluation."""
    if model.pairwise is not None:
        keep_pairwise(model.pairwise, t, era, model, state, scratch, lanes)


@inlined
def separate(relations, model, scratch, lanes):
    """The separation of every pair of frames that a load or an expression reads; all frames are placed."""
    for node in relations.linked:
        link(node, model, scratch, lanes)
    for pair in range(len(relations.pair) - 1):
        apart = scratch.apart[pair]
        apart[:] = 0.0
        for way in range(relations.pair[pair].way, relations.pair[pair + 1].way):
            pass_link(scratch.link[relations.way_node[way]], relations.way_sign[way], apart, lanes)


@inlined
def relate(model, state, scratch, lanes):
    """All separations and windings."""
    if model.relations is not None:
        separate(model.relations, model, scratch, lanes)
    if model.pairwise is not None:
        follow_pairwise(model.pairwise, model, state, scratch, lanes)
