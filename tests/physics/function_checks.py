"""What the functions and jets of scene expressions have to give, from mpmath: see formula_checks.py."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from rigidsim.physics import elementary, exponentials

EPS = np.finfo(float).eps
MP = mpmath.MPContext()
MP.dps = 40
LN2 = MP.log(2)


def ulps(value: float, count: float) -> float:
    return count * math.ulp(value)


def against(true, points, count: float) -> list:
    """Cases of a function of numbers, right to so many units in the last place."""
    cases = []
    for point in points:
        arguments = point if isinstance(point, tuple) else (point,)
        value = float(true(*map(MP.mpf, arguments)))
        cases.append((arguments, value, ulps(value, count)))
    return cases


def to_the_bit(formula, true, points) -> list:
    """Cases at the points where the formula gives the double next to the true value: four in five at least."""
    cases = against(true, points, 0.0)
    exact = [case for case in cases if formula(*case[0]) == case[1]]
    assert len(exact) >= 0.8 * len(cases)
    return exact


def odd_points(low: float, high: float, count: int) -> list[float]:
    """Numbers that are no round fractions."""
    return [low + (high - low) * ((0.5 + k * 0.6180339887498949) % 1.0) for k in range(count)]


def arc_tangents() -> dict[str, list]:
    angles = odd_points(-math.pi, math.pi, 60)
    points = [(1.7 * math.sin(a), 1.7 * math.cos(a)) for a in angles]
    points += [(t * y, t * x) for y, x in points[:8] for t in (1e-250, 1e305)] + [(2e-308, -3e-308), (1.0, 2.0)]
    points += [(1e301, 3e301), (5e-324, 1e-200), (1e-320, 1e-321), (0.0, 1.0), (0.0, -1.0), (1.0, 0.0)]
    two = [((math.inf, x), a, EPS) for x, a in ((math.inf, math.pi / 4), (-math.inf, 3 * math.pi / 4))]
    exact = to_the_bit(elementary.reduced_arc_tangent, MP.atan2, points)
    near = [t * t for t in odd_points(0.02, 0.4375, 40)]
    tail = against(lambda z: (MP.sqrt(z) - MP.atan(MP.sqrt(z))) / z ** MP.mpf(1.5), near, 2)
    edges = [((0.0, 0.0), 0.0, 0.0), ((1.0, math.inf), 0.0, 0.0), ((math.inf, 1.0), math.pi / 2, 0.0)]
    return {
        "atan_tail": tail,
        "select3": [
            ((1.0, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), (1.0, 2.0, 3.0), 0.0),
            ((0.0, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), (4.0, 5.0, 6.0), 0.0),
        ],
        "reduced_arc_tangent": [*exact, *against(MP.atan2, points, 1.1), *two, *edges],
    }


def parts_of(x: float) -> tuple:
    """k, r and the rest of e^x = 2^k (1 + r + s)."""
    k = MP.nint(MP.mpf(x) / LN2)
    r = float(MP.mpf(x) - k * LN2)
    s = float(MP.expm1(MP.mpf(x) - k * LN2) - r)
    return (x,), (float(k), r, s), np.array([0.0, 0.0, 3.0 * math.ulp(s)])


def exponential_functions() -> dict[str, list]:
    x = [*odd_points(-1.2, 1.2, 60), *odd_points(-700.0, 709.0, 60)]
    tiny = [((v,), float(MP.exp(v)), 5e-324) for v in (-720.3, -740.1, -800.0)]
    finite = to_the_bit(exponentials.reduced_exponential, MP.exp, [*x, 709.78])
    f = [*odd_points(0.5, 2.0, 80), *(math.exp(v) for v in odd_points(-708.0, 709.0, 40)), 3e-310, 5e-324]
    less = [*odd_points(-1.2, 1.2, 60), *odd_points(-50.0, 700.0, 30), 1e-9, -1e-9, -100.0, 708.9]
    z = [s * s for s in odd_points(0.01, 0.1716, 30)]
    return {
        "exponential_parts": [parts_of(v) for v in x],
        "reduced_exponential": [*finite, *against(MP.exp, x, 1), *tiny],
        "reduced_exponential_less_one": [
            *to_the_bit(exponentials.reduced_exponential_less_one, MP.expm1, less),
            *against(MP.expm1, less, 2),
        ],
        "log_tail": against(lambda z: 2 * MP.atanh(MP.sqrt(z)) / MP.sqrt(z) - 2, z, 1.5),
        "reduced_logarithm": [*to_the_bit(exponentials.reduced_logarithm, MP.log, f), *against(MP.log, f, 1)],
    }


def conditions() -> dict[str, list]:
    pairs = [(1.5, 2.5), (2.5, 1.5), (1.5, 1.5), (-1.5, 0.0)]
    holds = {"is_less": float.__lt__, "is_at_most": float.__le__, "is_equal": float.__eq__}
    cases = {name: [(pair, float(relation(*pair)), 0.0) for pair in pairs] for name, relation in holds.items()}
    choices = [((1.0, 2.5, 3.5), 2.5, 0.0), ((0.0, 2.5, 3.5), 3.5, 0.0)]
    return cases | {"is_not": [((0.0,), 1.0, 0.0), ((1.0,), 0.0, 0.0)], "choice": choices}


def scalar_functions() -> dict[str, list]:
    unit = [*odd_points(-0.99, 0.99, 30), 0.0, 1.0, -1.0]
    wide = [*odd_points(-9.0, 9.0, 30), *odd_points(-0.9, 0.9, 20), 1e-5, -1e-5]
    pairs = [(1.5, 2.5), (2.5, 1.5), (-2.5, 1.5), (0.0, -3.0), (3e200, -4e200), (3e-200, 4e-200)]
    bases = [1.3, -0.7, 2.9, 0.0, 1e-3]
    wholes = [(x, float(n)) for x in bases for n in range(64)]
    direct = [(x, float(n)) for x in bases[:3] for n in (-16, -3, -2, -1)] + [(1.7, 0.5), (2.3, -2.5), (1.1, 7.5)]
    exact = [(x, n) for x in (1.3, 2.9, 0.77) for n in (1.0, 2.0, 0.5, -1.0)]
    exact += [(3.0, 20.0), (2.0, 53.0), (10.0, 18.0), (2.0, 63.0), (-3.0, 33.0)]
    general = [(1.7, 3.3), (1.7, 0.25), (1.1, 64.0), (0.4, -2.7), (2.0, 20.2), (-1.3, 65.0), (-1.3, 66.0), (1.3, -67.0)]
    bounded = {f: [(p, float(g(*p)), 0.0) for p in pairs] for f, g in (("smaller", min), ("larger", max))}
    signs = [((x,), float(np.sign(x)), 0.0) for x in (-2.5, 0.0, 3.0)]
    return {
        **conditions(),
        "absolute": [((x,), abs(x), 0.0) for x in (-2.5, 0.0, 3.0)],
        "sign": signs,
        **bounded,
        "whole_power": [((x, n), float(MP.mpf(x) ** int(n)), ulps(x**n, 0.75 * n + 1.0)) for x, n in wholes],
        "reduced_power": [
            *against(MP.power, exact, 0),
            *against(MP.power, direct, 10),
            *against(MP.power, general, 30),
            ((0.0, 0.0), 1.0, 0.0),
        ],
        "hypotenuse": against(MP.hypot, [*pairs, (1e-300, 2e-300), (3e200, 1.0), (0.0, 0.0)], 1.1),
        "sine": against(MP.sin, wide, 2),
        "cosine": against(MP.cos, wide, 2),
        "tangent": against(MP.tan, wide, 3),
        "arc_sine": against(MP.asin, unit, 1.7),
        "arc_cosine": against(MP.acos, unit, 1.7),
        "arc_slope": against(MP.atan, wide, 1.1),
        "hyperbolic_sine": against(MP.sinh, [*wide, 710.3], 3),
        "hyperbolic_cosine": against(MP.cosh, [*wide, 710.3], 3),
        "hyperbolic_tangent": against(MP.tanh, [*wide, 400.0], 2.6),
    }


U, V = (0.37, 0.9, -1.3), (0.81, -0.4, 0.7)


def jet(f, *jets) -> np.ndarray:
    """Value and two derivatives of f(u(t), ...) at t = 0, for the parabolas with these jets."""

    def along(t):
        return f(*(MP.mpf(u) + MP.mpf(d) * t + MP.mpf(dd) * t * t / 2 for u, d, dd in jets))

    return np.array([float(MP.diff(along, 0, k)) for k in range(3)])


def jet_cases(f, *arguments) -> list:
    return [(jets, jet(f, *jets), 1e-14 * np.maximum(1.0, np.abs(jet(f, *jets)))) for jets in arguments]


def jet_functions() -> dict[str, list]:
    one = {
        "square_root": MP.sqrt, "sine": MP.sin, "cosine": MP.cos, "tangent": MP.tan, "arc_sine": MP.asin,
        "arc_cosine": MP.acos, "arc_tangent": MP.atan, "exponential": MP.exp, "logarithm": MP.log,
        "hyperbolic_sine": MP.sinh, "hyperbolic_cosine": MP.cosh, "hyperbolic_tangent": MP.tanh, "absolute": abs,
        "sign": MP.sign, "floored": MP.floor, "negated": lambda u: -u,
    }  # fmt: skip
    two = {
        "sum": lambda u, v: u + v, "difference": lambda u, v: u - v, "product": lambda u, v: u * v,
        "quotient": lambda u, v: u / v, "arc_tangent_2": MP.atan2, "power": MP.power, "hypotenuse": MP.hypot,
        "remainder": lambda u, v: u - v * MP.floor(u / v), "smaller": min, "larger": max,
    }  # fmt: skip
    minus = tuple(-x for x in U)
    three, at_rest = (2.9, -1.1, 0.6), (3.0, 0.0, 0.0)
    pairs = [(U, V), (V, U), (three, U)]
    checks = {f"jet_{name}": jet_cases(f, (U,), (V,)) for name, f in one.items()}
    checks |= {f"jet_{name}": jet_cases(f, *pairs) for name, f in two.items()}
    for name in ("sine", "absolute", "sign", "floored", "hyperbolic_sine"):
        checks[f"jet_{name}"] += jet_cases(one[name], (minus,))
    power = MP.power
    whole = [jet_cases(lambda u, n=n: u**n, (minus,))[0] for n in (2, 3)]
    checks["jet_power"] += [((minus, (n, 0.0, 0.0)), e, b) for n, (_, e, b) in zip((2.0, 3.0), whole, strict=True)]
    checks["jet_power"] += jet_cases(power, (V, at_rest), (V, (2.5, 0.0, 0.0)), (V, (2.5, 0.0, 0.3)))
    origin = (0.0, 0.9, -1.3)
    checks["jet_power"] += [
        ((origin, (n, 0.0, 0.0)), e, 0.0)
        for n, e in ((0.0, (1, 0, 0)), (1.0, origin), (2.0, (0, 0, 2 * 0.9 * 0.9)), (3.0, (0, 0, 0)))
    ]
    return checks | {
        "times_rate": [((2.0, 3.0), 6.0, 0.0), ((math.inf, 0.0), 0.0, 0.0)],
        "share": [((2.0, 4.0), 0.5, 0.0), ((0.0, 0.0), 0.0, 0.0)],
        "jet_chain": [((2.0, 3.0, 5.0, U), (2.0, 3 * U[1], 3 * U[2] + 5 * U[1] ** 2), 4 * EPS)],
        "jet_choice": [(((1.0, 0.0, 0.0), U, V), U, 0.0), (((0.0, 0.0, 0.0), U, V), V, 0.0)],
    }


def error_functions() -> dict[str, list]:
    points = [*odd_points(-0.99, 0.99, 60), *odd_points(-5.9, 5.9, 60), 1e-9, -1e-300, 0.0, 1.0, -1.0, 7.0, -30.0]
    inside, outside = [x * x for x in odd_points(0.05, 1.0, 40)], odd_points(1.0, 6.0, 60)
    core = against(lambda z: MP.erf(MP.sqrt(z)) / MP.sqrt(z) - 1, inside, 0.0)
    tail = against(lambda x: MP.exp(x * x) * MP.erfc(x), outside, 0.0)
    return {
        "error_function_core": [(point, value, EPS) for point, value, _ in core],
        # What is left of a part of it after e^(-x^2) counts.
        "error_function_tail": [(point, value, EPS * (1 + 0.2 * math.exp(point[0] ** 2))) for point, value, _ in tail],
        "error_function": against(MP.erf, points, 1.4),
        "jet_error_function": jet_cases(MP.erf, (U,), (V,), (tuple(-x for x in U),), ((2.3, 0.7, -0.9),)),
    }


def piecewise_functions() -> dict[str, list]:
    """One piece of a table, and its jet, of a polynomial whose coefficients differ by a factor of three."""
    numbers = (0.4, -1.7, 0.9, 2.3, -0.7)
    origin, *c = map(MP.mpf, numbers)

    def true(x, order):
        s = MP.mpf(x) - origin
        return (c[0] + c[1] * s + c[2] * s**2 + c[3] * s**3, c[1] + 2 * c[2] * s + 3 * c[3] * s**2,
                2 * c[2] + 6 * c[3] * s)[order]  # fmt: skip

    size = 16 * EPS * sum(map(abs, numbers))  # a few roundings of terms below three
    u_1, u_2 = 1.3, -0.6
    pieces, jets = [], []
    for x in (0.4, 1.15, -0.3):
        f, f_1, f_2 = (true(x, order) for order in range(3))
        pieces.append(((x, *numbers), float(f), size))
        jet = (f, f_1 * u_1, f_1 * u_2 + f_2 * u_1**2)
        jets.append((((x, u_1, u_2), *numbers), tuple(map(float, jet)), size * 4))
    return {"piece": pieces, "jet_piece": jets}


FUNCTION_CHECKS = {
    "error_function": error_functions(),
    "exponentials": exponential_functions(),
    "functions": scalar_functions(),
    "jets": jet_functions(),
    "piecewise": piecewise_functions(),
}

# Alterations that change nothing a double can show, or only infinities and NaN, which test_functions.py looks at; and
# in how many places each stands.
FUNCTION_EQUIVALENT = {
    # Scales against overflow, and where they begin, may be others; 0/0 and infinities are kept apart.
    "elementary.reduced_arc_tangent: doubled 0.0": 7,
    "elementary.reduced_arc_tangent: doubled 1.0": 3,
    "elementary.reduced_arc_tangent: doubled 1e+300": 1,
    "elementary.reduced_arc_tangent: doubled 7.888609052210118e-31": 1,
    "elementary.reduced_arc_tangent: doubled 1e-200": 1,
    "elementary.reduced_arc_tangent: doubled 1.6069380442589903e+60": 1,
    "functions.hypotenuse: doubled 1e+150": 1,
    "functions.hypotenuse: doubled 2.409919865102884e-181": 1,
    "functions.hypotenuse: doubled 1e-150": 1,
    "functions.hypotenuse: doubled 4.149515568880993e+180": 1,
    "functions.hypotenuse: doubled 1.0": 1,
    "exponentials.reduced_logarithm: negated select(x > 0.0, x, 1.0)": 1,
    "exponentials.reduced_logarithm: doubled 0.0": 4,
    "exponentials.reduced_logarithm: doubled 1.0": 3,
    "exponentials.reduced_logarithm: doubled 2.2250738585072014e-308": 1,
    "exponentials.reduced_logarithm: negated select(x == 0.0, -INFINITY, NAN)": 1,
    "exponentials.reduced_logarithm: no sign in -INFINITY": 1,
    # Limits beyond which the result is constant or infinite; both ways are right on either side of the middle one.
    "exponentials.reduced_exponential: doubled 746.0": 2,
    "exponentials.reduced_exponential_less_one: doubled 709.0": 2,
    "exponentials.reduced_exponential_less_one: doubled 60.0": 2,
    "functions.hyperbolic_sine: doubled 1.0": 2,
    # What is not used where |x| is above 1, or below; from 6 on the result is 1.
    "error_function.error_function: doubled 0.5": 1,
    "error_function.error_function: doubled 1.0": 1,
    "error_function.error_function: doubled 6.0": 2,
    "error_function.error_function: doubled 0.0": 1,
    # A square; -sin/-cos.
    "functions.hyperbolic_sine: negated exponential(0.5 * a)": 1,
    "functions.hyperbolic_cosine: negated exponential(0.5 * absolute(x))": 1,
    "functions.tangent: negated sin_cos(x)": 1,
    "jets.jet_tangent: negated sin_cos(u[0])": 1,
    # Zeros: twice zero, and the sign of zero.
    "functions.absolute: doubled 0.0": 2,
    "functions.absolute: other operator in x + 0.0": 1,
    "functions.choice: doubled 0.0": 1,
    "jets.jet_choice: doubled 0.0": 1,
    "functions.is_less: doubled 0.0": 1,
    "functions.is_at_most: doubled 0.0": 1,
    "functions.is_equal: doubled 0.0": 1,
    "functions.sign: doubled 0.0": 4,
    "functions.sign: negated select(x == 0.0, 0.0, x)": 1,
    "functions.reduced_power: doubled 0.0": 5,
    # A factor of exactly 1 with a derivative, of which `jit/test_tangents.py` has the check.
    "functions.reduced_power: negated select(absolute(ln) < INFINITY, ln, 0.0)": 1,
    "functions.reduced_power: other operator in 1.0 + shift * select(absolute(ln) < INFINITY, ln, 0.0)": 1,
    "functions.reduced_power: other operator in p * (1.0 + shift * select(absolute(ln) < INFINITY, ln, 0.0))": 1,
    "functions.arc_sine: doubled 0.0": 3,
    "functions.arc_cosine: doubled 0.0": 3,
    "functions.hyperbolic_sine: doubled 0.0": 1,
    "functions.hyperbolic_tangent: doubled 0.0": 2,
    "jets.times_rate: doubled 0.0": 2,
    "jets.share: doubled 0.0": 2,
    "jets.jet_arc_sine: doubled 0.0": 2,
    "jets.jet_power: doubled 0.0": 8,
    "jets.jet_sign: doubled 0.0": 2,
    "jets.jet_floored: doubled 0.0": 2,
    # n is 16 at most, 99 only more than that, 1 only not 0.
    "functions.reduced_power: doubled 99.0": 1,
    "jets.jet_power: doubled 1.0": 2,
    "jets.jet_power: negated select(v[1] == 0.0, v[2], 1.0)": 1,
}
