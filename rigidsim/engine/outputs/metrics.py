"""Metrics: reductions of samples to numbers of the whole run, in lanes.

The kernels read samples that were taken before, so no variant of the stepper is needed; and a trajectory, which holds
the same samples, gives the same bits (`trajectory/metrics.py`).
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine.model.arrays import Metrics
from rigidsim.engine.model.layout import CHAIN, LUMP, METRIC, QUATERNION, SCALAR, SIX, TRIPLE, numbers_of
from rigidsim.engine.model.programs import fill, run_program
from rigidsim.jit import formula, inlined, lanewise, routine
from rigidsim.jit.kernels import kernel
from rigidsim.physics.frames import compose_motion, local_motion
from rigidsim.physics.reductions import FOLDS
from rigidsim.quantities.vocabulary import IN_PARENT, MASS, METERED, MOTION, TURNED, VECTOR, Formula

KINDS = tuple(enumerate(FOLDS))


def _compiled(one: Formula, parts: tuple[str, ...]) -> Formula:
    """A formula that takes all of these parts."""
    return one._replace(of=formula(lambda *given: one.given(dict(zip(parts, given, strict=True)).get)))


OF_MOTION = tuple((number, _compiled(one, (*MOTION, MASS))) for number, one in enumerate(METERED.values()))
OF_VECTOR = tuple(
    (number, _compiled(one, (VECTOR, "orientation", IN_PARENT)))
    for number, one in enumerate(TURNED.values(), len(OF_MOTION))
)


READING_LOCAL = [len(METERED) + k for k, formula in enumerate(TURNED.values()) if IN_PARENT in formula.needs]
"""The kinds of views that need the orientation relative to the parent."""


def parts_read(metrics: Metrics | None) -> dict[str, bool]:
    """Which parts of samples the metrics read, if there are any, besides the motion in the world."""
    views = metrics.views[:-1] if metrics else np.empty((0, METRIC.width), np.int64)
    kinds, is_seen = views[:, METRIC.kind], views[:, METRIC.node] < 0
    is_energy = kinds >= len(METERED) + len(TURNED)
    return {
        "local": bool((is_seen & ~is_energy | np.isin(kinds, READING_LOCAL)).any()),
        "ledger": bool(is_energy.any()),
    }


@routine
def fold_sample(kind, t, x, y, z, row, lanes):
    """Add a sample to the memory of a reduction of this kind."""
    n = len(lanes)
    for number, candidate in KINDS:
        if kind == number:
            for lane in range(n):
                kept = SIX(row, lane, n)
                kept.value = candidate.fold(kept.value, t, *numbers_of((x, y, z), lane, n))
            break


@routine
def write_result(kind, out, row, lanes):
    """Write the result of a reduction of this kind."""
    n = len(lanes)
    for number, candidate in KINDS:
        if kind == number:
            for lane in range(n):
                SCALAR(out, lane, n).value = candidate.result(SIX(row, lane, n).value)
            break


@lanewise
def begin_chain(chain: CHAIN, lane):
    """The motion of a frame relative to itself."""
    chain.p = (0.0, 0.0, 0.0)
    chain.q = (1.0, 0.0, 0.0, 0.0)
    chain.s = 1.0
    chain.v = (0.0, 0.0, 0.0)
    chain.omega = (0.0, 0.0, 0.0)


@inlined
def motion_of(chain):
    """Pose, velocity and rate of a chain."""
    return (chain.p, chain.q, chain.s), chain.v, chain.omega


@inlined
def store_motion(chain, pose, v, omega):
    """Write pose, velocity and rate of a chain."""
    chain.p, chain.q, chain.s = pose
    chain.v = v
    chain.omega = omega


@lanewise
def extend_chain(
    position: TRIPLE, orientation: QUATERNION, velocity: TRIPLE, rate: TRIPLE, scale: SCALAR, chain: CHAIN, lane
):
    """The motion relative to the next ancestor, from that of the node between."""
    above = (position.xyz, orientation.wxyz, scale.value)
    pose, v, omega = motion_of(chain)
    moved = compose_motion(above, velocity.xyz, rate.xyz, pose, v, omega)
    store_motion(chain, moved[0], moved[1], moved[2])


@lanewise
def see_chain(observer: CHAIN, chain: CHAIN, lane):
    """The motion of the end of a chain relative to that of another one, in place of it."""
    X, v_X, omega_X = motion_of(observer)
    pose, v, omega = motion_of(chain)
    moved = local_motion(X, v_X, omega_X, pose, v, omega)
    store_motion(chain, moved[0], moved[1], moved[2])


@inlined
def store_seen(width, seen, lane, n, values):
    """Write one, three or four numbers."""
    if width == 1:
        SCALAR(seen, lane, n).value = values[0]
    elif width == 3:
        TRIPLE(seen, lane, n).xyz = values
    else:
        QUATERNION(seen, lane, n).wxyz = values


@routine
def read_motion(kind, position, orientation, velocity, rate, mass, seen, lanes):
    """Fill the registers of one view: what a formula gives of a motion, and of the mass."""
    n = len(lanes)
    for number, candidate in OF_MOTION:
        if kind == number:
            for lane in range(n):
                p, q = TRIPLE(position, lane, n).xyz, QUATERNION(orientation, lane, n).wxyz
                v, omega = TRIPLE(velocity, lane, n).xyz, TRIPLE(rate, lane, n).xyz
                body = LUMP(mass, lane, n)
                values = candidate.of(p, q, v, omega, (body.mass, body.com, body.inertia))
                store_seen(candidate.width, seen, lane, n, values)
            break


@routine
def read_vector(kind, vector, orientation, in_parent, seen, lanes):
    """Fill the registers of one view: a vector, turned from its own axes into those that are asked for."""
    n = len(lanes)
    for number, candidate in OF_VECTOR:
        if kind == number:
            for lane in range(n):
                q, q_PB = QUATERNION(orientation, lane, n).wxyz, QUATERNION(in_parent, lane, n).wxyz
                store_seen(candidate.width, seen, lane, n, candidate.of(TRIPLE(vector, lane, n).xyz, q, q_PB))
            break


@routine
def read_ledger(column, ledger, seen, lanes):
    """Fill the register of one number of the whole run."""
    n = len(lanes)
    for lane in range(n):
        SCALAR(seen, lane, n).value = ledger[column * n + lane]


@inlined
def follow_way(metrics, begin, end, local, k, chain, lanes):
    """The motion of a frame relative to an ancestor, from the local motions of the nodes on the way up."""
    begin_chain(chain, lanes)
    for link in range(begin, end):
        node = metrics.way_node[link]
        extend_chain(
            local.position[k, node], local.orientation[k, node], local.velocity[k, node],
            local.angular_velocity[k, node], metrics.way_scale[link], chain, lanes,
        )  # fmt: skip


@inlined
def read_sample(metrics, samples, k, chains, register, lanes):
    """Fill the registers of all views from sample k."""
    views, n, local, world = metrics.views, len(lanes), samples.local, samples.world
    registers = register.reshape(-1)
    for i in range(len(views) - 1):
        kind, node = views[i].kind, views[i].node
        seen = registers[views[i].register * n :]  # consecutive registers are the components of one row
        if kind >= len(OF_MOTION) + len(OF_VECTOR):
            read_ledger(kind - len(OF_MOTION) - len(OF_VECTOR), samples.ledger[k], seen, lanes)
        elif kind >= len(OF_MOTION):
            orientation, has_local = world.orientation[k, node], len(local.orientation) > 0
            in_parent = local.orientation[k, node] if has_local else orientation
            read_vector(kind, samples.asked[k, views[i].asked], orientation, in_parent, seen, lanes)
        elif node >= 0:
            read_motion(
                kind, world.position[k, node], world.orientation[k, node], world.velocity[k, node],
                world.angular_velocity[k, node], metrics.mass[i], seen, lanes,
            )  # fmt: skip
        else:
            turn, chain, observer = views[i].observer_way, chains[0], chains[1]
            follow_way(metrics, views[i].way, turn, local, k, chain, lanes)
            follow_way(metrics, turn, views[i + 1].way, local, k, observer, lanes)
            see_chain(observer, chain, lanes)
            read_motion(
                kind, chain[CHAIN.place("p") * n :], chain[CHAIN.place("q") * n :], chain[CHAIN.place("v") * n :],
                chain[CHAIN.place("omega") * n :], metrics.mass[i], seen, lanes,
            )  # fmt: skip


@inlined
def fold_row(metrics, t, samples, k, chains, register, memory, lanes):
    """Add sample k, of time t (s), to the memory of every reduction."""
    program, folds = metrics.program, metrics.folds
    fill(register[len(program.constant)], t, lanes)
    read_sample(metrics, samples, k, chains, register, lanes)
    run_program(program.code, program.first, program.tables, register, lanes)
    for r in range(len(folds)):
        x, y, z = register[folds[r].x], register[folds[r].y], register[folds[r].z]
        fold_sample(folds[r].kind, t, x, y, z, memory[r], lanes)


@kernel
def fold_samples(metrics, times, samples, first, chains, register, memory, lanes):
    """Add samples to the memory of every reduction: `times` (s) of rows first, first + 1, ..."""
    for m in range(len(times)):
        fold_row(metrics, times[m], samples, first + m, chains, register, memory, lanes)


@kernel
def evaluate_metrics(metrics, memory, register, lanes):
    """Compute all metrics from the memories; their values are in the registers `result`. Counts are in the registers
    of their reductions already.
    """
    program = metrics.results
    for r in range(len(metrics.folds)):
        write_result(metrics.folds[r].kind, register[len(program.constant) + 1 + r], memory[r], lanes)
    run_program(program.code, program.first, program.tables, register, lanes)
