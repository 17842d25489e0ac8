"""What nobody should ask for, and gets a clear answer to: no hang, nothing non-finite."""

from __future__ import annotations

import numpy as np
import pytest

from contact_scenes import ball, block, collide, floor, rod


def is_finite(trajectory) -> bool:
    return all(np.isfinite(trajectory.arrays[name]).all() for name in trajectory.header.dataset_names)


MAKERS = {"sphere": lambda **how: ball(0.1, **how), "box": lambda **how: block((0.2, 0.2, 0.2), **how),
          "capsule": lambda **how: rod(0.1, 0.2, **how)}  # fmt: skip


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(("count", "bound"), [(2, 1e-4), (3, 1e-3), (8, 0.05)])
def test_bodies_in_one_place_part_gently(kind, count, bound):
    """Concentric: no normal, no order. They are parted with little kinetic energy, which is booked: at most 0.1 m/s
    for eight (measured: nothing for two spheres, 0.03 mJ for two boxes; for eight 2 mJ to 14 mJ).
    """
    bodies = {f"b{i}": MAKERS[kind](at=(0, 0, 1)) for i in range(count)}
    trajectory = collide(bodies, duration=10, step=5e-3, record_every=0.5, gravity=[0, 0, 0])
    assert is_finite(trajectory)
    kinetic = trajectory.diagnostic("kinetic_energy")
    assert kinetic.max() <= bound
    places = np.stack([trajectory[name].world.position[-1] for name in bodies])
    assert np.ptp(places, axis=0).max() >= 0.1  # and they are parted
    assert abs(trajectory.total_energy[-1] - trajectory.total_energy[0]) <= 1e-9


def overlapping(count: int, spread: float) -> dict:
    random = np.random.default_rng(1)
    return {f"b{i:05}": ball(0.1, at=place) for i, place in enumerate(random.uniform(0, spread, (count, 3)))}


@pytest.mark.parametrize(
    "count", [pytest.param(300, id="300"), pytest.param(10_000, id="10000", marks=pytest.mark.slow)]
)
def test_many_overlapping_bodies(count):
    """Each in about three hundred others: lists grow, colours run out, all stays finite."""
    spread = (count * 0.0335 / 300) ** (1 / 3)
    trajectory = collide({"floor": floor()} | overlapping(count, spread), duration=0.05, step=5e-3)
    assert is_finite(trajectory)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_body_squeezed_between_two_prescribed_ones(kind):
    """The ceiling comes down to half its height: it cannot win, and neither end of it flies off."""
    ceiling = {"shapes": [{"type": "plane", "normal": [0, 0, -1], "offset": 0}], "position": [0, 0, 0.25]}
    ceiling["motion"] = {"prescribed": {"velocity": [0, 0, -0.1]}}
    bodies = {"floor": floor(), "ceiling": ceiling, "thing": MAKERS[kind](at=(0, 0, 0.2))}
    trajectory = collide(bodies, duration=1.5, step=5e-3, record_every=0.05)
    assert is_finite(trajectory)
    assert np.abs(trajectory["thing"].world.velocity).max() <= 5.0
    assert np.abs(trajectory["thing"].world.position).max() <= 5.0


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_bodies_of_any_size_come_to_rest(size, kind):
    """A micrometre or a kilometre: the speculative margin may be larger than the shape."""
    body = ball(size, at=(0, 0, 1.5 * size)) if kind == "sphere" else block([2 * size] * 3, at=(0, 0, 1.5 * size))
    step = (2 * 0.5 * size / 9.81) ** 0.5 / 20  # of the fall
    trajectory = collide({"floor": floor(), "thing": body}, duration=400 * step, step=step, record_every=10 * step)
    height = trajectory["thing"].world.position[:, 2]
    assert is_finite(trajectory)
    assert height.min() >= 0.99 * size
    assert height[-1] == pytest.approx(size, rel=1e-2)


def test_giants_and_dwarfs_meet():
    """A ball a million times smaller than the box it falls on, and one of a kilometre beside both."""
    bodies = {
        "giant": block((1e3, 1e3, 10), 1e6, at=(0, 0, 5)),
        "dwarf": ball(1e-3, 1e-6, at=(3, 4, 10.002)),
        "moon": ball(1e3, 1e9, at=(2.6e3, 0, 1e3)),
        "floor": floor(),
    }
    trajectory = collide(bodies, duration=0.5, step=1e-3, record_every=0.05)
    assert is_finite(trajectory)
    assert trajectory["dwarf"].world.position[-1, 2] == pytest.approx(10.001, abs=1e-4)


def test_a_spinning_rod_and_a_sliding_giant_do_not_hang():
    """Far more strikes within a step than there are bodies: a rod rattles in a slit a hair wider than itself."""
    slit = {"shapes": [{"type": "plane"}, {"type": "plane", "normal": [0, 0, -1], "offset": -0.2 - 1e-4}]}
    slit |= {"material": {"restitution": 1, "friction": 1}}
    body = rod(0.1, 0.5, at=(0, 0, 0.1 + 5e-5), restitution=1, friction=1, velocity=[1, 0, 5])
    body["orientation"] = {"axis": [0, 1, 0], "angle": np.pi / 2}
    trajectory = collide({"slit": slit, "rod": body}, duration=0.1, step=5e-3, record_every=5e-3)
    assert is_finite(trajectory)
    kinetic = trajectory.diagnostic("kinetic_energy")
    assert kinetic.max() <= kinetic[0] * (1 + 1e-6)


def test_what_does_not_collide_falls_through():
    bodies = {"floor": floor(), "ghost": ball(at=(0, 0, 0.2), collide=False), "ball": ball(at=(1, 0, 0.2))}
    trajectory = collide(bodies, duration=1, step=5e-3)
    assert trajectory["ghost"].world.position[-1, 2] == pytest.approx(0.2 - 9.81 / 2, abs=1e-9)
    assert trajectory["ball"].world.position[-1, 2] == pytest.approx(0.1, abs=1e-4)
