"""Why a run cannot go on, or should not be trusted: what is no longer a number, and what made it so."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.laws.registry import kind_of
from rigidsim.engine.model import followed, windings
from rigidsim.engine.run import BlockRun

FARTHEST = 1e100  # m, m/s, rad/s: products of such numbers soon have no double


def expression_fault(run: BlockRun) -> str:
    """Which expression failed first, when, and with what value; empty if none did."""
    failed = np.flatnonzero(run.fault[:, layout.N_FAILED])
    if not len(failed):
        return ""
    first = min(failed, key=lambda k: run.fault[k, layout.N_TIME])
    label, time, value = run.worlds[0].blueprint.labels[first], *run.fault[first, layout.N_TIME : layout.N_VALUE + 1]
    wanted = "finite, with its derivatives" if label.endswith("prescribed") else "a finite number"
    return f"the expression of {label} gave {value:g} at t = {time:.9g} s; it must be {wanted}"


def start_fault(run: BlockRun) -> str:
    """What is beyond the range of numbers before the first step."""
    when = f"at t = {run.time:.9g} s"
    known = expression_fault(run) or prescribed_fault(run, when) or joint_fault(run, when)
    if known:
        return known
    terms = run.observed(with_terms=True).terms[0]
    loads = terms[:, layout.T_ACCELERATION : layout.T_ACCELERATION + 3]
    pushed = [node for node in run.worlds[0].tree.free() if not np.isfinite(loads[node.index]).all()]
    if pushed:
        hint = "is it at the very place that attracts it?"
        return f"the forces on '{pushed[0].path}' are not finite {when}; {hint}"
    return f"an energy or momentum is beyond the range of numbers {when}"


def joint_fault(run: BlockRun, when: str) -> str:
    """Whether a reparenting has made a body that no torque can turn; empty if none has."""
    tree = run.worlds[0].tree
    for node in tree.free():
        fault = tree.composite(node).fault
        if fault:
            return f"together with what is fixed to '{node.path}' {when}, {fault}"
    return ""


def prescribed_fault(run: BlockRun, when: str) -> str:
    """Whether a prescribed motion has grown beyond all bounds; empty if none has."""
    tree, world = run.worlds[0].tree, run.observed().world[0]
    wild = {node.index for node in tree.nodes if not (np.abs(world[node.index]) < FARTHEST).all()}
    for node in tree.nodes:
        if node.kind == "prescribed" and wild.intersection(n.index for n in tree.lineage(node)) == {node.index}:
            return f"the prescribed motion of '{node.path}' is beyond all bounds {when}"
    return ""


def motion_fault(run: BlockRun, n: int, struck: list[str]) -> str:
    """Whose motion is no longer finite after step n; `struck` names what happened in that step."""
    row = np.argmax(np.abs(run.state).max(axis=1))  # that of a NaN, if there is one
    path, when = run.worlds[0].state_labels[row], f"after t = {n * run.model.step:.9g} s (step {n + 1})"
    prescribed = prescribed_fault(run, when)
    if prescribed:
        return prescribed
    told = joint_fault(run, when) or f"the motion of '{path}' is no longer finite {when}"
    if struck:
        return f"{told}, in which {', '.join(struck)} act"
    return f"{told}; try a smaller step, and look for a force that grows without bound"


def half_turns(run: BlockRun) -> list[str]:
    """Each torsion spring without an axis that has passed half a turn, where its torque turns over; each bushing."""
    first = len(run.state) - followed(run.model)
    labels, passed = run.worlds[0].state_labels[first:], run.state[first:, layout.WOUND_PASSED * len(run.worlds)]
    return [
        f"the {kind_of(table).title} {label} passed half a turn at t = {time:.9g} s, where its torque turns over;"
        f" {kind_of(table).turned_over}"
        for (table, _), label, time in zip(windings(run.model), labels, passed, strict=True)
        if time > 0.0
    ]
