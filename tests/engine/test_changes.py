"""Numbers that change during a run: paths and instants against closed forms, energies, the same bits however a run is
cut, and what files and reports have of it.
"""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.analysis.past import SampleModel
from rigidsim.certify.certifying import certify
from rigidsim.errors import SceneError, SimulationError
from rigidsim.report.jumps import describe_event

EPS = np.finfo(float).eps
G = 9.81
METHODS = ["rkmk4", pytest.param("adaptive", marks=pytest.mark.slow), "taylor"]
TIGHT = {"adaptive": {"rtol": 1e-13, "atol": 1e-14}, "taylor": {"tolerance": 1e-14}}


def made(bodies: dict, *, duration=4.0, step=0.01, gravity=(0, 0, 0), method="rkmk4", **more) -> rigidsim.Scene:
    """A scene of these bodies, with what changes its numbers in `more`."""
    how = {"name": method} | TIGHT.get(method, {})
    settings = {"duration": duration, "step": step, "integrator": how, "record_every": 0.1}
    settings |= more.pop("simulation", {})
    world = {"gravity": list(gravity)}
    return rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": settings, "world": world, "bodies": bodies} | more
    )


def particle(*forces: dict, **more) -> dict:
    return {"mass": 1.0, "inertia": "point", "forces": [*forces]} | more


def arm(**hinge) -> dict:
    """A body with a moment of inertia of 2 kg m^2 about its hinge."""
    motion = {"hinge": {"axis": [0, 0, 1]} | hinge}
    return {"mass": 1.0, "inertia": {"principal": [1, 1, 2]}, "motion": motion}


def drift(found: rigidsim.Trajectory) -> float:
    """The largest change of energy less work, J."""
    kinetic, potential, work = (
        found.arrays[f"diagnostics/{n}"] for n in ("kinetic_energy", "potential_energy", "work")
    )
    total = kinetic + potential - work
    return float(np.abs(total - total[0]).max())


# --- changes by conditions and at times


def test_a_motor_stops_at_an_angle():
    """It accelerates with 20 N m / 2 kg m^2, is fast enough after 0.1 s, and stops within 0.1 s after an angle of 1."""
    bodies = {"arm": arm(motor={"rate": 1.0, "max_torque": 20.0})}
    change = {"when": "= angle('arm') > 1", "set": {"bodies.arm.motion.hinge.motor.rate": 0}, "name": "halt"}
    found = rigidsim.simulate(made(bodies, changes=[change]))
    (event,) = found.events
    assert (event.id, event.name, event.cause) == ("changes[0]", "halt", "trigger")
    assert event.changed == {"bodies.arm.motion.hinge.motor.rate": 0.0}
    assert abs(event.time - 1.05) < 8 * EPS
    assert abs(found["arm"].joint.coordinates[-1, 0] - 1.05) < 8 * EPS
    assert found["arm"].joint.rates[-1, 0] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_spring_that_changes_at_an_instant(method):
    """x = 1 + cos(2 t)/2 until x = 1.2, then 0.9 + A cos(3 (t - t1) + phase); the exchanged energy is work."""
    spring = {"type": "spring", "to": "world", "stiffness": 4.0, "length": 1.0}
    change = {"when": "= x('m') < 1.2", "set": {"bodies.m.forces[0].stiffness": 9, "bodies.m.forces[0].length": 0.9}}
    scene = made({"m": particle(spring, position=[1.5, 0, 0])}, step=0.001, method=method, changes=[change])
    found = rigidsim.simulate(scene)
    instant = np.arccos(0.4) / 2
    (event,) = found.events
    tolerance = 1e-10 if method == "rkmk4" else 1e-12
    assert abs(event.time - instant) < tolerance
    assert abs(event.energy - (0.5 * 9 * 0.3**2 - 0.5 * 4 * 0.2**2)) < 1e-12
    rest, rate = found.time - instant, -np.sin(2 * instant)
    after = 0.9 + 0.3 * np.cos(3 * rest) + rate / 3 * np.sin(3 * rest)
    path = np.where(rest > 0, after, 1 + 0.5 * np.cos(2 * found.time))
    assert np.abs(found["m"].world.position[:, 0] - path).max() < tolerance
    assert drift(found) < 1e-10


def test_dry_friction_begins_at_a_time_inside_a_step():
    """The arm turns with 2 rad/s and stops within 2 s under 2 N m: a mode of the joint that was not there before."""
    change = {"time": 1.003, "set": {"bodies.arm.motion.hinge.friction": 2.0}}
    found = rigidsim.simulate(made({"arm": arm(rate=2.0)}, changes=[change]))
    assert [event.time for event in found.events] == [1.003]
    assert abs(found["arm"].joint.coordinates[-1, 0] - (2.006 + 2.0)) < 20 * EPS
    assert found["arm"].joint.rates[-1, 0] == 0.0
    assert drift(found) < 1e-13


def test_a_servo_gets_another_angle():
    """After a second it is at the first one to e^-20; with enough torque the error falls as exp(-t/T)."""
    motor = {"angle": 0.5, "max_torque": 1e4, "time_constant": 0.05}
    change = {"time": 2.0, "set": {"bodies.arm.motion.hinge.motor.angle": "90 deg"}}
    found = rigidsim.simulate(made({"arm": arm(motor=motor, angle=0.2)}, duration=3.0, changes=[change]))
    angle = found["arm"].joint.coordinates[:, 0]
    assert abs(angle[20] - 0.5) < 1e-9
    late = (
        angle[22:] - np.pi / 2
    )  # the torque reaches the rate within 4 ms; ten steps of 0.2 T are wrong by 10 * 0.2^5 / 120
    assert np.abs(late[1:] / late[:-1] / np.exp(-2.0) - 1.0).max() < 2 * 10 * 0.2**5 / 120


def test_gravity_and_parameters_and_expressions_change():
    """Two settings that meet in one expression: the force is k (a - x), and both k and a are set."""
    force = {"type": "constant", "force": ["= k * (a - x)", 0, 0]}
    changes = [
        {"time": 0.5, "set": {"k": 9}}, {"time": 1.0, "set": {"parameters.a": 3}},
        {"time": 1.5, "set": {"world.gravity[2]": -G}},
    ]  # fmt: skip
    scene = made({"m": particle(force)}, duration=2.0, step=0.001, changes=changes, parameters={"k": 4, "a": 1})
    found = rigidsim.simulate(scene)
    x, v, t, want = 0.0, 0.0, 0.0, []
    for k, a, end in ((4, 1, 0.5), (9, 1, 1.0), (9, 3, 2.0)):
        w = np.sqrt(k)
        for time in found.time[(found.time > t + 1e-9) & (found.time < end + 1e-9)]:
            want.append(a + (x - a) * np.cos(w * (time - t)) + v / w * np.sin(w * (time - t)))
        d = end - t
        x, v, t = (
            a + (x - a) * np.cos(w * d) + v / w * np.sin(w * d),
            -(x - a) * w * np.sin(w * d) + v * np.cos(w * d),
            end,
        )
    assert np.abs(found["m"].world.position[1:, 0] - want).max() < 1e-11
    fall = np.where(found.time > 1.5, -0.5 * G * (found.time - 1.5) ** 2, 0.0)
    assert np.abs(found["m"].world.position[:, 2] - fall).max() < 8 * EPS
    assert not found.header.isolated
    assert drift(found) < 1e-10


@pytest.mark.parametrize("mode", ["stepping", "events"])
def test_the_friction_of_a_floor_changes(mode):
    """A block slides without friction and then stops within v/(mu g)."""
    shapes = {"shapes": [{"type": "box", "size": [1, 1, 0.2]}], "material": {"friction": 1.0}}
    block = {"mass": 1.0, "inertia": {"principal": [1, 1, 1]}, "position": [0, 0, 0.1], "velocity": [2, 0, 0]} | shapes
    floor = {"shapes": [{"type": "plane", "normal": [0, 0, 1]}], "material": {"friction": 0.0}}
    change = {"when": "= x('b') > 1", "set": {"bodies.floor.material.friction": 0.5}}
    scene = made(
        {"b": block, "floor": floor}, gravity=(0, 0, -G), duration=2.0, changes=[change], simulation={"contact": mode}
    )
    found = rigidsim.simulate(scene)
    (change,) = found.events.scheduled
    assert abs(change.time - 0.5) < 1e-9
    assert abs(found["b"].world.position[-1, 0] - (1 + 4 / (2 * _friction(scene) * G))) < (1e-3, 2e-5)[mode == "events"]


def _friction(scene: rigidsim.Scene) -> float:
    """That of the pair after the change: the scene's rule of two materials."""
    after = scene.with_overrides([("bodies.floor.material.friction", 0.5)])
    return rigidsim.Simulation(after).header.contact_settings["pairs"][0]["friction"]


def test_a_body_that_was_let_go_has_other_numbers():
    """The tree of the moment is kept: a rider falls off, then the wind on it and the turntable's motor change."""
    rider = particle({"type": "constant", "force": [0, 0, 0], "frame": "world"}, position=[2, 0, 0], motion="weld")
    table = arm(motor={"rate": 1.0, "max_torque": 100.0}) | {"children": {"rider": rider}}
    changes = [
        {"time": 1.5, "set": {"bodies.table.children.rider.forces[0].force[2]": 3}},
        {"when": "= t > 2", "set": {"bodies.table.motion.hinge.motor.rate": -1}},
    ]
    release = [{"body": "table/rider", "to": "world", "time": 1.0}]
    scene = made({"table": table}, duration=3.0, reparent=release, changes=changes)
    found = rigidsim.simulate(scene)
    assert [event.id for event in found.events] == ["reparent[0]", "changes[0]", "changes[1]"]
    late = np.maximum(found.time - 1.5, 0.0)
    position = found["table/rider"].world.position
    assert np.abs(position[:, 2] - 1.5 * late**2).max() < 20 * EPS
    assert abs(found["table"].joint.rates[-1, 0] + 1.0) < 8 * EPS
    rest = found.time[10:] - 1.0
    turned = 1.0 - 0.5 * 1.0 / (100.0 / 6.0)  # it is fast enough after 0.06 s
    out, along = np.array([np.cos(turned), np.sin(turned)]), np.array([-np.sin(turned), np.cos(turned)])
    assert np.abs(position[10:, :2] - (2 * out + 2 * along * rest[:, None])).max() < 1e-13
    whole, begun, again = (rigidsim.Simulation(scene) for _ in range(3))
    whole.step(whole.n_step)
    begun.step(220)
    again.resume(begun.checkpoint(), begun.events)
    again.step(again.n_step - 220)
    assert again.events == whole.events
    assert (again.state["table/rider"].world.position == whole.state["table/rider"].world.position).all()


# --- state machines


def thermostat(duration: float, **more) -> rigidsim.Scene:
    """v' = r (f - v/2) is the temperature of a room with a heater, f = 1 or 0, between 0.5 and 1."""
    pace = more.pop("pace", 1)
    room = particle({"type": "constant", "force": [f"= {pace} * (f - v_x/2)", 0, 0]})
    states = {
        "heats": {"set": {"f": 1}, "to": {"rests": "= v_x('room') > 1"}},
        "rests": {"set": {"f": 0}, "to": {"heats": "= v_x('room') < 0.5"}},
    }
    return made(
        {"room": room}, duration=duration, parameters={"f": 0.3}, states={"heater": states} | more.pop("states", {}),
        **more,
    )  # fmt: skip


@pytest.mark.parametrize(("duration", "switches"), [(23.0, 200), pytest.param(112.0, 1000, marks=pytest.mark.slow)])
def test_a_thermostat_switches_hundreds_of_times(duration, switches):
    """It heats from 0.5 to 1 within 2 ln(3/2) / r, and cools down within 2 ln 2 / r. An instant is as exact as the time
    is, 1.4e-14 s at the end; errors of each switch remain.
    """
    settings = {"record_every": 1.0}
    found = rigidsim.simulate(thermostat(duration, step=0.04, pace=10, method="taylor", simulation=settings))
    times = np.array([event.time for event in found.events])
    assert len(times) > switches
    heats, rests = 0.2 * np.log(1.5), 0.2 * np.log(2)
    n = np.arange(len(times) - 1)
    want = 0.2 * np.log(2) + (n + 1) // 2 * rests + n // 2 * heats
    assert times[0] == 0.0
    assert np.abs(times[1:] - want).max() < 2e-11
    assert [event.name for event in found.events[:4]] == ["heats", "rests", "heats", "rests"]
    assert [event.id for event in found.events[:2]] == ["states.heater", "states.heater.heats.to.rests"]


def test_states_follow_after_times_and_at_once():
    """A state of 0.25 s, one that is left at once because its condition holds, and one that stays."""
    states = {
        "m": {
            "first": {"set": {"f": 1}, "to": {"second": {"after": 0.25}, "third": "= t > 3"}},
            "second": {"set": {"f": 5}, "to": {"third": "= x('p') > 0"}},
            "third": {"set": {"f": -1}},
        }
    }
    force = {"type": "constant", "force": ["= f", 0, 0]}
    found = rigidsim.simulate(made({"p": particle(force)}, states=states, parameters={"f": 0}))
    assert [(event.name, event.time) for event in found.events] == [("first", 0.0), ("second", 0.25), ("third", 0.25)]
    rest = np.maximum(found.time - 0.25, 0.0)
    path = np.where(rest > 0, 0.5 * 0.25**2 + 0.25 * rest - 0.5 * rest**2, 0.5 * found.time**2)
    assert np.abs(found["p"].world.position[:, 0] - path).max() < 20 * EPS


def test_a_state_that_was_left_has_no_more_effect():
    """The time in a state counts from its beginning; the delay of a state that was left is forgotten."""
    states = {"m": {"a": {"to": {"b": "= t > 0.5", "c": {"after": 1}}}, "b": {"to": {"a": {"after": 0.75}}}, "c": {}}}
    found = rigidsim.simulate(made({"p": particle()}, states=states))
    assert "".join(event.name for event in found.events) == "ababababab"[: len(found.events)]
    times = [0.0, 0.5, *np.repeat([1.25, 2.0, 2.75, 3.5], 2)]  # the condition holds, so "a" is left at once
    assert np.abs(np.array([event.time for event in found.events]) - times).max() < 8 * EPS


def test_two_machines_at_one_instant_take_the_order_of_the_file_whatever_their_names_are():
    """Both set the same force at one instant, and what comes last holds; a change comes before them."""

    def run(first: str, second: str, force: str) -> tuple:
        states = {
            name: {"a": {"to": {"b": "= t > 0.505"}}, "b": {"set": {force: size}}}
            for name, size in ((first, 1), (second, 2))
        }
        load = {"type": "constant", "force": [f"= {force}", 0, 0]}
        change = {"when": "= t > 0.505", "set": {force: 7}}
        found = rigidsim.simulate(made({"p": particle(load)}, states=states, changes=[change], parameters={force: 0}))
        order = [event.id.split(".")[1:2] for event in found.events]
        return [0 if not name else 1 + [first, second].index(name[0]) for name in order], found["p"].world.position

    (order, path), (again, other) = run("m", "n", "f"), run("z", "c", "thrust")
    assert order == again == [1, 2, 0, 1, 2]
    assert (path == other).all()
    assert abs(path[-1, 0] - 3.495**2) < 20 * EPS


def test_states_that_chatter_end_the_run_with_one_sentence():
    states = {"m": {"a": {"to": {"b": "= t > 1"}}, "b": {"to": {"a": "= t > 1"}}}}
    with pytest.raises(
        SimulationError, match=r"states\.m\.\w\.to\.\w happens more than 100 times in one step at t = 1"
    ):
        rigidsim.simulate(made({"p": particle()}, states=states))


# --- the same bits


@pytest.mark.parametrize("method", METHODS)
def test_slices_lanes_a_resumed_run_and_python_have_the_same_bits(monkeypatch, method):
    scene = thermostat(4.0, method=method)
    whole = rigidsim.simulate(scene)
    assert {one.content_hash for one in rigidsim.simulate([scene, scene])} == {whole.content_hash}
    sliced = rigidsim.Simulation(scene)
    for _ in range(sliced.n_step):
        sliced.step()
    assert (sliced.state["room"].world.velocity == whole["room"].world.velocity[-1]).all()
    for cut in (1, 139, 300):
        begun, again = rigidsim.Simulation(scene), rigidsim.Simulation(scene)
        begun.step(cut)
        again.resume(begun.checkpoint(), begun.events)
        again.step(again.n_step - cut)
        assert again.events == whole.events
        assert (again.state["room"].world.velocity == whole["room"].world.velocity[-1]).all()
    if method != "taylor":  # which takes half a minute in Python
        monkeypatch.setenv("RIGIDSIM_JIT", "off")
        assert rigidsim.simulate(scene).content_hash == whole.content_hash


def test_the_resolved_scene_makes_the_same_run():
    scene = thermostat(4.0)
    again = rigidsim.Scene.from_dict(scene.resolved())
    assert again.resolved() == scene.resolved()
    one, other = (rigidsim.simulate(each) for each in (scene, again))
    assert (one["room"].world.position == other["room"].world.position).all()


def test_a_sweep_has_the_runs_of_each_scene():
    scene = thermostat(4.0, metrics={"end": "= final(v_x('room'))", "n": "= count('impulses')"})
    masses = np.linspace(1, 2, 5)
    found = rigidsim.sweep(scene, vary={"bodies.room.mass": "1:2:5"})
    each = [rigidsim.simulate(scene.with_overrides([("bodies.room.mass", m)])).metrics["end"] for m in masses]
    assert (found.metrics["end"] == each).all()


def test_a_change_that_sets_nothing_is_an_event():
    ball = particle(velocity=[0, 0, 4])
    plain = rigidsim.simulate(made({"b": ball}, gravity=(0, 0, -G)))
    found = rigidsim.simulate(
        made({"b": ball}, gravity=(0, 0, -G), changes=[{"when": "= v_z('b') < 0", "name": "apogee"}])
    )
    assert [(event.name, event.changed) for event in found.events] == [("apogee", None)]
    assert abs(found.events[0].time - 4 / G) < 4 * EPS
    assert np.abs(found["b"].world.position - plain["b"].world.position).max() < 8 * EPS


# --- what is known afterwards


def test_files_and_reports_have_what_was_set(tmp_path):
    scene = thermostat(4.0)
    path = tmp_path / "room.h5"
    whole = rigidsim.simulate(scene)
    whole.save(path)
    with rigidsim.load(path) as stored:
        assert stored.events == whole.events
    found = whole
    event = found.events[1]
    assert event.changed == {"parameters.f.value": 0.0, "bodies.room.forces[0].force[0]": "= 1.0 * (0.0 - v_x / 2.0)"}
    text = describe_event(event, "room", found)
    assert "heater is in the state 'rests'" in text
    assert 'its condition became true: = 1.0 < v_x("room", "world")' in text
    assert "  bodies.room.forces[0].force[0] = 1.0 * (0.0 - v_x / 2.0)" in text
    numbers = [float(SampleModel(found, k).scene.parameters["f"].value) for k in (0, 13, 14, 27, 28)]
    assert numbers == [1.0, 1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(("given", "later"), [("4 N*m", 3.0), (4, "3 N*m"), ("4 kN*m", "3 N*m")])
def test_a_parameter_is_set_with_another_unit_or_none(given, later):
    bodies = {"arm": arm(motor={"torque": "= torque"})}
    change = {"time": 2.0, "set": {"torque": later}}
    found = rigidsim.simulate(made(bodies, parameters={"torque": given}, changes=[change]))
    motor = SampleModel(found, 30).scene.bodies["arm"].joint[1].motor
    assert str(motor.torque) == "3.0"


def test_all_ways_to_express_a_scene_agree():
    spring = {"type": "spring", "to": "world", "stiffness": 5, "length": 1}
    push = {"type": "constant", "force": ["= push", 0.3, 0], "frame": "world"}
    sled = {"mass": 1.0, "inertia": {"principal": [1, 2, 3]}, "position": [2, 0, 0], "forces": [spring, push]}
    change = {"when": "= x('sled') < 1.2", "set": {"push": 6, "bodies.sled.forces[0].stiffness": 9}}
    scene = made({"sled": sled, "frame": {}}, duration=2.0, changes=[change], parameters={"push": 1})
    found = certify(scene)
    assert found.is_certified
    assert len(found.agreeing) >= 7


# --- bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"set": {"bodies.p.mass": 2}, "time": 1}, "'bodies.p.mass' would change, and only numbers of forces"),
        ({"set": {"m": 2}, "time": 1}, "'bodies.p.mass' would change"),
        ({"set": {"bodies.p.mas": 2}, "time": 1}, "did you mean 'mass'"),
        ({"set": {"bodies.q.mass": 2}, "time": 1}, "there is no 'q'"),
        ({"set": {"bodies.p.position": [0, 0, 1]}, "time": 1}, "'bodies.p.position[2]' would change"),
        ({"set": {"simulation.step": 0.1}, "time": 1}, "'simulation.step' would change"),
        ({"set": {"bodies.p.forces[0].force[0]": "fast"}, "time": 1}, "expected a number"),
        ({"set": {"bodies.p.forces[0].during": [0, 1]}, "time": 1}, "'bodies.p.forces[0].during[0]' would change"),
        ({"set": {"w": 2}, "time": 1}, "the prescribed motion of 'frame' would jump"),
        ({"set": {"m": 1}}, "the key 'time' is missing"),
        ({"set": {"m": 1}, "time": 1, "when": "= t > 1"}, "both 'time' and 'when'"),
        ({"set": 3, "time": 1}, "expected paths with values, got 3"),
    ],
)
def test_what_cannot_be_set_is_one_located_sentence(change, message):
    body = particle({"type": "constant", "force": [1, 0, 0]}) | {"mass": "= m"}
    frame = {"motion": {"prescribed": {"position": ["= q", 0, 0]}}}
    more = {"parameters": {"m": 1, "w": 1}, "let": {"q": "= sin(w*t)"}}
    with pytest.raises(SceneError) as failure:
        made({"p": body, "frame": frame}, changes=[change], **more)
    assert message in str(failure.value) and "changes[0]" in str(failure.value)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({"a": {"to": {"c": "= t > 1"}}}, "'m' has no state 'c'"),
        ({"a": {"to": {"a": "= t > 1"}}}, "the state 'a' cannot lead to itself"),
        ({"a": {}, "b": {}}, "no state of 'm' leads to 'b'"),
        ({}, "'m' has no state"),
        ({"a": {"to": {"b": {}}}, "b": {}}, "a state is left by a 'condition', or 'after' a time"),
        ({"a b": {}}, "a state machine, or a state, cannot be called 'a b'"),
        ({"a": {"set": {"bodies.p.mass": 3}}}, "'bodies.p.mass' would change"),
    ],
)
def test_a_bad_state_machine_is_one_located_sentence(states, message):
    with pytest.raises(SceneError) as failure:
        made({"p": particle()}, states={"m": states})
    assert message in str(failure.value) and "states.m" in str(failure.value)
