"""Colours: contacts that share no body may be computed side by side, in lanes.

Pairs get the first colour that neither of their bodies has, in order; sixteen of one colour and kind make a group,
and groups are computed in the order of their first contacts, so that what is computed together is together in memory.
The contacts of one pair are computed one after the other in its lane. Bodies which impulses do not change have no
colours. Contacts for which 63 colours are not enough are computed one by one, after the others; so are those of a pair
that touches alone, which would leave the other lanes empty. None of this depends on the number of lanes.
"""

from __future__ import annotations

from rigidsim.engine.constraints.contact_rows import BALLS, BODIES, KINDS, LAYERS, TURNING, row_of
from rigidsim.engine.contact.trees import acts_on_tree
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.contact_layout import CONTACT_POINT, INVERSE, LINE, WHO
from rigidsim.jit import inlined, routine
from rigidsim.physics.vector import dot, scaled, sub

COLOURS = 63
GROUP = 16  # pairs; a multiple of the number of lanes
NO_PAIR = -1

# Bodies by how they move: not turned by impulses and not turning; with a round inertia; the others.
STILL, ROUND, GENERAL = 0, 1, 2

EQUAL = 1e-14  # largest relative difference of the moments of a round body: the rounding of its rotation
ALONG = 1e-26  # largest squared sine of the angle between a lever and a normal along it: the same


@routine
def sort_bodies(inverse: INVERSE, vel: LINE, smooth: LINE, n_body, form):
    """The form of each body: STILL, ROUND or GENERAL."""
    for i in range(n_body):
        tensor, turns = inverse[i], False
        inertia, v, added = tensor.inertia, vel[i].angular, smooth[i].angular
        xx, is_round = inertia[0], True
        for c in range(3):
            is_round = is_round and abs(inertia[c] - xx) <= EQUAL * xx
            is_round = is_round and abs(inertia[3 + c]) <= EQUAL * xx
            turns = turns or v[c] != 0.0 or added[c] != 0.0
        is_still = tensor.mass == 0.0 and is_round and xx == 0.0 and not turns
        form[i] = STILL if is_still else ROUND if is_round else GENERAL


@inlined
def is_along(n, r):
    """Whether a lever is parallel to the normal."""
    across = sub(r, scaled(dot(n, r), n))
    return dot(across, across) <= ALONG * dot(r, r)


@inlined
def is_ball(n, r, form):
    """Whether a body is as good as a ball at a contact."""
    return form == STILL or (form == ROUND and is_along(n, r))


@inlined
def kind_of(who: WHO, point: CONTACT_POINT, form):
    """How a contact is computed."""
    x, y, z = point.surface
    slides = x != 0.0 or y != 0.0 or z != 0.0
    if slides or who.marks & (at.FOLLOWING | at.BESIDE):
        return TURNING
    n = point.normal
    balls = is_ball(n, point.lever_A, form[who.a]) and is_ball(n, point.lever_B, form[who.b])
    return BALLS if balls else BODIES


@inlined
def leave_out(point):
    """No impulses at a contact that the sub-steps leave out."""
    for k in range(at.CONTACT_POINT.p_n, at.CONTACT_POINT.place("core")):
        point[k] = 0.0


@inlined
def movable(inverse: INVERSE):
    """1 for a body that impulses change, else 0."""
    return 1 if inverse.mass > 0.0 else 0


@inlined
def first_free(taken):
    """The lowest bit that is not set."""
    colour = 0
    while (taken >> colour) & 1:
        colour += 1
    return colour


@inlined
def place_in_group(g, spare, next_place, n_group, blocks, lanes):
    """The next place in the group of a colour and kind; a full one is followed by a new one. Returns the number of
    groups, too. Lanes that are not filled have the contact point `spare`.
    """
    n, place = len(lanes), next_place[g]
    if place % GROUP == 0:
        place = n_group * GROUP
        n_group += 1
        for lane in range(place, place + GROUP):
            for layer in range(LAYERS):
                blocks.contact[row_of(blocks, lane // n, layer), lane % n] = spare
            blocks.kind[lane // n], blocks.layers[lane // n] = g % KINDS, 0
    next_place[g] = place + 1
    return place, n_group


@inlined
def place_in_tree(m, who, trees):
    """Put a contact point among those of trees, if one of its bodies is part of one. Returns whether it is."""
    if trees is None or not acts_on_tree(who, trees.table):
        return False
    trees.made.blocks.contact[trees.made.count[0], 0] = m
    trees.made.count[0] += 1
    return True


@routine
def colour_contacts(points, inverse, arrays, trees, lanes):
    """Fill `contact`, `kind` and `layers` of the blocks of lanes, and of the single contacts; list those of trees. The
    points of one pair come one after the other, so they share a lane. Returns the numbers of blocks and single ones.
    """
    n, n_group, n_single, who = len(lanes), 0, 0, points.who
    block, single, used, next_place = arrays.block, arrays.single, arrays.used, arrays.next_place
    used[:] = next_place[:] = 0
    pair, place, layer, of = NO_PAIR, 0, 0, 0
    alone = points.number > 0 and who[0].pair == who[points.number - 1].pair
    if trees is not None:
        trees.made.count[0] = 0
    for m in range(points.number):
        a, b = who[m].a, who[m].b
        if who[m].marks & (at.IMPACT | at.NOTICED):
            leave_out(points.value[m])
            continue
        if place_in_tree(m, who[m], trees):
            continue
        kind, layer = kind_of(who[m], points.value[m], arrays.form), layer + 1
        if who[m].pair != pair or kind != of or layer == LAYERS:
            colour, layer = first_free(used[a] | used[b]), 0
            if alone or colour == COLOURS:
                single.contact[n_single, 0], single.kind[n_single], single.layers[n_single], pair = m, kind, 1, NO_PAIR
                n_single += 1
                continue
            place, n_group = place_in_group(colour * KINDS + kind, points.number, next_place, n_group, block, lanes)
            pair, of = who[m].pair, kind
            used[a] |= movable(inverse[a]) << colour
            used[b] |= movable(inverse[b]) << colour
        block.contact[row_of(block, place // n, layer), place % n] = m
        block.layers[place // n] = max(block.layers[place // n], layer + 1)
    return n_group * (GROUP // n), n_single
