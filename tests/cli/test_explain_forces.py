"""`rigidsim explain` takes the terms that forces make apart, force by force."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError
from rigidsim.report.explain import BodyReport, Explanation
from rigidsim.report.sections import plain
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory.trajectory import Trajectory

EPS = np.finfo(float).eps
SCENE = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.001, record_every: 0.01}
world: {gravity: [0, 0, -9.81]}
bodies:
  post: {mass: 5, inertia: point, position: [0, 0, 2]}
  table:
    motion: {prescribed: {angular_velocity: [0, 0, "= 2*sin(t)"]}}
    children:
      arm:
        mass: 1
        inertia: {principal: [1, 1, 1]}
        position: [1, 0, 0]
        forces:
          - {type: spring, to: post, stiffness: 20, length: 1, damping: 0.5, at: [0.1, 0, 0]}
          - {type: drag, linear: 0.3}
          - {force: ["= sin(3*t)", 0, 0], frame: world}
          - {force: [0, 0, 3], during: [0.2, 0.6], at: [0, 0.2, 0]}
        children:
          hand:
            mass: 1
            inertia: {principal: [1, 1, 1]}
            motion: fixed
            position: [0, 1, 0]
            forces: [{type: drag, quadratic: 2, medium: table}]
reparent:
  - {body: table/arm/hand, to: world, time: 0.4}
  - {body: table/arm/hand, to: post, time: 0.5, motion: fixed}
"""
GRAVITY = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.01}
world:
  gravity: {center: planet, gm: 5.0}
  mutual_gravity: {constant: 0.1}
bodies:
  planet: {mass: 10, inertia: point, gravity: false}
  probe:
    mass: 2
    inertia: {principal: [1, 2, 2.5]}
    position: [3, 0.2, 0]
    velocity: [0, 1.2, 0]
    forces:
      - {type: gravity_gradient}
      - {type: point_gravity, center: [0, 9, 0], gm: 2}
      - {type: gravity, acceleration: [0, 0, -0.5]}
      - {type: torsion_spring, to: moon, stiffness: 2, rest: {axis: [0, 0, 1], angle: 1}}
      - {torque: [0.1, 0, 0]}
  moon: {mass: 1, inertia: {principal: [1, 1, 1]}, position: [0, 4, 0]}
"""


@pytest.fixture(scope="module")
def histories():
    """Each scene's history, with terms."""
    texts = {"table": SCENE, "gravity": GRAVITY}
    return {name: rigidsim.simulate(rigidsim.Scene.from_text(text), terms=True) for name, text in texts.items()}


BODIES = [("table", "table/arm"), ("table", "post"), ("gravity", "probe"), ("gravity", "moon")]


@pytest.mark.parametrize(("name", "body"), BODIES)
@pytest.mark.parametrize("time", [0.0, 0.2, 0.33, 0.45, 0.5, 0.77, 1.0])
def test_forces_add_up_to_what_was_recorded(histories, name, body, time):
    """Through windows and changes of the tree; they are summed in another order, so each sum is a few ulp off."""
    found = Explanation(histories[name], body, time)
    assert found.shares.rest == {}
    for term in (*found.linear, *found.angular):
        if term.name in ("applied", "gravity", "angular_applied"):
            parts = [share.terms[term.name] for share in found.shares.loads]
            size = max(np.abs(part).max() for part in (*parts, term.value))
            assert np.abs(np.sum(parts, axis=0) - term.value).max() <= 64 * EPS * size


def test_each_force_is_named_with_its_closed_form(histories):
    found = Explanation(histories["table"], "table/arm", 0.3)
    shares = {str(share.load): share.terms["applied"] for share in found.shares.loads}
    assert shares.keys() == {
        "gravity of the world (world)", "spring to post (table/arm, forces[0])", "drag (table/arm, forces[1])",
        "force (table/arm, forces[2])", "force (table/arm, forces[3])", "drag in table (table/arm/hand, forces[0])",
    }  # fmt: skip
    assert shares["force (table/arm, forces[3])"] == pytest.approx([0, 0, 3 / 2], abs=1e-15)
    size = np.linalg.norm(shares["force (table/arm, forces[2])"])
    assert size == pytest.approx(np.sin(0.9) / 2, rel=1e-14)
    com = histories["table"]["table/arm"].world.at(0.3)  # the centre of mass is 0.5 m along the arm's y
    assert np.linalg.norm(shares["drag (table/arm, forces[1])"]) == pytest.approx(
        0.3 / 2 * np.linalg.norm(com.velocity + np.cross(com.angular_velocity, turned(com, [0, 0.5, 0]))), rel=1e-12
    )


def turned(motion, vector) -> np.ndarray:
    """A vector of the body in world axes."""
    import quaternion

    return quaternion.rotate_vectors(motion.rotation, vector)


def test_a_force_acts_where_its_part_hangs_now(histories):
    """The hand's drag: on the arm, then on the hand alone, then on the post."""
    drag = "drag in table (table/arm/hand, forces[0])"
    for time, bodies in ((0.3, ["table/arm"]), (0.45, ["table/arm/hand"]), (0.7, ["post"])):
        for body in ("table/arm", "post", *bodies):
            names = [str(share.load) for share in Explanation(histories["table"], body, time).shares.loads]
            assert (drag in names) == (body in bodies)


def test_gravity_is_taken_apart_where_it_has_several_sources(histories):
    text = str(Explanation(histories["gravity"], "probe", 0.5))
    assert "gravity, force by force" in text
    for name in ("gravity of the world", "mutual gravity", "gravity of a point", "uniform gravity", "gravity gradient",
                 "torsion spring to moon", "torque (probe, forces[4])"):  # fmt: skip
        assert name in text
    assert "torsion spring to probe (probe, forces[3])" in str(Explanation(histories["gravity"], "moon", 0.5))
    assert "gravity, force by force" not in str(Explanation(histories["table"], "post", 0.5))


def test_the_command_shows_and_gives_them(call, workplace, histories):
    histories["table"].save("table.h5")
    out = call("explain", "table.h5", "table/arm", "--at", "0.3").out
    assert "applied, force by force" in out and "spring to post (table/arm, forces[0])" in out
    reported = json.loads(call("explain", "table.h5", "table/arm", "--at", "0.3", "--json").out)
    spring = next(force for force in reported["forces"] if force["name"] == "spring to post")
    assert (spring["body"], spring["index"]) == ("table/arm", 0)
    assert np.linalg.norm(spring["applied"]) > 1


def test_what_a_callback_did_is_reported_as_such():
    scene = rigidsim.Scene.from_dict({
        "format": "rigidsim/1", "simulation": {"duration": 0.02, "step": 0.01},
        "bodies": {"b": {"mass": 2, "inertia": "point", "forces": [{"force": [1, 0, 0]}]}},
    })  # fmt: skip
    simulation = Simulation(scene, terms=True, callbacks={"b": lambda _t, _bodies: ((0, 6, 0), (0, 0, 0))})
    blocks = list(simulation.blocks())
    found = Explanation(Trajectory.from_blocks(simulation.header, blocks), "b", 0.01)
    assert found.shares.rest["applied"].tolist() == [0, 3, 0]
    assert "not in the scene (a callback)" in str(found)
    assert plain(found)["forces"][-1]["applied"] == [0, 3, 0]


def test_a_torsion_spring_is_taken_as_far_as_it_is_wound_up():
    """4 sin t about its axis, beyond half a turn, of which samples see two or three a turn."""
    spring = {"type": "torsion_spring", "to": "world", "stiffness": 1.0, "axis": [0, 0, 1]}
    push = {"torque": [0, 0, 0.01]}
    wheel = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "angular_velocity": [0, 0, 4], "forces": [spring, push]}
    simulation = {"duration": 4, "step": 0.01, "record_every": 0.5}
    scene = rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": {"wheel": wheel}})
    shares = Explanation(rigidsim.simulate(scene, terms=True), "wheel", 1.5).shares
    assert not shares.rest
    torque = {share.load.name: share.terms["angular_applied"][2] for share in shares.loads}
    assert abs(torque["torsion spring to world"] + 4 * np.sin(1.5)) <= 0.01  # the push turns it on a little
    assert abs(torque["torque"] - 0.01) <= 4 * EPS


def rest_of(bodies: dict, reparent: list[dict], body: str, time: float) -> dict[str, np.ndarray]:
    """What was recorded of the terms that forces make, beyond what is found again."""
    simulation = {"duration": 3, "step": 0.01, "record_every": 0.05}
    scene = {"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, "reparent": reparent}
    return Explanation(rigidsim.simulate(rigidsim.Scene.from_dict(scene), terms=True), body, time).shares.rest


CUBE = {"principal": [1, 1, 1]}


def test_part_that_was_away_and_is_fixed_again_is_where_it_is_now():
    hand = {"mass": 1, "inertia": CUBE, "position": [0, 1, 0], "motion": "fixed"}
    hand["forces"] = [{"force": [0, 2, 0], "at": [0, 0, 1]}]
    car = {"mass": 2, "inertia": CUBE, "forces": [{"force": [0, 0, 1], "at": [1, 0, 0]}], "children": {"hand": hand}}
    away, back = ({"body": "car/hand", "to": "car", "time": 1}, {"body": "car/hand", "to": "car", "time": 2})
    assert not rest_of({"car": car}, [away, back | {"motion": "fixed"}], "car", 2.5)


def test_turns_that_a_part_made_before_it_was_fixed_count():
    spring = {"type": "torsion_spring", "to": "world", "stiffness": 0.1, "axis": [0, 0, 1]}
    hand = {"mass": 1, "inertia": CUBE, "angular_velocity": [0, 0, 10], "forces": [spring]}
    car = {"mass": 5, "inertia": CUBE, "position": [3, 0, 0]}
    docking = {"body": "hand", "to": "car", "time": 2, "motion": "fixed"}
    assert not rest_of({"hand": hand, "car": car}, [docking], "car", 2.5)


def test_what_a_loop_exerts_is_named_and_is_the_tension_of_the_rod():
    loop = {"type": "distance", "between": ["bob", "world"], "name": "rod"}
    scene = rigidsim.Scene.from_dict({
        "format": "rigidsim/1", "simulation": {"duration": 1, "step": 1e-3},
        "world": {"gravity": [0, -9.81, 0], "loops": [loop]},
        "bodies": {"bob": {"mass": 2, "inertia": "point", "position": [1, 0, 0], "velocity": [0, 1, 0]}},
    })  # fmt: skip
    trajectory = rigidsim.simulate(scene, terms=True)
    world, applied = trajectory["bob"].world, trajectory.arrays["terms/applied"][:, 0]
    tension = np.sum(world.velocity**2, axis=1) - 9.81 * world.position[:, 1]
    assert np.abs(applied + tension[:, None] * world.position).max() < 1e-12 * tension.max()
    assert "reaction of the loop rod" in str(Explanation(trajectory, "bob", 1.0))


def test_joints_that_a_reparenting_made_exert_their_part():
    """The arm holds the module; each load is evaluated in a scene without reparentings."""
    scene = rigidsim.Scene.from_file(shipped_scenes()["docking_arm"], [("simulation.record_every", 1)])
    held = rigidsim.simulate(scene, terms=True)
    for body, count in (("module", 1), ("satellite/upper/lower", 2)):
        found = Explanation(held, body, 8.0)
        reactions = found.shares.joints
        assert len(reactions) == count and reactions[0].is_own and not found.shares.rest
        for name in ("joint", "angular_joint"):
            total = np.sum([one.terms[name] for one in reactions], axis=0)
            largest = max(np.abs(one.terms[name]).max() for one in reactions)
            assert np.abs(total - held[body].term(name)[8]).max() <= 1e-12 * largest


def test_what_hangs_on_a_free_body_is_shown_without_terms_and_inside_of_the_run_only():
    scene = rigidsim.Scene.from_file(shipped_scenes()["docking_arm"], [("simulation.record_every", 1)])
    held = rigidsim.simulate(scene)
    assert "a hinge joint connects satellite/upper to it and exerts" in str(BodyReport.of(held, "satellite", 8.0))
    with pytest.raises(UsageError, match="no acceleration terms"):
        BodyReport.of(held, "hand", 8.0)
    for body in ("satellite", "lower"):
        with pytest.raises(UsageError, match="99 s is outside the trajectory, which covers 0 to 30 s"):
            BodyReport.of(held, body, 99.0)
