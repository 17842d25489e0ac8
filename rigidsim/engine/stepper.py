"""The stepper: whole steps of the grid t = n h, split at the edges of eras, with a sample every so many steps."""

from __future__ import annotations

from rigidsim._jit import kernel
from rigidsim.engine.drive import settle
from rigidsim.engine.integrators import step
from rigidsim.engine.observe import observe
from rigidsim.engine.relations import keep_windings


@kernel
def observe_at(n, done, era, model, state, scratch, samples, k, lanes):
    """Write sample k: the state at t = (n + done) h."""
    observe((n + done) * model.step, era, model, state, scratch, samples, k, lanes)


@kernel
def advance(method, n, done, era, n_end, stride, model, state, scratch, samples, first, lanes):
    """From t = (n + done) h, in the given era, to the beginning of step n_end, or to the next edge at which something
    happens but a change of constant loads.

    A sample is taken before each step whose number is a multiple of `stride`: number k = n / stride goes to row
    k - first of `samples`. Returns (n, done, era) reached, the era that ends there if it is at an edge. The result does
    not depend on how a run is cut into calls: time is n h, multiplied, and eras change at edges only.
    """
    while n < n_end:
        if done == 0.0 and n % stride == 0:
            observe(n * model.step, era, model, state, scratch, samples, n // stride - first, lanes)
        while done < 1.0:
            splits = era < len(model.edge_step) and model.edge_step[era] == n
            end = model.edge_fraction[era] if splits else 1.0
            step(method, (n + done) * model.step, (end - done) * model.step, era, model, state, scratch, lanes)
            settle((n + end) * model.step, model, state, scratch, lanes)
            keep_windings((n + end) * model.step, era, model, state, scratch, lanes)
            done = end
            if splits:
                if model.edge_stop[era]:
                    return n, done, era
                era += 1
        n += 1
        done = 0.0
        if era < len(model.edge_step) and model.edge_step[era] == n and model.edge_fraction[era] == 0.0:
            if model.edge_stop[era]:
                return n, done, era
            era += 1
    return n, done, era
