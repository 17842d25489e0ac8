"""What an accelerometer at the origin of a body feels: f = R_WB^T (a_WB - g(x)), from the equations of motion at each
sample, for bodies that are moved by forces, their parts, and what is prescribed on them.

The inertial terms are in a_WB, the acceleration of the origin in the world; g(x) is all gravity at the origin that acts
on the body: of the world, if it does not have `gravity: false`, of its own forces `gravity` and `point_gravity`, and of
the bodies with which it attracts each other. With contact a_WB has the mean acceleration of the last step by contact,
without impacts. In a planar scene the plane is felt, too.
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine.assembly.loads import members_of
from rigidsim.engine.assembly.site import Site
from rigidsim.engine.contact.columns import MATERIAL
from rigidsim.engine.laws.declaration import unit
from rigidsim.engine.laws.wrench import confine
from rigidsim.engine.layout import FRAME, WRENCH
from rigidsim.engine.stepper import accelerate_all
from rigidsim.errors import NotRecordedError
from rigidsim.hindsight.past import ONE_LANE, SampleModel
from rigidsim.physics.forces import attraction, oblateness
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, scaled, sub
from rigidsim.quantities.vocabulary import BODY, Columns
from rigidsim.trajectory.motion import columns
from rigidsim.trajectory.provenance import CALLBACKS
from rigidsim.trajectory.samples import Source
from rigidsim.tree.nodes import Node

NONE = (0.0, 0.0, 0.0)


class SceneSource(Source):
    """Some samples of a trajectory, and what follows from its scene at each of them."""

    def felt_acceleration(self, body: str, frame: str) -> Columns:
        """What an accelerometer feels at the origin of a body, m/s^2, in its own axes or those of the world."""
        if CALLBACKS in self.whole.header.provenance:
            raise NotRecordedError("felt_acceleration needs all forces, and a callback's are not in the scene")
        wanted = range(len(self.whole.time))[self.samples]
        rows = [_felt(self.whole, sample, body) for sample in wanted]
        found = columns(np.array(rows, dtype=np.float64).reshape(len(rows), 3))
        return found if frame == BODY else rotate(columns(self.part[body].world.orientation), found)


def _felt(trajectory, sample: int, body: str) -> tuple:
    past = SampleModel(trajectory, sample)
    frames = _accelerated(past, _contact(trajectory, past, sample))
    node = past.tree[body]
    own = FRAME(frames[node.frame])
    q_WB, a_WB, p_WB = (tuple(float(x) for x in part) for part in (own.q, own.a, own.p))
    return rotate_back(q_WB, sub(a_WB, gravity_at(past, node, p_WB)))


def _accelerated(past: SampleModel, contact: dict[str, tuple]) -> np.ndarray:
    """The frames of all nodes, that of the world first, with forces and torques (world axes, about the centres of mass)
    of contact on some free bodies.
    """
    loads = past.under(past.scene)
    state = loads.evaluate(past.time, past.state())
    for path, (f_W, tau_W) in contact.items():
        wrench = WRENCH(loads.scratch.wrench[past.free.index(path)])
        wrench.f, wrench.tau = add(wrench.f, f_W), add(wrench.tau, tau_W)
        for normal in loads.model.normal:
            confine(normal, wrench.rows, ONE_LANE)
    accelerate_all(loads.model, state, loads.scratch, ONE_LANE)
    return loads.scratch.frame


def _contact(trajectory, past: SampleModel, sample: int) -> dict[str, tuple]:
    """Force and torque of contact on each free body in the last step: from the terms if there are any."""
    header = trajectory.header
    if not header.shapes:
        return {}
    if "terms/contact" in trajectory.arrays and header.recorded_rows("terms/contact") is None:
        return _contact_of_terms(trajectory, past, sample)
    if not header.with_contacts:
        raise NotRecordedError("felt_acceleration needs the forces of contact; run with --contacts")
    if past.blueprint.contacts.value[:, MATERIAL.rolling].any():
        raise NotRecordedError("felt_acceleration needs the moments of rolling friction; run with --terms")
    points, found = trajectory.contacts[sample], {}
    bodies = header.bodies_of_shapes(header.tree_at(past.time))
    for first, second, point, force in zip(points.first, points.second, points.point, points.force, strict=True):
        for shape, sign in ((second, 1.0), (first, -1.0)):
            if bodies[shape] in past.free:
                f_W = tuple(sign * float(x) for x in force)
                center = Site(past.tree, past.tree[bodies[shape]].frame).carrier_center()
                arm = sub(tuple(map(float, point)), past.place(center))
                f, tau = found.get(bodies[shape], (NONE, NONE))
                found[bodies[shape]] = add(f, f_W), add(tau, cross(arm, f_W))
    return found


def _contact_of_terms(trajectory, past: SampleModel, sample: int) -> dict[str, tuple]:
    found = {}
    terms = [trajectory.arrays[name][sample] for name in ("terms/contact", "terms/angular_contact")]
    for path in past.free:
        node = past.tree[path]
        mass, _, inertia = past.tree.lump(node)
        a_WC, alpha_WB = (rotate(past.pose(node.parent)[1], tuple(map(float, term[node.index]))) for term in terms)
        found[path] = scaled(mass, a_WC), apply(rotated(past.pose(node.frame)[1], inertia), alpha_WB)
    return found


def gravity_at(past: SampleModel, node: Node, p_W: tuple) -> tuple:
    """The acceleration of gravity at a point of a node, given in the world (m), m/s^2: all gravity that acts on the
    free body that moves the node, or else that of the world.
    """
    moving = past.tree.free_ancestor(node)
    if moving is None:
        return _of_world(past, p_W)
    # Gravity acts at the centre of mass, so it is that on the same body with its centre of mass at the point.
    p_WM, q_WM = past.pose(moving.frame)
    there = past.balanced_at(moving, scaled(1.0 / moving.metres, rotate_back(q_WM, sub(p_W, p_WM))))
    loads = there.under(there.scene)
    loads.evaluate(there.time, there.state())
    return tuple(map(float, WRENCH(loads.scratch.wrench[there.tree.row(moving)]).g))


def _of_world(past: SampleModel, p_W: tuple) -> tuple:
    """The acceleration by the world: its uniform field, its source, and the bodies that attract each other."""
    blueprint, tree = past.blueprint, past.tree
    g, source, mutual = blueprint.gravity, blueprint.source, blueprint.mutual
    if source is not None:
        center = Site(tree, 0).source(source.center)
        s, q_WA = sub(p_W, past.place(center)), past.pose(center.frame)[1]
        g = add(g, attraction(source.gm, source.softening * source.softening, s))
        if source.j2:
            axis = rotate(q_WA, rotate(center.turn, unit(source.axis)))
            g = add(g, oblateness(source.gm, source.j2 * source.radius * source.radius, axis, s))
    for node in members_of(mutual, tree):
        s = sub(p_W, past.place(Site(tree, node.frame).carrier_center()))
        g = add(g, attraction(mutual.constant * tree.weight(node), mutual.softening * mutual.softening, s))
    return g
