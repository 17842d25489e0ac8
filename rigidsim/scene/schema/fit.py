"""The schema of a fit: measured data, the numbers of the scene that are estimated from them, and the loss."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, WithJsonSchema, model_validator

from rigidsim.errors import SceneError, UsageError
from rigidsim.quantities.names import BadName, name_and_unit, read_name
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tokens import ExpressionError, names_in
from rigidsim.scene.schema.problems import problems_in
from rigidsim.scene.text.document import Document, shown
from rigidsim.scene.text.plain import plain_data
from rigidsim.scene.values.amounts import Amount, as_written, read_amount
from rigidsim.scene.values.base import Parsed, Reading, SceneModel, Text, invalid, mapping_of, or_mapping
from rigidsim.scene.values.evaluation import is_expression
from rigidsim.scene.values.quantities import NUMBER, TIME, quantity

TIME_OFFSET = "time_offset"
"""The name of the time offset of an experiment among its own numbers."""
LOSSES = ("linear", "soft_l1", "huber", "cauchy")
_AMOUNT_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": rf"^\s*{NUMBER}\s*[^\s\d]*"}]}


def _amount(value: Any) -> Amount:
    return value if isinstance(value, Amount) else read_amount(value)


def _two(value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise invalid("length", f"expected two values, [0.004, 0.05], got {shown(value)}")
    first, second = value
    return first, second


def _bounds(value: Any) -> tuple[Amount | None, Amount | None]:
    low, high = (None if one is None else _amount(one) for one in _two(value))
    if low and high and low.unit == high.unit and not low.number < high.number:
        raise invalid("bounds", f"the lower bound {low} is not below the upper one, {high}")
    return low, high


def _prior(value: Any) -> tuple[Amount, Amount]:
    mean, sigma = (_amount(one) for one in _two(value))
    if not sigma.number > 0.0:
        raise invalid("not-positive", f"the standard deviation of a prior must be greater than zero, got {sigma}")
    return mean, sigma


def _sigma(value: Any) -> Amount | str | None:
    """A standard deviation, or the name of the column that has them."""
    if isinstance(value, str) and not value.lstrip()[:1].isdigit() and not value.lstrip().startswith("."):
        return value.strip() or _sigma("0")
    amount = _amount(value)
    if not amount.number > 0.0:
        raise invalid("not-positive", f"a standard deviation must be greater than zero, got {amount}")
    return amount


def _quantity(name: str, info: ValidationInfo) -> str:
    """The name of a quantity, of a body or of the run, or an expression of the state; perhaps with a unit, `[deg]`."""
    if not is_expression(name):
        try:
            written = name_and_unit(name)[0].strip()
            if not (info.context and info.context.scope.named(written)):
                read_name(written)
        except (BadName, ExpressionError) as error:
            raise invalid("fit-quantity", error.message, error.hint, key=name) from None
    elif info.context:
        info.context.used.update(names_in(name))  # the parameters in it are in use
    return name


def _pairs(schema: dict) -> dict:
    return {"type": "array", "minItems": 2, "maxItems": 2, "items": {"anyOf": [schema, {"type": "null"}]}}


class VariedWithin(SceneModel):
    """How a number is varied."""

    bounds: Annotated[Any, BeforeValidator(_bounds), WithJsonSchema(_pairs(_AMOUNT_SCHEMA))] = Field(
        (None, None), description="Smallest and largest value that it may take; null: none."
    )
    scale: Literal["linear", "log"] = Field("linear", description="log: its logarithm is varied, so its sign stays.")


class FittedNumber(VariedWithin):
    """What is known of a number before the fit."""

    prior: Annotated[Any, BeforeValidator(_prior), WithJsonSchema(_pairs(_AMOUNT_SCHEMA))] = Field(
        None, description="Mean and standard deviation of what is known of it without the data."
    )


class MeasuredColumn(SceneModel):
    """A column of the data, which measures a quantity."""

    column: Text = Field(description="Name of the column, or of a quantity in the file of a run.")
    unit: Text = Field("", description="Unit of the column; default: the SI unit of the quantity.")
    sigma: Annotated[Any, BeforeValidator(_sigma), WithJsonSchema(_AMOUNT_SCHEMA)] = Field(
        None,
        description="Standard deviation of the measurements, or the name of a column of these, in the unit of the "
        "column; default: estimated from the residuals.",
    )


def _names(value: Any) -> Any:
    """A list of names is short for a mapping of each to nothing."""
    if isinstance(value, list | tuple):
        return (
            {name: {} for name in value if isinstance(name, str)} if all(isinstance(n, str) for n in value) else value
        )
    return value


def _given(value: Any) -> Any:
    return {} if value is None else value


_Column = Parsed[MeasuredColumn, or_mapping(Text, MeasuredColumn, "column")]


def by_names(value: Any) -> Any:
    """The type of a mapping of names to what is known of numbers, or of a list of the names alone."""
    return Annotated[mapping_of(str, value, "names with what is known", "{mass: {}}"), BeforeValidator(_names)]


_Numbers = Parsed[dict[str, FittedNumber], by_names(Annotated[FittedNumber, BeforeValidator(_given)])]


def _from_scene(path: Any, info: ValidationInfo) -> Any:
    return str(info.context.folder / path) if info.context and isinstance(path, str) else path


def _value(value: Any) -> Any:
    amount = value if is_expression(value) else _amount(value)
    return as_written(amount.number, amount.unit) if isinstance(amount, Amount) else amount


class Experiment(SceneModel):
    """Measurements of one run."""

    file: Annotated[Text, BeforeValidator(_from_scene)] = Field(
        description="CSV file with names in its first line, or the HDF5 file of a run; relative to the scene's folder."
    )
    time: Text = Field("", description="Name of the column of times; default: time or t.")
    time_unit: Text = Field("", description="Unit of that column; default: the one in its name, or s.")
    time_offset: Parsed[float, quantity(TIME)] = Field(
        0.0, description="What is added to the times of the data to get those of the run."
    )
    columns: Parsed[
        dict[str, Any],
        mapping_of(Annotated[str, BeforeValidator(_quantity)], _Column, "quantities with columns", "{rod.angle: phi}"),
    ] = Field({}, description="The column that measures each quantity; default: columns with names of quantities.")
    set: Parsed[
        dict[str, Annotated[Any, BeforeValidator(_value)]],
        mapping_of(str, Annotated[Any, BeforeValidator(_value)], "names with values", "{start: 1.2}"),
    ] = Field({}, description="Numbers of the scene that have other values in this experiment.")
    vary: _Numbers = Field(
        {}, description="Numbers that are estimated for this experiment alone; time_offset is one of these."
    )


class FitSettings(SceneModel):
    """Measured data, the numbers that are estimated from them, and the loss."""

    data: Annotated[tuple[Experiment, ...], Field(strict=False, min_length=1)] = Field(
        description="Experiments; each is a run of its own."
    )
    parameters: _Numbers = Field({}, description="Numbers of the scene that are estimated, with one value for all.")
    loss: Parsed[str, Literal[LOSSES]] = Field(
        "linear", description="How large residuals count: linear (least squares), or less: soft_l1, huber, cauchy."
    )

    @model_validator(mode="after")
    def _varies(self) -> FitSettings:
        if not self.parameters and not any(one.vary for one in self.data):
            raise invalid("fit", "no number is estimated", "name some in 'parameters', or in 'vary' of an experiment")
        if TIME_OFFSET in self.parameters:
            raise invalid("fit", "a time offset belongs to one experiment", "write it in 'vary' of the experiment")
        return self

    def written(self) -> dict[str, Any]:
        """The settings as plain data in the form of a scene, without what is left at its default."""
        return plain_settings(self)


def plain_settings(value: Any) -> Any:
    """A setting as plain data."""
    if isinstance(value, Amount):
        return str(value)
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, SceneModel):
        return {
            key: plain_settings(getattr(value, key))
            for key in type(value).model_fields
            if key in value.model_fields_set
        }
    if isinstance(value, dict):
        return {key: plain_settings(one) for key, one in value.items()}
    return [plain_settings(one) for one in value] if isinstance(value, tuple) else value


def read_fit(data: Mapping[str, Any]) -> FitSettings:
    """Settings from plain data of the form that `fit` has in a scene; paths begin at the current folder. Raises
    UsageError for the first value that is not valid.
    """
    try:
        document, reading = Document(plain_data(data)), Reading(folder=Path())
    except SceneError as error:
        raise UsageError(f"fit: {error.problems[0].message}") from None
    try:
        return FitSettings.model_validate(document.data, context=reading)
    except ValidationError as error:
        problem = problems_in(error, document, reading)[0]
    hint = f"; {problem.hint}" if problem.hint else ""
    raise UsageError(f"fit{'.' * bool(problem.path)}{problem.path}: {problem.message}{hint}")
