"""Motions given by expressions of time, evaluated outside the stepper with the same formulas: the same bits."""

from __future__ import annotations

from rigidsim.physics.operations import JETS
from rigidsim.physics.prescribed import turned_further
from rigidsim.physics.quaternion import product
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import Time

NONE = (0.0, 0.0, 0.0)
NO_TURN = ((1.0, 0.0, 0.0), 0.0)


def is_driven(body) -> bool:
    """Whether expressions of time give the motion of a body of the scene."""
    return body.prescribed is not None and body.prescribed.is_expressed


def turns_of(body) -> tuple:
    """Three unit axes and angles, the outermost first; none, if the orientation is not given by expressions."""
    if body.prescribed.orientation is None:
        return ()
    turns = body.prescribed.orientation.turns
    return (*turns, *[NO_TURN] * (3 - len(turns)))


def jet_of(number: float | Expression, t: float) -> tuple[float, float, float]:
    """Value, first and second derivative with respect to time, as the stepper computes them."""
    return number.evaluate({Time(): (t, 1.0, 0.0)}, JETS) if isinstance(number, Expression) else (number, 0.0, 0.0)


def driven_motion(body, t: float) -> tuple:
    """(p, v, a) in the parent's units and (q, omega, alpha), in the parent's axes, at time t. Either is None if no
    expressions give it. q is the product of the given rotations and the body's own orientation.
    """
    given = body.prescribed.position
    path = None if given is None else tuple(zip(*(jet_of(part, t) for part in given), strict=True))
    turns = turns_of(body)
    if not turns:
        return path, None
    turned = ((1.0, 0.0, 0.0, 0.0), NONE, NONE)
    for axis, angle in turns:
        turned = turned_further(turned, axis, jet_of(angle, t))
    q, omega, alpha = turned
    return path, (product(q, body.orientation), omega, alpha)


def initial_pose(body) -> tuple:
    """(p_PB, q_PB) of a body of the scene at t = 0."""
    if not is_driven(body):
        return body.position, body.orientation
    path, turned = driven_motion(body, 0.0)
    return (body.position if path is None else path[0]), (body.orientation if turned is None else turned[0])
