"""Vectors in expressions: the same forces as their components, and what is no vector."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import SceneError
from rigidsim.scene.expressions import SAMPLE, Scope, parse, parse_vector

LOADS = frozenset({"time", "state"})
BODY = {
    "mass": 2, "inertia": {"principal": [1, 2, 3]}, "position": [1, 2, 3], "velocity": [0.3, -0.2, 0.5],
    "angular_velocity": [1, 0.4, -0.7],
}  # fmt: skip
AIR = {"motion": {"prescribed": {"velocity": [1, 0.5, 0], "angular_velocity": [0, 0, 0.3]}}}


def made(load: dict, **more) -> rigidsim.Scene:
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": 2, "step": 0.01, "record_every": 0.1},
            "bodies": {"b": BODY | {"forces": [load]}, "air": AIR},
        }
        | more
    )


def each(text: str) -> list[str]:
    """The components of an expression with `_` in place of their letter."""
    return [text.replace("_", f"_{letter}") for letter in "xyz"]


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        ("= -0.5*norm(v)*v", each("= -0.5*speed*v_")),
        ("= -(v - v('air'))", each("= -(v_ - v_('air'))")),
        ("= (v('air', 'world') + v)/2", each("= (v_('air', 'world') + v_)/2")),
        ("= if(x > 1, v, -v)", each("= if(x > 1, v_, -v_)")),
        ("= cross(omega, [0, 0, 1])", ["= omega_y", "= -omega_x", 0]),
        ("= [0, t, dot(p, v)]", [0, "= t", "= x*v_x + y*v_y + z*v_z"]),
    ],
)
def test_a_vector_is_its_components(whole, parts):
    for key in ("force", "torque"):
        one, other = (rigidsim.simulate(made({key: form})) for form in (whole, parts))
        for quantity in ("position", "orientation"):
            a, b = (getattr(run["b"].world, quantity) for run in (one, other))
            assert np.abs(a - b).max() < 1e-13


@pytest.mark.parametrize(
    ("whole", "load"),
    [
        ("= rotate([0, 0.5, 2])", {"force": [0, 0.5, 2], "frame": "body"}),
        ("= rotate([0, 0.5, 2], 'air')", {"force": [0, 0.5, 2], "frame": "air"}),
    ],
)
def test_a_vector_in_the_axes_of_a_body(whole, load):
    one, other = (rigidsim.simulate(made(form)) for form in ({"force": whole}, load))
    assert np.abs(one["b"].world.position - other["b"].world.position).max() < 1e-13


@pytest.mark.parametrize("axes", ["body", "air"])
def test_components_in_other_axes(axes):
    """A force in the axes of a frame, of the components there, is the force in the parent's axes."""
    frame = "body" if axes == "body" else "air"
    one, other = (
        rigidsim.simulate(made(load))
        for load in (
            {"force": f"= -v('self', axes='{axes}')", "frame": frame},
            {"force": "= -v"},
        )
    )
    assert np.abs(one["b"].world.position - other["b"].world.position).max() < 1e-13


def test_work_of_a_force_by_vectors_closes_the_ledger():
    """Drag in a medium of which the density falls with height: the loss of energy is its work."""
    found = rigidsim.simulate(made({"force": "= -exp(-z/3)*norm(v - v('air'))*(v - v('air'))"}))
    kinetic, work = (found.arrays[f"diagnostics/{name}"] for name in ("kinetic_energy", "work"))
    assert abs(work[-1]) > 1e-2
    assert np.abs(kinetic - work - kinetic[0]).max() < 1e-9


def test_metrics_and_plots_read_vectors():
    metrics = {
        "fastest": "= max(norm(v('b', 'air')))",
        "momentum": "= final(dot(cross(p('b'), v('b')), [0, 0, 1]))",
        "sideways": "= final(dot(v('b', axes='body'), [0, 1, 0]))",
    }
    found = rigidsim.simulate(made({"force": "= -v"}, metrics=metrics))
    seen = found["b"].seen_from("air")
    assert abs(found.metrics["fastest"] - np.linalg.norm(seen.velocity, axis=1).max()) < 1e-13
    p, v = found["b"].world.position[-1], found["b"].world.velocity[-1]
    assert abs(found.metrics["momentum"] - np.cross(p, v)[2]) < 1e-13
    axes = found.plot("b.velocity.y@body", "= dot(v('b', axes='body'), [0, 1, 0])").axes
    curves = [line.get_ydata() for one in axes for line in one.lines if len(line.get_ydata()) > 2]
    assert len(curves) == 2 and np.abs(curves[0] - curves[1]).max() < 1e-13
    assert abs(found.metrics["sideways"] - curves[0][-1]) < 1e-13


def test_a_parameter_called_as_a_vector_comes_first():
    names = {"v": 2.0, "p": 3.0}
    assert parse("= v*p", names, LOADS).value == 6.0
    assert [str(part) for part in parse_vector("= v*v('self')", names, LOADS, {}, Scope())] == [
        str(part) for part in parse_vector("= 2*v('self')", {}, LOADS, {}, Scope())
    ]
    assert parse("= axes == 3", {"axes": 3.0}, LOADS | {"condition"}).value == 1.0


def test_units_of_vectors_are_followed():
    assert parse("= norm(v('b'))", {}, SAMPLE).unit == "m/s"
    assert parse("= dot(p('b'), v('b'))", {}, SAMPLE).unit == "m²/s"


def test_resolved_scenes_have_components():
    scene = made({"force": "= -2*v"})
    written = scene.resolved()["bodies"]["b"]["forces"][0]["force"]
    assert written == ["= -2.0 * v_x", "= -2.0 * v_y", "= -2.0 * v_z"]
    assert rigidsim.Scene.from_dict(scene.resolved()) == scene


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= norm(v)", "expected a vector, got a number"),
        ("= v*v", "'multiply' of a vector, at column 4"),
        ("= v + 1", "'add' of a vector and a number"),
        ("= [1, 2]", "a vector has 3 components, got 2"),
        ("= [1, 2, v]", "expected a number, got a vector"),
        ("= dot(v)*v", "dot() takes 2 vectors, got 1"),
        ("= cross(v, 1)", "expected a vector, got a number"),
        ("= v('air', axes=)", "expected the path of a body in quotes"),
        ("= if(v > p, v, p)", "'less' of a vector"),
        ("= v/v", "divide by its length, norm(a)"),
        ("= nrm(v)*v", "did you mean 'norm'"),
        ("= sin(v)", "'sin' of a vector"),
        ("= v('bird')", "there is no body 'bird'"),
        ("= v('air', axes='bird')", "there is no body 'bird'"),
        ("= [1, 2, 3", "expected ']', got the end"),
        ("= rotate(v, 'bird')", "there is no body 'bird'"),
    ],
)
def test_what_is_no_vector_is_one_located_sentence(text, message):
    with pytest.raises(SceneError) as failure:
        made({"force": text})
    assert message in str(failure.value) and "bodies.b.forces[0].force" in str(failure.value)


@pytest.mark.parametrize("text", ["= v", "= [1, 2, 3]", "= cross(p, v)"])
def test_a_number_is_no_vector(text):
    with pytest.raises(SceneError, match="expected a number, got a vector"):
        made({"force": [text, 0, 0]})
    with pytest.raises(SceneError, match=r"cannot be used here|expected a number, got a vector"):
        rigidsim.Scene.from_dict(
            {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"a": {"mass": text}}}
        )
