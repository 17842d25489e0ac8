"""Messages about failed or doubtful runs: the first non-finite value, and its cause."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.constraints.lasting import BLOCKED, EVENTS, MODES, N_LEFT, OVERLAP, PLACES, PRESSES
from rigidsim.engine.integrators import divides
from rigidsim.engine.laws.registry import kind_of
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import followed, windings
from rigidsim.engine.time.run import BlockRun
from rigidsim.scene.notes.steps import ADVISED_TURN
from rigidsim.simulation.events import shapes_of

FARTHEST = 1e100  # m, m/s, rad/s: products of larger values exceed the range of float64


def noted_fault(run: BlockRun) -> str:
    """The first body that could not hang on a joint that it was given, expression with a non-finite value, or loop that
    could not be closed; empty if there is none.
    """
    if run.misfits:
        return f"{run.misfits[0]}, at t = {run.time:.9g} s"
    failed = np.flatnonzero(run.fault[:, layout.FAULT.failed])
    if not len(failed):
        return ""
    first = int(min(failed, key=lambda k: run.fault[k, layout.FAULT.time]))
    fault, labels = layout.FAULT(run.fault[first]), run.worlds[0].blueprint.labels
    if first >= len(labels):
        return _open_loop(run, first - len(labels), fault)
    label = labels[first]
    wanted = "a finite value with finite derivatives" if label.endswith("prescribed") else "a finite value"
    blueprint = run.worlds[0].blueprint
    has_tables = any(one.program.tables is not None for one in (blueprint.scripts, blueprint.drives))
    hint = "; beyond its ends a table gives nan, unless it has 'outside: hold' or 'extend'" if has_tables else ""
    return f"the expression of {label} gave {fault.value:g} at t = {fault.time:.9g} s; expected {wanted}{hint}"


def _open_loop(run: BlockRun, number: int, fault: layout.FAULT) -> str:
    """A message about a loop that could not be closed after a step."""
    world = run.worlds[0]
    loop = world.blueprint.loops[number]
    ends = " and ".join(f"'{world.paths[frame - 1]}'" if frame else "the world" for frame in (loop.first, loop.second))
    unit = {"hinge": "(m, or of the axes without unit)", "coupling": "(rad or m)"}.get(loop.type, "m")
    return (
        f"the loop world.loops[{number}] between {ends} cannot be closed any more at t = {fault.time:.9g} s:"
        f" a gap of {abs(fault.value):.3g} {unit} is left; check whether a prescribed motion takes an end out of reach"
    )


def start_fault(run: BlockRun) -> str:
    """The non-finite value before the first step, and its cause."""
    when = f"at t = {run.time:.9g} s"
    known = noted_fault(run) or prescribed_fault(run, when) or composite_fault(run, when)
    if known:
        return known
    loads = run.observed(with_terms=True).terms[layout.T_ACCELERATION, 0]
    pushed = [node for node in run.worlds[0].tree.free() if not np.isfinite(loads[node.index]).all()]
    if pushed:
        hint = "check whether it is at the same place as a source of gravity"
        return f"the forces on '{pushed[0].path}' are not finite {when}; {hint}"
    return f"an energy or momentum is outside the range of float64 {when}"


def composite_fault(run: BlockRun, when: str) -> str:
    """A message if a reparenting has made a body with an impossible inertia; else empty."""
    tree = run.worlds[0].tree
    for node in tree.free():
        if fault := tree.composite(node).fault:
            return f"together with the parts fixed to '{node.path}' {when}, {fault[0]}"
    return ""


def prescribed_fault(run: BlockRun, when: str) -> str:
    """A message if a prescribed motion is non-finite or exceeds FARTHEST; else empty."""
    tree, world = run.worlds[0].tree, np.concatenate(run.observed().world.part(0), axis=1)
    too_fast = {node.index for node in tree.nodes if not (np.abs(world[node.index]) < FARTHEST).all()}
    for node in tree.nodes:
        if node.kind == "prescribed" and too_fast.intersection(n.index for n in tree.lineage(node)) == {node.index}:
            return f"the prescribed motion of '{node.path}' is not finite or exceeds {FARTHEST:g} {when}"
    return ""


def motion_fault(run: BlockRun, n: int, events: list[str]) -> str:
    """The body whose motion is non-finite after step n; `events` are the names of the events in that step."""
    row = np.argmax(np.abs(run.state).max(axis=1))  # argmax returns a NaN, if there is one
    number = f" (step {n + 1})" if run.steps is None else ""
    path, when = run.worlds[0].state_labels[row], f"after t = {n * run.model.step:.9g} s{number}"
    prescribed = prescribed_fault(run, when)
    if prescribed:
        return prescribed
    message = composite_fault(run, when) or f"the motion of '{path}' is not finite {when}"
    if events:
        return f"{message}, in which {', '.join(events)} act"
    if refused := step_fault(run):
        loops = ", for loops that cannot be closed any more, or that depend on each other there" * bool(run.model.loops)
        return f"{message}: {refused}; check for a force that diverges or jumps{loops}"
    spun = spun_bodies(run, at.FIRST_SPUN)
    if spun:
        return f"{message}; {spun[0]}"
    return f"{message}; try a smaller step, and check for a force that diverges"


def step_fault(run: BlockRun) -> str:
    """Why a method that chooses its steps could take no further one; empty if it could."""
    row = run.steps
    if row is None or not row.failed:
        return ""
    if row.h < 0.0:
        why = "as where a root or an angle is taken of 0, or where two branches meet; try adaptive"
        return f"at t = {row.t:.9g} s it has no series, {why}"
    return f"a step of {row.h:.2g} s at t = {row.t:.9g} s would still be too long for the tolerance"


def spun_bodies(run: BlockRun, *which: int) -> list[str]:
    """A warning if contact made bodies spin by more than a radian a step: about these of them, FIRST_SPUN and
    FASTEST_SPUN. A method that divides or chooses its steps follows such a body.
    """
    arrays = run.contacts.arrays
    if run.steps is not None or divides(run.method) or arrays is None or not arrays.ledger.spun.any():
        return []
    rows, step = arrays.ledger.spun[list(which)], run.model.step
    spun = dict.fromkeys(
        f"'{run.worlds[0].paths[int(row[at.SPUN.node])]}' spin by {row[at.SPUN.turn]:.3g} rad per step"
        f" at t = {row[at.SPUN.time]:.9g} s"
        for row in rows
    )
    advised = ADVISED_TURN / rows[:, at.SPUN.turn].max() * step
    return [f"contact made {', then '.join(spun)}, too fast for steps of {step:g} s; use at most {advised:.1g} s"]


def sunk_shapes(run: BlockRun) -> list[str]:
    """A warning if shapes that touched sank deeply into each other: the first ones that did, and the deepest ones."""
    if run.contacts.arrays is None or not run.contacts.arrays.ledger.sunk.any():
        return []
    names = shapes_of(run.worlds[0])
    sunk = dict.fromkeys(
        f"{names[int(row[at.SUNK.first])]} and {names[int(row[at.SUNK.second])]} overlapped by"
        f" {row[at.SUNK.depth]:.3g} m, {row[at.SUNK.share]:.2g} of the smaller one's radius, at"
        f" t = {row[at.SUNK.time]:.9g} s"
        for row in run.contacts.arrays.ledger.sunk
    )
    return [
        f"{', then '.join(sunk)}: contact could not hold them apart, so the motion is wrong from then on; check for a"
        " prescribed motion or a motor that presses them together, and try a shorter step"
    ]


WHY_LEFT = {
    PLACES: "more than eight places of bodies that touch each other, more than 64 in all, or more than two of a pair of"
    " shapes, bore a load",
    OVERLAP: "shapes overlapped",
    EVENTS: "too many events happened in one step",
    MODES: "no modes of the contacts agreed with the law of friction",
    BLOCKED: "joints held both bodies along the normal, so no contact force was decided",
    PRESSES: "friction pressed bodies together faster than the normal force parts them (Painlevé), so the laws decide"
    " no force",
}
"""Why steps with `contact: events` were left to sub-steps."""


def left_steps(run: BlockRun) -> list[str]:
    """A note if steps with `contact: events` were left to sub-steps."""
    arrays = run.contacts.arrays
    if arrays is None or arrays.lasting is None or not arrays.lasting.left[N_LEFT]:
        return []
    count, first, why = arrays.lasting.left.tolist()
    return [
        f"contact: events left {int(count)} of {run.n} steps to sub-steps, of first order, the first at"
        f" t = {first:.9g} s: {WHY_LEFT[int(why)]}"
    ]


def silent_triggers(run: BlockRun) -> list[str]:
    """Notes about triggers of the scene that did not happen in a whole run; a tank need not run empty."""
    if run.triggers is None or run.is_over or run.n < run.worlds[0].blueprint.n_step:
        return []
    found, counts = run.triggers, run.triggers.counts.tolist()
    how = ("its condition never became true", "its condition held from the start on, and must become true")
    noted = (one.time is None and one.passing is None and one.kind != "empty" for one in found.records)
    silent = [(found.records[k].id, k) for k, is_noted in enumerate(noted) if is_noted and not counts[k]]
    return [f"{name} did not happen: {how[found.is_silent(k)]}" for name, k in silent]


def half_turns(run: BlockRun) -> list[str]:
    """Warnings about loads that have passed half a turn, where their torque reverses: torsion springs without an axis,
    and bushings.
    """
    first = len(run.state) - followed(run.model)
    labels, passed = run.worlds[0].state_labels[first:], run.state[first:, layout.UNWRAPPED.passed * len(run.worlds)]
    return [
        f"the {kind_of(table).title} {label} passed half a turn at t = {time:.9g} s, where its torque reverses;"
        f" {kind_of(table).turned_over}"
        for (table, _), label, time in zip(windings(run.model), labels, passed, strict=False)
        if time > 0.0
    ]
