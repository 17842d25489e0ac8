"""Repeated bodies: where the copies are, what their expressions may use, and where faults are reported."""

from __future__ import annotations

import math

import jsonschema
import pytest

from rigidsim.errors import SceneError
from rigidsim.scene import Scene, json_schema
from rigidsim.scene.prepare.expansion import MOST_COPIES
from support.effort import at_most_calls

HEAD = """\
format: rigidsim/1
parameters: {d: 0.5, n: 2}
simulation: {duration: 1, step: 0.1}
bodies:
"""
POINT = "mass: 1, inertia: point"


def walk(text, **options):
    """Every body of a scene with these bodies, by its path."""
    return {path: body for path, body, _ in Scene.from_text(HEAD + text, **options).walk()}


def places(text, **options):
    return {path: body.position for path, body in walk(text, **options).items()}


@pytest.fixture
def faults(problems):
    """The problems of a scene with these bodies, as (code, path, line, column, message and hint)."""

    def found(text, **options):
        return [(p.code, p.path, p.line, p.column, f"{p.message}; {p.hint}") for p in problems(HEAD + text, **options)]

    return found


def test_a_line_begins_at_the_body_itself():
    found = places(
        f"  a: {{{POINT}, position: [1, 10 cm, '= n'], repeat: {{line: 3, spacing: ['= d', 0, 1]}}}}\n  z: {{}}"
    )
    assert found == {"a_0": (1, 0.1, 2), "a_1": (1.5, 0.1, 3), "a_2": (2, 0.1, 4), "z": (0, 0, 0)}


def test_the_last_axis_of_a_grid_runs_fastest():
    found = walk(
        f"  a: {{{POINT}, center_of_mass: ['= i', '= j', '= k'], repeat: {{grid: [2, 1, '= n'], spacing: [1, 2, 3]}}}}"
    )
    assert {path: body.position for path, body in found.items()} == {
        "a_0": (0, 0, 0), "a_1": (0, 0, 3), "a_2": (1, 0, 0), "a_3": (1, 0, 3)
    }  # fmt: skip
    assert [body.center_of_mass for body in found.values()] == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]


def test_random_places_are_the_same_everywhere():
    text = f"  a: {{{POINT}, position: [10, 0, 0], repeat: {{random: 500, seed: 7, size: [2, 2, 0]}}}}"
    found = list(places(text).values())
    # Written down once: NumPy may change its distributions, never the bits of PCG64.
    assert found[0] == (10.250190933209334, 0.794427601939151, 0)
    assert all(9 <= x <= 11 and -1 <= y <= 1 and z == 0 for x, y, z in found)
    assert abs(sum(x for x, _, _ in found) / 500 - 10) < 4 * 2 / math.sqrt(12 * 500)
    assert found == list(places(text).values()) != list(places(text.replace("seed: 7", "seed: 8")).values())
    assert found[:3] == list(places(text.replace("random: 500", "random: 3")).values())


def test_random_attitudes_are_uniform():
    text = "  a: {mass: 1, inertia: {principal: [1, 1, 1]}, repeat: {random: 500, seed: 1, size: [1, 1, 1]}}"
    turned = text.replace("seed: 1,", "seed: 1, orientation: random,")
    found = [body.orientation for body in walk(turned).values()]
    assert places(turned) == places(text)
    for i in range(4):
        # The square of each part of a uniform unit quaternion has the mean 1/4 and the variance 1/16.
        assert abs(sum(q[i] for q in found) / 500) < 4 * 0.5 / math.sqrt(500)
        assert abs(sum(q[i] ** 2 for q in found) / 500 - 0.25) < 4 * 0.25 / math.sqrt(500)


def test_names_and_values_of_a_copy():
    found = walk(
        """\
  a:
    mass: "= 1 + index"
    inertia: {principal: ["= m", "= m", "= r*count"]}
    scale: "= w"
    repeat: {line: 3, spacing: [1, 0, 0], values: {m: [1, "= 2*n", 3 kg*m^2], r: "= m*0.5", w: 7}}
"""
    )
    assert [body.mass for body in found.values()] == [1, 2, 3]
    assert [body.inertia.tensor[0][0] for body in found.values()] == [1, 4, 3]
    assert [body.inertia.tensor[2][2] for body in found.values()] == [1.5, 6, 4.5]
    assert {body.scale for body in found.values()} == {7}


def test_repeats_inside_repeats():
    found = places(
        """\
  a:
    repeat: {line: 2, spacing: [1, 0, 0], values: {u: "= 10*index"}}
    children:
      b:
        position: [0, "= u", "= index"]
        repeat: {line: "= index + 1", spacing: [0, 1, 0]}
        children: {c: {position: ["= u + index", "= count", 0]}}
      plain: {position: [1, 1, 1]}
"""
    )
    assert found == {
        "a_0": (0, 0, 0),
        "a_0/b_0": (0, 0, 0),
        "a_0/b_0/c": (0, 1, 0),
        "a_0/plain": (1, 1, 1),
        "a_1": (1, 0, 0),
        "a_1/b_0": (0, 10, 0),
        "a_1/b_0/c": (10, 2, 0),
        "a_1/b_1": (0, 11, 1),
        "a_1/b_1/c": (11, 2, 0),
        "a_1/plain": (1, 1, 1),
    }


def test_a_scene_with_repeats_reads_back():
    text = HEAD + f"  a: {{{POINT}, position: ['= index', 0, 0], repeat: {{line: 3, spacing: [1, 0, 0]}}}}\n"
    scene = Scene.from_text(text)
    again = Scene.from_dict(scene.resolved())
    assert again == scene
    assert list(scene.resolved()["bodies"]) == ["a_0", "a_1", "a_2"]
    assert scene.source == text
    assert Scene.from_text(scene.source) == scene


def test_aliases_and_dicts():
    assert len(places("  a: &a {repeat: {line: 2, spacing: [1, 0, 0]}}\n  b: *a")) == 4
    data = {"bodies": {"a": {"position": ["= index", 0, 0], "repeat": {"line": 2, "spacing": [0, 1, 0]}}}}
    data |= {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}}
    scene = Scene.from_dict(data)
    assert [body.position for body in scene.bodies.values()] == [(0, 0, 0), (1, 1, 0)]
    assert Scene.from_text(scene.source) == scene
    assert data["bodies"]["a"]["position"] == ["= index", 0, 0]


def test_overrides_come_first():
    text = f"  a: {{{POINT}, repeat: {{line: 2, spacing: [1, 0, 0]}}}}\n"
    assert len(places(text, overrides=["bodies.a.repeat.line=5"])) == 5
    assert {body.mass for body in walk(text, overrides=["bodies.a.mass== 1 + n"]).values()} == {3}
    with pytest.raises(SceneError) as caught:
        Scene.from_text(HEAD + text, overrides=["bodies.a.mass=0"])
    assert [(p.file, p.path) for p in caught.value.problems] == [("--set bodies.a.mass=0", "bodies.a_0.mass")]


LINE = "repeat: {line: 2, spacing: [1, 0, 0]}"


@pytest.mark.parametrize(
    ("body", "code", "path", "words"),
    [
        ("repeat: 3", "repeat", "a.repeat", "3 is not a way to repeat a body; write {grid"),
        ("repeat: {lin: 3}", "repeat", "a.repeat", "is not a way to repeat a body; did you mean 'line'?"),
        ("repeat: {lin: 3, spacing: [1, 0, 0]}", "repeat", "a.repeat", "did you mean 'line'?"),
        ("repeat: {spacing: [1, 0, 0]}", "repeat", "a.repeat", "write {grid"),
        ("repeat: ", "empty", "a.repeat", "has no value; give it one"),
        ("repeat: {line: 2}", "missing-key", "a.repeat.spacing", "is missing"),
        ("repeat: {line: 0, spacing: [1, 0, 0]}", "out-of-range", "a.repeat.line", "must be at least 1, got 0"),
        ("repeat: {line: 2.5, spacing: [1, 0, 0]}", "not-an-integer", "a.repeat.line", "got 2.5"),
        ("repeat: {line: '= nn', spacing: [1, 0, 0]}", "expression", "a.repeat.line", "did you mean 'n'"),
        ("repeat: {grid: 2, spacing: [1, 0, 0]}", "not-a-list", "a.repeat.grid", "[along x"),
        ("repeat: {grid: [2, 2], spacing: [1, 0, 0]}", "length", "a.repeat.grid", "expected 3 values"),
        ("repeat: {line: 2, spacing: [1, 0, 0], seed: 1}", "unknown-key", "a.repeat.seed", "line, spacing"),
        ("repeat: {random: 2, size: [1, 0, 0]}", "missing-key", "a.repeat.seed", "is missing"),
        ("repeat: {random: 2, seed: -1, size: [1, 0, 0]}", "out-of-range", "a.repeat.seed", "at least 0, got -1"),
        (
            "repeat: {random: 2, seed: 123456789012345678901234567890, size: [1, 0, 0]}",
            *("out-of-range", "a.repeat.seed", "must be at most 9007199254740992, got 123456789012345677877719597056"),
        ),
        ("repeat: {random: 2, seed: 1, size: [-1, 0, 0]}", "repeat", "a.repeat.size", "negative"),
        (
            "orientation: {wxyz: [1, 0, 0, 0]}, repeat: {random: 2, seed: 1, size: [1, 0, 0], orientation: random}",
            *("repeat", "a.repeat.orientation", "already has an orientation"),
        ),
        ("repeat: {line: 2, spacing: [1, 0, 0], values: 3}", "not-a-mapping", "a.repeat.values", "m: [1, 2, 3]"),
        (f"{LINE[:-1]}, values: {{index: 1}}}}", "parameter-name", "a.repeat.values", "'index'"),
        (f"{LINE[:-1]}, values: {{sin: 1}}}}", "parameter-name", "a.repeat.values", "'sin'"),
        (
            f"{LINE[:-1]}, values: {{d: 1}}}}",
            "parameter-name",
            "a.repeat",
            "'d' of their own, which hides the parameter",
        ),
        (f"{LINE[:-1]}, values: {{m: [1]}}}}", "length", "a.repeat.values.m", "expected 2 values, one for each"),
        (f"{LINE[:-1]}, values: {{m: [1, 2 parsec]}}}}", "unit", "a.repeat.values.m[1]", "not a unit"),
        (f"{LINE[:-1]}, values: {{m: '= q'}}}}", "expression", "a.repeat.values.m", "unknown name 'q'"),
        (
            f"scale: '= m', {LINE[:-1]}, values: {{m: ['= 1/index', 1]}}}}",
            "expression",
            "a.repeat.values.m[0]",
            "1.0 / 0.0",
        ),
        (
            f"scale: '= index*m', {LINE[:-1]}, valus: {{m: 1}}}}",
            "unknown-key",
            "a.repeat.valus",
            "did you mean 'values'",
        ),
        (
            f"scale: '= m', {LINE[:-1]}, values: {{m: [1, 3 m]}}}}",
            *("unit", "a_1.scale", "'m' is a unit, but a plain number is expected"),
        ),
        (
            f"position: ['= (r)', 0, 0], {LINE[:-1]}, values: {{m: 2 s, r: '= m'}}}}",
            *("unit", "a_0.position[0]", "'s' is a unit of time, but length (m) is expected"),
        ),
        (
            f"motion: {{prescribed: {{position: [0, 0, '= sin(t + index)']}}}}, {LINE}",
            *("repeat", "a.repeat.spacing", 'spacing: [0, 0, 0], and expressions with index there: "= index"'),
        ),
        (
            "motion: {prescribed: {position: [0, 0, 0]}}, repeat: {random: 2, seed: 1, size: [1, 0, 0]}",
            *("repeat", "a.repeat.size", "motion.prescribed.position gives their positions; write size: [0, 0, 0]"),
        ),
        (f"position: [1, 2], {LINE}", "length", "a_0.position", "expected 3 values"),
        (f"position: [1, '= q', 2], {LINE}", "expression", "a_0.position[1]", "unknown name 'q'"),
        (f"positon: [1, 2, 3], {LINE}", "unknown-key", "a_0.positon", "did you mean 'position'"),
        (f"scale: '= k', {LINE}", "expression", "a_0.scale", "unknown name 'k'"),
        (f"scale: '= 1 - index', {LINE}", "not-positive", "a_1.scale", "greater than zero"),
    ],
)
def test_refused(faults, body, code, path, words):
    found = faults(f"  a: {{{body}}}\n")
    assert found[0][:2] == (code, f"bodies.{path}")
    assert words in found[0][4]
    assert len(found) == 1 or code == "unknown-key"


def test_values_of_repeats_within_hide_those_without(problems):
    inner = f"b: {{position: ['= m', 0, 0], {LINE[:-1]}, values: {{m: INNER}}}}}}"
    outer = f"  a: {{position: ['= m', 0, 0], {LINE[:-1]}, values: {{m: 2 m}}}}, children: {{{inner}}}}}\n"
    assert places(outer.replace("INNER", "7"))["a_1/b_1"] == (8, 0, 0)
    reported = problems(HEAD + outer.replace("INNER", "7 s"))
    assert [p.message for p in reported] == ["'s' is a unit of time, but length (m) is expected here"]


def test_copies_whose_position_is_prescribed():
    text = "  a: {motion: {prescribed: {position: ['= 2*index', 0, '= t']}}, repeat: {line: 3, spacing: [0, 0, 0]}}\n"
    assert [body.prescribed.position[0] for body in walk(text).values()] == [0, 2, 4]


@pytest.mark.parametrize("count", [50, 3000])
def test_faults_of_copies_are_reported_once_whatever_their_number(faults, count):
    text = f"  a: {{mas: 1, repeat: {{line: {count}, spacing: [1, 0, 0]}}}}\n  b: {{mass: x}}\n"
    assert [found[:4] for found in faults(text)] == [
        ("unknown-key", "bodies.a_0.mas", 5, 7),
        ("not-a-number", "bodies.b.mass", 6, 13),
    ]


def test_a_repeated_body_is_named_by_its_copies(faults):
    text = f"  a: {{{POINT}, repeat: {{line: 300, spacing: [1, 0, 0]}}, children: {{c: {{{LINE}}}}}}}\n"
    for name, hint in {"a": "a_0 ... a_299", "a_7/c": "a_7/c_0 ... a_7/c_1", "a/c": "a_0/c_0 ... a_299/c_1"}.items():
        spring = f"  b: {{{POINT}, forces: [{{type: spring, to: {name}, stiffness: 1}}]}}\n"
        ((code, path, *_, words),) = faults(text + spring)
        assert (code, path) == ("reference", "bodies.b.forces[0].to")
        assert words == f"there is no body '{name}'; there are {hint}"


@pytest.mark.parametrize(
    "text",
    [
        f"  a: {{{POINT}, {LINE.replace('2', '3000')}, forces: [{{type: spring, to: zz, stiffness: 1}}]}}\n",
        "".join(f"  b{i}: {{{POINT}, forces: [{{type: spring, to: z{i}, stiffness: 1}}]}}\n" for i in range(2000)),
    ],
    ids=["one", "many"],
)
def test_wrong_references_are_reported_quickly(faults, text):
    with at_most_calls(6_000_000):  # measured: 1.9 million; a comparison of all with all takes 40 million
        assert faults(text)[0][4].endswith("_8, a_9, ..." if "zz" in text else "b8, b9, ...")


def test_faults_of_copies_are_reported_once_and_in_their_place(faults):
    text = "  a: {mass: '= q', positon: 3, inertia: point, repeat: {line: 50, spacing: [1, 0, 0]}}\n"
    assert [found[1:4] for found in faults(text)] == [("bodies.a_0.mass", 5, 16), ("bodies.a_0.positon", 5, 20)]


def test_names_of_copies_may_not_clash(faults):
    found = faults(f"  a: {{{LINE}}}\n  a_1: {{}}\n")
    assert [(f[0], f[1], f[2], f[3]) for f in found] == [("body-name", "bodies.a", 5, 3)]
    assert "the name of another body, 'a_1'" in found[0][4]


def test_an_index_hides_no_parameter(faults):
    text = HEAD.replace("n: 2", "n: 2, k: 400") + "  a: {repeat: {grid: [1, 1, 1], spacing: [1, 1, 1]}}\n"
    with pytest.raises(SceneError, match="have a value 'k' of their own, which hides the parameter"):
        Scene.from_text(text)
    Scene.from_text(text.replace("grid: [1, 1, 1]", "line: 2"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  a: {repeat: {grid: [1000, 1000, 1000], spacing: [1, 0, 0]}}", MOST_COPIES),
        ("  a: {repeat: {line: 1e15, spacing: [1, 0, 0]}}", MOST_COPIES),
        ("  a: {repeat: {random: 1e15, seed: 1, size: [1, 0, 0]}}", MOST_COPIES),
        (f"  a: {{repeat: {{line: 90000, spacing: [1, 0, 0]}}, forces: [{'{}, ' * 50}]}}", "values"),
        (
            "  a: {repeat: {line: 999, spacing: [1, 0, 0]}, children: {b: {repeat: {line: 999, spacing: [1, 0, 0]}}}}",
            MOST_COPIES,
        ),
    ],
)
def test_too_many_copies_are_refused_quickly(faults, text, words):
    with at_most_calls(20_000_000):  # measured: 6.2 million at most; a hundred thousand copies take ten times as many
        (only,) = faults(text)
    assert only[0] == "size"
    assert str(words) in only[4]


def test_what_is_no_body_is_left_for_validation(faults):
    for text in ("  a: 3\n", "  a: {repeat: {line: 1, spacing: [1, 0, 0]}, children: 3}\n"):
        assert [found[0] for found in faults(text)] == ["not-a-mapping"]
    with pytest.raises(SceneError, match="names to bodies, got a list"):
        Scene.from_text(HEAD.replace("bodies:", "bodies: []"))


def test_json_schema():
    validator = jsonschema.Draft202012Validator(json_schema())

    def scene(repeat):
        head = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}}
        return head | {"bodies": {"a": {"repeat": repeat}}}

    line = {"line": 2, "spacing": [1, 0, 0]}
    for good in (
        line,
        line | {"line": "= n", "values": {"m": [1, "= 2"], "r": "2 cm"}},
        {"grid": [1, 2, 3], "spacing": ["1 m", 0, 0]},
        {"random": 3, "seed": 0, "size": [1, 1, 1], "orientation": "random"},
    ):
        assert validator.is_valid(scene(good)), good
    for bad in (3, {}, line | {"line": 0}, line | {"line": 1.5}, line | {"seed": 1}, {"random": 1, "size": [1, 1, 1]}):
        assert not validator.is_valid(scene(bad)), bad
