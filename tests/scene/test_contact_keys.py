"""The keys of contact: modes, materials, groups, pairs; how they are inherited, and what two surfaces then do."""

from __future__ import annotations

import math

import jsonschema
import numpy as np
import pytest

from rigidsim.errors import SceneError
from rigidsim.physics.contact import COLLIDES, IGNORED, SENSED
from rigidsim.physics.quaternion import rotate, turn_of_z
from rigidsim.scene import Scene, json_schema
from rigidsim.scene.checks import shapes
from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs
from rigidsim.scene.hierarchy.surfaces import Surfaces

BALL = {"type": "sphere", "radius": 0.5}
FLOOR = {"shapes": [{"type": "plane"}]}
MODES = {
    "word": ("stepping", ("stepping", None)),
    "default in full": ({}, ("stepping", None)),
    "events": ("events", ("events", None)),
    "off": ("off", ("off", None)),
    "false": (False, ("off", None)),
    "false in full": ({"mode": False}, ("off", None)),
    "sub-steps": ({"mode": "stepping", "substeps": 4}, ("stepping", 4)),
    "sub-steps alone": ({"substeps": "= 2*8"}, ("stepping", 16)),
}
NOT_MODES = {
    "true": (True, "", "true is not a mode of contact; write auto, stepping, events, off, or"),
    "misspelt": ("steping", "", "did you mean 'stepping'?"),
    "too many": ({"substeps": 17}, ".substeps", "must be at most 16, got 17"),
    "none": ({"substeps": 0}, ".substeps", "must be at least 1, got 0"),
    "unknown": ({"steps": 4}, ".steps", "unknown key 'steps'"),
}
FAULTS = {
    "odd word": ({"collide": "no"}, ".collide", "write true, false, sensor, or {group: crates, with: [floor]}"),
    "empty mapping": ({"collide": {}}, ".collide", "a mapping does not say whether to collide"),
    "no groups": ({"collide": {"with": []}}, ".collide.with", "write collide: false"),
    "blank": ({"collide": {"group": " "}}, ".collide.group", "not a name of a group"),
    "on a shape": ({"shapes": [BALL | {"collide": 3}]}, ".shapes[0].collide", "3 does not say"),
    "bouncy shape": (
        {"shapes": [BALL | {"material": {"restitution": 2}}]},
        ".shapes[0].material.restitution",
        "0 to 1",
    ),
    "negative": ({"material": {"rolling_friction": -1}}, ".material.rolling_friction", "must not be negative, got -1"),
    "endless": ({"material": {"friction": 1e101}}, ".material.friction", "must be from 0 to 1e+100"),
    "faster": (
        {"shapes": [BALL | {"surface_velocity": [0, -1e51, 0]}]},
        ".shapes[0].surface_velocity[1]",
        "-1e+51 m/s is beyond 1e+50 m/s",
    ),
    "fast": ({"shapes": [BALL | {"surface_velocity": 1}]}, ".shapes[0].surface_velocity", "expected a list [x, y, z]"),
}
NOT_PAIRS = {
    "empty": ({"between": ["b", "b"]}, "", "no value is given"),
    "one": ({"between": ["b"], "friction": 1}, ".between", "expected 2 values"),
    "stranger": ({"between": ["b", "c"], "friction": 1}, ".between[1]", "there is no body 'c'; there are: world, b"),
    "groups": ({"between": ["b", "b"], "collide": {"group": "a"}}, ".collide", "write true, false or sensor"),
    "bouncy": ({"between": ["b", "world"], "restitution": 1.5}, ".restitution", "from 0 to 1, got 1.5"),
}


def data_of(bodies: dict, world: dict | None = None, **simulation) -> dict:
    simulation = {"duration": 1, "step": 0.1} | simulation
    return {"format": "rigidsim/1", "simulation": simulation, "world": world or {}, "bodies": bodies}


def scene_of(bodies: dict, **more) -> Scene:
    return Scene.from_dict(data_of(bodies, **more))


def ball(**keys) -> dict:
    return {"mass": 1, "shapes": [BALL]} | keys


def is_valid(data: dict) -> bool:
    return jsonschema.Draft202012Validator(json_schema()).is_valid(data)


def between(bodies: dict, one: str, other: str, **world) -> tuple:
    """What the first shapes of two bodies do, and restitution, friction and rolling friction."""
    surfaces = Surfaces(scene_of(bodies, world=world).hierarchy)
    numbers = {shape.node.path: shape.surface for shape in reversed(surfaces.shapes)}
    place = numbers[one], numbers[other]
    assert surfaces.action[place] == surfaces.action[place[::-1]]
    assert np.array_equal(surfaces.value[place], surfaces.value[place[::-1]])
    return int(surfaces.action[place]), *surfaces.value[place].tolist()


@pytest.mark.parametrize("name", MODES)
def test_modes(name):
    written, expected = MODES[name]
    data = data_of({"b": ball()}, contact=written)
    scene = Scene.from_dict(data)
    assert (scene.simulation.contact.mode, scene.simulation.contact.substeps) == expected
    assert is_valid(data)
    assert Scene.from_dict(scene.resolved()) == scene


def test_off_is_a_word_as_yaml_1_2_reads_it():
    text = "format: rigidsim/1\nsimulation: {duration: 1, step: 1, contact: off}\nbodies: {b: {}}\n"
    assert Scene.from_text(text).simulation.contact.mode == "off"


@pytest.mark.parametrize("name", NOT_MODES)
def test_what_is_not_a_mode(name, problem):
    written, place, message = NOT_MODES[name]
    data = data_of({"b": ball()}, contact=written)
    found = problem(data)
    assert found.path == f"simulation.contact{place}"
    assert message in f"{found.message}; {found.hint}"
    assert not is_valid(data)


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_surface(name, problem):
    keys, place, message = FAULTS[name]
    found = problem(data_of({"b": ball(**keys)}))
    assert found.path == f"bodies.b{place}"
    assert message in f"{found.message}; {found.hint}"


@pytest.mark.parametrize("name", NOT_PAIRS)
def test_faults_of_a_pair(name, problem):
    entry, place, message = NOT_PAIRS[name]
    found = problem(data_of({"b": ball()}, world={"contacts": [entry]}))
    assert found.path == f"world.contacts[0]{place}"
    assert message in f"{found.message}; {found.hint}"


def test_everything_that_can_be_said_is_read_back_and_fits_the_json_schema():
    shape = BALL | {
        "material": {"rolling_friction": 0.1},
        "collide": {"group": "a"},
        "surface_velocity": ["1 km/h", 0, 0],
    }
    bodies = {
        "b": ball(shapes=[shape], material={"friction": 1}, collide="sensor"),
        "f": FLOOR | {"collide": {"group": "c", "with": ["a", "c"]}},
        "g": FLOOR | {"collide": False},
    }
    pairs = [
        {"between": ["b", "world"], "restitution": 0.5, "friction": 0, "rolling_friction": 0.2, "collide": "sensor"},
        {"between": ["b", "f"], "collide": True},
    ]
    data = data_of(bodies, world={"contacts": pairs}, contact={"mode": "stepping", "substeps": 2})
    scene = Scene.from_dict(data)
    assert scene.bodies["b"].shapes[0].surface_velocity == (1 / 3.6, 0, 0)


def test_the_values_of_a_pair():
    """The geometric mean of the frictions, the larger of the others."""
    bodies = {
        "a": ball(material={"friction": 0.2, "restitution": 0.3, "rolling_friction": 0.01}),
        "b": ball(material={"friction": 0.8, "restitution": 0.1, "rolling_friction": 0.02}),
        "c": ball(),
    }
    assert between(bodies, "a", "b") == (COLLIDES, 0.3, math.sqrt(0.2 * 0.8), 0.02)
    assert between(bodies, "a", "a") == (COLLIDES, 0.3, 0.2, 0.01)
    assert between(bodies, "c", "c") == (COLLIDES, 0.0, 0.5, 0.0)


def test_materials_are_inherited_key_by_key_by_the_parts_fixed_to_a_body():
    knob = {"shapes": [BALL | {"material": {"restitution": 0.9}}, BALL], "material": {"rolling_friction": 0.3}}
    rider = ball()  # free, so it inherits nothing
    frame = {"children": {"knob": knob, "rider": rider}, "material": {"friction": 0.7}}
    bodies = {"a": ball(material={"friction": 0.1, "restitution": 0.2}, children={"frame": frame})}
    surfaces = Surfaces(scene_of(bodies).hierarchy)
    values = {(shape.node.path, shape.number): surfaces.all[shape.surface].values for shape in surfaces.shapes}
    assert values == {
        ("a", 0): (0.2, 0.1, 0.0),
        ("a/frame/knob", 0): (0.9, 0.7, 0.3),
        ("a/frame/knob", 1): (0.2, 0.7, 0.3),
        ("a/frame/rider", 0): (0.0, 0.5, 0.0),
    }


def test_collide_is_inherited_and_the_shape_wins():
    part = {"shapes": [BALL], "children": {"tip": {"shapes": [BALL | {"collide": True}]}}}
    bodies = {"a": ball(collide=False, children={"part": part, "rider": ball()}), "b": ball()}
    for path, action in {"a": IGNORED, "a/part": IGNORED, "a/part/tip": COLLIDES, "a/rider": COLLIDES}.items():
        assert between(bodies, path, "b")[0] == action, path


def test_a_sensor_notices_what_collides():
    bodies = {"a": ball(collide="sensor"), "b": ball(), "c": ball(collide=False)}
    assert [between(bodies, "a", other)[0] for other in "abc"] == [SENSED, SENSED, IGNORED]


def test_both_sides_must_admit_each_other():
    bodies = {
        "a": ball(collide={"group": "a", "with": ["b", "c"]}),
        "b": ball(collide={"group": "b"}),
        "c": ball(collide={"group": "c", "with": ["b"]}),
        "d": ball(),
        "e": ball(collide={"with": ["b"]}),
    }
    met = {one + other for one in bodies for other in bodies if between(bodies, one, other)[0] == COLLIDES}
    assert met == {"ab", "ba", "bb", "bc", "cb", "bd", "db", "dd", "be", "eb"}


def test_the_more_specific_pair_wins_key_by_key_and_then_the_later():
    bodies = {"car": ball(children={"wheel": ball()}), "road": FLOOR, "ice": FLOOR}
    contacts = [
        {"between": ["car/wheel", "road"], "friction": 0.9},
        {"between": ["world", "world"], "friction": 0.1, "restitution": 0.6, "rolling_friction": 0.2},
        {"between": ["road", "car"], "friction": 0.3, "restitution": 0.4},
        {"between": ["car", "road"], "restitution": 0.5, "collide": "sensor"},
        {"between": ["ice", "car/wheel"], "collide": False},
    ]
    assert between(bodies, "car/wheel", "road", contacts=contacts) == (SENSED, 0.5, 0.9, 0.2)
    assert between(bodies, "car", "road", contacts=contacts) == (SENSED, 0.5, 0.3, 0.2)
    assert between(bodies, "car", "car/wheel", contacts=contacts) == (COLLIDES, 0.6, 0.1, 0.2)
    assert between(bodies, "car/wheel", "ice", contacts=contacts)[0] == IGNORED


def test_a_pair_may_collide_although_its_groups_do_not():
    bodies = {"a": ball(collide={"group": "a", "with": ["a"]}), "b": ball(collide=False)}
    assert between(bodies, "a", "b", contacts=[{"between": ["a", "b"], "collide": True}])[0] == COLLIDES


NORMALS = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (0.6, 0, -0.8), (0.48, 0.6, 0.64), (1e-9, 0, -1)]


@pytest.mark.parametrize("n", NORMALS, ids=str)
def test_a_plane_is_turned_to_its_normal(n):
    q = turn_of_z(tuple(map(float, n)))
    assert np.allclose(rotate(q, (0.0, 0.0, 1.0)), n, rtol=0, atol=4 * np.finfo(float).eps)


# The free bodies that can meet, the largest ratio of their masses, and the sub-steps.
RUNS = {
    "alone": ({"a": ball()}, (0, 1.0, "off")),
    "one on a floor": ({"a": ball(), "f": FLOOR}, (1, 1.0, 4)),
    "parts of one": ({"a": ball(children={"p": {"shapes": [BALL]}})}, (0, 1.0, "off")),
    "nothing moves": ({"f": FLOOR, "g": {"shapes": [BALL]}}, (0, 1.0, "off")),
    "two planes": ({"f": FLOOR, "a": ball(inertia="point", shapes=[{"type": "plane"}])}, (0, 1.0, "off")),
    "child and parent": ({"a": ball(children={"b": ball()})}, (2, 1.0, 4)),
    "equals": ({"a": ball(mass=2), "b": ball(mass=3)}, (2, 1.5, 4)),
    "25 to 1": ({"a": ball(mass=25), "b": ball()}, (2, 25.0, 4)),
    "100 to 1": ({"a": ball(mass=100), "b": ball()}, (2, 100.0, 8)),
    "400 to 1": ({"a": ball(mass=400), "b": ball()}, (2, 400.0, 16)),
    "1e4 to 1": ({"a": ball(mass=1e4), "b": ball()}, (2, 1e4, 16)),
    "with parts": (
        {"a": ball(children={"p": {"mass": 63, "inertia": "point", "motion": "fixed"}}), "b": ball()},
        (2, 64.0, 7),
    ),
    "a driven part": ({"a": ball(children={"p": {"shapes": [BALL], "motion": {"prescribed": {}}}})}, (0, 1.0, "off")),
    "apart": ({"a": ball(mass=1e4, collide={"group": "a", "with": ["c"]}), "b": ball(), "c": ball(collide=
              {"group": "c", "with": ["a"]}, mass=1e4)}, (2, 1.0, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_can_meet_in_a_run(name):
    bodies, expected = RUNS[name]
    collision_pairs = CollisionPairs(scene_of(bodies).hierarchy)
    substeps = collision_pairs.substeps if collision_pairs.is_on else collision_pairs.mode
    assert (collision_pairs.most_moved, collision_pairs.ratio, substeps) == expected
    off = CollisionPairs(scene_of(bodies, contact="off").hierarchy)
    assert (off.is_on, off.mode) == (False, "off")
    written = CollisionPairs(scene_of(bodies, contact={"substeps": 3}).hierarchy)
    assert written.substeps == 3


def test_reparentings_change_what_can_meet():
    bodies = {"a": ball(children={"p": {"mass": 99, "inertia": "point", "shapes": [BALL], "motion": "fixed"}})}
    data = data_of(bodies) | {"reparent": [{"body": "a/p", "to": "world", "time": 0.5}]}
    collision_pairs = CollisionPairs(Scene.from_dict(data | {"bodies": bodies}).hierarchy)
    assert (collision_pairs.most_moved, collision_pairs.ratio) == (2, 99.0)
    late = CollisionPairs(Scene.from_dict(data | {"reparent": [{"body": "a/p", "to": "world", "time": 1.5}]}).hierarchy)
    assert late.mode == "off"


def test_an_unknown_key_is_an_error():
    with pytest.raises(SceneError, match="unknown key 'frictoin'; did you mean 'friction'"):
        scene_of({"b": ball(material={"frictoin": 1})})


# Shapes that have no core in this version.
LEFT_OUT = {
    "a stretched capsule": {"type": "capsule", "radius": 1, "length": 1, "scale": [1, 1, 2]},
    "a tube": {"type": "tube", "radius": 1, "inner_radius": 0.5, "length": 1},
}


@pytest.mark.parametrize("contact", ["auto", "stepping"])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_shape_that_could_touch_and_cannot_collide_is_an_error(name, contact, problem):
    bodies = {"a": ball(shapes=[LEFT_OUT[name]]), "b": ball()}
    found = problem(data_of(bodies, contact=contact))
    assert (found.code, found.path) == ("collide", "bodies.a.shapes[0]")
    assert found.message == f"{name} can touch others, but cannot collide in this version"
    assert found.hint == "write collide: false here or in an entry of world.contacts, or simulation.contact: off"


def test_shapes_that_cannot_collide_are_silent_where_they_meet_nothing():
    tube = LEFT_OUT["a tube"]
    for bodies in ({"a": ball(shapes=[tube])}, {"a": ball(shapes=[tube], collide=False), "b": ball()}):
        for contact in ("auto", "stepping"):
            assert scene_of(bodies, contact=contact).warnings == ()
    assert scene_of({"a": ball(shapes=[tube]), "b": ball()}, contact="off").warnings == ()


@pytest.mark.parametrize("scale", [2, [2, 2, 2]])
def test_shapes_scaled_evenly_collide(scale):
    shapes = [BALL | {"scale": scale}, {"type": "capsule", "radius": 1, "length": 1, "scale": scale}]
    shapes += [{"type": "box", "size": [1, 2, 3], "scale": [1, 2, 3]}]
    surfaces = Surfaces(scene_of({"b": ball(shapes=shapes)}).hierarchy)
    found = [(shape.core.half, shape.core.radius) for shape in surfaces.shapes]
    assert found == [((0, 0, 0), 1), ((0, 0, 1), 2), ((0.5, 2, 4.5), 0)]


def test_a_large_ratio_of_masses_is_warned_of_unless_the_sub_steps_are_written():
    bodies = {"a": ball(mass=401), "b": ball()}
    (only,) = scene_of(bodies).warnings
    assert only.startswith(
        "simulation.contact: moving bodies that can collide have a ratio of masses of 401. Above 400 "
    )
    assert scene_of(bodies, contact={"substeps": 16}).warnings == ()
    assert scene_of({"a": ball(mass=400), "b": ball()}).warnings == ()


def test_a_group_must_exist(problem):
    found = problem(data_of({"a": ball(collide={"group": "crate", "with": ["crates"]})}))
    assert (found.path, found.message) == ("bodies.a.collide.with[0]", "there is no group 'crates'")
    assert found.hint == "did you mean 'crate'?"
    found = problem(data_of({"a": ball(shapes=[BALL | {"collide": {"with": ["floor"]}}])}))
    assert found.path == "bodies.a.shapes[0].collide.with[0]"
    assert found.hint == "no shape has a group; write collide: {group: name} there"


def test_a_thousand_materials_are_possible(problem, monkeypatch):
    assert shapes.MOST_SURFACES == 1000
    monkeypatch.setattr(shapes, "MOST_SURFACES", 20)
    many = ball(material={"friction": "= index/1000"}, repeat={"line": 21, "spacing": [2, 0, 0]})
    found = problem(data_of({"a": many}))
    assert found.message == "the shapes have 21 different materials and groups, at most 20 are possible"
    assert scene_of({"a": many}, contact="off").warnings == ()
    scene_of({"a": many | {"repeat": {"line": 20, "spacing": [2, 0, 0]}}})


def test_a_pair_that_can_never_touch_is_warned_of():
    bodies = {
        "car": ball(children={"wheel": {"shapes": [BALL]}, "seat": {}}),
        "road": FLOOR,
        "wall": FLOOR | {"children": {"door": {"shapes": [BALL]}}},
    }

    def warned(one: str, other: str, **keys) -> tuple[str, ...]:
        return scene_of(bodies, world={"contacts": [{"between": [one, other], "friction": 1} | keys]}).warnings

    place, reason = "world.contacts[0].between", "they are planes, parts of one body, or both not moved by forces"
    never = "can never touch, so this has no effect"
    assert warned("car", "car/wheel") == (f"{place}: 'car' and 'car/wheel' {never}: {reason}",)
    assert warned("road", "wall") == (f"{place}: 'road' and 'wall' {never}: {reason}",)
    assert warned("road", "car/seat") == (
        f"{place}[1]: there is no shape on 'car/seat' or below it, so this has no effect",
    )
    for pair in (("car", "road"), ("wall/door", "car/wheel"), ("world", "car"), ("world", "world")):
        assert warned(*pair) == warned(*pair, collide=False) == ()


def test_an_entry_for_bodies_that_a_reparenting_brings_together_has_an_effect():
    part = {"mass": 1, "shapes": [BALL], "motion": "fixed"}
    data = data_of({"a": ball(children={"p": part})}, world={"contacts": [{"between": ["a", "a/p"], "friction": 1}]})
    assert "can never touch" in Scene.from_dict(data).warnings[0]
    leaves = {"reparent": [{"body": "a/p", "to": "world", "time": 0.5}]}
    assert Scene.from_dict(data | leaves).warnings == ()


@pytest.mark.parametrize("size", ["box", "sphere"])
@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_sizes_beyond_the_range_of_products_do_not_collide(size, scale, problem):
    shape = {"sphere": BALL, "box": {"type": "box", "size": [1, 1, 1]}}[size] | {"scale": scale}
    bodies = {"a": ball(), "f": {"shapes": [shape]}}
    found = problem(data_of(bodies))
    assert (found.path, found.hint) == ("bodies.f.shapes[0]", "write collide: false here")
    assert found.message == "the size of the shape is not between 1e-50 and 1e+50 m, so it cannot collide"
    bodies["f"]["collide"] = False
    assert scene_of(bodies).warnings == ()


def test_a_size_that_vanishes_is_no_size(problem):
    shape = BALL | {"radius": 1e-200, "scale": 1e-200}
    assert "the size of the shape is not between" in problem(data_of({"a": ball(), "f": {"shapes": [shape]}})).message
    box = {"type": "box", "size": [1, 1, 1], "scale": [1e-60, 1, 1]}
    assert "the size of the shape is not between" in problem(data_of({"a": ball(), "f": {"shapes": [box]}})).message
    plane = {"type": "plane", "offset": 1e45}
    found = problem(data_of({"a": ball(), "f": {"scale": 1e10, "shapes": [plane]}}))
    assert found.message == "the position of the shape is not below 1e+50 m, so it cannot collide"
