"""How long a sweep takes, measured on its first runs."""

from __future__ import annotations

import time

from rigidsim.engine.assembly.lanes import LANES
from rigidsim.sweeps.contents import Contents
from rigidsim.sweeps.execution import runner_of
from rigidsim.sweeps.variants import FIRST, Variants

MEASURED_SECONDS = 0.15


def estimated_seconds(contents: Contents, runs: int, threads: int) -> tuple[float, dict[str, object]]:
    """The time that so many runs will take, from the reading of the first ones and the steps of a block of them; and
    which code of the stepper, and why. The kernels are compiled, if they are not yet.
    """
    variants = Variants(contents.scene.document(), contents.plan.names)
    first = contents.runs[: min(FIRST, len(contents.runs))]
    columns = contents.plan.written(first)
    variants.models(columns)  # the first reading is slower
    begin = time.perf_counter()
    groups, _ = variants.models(columns)
    reading = (time.perf_counter() - begin) / max(len(first), FIRST)
    if not groups:
        return runs * reading, {}
    group = max(groups, key=len)
    runner = runner_of(group.world(0), contents.recording, runs=runs // threads)
    runner.ahead = runs // LANES // threads
    places = range(min(runner.lanes, len(group)))
    runner.seconds(group, places, MEASURED_SECONDS)  # compiles, and decides which code it uses
    block = runner.seconds(group, places, MEASURED_SECONDS)
    blocks = -(-runs // runner.lanes) if runs >= LANES else 1
    return runs * reading + block * -(-blocks // threads), runner.code
