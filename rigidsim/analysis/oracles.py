"""Trajectories compared with the oracle of their scene: closed forms of quantities, as expressions of t."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigidsim.analysis.quantities import NamedQuantity, named
from rigidsim.analysis.special import SPECIAL_VALUES
from rigidsim.errors import UsageError
from rigidsim.physics.operations import VALUES
from rigidsim.quantities.vocabulary import NORM, XYZ
from rigidsim.scene.expressions import ORACLE, Expression, Time, parse
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import measured

FUNCTIONS = {**VALUES, **SPECIAL_VALUES}
ROUND_OFF = 1e-12
"""Relative error of the times of samples."""


@dataclass(frozen=True)
class ClosedForm:
    """What one quantity should be: an expression of t, a function of times, a number, or None for each component,
    `is_list` if there are several; before the time `until` (s). `tolerance` is the largest error that is allowed, None
    if none is named.
    """

    name: str
    parts: tuple[Expression | Callable[[np.ndarray], np.ndarray] | float | None, ...]
    tolerance: float | None
    is_list: bool = False
    until: float = math.inf

    def at(self, time: np.ndarray) -> np.ndarray:
        """The values at some times (s), (time) or (time, components); NaN for what is unknown, and from `until` on."""
        time = np.atleast_1d(np.asarray(time, dtype=np.float64))
        found = np.empty((len(time), len(self.parts)))
        with np.errstate(all="ignore"):
            for column, part in enumerate(self.parts):
                if isinstance(part, Expression):
                    found[:, column] = part.evaluate({Time(): time}, FUNCTIONS)
                else:
                    found[:, column] = part(time) if callable(part) else math.nan if part is None else part
        found[~(time + ROUND_OFF * np.abs(time) < self.until)] = np.nan
        return found if self.is_list else found[:, 0]


@dataclass(frozen=True)
class OracleError:
    """The largest error of a quantity with respect to its closed form, and the time (s) at which it is reached.

    The error of a vector is the length of the difference, over the components that the oracle has. The error of angles
    is taken modulo a turn, and that of orientations from the nearer of the two quaternions. Both are None if no sample
    could be compared; `remark` says why.
    """

    name: str
    error: float | None
    time: float | None
    unit: str
    tolerance: float | None
    remark: str = ""

    @property
    def exceeds(self) -> bool:
        """Whether the error is larger than the tolerance that the scene names."""
        return self.error is not None and self.tolerance is not None and not self.error <= self.tolerance


def closed_forms(header: Header) -> dict[str, ClosedForm]:
    """The oracle of the scene of a trajectory, by the names of its quantities; empty if it has none."""
    found = {}
    for name, entry in header.resolved.get("oracle", {}).items():
        is_list = isinstance(entry["value"], list)
        values = entry["value"] if is_list else [entry["value"]]
        parts = tuple(parse(value, {}, ORACLE) if isinstance(value, str) else value for value in values)
        found[name] = ClosedForm(name, parts, entry.get("tolerance"), is_list, entry.get("until", math.inf))
    return found


def reference(trajectory: Trajectory, name: str, time: np.ndarray) -> np.ndarray | None:
    """The closed form of a quantity at some times (s), an array: (time) or (time, components), in the unit of the
    quantity; NaN for what is unknown, and from `until` on. None if the oracle has none. The quantity may be named in
    another way than in the scene, and be one component of it.

    Raises UsageError if there is no such quantity.

    Parameters
    ----------
    trajectory : Trajectory
        The trajectory, of which the scene has an oracle.
    name : str
        The name of the quantity.
    time : np.ndarray
        Times, s.

    Returns
    -------
    np.ndarray | None
        NaN where it is not known.
    """
    wanted = named(trajectory, name)
    columns: dict[str, np.ndarray] = {}
    for form in closed_forms(trajectory.header).values():
        known = named(trajectory, form.name)
        if _same(known, wanted):
            found = form.at(time).reshape(len(time), -1)
            columns |= dict(zip(known.components or (known.component,), found.T, strict=True))
    if wanted.component == NORM and NORM not in columns and set(XYZ) <= set(columns):
        columns[NORM] = np.sqrt(columns["x"] ** 2 + columns["y"] ** 2 + columns["z"] ** 2)
    if not wanted.components:
        return columns.get(wanted.component)
    missing = np.full(len(time), np.nan)
    rows = [columns.get(component, missing) for component in wanted.components]
    return np.stack(rows, axis=-1) if columns.keys() & set(wanted.components) else None


def _same(one: NamedQuantity, other: NamedQuantity) -> bool:
    """Whether these are components of the same."""
    return all(
        getattr(one, key) == getattr(other, key) for key in ("kind", "expression", "body", "frame", "other", "si_units")
    )


def errors(trajectory: Trajectory) -> list[OracleError]:
    """The largest error of each quantity that the scene's oracle has. A file is read in windows of samples.

    Parameters
    ----------
    trajectory : Trajectory
        The trajectory, of which the scene has an oracle.

    Returns
    -------
    list[OracleError]
        An entry for each quantity; none without an oracle.
    """
    return measured(trajectory, *comparisons(trajectory.header))


def comparisons(header: Header) -> list[LargestError]:
    """What measures the error of each quantity that the scene's oracle has."""
    return [LargestError(form) for form in closed_forms(header).values()]


class LargestError:
    """The largest error of one quantity in successive parts of a trajectory."""

    def __init__(self, form: ClosedForm):
        self._form, self._unit = form, ""
        self._error: float | None = None
        self._time: float | None = None
        self._remark = "no sample is before the time up to which it holds"

    def result(self) -> OracleError:
        """The error so far."""
        remark = self._remark if self._error is None else ""
        return OracleError(self._form.name, self._error, self._time, self._unit, self._form.tolerance, remark)

    def add(self, part: Trajectory) -> None:
        """Compare the samples of a part."""
        try:
            found = named(part, self._form.name)
            values = found.of()
        except UsageError as error:  # not recorded, or not of this kind of body
            self._remark = str(error)
            return
        self._unit = found.unit
        differences = _differences(found.kind.name if found.kind else None, values, self._form.at(part.time))
        compared = np.flatnonzero(np.isfinite(differences))
        if len(compared):
            worst = compared[np.argmax(differences[compared])]
            if self._error is None or differences[worst] > self._error:
                self._error, self._time = float(differences[worst]), float(part.time[worst])


def _differences(kind: str | None, values: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """The error at each sample, of a quantity of this kind; NaN where nothing is known."""
    values, expected = (array.reshape(len(array), -1) for array in (values, expected))
    known = np.isfinite(expected)
    if kind == "orientation":
        nearer = np.sum(np.where(known, values * expected, 0.0), axis=1) >= 0
        expected = np.where(nearer, 1.0, -1.0)[:, np.newaxis] * expected
    difference = values - expected
    if kind == "angles":
        difference = (difference + np.pi) % (2 * np.pi) - np.pi
    size = np.sqrt(np.sum(np.where(known, difference, 0.0) ** 2, axis=1))
    return np.where(known.any(axis=1), size, np.nan)
