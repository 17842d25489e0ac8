"""What becomes of damaged files: read in several ways, each time all as it was, or a FormatError; for programs of their
own process, since a damaged file may end one.
"""

from __future__ import annotations

import faulthandler
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from rigidsim.errors import FormatError


def heaps(content: bytes) -> list[range]:
    """Where HDF5 keeps text of variable length, which has no checksum of its own."""
    begins = [found.start() for found in re.finditer(rb"GCOL\x01", content)]
    return [range(begin, begin + int.from_bytes(content[begin + 8 : begin + 16], "little")) for begin in begins]


def outcome(path: Path, read: Callable[[Path], object], whole: object) -> str:
    """What one way of reading a file comes to. One that takes more than a minute ends the process."""
    faulthandler.dump_traceback_later(60, exit=True)
    try:
        return "whole" if read(path) == whole else "changed"
    except FormatError as error:
        return "refused" if "\n" not in str(error) else "reported in many lines"
    except Exception as error:
        print(f"{read.__name__}: {type(error).__name__}: {str(error)[:300]}")
        return "internal"
    finally:
        faulthandler.cancel_dump_traceback_later()


def count_outcomes(original: Path, path: Path, damages: Iterable[str], readings: tuple[Callable, ...]) -> None:
    """Read each damaged copy, which `damages` writes and describes, in all ways; the last line printed counts."""
    counts: Counter[str] = Counter()
    whole = {read: read(original) for read in readings}
    for damage in damages:
        print(damage, flush=True)  # the last one printed is the one that a crash is due to
        for read in readings:
            found = outcome(path, read, whole[read])
            if found not in ("whole", "refused"):
                print(f"  {read.__name__}: {found}", flush=True)
            counts[f"{damage.partition(' ')[0].strip(':')}, {read.__name__}, {found}"] += 1
    print(dict(counts))
