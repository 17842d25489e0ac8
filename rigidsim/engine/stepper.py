"""The stepper: whole steps of the grid t = n h, split at the edges of eras, with a sample every so many steps."""

from __future__ import annotations

from rigidsim._jit import inlined, kernel
from rigidsim.engine.integrators import step
from rigidsim.engine.observe import observe


@inlined
def era_at(n, model):
    """Index of the era that begins with step n, or holds it: the edges up to t = n h."""
    era = 0
    while era < len(model.edge_step) and (
        model.edge_step[era] < n or (model.edge_step[era] == n and model.edge_fraction[era] == 0.0)
    ):
        era += 1
    return era


@kernel
def observe_at(n, model, state, scratch, samples, k, lanes):
    """Write sample k: the state at the beginning of step n."""
    observe(n, era_at(n, model), model, state, scratch, samples, k, lanes)


@kernel
def advance(method, n_begin, n_end, stride, model, state, scratch, samples, lanes):
    """Steps n_begin to n_end - 1; a sample before each step whose number is a multiple of `stride`.

    Samples go to rows 0, 1, ... of `samples`. Returns how many were written. The result does not depend on how a run
    is cut into calls: time is n h, and the era follows from n.
    """
    era, k = era_at(n_begin, model), 0
    for n in range(n_begin, n_end):
        while era < len(model.edge_step) and model.edge_step[era] == n and model.edge_fraction[era] == 0.0:
            era += 1
        if n % stride == 0:
            observe(n, era, model, state, scratch, samples, k, lanes)
            k += 1
        done = 0.0
        while done < 1.0:
            splits = era < len(model.edge_step) and model.edge_step[era] == n
            end = model.edge_fraction[era] if splits else 1.0
            step(method, (n + done) * model.step, (end - done) * model.step, era, model, state, scratch, lanes)
            if splits:
                era += 1
            done = end
    return k
