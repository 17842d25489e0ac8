"""The gallery: a section with commands and a picture for each shipped scene, and the commands do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import make_gallery
import rigidsim
from rigidsim.analysis.quantities import full_path
from rigidsim.cli import cli
from rigidsim.cli.examples import shipped_scenes
from rigidsim.cli.options import overrides
from rigidsim.cli.plot import split_arguments
from rigidsim.plots.history import PlottedHistory
from rigidsim.plots.requests import RequestReader

DOCS = Path(__file__).parents[1] / "docs"
SECTIONS = {section.name: section for section in make_gallery.sections()}
QUICK = {"ball_on_turntable", "flipping_axis", "gyroscope_constant_torque", "box_on_incline"}
"""Made in the default suite; their kernels are compiled for other tests, too."""
FINDS = {"fit": "fitted", "optimise": "optimised"}
"""Commands that find numbers of a scene, and what they call its run."""
MOST_BYTES, MOST_BYTES_TOGETHER = 120_000, 2_200_000


def test_each_shipped_scene_has_a_section():
    assert sorted(SECTIONS) == sorted(shipped_scenes())


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_runs_its_scene_and_shows_what_it_draws(name):
    section = SECTIONS[name]
    assert section.commands[0][:2] == ["run", f"scenes/{name}.yaml"]
    assert f"{name}.png" in section.pictures
    assert "Look for:" in section.text


def test_pictures_of_documents_exist_and_are_small():
    shown = {name for page in DOCS.glob("*.md") for name in re.findall(r"\(figures/(\S+)\)", page.read_text())}
    shown |= set(re.findall(r"docs/figures/([\w.]+)", (DOCS.parent / "README.md").read_text()))
    size = {path.name: path.stat().st_size for path in make_gallery.FIGURES.iterdir()}
    assert set(size) == shown
    assert max(size.values()) <= MOST_BYTES and sum(size.values()) <= MOST_BYTES_TOGETHER


@pytest.mark.parametrize("name", SECTIONS)
def test_commands_parse_and_name_what_the_scene_has(name):
    """Without a run: of trajectories that have a header and no samples."""
    made = {}
    for command, *words in SECTIONS[name].commands:
        given = cli.commands[command].make_context(command, words, obj={"debug": True}).params
        if command == "run":
            made[given["output"] or f"outputs/{name}.h5"] = begun(given)
        elif command in FINDS:
            made[f"outputs/{name}-{FINDS[command]}.h5"] = begun(given)
        elif command == "plot":
            files, quantities = split_arguments(given["arguments"])
            for file in files:
                reader = RequestReader(PlottedHistory(made[file], 0, "", slice(None)), given["frames"])
                requests = [one for written in quantities for one in reader.requests(written)]
                assert requests + [one for written in given["paths"] for one in reader.path(written)]
        elif command == "video":
            for body in {given["frame"], given["follow"], *given["traces"]} - {"", "world"}:
                assert full_path(made[given["trajectory"]], body)
            assert given["output"] in {f"outputs/{picture}" for picture in SECTIONS[name].pictures}
        else:
            raise AssertionError(f"a command that no test knows: {command}")


def begun(given: dict) -> rigidsim.Trajectory:
    """The trajectory of a `run` command, without samples."""
    settings = {key: given.get(key) for key in ("duration", "step", "integrator", "record_every")}
    scene = rigidsim.Scene.from_file(DOCS.parent / given["scene"], overrides(given["sets"], {}, **settings))
    header = rigidsim.Simulation(scene, terms=given.get("terms", False), contacts=given.get("contacts", False)).header
    return rigidsim.Trajectory(header, {"time": np.zeros(0)})


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in SECTIONS]
)
def test_pictures_are_made_by_the_commands(name, tmp_path, monkeypatch):
    for key, value in make_gallery.LOOK.items():
        monkeypatch.setenv(key, value)
    for picture in make_gallery.make(SECTIONS[name], tmp_path):
        assert picture.read_bytes().startswith(b"\x89PNG")
