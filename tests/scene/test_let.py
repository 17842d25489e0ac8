"""Named quantities: `let` of the scene and of bodies, units in expressions, what is refused, and runs that use them."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.analysis.oracles import errors as errors_of_oracle
from rigidsim.analysis.quantities import named, names
from rigidsim.blueprints import build_world
from rigidsim.physics.operations import CODE
from rigidsim.scene import Scene
from rigidsim.scene.expressions import parse
from rigidsim.scene.text.plain import as_yaml

TEXT = """\
format: rigidsim/1
parameters: {stiffness: 3 N/m}
let:
  gap: "= height('ball') - z('moon')"
simulation: {duration: 1, step: 0.1}
bodies:
  moon: {mass: 1, inertia: point, position: [0, 0, 4]}
  frame:
    motion: {prescribed: {angular_velocity: [0, 0, "= wave"]}}
    let: {wave: "= 0.1*sin(t)"}
    children:
      ball:
        mass: 2
        inertia: point
        position: [0, 3, 0.5]
        let:
          reach: "= hypot(x, y)"
          height: "= z + 2 km + reach - reach"
          of_moon: "= z('moon') - reach"
        forces:
          - {force: ["= stiffness*x", "= -stiffness*reach + 0.5*height", "= 2*(gap + height + of_moon)"]}
metrics:
  high: "= max(height('ball')) [km]"
  same: "= max('frame/ball.height') - final(gap)"
oracle: {gap: 1996.5, ball.height: {value: "= 2000.5", until: 0.05}}
"""
WRITTEN_OUT = {
    "height('ball')": "(z('frame/ball', 'frame') + 2000 + R - R)",
    "height": "(z + 2000 + reach - reach)",
    "gap": "(z + 2000 + reach - reach - z('moon', 'world'))",
    "of_moon": "(z('moon') - reach)",
    "reach": "hypot(x, y)",
    "wave": "0.1*sin(t)",
}


def written_out() -> str:
    """The scene without named quantities: formulas in their place."""
    *head, forces = TEXT.partition("metrics")[0].partition("        forces")
    spin = TEXT[TEXT.index("    motion") : TEXT.index("    let: {wave")]
    text = "".join(head).replace(spin, spin.replace("= wave", "= 0.1*sin(t)"))
    for name in ("gap", "height", "of_moon", "reach"):
        forces = forces.replace(name, WRITTEN_OUT[name])
    lines = (text + forces).splitlines()
    kept, inner = [], 0
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if line.strip().startswith("let:"):
            inner = depth + 1 if line.strip() == "let:" else 0
        elif not inner or depth < inner:
            inner = 0
            kept.append(line)
    return "\n".join(kept)


@pytest.fixture(scope="module")
def run():
    return rigidsim.simulate(Scene.from_text(TEXT))


def test_a_run_has_the_bits_of_the_formulas_written_out(run):
    plain = rigidsim.simulate(Scene.from_text(written_out()))
    assert "let" not in written_out()
    np.testing.assert_array_equal(run["frame/ball"].world.position, plain["frame/ball"].world.position)
    assert np.ptp(run["frame/ball"].world.position[:, 1]) > 0.1


def test_a_quantity_is_evaluated_once():
    program = build_world(Scene.from_text(TEXT)).blueprint.scripts.program
    hypot = [row for row in program.code if row[0] == CODE["hypot"]]
    assert len(hypot) == 1


def test_metrics_oracles_and_names_of_a_trajectory(run):
    ball, moon = run["frame/ball"].local.position, run["moon"].world.position
    reach = named(run, "ball.reach").of()
    np.testing.assert_allclose(reach, np.hypot(ball[:, 0], ball[:, 1]), rtol=4 * np.finfo(float).eps)
    height = ball[:, 2] + 2000.0 + reach - reach
    assert run.metrics["high"] == np.max(height) / 1000
    assert named(run, "ball.height").unit == "m"
    np.testing.assert_array_equal(named(run, "ball.height").of(), height)
    np.testing.assert_array_equal(named(run, "gap").of(), height - moon[:, 2])
    assert named(run, "= gap + 1 [km]").unit == "km"
    assert run.metric("= max(of_moon('ball'))") == np.max(moon[:, 2] - reach)
    assert {"gap", "frame/ball.of_moon", "frame.wave"} <= set(names(run))
    errors = {error.name: error for error in errors_of_oracle(run)}
    assert errors["gap"].error == np.max(np.abs(height - moon[:, 2] - 1996.5))
    assert errors["ball.height"].error == 0.0


def test_lanes_and_interpretation_keep_the_bits(run):
    runs = rigidsim.simulate([Scene.from_text(TEXT, overrides=[f"stiffness={3 + k}"]) for k in range(3)])
    assert runs[0].content_hash == run.content_hash
    assert len({one.content_hash for one in runs}) == 3


def test_units_in_expressions():
    assert parse("= 6378.137 km", {}).value == 6378137.0
    assert parse("= 7 cm", {}).value == 0.07
    assert parse("= 2*3 m/s^2 + 1", {}).value == 7.0
    assert parse("= 3 m", {}, {"units"}).unit == "m"
    assert parse("= z + 3 m", {}, {"units", "state"}).unit == "m"
    assert parse("= 2 N*m/rad * 3", {}).value == 6.0


def test_a_quantity_of_a_copy_uses_its_index():
    scene = Scene.from_dict({
        "format": "rigidsim/1", "simulation": {"duration": 0.2, "step": 0.1},
        "bodies": {"b": {
            "mass": 1, "inertia": "point", "repeat": {"line": 3, "spacing": [1, 0, 0]},
            "let": {"push": "= 2*index"}, "forces": [{"force": ["= push", 0, 0]}],
        }},
    })  # fmt: skip
    assert [scene.bodies[f"b_{k}"].forces[0].force[0] for k in range(3)] == [0.0, 2.0, 4.0]


FAULTS = [
    ({"let": {"q": "= q + 1"}}, "let.q", "circular quantities: q -> q"),
    ({"let": {"p": "= q", "q": "= p"}, "metrics": {"m": "= max(p)"}}, "let.p", "circular quantities: p -> q -> p"),
    ({"a": {"let": {"p": "= q", "q": "= p('a')"}}}, "bodies.a.let.p", "circular quantities: a.p -> a.q -> a.p"),
    ({"let": {"q": "= t"}, "a": {"let": {"q": "= z"}}}, "bodies.a.let.q", "there is a quantity of the scene 'q'"),
    ({"parameters": {"k": 1}, "let": {"k": "= t"}}, "let.k", "there is a parameter 'k'"),
    ({"let": {"speed": "= t"}}, "let.speed", "has a meaning of its own"),
    ({"let": {"pitch": "= t"}}, "let.pitch", "has a meaning of its own"),
    ({"let": {"e": "= 'kinetic_energy'"}, "a": {"forces": [{"force": ["= 2*e", 0, 0]}]}},
     "bodies.a.forces[0].force[0]", "'e' reads kinetic_energy, which is known at samples only"),
    ({"let": {"q": "= z('c')"}, "a": {"forces": [{"force": ["= 2*q", 0, 0]}]}, "metrics": {"m": "= max(q)"}},
     "let.q", "there is no body 'c'"),
    ({"let": {"q": "= z('a') + 3 s"}, "a": {"forces": [{"force": ["= 2*q", 0, 0]}]}},
     "let.q", "m and s have different dimensions"),
    ({"let": {"q": 5}}, "let.q", "expected an expression"),
    ({"let": [1]}, "let", "expected names with expressions"),
    ({"let": {"q q": "= t"}}, "let.q q", "a quantity cannot be called 'q q'"),
    ({"a": {"let": {"q": "= z"}}, "b": {"forces": [{"force": ["= q", 0, 0]}]}},
     "bodies.b.forces[0].force[0]", "'q' is of another body; write q('a')"),
    ({"a": {"let": {"q": "= z"}}, "b": {"forces": [{"force": ["= q('b')", 0, 0]}]}},
     "bodies.b.forces[0].force[0]", "'b' has no quantity 'q' under let; bodies that have it: a"),
    ({"a": {"let": {"q": "= z"}}, "b": {"motion": {"prescribed": {"position": ["= q('a')", 0, 0]}}, "mass": None}},
     "bodies.b.motion.prescribed.position[0]", "'q' cannot be used here"),
    ({"let": {"q": "= t*t"}, "metrics": {"m": "= q"}}, "metrics.m", "'q' varies during the run"),
    ({"let": {"q": "= z('*')"}}, "let.q", "stands for several bodies"),
    ({"let": {"q": "= z"}}, "let.q", "'z' of which body?"),
    ({"let": {"q": "= 3 t"}}, "let.q", "'t' is a unit, and a name here; write 3*t"),
    ({"a": {"forces": [{"force": ["= 5 km", 0, 0]}]}}, "bodies.a.forces[0].force[0]", "'m' is a unit of length"),
    ({"a": {"let": {"q": "= angle"}}, "metrics": {"m": "= max(q('a'))"}}, "bodies.a.let.q", "'a' is free"),
    ({"b": {"let": {"q": "= z('a')"}}, "reparent": [{"body": "b", "to": "a", "time": 0.5}]},
     "bodies.b.let.q", "the parent changes"),
    ({"b": {"let": {"q": "= z"}}, "oracle": {"b.q": [1, 2, 3]}}, "oracle.b.q", "'b.q' is a single number"),
    ({"b": {"let": {"q": "= z"}}, "oracle": {"a.q": 1}}, "oracle.a.q", "'a' has no quantity 'q' under let"),
    ({"let": {f"a{k}": f"= a{k + 1} + a{k + 1}" for k in range(60)} | {"a60": "= t"}}, "let.a35", "50 levels deep"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "path", "message"), FAULTS, ids=range(len(FAULTS)))
def test_one_located_error(problem, changes, path, message):
    bodies = {name: {"mass": 1, "inertia": "point"} | changes.get(name, {}) for name in ("a", "b")}
    for body in bodies.values():
        if body["mass"] is None:
            del body["mass"], body["inertia"]
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": bodies}
    more = {key: value for key, value in changes.items() if key not in bodies}
    found = problem(as_yaml(scene | more))
    assert (found.path, message in f"{found.message}; {found.hint}") == (path, True), found
