"""Second pass of an evaluation: the loads on every free body, one table after another; and the energy that they
store.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.kinds import is_row_apart
from rigidsim.engine.dynamics.tanks import close_tanks, has_tanks
from rigidsim.engine.laws.registry import NUMBER, PAIRWISE, SINGLE
from rigidsim.engine.laws.wrench import LoadRows, acts, begin, confine, rows_of_load
from rigidsim.engine.loads.mutual import attract_mutually, store_mutually
from rigidsim.engine.loads.scripts import apply_scripts, set_coefficients
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import NUMBERS
from rigidsim.jit import inlined, lanewise

NUMBERED = tuple((NUMBER[table.name], table) for table in PAIRWISE)
STORING = tuple(table for table in PAIRWISE if table.energy)


@inlined
def apply_callbacks(t, block):
    """Forces computed by Python functions, see `rigidsim.simulation.single`; a model that is compiled has none."""
    for call in getattr(block.model, "callbacks", ()):
        call(t, block)


@inlined
def apply_tables(tables, laws, block):
    """Apply every load that acts in this phase, one table after another."""
    for table in tables:
        law = getattr(laws, table.name)
        if law is not None:
            for k in range(len(law.who)):
                if acts(law, k, block.phase):
                    table.apply(law, k, block)


@lanewise
def add_energy(table, value: NUMBERS, load: LoadRows, sign, total: NUMBERS, place, lane):
    """Add sign times the energy stored in a load to a place of a row."""
    total[place] += sign * table.energy(table.values(value), load)


@inlined
def store(table, law, k, block, sign, row, place):
    """Add sign times the energy stored in load k of a table to a place of a row."""
    load = rows_of_load(law, k, block, table.follow is not None)
    add_energy(table, law.value[k], load, sign, row, place, block.lanes)


@inlined
def apply_loads(t, block, partly=False):
    """Fill the wrench of every free body with the loads that act at time t (s), in this phase. With `partly`, those
    that are apart (`kinds.py`) are left out: they bear none.
    """
    model, scratch = block.model, block.scratch
    for i in range(len(model.moved_node)):
        if partly and is_row_apart(i, scratch):
            continue
        begin(model.body[i], scratch.wrench[i], block.lanes)
    if has_tanks(model):
        close_tanks(block)
    set_coefficients(t, NUMBERED, model.pairwise, block)
    apply_tables(SINGLE, model.single, block)
    if model.pairwise is not None:
        apply_tables(PAIRWISE, model.pairwise, block)
    if model.mutual is not None:
        attract_mutually(model.mutual, block)
    apply_scripts(t, block)
    apply_callbacks(t, block)
    if len(model.normal) > 0:
        for i in range(len(model.moved_node)):
            confine(model.normal[0], scratch.wrench[i], block.lanes)


@inlined
def store_energy(block, ledger):
    """Add the potential energy of this phase, without that of the world's uniform gravity."""
    model = block.model
    if model.pairwise is not None:
        for table in STORING:
            law = getattr(model.pairwise, table.name)
            for k in range(len(law.who)):
                if acts(law, k, block.phase):
                    store(table, law, k, block, 1.0, ledger, at.LEDGER.potential)
    if model.mutual is not None:
        store_mutually(model.mutual, block, ledger)


@inlined
def exchange_energy(block):
    """Count the stored energy of loads that begin with this phase as work, and subtract that of those that ended."""
    if block.model.pairwise is not None:
        for table in STORING:
            law = getattr(block.model.pairwise, table.name)
            for k in range(len(law.who)):
                begins, row = law.who[k].begin == block.phase, block.state[law.who[k].second]
                if begins or law.who[k].until == block.phase:
                    store(table, law, k, block, 1.0 if begins else -1.0, row, at.STATE.work)
