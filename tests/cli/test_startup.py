"""What a command loads, and when it compiles."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rigidsim
from rigidsim.jit.kernels import kernel
from rigidsim.report.run import RunReport
from rigidsim.running.run import run_to_file
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from spinning_brick import SCENE

SCENES = Path(__file__).parents[2] / "scenes"
LOADED_AFTER = (
    "import sys\n"
    "from rigidsim.cli import main\n"
    "try:\n    main()\nexcept SystemExit as left:\n    assert not left.code, left.code\n"
    "print(*(name for name, module in sys.modules.items() if module is not None), file=sys.stderr)"
)
ANNOUNCEMENT = re.compile(r"compiling the stepper for this kind of scene, about [0-9.e-]+ s; this happens once\n")


def modules_after(*arguments: str) -> set[str]:
    """The modules that a command has loaded in a fresh process."""
    command = [sys.executable, "-c", LOADED_AFTER, *arguments]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stderr.split()}


def loaded_after(*arguments: str) -> set[str]:
    """The top-level ones of them."""
    return {name.partition(".")[0] for name in modules_after(*arguments)}


def test_run_loads_no_front_end_of_the_compiler_no_quaternion_and_no_scipy(call):
    call("run", "scene.yaml", "-q", "-o", "warm.h5")  # nothing left to compile
    loaded = modules_after("run", "scene.yaml", "-q", "-o", "a.h5")
    assert {"llvmlite", "h5py", "numpy", "rigidsim.jit.machine"} <= loaded
    assert not loaded & {"quaternion", "scipy", "rigidsim.jit.reading", "rigidsim.jit.writing"}


def test_what_was_imported_is_left_out_of_garbage_collections():
    code = (
        "import gc\nfrom rigidsim.cli.arguments import importing\n"
        "with importing():\n    import decimal\n    assert not gc.isenabled()\n"
        "count = gc.get_freeze_count()\nassert gc.isenabled() and count > 0\n"
        "with importing():\n    import decimal\nassert gc.isenabled() and gc.get_freeze_count() <= count"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_validate_loads_no_compiler_and_no_hdf5():
    loaded = loaded_after("validate", "scene.yaml")
    assert "pydantic" in loaded
    assert not loaded & {"llvmlite", "h5py", "quaternion", "scipy"}


def test_inspect_loads_no_compiler(made):
    made("run.h5", "a.h5")
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


@pytest.mark.slow
def test_first_run_says_that_it_compiles_and_the_second_does_not(shell, workplace):
    """One line for each wait that is worth one: restitution takes seconds to compile."""
    environment, scene = {"RIGIDSIM_CACHE_DIR": str(workplace / "cache")}, str(SCENES / "newtons_cradle.yaml")
    first = shell("run", scene, "--duration", "0.1", "-o", "a.h5", environment=environment)
    assert ANNOUNCEMENT.fullmatch(first.err)
    assert "; compiled in " in first.out
    second = shell("run", scene, "--duration", "0.1", "-o", "b.h5", environment=environment)
    assert second.err == ""
    assert "compiled" not in second.out
    (folder,) = (workplace / "cache").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.fixture
def reported(monkeypatch):
    """Any compilation is announced."""
    monkeypatch.setattr("rigidsim.jit.kernels.WORTH_A_NOTICE", 0.0)


def test_what_compiles_while_stepping_is_counted_apart(tmp_path, capsys, reported, monkeypatch):
    """A kernel that the preparation did not know of."""

    def late(x):
        return x + 1.0

    compiling, blocks = kernel(late), Simulation.blocks

    def blocks_and_more(*arguments):
        compiling(1.0)
        yield from blocks(*arguments)

    monkeypatch.setattr(Simulation, "blocks", blocks_and_more)
    monkeypatch.setattr("rigidsim.running.progress.MEASURED_SECONDS", float("inf"))  # a slow machine prints progress
    reports: list[RunReport] = []
    begin = time.perf_counter()
    run_to_file(
        Scene.from_text(SCENE), tmp_path / "a.h5", terms=False, force=False, quiet=False, show=reports.append
    )  # fmt: skip
    whole = time.perf_counter() - begin
    (report,) = reports
    assert report.compile_seconds > 0.0
    assert report.run_seconds + report.compile_seconds < whole
    assert ANNOUNCEMENT.fullmatch(capsys.readouterr().err)


def test_quiet_run_compiles_in_silence(tmp_path, capsys, caplog, reported, monkeypatch):
    def quiet(x):
        return x + 2.0

    compiling, prepare = kernel(quiet), Simulation.prepare
    monkeypatch.setattr(Simulation, "prepare", lambda simulation: (compiling(1.0), prepare(simulation)))
    reports: list[RunReport] = []
    run_to_file(Scene.from_text(SCENE), tmp_path / "a.h5", terms=False, force=False, quiet=True, show=reports.append)
    assert reports[0].compile_seconds > 0.0
    assert capsys.readouterr().err == ""
    assert not caplog.records
