"""The tests that take long with compiled code in the cache, which the default suite leaves out:
`python -m pytest -m "not slow and not perf" --durations=0 --durations-min=0.5 | python tests/long_tests.py`
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FILE = Path(__file__).with_suffix(".txt")
LONG = 0.5  # s
LINE = re.compile(r"([\d.]+)s (?:call|setup) +(\S+?::[^\[\s]+)")


def listed() -> set[str]:
    """Those of the file, each a function with all its cases."""
    return set(FILE.read_text().split())


if __name__ == "__main__":
    found = {test for seconds, test in LINE.findall(sys.stdin.read()) if float(seconds) > LONG}
    FILE.write_text("\n".join(sorted(found)) + "\n")
    print(f"{len(found)} tests take more than {LONG:g} s")
