"""What a reparenting changes beyond the tree: the jumps of motions, and the energy that is booked as work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.reparent import Jump
from rigidsim.engine.assembly.schedule import ScheduledReparenting
from rigidsim.engine.events import EventBuffer, begin_instant, record_event
from rigidsim.engine.impulses import pass_jumps
from rigidsim.engine.model import Model, Samples, Scratch
from rigidsim.physics.summation import compensated_sum


@np.errstate(all="ignore")
def pass_reparenting(
    event: ScheduledReparenting,
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
    n, instant, carrier = len(lanes), begin_instant(buffer), model.node[event.body, layout.NODE_CARRIER]
    receiver = event.body if carrier == layout.NO_ROW else model.moved_node[carrier]
    record_event(instant, layout.CAUSE_REPARENTING, event.number, receiver, buffer)
    for lane, given in enumerate(jumps):
        for node, jump in given.items():
            buffer.source[node + 1] = node + 1
            layout.store3(buffer.jump[node + 1], layout.Y_V, lane, n, jump.dv)
            layout.store3(buffer.jump[node + 1], layout.Y_OMEGA, lane, n, jump.domega)
    work = [state[:, c * n : (c + 1) * n].copy() for c in (layout.S_WORK, layout.S_WORK_LOW)]
    pass_jumps(model.every, instant, model, state, scratch, buffer, lanes)
    for c, kept in zip((layout.S_WORK, layout.S_WORK_LOW), work, strict=True):
        state[:, c * n : (c + 1) * n] = kept
    return instant


def book(row: np.ndarray, energy: np.ndarray) -> None:
    """Count energy (lane) as work done on the free body of a row of the state."""
    n = len(energy)
    work, low = (slice(c * n, (c + 1) * n) for c in (layout.S_WORK, layout.S_WORK_LOW))
    row[work], row[low] = compensated_sum(row[work], row[low], energy)


def energy_of(sample: Samples, n_lane: int) -> np.ndarray:
    """(lane) kinetic and potential energy of one sample, J."""
    first, last = layout.E_KINETIC * n_lane, layout.E_POTENTIAL * n_lane
    return sample.ledger[0, first : first + n_lane] + sample.ledger[0, last : last + n_lane]
