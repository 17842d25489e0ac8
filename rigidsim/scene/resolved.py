"""A validated scene as plain data in SI units, with every default written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rigidsim.engine.laws.declaration import ORIENTATION
from rigidsim.scene.prepare.overrides import address
from rigidsim.scene.schema.changes import CHANGES, STATES
from rigidsim.scene.values.base import SceneModel
from rigidsim.scene.values.evaluation import written

if TYPE_CHECKING:
    from rigidsim.scene.schema.body import Body
    from rigidsim.scene.schema.forces import Declared
    from rigidsim.scene.schema.oracle import Reference
    from rigidsim.scene.schema.prescription import PrescribedMotion
    from rigidsim.scene.schema.scene import SceneData

FRAMED = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")


def resolved_scene(scene: SceneData) -> dict[str, Any]:
    """The scene in the form of a scene file."""
    simulation = scene.simulation
    return {
        "format": scene.format,
        "title": scene.title,
        "description": scene.description,
        **({"parameters": _parameters(scene)} if scene.parameters else {}),
        **({"tables": {name: table.written() for name, table in scene.tables.items()}} if scene.tables else {}),
        **_let(scene),
        "simulation": {
            "duration": simulation.duration,
            "step": simulation.step,
            "integrator": simulation.integrator.written(),
            **_if_given(
                record_every=simulation.record_every,
                start=simulation.start and simulation.start.written(),
                stop=_plain_value(simulation.stop),
                record=_plain_value(simulation.record),
                seed=simulation.seed if "seed" in simulation.model_fields_set else None,
            ),
            "contact": _plain(simulation.contact),
        },
        "world": {
            "gravity": _plain_value(scene.world.gravity),
            **_if_given(mutual_gravity=_plain_value(scene.world.mutual_gravity), plane=_plain_value(scene.world.plane)),
            **({"loops": [_plain(loop) for loop in scene.world.loops]} if scene.world.loops else {}),
            **({"contacts": [_plain(pair) for pair in scene.world.contacts]} if scene.world.contacts else {}),
        },
        "bodies": {name: _body(body) for name, body in scene.bodies.items()},
        **_by_type("controllers", scene.controllers),
        **({"metrics": {name: str(one) for name, one in scene.metrics.items()}} if scene.metrics else {}),
        **({"oracle": {name: _reference(one) for name, one in scene.oracle.items()}} if scene.oracle else {}),
        **({"reparent": [_plain(event) for event in scene.reparent]} if scene.reparent else {}),
        **_changes(scene),
        **_if_given(sweep=scene.sweep and scene.sweep.written(), fit=scene.fit and scene.fit.written()),
        **_if_given(optimise=scene.optimise and scene.optimise.written()),
    }


def _changes(scene: SceneData) -> dict[str, Any]:
    # Values derived from what is set are part of everything else, so they are set in its place.
    changing = getattr(scene, "changing", None)
    places = [setting.place for setting in changing.settings] if changing else ()
    leaves = changing.leaves if changing else ()
    found = {place: {address(path): x for path, x in own.items()} for place, own in zip(places, leaves, strict=False)}

    def with_set(place: tuple, entries: dict[str, Any]) -> dict[str, Any]:
        return {**entries, **({"set": dict(found.get(place, entries["set"]))} if entries["set"] else {})}

    changes = [with_set((CHANGES, k, "set"), _plain(change)) for k, change in enumerate(scene.changes)]
    states = {
        machine: {
            name: with_set((STATES, machine, name, "set"), {"set": state.set, "to": {
                other: _plain(passage) for other, passage in state.to.items()}})
            for name, state in machines.items()
        }
        for machine, machines in scene.states.items()
    }  # fmt: skip
    return {**({CHANGES: changes} if changes else {}), **({STATES: states} if states else {})}


def _parameters(scene: SceneData) -> dict[str, Any]:
    # Their values are already part of every expression; they are kept to be read back.
    given = {name: parameter.model_dump() for name, parameter in scene.parameters.items()}
    return {name: {key: value for key, value in entry.items() if value != ""} for name, entry in given.items()}


def _let(owner: SceneData | Body) -> dict[str, Any]:
    return {"let": {name: str(quantity) for name, quantity in owner.let.items()}} if owner.let else {}


def _by_type(key: str, given: Mapping[str, SceneModel]) -> dict[str, Any]:
    """Sensors or controllers, if there are any."""
    return {key: {name: _typed(one, ["orientation"]) for name, one in given.items()}} if given else {}


def _reference(reference: Reference) -> dict[str, Any]:
    values = [None if part is None else written(part) for part in reference.components]
    value = values if isinstance(reference.value, tuple) else values[0]
    return {"value": value, **_if_given(until=reference.until, tolerance=reference.tolerance)}


def _body(body: Body) -> dict[str, Any]:
    # Values derived from the shapes are omitted, so that they are derived from them again.
    centred = body.has_mass and (not body.solids or "center_of_mass" in body.model_fields_set)
    motion: str | dict[str, Any] = body.kind
    rates: tuple[str, ...] = FRAMED if body.kind == "free" else ()
    if body.prescribed:
        motion = {"prescribed": _prescribed(body.prescribed)}
    elif body.joint:
        type, joint = body.joint
        motion, rates = {type: _plain(joint)}, ("angular_velocity",) if type == "ball" else ()
    placed = body.prescribed is None or body.prescribed.position is None
    return {
        **_if_given(mass=body.mass, density=body.density, inertia=body.inertia and _inertia(body)),
        **({"center_of_mass": list(body.center_of_mass)} if centred else {}),
        **({"position": list(body.position)} if placed else {}),
        "orientation": {"wxyz": list(body.orientation)},
        "scale": body.scale,
        "motion": motion,
        **{key: value for key, value in _framed(body).items() if key in rates},
        **({"gravity": body.gravity} if body.kind in ("free", "jointed") else {}),
        "forces": [_typed(force, _turns(force)) for force in body.forces],
        **({"impulses": [_plain(impulse) for impulse in body.impulses]} if body.impulses else {}),
        **({"inherit_impulses": True} if body.inherit_impulses else {}),
        **({"shapes": [_typed(shape, ["orientation"]) for shape in body.shapes]} if body.shapes else {}),
        **_if_given(material=_plain_value(body.material), collide=_plain_value(body.collide)),
        **_let(body),
        **_by_type("sensors", body.sensors),
        "children": {name: _body(child) for name, child in body.children.items()},
    }


def _inertia(body: Body) -> Any:
    assert body.inertia is not None
    if body.inertia.is_point:
        return "point"
    return {"tensor": [list(row) for row in body.inertia.tensor], "about": body.inertia.about}


def _framed(owner: SceneModel) -> dict[str, Any]:
    vectors = {key: getattr(owner, key) for key in FRAMED if key in type(owner).model_fields}
    return {key: {**vector.model_dump(), "value": _plain_value(vector.value)} for key, vector in vectors.items()}


def _prescribed(motion: PrescribedMotion) -> dict[str, Any]:
    # The derivatives of values given by expressions are omitted.
    shown_keys = set(FRAMED)
    for pose, rate, change in (("position", *FRAMED[:2]), ("orientation", *FRAMED[2:])):
        shown_keys -= {rate, change} if getattr(motion, pose) is not None else set()
        shown_keys -= {change} if getattr(motion, rate).varies else set()
    rates = {key: value for key, value in _framed(motion).items() if key in shown_keys}
    given = _if_given(position=_plain_value(motion.position), orientation=_plain_value(motion.orientation))
    return {**rates, **given}


def _turns(force: Declared) -> list[str]:
    return [key.name for key in force.kind.keys if key.form == ORIENTATION]


def _typed(part: Any, turns: list[str]) -> dict[str, Any]:
    """A force or a shape; `turns` are its keys for orientations."""
    entries = {"type": part.type, **_plain(part)}
    return entries | {key: {"wxyz": entries[key]} for key in turns if key in entries}


def _plain(model: SceneModel) -> dict[str, Any]:
    entries = _if_given(**{key: getattr(model, key) for key in type(model).model_fields})
    return {key: _plain_value(value) for key, value in entries.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, SceneModel):
        return _plain(value)
    if isinstance(value, tuple):
        return [_plain_value(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain_value(part) for key, part in value.items()}
    return written(value)


def _if_given(**entries: Any) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if value is not None}
