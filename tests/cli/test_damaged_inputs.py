"""Damaged files of each command that reads any: sentences with an exit code, and no result that is not as it was."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("damage_inputs.py")


def check(folder: Path, count: int, seed: int, *commands: str) -> None:
    """So many damaged inputs of some commands, of all if none is named; the process may crash."""
    words = [sys.executable, str(PROGRAM), str(folder / "trial"), str(count), str(seed), *commands]
    done = subprocess.run(words, capture_output=True, text=True, timeout=7200)
    assert done.returncode == 0, f"{done.stdout[-2000:]}{done.stderr[-4000:]}"
    counts = ast.literal_eval(done.stdout.splitlines()[-1])
    found = {name: {*one} - {"refused", "read", "long"} for name, one in counts.items()}
    assert not any(found.values()), f"{found}: {done.stdout[-5000:]}"
    assert all(sum(one.values()) == count for one in counts.values())


def test_damaged_inputs_are_refused_or_harmless(tmp_path):
    quick = ("validate", "run", "import urdf", "import mjcf", "verify", "diff", "resume", "recover", "inspect sweep")
    check(tmp_path, 4, 1, *quick)


@pytest.mark.slow
def test_two_hundred_damaged_inputs_of_each_command(tmp_path):
    check(tmp_path, 200, 2)
