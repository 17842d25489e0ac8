"""What forces, impulses and driven motions have to give, from NumPy, SciPy and sixty digits: see formula_checks.py.

A force is minus the gradient of its energy, a torque that of an energy under rotation, both by central differences.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from fifty_digits import MP, first_derivative, mp, polynomial, rates, reverse, times, turn_by

EPS = np.finfo(float).eps
S, V, OMEGA, LEVER = (
    np.array(v) for v in ((0.7, -1.1, 0.4), (0.5, 0.3, -0.9), (1.1, 0.6, -0.7), (-0.2, 0.8, 1.3))
)  # fmt: skip
I_B = np.array([[1.3, 0.2, -0.1], [0.2, 1.7, 0.3], [-0.1, 0.3, 2.1]])
TENSOR = (1.3, 1.7, 2.1, 0.2, -0.1, 0.3)
AXIS, UP = np.array([0.48, -0.6, 0.64]), np.array([0.0, 0.0, 1.0])
UNITS = [tuple(MP.mpf(i == k) for i in range(3)) for k in range(3)]
RESTS = [Rotation.from_rotvec(v) for v in ((0.3, -0.5, 0.2), (1.9, 0.4, -1.1), (-0.6, 2.2, 0.9))]
TURNS = [Rotation.from_rotvec(v) for v in ((-0.4, 0.9, 0.7), (0.2, -1.6, 2.0), (1.1, -0.3, 0.5))]


def wxyz(rotation: Rotation) -> np.ndarray:
    return rotation.as_quat()[[3, 0, 1, 2]]


def floats(values) -> np.ndarray:
    return np.array([float(value) for value in values])


def gradient(energy, place) -> np.ndarray:
    """Of a function of a position."""
    place = mp(*map(float, place))

    def along(unit):
        return first_derivative(lambda h: (energy(tuple(x + h * u for x, u in zip(place, unit, strict=True))),), 0)[0]

    return floats(along(unit) for unit in UNITS)


def gradient_of_turning(value, q) -> np.ndarray:
    """How a function of an orientation changes as it turns about its own axes: d value/dt = gradient . omega_B."""
    q = mp(*map(float, q))

    def along(unit):
        return first_derivative(lambda h: (value(times(q, turn_by(tuple(h * u for u in unit)))),), 0)[0]

    return floats(along(unit) for unit in UNITS)


def length(s):
    return MP.sqrt(sum(x * x for x in s))


def rotation_vector(r):
    """Of a unit quaternion of sixty digits, at most half a turn."""
    w, *u = r if r[0] >= 0 else tuple(-x for x in r)
    size = MP.sqrt(sum(x * x for x in u))
    return tuple(2 * MP.atan2(size, w) / size * x for x in u)


def springs() -> dict[str, list]:
    size = np.linalg.norm(S)
    forces = [
        ((k, rest, S), -gradient(lambda s, k=k, rest=rest: MP.mpf(k) * (length(s) - MP.mpf(rest)) ** 2 / 2, S), 1e-14)
        for k, rest in ((4.0, 0.3), (4.0, 2.5), (1.5, 0.0))
    ]
    none = [((4.0, 0.3, (0.0, 0.0, 0.0)), np.zeros(3), 0.0), ((4.0, 0.3, (1e-160, 0.0, 0.0)), np.zeros(3), 0.0)]
    directions = [((s * S,), S / size, 2 * EPS) for s in (1, 1e-140, 1e140)]
    r_A, r_B = RESTS[0].apply(LEVER), TURNS[0].apply(V)
    return {
        "separation": [((S, wxyz(RESTS[0]), LEVER, wxyz(TURNS[0]), V), (*r_A, *r_B, *(S + r_B - r_A)), 2e-15)],
        "direction": [*directions, *(((s,), np.zeros(3), 0.0) for (_, _, s), *_ in none)],
        "elastic_force": [*forces, *none],
        "elastic_energy": [((4.0, rest, S), 2.0 * (size - rest) ** 2, 1e-14) for rest in (0.3, 2.5)],
        "damping_force": [((0.7, S, V), -0.7 * np.outer(S, S) @ V / size**2, 1e-15)],
        "drag_force": [((0.7, 0.2, V), -0.7 * V - 0.2 * np.linalg.norm(V) * V, 1e-15), ((0.7, 0.2, 0 * V), 0 * V, 0.0)],
    }  # fmt: skip


def angle_about(axis, q_rest, q):
    """The phi for which what is left of the turn has no part about the axis, of all in (-pi, pi]."""
    r = times(reverse(q_rest), q)
    r = r if r[0] >= 0 else tuple(-x for x in r)

    def left(phi):
        swing = times(r, turn_by(tuple(-phi * u for u in axis)))
        return sum(x * u for x, u in zip(swing[1:], axis, strict=True))

    half_turn = MP.pi * (1 - MP.mpf(10) ** -50)
    return MP.findroot(left, (-half_turn, half_turn), solver="anderson", tol=MP.mpf(10) ** -110)


def torsion() -> dict[str, list]:
    axis = mp(*map(float, AXIS / np.linalg.norm(AXIS)))
    turned, twisted, torques, deflected, slipping, followed = [], [], [], [], [], []
    for rest, turn in zip(RESTS, TURNS, strict=True):
        q_rest, q = wxyz(rest), wxyz(turn)
        exact = mp(*map(float, q_rest))
        theta = (rest.inv() * turn).as_rotvec()
        turned += [((q_rest, sign * q), theta, 4e-15) for sign in (1, -1)]

        def phi(p, exact=exact):
            return angle_about(axis, exact, p)

        found = float(phi(mp(*map(float, q)))), *gradient_of_turning(phi, q)
        twisted += [((q_rest, floats(axis), sign * q), found, 8e-15) for sign in (1, -1)]
        about, g = (q_rest, floats(axis), q), np.array(found[1:])
        wound = found[0] + 4 * math.pi
        followed += [((*about, found[0] + 13.0), wound, 2e-14), ((*about, 0.0), found[0], 8e-15)]
        followed.append(((q_rest, np.zeros(3), q, 7.0), float(times(reverse(exact), q)[0]), 4e-15))
        deflected += [((q_rest, np.zeros(3), q, 7.0), theta, 4e-15), ((*about, wound), (wound, 0.0, 0.0), 0.0)]
        slipping.append(((q_rest, np.zeros(3), q, OMEGA, 7.0), (*theta, *OMEGA), 4e-15))
        slipping.append(((*about, OMEGA, wound), (*(wound * g), *(g @ OMEGA * g)), 3e-13))

        def energy(p, exact=exact):
            return MP.mpf(3) * sum(x * x for x in rotation_vector(times(reverse(exact), p))) / 2

        torques.append(((3.0, 0.0, theta, OMEGA), -gradient_of_turning(energy, q), 4e-14))
    # Half a turn of swing: the angle has no gradient, and the spring pulls nowhere.
    half = ((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    return {
        "misalignment": turned,
        "twist": [*twisted, (half, np.zeros(4), 0.0)],
        "has_axis": [((axis,), float(np.any(axis)), 0.0) for axis in (np.zeros(3), UP, -UP)],
        "unwrap": [
            ((phi, last), phi + turns * 2 * math.pi, 4e-15)
            for phi, last, turns in ((3.0, 3.2, 0), (-3.0, 3.2, 1), (3.0, -3.2, -1), (0.5, 12.6, 2), (-0.5, -12.6, -2))
        ],
        "winding": followed,
        "deflection": deflected,
        "deflection_and_slip": slipping,
        "torsion_torque": [*torques, ((3.0, 0.4, V, OMEGA), -3.0 * V - 0.4 * OMEGA, 1e-15)],
        "torsion_energy": [((3.0, V), 1.5 * V @ V, 1e-15)],
    }


def swing_of(axis, q):
    """The rotation vector of the shortest rotation from an axis to where q turns it, of sixty digits."""
    now = times(times(q, (MP.mpf(0), *axis)), reverse(q))[1:]
    (_, *across), cosine = times((MP.mpf(0), *axis), (MP.mpf(0), *now)), sum(map(MP.fmul, axis, now))
    sine = MP.sqrt(sum(x * x for x in across))
    return tuple(MP.atan2(sine, cosine) / sine * x for x in across) if sine else tuple(across)


def swings() -> tuple[list, list]:
    """Of a bushing with a free axis: the swing, and minus the gradient of its energy as the body turns about A's axes.
    The body is turned about its own axis by any angle.
    """
    swung, torques = [], []
    for free, (rest, turn) in enumerate(zip(RESTS, TURNS, strict=True)):
        axis, k = np.eye(3)[free], np.array([3.0, 0.7, 1.9]) * (np.arange(3) != free)
        exact, stiffness = mp(*axis), mp(*k)
        q, at_rest = wxyz(turn), wxyz(rest)
        found = floats(swing_of(exact, times(mp(*map(float, q)), reverse(mp(*map(float, at_rest))))))
        swung += [((axis, at_rest, sign * q), found, 8e-15) for sign in (1, -1)]
        for spin in (0.0, 2.5, 9.0):
            swung.append(((axis, at_rest, wxyz(Rotation.from_rotvec(spin * axis) * rest)), np.zeros(3), 4e-15))
        across = found / np.linalg.norm(found)
        swung.append(((axis, at_rest, wxyz(Rotation.from_rotvec(3e-9 * across) * rest)), 3e-9 * across, 4e-16))
        for size in (np.linalg.norm(found), 2.9, 0.3, 3e-3, 0.98e-3, 1e-6):  # the two smallest by the series
            tilted = times(turn_by(mp(*map(float, size * across))), turn_by(tuple(MP.mpf("1.7") * x for x in exact)))

            def energy(h, unit, q=tilted, axis=exact, stiffness=stiffness):
                found = swing_of(axis, times(turn_by(tuple(h * u for u in unit)), q))
                return (sum(each * x * x for each, x in zip(stiffness, found, strict=True)) / 2,)

            torque = floats(-first_derivative(lambda h, u=unit, e=energy: e(h, u), 0)[0] for unit in UNITS)
            bound = 16 * EPS * max(np.linalg.norm(torque), np.linalg.norm(k * size * across))
            torques.append(((k, size * across, 1.0), torque, bound))
            now = floats(times(times(tilted, (MP.mpf(0), *exact)), reverse(tilted))[1:])
            assert abs(torque @ now) <= 1e-15 * np.linalg.norm(torque)  # a turn about the swung axis does no work
    return swung, torques


def bushings() -> dict[str, list]:
    """Stiffnesses along three axes: the torque is minus the gradient of the energy as the body turns about A's axes."""
    k, moved, turned, torques = np.array([3.0, 0.7, 1.9]), [], [], []
    stiffness = mp(*k)
    for rest, turn in zip(RESTS, TURNS, strict=True):
        theta = (turn * rest.inv()).as_rotvec()
        turned += [((wxyz(rest), sign * wxyz(turn)), theta, 4e-15) for sign in (1, -1)]
        moved.append(((wxyz(rest), LEVER, S), rest.inv().apply(S) - LEVER, 2e-15))
        for size in (np.linalg.norm(theta), 0.3, 3e-3, 1.98e-3, 1e-6):  # the two smallest by the series
            vector = size * theta / np.linalg.norm(theta)
            q = turn_by(mp(*map(float, vector)))

            def energy(h, unit, q=q):
                found = rotation_vector(times(turn_by(tuple(h * u for u in unit)), q))
                return (sum(each * x * x for each, x in zip(stiffness, found, strict=True)) / 2,)

            torque = [-first_derivative(lambda h, u=unit, e=energy: e(h, u), 0)[0] for unit in UNITS]
            torques.append(((k, vector, 0.5), floats(torque), 8 * EPS * np.linalg.norm(k * vector)))
    swung, swinging = swings()
    gains = [np.array(gain) for gain in ((3, 2, 1), (3, 2, 0), (3, 0, 1), (0, 2, 1), (3, 0, 0), (0, 0, 1), (0, 0, 0))]
    return {
        "free_axis": [((gain,), (gain == 0.0) * (np.count_nonzero(gain) == 2), 0.0) for gain in gains],
        "swung_from": swung,
        "along_axes": [((k, S), k * S, 0.0)],
        "moved_from": moved,
        "turned_from": turned,
        "turning_torque": [*torques, *swinging],
        "cotangent_share": [
            *(((h * h,), (1 - h / math.tan(h)) / h**2, 4e-15) for h in (0.3, 1.2, 2.5)),
            *(((h2,), 1 / 3 + h2 / 45, 1e-16) for h2 in (0.0, 4e-7)),
        ],
        "energy_along_axes": [((k, S), S @ (k * S) / 2, 1e-15)],
    }


def flattened(s):
    """GM J2 a^2/r^3 P2(sin latitude), with GM 4 and J2 a^2 0.3."""
    r, z = length(s), sum(x * MP.mpf(float(u)) for x, u in zip(s, AXIS, strict=True))
    return MP.mpf(4) * MP.mpf(0.3) / r**3 * MP.legendre(2, z / r)


def gravity() -> dict[str, list]:
    pulls = [
        ((4.0, soft, S), -gradient(lambda s, soft=soft: -4 / MP.sqrt(length(s) ** 2 + MP.mpf(soft)), S), 4e-15)
        for soft in (0.0, 0.6)
    ]
    depth = [((4.0, soft, S), -4.0 / np.sqrt(S @ S + soft), 2e-15) for soft in (0.0, 0.6)]
    return {
        "attraction": pulls,
        "attraction_potential": depth,
        "oblateness": [((4.0, 0.3, AXIS, S), -gradient(flattened, S), 8e-15)],
        "oblateness_potential": [((4.0, 0.3, AXIS, S), float(flattened(mp(*map(float, S)))), 1e-15)],
        "gravity_gradient_torque": [((4.0, S, TENSOR), summed_torque(), 2e-14)],
    }


def summed_torque() -> np.ndarray:
    """On six points that have this inertia, a 1e-20 of a metre across; torques go with the square of that."""
    size = MP.mpf(10) ** -20
    # Points at +-r have the second moments of mass C = tr(I)/2 - I, as have its eigenvectors.
    moments, axes = np.linalg.eigh(np.trace(I_B) / 2 * np.eye(3) - I_B)
    assert moments.min() > 0
    total = [MP.mpf(0)] * 3
    for moment, axis in zip(moments, axes.T, strict=True):
        for sign in (1, -1):
            r = tuple(sign * size * MP.mpf(float(x)) for x in axis)
            s = tuple(MP.mpf(float(x)) + y for x, y in zip(S, r, strict=True))
            pull = tuple(-MP.mpf(float(moment)) / 2 * 4 * x / length(s) ** 3 for x in s)
            moved = times((MP.mpf(0), *r), (MP.mpf(0), *pull))[1:]
            total = [x + y for x, y in zip(total, moved, strict=True)]
    return floats(x / size**2 for x in total)


def impulses() -> dict[str, list]:
    def energy(v, omega):
        return 2.5 * v @ v / 2 + omega @ I_B @ omega / 2

    jump, turn = np.array([0.4, -0.2, 0.9]), np.array([-0.5, 0.1, 0.8])
    return {
        "velocity_jump": [((2.5, S), S / 2.5, 1e-15)],
        "moment": [((LEVER, S, V), np.cross(LEVER, S) + V, 1e-15)],
        "rate_jump": [((TENSOR, V), I_B @ V, 1e-14)],
        "rate_of_impulse": [((TENSOR, LEVER, S), I_B @ np.cross(LEVER, S), 1e-14)],
        "respond": [((0.4, TENSOR, LEVER, S, V), (*(0.4 * S), *(I_B @ (np.cross(LEVER, S) + V))), 1e-14)],
        "jump_energy": [
            ((2.5, TENSOR, V, jump, OMEGA, turn), energy(V + jump, OMEGA + turn) - energy(V, OMEGA), 1e-14)
        ],
        **plastic_impact(),
    }


def plastic_impact() -> dict[str, list]:
    """Two bodies somewhere in the world; their momenta summed by definition, origins carried by each velocity field."""
    masses, spins = np.array([2.5, 0.7]), (np.array([0.3, -0.8, 0.5]), np.array([-0.4, 0.2, 0.6]))
    places, velocities = np.array([LEVER, LEVER + S]), np.array([OMEGA, OMEGA + V])
    com, going = (np.average(each, axis=0, weights=masses) for each in (places, velocities))
    L = sum(spins)
    for mass, place, velocity in zip(masses, places, velocities, strict=True):
        L = L + mass * np.cross(place - com, velocity - going)
    r, before, after = np.array([0.2, 0.5, -0.3]), np.array([0.9, -0.6, 0.1]), np.array([-0.7, 0.4, 1.2])
    origin = places[0] - r
    jump = going + np.cross(after, origin - com) - velocities[0] - np.cross(before, origin - places[0])
    share = masses[1] / masses.sum()
    return {
        "mass_share": [((2.5, 0.7), np.linalg.norm(com - places[0]) / np.linalg.norm(S), 1e-15)],
        "reduced_mass": [((2.5, 0.7), 1 / (1 / masses).sum(), 1e-15)],
        "combined_angular_momentum": [((*spins, masses.prod() / masses.sum(), S, V), L, 2e-15)],
        "plastic_origin_jump": [((share, S, V, r, before, after), jump, 2e-15)],
    }


def driven() -> dict[str, list]:
    """A turn about an axis, by an angle that depends on time, in a frame that turns: differentiated as a whole."""
    outer = polynomial(("0.4", "-0.3", "0.9"), ("1.1", "0.2", "-0.5"), ("-0.3", "0.7", "0.4"))
    axis, t = mp(*map(float, AXIS / np.linalg.norm(AXIS))), MP.mpf("0.3")

    def turning(t):
        return turn_by(outer(t))

    def angle(t):
        return MP.mpf("0.2") + MP.mpf("1.3") * t - MP.mpf("0.8") * t * t

    def whole(t):
        return times(turning(t), turn_by(tuple(angle(t) * u for u in axis)))

    jet = floats((angle(t), MP.mpf("1.3") - MP.mpf("1.6") * t, MP.mpf("-1.6")))
    before = tuple(map(tuple, map(floats, (turning(t), *rates(turning, t)))))
    after = np.concatenate([floats(part) for part in (whole(t), *rates(whole, t))])
    h, total, first, last = 0.3, np.array([4.1, -2.2, 3.3]), OMEGA, V
    q = wxyz(RESTS[0])
    vector = h / 6 * total + h * h / 12 * np.cross(last, first)
    advanced = wxyz(Rotation.from_rotvec(vector) * RESTS[0])
    return {
        "turned_further": [((before, floats(axis), jet), after, 4e-15)],
        "displacement": [((total, h), h / 6 * total, 1e-15)],
        "advanced_rotation": [((q, total, first, last, h), advanced * np.sign(advanced @ q), 1e-15)],
    }


def flows() -> dict[str, list]:
    rate, way, omega = 0.8, LEVER, OMEGA
    moment = I_B / 3.0
    energy = V @ V / 2 + omega @ moment @ omega / 2 + 0.9
    return {
        "exhaust_force": [((rate, 2.5, AXIS), 2.0 * AXIS, 1e-15)],
        "flow_force": [((rate, omega, way), -rate * np.cross(omega, way), 1e-15)],
        "flow_torque": [((rate, tuple(x / 3.0 for x in TENSOR), omega), rate * moment @ omega, 1e-15)],
        "lost_power": [((rate, tuple(x / 3.0 for x in TENSOR), V, omega, 0.9), -rate * energy, 2e-15)],
    }


FORCE_CHECKS = {"mass_flow": flows(), "forces": springs() | torsion() | bushings() | gravity(), "impulses": impulses()}
DRIVEN = driven()

# Alterations that change nothing a double can show: see test_alterations.py.
FORCE_EQUIVALENT = {
    # What keeps the other branch away from 0/0.
    "forces.direction: doubled 0.0": 2,
    "forces.direction: doubled 1.0": 1,
    "forces.direction: other operator in 1.0 + 0.0 * length": 1,
    "forces.twist: doubled 0.0": 2,
    "forces.twist: doubled 1e-300": 1,
    "forces.twist: other operator in 1.0 + 0.0 * size": 1,
    # The same, and (twice) a quaternion twice as long: angle and gradient depend on its direction alone.
    "forces.twist: doubled 1.0": 3,
    # Occurs twice in a product, or is squared; -q is the rotation q, and the logarithm knows.
    "forces.damping_force: negated direction(s)": 1,
    "forces.misalignment: negated product(conjugate(q_rest), q_AB)": 1,
    "forces.misalignment: negated conjugate(q_rest)": 1,
    "forces.turned_from: negated product(q_AB, conjugate(q_rest))": 1,
    "forces.turned_from: negated conjugate(q_rest)": 1,
    "forces.oblateness_potential: negated dot(s, axis)": 1,
    # Where the series takes over, what keeps the closed form away from 0/0, and h cot h, which is even.
    "forces.cotangent_share: doubled 1e-06": 1,
    "forces.cotangent_share: doubled 1.0": 2,
    "forces.cotangent_share: doubled 0.0": 2,
    "forces.cotangent_share: other operator in 1.0 + 0.0 * h2": 2,
    "forces.cotangent_share: negated sqrt(select(small, 1.0 + 0.0 * h2, h2))": 1,
    "forces.cotangent_share: negated sin_cos(h)": 1,
    # Twice nothing; where the angle is the sine, and what keeps it away from 0/0; the turn by -q is that by q; the sine
    # and the angle have one sign.
    "forces.free_axis: doubled 0.0": 2,
    # What other numbers than floats have in its place.
    "forces.swung_from: negated scaled(context.angle_over_sine(s2, c), across)": 1,
    "forces.swung_from: doubled 0.0": 1,
    "forces.swung_from: doubled 1e-16": 2,
    "forces.swung_from: other operator in 1e-16 + 0.0 * s2": 1,
    "forces.swung_from: negated conjugate(q_rest)": 1,
    "forces.swung_from: negated product(q_AB, conjugate(q_rest))": 1,
    "forces.swung_from: negated sqrt(select(s2 < 1e-16, 1e-16 + 0.0 * s2, s2))": 1,
    # Zero and a condition have no sign.
    "forces.winding: negated has_axis(axis_B)": 1,
    "forces.deflection: doubled 0.0": 2,
    "forces.deflection: negated has_axis(axis_B)": 1,
    "forces.deflection_and_slip: negated has_axis(axis_B)": 1,
}
