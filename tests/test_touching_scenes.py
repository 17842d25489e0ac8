"""The shipped scenes with contact: each shows what its oracle (`test_oracles`) cannot say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from rigidsim.analysis.quantities import named
from rigidsim.cli.examples import shipped_scenes
from rigidsim.physics.quaternion import rotate, rotate_back

G = 9.81


def test_the_first_impact_of_the_break(run):
    """The cue ball rolls, slowed by 5/7 c g, and gives (1 + e)/2 of its speed along the line of centres; 0.8 % more, as
    its friction presses the other ball on the cloth, which does not yield.
    """
    trajectory = run("billiard_break")
    radius, pitch = 0.028575, 0.05725
    first = next(event for event in trajectory.events if event.cause == "impact")
    assert set(first.bodies) == {"balls/cue", "balls/ball_0"}
    across = 0.002
    along = math.sqrt(4 * radius**2 - across**2)
    way = 2 * 0.635 - along
    v = math.sqrt(81 - 2 * 5 / 7 * 0.01 * G * way)
    assert np.linalg.norm(first.impulse) == pytest.approx(0.17 * 1.95 / 2 * v * along / (2 * radius), rel=9e-3)
    assert abs(first.normal[0]) == pytest.approx(along / (2 * radius), abs=1e-4)
    assert abs(first.normal[1]) == pytest.approx(across / (2 * radius), abs=1e-3)
    places = np.stack([trajectory[path].world.position for path in trajectory if "/ball" in path or "cue" in path])
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) + np.eye(16)[..., None]
    assert apart.min() >= 2 * radius - 1e-4
    assert np.abs(places[..., 0]).max() <= 1.27 - radius + 1e-4
    assert np.abs(places[..., 1]).max() <= 0.635 - radius + 1e-4
    kinetic = trajectory.diagnostic("kinetic_energy")
    assert np.diff(kinetic).max() <= 1e-3 * kinetic[0]
    assert pitch > 2 * radius


def test_the_stack_stands(run):
    trajectory = run("stack_of_boxes")
    at = np.stack([trajectory[f"box_{k}"].world.position for k in range(10)], axis=1)
    assert np.hypot(*at[-1, 9, :2]) <= 5e-5
    overlaps = np.concatenate([1 - np.diff(at[..., 2], axis=1), 0.5 - at[:, :1, 2]], axis=1)
    assert overlaps.max() <= 2e-4


STONES = [
    f"{kind}_{k}" for kind, n in (("tetrahedron", 4), ("octahedron", 4), ("wedge", 5), ("stone", 5)) for k in range(n)
]


def test_poured_stones_come_to_rest(run):
    """No corner is below the ground by more than a thousandth of its stone's size, and the energy is accounted for."""
    trajectory, scene = run("poured_stones"), rigidsim.Scene.from_file("scenes/poured_stones.yaml")
    assert set(STONES) < set(trajectory)
    for name in STONES:
        motion, points = trajectory[name].world, scene.bodies[name].shapes[0].points
        assert np.linalg.norm(motion.velocity[-1]) < 1e-3
        lowest = min(rotate(motion.orientation[-1], p)[2] for p in points) + motion.position[-1, 2]
        assert lowest > -2e-4
    kinetic = trajectory.diagnostic("kinetic_energy")
    assert kinetic[-1] < 1e-6 * kinetic.max()
    assert abs(trajectory.contact_ledger.error) < 1e-3 * kinetic.max()


def test_dominoes_fall_one_after_the_other(run):
    trajectory = run("dominoes")
    names = ["first", *(f"domino_{k}" for k in range(19))]
    starts = [trajectory.time[np.flatnonzero(np.abs(trajectory[n].world.angular_velocity[:, 1]) > 1)[0]] for n in names]
    assert np.all(np.diff(starts[1:]) > 0)
    late = np.diff(starts[8:])
    assert late.max() <= 1.3 * late.min()  # a steady wave; two or three samples of 2 ms each
    touches = [
        event for event in trajectory.events if {"first", "domino_0"} == set(event.bodies) and "end" not in event.cause
    ]
    assert touches[0].time == pytest.approx(0.13854, abs=2e-3)  # as the pendulum of the oracle reaches it
    for name in names[1:-1]:
        axis = rotate(tuple(trajectory[name].world.orientation[-1]), (0.0, 0.0, 1.0))
        assert axis[0] > 0.7  # all lie on each other


def test_dominoes_on_a_spiral_fall_in_order_with_a_constant_speed(run):
    trajectory = run("dominoes_on_a_spiral")
    names = ["first", *(f"domino_{k}" for k in range(66))]
    rates = [np.linalg.norm(trajectory[name].world.angular_velocity, axis=1) for name in names]
    starts = np.array([trajectory.time[np.flatnonzero(rate > 1)[0]] for rate in rates])
    assert np.all(np.diff(starts) > 0)
    wave = starts[25:] - starts[15:-10]  # the time for ten dominoes: 0.256 to 0.268 s, in samples of 4 ms
    assert wave.max() - wave.min() < 0.017
    energy = trajectory.diagnostic("kinetic_energy") + trajectory.diagnostic("potential_energy")
    assert np.diff(energy).max() < 1e-6 * (energy[0] - energy[-1])
    for name in names[:-1]:
        assert rotate(tuple(trajectory[name].world.orientation[-1]), (0.0, 0.0, 1.0))[2] < 0.7  # it lies on the next


def test_nuts_and_bolts_fall_through_the_funnel_into_the_tray(run):
    """Where they rest on a face, on a shank, or on a head; what contact takes is all that they lose."""
    trajectory = run("nuts_and_bolts")
    for name in [f"{kind}_{k}" for kind in ("nut", "bolt") for k in range(8)]:
        motion = trajectory[name].world
        assert np.linalg.norm(motion.velocity[-1]) < 1e-6
        x, y, z = motion.position[-1]
        assert max(abs(x), abs(y)) < 0.2 and 0.0079 < z < 0.06
    potential = trajectory.diagnostic("potential_energy")
    energy, ledger = trajectory.total_energy, trajectory.contact_ledger
    assert np.abs(energy - energy[0]).max() < 2e-9 * np.ptp(potential)  # 4.1e-10: they tumble fast
    lost = ledger.restitution + ledger.impact_friction + ledger.friction + ledger.damping
    gained = np.diff(trajectory.diagnostic("kinetic_energy") + potential)
    assert gained.max() < 2e-3 * abs(lost)  # overlaps of bodies that struck


def test_marbles_rest_at_the_bottom_of_the_bowl(run):
    """Side by side, on facets; what impacts and friction take is all that they lose."""
    trajectory = run("marbles_in_bowl")
    path, radius = 0.188, 0.012
    for k in range(10):
        motion = trajectory[f"marble_{k}"].world
        assert np.linalg.norm(motion.velocity[-1]) < 1e-6
        assert np.linalg.norm(motion.position[-1][:2]) < 4 * radius
        assert np.linalg.norm(motion.position, axis=1).max() < path + 1e-4  # no marble is in the bowl
    energy, ledger = trajectory.total_energy, trajectory.contact_ledger
    assert np.abs(energy - energy[0]).max() < 1e-12 * np.ptp(trajectory.diagnostic("potential_energy"))
    lost = ledger.restitution + ledger.impact_friction + ledger.friction + ledger.damping
    gained = np.diff(trajectory.diagnostic("kinetic_energy") + trajectory.diagnostic("potential_energy"))
    assert gained.max() < 2e-3 * abs(lost)  # overlaps of marbles that struck


def test_a_car_of_hulls_drives_over_the_hills(run):
    trajectory = run("car_over_hills")
    t, car = trajectory.time, trajectory["car"].world
    speed = np.diff(car.position[:, 0])[np.searchsorted(t, 0.8) :] / 0.02
    assert speed.min() > 0.7 and speed.max() < 6 * 0.26 * 1.4
    assert car.position[-1, 0] > 4 and np.ptp(car.position[:, 2]) > 0.2
    upward = [rotate(tuple(q), (0.0, 0.0, 1.0))[2] for q in car.orientation]
    assert min(upward) > 0.9
    for k in range(4):
        rate = named(trajectory, f"car/wheel_{k}.rate").of()
        torque = named(trajectory, f"car/wheel_{k}.motor").of()
        assert np.abs(torque).max() <= 60 * (1 + 1e-12)
        assert np.mean(np.abs(rate - 6) < 1e-9) > 0.6
        slow = rate < 6 - 1e-6
        assert np.all(torque[slow] >= 60 * (1 - 1e-12))


def test_in_the_crash_test_nobody_stops_before_something_stops_him(run):
    trajectory = run("crash_test")
    drive = 50 / 3.6
    crash = 3 / drive
    t = trajectory.time
    car = trajectory["car"].world.velocity[:, 0]
    after = (t > crash + 1e-3) & (t < crash + 0.02)
    # The wall alone acts on the car, and the friction of those who slide on its seats: a few newton seconds of 18 000.
    assert car[after][0] == pytest.approx(-0.1 * drive, abs=0.01)
    meets = crash + 0.505 / (1.1 * drive)
    balloon = trajectory["car/balloon"].world
    assert abs(balloon.velocity[np.searchsorted(t, meets + 2e-3), 0]) < 0.2 * drive
    for name in ("driver", "passenger"):
        speed = trajectory[f"car/{name}"].world.velocity[:, 0]
        sliding = (t > crash + 1e-3) & (t < crash + 0.04)
        # On the seat: friction of a half, backwards, no more.
        assert np.all(speed[sliding] >= drive - 0.5 * G * (t[sliding] - crash) * 1.2 - 0.05)
        assert np.all(speed[sliding] < drive)
        assert speed[-1] < 0.5 * drive


def test_a_ball_and_the_box_around_it_keep_what_they_have_together(run):
    trajectory = run("ball_in_tumbling_box")
    kinetic = trajectory.diagnostic("kinetic_energy")
    # The walls turn: where they are at the time of an impact is known to a share of the step, and the error is booked
    # as work. Measured 1.1e-7, and 1e-8 at half the step.
    assert np.abs(kinetic / kinetic[0] - 1).max() <= 5e-7
    total = trajectory.total_energy
    assert np.abs(total / total[0] - 1).max() <= 1e-12
    mass = {"box": 2.0, "box/ball": 0.5}
    momentum = sum(m * trajectory[path].world.velocity for path, m in mass.items())
    assert np.abs(momentum - momentum[0]).max() <= 1e-12
    angular = trajectory.angular_momentum
    assert np.abs(angular - angular[0]).max() <= 1e-9
    place = trajectory["box/ball"].local.position
    assert np.all(np.abs(place) <= np.array([0.4, 0.3, 0.2]) + 1e-6)
    assert sum(event.cause == "impact" for event in trajectory.events) > 20


def test_the_drum_lifts_its_marbles_on_the_rising_side(run):
    trajectory = run("marbles_in_drum")
    marbles = [path for path in trajectory if path.startswith("marble")]
    at = np.stack([trajectory[path].seen_from("drum").position for path in marbles], axis=1)
    angles = np.arange(12) * math.pi / 6
    inward = np.stack([np.cos(angles), 0 * angles, -np.sin(angles)], axis=-1)
    assert (at @ inward.T).min() >= -0.3 + 0.03 - 2e-3  # ever; 2e-5 in the median
    assert np.abs(at[..., 1]).max() <= 0.17 - 0.03 + 2e-3
    world = np.stack([trajectory[path].world.position for path in marbles], axis=1)
    # It turns about +y, so its lowest wall moves towards -x: there the heap hangs.
    assert world[trajectory.time > 2, :, 0].mean() < -0.03


def test_a_fast_drum_carries_its_marbles_round():
    scene = rigidsim.Scene.from_file(shipped_scenes()["marbles_in_drum"], ["rate=12", "simulation.duration=6"])
    trajectory = rigidsim.simulate(scene)
    marbles = [path for path in trajectory if path.startswith("marble")]
    late = trajectory.time > 4
    heights = np.stack([trajectory[path].world.position[late, 2] for path in marbles])
    assert (heights.max(axis=1) > 0.2).mean() > 0.9


def test_on_the_deck_wood_stands_and_ice_slides(run):
    trajectory = run("crates_on_ship_deck")
    for name in ("wooden", "lower", "upper"):
        place = trajectory[f"deck/{name}"].local.position
        assert np.abs(place - place[0]).max() <= 1e-4
    iced = trajectory["deck/iced"]
    y = iced.local.position[:, 1]
    assert y.max() > 5 and y.min() < -5
    assert np.abs(y).max() <= 8 - 0.5 + 1e-3
    # It begins to slip when what holds it on the deck would need more than 0.077 of what presses it on the deck.
    ratio = needed_friction(trajectory.time)
    slips = trajectory.time[np.flatnonzero(ratio > math.sqrt(0.6 * 0.01))[0]]
    speeds = np.abs(iced.local.velocity[:, :2]).max(axis=1)
    assert trajectory.time[np.flatnonzero(speeds > 1e-4)[0]] == pytest.approx(slips, abs=0.03)


def needed_friction(t: np.ndarray) -> np.ndarray:
    """Tangential over normal part of acceleration less gravity, of what rests 0.3 m above the middle of the deck."""
    encounter, heave, roll, pitch = 0.7, 1.5, math.radians(15), math.radians(4)

    def pose(t):
        p, r = pitch * np.sin(1.3 * encounter * t), roll * np.sin(encounter * t)
        q_pitch = (np.cos(p / 2), 0 * p, np.sin(p / 2), 0 * p)
        q_roll = (np.cos(r / 2), np.sin(r / 2), 0 * r, 0 * r)
        place = rotate(q_pitch, rotate(q_roll, (0 * t, 0 * t, 0.3 + 0 * t)))
        return q_pitch, q_roll, np.stack(place) + np.stack([0 * t, 0 * t, 8 + heave * np.sin(encounter * t)])

    d = 1e-3
    acceleration = (pose(t + d)[2] - 2 * pose(t)[2] + pose(t - d)[2]) / d**2 + np.array([[0], [0], [G]])
    q_pitch, q_roll, _ = pose(t)
    x, y, z = rotate_back(q_roll, rotate_back(q_pitch, tuple(acceleration)))
    return np.hypot(x, y) / z


def test_666_spheres_come_to_rest(run):
    trajectory = run("spheres_in_a_box")
    names = [path for path in trajectory if path != "walls"]
    assert len(names) == 666
    at = trajectory.arrays["world/position"][:, 1:]
    # How deep depends on how they pack: measured 0.33 and 0.51 mm at rest.
    for k, bound in ((-1, 6e-4), *((k, 7e-4) for k in range(0, len(at), 4))):
        apart = np.linalg.norm(at[k][:, None] - at[k][None], axis=-1) + np.eye(666)
        assert 0.2 - apart.min() <= bound
        assert 0.1 - at[k][:, 2].min() <= bound
        assert (np.abs(at[k][:, :2]) + 0.1 - [0.99, 0.88]).max() <= bound
    assert np.abs(trajectory.arrays["world/velocity"][-1]).max() <= 1e-6


def test_bodies_stay_on_a_terrain(run):
    """The crate and the stone rest, nothing is below the ground, and the energy is accounted for."""
    trajectory, scene = run("hollow_of_a_terrain"), rigidsim.Scene.from_file("scenes/hollow_of_a_terrain.yaml")
    vertices, _ = scene.bodies["ground"].shapes[0].triangles()
    lowest, highest = vertices[:, 2].min(), vertices[:, 2].max()
    for name in ("ball", "crate", "drum", "stone"):
        height = trajectory[name].world.position[:, 2]
        assert lowest < height.min() and height[-1] < highest
    for name in ("crate", "stone"):
        assert np.linalg.norm(trajectory[name].world.velocity[-1]) < 1e-3
    kinetic = trajectory.diagnostic("kinetic_energy")
    assert abs(trajectory.contact_ledger.error) < 1e-3 * kinetic.max()
