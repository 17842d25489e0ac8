"""What happens at the instants of a run, told from the samples before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.reparent import jumping
from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.lanes import one_lane
from rigidsim.engine.model import Samples
from rigidsim.engine.run import Happened
from rigidsim.physics.impulses import impulse_moment
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import scaled
from rigidsim.trajectory.events import Carried, Event, Protected

NONE = (0.0, 0.0, 0.0)


def told(happened: Happened, lane: int) -> Iterator[Event]:
    """The events of an instant in the world of one lane, in order."""
    pair = one_lane(happened.samples, lane, len(happened.after))
    story = Story(happened, pair, happened.before[lane], happened.after[lane])
    return story.reparenting() if happened.event else story.impulses()


def first_free(tree: Tree, node: Node) -> Iterator[Node]:
    """The first free descendants of a node, through fixed and prescribed ones; through those that inherit, too."""
    for child in tree.children(node):
        if child.is_free():
            yield child
        if not child.is_free() or child.inherits:
            yield from first_free(tree, child)


class Story:
    """One instant of one world: the samples before and after, and the trees."""

    def __init__(self, happened: Happened, pair: Samples, before: World, after: World):
        self._happened, self._pair, self._before, self._after = happened, pair, before, after

    def impulses(self) -> Iterator[Event]:
        """One event for each impulse."""
        model, tree = self._after.model, self._after.tree
        law = model.impulses
        for k, number in enumerate(model.impulse_number):
            if law.who[k, layout.LAW_BEGIN] != self._happened.era:
                continue
            impulse = self._after.blueprint.impulses[number]
            path = tree.nodes[impulse.frame - 1].path
            receiver = tree.nodes[model.free_node[law.who[k, layout.LAW_SECOND]]]
            q_WA = self._orientation(law.who[k, layout.LAW_PAIR])
            q_WB = self._orientation(receiver.frame)
            row = tuple(map(float, law.value[k]))
            J = rotate(q_WA, row[layout.J_P : layout.J_P + 3])
            lever = rotate(q_WB, row[layout.J_LEVER : layout.J_LEVER + 3])
            K = impulse_moment(lever, J, rotate(q_WA, row[layout.J_L : layout.J_L + 3]))
            named = {"id": f"{path}.impulses[{impulse.index}]", "name": impulse.name, "cause": "impulse", "motion": ""}
            yield self._event(named, impulse.frame - 1, receiver, first_free(tree, receiver), J, K)

    def reparenting(self) -> Iterator[Event]:
        """One event, which protects or carries what hangs on the frames that jump."""
        event, tree = self._happened.event, self._after.tree
        node = tree.nodes[event.body]
        root = jumping(self._before.tree, tree, event)
        below = first_free(tree, root) if root else ()
        named = {"id": f"reparent[{event.number}]", "name": "", "cause": "reparent", "motion": event.motion}
        yield self._event(named, event.body, tree.carrier(node) or node, below, NONE, NONE)

    def _event(self, named: dict[str, str], body: int, receiver: Node, below: Iterable[Node], J, K) -> Event:
        i = receiver.index
        parents = [world.tree.parent(world.tree.nodes[body]) for world in (self._before, self._after)]
        ledger, below = self._pair.ledger, list(below)
        energy = ledger[:, layout.E_KINETIC] + ledger[:, layout.E_POTENTIAL]
        return Event(
            **named,
            time=self._happened.time,
            body=self._after.tree.nodes[body].path,
            receiver=receiver.path,
            parent_before=parents[0].path if parents[0] else "",
            parent_after=parents[1].path if parents[1] else "",
            impulse=_floats(J),
            angular_impulse=_floats(K),
            velocity_before=_floats(self._pair.world[0, i, layout.O_V : layout.O_V + 3]),
            velocity_after=_floats(self._pair.world[1, i, layout.O_V : layout.O_V + 3]),
            angular_velocity_before=_floats(self._pair.world[0, i, layout.O_OMEGA : layout.O_OMEGA + 3]),
            angular_velocity_after=_floats(self._pair.world[1, i, layout.O_OMEGA : layout.O_OMEGA + 3]),
            energy=float(energy[1] - energy[0]),
            protected=tuple(self._protected(node) for node in below if not node.inherits),
            carried=tuple(self._carried(node) for node in below if node.inherits),
        )

    def _protected(self, node: Node) -> Protected:
        local, terms = self._pair.local[:, node.index], self._pair.terms[:, node.index]
        return Protected(
            body=node.path,
            velocity=_change(local, layout.O_V),
            angular_velocity=_change(local, layout.O_OMEGA),
            acceleration=_change(terms, layout.T_ACCELERATION),
            angular_acceleration=_change(terms, layout.T_ANGULAR),
        )

    def _carried(self, node: Node) -> Carried:
        world, q_WB = self._pair.world[:, node.index], self._orientation(node.frame)
        constants = _floats(self._after.model.body[self._after.model.node[node.index, layout.NODE_ROW]])
        mass, inertia, com = constants[layout.B_MASS], constants[layout.B_INERTIA :][:6], constants[layout.B_COM :][:3]
        dv, domega = _change(world, layout.O_V), _change(world, layout.O_OMEGA)
        return Carried(
            body=node.path,
            velocity=dv,
            angular_velocity=domega,
            impulse=scaled(mass, point_velocity(dv, domega, rotate(q_WB, com))),
            angular_impulse=rotate(q_WB, apply(inertia, rotate_back(q_WB, domega))),
        )

    def _orientation(self, frame: int) -> tuple:
        """Of a frame in the world, before."""
        if frame == 0:
            return (1.0, 0.0, 0.0, 0.0)
        return _floats(self._pair.world[0, frame - 1, layout.O_Q : layout.O_Q + 4])


def _change(rows: np.ndarray, first: int) -> tuple:
    """Of a vector, from before to after."""
    return _floats(rows[1, first : first + 3] - rows[0, first : first + 3])


def _floats(values) -> tuple:
    return tuple(map(float, values))
