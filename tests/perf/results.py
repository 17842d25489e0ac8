"""Runs benchmarks and keeps their tables: `python tests/perf/results.py NAME [NAME ...] [-- OPTION ...]`.

A benchmark prints tables in Markdown, each below a title. They go to `results/NAME.json`, with the command, date,
machine, load and versions; `python docs/make_benchmarks.py` writes docs/benchmarks.md with them.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import rigidsim

FOLDER = Path(__file__).parent / "results"
PACKAGES = (
    "numpy",
    "llvmlite",
    "mujoco",
    "gymnasium",
    "exudyn",
    "heyoka",
    "rapier3d",
    "robox3d",
    "pybullet",
    "coal",
    "newton",
    "bsk",
)


def tables_in(text: str) -> Iterator[dict]:
    """The tables of an output: title (the heading since the last table, else the line above), columns and rows."""
    heading, above, table = "", "", {}
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not table:
                table = {"title": heading or above, "columns": cells, "rows": []}
            elif not set(line) <= set("|-: "):
                table["rows"].append(cells)
            continue
        if table:
            yield table
            heading, table = "", {}
        heading = line.lstrip("# ") if line.startswith("#") else heading
        above = line or above


def machine() -> dict:
    """What the times depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
    return {"processor": model, "cores": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()[0]}


def versions() -> dict[str, str]:
    """The versions of this package and of those beside it."""
    found = {"rigidsim": rigidsim.__version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def measured(name: str, options: list[str]) -> dict:
    """The result of a benchmark."""
    about = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "machine": machine(), "versions": versions()}
    begin = time.perf_counter()
    command = [sys.executable, str(FOLDER.with_name(f"{name}.py")), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    spent = {"seconds": round(time.perf_counter() - begin), "load_after": os.getloadavg()[0]}
    command = " ".join(["python", f"tests/perf/{name}.py", *options])
    return {"command": command} | about | spent | {"tables": list(tables_in(done.stdout))}


def main(words: list[str]) -> None:
    """Run the named benchmarks."""
    names, _, options = " ".join(words).partition("-- ")
    for name in names.split():
        result = measured(name, options.split())
        (FOLDER / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        print(f"{name}: {len(result['tables'])} tables, {result['seconds']} s")


if __name__ == "__main__":
    main(sys.argv[1:])
