"""What the shipped scenes with joints show, against solutions that know nothing of joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.physics.quaternion import rotate
from smooth_problems import GRAVITY, angles_of_rods, chain

DOWN = (0.0, 0.0, -1.0)


def angle_of(body) -> np.ndarray:
    """Of a rod from the vertical, rad, in the plane of x and z."""
    x, _, z = rotate(tuple(body.world.orientation.T), DOWN)
    return np.unwrap(np.arctan2(x, -z))


def changed(name: str, *changes: str) -> rigidsim.Trajectory:
    """A shipped scene, with changes as of `--set`."""
    return rigidsim.simulate(rigidsim.Scene.from_file(shipped_scenes()[name], list(changes)))


def test_a_simple_pendulum_is_at_the_published_points():
    """IFToMM's library of benchmarks, A01: a particle on 1 m, from the horizontal."""
    particle = {"mass": 1, "inertia": "point", "center_of_mass": [0, 0, -1]}
    hinge = {"hinge": {"axis": [0, -1, 0], "angle": "-90 deg"}}
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 10, "step": 1e-3, "record_every": 1},
        "world": {"gravity": [0, 0, -GRAVITY]},
        "bodies": {"pendulum": {**particle, "motion": hinge}},
    }
    angle = angle_of(rigidsim.simulate(rigidsim.Scene.from_dict(scene))["pendulum"])
    published = {1: (0.986291751, -0.165010853), 2: (-0.793566195, -0.608483930), 5: (-0.942305435, -0.334754338),
                 10: (-0.275087463, -0.961419205)}  # fmt: skip
    for second, place in published.items():
        assert (math.sin(angle[second]), -math.cos(angle[second])) == pytest.approx(place, abs=6e-10)


def hanging(n: int, step: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """The times and the angles of n such rods on hinges."""
    simulation = {"duration": duration, "step": step, "record_every": duration / 10}
    scene = {"format": "rigidsim/1", "simulation": simulation, **chain(n)}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    return trajectory.time, np.array([angle_of(trajectory[path]) for path in trajectory.paths])


def test_a_double_pendulum_moves_as_lagranges_equations_say(run):
    trajectory = run("double_pendulum")
    until = np.searchsorted(trajectory.time, 5.0, side="right")
    for path, angle in zip(("upper", "upper/lower"), angles_of_rods(2, trajectory.time[:until]), strict=True):
        assert np.abs(angle_of(trajectory[path])[:until] - angle).max() <= 1e-7  # measured 2e-8


@pytest.mark.parametrize(("n", "duration", "bound"), [(5, 2.0, 1e-5), (10, 1.0, 1.2e-6), (30, 1.0, 3.5e-6)])
def test_many_rods_move_as_lagranges_equations_say_to_fourth_order(n, duration, bound):
    errors = []  # measured 3.6e-6, 4.2e-7, 1.2e-6, of order 4.00 to 4.09
    for step in (5e-3, 2.5e-3):
        times, angles = hanging(n, step, duration)
        errors.append(np.abs(angles - angles_of_rods(n, times)).max())
    assert errors[0] <= bound
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.15), errors


def test_a_double_pendulum_is_chaotic(run):
    """As its head says: 1e-9 degrees become a degree after about 20 s."""
    other = changed("double_pendulum", "amplitude=90.000000001 deg")
    apart = np.abs(np.degrees(angle_of(other["upper"]) - angle_of(run("double_pendulum")["upper"])))
    first = other.time[np.argmax(apart > 1)]
    assert 15 < first < 25, first


def test_simo_and_wongs_top_nutates_with_the_published_period():
    trajectory = changed("simo_wong_top", "simulation.record_every=1e-3", "simulation.duration=1.5")
    z = rotate(tuple(trajectory["top"].world.orientation.T), (0.0, 0.0, 1.0))[2]
    # The second upper turning point, of a polynomial of sixth degree through seven samples.
    first = int(np.argmax(z[1000:])) + 1000
    near = np.arange(-3, 4)
    slopes = np.roots(np.polyder(np.polyfit(near, z[first - 3 : first + 4], 6)))
    turn = first + min(slopes[np.abs(slopes.imag) < 1e-9].real, key=abs)
    assert turn * 1e-3 / 2 == pytest.approx(0.6854584973, abs=1e-7)
    assert math.acos(z.max()) == pytest.approx(0.05, abs=1e-9)
    assert math.acos(z.min()) == pytest.approx(0.05455169, abs=1e-8)


def test_the_arm_is_out_and_the_satellite_spins_more_slowly(run):
    trajectory = run("satellite_arm")
    rate = trajectory["satellite"].world.angular_velocity
    momentum = sum(trajectory.diagnostic(f"{part}_angular_momentum") for part in ("spin", "orbital"))
    size = np.linalg.norm(momentum[0])
    assert np.abs(momentum - momentum[0]).max() <= 2e-12 * size  # measured 4e-13
    assert np.linalg.norm(rate[-1]) * 30 / math.pi == pytest.approx(1.3, abs=0.1)


def test_the_load_stays_on_its_rope_and_swings_out_as_its_scene_says(run):
    trajectory = run("crane_on_ship")
    tip, load = (trajectory[f"ship/crane/rope{path}"].world.position for path in ("", "/load"))
    assert np.abs(np.linalg.norm(load - tip, axis=1) - 15).max() <= 1e-12 * 15
    tilt = np.degrees(np.arccos((tip - load)[:, 2] / 15))
    assert tilt.max() == pytest.approx(30.7, abs=0.1) and tilt[trajectory.time < 10].max() < 12


def test_a_top_on_a_ball_joint_at_its_centre_turns_as_a_free_one():
    """The tumbling top of the tests of integrators, 20 s at 10 ms."""
    top = {
        "mass": 1,
        "inertia": {"principal": [1, 2, 3]},
        "angular_velocity": {"frame": "body", "value": [0.01, 2, 0.01]},
    }
    simulation = {"duration": 20, "step": 0.01}
    bodies = {"free": top, "held": {**top, "motion": {"ball": {}}}}
    scene = {"format": "rigidsim/1", "simulation": simulation, "bodies": bodies}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    free, held = (trajectory[path].world.orientation for path in ("free", "held"))
    assert np.abs(held - free).max() <= 2e-11  # rounding, which grows here as the motion is unstable: measured 4e-12


def soles(trajectory: rigidsim.Trajectory) -> np.ndarray:
    """The heights of the undersides of the feet, m, (time, foot)."""
    shins = [trajectory[path].world for path in trajectory if path.endswith("/shin")]
    along = [np.array(rotate(tuple(shin.orientation.T), DOWN)[2]) for shin in shins]
    return np.stack([shin.position[:, 2] + 0.3 * z - 0.03 for shin, z in zip(shins, along, strict=True)], axis=1)


@pytest.mark.parametrize(("step", "sinking", "creep"), [(5e-3, 2e-5, 2e-4), (2e-3, 1e-5, 2e-5), (1e-3, 3e-6, 3e-6)])
def test_a_body_on_four_legs_hardly_sinks_and_stands_still(step, sinking, creep):
    """Measured: it sinks by 3.4, 3.9, 0.7 um, and the feet creep by 95, 6, 0.4 um in the last second. They carry the
    weight.
    """
    scene = rigidsim.Scene.from_file(shipped_scenes()["four_legs"], [f"simulation.step={step}"])
    trajectory = rigidsim.simulate(scene, contacts=True)
    assert soles(trajectory).min() >= -sinking
    last = trajectory.part(trajectory.time >= 3.0)
    for path in (path for path in last if path.endswith("/shin")):
        foot = last[path].world.position + 0.3 * np.array(rotate(tuple(last[path].world.orientation.T), DOWN)).T
        assert np.abs(foot[-1] - foot[0]).max() <= creep
    forces = trajectory.contacts[-1].on("floor").values()
    assert len(forces) == 4
    np.testing.assert_allclose(sum(forces), [0, 0, -26 * 9.81], rtol=2e-3, atol=0.05)
    assert trajectory.contact_ledger.relative_error <= 1e-8


def test_a_chain_that_falls_lies_still_on_the_floor(run):
    """Links across each other, too; no part of the chain is in the floor, and all of the weight is on it."""
    trajectory = run("chain_on_floor")
    pairs = {frozenset(event.bodies) for event in trajectory.events}
    assert any("floor" not in pair for pair in pairs)
    half = np.array([0.0, 0.0, 0.1])
    for path in [path for path in trajectory if path != "floor"]:
        world = trajectory[path].world
        reach = np.abs(np.array(rotate(tuple(world.orientation.T), tuple(half))[2]))
        assert (world.position[:, 2] - reach - 0.02).min() >= -1e-4
        assert np.abs(world.velocity[-1]).max() <= 2e-2
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() <= 1e-6


def test_the_module_is_caught_and_let_go_and_all_momenta_stay(run):
    trajectory = run("docking_arm")
    caught, released = trajectory.events
    assert (caught.time, caught.motion, released.time, released.motion) == (4.0, "jointed", 20.0, "free")
    assert caught.energy == pytest.approx(-0.102885, rel=1e-4)
    assert released.energy == 0.0
    held = (trajectory.time >= 4.0) & (trajectory.time < 20.0)
    angle = np.asarray(trajectory.arrays["joints/coordinate"])[:, 2]
    assert np.isfinite(angle[held]).all() and np.isnan(angle[~held]).all()
    handle = trajectory["module"].seen_from("satellite/upper/lower/hand")
    turned = Rotation.from_quat(np.roll(handle.orientation[held], -1, axis=1)).apply([-0.5, 0, 0])
    place = handle.position[held] + turned
    assert np.abs(place - place[0]).max() <= 1e-13


def test_the_carousel_lets_go_and_ends_at_the_instants_of_the_closed_form(run):
    early, late, end = run("carousel_lets_go").events
    instant = (4.0 - 0.25) ** 0.25 / 0.5
    assert (early.time, early.id, late.id, end.id) == (1.5, "reparent[0]", "reparent[1]", "simulation.stop")
    assert late.time == pytest.approx(instant, abs=1e-14)
    # From the radius of 2 m at the rate instant/2 along the tangent, to 12 m.
    assert end.time == pytest.approx(instant + np.sqrt(12.0**2 - 2.0**2) / instant, abs=1e-13)


def test_the_weld_breaks_in_the_step_that_the_scene_says(run):
    (event,) = run("breaking_weld").events
    assert event.time == pytest.approx(0.751, abs=1e-12)
    assert 280.0 < np.linalg.norm(event.force) < 280.1
