"""The plugin of mypy knows the parts of rows, and their widths."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_mypy_finds_what_does_not_fit_a_row(tmp_path):
    """In a file with marked mistakes mypy finds these and no others."""
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "--no-color-output", "--no-error-summary",
               "--follow-imports=silent", "tests/annotations/rows_used.py"]  # fmt: skip
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True)
    found = re.findall(r"rows_used\.py:(\d+): error: (.*)  (\[.*\])", done.stdout)
    lines = enumerate((HERE / "rows_used.py").read_text().splitlines(), 1)
    marked = [(n, *text.split(" ", 1)) for n, line in lines for text in re.findall("# error: (\\[.*)", line)]
    assert [(int(n), code) for n, _, code in found] == [(n, code) for n, code, _ in marked], done.stdout + done.stderr
    for (_, message, _), (_, _, part) in zip(found, marked, strict=True):
        assert part in message
    assert len(marked) == 6
