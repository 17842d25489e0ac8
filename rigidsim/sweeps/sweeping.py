"""`sweep`: run all variants of a plan into a result file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rigidsim.arguments import file_path, whole_number
from rigidsim.engine.compiler import compile_scene
from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene, as_scene
from rigidsim.sweeps.contents import Contents, unit_runs
from rigidsim.sweeps.execution import Execution
from rigidsim.sweeps.plan import Plan, make_plan, plan_of
from rigidsim.sweeps.recording import FINAL, METRICS, Recording
from rigidsim.sweeps.results import SweepWriter, done_of, finished
from rigidsim.sweeps.stored import Sweep, load_sweep


def contents_of(scene: Scene, plan: Plan, record: str = "", runs: range | None = None) -> Contents:
    """What the result file of a sweep will have, after checking the plan. `record` is "metrics", "final", or the time
    between samples; if it is empty, "metrics" if the scene has any, else "final".

    Raises UsageError or SceneError for a plan that does not fit the scene, and UsageError for one without runs.
    """
    runs = plan.chosen() if runs is None else runs
    if not len(runs):
        raise UsageError("this part of the plan has no runs")
    record = record or (METRICS if scene.metrics else FINAL)
    if record == METRICS and not scene.metrics:
        raise UsageError("the scene has no metrics; use --metric NAME='= ...', a key 'metrics', or --record final")
    if record not in (FINAL, METRICS):
        scene = scene.with_overrides([f"simulation.record_every={record}"])
    plan.check(scene.with_overrides)
    first = _first_valid(scene, plan, runs)
    world = compile_scene(first)
    recording = Recording.of(first, world, record)
    return Contents(scene, plan, runs, recording, unit_runs(recording, bool(world.model.contacts)), record)


def _first_valid(scene: Scene, plan: Plan, runs: range) -> Scene:
    """The scene of the first run, or the scene itself if that one is not valid."""
    (overrides,) = plan.overrides(range(runs.start, runs.start + 1))
    try:
        return scene.with_overrides(overrides)
    except SceneError:
        return scene


def sweep(
    scene: Scene | str | Path,
    *,
    vary: Mapping[str, Any] | None = None,
    zip: bool = False,
    sample: str | None = None,
    over: Mapping[str, str] | None = None,
    table: Path | str | None = None,
    seed: int = 0,
    plan: Plan | None = None,
    metrics: Mapping[str, str] | None = None,
    record: str = "",
    path: str | Path | None = None,
    part: tuple[int, int] | None = None,
    threads: int = 1,
    force: bool = False,
    resume: bool = False,
) -> Sweep:
    """Run a scene once for each of many values of some of its numbers, and return the results.

    The plan is given by `vary`, `sample` and `over`, or `table`, as for `make_plan`, or is the `sweep` of the scene.
    `metrics` are expressions by name, in addition to those of the scene. `record` is "metrics" for metrics alone,
    "final" for the last state of each run, or the time between samples; the default is "metrics" if there are any, else
    "final". The results are written to `path`, or to a temporary file that lasts as long as the result. Runs that fail
    have a `status` and an `error`; the others
    are not affected. A run has the same bits as the scene that is read with its values, whatever the number of threads.
    """
    scene, threads = as_scene(scene), whole_number(threads, "threads", least=1)
    if metrics:
        scene = scene.with_overrides([(f"metrics.{name}", text) for name, text in metrics.items()])
    if plan is None:
        given = {"vary": vary, "zip": zip, "sample": sample, "over": over, "table": table}
        if not any(given.values()) and scene.sweep is not None:
            plan = plan_of(scene.sweep)
        else:
            plan = make_plan(**given, seed=seed)
    contents = contents_of(scene, plan, record, plan.chosen(part, yes=True))
    folder = None
    if path is None:
        folder = Path(tempfile.mkdtemp(prefix="rigidsim-"))
        path = folder / "sweep.h5"
    path = file_path(path, "the sweep's file")
    if resume and not done_of(path) and finished(path, contents):
        return load_sweep(path)
    try:
        with SweepWriter(path, contents, force=force, resume=resume) as writer:
            Execution(contents, writer, threads).run()
            writer.finish()
        return load_sweep(path, folder)
    except BaseException:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise
