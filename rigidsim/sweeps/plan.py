"""Plans from arguments, from the `sweep` of a scene, and from tables: CSV files with the names in the first line and
the values of one run in each further one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene
from rigidsim.scene.prepare.overrides import parsed
from rigidsim.scene.schema.sweep import SweepSettings, read_column, read_sweep
from rigidsim.scene.text.csv_text import csv_lines, csv_names, require_cells
from rigidsim.scene.text.scalars import read_plain
from rigidsim.sweeps.axes import Axis
from rigidsim.sweeps.layouts import MOST_AT_ONCE, Plan, Product, Zipped
from rigidsim.sweeps.sampling import Sampled

__all__ = ["Plan", "make_plan", "plan_of", "read_table"]

PLAIN = re.compile(r"[\w.+-][\w.+*/^ -]*")
"""Numbers, quantities and words, which need no parser of YAML."""


def make_plan(
    *,
    vary: Mapping[str, Any] | None = None,
    zip: bool = False,
    sample: str | None = None,
    over: Mapping[str, str] | None = None,
    table: Path | str | None = None,
    seed: int = 0,
) -> Plan:
    """A plan of runs, in one of three ways:

    - `vary`: for each name, `"start:stop:count"`, `"log:start:stop:count"`, or a list, array or range of values; all
      with all, the first name varying slowest, or side by side with `zip`;
    - `sample` with `over`: `"sobol:1024"` and, for each name, a distribution such as `"uniform(20 rpm, 40 rpm)"`;
    - `table`: the path of a CSV file.

    Names are parameters or paths of the scene. Raises UsageError for anything that is not valid, StorageError for a
    table that cannot be read.

    Parameters
    ----------
    vary : Mapping[str, Any], optional
        Values by name, as above.
    zip : bool, optional
        Whether names vary side by side, not all with all.
    sample : str, optional
        The kind of sample and the number of runs.
    over : Mapping[str, str], optional
        A distribution for each name.
    table : Path | str, optional
        The path of a CSV file, with names in its first line.
    seed : int, optional
        The seed of random samples.

    Returns
    -------
    Plan
        The plan, for `sweep`.
    """
    vary = {name: _even(values) for name, values in vary.items()} if isinstance(vary, Mapping) else vary
    given = {"vary": vary, "zip": zip, "sample": sample, "over": over, "table": table and str(table), "seed": seed}
    return plan_of(read_sweep({key: value for key, value in given.items() if value is not None}))


def over_of(scene: Scene, sample: str | None, over: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """The distributions of a sample: those that are given, else those of the uncertain numbers of the scene."""
    return {name: str(one) for name, one in scene.uncertain.items()} if sample and not over else over


def _even(values: Any) -> Any:
    """A Python range as the text of one."""
    if not isinstance(values, range) or len(values) < 2:
        return list(values) if isinstance(values, range) else values
    return f"{values[0]}:{values[-1]}:{len(values)}"


def plan_of(settings: SweepSettings) -> Plan:
    """The plan that settings describe."""
    if settings.sample:
        return Sampled(settings.sample, settings.over, settings.seed)
    if settings.table:
        return Zipped(read_table(Path(settings.table)), settings.seed)
    axes = tuple(Axis(name, points) for name, points in settings.vary.items())
    return (Zipped if settings.zip else Product)(axes, settings.seed)


def read_table(path: Path) -> tuple[Axis, ...]:
    """The columns of a CSV file, separated by commas. A cell is what `--set NAME=CELL` would have: a number, a
    quantity such as `20 rpm`, a word or a list. Raises StorageError if the file cannot be read, and UsageError with the
    line and the column (both counted from one) of the first cell that is not valid.
    """
    lines = csv_lines(path)
    number, header = next(lines, (1, []))
    names = csv_names(path, number, header)
    numbers: list[int] = []
    columns: list[list[Any]] = [[] for _ in names]
    for number, cells in lines:
        require_cells(path, (number, cells), names)
        if len(numbers) == MOST_AT_ONCE:
            hint = "--sample sobol:N and random:N, and grids of --vary, have no such limit"
            raise UsageError(f"{path}:{number}: a table is read as a whole, of at most {MOST_AT_ONCE:,} runs; {hint}")
        numbers.append(number)
        for index, cell in enumerate(cells):
            columns[index].append(_value(cell, f"{path}:{number}:{index + 1}"))
    if not numbers:
        raise UsageError(f"{path}: there are no lines below the header, which makes zero runs")

    def place(column: int, row: int) -> str:
        return f"{path}:{numbers[row]}:{column}"

    return tuple(
        Axis(name, read_column(column, partial(place, index + 1)))
        for index, (name, column) in enumerate(zip(names, columns, strict=True))
    )


def _value(cell: str, place: str) -> Any:
    """The value of a cell, as YAML."""
    bare = cell.strip()
    if not bare:
        raise UsageError(f"{place}: the cell is empty; each run needs a value")
    if PLAIN.fullmatch(bare):
        return read_plain(bare)
    try:
        return parsed(bare, place)
    except SceneError as error:
        raise UsageError(f"{place}: {error.problems[0].message}") from None
