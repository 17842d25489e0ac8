"""What a command loads, and when it compiles."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time

import pytest

import rigidsim
from rigidsim.jit.kernels import kernel
from rigidsim.report.run import RunReport, run_to_file
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from spinning_brick import SCENE

LOADED_AFTER = (
    "import sys\n"
    "from rigidsim.cli import main\n"
    "try:\n    main()\nexcept SystemExit as left:\n    assert not left.code, left.code\n"
    "print(*(name for name, module in sys.modules.items() if module is not None), file=sys.stderr)"
)
ANNOUNCEMENT = "compiling the stepper for this kind of run, about half a minute; this happens once\n"


def loaded_after(*arguments: str) -> set[str]:
    """Top-level modules that a command has loaded in a fresh process."""
    command = [sys.executable, "-c", LOADED_AFTER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_run_loads_neither_quaternion_nor_scipy(call):
    call("run", "scene.yaml", "-q", "-o", "warm.h5")  # nothing left to compile
    loaded = loaded_after("run", "scene.yaml", "-q", "-o", "a.h5")
    assert {"llvmlite", "h5py", "numpy"} <= loaded
    assert not loaded & {"quaternion", "scipy"}


def test_validate_loads_no_compiler_and_no_hdf5():
    loaded = loaded_after("validate", "scene.yaml")
    assert "pydantic" in loaded
    assert not loaded & {"llvmlite", "h5py", "quaternion", "scipy"}


def test_inspect_loads_no_compiler(call):
    call("run", "scene.yaml", "-q", "-o", "a.h5")
    loaded = loaded_after("inspect", "a.h5")
    assert "h5py" in loaded
    assert not loaded & {"llvmlite", "quaternion", "scipy", "pydantic", "matplotlib"}
    assert not loaded_after("inspect", "a.h5", "brick.speed") & {"llvmlite", "scipy", "pydantic", "matplotlib"}


def test_names_of_the_package_are_loaded_when_used():
    code = "import rigidsim, sys; print({'numpy', 'llvmlite', 'h5py', 'scipy'} & sys.modules.keys() or 'nothing')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "nothing\n"
    assert all(getattr(rigidsim, name) is not None for name in rigidsim.__all__)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        rigidsim.simulat  # noqa: B018


WITH_EVENT = SCENE.replace("    mass:", "    impulses: [{time: 0.05, impulse: [0, 0, 1]}]\n    mass:", 1)
MANY = "import rigidsim; rigidsim.simulate([rigidsim.Scene.from_file('scene.yaml')] * 2)"


@pytest.mark.slow
def test_first_run_says_that_it_compiles_and_the_second_does_not(shell, workplace):
    """One line for each wait, at the first scene with an event and the first run of many scenes, too."""
    environment = {"RIGIDSIM_CACHE_DIR": str(workplace / "cache")}
    (workplace / "event.yaml").write_text(WITH_EVENT)
    for scene in ("scene.yaml", "event.yaml"):
        first = shell("run", scene, "-o", "a.h5", "--force", environment=environment)
        assert first.err == ANNOUNCEMENT
        assert "; compiled in " in first.out
        second = shell("run", scene, "-o", "b.h5", "--force", environment=environment)
        assert second.err == ""
        assert "compiled" not in second.out
    for expected in (ANNOUNCEMENT, ""):
        command = [sys.executable, "-c", MANY]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
        assert done.stderr == expected
    (folder,) = (workplace / "cache").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_compiles_while_stepping_is_counted_apart(tmp_path, capsys, monkeypatch):
    """A kernel that the preparation did not know of."""

    def late(x):
        return x + 1.0

    compiling, blocks = kernel(late), Simulation.blocks

    def blocks_and_more(simulation, watch):
        compiling(1.0)
        yield from blocks(simulation, watch)

    monkeypatch.setattr(Simulation, "blocks", blocks_and_more)
    monkeypatch.setattr("rigidsim.report.progress.MEASURED_SECONDS", float("inf"))  # a slow machine prints progress
    reports: list[RunReport] = []
    begin = time.perf_counter()
    run_to_file(
        Scene.from_text(SCENE), tmp_path / "a.h5", terms=False, force=False, quiet=False, show=reports.append
    )  # fmt: skip
    whole = time.perf_counter() - begin
    (report,) = reports
    assert report.compile_seconds > 0.0
    assert report.run_seconds + report.compile_seconds < whole
    assert capsys.readouterr().err == ANNOUNCEMENT


def test_quiet_run_compiles_in_silence(tmp_path, capsys, caplog, monkeypatch):
    def quiet(x):
        return x + 2.0

    compiling, prepare = kernel(quiet), Simulation.prepare
    monkeypatch.setattr(Simulation, "prepare", lambda simulation: (compiling(1.0), prepare(simulation)))
    reports: list[RunReport] = []
    run_to_file(Scene.from_text(SCENE), tmp_path / "a.h5", terms=False, force=False, quiet=True, show=reports.append)
    assert reports[0].compile_seconds > 0.0
    assert capsys.readouterr().err == ""
    assert not caplog.records
