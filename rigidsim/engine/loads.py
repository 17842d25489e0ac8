"""Second pass of an evaluation: what acts on every free body, as a table of contents of the force laws."""

from __future__ import annotations

from rigidsim._jit import compiled_form, inlined
from rigidsim.engine import layout as at
from rigidsim.engine.laws.constant import constant
from rigidsim.engine.laws.drag import drag
from rigidsim.engine.laws.gravity import energy_of_gravity, gradient, gravity
from rigidsim.engine.laws.mutual import attract_mutually, store_mutually
from rigidsim.engine.laws.script import apply_scripts
from rigidsim.engine.laws.spring import energy_of_spring, spring
from rigidsim.engine.laws.torsion import energy_of_torsion, torsion
from rigidsim.engine.laws.wrench import acts, begin, confine, each


def apply_callbacks(t, model, scratch, lanes):
    """Forces that a Python function gives: see `rigidsim.simulation.single`. Compiled code has none."""
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
    each(model.constants, era, constant, model, scratch, lanes)
    each(model.springs, era, spring, model, scratch, lanes)
    each(model.torsions, era, torsion, model, scratch, lanes)
    each(model.drags, era, drag, model, scratch, lanes)
    each(model.attractions, era, gravity, model, scratch, lanes)
    attract_mutually(model, scratch, lanes)
    each(model.gradients, era, gradient, model, scratch, lanes)
    apply_scripts(t, era, model, scratch, lanes)
    apply_callbacks(t, model, scratch, lanes)
    if len(model.normal) > 0:
        for i in range(len(model.free_node)):
            confine(model.normal[0], scratch.wrench[i], lanes)


@inlined
def store_each(law, era, energy_of, model, scratch, ledger, lanes):
    """Add what every load of one kind that acts in this era stores to the potential energy."""
    for k in range(len(law.who)):
        if acts(law, k, era):
            energy_of(law, k, model, scratch, ledger, at.E_POTENTIAL, 1.0, lanes)


@inlined
def store_energy(era, model, scratch, ledger, lanes):
    """The potential energy of this era, beside that of the world's uniform gravity."""
    store_each(model.springs, era, energy_of_spring, model, scratch, ledger, lanes)
    store_each(model.torsions, era, energy_of_torsion, model, scratch, ledger, lanes)
    store_each(model.attractions, era, energy_of_gravity, model, scratch, ledger, lanes)
    store_mutually(model, scratch, ledger, lanes)


@inlined
def exchange_each(law, era, energy_of, model, state, scratch, lanes):
    """A load that begins in this era brings its energy, one that ended takes it away: booked as work."""
    for k in range(len(law.who)):
        begins = law.who[k, at.LAW_BEGIN] == era
        if begins or law.who[k, at.LAW_UNTIL] == era:
            sign = 1.0 if begins else -1.0
            energy_of(law, k, model, scratch, state[law.who[k, at.LAW_SECOND]], at.S_WORK, sign, lanes)


@inlined
def exchange_energy(era, model, state, scratch, lanes):
    """What stored energy comes and goes as this era begins."""
    exchange_each(model.springs, era, energy_of_spring, model, state, scratch, lanes)
    exchange_each(model.torsions, era, energy_of_torsion, model, state, scratch, lanes)
    exchange_each(model.attractions, era, energy_of_gravity, model, state, scratch, lanes)
