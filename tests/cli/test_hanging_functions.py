"""A function of a controller that does not return: a signal says where it is, a second one ends it, and what was
computed before is kept.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import rigidsim

SCENE = """
format: rigidsim/1
simulation: {duration: 1, step: 0.01}
bodies:
  cart: {mass: 1, inertia: point, forces: [{force: ["= push", 0, 0]}]}
controllers:
  push: {type: python, call: "law.py:control", every: 0.1}
"""
LAW = """
from pathlib import Path


def control(t, inputs):
    if t > 0.25:
        Path(__file__).with_name("hangs").touch()
        while True:
            pass
    return 1.0
"""


def wait_for(is_done, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_second_signal_ends_a_function_that_hangs(tmp_path):
    (tmp_path / "law.py").write_text(LAW.replace("__file__", repr(str(tmp_path / "law.py"))))
    (tmp_path / "scene.yaml").write_text(SCENE)
    command = [sys.executable, "-m", "rigidsim", "run", "scene.yaml", "-o", "run.h5", "--quiet"]
    log = tmp_path / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=output, stderr=output)
        wait_for((tmp_path / "hangs").exists)
        process.send_signal(signal.SIGINT)
        wait_for(lambda: "waiting: " in log.read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 4
    said = log.read_text()
    assert "waiting: controllers.push: law.py:control has taken " in said and "s; a second signal ends it" in said
    assert "controllers.push: law.py, line " in said and "ended by a signal after " in said
    with rigidsim.load(tmp_path / "run.h5") as kept:
        assert len(kept.time) == 31 and kept.status == "failed"
