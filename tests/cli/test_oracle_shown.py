"""The oracle of a scene in the output of `run` and `inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ORACLE = """\
oracle:
  brick.speed: {value: "= 0*t", until: 0.05, tolerance: 1}
  brick.position.x: {value: 1.0e+3, tolerance: 1.0e-3}
  kinetic_energy: {value: "= sqrt(-1 - t)"}
  brick.kinetic_energy: 0
"""


@pytest.fixture
def compared():
    """A scene with an oracle that it does not fulfil."""
    scene = Path("scene.yaml").read_text()
    Path("compared.yaml").write_text(scene + ORACLE)
    return "compared.yaml"


def rows(out: str) -> dict[str, str]:
    """The lines of the table, by their first words."""
    table = out[out.index("oracle  ") :].split("\n\n")[0].splitlines()
    assert table[0].split() == ["oracle", "largest", "error", "at", "tolerance"]
    return {line.split()[0]: line for line in table[1:]}


def test_run_and_inspect_show_the_same_errors(call, compared):
    code, out, err = call("run", compared, "-o", "a.h5")
    assert (code, err) == (0, "")
    found = rows(out)
    assert list(found) == ["brick.speed", "brick.position.x", "kinetic_energy", "brick.kinetic_energy"]
    assert "not compared" in found["kinetic_energy"]
    assert found["brick.position.x"].endswith("0.001 m, exceeded") and "exceeded" not in found["brick.speed"]
    assert rows(call("inspect", "a.h5").out) == found


def test_both_print_it_as_json(call, compared):
    run = json.loads(call("run", compared, "-o", "a.h5", "--json").out)["oracle"]
    assert run == json.loads(call("inspect", "a.h5", "--json").out)["oracle"]
    assert run["brick.position.x"]["exceeded"] is True and run["brick.position.x"]["unit"] == "m"
    assert run["kinetic_energy"]["error"] is None and "no sample" in run["kinetic_energy"]["message"]


def test_without_an_oracle_nothing_is_said(call):
    assert "oracle" not in call("run", "scene.yaml", "-o", "a.h5").out
    assert "oracle" not in json.loads(call("inspect", "a.h5", "--json").out)


def test_special_functions_are_there_in_a_command_of_its_own(shell, compared):
    Path(compared).write_text(Path(compared).read_text().replace("sqrt(-1 - t)", "fresnel_c(t)"))
    answer = shell("run", compared, "-o", "a.h5")
    assert (answer.code, answer.err.count("Traceback")) == (0, 0) and "kinetic_energy" in answer.out


def test_an_unknown_quantity_is_an_error_of_the_scene(call):
    Path("bad.yaml").write_text(Path("scene.yaml").read_text() + "oracle: {brick.sped: 1}\n")
    answer = call("run", "bad.yaml")
    assert answer.code == 3 and "there is no quantity 'sped' of a body; did you mean 'speed'?" in answer.err
