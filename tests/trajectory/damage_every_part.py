"""Read a trajectory file damaged in many ways, as `load`, `inspect` (with `--verify` and without) and `explain` do:
each time all as it was, or a FormatError; a program for its own process.

Arguments: the file, a folder to work in, how many times to cut it and how many bits to flip. The last line it prints
counts what happened. A reading that takes more than a minute ends the process.
"""

from __future__ import annotations

import faulthandler
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from rigidsim.errors import FormatError
from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory import Trajectory
from rigidsim.trajectory.reader import load


def arrays(trajectory: Trajectory) -> object:
    """All numbers."""
    return [trajectory.arrays[name][()].tobytes() for name in trajectory.arrays], list(trajectory.events)


def inspected(trajectory: Trajectory) -> object:
    """What `inspect` shows."""
    return Inspection.of(trajectory, "file").as_dict()


def verified(trajectory: Trajectory) -> object:
    """What `inspect --verify` shows."""
    return Inspection.of(trajectory, "file", verify=True).as_dict()


def explained(trajectory: Trajectory) -> object:
    """What `explain` shows of a free body."""
    free = next(path for path in trajectory.paths if trajectory[path].kind == "free")
    return str(BodyReport.of(trajectory, free, 1.0))


READINGS = (arrays, inspected, verified, explained)


def outcome(path: Path, read: Callable[[Trajectory], object], whole: object) -> str:
    """What one way of reading a file comes to."""
    faulthandler.dump_traceback_later(60, exit=True)
    try:
        with load(path) as trajectory:
            return "whole" if read(trajectory) == whole else "changed"
    except FormatError:
        return "refused"
    finally:
        faulthandler.cancel_dump_traceback_later()


def heaps(content: bytes) -> list[range]:
    """Where HDF5 keeps text of variable length, which has no checksum of its own."""
    begins = [found.start() for found in re.finditer(rb"GCOL\x01", content)]
    return [range(begin, begin + int.from_bytes(content[begin + 8 : begin + 16], "little")) for begin in begins]


def damages(content: bytes, cuts: int, flips: int):
    """(kind, damaged content): cut at random places and near both ends; a bit flipped, every third time anywhere, else
    in the first quarter, which is not samples, or in a text heap.
    """
    choice = random.Random(1)
    for length in [*range(20), len(content) - 1, *(choice.randrange(len(content)) for _ in range(cuts))]:
        yield "cut", length, content[:length]
    parts = [range(len(content)), range(len(content) // 4), [place for heap in heaps(content) for place in heap]]
    for i in range(flips):
        place = choice.choice(parts[i % 3])
        damaged = bytearray(content)
        damaged[place] ^= 1 << choice.randrange(8)
        yield "flip", place, damaged


def main() -> None:
    """Damage, read, count."""
    original, folder, cuts, flips = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    path, counts = folder / "damaged.h5", Counter()
    with load(original) as trajectory:
        whole = {read: read(trajectory) for read in READINGS}
    for kind, place, content in damages(original.read_bytes(), cuts, flips):
        path.write_bytes(content)
        sys.stdout.write(f"{kind} {place}\n")  # the last one printed is the one that a crash is due to
        sys.stdout.flush()
        for read in READINGS:
            counts[f"{kind}, {read.__name__}, {outcome(path, read, whole[read])}"] += 1
    print(dict(counts))


main()
