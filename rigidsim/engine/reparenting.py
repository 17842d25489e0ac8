"""What a reparenting changes beyond the tree: the jumps of motions, and the energy that is booked as work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.reparent import Jump
from rigidsim.engine.corrections import distribute
from rigidsim.engine.events import EventBuffer, begin_instant, record_event, record_reached_bodies
from rigidsim.engine.model import Model, Samples, Scratch
from rigidsim.jit.rows import with_rows
from rigidsim.physics.summation import compensated_sum
from rigidsim.tree.history import TreeChange


@np.errstate(all="ignore")
def pass_reparenting(
    event: TreeChange,
    jumps: Sequence[Mapping[int, Jump]],
    model: Model,
    state: np.ndarray,
    scratch: Scratch,
    buffer: EventBuffer,
    lanes: tuple[int, ...],
) -> int:
    """Pass the jumps of nodes, given for each lane, to their descendants; all frames are placed. The work columns are
    restored, because the whole change of energy is booked later. Returns the number of the instant.
    """
    model, scratch, buffer = with_rows(model), with_rows(scratch), with_rows(buffer)
    n, instant, carrier = len(lanes), begin_instant(buffer), model.node[event.body, layout.NODE.carrier]
    receiver = event.body if carrier == layout.NO_ROW else model.moved_node[carrier]
    record_event(instant, layout.CAUSE_REPARENTING, event.number, receiver, buffer)
    for lane, given in enumerate(jumps):
        for node, jump in given.items():
            buffer.made.source[node + 1] = node + 1
            row = layout.CORRECTION(buffer.made.frame[node + 1], lane, n)
            row.v, row.omega = jump.dv, jump.domega
    places = work_places(n)
    work = [state[:, place].copy() for place in places]
    distribute(model.every, model, state, scratch, buffer.made, lanes)
    record_reached_bodies(model.every, instant, model, buffer)
    for place, kept in zip(places, work, strict=True):
        state[:, place] = kept
    return instant


def work_places(n: int) -> tuple[slice, slice]:
    """The columns of the work, and of the low part of its sum, in a row of the state of n lanes."""
    return layout.STATE.columns("work", n), layout.STATE.columns("work_low", n)


def book(row: np.ndarray, energy: np.ndarray) -> None:
    """Count energy (lane) as work done on the free body of a row of the state."""
    work, low = work_places(len(energy))
    row[work], row[low] = compensated_sum(row[work], row[low], energy)


def energy_of(sample: Samples, n_lane: int) -> np.ndarray:
    """(lane) kinetic and potential energy of one sample, J."""
    kinetic, potential = (layout.LEDGER.columns(name, n_lane) for name in ("kinetic", "potential"))
    return sample.ledger[0, kinetic] + sample.ledger[0, potential]
