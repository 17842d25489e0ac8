"""`simulation.start`: coordinates of joints with which bodies are in given places."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim import Scene, SceneError

UPPER, FORE = 0.6, 0.5
HAND = "arm/upper/fore/hand"
EPS = np.finfo(float).eps


def link(axis, **more) -> dict:
    inertia = {"principal": [0.01, 0.02, 0.02]}
    return {"mass": 1, "center_of_mass": [0.25, 0, 0], "inertia": inertia, "motion": {"hinge": {"axis": axis}}, **more}


def arm(solve, angle=0.0, **more) -> dict:
    """A pillar that turns about z, an upper arm and a forearm that lift, a hand at its end."""
    hand = {"position": [FORE, 0, 0]}
    fore = link([0, -1, 0], position=[UPPER, 0, 0], children={"hand": hand})
    fore["motion"]["hinge"]["angle"] = angle
    pillar = link([0, 0, 1], children={"upper": link([0, -1, 0], children={"fore": fore})})
    simulation = {"duration": 0.1, "step": 0.01, "start": {"solve": solve}}
    return {"format": "rigidsim/1", "simulation": simulation, "bodies": {"arm": pillar}, **more}


def first(scene) -> tuple[np.ndarray, list[float]]:
    """Where the hand begins, and the three angles."""
    run = rigidsim.simulate(scene)
    angles = [float(run[path].joint.coordinates[0, 0]) for path in ("arm", "arm/upper", "arm/upper/fore")]
    return run[HAND].world.position[0], angles


@pytest.mark.parametrize("angle", [0.0, 1.0, -1.0])
def test_a_hand_begins_where_it_should(angle):
    """The elbow bends to the side to which it is bent; of a straight arm to one of both. The law of cosines."""
    place = np.array([0.5, 0.3, 0.4])
    found, (turn, _, elbow) = first(Scene.from_dict(arm({f"{HAND}.position": place.tolist()}, angle)))
    assert np.abs(found - place).max() < 16 * EPS
    assert turn == pytest.approx(np.arctan2(0.3, 0.5), abs=64 * EPS)
    cosine = (place @ place - UPPER**2 - FORE**2) / (2 * UPPER * FORE)
    assert abs(elbow) == pytest.approx(np.arccos(cosine), abs=64 * EPS)
    assert elbow * angle >= 0


def test_a_place_along_one_axis_moves_joints_as_little_as_it_can():
    """The height of the hand alone: the pillar does not turn."""
    found, (turn, *_) = first(Scene.from_dict(arm({f"{HAND}.position.z": "20 cm"}, 0.5)))
    assert found[2] == pytest.approx(0.2, abs=16 * EPS)
    assert turn == 0.0


def test_the_resolved_scene_has_the_coordinates():
    scene = Scene.from_dict(arm({f"{HAND}.position": [0.5, 0.3, 0.4]}))
    again = Scene.from_dict(scene.resolved())
    assert again == scene
    assert rigidsim.simulate(again).content_hash == rigidsim.simulate(scene).content_hash
    _, angles = first(scene)
    fore = scene.resolved()["bodies"]["arm"]["children"]["upper"]["children"]["fore"]
    assert fore["motion"]["hinge"]["angle"] == angles[2]


def test_places_in_units_of_a_scaled_parent_and_joints_of_several_coordinates():
    """A slide in a body of which the units are centimetres, and a universal joint with a rod."""
    cart = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "motion": {"slide": {"axis": [1, 0, 0]}}}
    rod = {
        "mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [0, 2, 0],
        "motion": {"universal": {"axes": [[1, 0, 0], [0, 1, 0]]}}, "children": {"tip": {"position": [0, 0, -1]}},
    }  # fmt: skip
    bodies = {"rail": {"scale": 0.01, "motion": "fixed", "children": {"cart": cart}}, "rod": rod}
    tip = [0.1, 2 - 0.2, -np.sqrt(1 - 0.1**2 - 0.2**2)]
    solve = {"rail/cart.position.x": 0.3, "rod/tip.position": tip}
    simulation = {"duration": 0.1, "step": 0.01, "start": {"solve": solve}}
    run = rigidsim.simulate(Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies}))
    assert run["rail/cart"].joint.coordinates[0, 0] == pytest.approx(0.3, abs=4 * EPS)
    assert np.abs(run["rod/tip"].world.position[0] - tip).max() < 16 * EPS


def test_loops_stay_closed():
    """The middle of the bar that two rods carry: both turn."""
    rod = {**link([0, 1, 0]), "center_of_mass": [0, 0, -0.4]}
    bar = {**link([0, 1, 0]), "position": [0, 0, -0.8], "children": {"middle": {"position": [0.5, 0, 0]}}}
    loop = {"type": "hinge", "between": ["left/bar", "right"], "at": [1, 0, 0], "to_at": [0, 0, -0.8]}
    scene = Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": 0.1, "step": 0.01, "start": {"solve": {"left/bar/middle.position.x": 0.2}}},
            "world": {"loops": [{**loop, "axis": [0, 1, 0]}]},
            "bodies": {"left": {**rod, "children": {"bar": bar}}, "right": {**rod, "position": [1, 0, 0]}},
        }
    )
    run = rigidsim.simulate(scene)
    angles = [run[path].joint.coordinates[0, 0] for path in ("left", "right", "left/bar")]
    assert angles == pytest.approx(np.arcsin(0.3 / 0.8) * np.array([1, 1, -1]), abs=1e-11)
    assert run["left/bar/middle"].world.position[0, 0] == pytest.approx(0.2, abs=1e-12)


def test_places_that_vary_and_their_derivatives():
    """A rod of 1 m in a plane, whose tip begins at the height h: sin(angle) = -h, so d angle/d h = -1/cos(angle)."""
    rod = {**link([0, 1, 0], children={"tip": {"position": [1, 0, 0]}})}
    simulation = {"duration": 0.1, "step": 0.01, "start": {"solve": {"rod/tip.position.z": "= h"}}}
    data = {"format": "rigidsim/1", "simulation": simulation, "parameters": {"h": 0.3}, "bodies": {"rod": rod}}
    data |= {"metrics": {"begins": "= final('rod.angle')"}}
    found = rigidsim.sweep(Scene.from_dict(data), vary={"h": [0.1, 0.3, 0.6]})
    assert found.metrics["begins"] == pytest.approx(-np.arcsin([0.1, 0.3, 0.6]), abs=64 * EPS)
    run = rigidsim.simulate(Scene.from_dict(data), derivatives=["h"])
    slope = run.derivative("h")["rod"].joint.coordinates[0, 0]
    assert slope == pytest.approx(-1 / np.sqrt(1 - 0.3**2), rel=1e-9)


REFUSED = {
    "far": ({f"{HAND}.position": [2, 0.3, 0.4]}, "are left; choose a place within reach, or coordinates of the joints"),
    "unknown": ({"arm/fore.position": [1, 0, 0]}, "there is no body 'arm/fore'; did you mean 'arm/upper/fore'"),
    "no place": ({"arm/upper.angle": 1}, r"solve\.arm/upper\.angle: 'arm/upper.angle' is no place that joints can"),
    "one number": ({f"{HAND}.position": 1}, "has one number; expected three numbers; name one component, such as"),
    "three": (
        {f"{HAND}.position.x": [1, 2, 3]},
        "has three numbers; expected one number; name the position",
    ),
    "unit": ({f"{HAND}.position.x": "1 kg"}, "'kg' is a unit of mass, but length"),
    "list": ([1], "expected places of bodies, got a list; write {arm/hand.position: "),
    "nothing": ({}, "there is no place in it"),
}


@pytest.mark.parametrize(("solve", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(solve, words):
    with pytest.raises(SceneError, match=words):
        Scene.from_dict(arm(solve))


def test_a_body_that_no_joint_moves():
    data = arm({"post.position": [1, 0, 0]})
    data["bodies"]["post"] = {"motion": "fixed", "position": [0, 0, 0]}
    with pytest.raises(SceneError, match=r"no joint moves 'post'; give its position in its parent"):
        Scene.from_dict(data)


def test_a_limit_is_respected_by_an_error():
    data = arm({f"{HAND}.position": [0.5, 0.3, 0.4]}, 1.0)
    data["bodies"]["arm"]["children"]["upper"]["children"]["fore"]["motion"]["hinge"]["limits"] = [-1, 1.2]
    with pytest.raises(SceneError, match="limits"):
        Scene.from_dict(data)
