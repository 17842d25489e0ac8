"""`rigidsim certify` as a command."""

from __future__ import annotations

import json


def test_text_and_json(call):
    code, out, err = call("certify", "scene.yaml")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "scene.yaml: A spinning brick; 1 s in steps of 0.01 s"
    assert lines[2].split()[-4:] == ["distance", "angle", "order", "verdict"]
    assert lines[3].startswith("half the step ") and lines[3].endswith("agrees")
    assert lines[-1].startswith("certified: 8 of 8 ways agree, to ")
    reported = json.loads(call("certify", "scene.yaml", "--json").out)
    assert reported["certified"] and reported["reasons"] == []
    assert [body["body"] for body in reported["ways"][0]["bodies"]] == ["brick"]
    assert reported["half_step"]["order"] is None or reported["half_step"]["order"] > 3


def test_what_is_not_certified_has_its_exit_code(call):
    code, out, _ = call("certify", "scene.yaml", "--set", "bodies.brick.angular_velocity[1]=300")
    assert code == 4
    assert "the step is too long" in out
    assert out.splitlines()[-1] == "not certified: half the step differs; of 8 ways 8 agree"
    reported = json.loads(call("certify", "scene.yaml", "--json", "--set", "bodies.brick.angular_velocity[1]=300").out)
    assert not reported["certified"] and reported["reasons"]


def test_mistakes(call, workplace):
    (workplace / "still.yaml").write_text("format: rigidsim/1\nsimulation: {duration: 1, step: 0.1}\nbodies: {a: {}}\n")
    code, out, err = call("certify", "still.yaml")
    assert (code, out, err) == (2, "", "error: there is no free or jointed body whose motion could differ\n")
