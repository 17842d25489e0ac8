"""The kernels that NumPy and OpenBLAS choose by the processor change no bit of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__ as features
from numpy._core._multiarray_umath import __cpu_features__ as present

from golden import hash_of
from rigidsim.cli.examples import shipped_scenes

NEEDED = {"Haswell": "AVX2", "SkylakeX": "AVX512F", "Zen": "AVX2", "Prescott": "SSE3"}
"""Kernels of OpenBLAS, and what a processor needs to run them; others end the process."""
OTHERS = {
    **{name: {"OPENBLAS_CORETYPE": name} for name, needed in NEEDED.items() if present.get(needed)},
    "baseline": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(features)},
}
"""Environments in which libraries take the kernels of another processor; the last one those that any processor has."""
FEW, STEPS = ("crane_on_ship",), 100
HASHES = "import json, sys; from test_processors import hashes; print(json.dumps(hashes(sys.argv[1:])))"


def hashes(scenes: Sequence[str]) -> list[str]:
    """The content hashes of the first steps of scenes."""
    return [hash_of(name, "one lane", STEPS) for name in scenes]


def hashes_under(environment: dict[str, str], scenes: tuple[str, ...]) -> list[str]:
    """The same hashes, of a process of its own."""
    # Features that this processor lacks cannot be switched off, of which NumPy warns.
    words = [sys.executable, "-W", "ignore", "-c", HASHES, *scenes]
    done = subprocess.run(
        words, cwd=Path(__file__).parent, env=os.environ | environment, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_runs_have_the_same_bits_without_the_kernels_of_any_processor():
    assert hashes_under(OTHERS["baseline"], FEW) == hashes(FEW)


@pytest.mark.slow
def test_all_scenes_have_the_same_bits_on_each_processor():
    scenes = tuple(shipped_scenes())
    usual = hashes(scenes)
    for name, environment in OTHERS.items():
        found = hashes_under(environment, scenes)
        assert not [s for s, a, b in zip(scenes, usual, found, strict=True) if a != b], name
