"""The arrays of contact: what is kept from step to step, what is recorded, and the working arrays of a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.candidates import Candidates, forget_candidates, make_candidates
from rigidsim.engine.collision.convex import ConvexArrays, make_convex
from rigidsim.engine.constraints.lasting import Lasting, Multipliers
from rigidsim.engine.constraints.tree_responses import TreeArrays, make_trees
from rigidsim.engine.contact.division import LENGTHS
from rigidsim.engine.contact.impacts import ImpactArrays, make_impacts
from rigidsim.engine.contact.ledger import LedgerArrays, make_ledger
from rigidsim.engine.contact.sleeping import N_CHANGED, Sleep
from rigidsim.engine.contact.solver import SolverArrays, make_solver
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import Contacts, Corrections, floats, integers, leaves, made
from rigidsim.engine.model.contact_layout import (
    CENTRE,
    CONTACT_POINT,
    FEATURES,
    INVERSE,
    JOLT,
    LINE,
    PARTING,
    PLACE,
    POSE,
    SAMPLED,
    SAMPLED_POINT,
    WHO,
)
from rigidsim.engine.model.layout import CAUSE_WAKES, EVENT, LEDGER, LINK, MEAN, RECORD, TRIPLE
from rigidsim.jit.layouts import zeros

LANES = 8
CAPACITY = 1024  # rows of the log, and of the contact points in samples, at the beginning

# What a step lacks that could not be taken: nothing; room for pairs, points or impacts; an empty log; empty samples.
LACKS_NOTHING, LACKS_PAIRS, LACKS_LOG, LACKS_SAMPLED = 0, 1, 2, 3


class Touching(NamedTuple):
    """What contact remembers from step to step, by numbers of shapes: impulses and the pairs that touch."""

    # Rows in use: of impulses, of pairs, of parting pairs.
    count: np.ndarray = integers(3)  # type: ignore[assignment]  # hides a method of tuples
    step: np.ndarray = floats(1)  # length of the step that the impulses are from, s
    landing: np.ndarray = integers(1)  # for how many steps more what has landed may be settling
    key: np.ndarray = integers("points", at.MEMORY_COLUMNS)  # in the order of pairs
    impulse: np.ndarray = floats("points", at.MEMORY_ROWS)  # of the last sub-step: normal, tangent, rolling; N s, N m s
    pair: np.ndarray = integers("points", 2)  # shapes that touched at the end of the last step
    parting: PARTING = integers("pairs")  # pairs that overlap for a reason, in the order of pairs
    features: FEATURES = floats("convex")  # of pairs of convex cores of any kinds, in the order of pairs
    known: np.ndarray = integers(1)  # how many there are


class Record(NamedTuple):
    """What contact records: the log that Python reads, and contact points."""

    # Rows in use: of the log, of the samples, of the present points; the last sample.
    count: np.ndarray = integers(4)  # type: ignore[assignment]  # hides a method of tuples
    log: RECORD = integers("log")  # events
    log_value: EVENT = floats("log")
    sampled: SAMPLED = integers("sampled")  # no rows if contacts are not recorded
    sampled_value: SAMPLED_POINT = floats("sampled")
    present: SAMPLED = integers("points")  # the contact points of the last step
    present_value: SAMPLED_POINT = floats("points")


class Motions(NamedTuple):
    """Motion of contact bodies and shapes in this step."""

    way: LINK = floats("ways + 1")  # position and velocity of a node relative to the reference frame; the last is zero
    start: CENTRE = floats("bodies")  # at the beginning of the step
    finish: CENTRE = floats("bodies")  # at its end without contact
    origin: TRIPLE = floats("bodies")  # its reference frame in the world at the end of the step
    pose: POSE = floats("shapes")  # at the beginning of the step
    turn: np.ndarray = floats("shapes")  # the angle of its turn within the step, rad
    lever: np.ndarray = floats("shapes")  # largest distance of a point of its core from the centre of its body, m
    agitation: np.ndarray = floats("bodies")  # the most that a pair with it may close by within the step, m
    travel: np.ndarray = floats("shapes")  # how far any of its points moves within the step, m


class Points(NamedTuple):
    """Contact points of this step. The one after the last is that of spare lanes of the solver."""

    convex: ConvexArrays | None  # if some cores need it
    who: WHO = integers("points + 1")
    value: CONTACT_POINT = floats("points + 1")
    apart: np.ndarray = floats("pairs")  # distance of the centres of two candidates, m
    closing: np.ndarray = floats("pairs")  # the most that their gap can shrink by within the step, m
    later: POSE = floats(2)  # poses of two shapes within the step
    place: PLACE = floats(at.MOST_PLACES)


class Lines(NamedTuple):
    """The rows that the solver works on; the last one belongs to spare lanes."""

    inverse: INVERSE = floats("bodies + 1")
    struck: JOLT = floats("bodies + 1")  # the pose of which it is: at the last impact, or at the beginning
    vel: LINE = floats("bodies + 1")
    moved: LINE = floats("bodies + 1")
    smooth: LINE = floats("bodies + 1")
    push: LINE = floats("bodies + 1")
    began: LINE = floats("bodies + 1")
    kicked: LINE = floats("bodies + 1")  # what impacts alone changed
    first: LINE = floats("bodies + 1")  # velocity before the sub-steps
    way: LINE = floats("bodies + 1")  # displacement before them; then theirs over the length of the step
    acts: np.ndarray = integers("bodies")  # whether an impulse acted in this step


class Room(NamedTuple):
    """How many rows the arrays of contact have that a run may have to enlarge."""

    pairs: int
    points: int
    log: int = CAPACITY
    sampled: int = 0  # none if contacts are not recorded


class ContactArrays(NamedTuple):
    """All arrays of contact of one world. Parts of it are passed on, as calls with many arrays take long to compile."""

    lanes: tuple[int, ...]  # as many zeros as a block of contact points has lanes
    last: Touching  # from the last step
    next: Touching  # written by this one
    record: Record
    motions: Motions
    points: Points
    lines: Lines
    corrections: Corrections
    candidates: Candidates
    impacts: ImpactArrays | None  # if some pair of shapes has restitution
    solver: SolverArrays
    ledger: LedgerArrays
    trees: TreeArrays | None  # if bodies on joints can meet others
    lasting: Lasting | None  # with `contact: events`
    sleep: Sleep | None  # if bodies may sleep
    lacks: np.ndarray = integers(1)  # LACKS_NOTHING, LACKS_PAIRS, ...
    n_impact: np.ndarray = integers(1)  # impacts of this step
    part: np.ndarray = floats(LENGTHS)  # where a step that is divided ends
    energy: LEDGER = floats()  # of stored energy
    mean: MEAN = floats("bodies")  # acceleration by the contacts of the last step, impacts apart, m/s2 and rad/s2


PARTS = {
    "last": Touching,
    "next": Touching,
    "record": Record,
    "motions": Motions,
    "lines": Lines,
    "corrections": Corrections,
}


def first_room(contacts: Contacts, recorded: bool) -> Room:
    """Room to begin with: that of a pile of spheres, of which each touches a dozen others at most."""
    n = max(32, 8 * len(contacts.shape))
    log = CAPACITY + 2 * contacts.n_moved if contacts.rest is not None else CAPACITY
    return Room(n, n, log, CAPACITY if recorded else 0)


def more_room(room: Room, arrays: ContactArrays) -> Room:
    """More room for what a step lacked."""
    lacks, counted = arrays.lacks[0], int(arrays.candidates.count[0])
    if lacks == LACKS_PAIRS:
        return room._replace(pairs=max(room.pairs, counted + counted // 4), points=2 * room.points)
    return room._replace(log=2 * room.log) if lacks == LACKS_LOG else room._replace(sampled=2 * room.sampled)


def make_contact_arrays(
    contacts: Contacts, size: Mapping[str, int], room: Room, lanes: tuple[int, ...]
) -> ContactArrays:
    """The arrays of contact of one world."""
    of_tree = {"bodies": len(contacts.body), "shapes": len(contacts.shape), "ways": len(contacts.way)}
    convex = make_convex(contacts, room.pairs)
    sizes = {**of_tree, **room._asdict(), **size}
    sizes["convex"] = 0 if convex is None else room.pairs
    parts = {name: made(kind, sizes) for name, kind in PARTS.items()}
    parts["record"].count[3] = at.NOTHING_SAMPLED
    points = made(Points, sizes, convex=convex)
    mean, trees = zeros(len(contacts.body), MEAN.width), make_trees(contacts, room.points)
    return made(
        ContactArrays,
        sizes,
        **parts,
        mean=mean,
        lasting=make_lasting(contacts, parts, points, mean, trees, sizes),
        sleep=made(Sleep, sizes) if contacts.rest is not None else None,
        points=points,
        lanes=lanes,
        candidates=make_candidates(contacts, room.pairs),
        impacts=make_impacts(contacts, room.pairs, room.points, convex),
        solver=make_solver(len(contacts.body), room.points, lanes),
        ledger=make_ledger(lanes),
        trees=trees,
    )


def begin_again(arrays: ContactArrays, contacts: Contacts) -> None:
    """Let the arrays be as they were made, for contacts of the same structure."""
    of_model = {id(array) for array in leaves(contacts)}
    for array in leaves(arrays):
        if id(array) not in of_model:
            array.fill(0)
    arrays.record.count[3] = at.NOTHING_SAMPLED
    forget_candidates(arrays.candidates)
    put_corners(arrays, contacts)


def corners_of(arrays: ContactArrays) -> list[np.ndarray]:
    """The copy of the corners of all hulls, which is made if there are meshes."""
    convex = arrays.points.convex
    return [convex.corner] if convex is not None and convex.mesh is not None else []


def put_corners(arrays: ContactArrays, contacts: Contacts) -> None:
    """Take over the corners of contacts whose numbers have changed."""
    if contacts.corner is not None:
        for corner in corners_of(arrays):
            fill_from(corner, contacts.corner)


def make_lasting(
    contacts: Contacts, parts: Mapping, points: Points, mean: np.ndarray, trees: TreeArrays | None, sizes: Mapping
) -> Lasting | None:
    """The arrays of contacts that last; None with `contact: stepping`."""
    if contacts.events is None:
        return None
    motions = parts["motions"]
    shared = {"way": motions.way, "motion": motions.finish, "pose": motions.pose, "inverse": parts["lines"].inverse}
    shared |= {"place": points.place, "mean": mean, "convex": points.convex}
    shared |= {"trees": trees, "shift": parts["corrections"].shift}
    return made(Lasting, {**sizes, "causes": at.CAUSES}, **shared, equations=made(Multipliers, {}))


def fill_from(target: np.ndarray, source: np.ndarray) -> None:
    """Copy an array into the beginning of one that is not shorter."""
    target[: len(source)] = source


def take_over(new: ContactArrays, old: ContactArrays, contacts: Contacts, before: Contacts) -> None:
    """What later steps and samples need of the arrays before an enlargement, or before the tree changed."""
    for target, source in zip(kept(new), kept(old), strict=True):
        fill_from(target, source)
    now, then = (each.body[: each.n_moved, at.CONTACT_BODY.node] for each in (contacts, before))
    _, rows, old_rows = np.intersect1d(now, then, return_indices=True)
    new.mean[rows] = old.mean[old_rows]
    if before is contacts:
        for name, array in sleep_of(new).items():
            fill_from(array, sleep_of(old)[name])
    elif old.sleep is not None and new.sleep is not None:  # another tree, in which all are awake
        were_asleep = old.sleep.asleep[before.body[old_rows, at.CONTACT_BODY.row]] > 0
        new.sleep.changed[rows[were_asleep]] = CAUSE_WAKES
        new.sleep.counts[N_CHANGED] = np.count_nonzero(were_asleep)


def kept(arrays: ContactArrays) -> tuple[np.ndarray, ...]:
    """The arrays that later steps need, but for those whose rows are bodies of a tree: `mean` and those of sleep."""
    return (*arrays.last, *arrays.record, *arrays.ledger, arrays.part, *lasting_of(arrays).values())


def sleep_of(arrays: ContactArrays) -> dict[str, np.ndarray]:
    """What is kept of the bodies that sleep."""
    sleep = arrays.sleep
    if sleep is None:
        return {}
    names = ("asleep", "still", "anchor", "known", "pulled", "counts", "changed")
    return {f"sleep_{name}": getattr(sleep, name) for name in names}


def lasting_of(arrays: ContactArrays) -> dict[str, np.ndarray]:
    """The contacts that last."""
    lasting = arrays.lasting
    if lasting is None:
        return {}
    kept = {"size": lasting.size, "slot": lasting.slot, "value": lasting.value, "left": lasting.left}
    return {f"lasting_{name}": array for name, array in kept.items()}


def remembering(arrays: ContactArrays) -> dict[str, np.ndarray]:
    """The arrays that later steps need once what was logged has been taken."""
    last, record, ledger = arrays.last, arrays.record, arrays.ledger
    recorded = {"recorded": record.count, "present": record.present, "present_value": record.present_value}
    booked = {f"ledger_{name}": array for name, array in ledger._asdict().items()}
    touching = last._asdict()
    if arrays.points.convex is None:
        del touching["features"], touching["known"]
    return touching | recorded | booked | lasting_of(arrays) | sleep_of(arrays) | {"mean": arrays.mean}


def remembered(arrays: ContactArrays) -> dict[str, np.ndarray]:
    """A copy of the rows in use of these arrays."""
    impulses, pairs, parting = map(int, arrays.last.count)
    points = int(arrays.record.count[2])
    used = {"key": impulses, "impulse": impulses, "pair": pairs, "parting": parting}
    used |= {"present": points, "present_value": points, "features": int(arrays.last.known[0])}
    return {name: array[: used.get(name)].copy() for name, array in remembering(arrays).items()}


def separated_pairs(before: Contacts, after: Contacts) -> np.ndarray:
    """(pair, 2) the shapes that were parts of one body before the tree changed, and no longer are."""
    n = len(before.shape)
    node = [contacts.body[contacts.shape[:, at.SHAPE.body], at.CONTACT_BODY.node] for contacts in (before, after)]
    together, apart = node[0][:, None] == node[0][None, :], node[1][:, None] != node[1][None, :]
    return np.argwhere(together & apart & np.triu(np.ones((n, n), bool), 1))


def add_parting(arrays: ContactArrays, pairs: np.ndarray) -> None:
    """Add pairs to those that do not collide until they have been apart."""
    last, count = arrays.last, int(arrays.last.count[2])
    separated = np.column_stack((pairs, np.full(len(pairs), at.SEPARATED)))
    rows = np.concatenate((last.parting[:count], separated))
    last.parting[: len(rows)] = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    last.count[2] = len(rows)
