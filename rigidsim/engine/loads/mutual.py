"""Mutual gravity of free and jointed bodies at their centres of mass, pair by pair; no pair is stored.

The separation of two bodies is the difference of their positions relative to their nearest common ancestor: of
siblings, their arms from the parent's origin; of others, arms plus the links up to that ancestor. So centimetres
between two moons stay centimetres at any distance from the world's origin.
"""

from __future__ import annotations

from rigidsim.engine.model.layout import ARM, BODY, FRAME, LEDGER, LINK, SCALAR, TRIPLE, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.forces import attraction, attraction_potential
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, scaled, sub


@lanewise
def begin_way(body: BODY, frame: FRAME, way: TRIPLE, lane):
    """A centre of mass relative to the origin of its body."""
    way.xyz = rotate(frame.q, body.com)


@lanewise
def leave_body(arm: ARM, way: TRIPLE, lane):
    """The centre of mass relative to the parent's origin."""
    way.xyz = arm.d


@lanewise
def leave_node(link: LINK, way: TRIPLE, lane):
    """Add a link: relative to the origin of the next ancestor."""
    way.xyz = add(way.xyz, link.p)


@inlined
def inwards(frame, node, way, block):
    """Extend the position of a body, of node `node`, from this frame to its parent. Returns the parent's frame."""
    if frame == node + 1:
        leave_body(block.scratch.arm[node], way, block.lanes)
    else:
        leave_node(block.scratch.link[frame - 1], way, block.lanes)
    return block.model.node[frame - 1].parent


@inlined
def meet(first, second, block):
    """Fill the two rows of `scratch.way` with two nodes' centres of mass relative to their nearest common ancestor."""
    model, scratch = block.model, block.scratch
    depth = model.mutual.depth
    begin_way(model.body[model.node[first].row], scratch.frame[first + 1], scratch.way[0], block.lanes)
    begin_way(model.body[model.node[second].row], scratch.frame[second + 1], scratch.way[1], block.lanes)
    a, b = first + 1, second + 1
    for _ in range(depth[a] + depth[b]):  # at most; a count, which straight code knows
        if a == b:
            break
        if depth[a] >= depth[b]:
            a = inwards(a, first, scratch.way[0], block)
        else:
            b = inwards(b, second, scratch.way[1], block)


@lanewise
def pull_pair(
    way_1: TRIPLE, way_2: TRIPLE, gm_1: SCALAR, gm_2: SCALAR, soft: SCALAR, wrench_1: WRENCH, wrench_2: WRENCH, lane
):
    """Add the gravity of two bodies on each other."""
    unit = attraction(1.0, soft.value, sub(way_2.xyz, way_1.xyz))
    g_1 = scaled(-gm_2.value, unit)
    g_2 = scaled(gm_1.value, unit)
    wrench_1.g = add(wrench_1.g, g_1)
    wrench_2.g = add(wrench_2.g, g_2)


@lanewise
def store_pair(way_1: TRIPLE, way_2: TRIPLE, gm_1: SCALAR, soft: SCALAR, body_2: BODY, ledger: LEDGER, lane):
    """Add the potential energy of two bodies."""
    ledger.potential += body_2.mass * attraction_potential(gm_1.value, soft.value, sub(way_2.xyz, way_1.xyz))


@inlined
def ways(first, second, block):
    """Rows that begin with two nodes' centres of mass relative to the same frame; for siblings these are their arms."""
    scratch = block.scratch
    siblings = block.model.node[first].parent == block.model.node[second].parent
    if not siblings:
        meet(first, second, block)
    arms = TRIPLE(scratch.arm[first]), TRIPLE(scratch.arm[second])
    return arms if siblings else (scratch.way[0], scratch.way[1])


@inlined
def attract_mutually(mutual, block):
    """Add the attraction of every pair of the group, in the order of their paths."""
    group, gm = mutual.member, mutual.gm
    for a in range(len(group)):
        i = group[a]
        for b in range(a + 1, len(group)):
            j = group[b]
            way_1, way_2 = ways(block.model.moved_node[i], block.model.moved_node[j], block)
            soft, wrench_1, wrench_2 = mutual.soft[0], block.scratch.wrench[i], block.scratch.wrench[j]
            pull_pair(way_1, way_2, gm[a], gm[b], soft, wrench_1, wrench_2, block.lanes)


@inlined
def store_mutually(mutual, block, ledger):
    """Add the potential energy of every pair of the group."""
    model = block.model
    group, gm = mutual.member, mutual.gm
    for a in range(len(group)):
        for b in range(a + 1, len(group)):
            j = group[b]
            way_1, way_2 = ways(model.moved_node[group[a]], model.moved_node[j], block)
            store_pair(way_1, way_2, gm[a], mutual.soft[0], model.body[j], ledger, block.lanes)
