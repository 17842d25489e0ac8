"""Read a trajectory file damaged in many ways, each time whole or with a FormatError; a program for its own process.

Arguments: the file, a folder to work in, and how many bytes to flip. The last line it prints counts what happened.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from pathlib import Path

from rigidsim.errors import FormatError
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory import load


def outcome(path: Path, hash_of_whole: str) -> str:
    """What reading all of it comes to."""
    try:
        with load(path) as trajectory:
            str(Inspection.of(trajectory, path))
            return "whole" if trajectory.content_hash == hash_of_whole else "changed"
    except FormatError:
        return "refused"


def text_heaps(content: bytes) -> list[range]:
    """Where HDF5 keeps text of variable length. Some damage in there sends HDF5 2.0 itself into an endless loop."""
    begins = [found.start() for found in re.finditer(b"GCOL\1", content)]
    return [range(begin, begin + int.from_bytes(content[begin + 8 : begin + 16], "little")) for begin in begins]


def main() -> None:
    """Truncate at every 1 kB and at the ends; flip bytes, two of three of them in the parts that are not samples."""
    original, folder, flips = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    content, path, counts = original.read_bytes(), folder / "damaged.h5", Counter()
    with load(original) as trajectory:
        hash_of_whole = trajectory.content_hash
    for length in sorted({*range(0, len(content), 1024), *range(64), len(content) - 1}):
        path.write_bytes(content[:length])
        counts["truncated", outcome(path, hash_of_whole)] += 1
    choice = random.Random(1)
    spared = text_heaps(content)
    assert spared
    for i in range(flips):
        place = choice.randrange(len(content) if i % 3 == 0 else len(content) // 4)
        if any(place in heap for heap in spared):
            continue
        damaged = bytearray(content)
        damaged[place] ^= choice.choice((1, 0x80, 0xFF))
        path.write_bytes(damaged)
        sys.stdout.write(f"{place}\n")  # the last one printed is the one that a crash is due to
        sys.stdout.flush()
        counts["flipped", outcome(path, hash_of_whole)] += 1
    print({" ".join(key): count for key, count in counts.items()})


main()
