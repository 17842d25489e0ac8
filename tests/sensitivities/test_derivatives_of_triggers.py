"""Derivatives through triggers, changes of numbers, states and tanks, beside closed forms and displaced runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import rigidsim
from rigidsim.containers.dual import acos, atan2, cos, jacobian, log, sin, sqrt
from rigidsim.scene import Scene
from rigidsim.sensitivities.spread import reach_of

METHODS = ["rkmk4", *(pytest.param(name, marks=pytest.mark.slow) for name in ("adaptive", "taylor"))]
FREE = """
format: rigidsim/1
parameters: PARAMETERS
simulation: {duration: 3, step: 0.01, record_every: 0.1, integrator: METHOD}
world: {gravity: [0, 0, "= -g"]}
bodies:
  b: {mass: 1, inertia: point, position: [0, 0, "= h"], velocity: [1, 0, "= v"], EXTRA}
"""
SCENES = Path(__file__).parents[2] / "scenes"


def rates(text: str | Scene, values: dict, found, **changes) -> np.ndarray:
    """(found, parameter) the derivatives of what a function finds in a derivative."""
    scene = text if isinstance(text, Scene) else Scene.from_text(text, overrides=[*changes.items()])
    run = rigidsim.simulate(scene, derivatives=[*values])
    plain = rigidsim.simulate(scene)
    assert run.content_hash == plain.content_hash and run.metrics == plain.metrics
    return np.array([found(run.derivative(name)) for name in values]).T


def free(method: str, values: dict, more: str = "", extra: str = "collide: true") -> str:
    text = FREE.replace("PARAMETERS", "{" + ", ".join(f"{n}: {x}" for n, x in values.items()) + "}")
    return text.replace("METHOD", method).replace("EXTRA", extra) + more


def differences(scene: Scene, name: str, h: float) -> np.ndarray:
    """The derivatives of the metrics from four displaced runs, with an error of h^4."""
    value = scene.parameters[name].value
    at = rigidsim.simulate([scene.with_overrides([(name, value + k * h)]) for k in (-2, -1, 1, 2)])
    low, less, more, high = (np.array([*one.metrics.values()]) for one in at)
    return (8.0 * (more - less) - (high - low)) / (12.0 * h)


def assert_near(found, exact, tolerance: float) -> None:
    assert np.max(np.abs(found - exact)) < tolerance * np.max(np.abs(exact))


# --- the end of a run, impulses, reparentings


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_a_condition_ends(method):
    """Measured: 3e-16."""
    values = {"h": 1.0, "v": 2.0, "g": 9.81, "limit": 0.2}

    def end(x):
        h, v, g, limit = x
        t = (v + sqrt(v * v + 2.0 * g * (h - limit))) / g
        return [t, t, t, limit]

    more = "metrics: {t: '= final(t)', x: \"= final(x('b'))\"}"
    text = free(method, values, more).replace("integrator:", "stop: {when: \"= z('b') < limit\"}, integrator:")
    found = rates(text, values, lambda d: [d.events["time"][-1], *d.metrics.values(), d["b"].world.position[-1, 2]])
    assert_near(found, jacobian(end, [*values.values()]), 1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_a_blow_at_each_top_of_a_flight(method):
    """Flight k ends at t_k = (v + k blow)/g; after three of them the height is a sum of parabolas."""
    values = {"h": 1.0, "v": 2.0, "g": 9.81, "blow": 5.0}

    def place(x):
        h, v, g, blow = x
        tops = [(v + k * blow) / g for k in range(6)]
        rest = 3.0 - tops[-1]
        return [h + v * v / (2.0 * g) + 5 * blow * blow / (2.0 * g) + blow * rest - 0.5 * g * rest * rest, *tops]

    blow = "impulses: [{when: {condition: \"= v_z('b') < 0\", every: true}, impulse: [0, 0, '= blow']}]"
    found = rates(free(method, values, extra=blow), values, lambda d: [d["b"].world.position[-1, 2], *d.events["time"]])
    assert_near(found, jacobian(place, [*values.values()]), 1e-13)


@pytest.mark.slow  # compiles another kind of scene
def test_a_delay_is_counted_from_its_instant():
    """A blow half a second after the top, at a step and inside one."""

    def place(x):
        h, v, g, delay = x
        t = v / g + delay
        return [h + v * 3.0 - 0.5 * g * 9.0 + 4.0 * (3.0 - t), t]

    for delay in (0.5, 0.1234, 1.0 - 2.0 / 9.81):
        values = {"h": 1.0, "v": 2.0, "g": 9.81, "delay": delay}
        blow = "impulses: [{when: {condition: \"= v_z('b') < 0\", delay: '= delay'}, impulse: [0, 0, 4]}]"
        found = rates(
            free("rkmk4", values, extra=blow), values, lambda d: [d["b"].world.position[-1, 2], d.events["time"][-1]]
        )
        assert_near(found, jacobian(place, [*values.values()]), 1e-13)


def test_an_instant_on_the_grid():
    """v/g = 0.2 s is the end of a step, where the instant moves with the parameters all the same."""
    values = {"h": 1.0, "v": 2.0, "g": 10.0}
    blow = 'impulses: [{when: "= t - v/g > 0", impulse: [0, 0, 4]}]'
    found = rates(
        free("rkmk4", values, extra=blow), values, lambda d: [d["b"].world.position[-1, 2], d.events["time"][-1]]
    )
    exact = jacobian(
        lambda x: [x[0] + 3.0 * x[1] - 4.5 * x[2] + 4.0 * (3.0 - x[1] / x[2]), x[1] / x[2]], [*values.values()]
    )
    assert_near(found, exact, 1e-13)


@pytest.mark.slow  # compiles another kind of scene
def test_a_rider_is_let_go_where_the_pull_is_too_large():
    """A weld on a table of omega = a t bears m r sqrt(omega^4 + a^2); measured: 3e-11."""
    values = {"a": 0.5, "r": 2.0, "pull": 12.0}
    text = """
format: rigidsim/1
parameters: {a: 0.5, r: 2.0, pull: 12.0}
simulation: {duration: 6, step: 0.01, record_every: 0.1, integrator: taylor}
bodies:
  table:
    motion: {prescribed: {angular_velocity: [0, 0, "= a*t"]}}
    children:
      rider: {mass: 3, inertia: {principal: [1, 1, 1]}, position: ["= r", 0, 0], motion: weld}
reparent: [{body: table/rider, to: world, when: "= 'table/rider.reaction_force.norm' > pull"}]
"""

    def place(x):
        a, r, pull = x
        t = sqrt(sqrt(pull / (3.0 * r) * (pull / (3.0 * r)) - a * a)) / a
        c, s, v = cos(0.5 * a * t * t), sin(0.5 * a * t * t), r * a * t
        return [r * c - v * s * (6.0 - t), r * s + v * c * (6.0 - t), t]

    found = rates(text, values, lambda d: [*d["table/rider"].world.position[-1, :2], d.events["time"][-1]])
    assert_near(found, jacobian(place, [*values.values()]), 1e-9)


# --- numbers that change


PUSHED = """
format: rigidsim/1
parameters: {push: 2.0, brake: 3.0, at: 1.2, start: 0.3, f: 0}
simulation: {duration: 3, step: 0.01, record_every: 0.1, integrator: METHOD}
bodies:
  b: {mass: 2, inertia: {principal: [1, 1, 1]}, forces: [{force: ["= f", 0, 0], frame: world}]}
changes:
  - {time: "= start", set: {f: "= push"}}
  - {when: "= x('b') > at", set: {f: "= -brake"}}
metrics: {x: "= final(x('b'))", v: "= final(v_x('b'))"}
"""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("start", [0.3, 0.3171])
def test_a_force_that_changes_at_a_time_and_at_a_place(method, start):
    """Measured: 2e-12, of numbers that are read anew."""
    values = {"push": 2.0, "brake": 3.0, "at": 1.2, "start": start}

    def end(x):
        push, brake, at, start = x
        t = start + sqrt(2.0 * at / (0.5 * push))
        v, rest = 0.5 * push * (t - start), 3.0 - t
        return [at + v * rest - 0.25 * brake * rest * rest, v - 0.5 * brake * rest, start, t]

    found = rates(
        PUSHED.replace("METHOD", method), values, lambda d: [*d.metrics.values(), *d.events["time"]], start=start
    )
    assert_near(found, jacobian(end, [*values.values()]), 1e-10)


def test_how_far_the_order_of_triggers_stays_the_same():
    """The force changes at the place after 0.3 s + sqrt(2 at), which is the end of the run for a larger place."""
    run = rigidsim.simulate(Scene.from_text(PUSHED.replace("METHOD", "rkmk4")), derivatives=["at"])
    found, way = reach_of(run, run.derivative("at")), math.sqrt(2.4)
    assert found.distance == pytest.approx((3.0 - 0.3 - way) * way, rel=1e-9) and found.time == pytest.approx(0.3 + way)


@pytest.mark.slow  # compiles another kind of scene
def test_a_spring_that_becomes_stiffer_is_booked_as_work():
    """The energy after the change differs by the work, with its derivatives."""
    text = """
format: rigidsim/1
parameters: {k: 4.0, more: 9.0, x0: 0.5}
simulation: {duration: 2, step: 0.01, record_every: 0.1}
bodies:
  b:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    motion: {slide: {axis: [1, 0, 0], displacement: "= x0", rate: -0.3, spring: {stiffness: "= k"}}}
changes: [{when: "= displacement('b') < 0.2", set: {"bodies.b.motion.slide.spring.stiffness": "= more"}}]
"""
    values = {"k": 4.0, "more": 9.0, "x0": 0.5}

    def end(x):
        k, more, x0 = x
        w, u = sqrt(k), sqrt(more)
        size, phase = sqrt(x0 * x0 + 0.09 / k), atan2(0.3 / w, x0)
        t = (acos(0.2 / size) - phase) / w
        v = -w * sqrt(size * size - 0.04)
        place = 0.2 * cos(u * (2.0 - t)) + v / u * sin(u * (2.0 - t))
        return [place, t, 0.02 * (more - k)]

    def found(d):
        before, after = d.events["energy_before"][-1], d.events["energy_after"][-1]
        return [d["b"].joint.coordinates[-1, 0], d.events["time"][-1], after - before]

    assert_near(rates(text, values, found), jacobian(end, [*values.values()]), 1e-7)
    run = rigidsim.simulate(Scene.from_text(text), derivatives=[*values])
    for name in values:
        one = run.derivative(name)
        kinetic, potential, work = (one.diagnostic(part) for part in ("kinetic_energy", "potential_energy", "work"))
        assert np.ptp(kinetic + potential - work) < 1e-7


@pytest.mark.slow  # compiles another kind of scene
def test_a_machine_of_states():
    """A cart is driven to a speed, coasts for a while, and is braked until it rests; closed form."""
    text = """
format: rigidsim/1
parameters: {push: 2.0, fast: 1.5, pause: 0.4, brake: 1.0, f: 0}
simulation: {duration: 5, step: 0.01, record_every: 0.1}
bodies:
  b: {mass: 2, inertia: {principal: [1, 1, 1]}, forces: [{force: ["= f", 0, 0], frame: world}]}
states:
  drive:
    runs: {set: {f: "= push"}, to: {coasts: "= v_x('b') > fast"}}
    coasts: {set: {f: 0}, to: {brakes: {after: "= pause"}}}
    brakes: {set: {f: "= -brake"}, to: {rests: "= v_x('b') < 0"}}
    rests: {set: {f: 0}}
"""
    values = {"push": 2.0, "fast": 1.5, "pause": 0.4, "brake": 1.0}

    def end(x):
        push, fast, pause, brake = x
        t = 2.0 * fast / push
        return [fast * fast / push + fast * pause + fast * fast / brake, t, t + pause, t + pause + 2.0 * fast / brake]

    found = rates(text, values, lambda d: [d["b"].world.position[-1, 0], *d.events["time"][1:]])
    assert_near(found, jacobian(end, [*values.values()]), 1e-11)


# --- tanks


@pytest.mark.parametrize("method", ["rkmk4", "adaptive", "taylor"])
def test_a_rocket_whose_tank_runs_empty(method):
    """v = u ln((m + fuel)/m), and x = v (T - t) + the way of the burn; t = fuel/flow."""
    text = """
format: rigidsim/1
parameters: {m: 20.0, fuel: 30.0, flow: 12.0, u: 400.0}
simulation: {duration: 4, step: 0.01, record_every: 0.1, integrator: METHOD}
bodies:
  rocket:
    mass: "= m"
    inertia: {principal: [10, 10, 1]}
    forces: [{type: mass_flow, tank: rocket/fuel, rate: "= flow", exhaust_velocity: "= u"}]
    children:
      fuel: {mass: "= fuel", inertia: {principal: [3, 3, 0.4]}, motion: tank}
metrics: {v: "= final(v_z('rocket'))", z: "= final(z('rocket'))"}
"""
    values = {"m": 20.0, "fuel": 30.0, "flow": 12.0, "u": 400.0}

    def end(x):
        m, fuel, flow, u = x
        t, whole = fuel / flow, m + fuel
        v = u * log(whole / m)
        way = u / flow * (fuel - m * log(whole / m))
        return [v, way + v * (4.0 - t), t]

    found = rates(text.replace("METHOD", method), values, lambda d: [*d.metrics.values(), d.events["time"][-1]])
    assert_near(found, jacobian(end, [*values.values()]), 1e-9)


@pytest.mark.slow  # compiles welds, tanks and tables
def test_a_shipped_rocket_of_two_stages_beside_displaced_runs():
    scene = Scene.from_file(SCENES / "staged_rocket.yaml", ["boost=29.1"])  # its tank is not empty at a sample
    names = ["boost", "second_exhaust", "area"]
    run = rigidsim.simulate(scene, derivatives=names)
    for name, h in zip(names, (3e-3, 0.3, 5e-6), strict=True):
        found = np.array([*run.derivative(name).metrics.values()])
        assert np.allclose(found, differences(scene, name, h), rtol=1e-6, atol=1e-6 * math.fsum(abs(found))), name
