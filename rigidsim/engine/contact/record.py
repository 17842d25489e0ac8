"""What the kernels recorded of contact since the start of a run, as Python took it over."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.contact import columns as at


def no_points() -> tuple[np.ndarray, np.ndarray]:
    """The contact points of a model without contact."""
    return np.zeros((0, at.SAMPLED_COLUMNS), dtype=np.int64), np.zeros((0, at.SAMPLED_ROWS))


class ContactRecord:
    """The log of contact and the contact points of samples, one piece for each call of a kernel that recorded any. A
    piece is a pair of arrays, of integers and of values, in the columns LOG_*, G_* and SAMPLED_*, S_*.
    """

    def __init__(self) -> None:
        self.before = (0, 0)  # the number of contacts that began, and of impacts, before the log
        self.log: list[tuple[np.ndarray, np.ndarray]] = []
        self.sampled: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, log: tuple[np.ndarray, np.ndarray], sampled: tuple[np.ndarray, np.ndarray]) -> None:
        """Take over the filled rows of the kernel's arrays; they are copied."""
        for kept, (rows, values) in ((self.log, log), (self.sampled, sampled)):
            if len(rows):
                kept.append((rows.copy(), values.copy()))

    def touches(self) -> tuple[int, int]:
        """The number of contacts that began, and of impacts."""
        began_before, struck_before = self.before
        kinds = [rows[:, at.LOG_KIND] for rows, _ in self.log]
        began, struck = ([np.count_nonzero(kind == wanted) for kind in kinds] for wanted in (at.BEGAN, at.IMPACT))
        return began_before + sum(began), struck_before + sum(struck)

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
