"""The reports of `rigidsim linearize` and `rigidsim equilibrium`."""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.report.wording import counted

if TYPE_CHECKING:
    from rigidsim.sensitivities.linear import Equilibrium, LinearModel, Mode

NOTABLE = 0.01  # part of a shape
MOST_PARTS = 6


class LinearReport(Report):
    """Modes, and with `in_full` the matrices."""

    def __init__(self, name: str, linear: LinearModel, in_full: bool = False):
        at = f"{name}: the linear motion about the state at {linear.time:g} s"
        head = Section({"scene": name, "time": linear.time}, [f"{at}, {counted(len(linear.states), 'variable')}"])
        super().__init__(head, _held(linear), modes_section(linear), _matrices(linear, in_full))


def _held(linear: LinearModel) -> Section:
    """What controllers and sensors hold, which the model takes as constant."""
    outputs = [name for name in linear.held if "." not in name]
    readings = len(linear.held) - len(outputs)
    names = ", ".join([*outputs, *[counted(readings, "reading")] * bool(readings)])
    text = f"held at the values of this instant, so the loop is open: {names}"
    return Section({"held": linear.held}, [text] * bool(linear.held))


class EquilibriumReport(Report):
    """The numbers of a state of rest, and the modes about it."""

    def __init__(self, name: str, found: Equilibrium):
        rows = [[key, f"{value:.12g}"] for key, value in found.values.items()]
        head = Section({"scene": name, "parameters": found.values}, [f"{name}: nothing accelerates with"])
        values = Section(table=CellTable(["parameter", "value, SI units"], rows), joins=True)
        growing = max((one.eigenvalue.real for one in found.linear.modes), default=0.0)
        largest = max((abs(one.eigenvalue) for one in found.linear.modes), default=0.0)
        stable = growing <= 1e-9 * largest
        text = "no mode grows" if stable else f"unstable: a mode grows by a factor e in {1.0 / growing:.4g} s"
        held = _held(found.linear)
        super().__init__(head, values, held, Section({"stable": stable}, [text]), modes_section(found.linear))


def modes_section(linear: LinearModel) -> Section:
    """A table of the modes, without those that do not move."""
    moving = [one for one in linear.modes if one.frequency > 0.0]
    rows = [[f"{one.frequency:.9g}", f"{one.damping:.6g}", _eigenvalue(one.eigenvalue), _shape(one)] for one in moving]
    data = [
        {"eigenvalue": [one.eigenvalue.real, one.eigenvalue.imag], "frequency": one.frequency, "damping": one.damping,
         "shape": {name: [x.real, x.imag] for name, x in one.shape.items()}}
        for one in linear.modes
    ]  # fmt: skip
    zero = len(linear.modes) - len(moving)
    lines = [f"{counted(zero, 'eigenvalue')} at zero: free motions"] * bool(zero)
    table = CellTable(["frequency, Hz", "damping ratio", "eigenvalue, 1/s", "shape"], rows) if rows else None
    return Section({"modes": data}, lines, table=table)


def _eigenvalue(value: complex) -> str:
    return f"{value.real:.6g}" + (f" +- {value.imag:.6g}i" if value.imag else "")


def _shape(mode: Mode) -> str:
    """The parts of a shape, the largest first, with the phase in degrees where it is not 0 or 180."""
    parts = sorted(((name, x) for name, x in mode.shape.items() if abs(x) > NOTABLE), key=lambda one: -abs(one[1]))
    shown = [f"{name} {_part(x)}" for name, x in parts[:MOST_PARTS]]
    return ", ".join(shown) + (", ..." if len(parts) > MOST_PARTS else "")


def _part(x: complex) -> str:
    phase = math.degrees(cmath.phase(x))
    if min(abs(phase), 180.0 - abs(phase)) < 0.01:
        return f"{x.real:.4g}"
    return f"{abs(x):.4g} at {phase:.4g} deg"


def _matrices(linear: LinearModel, in_full: bool) -> Section:
    data = {"states": linear.states, "inputs": linear.inputs, "outputs": linear.outputs}
    data |= {name: getattr(linear, name) for name in ("f", "A", "B", "C", "D")}
    if not in_full:
        return Section(data)
    rows = [*_rows("A B", linear.states, linear.A, linear.B), *_rows("C D", linear.outputs, linear.C, linear.D)]
    return Section(data, table=CellTable(["", *linear.states, *linear.inputs], [row[1:] for row in rows]))


def _rows(name: str, labels: list[str], left, right) -> list[list[str]]:
    lead = "d/dt " if name == "A B" else ""
    return [
        [name, f"{lead}{label}", *(f"{x:.6g}" for x in (*a, *b))]
        for label, a, b in zip(labels, left, right, strict=True)
    ]
