"""The modes that are chosen at an instant, impacts of several stops at once, and events inside of steps."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.optimize import brentq

import rigidsim
from jointed_trees import jointed
from rigidsim.blueprints import build_world
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.events import buffer as events
from rigidsim.engine.events.buffer import EventBuffer, make_buffer
from rigidsim.engine.events.modes import begin_modes
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import WorldBlock, make_scratch
from rigidsim.engine.model.layout import COORDINATE, JOINT_VALUE, LEDGER
from rigidsim.engine.time.run import BlockRun
from rigidsim.jit.rows import with_rows
from rigidsim.physics.modes import constraint_bounds, sliding_force
from support.scenes import make_scene, run, slopes

G = [0.3, -0.2, -9.81]
LANES = (0.0,)
SCENES = Path(__file__).parents[2] / "scenes"


def tree(seed: int, n: int = 9) -> dict:
    """A free body with a tree of hinges and slides that have friction, a motor of a rate or a stop; most are at rest,
    and some are at their stops.
    """
    random = np.random.default_rng(seed)
    first = {"mass": 2.0, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": random.normal(size=3).tolist()}
    nodes = [first]
    for k in range(n):
        kind = ("hinge", "slide")[random.integers(2)]
        node = jointed(random, kind)
        own, place = node["motion"][kind], "angle" if kind == "hinge" else "displacement"
        x = own[place]
        own["rate"] = 0.0 if random.integers(3) else own.get("rate", 0.0)
        what = random.integers(4)
        if what == 0:
            own["motor"] = {"rate": float(random.choice([0.0, own["rate"], 1.3])), "max_torque": random.uniform(0, 20)}
        else:
            own["friction"] = random.uniform(0, 20)
        if kind == "slide" and what == 0:
            own["motor"]["max_force"] = own["motor"].pop("max_torque")
        if what == 2:
            own["limits"] = [x, None] if random.integers(2) else [None, x]
            own["rate"], own["restitution"] = 0.0, 0.5
        nodes[random.integers(len(nodes))].setdefault("children", {})[f"n{k}"] = node
        nodes.append(node)
    return {"n": first}


def begun(bodies: dict) -> tuple[WorldBlock, EventBuffer]:
    """The block and the buffer of a scene at t = 0, of which the modes are chosen, by the text as it stands."""
    world = build_world(make_scene(bodies, duration=1.0, step=0.01, gravity=G))
    scratch = make_scratch(world.model, LANES, len(world.state))
    block = with_rows(WorldBlock(0, world.model, world.state, scratch, LANES))
    evaluate(0.0, block)
    buffer = with_rows(make_buffer(world.model, LANES))
    begin_modes(0.0, 0.01, block, buffer)
    evaluate(0.0, block)
    return block, buffer


def coordinates(block: WorldBlock) -> list[tuple]:
    """(value, state, acceleration, constraint) of each coordinate that has modes."""
    model, state, scratch = block.model, block.state, block.scratch
    found = scratch.joints.modes
    return [
        (
            JOINT_VALUE(model.joints.value.rows[i]),
            COORDINATE(state[i]),
            scratch.rate[i].a[0],
            found.constraint[n].torque,
        )
        for n, i in enumerate(model.joints.modes)
    ]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_held_is_within_bounds_and_what_slides_obeys_coulomb(seed):
    held, slides = 0, 0
    for value, mode, a, constraint in coordinates(begun(tree(seed))[0]):
        late, size = mode.v - value.wanted, 1e-9 * (1.0 + abs(a))
        if mode.slip * mode.lag == 0.0:
            held += 1
            lower, upper = constraint_bounds(
                mode.x, mode.slip, mode.lag, (value.low, value.high), value.friction, value.largest
            )
            assert lower <= constraint <= upper
            assert a == 0.0
            assert (mode.v if mode.slip == 0.0 else late) == 0.0
            continue
        slides += 1
        assert constraint == sliding_force(mode.slip, mode.lag, value.friction, value.largest)
        for rate, sign, most in ((mode.v, mode.slip, value.friction), (late, mode.lag, value.largest)):
            assert most == 0.0 or rate * sign > 0.0 or (rate == 0.0 and sign * a >= -size)
        at_stop = mode.v == 0.0 and not value.low < mode.x < value.high
        assert not at_stop or (a >= -size if mode.x <= value.low else a <= size)
    assert held > 0
    assert slides > 0


@pytest.mark.parametrize("seed", range(5))
def test_a_constraint_force_does_what_the_same_torque_of_a_motor_does(seed):
    """All coordinates slide, with the constraint forces as known torques: accelerations are the same, zero of what is
    held.
    """
    block, _ = begun(tree(seed))
    model, scratch, given = block.model, block.scratch, coordinates(block)
    expected = np.array(scratch.rate.rows)
    for (value, mode, _, constraint), i in zip(given, model.joints.modes, strict=True):
        value.friction = value.largest = 0.0
        mode.slip = mode.lag = 1.0
        scratch.joints.kinematics[i].motor = constraint
    evaluate(0.0, block)
    assert abs(np.array(scratch.rate.rows) - expected)[:, : layout.RATE.power].max() < 1e-11 * abs(expected).max()


def striking(seed: int, n_stops: int, restitution: float) -> dict:
    """A floating tree of which some coordinates approach their stops."""
    random = np.random.default_rng(seed)
    first = {"mass": 2.0, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": random.normal(size=3).tolist()}
    nodes = [first]
    for k in range(5):
        kind = ("hinge", "slide")[random.integers(2)]
        node = jointed(random, kind)
        own = node["motion"][kind]
        x, rate = own["angle" if kind == "hinge" else "displacement"], random.uniform(0.5, 2.0)
        if k < n_stops:
            low = random.integers(2)
            own |= {"limits": [x, None] if low else [None, x], "rate": -rate if low else rate}
            own["restitution"] = restitution
        nodes[random.integers(len(nodes))].setdefault("children", {})[f"n{k}"] = node
        nodes.append(node)
    return {"n": first}


@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_impacts_of_several_stops_leave_no_approach_and_gain_no_energy(seed, restitution):
    (_, model, state, *_), buffer = begun(striking(seed, 3, restitution))
    struck = layout.HIT(buffer.event_value.rows[0])
    assert struck.energy_after <= struck.energy_before + 1e-14 * abs(struck.energy_before)
    if restitution == 1.0:
        assert struck.energy_after == pytest.approx(struck.energy_before, rel=1e-13)
    for i in model.joints.modes:
        mode, value = COORDINATE(state[i]), JOINT_VALUE(model.joints.value.rows[i])
        assert mode.v * (1.0 if mode.x <= value.low else -1.0) >= 0.0
    before, after = (row for row in np.asarray(buffer.pair.ledger.rows))
    for part in (LEDGER.momentum, LEDGER.spin):
        total = [row[part] + (row[LEDGER.orbital] if part == LEDGER.spin else 0.0) for row in (before, after)]
        assert abs(total[1] - total[0]).max() < 1e-13 * abs(total[0]).max()


@pytest.mark.parametrize("seed", range(8))
def test_one_impact_reverses_the_rate_by_its_restitution(seed):
    (_, model, state, *_), buffer = begun(striking(seed, 1, 0.7))
    (i,) = model.joints.modes
    first = build_world(make_scene(striking(seed, 1, 0.7), duration=1.0, step=0.01, gravity=G)).state[i]
    assert COORDINATE(state[i]).v == pytest.approx(-0.7 * COORDINATE(first).v, rel=1e-13)
    assert buffer.filled[0] == 1


def two_rods(friction: float, other: float, **more) -> dict:
    """A double pendulum of rods with dry friction in both hinges."""
    rod = {"mass": 1.0, "inertia": {"principal": [1 / 12, 1 / 12, 1e-3]}, "center_of_mass": [0, 0, -0.5]}
    second = rod | {"position": [0, 0, -1], "motion": {"hinge": {"axis": [1, 0, 0], "friction": other} | more}}
    first = {"hinge": {"axis": [1, 0, 0], "angle": 1.5, "friction": friction}}
    return {"first": rod | {"motion": first, "children": {"second": second}}}


def coordinates_of(found) -> np.ndarray:
    """(sample, coordinate)"""
    return np.asarray(found.arrays["joints/coordinate"])


def test_two_joints_with_friction_come_to_rest_where_short_steps_say():
    """Several reversals of each joint, sticking of one while the other slides, and rest."""
    ends = [
        run(two_rods(2.0, 0.7), duration=8.0, step=step, gravity=[0, 0, -9.81], record_every=0.1)
        for step in (0.01, 0.005, 2.5e-4)
    ]
    x, y, exact = map(coordinates_of, ends)
    rates = np.asarray(ends[2].arrays["joints/rate"])
    assert (np.count_nonzero(np.diff(np.sign(rates), axis=0), axis=0) > 3).all()
    assert (rates[-1] == 0.0).all()
    assert abs(x - exact).max() < 1e-6  # 3.7e-7, at 5 ms 2.3e-8
    assert abs(y - exact).max() < 1e-7


def test_the_order_of_the_method_is_kept_through_friction_and_impacts():
    steps, last = (8e-3, 4e-3, 5e-4), []
    for step in steps:
        bodies = two_rods(0.6, 0.3, limits=["-10 deg", "15 deg"], restitution=0.8)
        found = run(bodies, duration=2.0, step=step, gravity=[0, 0, -9.81], record_every=2.0)
        last.append(coordinates_of(found)[-1])
    assert len(found.events) > 2
    errors = [abs(end - last[2]).max() for end in last[:2]]
    assert slopes(steps[:2], errors) == pytest.approx(4.0, abs=0.5)


def four_bars(step: float, duration: float, **hinges: dict) -> object:
    """The two four-bar linkages of `scenes/four_bar.yaml`, one pendulum of 3 kg m^2 and 3.5 kg m, with more keys in the
    hinges of its cranks.
    """
    scene = yaml.safe_load((SCENES / "four_bar.yaml").read_text())
    del scene["oracle"]
    scene["simulation"] |= {"step": step, "duration": duration, "record_every": 0.1}
    for crank, keys in hinges.items():
        scene["bodies"][crank]["motion"]["hinge"] |= keys
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene))


@pytest.mark.slow
def test_a_linkage_with_friction_in_two_of_its_cranks_rests_at_the_exact_turning_angle():
    """Each stroke ends where potential energy and 6 N m times the way are the energy at its beginning. One joint is
    held at last; the loops leave the other nothing but rounding.
    """
    found = four_bars(5e-3, 14.0, second={"friction": 3.0}, third={"friction": 3.0})
    potential, rest, way = (lambda x: 3.5 * 9.81 * math.cos(x)), 0.0, 1.0
    energy = 1.5 + potential(0.0)
    while rest == 0.0 or abs(3.5 * 9.81 * math.sin(rest)) > 6.0:
        begin, far = rest, 2 * math.pi if way > 0 else 0.0
        rest = brentq(lambda x: potential(x) + 6.0 * abs(x - begin) - energy, math.pi, far, xtol=1e-14)  # noqa: B023
        energy, way = potential(rest), -way
    assert abs(coordinates_of(found)[-1, [0, 2, 4]] + rest).max() < 1e-9  # 2.3e-10
    rates = abs(np.asarray(found.arrays["joints/rate"])[-1, [2, 4]])
    assert rates.min() == 0.0
    assert rates.max() < 1e-30
    assert np.ptp(found.total_energy) < 1e-7


@pytest.mark.parametrize("restitution", [0.6, 1.0])
def test_a_linkage_strikes_a_stop_as_the_pendulum_that_it_is(restitution):
    stop = {"limits": [-2.5, 0.8], "restitution": restitution}
    found = four_bars(5e-3, 2.4, third=stop)
    hinge = {"hinge": {"axis": [0, 0, 1], "rate": -1} | stop}
    one = {"mass": 7, "center_of_mass": [0, 0.5, 0], "inertia": {"principal": [1.25] * 3}, "motion": hinge}
    same = run({"one": one}, duration=2.4, step=1e-3, gravity=[0, -9.81, 0], record_every=0.1)
    assert len(found.events) == len(same.events) > 1
    for mine, other in zip(found.events, same.events, strict=True):
        assert mine.time == pytest.approx(other.time, abs=1e-7)
        assert mine.energy == pytest.approx(other.energy, abs=1e-6)
    assert abs(coordinates_of(found)[:, [0, 2, 4]] - coordinates_of(same)).max() < 1e-6


def test_a_buffer_that_is_too_small_loses_no_event_and_changes_no_bit(monkeypatch):
    """Three balls that rebound many times in steps of 0.1 s, recorded in a buffer of six events, which grows."""
    slide = {"axis": [0, 0, 1], "displacement": 0.1, "limits": [0, 0.3], "restitution": 1.0, "rate": 3.0}
    balls = {name: {"mass": 1.0, "inertia": "point", "motion": {"slide": slide}} for name in "abc"}
    found = []
    for capacity in (events.CAPACITY, 1):
        monkeypatch.setattr(events, "CAPACITY", capacity)
        world = build_world(make_scene(balls, duration=2.0, step=0.1))
        block = BlockRun([world], 1, keeps_events=True)
        block.advance(20)
        kept = [(one.event, one.value) for one in block.events]
        rows, values = (np.concatenate(each) for each in zip(*kept, strict=True))
        found.append((block.state.copy(), rows[:, : layout.RECORD.instant], values, len(kept)))
    assert len(found[0][1]) > 50
    assert found[1][3] > 3
    for one, other in zip(found[0][:3], found[1][:3], strict=True):
        assert (one == other).all()


CHOOSING = {"adaptive": {"rtol": 1e-9, "atol": 1e-9}, "taylor": {"tolerance": 1e-10}}
"""Methods that choose their steps, with their tolerances."""


def by_tolerance(name: str, bodies: dict, **how) -> rigidsim.Scene:
    return make_scene(bodies, integrator={"name": name} | CHOOSING[name], **how)


def pushed_block(rise: float) -> dict:
    """A block of 1 kg with 2 N of dry friction, which a force of rise t pushes."""
    force = {"force": [f"= {rise}*t", 0, 0]}
    slide = {"slide": {"axis": [1, 0, 0], "friction": 2.0}}
    return {"block": {"mass": 1.0, "inertia": "point", "motion": slide, "forces": [force]}}


@pytest.mark.parametrize("name", ["adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_steps_by_tolerance_find_the_instants_of_impacts_and_of_release(name):
    """A ball that rebounds as in its closed form until it rests; a pendulum with friction at the last of its exact
    turning angles; a block that a growing force breaks loose at 0.8 s, whatever the length of steps.
    """
    ball = {"mass": 1.0, "inertia": "point"}
    ball["motion"] = {"slide": {"axis": [0, 0, 1], "displacement": 1.0, "limits": [0, None], "restitution": 0.5}}
    rod = {"mass": 1, "inertia": {"principal": [0.1] * 3}, "center_of_mass": [0, 0, -1], "position": [5, 0, 0]}
    rod["motion"] = {"hinge": {"axis": [1, 0, 0], "angle": 1.2, "friction": 0.8}}
    bodies = {"ball": ball, "rod": rod} | pushed_block(2.5)
    found = rigidsim.simulate(by_tolerance(name, bodies, duration=12.0, step=0.25, gravity=[0, 0, -9.81]))
    place, angle, way = coordinates_of(found)[-1]
    first, second = list(found.events)[:2]
    fall = math.sqrt(2 / 9.81)
    assert (first.time, second.time) == pytest.approx((fall, 2 * fall), abs=1e-9)
    assert place == 0.0
    assert angle == pytest.approx(0.03467601445216776, abs=1e-9)
    left = 12.0 - 0.8
    assert way == pytest.approx(2.5 * left**3 / 6, rel=1e-9)
    assert np.ptp(found.total_energy) < 1e-7 * 2.5**2 * left**4 / 8


@pytest.mark.parametrize("name", ["adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_trials_to_events_have_the_same_bits_in_lanes_and_slices(name):
    def scene(k: int) -> rigidsim.Scene:
        bodies = two_rods(0.6, 0.3 + 0.01 * k, limits=["-10 deg", "15 deg"], restitution=0.8)
        return by_tolerance(name, bodies | pushed_block(2.0 + k), duration=1.2, step=0.05, record_every=0.1)

    together = rigidsim.simulate([scene(k) for k in range(17)])
    for k in (0, 16):
        alone, stepped = rigidsim.simulate(scene(k)), rigidsim.Simulation(scene(k))
        for _ in range(24):
            stepped.step(1)
        assert (coordinates_of(alone) == coordinates_of(together[k])).all()
        assert list(alone.events) == list(together[k].events)
        for path in alone.paths:
            assert (stepped.state[path].world.position == alone[path].world.position[-1]).all()


@pytest.mark.parametrize("name", ["rkmk4", "adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_an_impulse_moves_what_dry_friction_holds(name):
    """No finite force has an impulse: 3 N s on 1 kg, which 2 N stop after 1.5 s and 2.25 m."""
    block = pushed_block(0.0)
    block["block"]["impulses"] = [{"time": 0.5, "impulse": [3, 0, 0]}]
    how = {"duration": 3.0, "step": 0.1, "record_every": 0.5}
    found = run(block, **how) if name == "rkmk4" else rigidsim.simulate(by_tolerance(name, block, **how))
    rates = np.asarray(found.arrays["joints/rate"])[:, 0]
    assert rates[1:] == pytest.approx([3.0, 2.0, 1.0, 0.0, 0.0, 0.0], abs=1e-12)
    assert (rates[5:] == 0.0).all()
    assert coordinates_of(found)[-1, 0] == pytest.approx(2.25, rel=1e-12)
    assert np.ptp(found.total_energy) < 1e-12
