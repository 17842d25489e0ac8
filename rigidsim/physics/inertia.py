"""Moments of inertia: symmetric tensors (xx, yy, zz, xy, xz, yz), kg m^2.

The off-diagonal entries are the tensor's own, I_xy = -(integral of x y dm).
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select, sqrt
from rigidsim.physics.quaternion import to_matrix
from rigidsim.physics.vector import dot

PRINCIPAL_ROUNDS = 8  # Jacobi converges quadratically: six reach round-off from any tensor, two are reserve


@formula
def apply(tensor, v):
    """I v."""
    xx, yy, zz, xy, xz, yz = tensor
    return (xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2])


@formula
def multiplied(factor, tensor):
    """A tensor times a number."""
    xx, yy, zz, xy, xz, yz = tensor
    return (factor * xx, factor * yy, factor * zz, factor * xy, factor * xz, factor * yz)


@formula
def inverse(tensor):
    """I^-1 by cofactors; the determinant must not vanish."""
    xx, yy, zz, xy, xz, yz = tensor
    c_xx, c_xy, c_xz = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    k = 1.0 / (xx * c_xx + xy * c_xy + xz * c_xz)
    return (
        k * c_xx, k * (xx * zz - xz * xz), k * (xx * yy - xy * xy),
        k * c_xy, k * c_xz, k * (xy * xz - xx * yz),
    )  # fmt: skip


@formula
def rotated(q_PB, tensor_B):
    """R I_B R^T: the tensor of the same body in the axes of P."""
    return conjugated(to_matrix(q_PB), tensor_B)


@formula
def conjugated(rows, tensor):
    """R T R^T of any symmetric tensor T; R by its rows."""
    half = (apply(tensor, rows[0]), apply(tensor, rows[1]), apply(tensor, rows[2]))
    return (
        dot(rows[0], half[0]), dot(rows[1], half[1]), dot(rows[2], half[2]),
        dot(rows[0], half[1]), dot(rows[0], half[2]), dot(rows[1], half[2]),
    )  # fmt: skip


@formula
def displaced(tensor, mass, r):
    """I + m (r.r 1 - r r^T): about a point at distance r (m) from the centre of mass. Steiner's parallel axes."""
    xx, yy, zz, xy, xz, yz = tensor
    x, y, z = r[0], r[1], r[2]
    return (
        xx + mass * (y * y + z * z), yy + mass * (x * x + z * z), zz + mass * (x * x + y * y),
        xy - mass * x * y, xz - mass * x * z, yz - mass * y * z,
    )  # fmt: skip


@formula
def _jacobi_rotation(a_pp, a_qq, a_pq):
    """(c, s) of the plane rotation that annuls a_pq. Jacobi (1846); Golub and Van Loan, Matrix Computations, 8.5.2."""
    vanishes = a_pq * a_pq < 1e-300
    zeta = (a_qq - a_pp) / (2.0 * select(vanishes, 1.0 + 0.0 * a_pq, a_pq))
    root = sqrt(1.0 + zeta * zeta)
    t = select(vanishes, 0.0 * a_pq, select(zeta < 0.0, -1.0, 1.0) / (zeta * select(zeta < 0.0, -1.0, 1.0) + root))
    c = 1.0 / sqrt(1.0 + t * t)
    return (c, t * c)


@formula
def _turned(q, axis, c, s):
    """q times a rotation about one coordinate axis, of which the matrix has cosine c >= 0 and sine s."""
    w = sqrt(0.5 * (1.0 + c))
    u = 0.5 * s / w
    if axis == 0:
        return (q[0] * w - q[1] * u, q[0] * u + q[1] * w, q[2] * w + q[3] * u, q[3] * w - q[2] * u)
    if axis == 1:
        return (q[0] * w - q[2] * u, q[1] * w - q[3] * u, q[0] * u + q[2] * w, q[3] * w + q[1] * u)
    return (q[0] * w - q[3] * u, q[1] * w + q[2] * u, q[2] * w - q[1] * u, q[0] * u + q[3] * w)


def principal_axes(tensor):
    """(moments, q_BQ): the tensor is diagonal, with these moments, in axes Q; v_B = rotate(q_BQ, v_Q).

    Cyclic Jacobi rotations in the yz, xz, xy planes, a fixed number of rounds; moments come in no particular order.
    """
    q_BQ = (1.0, 0.0, 0.0, 0.0)
    turned = tensor
    for _ in range(PRINCIPAL_ROUNDS):
        for axis in range(3):
            p, r = (axis + 1) % 3, (axis + 2) % 3
            c, s = _jacobi_rotation(turned[p], turned[r], turned[5 - axis])
            q_BQ = _turned(q_BQ, axis, c, -s)
            # Rotating the original tensor in each round leaves the round-off of one rotation, not of all.
            turned = rotated((q_BQ[0], -q_BQ[1], -q_BQ[2], -q_BQ[3]), tensor)
    return (turned[0], turned[1], turned[2]), q_BQ
