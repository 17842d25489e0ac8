"""Torsion springs beyond half a turn."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from support.scenes import EPS, make_scene, run, slopes


def shaft(**more) -> dict:
    """A wheel on a torsion spring, I = k = 1, that starts at 4 rad/s: 4 rad of twist, beyond half a turn."""
    spring = {"type": "torsion_spring", "to": "world", "stiffness": 1.0, "axis": [0, 0, 1], **more}
    wheel = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "angular_velocity": [0, 0, 4], "forces": [spring]}
    return {"wheel": wheel}


def test_a_torsion_spring_about_an_axis_counts_turns():
    """omega = 4 cos t, phi = 4 sin t, and the ledger closes; at the order of the method."""
    errors = []
    for step in (0.1, 0.05, 0.025):
        trajectory = run(shaft(), duration=10, step=step)
        errors.append(abs(trajectory["wheel"].world.angular_velocity[-1, 2] - 4 * np.cos(10)))
        assert np.ptp(trajectory.total_energy) <= 8 * step**4  # of 8 J; measured: 2.2 step^4
    assert np.all(np.abs(slopes((0.1, 0.05, 0.025), errors) - 4) <= 0.2), errors


@pytest.mark.parametrize("integrator", ["magnus", "magnus2", "euler"])
def test_every_method_counts_turns(integrator):
    trajectory = run(shaft(), duration=10, step=1e-3, integrator=integrator)
    # Errors of the methods, 2e-2 at most; with a torque that turns over at half a turn it is 3 rad/s off.
    assert abs(trajectory["wheel"].world.angular_velocity[-1, 2] - 4 * np.cos(10)) <= 0.04


def test_turns_are_counted_between_any_frames_while_a_spring_is_off_and_through_a_reparenting():
    """A shaft of ten turns between two wheels on a turning table; the spring comes on late, and its parent changes."""
    spring = {"type": "torsion_spring", "to": "table/hub", "stiffness": 0.1, "axis": [0, 0, 1], "during": [2, 6]}
    hub = {
        "mass": 1,
        "inertia": {"principal": [1, 1, 1]},
        "angular_velocity": {"relative_to": "world", "value": [0, 0, 0]},
    }
    wheel = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "forces": [spring]}
    wheel["angular_velocity"] = {"relative_to": "world", "value": [0, 0, 30]}
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, 3]}}, "children": {"hub": hub}}
    scene = make_scene({"table": table, "wheel": wheel}, duration=6, step=1e-3).resolved()
    reparent = [{"body": "wheel", "to": "table", "time": 3}]
    plain, moved = (rigidsim.simulate(rigidsim.Scene.from_dict(scene | more)) for more in ({}, {"reparent": reparent}))
    # phi'' = -k (1/I + 1/I) phi from phi = 60, phi' = 30 at t = 2: twice 0.1 rad/s2 a radian.
    w = np.sqrt(0.2)
    slip = 30 * np.cos(4 * w) - 60 * w * np.sin(4 * w)
    for found in (plain, moved):
        rates = [found[path].world.angular_velocity[-1, 2] for path in ("table/hub", "wheel")]
        assert abs(sum(rates) - 30) <= 64 * EPS * 60  # measured: 9e-14
        assert abs(rates[1] - rates[0] - slip) <= 1e-9  # the method's error: measured 2e-11


def test_without_an_axis_it_is_reported_when_half_a_turn_is_passed():
    spring = {"type": "torsion_spring", "to": "world", "stiffness": 1.0}
    bodies = shaft()
    bodies["wheel"]["forces"] = [spring]
    simulation = rigidsim.Simulation(make_scene(bodies, duration=3, step=0.01))
    simulation.step(80)
    assert not simulation.warnings
    simulation.step(220)
    # 4 sin t passes pi at asin(pi/4) = 0.9033 s, in the step that ends at 0.91 s.
    (warning,) = simulation.warnings
    assert "wheel, forces[0]" in warning
    assert "t = 0.91 s" in warning
    spring["during"] = [0, 0.2]  # it is off by then
    off = rigidsim.Simulation(make_scene(bodies, duration=3, step=0.01))
    off.step(300)
    assert not off.warnings
    bodies["wheel"]["forces"] = [{"type": "torsion_spring", "to": "world", "stiffness": 0, "damping": 1e-3}]
    damper = rigidsim.Simulation(make_scene(bodies, duration=3, step=0.01))
    damper.step(300)
    assert not damper.warnings
    bodies["wheel"]["forces"] = [{"type": "torsion_spring", "to": "world", "stiffness": 1.0}]
    bodies["wheel"]["angular_velocity"] = [0, 0, 3]
    calm = rigidsim.Simulation(make_scene(bodies, duration=10, step=0.01))
    calm.step(1000)
    assert not calm.warnings
