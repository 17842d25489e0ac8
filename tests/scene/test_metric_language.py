"""Metrics in a scene: the language of reductions, its errors with line and column, and the way back to text."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

import rigidsim
from rigidsim.scene import json_schema
from rigidsim.scene.expressions import METRIC, ExpressionError, Scope, parse

SCENE = """\
format: rigidsim/1
parameters: {when: 0.5, drift: 3}
simulation: {duration: 1, step: 0.01}
bodies:
  ball: {mass: 1, inertia: point}
  crate: {mass: 1, inertia: {principal: [1, 1, 1]}, children: {lid: {}}}
metrics:
"""


def refused(text: str, name: str = "m") -> rigidsim.errors.Problem:
    with pytest.raises(rigidsim.SceneError) as caught:
        rigidsim.Scene.from_text(f"{SCENE}  {name}: {text}\n")
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("= max(speed('ball'))", '= max(speed("ball", "world"))'),
        ("= max(1, final(x('ball', 'crate/lid')))", '= max(1.0, final(x("ball", "crate/lid")))'),
        ("= at(2*when, x('ball') + 2*t)", '= at(1.0, x("ball", "world") + 2.0 * t)'),
        ("= first(x('ball') > 1)", '= first(t, 1.0 < x("ball", "world"))'),
        ("= first(1 < 2)", "= first(t, 0.0 < 1.0)"),
        ("= first(t, not t > 1 and 2 > 1)", "= first(t, not 1.0 < t and 0.0 < 1.0)"),
        ("= drift*count('impulses')", '= drift * count("impulses")'),
        ("= min(max(t, 2)) + min(3, mean(max(t)^0)) - 1", None),
        ("= sin(when)", "= 0.479425538604203"),
        ("= count('impacts', 'lid')", '= count("impacts", "lid")'),
    ],
)
def test_a_metric_is_printed_and_read_back(text, printed):
    if printed is None:
        with pytest.raises(ExpressionError, match=r"max is a reduction within mean\(\)"):
            parse(text, {}, METRIC)
        return
    expression = parse(text, {"when": 0.5}, METRIC)
    assert str(expression) == printed
    assert parse(printed, {}, METRIC) == expression


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("\"= max(sped('ball'))\"", 13, "unknown function 'sped'", "did you mean 'speed'?"),
        ("\"= frist(x('ball') > 1)\"", 9, "unknown function 'frist'", "did you mean 'first'?"),
        ('"= drft"', 9, "unknown name 'drft'", "did you mean 'drift'?"),
        ("\"= count('impact')\"", 15, "unknown events 'impact'", "did you mean 'impacts'?"),
        ("\"= speed('ball')\"", 9, "'speed' varies during the run", "reduce it to one number"),
        ("\"= max(x('ball'), y('ball'))\"", 13, "'x' varies during the run", "reduce it to one number"),
        ("\"= mean(max(x('ball')))\"", 14, "max is a reduction within mean()", "combines reductions by arithmetic"),
        ('"= max(x)"', 13, "'x' of which body?", 'write x("ball")'),
        ("\"= max(x('self'))\"", 13, "there is no 'self' here", "write the path"),
        ("\"= at(t, x('ball'))\"", 12, "the time of at() varies during the run", "at(2.5"),
        ("\"= mean(x('ball') > 1)\"", 24, "expected a number, got a condition", "if(condition"),
        ("\"= first(x('ball'))\"", 15, "expected a condition, got a number", "x > 0"),
        ("\"= rms(x('ball'), 2)\"", 9, "rms() takes 1 argument, got 2", ""),
        ('"= count(1)"', 15, "expected the name of events in quotes, got '1'", ""),
        ('"= drift()"', 9, "drift has no arguments", "write drift"),
        ("\"= at(2, x('ball'))\"", 6, "at(2, ...) is outside the run, which lasts from 0 to 1 s", ""),
        ("\"= max(x('bal'))\"", 6, "there is no body 'bal'", "did you mean 'ball'?"),
        ("3", 6, "expected an expression, which begins with '=', got 3", "write {top_speed"),
    ],
)
def test_errors_have_line_and_column(text, column, message, hint):
    problem = refused(text)
    assert (problem.path, problem.line) == ("metrics.m", 8)
    assert (problem.message, hint in problem.hint) == (message, True)
    assert problem.column == column


def test_the_name_of_a_metric_is_that_of_a_variable():
    problem = refused('"= drift"', "b-ad")
    assert (problem.line, problem.column) == (8, 3)
    assert problem.message == "a metric cannot be called 'b-ad'"


def test_metrics_are_a_mapping():
    with pytest.raises(rigidsim.SceneError, match="metrics: expected names with expressions, got a list"):
        rigidsim.Scene.from_text(SCENE.replace("metrics:", "metrics: ['= drift']"))


@pytest.mark.parametrize("word", ["mean(x)", "first(x > 1)", "count('impulses')"])
def test_reductions_are_for_metrics_only(word):
    with pytest.raises(ExpressionError, match="is allowed only in metrics"):
        parse(f"= {word}", {}, {"time", "state"})


def test_words_of_metrics_are_names_elsewhere():
    """In a metric `drift` is the reduction; parameters of its name keep their meaning in all other expressions."""
    scene = rigidsim.Scene.from_text(f"{SCENE}  m: '= drift'\n", overrides=["bodies.ball.mass== drift"])
    assert scene.bodies["ball"].mass == 3.0 and str(scene.metrics["m"]) == "= drift"


def test_metrics_survive_being_resolved_and_fit_the_schema():
    scene = rigidsim.Scene.from_text(f"{SCENE}  m: \"= at(when, x('ball'))\"\n")
    resolved = scene.resolved()
    assert resolved["metrics"] == {"m": '= at(0.5, x("ball", "world"))'}
    validator = Draft202012Validator(json_schema())
    assert not validator.is_valid(resolved | {"metrics": {"m": 3}})
    assert not validator.is_valid(resolved | {"metrics": {"b-ad": "= drift"}})
    assert "metrics" not in rigidsim.Scene.from_dict({k: v for k, v in resolved.items() if k != "metrics"}).resolved()


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("max(speed('ball'))", "m/s"),
        ("max(speed('ball'))^2/(2*g)", "m"),
        ("max('ball.kinetic_energy') - 3", "J"),
        ("max(degrees(omega_z('crate')))", "deg/s"),
        ("first(z('ball') < 1)", "s"),
        ("at(0.5, x('ball')*v_y('ball'))", "m²/s"),
        ("rms('crate.angles.yaw')", "rad"),
        ("sqrt(max(x('ball')^2 + y('ball')^2))", "m"),
        ("max(0.5*3*speed('ball')^2) + max('kinetic_energy')", "J"),
        ("degrees(acos(min('crate.axis_z.z')))", "deg"),
        ("1/final(t)", "1/s"),
        ("final(speed('ball'))/max(speed('ball'))", ""),
        ("max(speed('ball'))^final(t)", ""),
        ("count('impacts') + drift", ""),
        ("max(abs(x('ball') - cos(t)))", "m"),
        ("max(x('ball')*sin('crate.angles.yaw')) + max(exp(-t))", "m"),
        ("degrees(max('crate.orientation.x'))", "deg"),
        ("radians(max(degrees('crate.angles.yaw')))", "rad"),
        ("2*pi/final(omega_z('crate'))", "s"),
        ("max('ball.felt_acceleration.norm') [gn]", "gn"),
        ("max('ball.terms.euler.x') + max('ball.acceleration.norm@world')", "m/s²"),
        ("max(speed('ball'))^2/(2*g) [ cm ]", "cm"),
        ("rms('crate.angles.yaw')[deg]", "deg"),
    ],
)
def test_the_unit_of_a_metric_follows_from_what_it_reads(text, unit):
    assert parse(f"= {text}", {"g": 9.81}, METRIC, {"g": "m/s^2"}).unit == unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("final('pinion.motor')", "N m"),
        ("final('rack.motor')", "N"),
        ("max('pinion.rate')", "rad/s"),
        ("max(rate('frame/rack'))", "m/s"),
        ("max('nut.motor') + 1", "N"),
        ("max('nut.motor_2')", "N m"),
        ("max('p*.rate')", "rad/s"),
        ("max('*.rate')", ""),
        ("integral('pinion.motor'*rate('pinion'))", "J"),
        ("max('pinion.motor'*rate('pinion'))", "W"),
        ("max('pinion.motor'*'pinion.angle')", "J"),
        ("max('pinion.reaction_torque.norm')", "N m"),
        ("max(2*'pinion.motor')", "N m"),
        ("max('pinion.motor')/final('rack.motor')", "m"),
        ("final('pinion.motor') [N*cm]", "N*cm"),
        ("max('total_energy') [N*m]", "N*m"),
        ("max('pinion.rate') [rpm]", "rpm"),
        ("final('late.rate')", "rad/s"),
    ],
)
def test_the_unit_of_what_is_read_of_a_joint_is_that_of_its_type(text, unit):
    """Of several joints it is the common one; a torque is no energy, but is one times an angle."""
    joints = {"pinion": "hinge", "frame/rack": "slide", "nut": "cylindrical", "late": "hinge"}
    assert parse(f"= {text}", {}, METRIC, scope=Scope(joints=joints)).unit == unit


def test_a_torque_added_to_a_force_is_an_error():
    with pytest.raises(ExpressionError, match="N m and N have different dimensions"):
        parse("= final('a.motor') + final('b.motor')", {}, METRIC, scope=Scope(joints={"a": "hinge", "b": "slide"}))


def test_units_of_joints_are_known_while_a_scene_is_read():
    """Those of joints that a reparenting makes, and of quantities under `let` and forces of the body itself, too."""
    hinge = "{hinge: {axis: [0, 0, 1]}}"
    scene = rigidsim.Scene.from_text(
        "format: rigidsim/1\nsimulation: {duration: 1, step: 0.01}\nbodies:\n"
        f"  a: {{mass: 1, inertia: {{principal: [1, 1, 1]}}, let: {{spin: '= 2*rate'}}, motion: {hinge}}}\n"
        "  b: {mass: 1, inertia: {principal: [1, 1, 1]}, position: [2, 0, 0]}\n"
        f"reparent: [{{body: b, to: a, time: 0.5, motion: {hinge}}}]\n"
        "metrics: {one: \"= max('a.spin')\", other: \"= final('b.rate')\", both: \"= max('*.rate')\"}\n"
    )
    assert {name: metric.unit for name, metric in scene.metrics.items()} == dict.fromkeys(scene.metrics, "rad/s")
    found = rigidsim.simulate(scene)
    assert found.header.metric_units == dict.fromkeys(scene.metrics, "rad/s")
    assert found.metric_unit("= final('b.rate')/2") == "rad/s"


def test_a_metric_is_given_in_the_unit_that_is_asked_for():
    """It is printed so, too, and read again."""
    plain, asked = (f"{SCENE}  m: \"= max(speed('ball'))*2{unit}\"\n" for unit in ("", " [km/h]"))
    one, other = (rigidsim.simulate(rigidsim.Scene.from_text(text)) for text in (plain, asked))
    assert other.metrics["m"] == one.metrics["m"] / (1000 / 3600)
    written = other.header.metrics["m"]
    assert written == '= max(speed("ball", "world")) * 2.0 [km/h]' and other.header.metric_units == {"m": "km/h"}
    assert other.metric(written) == other.metrics["m"]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("max(speed('ball')) [deg]", "what is in m/s cannot be given in 'deg'", "there are m/s, km/s"),
        ("max(3) [m]", "a number without a unit cannot be given in 'm'", ""),
        (
            "max('ball.speed[km/h]')",
            "a unit in an expression, [km/h]",
            "behind the expression: = max('ball.speed') [km/h]",
        ),
        ("max(speed('ball')) []", "expected an operator, got '['", ""),
    ],
)
def test_a_unit_that_means_nothing_is_refused(text, message, hint):
    problem = refused(f'"= {text}"')
    assert (problem.message, hint in problem.hint) == (message, True)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("max(speed('ball')) + max(x('ball'))", "m/s and m"),
        ("first(z('ball') > v_z('ball'))", "m/s and m"),
        ("max('kinetic_energy') - final('crate.linear_momentum.x')", "J and N s"),
        ("max(speed('ball')/v) + final(t)", "a number and s"),
    ],
)
def test_sure_and_different_dimensions_are_an_error(text, units):
    names, known = {"v": 2.0}, {"v": "m/s"}
    with pytest.raises(ExpressionError, match=f"{units} have different dimensions") as caught:
        parse(f"= {text}", names, METRIC, known)
    assert f"= {text}"[caught.value.offset] in "+-<>"


def test_names_of_quantities_in_a_metric():
    """As tables and plots have them; those that have a word of their own are printed with it."""
    printed = {
        "max('ball.kinetic_energy')": 'max("ball.kinetic_energy")',
        "max('ball.velocity.x@crate')": 'max(v_x("ball", "crate"))',
        "max('ball.local.position.norm')": 'max("ball.position.norm@parent")',
        "max('work')": 'max("work")',
        "max('total_energy')": 'max("kinetic_energy" + "potential_energy" - "work")',
    }
    for text, expected in printed.items():
        expression = parse(f"= {text}", {}, METRIC)
        assert str(expression) == f"= {expected}"
        assert parse(f"= {expected}", {}, METRIC) == expression


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("max('ball.position')", "'position' has the components x, y, z, norm", "name one of them"),
        ("max('ball.sped')", "there is no quantity 'sped' of a body", "did you mean 'speed'?"),
        ("max('ball.contact_force.x')", "no body has shapes, so none has 'contact_force'", "give bodies 'shapes'"),
        ("count('impacts', 'bal')", "there is no body 'bal'", "did you mean 'ball'?"),
        ("count('impulses', 'ball')", "impulses are counted of all bodies", "of one: contacts, impacts"),
        ("max('energy_drift')", "a metric cannot read 'energy_drift'", "there are kinetic_energy"),
        (
            "max('lid.kinetic_energy')",
            "'crate/lid' is fixed: only free and jointed bodies have energy and momentum",
            "",
        ),
        ("mean('*.speed')", "mean() of which of '*'?", "max() and min() only"),
        ("max(speed('bal*'))*max(speed('cr?te') + speed('b*'))", "max() of more than one pattern: cr?te, b*", ""),
    ],
)
def test_names_that_mean_nothing_in_a_metric(text, message, hint):
    problem = refused(f'"= {text}"')
    assert (problem.message, hint in problem.hint) == (message, True)


def test_ends_of_paths_and_patterns_in_metrics():
    metrics = "".join(f"  {name}: \"= {text}\"\n" for name, text in {
        "lid": "final(x('lid'))", "all": "max('*.position.x')", "least": "min(x('crate/*') - x('ball'))",
    }.items())  # fmt: skip
    scene = rigidsim.Scene.from_text(SCENE.replace("crate: {", "crate: {position: [3, 0, 0], ") + metrics)
    found = rigidsim.simulate(scene).metrics
    assert found == {"lid": 3.0, "all": 3.0, "least": 3.0}
