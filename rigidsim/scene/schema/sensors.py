"""The schema of sensors: what each type measures, where it is, when it samples, and its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)

from rigidsim.quantities.names import reading_names
from rigidsim.quantities.vocabulary import WXYZ, XYZ
from rigidsim.scene.expressions import SAMPLE, Expression
from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, by_type, invalid, listed, mapping_of, one_of, word_of
from rigidsim.scene.values.evaluation import read_expression, require_expression
from rigidsim.scene.values.quantities import (
    ACCELERATION,
    ANGLE,
    ANGULAR_VELOCITY,
    EXPRESSION_SCHEMA,
    FORCE,
    LENGTH,
    NUMBER_ONLY,
    TIME,
    Dimension,
    not_negative,
    positive,
    quantity,
    vector,
)
from rigidsim.scene.values.rotation import IDENTITY, Vector
from rigidsim.scene.values.vectors import ZERO
from rigidsim.tree.joints import NAMES, part_of

KEY = "sensors"
TIME_COLUMN = "time"
EXAMPLE = "sensors: {imu: {type: imu, every: 0.01 s}}"


class Channel(NamedTuple):
    """What a sensor measures: its name, components, unit, and the unit of its errors."""

    name: str
    words: str
    components: tuple[str, ...]
    unit: str
    dimension: Dimension
    turns: bool = False  # whether it is an orientation, of which the errors are turns about the axes of the sensor

    @property
    def width(self) -> int:
        """How many numbers it has."""
        return max(1, len(self.components))

    @property
    def n_error(self) -> int:
        """How many numbers its errors have."""
        return 3 if self.turns else self.width


def _each(one: Any, other: Any) -> Any:
    """A number for all components, or a list with one for each."""
    return one_of(lambda value: "each" if isinstance(value, list | tuple) else "all", all=one, each=other)


def errors_of(channel: Channel) -> type[SceneModel]:
    """The model of the errors of a channel."""
    of, n = channel.dimension, channel.n_error

    def numbers(kind: Any) -> Any:
        shape = "[x, y, z]" if n == 3 else f"of {n}"
        return kind if n == 1 else _each(kind, listed(*(kind,) * n, shape=shape))

    size, root, walk = (not_negative(dimension) for dimension in (of, _over(of, "density"), _over(of, "walk")))
    keys = {
        "bias": (numbers(quantity(of)), "Constant error."),
        "noise": (numbers(size), "White noise: standard deviation of each sample."),
        "noise_density": (
            numbers(root),
            "White noise by its density, per root of Hz: the standard deviation times the root of the sample time.",
        ),
        "random_walk": (
            numbers(walk),
            "Random walk of the bias: its standard deviation grows as this times the root of time.",
        ),
    }
    if not channel.turns:
        keys["quantum"] = (numbers(size), "Readings are rounded to whole multiples of this; 0: not at all.")
    fields: dict[str, Any] = {key: (kind, Field(None, description=text)) for key, (kind, text) in keys.items()}
    return create_model(
        f"{'Of' * (channel.name == 'value')}{channel.name.title().replace('_', '')}Errors",
        __base__=Errors,
        __module__=__name__,
        __doc__=f"The errors of a measured {channel.words}.",
        **fields,
    )


def _over(dimension: Dimension, what: str) -> Dimension:
    """What densities and walks are numbers of: SI units per root of Hz, and per root of s."""
    return Dimension(f"{what} of {dimension.name}", "", dimension.largest)


class Errors(SceneModel):
    """What makes a reading differ from the truth."""

    bias: Any = None
    noise: Any = None
    noise_density: Any = None
    random_walk: Any = None

    @model_validator(mode="after")
    def _require_one_noise(self) -> Errors:
        if self.noise is not None and self.noise_density is not None:
            raise invalid("noise", "both 'noise' and 'noise_density' are given", "give one of them", key="noise")
        return self


class Sensor(SceneModel):
    """A sensor: a clock that samples, and channels with errors."""

    channels: ClassVar[tuple[Channel, ...]]
    every: Parsed[float, positive(TIME)] = Field(
        description="Time between samples, from t = 0; a whole number of steps."
    )
    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any:
            """The value of a key of its type."""

    def measured(self) -> tuple[Channel, ...]:
        """What it measures."""
        return self.channels


class Mounted(Sensor):
    """A sensor with a place and axes of its own on the body: a frame, whose motion is recorded as that of a body."""

    position: Parsed[Vector | None, vector(LENGTH)] = Field(
        None, description="Where it is on the body; default: the body's origin."
    )
    orientation: Parsed[Orientation | None, Orientation] = Field(
        None, description="Its axes relative to the body; default: those of the body."
    )

    @property
    def is_apart(self) -> bool:
        """Whether it is a frame of its own, not that of the body."""
        return self.position is not None or self.orientation is not None

    @property
    def pose(self) -> tuple[tuple, tuple]:
        """Position and orientation on the body."""
        return self.position or ZERO, self.orientation or IDENTITY


def _given(model: type[Sensor], *channels: Channel) -> type[Sensor]:
    """The model with the errors of its channels."""
    fields: dict[str, Any] = {
        one.name: (errors_of(one), Field(None, description=f"Errors of the {one.words}.")) for one in channels
    }
    errors = create_model(
        f"{model.__name__.removeprefix('_')}Errors",
        __base__=SceneModel,
        __module__=__name__,
        __doc__="The errors of each of what is measured.",
        **fields,
    )
    made = create_model(
        model.__name__.removeprefix("_"),
        __base__=model,
        __module__=__name__,
        __doc__=model.__doc__,
        errors=(errors, Field(None, description="Errors of what is measured; default: none.")),
    )
    made.channels = channels
    return made


class _Imu(Mounted):
    """An inertial measurement unit: the acceleration that is felt, a - g, and the rate of turning, in its axes."""

    type: Literal["imu"] = Field(description="An inertial measurement unit.")


Imu = _given(
    _Imu,
    Channel("acceleration", "felt acceleration", XYZ, "m/s²", ACCELERATION),
    Channel("angular_velocity", "angular velocity", XYZ, "rad/s", ANGULAR_VELOCITY),
)


class _Pose(Mounted):
    """Position and orientation in the world, as satellite navigation and star trackers give them."""

    type: Literal["pose"] = Field(description="Position and orientation in the world.")


Pose = _given(
    _Pose,
    Channel("position", "position", XYZ, "m", LENGTH),
    Channel("orientation", "orientation", WXYZ, "", ANGLE, turns=True),
)


def _coordinate(name: Any) -> str:
    known = [one for one in NAMES if part_of(one) == "coordinate"]
    if name not in known:
        raise invalid("unknown-value", f"{shown(name)} is not a coordinate of a joint", f"there are {', '.join(known)}")
    return name


class _Encoder(Sensor):
    """An encoder: a coordinate of the joint of the body, and its rate; rad and rad/s, or m and m/s."""

    type: Literal["encoder"] = Field(description="A coordinate of the joint of the body, and its rate.")
    of: Parsed[str | None, Annotated[str, BeforeValidator(_coordinate)]] = Field(
        None, description="The coordinate: angle, angle_2, displacement, ...; default: the first one of the joint."
    )


Encoder = _given(
    _Encoder,
    Channel("coordinate", "coordinate", (), "", NUMBER_ONLY),
    Channel("rate", "rate", (), "", NUMBER_ONLY),
)


class _Contact(Sensor):
    """The force of contact on the body and what is fixed to it, along the normals: the length of its sum over all
    points, without friction.
    """

    type: Literal["contact"] = Field(description="The normal force of contact.")
    to: str = Field("", description="Path of the body that exerts it; default: all bodies.")


Contact = _given(_Contact, Channel("force", "normal force", (), "N", FORCE))


def _require_direction(vector: tuple) -> tuple:
    if not any(vector):
        raise invalid("direction", "a direction cannot be zero", "write [1, 0, 0]")
    return vector


class _Range(Mounted):
    """A range finder: the distance along a ray to the nearest shape of another body, or its longest range."""

    type: Literal["range"] = Field(description="The distance along a ray to the nearest shape.")
    direction: Annotated[Parsed[Vector, vector(NUMBER_ONLY)], AfterValidator(_require_direction)] = Field(
        (1.0, 0.0, 0.0), description="Direction of the ray in the axes of the sensor."
    )
    longest: Parsed[float, positive(LENGTH)] = Field(
        description="The longest range, which is the reading where nothing is hit."
    )


Range = _given(_Range, Channel("distance", "distance", (), "m", LENGTH))


def _read(value: Any, info: ValidationInfo) -> Expression:
    if isinstance(value, Expression):
        return value
    require_expression(value, "an expression, which begins with '='", "\"= hypot(x('sat'), y('sat'))\"")
    return read_expression(value, info.context, SAMPLE)


class _Value(Sensor):
    """A sensor of any quantity that can be read at a sample."""

    type: Literal["value"] = Field(description="The value of an expression of quantities and t.")
    value: Annotated[Any, BeforeValidator(_read), WithJsonSchema(EXPRESSION_SCHEMA)] = Field(
        description="What is measured, in SI units."
    )

    def measured(self) -> tuple[Channel, ...]:
        """What it measures, with its unit if that is known."""
        return (self.channels[0]._replace(unit=self.value.unit),)


Value = _given(_Value, Channel("value", "value", (), "", NUMBER_ONLY))

SENSORS: dict[str, type[Sensor]] = {
    word_of(model, "type"): model for model in (Imu, Pose, Encoder, Contact, Range, Value)
}


def names_of(sensor: str, channels: tuple[Channel, ...]) -> list[tuple[str, Channel, int]]:
    """What expressions call the readings of a sensor: each name with its channel and component."""
    names = reading_names(sensor, {one.name: one.components for one in channels})
    by_name = {one.name: one for one in channels}
    return [(name, by_name[channel], k) for name, (channel, k) in names.items()]


class Owned(dict[str, Any]):
    """The sensors of the body with this path, as written."""

    def __init__(self, path: str, written: dict[str, Any]):
        super().__init__(written)
        self.path = path


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        hint = "letters, digits and underscores, not beginning with a digit"
        raise invalid("sensor-name", f"a sensor cannot be called '{shown(name)}'", hint)
    if name == TIME_COLUMN:
        raise invalid("sensor-name", f"a sensor cannot be called '{name}', as the times of samples are in files")
    return name


Name = Annotated[str, AfterValidator(_check_name)]
Sensors = Parsed[
    dict[str, Sensor], mapping_of(Name, by_type(SENSORS, "sensor"), "names with sensors", EXAMPLE, "sensors")
]
