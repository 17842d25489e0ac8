"""The kinds of forces, in the order of the documentation and of the stepper's sums."""

from __future__ import annotations

from rigidsim.engine.laws.bushing import BUSHING
from rigidsim.engine.laws.constant import CONSTANT, THRUSTER
from rigidsim.engine.laws.declaration import Force, LoadTable
from rigidsim.engine.laws.drag import DRAG
from rigidsim.engine.laws.field import GRAVITY
from rigidsim.engine.laws.gravity import GRAVITY_GRADIENT, POINT_GRAVITY
from rigidsim.engine.laws.mass_flow import MASS_FLOW
from rigidsim.engine.laws.spring import DAMPER, SPRING
from rigidsim.engine.laws.torsion_spring import TORSION_SPRING

KINDS: tuple[Force, ...] = (
    CONSTANT,
    SPRING,
    DAMPER,
    TORSION_SPRING,
    DRAG,
    THRUSTER,
    GRAVITY,
    POINT_GRAVITY,
    GRAVITY_GRADIENT,
    BUSHING,
    MASS_FLOW,
)
BY_NAME = {kind.name: kind for kind in KINDS}
TABLES: tuple[LoadTable, ...] = tuple(dict.fromkeys(kind.table for kind in KINDS))
NUMBER = {table.name: number for number, table in enumerate(TABLES)}
SINGLE = tuple(table for table in TABLES if not table.is_pair)
PAIRWISE = tuple(table for table in TABLES if table.is_pair)
FOLLOWED = tuple(table for table in TABLES if table.follow)
"""The tables whose windings are part of the state, in the order of its last rows."""


def kind_of(table: LoadTable) -> Force:
    """The first kind whose loads are in a table."""
    return next(kind for kind in KINDS if kind.table is table)
