"""What may be written in a scene: each key, its default, and what is said about anything else."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene

SCENE = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.1}
bodies:
  tank:
    mas: 3
    inertia: {principal: [1, 1, 1]}
    velocity: [1, 2]
    children:
      turret:
        position: [.nan, two, true]
        wheels: 4
"""


def test_all_errors_at_once_in_the_order_of_the_text(problems):
    found = [(p.code, p.line, p.column) for p in problems(SCENE, name="s.yaml")]
    assert found == [
        ("unknown-key", 5, 5),
        ("length", 7, 15),
        ("not-finite", 10, 20),
        ("not-a-number", 10, 26),
        ("not-a-number", 10, 31),
        ("unknown-key", 11, 9),
    ]


def test_message_shows_the_place(problems):
    first, *_, last = problems(SCENE, name="s.yaml")
    assert str(first) == (
        "s.yaml:5:5: error[unknown-key] bodies.tank.mas: unknown key 'mas'; did you mean 'mass'?\n"
        "        mas: 3\n        ^"
    )
    assert last.hint.startswith("allowed keys: mass, inertia, center_of_mass")
    assert last.path == "bodies.tank.children.turret.wheels"


def test_duplicate_keys_are_reported_with_the_rest(problems):
    found = problems(SCENE + "title: a\ntitle: b\n")
    assert [p.code for p in found][-1] == "duplicate-key"
    assert len(found) == 7


def test_defaults(minimal):
    scene = Scene.from_dict(minimal)
    body = scene.bodies["brick"]
    assert (scene.title, scene.world.gravity, scene.name, scene.warnings) == ("", (0, 0, 0), "", ())
    assert (scene.simulation.integrator.name, scene.simulation.record_every) == ("rkmk4", None)
    assert (body.kind, body.prescribed, body.scale, body.gravity) == ("free", None, 1, True)
    assert (body.velocity.value, body.velocity.frame, body.velocity.relative_to) == ((0, 0, 0), "parent", "parent")
    assert body.orientation == (1, 0, 0, 0)


def test_magnus_options(minimal):
    minimal["simulation"]["integrator"] = "magnus"
    chosen = Scene.from_dict(minimal).simulation.integrator
    assert (chosen.name, chosen.terms, chosen.exponential) == ("magnus", 2, "full")


def test_framed_vectors(with_body):
    velocity = {"frame": "body", "relative_to": "world", "value": ["36 km/h", 0, 0]}
    body = Scene.from_dict(with_body(mass=1, inertia="point", velocity=velocity)).bodies["b"]
    assert (body.velocity.value, body.velocity.frame, body.velocity.relative_to) == ((10, 0, 0), "body", "world")


def test_prescribed_motion(with_body):
    spin = {"frame": "body", "value": [0, 0, "1 rpm"]}
    body = Scene.from_dict(with_body(motion={"prescribed": {"angular_velocity": spin}})).bodies["b"]
    assert body.kind == "prescribed"
    assert body.prescribed.angular_velocity.frame == "body"
    assert body.prescribed.velocity.value == (0, 0, 0)
    assert body.prescribed.velocity.relative_to == "parent"


@pytest.mark.parametrize(
    ("body", "path", "code", "words"),
    [
        ({"mass": 0}, ".mass", "mass", "motion: fixed"),
        ({"mass": -1}, ".mass", "mass", "not between 1e-40 and 1e+45"),
        ({"mass": 1e46}, ".mass", "mass", "not between"),
        ({"mass": 1e300}, ".mass", "magnitude", "1e+300 kg is beyond 1e+50 kg"),
        ({"velocity": [0, "= -1e60", 0]}, ".velocity[1]", "magnitude", "-1e+60 m/s is beyond 1e+50 m/s"),
        ({"position": ["1e48 km", 0, 0]}, ".position[0]", "magnitude", "1e+51 m is beyond 1e+50 m"),
        ({"orientation": {"axis": [0, 0, 1], "angle": 2e15}}, ".orientation.angle", "magnitude", "beyond 1e+15 rad"),
        ({"mass": 1, "inertia": "point", "scale": 1e60}, ".scale", "scale", "between 1e-50 and 1e+50"),
        ({"mass": 5e-324}, ".mass", "mass", "not between"),
        ({"mass": True}, ".mass", "not-a-number", "got true"),
        ({"mass": None}, ".mass", "empty", "has no value"),
        ({"scale": 0}, ".scale", "not-positive", "greater than zero"),
        ({"gravity": 1}, ".gravity", "not-a-boolean", "true or false, got 1"),
        ({"gravity": None}, ".gravity", "empty", "has no value"),
        ({"position": 3}, ".position", "not-a-list", "got 3"),
        ({"position": {"x": 1}}, ".position", "not-a-list", "got a mapping"),
        (
            {"position": ["= 2*pie", 0, 0]},
            ".position[0]",
            "expression",
            "'pie', at column 5 of '= 2*pie'; did you mean 'pi'",
        ),
        ({"velocity": ["= t", 0, 0]}, ".velocity[0]", "expression", "'t' cannot be used here: only parameters"),
        ({"forces": [{"force": ["= -4*xx", 0, 0]}]}, ".forces[0].force[0]", "expression", "did you mean 'x'"),
        ({"gravity": "= 1 > 0"}, ".gravity", "not-a-boolean", "true or false"),
        ({"velocity": "fast"}, ".velocity", "not-a-list", "got fast"),
        ({"velocity": {"frame": "boddy", "value": [0, 0, 0]}}, ".velocity.frame", "unknown-value", "mean 'body'"),
        ({"velocity": {"frame": "body"}}, ".velocity.value", "missing-key", "'value' is missing"),
        ({"motion": "flying"}, ".motion", "motion", "free, fixed, or {prescribed"),
        ({"motion": {"prescribed": {"velocity": {"frame": "world", "value": [0, 0, 0]}}}}, "", "unknown-value", ""),
        ({"motion": {"prescribe": {}}}, "", "", "prescribed"),
        ({"motion": {"free": {}}}, ".motion", "motion", "'free' is a word here, without keys; write motion: free"),
        ({"motion": {"fixed": True}}, ".motion", "motion", "write motion: fixed"),
        ({"forces": {}}, ".forces", "not-a-list", "a mapping"),
        ({"forces": [{}]}, ".forces[0]", "missing-key", "neither 'force' nor 'torque'"),
        ({"forces": [{"force": [1, 0, 0], "type": "sprung"}]}, ".forces[0].type", "unknown-value", "mean 'spring'"),
        ({"forces": [{"force": [1, 0, 0], "during": [2, 1]}]}, ".forces[0].during", "during", "not after"),
        ({"forces": [{"force": [1, 0, 0], "during": [-1, 1]}]}, ".forces[0].during[0]", "negative", "got -1"),
        (
            {"forces": [{"force": [1, 0, 0], "during": [1.0000000001, 1]}]},
            *(".forces[0].during", "during", "ends at 1 s, not after its beginning at 1.0000000001 s"),
        ),
        ({"forces": [{"force": [1, 0, 0], "during": [1]}]}, ".forces[0].during", "length", "[start, end]"),
        ({"children": []}, ".children", "not-a-mapping", "names to bodies, got a list"),
        ({"children": {"a": None}}, ".children.a", "empty", "has no value"),
        ({"children": {"a": 3}}, ".children.a", "not-a-mapping", "got 3"),
        ({"children": {"world": {}}}, ".children.world", "body-name", "cannot be called"),
        ({"children": {"self": {}}}, ".children.self", "body-name", "a meaning of its own in 'frame'"),
        ({"children": {"parent": {}}}, ".children.parent", "body-name", "cannot be called"),
        ({"children": {"body": {}}}, ".children.body", "body-name", "cannot be called"),
        ({"children": {"": {}}}, ".children.", "body-name", "cannot be called"),
        ({"children": {"a/b": {}}}, ".children.a/b", "body-name", "not allowed"),
        ({"children": {"a ": {}}}, ".children.a ", "body-name", "blank"),
        ({"children": {"\u202ea": {}}}, ".children.\\u202ea", "body-name", "printable"),
    ],
)
def test_refused(with_body, problems, body, path, code, words):
    first = problems(with_body(**body))[0]
    assert first.path.startswith(f"bodies.b{path}")
    assert code in first.code
    assert words in f"{first.message}; {first.hint}"


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"format": "rigidsim/2"}, "format", "did you mean 'rigidsim/1'"),
        ({"title": 3}, "title", "expected text, got 3"),
        ({"title": "a\x1b[31m"}, "title", "U+001B"),
        ({"bodies": {}}, "bodies", "there is no body; a scene needs at least one"),
        ({"bodies": {"/": {}}}, "bodies./", "not allowed"),
        ({"simulation": {"duration": 1}}, "simulation.step", "is missing"),
        ({"world": {"gravty": [0, 0, 1]}}, "world.gravty", "did you mean 'gravity'"),
        ({"world": {"gravity": 9.81}}, "world.gravity", "expected a list"),
    ],
)
def test_refused_at_the_top(minimal, problem, change, path, words):
    only = problem(minimal | change)
    assert only.path == path
    assert words in f"{only.message}; {only.hint}"


def test_missing_format_gets_a_hint(minimal, problem):
    del minimal["format"]
    assert problem(minimal).hint == "begin the scene with 'format: rigidsim/1'"


@pytest.mark.parametrize(
    ("key", "entry", "words"),
    [
        (
            "forces",
            {"type": "spring", "to": "world", "stiffness": 1, "stifness": 2},
            "for type 'spring'; did you mean 'stiffness'",
        ),
        (
            "forces",
            {"force": [1, 0, 0], "stiffness": 2},
            "for type 'constant', the default type; allowed keys: ",
        ),
        ("shapes", {"type": "sphere", "radius": 1, "radios": 2}, "for type 'sphere'; did you mean 'radius'"),
    ],
)
def test_unknown_key_is_reported_against_its_own_type(with_body, problem, key, entry, words):
    only = problem(with_body(mass=1, inertia="point", **{key: [entry]}))
    assert only.path.startswith(f"bodies.b.{key}[0].")
    assert words in f"{only.message}; {only.hint}"
