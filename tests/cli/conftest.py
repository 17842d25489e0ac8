"""A small scene, the command line in this process and in one of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest

import rigidsim
from rigidsim.cli import main
from spinning_brick import SCENE
from typed import COMPILING


class Answer(NamedTuple):
    """What a command gave back."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """Compile once, before any test: a run that compiles says so."""
    for terms in (False, True):
        rigidsim.simulate(rigidsim.Scene.from_text(SCENE), terms=terms)


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch):
    """Every test in a folder of its own, with scene.yaml in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.yaml").write_text(SCENE)
    return tmp_path


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """A folder with what the small scene gives: run.h5, terms.h5 (with terms) and sweep.h5 (of two
    masses, with a metric)."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "scene.yaml").write_text(SCENE)
    with chdir(folder):
        scene = rigidsim.Scene.from_file("scene.yaml")
        for name, terms in (("run.h5", False), ("terms.h5", True)):
            rigidsim.simulate(scene, terms=terms).save(name)
        plan = {"vary": {"bodies.brick.mass": [1, 2]}, "metrics": {"top": "= max(speed('brick'))"}}
        rigidsim.sweep(scene, **plan, path="sweep.h5").close()
    return folder


@pytest.fixture
def made(results, workplace):
    """Copy one of these: `made("run.h5", "a.h5")`; its content."""

    def copy(kind: str, name: str) -> bytes:
        return shutil.copyfile(results / kind, workplace / name).read_bytes()

    return copy


@pytest.fixture
def call(monkeypatch, capsys):
    """The command line in this process: `call("run", "scene.yaml")`.

    The line that announces compiling is left out of `err`: it depends on what the cache holds.
    """

    def answer(*arguments: str) -> Answer:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["rigidsim", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return Answer(left.value.code, out, COMPILING.sub("", err))

    return answer


@pytest.fixture
def spawn(workplace):
    """The command line in a process of its own, under way; killed at the end if it still runs."""
    running = []

    def start(*arguments: str, environment: dict | None = None, **options) -> subprocess.Popen:
        command = [sys.executable, "-m", "rigidsim", *map(str, arguments)]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
        running.append(subprocess.Popen(command, env=os.environ | (environment or {}), **options))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def shell(spawn):
    """The command line in a process of its own, to its end."""

    def answer(*arguments: str, **options) -> Answer:
        process = spawn(*arguments, **options)
        out, err = process.communicate(timeout=600)  # it may compile
        return Answer(process.returncode, out or "", err or "")

    return answer
