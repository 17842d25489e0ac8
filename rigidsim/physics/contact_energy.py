"""The energy that contact changes, by cause.

A step is corrected by contact: a body ends with m v' and L' instead of m v* and L*, at another place. The change of its
energy is booked as work. What did it follows from the same impulses, so the rest is the error of contact.

*Impacts.* An impulse P changes the slip from u to u'. It changes the kinetic energy of both bodies by P . (u + u')/2,
exactly, of which the part along the normal is that of restitution, the other that of friction.

*Sub-steps.* The smooth motion is a ramp of velocity with acceleration a, and v_0 the velocity after the impacts, as if
they were at the beginning. In a step of h seconds contact adds the momentum p = m (v' - v_0 - h a), and the body moves
by x. So contact has done the work m (v'^2 - v_0^2)/2 - m a . x, which is

    p . v - m a . (x - h v),     v = (v_0 + v')/2.

The first part is that of the impulses, at the mean velocity: of friction, at most zero; of surfaces that something
else drives; and of what is left, damping: of bodies that land, for the normal slip of one that lies is zero. The second
part is that of displacements which velocities do not account for, as overlapping bodies are parted by the sub-steps.
Rotation adds L . omega and I alpha . (theta - h omega), with the inertia at the beginning of the step.

*Loads.* Work of loads was integrated along the smooth motion. Contact displaces the body by dx and theta beyond it,
where they do F . dx + tau . theta, with F = m a and tau = (L* - L_0)/h; potential energy changes by the opposite where
they have any, so this is zero for gravity, and that of thrust otherwise.

*Trees of joints.* They answer impulses as a whole: J changes the kinetic energy by J . (v* + v')/2, where v* is the
motion at the end of the smooth step, with what holds rates in it. A prescribed coordinate, or one that a motor or
friction keeps at its rate x', takes the part S . R of the reaction R of its joint, with the motion S of the coordinate,
and does the work S . R x'. R = I a + p has the jumps a of the bodies behind the joint as much as their impulses p.

*The rest.* For translation the sum of these is the booked change, identically. For rotation it is so to first order in
the turn of a step: the inertia of the solver does not turn within the step, and turns are added up like vectors. What
this changes is the error of contact. Bodies with round inertia have none.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.vector import dot


@formula
def impact_energy(n, P, mean_slip):
    """(normal part, tangential part) of the work of an impulse P (N s), J; mean_slip = (u + u')/2."""
    normal = dot(n, P) * dot(n, mean_slip)
    return (normal, dot(P, mean_slip) - normal)


@formula
def friction_work(n, P, slip, K, spin):
    """P_t . u_t + K . spin, J: of the tangential part of P at the slip u, and of a moment K (N m s) that resists
    rolling, at the difference of the rates.
    """
    return dot(P, slip) - dot(n, P) * dot(n, slip) + dot(K, spin)
