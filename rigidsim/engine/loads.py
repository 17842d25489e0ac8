"""Second pass of an evaluation: the loads on every free body, one table after another; and the energy that they
store.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.laws.chain import over
from rigidsim.engine.laws.registry import PAIRWISE, SINGLE
from rigidsim.engine.laws.wrench import acts, begin, confine, pair_arrays, single_arrays
from rigidsim.engine.mutual import attract_mutually, store_mutually
from rigidsim.engine.scripts import apply_scripts
from rigidsim.jit import inlined


@inlined
def apply_callbacks(t, model, scratch, lanes):
    """Forces computed by Python functions, see `rigidsim.simulation.single`; a model that is compiled has none."""
    for call in getattr(model, "callbacks", ()):
        call(t, model, scratch, lanes)


@inlined
def apply_each(law, apply, era, arrays, lanes):
    """Apply every load of one table that acts in this era."""
    for k in range(len(law.who)):
        if acts(law, k, era):
            apply(law, k, arrays, lanes)


@inlined
def store_each(law, energy_of, era, arrays, ledger, lanes):
    """Add the energy stored in every load of one table that acts in this era to the potential energy."""
    for k in range(len(law.who)):
        if acts(law, k, era):
            energy_of(law, k, arrays, ledger, at.LEDGER.potential, 1.0, lanes)


@inlined
def exchange_each(law, energy_of, era, state, arrays, lanes):
    """Add the energy of a load that begins with this era to the work, and subtract that of a load that has ended."""
    for k in range(len(law.who)):
        begins = law.who[k].begin == era
        if begins or law.who[k].until == era:
            sign = 1.0 if begins else -1.0
            energy_of(law, k, arrays, state[law.who[k].second], at.STATE.work, sign, lanes)


apply_single = over(SINGLE, apply_each, "apply")
apply_every_pair = over(PAIRWISE, apply_each, "apply")
store_every_pair = over(PAIRWISE, store_each, "energy")
exchange_every_pair = over(PAIRWISE, exchange_each, "energy")


@inlined
def apply_pairwise(laws, era, model, scratch, lanes):
    """Apply the pair laws of this era."""
    apply_every_pair(laws, era, pair_arrays(model, scratch), lanes)


@inlined
def store_pairwise(laws, era, model, scratch, ledger, lanes):
    """Add the potential energy of the pair laws of this era."""
    store_every_pair(laws, era, pair_arrays(model, scratch), ledger, lanes)


@inlined
def exchange_pairwise(laws, era, model, state, scratch, lanes):
    """Count the stored energy of pair laws that begin or end with this era as work."""
    exchange_every_pair(laws, era, state, pair_arrays(model, scratch), lanes)


@inlined
def apply_loads(t, era, model, scratch, lanes):
    """Fill the wrench of every free body with the loads that act at time t (s), in this era."""
    for i in range(len(model.moved_node)):
        begin(model.body[i], scratch.wrench[i], lanes)
    apply_single(model.single, era, single_arrays(model, scratch), lanes)
    if model.pairwise is not None:
        apply_pairwise(model.pairwise, era, model, scratch, lanes)
    if model.mutual is not None:
        attract_mutually(model.mutual, model, scratch, lanes)
    apply_scripts(t, era, model, scratch, lanes)
    apply_callbacks(t, model, scratch, lanes)
    if len(model.normal) > 0:
        for i in range(len(model.moved_node)):
            confine(model.normal[0], scratch.wrench[i], lanes)


@inlined
def store_energy(era, model, scratch, ledger, lanes):
    """Add the potential energy of this era, without that of the world's uniform gravity."""
    if model.pairwise is not None:
        store_pairwise(model.pairwise, era, model, scratch, ledger, lanes)
    if model.mutual is not None:
        store_mutually(model.mutual, model, scratch, ledger, lanes)


@inlined
def exchange_energy(era, model, state, scratch, lanes):
    """Count the stored energy of loads that begin or end with this era as work."""
    if model.pairwise is not None:
        exchange_pairwise(model.pairwise, era, model, state, scratch, lanes)
