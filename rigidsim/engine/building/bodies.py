"""The bodies of a scene as nodes of a tree."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.building.driven import initial_pose
from rigidsim.physics.mass import Lump
from rigidsim.physics.quaternion import product, rotate_back
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.mass import fixed_parts, own_mass
from rigidsim.scene.schema.body import Body


class InitialBody(NamedTuple):
    """A body of the scene with its pose at t = 0."""

    path: str
    index: int
    kind: str
    spec: Body
    position: tuple
    orientation: tuple


def written_bodies(scene: Scene) -> list[InitialBody]:
    """All bodies, in the order of the file."""
    return [
        InitialBody(path, index, body.kind, body, *initial_pose(body))
        for index, (path, body, _) in enumerate(scene.walk())
    ]


def tree_of(scene: Scene) -> Tree:
    """The tree at t = 0."""
    nodes: dict[str, Node] = {}
    turns: dict[str, tuple] = {}  # of each body in the world
    lumps: dict[str, Lump] = {}
    for body in written_bodies(scene):
        spec, above = body.spec, nodes.get(body.path.rpartition("/")[0])
        parent_metres = above.metres if above else 1.0
        metres = spec.scale * parent_metres
        turns[body.path] = product(turns[above.path], body.orientation) if above else body.orientation
        lumps |= lumps_of(body, metres)
        lump = lumps.get(body.path) or (own_mass(spec, metres) if spec.has_mass else None)
        nodes[body.path] = Node(
            path=body.path,
            index=body.index,
            parent=above.frame if above else 0,
            kind=body.kind,
            position=body.position,
            orientation=body.orientation,
            scale=spec.scale,
            parent_metres=parent_metres,
            metres=metres,
            mass=lump,
            center=lump.center if lump else spec.center_of_mass,
            falls=spec.gravity,
            inherits=spec.inherit_impulses,
            normal=rotate_back(turns[body.path], scene.world.normal) if scene.world.normal else (),
        )
    return Tree.of(list(nodes.values()))


def lumps_of(body: InitialBody, metres: float) -> dict[str, Lump]:
    """The mass of a free body and of each part that is fixed to it, by path; empty for another kind of body."""
    if body.kind != "free":
        return {}
    return {
        "/".join((body.path, *names)): own_mass(part, metres * at.scale)
        for names, part, at in fixed_parts(body.spec)
        if part.has_mass
    }
