"""Triggers: instants against closed forms, what happens then, in which order, the same bits however a run is cut."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import SceneError, SimulationError
from rigidsim.report.explain import joint_state

EPS = np.finfo(float).eps
G = 9.81
METHODS = ["rkmk4", "adaptive", "taylor"]
SOME = ["rkmk4", pytest.param("adaptive", marks=pytest.mark.slow), "taylor"]


def made(bodies: dict, *, duration=3.0, step=0.01, gravity=(0, 0, -G), stop=None, **more) -> rigidsim.Scene:
    """A scene of these bodies that a condition may stop."""
    settings = {"integrator": "rkmk4", "record_every": 0.1} | more.pop("simulation", {})
    simulation = {"duration": duration, "step": step, **settings} | ({"stop": {"when": stop}} if stop else {})
    world = {"gravity": list(gravity), **more.pop("world", {})}
    return rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies} | more
    )


def ball(height=1.0, speed=2.0, **more) -> dict:
    """A particle that is thrown upwards."""
    return {"mass": 1.0, "inertia": "point", "position": [0, 0, height], "velocity": [1.0, 0, speed]} | more


def juggled(**more) -> rigidsim.Scene:
    """A ball that is struck upwards at the top of each flight."""
    blow = {"when": {"condition": "= v_z('b') < 0", "every": True}, "impulse": [0, 0, 4.0]}
    return made({"b": ball(impulses=[blow])}, **more)


# --- instants


@pytest.mark.parametrize("method", [*METHODS, "euler", "magnus", "magnus2"])
def test_a_run_ends_where_a_condition_becomes_true(method):
    """Constant acceleration, for which every method but `euler` is exact, falls through the floor."""
    found = rigidsim.simulate(made({"b": ball()}, stop="= z('b') < 0", simulation={"integrator": method}))
    landing = (2.0 + np.sqrt(4.0 + 2 * G)) / G
    assert found.status == "complete"
    assert abs(found.time[-1] - landing) < (8 * EPS if method != "euler" else 0.02)
    assert abs(found["b"].world.position[-1, 2]) < 8 * EPS
    assert [(event.id, event.cause, event.time) for event in found.events] == [
        ("simulation.stop", "trigger", found.time[-1])
    ]


@pytest.mark.parametrize("method", SOME)
def test_an_instant_in_a_nonlinear_motion_is_found_to_rounding(method):
    """A pendulum from rest at 60 degrees passes its lowest point after a quarter of its period."""
    from scipy.special import ellipk

    rod = {"mass": 1.0, "inertia": "point", "position": [0, 0, -1.0]}
    arm = {"motion": {"hinge": {"axis": [0, 1, 0], "angle": np.pi / 3}}, "children": {"bob": rod | {"motion": "fixed"}}}
    tight = {"adaptive": {"rtol": 1e-13, "atol": 1e-14}, "taylor": {"tolerance": 1e-14}}
    how = {"integrator": {"name": method} | tight.get(method, {})}
    scene = made({"arm": arm}, duration=1.0, step=0.002, stop="= angle('arm') < 0", simulation=how)
    found = rigidsim.simulate(scene)
    quarter = ellipk(np.sin(np.pi / 6) ** 2) / np.sqrt(G)
    assert abs(found.time[-1] - quarter) < (1e-11 if method == "rkmk4" else 2e-13)
    assert abs(found["arm"].joint.coordinates[-1, 0]) < 20 * EPS


def test_the_instant_has_the_order_of_the_method():
    """The time at which a mass on a spring passes its rest, in which rkmk4 is wrong by the fourth power of the step."""
    spring = {"type": "spring", "to": "anchor", "stiffness": 4.0, "length": 1.0}
    bodies = {"anchor": {}, "m": {"mass": 1.0, "inertia": "point", "position": [1.5, 0, 0], "forces": [spring]}}
    errors = []
    for step in (0.1, 0.05):
        found = rigidsim.simulate(made(bodies, step=step, duration=1.0, gravity=(0, 0, 0), stop="= x('m') < 1"))
        errors.append(abs(found.time[-1] - np.pi / 4))
    assert 3.7 < np.log2(errors[0] / errors[1]) < 4.6


@pytest.mark.parametrize("method", SOME)
def test_a_blow_at_each_top_of_a_flight(method):
    found = rigidsim.simulate(juggled(duration=10.0, simulation={"integrator": method}))
    times = np.array([event.time for event in found.events])
    assert len(times) == 25
    assert np.abs(times - (2.0 + 4.0 * np.arange(25)) / G).max() < 20 * EPS * 10
    assert {event.id for event in found.events} == {"b.impulses[0]"}


def test_thousand_switches_at_their_instants():
    """Blows to and fro at two walls: the dead band of each trigger is the other half of the way."""
    bodies = {"p": {"mass": 1.0, "inertia": "point", "velocity": [3.0, 0, 0]}}
    blows = [("= x('p') > 1", -6.0, "= x('p') < 0"), ("= x('p') < -1", 6.0, "= x('p') > 0")]
    bodies["p"]["impulses"] = [
        {"when": {"condition": text, "every": True, "rearm": rearm}, "impulse": [size, 0, 0]}
        for text, size, rearm in blows
    ]
    found = rigidsim.simulate(
        made(bodies, gravity=(0, 0, 0), duration=667.0, step=0.5, simulation={"record_every": 1.0})
    )
    times = np.array([event.time for event in found.events])
    assert len(times) >= 1000
    assert np.abs(times - (1.0 + 2.0 * np.arange(len(times))) / 3.0).max() < 1e-10


# --- changes of the tree


def carousel(**event) -> rigidsim.Scene:
    """A rider whom a weld holds on a carousel that turns ever faster."""
    rider = {"mass": 3.0, "inertia": {"principal": [1, 1, 1]}, "position": [2.0, 0, 0], "motion": "weld"}
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, "= 0.5*t"]}}, "children": {"rider": rider}}
    change = {"body": "table/rider", "to": "world"} | event
    return made({"table": table}, gravity=(0, 0, 0), duration=6.0, reparent=[change])


@pytest.mark.parametrize("how", ["time", "tension"])
def test_a_rider_is_let_go(how):
    """At omega = t/2 the weld bears m r sqrt(omega^4 + (1/2)^2)."""
    instant = (4.0 - 0.25) ** 0.25 / 0.5
    when = "= t > 2.5" if how == "time" else "= 'rider.reaction_force.norm' > 12"
    found = rigidsim.simulate(carousel(when=when))
    instant = 2.5 if how == "time" else instant
    (event,) = found.events
    assert (event.id, event.motion, event.parent_before, event.parent_after) == ("reparent[0]", "free", "table", "")
    assert abs(event.time - instant) < 1e-12
    angle, rate, rest = 0.25 * instant**2, 0.5 * instant, found.time - instant
    out, along = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
    path = 2.0 * out + 2.0 * rate * along * rest[:, None]
    after = found.time > instant
    assert np.abs(found["table/rider"].world.position - path)[after].max() < 1e-12


def test_a_scheduled_change_of_the_tree_between_the_last_place_and_the_instant():
    """Another body is released a few steps before; a delay counts over it, too."""
    other = {"mass": 1.0, "inertia": "point", "position": [0, 0, 9.0]}
    blow = {"when": {"condition": "= v_z('b') < 0", "delay": 0.1}, "impulse": [0, 0, 1.0]}
    bodies = {"b": ball(impulses=[blow]), "other": other, "frame": {}}
    changes = [{"body": "other", "to": "frame", "time": 0.195}, {"body": "other", "to": "world", "time": 0.25}]
    found = rigidsim.simulate(made(bodies, stop="= v_z('b') < -0.5", reparent=changes))
    times = [event.time for event in found.events]
    assert np.abs(np.array(times) - [0.195, 0.25, 2.5 / G]).max() < 8 * EPS
    later = rigidsim.simulate(made(bodies, reparent=changes))
    assert abs(later.events[-1].time - (2.0 / G + 0.1)) < 8 * EPS


def test_the_same_path_as_a_reparenting_at_the_time_that_was_found():
    found = rigidsim.simulate(carousel(when="= 'rider.reaction_force.norm' > 12"))
    again = rigidsim.simulate(carousel(time=found.events[0].time))
    assert np.abs(found["table/rider"].world.position - again["table/rider"].world.position).max() < 1e-13


# --- repetition, delay, order


def test_what_is_true_at_the_start_happens_when_it_becomes_true_again():
    """The ball is below 2 m until it rises above, and falls below at the end."""
    found = rigidsim.simulate(made({"b": ball(speed=6.0)}, stop="= z('b') < 2"))
    assert abs(found.time[-1] - (6.0 + np.sqrt(36.0 - 2 * G)) / G) < 1e-14


def test_what_never_becomes_true_changes_nothing():
    bits = [rigidsim.simulate(made({"b": ball()}, stop=stop))["b"].world.position for stop in ("= z('b') > 5", None)]
    assert (bits[0] == bits[1]).all()
    simulation = rigidsim.Simulation(made({"b": ball()}, stop="= z('b') > 5"))
    simulation.step(simulation.n_step)
    assert "simulation.stop did not happen: its condition never became true" in simulation.warnings


def test_a_delay_counts_from_the_instant():
    blow = {"when": {"condition": "= v_z('b') < 0", "delay": 0.25}, "impulse": [0, 0, 4.0]}
    (event,) = rigidsim.simulate(made({"b": ball(impulses=[blow])})).events
    assert abs(event.time - (2.0 / G + 0.25)) < 8 * EPS


def test_two_triggers_at_one_instant_happen_in_the_order_of_the_file_whatever_their_names_are():
    """Reparenting, then impulses, then the end of the run."""

    def events(first: str, second: str) -> list:
        struck = {"when": "= t > 0.505", "impulse": [0, 0, 1.0]}
        bodies = {first: ball(impulses=[struck]), second: ball(impulses=[struck]), "frame": {}}
        changes = [{"body": second, "to": "frame", "when": "= t > 0.505"}]
        found = rigidsim.simulate(made(bodies, stop="= t > 0.505", reparent=changes))
        assert abs(found.time[-1] - 0.505) < 2 * EPS
        position = [found[path].world.position for path in (first, second)]
        return [(event.cause, event.body == first, event.body == second) for event in found.events], position

    (order, path), (again, other) = events("a", "b"), events("z", "b")
    assert (
        order
        == again
        == [("reparent", False, True), ("impulse", True, False), ("impulse", False, True), ("trigger", False, False)]
    )
    assert all((one == two).all() for one, two in zip(path, other, strict=True))


BALL = {"principal": [1, 1, 1]}
CHANGE, WELD, BLOW = "trigger", "reparent", "impulse"


@pytest.mark.parametrize("welds", [False, True])
@pytest.mark.parametrize("duration", [0.1, 0.2])
def test_at_one_time_a_change_comes_before_a_reparenting_and_an_impulse(welds, duration):
    """Also where another body is reparented, and at the end of a run or of a call: the blow has its new size."""
    bodies = {
        "b": ball(impulses=[{"time": 0.1, "impulse": ["= blow", 0, 0]}]),
        "other": ball(),
        "third": ball(height=2.0, inertia=BALL),
    }
    weld = [{"time": 0.1, "body": "other", "to": "third", "motion": "fixed"}] if welds else []
    change = {"time": 0.1, "set": {"parameters.blow": 3.0}}
    scene = made(bodies, duration=duration, parameters={"blow": 1.0}, changes=[change], reparent=weld)
    whole, called = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    called.step(10)
    assert [event.cause for event in whole.events] == [CHANGE, *[WELD] * welds, BLOW]
    assert [event.cause for event in called.events] == [CHANGE, *[WELD] * welds, BLOW]
    assert whole["b"].world.velocity[-1, 0] == called.state["b"].world.velocity[0] == 4.0


def test_a_condition_may_pass_in_the_step_that_begins_with_the_reparenting_after_which_it_is_false():
    """A body with the speed 1 meets nine times its mass, from which it is pushed by 1000 N."""
    pushed = {"mass": 9.0, "inertia": BALL, "forces": [{"force": [1000.0, 0, 0], "during": [0.1, 1]}]}
    weld = {"time": 0.1, "body": "b", "to": "other", "motion": "fixed"}
    bodies = {"b": ball(height=0.0, speed=0.0), "other": pushed}
    found = rigidsim.simulate(made(bodies, gravity=(0, 0, 0), reparent=[weld], stop="= v_x('b') > 0.5"))
    assert abs(found.time[-1] - (0.1 + (0.5 - 0.1) / 100.0)) < 8 * EPS


def test_a_jump_sets_off_what_it_makes_true_at_once():
    first = {"when": "= z('b') > 1.1", "impulse": [0, 0, -5.0]}
    second = {"when": "= v_z('b') < -1", "impulse": [0, 0, 5.0], "name": "back"}
    one, other = rigidsim.simulate(made({"b": ball(impulses=[first, second])})).events
    assert one.time == other.time and other.name == "back"


def test_what_chatters_ends_the_run_with_one_sentence():
    up = {"when": {"condition": "= v_x('b') < 1.5", "every": True}, "impulse": [1.0, 0, 0]}
    down = {"when": {"condition": "= v_x('b') > 1.5", "every": True}, "impulse": [-1.0, 0, 0]}
    start = {"time": 0.5, "impulse": [1.0, 0, 0]}
    with pytest.raises(
        SimulationError, match=r"b\.impulses\[\d\] happens more than 100 times in one step at t = 0\.5"
    ) as failure:
        rigidsim.simulate(made({"b": ball(impulses=[up, down, start])}))
    assert failure.value.trajectory.time[-1] <= 0.5


def test_a_condition_that_is_no_number_ends_the_run():
    with pytest.raises(SimulationError, match=r"simulation\.stop: the condition is not a number at t = "):
        rigidsim.simulate(made({"b": ball()}, stop="= sqrt(z('b')) > 5"))


# --- the same bits


def test_slices_lanes_and_a_resumed_run_have_the_same_bits():
    scene = juggled()
    whole = rigidsim.simulate(scene)
    many = rigidsim.simulate([scene, scene])
    assert {one.content_hash for one in many} == {whole.content_hash}
    sliced = rigidsim.Simulation(scene)
    for _ in range(sliced.n_step):
        sliced.step()
    assert (sliced.state["b"].world.position == whole["b"].world.position[-1]).all()
    begun, again = rigidsim.Simulation(scene), rigidsim.Simulation(scene)
    begun.step(137)
    again.resume(begun.checkpoint(), begun.events)
    again.step(again.n_step - 137)
    assert again.events == whole.events
    assert (again.state["b"].world.position == whole["b"].world.position[-1]).all()


def test_a_change_of_the_tree_is_resumed():
    scene = carousel(when="= 'rider.reaction_force.norm' > 12")
    whole, begun, again = (rigidsim.Simulation(scene) for _ in range(3))
    whole.step(whole.n_step)
    begun.step(400)
    again.resume(begun.checkpoint(), begun.events)
    again.step(200)
    assert (again.state["table/rider"].world.position == whole.state["table/rider"].world.position).all()
    assert again.header.changes == whole.header.changes and len(whole.header.changes) == 1


def test_a_delay_is_resumed():
    blow = {"when": {"condition": "= v_z('b') < 0", "delay": 0.25}, "impulse": [0, 0, 4.0]}
    scene = made({"b": ball(impulses=[blow])})
    begun, again = rigidsim.Simulation(scene), rigidsim.Simulation(scene)
    begun.step(30)
    assert not len(begun.events)
    again.resume(begun.checkpoint(), begun.events)
    again.step(70)
    begun.step(70)
    assert again.events == begun.events and len(again.events) == 1


def test_compiled_and_interpreted_runs_have_the_same_bits(monkeypatch):
    scene = made({"b": ball(impulses=[{"when": "= v_z('b') < 0", "impulse": [0, 0, 1.0]}])}, stop="= z('b') < 0.5")
    whole = rigidsim.simulate(scene)
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    assert rigidsim.simulate(scene).content_hash == whole.content_hash


def test_a_sweep_has_the_time_of_each_end():
    metrics = {"landed": "= final(t)", "least": "= min(z('b'))"}
    scene = made({"b": ball()}, stop="= z('b') < 0", metrics=metrics)
    found = rigidsim.sweep(scene, vary={"bodies.b.velocity[2]": "1:3:3"})
    speeds = np.array([1.0, 2.0, 3.0])
    assert np.abs(found.metrics["landed"] - (speeds + np.sqrt(speeds**2 + 2 * G)) / G).max() < 8 * EPS
    assert np.abs(found.metrics["least"]).max() < 8 * EPS
    sampled = rigidsim.sweep(scene, vary={"bodies.b.velocity[2]": "1:3:3"}, record=0.1)
    assert (sampled.runs["samples"] == np.floor(found.metrics["landed"] / 0.1) + 1).all()


# --- with contact


@pytest.mark.parametrize("mode", ["stepping", "events"])
def test_a_trigger_in_a_scene_with_contact(mode):
    """A ball without restitution rolls off its blow: the run ends when it has gone a metre without friction."""
    shapes = {"shapes": [{"type": "sphere", "radius": 0.1}], "material": {"friction": 0.0}}
    sphere = {
        "mass": 1.0,
        "inertia": {"principal": [1, 1, 1]},
        "position": [0, 0, 0.1],
        "velocity": [2.0, 0, 0],
    } | shapes
    floor = {"shapes": [{"type": "plane", "normal": [0, 0, 1]}], "material": {"friction": 0.0}}
    scene = made({"b": sphere, "floor": floor}, stop="= x('b') > 1", simulation={"contact": mode})
    found = rigidsim.simulate(scene)
    assert abs(found.time[-1] - 0.5) < 1e-14
    assert abs(found["b"].world.position[-1, 0] - 1.0) < 8 * EPS


@pytest.mark.parametrize("method", SOME)
def test_a_trigger_after_an_impact_at_a_stop_of_a_joint(method):
    """A door without friction turns back from its stop at 0.8 of its rate, and passes half of its way."""
    hinge = {"axis": [0, 0, 1], "at": [-0.5, 0, 0], "rate": 1.0, "limits": [0, 1], "restitution": 0.8}
    door = {"mass": 10.0, "inertia": {"principal": [1, 1, 1]}, "motion": {"hinge": hinge}}
    when = "= rate('door') < -0.5 and angle('door') < 0.5"
    found = rigidsim.simulate(made({"door": door}, gravity=(0, 0, 0), stop=when, simulation={"integrator": method}))
    assert [event.cause for event in found.events] == ["stop", "trigger"]
    assert abs(found.time[-1] - (1.0 + 0.5 / 0.8)) < 1e-13


# --- bad input


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        ("= z('b')", "expected a condition, got a number"),
        ("= z('b') == 0", "a condition with == or != does not hold for a time"),
        ("= 1 < 2", "the condition reads neither the time nor a motion"),
        ("= z('c') < 0", "there is no body 'c'"),
        ("= z('*') < 0", "a condition on which of '*'?"),
        ("z('b') < 0", "expected a condition, an expression that begins with '='"),
        ({"condition": "= z('b') < 0", "rearm": "= z('b') > 1"}, "what happens once is never armed again"),
        ({"condition": "= z('b') < 0", "delay": -1}, "must not be negative"),
        ({"every": True}, "the key 'condition' is missing"),
        ("= z('b') < 3 s", "m and s"),
    ],
)
def test_a_bad_condition_is_one_located_sentence(stop, message):
    with pytest.raises(SceneError) as failure:
        made({"b": ball()}, stop=stop)
    assert message in str(failure.value) and "simulation.stop.when" in str(failure.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [({}, "the key 'time' is missing"), ({"time": 1, "when": "= t > 1"}, "both 'time' and 'when'")],
)
def test_an_event_has_a_time_or_a_condition(given, message):
    with pytest.raises(SceneError, match=message):
        made({"b": ball(impulses=[{"impulse": [0, 0, 1]} | given])})


def test_what_a_trigger_hangs_on_a_joint_is_shown_on_it(tmp_path):
    """Also where the same body gets another joint at a time, before and after."""

    def hinge(limit: float) -> dict:
        return {"body": "b", "to": "arm", "motion": {"hinge": {"axis": [0, 0, 1], "limits": [None, limit]}}}

    changes = [hinge(3) | {"time": 0.7}, hinge(2) | {"when": "= t > 0.4"}, hinge(1) | {"time": 0.2}]
    bodies = {
        "arm": {"mass": 2, "inertia": {"principal": [1, 1, 1]}, "motion": {"slide": {"axis": [1, 0, 0]}}},
        "b": {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "velocity": [0, 0.3, 0]},
    }
    simulation = {"duration": 1, "step": 0.01, "record_every": 0.1}
    scene = {"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, "reparent": changes}
    found = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    for time, limit in {0.3: 1, 0.5: 2, 0.9: 3}.items():
        assert joint_state(found, "b", time)["angle_limits"] == [None, limit]
    found.view().save(tmp_path / "page.html")
