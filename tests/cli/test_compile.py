"""`rigidsim compile`: what runs and sweeps need, ahead of time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spinning_brick import SCENE

EVENTFUL = SCENE.replace(
    "    mass:",
    "    impulses: [{time: 0.05, impulse: [0, 0, 1]}]\n    forces: [{force: ['= -k*x', 0, 0]}]\n    mass:",
    1,
).replace("bodies:", "parameters: {k: 1}\nmetrics: {top: '= max(speed(\"brick\"))'}\nbodies:")
KERNELS = ["advance", "fold_samples", "evaluate_metrics", "cruise"]


def entries(cache: Path) -> set[str]:
    """The kernels in a cache."""
    return {file.name for file in cache.rglob("*.kernel")}


@pytest.mark.slow
def test_nothing_is_left_to_compile(shell, workplace):
    """By a run, also one that records more, or by a sweep."""
    (workplace / "eventful.yaml").write_text(EVENTFUL)
    environment = {"RIGIDSIM_CACHE_DIR": str(workplace / "cache")}

    def command(*words: str):
        done = shell(*words, environment=environment)
        assert done.code == 0, done.err
        return done

    first = json.loads(command("compile", "eventful.yaml", "--json").out)
    assert [(one["kernel"], one["lanes"]) for one in first["kernels"]] == [(k, n) for n in (1, 16) for k in KERNELS]
    assert not any(one["from_cache"] for one in first["kernels"])
    assert first["seconds"] == pytest.approx(sum(one["seconds"] for one in first["kernels"])) and first["seconds"] > 0
    made = entries(workplace / "cache")
    assert len(made) == 2 * len(KERNELS)
    assert {file.parent for file in (workplace / "cache").rglob("*.kernel")} == {Path(first["folder"])}
    assert "compiled" not in command("run", "eventful.yaml", "-o", "a.h5").out
    command("run", "eventful.yaml", "--terms", "-o", "b.h5")
    for record in ("metrics", "0.1"):
        command("sweep", "eventful.yaml", "--vary", "k=1:2:20", "--record", record, "-o", f"{record}.h5")
    assert entries(workplace / "cache") == made
    again = command("compile", "eventful.yaml").out.splitlines()
    assert again[0] == "eventful.yaml: advance, 1 lane: from the cache"
    assert again[-1] == f"0 kernels compiled in 0.00 s, 8 from the cache; kept in {first['folder']}"


def test_scenes_are_read_before_any_is_compiled(call, workplace):
    (workplace / "bad.yaml").write_text(SCENE.replace("mass", "mas"))
    code, out, err = call("compile", "scene.yaml", "bad.yaml")
    assert (code, out) == (3, "")
    assert "unknown key 'mas'" in err


def test_the_code_must_be_kept(call, shell, workplace, monkeypatch):
    code, out, err = shell("compile", "scene.yaml", environment={"RIGIDSIM_CACHE_DIR": str(workplace / "scene.yaml")})
    assert (code, out) == (5, "")
    assert err.splitlines()[-1] == f"error: compiled code cannot be kept in RIGIDSIM_CACHE_DIR={workplace}/scene.yaml"
    monkeypatch.setattr("rigidsim.simulation.compiling.cache_folder", lambda: None)
    monkeypatch.delenv("RIGIDSIM_CACHE_DIR", raising=False)
    code, _, err = call("compile", "scene.yaml")
    assert code == 5
    assert (
        err == "error: there is no folder for compiled code; set RIGIDSIM_CACHE_DIR to one that only you can write to\n"
    )


def test_what_makes_no_sense_is_refused(call, monkeypatch):
    code, _, err = call("compile")
    assert (code, err) == (2, "error: no scene was named; name some, or use --all for the example scenes\n")
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    code, _, err = call("compile", "scene.yaml")
    assert (code, err) == (2, "error: with RIGIDSIM_JIT=off nothing is compiled\n")
