"""Restitution of bodies on joints: the step ends at the impact, and the tree is struck there as a whole."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, collide, floor, surface, touching
from test_contact_of_trees import hinged_rod, point_at, walker

EPS = np.finfo(float).eps
BOUNCING = {"duration": 4.0, "step": 1e-3, "record_every": 2e-3}


def pendulum(angle: float = -1.0, length: float = 1.0, e: float = 1.0, x: float = 0.0) -> dict:
    """A bob on a hinge; the one at rest is in the middle of what `wall` begins."""
    return {
        "mass": 1.0,
        "inertia": {"principal": [1e-3, 1e-3, 1e-3]},
        "center_of_mass": [0, 0, -length],
        "position": [x, 0, 0],
        "motion": {"hinge": {"axis": [0, 1, 0], "angle": f"{angle} rad"}},
        "shapes": [{"type": "sphere", "radius": 0.05, "position": [0, 0, -length]}],
    } | surface(restitution=e, friction=0.0)


def wall(e: float) -> dict:
    """The half space x < -0.05."""
    return {"shapes": [{"type": "plane", "normal": [1, 0, 0]}], "position": [-0.05, 0, 0]} | surface(e, 0.0)


def impacts_of(trajectory: rigidsim.Trajectory) -> list:
    return [event for event in trajectory.events if event.cause == "impact"]


# --- closed forms


@pytest.fixture(scope="module")
def swings() -> dict[float, tuple]:
    """A pendulum that falls against a wall twenty times, and one that nothing stops, in steps of several lengths."""
    how = {"duration": 21.8, "record_every": 0.02}
    return {
        step: (
            collide({"bob": pendulum(), "wall": wall(1.0)}, step=step, **how),
            collide({"bob": pendulum()}, step=step, **how),
        )
        for step in (1e-3, 4e-3)
    }


def test_a_pendulum_that_bounces_on_a_wall_is_the_mirrored_free_one(swings):
    """After twenty impacts to 7e-14 rad at 1 ms, 4e-11 at 4 ms: by the error of smooth steps, of fourth order."""
    for step, (bouncing, free) in swings.items():
        assert len(impacts_of(bouncing)) == 20
        mirrored = -np.abs(free["bob"].joint.coordinates)
        error = np.abs(bouncing["bob"].joint.coordinates - mirrored).max()
        assert error <= 5e-13 * (step / 1e-3) ** 4


def test_elastic_impacts_of_a_pendulum_keep_its_energy(swings):
    """In each impact to rounding; in all to the error of the steps."""
    for step, (bouncing, _) in swings.items():
        for impact in impacts_of(bouncing):
            assert impact.energy_after == pytest.approx(impact.energy_before, rel=16 * EPS)
        energy = bouncing.diagnostic("kinetic_energy") + bouncing.diagnostic("potential_energy")
        assert np.ptp(energy) <= 1e-12 * (step / 1e-3) ** 4 * impacts_of(bouncing)[0].energy_before * 4


@pytest.mark.parametrize("speed", [-0.4, 0.3])
@pytest.mark.parametrize("method", ["rkmk4", {"name": "adaptive", "rtol": 1e-10}])
def test_a_bead_on_a_slide_leaves_a_wall_that_moves_by_its_restitution(speed, method):
    """v' = w - e (v - w) of a wall of infinite mass with the speed w, which it meets after 0.95 m/(v - w)."""
    e, v, duration = 0.8, 1.0, 2.0
    bead = ball(0.05, restitution=e, friction=0.0) | {"motion": {"slide": {"axis": [1, 0, 0], "rate": v}}}
    moving = {"motion": {"prescribed": {"velocity": [speed, 0, 0]}}, "position": [1.0, 0, 0]}
    plane = {"shapes": [{"type": "plane", "normal": [-1, 0, 0]}]} | surface(e, 0.0)
    how = {"gravity": [0, 0, 0], "duration": duration, "step": 1e-3, "record_every": duration, "integrator": method}
    found = collide({"bead": bead, "wall": plane | moving}, **how)
    time, after = 0.95 / (v - speed), speed - e * (v - speed)
    (impact,) = impacts_of(found)
    assert impact.time == pytest.approx(time, abs=1e-14)
    assert found["bead"].world.velocity[-1, 0] == pytest.approx(after, abs=16 * EPS)
    assert found["bead"].world.position[-1, 0] == pytest.approx(v * time + after * (duration - time), abs=1e-13)


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_a_rod_on_a_hinge_leaves_a_floor_with_its_restitution_of_the_rate(e):
    """Each time e of the rate, so e^2 of the energy, which it has again when it is back."""
    bodies = {"rod": hinged_rod(shapes=point_at(1.0), position=[0, 0, 0.3], **surface(e)), "floor": floor()}
    impacts = impacts_of(collide(bodies, **BOUNCING))
    assert len(impacts) >= 4
    for impact, following in pairwise(impacts[:4]):
        assert impact.energy_after == pytest.approx(e**2 * impact.energy_before, rel=64 * EPS)
        assert following.energy_before == pytest.approx(impact.energy_after, rel=1e-9)


def test_an_elastic_rod_on_a_hinge_bounces_for_ever():
    """Ten times to 1e-11 of its energy, with equal times between impacts."""
    bodies = {"rod": hinged_rod(shapes=point_at(1.0), position=[0, 0, 0.3], **surface(1.0)), "floor": floor()}
    impacts = impacts_of(collide(bodies, **BOUNCING))
    assert len(impacts) >= 10
    energies, times = np.array([(i.energy_after, i.time) for i in impacts]).T
    np.testing.assert_allclose(energies, energies[0], rtol=1e-11)
    np.testing.assert_allclose(np.diff(times), 2 * times[0], rtol=1e-9)


def test_what_touches_and_approaches_at_the_start_rebounds_at_once():
    """From the wall that it lies on, at the rate of its motion."""
    bob = pendulum(angle=0.0)
    bob["motion"]["hinge"]["rate"] = 2.0
    trajectory = collide({"bob": bob, "wall": wall(1.0)}, duration=0.1, step=1e-3, record_every=0.01)
    (impact,) = impacts_of(trajectory)
    assert impact.time <= 1e-6
    assert trajectory["bob"].joint.rates[1] < -1.9


def test_a_bar_that_falls_flat_on_two_feet_leaves_with_half_of_its_speed():
    """Two places at once: the tree moves up as a whole, its arm with it, and does not turn."""
    arm = ball(0.1, at=(0, 0, 0.3), motion={"hinge": {"axis": [0, 1, 0], "at": [0, 0, -0.3]}}, restitution=0.5)
    feet = [{"type": "sphere", "radius": 0.1, "position": [x, 0, 0]} for x in (-0.5, 0.5)]
    bar = {"mass": 2.0, "inertia": {"principal": [0.1, 0.2, 0.2]}, "shapes": feet, "position": [0, 0, 0.2]}
    bodies = {"bar": bar | surface(0.5, 0.0) | {"children": {"arm": arm}}, "floor": floor()}
    trajectory = collide(bodies, gravity=[0, 0, -9.81], duration=0.2, step=1e-3, record_every=1e-3)
    left, right = impacts_of(trajectory)
    v = trajectory["bar"].world.velocity[:, 2]
    fall = np.sqrt(2 * 9.81 * 0.1)
    k = int(np.argmax(v > 0))
    assert v[k] == pytest.approx(0.5 * fall - 9.81 * (trajectory.time[k] - left.time), rel=1e-9)
    assert left.time == right.time
    assert abs(left.impulse[2] + right.impulse[2]) == pytest.approx(1.5 * 3.0 * fall, rel=1e-9)
    assert np.abs(trajectory["bar/arm"].joint.rates[k]) <= 1e-12


# --- invariants


def made_of(body: dict, e: float, mu: float) -> dict:
    """A body and all that hangs on it, with one material."""
    children = {name: made_of(child, e, mu) for name, child in body.get("children", {}).items()}
    return body | surface(e, mu) | ({"children": children} if children else {})


def struck(e: float, mu: float, step: float = 1e-3) -> rigidsim.Trajectory:
    """Two floating trees of three bodies that collide in places beside their centres."""
    left, right = made_of(walker(-0.3003, 1.0), e, mu), made_of(walker(0.3, -1.0), e, mu)
    return collide({"left": left, "right": right}, gravity=[0, 0, 0], duration=0.3, step=step, record_every=step)


def test_trees_that_rebound_keep_momentum_and_energy():
    """The angular momentum, too, as the impulse is handed over in the pose that it is of: all three to the error of the
    steps.
    """
    trajectory = struck(1.0, 0.0)
    assert impacts_of(trajectory)
    p, L, energy = (
        trajectory.diagnostic("linear_momentum"),
        trajectory.angular_momentum,
        trajectory.diagnostic("kinetic_energy"),
    )
    assert np.abs(p - p[0]).max() <= 1e-10
    assert np.abs(L - L[0]).max() <= 1e-11
    assert np.abs(energy - energy[0]).max() <= 1e-10 * energy[0]


def test_impulse_and_loss_of_the_first_impact_follow_from_the_restitution():
    """P = (1 + e) m u and (1 - e^2) m u^2/2, with one m and u for all e; friction only takes more."""
    first = {e: impacts_of(struck(e, 0.0))[0] for e in (1.0, 0.6, 0.3)}
    P = {e: np.linalg.norm(impact.impulse) for e, impact in first.items()}
    lost = {e: impact.energy_before - impact.energy_after for e, impact in first.items()}
    for e in (0.6, 0.3):
        assert P[e] == pytest.approx((1 + e) / 2 * P[1.0], rel=1e-12)
    assert lost[0.6] == pytest.approx((1 - 0.6**2) / (1 - 0.3**2) * lost[0.3], rel=1e-12)
    assert abs(lost[1.0]) <= 1e-13 * first[1.0].energy_before
    rough = impacts_of(struck(0.6, 0.4))[0]
    assert rough.energy_before - rough.energy_after > lost[0.6]
    assert np.dot(rough.impulse, rough.normal) == pytest.approx(P[0.6], rel=0.5)


def test_what_is_booked_is_what_is_missing():
    """With friction, between two trees of which only impacts take energy."""
    trajectory = struck(0.6, 0.4)
    energy, ledger = trajectory.diagnostic("kinetic_energy"), trajectory.contact_ledger
    lost = sum(impact.energy_before - impact.energy_after for impact in impacts_of(trajectory))
    assert lost > 0.05 * energy[0]
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-6)
    assert abs(ledger.error) <= 1e-9 * energy[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_no_random_tree_gains_energy_from_an_impact(seed):
    """Boxes, capsules and balls on hinges in a box of planes; without friction and with e = 1 nothing is lost either,
    but in touches below the least speed, which do not rebound.
    """
    random = np.random.default_rng(seed)
    material = surface(1.0, 0.0)

    def link(depth: int) -> dict:
        shape = [{"type": "sphere", "radius": 0.15}, {"type": "box", "size": [0.3, 0.4, 0.2]}][random.integers(2)]
        shape |= {"position": random.uniform(-0.1, 0.1, 3).tolist()}
        body = {"mass": 1.0, "inertia": {"principal": [0.05, 0.06, 0.07]}, "shapes": [shape]} | material
        if depth < 2:
            hinge = {"hinge": {"axis": random.normal(size=3).tolist()}}
            at = {"position": random.uniform(-0.6, 0.6, 3).tolist(), "motion": hinge}
            body["children"] = {f"link_{depth}": link(depth + 1) | at}
        return body

    planes = {
        f"wall_{axis}_{sign}": {
            "shapes": [{"type": "plane", "normal": (-sign * np.eye(3)[axis]).tolist()}],
            "position": (2.0 * sign * np.eye(3)[axis]).tolist(),
        }
        | material
        for axis in range(3)
        for sign in (-1, 1)
    }
    trees = {
        name: link(0) | {"position": [x, 0, 0], "velocity": random.normal(size=3).tolist()}
        for name, x in (("one", -1.0), ("other", 1.0))
    }
    trajectory = collide(trees | planes, gravity=[0, 0, 0], duration=3.0, step=1e-3, record_every=0.01)
    first = trajectory.diagnostic("kinetic_energy")[0]
    for impact in impacts_of(trajectory):
        assert abs(impact.energy_after - impact.energy_before) <= 1e-12 * first
    assert np.diff(trajectory.diagnostic("work")).max() <= 1e-4 * first
    assert np.ptp(trajectory.total_energy) <= 1e-7 * first


# --- bits


def test_single_steps_and_the_text_itself_have_the_same_bits():
    """Over a step that is divided by an impact."""
    left, right = made_of(walker(-0.1025, 1.0), 0.8, 0.3), made_of(walker(0.1025, -1.0), 0.8, 0.3)
    scene = touching({"left": left, "right": right}, gravity=[0, 0, 0], duration=4e-3, step=1e-3, record_every=1e-3)
    whole, sliced = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for _ in range(4):
        sliced.step(1)
    text = rigidsim.simulate(scene, callbacks={"left": lambda t, motions: (np.zeros(3), np.zeros(3))})
    (impact,) = impacts_of(whole)
    assert 0 < impact.time % 1e-3 < 1e-3
    for path in ("left", "left/arm/hand", "right/arm/hand"):
        for quantity in ("position", "velocity", "orientation", "angular_velocity"):
            reached = getattr(whole[path].world, quantity)[-1]
            assert np.array_equal(getattr(sliced.state[path].world, quantity), reached), (path, quantity)
            assert np.array_equal(getattr(text[path].world, quantity)[-1], reached), (path, quantity)
