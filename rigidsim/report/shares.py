"""Which force does what: the terms that forces make, force by force, computed again from the state of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigidsim.hindsight.loads import SeparateLoads, Share
from rigidsim.hindsight.past import Past
from rigidsim.report.terms import table
from rigidsim.trajectory.trajectory import Trajectory

UNITS = {"applied": "m/s2", "gravity": "m/s2", "angular_applied": "rad/s2"}
ROUND_OFF = 1e-9
"""Of the largest part: forces are summed in another order, and a stored state is a few ulp off the one it was."""


@dataclass(frozen=True)
class Shares:
    """The share of each force in a body's terms, and what was recorded beyond their sum: a callback's, which no scene
    holds.
    """

    loads: list[Share]
    rest: dict[str, np.ndarray]

    @classmethod
    def of(cls, trajectory: Trajectory, sample: int, body: str, at: Callable[[str], np.ndarray]) -> Shares:
        """Of a free body, at a sample with terms; `at` reads what was recorded."""
        loads = SeparateLoads(Past(trajectory, sample)).shares(body)
        return cls(loads, {name: rest for name in UNITS if (rest := _beyond(loads, name, at(name))) is not None})

    def lines(self, term: str) -> list[str]:
        """A table of those that make a term; nothing where there is nothing to take apart."""
        rows = [(str(share.load), share.terms[term]) for share in self.loads if share.terms[term].any()]
        if term in self.rest:
            rows.append((f"not in the scene{self._missing()}", self.rest[term]))
        if not rows or (term == "gravity" and len(rows) == 1):
            return []
        return ["", *table(f"{term}, force by force", UNITS[term], rows)]

    def _missing(self) -> str:
        """What may be behind it."""
        is_wound = any(share.load.is_wound for share in self.loads)
        return " (a callback, or turns that samples miss)" if is_wound else " (a callback)"

    def as_list(self) -> list[dict[str, object]]:
        """Plain data."""
        rest = {name: value.tolist() for name, value in self.rest.items()}
        beyond = [{"name": "not in the scene", "body": "", "index": 0, **rest}] if rest else []
        return [*(share.as_dict() for share in self.loads), *beyond]


def _beyond(loads: list[Share], name: str, recorded: np.ndarray) -> np.ndarray | None:
    """What was recorded less the sum of the shares; None if that is round-off."""
    parts = [share.terms[name] for share in loads]
    rest = recorded - np.sum(parts, axis=0) if parts else recorded
    largest = max(float(np.abs(part).max()) for part in (*parts, recorded))
    return rest if float(np.abs(rest).max()) > ROUND_OFF * largest else None
