"""How the errors of a free top grow over 1e4 to 1e7 steps: `python tests/perf/long_runs.py [--most 7]`.

The top is symmetric, so its attitude has a closed form at any time, q(t) = exp(L t/2I_1) q_0 exp((1 - I_3/I_1) omega_3
e_3 t/2), which is computed here with fifty digits; the energy and |L| are constant. Steps are so short, or tolerances
so small, that what remains is the rounding of steps: independent errors make a random walk, n^0.5, and those of the
rate, summed again, an angle that grows as n^1.5. Sixteen starts, in lanes; slopes are fitted to the root mean squares
of their errors.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import mpmath
import numpy as np

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.model.layout import STATE
from rigidsim.engine.time.run import BlockRun
from work_precision import table

LANES, MOMENTS = 16, (1.0, 1.0, 1.75)
QUANTITIES = ("energy", "|L|", "angle")


class Method(NamedTuple):
    """An integrator, and the length of its steps, s: a power of two, so that times are exact."""

    integrator: dict
    step: float


METHODS = {
    "rkmk4": Method({"name": "rkmk4"}, 2.0**-12),
    "adaptive": Method({"name": "adaptive", "rtol": 1e-14, "max_step": 2.0**-6}, 2.0**-6),
    "taylor": Method({"name": "taylor", "tolerance": 1e-16, "max_step": 2.0**-2}, 2.0**-2),
}


def tops(method: Method, n_step: int) -> list:
    """Worlds of tops that turn at about a radian a second, for a run of so many steps."""
    source = np.random.default_rng(11)
    worlds = []
    for rate in source.uniform(0.3, 1.0, (LANES, 3)):
        body = {"mass": 1, "inertia": {"principal": list(MOMENTS)}}
        body["angular_velocity"] = {"frame": "body", "value": rate.tolist()}
        duration = n_step * method.step
        simulation = {"duration": duration, "step": method.step, "integrator": method.integrator}
        simulation["record_every"] = duration
        given = {"format": "rigidsim/1", "simulation": simulation, "bodies": {"top": body}}
        worlds.append(build_world(rigidsim.Scene.from_dict(given)))
    return worlds


def states(block: BlockRun) -> list[tuple[list, list]]:
    """Quaternion and body rate of each lane, with the low parts of sums, exact."""
    row = {name: block.state[0, STATE.columns(name, LANES)].reshape(-1, LANES) for name in ("q", "omega", "omega_low")}
    exact = np.vectorize(mpmath.mpf, otypes=[object])
    q, omega = exact(row["q"]), exact(row["omega"]) + exact(row["omega_low"])
    return [(list(q[:, k]), list(omega[:, k])) for k in range(LANES)]


def product(p: list, q: list) -> list:
    """p q, of quaternions."""
    (a, b, c, d), (w, x, y, z) = p, q
    return [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]


def turned(vector: list) -> list:
    """exp(vector/2)."""
    angle = mpmath.sqrt(sum(x * x for x in vector))
    share = mpmath.sin(angle / 2) / angle
    return [mpmath.cos(angle / 2), *(share * x for x in vector)]


def exact_attitude(q: list, omega: list, t: mpmath.mpf) -> list:
    """The attitude after a time t, s."""
    first, _, third = map(mpmath.mpf, MOMENTS)
    momentum = [0, *(moment * rate for moment, rate in zip(MOMENTS, omega, strict=True))]
    conjugate = [q[0], -q[1], -q[2], -q[3]]
    in_world = product(product(q, momentum), conjugate)[1:]
    about_axis = [mpmath.mpf(0), mpmath.mpf(0), (1 - third / first) * omega[2] * t]
    return product(product(turned([x * t / first for x in in_world]), q), turned(about_axis))


def errors_after(name: str, n_step: int) -> np.ndarray:
    """(quantity, lane) the errors after so many steps: relative ones of energy and |L|, the angle in rad."""
    method, found = METHODS[name], []
    block = BlockRun(tops(method, n_step), LANES)
    starts = states(block)
    block.make_specialised()
    block.advance(n_step)
    if block.steps is not None:
        assert abs(block.steps.taken / n_step - 1) < 0.01, "steps are not those that were asked for"
    with mpmath.workdps(50):
        for (q_0, omega_0), (q, omega) in zip(starts, states(block), strict=True):
            sums = [
                sum(moment**power * rate * rate for moment, rate in zip(MOMENTS, each, strict=True))
                for power in (1, 2)
                for each in (omega_0, omega)
            ]
            exact = exact_attitude(q_0, omega_0, mpmath.mpf(n_step) * method.step)
            off = product([exact[0], -exact[1], -exact[2], -exact[3]], q)
            angle = 2 * mpmath.atan2(mpmath.sqrt(sum(x * x for x in off[1:])), abs(off[0]))
            found.append([sums[1] / sums[0] - 1, mpmath.sqrt(sums[3] / sums[2]) - 1, angle])
    return np.array(found, float).T


def growth(name: str, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """(count, quantity) root mean squares over the starts, and the slopes of their logarithms over log n."""
    sizes = np.array([np.sqrt(np.mean(errors_after(name, n) ** 2, axis=1)) for n in counts])
    return sizes, np.polyfit(np.log(counts), np.log(sizes), 1)[0]


def main() -> None:
    """Print a table of sizes and slopes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=float, default=7.0, help="log10 of the largest number of steps")
    counts = [round(10**k) for k in np.arange(4, parser.parse_args().most + 0.1, 0.5)]
    row = table("Growth of errors", "method", "quantity", "slope", *(f"n = {n:.3g}" for n in counts))
    for name in METHODS:
        sizes, slopes = growth(name, counts)
        for k, quantity in enumerate(QUANTITIES):
            row(name, quantity, f"{slopes[k]:.2f}", *(f"{x:.1e}" for x in sizes[:, k]))


if __name__ == "__main__":
    main()
