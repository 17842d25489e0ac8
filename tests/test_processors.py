"""The kernels that NumPy and OpenBLAS choose by the processor change no bit of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from golden import hash_of
from numpy._core._multiarray_umath import __cpu_dispatch__ as features

from rigidsim.cli.examples import shipped_scenes

OTHERS = {
    **{name: {"OPENBLAS_CORETYPE": name} for name in ("Haswell", "SkylakeX", "Zen", "Prescott")},
    "baseline": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(features)},
}
"""Environments in which libraries take the kernels of another processor; the last one those that any processor has."""
FEW = ("crane_on_ship", "kapitza_pendulum", "newtons_cradle")
HASHES = (
    "import json, sys; from golden import hash_of; print(json.dumps([hash_of(n, 'one lane') for n in sys.argv[1:]]))"
)


def hashes_under(environment: dict[str, str], scenes: tuple[str, ...]) -> list[str]:
    """The content hashes of scenes, run in a process of their own."""
    # Features that this processor lacks cannot be switched off, of which NumPy warns.
    words = [sys.executable, "-W", "ignore", "-c", HASHES, *scenes]
    done = subprocess.run(
        words, cwd=Path(__file__).parent, env=os.environ | environment, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_runs_have_the_same_bits_without_the_kernels_of_any_processor():
    assert hashes_under(OTHERS["baseline"], FEW) == [hash_of(name, "one lane") for name in FEW]


@pytest.mark.slow
def test_all_scenes_have_the_same_bits_on_each_processor():
    scenes = tuple(shipped_scenes())
    usual = [hash_of(name, "one lane") for name in scenes]
    for name, environment in OTHERS.items():
        found = hashes_under(environment, scenes)
        assert not [s for s, a, b in zip(scenes, usual, found, strict=True) if a != b], name
