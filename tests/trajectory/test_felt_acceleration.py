"""What accelerometers feel, against closed forms: on spinning bodies, their parts, rides, at rest and in free fall."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigidsim
from rigidsim.analysis.quantities import named
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.physics.forces import oblateness

G, SPIN = 9.81, 3.0
BRICK = {"mass": 2, "inertia": {"principal": [1, 2, 2.5]}}
PART = {"mass": 1, "inertia": "point", "motion": "fixed", "position": [0, 0.5, 0]}
CLOSE = {"rtol": 0, "atol": 1e-12}


def simulated(
    bodies: dict, contacts: bool = False, terms: bool = False, simulation=None, **world
) -> rigidsim.Trajectory:
    scene = {
        "format": "rigidsim/1",
        "simulation": simulation or {"duration": 0.2, "step": 0.01},
        "world": {"gravity": [0, 0, -G]} | world,
        "bodies": bodies,
        "metrics": {f"m{n}": f"= mean('{name}')" for n, name in enumerate(components(paths_of(bodies)))},
    }
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene), contacts=contacts, terms=terms)


def paths_of(bodies: dict, above: str = "") -> list[str]:
    below = (paths_of(body.get("children", {}), f"{above}{name}/") for name, body in bodies.items())
    return [*(above + name for name in bodies), *(path for paths in below for path in paths)]


def components(paths) -> list[str]:
    frames = ("", "@world")
    return [f"{path}.felt_acceleration.{part}{frame}" for path in paths for frame in frames for part in "xyz"]


def felt(trajectory: rigidsim.Trajectory, body: str, error: float = 1e-11) -> np.ndarray:
    """At the samples. The metrics of the run, which read what the stepper computed, agree to rounding: at 7e6 m places
    are known to 1e-9 m. From contact points the moment of a force is that of the end of a step: `error`, relative.
    """
    found = named(trajectory, f"{body}.felt_acceleration").of()
    for frame in ("", "@world"):
        one = named(trajectory, f"{body}.felt_acceleration{frame}")
        means = {f'= mean("{one.body}.felt_acceleration.{part}{frame}")': k for k, part in enumerate("xyz")}
        places = [means.get(metric) for metric in trajectory.header.metrics.values()]
        of_run = np.array(list(trajectory.metrics.values()))[[places.index(k) for k in range(3)]]
        np.testing.assert_allclose(of_run, one.of().mean(axis=0), rtol=0, atol=error * max(1.0, np.abs(found).max()))
    return found


def test_a_falling_body_feels_only_that_it_turns_and_so_do_its_parts():
    """The centre of mass is 1/6 m from the origin, the part 1/3 m from it: omega^2 r towards it."""
    trajectory = simulated({"top": BRICK | {"angular_velocity": [0, 0, SPIN], "children": {"tip": PART}}})
    np.testing.assert_allclose(felt(trajectory, "top"), [[0, SPIN**2 / 6, 0]] * 21, **CLOSE)
    np.testing.assert_allclose(felt(trajectory, "tip"), [[0, -(SPIN**2) / 3, 0]] * 21, **CLOSE)
    assert np.all(named(simulated({"ball": BRICK}), "ball.felt_acceleration").of() == 0.0)


def test_a_ride_feels_gravity_and_the_axis():
    """Also where nothing dynamic depends on it; with Euler's term while the table is sped up."""
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, 2], "angular_acceleration": [0, 0, 5]}}}
    trajectory = simulated({"table": table | {"children": {"seat": {"position": [1.5, 0, 0]}}}})
    rate = 2 + 5 * trajectory.time
    expected = np.stack([-1.5 * rate**2, np.full(21, 1.5 * 5), np.full(21, G)], axis=1)
    np.testing.assert_allclose(felt(trajectory, "seat"), expected, rtol=1e-12, atol=1e-12)
    in_world = named(trajectory, "seat.felt_acceleration@world").of()
    np.testing.assert_allclose(np.linalg.norm(in_world, axis=1), np.linalg.norm(expected, axis=1), rtol=1e-12)


def test_without_gravity_nothing_is_subtracted():
    """A thrust of 6 N through the centre of mass of 2 kg."""
    trajectory = simulated({"ship": BRICK | {"gravity": False, "forces": [{"force": [6, 0, 0]}]}})
    np.testing.assert_allclose(felt(trajectory, "ship"), [[3, 0, 0]] * 21, **CLOSE)


def test_a_free_fall_towards_a_point_source_is_not_felt():
    """At the centre of mass; at a part farther out the tide is."""
    source = {"center": [0, 0, 0], "gm": 4.0e14}
    body = BRICK | {"position": [7e6, 0, 0], "children": {"mast": {"position": [1000, 0, 0]}}}
    trajectory = simulated({"ship": body}, gravity=source)
    np.testing.assert_allclose(felt(trajectory, "ship"), 0.0, rtol=0, atol=1e-12)
    tide = 4.0e14 / 7.001e6**2 - 4.0e14 / 7e6**2
    np.testing.assert_allclose(felt(trajectory, "mast")[0], [tide, 0, 0], rtol=1e-9, atol=1e-15)


def test_a_body_at_rest_feels_one_gravity():
    """9.80665 m/s^2, by the forces of contact of the last step; what only lies on it too."""
    box = {"mass": 2, "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [1, 1, 1]}]}
    bodies = {"floor": {"shapes": [{"type": "plane"}]}, "box": box | {"children": {"cup": {"position": [0.3, 0, 0.5]}}}}
    trajectory = simulated(bodies, contacts=True, gravity=[0, 0, -9.80665])
    for body in ("box", "cup"):
        one = named(trajectory, f"{body}.felt_acceleration.norm[gn]")
        assert one.unit == "gn" and one.of()[-1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(NotRecordedError, match="--contacts"):
        felt(simulated(bodies), "box")


def from_velocities(trajectory: rigidsim.Trajectory, body: str, gravity) -> np.ndarray:
    """R^T (dv/dt - g) of samples 2 to -3, with differences of fourth order in the interval of samples."""
    v, interval = trajectory[body].world.velocity, trajectory.time[1]
    a = (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * interval)
    turned = Rotation.from_quat(trajectory[body].world.orientation[2:-2], scalar_first=True)
    return turned.inv().apply(a - np.broadcast_to(gravity, v.shape)[2:-2])


def assert_felt(trajectory: rigidsim.Trajectory, body: str, gravity) -> None:
    """The error of the differences is (1 ms)^4 / 30 times the fifth derivative of v, below 1e-7 at 6 rad/s."""
    wanted = from_velocities(trajectory, body, gravity)
    np.testing.assert_allclose(felt(trajectory, body)[2:-2], wanted, rtol=0, atol=1e-7)


def shortly(bodies: dict, **world) -> rigidsim.Trajectory:
    return simulated(bodies, simulation={"duration": 0.008, "step": 1e-3}, **world)


def attraction(gm: float, s: np.ndarray) -> np.ndarray:
    return -gm * s / np.linalg.norm(s, axis=1, keepdims=True) ** 3


def position(trajectory: rigidsim.Trajectory, body: str, point=(0, 0, 0)) -> np.ndarray:
    motion = trajectory[body].world
    return motion.position + Rotation.from_quat(motion.orientation, scalar_first=True).apply(point)


def test_below_moving_frames_of_other_scales_it_is_the_derivative_of_the_velocity():
    arm = {"motion": {"prescribed": {"angular_velocity": [0, 4, 0]}}, "children": {"hand": {"position": [1, 0, 0]}}}
    top = BRICK | {
        "position": [1, 0, 0],
        "angular_velocity": [3, 1, 2],
        "scale": 0.5,
        "children": {"tip": PART, "arm": arm},
    }
    top["forces"] = [{"force": [1, 2, 3], "at": [0.2, 0.1, 0]}]
    turning = {"angular_velocity": [0, 0, 2], "angular_acceleration": [0, 0, 3], "acceleration": [0, 2, 0]}
    seat = {"position": [0, 1, 1], "scale": 3, "children": {"cup": {"position": [0, 0.3, 0]}}}
    table = {"motion": {"prescribed": turning}, "scale": 2, "orientation": {"axis": [1, 1, 0], "angle": 0.7}}
    trajectory = shortly({"table": table | {"children": {"top": top, "seat": seat}}})
    for body in trajectory.paths:
        assert_felt(trajectory, body, [0, 0, -G])


def test_below_joints_it_is_the_derivative_of_the_velocity():
    """On joints of one, two and three degrees of freedom, on a table that turns and on a free body."""
    hand = {"hand": {"position": [1, 0, 0]}}
    ball = BRICK | {"motion": {"ball": {"at": [0, 0, 1]}}, "angular_velocity": [1, 2, 0], "children": hand}
    arm = BRICK | {"center_of_mass": [0.5, 0, 0], "children": {"ball": ball}}
    arm |= {"motion": {"cylindrical": {"axis": [0, 1, 0], "angle": 0.3, "displacement": 0.1}}}
    hinged = BRICK | {"position": [1, 0, 0], "motion": {"hinge": {"axis": [0, 1, 1], "rate": 2}}}
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, 2]}}, "children": {"arm": arm}}
    trajectory = shortly({"table": table, "top": BRICK | {"children": {"hinged": hinged}}})
    for body in trajectory.paths:
        assert_felt(trajectory, body, [0, 0, -G])


@pytest.mark.slow
def test_joints_slip_are_held_and_rest_at_stops_from_the_first_sample_on():
    """A block that friction stops after 0.105 s, one that falls with friction from rest, one that lies on its stop, one
    that rises from it.
    """
    level, upright = ({"axis": axis, "friction": 4} for axis in ([1, 0, 0], [0, 0, 1]))
    motions = {
        "block": level | {"rate": 0.21},
        "falling": upright,
        "lying": {"axis": [0, 0, 1], "limits": [0, 1]},
        "rising": {"axis": [0, 0, 1], "limits": [0, 1], "motor": {"force": 2 * G + 6}},
    }
    trajectory = simulated({name: BRICK | {"motion": {"slide": slide}} for name, slide in motions.items()})
    slips = trajectory.time < 0.105
    np.testing.assert_allclose(felt(trajectory, "block"), [[-2.0 * slip, 0, G] for slip in slips], **CLOSE)
    for body, pull in (("falling", 2), ("lying", G), ("rising", G + 3)):
        np.testing.assert_allclose(felt(trajectory, body), [[0, 0, pull]] * len(slips), **CLOSE)


@pytest.mark.parametrize("group", [None, ["one", "far"]])
def test_bodies_that_attract_each_other_feel_the_tide_only(group):
    """What does not belong to them neither attracts nor is attracted; a ride is where they attract."""
    k, off = 0.01, [0.1, 0.2, 0]
    one = BRICK | {"mass": 200, "position": [5, 0, 0], "center_of_mass": off, "angular_velocity": [1, 2, 3]}
    other = BRICK | {"mass": 300, "position": [0, 4, 0], "children": {"mast": {"position": [0, 0, 1]}}}
    far = BRICK | {"mass": 500, "position": [0, 0, 6], "gravity": False}
    ride = {"motion": {"prescribed": {"angular_velocity": [0, 0, 2]}}, "children": {"seat": {"position": [1, 0, 0]}}}
    mutual = {"constant": k} | ({"bodies": group} if group else {})
    bodies = {"one": one, "other": other, "far": far, "ride": ride}
    trajectory = shortly(bodies, mutual_gravity=mutual)
    masses = {"one": 200, "far": 500} if group else {"one": 200, "other": 300}
    for body in ("one", "other", "other/mast", "far", "ride/seat"):
        moving = body.partition("/")[0]
        g = np.tile([0, 0, 0.0 if moving == "far" else -G], (9, 1))
        for source, mass in masses.items() if moving in masses or moving == "ride" else ():
            if source != moving:
                at = position(trajectory, source, off if source == "one" else (0, 0, 0))
                g += attraction(k * mass, position(trajectory, body) - at)
        assert_felt(trajectory, body, g)


def test_a_source_is_where_its_centre_of_mass_is():
    """Also of a part that is off its own centre; and its axis turns with it."""
    planet = PART | {"position": [0, 0, 0], "center_of_mass": [1, 0, 0]}
    hub = BRICK | {"gravity": False, "angular_velocity": [0, 0, 1], "children": {"planet": planet}}
    mast = {"position": [1, 0, 0], "scale": 2, "children": {"end": {"position": [1, 0, 0]}}}
    source = {"center": "hub/planet", "gm": 100, "j2": 0.3, "radius": 2, "axis": [1, 0, 0]}
    moon = BRICK | {"position": [7, 0, 0], "children": {"mast": mast}}
    trajectory = shortly({"hub": hub, "moon": moon}, gravity=source)
    axis = position(trajectory, "hub/planet", (1, 0, 0)) - position(trajectory, "hub/planet")
    for body in ("moon", "moon/mast", "moon/mast/end"):
        s = position(trajectory, body) - position(trajectory, "hub/planet", (1, 0, 0))
        flat = [oblateness(100, 0.3 * 2**2, tuple(u), tuple(x)) for u, x in zip(axis, s, strict=True)]
        assert_felt(trajectory, body, attraction(100, s) + flat)


def test_gravity_of_a_body_s_own_is_not_felt():
    forces = [{"type": "gravity", "acceleration": [0, 3, 0]}, {"type": "point_gravity", "center": [0, 0, 0], "gm": 50}]
    body = BRICK | {
        "position": [4, 0, 0],
        "center_of_mass": [0.1, 0, 0],
        "angular_velocity": [0, 0, 2],
        "forces": forces,
    }
    trajectory = shortly({"ship": body}, gravity=[0, 0, 0])
    of_point = attraction(50, position(trajectory, "ship"))
    assert_felt(trajectory, "ship", of_point + np.array([0, 3, 0]))


def test_in_a_planar_scene_the_plane_is_felt():
    body = BRICK | {"center_of_mass": [0.1, 0, 0], "angular_velocity": [0, 0, 2], "forces": [{"force": [1, 2, 0]}]}
    trajectory = shortly({"puck": body}, plane=[0, 0, 1])
    assert_felt(trajectory, "puck", [0, 0, -G])
    assert felt(trajectory, "puck")[0][2] == pytest.approx(G)


@pytest.mark.parametrize("rolling_friction", [0, 0.1])
def test_what_rolls_feels_its_last_step(rolling_friction):
    """The origin is off the centre of mass, so the moment of rolling friction counts; points have none, terms do. The
    error is that of the end of a step in place of its mean, of first order: 0.008 m/s^2.
    """
    material = {"friction": 0.8, "rolling_friction": rolling_friction}
    ball = {"mass": 2, "inertia": {"principal": [0.2, 0.2, 0.2]}, "center_of_mass": [0, 0, -0.3]}
    ball |= {"position": [0, 0, 0.8], "velocity": [2, 0, 0], "angular_velocity": [0, 4, 0]}
    ball |= {"shapes": [{"type": "sphere", "radius": 0.5, "position": [0, 0, -0.3], "material": material}]}
    bodies = {"floor": {"shapes": [{"type": "plane", "material": material}]}, "ball": ball}
    steps = {"duration": 0.004, "step": 1e-4}
    for recorded in ({"terms": True}, {"contacts": True}):
        trajectory = simulated(bodies, simulation=steps, **recorded)
        if rolling_friction and "terms" not in recorded:
            with pytest.raises(NotRecordedError, match="rolling friction; run with --terms"):
                felt(trajectory, "ball")
            continue
        motion = trajectory["ball"].world
        a = np.diff(motion.velocity, axis=0) / steps["step"] - [0, 0, -G]
        wanted = Rotation.from_quat(motion.orientation[1:], scalar_first=True).inv().apply(a)
        error = 1e-11 if "terms" in recorded else 2e-3
        np.testing.assert_allclose(felt(trajectory, "ball", error)[1:], wanted, rtol=0, atol=0.012)


def test_forces_of_callbacks_are_not_left_out():
    scene = {"format": "rigidsim/1", "simulation": {"duration": 0.01, "step": 0.01}, "bodies": {"ball": BRICK}}
    push = {"ball": lambda t, motions: ((1, 0, 0), (0, 0, 0))}
    with pytest.raises(NotRecordedError, match="callback"):
        felt(rigidsim.simulate(rigidsim.Scene.from_dict(scene), callbacks=push), "ball")


def test_a_unit_that_does_not_fit_is_refused():
    trajectory = simulated({"ball": BRICK})
    with pytest.raises(UsageError, match=r"cannot be given in 'deg'; units: m/s\^2"):
        named(trajectory, "ball.felt_acceleration[deg]").of()
    turned = named(simulated({"ball": BRICK | {"angular_velocity": [0, 0, 1]}}), "ball.angular_velocity.z[deg/s]")
    assert turned.unit == "deg/s" and turned.of()[0] == pytest.approx(180 / np.pi)
