"""Metrics: reductions of samples to numbers of the whole run, in lanes.

The kernels read samples that were taken before, so no variant of the stepper is needed; and a trajectory, which holds
the same samples, gives the same bits (`trajectory/metrics.py`).
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, load6, store, store3, store4, store6
from rigidsim.engine.programs import fill, run_program
from rigidsim.jit import inlined, routine
from rigidsim.jit.kernels import kernel
from rigidsim.physics.frames import compose_motion, local_motion
from rigidsim.physics.quaternion import canonical
from rigidsim.physics.reductions import FOLDS
from rigidsim.physics.vector import norm

KINDS = tuple(enumerate(FOLDS))


@routine
def fold_sample(kind, t, x, y, z, row, lanes):
    """Add a sample to the memory of a reduction of this kind."""
    n = len(lanes)
    for number, candidate in KINDS:
        if kind == number:
            for lane in range(n):
                values = (load(x, 0, lane, n), load(y, 0, lane, n), load(z, 0, lane, n))
                store6(row, 0, lane, n, candidate.fold(load6(row, 0, lane, n), t, *values))
            break


@routine
def write_result(kind, out, row, lanes):
    """Write the result of a reduction of this kind."""
    n = len(lanes)
    for number, candidate in KINDS:
        if kind == number:
            for lane in range(n):
                store(out, 0, lane, n, candidate.result(load6(row, 0, lane, n)))
            break


@routine
def begin_chain(chain, lanes):
    """The motion of a frame relative to itself."""
    n = len(lanes)
    for lane in range(n):
        store3(chain, at.CHAIN_P, lane, n, (0.0, 0.0, 0.0))
        store4(chain, at.CHAIN_Q, lane, n, (1.0, 0.0, 0.0, 0.0))
        store(chain, at.CHAIN_S, lane, n, 1.0)
        store3(chain, at.CHAIN_V, lane, n, (0.0, 0.0, 0.0))
        store3(chain, at.CHAIN_OMEGA, lane, n, (0.0, 0.0, 0.0))


@inlined
def chain_at(chain, lane, n):
    """Pose, velocity and rate of a chain."""
    pose = (load3(chain, at.CHAIN_P, lane, n), load4(chain, at.CHAIN_Q, lane, n), load(chain, at.CHAIN_S, lane, n))
    return pose, load3(chain, at.CHAIN_V, lane, n), load3(chain, at.CHAIN_OMEGA, lane, n)


@inlined
def store_chain(chain, lane, n, pose, v, omega):
    """Write pose, velocity and rate of a chain."""
    store3(chain, at.CHAIN_P, lane, n, pose[0])
    store4(chain, at.CHAIN_Q, lane, n, pose[1])
    store(chain, at.CHAIN_S, lane, n, pose[2])
    store3(chain, at.CHAIN_V, lane, n, v)
    store3(chain, at.CHAIN_OMEGA, lane, n, omega)


@routine
def extend_chain(position, orientation, velocity, rate, scale, chain, lanes):
    """The motion relative to the next ancestor, from that of the node between."""
    n = len(lanes)
    for lane in range(n):
        above = (load3(position, 0, lane, n), load4(orientation, 0, lane, n), load(scale, 0, lane, n))
        pose, v, omega = chain_at(chain, lane, n)
        moved = compose_motion(above, load3(velocity, 0, lane, n), load3(rate, 0, lane, n), pose, v, omega)
        store_chain(chain, lane, n, moved[0], moved[1], moved[2])


@routine
def see_chain(observer, chain, lanes):
    """The motion of the end of a chain relative to that of another one, in place of it."""
    n = len(lanes)
    for lane in range(n):
        X, v_X, omega_X = chain_at(observer, lane, n)
        pose, v, omega = chain_at(chain, lane, n)
        moved = local_motion(X, v_X, omega_X, pose, v, omega)
        store_chain(chain, lane, n, moved[0], moved[1], moved[2])


@routine
def read_vector(row, seen, lanes):
    """A vector, or the energies."""
    n = len(lanes)
    for lane in range(n):
        store3(seen, 0, lane, n, load3(row, 0, lane, n))


@routine
def read_speed(row, seen, lanes):
    """The length of a velocity."""
    n = len(lanes)
    for lane in range(n):
        store(seen, 0, lane, n, norm(load3(row, 0, lane, n)))


@routine
def read_orientation(row, seen, lanes):
    """A unit quaternion, with w >= 0."""
    n = len(lanes)
    for lane in range(n):
        store4(seen, 0, lane, n, canonical(load4(row, 0, lane, n)))


@inlined
def read_motion(kind, position, orientation, velocity, rate, seen, lanes):
    """Fill the registers of one view."""
    if kind == at.SEEN_POSITION:
        read_vector(position, seen, lanes)
    elif kind == at.SEEN_VELOCITY:
        read_vector(velocity, seen, lanes)
    elif kind == at.SEEN_RATE:
        read_vector(rate, seen, lanes)
    elif kind == at.SEEN_SPEED:
        read_speed(velocity, seen, lanes)
    else:
        read_orientation(orientation, seen, lanes)


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
    views, n, world = metrics.views, len(lanes), samples.world
    registers = register.reshape(-1)
    for i in range(len(views) - 1):
        kind, node = views[i, at.METRIC_KIND], views[i, at.METRIC_NODE]
        seen = registers[views[i, at.METRIC_REGISTER] * n :]  # consecutive registers are the components of one row
        if kind == at.SEEN_ENERGIES:
            read_vector(samples.ledger[k][at.E_KINETIC * n :], seen, lanes)
        elif node >= 0:
            read_motion(
                kind, world.position[k, node], world.orientation[k, node], world.velocity[k, node],
                world.angular_velocity[k, node], seen, lanes,
            )  # fmt: skip
        else:
            turn, chain, observer = views[i, at.METRIC_OBSERVER_WAY], chains[0], chains[1]
            follow_way(metrics, views[i, at.METRIC_WAY], turn, samples.local, k, chain, lanes)
            follow_way(metrics, turn, views[i + 1, at.METRIC_WAY], samples.local, k, observer, lanes)
            see_chain(observer, chain, lanes)
            read_motion(
                kind, chain[at.CHAIN_P * n :], chain[at.CHAIN_Q * n :], chain[at.CHAIN_V * n :],
                chain[at.CHAIN_OMEGA * n :], seen, lanes,
            )  # fmt: skip


@inlined
def fold_row(metrics, t, samples, k, chains, register, memory, lanes):
    """Add sample k, of time t (s), to the memory of every reduction."""
    program, folds = metrics.program, metrics.folds
    fill(register[len(program.constant)], t, lanes)
    read_sample(metrics, samples, k, chains, register, lanes)
    run_program(program.code, program.first, register, lanes)
    for r in range(len(folds)):
        x, y, z = register[folds[r, at.FOLD_X]], register[folds[r, at.FOLD_Y]], register[folds[r, at.FOLD_Z]]
        fold_sample(folds[r, at.FOLD_KIND], t, x, y, z, memory[r], lanes)


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
        out = register[len(program.constant) + 1 + r]
        write_result(metrics.folds[r, at.FOLD_KIND], out, memory[r], lanes)
    run_program(program.code, program.first, register, lanes)
