"""A scene as data: its parts and their hierarchy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from rigidsim.scene.schema.body import Body, NewMotion, OneJoint
from rigidsim.scene.schema.changes import Machines, NumberChange
from rigidsim.scene.schema.controllers import Controllers
from rigidsim.scene.schema.fit import FitSettings
from rigidsim.scene.schema.forces import Instant
from rigidsim.scene.schema.let import Let
from rigidsim.scene.schema.metrics import Metrics
from rigidsim.scene.schema.names import NAMED, BodyName
from rigidsim.scene.schema.optimise import OptimiseSettings
from rigidsim.scene.schema.oracle import Oracle
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.schema.parameters import Parameters
from rigidsim.scene.schema.simulation import SimulationSettings
from rigidsim.scene.schema.sweep import SweepSettings
from rigidsim.scene.schema.tables import Tables
from rigidsim.scene.schema.when import TIMED, Trigger, When, require_instant
from rigidsim.scene.schema.world import Surroundings
from rigidsim.scene.values.base import Parsed, SceneModel, Text
from rigidsim.scene.values.quantities import LENGTH, vector
from rigidsim.scene.values.rotation import Quaternion, Vector


class Reparenting(SceneModel):
    """The change of a body's parent at an instant; its motion in the world changes only by what holds it there."""

    model_config = ConfigDict(json_schema_extra=TIMED)

    body: str = Field(description="Path of the body of which the parent changes.")
    to: str = Field(description="Path of the new parent, or world.")
    time: Parsed[float | None, Instant] = Field(None, description="Time of the change.")
    when: Parsed[When | None, Trigger] = Field(
        None, description="In place of the time: the condition at which the parent changes."
    )
    motion: Parsed[Literal["free", "fixed"] | OneJoint, NewMotion] = Field(
        "free", description="How the body moves in its new parent: free, fixed to it, or on a joint."
    )
    position: Parsed[Vector | None, vector(LENGTH)] = Field(
        None,
        description="Of a body on a joint: its position at zero in the new parent; default: that which it has then.",
    )
    orientation: Parsed[Quaternion | None, Orientation] = Field(
        None, description="Of a body on a joint: its orientation at zero; default: that which it has then."
    )

    @model_validator(mode="after")
    def _require_instant(self) -> Reparenting:
        require_instant(self)
        return self

    @property
    def kind(self) -> Literal["free", "fixed", "jointed"]:
        """How the body moves relative to its new parent."""
        return self.motion if isinstance(self.motion, str) else "jointed"

    @property
    def joint(self) -> tuple[str, SceneModel] | None:
        """The type of the joint by which the body hangs on its new parent, and the joint as it is given."""
        return None if isinstance(self.motion, str) else self.motion.joint


class SceneData(SceneModel):
    """Bodies in a hierarchy of frames and how to simulate them, as written in a YAML file."""

    format: Literal["rigidsim/1"] = Field(description="Format of this file: always rigidsim/1.")
    title: Text = Field("", description="One line that names the scene.")
    description: Text = Field("", description="Description of the scene, of any number of lines.")
    parameters: Parameters = Field(default={})
    tables: Tables = Field({}, description="Functions of one argument for expressions, given by points.")
    let: Let = Field({}, description="Named quantities of the whole scene.")
    simulation: SimulationSettings = Field(description="Duration, step, method and sampling.")
    world: Surroundings = Field(Surroundings(), description="Gravity, and the plane of a planar scene.")
    bodies: Annotated[dict[BodyName, Body], Field(min_length=1, json_schema_extra=NAMED)] = Field(
        description="The bodies without a parent body, by name."
    )
    reparent: Annotated[tuple[Reparenting, ...], Field(strict=False)] = Field(
        (), description="Changes of the hierarchy during the run: a body, its new parent, and the time."
    )
    changes: Annotated[tuple[NumberChange, ...], Field(strict=False)] = Field(
        (), description="Changes of numbers of the scene during the run: what is set, and the time or a condition."
    )
    states: Machines = Field({}, description="State machines by name: states, what each sets, and what leads on.")
    controllers: Controllers = Field(
        {}, description="Blocks that read sensors and quantities at samples; their outputs are numbers in expressions."
    )
    metrics: Metrics = Field({}, description="Named numbers of the whole run.")
    oracle: Oracle = Field({}, description="What quantities should be, as expressions of t, to compare the run with.")
    sweep: Parsed[SweepSettings | None, SweepSettings] = Field(
        None, description="The plan of a sweep: which numbers of the scene take which values."
    )
    fit: Parsed[FitSettings | None, FitSettings] = Field(
        None, description="Measured data, and the numbers of the scene that are estimated from them."
    )
    optimise: Parsed[OptimiseSettings | None, OptimiseSettings] = Field(
        None, description="Numbers that vary, what is to be smallest or largest, and conditions."
    )

    if TYPE_CHECKING:  # what `Scene` adds

        @property
        def hierarchy(self) -> Any: ...

        @property
        def scope(self) -> Any: ...

        def resolved(self) -> dict[str, Any]: ...

    def walk(self) -> Iterator[tuple[str, Body, str | None]]:
        """Every body as (path, body, parent's path), parents first and in the order of the file."""
        waiting: list[tuple[str, Body, str | None]]
        waiting = [(name, body, None) for name, body in reversed(self.bodies.items())]
        while waiting:
            path, body, parent = waiting.pop()
            yield path, body, parent
            yield from ((f"{path}/{name}", mount, path) for name, mount in body.mounts())
            waiting.extend((f"{path}/{name}", child, path) for name, child in reversed(body.children.items()))

    def __repr__(self) -> str:
        kinds = Counter(body.kind for _, body, _ in self.walk())
        bodies = f"{kinds.total()} {'body' if kinds.total() == 1 else 'bodies'}"
        each = ", ".join(f"{kinds[kind]} {kind}" for kind in ("free", "jointed", "fixed", "prescribed") if kinds[kind])
        times = f"{self.simulation.duration:g} s {self.simulation.pace}"
        return f"<Scene{self.title and f' {self.title!r}'}: {bodies} ({each}), {times}>"

    __str__ = __repr__
