"""A top of which spin and pull vary, and ways to sweep it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rigidsim import Scene
from rigidsim.sweeps.contents import Contents
from rigidsim.sweeps.execution import Execution, Watch, unwatched
from rigidsim.sweeps.plan import make_plan
from rigidsim.sweeps.results import SweepWriter
from rigidsim.sweeps.stored import Sweep, load_sweep
from rigidsim.sweeps.sweeping import contents_of

TOP = """\
format: rigidsim/1
parameters: {spin: 30 rpm, pull: 1}
simulation: {duration: 0.4, step: 0.01, record_every: 0.1}
bodies:
  top:
    mass: 2
    inertia: {principal: [0.3, 0.35, 0.4]}
    angular_velocity: [0.1, 0, "= spin"]
    forces:
      - {force: [0, "= pull*exp(30*pull*t)", 0], at: [0, 0, 0.5]}
"""
"""A pull of 80 makes it explode."""
METRIC = """metrics: {fastest: '= max(speed("top"))'}\n"""
VARY = {"spin": "0 rpm:60 rpm:9", "pull": [0.1, 0.2, 0.3, 0.4]}


def contents(text: str = TOP, record: str = "final", vary: Mapping[str, Any] | None = None, **plan: Any) -> Contents:
    """What a sweep of a scene has in its file."""
    return contents_of(Scene.from_text(text), make_plan(vary=vary or (None if plan else VARY), **plan), record)


def on_threads(threads: int = 1, lanes: int = 16) -> Callable[[Contents, SweepWriter], Execution]:
    """Executions on this machine."""
    return lambda what, writer: Execution(what, writer, threads, lanes)


def run(path: Path, what: Contents, execution_of=on_threads(2), watch: Watch = unwatched, resume: bool = True) -> str:  # noqa: B008
    """Run what is missing; the content hash, or nothing if the watch ended it before."""
    with SweepWriter(path, what, force=False, resume=resume) as writer:
        return writer.finish() if execution_of(what, writer).run(watch) else ""


def swept(path: Path, *given: Any, threads: int = 1, lanes: int = 16, **more: Any) -> Sweep:
    """The sweep of a scene; the arguments are those of `contents`."""
    path.unlink(missing_ok=True)
    run(path, contents(*given, **more), on_threads(threads, lanes))
    return load_sweep(path)
