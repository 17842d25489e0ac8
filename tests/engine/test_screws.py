"""Screws: a body turns about an axis and advances along it in proportion, with all that acts in joints."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, collide, floor, surface
from rigidsim.errors import SceneError
from support.scenes import make_scene, run

G, M, SPIN, LEAD = 9.81, 0.5, 2e-4, 3e-3
PITCH = 2 * math.pi * LEAD
INERTIA = SPIN + M * LEAD**2
"""m/s^2, kg, kg m^2, m/rad, m; and the inertia of the angle x, kg m^2: its energy is (I + m h^2) x'^2 / 2."""
EPS = np.finfo(float).eps
HOW = {"duration": 1.0, "step": 1e-3, "record_every": 0.01, "gravity": [0, 0, -G]}


def nut(pitch: float = PITCH, **keys) -> dict:
    """A nut on a vertical screw."""
    joint = {"screw": {"axis": [0, 0, 1], "pitch": pitch} | keys}
    return {"mass": M, "inertia": {"principal": [1e-4, 1e-4, SPIN]}, "motion": joint}


@pytest.mark.parametrize("hand", [1, -1])
@pytest.mark.parametrize("method", ["rkmk4", "euler", "magnus", {"name": "adaptive"}, {"name": "taylor"}])
def test_a_nut_falls_with_the_inertia_of_its_rotation(method, hand):
    """x'' = -m g h / (I + m h^2), z = h x; of first order by `euler`, exact to rounding by the others."""
    found = run({"nut": nut(hand * PITCH)}, integrator=method, **HOW)
    t, x = found.time, found["nut"].joint.coordinates[:, 0]
    expected = -hand * M * G * LEAD / INERTIA * t**2 / 2
    late = 1e-3 * np.abs(expected[-1]) if method == "euler" else 0.0
    assert np.abs(x - expected).max() <= 2 * late + 64 * EPS * np.abs(expected[-1])
    assert np.allclose(found["nut"].world.position[:, 2], hand * LEAD * x, atol=4 * EPS)
    size = np.abs(found.diagnostic("kinetic_energy")).max()
    assert method == "euler" or np.abs(found.total_energy - found.total_energy[0]).max() <= 64 * EPS * size


def test_a_spring_in_a_screw_swings_with_the_inertia_of_both():
    """Of an off-centre body too: the offset d from the axis adds m d^2."""
    d, k = 0.02, 0.1
    body = nut(spring={"stiffness": k}, angle=3.0) | {"center_of_mass": [d, 0, 0]}
    found = run({"nut": body}, **HOW | {"gravity": [0, 0, 0]})
    rate = math.sqrt(k / (INERTIA + M * d**2))
    # Of fourth order: (rate h)^5 / 120 a step.
    bound = 3.0 * (rate * 1e-3) ** 5 / 120 * 1000 * 2
    assert np.abs(found["nut"].joint.coordinates[:, 0] - 3.0 * np.cos(rate * found.time)).max() <= bound


def test_a_screw_is_a_cylindrical_joint_of_which_both_motors_agree():
    """One motor that prescribes the angle has the work of the two: its torque is tau + h f, and the reaction is one."""
    body = {"mass": 2.0, "inertia": {"principal": [0.3, 0.4, 0.5]}, "center_of_mass": [0.3, 0.2, 0.1]}
    frame = {"axis": [0, 1, 2], "at": [0.1, -0.2, 0.3]}
    course = "0.4*sin(3*t) + 0.2*t"
    screw = {"screw": frame | {"pitch": 0.9, "motor": {"angle": f"= {course}"}}}
    h = 0.9 / (2 * math.pi)
    motors = [{"displacement": f"= {h!r}*({course})"}, {"angle": f"= {course}"}]
    both = [
        run({"base": body | {"angular_velocity": [1, 2, 3], "children": {"arm": body | {"motion": motion}}}}, **HOW)
        for motion in (screw, {"cylindrical": frame | {"motors": motors}})
    ]
    (one, other), arms = both, [found["base/arm"] for found in both]
    assert np.abs(one["base"].world.position - other["base"].world.position).max() <= 64 * EPS
    assert np.abs(arms[0].world.position - arms[1].world.position).max() <= 64 * EPS
    force, torque = arms[1].joint.motor.T
    size = np.abs(torque).max()
    assert np.abs(arms[0].joint.motor[:, 0] - (torque + h * force)).max() <= 1e-12 * size
    for part in ("force", "torque"):
        assert np.allclose(getattr(arms[0].joint, part), getattr(arms[1].joint, part), atol=1e-12 * size)
    assert one.total_energy[-1] - one.total_energy[0] == pytest.approx(0.0, abs=1e-9)


def test_a_screw_is_a_cylindrical_joint_of_which_the_coordinates_are_coupled():
    """By one degree of freedom in place of two and a multiplier; on a free body that tumbles, with a spring."""
    body = {"mass": 2.0, "inertia": {"principal": [0.3, 0.4, 0.5]}, "center_of_mass": [0.3, 0.2, 0.1]}
    frame, h, angle, rate = {"axis": [0, 1, 2], "at": [0.1, -0.2, 0.3]}, 0.15, 0.7, 2.0
    spring = {"stiffness": 3.0, "rest": 0.2}
    screw = {"screw": frame | {"pitch": 2 * math.pi * h, "angle": angle, "rate": rate, "spring": spring}}
    pair = frame | {"displacement": h * angle, "angle": angle, "rates": [h * rate, rate], "springs": [None, spring]}
    coupling = {"type": "coupling", "between": ["base/arm"] * 2, "coordinates": ["angle", "displacement"], "ratio": h}
    one, other = (
        run({"base": body | {"angular_velocity": [1, 2, 3], "children": {"arm": body | {"motion": motion}}}}, **how)
        for motion, how in ((screw, HOW), ({"cylindrical": pair}, HOW | {"loops": [coupling]}))
    )
    for path in ("base", "base/arm"):  # both are of fourth order: measured 2e-12
        for part in ("position", "orientation", "velocity"):
            apart = getattr(one[path].world, part) - getattr(other[path].world, part)
            assert np.abs(apart).max() <= 2e-11
    assert np.abs(one["base/arm"].joint.coordinates[:, 0] - angle).max() > 0.5


def test_a_nut_rebounds_from_its_stop_as_a_ball_with_that_acceleration():
    """From 20 rad above the stop, with e = 0.5: the first flight returns to a quarter of the height."""
    x_0, e, a = 20.0, 0.5, M * G * LEAD / INERTIA
    found = run({"nut": nut(angle=x_0, limits=[0, None], restitution=e)}, **HOW)
    t, x = found.time, found["nut"].joint.coordinates[:, 0]
    first, up = math.sqrt(2 * x_0 / a), e * math.sqrt(2 * a * x_0)
    flying = (first < t) & (t < first + 2 * up / a)
    expected = up * (t[flying] - first) - a * (t[flying] - first) ** 2 / 2
    assert flying.sum() > 10 and np.abs(x[flying] - expected).max() <= 1e-9
    hits = [event for event in found.events if event.cause == "stop"]
    assert hits[0].time == pytest.approx(first, abs=1e-10)
    # The stop acts by a torque about the axis; the thread holds the rest.
    lost = INERTIA * (2 * a * x_0) * (1 - e**2) / 2
    assert -hits[0].energy == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize(("share", "moves"), [(1.01, False), (0.99, True)])
def test_a_screw_locks_itself_by_a_friction_that_bears_the_weight(share, moves):
    found = run({"nut": nut(friction=share * M * G * LEAD)}, **HOW)
    x = found["nut"].joint.coordinates[:, 0]
    if moves:
        expected = -(1 - share) * M * G * LEAD / INERTIA * found.time**2 / 2
        assert np.abs(x - expected).max() <= 1e-9 * np.abs(expected[-1])
    else:
        assert not x.any()


def test_a_motor_lifts_a_load_at_its_rate_and_bears_the_weight():
    found = run({"nut": nut(motor={"rate": 5.0, "max_torque": 1.0})}, **HOW)
    joint = found["nut"].joint
    assert joint.rates[-1, 0] == 5.0
    assert joint.motor[-1, 0] == pytest.approx(M * G * LEAD, rel=1e-12)


def test_a_ball_that_strikes_a_plate_on_a_screw_meets_its_whole_inertia():
    """Along the axis the plate resists with I/h^2 + m: the impulse of a plastic impact on its middle."""
    lead, inertia, v = 0.05, 0.01, 2.0
    plate = {
        "mass": 1.0, "inertia": {"principal": [0.1, 0.1, inertia]},
        "motion": {"screw": {"axis": [0, 0, 1], "pitch": 2 * math.pi * lead}},
        "shapes": [{"type": "box", "size": [1, 1, 0.1]}],
    } | surface(friction=0.0)  # fmt: skip
    bodies = {"plate": plate, "ball": ball(0.05, 0.5, at=(0, 0, 0.3), velocity=[0, 0, -v], friction=0.0)}
    found = collide(bodies, gravity=[0, 0, 0], duration=0.2, step=1e-3, record_every=1e-3)
    (impact,) = [event for event in found.events if event.cause == "impact"]
    meets = 1.0 + inertia / lead**2
    assert np.linalg.norm(impact.impulse) == pytest.approx(v / (1 / 0.5 + 1 / meets), rel=1e-12)
    assert found["plate"].joint.rates[-1, 0] * lead == pytest.approx(-0.5 * v / (0.5 + meets), rel=1e-12)


def test_a_nut_that_lands_on_a_floor_rests_there():
    body = nut(angle=5.0) | {"shapes": [{"type": "box", "size": [0.05, 0.05, 0.01]}], "position": [0, 0, 0.005]}
    found = collide(
        {"nut": body | surface(friction=0.0), "floor": floor(friction=0.0)}, duration=0.5, step=1e-3, record_every=0.01
    )
    assert abs(found["nut"].joint.rates[-1, 0]) <= 1e-9
    assert abs(found["nut"].joint.coordinates[-1, 0]) * LEAD <= 1e-5


def test_a_free_body_that_a_screw_catches_keeps_its_part_along_the_thread():
    """x' = (I omega + m h v) / (I + m h^2), about one axis; the pose is that of two turns and a half."""
    spin, v, h = 40.0, 0.3, LEAD
    free = {
        "mass": M,
        "inertia": {"principal": [1e-4, 1e-4, SPIN]},
        "velocity": [0, 0, v],
        "angular_velocity": [0, 0, spin],
    }
    catch = {"body": "nut", "to": "world", "time": 0.2, "motion": {"screw": {"axis": [0, 0, 1], "pitch": PITCH}}}
    found = rigidsim.simulate(make_scene({"nut": free}, **HOW | {"gravity": [0, 0, 0]}, reparent=[catch]))
    rate = found["nut"].joint.rates[-1, 0]
    assert rate == pytest.approx((SPIN * spin + M * h * v) / INERTIA, rel=1e-12)
    assert found["nut"].joint.coordinates[-1, 0] == pytest.approx(0.8 * rate, rel=1e-10)


def test_a_screw_that_is_made_counts_the_turns_that_its_displacement_has():
    turns = 5 * math.pi  # two and a half
    free = {"mass": M, "inertia": {"principal": [1e-4, 1e-4, SPIN]}, "position": [0, 0, LEAD * turns],
            "orientation": {"axis": [0, 0, 1], "angle": turns % (2 * math.pi)}}  # fmt: skip
    screw = {"screw": {"axis": [0, 0, 1], "pitch": PITCH}}
    for pose in ({"position": [0, 0, 0], "orientation": {"axis": [0, 0, 1], "angle": 0}},
                 {"orientation": {"axis": [0, 0, 1], "angle": 0}}):  # fmt: skip
        catch = {"body": "nut", "to": "world", "time": 0.2, "motion": screw} | pose
        found = rigidsim.simulate(make_scene({"nut": free}, **HOW | {"gravity": [0, 0, 0]}, reparent=[catch]))
        x, z = found["nut"].joint.coordinates[-1, 0], found["nut"].world.position[-1, 2]
        assert z == pytest.approx(LEAD * turns, abs=1e-12)
        assert math.remainder(x - turns, 2 * math.pi) == pytest.approx(0, abs=1e-9)
        assert x == pytest.approx(turns if "position" in pose else math.pi, abs=1e-9)


def test_lengths_are_in_units_of_the_parent():
    inch = {"scale": 0.0254, "children": {"nut": nut(PITCH / 0.0254, angle=2.0)}}
    plain, scaled = run({"nut": nut(angle=2.0)}, **HOW), run({"frame": inch}, **HOW)
    one, other = plain["nut"], scaled["frame/nut"]
    assert np.allclose(one.joint.coordinates, other.joint.coordinates, rtol=1e-13)
    assert np.allclose(one.world.position, other.world.position, rtol=1e-13)


def test_a_screw_is_recorded_and_written_as_it_is_read(tmp_path):
    scene = make_scene({"nut": nut(angle=2.0)}, **HOW)
    assert rigidsim.Scene.from_dict(scene.resolved()) == scene
    run({"nut": nut(angle=2.0)}, **HOW).save(tmp_path / "nut.h5")
    with rigidsim.load(tmp_path / "nut.h5") as kept:
        found = kept["nut"].joint
        assert found.type == "screw" and np.isfinite(found.force).all()
        assert found.coordinates[0, 0] == 2.0


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"axis": [0, 0, 1]}, "pitch"),
        ({"axis": [0, 0, 1], "pitch": "5 rad"}, "length"),
        ({"axis": [0, 0, 1], "pitch": 0.1, "displacement": 0.2}, "displacement"),
    ],
)
def test_mistakes_have_one_message(keys, message):
    with pytest.raises(SceneError, match=message) as caught:
        make_scene({"nut": {"mass": M, "inertia": "point", "motion": {"screw": keys}}}, **HOW)
    assert len(caught.value.problems) == 1


def test_a_screw_leaves_the_plane_of_a_planar_scene():
    for axis in ([0, 0, 1], [1, 0, 0]):
        body = nut() | {"motion": {"screw": {"axis": axis, "pitch": PITCH}}}
        with pytest.raises(SceneError, match="moves the body out of the plane"):
            make_scene({"nut": body}, **HOW | {"gravity": [0, -G, 0]}, plane=[0, 0, 1])
