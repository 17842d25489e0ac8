"""How frames lie and move to one another, without subtracting world coordinates.

Along the tree from one frame to another only the links between them are summed, those below their nearest common
ancestor: centimetres within a vehicle stay centimetres on an orbit of 1.5e11 m.
"""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.physics.frames import compose_velocity
from rigidsim.physics.quaternion import rotate
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


@inlined
def relate(model, scratch, lanes):
    """The separation of every pair of frames that a law or an expression looks at; all frames are placed."""
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
