"""Changes of motion at an instant: between world and parent, inherited from the parent, and cancelling those.

No pose changes. A body B in its parent P; q_WP, s_WP the parent's rotation and scale, omega_WP its rate before the
change, d = J_WP p_PB and drift = J_WP v_PB as before. dv, domega, da, dalpha are changes of velocity, m/s, rate, rad/s,
and their accelerations; _WP and _WB in world axes, _PB in the parent's axes.
Source: "The Dynamics of a Transform Hierarchy" (cwzx), local and global deltas; the cancellation there is the case of a
parent whose velocity alone changes.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.frames import stretch, stretch_back
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, negated, scaled, sub

# --- the child changes locally: its change in the world


@formula
def delta_velocity(q_WP, s_WP, dv_PB):
    """dv_WB = J_WP dv_PB."""
    return stretch(q_WP, s_WP, dv_PB)


@formula
def delta_acceleration(omega_WP, q_WP, s_WP, dv_WB, da_PB):
    """da_WB = J_WP da_PB + 2 omega_WP x dv_WB."""
    return add(stretch(q_WP, s_WP, da_PB), scaled(2.0, cross(omega_WP, dv_WB)))


@formula
def delta_rate(q_WP, domega_PB):
    """domega_WB = R_WP domega_PB."""
    return rotate(q_WP, domega_PB)


@formula
def delta_angular_acceleration(omega_WP, q_WP, domega_WB, dalpha_PB):
    """dalpha_WB = R_WP dalpha_PB + omega_WP x domega_WB."""
    return add(rotate(q_WP, dalpha_PB), cross(omega_WP, domega_WB))


# --- a given change of the child in the world: the local change that causes it


@formula
def local_delta_velocity(q_WP, s_WP, dv_WB):
    """dv_PB = J_WP^-1 dv_WB."""
    return stretch_back(q_WP, s_WP, dv_WB)


@formula
def local_delta_acceleration(omega_WP, q_WP, s_WP, dv_WB, da_WB):
    """da_PB = J_WP^-1 (da_WB - 2 omega_WP x dv_WB)."""
    return stretch_back(q_WP, s_WP, sub(da_WB, scaled(2.0, cross(omega_WP, dv_WB))))


@formula
def local_delta_rate(q_WP, domega_WB):
    """domega_PB = R_WP^T domega_WB."""
    return rotate_back(q_WP, domega_WB)


@formula
def local_delta_angular_acceleration(omega_WP, q_WP, domega_WB, dalpha_WB):
    """dalpha_PB = R_WP^T (dalpha_WB + domega_WB x omega_WP)."""
    return rotate_back(q_WP, add(dalpha_WB, cross(domega_WB, omega_WP)))


# --- the parent changes, the child does not change locally: the child's change in the world; domega_WB = domega_WP


@formula
def inherited_velocity(dv_WP, domega_WP, d):
    """dv_WB = dv_WP + domega_WP x d."""
    return add(dv_WP, cross(domega_WP, d))


@formula
def inherited_acceleration(omega_WP, domega_WP, da_WP, dalpha_WP, d, drift):
    """da_WB = da_WP + dalpha x d + domega x (omega x d) + (omega + domega) x (domega x d) + 2 domega x drift.

    The change of alpha x d + omega x (omega x d) + 2 omega x drift.
    """
    swept = cross(domega_WP, cross(omega_WP, d))
    swept_after = cross(add(omega_WP, domega_WP), cross(domega_WP, d))
    turning = add(swept, add(swept_after, scaled(2.0, cross(domega_WP, drift))))
    return add(add(da_WP, cross(dalpha_WP, d)), turning)


@formula
def inherited_angular_acceleration(omega_WP, domega_WP, dalpha_WP, omega_WB):
    """dalpha_WB = dalpha_WP + domega_WP x (omega_WB - omega_WP)."""
    return add(dalpha_WP, cross(domega_WP, sub(omega_WB, omega_WP)))


# --- the parent changes: the child's local change that leaves its world motion unchanged


@formula
def cancelling_velocity(q_WP, s_WP, dv_WP, domega_WP, d):
    """dv_PB = -J_WP^-1 (dv_WP + domega_WP x d)."""
    return negated(stretch_back(q_WP, s_WP, inherited_velocity(dv_WP, domega_WP, d)))


@formula
def cancelling_acceleration(omega_WP, q_WP, s_WP, dv_WP, domega_WP, da_WP, dalpha_WP, d, drift):
    """da_PB = -J_WP^-1 (da_WB - 2 (omega_WP + domega_WP) x dv_WB), with the inherited dv_WB and da_WB."""
    dv_WB = inherited_velocity(dv_WP, domega_WP, d)
    da_WB = inherited_acceleration(omega_WP, domega_WP, da_WP, dalpha_WP, d, drift)
    return negated(local_delta_acceleration(add(omega_WP, domega_WP), q_WP, s_WP, dv_WB, da_WB))


@formula
def cancelling_rate(q_WP, domega_WP):
    """domega_PB = -R_WP^T domega_WP."""
    return negated(rotate_back(q_WP, domega_WP))


@formula
def cancelling_angular_acceleration(q_WP, domega_WP, dalpha_WP, omega_WB):
    """dalpha_PB = -R_WP^T (dalpha_WP + domega_WP x omega_WB), omega_WB the child's rate, which does not change."""
    return negated(rotate_back(q_WP, add(dalpha_WP, cross(domega_WP, omega_WB))))
