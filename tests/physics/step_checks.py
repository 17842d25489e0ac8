"""What the formulas of steps by tolerance have to give: see formula_checks.py."""

from __future__ import annotations

import math

import numpy as np

from support.smooth_paths import MP, exact

EPS = np.finfo(float).eps


def turning_rate(sigma, omega) -> list:
    """The rate of a rotation vector: the inverse of the sum of (-S)^k/(k + 1)!, S = sigma x, times omega; exact."""
    x, y, z = exact(sigma)
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    term = total = exact(np.eye(3))
    for k in range(1, 100):
        term = term @ -S / MP.mpf(k + 1)
        total = total + term
    return list(MP.lu_solve(MP.matrix(total.tolist()), MP.matrix(list(exact(omega)))))


OMEGA = (0.5, 0.3, -0.9)
NEAR, FAR = np.array([0.21, -0.25, 0.16]), np.array([0.3, -0.25, 0.2])  # |sigma|^2 = 0.13 and 0.19
TURNING = [
    *(((exact(s), exact(OMEGA)), turning_rate(s, OMEGA), 1e-16) for s in (NEAR, 1e-3 * NEAR)),
    *(((exact(s), exact(OMEGA)), turning_rate(s, OMEGA), 1e-40) for s in (FAR, 7 * FAR, 13 * FAR)),
    *(((s, OMEGA), np.array(turning_rate(s, OMEGA), float), 8 * EPS) for s in (NEAR, FAR, 7 * FAR)),
]


def error_of_step(h, fifth, third, before, after, rtol, atol) -> float:
    e5, e3 = (h * np.linalg.norm(e) for e in (fifth, third))
    allowed = atol + rtol * max(np.linalg.norm(before), np.linalg.norm(after))
    return e5**2 / math.sqrt(e5**2 + 0.01 * e3**2) / allowed


def length_asked(h, error) -> float:
    return h * (0.015 / error) ** 0.125


FIFTH, THIRD = (1e-5, 2e-5, -1e-5), (3e-4, 1e-4, 2e-4)
STEPS = [
    (0.3, FIFTH, THIRD, (1.0, 2.0, 0.5), (0.7, 0.1, 0.2), 1e-3, 1e-2),
    (0.3, FIFTH, THIRD, (0.7, 0.1, 0.2), (1.0, 2.0, 0.5), 1e-3, 1e-2),
    (0.3, FIFTH, THIRD, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1e-3, 1e-2),
]
FIVE = ((0, 0.25), (1, -0.5), (2, 1.0), (3, -2.0), (4, 0.5))  # j and log2 |x_j|


def longest(tolerance, references, last, k) -> float:
    return max((tolerance + size - 0.5 * math.log2(last)) / (k - j) for j, size in references)


def shorter(h, error, order) -> float:
    return h * 0.9 * error ** (-1 / (order + 1))


# Of the result, the operands and their errors; u is half of what doubles near 1 are apart.
U, ERRORS = 2.0**-53, (3e-16, 5e-16, 7e-16)


def bounded(x, given, expected) -> list:
    return [((x, given, ERRORS), expected, 1e-30), ((-x, given, ERRORS), expected, 1e-30)]


ROUNDING_CHECKS = {
    "of_one": [((2.0, (2.0,), (3e-16,)), 3e-16, 0)],
    "of_none": [((2.0, (2.0,), (3e-16,)), 0.0, 0)],
    "below_leading_bit": [((x,), 0.0, 0) for x in (0.0, -1.0, 0.125, -(2.0**40))]
    + [((3.0,), -1.0, 0), ((-5.0,), -1.0, 0), ((1.0 + 2.0**-52,), 2.0**-52, 0)],
    "last_digit": [((-3.0, 0.1), 3.0 * U, 0), ((-3.0, 0.0), 0.0, 0)],
    "of_sum": [
        *bounded(7.0, (3.0, 4.0), 8e-16 + 7 * U),
        *bounded(3.0, (3.0, 0.0), 8e-16),
        *bounded(4.0, (0.0, 4.0), 8e-16),
    ],
    "of_product": [
        *bounded(-15.0, (-3.0, 5.0), 3 * 5e-16 + 5 * 3e-16 + 15 * U),
        *bounded(-15.0, (3.0, -5.0), 3 * 5e-16 + 5 * 3e-16 + 15 * U),
        *bounded(-12.0, (3.0, -4.0), 3 * 5e-16 + 4 * 3e-16),
        *bounded(6.0, (2.0, 3.0), 2 * 5e-16 + 3 * 3e-16),
    ],
    "of_quotient": [
        *bounded(1.2, (6.0, -5.0), (3e-16 + 1.2 * 5e-16) / 5 + 1.2 * U),
        *bounded(1.5, (6.0, -4.0), (3e-16 + 1.5 * 5e-16) / 4),
        ((0.0, (1.0, 0.0), ERRORS), 3e-16, 1e-30),
    ],
    "of_root": [((3.0, (9.0,), ERRORS), 3e-16 / 6 + 3 * U, 1e-30), ((0.0, (0.0,), ERRORS), 3e-16, 1e-30)],
    "of_length": [((3.0, (1.0, 2.0, 2.0), ERRORS), 15e-16 + 3 * U, 1e-30)],
    "of_choice": [((2.0, (1.0, 2.0, 3.0), ERRORS), 5e-16, 0), ((3.0, (0.0, 2.0, 3.0), ERRORS), 7e-16, 0)],
    "of_wave": [((0.5, (0.6,), ERRORS), 3e-16 + U, 1e-30)],
    "of_exponential": [((2.5, (0.9,), ERRORS), 2.5 * 3e-16 + 2.5 * U, 1e-30)],
    "of_exponential_less_one": [
        ((2.5, (1.3,), ERRORS), 3.5 * 3e-16 + 2.5 * U, 1e-30),
        ((-0.5, (-0.7,), ERRORS), 0.5 * 3e-16 + 0.5 * U, 1e-30),
    ],
    "of_logarithm": [
        *bounded(2.5, (12.0,), 3e-16 / 12 + 2.5 * U),
        ((2.5, (0.0,), ERRORS), 3e-16 + 2.5 * U, 1e-30),
    ],
    "of_power": [
        ((8.0, (2.0, 3.0), ERRORS), 8 * (3 * 3e-16 / 2 + math.log(2) * 5e-16 + U), 1e-30),
        ((-8.0, (0.5, -3.0), ERRORS), 8 * (3 * 3e-16 / 0.5 + math.log(2) * 5e-16 + U), 1e-30),
        ((0.0, (0.0, 3.0), ERRORS), 0.0, 0),
        ((2.0, (0.0, 3.0), ERRORS), 2 * (3 * 3e-16 + U), 1e-30),
    ],
    "of_angle": [
        ((-0.4, (3.0, -4.0), ERRORS), (4 * 3e-16 + 3 * 5e-16) / 25 + 0.4 * U, 1e-30),
        ((0.4, (-3.0, 4.0), ERRORS), (4 * 3e-16 + 3 * 5e-16) / 25 + 0.4 * U, 1e-30),
        ((0.0, (0.0, 0.0), ERRORS), 0.0, 0),
    ],
}
SERIES = {
    "root_of_square": [((9.0,), 3.0, 0), ((0.0,), 0.0, 0)],
    "length_by_defect": [
        *(((0.3, error, order, 0.8), shorter(0.3, error, order), 0.003) for error, order in ((2e3, 15.0), (50.0, 8.0))),
        ((0.3, 1e-3, 15.0, 4.0), shorter(0.3, 1e-3, 15.0), 0.003),
        *(((0.4, error, 15.0, most), most * 0.4, 1e-16) for error, most in ((1.01, 0.8), (1e-300, 4.0), (0.0, 4.0))),
        *(((0.4, error, 8.0, 4.0), 0.4 / 8, 1e-16) for error in (1e200, math.inf, math.nan)),
    ],
    "rough_logarithm": [((float(x),), math.log2(x), 0.009) for x in (1.0, 0.51, 0.6, 0.9, 3.3, 700.0, 1e-9)]
    + [((2.0**k * 0.75,), math.log2(0.75) + k, 0.002) for k in (0, 5)],
    "rough_power_of_two": [((y,), 2.0**y, 0.0035 * 2.0**y) for y in (0.0, 0.4, -0.45, 3.3, -7.7, 40.2)],
    "group_logarithm": [((square,), 0.5 * math.log2(square), 0.0045) for square in (0.3, 7.0)]
    + [((0.0,), 0.5 * math.log2(1e-290), 0.0045)],
    "step_within": [((-40.0, 1.5, -3.0, 7), (-40.0 + 1.5 + 3.0) / 7, 1e-14)],
    "longest_step": [
        *(((-40.0, tuple(np.roll(FIVE, shift, axis=0).tolist()), 3e-7, 12), longest(-40.0, FIVE, 3e-7, 12), 0.001)
          for shift in range(5)),
        ((-40.0, FIVE, 0.0, 12), 60.0, 0.0),
    ],
}  # fmt: skip
FIRST, SECOND = (0.7, -1.1, 0.4, 0.5, 0.3, -0.9, 0.8), (1.3, 0.6, -0.7, -0.2, 0.9, 0.5, -0.4)


def coefficients(k) -> dict:
    """Those of order k of series that begin with FIRST and SECOND: by products of polynomials, and what undoes them."""
    a, b = FIRST[: k + 1], SECOND[: k + 1]
    product, square = (np.convolve(a, other)[k] for other in (b, a))
    slope = tuple(np.arange(1, k + 1) * FIRST[1 : k + 1])  # of x = a(u) with u = b: x' = a' u', and so on
    return {
        "product_term": ((a, b), product, 1e-15),
        "product_terms": ((((a, b), (b, b), (a, a)),), (product, np.convolve(b, b)[k], square), 1e-15),
        "square_term": ((a,), square, 1e-15),
        "quotient_term": ((product, b, a[:k]), a[k], 4e-15),
        "root_term": ((square, a[:k]), a[k], 4e-15),
        "chain_term": ((float(k), (0.0, *(j * SECOND[j] for j in range(1, k + 1))), slope),
                       np.convolve(slope, np.arange(1, k + 1) * SECOND[1 : k + 1])[k - 1] / k, 2e-15),
    }  # fmt: skip


def length_cases() -> list:
    """Of the length of a vector whose parts begin with a power of t: t^m times the root of a square."""
    parts, cases = (FIRST, SECOND, FIRST[::-1]), []
    with MP.workdps(30):
        for m, k in ((0, 1), (0, 5), (1, 1), (1, 2), (1, 5), (2, 2), (2, 3), (2, 6)):
            square = [sum(np.convolve(x, x)[j] for x in parts) for j in range(k - m + 1)]
            root = MP.taylor(lambda t, c=square: MP.sqrt(sum(x * t**j for j, x in enumerate(c))), 0, k - m)
            s = tuple([0.0] * m + [float(x) for x in root])
            xyz = tuple(tuple([0.0] * m + list(x[: k - m + 1])) for x in parts)
            cases.append(((*xyz, s[:k]), s[k], 3e-14))
    nothing = (0.0,) * 5
    cases.append(((nothing, nothing, nothing, nothing[1:]), 0.0, 0.0))
    return cases


TERMS = {
    "length_value": [((2.0, 3.0, 6.0), 7.0, 1e-15)],
    "length_term": length_cases(),
    "integral_term": [((5.0, 0.3), 0.06, 1e-17)],
    "share_term": [((0.3, 0.7), 0.3 / 0.7, 1e-16)],
    **{name: [coefficients(k)[name] for k in (1, 2, 5, 6)] for name in coefficients(1)},
}
STEP_CHECKS = {
    "step_error": [
        *((case, error_of_step(*case), 1e-14) for case in STEPS),
        ((0.3, (0.0, 0.0, 0.0), THIRD, (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1e-3, 1e-2), 0.0, 0.0),
    ],
    "worse": [((1.0, 2.0), 2.0, 0), ((2.0, 1.0), 2.0, 0)],
    "first_length": [
        ((1.0, 2.0, (3.0, 4.0, 0.0)), 0.004, 1e-17),
        ((0.001, 2.0, (3.0, 4.0, 0.0)), 0.001, 0),
        ((0.3, 2.0, (0.0, 0.0, 0.0)), 0.3, 0),
    ],
    "length_asked": [
        ((0.3, 0.2, 0.5), length_asked(0.3, 0.5), 1e-15),
        ((0.3, 0.2, 2e-7), length_asked(0.3, 2e-7), 1e-15),
        ((0.3, 0.2, 1e-30), length_asked(0.3, 1e-12), 1e-15),
        ((0.01, 0.3, 0.5), 0.3, 0),  # cut short by a stop
        ((0.25, 0.26, 1e-6), length_asked(0.25, 1e-6), 1e-15),
        ((0.25, 0.25 * (1 + 1e-9), 0.5), length_asked(0.25, 0.5), 1e-15),  # by rounding
        ((0.01, 0.3, 1.5), length_asked(0.01, 1.5), 1e-15),
        ((0.3, 0.3, 1.5), length_asked(0.3, 1.5), 1e-15),
        ((0.3, 0.3, 1e5), 0.06, 1e-16),
        ((0.3, 0.3, math.nan), 0.06, 1e-16),
    ],
    "next_length": [
        ((0.2, 0.2, 0.3, 0.5), math.sqrt(0.06), 1e-16),
        ((0.2, 0.3, 0.0, 0.5), 0.3, 1e-16),
        ((0.2, 0.2, 0.3, 1.0), math.sqrt(0.06), 1e-16),
        ((0.01, 0.2, 0.3, 0.5), 0.06, 1e-17),
        ((0.2, 0.1, 0.3, 1.5), 0.1, 0),
        ((0.2, 0.1, 0.3, math.nan), 0.1, 0),
    ],
    "parts_of_step": [
        *(((square,), 1.0, 0) for square in (0.5, 1.0, math.nan)),
        *(((square,), parts, 0) for square, parts in ((1.001, 5.0), (1.21, 5.0), (6.25, 11.0), (62000.0, 996.0))),
        *(((square,), 1000.0, 0) for square in (62500.0, 1e8, math.inf)),
    ],
    **SERIES,
}

STEP_EQUIVALENT = {
    # Only whether they are 0 counts.
    "rounding.last_digit: doubled 0.0": 2,
    "rounding.of_product: negated below_leading_bit(given[0])": 1,
    "rounding.of_product: negated below_leading_bit(given[1])": 1,
    "rounding.of_quotient: negated below_leading_bit(given[1])": 1,
    # Both factors change sign.
    "series.square_term: negated halves(a)": 1,
    "series.root_term: negated halves(x[1:])": 1,
    "series.length_term: doubled 0.0": 1,
    "series.length_term: negated reduce(add, map(mul, s, s))": 1,
    # What keeps a branch that is not taken away from 0/0; n cot n is even, in n and in the signs of sine and cosine.
    "quaternion.dexp_inverse_full: doubled 0.16": 1,
    "quaternion.dexp_inverse_full: doubled 0.0": 1,
    "quaternion.dexp_inverse_full: other operator in 0.16 + 0.0 * x": 1,
    "quaternion.dexp_inverse_full: other operator in 0.0 * x": 1,
    "quaternion.dexp_inverse_full: negated sqrt(select(small, 0.16 + 0.0 * x, x))": 1,
    "quaternion.dexp_inverse_full: negated sin_cos(n)": 1,
    "step_control.step_error: doubled 0.0": 3,
    "step_control.step_error: doubled 1.0": 1,
    "step_control.first_length: doubled 0.0": 2,
    "step_control.first_length: doubled 1.0": 1,
    # 2 x 0 is 0; and what keeps a root that is not taken away from 0.
    "step_control.root_of_square: doubled 0.0": 3,
    "step_control.root_of_square: doubled 1.0": 1,
    "rounding.of_none: doubled 0.0": 1,
    "rounding.of_angle: doubled 1.0": 1,
    "rounding.of_power: negated logarithm(base)": 1,  # its size counts
    "step_control.next_length: doubled 0.0": 1,
}
