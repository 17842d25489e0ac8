"""The effect of each load of a scene on a body at one sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigidsim.analysis.past import SampleModel
from rigidsim.containers.optional import not_none
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.engine.model import layout
from rigidsim.errors import NotRecordedError
from rigidsim.physics.inertia import apply, inverse, multiplied
from rigidsim.physics.quaternion import conjugate, rotate
from rigidsim.physics.vector import add, cross, scaled, sub
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.scene.schema.changes import KEYS
from rigidsim.trajectory.bodies import State
from rigidsim.trajectory.fields import ANGULAR_JOINT_TERM, JOINT_TERM
from rigidsim.trajectory.provenance import CALLBACKS
from rigidsim.trajectory.trajectory import Trajectory, sample_of
from rigidsim.tree.nodes import NO_TURN, WORLD, ZERO, Node, path_of

OF_WORLD = (("gravity of the world", "gravity"), ("mutual gravity", "mutual_gravity"))
"""Loads on all bodies: name, and key in `world`."""
TERMS = {
    "applied": layout.T_APPLIED,
    "gravity": layout.T_GRAVITY,
    "angular_applied": layout.T_ANGULAR_APPLIED,
}
"""The terms due to loads, and their numbers in a sample."""
JOINT_TERMS = tuple(field.name.removeprefix("terms/") for field in (JOINT_TERM, ANGULAR_JOINT_TERM))


@dataclass(frozen=True)
class SceneLoad:
    """One force of a scene, or its gravity: name and location in the scene."""

    name: str
    body: str  # the body it is defined on; empty for the world
    index: int  # in the `forces` of that body
    is_unwrapped: bool = False  # whether it depends on the winding angle, and so on earlier rotation

    @property
    def place(self) -> str:
        """`tank, forces[0]`, or `world`."""
        return f"{self.body}, forces[{self.index}]" if self.body else "world"

    def __str__(self) -> str:
        return f"{self.name} ({self.place})"


@dataclass(frozen=True)
class Share:
    """The contribution of one load to a body's acceleration: m/s2 and rad/s2 in the parent's axes."""

    load: SceneLoad
    terms: dict[str, np.ndarray]

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {"name": self.load.name, "body": self.load.body, "index": self.load.index, **self.terms}


@dataclass(frozen=True)
class LoopReaction:
    """What a loop exerts on its second end at one sample, world axes: a force, N, at its point, and a torque, N m; the
    opposite acts on the first. `place` is that in the scene, `world.loops[0]`.
    """

    place: str
    name: str
    type: str
    between: tuple[str, str]
    force: np.ndarray
    torque: np.ndarray

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {
            "place": self.place, "name": self.name, "type": self.type, "between": list(self.between),
            "force": self.force, "torque": self.torque,
        }  # fmt: skip

    def __str__(self) -> str:
        first, second = (f"'{end}'" if end != WORLD else "the world" for end in self.between)
        if self.type == "coupling":
            turns = self.torque.any()
            acts = f"{_vector(self.torque if turns else self.force)} {'N m' if turns else 'N'}, in world axes,"
            return (
                f"the loop {self.name} (coupling) exerts {acts} on {second} in its joint, and by its ratio on {first}"
            )
        turning = f" and {_vector(self.torque)} N m" if self.torque.any() else ""
        what = f"{_vector(self.force)} N{turning}, in world axes,"
        return f"the loop {self.name} ({self.type}) exerts {what} on {second} at its point, and the opposite on {first}"


def _vector(v: np.ndarray) -> str:
    return f"[{', '.join(f'{x:.6g}' for x in v)}]"


def loop_reactions(trajectory: Trajectory, sample: int) -> list[LoopReaction]:
    """The reactions of all loops of the scene, in its order, at a sample; those that were not recorded from its state.
    Raises NotRecordedError if the motion was not recorded either, or forces came from callbacks.
    """
    loops, names = trajectory.header.scene.world.loops, [f"loops/{one}" for one in ("force", "torque")]
    if all(name in trajectory.arrays for name in names):
        pulls = [np.asarray(trajectory.arrays[name][sample]) for name in names]
    elif CALLBACKS in trajectory.header.provenance:
        raise NotRecordedError("the forces of callbacks are not recorded, so the reactions of loops are unknown")
    elif loops:
        past = SampleModel(trajectory, sample)
        loads = past.under(past.scene)
        loads.evaluate(past.time, past.state())
        joints = loads.sample.joints
        assert joints is not None
        pulls = [joints.loop_force[0], joints.loop_torque[0]]
    return [
        LoopReaction(f"world.loops[{k}]", name, loop.type, loop.between, pulls[0][k], pulls[1][k])
        for k, (name, loop) in enumerate(zip(loop_names(loops), loops, strict=True))
    ]


@dataclass(frozen=True)
class JointReaction:
    """What the joint of a body exerts on another body, or on its own, at one sample, in the axes of that one's parent:
    `force`, N, and `torque` about its centre of mass, N m; `terms` are its parts of the terms of joints, m/s2 and
    rad/s2.
    """

    body: str  # that hangs by the joint
    type: str
    is_own: bool
    force: np.ndarray
    torque: np.ndarray
    terms: dict[str, np.ndarray]

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {"body": self.body, "type": self.type, "force": self.force, "torque": self.torque, **self.terms}

    def __str__(self) -> str:
        return f"its own {self.type} joint" if self.is_own else f"{self.type} joint of {self.body}"

    @property
    def sentence(self) -> str:
        """The reaction of the joint of another body on it."""
        force, torque = (f"{np.linalg.norm(v):.6g}" for v in (self.force, self.torque))
        how = f"a {self.type} joint connects {self.body} to it and exerts {force} N"
        return f"{how}, and {torque} N m about its centre of mass"


def joint_reactions(trajectory: Trajectory, sample: int, body: str) -> list[JointReaction]:
    """What the joints of a moved body exert on it with all that is fixed to it, at a sample: its own, and those by
    which others hang on it; their sum is its recorded term of joints. Raises NotRecordedError.
    """
    if not trajectory.header.joints:
        return []
    past, state = SampleModel(trajectory, sample), sample_of(trajectory, sample)
    tree, node = past.tree, past.tree[body]
    lump, q_PB = tree.lump(node), tuple(state[body].local.orientation)
    if node.joint is not None and node.joint.is_tank:
        ((mass, _),) = past.coordinates(node)
        if not mass > 0.0:
            return []
        lump = lump._replace(mass=mass, inertia=multiplied(mass / lump.mass, lump.inertia))
    resists = None if lump.is_point else inverse(lump.inertia)
    found = []
    for held in [*[node] * (node.kind == "jointed"), *tree.jointed_to(node)]:
        joint, above = state[held.path].joint, tree.parent(held)
        q_BQ = conjugate(q_PB) if held is node else _turn_in(state, path_of(above), body)
        sign = 1.0 if held is node else -1.0
        f, t = (scaled(sign, rotate(q_BQ, tuple(v))) for v in (joint.force, joint.torque))
        t = add(t, cross(sub(_joint_place(state, held, node), lump.center), f))
        alpha = ZERO if resists is None else apply(resists, t)
        vectors = (np.array(rotate(q_PB, v)) for v in (f, t, scaled(1.0 / lump.mass, f), alpha))
        force, torque, *terms = vectors
        by_name = dict(zip(JOINT_TERMS, terms, strict=True))
        found.append(JointReaction(held.path, joint.type, held is node, force, torque, by_name))
    return found


def _turn_in(state: State, path: str, body: str) -> tuple:
    """The orientation of a body relative to another one, which may be itself."""
    return NO_TURN if path == body else tuple(state[path].seen_from(body).orientation)


def _joint_place(state: State, held: Node, body: Node) -> tuple:
    """The point about which the torque of the joint of a body is recorded, that of the joint on the body, m, in the
    axes of a body that is it or that carries it.
    """
    point = scaled(held.metres, not_none(held.joint).at)
    if held is body:
        return point
    seen = state[held.path].seen_from(body.path)
    return add(scaled(body.metres, tuple(seen.position)), rotate(tuple(seen.orientation), point))


class LoadsAtSample:
    """The loads of a scene, each evaluated alone at one sample."""

    def __init__(self, past: SampleModel):
        self.past = past
        self._data = past.scene.resolved()
        for key in ("reparent", *KEYS):
            self._data.pop(key, None)
        self._bodies = dict(_bodies(self._data["bodies"]))
        self._forces = {path: body["forces"] for path, body in self._bodies.items() if body["forces"]}
        self._world = self._data["world"]
        self._data["world"] = {key: value for key, value in self._world.items() if key == "plane"}
        for body in self._bodies.values():
            body.pop("impulses", None)
            body["forces"] = []

    def on(self, body: str) -> Iterator[SceneLoad]:
        """The loads that can act on a moved body: of the world, on its parts, and springs attached to it."""
        yield from (SceneLoad(name, "", index) for index, (name, key) in enumerate(OF_WORLD) if key in self._world)
        for path, forces in self._forces.items():
            for index, force in enumerate(forces):
                ends = [self.past.moved_base(end) for end in (path, force.get("to", "world"))]
                if body in ends:
                    kind, other = BY_NAME[force["type"]], force.get("to") if body == ends[0] else path
                    yield SceneLoad(kind.called(force, other), path, index, kind.table.follow is not None)

    def shares(self, body: str) -> list[Share]:
        """The contribution of each load on a body that forces move."""
        state, row = self.past.state(), self.past.tree[body].index
        found = []
        for load in self.on(body):
            terms = self.past.under(self.alone(load)).terms(self.past.time, state)
            parts = {name: terms[number, row] for name, number in TERMS.items()}
            if any(part.any() for part in parts.values()):
                found.append(Share(load, parts))
        return found

    def alone(self, load: SceneLoad | None) -> Scene:
        """The scene with this load only, or without any; joints keep their springs and motors."""
        forces = self._bodies[load.body]["forces"] if load and load.body else []
        world = self._data["world"]
        if load and load.body:
            forces.append(self._sourced(self._forces[load.body][load.index]))
        elif load:
            key = OF_WORLD[load.index][1]
            world[key] = self._world[key]
        try:
            return Scene.from_dict(self._data)
        finally:
            forces.clear()
            for _, key in OF_WORLD:
                world.pop(key, None)

    def _sourced(self, force: dict[str, Any]) -> dict[str, Any]:
        """The force with the source of a gravity gradient filled in from the world."""
        if not BY_NAME[force["type"]].takes_world or "center" in force:
            return force
        return {**force, **{key: self._world["gravity"][key] for key in ("center", "gm")}}


def _bodies(bodies: dict[str, Any], above: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, body in bodies.items():
        yield above + name, body
        yield from _bodies(body["children"], f"{above}{name}/")
