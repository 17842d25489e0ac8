"""Read a trajectory file damaged in many ways, as `load`, `inspect` (with `--verify` and without) and `explain` do.

Arguments: the file, a folder to work in, how many times to cut it and how many bits to flip.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
import h5py

from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory import Trajectory
from rigidsim.trajectory.reader import load
from support.damaging import count_outcomes, heaps


def opened(read: Callable[[Trajectory], object]) -> Callable[[Path], object]:
    """The same of the trajectory in a file."""

    @wraps(read)
    def of_file(path: Path) -> object:
        with load(path) as trajectory:
            return read(trajectory)

    return of_file


@opened
def arrays(trajectory: Trajectory) -> object:
    """All numbers."""
    return [trajectory.arrays[name][()].tobytes() for name in trajectory.arrays], list(trajectory.events)


@opened
def inspected(trajectory: Trajectory) -> object:
    """What `inspect` shows."""
    return Inspection.of(trajectory, "file").as_dict()


@opened
def verified(trajectory: Trajectory) -> object:
    """What `inspect --verify` shows."""
    return Inspection.of(trajectory, "file", verify=True).as_dict()


@opened
def explained(trajectory: Trajectory) -> object:
    """What `explain` shows of a free body."""
    free = next(path for path in trajectory.paths if trajectory[path].kind == "free")
    return str(BodyReport.of(trajectory, free, 1.0))


READINGS = (arrays, inspected, verified, explained)


def chunks(path: Path) -> list[int]:
    """Where the chunks of samples are in a file."""
    with h5py.File(path) as file:
        ids = [file[f"{frame}/{name}"].id for frame in ("world", "local") for name in ("position", "velocity")]
        found = [one.get_chunk_info(k) for one in ids for k in range(one.get_num_chunks())]
    return [place for chunk in found for place in range(chunk.byte_offset, chunk.byte_offset + chunk.size)]


def damages(original: Path, path: Path, cuts: int, flips: int) -> Iterator[str]:
    """Copies that are cut at random places and near both ends; with a bit flipped, every third time anywhere, else in
    the first quarter, which is not samples, or in a text heap; and with one flipped in a chunk of samples, every third
    time as often.
    """
    choice, content = random.Random(1), original.read_bytes()
    for length in [*range(20), len(content) - 1, *(choice.randrange(len(content)) for _ in range(cuts))]:
        path.write_bytes(content[:length])
        yield f"cut {length}"
    parts = [range(len(content)), range(len(content) // 4), [place for heap in heaps(content) for place in heap]]
    parts = [("flip", parts[i % 3]) for i in range(flips)] + [("chunk", chunks(original))] * (flips // 3)
    for damage, places in parts:
        place = choice.choice(places)
        damaged = bytearray(content)
        damaged[place] ^= 1 << choice.randrange(8)
        path.write_bytes(damaged)
        yield f"{damage} {place}"


original, path = Path(sys.argv[1]), Path(sys.argv[2]) / "damaged.h5"
count_outcomes(original, path, damages(original, path, *map(int, sys.argv[3:])), READINGS)
