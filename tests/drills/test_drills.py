"""How far a change reaches: each patch adds one thing to the package, in at most two files of code, and a script beside
it checks the physics of what was added.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
MOST_FILES, MOST_LINES = 2, 150
DRILLS = {
    "a type of joint": "pin_in_a_slot",
    "a shape that collides": "pill",
    "an integrator": "midpoint_rule",
    "a quantity": "areal_velocity",
}


@pytest.mark.parametrize("name", DRILLS.values())
def test_an_addition_is_small(name):
    lines = (HERE / f"{name}.patch").read_text().splitlines()
    assert 1 <= sum(line.startswith("+++ b/rigidsim/") for line in lines) <= MOST_FILES
    assert sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in lines) <= MOST_LINES


@pytest.mark.parametrize("name", DRILLS.values())
def test_an_addition_works(name, tmp_path):
    shutil.copytree(ROOT / "rigidsim", tmp_path / "rigidsim", ignore=shutil.ignore_patterns("__pycache__"))
    apply = ["git", "apply", "--unsafe-paths", f"--directory={tmp_path}", str(HERE / f"{name}.patch")]
    subprocess.run(apply, check=True, cwd=tmp_path)
    script = [sys.executable, str(HERE / f"{name}.py")]
    done = subprocess.run(script, env=os.environ | {"PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
