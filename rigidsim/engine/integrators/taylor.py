"""Steps by tolerance: series of Taylor from the equations of motion themselves, on the whole tree.

The order follows from the tolerance, the length of a step from its last two terms; the series is the dense output.
Source: Jorba and Zou, Exp. Math. 14 (2005) 99; the recurrences are in `engine/series/recurrences.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.dynamics.relations import step_row
from rigidsim.engine.integrators.declaration import Integrator, Trials
from rigidsim.engine.model.arrays import Model, floats, made
from rigidsim.engine.model.layout import CROSSING, DEFECT, FAULT, NORMS, SCALAR, STATE
from rigidsim.engine.series.defect import quadrature, verify
from rigidsim.engine.series.steps import (
    Expansion,
    choose_length,
    end_at,
    expand,
    keep_winding,
    place_at,
    rests,
    stop_at_branches,
)
from rigidsim.engine.series.tables import RowsOfNumbers, Series, SeriesSource, tables_of
from rigidsim.jit import inlined, routine
from rigidsim.jit.layouts import zeros
from rigidsim.physics.step_control import rough_power_of_two


class TaylorOptions(NamedTuple):
    """log2 of the largest share of the last terms in a step; the longest step, s; the orders of the terms, as many as
    follow from the first, as a tuple, so that they are known in the code; and the shortest step.
    """

    tolerance: float
    max_step: float
    orders: tuple[int, ...] = tuple(range(1, 16))
    min_step: float = 0.0


class TaylorTrial(NamedTuple):
    """Arrays for a trial of one block."""

    given: Series
    series: np.ndarray  # (row, (order + 1) * lanes) the coefficients of all numbers of the equations
    shifted: np.ndarray  # (1, (order + 1) * lanes) those of a margin, about another time
    probe: np.ndarray  # (row, lanes) all numbers of the equations at a point inside a step
    rounding: np.ndarray  # (row, lanes) bounds of their rounding
    slope: np.ndarray  # (variable, lanes) of their series
    points: np.ndarray  # (2, points) those points, in a step of length 1, and their weights
    defect: DEFECT = floats("group")
    state: STATE = floats("state")  # at its end
    fault: FAULT = floats("expressed")  # of expressions, before it
    norms: NORMS = floats()
    crossing: CROSSING = floats()
    by: SCALAR = floats()
    first: SCALAR = floats()  # the error of a step before the rounding of rates is known
    resting: SCALAR = floats()


class SeriesTrial(TaylorTrial):
    """A trial that remembers where its equations and their numbers come from."""

    source: SeriesSource
    rows: RowsOfNumbers

    def constants(self) -> tuple[np.ndarray, ...]:
        """The parts of the arrays in which the numbers of a model are."""
        rows = self.rows.rows_of_constants
        return self.series[rows], self.probe[rows]


def make_trial(before: SeriesTrial | None, method: TaylorOptions, model: Model, n_state: int, n_fault: int, n: int):
    """The arrays for a state and expressions with so many rows, of n lanes; those of the block before if its equations
    serve for this one and it has as many lanes.
    """
    source, width = before and before.source, len(method.orders) + 1
    if source is None or not source.renew(model, n):
        source = SeriesSource(model, n_state, n, source)
    if before is None or source is not before.source or before.probe.shape[1] != n:
        given, rows = tables_of(source.equations, source.number, width, n)
        sizes = {"lanes": n, "state": n_state, "expressed": n_fault, "group": len(given.group)}
        series, shifted, probe = zeros(rows.n, width * n), zeros(1, width * n), zeros(rows.n, n)
        points, slope = quadrature(len(method.orders)), zeros(len(given.variable), n)
        verified = {"probe": probe, "rounding": zeros(rows.n, n), "slope": slope, "points": points}
        before = made(SeriesTrial, sizes, given=given, series=series, shifted=shifted, **verified)
        before.source, before.rows = source, rows
    for numbers in (before.series, before.probe):
        before.rows.put_values(numbers, n)
    return before


@inlined
def by_equations(make, method, t, block):
    """Make something by the equations of the present state: with bodies at rest, if all of these are."""
    phase, trial = block.phase, block.scratch.trial
    if rests(trial.given, trial.resting, block):
        make(trial.given.number[phase, 1], method, t, block)
    else:
        make(trial.given.number[phase, 0], method, t, block)


@inlined
def attempt(method, stop, block):
    """The series of each lane, and its state where they end, not beyond the time `stop`, s: fills `scratch.trial`."""
    by_equations(attempt_by, method, stop, block)


@routine
def attempt_by(number, method, stop, block):
    """The same by the equations of this number."""
    state, lanes, n_moved = block.state, block.lanes, len(block.model.moved_node)
    trial, n = block.scratch.trial, step_row(state, block.scratch)
    given, series, end = trial.given, trial.series, trial.state[n]
    expansion = Expansion(given, number, len(method.orders), series, state[n], end)
    expand(expansion, method.orders, state, lanes)
    choose_length(expansion, method.tolerance, method.max_step, trial.norms, lanes)
    end_at(stop, state[n], end, trial.crossing, lanes)
    stop_at_branches(expansion, trial.shifted[0], trial.crossing, lanes)
    verify(expansion, share(method), trial, lanes)
    place_at(expansion, end, n_moved, True, state, trial.by, trial.state, lanes)
    for k in range(len(given.winding)):
        row, over = given.winding[k], series[given.now[number, k, 1]]
        keep_winding(end, over, state[row], trial.state[row], lanes)


@inlined
def share(method):
    """The relative tolerance of a step."""
    return rough_power_of_two(method.tolerance)


@inlined
def between(method, t, block):
    """The state at time t, s, inside the trials: in `scratch.stage`."""
    by_equations(between_by, method, t, block)


@routine
def between_by(number, method, t, block):
    """The same by the equations of this number."""
    state, scratch, n_moved = block.state, block.scratch, len(block.model.moved_node)
    trial, n = scratch.trial, step_row(state, scratch)
    expansion = Expansion(trial.given, number, len(method.orders), trial.series, state[n], trial.state[n])
    place_at(expansion, t, n_moved, False, state, trial.by, scratch.stage, block.lanes)


INTEGRATOR = Integrator("taylor", TaylorOptions, trials=Trials(make_trial, attempt, between, share))
