"""Time-dependent transforms at sixty digits, their exact motion at t = 0, and central differences with their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import mpmath
import numpy as np

from rigidsim.transform import DynamicTransform, Transform

MP = mpmath.mp.clone()
MP.dps = 60
ORDER = 5  # points on each side of a central stencil
STEP = MP.mpf(10) ** -4


def exact(array) -> np.ndarray:
    """Floats as mpmath numbers."""
    return np.vectorize(MP.mpf, otypes=[object])(array)


def exponential(X: np.ndarray) -> np.ndarray:
    """The exponential of a matrix of mpmath numbers, by its series."""
    term = total = exact(np.eye(len(X)))
    for k in range(1, 400):
        term = term @ X / MP.mpf(k)
        total = total + term
        if max(map(abs, term.flat)) < MP.mpf(10) ** -(MP.dps + 5):
            return total
    raise AssertionError("the series has not converged")


def norm(array: np.ndarray) -> mpmath.mpf:
    """Root of the sum of squares."""
    return MP.sqrt(sum(x * x for x in array.flat))


@dataclass
class Path:
    """t -> (T(t), R(t)), S constant; `bound_T`, `bound_R` bound |T| and the operator norm of R for complex |t| <= 1."""

    at: object
    S: object
    bound_T: object
    bound_R: object

    def __matmul__(self, other: Path) -> Path:
        def at(t):
            (T2, R2), (T1, R1) = self.at(t), other.at(t)
            return R2 @ T1 * self.S + T2, R2 @ R1

        bound_T = self.S * self.bound_R * other.bound_T + self.bound_T
        return Path(at, self.S * other.S, bound_T, self.bound_R * other.bound_R)

    def inverse(self) -> Path:
        def at(t):
            T, R = self.at(t)
            return -(R.T @ T) / self.S, R.T

        return Path(at, 1 / self.S, self.bound_R * self.bound_T / self.S, self.bound_R)


def random_skew(rng: np.random.Generator, n: int) -> np.ndarray:
    """A skew matrix, entries of order one."""
    m = rng.normal(size=(n, n))
    return exact((m - m.T) / 2)


def random_vector(rng: np.random.Generator, n: int) -> np.ndarray:
    """A vector, entries of order one."""
    return exact(rng.normal(size=n))


def random_motion(rng: np.random.Generator, n: int) -> DynamicTransform:
    """A transform and its motion in mpmath numbers."""
    transform = Transform(random_vector(rng, n), exponential(random_skew(rng, n)), MP.mpf(rng.uniform(0.3, 3.0)))
    v, a = random_vector(rng, n), random_vector(rng, n)
    return DynamicTransform(transform, v, a, random_skew(rng, n), random_skew(rng, n))


def path_of(motion: DynamicTransform, rng: np.random.Generator) -> Path:
    """A path with this pose and motion at t = 0, and random third and fourth derivatives.

    T = T0 + v t + a t^2/2 + ..., R = exp(w t + al t^2/2 + ...) R0: then R' = w R and R'' = (al + w^2) R at t = 0.
    """
    T0, R0, n = motion.transform.translation, motion.transform.rotation, motion.n
    Ts = [T0, motion.velocity, motion.acceleration / 2, random_vector(rng, n), random_vector(rng, n)]
    Xs = [motion.angular_velocity, motion.angular_acceleration / 2, random_skew(rng, n), random_skew(rng, n)]

    def at(t):
        T = sum(Tk * t**k for k, Tk in enumerate(Ts))
        return T, exponential(sum(Xk * t ** (k + 1) for k, Xk in enumerate(Xs))) @ R0

    bound_R = MP.exp(sum(map(norm, Xs)) / MP.sqrt(2))  # eigenvalues of a skew matrix come in pairs +-
    return Path(at, motion.transform.scale.item(), sum(map(norm, Ts)), bound_R)


def derivatives(values: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative from the values at t = -ORDER h ... ORDER h (Fornberg 1988, central weights)."""
    m, f = ORDER, dict(zip(range(-ORDER, ORDER + 1), values, strict=True))
    first, second = 0, 0
    for k in range(1, m + 1):
        weight = MP.mpf((-1) ** (k + 1)) * factorial(m) ** 2 / (factorial(m - k) * factorial(m + k))
        first = first + weight / k * (f[k] - f[-k])
        second = second + 2 * weight / k**2 * (f[k] - 2 * f[0] + f[-k])
    return first / STEP, second / STEP**2


def stencil_bound(bound) -> object:
    """How far either derivative may be off, for a function bounded by `bound` on |t| <= 1.

    The remainders are (m!)^2 h^2m f^(2m+1)/(2m+1)! and 2 (m!)^2 h^2m f^(2m+2)/(2m+2)!, the derivatives at |t| <= m h;
    Cauchy: |f^(k)|/k! <= bound/(1 - m h)^(k+1). Round-off: 10^-dps bound/h^2, weights and operations below 100.
    """
    m = ORDER
    truncation = 2 * factorial(m) ** 2 * STEP ** (2 * m) / (1 - m * STEP) ** (2 * m + 3)
    return bound * (truncation + 100 * MP.mpf(10) ** -MP.dps / STEP**2)


def residuals(motion: DynamicTransform, path: Path) -> list[tuple[str, object, object]]:
    """(quantity, residual, bound) of a motion claimed for a path at t = 0."""
    Ts, Rs = zip(*(path.at(k * STEP) for k in range(-ORDER, ORDER + 1)), strict=True)
    v, a = derivatives(Ts)
    R, (dR, ddR) = Rs[ORDER], derivatives(Rs)
    w, al = motion.angular_velocity, motion.angular_acceleration
    in_T, in_R = stencil_bound(path.bound_T), stencil_bound(path.bound_R)
    pose = MP.mpf(10) ** (5 - MP.dps) * (path.bound_T + path.bound_R)
    moved = max(norm(motion.transform.translation - Ts[ORDER]), norm(motion.transform.rotation - R))
    return [
        ("pose", max(moved, abs(motion.transform.scale.item() - path.S)), pose),
        ("velocity", norm(motion.velocity - v), in_T * motion.n),
        ("acceleration", norm(motion.acceleration - a), in_T * motion.n),
        ("angular velocity", norm(w @ R - dR), in_R * motion.n),
        ("angular acceleration", norm((al + w @ w) @ R - ddR), in_R * motion.n),
    ]
