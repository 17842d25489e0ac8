"""The plan of a sweep as data: the numbers that vary, their values or distributions, and the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from rigidsim.errors import SceneError, UsageError
from rigidsim.scene.schema.problems import problems_in
from rigidsim.scene.text.document import Document
from rigidsim.scene.text.plain import plain_data
from rigidsim.scene.values import points
from rigidsim.scene.values.base import Parsed, Reading, SceneModel, Text, invalid, mapping_of, said
from rigidsim.scene.values.points import LOG, Listed, read_points, written_points
from rigidsim.scene.values.quantities import NUMBER, whole
from rigidsim.scene.values.samples import FAMILIES, METHODS, read_distribution, read_sample

WAYS = ("vary", "sample", "table")
"""The keys of which a plan has one."""

_END = rf"({NUMBER}[^:]*|\s*=[^:]*)"
POINTS_SCHEMA = {
    "anyOf": [
        {"type": "string", "pattern": rf"^\s*({LOG})?{_END}:{_END}:\s*[0-9]+\s*$"},
        {"type": "array", "minItems": 1},
    ]
}
SAMPLE_SCHEMA = {"type": "string", "pattern": rf"^\s*({'|'.join(METHODS)})\s*:\s*[0-9]+\s*$"}
DISTRIBUTION_SCHEMA = {"type": "string", "pattern": rf"^\s*({'|'.join(FAMILIES)})\s*\(.*\)\s*$"}


def _named(read: Any, schema: dict[str, Any]) -> Any:
    """The type of a mapping from the names of numbers of the scene to what `read` makes of a value."""
    values = Annotated[Any, BeforeValidator(read)]
    as_object = {"type": "object", "additionalProperties": schema}
    return Annotated[mapping_of(str, values, "names with values", '{spin: "0:60:13"}'), WithJsonSchema(as_object)]


def _from_scene(path: str, info: ValidationInfo) -> str:
    return str(info.context.folder / path) if info.context else path


class SweepSettings(SceneModel):
    """The plan of a sweep: a grid of values, a sample of distributions, or a table of runs."""

    vary: Parsed[dict[str, Any], _named(read_points, POINTS_SCHEMA)] = Field(
        {}, description="The values of each number: start:stop:count with both ends, log:start:stop:count, or a list."
    )
    zip: bool = Field(
        False, description="Whether the values of vary are taken side by side, instead of all with all (a grid)."
    )
    sample: Annotated[Any, BeforeValidator(read_sample), WithJsonSchema(SAMPLE_SCHEMA)] = Field(
        None, description="Method and number of points of a sample: sobol:1024, lhs:100, random:1000, saltelli:512."
    )
    over: Parsed[dict[str, Any], _named(read_distribution, DISTRIBUTION_SCHEMA)] = Field(
        {},
        description="The distribution of each number in a sample: uniform(20 rpm, 40 rpm), normal(0.1, 0.01), ...",
    )
    table: Parsed[str | None, Annotated[Text, BeforeValidator(_from_scene)]] = Field(
        None,
        description="Path of a CSV file, relative to the scene's folder: names in its header, then one run per line.",
    )
    seed: Parsed[int, whole(0)] = Field(
        0, description="Seed of a sample and of the seeds of the runs; the same on every machine."
    )

    @model_validator(mode="after")
    def _one_way(self) -> SweepSettings:
        given = [key for key in WAYS if getattr(self, key)]
        if self.over and not self.sample:
            raise invalid("sweep", "'over' has distributions, but there is no 'sample'", "add one: sobol:1024")
        if self.sample and not self.over:
            raise invalid("sweep", "'sample' needs distributions in 'over'", 'add over: {spin: "uniform(20, 40)"}')
        if len(given) != 1:
            message = f"both '{given[0]}' and '{given[1]}' are given" if given else "no number varies"
            raise invalid("sweep", message, "a plan has one of 'vary', 'sample' with 'over', and 'table'")
        if self.zip and not self.vary:
            raise invalid("sweep", f"'zip' does not go with '{given[0]}'", "it is about the values of 'vary'")
        return self

    def written(self) -> dict[str, Any]:
        """The plan as plain data in the form of a scene, without what is left at its default."""
        entries = {
            "vary": {name: written_points(points) for name, points in self.vary.items()},
            "zip": self.zip,
            "sample": self.sample and str(self.sample),
            "over": {name: str(distribution) for name, distribution in self.over.items()},
            "table": self.table,
            "seed": self.seed,
        }
        return {key: value for key, value in entries.items() if value}


def read_sweep(data: Mapping[str, Any]) -> SweepSettings:
    """A plan from plain data of the form that `sweep` has in a scene; paths begin at the current folder. Raises
    UsageError for the first value that is not valid.
    """
    try:
        document, reading = Document(plain_data(data)), Reading(folder=Path())
    except SceneError as error:
        (problem,) = error.problems
        where = problem.path.replace(".", " ", 1)
        raise UsageError(f"{where}: {problem.message.removesuffix(' in a scene')}; give a list or an array") from None
    try:
        return SweepSettings.model_validate(document.data, context=reading)
    except ValidationError as error:
        problem = problems_in(error, document, reading)[0]
    where = problem.path.replace(".", " ", 1)
    hint = f"; {problem.hint}" if problem.hint else ""
    raise UsageError(f"{where}{': ' if where else ''}{problem.message}{hint}")


def read_column(values: list[Any], place: Callable[[int], str]) -> Listed:
    """The values of a column of a table; `place` names the cell of an index in the UsageError for one that does not
    fit.
    """
    try:
        return points.read_column(values)
    except PydanticCustomError as error:
        words = said(error)
        hint = words["hint"]
        message = f"{words['message']}{'; ' if hint else ''}{hint}"
        raise UsageError(f"{place(words.get('key', 0))}: {message}") from None
