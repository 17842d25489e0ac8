"""How frames lie and move to one another, without subtracting world coordinates.

Along the tree from one frame to another only the links between them are summed, those below their nearest common
ancestor: centimetres within a vehicle stay centimetres on an orbit of 1.5e11 m. How far a torsion spring is wound up is
followed from step to step, because a pose does not tell one turn from the next.
"""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.wrench import acts, ends
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.physics.elementary import select
from rigidsim.physics.forces import has_axis, winding
from rigidsim.physics.frames import compose_velocity
from rigidsim.physics.quaternion import conjugate, product, rotate
from rigidsim.physics.rigid_body import origin_from_com, point_velocity
from rigidsim.physics.vector import add, negated, scaled

NO_VELOCITY = (0.0, 0.0, 0.0)


@routine
def link_driven(parent, arm, link, lanes):
    """A fixed or prescribed node's origin from its parent's."""
    n = len(lanes)
    for lane in range(n):
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        store3(link, at.K_P, lane, n, d)
        store3(link, at.K_V, lane, n, compose_velocity(NO_VELOCITY, load3(parent, at.F_OMEGA, lane, n), d, drift))


@routine
def link_free(body, frame, parent, arm, link, lanes):
    """A free body's origin from its parent's: its centre of mass, and back to the origin."""
    n = len(lanes)
    for lane in range(n):
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        r = rotate(load4(frame, at.F_Q, lane, n), load3(body, at.B_COM, lane, n))
        v = compose_velocity(NO_VELOCITY, load3(parent, at.F_OMEGA, lane, n), d, drift)
        store3(link, at.K_P, lane, n, origin_from_com(d, r))
        store3(link, at.K_V, lane, n, point_velocity(v, load3(frame, at.F_OMEGA, lane, n), negated(r)))


@routine
def pass_link(link, sign, apart, lanes):
    """Add a link on the way, outwards or inwards."""
    n = len(lanes)
    for lane in range(n):
        p, v = load3(link, at.K_P, lane, n), load3(link, at.K_V, lane, n)
        store3(apart, at.Z_P, lane, n, add(load3(apart, at.Z_P, lane, n), scaled(sign, p)))
        store3(apart, at.Z_V, lane, n, add(load3(apart, at.Z_V, lane, n), scaled(sign, v)))


@routine
def wind(value, first, second, state, wound, lanes):
    """How far a torsion spring is wound up, counted on from its state."""
    n = len(lanes)
    for lane in range(n):
        q_AB = product(conjugate(load4(first, at.F_Q, lane, n)), load4(second, at.F_Q, lane, n))
        q_rest, axis = load4(value, at.H_REST, lane, n), load3(value, at.H_AXIS, lane, n)
        store(wound, 0, lane, n, winding(q_rest, axis, q_AB, load(state, at.S_WOUND, lane, n)))


@routine
def keep_winding(t, acting, value, wound, state, lanes):
    """The winding in a step that ended at t, s; without an axis, also when half a turn was first passed while the
    spring acted (`acting` 1, else 0) and had a stiffness.
    """
    n = len(lanes)
    for lane in range(n):
        now, last = load(wound, 0, lane, n), load(state, at.S_WOUND, lane, n)
        first_time = select(load(state, at.S_PASSED, lane, n) == 0.0, t, load(state, at.S_PASSED, lane, n))
        turns_over = acting * load(value, at.H_STIFFNESS, lane, n)
        passes = select(turns_over * now * last < 0.0, first_time, load(state, at.S_PASSED, lane, n))
        about = has_axis(load3(value, at.H_AXIS, lane, n))
        store(state, at.S_PASSED, lane, n, select(about, load(state, at.S_PASSED, lane, n), passes))
        store(state, at.S_WOUND, lane, n, now)


@inlined
def keep_windings(t, era, model, state, scratch, lanes):
    """At the end of a step, s, torsion springs are wound up as far as its last evaluation found them."""
    for k in range(len(model.torsions.who)):
        row = state[len(state) - len(model.torsions.who) + k]
        acting = 1.0 if acts(model.torsions, k, era) else 0.0
        keep_winding(t, acting, model.torsions.value[k], scratch.wound[k], row, lanes)


@inlined
def relate(model, state, scratch, lanes):
    """The separation of every pair of frames that a law or an expression looks at, and the winding of every torsion
    spring; all frames are placed.
    """
    for node in model.linked:
        parent, arm, link = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.arm[node], scratch.link[node]
        if model.node[node, at.NODE_KIND] == at.FREE:
            link_free(model.body[model.node[node, at.NODE_ROW]], scratch.frame[node + 1], parent, arm, link, lanes)
        else:
            link_driven(parent, arm, link, lanes)
    for pair in range(len(model.pair) - 1):
        apart = scratch.apart[pair]
        apart[:] = 0.0
        for way in range(model.pair[pair, at.PAIR_WAY], model.pair[pair + 1, at.PAIR_WAY]):
            pass_link(scratch.link[model.way_node[way]], model.way_sign[way], apart, lanes)
    for k in range(len(model.torsions.who)):
        first, second, _ = ends(model.torsions, k, model, scratch)
        row = state[len(state) - len(model.torsions.who) + k]
        wind(model.torsions.value[k], first, second, row, scratch.wound[k], lanes)
