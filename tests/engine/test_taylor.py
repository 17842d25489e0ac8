"""The integrator `taylor`: accuracy, branches, lanes, slices, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import block_of
from rigidsim.engine.model.layout import NO_ROW
from rigidsim.engine.time.run import BlockRun
from rigidsim.errors import SimulationError, UsageError
from support.scenes import angle_between, make_scene, run

TOP = {
    "mass": 1.0,
    "inertia": {"principal": [1.0, 2.0, 3.0]},
    "angular_velocity": {"frame": "body", "value": [1, 1, 1]},
}
# The top's orientation after 100 s by series in extended precision.
AT_100 = np.array([-0.75436201598143257156, 0.61119278548019471855, -0.18605443580498175298, -0.15088099528661478809])


def taylor(tolerance):
    return {"name": "taylor", "tolerance": tolerance}


def scene(bodies, duration, tolerance=1e-12, **more):
    return make_scene(bodies, duration=duration, step=duration / 100, integrator=taylor(tolerance), **more)


@pytest.mark.parametrize(("tolerance", "most"), [(1e-8, 2e-8), (1e-11, 1e-11), (1e-12, 2e-12)])
def test_the_top_after_100_s_is_as_exact_as_its_tolerance(tolerance, most):
    found = run({"top": TOP}, duration=100.0, step=1.0, integrator=taylor(tolerance))
    assert angle_between(np.asarray(found.motion("world", 0).orientation)[-1], AT_100) < most


def pushed(*force):
    load = {"type": "constant", "force": list(force)}
    return {"b": {"mass": 1.0, "inertia": "point", "position": [1.0, 0.0, 0.0], "forces": [load]}}


def position(bodies, duration, **more):
    return np.asarray(
        run(bodies, duration=duration, step=duration / 100, integrator=taylor(1e-12), **more)
        .motion("world", 0)
        .position
    )[-1]


def test_a_force_that_jumps_does_so_where_its_condition_changes():
    # From x = 1 at rest with a = -10 if x > 0, else 10: x = 1 - 5 t^2, from sqrt(1/5) on parabolas; period 4/sqrt(5) s.
    assert position(pushed("= if(x > 0, -10, 10)", 0, 0), 4 * np.sqrt(0.2)) == pytest.approx([1.0, 0.0, 0.0], abs=1e-10)


def test_after_thousands_of_jumps_a_force_is_as_late_as_each_of_them():
    """The same for 1700 periods, T = 3041 s. A jump that is d late adds 8.9 d of the energy, and 4.5 d of each period
    after it. From rounding of its time d is about 2^-51 t, 1e-16 (T - t) from the step that it ends, and 1e-13 of the
    way to it, 0.9 s: after 3400 jumps 5 (2^-51/6 + 1e-16/3) T^3 + 2.2e-13 T^2 = 1.7e-5 s of phase, at 10 m/s^2.
    """
    duration = 1700 * 4 * np.sqrt(0.2)
    bodies = pushed("= if(x > 0, -10, 10)", 0, 0)
    last = run(bodies, duration=duration, step=duration, integrator=taylor(1e-12))["b"].world
    assert last.velocity[-1, 0] == pytest.approx(1.7e-4, abs=0.5e-4)  # 1.71e-4 measured
    assert last.position[-1, 0] == pytest.approx(1.0, abs=5e-8)  # 2.6e-8 measured, of the added energy


@pytest.mark.slow
def test_a_condition_changes_late_in_a_run_as_it_does_early():
    """From 2048 s on times are 4.5e-13 s apart, which is more than steps go beyond a change. The components of an
    orientation change their signs together, and the torque does not.
    """
    torque = ["= 0.02*(q_y*q_z - q_w*q_x)", "= -0.02*(q_x*q_z + q_w*q_y)", 0]
    found = run({"top": TOP | {"forces": [{"torque": torque}]}}, duration=2600, step=2600, integrator=taylor(1e-8))
    assert abs(found.total_energy[-1] / found.total_energy[0] - 1) < 1e-8  # 8e-10 measured


@pytest.mark.slow
@pytest.mark.parametrize("far", [1e6, 1e9])
def test_a_condition_changes_far_from_the_origin_as_it_does_near_it(far):
    """Places near 1e9 m are 1.2e-7 m apart, so the sign of x - far is hidden for as many seconds at 1 m/s."""
    bodies = pushed(f"= if(x > {far!r}, -1, 1)", 0, 0)
    bodies["b"]["position"] = [far - 0.5, 0.0, 0.0]
    # Parabolas from far at 1, 3, ... 9 s on. A step ends up to 16 times as far beyond a change as the sign is hidden,
    # d = 1.8e-15 far s; each of five jumps moves the end by less than 4 d. Measured: 1e-8 m and 9e-6 m.
    assert position(bodies, 10.3)[0] - far == pytest.approx(0.5 - 0.3**2 / 2, abs=4e-14 * far)


@pytest.mark.slow
def test_forces_that_jump_in_time_are_summed_exactly():
    # a = floor(3 t) on (0, 2): the sum over k = 0 to 5 of k (1/3) (2 - (2 k + 1)/6), plus 0
    wanted = sum(k / 3 * (2 - (2 * k + 1) / 6) for k in range(6))
    assert position(pushed("= floor(3*t)", 0, 0), 2.0) == pytest.approx([1.0 + wanted, 0.0, 0.0], abs=1e-11)


DRAG = {"type": "drag", "quadratic": 0.4}
LIMIT = np.sqrt(9.81 / 0.4)  # the speed at which the drag of 1 kg is its weight, m/s


def height(speed, duration):
    """That of a body of 1 kg that is thrown upwards, after so long, and the drag of it."""
    body = {"mass": 1.0, "inertia": "point", "velocity": [0, 0, speed], "forces": [DRAG]}
    return position({"b": body}, duration, gravity=[0, 0, -9.81])[2]


def test_a_body_falls_from_rest_through_air():
    # Galileo's fall with drag: z = -(u^2/g) ln cosh(g t/u); |v| = t |v/t| at the beginning.
    assert height(0.0, 1.5) == pytest.approx(-(LIMIT**2) / 9.81 * np.log(np.cosh(9.81 * 1.5 / LIMIT)), abs=1e-11)


def test_a_body_that_is_thrown_up_through_air_comes_down():
    # Up to (u^2/2g) ln(1 + w^2/u^2) in (u/g) arctan(w/u); at the top, where v = 0, the sign of v^2 |v|/v changes.
    w, u, g = 7.0, LIMIT, 9.81
    top, rising = u**2 / (2 * g) * np.log(1 + w**2 / u**2), u / g * np.arctan(w / u)
    falling = 1.2 - rising
    assert height(w, 1.2) == pytest.approx(top - u**2 / g * np.log(np.cosh(g * falling / u)), abs=1e-10)


@pytest.mark.slow
def test_a_pendulum_turns_back_in_air():
    # Past the zero of v, coefficients of |v| grow as |v|^(1 - k). The other method has 1.1e-13 m at most in 40 runs.
    def pendulum(rate, how):
        hinge = {"axis": [-0.27, 0.49, 0.26], "at": [-0.2, 0.4, 0.4], "angle": 0.3, "rate": rate}
        body = {
            "mass": 2.3, "inertia": {"principal": [0.3, 0.97, 1.1]}, "center_of_mass": [0.28, 0.12, 0.12],
            "motion": {"hinge": hinge}, "forces": [{"type": "drag", "linear": 0.13, "quadratic": 0.13}],
        }  # fmt: skip
        data = {"world": {"gravity": [1.3, 3.6, 3.8]}, "bodies": {"rod": body}}
        simulation = {"duration": 2, "record_every": 1, "integrator": how}
        return rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, **data})

    for number in (2, 14, 24, 34, 44):
        ends = [
            rigidsim.simulate(pendulum(0.3 + 2.7 * number / 78, how))["rod"].world.position[-1]
            for how in ({"name": "taylor", "tolerance": 1e-13}, {"name": "adaptive", "rtol": 1e-13, "atol": 1e-15})
        ]
        assert ends[0] == pytest.approx(ends[1], abs=2e-12)


@pytest.mark.slow
def test_drag_waits_for_a_force_that_grows_from_nothing():
    # Of v ~ t^2 the length is t^2 |v/t^2|; the same by Runge and Kutta's method of order 8.
    body = {"b": {"mass": 1.0, "inertia": "point", "forces": [DRAG, {"force": ["= 3*t", "= t", 0]}]}}
    other = run(body, duration=2.0, step=0.02, integrator={"name": "adaptive", "rtol": 1e-13})
    assert position(body, 2.0) == pytest.approx(np.asarray(other.motion("world", 0).position)[-1], abs=1e-11)


@pytest.mark.slow
def test_drag_on_a_body_that_stays_at_rest_is_nothing():
    assert position({"b": {"mass": 1.0, "inertia": "point", "forces": [DRAG]}}, 1.0).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.slow
def test_a_spring_that_becomes_a_point_has_no_direction_and_no_series():
    spring = {"type": "spring", "to": "world", "stiffness": 9.0, "length": 1.0}
    body = {"b": {"mass": 1.0, "inertia": "point", "position": [3.0, 0.0, 0.0], "forces": [spring]}}
    with pytest.raises(SimulationError, match=r"at t = 0\.698.*it has no series"):  # 1 + 2 cos(3 t) = 0
        position(body, 1.0)


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-5])
def test_a_force_that_acts_for_an_instant_is_not_missed(width):
    # In a layer of this width, a part of a single step: v^2 = 1 + 2 (1/width) width beyond it. A step ends 1e-13 of the
    # way after a crossing, and the margin is known to 1e-15 of its largest summand.
    body = pushed(f"= if((x - 3.3)^2 < {width**2 / 4!r}, {1 / width!r}, 0)", 0, 0)
    body["b"]["velocity"] = [1, 0, 0]
    found = run(body, duration=4.0, step=4.0, integrator=taylor(1e-12))["b"].world
    error = 4e-13 / width + 1e-14 / width**2
    assert found.velocity[-1, 0] == pytest.approx(np.sqrt(3.0), abs=error)
    beyond = 4.0 - (2.3 - width / 2) - width * (np.sqrt(3.0) - 1.0)
    assert found.position[-1, 0] == pytest.approx(3.3 + width / 2 + np.sqrt(3.0) * beyond, abs=error)


@pytest.mark.slow
def test_lanes_and_slices_do_not_change_a_bit():
    bodies = {"top": TOP, "weight": {"mass": 2.0, "inertia": "point", "position": [2, 0, 0], "forces": [
        {"type": "spring", "to": "top", "stiffness": 3.0, "length": 1.0}]}}  # fmt: skip
    one, other = (build_world(scene(made, 20.0)) for made in (bodies, bodies | {"top": TOP | {"mass": 1.5}}))
    whole, parts, lanes = BlockRun([one], 1), BlockRun([one], 1), BlockRun([other, one, other], 16)
    whole.advance(100)
    while parts.n < 100:
        parts.advance(min(7, 100 - parts.n))
    lanes.advance(100)
    state = lanes.state.reshape(len(lanes.state), -1, 16)
    assert parts.state.tobytes() == whole.state.tobytes() == np.ascontiguousarray(state[:, :, 1]).tobytes()
    assert not np.array_equal(state[:, :, 0], state[:, :, 1])


@pytest.mark.slow
def test_numbers_that_are_zero_or_one_in_one_lane_do_not_change_its_bits():
    """Alone, what is zero or one leaves the graph; beside worlds in which it is another number, it does not."""

    def world(x):
        spring = {"type": "spring", "to": "top", "stiffness": 3.0, "length": 1.0, "damping": x, "at": [0, 0.2 * x, 0]}
        drags = [{"type": "drag", "linear": x, "quadratic": 0.1}, DRAG | {"medium": "top"}]
        body = {"mass": 2.0, "inertia": {"principal": [1.0, 1.0, 1.0 + x]}, "position": [2, 0, x]}
        body |= {"velocity": [x, 0, 0], "center_of_mass": [0, 0.1 * x, 0], "forces": [spring, *drags]}
        bodies = {"top": TOP | {"inertia": {"principal": [1.0, 2.0, 2.0 + x]}}, "weight": body}
        return build_world(scene(bodies, 5.0, gravity=[0, 0, -x]))

    together = BlockRun([world(x) for x in (0.0, 0.3, 1.0)], 3)
    together.advance(100)
    state = together.state.reshape(len(together.state), -1, 3)
    for lane, x in enumerate((0.0, 0.3, 1.0)):
        alone = BlockRun([world(x)], 1)
        alone.advance(100)
        assert alone.state.tobytes() == np.ascontiguousarray(state[:, :, lane]).tobytes(), x


@pytest.mark.slow
def test_a_power_has_the_bits_of_its_exponent_beside_others():
    """Products for whole and half exponents, and where the root of one would end a step, others go on; also in a block
    that begins again.
    """

    def world(p):
        far = 0.0 if p % 1 == 0 else 9.0  # whole powers are those of a number that passes zero
        ball = {"mass": 1, "inertia": "point", "position": [1, 0, 0], "velocity": [-3, 0, 0]}
        force = f"= -2*(x + {far!r})^{p!r}"
        return build_world(scene({"ball": ball | {"forces": [{"force": [force, 0, 0]}]}}, 0.5))

    blocks = [(3.0, 2.0, 0.5), (2.0, 0.3, 1.5), (1.0, 0.3, -0.5)]
    used = BlockRun([world(p) for p in blocks[0]], 3)
    for block in blocks:
        if block is not blocks[0]:
            used.begin_again(*block_of([world(p) for p in block]))
        used.advance(100)
        state = used.state.reshape(len(used.state), -1, 3)
        for lane, p in enumerate(block):
            alone = BlockRun([world(p)], 1)
            alone.advance(100)
            assert np.isfinite(alone.state).all() and (alone.state[0, 0] < 0.0 or p % 1)
            assert alone.state.tobytes() == np.ascontiguousarray(state[:, :, lane]).tobytes(), p


@pytest.mark.slow
def test_a_block_that_begins_again_has_the_bits_of_a_new_one():
    """With other numbers, of which the series are made anew, and with another start only."""
    first, heavier = TOP, TOP | {"inertia": {"principal": [1.0, 2.5, 3.0]}}
    faster = heavier | {"angular_velocity": {"frame": "body", "value": [1, 2, 1]}}
    used = None
    for body in (first, heavier, faster):
        world = build_world(scene({"top": body}, 5.0))
        new = BlockRun([world], 1)
        if used is None:
            used = BlockRun([world], 1)
        else:
            used.begin_again(*block_of([world]))
        for one in (new, used):
            one.advance(100)
        assert used.state.tobytes() == new.state.tobytes()


SUN = {"center": [0, 0, 0], "gm": 1.0}
PLANET = {"mass": 1.0, "inertia": {"principal": [1.0, 2.0, 3.0]}, "position": [1, 0, 0], "velocity": [0, 1.2, 0.1]}
TILTED = PLANET | {"orientation": {"axis": [0, 0, -1], "angle": 0.3}}
TURNING = PLANET | {"angular_velocity": [0, 0, 0.3]}


def around(*bodies, **more):
    """Blocks of scenes in which these bodies go around a centre of gravity."""
    return [build_world(scene({"b": body}, 5.0, gravity=SUN, **more)) for body in bodies]


def ends(worlds, without_rest=False):
    """The states at the end of a block, (world, row, column)."""
    block = BlockRun(worlds, len(worlds))
    given = block._scratch.trial.given
    if without_rest:
        given.number[:, 1] = NO_ROW
    block.advance(100)
    return np.moveaxis(block.state.reshape(len(block.state), -1, len(worlds)), 2, 0), given


def test_a_body_that_does_not_turn_has_the_bits_of_one_that_could_and_fewer_operations():
    """Also the zeros of its orientation, of which some are negative."""
    (found, *_), given = ends(around(TILTED))
    (wanted, *_), _ = ends(around(TILTED), without_rest=True)
    assert found.tobytes() == wanted.tobytes()
    (moving, resting), runs = given.number[0], given.run
    n = [int(sum(run[3] - run[2] for run in runs[given.first[k] : given.first[k + 1]])) for k in (moving, resting)]
    assert n[1] < 0.45 * n[0]  # 19 of 49 measured, of which 7 are the integrations of p, v and work


@pytest.mark.slow
def test_beside_a_body_that_turns_one_that_does_not_keeps_its_bits():
    together, _ = ends(around(PLANET, TURNING, TILTED))
    for body, found in zip((PLANET, TURNING, TILTED), together, strict=True):
        assert ends(around(body))[0][0].tobytes() == np.ascontiguousarray(found).tobytes()


def test_a_body_at_rest_begins_to_turn_by_an_impulse():
    """A blow of 2 N m s about the axis of 3 kg m2, at 1 s of 5 s."""
    body = PLANET | {"impulses": [{"time": 1.0, "angular_impulse": [0, 0, 2.0]}]}
    found = run({"b": body}, gravity=SUN, duration=5.0, step=5.0, integrator=taylor(1e-12))["b"].world
    half = 0.5 * 4.0 * 2.0 / 3.0
    assert angle_between(found.orientation[-1], np.array([np.cos(half), 0.0, 0.0, np.sin(half)])) < 1e-14


def test_what_a_torque_turns_is_not_at_rest():
    """A body on a spring beside its centre, the planet that holds it, and one that a torque turns after 1 s."""
    spring = {"type": "spring", "to": "held", "stiffness": 3.0, "length": 1.0, "at": [0, 0.2, 0]}
    push = {"torque": [0, 0, 1.0], "during": [1, 2]}
    bodies = {"held": PLANET, "swung": PLANET | {"forces": [spring]}, "late": PLANET | {"forces": [push]}}
    given = BlockRun([build_world(scene(bodies, 3.0, gravity=SUN))], 1)._scratch.trial.given
    assert given.resting[:3].tolist() == [[1, 0, 1], [1, 0, 0], [1, 0, 1]]  # then the end of the run


@pytest.mark.slow
def test_a_velocity_that_no_force_changes_any_more_is_a_number():
    """a' = sin 3t until 1 s; b' = t until 0.503 s, then the velocity of a."""
    follows = {"force": [0, '= if(t > 0.503, v_x("a", "world"), t)', 0]}
    body = {"mass": 1.0, "inertia": "point"}
    bodies = {"a": body | {"forces": [{"force": ["= sin(3*t)", 0, 0], "during": [0, 1]}]}}
    bodies["b"] = body | {"position": [5, 0, 0], "forces": [follows]}
    found = run(bodies, duration=3.0, step=3.0, integrator=taylor(1e-12))["b"].world.position[-1, 1]

    def distance(rate, begin, end):
        return quad(lambda t: (3.0 - t) * rate(t), begin, end, epsabs=1e-13)[0]

    wanted = distance(lambda t: t, 0.0, 0.503) + distance(lambda t: (1 - np.cos(3 * t)) / 3, 0.503, 1.0)
    assert found == pytest.approx(wanted + distance(lambda t: (1 - np.cos(3.0)) / 3, 1.0, 3.0), abs=1e-11)


def test_functions_of_python_are_refused():
    with pytest.raises(UsageError, match="callbacks: taylor needs the equations of all forces"):
        rigidsim.Simulation(scene({"top": TOP}, 1.0), callbacks={"top": lambda time, state: ((0, 0, 0), (0, 0, 0))})


@pytest.mark.parametrize(
    "tolerance", [1e-6, 1e-12, *(pytest.param(x, marks=pytest.mark.slow) for x in (1e-3, 1e-7, 1e-9))]
)
def test_a_motion_of_which_only_every_fourth_coefficient_is_not_zero_keeps_its_energy(tolerance):
    """A pendulum from 90 degrees: by symmetry the last two coefficients of most orders vanish at the start. The bound
    is that of some forty swings, with a hundred steps each, of which each is wrong by some tolerances.
    """
    scene = f"""
format: rigidsim/1
simulation: {{duration: 25, step: 0.5, integrator: {{name: taylor, tolerance: {tolerance}}}}}
world: {{gravity: [0, 0, -9.81]}}
bodies:
  arm:
    mass: 1
    inertia: {{principal: [0.1, 0.1, 0.1]}}
    position: [0, 0, -1]
    motion: {{hinge: {{axis: [0, 1, 0], at: [0, 0, 1], angle: 90 deg}}}}
"""
    energy = rigidsim.simulate(rigidsim.Scene.from_text(scene)).total_energy
    print(tolerance, abs(energy - energy[0]).max())
    assert abs(energy - energy[0]).max() < 9.81 * 40 * tolerance + 1e-12
