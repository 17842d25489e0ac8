"""What a reparenting changes beyond the tree: the jumps of motions, and the energy that is booked as work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from rigidsim.engine.assembly.reparent import Jump
from rigidsim.engine.constraints.loops import close_loops
from rigidsim.engine.dynamics.corrections import begin_corrections, distribute
from rigidsim.engine.events.buffer import EventBuffer, begin_instant, record_event
from rigidsim.engine.events.modes import let_all_slide
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Corrections, Model, Samples, WorldBlock, switches
from rigidsim.jit.rows import with_rows
from rigidsim.physics.summation import compensated_sum
from rigidsim.tree.history import TreeChange


def begin_reparenting(event: TreeChange, model: Model, buffer: EventBuffer) -> int:
    """Record a reparenting in the buffer. Returns the number of the instant."""
    model, buffer = with_rows(model), with_rows(buffer)
    instant, moved_base = begin_instant(buffer), model.node[event.body, layout.NODE.moved_base]
    receiver = event.body if moved_base == layout.NO_ROW else model.moved_node[moved_base]
    record_event(instant, layout.CAUSE_REPARENTING, event.number, receiver, buffer)
    return instant


def pass_jumps(jumps: Sequence[Mapping[int, Jump]], block: WorldBlock, buffer: EventBuffer) -> None:
    """Pass the jumps of nodes, given for each lane, to their descendants; all frames are placed."""
    made = buffer.made
    for lane, given in enumerate(jumps):
        for node, jump in given.items():
            made.source[node + 1] = node + 1
            row = layout.CORRECTION(made.frame[node + 1], lane, len(block.lanes))
            row.v, row.omega = jump.dv, jump.domega
    _distribute(block, made)


def pass_impulses(impulses: Sequence[Mapping[int, tuple]], block: WorldBlock, buffer: EventBuffer) -> None:
    """Let impulses and angular impulses act on moved rows, given for each lane, which joints hold together; what
    jumps reached at this instant counts as reached.
    """
    made, reached = buffer.made, buffer.made.source.copy()
    begin_corrections(made)
    for lane, given in enumerate(impulses):
        for i, (P, K) in given.items():
            made.is_pushed[i] = 1
            row = layout.CORRECTION(made.own[i], lane, len(block.lanes))
            row.v, row.omega = P, K
    _distribute(block, made)
    made.source[:] = np.where(made.source == layout.NO_ROW, reached, made.source)


def close_after(t: float, block: WorldBlock) -> None:
    """Close the loops that a reparenting at time t (s) has opened: the velocities change by the impulses of loops."""
    with _unbooked(block.state, block.lanes):
        close_loops(t, with_rows(block))


def _distribute(block: WorldBlock, made: Corrections) -> None:
    """Apply what happens to all nodes."""
    block = with_rows(block)
    with _unbooked(block.state, block.lanes):
        if switches(block.model):
            let_all_slide(block)
        distribute(block.model.every, block, with_rows(made))


@contextmanager
def _unbooked(state: np.ndarray, lanes: tuple[int, ...]) -> Iterator[None]:
    """Restore the work columns at the end, because the whole change of energy is booked later."""
    places = work_places(len(lanes))
    work = [state[:, place].copy() for place in places]
    with np.errstate(all="ignore"):
        yield
    for place, kept in zip(places, work, strict=True):
        state[:, place] = kept


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
