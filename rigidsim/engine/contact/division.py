"""Steps that contact divides: into even parts while shapes that may touch turn far, and at impacts.

Within a step of contact a body turns by one rotation vector, and levers and inverse inertia are those of a few poses.
That is right for turns of a fraction of a radian. So a step in which two shapes that may touch turn farther, relative
to each other, is put back and taken in even parts. A step in which an impact makes a body turn so far is put back and
ends just after the impact. One in which something rebounds on a tree ends there (`rebounds.py`).
"""

from __future__ import annotations

from rigidsim.engine.collision.approach import is_centred
from rigidsim.engine.collision.convex import forget_features
from rigidsim.engine.collision.narrow import meet, placed_shape
from rigidsim.engine.constraints.lasting import BEYOND
from rigidsim.engine.contact.simultaneous import N_BODIES
from rigidsim.engine.model.contact_layout import LINE
from rigidsim.jit import inlined, routine
from rigidsim.physics.vector import norm

# Parts of a whole step, 0 if there are none: where the step has to end; a rebound, and how often the step up to it was
# taken; even parts; just after an impact.
WHOLE, REBOUND, TIMES, EVEN, AFTER_IMPACT, LENGTHS = 0, 1, 2, 3, 4, 5
LEAST_REST = 1e-6  # of a step: what comes after an impact at its end
# rad: of two shapes relative to each other, in a step that is not divided, and in an even part
TURNS, EVEN_TURN = 0.5, 0.125


@inlined
def longest(part):
    """The longest that a step may be, if nothing rebounds on a tree."""
    length = part[WHOLE]
    for k in (EVEN, AFTER_IMPACT):
        length = part[k] if 0.0 < part[k] < length else length
    return length


@inlined
def is_divided(arrays):
    """Whether the step is to be taken again, up to an earlier time."""
    part = arrays.part
    return part[REBOUND] > 0.0 or part[EVEN] > 0.0 or part[AFTER_IMPACT] > 0.0


@inlined
def end_of_part(done, end, arrays):
    """Where a step ends, as a part of a whole one, if it would end at `end` without contact."""
    part = arrays.part
    part[WHOLE] = end - done
    length = longest(part)
    length = part[REBOUND] if 0.0 < part[REBOUND] < length else length
    return done + length if length < part[WHOLE] else end


@inlined
def undivided(nominal, part):
    """The length of a step to which impacts do not matter, s: a whole one, or an even part."""
    return part[EVEN] * nominal if part[EVEN] > 0.0 else nominal


@inlined
def forget_part(arrays):
    """The next step is a whole one, and contacts that last may take it."""
    arrays.part[:] = 0.0
    if arrays.lasting is not None:
        arrays.lasting.size[BEYOND] = 0


@inlined
def turn_of(k, contacts, motions):
    """How far a shape turns in the step, rad, if that moves its points."""
    return 0.0 if is_centred(k, contacts) else motions.turn[k]


@routine
def largest_turn(contacts, pair, n_pair, motions, points):
    """How far two shapes that may touch within the step turn relative to each other, rad: the largest; 0 if that is
    less than a step may have.
    """
    largest, value, pose = TURNS, contacts.shape_value, motions.pose
    for number in range(n_pair):
        i, j, closing = pair[number, 0], pair[number, 1], points.closing[number]
        turn = turn_of(i, contacts, motions) + turn_of(j, contacts, motions)
        if turn > largest and points.apart[number] - value[i].bound - value[j].bound <= closing:
            if points.convex is not None:
                forget_features(i, j, points.convex.features)
            shape_i, shape_j = placed_shape(i, contacts, pose[i]), placed_shape(j, contacts, pose[j])
            if meet(shape_i, shape_j, closing, points.place, points.convex) > 0:
                largest = turn
    return largest if largest > TURNS else 0.0


@inlined
def turns_far(contacts, arrays):
    """Whether a step that is not divided yet has to be, as shapes that may touch turn far in it."""
    part = arrays.part
    if arrays.impacts is None or is_divided(arrays):
        return False
    turn = largest_turn(contacts, arrays.candidates.pair, arrays.candidates.count[0], arrays.motions, arrays.points)
    if turn > 0.0:
        part[EVEN] = part[WHOLE] * (EVEN_TURN / turn)
    return turn > 0.0


@routine
def whirls(b, left, vel: LINE, contacts):
    """Whether a body that forces move turns far in the time left (s), and some shape of it with it."""
    omega, found = vel[b].angular, False
    if b < contacts.n_moved and left * norm(omega) > TURNS:
        for k in range(len(contacts.shape)):
            found = found or (contacts.shape[k].body == b and not is_centred(k, contacts))
    return found


@inlined
def any_whirls(now, h, vel, contacts, problem):
    """Whether one of the bodies that impacts struck at `now` does (`whirls`) in the rest of a step of h seconds, which
    is not divided there yet.
    """
    found = False
    for m in range(problem.size[N_BODIES]):
        found = found or whirls(problem.body[m], h - now, vel, contacts)
    return found and h - now > LEAST_REST * h


@inlined
def end_after(impact, h, nominal, part):
    """Divide the step of h seconds just after an impact (s from its beginning); a rebound on a tree is sought anew."""
    part[AFTER_IMPACT] = (impact + LEAST_REST * h) / nominal
    part[REBOUND] = part[TIMES] = 0.0
