"""Uncertain numbers of a scene: `2.0 +- 0.1 kg`, `2 kg +- 5 %`, `{uniform: [1, 2]}`, and `{uniform: [1, 2], unit: kg}`.
The scene is read with their means; their distributions are for derivatives and sweeps.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from pydantic_core import PydanticCustomError

from rigidsim.scene.prepare.overrides import put
from rigidsim.scene.schema.parameters import KEY
from rigidsim.scene.schema.problems import as_problems
from rigidsim.scene.text.document import Document, Path, path_text, shown
from rigidsim.scene.values.amounts import Amount, as_written, in_one_unit, read_amount
from rigidsim.scene.values.base import invalid
from rigidsim.scene.values.quantities import NUMBER, UNIFORM
from rigidsim.scene.values.samples import Distribution, read_distribution

UNIT = "unit"
PLANS = ("sweep", "fit", "optimise")
"""Keys of a scene in which names of numbers have values."""
SIGNS = ("+-", "±", "+/-")
NORMAL = re.compile(rf"\s*({NUMBER}[^+±]*?)\s*(?:\+-|±|\+/-)\s*(.*?)\s*", re.DOTALL)
EXAMPLE = "write mass: 2.0 +- 0.1 kg, mass: 2 kg +- 5 %, or mass: {uniform: [1 kg, 2 kg]}"


def read_uncertain(document: Document) -> None:
    """Put the means of uncertain numbers into a document, in their place, and note their distributions there."""
    if document.text and not document.overrides and not any(mark in document.text for mark in (*SIGNS, UNIFORM)):
        return
    for path, value in list(_uncertain_in(document.data, ())):
        try:
            found = _distribution(value)
        except PydanticCustomError as error:
            document.problems.extend(as_problems(document, path, value, error))
            found = Distribution("normal", (1.0, 1.0))
        put(document, path, as_written(mean_of(found), found.unit))
        document.uncertain[path] = found
    _sample(document)


def _sample(document: Document) -> None:
    """Let a sample without distributions be one of the uncertain numbers."""
    sweep = document.data.get("sweep") if isinstance(document.data, dict) else None
    if document.uncertain and isinstance(sweep, dict) and sweep.get("sample") and "over" not in sweep:
        put(document, ("sweep", "over"), {name: str(one) for name, one in names_of(document).items()})


def _uncertain_in(data: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The paths and the values of what is written as an uncertain number."""
    if isinstance(data, str):
        if any(sign in data for sign in SIGNS) and NORMAL.fullmatch(data):
            yield path, data
    elif isinstance(data, dict):
        if {*data} in ({UNIFORM}, {UNIFORM, UNIT}) and isinstance(data[UNIFORM], list):
            yield path, data
            return
        for key, value in data.items():
            if path or key not in PLANS:
                yield from _uncertain_in(value, (*path, key))
    elif isinstance(data, list):
        for key, value in enumerate(data):
            yield from _uncertain_in(value, (*path, key))


def _distribution(value: Any) -> Distribution:
    if isinstance(value, dict):
        ends = value[UNIFORM]
        if len(ends) != 2:
            raise invalid("uncertain", f"expected two ends, [low, high], got {shown(ends)}", EXAMPLE)
        if UNIT in value and any(isinstance(end, str) for end in ends):
            raise invalid("uncertain", f"the ends beside the key unit are numbers, got {shown(ends)}", EXAMPLE)
        low, high = (f"{end} {value.get(UNIT, '')}" for end in ends)
        return read_distribution(f"uniform({low}, {high})")
    of_mean, of_deviation = _parts(value)
    if not of_deviation:
        raise invalid("uncertain", f"there is no standard deviation in {shown(value)}", EXAMPLE)
    mean, deviation = read_amount(of_mean), read_amount(of_deviation)
    if deviation.unit and not mean.unit:
        mean = Amount(mean.number, deviation.unit)
    elif mean.unit and not deviation.unit:
        deviation = Amount(deviation.number, mean.unit)
    numbers, unit = in_one_unit([mean, deviation])
    if not numbers[1] > 0.0:
        raise invalid("uncertain", f"a standard deviation must be greater than zero, got {deviation}", EXAMPLE)
    return Distribution("normal", numbers, unit)


def _parts(value: str) -> tuple[str, str]:
    """Mean and standard deviation; a part of the mean is computed."""
    found = NORMAL.fullmatch(value)
    assert found is not None
    mean, deviation = found.groups()
    if deviation.endswith("%"):
        own, share = read_amount(mean), read_amount(deviation[:-1].strip())
        deviation = str(Amount(0.01 * abs(own.number) * share.number, own.unit))
    return mean, deviation


def mean_of(one: Distribution) -> float:
    """The mean, in the unit that was written."""
    return one.arguments[0] if one.family == "normal" else 0.5 * one.arguments[0] + 0.5 * one.arguments[1]


def deviation_of(one: Distribution) -> float:
    """The standard deviation, in the unit that was written; of a uniform distribution (high - low)/sqrt(12)."""
    return one.arguments[1] if one.family == "normal" else (one.arguments[1] - one.arguments[0]) / math.sqrt(12.0)


def names_of(document: Document) -> dict[str, Distribution]:
    """The distributions by the names that `--set` takes."""
    return {_name(path): one for path, one in document.uncertain.items()}


def _name(path: Path) -> str:
    is_parameter = path[0] == KEY and (len(path) == 2 or path[2:] == ("value",))
    return str(path[1]) if is_parameter else path_text(path)
