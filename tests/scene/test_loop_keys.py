"""Loops in a scene: every mistake is one located error; what is read is written back."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import rigidsim

MOMENTS = {"principal": [1, 1, 1]}
BODIES = {
    "arm": {
        "mass": 1,
        "inertia": MOMENTS,
        "motion": {"hinge": {"axis": [0, 0, 1]}},
        "children": {
            "hand": {
                "mass": 1,
                "inertia": MOMENTS,
                "position": [1, 0, 0],
                "motion": {"hinge": {"axis": [0, 0, 1]}},
                "children": {"tip": {"position": [1, 0, 0]}},
            }
        },
    },
    "point": {"mass": 1, "inertia": "point", "position": [3, 0, 0]},
    "wall": {"position": [5, 0, 0]},
    "driven": {"motion": {"prescribed": {"velocity": [1, 0, 0]}}},
    "drifting": {"mass": 1, "inertia": MOMENTS, "position": [0, 2, 0], "velocity": [0, 0.5, 0]},
}


def scene(loop: dict, **simulation) -> dict:
    settings = {"duration": 1, "step": 1e-3} | simulation
    return {"format": "rigidsim/1", "simulation": settings, "world": {"loops": [loop]}, "bodies": BODIES}


CLOSED = {"between": ["arm/hand", "wall"], "at": [1, 0, 0], "to_at": [-3, 0, 0]}
MISTAKES = [
    ({"type": "point", "between": ["arm/hnd", "wall"]}, ".between[0]", "there is no body 'arm/hnd'"),
    ({"type": "point", "between": ["arm/hand", "arm/hand/tip"]}, ".between", "both ends are parts of 'arm/hand'"),
    ({"type": "point", "between": ["world", "wall"]}, ".between", "both ends are parts of the world"),
    ({"type": "point", "between": ["driven", "wall"]}, ".between", "forces move neither end"),
    ({"type": "point", "between": ["arm/hand"]}, ".between", "expected 2 values of two paths, got 1"),
    ({"type": "point", "between": ["arm/hand/tip", "wall"]}, "", "the points are 3 m apart"),
    ({"type": "hinge"} | CLOSED, ".axis", "the key 'axis' is missing"),
    ({"type": "hinge", "axis": [0, 0, 1], "to_axis": [0, 1, 1]} | CLOSED, ".to_axis", "the axes are not parallel"),
    ({"type": "hinge", "axis": [0, 0, 0]} | CLOSED, ".axis", "the direction is zero"),
    ({"type": "point", "axis": [0, 0, 1]} | CLOSED, ".axis", "unknown key 'axis' for type 'point'"),
    ({"type": "distance", "length": 2} | CLOSED, ".length", "the points are 0 m apart at the start, not 2 m"),
    ({"type": "distance"} | CLOSED, "", "the points are at one place, so their distance has no direction"),
    ({"type": "distance", "length": -1} | CLOSED, ".length", "must be greater than zero"),
    ({"type": "distance", "between": ["drifting", "arm"]}, "", "moves away from the first at 0.5 m/s"),
    ({"type": "hinge", "between": ["point", "world"], "axis": [0, 0, 1]}, ".between", "'point' is a particle"),
    ({"type": "point", "between": ["point", "wall"], "at": [1, 0, 0], "to_at": [-1, 0, 0]}, ".at", "at its mass only"),
    ({"type": "rope", "between": ["arm", "wall"]}, ".type", "there are point, hinge, distance"),
    ({"between": ["arm", "wall"]}, "", "the loop has no 'type'"),
]


@pytest.mark.parametrize(("loop", "place", "words"), MISTAKES)
def test_a_mistake_is_one_located_error(loop, place, words):
    with pytest.raises(rigidsim.SceneError) as caught:
        rigidsim.Scene.from_dict(scene(loop))
    (problem,) = caught.value.problems
    assert problem.path == f"world.loops[0]{place}"
    assert words in f"{problem.message}; {problem.hint}"


def test_other_methods_refuse():
    with pytest.raises(rigidsim.SceneError, match=r"'magnus2' does not move bodies on joints .such as 'arm'. in this"):
        rigidsim.Scene.from_dict(scene({"type": "point"} | CLOSED, integrator="magnus2"))


@pytest.mark.parametrize("loop", [{"type": "point"} | CLOSED, {"type": "hinge", "axis": [0, 0, 2]} | CLOSED,
                                  {"type": "distance", "between": ["point", "wall"]}])  # fmt: skip
def test_a_scene_with_loops_is_written_back_as_it_was_read(loop):
    read = rigidsim.Scene.from_dict(scene(loop))
    again = rigidsim.Scene.from_dict(read.resolved())
    assert again.resolved() == read.resolved()
    assert rigidsim.simulate(again).content_hash == rigidsim.simulate(read).content_hash


LINKAGE = """
format: rigidsim/1
simulation: {duration: 0.01, step: 1 ms}
world: {loops: [{type: point, between: [crank/bar, track/car], at: [2, 0, 0]}]}
bodies:
  crank:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    center_of_mass: [0.5, 0, 0]
    motion: {hinge: {axis: [0, 0, 1], angle: 60 deg, rate: 3}}
    children:
      bar:
        mass: 1
        inertia: {principal: [1, 1, 1]}
        position: [1, 0, 0]
        motion: {hinge: {axis: [0, 0, 1], angle: ANGLE}}
  track:
    scale: 0.5
    motion: {prescribed: {velocity: [0, 0, 0]}}
    children:
      car: {mass: 1, inertia: point, motion: {slide: {axis: [1, 0, 0], displacement: PLACE}}}
"""
LEAN = math.asin(math.sin(math.pi / 3) / 2)  # of the bar of 2 m, below the x axis
PLACE = 0.5 + 2 * math.cos(LEAN)


def linkage(**overrides) -> rigidsim.Scene:
    """A crank of 1 m that turns at 3 rad/s, a bar, and a slider on a track whose units are half metres."""
    text = LINKAGE.replace("ANGLE", repr(-math.pi / 3 - LEAN)).replace("PLACE", repr(2 * PLACE))
    return rigidsim.Scene.from_text(text, overrides=[*overrides.items()])


def rates(scene: rigidsim.Scene) -> list[float]:
    """The rates at the start, as the scene has them: of crank, bar and slider."""
    bodies = scene.resolved()["bodies"]
    crank, car = bodies["crank"], bodies["track"]["children"]["car"]
    return [crank["motion"]["hinge"]["rate"], crank["children"]["bar"]["motion"]["hinge"]["rate"],
            car["motion"]["slide"]["rate"]]  # fmt: skip


def test_rates_that_are_not_given_follow_from_those_that_are():
    """The height of the bar's end does not change: 3 cos(60 deg) = 2 w cos(lean), w the rate of its lean."""
    lean_rate = math.cos(math.pi / 3) * 3 / (2 * math.cos(LEAN))
    speed = -math.sin(math.pi / 3) * 3 - 2 * math.sin(LEAN) * lean_rate
    expected = [3, -3 - lean_rate, 2 * speed]
    found = linkage()
    assert rates(found) == pytest.approx(expected, abs=1e-12)
    again = rigidsim.Scene.from_dict(found.resolved())
    assert rates(again) == rates(found)
    assert rigidsim.simulate(again).content_hash == rigidsim.simulate(found).content_hash
    # Where none is given all rest.
    assert rates(linkage(**{"bodies.crank.motion.hinge": {"axis": [0, 0, 1], "angle": "60 deg"}})) == [0, 0, 0]
    fitting = linkage(**{"bodies.crank.children.bar.motion.hinge.rate": expected[1]})
    assert rates(fitting) == pytest.approx(expected, abs=1e-12)


def test_rates_that_are_free_are_the_smallest_that_close_the_loop():
    """A hand pulls the end of a chain of two bars that lie across its way: without a moment about the outer joint."""
    rod = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "motion": {"hinge": {"axis": [0, 0, 1]}}}
    chain = rod | {
        "children": {"outer": rod | {"position": [0, 1, 0], "children": {"last": rod | {"position": [0, 1, 0]}}}}
    }
    hand = {"position": [0, 3, 0], "motion": {"prescribed": {"velocity": [1, 0, 0]}}}
    loop = {"type": "point", "between": ["inner/outer/last", "hand"], "at": [0, 1, 0]}
    written = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "world": {"loops": [loop]}}
    found = rigidsim.Scene.from_dict(written | {"bodies": {"inner": chain, "hand": hand}}).resolved()["bodies"]["inner"]
    x = [found["motion"]["hinge"]["rate"], found["children"]["outer"]["motion"]["hinge"]["rate"],
         found["children"]["outer"]["children"]["last"]["motion"]["hinge"]["rate"]]  # fmt: skip
    # Rates in the world w, speeds of the masses at the joints: (0, -w1, -w1 - w2); the end moves at -(w1 + w2 + w3).
    # T = (w1^2 + w2^2 + w3^2 + w1^2 + (w1 + w2)^2)/2 with w1 + w2 + w3 = -1.
    w = np.linalg.solve([[3, 1, 0, 1], [1, 2, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0]], [0, 0, 0, -1])[:3]
    assert np.cumsum(x) == pytest.approx(w, abs=1e-12)


@pytest.mark.parametrize(("rate", "opens"), [(1e-33, False), (1e-9, True)])
def test_the_rounding_of_a_loop_at_rest_is_no_rate(rate, opens):
    """All begins at rest but for what an earlier run has left in the last digits."""
    arm = BODIES["arm"] | {"motion": {"hinge": {"axis": [0, 0, 1], "rate": rate}}, "children": {}}
    made = scene({"type": "point", "between": ["arm", "wall"], "at": [1, 0, 0], "to_at": [-4, 0, 0]})
    made |= {"bodies": BODIES | {"arm": arm, "drifting": {}}}
    if opens:
        with pytest.raises(rigidsim.SceneError, match=r"the loop opens at the start"):
            rigidsim.Scene.from_dict(made)
    else:
        rigidsim.Scene.from_dict(made)


def test_rates_that_contradict_each_other_are_an_error():
    with pytest.raises(rigidsim.SceneError, match=r"loops\[0\]: the loop opens .* or omit those of joints"):
        linkage(**{"bodies.crank.children.bar.motion.hinge.rate": -1})


def test_runs_of_a_sweep_have_the_rates_that_follow_in_each():
    varied = {"bodies.crank.motion.hinge.rate": [1, 2, 3], "bodies.crank.mass": [1, 2]}
    scene = linkage(metrics={"bar": "= at(0, 'bar.rate')"})
    with rigidsim.sweep(scene, vary=varied) as runs:
        found = np.asarray(runs.metrics["bar"]).reshape(3, 2)
    assert np.abs(found / rates(linkage())[1] - [[1 / 3] * 2, [2 / 3] * 2, [1] * 2]).max() < 1e-14


@pytest.mark.parametrize(
    "bar", ["motion: {hinge: {axis: [0, 0, 1]}}", "motion: {hinge: {axis: [0, 0, 1], angle: -1.4}}"]
)
def test_the_hint_about_an_open_loop_names_coordinates_that_close_it(bar):
    """Those that are given stay, if they can."""
    given = "motion: {hinge: {axis: [0, 0, 1], angle: ANGLE}}"
    text = LINKAGE.replace(given, bar).replace(
        ", displacement: PLACE" if "angle" not in bar else "PLACE", "4.7" * ("angle" in bar)
    )
    with pytest.raises(rigidsim.SceneError) as caught:
        rigidsim.Scene.from_text(text)
    (problem,) = caught.value.problems
    assert "all loops are closed with" in problem.hint
    advised = dict(re.findall(r"(\S+) (?:angle|displacement): (-?[\d.]+)", problem.hint))
    assert ("crank" in advised) == ("angle" in bar)
    crank = math.radians(float(advised.get("crank", 60)))
    bar_turned = crank + math.radians(float(advised["crank/bar"]))
    x, y = math.cos(crank) + 2 * math.cos(bar_turned), math.sin(crank) + 2 * math.sin(bar_turned)
    assert abs(y) < 1e-7
    assert x == pytest.approx(0.5 * float(advised["track/car"]), abs=1e-7)


def test_the_hint_about_a_rope_that_is_too_long_at_the_start_names_a_coordinate_with_which_it_is_not():
    """A hook 1 m above the hinge of an arm of 1 m is 2 cos(angle/2) m from its end."""
    arm = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [0, 0, -1]}
    arm["motion"] = {"hinge": {"axis": [0, 1, 0], "at": [0, 0, 1], "angle": 1.0}}
    rope = {"type": "distance", "between": ["arm", "world"], "to_at": [0, 0, 1], "max_length": 1}
    with pytest.raises(rigidsim.SceneError, match=r"loops\[0\]\.max_length: the distance at the start, ") as caught:
        rigidsim.Scene.from_dict(scene(rope) | {"bodies": {"arm": arm}})
    (problem,) = caught.value.problems
    (angle,) = re.findall(r"all loops are closed with arm angle: ([\d.]+) deg; or move a body", problem.hint)
    assert 2.0 * math.cos(math.radians(float(angle)) / 2.0) <= 1.0


def test_no_coordinates_are_advised_where_none_close_the_loop():
    with pytest.raises(rigidsim.SceneError, match="the loop is open at the start") as caught:
        linkage(**{"world.loops[0].at": [2, 0, 3]})  # out of the plane
    assert "all loops are closed" not in str(caught.value)


def four_bar(**motors: dict) -> dict:
    """Two cranks with parallel axes, and a bar between their tips: one degree of freedom."""
    body, hinge = {"mass": 1, "inertia": MOMENTS}, {"axis": [0, 1, 0]}

    def joint(name: str) -> dict:
        return {"motion": {"hinge": hinge | ({"motor": motors[name]} if name in motors else {})}}

    bar = {**body, "position": [0, 0, 1], **joint("bar")}
    bodies = {
        "left": {**body, **joint("left"), "children": {"bar": bar}},
        "right": {**body, "position": [1, 0, 0], **joint("right")},
    }
    loop = {"type": "point", "between": ["left/bar", "right"], "at": [1, 0, 0], "to_at": [0, 0, 1]}
    return {**scene(loop), "bodies": bodies}


RATE, ANGLE, TORQUE = {"rate": 0, "max_torque": 9}, {"angle": "= 0*t"}, {"torque": "= -rate"}


@pytest.mark.parametrize(
    ("motors", "opposed"),
    [
        ({"left": RATE}, []),
        ({"left": ANGLE, "right": TORQUE}, []),
        ({"left": RATE, "right": RATE}, ["left", "right"]),
        ({"left": ANGLE, "right": RATE}, ["left", "right"]),
        ({"left": RATE, "bar": ANGLE, "right": RATE}, ["left", "left/bar", "right"]),
    ],
)
def test_motors_that_hold_one_motion_are_named(motors, opposed):
    """Any shares of the torque would do: the loop relates the angles of the cranks."""
    found = rigidsim.Scene.from_dict(four_bar(**motors)).warnings
    (warning,) = found if opposed else [""]
    assert re.findall(r"'([a-z/]+)'", warning) == opposed and bool(found) == bool(opposed)
    assert not opposed or (warning.startswith("bodies.left.motion.hinge.motor: ") and "statically" in warning)


def test_a_motor_that_a_loop_holds_is_named():
    """A crank that a rod of three points keeps from turning."""
    data = four_bar(left=RATE)
    data["world"]["loops"].append({"type": "point", "between": ["left", "world"], "at": [0, 0, 1], "to_at": [0, 0, 1]})
    (warning,) = rigidsim.Scene.from_dict(data).warnings
    assert "the motor of 'left' holds a coordinate that loops hold already" in warning
