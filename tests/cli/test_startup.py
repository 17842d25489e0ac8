"""What a command loads, and when it compiles."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile

import pytest

import rigidsim
from rigidsim import _cache

LOADED_AFTER = (
    "import sys\n"
    "from rigidsim.cli import main\n"
    "try:\n    main()\nexcept SystemExit as left:\n    assert not left.code, left.code\n"
    "print(*(name for name, module in sys.modules.items() if module is not None), file=sys.stderr)"
)
ANNOUNCEMENT = "compiling the stepper, some twenty seconds; this happens once\n"


def loaded_after(*arguments: str) -> set[str]:
    """Top-level modules that a command has loaded in a fresh process."""
    command = [sys.executable, "-c", LOADED_AFTER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_run_loads_neither_quaternion_nor_scipy(call):
    call("run", "scene.yaml", "-q", "-o", "warm.h5")  # nothing left to compile
    loaded = loaded_after("run", "scene.yaml", "-q", "-o", "a.h5")
    assert {"numba", "h5py", "numpy"} <= loaded
    assert not loaded & {"quaternion", "scipy"}


def test_validate_loads_no_compiler_and_no_hdf5():
    loaded = loaded_after("validate", "scene.yaml")
    assert "pydantic" in loaded
    assert not loaded & {"numba", "h5py", "quaternion", "scipy"}


def test_inspect_loads_no_compiler(call):
    call("run", "scene.yaml", "-q", "-o", "a.h5")
    loaded = loaded_after("inspect", "a.h5")
    assert "h5py" in loaded
    assert not loaded & {"numba", "quaternion", "scipy"}


def test_names_of_the_package_are_loaded_when_used():
    code = "import rigidsim, sys; print({'numpy', 'numba', 'h5py'} & sys.modules.keys() or 'nothing')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "nothing\n"
    assert all(getattr(rigidsim, name) is not None for name in rigidsim.__all__)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        rigidsim.simulat  # noqa: B018


@pytest.mark.slow
def test_first_run_says_that_it_compiles_and_the_second_does_not(shell, workplace):
    environment = {"RIGIDSIM_CACHE_DIR": str(workplace / "cache")}
    first = shell("run", "scene.yaml", "-o", "a.h5", environment=environment)
    assert first.err == ANNOUNCEMENT
    assert "; compiled in " in first.out
    second = shell("run", "scene.yaml", "-o", "b.h5", environment=environment)
    assert second.err == ""
    assert "compiled" not in second.out
    (folder,) = (workplace / "cache").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.fixture
def cache_folder(monkeypatch, tmp_path):
    """A fresh choice of the folder, with no home but tmp_path/home."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return _cache.cache_folder.__wrapped__


def test_cache_is_where_the_environment_says(cache_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "mine"))
    assert cache_folder().parent == tmp_path / "mine"
    monkeypatch.delenv("RIGIDSIM_CACHE_DIR")
    assert cache_folder().parent == tmp_path / "home" / "rigidsim"


def test_cache_folder_that_cannot_be_used_is_passed_over(cache_folder, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "file"))
    assert cache_folder().parent == tmp_path / "home" / "rigidsim"


def test_cache_folder_that_others_can_write_to_is_passed_over(cache_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "shared"))
    os.chmod(cache_folder(), 0o777)
    assert cache_folder().parent == tmp_path / "home" / "rigidsim"


def test_compiled_code_of_old_versions_is_removed(cache_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "cache"))
    versions = [tmp_path / "cache" / f"{day:016x}" for day in range(6)]
    for day, version in enumerate(versions):
        version.mkdir(parents=True)
        (version / "kernel.nbc").touch()
        os.utime(version, (day, day))
    other = tmp_path / "cache" / "not ours"
    other.mkdir()
    assert {cache_folder(), other, *versions[-3:]} == set((tmp_path / "cache").iterdir())


def test_no_folder_at_all_is_allowed(cache_folder, monkeypatch):
    for name in ("RIGIDSIM_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "/dev/null/nowhere")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/dev/null")
    assert cache_folder() is None


def test_compilation_without_a_folder_says_what_to_do(monkeypatch, capsys):
    from rigidsim.report import run

    run.announce()
    assert capsys.readouterr().err == ANNOUNCEMENT
    monkeypatch.setattr(run, "cache_folder", lambda: None)
    run.announce()
    assert "set RIGIDSIM_CACHE_DIR" in capsys.readouterr().err
