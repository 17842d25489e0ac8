"""Second pass of an evaluation: what acts on every free body, as a table of contents of the force laws."""

from __future__ import annotations

from rigidsim._jit import compiled_form, inlined
from rigidsim.engine.laws.constant import apply_constants
from rigidsim.engine.laws.drag import apply_drags
from rigidsim.engine.laws.gravity import apply_gravity, store_gravity
from rigidsim.engine.laws.script import apply_scripts
from rigidsim.engine.laws.spring import apply_springs, store_springs
from rigidsim.engine.laws.torsion import apply_torsions, store_torsions
from rigidsim.engine.laws.wrench import begin, confine


def apply_callbacks(t, model, scratch, lanes):
    """Forces that a Python function gives: see `rigidsim.simulation`. Compiled code has none."""
    for call in getattr(model, "callbacks", ()):
        call(t, model, scratch, lanes)


@compiled_form(apply_callbacks)
def _apply_callbacks(t, model, scratch, lanes):
    return lambda t, model, scratch, lanes: None


@inlined
def apply_loads(t, era, model, scratch, lanes):
    """Fill the wrench of every free body with the loads that act at time t (s), in this era."""
    for i in range(len(model.free_node)):
        begin(model.body[i], scratch.wrench[i], lanes)
    apply_constants(era, model, scratch, lanes)
    apply_springs(era, model, scratch, lanes)
    apply_torsions(era, model, scratch, lanes)
    apply_drags(era, model, scratch, lanes)
    apply_gravity(era, model, scratch, lanes)
    apply_scripts(t, era, model, scratch, lanes)
    apply_callbacks(t, model, scratch, lanes)
    if len(model.normal) > 0:
        for i in range(len(model.free_node)):
            confine(model.normal[0], scratch.wrench[i], lanes)


@inlined
def store_energy(era, model, scratch, ledger, lanes):
    """Add what the laws of this era store to the potential energy."""
    store_springs(era, model, scratch, ledger, lanes)
    store_torsions(era, model, scratch, ledger, lanes)
    store_gravity(era, model, scratch, ledger, lanes)
