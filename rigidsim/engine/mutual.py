"""Mutual gravity of free bodies at their centres of mass, pair by pair; no pair is stored.

The separation of two bodies is the difference of their positions relative to their nearest common ancestor: of
siblings, their arms from the parent's origin; of others, arms plus the links up to that ancestor. So centimetres
between two moons stay centimetres at any distance from the world's origin.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.forces import attraction, attraction_potential
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, scaled, sub


@routine
def begin_way(body, frame, way, lanes):
    """A centre of mass relative to the origin of its body."""
    n = len(lanes)
    for lane in range(n):
        store3(way, 0, lane, n, rotate(load4(frame, at.F_Q, lane, n), load3(body, at.B_COM, lane, n)))


@routine
def leave_body(arm, way, lanes):
    """The centre of mass relative to the parent's origin."""
    n = len(lanes)
    for lane in range(n):
        store3(way, 0, lane, n, load3(arm, at.A_D, lane, n))


@routine
def leave_node(link, way, lanes):
    """Add a link: relative to the origin of the next ancestor."""
    n = len(lanes)
    for lane in range(n):
        store3(way, 0, lane, n, add(load3(way, 0, lane, n), load3(link, at.K_P, lane, n)))


@inlined
def inwards(frame, node, way, model, scratch, lanes):
    """Extend the position of a body, of node `node`, from this frame to its parent. Returns the parent's frame."""
    if frame == node + 1:
        leave_body(scratch.arm[node], way, lanes)
    else:
        leave_node(scratch.link[frame - 1], way, lanes)
    return model.node[frame - 1, at.NODE_PARENT]


@inlined
def meet(first, second, model, scratch, lanes):
    """Fill the two rows of `scratch.way` with two nodes' centres of mass relative to their nearest common ancestor."""
    depth = model.mutual.depth
    begin_way(model.body[model.node[first, at.NODE_ROW]], scratch.frame[first + 1], scratch.way[0], lanes)
    begin_way(model.body[model.node[second, at.NODE_ROW]], scratch.frame[second + 1], scratch.way[1], lanes)
    a, b = first + 1, second + 1
    for _ in range(depth[a] + depth[b]):  # at most; a count, which straight code knows
        if a == b:
            break
        if depth[a] >= depth[b]:
            a = inwards(a, first, scratch.way[0], model, scratch, lanes)
        else:
            b = inwards(b, second, scratch.way[1], model, scratch, lanes)


@routine
def pull_pair(way_1, way_2, gm_1, gm_2, soft, wrench_1, wrench_2, lanes):
    """Add the gravity of two bodies on each other."""
    n = len(lanes)
    for lane in range(n):
        s = sub(load3(way_2, 0, lane, n), load3(way_1, 0, lane, n))
        unit = attraction(1.0, load(soft, 0, lane, n), s)
        g_1 = scaled(-load(gm_2, 0, lane, n), unit)
        g_2 = scaled(load(gm_1, 0, lane, n), unit)
        store3(wrench_1, at.W_G, lane, n, add(load3(wrench_1, at.W_G, lane, n), g_1))
        store3(wrench_2, at.W_G, lane, n, add(load3(wrench_2, at.W_G, lane, n), g_2))


@routine
def store_pair(way_1, way_2, gm_1, soft, body_2, ledger, lanes):
    """Add the potential energy of two bodies."""
    n = len(lanes)
    for lane in range(n):
        s = sub(load3(way_2, 0, lane, n), load3(way_1, 0, lane, n))
        potential = attraction_potential(load(gm_1, 0, lane, n), load(soft, 0, lane, n), s)
        energy = load(body_2, at.B_MASS, lane, n) * potential
        store(ledger, at.E_POTENTIAL, lane, n, load(ledger, at.E_POTENTIAL, lane, n) + energy)


@inlined
def ways(first, second, model, scratch, lanes):
    """Rows that begin with two nodes' centres of mass relative to the same frame; for siblings these are their arms."""
    siblings = model.node[first, at.NODE_PARENT] == model.node[second, at.NODE_PARENT]
    if not siblings:
        meet(first, second, model, scratch, lanes)
    return (scratch.arm[first], scratch.arm[second]) if siblings else (scratch.way[0], scratch.way[1])


@inlined
def attract_mutually(mutual, model, scratch, lanes):
    """Add the attraction of every pair of the group, in the order of their paths."""
    group, gm = mutual.member, mutual.gm
    for a in range(len(group)):
        i = group[a]
        for b in range(a + 1, len(group)):
            j = group[b]
            way_1, way_2 = ways(model.moved_node[i], model.moved_node[j], model, scratch, lanes)
            soft, wrench_1, wrench_2 = mutual.soft[0], scratch.wrench[i], scratch.wrench[j]
            pull_pair(way_1, way_2, gm[a], gm[b], soft, wrench_1, wrench_2, lanes)


@inlined
def store_mutually(mutual, model, scratch, ledger, lanes):
    """Add the potential energy of every pair of the group."""
    group, gm = mutual.member, mutual.gm
    for a in range(len(group)):
        for b in range(a + 1, len(group)):
            j = group[b]
            way_1, way_2 = ways(model.moved_node[group[a]], model.moved_node[j], model, scratch, lanes)
            store_pair(way_1, way_2, gm[a], mutual.soft[0], model.body[j], ledger, lanes)
