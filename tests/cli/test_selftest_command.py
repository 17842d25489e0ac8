"""`rigidsim selftest` as a command."""

from __future__ import annotations

import json


def test_a_case_as_text_and_as_json(call):
    code, out, err = call("selftest", "--case", "kepler", "--case", "spin_up")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["quantity", "reference", "measured", "error", "tolerance", "order", "verdict"]
    assert lines[2].startswith("kepler: An elliptic orbit relative to a turning planet (Kepler")
    assert lines[3].split()[0] == "moon.position" and lines[3].split()[-2:] == ["4.05", "passed"]
    assert lines[-1] == "2 cases, 4 quantities: all passed"
    reported = json.loads(call("selftest", "--case", "kepler", "--json").out)
    assert reported["passed"] and reported["checks"][0]["quantity"] == "moon.position"


def test_a_failure_has_its_exit_code(call, monkeypatch):
    monkeypatch.setattr("rigidsim.selftest.checking.MISSING_ORDER", -1.0)
    code, out, _ = call("selftest", "--case", "kepler")
    assert code == 4
    assert "FAILED" in out and out.splitlines()[-1] == "1 case, 2 quantities: 2 failed"


def test_an_example_scene_is_a_case_too(call):
    code, out, _ = call("selftest", "--case", "payload_release")
    assert code == 0
    assert "payload_release: A spinning arm lets its payload go (its oracle)" in out
    code, _, err = call("selftest", "--case", "kapitza_pendulum")
    assert code == 2
    assert err == "error: the scene 'kapitza_pendulum' has no oracle to compare it with\n"
