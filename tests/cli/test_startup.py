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
from rigidsim.runner.run import run_to_file
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from spinning_brick import SCENE

SCENES = Path(__file__).parents[2] / "scenes"
AS_COMMAND = """
from rigidsim.cli import main
try:
    main()
except SystemExit as left:
    assert not left.code, left.code
"""
ANNOUNCEMENT = re.compile(r"compiling the stepper for this kind of scene, about [0-9.e-]+ s; this happens once\n")


# What is loaded beside our own, and what is not.
COMMANDS = {
    "--help": ("click", "numpy llvmlite h5py scipy pydantic yaml"),
    "--version": ("click", "numpy llvmlite h5py scipy pydantic yaml"),
    "run scene.yaml -q -o b.h5": ("llvmlite h5py rigidsim.jit.machine", "quaternion scipy rigidsim.jit.reading"),
    "validate scene.yaml": ("pydantic", "llvmlite h5py quaternion scipy"),
    "inspect a.h5": ("h5py", "llvmlite quaternion scipy pydantic matplotlib"),
    "inspect a.h5 brick.speed": ("h5py", "llvmlite scipy pydantic matplotlib"),
    "plot --help": ("click", "matplotlib PIL"),
    "plot a.h5 --list": ("h5py", "matplotlib PIL"),
    "plot a.h5 brick.speed -o p.png": ("matplotlib", "llvmlite quaternion scipy"),
    "examples": ("yaml", "llvmlite h5py trimesh scipy quaternion"),
    "view a.h5": ("h5py", "llvmlite trimesh matplotlib scipy playwright"),
}
PLAN = "from rigidsim.sweeps.plan import make_plan; make_plan"
IMPORTS = {
    "import rigidsim": "numpy llvmlite h5py scipy",
    "import rigidsim.transform": "quaternion scipy llvmlite",
    "import rigidsim.scene": "llvmlite scipy quaternion h5py trimesh",
    f"from rigidsim.scene import Scene; Scene.from_text({SCENE!r})": "llvmlite scipy quaternion h5py trimesh",
    "import rigidsim.engine.laws.registry": "pydantic yaml llvmlite",
    "import rigidsim.cli.plan_options": "numpy pydantic scipy llvmlite h5py",
    f"{PLAN}(vary={{'a': '0:1:3'}}).values(slice(None))": "scipy llvmlite h5py",
    f"{PLAN}(sample='lhs:3', over={{'a': 'uniform(0, 1)'}})": "scipy llvmlite h5py",
}


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh process has loaded after this."""
    code += (
        "\nimport sys\nprint(*(name for name, module in sys.modules.items() if module is not None), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *arguments]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stderr.split()}


@pytest.mark.parametrize("typed", COMMANDS)
def test_a_command_loads_what_it_needs_only(call, made, typed):
    made("run.h5", "a.h5")
    call("run", "scene.yaml", "-q", "-o", "warm.h5")  # nothing left to compile
    needed, others = (set(names.split()) for names in COMMANDS[typed])
    loaded = loaded_by(AS_COMMAND, *typed.split())
    assert needed <= loaded
    assert not loaded & others


@pytest.mark.parametrize("code", IMPORTS)
def test_a_module_loads_what_it_needs_only(code):
    assert not loaded_by(code) & set(IMPORTS[code].split())


def test_what_was_imported_is_left_out_of_garbage_collections():
    code = (
        "import gc\nfrom rigidsim.cli.arguments import importing\n"
        "with importing():\n    import decimal\n    assert not gc.isenabled()\n"
        "count = gc.get_freeze_count()\nassert gc.isenabled() and count > 0\n"
        "with importing():\n    import decimal\nassert gc.isenabled() and gc.get_freeze_count() <= count"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_names_of_the_package_are_loaded_when_used():
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
    monkeypatch.setattr("rigidsim.runner.progress.MEASURED_SECONDS", float("inf"))  # a slow machine prints progress
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
