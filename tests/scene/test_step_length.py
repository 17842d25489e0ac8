"""Warnings about steps in which frames turn too far, and about frames that matter to nothing."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene

CHIP = {"mass": 0.01, "inertia": "point", "position": [1, 0, 0]}
SOLID = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}


def noted(bodies: dict, duration: float = 10, step: float = 1e-3, integrator: str = "magnus2", **more) -> list[str]:
    simulation = {"duration": duration, "step": step, "integrator": integrator}
    return list(Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies} | more).warnings)


def drum(child: dict | None = None, **prescribed) -> dict:
    return {"motion": {"prescribed": prescribed}, "children": {"chip": CHIP if child is None else child}}


def test_a_fast_frame_of_free_bodies_is_reported():
    """But with rkmk4, which steps positions in world axes."""
    way_out = "free flights in this frame are wrong by 1.3 % of their distance; use at most 5e-05 s, or another parent"
    message = f"bodies.d: it rotates by 1.15 degrees per step of 0.001 s, and {way_out}"
    spinning = {"d": drum(angular_velocity=[0, 0, 20])}
    assert noted(spinning) == [message]
    assert noted(spinning, step=5e-5) == noted(spinning, integrator="rkmk4") == []
    assert noted({"d": {"motion": spinning["d"]["motion"]}}) == []


@pytest.mark.parametrize(
    "prescribed",
    [
        {"angular_velocity": [0, 0, "= 20*(1 - exp(-t))"]},
        {"angular_acceleration": [0, 2, 0]},
        {"orientation": {"axis": [1, 1, 1], "angle": "= 20*t"}},
        {"orientation": {"euler": ["= 20*t", 0, "= 3*t"], "order": "xyz"}},
    ],
)
def test_whatever_gives_its_motion(prescribed):
    (only,) = noted({"d": drum(**prescribed)})
    assert "free flights in this frame are wrong by" in only


def test_a_free_body_that_spins_is_such_a_frame_too():
    free = SOLID | {"angular_velocity": [0, 0, 20], "children": {"chip": CHIP}}
    (only,) = noted({"d": free})
    assert only.startswith("bodies.d: it rotates by 1.15 degrees per step of 0.001 s, and free flights")


def test_what_is_fixed_to_a_frame_is_part_of_it():
    seat = {"position": [1, 0, 0], "children": {"a": CHIP, "b": CHIP}}
    (only,) = noted({"d": drum(angular_velocity=[0, 0, 20]) | {"children": {"one": seat, "two": seat}}})
    assert only.startswith("bodies.d: ")


def test_the_rate_in_the_world_is_what_counts():
    """A platform that is spun back stands still, though it turns against what carries it."""
    platform = drum(angular_velocity={"frame": "body", "value": [0, 0, -20]})
    turned = {"orientation": {"axis": [1, 2, 3], "angle": 1}}
    assert noted({"s": drum(platform, angular_velocity=[0, 0, 20])}) == []
    assert noted({"s": {"children": {"d": drum(platform, angular_velocity=[0, 0, 20])}} | turned}) == []
    assert len(noted({"s": drum(platform, angular_velocity=[0, 0, 10])})) == 1


def test_the_time_spent_there_is_what_counts():
    """With magnus2, at 1 rad/s and 1 ms it takes 600 rad to stray by 1e-4: z^2/6 of each."""
    bodies, how = {"d": drum(angular_velocity=[0, 0, 1]), "free": CHIP}, {"duration": 720}
    assert noted(bodies, duration=480) == []
    assert len(noted(bodies, **how)) == 1
    assert noted(bodies, **how, reparent=[{"body": "d/chip", "to": "world", "time": 320}]) == []
    empty = {"d": {"motion": bodies["d"]["motion"]}, "free": CHIP}
    assert noted(empty, **how, reparent=[{"body": "free", "to": "d", "time": 320}]) == []
    assert len(noted(empty, **how, reparent=[{"body": "free", "to": "d", "time": 40}])) == 1


@pytest.mark.parametrize(("integrator", "rate"), [("magnus2", 7.55), ("magnus", 0.365), ("euler", 0.1)])
def test_the_bound_is_that_of_the_order(integrator, rate):
    """Rates at which z^2 (1/2 + T/6), 3 z T/4 and z are 1e-4 in 1 s: z = rate/1000, T = rate."""
    quiet, loud = ({"d": drum(angular_velocity=[0, 0, factor * rate])} for factor in (0.9, 1.1))
    assert noted(quiet, duration=1, integrator=integrator) == []
    assert len(noted(loud, duration=1, integrator=integrator)) == 1


# --- a wheel that nothing depends on

WHEEL = {"motion": {"prescribed": {"angular_velocity": [0, 0, 100]}}}
LONG = "bodies.w: it rotates by 57.3 degrees per step of 0.01 s; use at most 0.001 s"


def test_a_wheel_that_nothing_depends_on_may_turn_as_fast_as_it_likes():
    hub = {"rim": {"position": [1, 0, 0], "children": {"valve": {}}}}
    assert noted({"w": WHEEL | {"children": hub}, "b": SOLID}, step=0.01) == []


@pytest.mark.parametrize(
    "force",
    [
        {"type": "spring", "to": "w", "stiffness": 1, "length": 0},
        {"type": "damper", "to": "w/rim", "damping": 1e-3, "at": [0, 1, 0]},
        {"type": "drag", "linear": 1e-3, "medium": "w"},
        {"force": [1, 0, 0], "frame": "w/rim"},
        {"force": ['= x("w/rim", "world")', 0, 0]},
        {"force": ['= x("self", "w")', 0, 0]},
        {"type": "point_gravity", "center": "w/rim", "gm": 1e-3, "softening": 1},
    ],
)
def test_one_that_something_looks_at_is_reported(force):
    wheel = WHEEL | {"children": {"rim": {"position": [1, 0, 0]}}}
    assert noted({"w": wheel, "b": SOLID | {"forces": [force]}}, step=0.01) == [LONG]


def test_one_that_becomes_a_parent_is_reported():
    assert noted({"w": WHEEL, "b": SOLID}, step=0.01, reparent=[{"body": "b", "to": "w", "time": 1}]) == [LONG]


# --- what has no effect


def test_samples_further_apart_than_the_run_is_long(minimal):
    simulation = {"duration": 1, "step": 0.1, "record_every": 1}
    assert Scene.from_dict(minimal | {"simulation": simulation}).warnings == ()
    scene = Scene.from_dict(minimal | {"simulation": simulation | {"record_every": 2}})
    message = "it is longer than the duration of 1 s, so that only the start and the end are recorded"
    assert scene.warnings == (f"simulation.record_every: {message}; use 0.1 s to show the motion",)


@pytest.mark.parametrize(
    "force",
    [
        {"type": "spring", "stiffness": 1},
        {"type": "damper", "damping": 1},
        {"type": "torsion_spring", "stiffness": 1},
    ],
)
def test_a_spring_between_two_parts_of_one_body_is_reported(force):
    arm = {"position": [1, 0, 0], "children": {"hand": {"position": [1, 0, 0]}}}
    body = SOLID | {
        "children": {"arm": arm, "leg": SOLID | {"motion": "fixed", "forces": [force | {"to": "b/arm/hand"}]}}
    }
    message = "both ends are parts of 'b', so it has no effect; choose another body in 'to'"
    assert noted({"b": body}, step=0.01) == [f"bodies.b.children.leg.forces[0].to: {message}"]
    assert noted({"b": body}, step=0.01, reparent=[{"body": "b/leg", "to": "world", "time": 1}]) == []
