"""Controllers: their laws against recurrences written out, runs against independent simulations of the same discrete
controller, and the same bits however a run is divided.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim as rs
from rigidsim.analysis.past import SampleModel
from rigidsim.engine.model import layout
from rigidsim.errors import SceneError, SimulationError, UsageError
from test_sensing import philox_normals

EPS = np.finfo(float).eps
SATELLITE = Path(__file__).parents[2] / "scenes" / "wheel_satellite.yaml"


def written(controllers: str, force: str = "= u", step: float = 0.01, duration: float = 2.0, more: str = "") -> str:
    return f"""
format: rigidsim/1
simulation: {{duration: {duration}, step: {step}, record_every: 0.1{more}}}
bodies:
  cart:
    mass: 2
    inertia: point
    velocity: [0.3, 0, 0]
    sensors:
      gps: {{type: pose, every: 0.1}}
    forces: [{{force: ["{force}", 0, 0]}}]
controllers:
{controllers}
"""


def driven(controllers: str, force: str = "= u", **more) -> rs.Scene:
    return rs.Scene.from_text(written(controllers, force, **more))


# --- laws


def outputs(law: str, t: np.ndarray) -> np.ndarray:
    found = rs.simulate(driven(f"  u: {{every: 0.1, {law}}}", "= 0*t", duration=t[-1])).readings["u"]
    assert np.abs(found.time - t).max() < 4 * EPS * t[-1]
    return found["u"]


T = 0.1
TIMES = T * np.arange(31)
INPUT = np.sin(3 * TIMES) + 0.2
TEXT = '"= sin(3*t) + 0.2"'


def test_pid_against_its_recurrence_with_a_filter_and_limits():
    given = f"type: pid, input: {TEXT}, proportional: 2, integral: 1.5, derivative: 0.4, filter: 0.3, limits: [-1, 1.5]"
    found, expected, total, slope, last = outputs(given, TIMES), [], 0.0, 0.0, INPUT[0]
    kept = 0
    for e in INPUT:
        slope += (e - last - T * slope) / (0.3 + T)
        u = 2 * e + (total + 1.5 * e * T) + 0.4 * slope
        if (u > 1.5 and e > 0) or (u < -1 and e < 0):
            kept += 1
        else:
            total += 1.5 * e * T
        expected.append(np.clip(2 * e + total + 0.4 * slope, -1, 1.5))
        last = e
    assert np.abs(found - expected).max() < 64 * EPS
    assert kept > 5  # the integral stood still


def test_lead_lag_against_tustins_rule_and_the_response_to_a_sine():
    found = outputs(f"type: lead_lag, input: {TEXT}, gain: 3, lead: 0.5, lag: 0.2", TIMES)
    y, x_last, expected = 3 * INPUT[0], INPUT[0], []
    for x in INPUT:
        y = ((2 * 0.2 - T) * y + 3 * ((2 * 0.5 + T) * x + (T - 2 * 0.5) * x_last)) / (2 * 0.2 + T)
        expected.append(y)
        x_last = x
    assert np.abs(found - expected).max() < 64 * EPS
    # After the transient: the gain and phase of the filter at the frequency that the bilinear rule makes of 3 rad/s.
    s = 2j / T * np.tan(3 * T / 2)
    steady = 3 * 0.2 + np.imag(3 * (1 + 0.5 * s) / (1 + 0.2 * s) * np.exp(3j * TIMES))
    assert np.abs(found - steady)[-5:].max() < 2 * np.exp(-TIMES[-5] / 0.2)


def test_rate_limit_saturation_and_hold():
    y, expected = 0.5, []
    for x in INPUT:
        y = min(max(x, y - 0.8 * T), y + 2 * T)
        expected.append(y)
    found = outputs(f"type: rate_limit, input: {TEXT}, rising: 2, falling: 0.8, initial: 0.5", TIMES)
    assert np.abs(found - expected).max() < 16 * EPS
    found = outputs(f"type: saturation, input: {TEXT}, limits: [-0.5, 1]", TIMES)
    assert np.abs(found - np.clip(INPUT, -0.5, 1)).max() < 8 * EPS
    assert np.abs(outputs(f"type: hold, input: {TEXT}", TIMES) - INPUT).max() < 8 * EPS


def test_an_output_that_is_delayed_acts_later_and_is_zero_before():
    found = rs.simulate(driven("  u: {type: hold, every: 0.1, delay: 0.23, input: 4}", duration=1.0))
    assert np.array_equal(found.readings["u"].time[:2], [0.23, 0.1 + 0.23])
    # 2 kg, from 0.3 m/s, with 4 N since 0.23 s.
    assert found["cart"].world.velocity[-1, 0] == pytest.approx(0.3 + 2 * (1 - 0.23), abs=16 * EPS)


def test_a_controller_reads_one_that_is_written_later_at_its_last_sample():
    laws = "  a: {type: hold, every: 0.1, input: '= b'}\n  b: {type: hold, every: 0.1, input: '= t'}"
    read = rs.simulate(driven(laws, "= 0*t")).readings
    assert np.array_equal(read["a"]["a"][1:], read["b"]["b"][:-1])
    assert read["a"]["a"][0] == 0.0


# --- runs


def sampled_oscillator(h: float) -> np.ndarray:
    """The last position and velocity of a mass on a spring under a sampled law."""
    law = "  u: {type: pid, every: 0.1, input: '= -gps_position_x(\"cart\")', proportional: 3, derivative: 2}"
    found = rs.simulate(driven(law, "= u - 5*x - x^3", step=h, duration=2.0))["cart"].world
    return np.array([found.position[-1, 0], found.velocity[-1, 0]])


def test_an_integrator_keeps_its_order_between_samples():
    """Measured: orders of 4.06 and 4.03, 1.3e-8 at the shortest step."""
    x, e_last = np.array([0.0, 0.3]), None
    for _ in range(20):
        e = -x[0]
        u, e_last = 3 * e + 2 * (0.0 if e_last is None else (e - e_last) / 0.1), e

        def rates(_t, y, u=u):
            return [y[1], (u - 5 * y[0] - y[0] ** 3) / 2]

        x = solve_ivp(rates, (0, 0.1), x, "DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    errors = [np.abs(sampled_oscillator(h) - x).max() for h in (0.1, 0.05, 0.025)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 4.0).max() < 0.2
    assert errors[-1] < 2e-8


def gyrostat(seed: int) -> tuple[np.ndarray, np.ndarray, list]:
    """Orientation and rate of the satellite of the scene, and the torques of its controllers, by the equations of a
    gyrostat with the same discrete controller: J w' = -w x (J w + I W) - I W', and I (w' . a + W') is the torque on the
    wheel along a, -u.
    """
    # About the common centre of mass: wheels of 2 kg at 0.3 m along each axis.
    places, masses = np.vstack([np.zeros(3), 0.3 * np.eye(3)]), np.array([120.0, 2, 2, 2])
    places = places - masses @ places / masses.sum()
    own = [np.diag([9.0, 11, 8]), *(np.diag(np.where(np.arange(3) == k, 0.04, 0.02)) for k in range(3))]
    J = sum(i + m * (p @ p * np.eye(3) - np.outer(p, p)) for i, m, p in zip(own, masses, places, strict=True))
    turning = np.linalg.inv(J - 0.04 * np.eye(3))

    def rates(_t, y, u):
        q, w, spin = y[:4], y[4:7], y[7:]
        dw = turning @ (-np.cross(w, J @ w + 0.04 * spin) + u)
        dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([dq, dw, -u / 0.04 - dw])

    gyro = philox_normals(seed, ("satellite", "gyro", "angular_velocity"), 3, 601)
    star = philox_normals(seed, ("satellite", "tracker", "orientation"), 3, 601)
    y, walk, half = np.array([1.0, 0, 0, 0, 0.02, -0.01, 0.01, 0, 0, 0]), np.zeros(3), np.sqrt(0.5)
    total, slope, last, torques = np.zeros(3), np.zeros(3), None, []
    for k in range(600):
        q, w = y[:4] * (1 if y[0] >= 0 else -1), y[4:7]
        rate = w + [2e-5, -1e-5, 1e-5] + walk + 5e-5 * gyro[0, k]
        walk = walk + 1e-6 * np.sqrt(0.1) * gyro[1, k]
        turn = 5e-5 * star[0, k] / 2
        dw, dv = np.cos(np.linalg.norm(turn)), turn * np.sinc(np.linalg.norm(turn) / np.pi)
        q = np.array([q[0] * dw - q[1:] @ dv, *(q[0] * dv + dw * q[1:] + np.cross(q[1:], dv))])
        error = -2 * half * np.array([q[1] + q[2], q[2] - q[1], q[3] - q[0]]) - 6 * rate
        slope = (slope + error - (error if last is None else last)) / (1 + 0.1)
        last, more = error, 0.005 * error * 0.1
        u = 0.5 * error + total + more + 0.3 * slope
        total = np.where(((u > 0.2) & (more > 0)) | ((u < -0.2) & (more < 0)), total, total + more)
        u = np.clip(0.5 * error + total + 0.3 * slope, -0.2, 0.2)
        torques.append(u)
        y = solve_ivp(rates, (0, 0.1), y, "DOP853", args=(u,), rtol=1e-13, atol=1e-15).y[:, -1]
    return y[:4], y[4:7], torques


@pytest.mark.parametrize("seed", [1, 2])
def test_a_satellite_on_wheels_against_an_independent_simulation(seed: int):
    """Measured, at steps of 0.01 s: 1.8e-15 of the quaternion, 1.2e-16 rad/s, 3e-15 N m."""
    found = rs.simulate(rs.Scene.from_file(SATELLITE, [("parameters.trial", seed)]))
    q, w, torques = gyrostat(seed)
    satellite, given = found["satellite"].world, [found.readings[f"torque_{x}"][f"torque_{x}"] for x in "xyz"]
    turned = satellite.orientation[-1]
    rate = rotation(turned).T @ satellite.angular_velocity[-1]
    assert np.abs(turned - q * np.sign(q @ turned)).max() < 2e-14
    assert np.abs(rate - w).max() < 2e-15
    assert np.abs(np.stack(given, axis=1)[:600] - torques).max() < 5e-14
    momentum = sum(np.asarray(found.arrays[f"diagnostics/{kind}_angular_momentum"]) for kind in ("spin", "orbital"))
    assert np.abs(momentum - momentum[0]).max() < 1e-13 * np.linalg.norm(momentum[0])
    assert found.metrics["pointing_error"] < 0.02


def rotation(q: np.ndarray) -> np.ndarray:
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


# --- the same bits


def satellites(seeds: range) -> list[rs.Scene]:
    given = [("simulation.duration", 4)]
    return [rs.Scene.from_file(SATELLITE, [*given, ("parameters.trial", seed)]) for seed in seeds]


def test_lanes_change_no_bit_of_a_controlled_run():
    scenes = satellites(range(17))
    for one, alone in zip(rs.simulate(scenes), map(rs.simulate, scenes), strict=True):
        assert one.content_hash == alone.content_hash
        assert one.metrics == alone.metrics


PYTHON = """
def brake(t, inputs, state):
    state[0] += 0.1 * inputs["v"]
    state[1] += 1
    return -2.0 * inputs["v"] - state[0]
"""
BRAKED = """
  u:
    type: python
    call: "brake.py:brake"
    every: 0.1
    delay: 0.05
    state: [0.25, 0]
    inputs: {v: '= v_x("cart")'}
  shown: {type: pid, every: 0.2, input: "= u", integral: 1, proportional: 1}
"""


def with_function(text: str, laws: str, folder: Path, force: str = "= u", **more) -> rs.Scene:
    """A scene with a function of Python."""
    (folder / "brake.py").write_text(text)
    (folder / "cart.yaml").write_text(written(laws, force, **more))
    return rs.Scene.from_file(folder / "cart.yaml")


def test_a_function_of_python_is_called_at_its_samples_and_keeps_its_state(tmp_path):
    found = rs.simulate(with_function(PYTHON, BRAKED, tmp_path))
    x, v, state, u, log = 0.0, 0.3, 0.25, 0.0, []
    for _ in range(20):
        state += 0.1 * v
        wanted = -2.0 * v - state
        for a in (u / 2, wanted / 2):  # 0.05 s before the effect, and after it
            x, v = x + 0.05 * v + a * 0.05**2 / 2, v + 0.05 * a
        u = wanted
        log.append(u)
    assert np.abs(found.readings["u"]["u"] - log).max() < 64 * EPS
    assert found["cart"].world.position[-1, 0] == pytest.approx(x, abs=64 * EPS)


def test_a_checkpoint_has_what_controllers_remember(tmp_path):
    scene = with_function(PYTHON, BRAKED, tmp_path)
    whole = rs.simulate(scene)
    for count in (1, 2, 3):  # some with an output that is on its way
        first, before = rs.Simulation(scene), []
        for block in first.blocks(every=0.0):
            before.append(block.copied())
            if len(before) == count:
                break
        assert 0 < first.n < 200
        later = rs.Simulation(scene)
        later.resume(before[-1].checkpoint, first.events)
        parts = [*before, *(one.copied() for one in later.blocks())]
        assert np.array_equal(parts[-1].world.position[-1], whole.arrays["world/position"][-1])
        for name in ("controllers/u/u", "controllers/shown/shown", "controllers/u/time"):
            read = np.concatenate([part.readings[name] for part in parts])
            assert np.array_equal(read, whole.arrays[name])


def test_the_text_of_a_function_is_part_of_the_scene(tmp_path):
    scene = with_function(PYTHON, BRAKED, tmp_path)
    (tmp_path / "brake.py").unlink()
    again = rs.Scene.from_dict(scene.resolved())
    assert rs.simulate(again).content_hash == rs.simulate(scene).content_hash


FAULTS = {
    "return 1 / (t - 0.2) if t > 0.15 else 0": "controllers.u: brake.py, line 2: ZeroDivisionError",
    "return float('nan') if t > 0.15 else 0": "controllers.u gave nan for 'u'",
    "return [1, 2] if t > 0.15 else 0": r"controllers.u: brake.py:brake gave \[1, 2\]; expected one number",
    "return 'x' if t > 0.15 else 0": "controllers.u",
    "return None if t > 0.15 else 0": "expected one number",
}


@pytest.mark.parametrize("body", FAULTS)
def test_a_function_that_fails_ends_the_run_and_keeps_the_samples(body: str, tmp_path):
    law = '  u: {type: python, call: "brake.py:brake", every: 0.1}'
    scene = with_function(f"def brake(t, inputs):\n    {body}\n", law, tmp_path)
    with pytest.raises(SimulationError, match=FAULTS[body]) as caught:
        rs.simulate(scene)
    assert "at t = 0.2 s" in str(caught.value)
    assert caught.value.trajectory.time[-1] == 0.2
    assert len(caught.value.trajectory.time) == 3


def test_a_lane_that_fails_does_not_stop_the_others():
    law = "  u: {type: hold, every: 0.1, input: '= 1/(1 - t/limit)'}"
    texts = [written(law, more=f"}}\nparameters: {{limit: {limit}") for limit in (0.4, 5.0, 7.0)]
    failed, *others = rs.simulate([rs.Scene.from_text(text) for text in texts])
    assert failed.status == "failed"
    assert failed.time[-1] == 0.4
    assert [one.status for one in others] == ["complete"] * 2


# --- with the rest of the engine


def test_a_stop_and_dry_friction_feel_what_jumps_between_samples():
    """A mass with dry friction of 3 N is pushed with 0, 2, 4, 6 N in turn: it moves from the third sample on."""
    found = rs.simulate(
        rs.Scene.from_text("""
format: rigidsim/1
simulation: {duration: 4, step: 0.05}
bodies:
  block:
    mass: 2
    inertia: point
    motion: {slide: {axis: [1, 0, 0], friction: 3, limits: [-1, 1.5], motor: {force: "= u"}}}
controllers: {u: {type: hold, every: 1, input: "= 2*t"}}
""")
    )
    joint, t = found["block"].joint, found.time
    v = np.clip(t - 2, 0, 1) * 0.5 + np.clip(t - 3, 0, 1) * 1.5
    x = np.where(t < 3, 0.25 * np.clip(t - 2, 0, 1) ** 2, 0.25 + 0.5 * (t - 3) + 0.75 * (t - 3) ** 2)
    v, x = np.where(x < 1.5, v, 0.0), np.minimum(x, 1.5)  # it ends at the stop
    assert np.abs(joint.coordinates[:, 0] - x).max() < 1e-12
    assert np.abs(joint.rates[:, 0] - v).max() < 1e-12


@pytest.mark.parametrize("method", ["magnus", "magnus2", "euler", "adaptive"])
def test_methods_hold_the_outputs(method: str):
    """The velocity of a mass under a force that is constant between samples is exact with each method."""
    found = driven("  u: {type: hold, every: 0.1, input: '= t'}", more=f", integrator: {method}")
    velocity = rs.simulate(found)["cart"].world.velocity[-1, 0]
    assert velocity == pytest.approx(0.3 + 0.5 * 0.1 * np.sum(0.1 * np.arange(20)), abs=1e-12)


def test_triggers_read_outputs_and_controllers_what_triggers_changed():
    ramp = "  u: {type: hold, every: 0.1, input: '= t'}"
    assert rs.simulate(driven(ramp, more=', stop: {when: "= u > 0.95"}')).time[-1] == pytest.approx(1.0, abs=1e-12)
    text = written("  u: {type: hold, every: 0.1, input: '= v_x(\"cart\")'}", "= 0*u")
    kick = "impulses: [{when: \"= x('cart') > 0.1\", impulse: [2, 0, 0]}]\n    sensors:"
    found = rs.simulate(rs.Scene.from_text(text.replace("sensors:", kick)))
    assert found.events[0].time == pytest.approx(0.1 / 0.3, abs=1e-12)
    u = found.readings["u"]
    assert u["u"] == pytest.approx(np.where(u.time < 0.1 / 0.3, 0.3, 1.3), abs=1e-14)


def test_impulses_at_an_instant_of_a_sample_act_once():
    """Of scheduled impulses and samples at one instant: the controller reads the motion after the impulse."""
    text = written("  u: {type: hold, every: 0.5, input: '= v_x(\"cart\")'}", "= 0.1*u")
    kick = "impulses: [{time: 0.5, impulse: [2, 0, 0]}, {time: 0.0, impulse: [0.2, 0, 0]}]\n    sensors:"
    found = rs.simulate(rs.Scene.from_text(text.replace("sensors:", kick)))
    v, expected = 0.4, []
    for k in range(5):
        v += 1.0 * (k == 1)
        expected.append(v)
        v += 0.1 * v / 2 * 0.5
    assert found.readings["u"]["u"] == pytest.approx(expected, abs=1e-14)
    assert len(found.events) == 2


def test_a_body_that_changes_its_parent_is_measured_and_driven_on():
    """A cart with a sensor of its own frame is let go by a sled and pushed on: the same bits in two pieces."""
    scene = rs.Scene.from_text("""
format: rigidsim/1
simulation: {duration: 1, step: 0.01, record_every: 0.1}
bodies:
  sled:
    mass: 3
    inertia: point
    velocity: [1, 0, 0]
    children:
      cart:
        mass: 1
        inertia: {principal: [1, 1, 1]}
        motion: fixed
        position: [0.5, 0, 0]
        sensors:
          imu: {type: imu, every: 0.05, position: [0, 0.2, 0], errors: {acceleration: {noise: 0.01}}}
        forces: [{force: ["= u", 0, 0], frame: world}]
reparent: [{body: sled/cart, to: world, time: 0.475}]
controllers: {u: {type: hold, every: 0.05, input: "= 4 + 0*imu_acceleration_x('sled/cart')"}}
""")
    found = rs.simulate(scene)
    cart, sled = found["sled/cart"].world.velocity[:, 0], found["sled"].world.velocity[:, 0]
    t = found.time
    assert np.abs(cart - (1 + np.minimum(t, 0.475) + 4 * np.maximum(t - 0.475, 0))).max() < 1e-13
    assert np.abs(sled - (1 + np.minimum(t, 0.475))).max() < 1e-13
    felt = found.readings["sled/cart.imu"]["acceleration"][:, 0]
    assert felt[0] == pytest.approx(0.0, abs=0.05)  # sensors come before controllers
    assert felt[1:10] == pytest.approx(1.0, abs=0.05)
    assert felt[10:] == pytest.approx(4.0, abs=0.05)
    first, before = rs.Simulation(scene), []
    for block in first.blocks(every=0.0):
        before.append(block.copied())
        if first.n > 50:
            break
    later = rs.Simulation(scene)
    later.resume(before[-1].checkpoint, first.events)
    parts = [*before, *(one.copied() for one in later.blocks())]
    name = "sensors/sled/cart/imu/acceleration"
    assert np.array_equal(np.concatenate([part.readings[name] for part in parts]), found.arrays[name])
    assert np.array_equal(parts[-1].world.position[-1], found.arrays["world/position"][-1])


def test_a_controller_lifts_a_box_from_the_floor():
    """A force that is sampled lifts it; by the range finder it ends at a height of 0.3 m."""
    found = rs.simulate(
        rs.Scene.from_text("""
format: rigidsim/1
simulation: {duration: 10, step: 0.005, record_every: 0.1}
world: {gravity: [0, 0, -9.81]}
bodies:
  floor: {shapes: [{type: plane}]}
  box:
    mass: 2
    position: [0, 0, 0.1]
    shapes: [{type: box, size: [0.2, 0.2, 0.2]}]
    sensors:
      height: {type: range, every: 0.02, direction: [0, 0, -1], longest: 5, errors: {distance: {quantum: 0.001}}}
      foot: {type: contact, every: 0.02}
    forces: [{force: [0, 0, "= lift"], frame: world}]
controllers:
  lift:
    type: pid
    every: 0.02
    input: "= if(t < 1, 0, 0.3 - height('box'))"
    proportional: 80
    integral: 60
    derivative: 40
    filter: 0.05
""")
    )
    height, foot = (found.readings[f"box.{name}"] for name in ("height", "foot"))
    truth = found["box"].world.position[:, 2]
    assert np.abs(height["distance"][::5] - truth).max() < 0.0005 + 1e-12  # half of the quantum
    assert foot["force"][40] == pytest.approx(2 * 9.81, rel=1e-4)
    assert foot["force"][-1] == 0.0
    assert truth[-1] == pytest.approx(0.3, abs=0.02)


def test_the_order_of_a_method_that_chooses_its_steps_is_kept():
    """Between samples the tolerance holds: against the same run with one that is a thousand times tighter."""
    law = "  u: {type: pid, every: 0.1, input: '= -gps_position_x(\"cart\")', proportional: 3, derivative: 2}"
    given = ", integrator: {name: adaptive, rtol: %s, atol: 1e-14}"
    ends = [rs.simulate(driven(law, "= u - 5*x - x^3", more=given % rtol)) for rtol in ("1e-9", "1e-12")]
    one, other = (found["cart"].world.position[-1, 0] for found in ends)
    assert abs(one - other) < 1e-9


# --- what is wrong with a scene

WRONG = {
    "{type: hold, every: 0.015, input: 1}": r"controllers.u.every: every / step = 1.5 is not a whole number",
    "{type: hold, every: 0.1, delay: 0.001, input: 1}": "nearest: 0.01 s",
    "{type: hold, every: 0.1, input: '= x(\"car\")'}": "u.input: there is no body 'car'; did you mean 'cart'",
    "{type: hold, every: 0.1, input: '= y'}": "'y' of which body",
    "{type: pidd, every: 0.1, input: 1}": "did you mean 'pid'",
    "{type: pid, every: 0.1}": "the key 'input' is missing",
    "{type: pid, every: 0.1, input: 1, limits: [2, 1]}": "the least, 2, is greater than the greatest, 1",
    "{type: python, every: 0.1, call: 'none.py:f'}": "'none.py' cannot be read",
    "{type: python, every: 0.1, call: 'none'}": "names no function",
}


@pytest.mark.parametrize("law", WRONG)
def test_wrong_controllers_are_located(law: str):
    with pytest.raises(SceneError, match=WRONG[law]):
        driven(f"  u: {law}")


def test_outputs_are_for_loads_and_not_for_prescribed_motions():
    text = written("  u: {type: hold, every: 0.1, input: 1}")
    lift = "  lift: {motion: {prescribed: {velocity: [0, 0, '= u']}}}\ncontrollers:"
    with pytest.raises(SceneError, match="'u' cannot be used here"):
        rs.Scene.from_text(text.replace("controllers:", lift))
    other = "  v: {type: python, call: 'x.py:f', every: 1, outputs: [u]}\n  u:"
    with pytest.raises(SceneError, match="'u' is a reading or an output already"):
        rs.Scene.from_text(text.replace("  u:", other))
    with pytest.raises(SceneError, match="'taylor' does not step scenes with sensors or controllers"):
        driven("  u: {type: hold, every: 0.1, input: 1}", more=", integrator: taylor")


def test_loads_are_explained_with_what_was_held():
    found = rs.simulate(driven("  u: {type: hold, every: 0.1, input: '= 3 + t'}"))
    for k in (0, 5, 20):
        past = SampleModel(found, k)
        acceleration = past.under(past.scene).terms(past.time, past.state())[layout.T_ACCELERATION, 0, 0]
        assert acceleration == pytest.approx((3 + found.time[k]) / 2, rel=4 * EPS)
    assert found.metric("= final(u)") == found.readings["u"]["u"][-1]


def test_a_sweep_of_seeds_has_the_runs_of_each(tmp_path):
    scene = rs.Scene.from_file(SATELLITE, [("simulation.duration", 4)])
    found = rs.sweep(scene, vary={"trial": list(range(1, 20))}, path=tmp_path / "trials.h5")
    for k in (0, 1, 18):
        alone = rs.simulate(scene.with_overrides([("parameters.trial", k + 1)]))
        assert {name: found.metrics[name][k] for name in alone.metrics} == alone.metrics
    assert len(set(found.metrics["pointing_error"].tolist())) == 19


def test_a_function_that_fails_in_some_runs_of_a_sweep_fails_in_no_other(tmp_path):
    """Forty runs side by side, of which one raises and one gives no number; the message of each says where and when."""
    (tmp_path / "law.py").write_text(
        "def push(t, inputs):\n    if inputs['k'] == 7 and t > 0.25:\n        raise ValueError('seven')\n"
        "    return float('nan') if inputs['k'] == 9 and t > 0.45 else inputs['k'] * t\n"
    )
    (tmp_path / "scene.yaml").write_text("""
format: rigidsim/1
parameters: {k: 1}
simulation: {duration: 1, step: 0.01}
bodies:
  cart: {mass: 2, inertia: point, forces: [{force: ["= push", 0, 0]}]}
controllers:
  push: {type: python, call: "law.py:push", every: 0.1, inputs: {k: "= k"}}
metrics: {way: "= final(x('cart'))"}
""")
    scene = rs.Scene.from_file(tmp_path / "scene.yaml")
    with rs.sweep(scene, vary={"k": list(range(40))}, path=tmp_path / "many.h5") as found:
        failed = {k: error for k, error in enumerate(found.runs["error"]) if error}
        assert sorted(failed) == [7, 9]
        assert "law.py, line 3: ValueError: seven at t = 0.3 s" in failed[7]
        assert "controllers.push gave nan for 'push'; what it read: 9 at t = 0.5 s" in failed[9]
        # Held forces k t_i: x = k h^2/2 sum of t_i (2 n - 2 i - 1) / m over the steps of 0.1 s.
        way = sum(0.1 * i * (19 - 2 * i) for i in range(10)) * 0.1**2 / 2 / 2
        others = [k for k in range(40) if k not in failed]
        assert found.metrics["way"][others] == pytest.approx(way * np.array(others), rel=64 * EPS)


def test_included_scenes_keep_their_controllers(tmp_path):
    (tmp_path / "arm.yaml").write_text("""
format: rigidsim/1
parameters: {wanted: 1}
simulation: {duration: 1, step: 0.01}
bodies:
  arm:
    mass: 1
    inertia: {principal: [0.1, 0.1, 0.2]}
    motion: {hinge: {axis: [0, 0, 1], damping: 0.5, motor: {torque: "= drive"}}}
    sensors: {turned: {type: encoder, every: 0.02}}
controllers:
  drive: {type: pid, every: 0.02, input: "= wanted - turned_coordinate('arm')", proportional: 5}
""")
    (tmp_path / "two.yaml").write_text("""
format: rigidsim/1
simulation: {duration: 1, step: 0.01}
bodies:
  left: {include: {file: arm.yaml, with: {wanted: 0.5}}, motion: {prescribed: {velocity: [0, 0, 0]}}}
  right: {include: {file: arm.yaml}, motion: {prescribed: {velocity: [0, 0, 0]}}}
""")
    alone, both = (rs.simulate(rs.Scene.from_file(tmp_path / f"{name}.yaml")) for name in ("arm", "two"))
    assert list(both.readings) == ["left/arm.turned", "right/arm.turned", "left_drive", "right_drive"]
    assert np.array_equal(both["right/arm"].joint.coordinates, alone["arm"].joint.coordinates)
    assert both["left/arm"].joint.coordinates == pytest.approx(alone["arm"].joint.coordinates / 2, abs=1e-14)


def test_contacts_that_last_feel_what_jumps_between_samples():
    """A particle of 1 kg with friction of 5 N is pushed with 0, 1.5, ... 7.5 N in turn: it slips from 2 s on."""
    found = rs.simulate(
        rs.Scene.from_text("""
format: rigidsim/1
simulation: {duration: 3, step: 0.01, contact: events, record_every: 0.1}
world: {gravity: [0, 0, -10]}
bodies:
  floor: {shapes: [{type: plane}], material: {friction: 0.5}}
  block:
    mass: 1
    inertia: point
    position: [0, 0, 0.1]
    material: {friction: 0.5}
    shapes: [{type: sphere, radius: 0.1}]
    sensors: {foot: {type: contact, every: 0.5}}
    forces: [{force: ["= u", 0, 0], frame: world}]
controllers: {u: {type: hold, every: 0.5, input: "= 3*t"}}
""")
    )
    t, block = found.time, found["block"].world
    v = np.clip(t - 2, 0, 0.5) + 2.5 * np.clip(t - 2.5, 0, 0.5)
    assert np.abs(block.velocity[:, 0] - v).max() < 1e-12
    assert found.readings["block.foot"]["force"][1:] == pytest.approx(10.0, rel=1e-13)


def test_a_sensor_with_several_readings_is_not_one_quantity():
    found = rs.simulate(driven("  u: {type: hold, every: 0.1, input: 1}"))
    with pytest.raises(UsageError, match=r"several readings; name one of cart\.gps_position_x, "):
        found.to_xarray("cart.gps")
