"""What an accelerometer at the origin of a body feels: f = R_WB^T (a_WB - g(x)), from the equations of motion at each
sample, for bodies that are moved by forces, their parts, and what is prescribed on them.

The inertial terms are in a_WB, the acceleration of the origin in the world; g(x) is gravity at the origin, zero with
`gravity: false`. With contact a_WB has the mean acceleration of the last step by contact, without impacts.
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine.laws.declaration import unit
from rigidsim.engine.layout import FRAME, WRENCH
from rigidsim.engine.stepper import accelerate_all, observe_at
from rigidsim.errors import NotRecordedError
from rigidsim.hindsight.past import ONE_LANE, LoadsInEra, SampleModel
from rigidsim.physics.forces import attraction, oblateness
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, sub
from rigidsim.quantities.vocabulary import BODY, Columns
from rigidsim.scene import Scene
from rigidsim.scene.schema.body import Body
from rigidsim.trajectory.motion import columns
from rigidsim.trajectory.samples import Source
from rigidsim.tree.nodes import Node

NONE, NO_TURN = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


class SceneSource(Source):
    """Some samples of a trajectory, and what follows from its scene at each of them."""

    def felt_acceleration(self, body: str, frame: str) -> Columns:
        """What an accelerometer feels at the origin of a body, m/s^2, in its own axes or those of the world."""
        wanted = range(len(self.whole.time))[self.samples]
        rows = [_felt(self.whole, sample, body) for sample in wanted]
        found = columns(np.array(rows, dtype=np.float64).reshape(len(rows), 3))
        return found if frame == BODY else rotate(columns(self.part[body].world.orientation), found)


def _felt(trajectory, sample: int, body: str) -> tuple:
    past = SampleModel(trajectory, sample)
    loads = past.under(past.scene)
    frames = _accelerated(loads, past, _contact(trajectory, past, sample))
    node = past.tree[body]
    own = FRAME(frames[node.frame])
    q_WB, a_WB, p_WB = (tuple(float(x) for x in part) for part in (own.q, own.a, own.p))
    return rotate_back(q_WB, sub(a_WB, gravity_at(past, body, p_WB)))


def _accelerated(loads: LoadsInEra, past: SampleModel, contact: dict[str, tuple]) -> np.ndarray:
    """The frames of all nodes, that of the world first, with forces and torques (world axes, about the centres of mass)
    of contact on some free bodies.
    """
    model, scratch = loads.model, loads.scratch
    state = np.concatenate([past.state(), *(row[np.newaxis] for row in loads.windings)])
    observe_at(0, past.time / model.step, loads.era, model, state, scratch, loads.sample, 0, ONE_LANE)
    for path, (f_W, tau_W) in contact.items():
        wrench = WRENCH(scratch.wrench[past.free.index(path)], 0, 1)
        wrench.f, wrench.tau = add(wrench.f, f_W), add(wrench.tau, tau_W)
    accelerate_all(model, state, scratch, ONE_LANE)
    return scratch.frame


def _contact(trajectory, past: SampleModel, sample: int) -> dict[str, tuple]:
    """Force and torque of contact on each free body in the last step."""
    header = trajectory.header
    if not header.shapes:
        return {}
    if not header.with_contacts:
        raise NotRecordedError("felt_acceleration needs the forces of contact; run with --contacts")
    points, found = trajectory.contacts[sample], {}
    bodies = header.bodies_of_shapes(header.tree_at(past.time))
    for first, second, point, force in zip(points.first, points.second, points.point, points.force, strict=True):
        for shape, sign in ((second, 1.0), (first, -1.0)):
            if bodies[shape] in past.free:
                f_W = tuple(sign * float(x) for x in force)
                arm = sub(tuple(map(float, point)), _center(past, bodies[shape]))
                f, tau = found.get(bodies[shape], (NONE, NONE))
                found[bodies[shape]] = add(f, f_W), add(tau, cross(arm, f_W))
    return found


def _center(past: SampleModel, body: str) -> tuple:
    """The centre of mass of a free body in the world, m."""
    node = past.tree[body]
    p, q = (tuple(getattr(past.world, name)[node.index].tolist()) for name in ("position", "orientation"))
    return add(p, rotate(q, past.tree.lump(node).center))


def bodies_of(scene: Scene) -> dict[str, Body]:
    """The bodies of a scene by their paths."""
    return {path: body for path, body, _ in scene.walk()}


def gravity_at(past: SampleModel, body: str, p_W: tuple) -> tuple:
    """The acceleration of gravity at a point of the world (m) that moves with a body, m/s^2: of the world, its source,
    and the bodies that attract each other; zero if the body that moves it has `gravity: false`.
    """
    world, tree = past.scene.world, past.tree
    moving = tree.free_ancestor(tree[body])
    if moving is not None and not bodies_of(past.scene)[moving.path].gravity:
        return NONE
    g = tuple(map(float, world.uniform_gravity))
    if world.source is not None:
        g = add(g, _of_source(past, world.source, moving, p_W))
    if world.mutual_gravity is not None:
        g = add(g, _of_bodies(past, world.mutual_gravity, moving, p_W))
    return g


def _of_source(past: SampleModel, source, moving: Node | None, p_W: tuple) -> tuple:
    """The acceleration by the world's source; zero if that is a part of the same body."""
    center, q, tree = source.center, NO_TURN, past.tree
    if isinstance(center, str):
        node = tree[center]
        if moving is not None and tree.free_ancestor(node) is moving:
            return NONE
        q = tuple(past.world.orientation[node.index].tolist())
        center = _center(past, center) if node.is_free() else tuple(past.world.position[node.index].tolist())
    s = sub(p_W, tuple(map(float, center)))
    round_part = attraction(source.gm, source.softening * source.softening, s)
    if not source.j2:
        return round_part
    return add(round_part, oblateness(source.gm, source.j2 * source.radius**2, rotate(q, unit(source.axis)), s))


def _of_bodies(past: SampleModel, mutual, moving: Node | None, p_W: tuple) -> tuple:
    """The acceleration by the bodies that attract each other, but for the one that moves the point."""
    found = NONE
    for path in mutual.bodies or past.free:
        node = past.tree[path]
        if node.is_free() and node is not moving:
            gm = mutual.constant * past.tree.composite(node).mass.mass
            found = add(found, attraction(gm, mutual.softening * mutual.softening, sub(p_W, _center(past, path))))
    return found
