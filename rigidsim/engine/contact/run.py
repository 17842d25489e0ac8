"""Contact in a run, between calls of the kernels: room for its arrays, what they recorded, changes of the tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rigidsim.engine.contact import arrays as made
from rigidsim.engine.contact.arrays import LACKS_NOTHING, LACKS_PAIRS, ContactArrays
from rigidsim.engine.contact.independent import make_independent
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Contacts, Model, Scratch, leaves, n_places

NO_ROOM = made.Room(0, 0)
NO_PAIRS = np.zeros((0, 2), np.int64)
MOST_BYTES = 1 << 25
"""Of arrays that are worth to be kept for another run."""


def no_points() -> tuple[np.ndarray, np.ndarray]:
    """The contact points of a model without contact."""
    return np.zeros((0, at.SAMPLED.width), dtype=np.int64), np.zeros((0, at.SAMPLED_POINT.width))


class ContactRecord:
    """The log of contact and the contact points of samples, one piece for each call of a kernel that recorded any. A
    piece is a pair of arrays, of integers and of values, in the columns EVENT_*
    and SAMPLED_*, S_*.
    """

    def __init__(self) -> None:
        self.before = np.zeros((0, 4), dtype=np.int64)  # the `touches` before the log
        self.log: list[tuple[np.ndarray, np.ndarray]] = []
        self.sampled: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, log: tuple[np.ndarray, np.ndarray], sampled: tuple[np.ndarray, np.ndarray]) -> None:
        """Take over the filled rows of the kernel's arrays; they are copied."""
        for kept, (rows, values) in ((self.log, log), (self.sampled, sampled)):
            if len(rows):
                kept.append((rows.copy(), values.copy()))

    def touches(self) -> np.ndarray:
        """(k, 4) the contacts that began, and the impacts: cause, two shapes, and how many there were."""
        if not self.log:
            return self.before.copy()
        logged = [rows[:, [layout.RECORD.cause, layout.RECORD.first, layout.RECORD.second]] for rows, _ in self.log]
        rows = np.concatenate([np.zeros((0, 3), dtype=np.int64), *logged])
        rows = rows[np.isin(rows[:, 0], (layout.CAUSE_BEGAN, layout.CAUSE_IMPACT))]
        found, count = np.unique(rows, axis=0, return_counts=True)
        return np.concatenate([self.before, np.column_stack([found, count])])

    def place(self) -> tuple[int, int]:
        """What `go_back` needs to forget all that is recorded later."""
        return len(self.log), len(self.sampled)

    def go_back(self, place: tuple[int, int]) -> None:
        """Forget what was recorded since `place`."""
        del self.log[place[0] :], self.sampled[place[1] :]

    def take_sampled(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The contact points of the samples since the last call, which are forgotten here."""
        taken, self.sampled = self.sampled, []
        return taken


class ContactRun:
    """The arrays of contact of one world in the course of a run; `arrays` is None if nothing can touch."""

    def __init__(self, recorded: bool = False, n_lane: int = made.LANES):
        self.recorded = recorded  # whether samples contain contact points
        self.record = ContactRecord()
        self.arrays: ContactArrays | None = None
        self._lanes = (0,) * n_lane
        self._room = NO_ROOM
        self._contacts: Contacts | None = None
        self._is_asked = False  # whether samples have forces of contact
        self._size: dict[str, int] = {}  # of the present model: nodes, places, moved rows, rows of the state

    def enter(self, model: Model, scratch: Scratch) -> Scratch:
        """The scratch arrays of the present model with those of contact, which keep what later steps need."""
        if model.contacts is None:
            return scratch
        self._is_asked = model.asked is not None and model.asked.forces is not None
        if self._room == NO_ROOM:
            self._room = made.first_room(model.contacts, self.recorded)
        parted = made.separated_pairs(self._contacts, model.contacts) if self._contacts else NO_PAIRS
        before, self._contacts = self._contacts, model.contacts
        n_state = len(scratch.before)
        self._size = {"nodes": len(model.node), "places": n_places(model), "moved": len(model.body), "state": n_state}
        if len(parted):
            needed = len(parted) + int(self._present.last.count[2])
            self._room = self._room._replace(pairs=max(self._room.pairs, needed))
        self._renew(before)
        if len(parted):
            made.add_parting(self._present, parted)
        return self._shared(scratch._replace(independent=make_independent(model, self._lanes)))

    @property
    def _present(self) -> ContactArrays:
        """The arrays of a world in which something can touch."""
        assert self.arrays is not None
        return self.arrays

    @property
    def is_reusable(self) -> bool:
        """Whether beginning again takes less time than new arrays would, of which steps may use a small part."""
        return sum(array.nbytes for array in leaves(self.arrays)) < MOST_BYTES

    def begin_again(self) -> None:
        """Nothing has touched yet, in a model of the same structure. The arrays stay the same objects."""
        self.record = ContactRecord()
        if self.arrays is not None and self._contacts is not None:
            made.begin_again(self.arrays, self._contacts)

    def _renew(self, before: Contacts | None) -> None:
        """Make the arrays; `before` are the contacts of the present ones."""
        contacts = self._contacts
        assert contacts is not None
        new = made.make_contact_arrays(contacts, self._size, self._room, self._lanes)
        if self.arrays is not None and before is not None:
            made.take_over(new, self.arrays, contacts, before)
        self.arrays = new

    def _shared(self, scratch: Scratch) -> Scratch:
        """The scratch arrays with those that samples read."""
        arrays = self._present
        record = arrays.record if self._is_asked else None
        return scratch._replace(
            contact_mean=arrays.mean,
            contact_work=arrays.ledger.work,
            touching=record,
            lasting=arrays.lasting,
            sleep=arrays.sleep,
        )

    def take(self) -> bool:
        """Take what the kernel recorded; returns whether there was anything."""
        if self.arrays is None:
            return False
        record = self.arrays.record
        n_log, n_sampled = record.count[:2]
        self.record.add(
            (record.log[:n_log], record.log_value[:n_log]),
            (record.sampled[:n_sampled], record.sampled_value[:n_sampled]),
        )
        record.count[:2] = 0
        return bool(n_log or n_sampled)

    def touching(self) -> tuple[np.ndarray, np.ndarray]:
        """The contact points at the end of the last step, as those of a sample with number 0."""
        if self.arrays is None:
            return no_points()
        record = self.arrays.record
        n = record.count[2]
        rows, values = record.present[:n].copy(), record.present_value[:n].copy()
        rows[:, at.SAMPLED.sample] = 0
        return rows, values

    def touches(self) -> np.ndarray:
        """See `ContactRecord.touches`, with the nodes of the shapes in place of these."""
        found = self.record.touches()
        if self._contacts is not None:
            found[:, 1:3] = self._contacts.shape[:, at.SHAPE.node][found[:, 1:3]]
        return found

    def lacks_room(self) -> bool:
        """Whether the kernel stopped before a step because some array has no room."""
        return self.arrays is not None and self.arrays.lacks[0] != LACKS_NOTHING

    def make_room(self, taken: bool, scratch: Scratch) -> Scratch:
        """The scratch arrays with room for the step; `taken` tells that records were just emptied."""
        if self._present.lacks[0] == LACKS_PAIRS or not taken:
            self._room = made.more_room(self._room, self._present)
            self._renew(self._contacts)
        self._present.lacks[0] = LACKS_NOTHING
        return self._shared(scratch)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs."""
        if self.arrays is None:
            return {}
        rooms = {"contact.room": np.array([self._room.pairs, self._room.points])}
        counted = {"contact.touches": self.record.touches()}
        return rooms | counted | {f"contact.{name}": rows for name, rows in made.remembered(self.arrays).items()}

    def resume(self, checkpoint: Mapping[str, np.ndarray], scratch: Scratch) -> Scratch:
        """The scratch arrays with those of contact as they were when `checkpoint` was made."""
        if self.arrays is None:
            return scratch
        pairs, points = map(int, checkpoint["contact.room"])
        self._room = self._room._replace(pairs=pairs, points=points)
        self._renew(self._contacts)
        for name, array in made.remembering(self.arrays).items():
            made.fill_from(array, checkpoint[f"contact.{name}"])
        self.record.before = checkpoint["contact.touches"].reshape(-1, 4)
        return self._shared(scratch)

    def kept(self) -> list[np.ndarray]:
        """The arrays that later steps need."""
        if self.arrays is None:
            return []
        return [*made.kept(self.arrays), *made.sleep_of(self.arrays).values(), self.arrays.mean]

    def place(self) -> tuple:
        """What `go_back` needs; what was logged has been taken."""
        kept = {} if self.arrays is None else made.remembered(self.arrays)
        return self.arrays, self._room, self._contacts, self._size, kept, self.record.place()

    def go_back(self, place: tuple) -> None:
        """Restore the arrays as they were at `place`."""
        self.arrays, self._room, self._contacts, self._size, kept, recorded = place
        for name, rows in kept.items():
            made.fill_from(made.remembering(self.arrays)[name], rows)
        self.record.go_back(recorded)
