"""What sensors and controllers gave, as tables of trajectories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigidsim.engine.time.run import BlockRun
from rigidsim.quantities.units import udunits
from rigidsim.scene import Scene
from rigidsim.trajectory.fields import AXES, ReadingTable, TableColumn

AXIS_OF = {labels: axis for axis, labels in AXES.items()}


def reading_tables_of(scene: Scene) -> tuple[ReadingTable, ...]:
    """The tables of the sensors of a scene, in the order of paths, then those of its controllers."""
    found = []
    for node in scene.hierarchy:
        for name, sensor in node.body.sensors.items():
            group = f"sensors/{node.path}/{name}"
            columns = (
                TableColumn(f"{group}/{one.name}", "f8", AXIS_OF.get(one.components, ""), udunits(one.unit), one.words)
                for one in sensor.measured()
            )
            found.append(ReadingTable(group, tuple(columns)))
    for name, one in scene.controllers.items():
        group = f"controllers/{name}"
        columns = (
            TableColumn(f"{group}/{output}", "f8", "", "1", f"output of {name}") for output in one.outputs_of(name)
        )
        found.append(ReadingTable(group, tuple(columns)))
    return tuple(found)


def reading_columns(tables: Sequence[ReadingTable], run: BlockRun, lane: int = 0) -> dict[str, np.ndarray]:
    """What was sampled in a lane since the log was emptied, by dataset; empty if there is nothing that samples."""
    if run.sensing is None:
        return {}
    found, step = {}, float(run.model.step)
    for table, (steps, values) in zip(tables, run.sensing.log(lane), strict=True):
        found[table.time], first = steps * step, 0
        for column in table.columns:
            width = len(AXES[column.axis]) if column.axis else 1
            part = values[:, first : first + width]
            found[column.name] = np.ascontiguousarray(part if column.axis else part[:, 0])
            first += width
    return found
