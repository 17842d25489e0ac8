"""What accelerometers feel, against closed forms: on spinning bodies, their parts, rides, at rest and in free fall."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.hindsight.quantities import quantity

G, SPIN = 9.81, 3.0
BRICK = {"mass": 2, "inertia": {"principal": [1, 2, 2.5]}}
PART = {"mass": 1, "inertia": "point", "motion": "fixed", "position": [0, 0.5, 0]}
CLOSE = {"rtol": 0, "atol": 1e-12}


def simulated(bodies: dict, contacts: bool = False, **world) -> rigidsim.Trajectory:
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 0.2, "step": 0.01},
        "world": {"gravity": [0, 0, -G]} | world,
        "bodies": bodies,
    }
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene), contacts=contacts)


def felt(trajectory: rigidsim.Trajectory, body: str) -> np.ndarray:
    return quantity(trajectory, f"{body}.felt_acceleration").values


def test_a_falling_body_feels_only_that_it_turns_and_so_do_its_parts():
    """The centre of mass is 1/6 m from the origin, the part 1/3 m from it: omega^2 r towards it."""
    trajectory = simulated({"top": BRICK | {"angular_velocity": [0, 0, SPIN], "children": {"tip": PART}}})
    np.testing.assert_allclose(felt(trajectory, "top"), [[0, SPIN**2 / 6, 0]] * 21, **CLOSE)
    np.testing.assert_allclose(felt(trajectory, "tip"), [[0, -(SPIN**2) / 3, 0]] * 21, **CLOSE)
    assert np.all(quantity(simulated({"ball": BRICK}), "ball.felt_acceleration").values == 0.0)


def test_a_ride_feels_gravity_and_the_axis():
    """Also where nothing dynamic depends on it; with Euler's term while the table is sped up."""
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, 2], "angular_acceleration": [0, 0, 5]}}}
    trajectory = simulated({"table": table | {"children": {"seat": {"position": [1.5, 0, 0]}}}})
    rate = 2 + 5 * trajectory.time
    expected = np.stack([-1.5 * rate**2, np.full(21, 1.5 * 5), np.full(21, G)], axis=1)
    np.testing.assert_allclose(felt(trajectory, "seat"), expected, rtol=1e-12, atol=1e-12)
    in_world = quantity(trajectory, "seat.felt_acceleration@world").values
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
        one = quantity(trajectory, f"{body}.felt_acceleration.norm[gn]")
        assert one.unit == "gn" and one.values[-1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(NotRecordedError, match="--contacts"):
        felt(simulated(bodies), "box")


def test_a_unit_that_does_not_fit_is_refused():
    trajectory = simulated({"ball": BRICK})
    with pytest.raises(UsageError, match=r"cannot be given in 'deg'; units: m/s\^2"):
        quantity(trajectory, "ball.felt_acceleration[deg]")
    turned = quantity(simulated({"ball": BRICK | {"angular_velocity": [0, 0, 1]}}), "ball.angular_velocity.z[deg/s]")
    assert turned.unit == "deg/s" and turned.values[0] == pytest.approx(180 / np.pi)
