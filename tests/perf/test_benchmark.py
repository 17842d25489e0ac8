"""The benchmark runs and prints all its tables, with peers or without. Its figures are for people to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.perf
def test_quick_benchmark_prints_every_table():
    script = Path(__file__).with_name("benchmark.py")
    done = subprocess.run([sys.executable, script, "--quick"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for title in ("Integrators", "rkmk4 and peers", "Recording", "A force on each", "Events", "Registers", "Threads"):
        assert f"### {title}" in done.stdout
