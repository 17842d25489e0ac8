"""Thin bodies of all kinds, thrown at a thin sheet at random, do not pass it."""

import numpy as np
import pytest

import rigidsim

SHEET = {"type": "box", "size": [2, 2, 1e-3]}


def disc(rng) -> dict:
    return {"type": "cylinder", "radius": float(rng.uniform(0.1, 0.2)), "length": 2e-3}


def lens(rng) -> dict:
    radius = float(rng.uniform(0.1, 0.2))
    return {"type": "ellipsoid", "radii": [radius, radius, 2e-3]}


def plate(rng) -> dict:
    return {"type": "box", "size": [*rng.uniform(0.1, 0.3, 2).tolist(), 2e-3]}


def flat_hull(rng) -> dict:
    count = int(rng.integers(5, 9))
    angle = 2 * np.pi * np.arange(count) / count + rng.uniform(-0.2, 0.2, count)
    outline = rng.uniform(0.1, 0.2, count)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return {"type": "hull", "points": [[x, y, z] for x, y in outline.tolist() for z in (-1e-3, 1e-3)]}


def capsule(rng) -> dict:
    return {"type": "capsule", "radius": float(rng.uniform(0.002, 0.01)), "length": float(rng.uniform(0.2, 0.4))}


def rod(rng) -> dict:
    return {"type": "box", "size": [float(rng.uniform(0.2, 0.4)), *rng.uniform(0.004, 0.02, 2).tolist()]}


def needle(rng) -> dict:
    return {"type": "cone", "radius": float(rng.uniform(0.002, 0.005)), "length": float(rng.uniform(0.2, 0.4))}


SHAPES = (disc, lens, plate, flat_hull, capsule, rod, needle)


def throw(shape_of, seed: int, restitution: float) -> rigidsim.Scene:
    """Turned at random, at 5 to 50 m/s and with up to 300 rad/s; it meets the middle of the sheet."""
    rng = np.random.default_rng([seed, SHAPES.index(shape_of)])
    shape = shape_of(rng)
    speed, spin, step = float(rng.uniform(5, 50)), float(rng.uniform(0, 300)), float(rng.choice([1e-3, 2e-3, 5e-3]))
    way, axis, turn = rng.normal(size=3), rng.normal(size=3), rng.normal(size=4)
    way[2] = -abs(way[2]) - 0.3
    velocity, height = speed * way / np.linalg.norm(way), float(rng.uniform(0.25, 0.6))
    time = -height / velocity[2]
    position = -time * velocity + [*rng.uniform(-0.3, 0.3, 2), 0]
    material = {"material": {"restitution": restitution, "friction": float(rng.choice([0.0, 0.3, 0.8]))}}
    body = material | {
        "mass": 1,
        "shapes": [shape],
        "position": position.tolist(),
        "velocity": velocity.tolist(),
        "orientation": {"wxyz": (turn / np.linalg.norm(turn)).tolist()},
        "angular_velocity": (spin * axis / np.linalg.norm(axis)).tolist(),
    }
    duration = step * int(np.ceil((time + 0.06) / step))
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": duration, "step": step},
            "world": {"gravity": [0, 0, 0]},
            "bodies": {"thrown": body, "sheet": material | {"shapes": [SHEET]}},
        }
    )


def outcome(shape_of, seed: int, restitution: float) -> tuple[bool, float]:
    """Whether the body passes the sheet, and the largest kinetic energy relative to that at the start."""
    found = rigidsim.simulate(throw(shape_of, seed, restitution))
    x, y, z = found["thrown"].world.position.T
    passed, energy = np.flatnonzero((z[:-1] >= 0) & (z[1:] < 0)), found.diagnostic("kinetic_energy")
    if len(passed) == 0:
        return False, float(energy.max() / energy[0])
    k = passed[0]
    share = z[k] / (z[k] - z[k + 1])
    place = max(abs(u[k] + share * (u[k + 1] - u[k])) for u in (x, y))
    return bool(place < 1.0), float(energy.max() / energy[0])


@pytest.mark.parametrize(
    ("shape_of", "seed", "restitution"),
    [
        (disc, 12, 0.0), (disc, 29, 0.0), (lens, 8, 0.0), (lens, 39, 0.0), (needle, 22, 0.0), (flat_hull, 59, 0.5),
        (rod, 38, 0.0), (capsule, 1, 0.5), (needle, 42, 0.0),
    ],
)  # fmt: skip
def test_hard_throws(shape_of, seed, restitution):
    """Discs that roll on their rims faster than a step resolves, ends of rods that come down within a step, and levers
    that follow a thin rod. Where such steps are not divided the first six pass; a rod and a capsule gain three and ten
    times their energy, and the last needle spins without end.
    """
    passes, energy = outcome(shape_of, seed, restitution)
    assert not passes
    assert energy < 1.01


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("shape_of", SHAPES)
def test_no_throw_passes(shape_of, restitution):
    """Of 1680 throws with seeds below 120 none passes, and a needle alone gains more than a hundredth of its energy."""
    outcomes = [outcome(shape_of, seed, restitution) for seed in range(60)]
    assert not any(passes for passes, _ in outcomes)
    assert max(energy for _, energy in outcomes) < 1.01
