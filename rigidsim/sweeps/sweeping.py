"""`sweep`: run all variants of a plan into a result file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from rigidsim.arguments import file_path, whole_number
from rigidsim.blueprints import build_world
from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene, as_scene
from rigidsim.scene.prepare.overrides import Override, path_of
from rigidsim.simulation.recording import records_joints
from rigidsim.sweeps.cluster import connected
from rigidsim.sweeps.contents import COLUMNS, Contents, portion_runs
from rigidsim.sweeps.execution import Execution
from rigidsim.sweeps.extents import extent_of, extents_of, longest_of, require_same_bodies
from rigidsim.sweeps.plan import Plan, make_plan, over_of, plan_of
from rigidsim.sweeps.recording import FINAL, METRICS, Recording
from rigidsim.sweeps.results import SweepWriter, finished
from rigidsim.sweeps.stored import Sweep, load_sweep
from rigidsim.sweeps.unfinished import done_of, require_idle
from rigidsim.sweeps.variants import FIRST, Variants
from rigidsim.trajectory.destination import IN_PYTHON


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
        _require_time(record)
        scene = _sampled(scene, record)
    check_plan(scene, plan)
    extents = {} if record == METRICS else extents_of(scene, plan)
    require_same_bodies(extents, plan, records_joints(scene))
    first = _first_valid(scene, plan)
    world = build_world(first)
    longest = extent_of(world)
    if extents and record != FINAL:
        longest = longest_of(extents, plan, record)
    recording = Recording.of(first, world, record, longest)
    return Contents(scene, plan, runs, recording, portion_runs(recording, bool(world.model.contacts)), record)


def _sampled(scene: Scene, record: str) -> Scene:
    """The scene with samples every `record`. Raises SceneError, with its own place for what is wrong with that time."""
    every = f"simulation.record_every={record}"
    try:
        return scene if every in scene.overrides else scene.with_overrides([every])
    except SceneError as error:
        place = f"--record {record} (the time between samples)"
        own = [replace(p, file=place) if p.file == f"--set {every}" else p for p in error.problems]
        raise SceneError(own) from None


def _require_time(record: str) -> None:
    """Raise UsageError for a word; other errors are those of `simulation.record_every`."""
    if not any(character.isdigit() for character in record) and "=" not in record:
        raise UsageError(f"record: expected metrics, final, or the time between samples such as 0.1, got '{record}'")


def check_own_plan(scene: Scene) -> None:
    """Check the plan that a scene has as `sweep`, if it has one. Raises SceneError, at the names of what does not
    exist, else at those with a value that is none for its place; StorageError for a table that cannot be read.
    """
    if scene.sweep is None:
        return
    document, problems = scene.document(), []
    way = next(key for key in ("vary", "over", "table") if getattr(scene.sweep, key))

    def found(code: str, message: str, name: str = "", hint: str = "") -> None:
        path = ("sweep", way, name)[: 3 if name and way != "table" else 2]
        problems.append(document.problem(code, message, path, hint, at_key=True))

    try:
        plan = plan_of(scene.sweep)
        for name in plan.names:
            try:
                path_of(document, name, Scene)
            except UsageError as error:
                found("sweep", str(error), name)
        if not problems:
            check_plan(scene, plan)
    except UsageError as error:
        found("sweep", str(error))
    except SceneError as error:
        for problem in error.problems:
            name = next((name for name in plan.names if problem.file.startswith(f"--set {name}=")), "")
            found(problem.code, f"{problem.file}: {problem.message}", name, problem.hint)
    if problems:
        raise SceneError(problems)


def check_plan(scene: Scene, plan: Plan) -> None:
    """Check a plan, and that all runs have the same datasets."""
    for name in plan.names:
        if name.strip() in COLUMNS:
            raise UsageError(f"'{name}' is a column of the table of runs; vary it as 'parameters.{name.strip()}'")
    scenes = [scene]

    def read(overrides: Sequence[Override]) -> Scene:
        scenes.append(scene.with_overrides(overrides))
        return scenes[-1]

    plan.check(read)
    for one, other in pairwise(scenes[1:]):
        if one.simulation.record != other.simulation.record:
            raise UsageError("simulation.record cannot vary: the runs of a sweep have the same datasets")
        if [*one.metrics] != [*other.metrics]:
            raise UsageError("the names of metrics cannot vary: the runs of a sweep have the same metrics")


def _first_valid(scene: Scene, plan: Plan) -> Scene:
    """The scene of the first valid run, or the scene itself if none of the first ones is valid. All parts of a plan
    have the same.
    """

    def of_run(number: int) -> Scene:
        (overrides,) = plan.overrides(range(number, number + 1))
        return scene.with_overrides(overrides)

    try:
        return of_run(0)
    except SceneError:
        groups, _ = Variants(scene.document(), plan.names).models(plan.written(range(min(FIRST, plan.runs))))
        return of_run(min(int(group.numbers.min()) for group in groups)) if groups else scene


def _just_written(found: Sweep) -> Sweep:
    found.trust()
    return found


def sweep(
    scene: Scene | str | Path,
    *,
    vary: Mapping[str, Any] | None = None,
    zip: bool = False,
    sample: str | None = None,
    over: Mapping[str, str] | None = None,
    table: Path | str | None = None,
    seed: int | None = None,
    plan: Plan | None = None,
    metrics: Mapping[str, str] | None = None,
    record: str | float = "",
    path: str | Path | None = None,
    part: tuple[int, int] | None = None,
    threads: int = 1,
    dask: str = "",
    force: bool = False,
    resume: bool = False,
) -> Sweep:
    """Run a scene once for each of many values of some of its numbers, and return the results.

    Runs that fail have a `status` and an `error`; the others are not affected. A run has the same bits as the scene
    that is read with its values, whatever the number of threads.

    Parameters
    ----------
    scene : Scene or path
        Without `vary`, `sample`, `table` and `plan`, its key `sweep` is the plan.
    vary, zip, sample, over, table : plan
        As for `make_plan`; `over` is by default that of the uncertain numbers of the scene.
    seed : int
        That of the plan, by default 0 or the scene's.
    plan : Plan
        A plan that was made before.
    metrics : mapping of names to expressions
        In addition to those of the scene.
    record : str or float
        "metrics" for metrics alone, "final" for the last state of each run, or the time between samples. The default is
        "metrics" if there are any, else "final".
    path : str or Path
        The result file; by default a temporary file that lasts as long as the result.
    part : tuple of int
        Number and count, for one part of the plan.
    threads : int
        The number of threads that compute runs.
    dask : str
        The scheduler of a cluster, `"tcp://host:8786"`, or `"local:4"` for workers on this machine.
    force : bool
        Replace an existing file.
    resume : bool
        Continue an interrupted sweep.

    Returns
    -------
    Sweep
        The results, open.

    Raises
    ------
    UsageError, SceneError
        For a plan that does not fit the scene.
    StorageError
        If the file cannot be written or the cluster is lost. What is done is kept, and `resume` continues.
    """
    scene, threads = as_scene(scene), whole_number(threads, "threads", least=1)
    if dask and threads > 1:
        raise UsageError("threads are those of this machine; the workers of dask have threads of their own")
    if metrics:
        scene = scene.with_overrides([(f"metrics.{name}", text) for name, text in metrics.items()])
    given = {"vary": vary, "zip": zip, "sample": sample, "over": over_of(scene, sample, over), "table": table}
    plan = _plan_of(scene, plan, given, seed)
    contents = contents_of(scene, plan, str(record), plan.chosen(part, yes=True))
    if path is not None:
        path = file_path(path, "the sweep's file")
        require_idle(path, IN_PYTHON)
        if resume and not done_of(path) and finished(path, contents):
            return load_sweep(path)
        _run(contents, path, threads, dask, force, resume)
        return _just_written(load_sweep(path))
    folder = Path(tempfile.mkdtemp(prefix="rigidsim-"))
    try:
        _run(contents, folder / "sweep.h5", threads, dask, force=False, resume=False)
        return _just_written(load_sweep(folder / "sweep.h5", folder))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _plan_of(scene: Scene, plan: Plan | None, given: Mapping[str, Any], seed: int | None) -> Plan:
    """The plan itself, that of the arguments, or that of the scene if they vary nothing."""
    if plan is not None:
        if any(given.values()) or seed is not None:
            raise UsageError("a plan has its values and seed; give a plan, or the arguments of make_plan")
        return plan
    if any(given.values()) or scene.sweep is None:
        return make_plan(**given, seed=seed or 0)
    own = scene.sweep.seed if seed is None else whole_number(seed, "seed")
    return plan_of(scene.sweep.model_copy(update={"seed": own}))


def _run(contents: Contents, path: Path, threads: int, dask: str, force: bool, resume: bool) -> None:
    """Run what is missing into a file."""
    with connected(dask) if dask else nullcontext() as cluster:  # noqa: SIM117
        with SweepWriter(path, contents, force=force, resume=resume) as writer:
            (cluster.execution(contents, writer) if cluster else Execution(contents, writer, threads)).run()
            writer.finish()
