"""A validated scene as plain data in SI units, with every default written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigidsim.scene.base import Model
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema import Body, Force

FRAMED = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")


def resolved_scene(scene: Scene) -> dict[str, Any]:
    """The scene in the form of a scene file."""
    simulation = scene.simulation
    return {
        "format": scene.format,
        "title": scene.title,
        "description": scene.description,
        "simulation": {
            "duration": simulation.duration,
            "step": simulation.step,
            "integrator": simulation.integrator.model_dump(),
            **_if_given(record_every=simulation.record_every),
        },
        "world": {
            "gravity": list(scene.world.gravity),
            **_if_given(plane=scene.world.plane and list(scene.world.plane)),
        },
        "bodies": {name: _body(body) for name, body in scene.bodies.items()},
    }


def _body(body: Body) -> dict[str, Any]:
    massive = body.mass is not None
    motion = {"prescribed": _framed(body.prescribed)} if body.prescribed else body.kind
    return {
        **({"mass": body.mass, "inertia": _inertia(body)} if massive else {}),
        **({"center_of_mass": list(body.center_of_mass)} if massive else {}),
        "position": list(body.position),
        "orientation": {"wxyz": list(body.orientation)},
        "scale": body.scale,
        "motion": motion,
        **({**_framed(body), "gravity": body.gravity} if body.kind == "free" else {}),
        "forces": [_force(force) for force in body.forces],
        "children": {name: _body(child) for name, child in body.children.items()},
    }


def _inertia(body: Body) -> Any:
    if body.inertia.is_point:
        return "point"
    return {"tensor": [list(row) for row in body.inertia.tensor], "about": body.inertia.about}


def _framed(owner: Model) -> dict[str, Any]:
    vectors = {key: getattr(owner, key) for key in FRAMED if key in type(owner).model_fields}
    return {key: {**vector.model_dump(), "value": list(vector.value)} for key, vector in vectors.items()}


def _force(force: Force) -> dict[str, Any]:
    return {
        "type": force.type,
        "force": list(force.force),
        "torque": list(force.torque),
        **_if_given(at=force.at and list(force.at)),
        "frame": force.frame,
        **_if_given(during=force.during and list(force.during)),
    }


def _if_given(**entries: Any) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if value is not None}
