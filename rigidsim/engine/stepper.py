"""The stepper: whole steps of the grid t = n h, split at the edges of eras, with a sample every so many steps."""

from __future__ import annotations

from rigidsim._jit import inlined, kernel
from rigidsim.engine import layout as at
from rigidsim.engine.drive import settle
from rigidsim.engine.events import has_room
from rigidsim.engine.impulses import cross_edge
from rigidsim.engine.integrators import step
from rigidsim.engine.observe import observe
from rigidsim.engine.optional import if_given, value_if_given
from rigidsim.engine.relations import keep_windings


@kernel
def observe_at(n, done, era, model, state, scratch, samples, k, lanes):
    """Write sample k: the state at t = (n + done) h."""
    observe((n + done) * model.step, era, model, state, scratch, samples, k, lanes)


@inlined
def needs_python(era, model, buffer):
    """Whether what happens as an era ends has to wait: until the tree is changed, or the buffer is emptied."""
    return model.edge_kind[era] == at.EDGE_STOPS or not value_if_given(True, buffer, has_room, era + 1, model)


@kernel
def advance(method, n, done, era, arrives, n_end, stride, model, state, scratch, samples, first, buffer, lanes):
    """From t = (n + done) h, in the given era, to the beginning of step n_end; or to an edge where Python is needed: to
    change the tree, or to empty the buffer of events.

    What happens as the given era begins is still to be done if it `arrives`. A sample is taken before each step whose
    number is a multiple of `stride`: number k = n / stride goes to row k - first of `samples`. Returns (n, done, era)
    reached, the era that ends there if it is at an edge. The result does not depend on how a run is cut into calls:
    time is n h, multiplied, and eras change at edges only.
    """
    while True:
        if era < len(model.edge_step) and model.edge_step[era] == n and model.edge_fraction[era] == done:
            if needs_python(era, model, buffer):
                return n, done, era
            arrives = model.edge_kind[era] == at.EDGE_CROSSED
            era += 1
        if arrives:
            if_given(buffer, cross_edge, (n + done) * model.step, era, model, state, scratch, lanes)
            arrives = False
        if n >= n_end:
            return n, done, era
        if done == 0.0 and n % stride == 0:
            observe(n * model.step, era, model, state, scratch, samples, n // stride - first, lanes)
        splits = era < len(model.edge_step) and model.edge_step[era] == n
        end = model.edge_fraction[era] if splits else 1.0
        step(method, (n + done) * model.step, (end - done) * model.step, era, model, state, scratch, lanes)
        settle((n + end) * model.step, model, state, scratch, lanes)
        keep_windings((n + end) * model.step, era, model, state, scratch, lanes)
        n, done = (n, end) if splits else (n + 1, 0.0)
