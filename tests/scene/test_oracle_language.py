"""The oracle of a scene: names of quantities, errors with line and column, and the way back to text."""

from __future__ import annotations

import pytest

import rigidsim
from rigidsim.analysis.special import SPECIAL_VALUES
from rigidsim.quantities.names import QuantityName, read_name
from rigidsim.scene.expressions import METRIC, ORACLE, ExpressionError, parse
from rigidsim.scene.expressions.vocabulary import SPECIAL

SCENE = """\
format: rigidsim/1
parameters: {v: 2, w: {value: 3, unit: m/s}}
simulation: {duration: 1, step: 0.01}
bodies:
  ball: {mass: 1, inertia: point}
  crate: {mass: 1, inertia: {principal: [1, 1, 1]}, children: {lid: {}}}
  box: {children: {lid: {}, rim: {}}}
oracle:
"""


def read(entry: str) -> rigidsim.Scene:
    return rigidsim.Scene.from_text(f"{SCENE}  {entry}\n")


@pytest.mark.parametrize(
    ("entry", "resolved"),
    [
        ('ball.position: ["= v*t", 0, null]', {"value": ["= 2.0 * t", 0.0, None]}),
        ('ball.speed: "= w"', {"value": 3.0}),
        ("rim.velocity.x@ball: {value: 1, until: 500 ms}", {"value": 1.0, "until": 0.5}),
        ('linear_momentum.norm: {value: "= sn(v, t)", tolerance: 1.0e-3}',
         {"value": "= sn(2.0, t)", "tolerance": 1e-3}),
        ('kinetic_energy: {value: "= v", until: "= 1/v", tolerance: "= v"}',
         {"value": 2.0, "until": 0.5, "tolerance": 2.0}),
    ],
)  # fmt: skip
def test_an_oracle_survives_being_resolved_and_fits_the_schema(entry, resolved):
    scene = read(entry)
    plain = scene.resolved()
    assert list(plain["oracle"].values()) == [resolved]
    assert "oracle" not in rigidsim.Scene.from_dict({k: v for k, v in plain.items() if k != "oracle"}).resolved()


@pytest.mark.parametrize(
    ("entry", "column", "message", "hint"),
    [
        ("bal.speed: 1", 3, "there is no body 'bal'", "did you mean 'ball'?"),
        ("lid.speed: 1", 3, "2 bodies are called 'lid'", "write one of crate/lid, box/lid"),
        ("ball.speed@crat: 1", 3, "there is no body 'crat'", "did you mean 'crate'?"),
        ("ball.sped: 1", 3, "there is no quantity 'sped' of a body", "did you mean 'speed'?"),
        ("ball.positon.x: 1", 3, "there is no quantity 'positon' of a body", "did you mean 'position'?"),
        ("ball.heat: 1", 3, "there is no quantity 'heat' of a body", "there are position"),
        ("kinetic_enery: 1", 3, "there is no quantity 'kinetic_enery'", "did you mean 'kinetic_energy'?"),
        ("heat: 1", 3, "there is no quantity 'heat'", "write BODY.position"),
        ("ball.position.q: 1", 3, "'position' has no component 'q'", "there are x, y, z"),
        ("work.x: 1", 3, "'work' has no component 'x'", "it is a single number"),
        ("ball.position@body: [0, 0, 0]", 3, "'position' has no frame 'body'", "world, parent, the path of a body"),
        ("ball.kinetic_energy@crate: 1", 3, "'kinetic_energy' has no frame 'crate'", "there are world"),
        ("ball.local.speed@world: 1", 3, "'ball.local.speed@world' has two frames", "omit '.local' or '@world'"),
        ("ball.position: [0, 0]", 18, "expected 3 values [x, y, z], got a list of 2", "null stands for"),
        ("ball.position: 0", 18, "expected 3 values [x, y, z], got one", "null stands for"),
        ("ball.speed: [0]", 15, "'ball.speed' is a single number, not a list of 1", ""),
        ("ball.position: []", 18, "expected a value for each component, 1 to 4, got 0", ""),
        ("ball.speed: ", 14, "has no value", "give it one"),
        ("ball.speed: 3 m/s", 15, "'m/s' is a unit, but a plain number is expected here", ""),
        ("ball.speed: fast", 15, "expected a number, got the text 'fast'", ""),
        ('ball.speed: "= v*x"', 20, "'x' cannot be used here: only parameters and t", ""),
        ("ball.speed: \"= speed('ball')\"", 18, "'speed' cannot be used here: only parameters and t", ""),
        ('ball.position: [0, "= vv", 0]', 25, "unknown name 'vv'", "did you mean 'v'?"),
        ('ball.speed: "= fresnel_x(t)"', 18, "unknown function 'fresnel_x'", "did you mean 'fresnel_s'?"),
        ('ball.speed: "= max(t)"', 18, "max() takes 2 to 500 arguments, got 1", ""),
        ('ball.speed: "= sn(t)"', 18, "sn() takes 2 arguments, got 1", ""),
        ("ball.speed: {value: 1, til: 3}", 26, "unknown key 'til'", "did you mean 'until'?"),
        ("ball.speed: {value: 1, until: -1}", 33, "must not be negative, got -1", ""),
        ("ball.speed: {value: 1, tolerance: 1 m}", 37, "'m' is a unit, but a plain number is expected here", ""),
        ("ball.speed: {until: 1}", 15, "the key 'value' is missing", ""),
    ],
)  # fmt: skip
def test_errors_have_line_and_column(entry, column, message, hint):
    with pytest.raises(rigidsim.SceneError) as caught:
        read(entry)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.message) == (9, column, message)
    assert hint in problem.hint


def test_an_oracle_is_a_mapping_of_limited_size():
    with pytest.raises(rigidsim.SceneError, match="oracle: expected quantities with expressions of t, got a list"):
        rigidsim.Scene.from_text(SCENE.replace("oracle:", "oracle: [1]"))
    many = "".join(f"  ball.position.x@{'crate' if n % 2 else 'box'}{n}: 0\n" for n in range(1001))
    with pytest.raises(rigidsim.SceneError, match="there are more than 1000 quantities"):
        rigidsim.Scene.from_text(SCENE + many)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a/b.position", QuantityName("position", "", "a/b")),
        ("b.velocity.x@body", QuantityName("velocity", "x", "b", "body")),
        ("b.local.velocity.x", QuantityName("velocity", "x", "b", "parent")),
        ("b.world.angles.yaw", QuantityName("angles", "yaw", "b")),
        ("b.position.norm@a/c d", QuantityName("position", "norm", "b", "a/c d")),
        ("v1.2.speed", QuantityName("speed", "", "v1.2")),
        ("work.speed", QuantityName("speed", "", "work")),
        ("b.kinetic_energy", QuantityName("kinetic_energy", "", "b")),
        ("linear_momentum.y", QuantityName("linear_momentum", "y")),
    ],
)
def test_names_of_quantities(text, name):
    assert read_name(text) == name


def test_every_special_function_has_a_value():
    assert set(SPECIAL) == set(SPECIAL_VALUES)


def test_functions_of_oracles_are_for_oracles_only():
    for allow in (METRIC, {"time", "state"}):
        with pytest.raises(ExpressionError, match=r"sn\(\) is allowed only in oracles"):
            parse("= sn(1, 0.5)", {}, allow)
    assert parse("= sn", {"sn": 2.0}).value == 2.0  # a parameter may be called so elsewhere
    text = "= fresnel_c(t) - elliptic_f(1.0, 0.5) * 0.9092974268256817"
    assert str(parse("= fresnel_c(t) - elliptic_f(1, 0.5)*sin(2)", {}, ORACLE)) == text
    assert parse(text, {}, ORACLE) == parse("= fresnel_c(t) - elliptic_f(1, 0.5)*sin(2)", {}, ORACLE)
