"""Contact in rare circumstances: parts of divided steps, sensors, planes, arrays without room."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, block, collide, floor, touching
from rigidsim.engine.contact import arrays as made


@pytest.mark.parametrize("edge", [0.0603, 0.060001, 0.06000001, 0.064999])
def test_a_divided_step_leaves_a_box_at_rest(edge):
    """However short its parts are. When the force begins, the box sinks by what the spring yields to 5 N within a step,
    3e-6 m: 3e-4 m/s for one sub-step of four. Impulses of a part of 1e-5 of a step scaled to a whole one threw it.
    """
    push = {"force": [0, 0, -5], "frame": "world", "during": [edge, 0.2]}
    bodies = {"floor": floor(), "box": block((0.4, 0.4, 0.2), at=(0, 0, 0.1), forces=[push])}
    trajectory = collide(bodies, duration=0.1, step=5e-3, record_every=5e-3)
    motion = trajectory["box"].world
    assert np.abs(motion.velocity).max() <= 4e-4
    assert np.abs(motion.angular_velocity).max() <= 1e-3


def test_a_blow_in_a_short_part_of_a_step_is_taken_up():
    """As in a whole one: the impulse of 3 N s gives the box 3 m/s, and the floor takes it away in one step."""
    blow = {"time": 0.064999, "impulse": [0, 0, -3], "at": [0.1, 0.05, 0]}
    bodies = {"floor": floor(), "box": block((0.4, 0.4, 0.2), at=(0, 0, 0.1), impulses=[blow])}
    trajectory = collide(bodies, duration=0.08, step=5e-3, record_every=5e-3)
    assert np.abs(trajectory["box"].world.velocity[trajectory.time > 0.064]).max() <= 0.02


def test_a_sensor_does_not_change_what_others_do():
    """Not even how often the contacts of a step are solved, while something fast is inside of it."""
    found = []
    for x in (6, 60):
        gate = {"shapes": [{"type": "box", "size": [3, 3, 3]}], "collide": "sensor", "position": [x, 0, 3]}
        bodies = {"floor": floor(), "gate": gate, "fast": ball(0.1, at=(5, 0, 3), velocity=[2, 0, 0])}
        bodies |= {f"box{k}": block((0.4, 0.4, 0.2), at=(0.01 * k, 0, 0.1 + 0.2 * k)) for k in range(3)}
        found.append(collide(bodies, duration=0.03, step=5e-3))
    assert np.array_equal(found[0]["box2"].world.position, found[1]["box2"].world.position)


def test_in_a_planar_scene_a_belt_drives_along_the_plane_only():
    belt = {"shapes": [{"type": "plane", "normal": [0, 1, 0], "surface_velocity": [0.5, 0, 1]}]}
    bodies = {"belt": belt, "box": block((0.4, 0.2, 0.4), at=(0, 0.1, 0))}
    trajectory = collide(bodies, duration=0.05, step=5e-3, gravity=[0, -9.81, 0], plane=[0, 0, 1])
    motion = trajectory["box"].world
    assert np.all(motion.position[:, 2] == 0.0)
    assert motion.velocity[-1, 0] == pytest.approx(0.5 * 9.81 * 0.05, rel=1e-3)


def terms_of_a_stack(**more) -> rigidsim.Trajectory:
    """Two boxes at rest on each other, and one that stands apart."""
    bodies = {f"box{k}": block((0.4, 0.4, 0.2), at=(0, 0, 0.1 + 0.2 * k)) for k in range(2)}
    bodies |= {"floor": floor(), "apart": block((0.2, 0.2, 0.2), at=(3, 0, 0.1))}
    scene = touching(bodies, duration=0.05, step=5e-3, record_every=5e-3).resolved() | more
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene), terms=True)


def test_the_terms_of_contact_outlast_a_reparenting():
    """In the sample at its instant they are those of the last step, as always."""
    plain = terms_of_a_stack()
    release = {"body": "apart", "to": "box0", "time": 0.025, "motion": "free"}
    changed = terms_of_a_stack(reparent=[release])
    assert np.array_equal(changed["box1"].term("contact"), plain["box1"].term("contact"))


def test_the_terms_of_contact_outlast_an_enlargement(monkeypatch):
    """A step, or a sample, for which there is no room is taken again."""
    plain = terms_of_a_stack()
    scarce = made.Room(3, 200, 4, 0)
    monkeypatch.setattr(made, "first_room", lambda *_: scarce)
    assert np.array_equal(terms_of_a_stack()["box1"].term("contact"), plain["box1"].term("contact"))


def test_the_parts_of_a_step_outlast_an_enlargement(monkeypatch):
    """A rod rolls fast on a thin sheet; a part of a step for which there is no room is taken again."""
    rough, sheet = {"material": {"friction": 0.8}}, {"shapes": [{"type": "box", "size": [2, 2, 1e-3]}]}
    rod = {"mass": 0.04, "shapes": [{"type": "capsule", "radius": 4e-3, "length": 0.3}], "position": [0, 0, 4.5e-3]}
    rod |= {"orientation": {"axis": [0, 1, 0], "angle": np.pi / 2}, "angular_velocity": [-4000, 0, 100]}
    bodies = {"sheet": rough | sheet, "rod": rough | rod}
    monkeypatch.setattr(made, "first_room", lambda *_: made.Room(2, 2, 4, 0))
    scarce = collide(bodies, duration=0.02, step=2e-3)
    plain = collide(bodies, duration=0.02, step=2e-3)  # which has the larger arrays from the beginning
    assert len(list(plain.events)) > 8
    assert np.array_equal(scarce["rod"].world.position, plain["rod"].world.position)


def test_a_body_does_not_push_itself_by_its_own_prescribed_part():
    """The impulse on it would have no counterpart, as on parts that are fixed to it; the arm turns through the body."""
    shape = {"type": "box", "size": [0.6, 0.2, 0.2]}
    arm = {"motion": {"prescribed": {"angular_velocity": [0, 9, 0]}}, "position": [0, 0, 0.3], "shapes": [shape]}
    bodies = {"base": block((1, 1, 0.2), 3, children={"arm": arm}), "other": ball(0.1, at=(0, 0, 5))}
    trajectory = collide(bodies, duration=0.2, step=5e-3, gravity=[0, 0, 0])
    assert np.all(trajectory["base"].world.velocity == 0.0)
    assert not list(trajectory.events)


def test_a_box_that_was_fixed_to_what_it_rests_on_rests_on_it_when_it_is_released():
    """It has sunk in by 1e-5 m before; it does not fall through."""
    bodies = {"floor": floor()} | {n: block((0.4, 0.4, 0.2), at=(0, 0, z)) for n, z in (("low", 0.1), ("high", 0.3))}
    fix = {"body": "high", "to": "low", "time": 0.05, "motion": "fixed"}
    release = {"body": "high", "to": "world", "time": 0.1, "motion": "free"}
    scene = touching(bodies, duration=0.15, step=5e-3).resolved() | {"reparent": [fix, release]}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    assert trajectory["high"].world.position[-1, 2] == pytest.approx(0.3, abs=5e-5)
    assert np.abs(trajectory["high"].world.velocity[-1]).max() <= 1e-3


def test_room_after_going_back_is_that_of_the_present_tree():
    """A reparenting that is undone, as after Ctrl-C, changes the number of free bodies; then arrays are enlarged."""
    bodies = {"floor": floor()} | {n: block((0.4, 0.4, 0.2), at=(0, 0, z)) for n, z in (("low", 0.1), ("high", 0.3))}
    fix = {"body": "high", "to": "low", "time": 0.02, "motion": "fixed"}
    scene = touching(bodies, duration=0.05, step=5e-3).resolved() | {"reparent": [fix]}
    run = rigidsim.Simulation(rigidsim.Scene.from_dict(scene))._run
    run.advance(2)
    place = run.place()
    run.advance(5)
    run.go_back(place)
    run.contacts.arrays.lacks[0] = made.LACKS_PAIRS
    run.contacts.make_room(False, run._scratch)
    assert len(run.contacts.arrays.corrections.own) == len(run.model.body) == 2
    assert run._scratch.before.shape == run.state.shape
