"""Rates that the loops of a scene leave no choice, coordinates at which they are closed, and those of `start`.

Rates that are not given follow from those that are: the smallest ones, measured by the masses, with which the loops
stay closed. Coordinates change only where `start` asks for it: so that bodies are in given places. Those that would
close loops are a suggestion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.physics.loops import CLOSED
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.scene.hierarchy.loops import loop_closures
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.start import StartPlace
from rigidsim.scene.text.document import Path
from rigidsim.tree.joints import Coordinate, key_of

DEPENDENT = 1e-9  # of the largest singular value: what is smaller is none
CLOSE = 1e-12  # of the largest number of a place: a body is there
BESIDE = (0.0, 0.3, -0.3)  # rad: where the search begins, beside the angles that are given
PART = 1e-6  # of a radian or of a size, for differences
MOST, LEAST = 30, 1e-3  # steps of Gauss and Newton, and the part of one that has to bring the gaps nearer to zero


class Unknown(NamedTuple):
    """A coordinate of a joint whose rate, or which itself, is sought."""

    node: SceneNode
    number: int

    def key(self, word: str) -> Path:
        """Where the scene has it: `start`, or its `rate`."""
        return key_of(not_none(self.node.joint).type, word, self.number)

    @property
    def metres(self) -> float:
        """Metres, or radians, in the unit in which it is written."""
        return 1.0 if not_none(self.node.joint).coordinates[self.number].turns else float(self.node.parent_metres)

    @property
    def coordinate(self) -> Coordinate:
        """What the joint says of it."""
        return not_none(self.node.joint).coordinates[self.number]


def coordinates_in(hierarchy: Hierarchy) -> Iterator[Unknown]:
    """The coordinates between the ends of loops and the world."""
    yield from _coordinates_above(hierarchy, (path for loop in hierarchy.scene.world.loops for path in loop.between))


def _coordinates_above(hierarchy: Hierarchy, ends: Iterable[str]) -> Iterator[Unknown]:
    """The coordinates between bodies with these paths and the world."""
    above = {node.index: node for path in ends if path in hierarchy for node in hierarchy.lineage(hierarchy[path])}
    for node in (above[index] for index in sorted(above)):
        yield from (Unknown(node, number) for number in range(len(node.joint.coordinates) if node.joint else 0))


def unprescribed(hierarchy: Hierarchy, word: str) -> Iterator[tuple[Unknown, bool]]:
    """The coordinates of loops that no motor prescribes, and whether the scene says nothing of them: of `start`, or of
    `rate`.
    """
    for one in coordinates_in(hierarchy):
        if not one.coordinate.is_prescribed:
            _, given = not_none(one.node.body.joint)
            yield one, one.key(word)[0] not in given.model_fields_set


def opposed_motors(hierarchy: Hierarchy) -> list[Unknown]:
    """The coordinates of loops that motors prescribe or keep at a rate, and of which the loops relate the rates at
    t = 0 whatever all others do: the torques of these motors are not determined.
    """
    unknowns = [*coordinates_in(hierarchy)]
    is_held = np.array([one.coordinate.is_prescribed or one.coordinate.largest > 0.0 for one in unknowns], bool)
    if not is_held.any():
        return []
    J = _openings(hierarchy, unknowns)
    left, sizes, _ = np.linalg.svd(J[:, ~is_held])
    related = left[:, _rank(sizes) :].T @ J[:, is_held]
    held = [one for one, held in zip(unknowns, is_held, strict=True) if held]
    sizes = np.linalg.norm(related, axis=0)
    return [one for one, size in zip(held, sizes, strict=True) if size > DEPENDENT * np.linalg.norm(J)]


def _openings(hierarchy: Hierarchy, unknowns: Sequence[Unknown]) -> np.ndarray:
    """The rates at which loops open for a rate of one of each coordinate, its columns."""

    def at(rates: Sequence[float]) -> np.ndarray:
        moved = changed(hierarchy, unknowns, rates=rates)
        return np.array([x for one in loop_closures(moved, Starts(moved)) for x in one.rates()], float)

    at_rest = at([0.0] * len(unknowns))
    return np.stack([at(row) - at_rest for row in np.eye(len(unknowns)).tolist()], axis=1)


def found_rates(hierarchy: Hierarchy) -> dict[Path, list[float] | float]:
    """The rates that are not given, by their places, as a scene has them; none if all rates fit as they are, or none
    would. The tree is weighed.
    """
    starts = Starts(hierarchy)
    if not any(one.opens or one.turns_away for one in loop_closures(hierarchy, starts)):
        return {}
    unknowns = [one for one, is_free in unprescribed(hierarchy, "rate") if is_free]

    def at(rates: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        moved = changed(hierarchy, unknowns, rates=rates)
        found = Starts(moved)
        return np.array([x for one in loop_closures(moved, found) for x in one.rates()], float), momenta(moved, found)

    if not unknowns:
        return {}
    at_rest, each = at([0.0] * len(unknowns)), [at(row) for row in np.eye(len(unknowns)).tolist()]
    J, P = (np.stack([one[k] - at_rest[k] for one in each], axis=1) for k in range(2))
    rates, free = solved(J, -at_rest[0])
    if free.size:
        rates = rates - free @ np.linalg.lstsq(P @ free, P @ rates, rcond=DEPENDENT)[0]
    fitted = changed(hierarchy, unknowns, rates=rates)
    if any(one.opens or one.turns_away for one in loop_closures(fitted, Starts(fitted))):
        return {}
    return _written(unknowns, "rate", rates)


def _written(unknowns: Sequence[Unknown], word: str, values: np.ndarray) -> dict[Path, list[float] | float]:
    """Values of coordinates (`start`) or of their rates, by their places, as a scene has them. Of a joint of several
    the others are those that it has, and rates that it does not have are zero.
    """
    written: dict[Path, Any] = {}
    for unknown, value in zip(unknowns, (values / [one.metres for one in unknowns]).tolist(), strict=True):
        joint = not_none(unknown.node.joint)
        (key, *place), start = unknown.key(word), (*unknown.node.place, "motion", joint.type)
        if place:
            others = [Unknown(unknown.node, k) for k in range(len(joint.coordinates))]
            alike = [one for one in others if one.key(word)[0] == key]
            known = [float(one.coordinate.start) / one.metres if word == "start" else 0.0 for one in alike]
            written.setdefault((*start, key), known)[int(place[0])] = value
        else:
            written[(*start, key)] = value
    return written


def closing_coordinates(hierarchy: Hierarchy) -> list[tuple[Unknown, float]]:
    """The coordinates that would close all loops, each with its value as the scene has it, the most changed first: of
    those of which it says nothing, if that is possible, else of all; none if the search from the start finds none.
    """
    of_all = [*unprescribed(hierarchy, "start")]
    for unknowns in ([one for one, is_free in of_all if is_free], [one for one, _ in of_all]):
        given = np.array([float(not_none(one.node.joint).coordinates[one.number].start) for one in unknowns])
        if len(unknowns) and (found := _newton(hierarchy, unknowns, given)) is not None:
            units, change = np.array([one.metres for one in unknowns]), np.abs(found - given)
            order = [k for k in np.argsort(-change).tolist() if change[k] > CLOSED]
            return [(unknowns[k], float(found[k] / units[k])) for k in order]
    return []


def _newton(hierarchy: Hierarchy, unknowns: Sequence[Unknown], given: np.ndarray) -> np.ndarray | None:
    """The coordinates near the given ones at which all loops are closed, by Gauss and Newton; None if it finds none."""
    size = max(float(one.size) for one in loop_closures(hierarchy, Starts(hierarchy)))

    def gaps(at: np.ndarray) -> np.ndarray:
        moved = changed(hierarchy, unknowns, starts=at)
        return np.array([x for one in loop_closures(moved, Starts(moved)) for x in one.gaps()], float)

    x, left = _nearest(gaps, given, _differences(unknowns, size), 1e-6 * CLOSED)
    return x if left < 1e-6 * CLOSED else None


def _differences(unknowns: Sequence[Unknown], size: float) -> list[float]:
    """Small changes of coordinates, for differences; `size` in m is that of what they move."""
    return [PART * (1.0 if one.coordinate.turns else size) for one in unknowns]


def _nearest(
    gaps: Callable[[np.ndarray], np.ndarray], given: np.ndarray, steps: Sequence[float], close: float
) -> tuple[np.ndarray, float]:
    """The coordinates near the given ones at which gaps are as small as the method of Gauss and Newton can make them,
    at most `close` if possible, and the largest of them.
    """
    x, g = given.copy(), gaps(given)
    for _ in range(MOST):
        if np.abs(g).max() < close:
            break
        rows = [(gaps(x + e) - gaps(x - e)) / (2.0 * h) for h, e in zip(steps, np.diag(steps), strict=True)]
        way, part = np.linalg.lstsq(np.stack(rows, axis=1), g, rcond=DEPENDENT)[0], 1.0
        while part > LEAST and np.linalg.norm(gaps(x - part * way)) > (1.0 - 0.1 * part) * np.linalg.norm(g):
            part *= 0.5
        x = x - part * way
        g = gaps(x)
    return x, float(np.abs(g).max())


def distance_to(hierarchy: Hierarchy, target: StartPlace, starts: Starts) -> list[float]:
    """How far the origin of a body is from where it should begin, m, along each axis that is given."""
    place = starts[hierarchy[target.body].frame].p
    return [float(place[axis]) - float(x) for axis, x in zip(target.axes, target.values, strict=True)]


def found_coordinates(hierarchy: Hierarchy) -> dict[Path, list[float] | float]:
    """The coordinates of joints with which bodies are where `start` of the scene has them, by their places, as a scene
    has them; the nearest that are found, if there are none. The least change of those that are given.
    """
    start = hierarchy.scene.simulation.start
    targets = start.targets if start else []
    bodies = [target.body for target in targets]
    of_loops = [*coordinates_in(hierarchy)] if targets else []
    unknowns = [*dict.fromkeys([*_coordinates_above(hierarchy, bodies), *of_loops])]
    unknowns = [one for one in unknowns if not one.coordinate.is_prescribed]
    if not unknowns:
        return {}
    given = np.array([float(one.coordinate.start) for one in unknowns])

    def gaps(at: np.ndarray) -> np.ndarray:
        moved = changed(hierarchy, unknowns, starts=at)
        found = Starts(moved)
        ways = [x for target in targets for x in distance_to(moved, target, found)]
        return np.array([*ways, *(x for one in loop_closures(moved, found) for x in one.gaps())], float)

    places = [abs(float(x)) for target in targets for x in target.values]
    size = max(*places, np.abs(gaps(given)).max(), np.finfo(float).tiny)
    close = CLOSE * size
    if np.abs(gaps(given)).max() <= close:
        return {}
    tried = []
    for beside in BESIDE:  # of a straight arm no small change brings its end nearer
        turned = given + [beside * one.coordinate.turns for one in unknowns]
        tried.append(_nearest(gaps, turned, _differences(unknowns, size), 0.01 * close))
        if tried[-1][1] <= close:
            break
    best = min(tried, key=lambda one: one[1])[0]
    return _written(unknowns, "start", best)


def solved(J: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest u with J u = b, as far as there is one, and the directions, columns, that J does not see."""
    left, sizes, right = np.linalg.svd(J)
    rank = _rank(sizes)
    u = right[:rank].T @ ((left[:, :rank].T @ b) / sizes[:rank])
    return u, right[rank:].T


def _rank(sizes: np.ndarray) -> int:
    """The rank of a matrix with these singular values, the largest first."""
    return int((sizes > DEPENDENT * sizes[0]).sum()) if len(sizes) and sizes[0] > 0.0 else 0


def changed(
    hierarchy: Hierarchy,
    unknowns: Sequence[Unknown],
    rates: Sequence[float] | np.ndarray | None = None,
    starts: Sequence[float] | np.ndarray | None = None,
) -> Hierarchy:
    """The tree with other rates of some coordinates at t = 0, whatever motors prescribe, or with other coordinates, SI
    units.
    """
    nodes = list(hierarchy)
    for k, (node, number) in enumerate(unknowns):
        now = nodes[node.index]
        new: dict[str, Any] = {"start": starts[k]} if starts is not None else {}
        if rates is not None:
            new |= {"rate": rates[k], "desired": None}
        coordinates = [*not_none(now.joint).coordinates]
        coordinates[number] = coordinates[number]._replace(**new)
        joint = not_none(now.joint)._replace(coordinates=tuple(coordinates))
        position, orientation, *_ = joint.moved(joint.starts, now.scale, now.parent_metres)
        nodes[node.index] = replace(now, joint=joint, position=position, orientation=orientation)
    return Hierarchy(hierarchy.scene, nodes)


def momenta(hierarchy: Hierarchy, starts: Starts) -> np.ndarray:
    """Numbers that are linear in the rates, whose squares add up to twice the kinetic energy, of all moved bodies."""
    found = []
    for node in hierarchy.moved_nodes():
        mass, center, inertia = hierarchy.composite(node).mass
        motion = starts[node.frame]
        r = rotate(motion.q, [float(node.metres) * float(x) for x in center])
        found += [float(x) * float(mass) ** 0.5 for x in point_velocity(motion.v, motion.omega, r)]
        xx, yy, zz, xy, xz, yz = map(float, inertia)
        sizes, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        found += [*(np.sqrt(np.clip(sizes, 0.0, None)) * (axes.T @ np.array(motion.omega_B, float)))]
    return np.array(found, float)
