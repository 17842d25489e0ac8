"""The table of the runs of a sweep; its results for other packages: xarray, pandas, matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType

import numpy as np

from rigidsim.errors import UsageError


class Columns(Mapping):
    """Columns of a table, by name; each is read on first access."""

    def __init__(self, read: Mapping[str, Callable[[], np.ndarray]]):
        self._read, self._known = read, {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._known:
            self._known[name] = self._read[name]()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)

    def __repr__(self) -> str:
        return f"<Columns: {', '.join(self._read)}>"


def as_xarray(sweep):
    """See `Sweep.to_xarray`."""
    xarray = _needed("xarray", "to_xarray")
    scales = {"run": sweep.numbers, "body": list(sweep.paths)}
    if sweep.time is not None:
        scales["time"] = sweep.time
    for axis in ("xyz", "wxyz"):
        scales[axis] = list(axis)
    found = {}
    for name in sweep.datasets:
        dimensions, _, units, long_name = sweep.described(name)
        found[name.replace("/", "_")] = dimensions, sweep.array(name), {"units": units, "long_name": long_name}
    columns = {name: ("run", column) for name, column in sweep.runs.items() if name != "run"}
    metrics = {name: ("run", column) for name, column in metric_columns(sweep, {*scales, *found}).items()}
    return xarray.Dataset({**found, **metrics}, {**scales, **columns}, {"plan": sweep.description})


def as_pandas(sweep):
    """See `Sweep.to_pandas`."""
    pandas = _needed("pandas", "to_pandas")
    columns = {name: column for name, column in sweep.runs.items() if name != "run"}
    return pandas.DataFrame({**columns, **metric_columns(sweep, set())}, index=pandas.Index(sweep.numbers, name="run"))


def metric_columns(sweep, taken: set[str]) -> dict[str, np.ndarray]:
    """The metrics by name; "metrics_NAME" for one whose name is also that of a column of the runs, or taken."""
    taken = {*taken, *sweep.runs}
    return {f"metrics_{name}" if name in taken else name: column for name, column in sweep.metrics.items()}


def as_figure(sweep, names: Sequence[str], over: Sequence[str], title: str = "", size=None, log: bool = False):
    """See `Sweep.plot`. What draws is imported when it is needed, because it imports this package."""
    sweeps = import_module("rigidsim.plots.sweeps")
    return sweeps.sweep_figure(sweep, names, over, title=title, size=size, is_log=log)


def _needed(package: str, who: str) -> ModuleType:
    """An optional package; UsageError if it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        raise UsageError(f"{who} needs {package}, which is not installed: pip install {package}") from None
