"""The integrator `adaptive`: its error follows the tolerance, also inside of steps, and it says when none is short
enough.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, floor, touching
from every_kind import GRAVITY, STEP, every_kind
from rigidsim.blueprints import build_world
from rigidsim.certify.certifying import Certificate
from rigidsim.engine.integrators.dop853 import AT_END, IN_DENSE, IN_ERROR, NODE, SLOPES, TERMS, tableau
from rigidsim.engine.model import layout as at
from rigidsim.engine.time.run import BlockRun
from rigidsim.simulation.blocks import finite_lanes
from support.scenes import angle_between, make_scene, run, slopes
from tolerance_benchmark import PLANET, SUN, TOLERANCES, TOP, orbits, tops


def by(rtol: float = 1e-9, **more) -> dict:
    return {"name": "adaptive", "rtol": rtol, **more}


def scene(bodies: dict, duration: float, rtol: float = 1e-9, **more) -> rigidsim.Scene:
    """Without a step."""
    world = {"gravity": more.pop("gravity", [0, 0, 0])}
    simulation = {"duration": duration, "integrator": by(rtol), **more}
    return rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies}
    )


def assert_follows(error_of) -> None:
    """Errors over the tolerance are below 1, and the same within a factor of ten, from 1e-4 to 1e-10."""
    found = np.array([error_of(tolerance) / tolerance for tolerance in TOLERANCES])
    assert found.max() < 1
    assert found.max() < 10 * found.min()


@pytest.mark.parametrize("name", ["adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_the_error_of_the_tidy_top_after_ten_seconds_follows_the_tolerance(name):
    """The angle and the difference of the rates, which are not both small by chance."""
    exact = tops("taylor", 1e-16, [0.0])
    # 0.13 to 0.52 with `adaptive`, 0.006 to 0.036 with `taylor`
    assert_follows(lambda tolerance: np.linalg.norm(tops(name, tolerance, [0.0]) - exact))


@pytest.mark.parametrize("name", ["adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_the_error_of_an_eccentric_orbit_after_a_period_follows_the_tolerance(name):
    """Root mean square of sixteen starts within a percent: where on the orbit the last step ends is chance."""
    exact = orbits("taylor", 1e-16)
    assert_follows(lambda tolerance: np.linalg.norm(orbits(name, tolerance) - exact) / 4)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_starts_that_differ_by_rounding_take_the_same_steps(tolerance):
    """Their ends differ by what the error of one is in the third digit, or by rounding."""
    exact = PLANET["position"]
    found = orbits("adaptive", tolerance, [-1e-15, 0, 1e-15])
    assert np.ptp(found, axis=0).max() < 0.01 * np.linalg.norm(found[1] - exact) + 2e-14


@pytest.mark.parametrize(("tolerance", "most"), [(1e-4, 3), (1e-7, 1), (1e-10, 0)])
def test_few_steps_of_an_eccentric_orbit_are_repeated(tolerance, most):
    """Where it falls towards the sun each step is shorter than the last one."""
    block = BlockRun([build_world(scene({"b": PLANET}, math.tau, tolerance, gravity=SUN))], 1)
    block.advance(block.worlds[0].blueprint.n_step)
    step = block.state[-1]
    assert step[at.STEP.place("rejected")] <= most  # 2, 0 and 0 of 20, 28 and 66 measured
    assert step[at.STEP.place("taken")] < 70


def test_samples_inside_steps_are_as_exact_as_their_ends():
    """Some four samples a step, of the orbit by Kepler's equation."""
    planet = rigidsim.simulate(scene({"p": PLANET}, math.tau, 1e-8, gravity=SUN, record_every=math.tau / 200))
    mean = planet.time
    anomaly = mean.copy()
    for _ in range(50):
        anomaly = anomaly - (anomaly - 0.6 * np.sin(anomaly) - mean) / (1 - 0.6 * np.cos(anomaly))
    exact = np.stack([np.cos(anomaly) - 0.6, 0.8 * np.sin(anomaly), 0 * mean], axis=-1)
    errors = np.linalg.norm(planet["p"].world.position - exact, axis=-1)
    assert errors.max() < 1e-7  # where it is fastest the orbit goes 2 times its size a second; 1.9e-8 measured


def test_the_order_is_eight_also_under_a_moving_parent():
    """With steps held by `max_step`; the exact motion is that of the smallest tolerance."""
    rates = {"angular_velocity": ["= 0.4*sin(t)", 0, "= 1 + 0.3*cos(2*t)"]}
    child = TOP | {
        "position": [1, 0, 0],
        "forces": [{"force": [0, 1, 0.5], "torque": [0.3, 0.2, 0.1], "frame": "body"}],
    }
    bodies = {"p": {"motion": {"prescribed": rates}, "children": {"b": child}}}
    exact = run(bodies, duration=3.2, step=3.2, integrator=by(1e-13, atol=1e-15))["p/b"].world
    errors, lengths = [], (0.4, 0.2, 0.1)
    for length in lengths:
        held = run(bodies, duration=3.2, step=3.2, integrator=by(0.1, atol=0.1, max_step=length))["p/b"].world
        errors.append(
            [angle_between(held.orientation[-1], exact.orientation[-1]),
             np.linalg.norm(held.position[-1] - exact.position[-1])]
        )  # fmt: skip
    assert np.all(slopes(lengths, np.array(errors))[:, -1] > 7.5)  # 8.1 and 7.8 measured


def test_forces_of_every_kind_windows_and_events_are_those_of_fine_steps():
    """rkmk4 in steps of 0.1 ms, whose error is 1e-12 or less."""
    how = {"duration": 0.5, "gravity": GRAVITY, "record_every": 10 * STEP}
    fine = run(every_kind(), step=STEP / 100, **how)
    found = run(every_kind(), step=STEP, integrator=by(1e-11), **how)
    assert len(found.events) == len(fine.events)
    for path in fine:
        assert np.abs(found[path].world.position - fine[path].world.position).max() < 1e-9
        assert angle_between(found[path].world.orientation, fine[path].world.orientation).max() < 1e-9
    assert np.abs(found.total_energy - fine.total_energy).max() < 1e-7 * np.abs(fine.total_energy).max()


@pytest.mark.slow
def test_between_impacts_the_motion_is_that_of_fine_steps():
    """A ball on a spring that bounces: the steps of contact are the same, so what differs is their inside."""
    spring = {"type": "spring", "to": "world", "to_at": [0, 0, 2], "stiffness": 40, "length": 0.5}
    bodies = {"floor": floor(), "b": ball(0.1, at=(0.3, 0, 1), restitution=0.7, forces=[spring])}
    heights = [
        rigidsim.simulate(touching(bodies, duration=1, step=0.005, integrator=how))["b"].world.position[:, 2]
        for how in ("rkmk4", by(1e-12))
    ]
    assert np.abs(heights[0] - heights[1]).max() < 1e-8


def test_a_collapse_is_reported_with_its_body_and_time():
    """A fall into a source of gravity from rest at 1 m ends after pi/(2 sqrt 2) s."""
    falling = {"mass": 1, "inertia": "point", "position": [1, 0, 0]}
    with pytest.raises(
        rigidsim.SimulationError, match=r"the motion of 'p' is not finite .* too long for the tolerance"
    ) as caught:
        rigidsim.simulate(scene({"p": falling}, 10, gravity=SUN, record_every=0.1))
    assert float(re.search(r"at t = (\S+) s would", str(caught.value))[1]) == pytest.approx(
        math.pi / math.sqrt(8), abs=1e-6
    )
    assert caught.value.trajectory.time[-1] == pytest.approx(1.1)


def test_a_lane_that_fails_stops_no_other():
    worlds = [
        build_world(scene({"p": PLANET | {"velocity": [0, v, 0]}}, 2, gravity=SUN, record_every=0.1))
        for v in (2.0, 0.0, 1.9)
    ]

    def ran(worlds: list) -> tuple:
        block = BlockRun(worlds, len(worlds))
        block.advance(20)
        end = block.present()
        return finite_lanes(block, end).tolist(), end.world.position.reshape(3, -1)

    finite, positions = ran(worlds)
    assert finite == [True, False, True]
    for lane in (0, 2):
        assert np.array_equal(positions[:, lane : lane + 1], ran([worlds[lane]])[1])


def test_an_expression_that_has_no_value_beyond_a_step_that_was_too_long_is_no_fault():
    """sqrt(1 - t) has none after the end; its slope there is infinite."""
    pushed = {"mass": 1, "inertia": "point", "forces": [{"force": ["= sqrt(1 - t)", 0, 0]}]}
    found = rigidsim.simulate(scene({"p": pushed}, 1, 1e-6))["p"].world.velocity[-1, 0]
    assert found == pytest.approx(2 / 3, abs=1e-5)


def test_it_goes_on_from_any_checkpoint_with_the_same_bits():
    made = make_scene(every_kind(), duration=0.5, step=STEP, integrator=by(), gravity=GRAVITY, record_every=STEP)
    whole = rigidsim.Simulation(made)
    whole.step(17)
    checkpoint, events = whole.checkpoint(), whole.events
    again = rigidsim.Simulation(made)
    again.resume(checkpoint, events)
    for one in (whole, again):
        one.step(33)
    for path in whole.state:
        for name in ("position", "velocity", "angular_velocity"):
            assert np.array_equal(getattr(whole.state[path].world, name), getattr(again.state[path].world, name))


def test_the_run_says_what_steps_it_took():
    simulation = rigidsim.Simulation(scene({"p": PLANET}, math.tau, gravity=SUN))
    assert simulation.n_step == 1000
    for _ in simulation.blocks():
        pass
    counts = simulation.step_counts
    assert 30 < counts.taken < 80
    assert counts.rejected < counts.taken
    assert 0.01 < counts.shortest < 0.1  # a twentieth of the period, shorter near the sun
    assert rigidsim.Simulation(make_scene({"p": PLANET}, duration=1, step=0.1)).step_counts is None


def test_free_flight_in_a_fast_drum_costs_a_few_steps():
    """Positions are stepped in world axes: the 200 rad of the drum are nothing to the chip."""
    chip = {"mass": 1, "inertia": "point", "position": [1, 0, 0]}
    chip["velocity"] = {"relative_to": "world", "value": [1, 0, 0]}
    drum = {"motion": {"prescribed": {"angular_velocity": [0, 0, 200]}}, "children": {"chip": chip}}
    simulation = rigidsim.Simulation(scene({"drum": drum}, 1, record_every=0.01))
    inside = [block.copied().world.position[:, 1] for block in simulation.blocks()]
    exact = np.stack([1 + np.linspace(0, 1, 101), np.zeros(101), np.zeros(101)], axis=-1)
    assert np.abs(np.concatenate(inside)[:101] - exact).max() < 1e-12  # 1e-14 measured
    assert simulation.step_counts.taken < 12  # 7 measured


def test_a_winding_far_beyond_a_turn_is_followed():
    """A weak torsion spring lets the step be as long as half a turn; fine steps are the reference."""
    spring = {"type": "torsion_spring", "to": "a", "axis": [0, 0, 1], "stiffness": 1e-3}
    round_one = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "angular_velocity": [0, 0, 0]}
    bodies = {"a": round_one, "b": round_one | {"angular_velocity": [0, 0, 4], "forces": [spring]}}
    found, fine = (run(bodies, duration=30, step=0.01, integrator=how) for how in (by(1e-8), "rkmk4"))
    assert abs(found["b"].world.angular_velocity[-1, 2] - fine["b"].world.angular_velocity[-1, 2]) < 1e-7


def test_a_function_of_python_is_called_with_the_time_as_a_number():
    body = {"mass": 1, "inertia": "point", "position": [1, 0, 0]}

    def pull(t, motions):
        assert isinstance(t, float)
        return -4 * motions["p"].position, (0, 0, 0)

    found = rigidsim.simulate(scene({"p": body}, 2, record_every=0.5), callbacks={"p": pull})["p"]
    assert np.allclose(found.world.position[:, 0], np.cos(2 * np.array([0, 0.5, 1, 1.5, 2])), atol=1e-9)


def test_half_the_step_of_a_certificate_is_a_smaller_tolerance():
    half = Certificate(scene({"top": TOP}, 4, 1e-7)).half
    assert 6 < half.order < 9


def test_it_asks_for_no_step_and_warns_of_none():
    wheel = TOP | {"angular_velocity": [0, 0, 900]}
    spring = {"type": "spring", "to": "world", "stiffness": 1e6}
    stiff = {"mass": 1, "inertia": "point", "position": [1, 0, 0], "forces": [spring]}
    made = scene({"wheel": wheel, "stiff": stiff}, 0.1, record_every=0.05)
    assert made.warnings == ()
    assert json.loads(json.dumps(made.resolved()))["simulation"]["step"] == 0.05


def test_what_it_needs_is_asked_for():
    with pytest.raises(rigidsim.SceneError, match=r"contact is computed in steps .* give simulation\.step"):
        scene({"floor": floor(), "b": ball(0.1, at=(0, 0, 1))}, 1)
    with pytest.raises(rigidsim.SceneError, match="the key 'step' is missing; or integrator: adaptive"):
        rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": {"duration": 1}, "bodies": {"p": PLANET}})
    with pytest.raises(rigidsim.SceneError, match=r"duration / record_every = 3\.33"):
        scene({"p": PLANET}, 1, record_every=0.3)
    with pytest.raises(rigidsim.SceneError, match=r"rtol: must be at least 1e-14"):
        scene({"p": PLANET}, 1, rtol=1e-16)


def test_the_weights_are_rounded_so_that_energy_does_not_drift():
    """To second order a step is exact but for its length: sum b_i c_i - 1/2 = sum b_i - 1, of the doubles as they are,
    with c_i the sum of the weights of stage i. What it misses by changes the energy in each step in the same sense.
    """
    rows = [[Fraction(weight) for weight in row] for row in tableau()[: AT_END + 1, 1:].tolist()]
    second = sum(b * sum(row) for b, row in zip(rows[AT_END], rows, strict=False)) - Fraction(1, 2)
    assert abs(second - (sum(rows[AT_END]) - 1)) < 1e-18  # 3.9e-16 with each weight rounded to nearest


def test_the_weights_of_every_sum_fit_the_instants():
    """Slopes of t^k: a stage of the pair takes their integrals from 0 to its instant, to k = 1 from the third on, the
    step to k = 7, and dense output at any instant to k = 6; the errors of what is exact vanish.
    """
    rows, c = tableau(), np.array(NODE)
    assert rows.shape == (IN_DENSE + TERMS, 1 + SLOPES)
    for k in range(8):
        assert rows[AT_END, 1:] @ c**k == pytest.approx(1 / (k + 1), abs=1e-14)
    stages = [i for i in range(2, SLOPES) if i != AT_END]
    assert np.allclose(rows[stages, 1:].sum(axis=1), c[stages], atol=1e-14)
    assert np.allclose(rows[stages, 1:] @ c, c[stages] ** 2 / 2, atol=1e-14)
    for e, order in zip(range(IN_ERROR, IN_DENSE), (5, 3), strict=True):
        assert np.allclose([rows[e, 1:] @ c**k for k in range(order)], 0, atol=1e-14)
        assert abs(rows[e, 1:] @ c**order) > 1e-4
    for x in (0.1, 0.37, 0.9):
        weights = np.cumprod([x, 1 - x, x, 1 - x, x, 1 - x, x])
        for k in range(7):
            assert weights @ rows[IN_DENSE:, 1:] @ c**k == pytest.approx(x ** (k + 1) / (k + 1), abs=1e-14)
