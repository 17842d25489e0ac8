"""The special functions of oracles, on numbers and arrays: elliptic functions, Fresnel's integrals, Kepler's equation.

Outside their domain they are NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MOST_ITERATIONS = 50
Values = float | np.ndarray


def sn(u: Values, m: Values) -> np.ndarray:
    """Jacobi's sn(u, m). For m > 1 by the reciprocal parameter (DLMF 22.17); NaN for m < 0."""
    k, inner, (s, _, _) = _jacobi(u, m)
    return np.where(inner, s, s / np.maximum(k, 1.0))[()]


def cn(u: Values, m: Values) -> np.ndarray:
    """Jacobi's cn(u, m), for m as in `sn`."""
    _, inner, (_, c, d) = _jacobi(u, m)
    return np.where(inner, c, d)[()]


def dn(u: Values, m: Values) -> np.ndarray:
    """Jacobi's dn(u, m), for m as in `sn`."""
    _, inner, (_, c, d) = _jacobi(u, m)
    return np.where(inner, d, c)[()]


def _jacobi(u: Values, m: Values) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
    """The modulus, whether it is at most 1, and sn, cn, dn of (u, m) there, else of (k u, 1/m)."""
    from scipy.special import ellipj

    k = np.sqrt(np.asarray(m, dtype=np.float64))
    inner = ~(k > 1.0)
    s, c, d, _ = ellipj(np.where(inner, u, k * u), np.where(inner, m, 1.0 / np.maximum(m, 1.0)))
    return k, inner, (s, c, d)


def elliptic_f(angle: Values, m: Values) -> np.ndarray:
    """The incomplete elliptic integral F(angle, m) of the first kind; for m > 1 by the reciprocal parameter, NaN where
    sqrt(m) |sin(angle)| > 1.
    """
    from scipy.special import ellipkinc

    k = np.sqrt(np.asarray(m, dtype=np.float64))
    outer = ellipkinc(np.arcsin(k * np.sin(angle)), 1.0 / np.maximum(m, 1.0)) / np.maximum(k, 1.0)
    return np.where(k > 1.0, outer, ellipkinc(angle, np.minimum(m, 1.0)))[()]


def fresnel_s(a: Values) -> np.ndarray:
    """Fresnel's integral of sin(pi u^2/2) from 0 to a."""
    from scipy.special import fresnel

    return fresnel(a)[0]


def fresnel_c(a: Values) -> np.ndarray:
    """Fresnel's integral of cos(pi u^2/2) from 0 to a."""
    from scipy.special import fresnel

    return fresnel(a)[1]


def eccentric_anomaly(mean: Values, e: Values) -> np.ndarray:
    """E of Kepler's equation M = E - e sin(E), by Newton's method from Danby's start M + 0.85 e sign(sin(M)); NaN
    unless 0 <= e < 1.
    """
    mean, e = np.broadcast_arrays(np.asarray(mean, dtype=np.float64), np.where((e >= 0) & (e < 1), e, np.nan))
    turns = 2 * np.pi * np.round(mean / (2 * np.pi))
    within = mean - turns
    found = within + 0.85 * e * np.sign(np.sin(within))
    for _ in range(MOST_ITERATIONS):
        step = (found - e * np.sin(found) - within) / (1.0 - e * np.cos(found))
        found = found - step
        if not np.any(np.abs(step) > 1e-14):
            break
    return (turns + found)[()]


SPECIAL_VALUES: dict[str, Callable] = {
    function.__name__: function for function in (sn, cn, dn, elliptic_f, fresnel_s, fresnel_c, eccentric_anomaly)
}
"""Each special function of `scene.expressions.vocabulary` by its name."""
