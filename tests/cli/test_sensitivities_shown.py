"""The command `sensitivities`: the distance from grazing beside the true one, and displaced runs."""

from __future__ import annotations

import json

import pytest

SWING = """
format: rigidsim/1
parameters: {size: 1.0, e: 0.5}
simulation: {duration: 0.6, step: 0.01, integrator: {name: adaptive, rtol: 1e-13, atol: 1e-14}}
bodies:
  mass:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    motion:
      slide:
        axis: [1, 0, 0]
        displacement: "= size"
        limits: [-0.5, 10]
        restitution: "= e"
        spring: {stiffness: 39.47841760435743}
metrics: {end: "= final(displacement('mass'))"}
"""


@pytest.fixture
def shown(call, workplace):
    """What the command says of the swing, as data."""
    (workplace / "s.yaml").write_text(SWING)

    def answer(*arguments: str) -> dict:
        found = call("sensitivities", "s.yaml", *arguments, "--json")
        assert found.code == 0, found.err
        return json.loads(found.out)

    return answer


@pytest.mark.parametrize("apart", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_the_distance_from_grazing(shown, apart):
    """A mass on a spring swings to -size, where the stop at -0.5 just meets it: J = 1.5 w sqrt(size^2 - 0.25), and
    J/(2 |J'|) = (size^2 - 0.25)/(2 size) = d - d^2/2 + ..., at a distance d = size - 0.5.
    """
    size = 0.5 + apart
    found = shown("--by", "size", "--set", f"size={size!r}")["events_change"]["size"]
    assert found["why"] == "grazes"
    assert found["distance"] == pytest.approx((size * size - 0.25) / (2.0 * size), rel=1e-6)
    assert found["distance"] == pytest.approx(apart, rel=1.1 * apart + 1e-6)


def test_displaced_runs_lose_the_impact(shown, call):
    """A mass that reaches the stop by 1e-3 misses it if its swing is smaller by 2e-3."""
    found = shown("--spread", "size=2e-3", "--check", "--set", "size=0.501")
    more, less = found["displaced"]
    assert more["events"] == [1, 1] and less["events"] == [1, 0]
    assert abs(less["found"] - less["linear"]) > 1e-3
    near = shown("--spread", "size=1e-6", "--check", "--set", "size=0.7")["displaced"]
    assert all(abs(one["found"] - one["linear"]) < 1e-9 and one["events"] == [1, 1] for one in near)
    text = call("sensitivities", "s.yaml", "--spread", "size=2e-3", "--check", "--set", "size=0.501").out
    assert "0, not 1" in text and "grazes" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name numbers of the scene with --by"),
        (["--by", "nothing"], "sensitivities: 'nothing' is not in the scene; write its value there"),
        (["--by", "sise"], "sensitivities: 'sise' is not in the scene; did you mean 'size'?"),
        (["--spread", "size"], "--spread"),
        (["--spread", "size=-1%"], "expected a positive number, a quantity, or a part such as 1%"),
        (["--spread", "size=2 parsec"], "--spread size=2 parsec: 'parsec' is not a known unit"),
        (["--spread", "size=2 kg", "--set", "size=0.7 m"], "'kg' is not one of length, as the scene has it in m"),
        (["--by", "simulation.step"], "changes the steps or the times of the samples"),
    ],
)
def test_bad_arguments_are_one_error(shown, call, arguments, message):
    found = call("sensitivities", "s.yaml", *arguments)
    assert found.code == 2 and message in found.err and "Traceback" not in found.err


def test_a_scene_without_metrics_says_so(call, workplace):
    (workplace / "s.yaml").write_text(SWING.split("metrics")[0])
    found = call("sensitivities", "s.yaml", "--by", "size")
    assert found.code == 2 and "the scene has no metrics; add one" in found.err


def test_names_may_be_in_one_list_or_several(shown):
    assert shown("--by", "size", "--by", "e") == shown("--by", "size,e")
