"""Reading a part of a file costs as much as the part, not as the file: ratios of times of the same process."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim.trajectory.chunks import LEVELS
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.writer import Writer

pytestmark = pytest.mark.perf

N_BODY, N_SAMPLE, ROWS = 1000, 2048, 256


def header() -> Header:
    """A thousand free bodies."""
    return Header(
        paths=tuple(f"b_{i}" for i in range(N_BODY)),
        parents=("",) * N_BODY,
        kinds=("free",) * N_BODY,
        scale=np.ones(N_BODY),
        parent_scale=np.ones(N_BODY),
        isolated=True,
    )


def samples(about: Header, begin: int) -> dict[str, np.ndarray]:
    """Smooth motions, at some samples."""
    found = {"time": np.arange(begin, begin + ROWS) * 0.001}
    for number, field in enumerate(about.fields):
        shape = (
            *([N_BODY] if "body" in field.dimensions else []),
            *([int(field.axis == "wxyz") + 3] if field.axis else []),
        )
        rate = np.linspace(0.3, 3.0, int(np.prod(shape))).reshape(shape)
        found[field.name] = np.sin(np.multiply.outer(found["time"], rate) + number)
    return found


@pytest.fixture(scope="module", params=LEVELS)
def file(request, tmp_path_factory) -> Path:
    """400 MB of samples, with each compression."""
    path, about = tmp_path_factory.mktemp("large") / "a.h5", header()
    with Writer(path, about, N_SAMPLE, compression=request.param) as writer:
        for begin in range(0, N_SAMPLE, ROWS):
            writer.append_arrays(samples(about, begin))
        writer.finish("complete")
    return path


def seconds(action: Callable[[], object], times: int = 5) -> float:
    """The least CPU time of several."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        action()
        found.append(time.process_time() - begin)
    return min(found)


def test_one_body_of_a_thousand(file):
    """A chunk has 64 bodies, so it reads 1/16 of the array."""
    with rigidsim.load(file) as trajectory:
        array = trajectory.arrays["world/position"]
        assert seconds(lambda: array[:, 7]) < 0.15 * seconds(lambda: array[()])


def test_one_sample(file):
    """It reads one of 32 rows of chunks."""
    with rigidsim.load(file) as trajectory:
        array = trajectory.arrays["world/position"]
        assert seconds(lambda: array[7]) < 0.15 * seconds(lambda: array[()])


def test_whole_array_against_hdf5(file):
    """Verified and decoded here: not slower than HDF5, which has no digest to verify."""
    with rigidsim.load(file) as trajectory:
        here = seconds(lambda: trajectory.arrays["world/position"][()])
    with h5py.File(file) as opened:
        assert here < 1.5 * seconds(lambda: opened["world/position"][()])
