"""The benchmarks run and print all their tables, with peers or without. Their figures are for people to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TITLES = {
    "benchmark": ("Integrators", "rkmk4 and peers", "Recording", "A force on each", "Events"),
    "contact_benchmark": ("Spheres", "Stack of ten boxes", "Many spheres", "Asleep"),
    "environments_benchmark": ("Vector environments, steps a second",),
    "modes_benchmark": ("Modes, ns a body and step", "Impacts at stops", "Contact by events", "Bounces by events"),
    "pairs_benchmark": ("Pairs apart, ns", "Pairs that overlap, ns", "Growth with corners"),
    "joints_benchmark": ("Pendulums of n rods, rkmk4", "Error against time", "Joints alone"),
    "recording_benchmark": ("Recording 20 bodies in the world", "Recording 20 bodies on a ship"),
    "variants_benchmark": ("Setting up 500 variants",),
    "work_precision": ("tumbling top, 100 s", "tidy top: least ms to an error", "orbit, 7.85398 s"),
}


@pytest.mark.perf
@pytest.mark.parametrize("name", TITLES)
def test_quick_benchmark_prints_every_table(name):
    script = Path(__file__).with_name(f"{name}.py")
    done = subprocess.run([sys.executable, script, "--quick"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for title in TITLES[name]:
        assert f"### {title}" in done.stdout
