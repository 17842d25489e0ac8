"""Kinetic + potential - work is constant, whatever touches; contact's part of the work is reported by cause, and
what no cause explains is the error of contact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigidsim
from contact_scenes import G, ball, block, collide, floor, rod, surface, touching
from rigidsim.engine.contact import arrays as made
from rigidsim.report.contact import ledger_warnings, momentum_warnings
from rigidsim.report.drift import Drift
from rigidsim.trajectory.contact_ledger import CAUSES, ContactLedger

EPS = np.finfo(float).eps


def drift(trajectory) -> float:
    """The largest departure of the total energy from what it was, J."""
    return float(np.abs(trajectory.total_energy - trajectory.total_energy[0]).max())


def test_a_box_held_by_friction_against_a_push():
    """3 N for 10 s on a box that does not move: nothing is gained or lost."""
    push = {"force": [3, 0, 0], "frame": "world"}
    bodies = {"floor": floor(), "box": block((0.4, 0.4, 0.2), at=(0, 0, 0.1), forces=[push])}
    trajectory = collide(bodies, duration=10, step=5e-3, record_every=0.1)
    assert drift(trajectory) <= 1e-9
    assert np.abs(trajectory["box"].world.velocity[-1]).max() <= 1e-9
    assert abs(trajectory["box"].world.position[-1, 0]) <= 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_a_heap_of_everything_in_a_moving_frame(seed):
    """Shapes, materials, impacts, a shaking floor and children: the sum of what is booked stays what it was."""
    random = np.random.default_rng(seed)
    makers = (
        lambda **how: ball(0.2, **how),
        lambda **how: block((0.3, 0.4, 0.5), **how),
        lambda **how: rod(0.1, 0.4, **how),
    )
    children = {}
    for i in range(12):
        how = {
            "at": (0.9 * (i % 3) - 0.9 + 0.05 * random.normal(), 0.9 * (i // 3 % 2), 0.6 + 0.8 * (i // 6)),
            "restitution": float(random.choice([0, 0.5, 1])),
            "friction": float(random.choice([0, 0.5, 2])),
            "rolling": float(random.choice([0, 0.01])),
            "angular_velocity": random.normal(size=3).tolist(),
        }
        children[f"b{i:02}"] = makers[i % 3](**how)
    children["b03"]["children"] = {"cargo": ball(0.05, 0.1, at=(0, 0, 3))}
    tray = {"motion": {"prescribed": {"velocity": [0.3, 0, 0.1], "angular_velocity": [0, 0, 0.5]}}}
    walls = [{"type": "plane"}]
    walls += [
        {"type": "plane", "normal": list(n), "offset": -1.6} for n in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    ]
    trajectory = collide(
        {"tray": tray | {"shapes": walls, "children": children}}, duration=2, step=1e-3, record_every=0.02
    )
    size = max(np.abs(trajectory.diagnostic(part)).max() for part in ("kinetic_energy", "potential_energy", "work"))
    # The method's error of bodies that turn by up to 40 mrad a step: measured 4e-12, and 7e-11 at twice the step.
    assert drift(trajectory) <= 2e-11 * size
    # Of bodies that turn at once in another way: 1e-5 to 6e-5 of the kinetic energy.
    assert trajectory.contact_ledger.relative_error <= 2e-4


# --- by cause


BOX = (0.4, 0.4, 0.2)
LYING = {"at": (0, 0, 0.1)}
EASY = 2e-5  # J: what a body of 1 kg loses that settles by a micrometre


def ledger_of(bodies: dict, duration: float = 0.5, step: float = 1e-3, **how) -> ContactLedger:
    return collide(bodies, duration=duration, step=step, record_every=0.01, **how).contact_ledger


def expect(ledger: ContactLedger, within: float, **causes: float):
    """These causes, and no others."""
    wanted = dict.fromkeys(CAUSES, 0.0) | causes
    assert ledger.causes == pytest.approx(wanted, abs=within)
    assert abs(ledger.error) <= 1e-11 * max(map(abs, causes.values()))
    assert ledger.work == pytest.approx(sum(causes.values()), abs=within)


def test_restitution_takes_its_part():
    ledger = ledger_of({"floor": floor(), "ball": ball(at=(0, 0, 0.6), restitution=0.5)})
    expect(ledger, 1e-12, restitution=-0.75 * G * 0.5)


def test_friction_of_an_impact():
    """A ball that strikes at an angle and slides: mu (1 + e) m v_n against the slip, which falls by 7/2 of that."""
    bodies = {"floor": floor(), "ball": ball(at=(0, 0, 0.2), velocity=[3, 0, -2], restitution=0.5)}
    u, P = 3.0, 0.5 * 1.5 * 2.0
    assert u < 3.5 * P  # it would reverse: so it sticks, with u/(7/2)
    expect(ledger_of(bodies, 0.1, gravity=[0, 0, 0]), 1e-12, restitution=-0.75 * 2, impact_friction=-u * u / 7)


def test_friction_along_a_way():
    bodies = {"floor": floor(), "box": block(BOX, 2, velocity=[1, 0, 0], **LYING)}
    expect(ledger_of(bodies), EASY, friction=-1.0)


def test_a_body_that_lands():
    """Slower than what the threshold of impacts asks for, it is stopped by the sub-steps."""
    ledger = ledger_of({"floor": floor(), "ball": ball(at=(0, 0, 0.1 + 1e-5))}, step=5e-3)
    assert ledger.damping + ledger.overlaps == pytest.approx(ledger.work, abs=1e-12)
    assert ledger.work < 0 and ledger.damping < 0


def test_shapes_that_overlap_are_lifted():
    ledger = ledger_of({"floor": floor(), "ball": ball(at=(0, 0, 0.09))}, 3)
    assert ledger.overlaps == pytest.approx(G * 0.01, rel=1e-3)
    expect(ledger, EASY, overlaps=ledger.overlaps)


def test_a_lift_and_a_belt_do_work():
    up = {
        "lift": {"motion": {"prescribed": {"velocity": [0, 0, 0.5]}}} | floor(),
        "box": block(BOX, 2, velocity=[0, 0, 0.5], **LYING),
    }
    expect(ledger_of(up), EASY, driven=2 * G * 0.25)
    belt = {"shapes": [{"type": "plane", "surface_velocity": [1, 0, 0]}]} | surface()
    expect(ledger_of({"belt": belt, "box": block(BOX, 2, **LYING)}), EASY, driven=2.0, friction=-1.0)


def test_a_bat_does_work():
    """v_bat times the impulse; the blow itself takes (1 - e^2)/2 m u^2."""
    bat = {"motion": {"prescribed": {"velocity": [3, 0, 0]}}} | {"shapes": [{"type": "box", "size": [0.1, 1, 1]}]}
    bodies = {"bat": bat | surface(restitution=0.5, friction=0), "ball": ball(at=(0.2, 0, 0), friction=0)}
    expect(ledger_of(bodies, 0.1, gravity=[0, 0, 0]), 1e-12, driven=3 * 1.5 * 3, restitution=-0.375 * 9)


def test_what_a_frame_that_moves_adds_is_that_of_what_drives_it():
    """A tray turns and rises; the box on it does not slip."""
    tray = {"motion": {"prescribed": {"velocity": [3, 0, 0.2], "angular_velocity": [0, 0, 0.5]}}} | floor(friction=1)
    tray["children"] = {"box": block(BOX, at=(0.5, 0, 0.1), friction=1)}
    trajectory = collide({"tray": tray}, duration=0.5, step=1e-3)
    kinetic = trajectory.diagnostic("kinetic_energy")
    gained = kinetic[-1] - kinetic[0] + G * 0.2 * 0.5
    expect(trajectory.contact_ledger, EASY, driven=gained)


def test_thrust_along_the_displacement_by_contact():
    """The work of the force was counted along the way of a free body, F h/2m a step too much where it holds."""
    push = {"force": [3, 0, 0], "frame": "world"}
    ledger = ledger_of({"floor": floor(), "box": block(BOX, forces=[push], **LYING)}, step=1e-3)
    expect(ledger, EASY, loads=-0.5 * 9 * 1e-3 * 0.5)


def test_bodies_that_inherit_impulses():
    """What they gain with their parent is reported with the loads, and is no error."""
    kid = {"mass": 1, "inertia": {"principal": [0.1, 0.2, 0.3]}, "position": [0, 0, 2], "inherit_impulses": True}
    box = ball(0.2, at=(0, 0, 1)) | {"children": {"kid": kid}}
    ledger = ledger_of({"floor": floor(), "box": box}, 1)
    assert abs(ledger.loads) > 1
    assert abs(ledger.error) <= 1e-11 * ledger.kinetic_energy


@pytest.mark.parametrize("integrator", ["rkmk4", "euler"])
def test_rest_costs_nothing(integrator):
    """What the displacement of an integrator of first order adds is that of loads."""
    ledger = ledger_of({"floor": floor(), "ball": ball(at=(0, 0, 0.1))}, integrator=integrator)
    assert abs(ledger.damping) + abs(ledger.overlaps) + abs(ledger.error) <= 3e-6
    assert ledger_warnings(ledger, 1e-3) == []


def test_steps_that_are_taken_again_are_booked_once(monkeypatch):
    """The first arrays have no room for what touches, and none for the log."""
    bodies = {"floor": floor(), **{f"b{i}": block(BOX, at=(0.5 * i, 0, 0.2), restitution=0.3) for i in range(6)}}
    usual = ledger_of(bodies, 0.3)
    monkeypatch.setattr(made, "first_room", lambda *_: made.Room(pairs=2, points=2, log=2))
    assert ledger_of(bodies, 0.3) == usual
    assert usual.restitution < -1


def test_a_change_of_the_tree_keeps_what_was_booked():
    """A box slides on a sledge, of which it becomes independent on the way."""
    sledge = block((2, 1, 0.2), 5, at=(0, 0, 0.1)) | {
        "children": {"load": block(BOX, at=(0, 0, 0.2), velocity=[1, 0, 0])}
    }
    scene = touching({"floor": floor(), "sledge": sledge}, duration=1, step=2e-3)
    moved = rigidsim.Scene.from_dict(
        scene.resolved() | {"reparent": [{"body": "sledge/load", "to": "world", "time": 0.5}]}
    )
    plain, changed = (rigidsim.simulate(each).contact_ledger for each in (scene, moved))
    assert changed.causes == pytest.approx(plain.causes, abs=EASY)


# --- the error


def brick(step: float, velocity=(1.3, 0.7, -0.9), rate=(30, 15, -9), duration: float = 5) -> ContactLedger:
    """e = 1 without friction, in a room: its energy should not change."""
    walls = [{"type": "plane", "normal": list(n), "offset": -1} for n in np.vstack((np.eye(3), -np.eye(3))).tolist()]
    spinning = {"velocity": list(velocity), "angular_velocity": list(rate), "friction": 0}
    bodies = {
        "room": {"shapes": walls} | surface(restitution=1, friction=0),
        "brick": block((0.4, 0.3, 0.2), at=(0.1, 0.05, 0), **spinning),
    }
    trajectory = collide(bodies, duration=duration, step=step, record_every=0.1, gravity=[0, 0, 0])
    kinetic, ledger = trajectory.diagnostic("kinetic_energy"), trajectory.contact_ledger
    drift = np.abs(trajectory.total_energy - trajectory.total_energy[0]).max()
    assert ledger.work == pytest.approx(kinetic[-1] - kinetic[0], abs=2 * drift + 1e-12)
    return ledger


def test_a_step_that_is_too_long_gets_a_warning():
    """The drift shows nothing, because what the brick gains is booked; the step that is advised is short enough. After
    two seconds a change of 1e-9 at the start changes the error by 4e-5 of it; after five, by all of it.
    """
    (warning,) = ledger_warnings(brick(1e-2, duration=2), 1e-2)
    assert warning.startswith("the error of contact is 0.023 J, 0.0025 of the largest kinetic energy, 9.113 J: ")
    assert warning.endswith("use at most 0.006 s")
    assert ledger_warnings(brick(5e-3, duration=2), 5e-3) == []


def test_an_error_that_turns_do_not_explain_is_not_said_to_fall_with_the_step():
    """Of second order it would ask for a step that is 45 times shorter, then for one 45 times shorter than that."""
    causes = dict.fromkeys(CAUSES, 0.0) | {"error": -2.0}
    (warning,) = ledger_warnings(ContactLedger(**causes, kinetic_energy=1.0, left_out=0, unsettled=0), 1e-3)
    assert "use at most" not in warning and "turn too far" not in warning
    assert "0.0005 s; if the error does not fall to a quarter" in warning


def test_angular_momentum_that_contact_does_not_keep_gets_a_warning():
    """Where there is contact, beyond 1e-5 of its parts, unless there is nothing but the drift."""
    causes = dict.fromkeys(CAUSES, 0.0)
    ledger = ContactLedger(**causes, kinetic_energy=1.0, left_out=0, unsettled=0)
    drifted = Drift("angular momentum", "N m s", 9e-4, 19.0, began=17.0)
    (warning,) = momentum_warnings(ledger, [drifted], 1e-3)
    assert warning.startswith("the angular momentum drifted by 0.0009 N m s, 4.7e-05 of 19 N m s. Impulses on shapes")
    quiet = [
        replace(drifted, largest=1e-4), replace(drifted, largest=1e-16, size=1e-16, began=0.0),
        replace(drifted, name="linear momentum"),
    ]  # fmt: skip
    assert momentum_warnings(ledger, quiet, 1e-3) == momentum_warnings(None, [drifted], 1e-3) == []


def test_the_error_falls_with_the_square_of_the_step():
    """In the mean of twenty bricks: 1.9e-4, 4.6e-5, 1.2e-5 of the energy."""
    random = np.random.default_rng(1)
    starts = [(random.normal(size=3), 15 * random.normal(size=3)) for _ in range(20)]
    errors = [
        np.mean([brick(step, v.tolist(), rate.tolist(), 2).relative_error for v, rate in starts])
        for step in (4e-3, 2e-3, 1e-3)
    ]
    assert errors[0] > 3 * errors[1] > 9 * errors[2]


# --- bodies that are spun


def bullet(step: float, integrator: str = "magnus") -> rigidsim.Scene:
    """A thin rod that strikes an edge off its centre, and spins by 20 rad/ms."""
    bodies = {
        "wall": {"shapes": [{"type": "sphere", "radius": 0.05}]},
        "rod": rod(0.005, 0.1, 0.01, at=(0.3, 0.035, 0), velocity=[-300, 0, 0], restitution=0.5),
    }
    bodies["rod"]["orientation"] = {"axis": [1, 0, 0], "angle": 1.5}
    return touching(bodies, duration=5e-3, step=step, gravity=[0, 0, 0], integrator=integrator)


def test_a_body_that_an_impact_spins_too_fast_is_named():
    """At once; `rkmk4` and contact divide steps, and need no warning."""
    simulation = rigidsim.Simulation(bullet(1e-3))
    simulation.step()
    (warning,) = simulation.warnings
    assert warning.startswith("contact made 'rod' spin by 7.28 rad per step at t = 0.000816853506 s, too fast for")
    simulation.step(simulation.n_step - 1)
    assert simulation.warnings == (warning,)
    assert np.isfinite(simulation.state["rod"].world.angular_velocity).all()
    for scene in (bullet(1e-5), bullet(1e-3, "rkmk4")):
        followed = rigidsim.Simulation(scene)
        followed.step(followed.n_step)
        assert followed.warnings == ()


# --- shapes that sink into each other


def pressed(depth: float) -> rigidsim.Simulation:
    """A ball between the floor and a plate that comes down to this depth below the top of the ball, m; then is run."""
    bodies = {
        "floor": {"shapes": [{"type": "plane"}]},
        "ball": {"mass": 1, "position": [0, 0, 0.1], "shapes": [{"type": "sphere", "radius": 0.1}]},
        "plate": {
            "shapes": [{"type": "box", "size": [1, 1, 0.2]}],
            "motion": {"prescribed": {"position": [0, 0, f"= 0.3 - {depth}*t/0.1"]}},
        },
    }
    simulation = rigidsim.Simulation(touching(bodies, duration=0.1, step=1e-3))
    simulation.step(simulation.n_step)
    return simulation


def test_shapes_that_are_pressed_deeply_into_each_other_are_named():
    """A tenth of the radius of the ball, on one side or the other, once the plate has come down by twice as much."""
    (warning,) = pressed(0.06).warnings
    assert (
        warning.startswith("ball.shapes[0] and ")
        and "check for a prescribed motion or a motor that presses them together" in warning
    )
    first = float(warning.split(" at t = ")[1].split(" s")[0])
    assert 0.01 < 0.6 * first < 0.03
    assert pressed(0.005).warnings == ()
