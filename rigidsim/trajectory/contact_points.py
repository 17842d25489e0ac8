"""Contact points: where shapes touch at one time, and over a trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from rigidsim.arguments import clipped, number
from rigidsim.errors import FormatError, UsageError
from rigidsim.trajectory.fields import COUNT, POINT_NAMES, POINTS
from rigidsim.trajectory.header import Header


class ContactPoints:
    """The points at which shapes touch at one time, one row each, in world axes. `point` (m) and the unit `normal` from
    the first shape to the second are (n, 3), and so is the `force` (N) on the body of the second. The force is the mean
    of the last step, without impacts by restitution. `first` and `second` are rows of `names`, the names of all shapes
    that can touch.
    """

    def __init__(self, header: Header, time: float, columns: Mapping[str, np.ndarray]):
        self.time, self.names, self._header = time, header.shapes, header
        self.first, self.second, self.point, self.normal, self.force = (columns[name] for name in POINT_NAMES)
        for pair in (self.first, self.second):
            if not np.all((pair >= 0) & (pair < len(self.names))):
                raise FormatError(f"the trajectory is damaged: {POINTS} refers to shapes that do not exist")

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<ContactPoints: {len(self)} points of {len(set(self.shapes))} pairs of shapes, at {self.time:g} s>"

    @property
    def shapes(self) -> list[tuple[str, str]]:
        """The names of the two shapes at each point."""
        return [(self.names[i], self.names[j]) for i, j in zip(self.first, self.second, strict=True)]

    @property
    def friction(self) -> np.ndarray:
        """The part of each force that is across the normal, N, world axes."""
        along = np.einsum("ij,ij->i", self.force, self.normal)
        return self.force - along[:, None] * self.normal

    def on(self, body: str, forces: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """The total force (N, world axes) on a body and what is fixed to it, by the body that exerts it; or that of
        the given `forces` at the points, such as `friction`.

        Parameters
        ----------
        body : str
            The path of the body.
        forces : np.ndarray, optional
            Forces of the points in place of those that were recorded, N, (point, 3).

        Returns
        -------
        dict[str, np.ndarray]
            Forces by the path of the body that exerts them, N, world axes.
        """
        if body not in self._header.row_of:
            raise UsageError(f"there is no body {clipped(body)}; bodies: {', '.join(self._header.paths[:10])}")
        found: dict[str, np.ndarray] = {}
        tree = self._header.tree_at(self.time)
        bodies, on = self._header.bodies_of_shapes(tree), self._header.shapes_on(body, tree)
        for own, others, sign in ((self.second, self.first, 1.0), (self.first, self.second, -1.0)):
            for k in np.flatnonzero(on[own]):
                other, force = bodies[others[k]], (self.force if forces is None else forces)[k]
                found[other] = found.get(other, np.zeros(3)) + sign * force
        return found


class ContactHistory:
    """The contact points of a trajectory: `contacts[k]` has those of sample k, `contacts.at(time)` those of the sample
    nearest to a time (s), `count` (time) their number. Recorded with `contacts=True`.
    """

    def __init__(self, header: Header, time: np.ndarray, arrays: Mapping[str, np.ndarray]):
        self._header, self._time, self._arrays = header, time, arrays

    def __len__(self) -> int:
        return len(self._time)

    def __iter__(self) -> Iterator[ContactPoints]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, sample: int) -> ContactPoints:
        k = range(len(self))[sample]
        rows = slice(self.begins[k], self.begins[k + 1])
        columns = {name: np.asarray(self._arrays[name][rows]) for name in POINT_NAMES}
        return ContactPoints(self._header, float(self._time[k]), columns)

    def __repr__(self) -> str:
        return f"<ContactHistory: {self.begins[-1]} points in {len(self)} samples>"

    def at(self, time: float) -> ContactPoints:
        """The contact points of the sample nearest to a time (s).

        Parameters
        ----------
        time : float
            The time, s.

        Returns
        -------
        ContactPoints
            The points of that sample.
        """
        return self[int(np.argmin(np.abs(self._time - number(time, "time"))))]

    @property
    def count(self) -> np.ndarray:
        """The number of contact points of each sample."""
        return np.diff(self.begins)

    @cached_property
    def begins(self) -> np.ndarray:
        """The row of the first point of each sample, and the number of all."""
        count = np.asarray(self._arrays[COUNT])
        begins = np.concatenate([[0], np.cumsum(count)])
        if np.any(count < 0) or begins[-1] != self._arrays[POINT_NAMES[0]].shape[0]:
            raise FormatError(f"the trajectory is damaged: {COUNT} does not match the number of contact points")
        return begins
