"""Fourth-order Runge-Kutta-Munthe-Kaas on the whole tree.

Rotations are stepped by rotation vectors in body axes; positions relative to the parent in world axes, where a body in
free flight moves straight, however fast the parent turns. With `contact: events` the rates of round bodies are combined
in world axes, too: there a ball that rolls has a steady rate.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.collision.bodies import is_round
from rigidsim.engine.constraints.lasting import lasts
from rigidsim.engine.dynamics.kinds import is_apart, is_jointed, is_moved, is_of_joint, is_row_apart, place
from rigidsim.engine.evaluate import evaluate_placed, place_nodes
from rigidsim.engine.integrators.declaration import Integrator
from rigidsim.engine.model.arrays import in_state
from rigidsim.engine.model.layout import (
    ARM,
    BODY,
    EACH,
    FRAME,
    RATE,
    SCALAR,
    STAGE,
    START,
    STATE,
    SUMS,
    TRIPLE,
    add_to_sums,
    copy_rows,
)
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.frames import changes_in_parent
from rigidsim.physics.quaternion import dexp_inverse, exp_septic, product, renormalised, rotate, rotate_back
from rigidsim.physics.vector import add, scaled, sub

# Kutta's classical tableau (1901): stage i sits at t + NODE[i] h and weighs WEIGHT[i].
NODE = (0.0, 0.5, 0.5, 1.0)
WEIGHT = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


class Rkmk4Options(NamedTuple):
    """The method has no options."""


@lanewise
def begin(state: STATE, parent: FRAME, arm: ARM, start: START, stage: STAGE, lane):
    """The first stage: the state, with position and velocity relative to the parent in world axes."""
    start.q = parent.q
    start.omega = parent.omega
    start.d = arm.d
    start.v = arm.v
    stage.p = arm.d
    stage.q = state.q
    stage.v = arm.v
    stage.omega = state.omega


@lanewise
def begin_joint(state: STATE, start: START, stage: STAGE, lane):
    """The first stage of a joint: p and v of a coordinate are none of any axes."""
    start.d = state.p
    start.v = state.v
    stage.p = state.p
    stage.q = state.q
    stage.v = state.v
    stage.omega = state.omega


@inlined
def begin_moved(block):
    """The first stage of all moved rows."""
    model, scratch = block.model, block.scratch
    for k in range(len(model.moved_node)):
        if is_row_apart(k, scratch):
            continue
        if is_of_joint(k, model):
            begin_joint(block.state[k], scratch.start[k], scratch.stage[k], block.lanes)
        else:
            node = model.moved_node[k]
            parent, arm = scratch.frame[model.node[node].parent], scratch.arm[node]
            begin(block.state[k], parent, arm, scratch.start[k], scratch.stage[k], block.lanes)


class StageRows(NamedTuple):
    """The rows of a moved body at a stage: the state and the chart at the beginning of the step, the stage and its
    rates, sigma, and the sums up to now.
    """

    state: STATE
    start: START
    stage: STAGE
    rate: RATE
    turn: TRIPLE
    total: SUMS


@inlined
def stage_rows(k, state, scratch):
    """Those of a moved row."""
    return StageRows(state[k], scratch.start[k], scratch.stage[k], scratch.rate[k], scratch.turn[k], scratch.sum[k])


# A branch in a function of lanes is taken lane by lane, without vectors. So a round body has functions of its own.


@inlined
def combine_with(alpha, rows, h, weight, node):
    """Accumulate the rates of a stage, and replace it by the next one, the first + node h rate.

    The rotation in the world is stepped by the rotation vector sigma with q = q0 exp(sigma/2), whose rate is
    dexp_inverse(sigma, omega_B). `turn` is the present stage's sigma on entry and the next one's on return.
    """
    state, start, stage, rate, turn, total = rows
    x = h * node
    v, omega_B = stage.v, stage.omega
    turning = dexp_inverse(turn.xyz, omega_B)
    a = rate.a
    total.v = add(total.v, scaled(weight, v))
    total.turning = add(total.turning, scaled(weight, turning))
    total.a = add(total.a, scaled(weight, a))
    total.alpha = add(total.alpha, scaled(weight, alpha))
    power = rate.power
    total.power += weight * power

    sigma = scaled(x, turning)
    q = product(state.q, exp_septic(scaled(0.5, sigma)))
    turn.xyz = sigma
    stage.p = add(start.d, scaled(x, v))
    stage.q = renormalised(q)
    stage.v = add(start.v, scaled(x, a))


@lanewise
def combine(rows: StageRows, h: EACH, weight, node, lane):
    """`combine_with` the angular acceleration in body axes."""
    alpha = rows.rate.alpha
    combine_with(alpha, rows, h, weight, node)
    rows.stage.omega = add(rows.state.omega, scaled(h * node, alpha))


@lanewise
def combine_round(rows: StageRows, h: EACH, weight, node, lane):
    """`combine_with` that in world axes, of a round body: its rate there does not depend on how it is turned."""
    alpha = rotate(rows.stage.q, rows.rate.alpha)
    combine_with(alpha, rows, h, weight, node)
    omega = add(rotate(rows.state.q, rows.state.omega), scaled(h * node, alpha))
    rows.stage.omega = rotate_back(rows.stage.q, omega)


@inlined
def add_changes(end, start, parent, body, changes):
    """Add to the sums of a free body what has changed since the beginning of the step: its arm and the rate of that in
    world axes, its rate, its work. The parent's frame is that at the end.
    """
    arm, arm_rate, omega, work = changes
    dp, dv = changes_in_parent(
        start.q, parent.q, start.omega, parent.omega, body.scale, end.p, end.v, start.d, arm, arm_rate
    )
    add_to_sums(end, p=dp, v=dv, omega=omega, work=work)


@inlined
def add_changes_of_joint(end, changes):
    """The same for a joint, whose coordinate, like its rate, is none of any axes."""
    p, v, omega, work = changes
    add_to_sums(end, p=p, v=v, omega=omega, work=work)


@inlined
def last_changes(alpha, rows, h, weight):
    """h times the weighted sum of the rates of all stages, of which this is the last: the changes of p, v, omega and
    work; and the orientation at the end, not yet of unit length.
    """
    state, _, stage, rate, turn, total = rows
    v, omega_B = stage.v, stage.omega
    turning = dexp_inverse(turn.xyz, omega_B)
    a = rate.a
    mean_v = add(total.v, scaled(weight, v))
    mean_turning = add(total.turning, scaled(weight, turning))
    mean_a = add(total.a, scaled(weight, a))
    mean_alpha = add(total.alpha, scaled(weight, alpha))
    mean_power = total.power + weight * rate.power

    q = product(state.q, exp_septic(scaled(0.5 * h, mean_turning)))
    return (scaled(h, mean_v), scaled(h, mean_a), scaled(h, mean_alpha), h * mean_power), q


@lanewise
def finish(rows: StageRows, parent: FRAME, body: BODY, h: EACH, weight, lane):
    """Advance the state of a free body by a step; the parent's frame is that at the end."""
    changes, q = last_changes(rows.rate.alpha, rows, h, weight)
    add_changes(rows.state, rows.start, parent, body, changes)
    rows.state.q = renormalised(q)


@lanewise
def finish_round(rows: StageRows, parent: FRAME, body: BODY, h: EACH, weight, lane):
    """Advance the state of a round body, whose angular acceleration was combined in world axes."""
    (arm, arm_rate, gained, work), q = last_changes(rotate(rows.stage.q, rows.rate.alpha), rows, h, weight)
    before, q = rows.state.omega, renormalised(q)
    omega = rotate_back(q, add(rotate(rows.state.q, before), gained))
    add_changes(rows.state, rows.start, parent, body, (arm, arm_rate, sub(omega, before), work))
    rows.state.q = q


@lanewise
def finish_joint(rows: StageRows, h: EACH, weight, lane):
    """Advance the state of a joint by a step."""
    changes, q = last_changes(rows.rate.alpha, rows, h, weight)
    add_changes_of_joint(rows.state, changes)
    rows.state.q = renormalised(q)


@lanewise
def set_middle(t: EACH, h: EACH, now: SCALAR, lane):
    """The time in the middle of a step."""
    now.value = t + NODE[1] * h


@inlined
def step(method, t, t_end, h, block):
    """Advance the state from t to t_end, h = t_end - t, of which each lane has its own."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    stage, n_moved, middle = scratch.stage, len(model.moved_node), scratch.part.now
    set_middle(t, h, middle, lanes)
    copy_rows(n_moved, len(state), state, stage)  # poses of rate-driven nodes do not change within a step
    # Assigned, not multiplied by zero: a run that overflowed may have left NaN there.
    scratch.turn[:] = 0.0
    scratch.sum[:] = 0.0
    place_nodes(model.active, t, block, omits=is_apart)
    begin_moved(block)
    evaluate_placed(t, in_state(stage, block), True, True)
    for i in range(3):
        for k in range(n_moved):
            if is_row_apart(k, scratch):
                continue
            if lasts(scratch) and is_round(model.body[k].inertia) and not is_of_joint(k, model):
                combine_round(stage_rows(k, state, scratch), h, WEIGHT[i], NODE[i + 1], lanes)
            else:
                combine(stage_rows(k, state, scratch), h, WEIGHT[i], NODE[i + 1], lanes)
        t_stage = middle if i < 2 else t_end
        place_nodes(model.active, t_stage, in_state(stage, block), True, is_apart)
        evaluate_placed(t_stage, in_state(stage, block), True, True)
    # The frames of driven nodes that no free body moves are those of the last stage.
    for node in model.active:
        if is_jointed(node, model):
            for k in range(model.node[node].first, model.node[node].row + 1):
                finish_joint(stage_rows(k, state, scratch), h, WEIGHT[3], lanes)
        elif is_moved(node, model) and not is_apart(node, model, scratch):
            k = model.node[node].row
            parent = scratch.frame[model.node[node].parent]
            if lasts(scratch) and is_round(model.body[k].inertia):
                finish_round(stage_rows(k, state, scratch), parent, model.body[k], h, WEIGHT[3], lanes)
            else:
                finish(stage_rows(k, state, scratch), parent, model.body[k], h, WEIGHT[3], lanes)
        if model.node[node].moves_free > 0:
            place(node, t_end, block)


INTEGRATOR = Integrator("rkmk4", Rkmk4Options, step, weights=WEIGHT, divides=True)
