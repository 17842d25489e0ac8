"""One result file of the parts of a plan, each of which was run on its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from rigidsim.arguments import file_path
from rigidsim.errors import UsageError
from rigidsim.sweeps.contents import IDENTITY, Portion, portions_of, windows
from rigidsim.sweeps.layouts import Known
from rigidsim.sweeps.results import SweepWriter
from rigidsim.sweeps.stored import Sweep, load_sweep
from rigidsim.sweeps.sweeping import contents_of
from rigidsim.trajectory.destination import IN_PYTHON, Hints


def assemble_sweep(
    parts: Sequence[str | Path], path: str | Path, *, force: bool = False, hints: Hints = IN_PYTHON
) -> Sweep:
    """Write the result file of a whole plan from those of its parts.

    Parameters
    ----------
    parts : sequence of str or Path
        The files, in any order.
    path : str or Path
        The file that is written.
    force : bool
        Replace an existing file.
    hints : Hints
        What messages advise, in Python or on the command line.

    Returns
    -------
    Sweep
        It has the bits, and the content hash, of the sweep that was not divided.

    Raises
    ------
    UsageError
        If they are not the parts of one sweep, or not each of them once.
    StorageError, FormatError
        For a file that cannot be read or written, or is damaged.
    """
    paths = [file_path(part, "a part of a sweep") for part in ([parts] if isinstance(parts, str | Path) else parts)]
    path = file_path(path, "the sweep's file")
    with ExitStack() as opened:
        sweeps = sorted((opened.enter_context(load_sweep(part)) for part in paths), key=lambda sweep: sweep.numbers[0])
        _require_parts(sweeps)
        for sweep in sweeps:
            sweep.verify()
        first = sweeps[0]
        contents = contents_of(first.scene, _whole_plan(sweeps), first.record, range(first.planned))
        _require_equal(first, path, contents.identity)
        with SweepWriter(path, contents, force=force, resume=False, hints=hints) as writer:
            for portion in _portions(sweeps, contents.portion):
                writer.commit(portion)
            writer.finish()
    return load_sweep(path)


def _require_parts(sweeps: Sequence[Sweep]) -> None:
    """Raise UsageError unless these are all parts of one sweep, in order."""
    if not sweeps:
        raise UsageError("name the result files of all parts of a sweep")
    end = 0
    for sweep, before in zip(sweeps, (sweeps[0], *sweeps), strict=False):
        if not sweep.content_hash:
            raise UsageError(f"{sweep.path} is not complete; --resume continues it")
        _require_equal(sweeps[0], sweep.path, sweep.identity)
        begin = int(sweep.numbers[0])
        if begin < end:
            last = min(end - 1, int(sweep.numbers[-1]))
            raise UsageError(f"{_runs(begin, last)} in both {before.path} and {sweep.path}")
        _require_none_missing(end, begin)
        end = int(sweep.numbers[-1]) + 1
    _require_none_missing(end, sweeps[0].planned)


def _require_equal(first: Sweep, path: Path, identity: dict[str, str]) -> None:
    for name, words in IDENTITY.items():
        if name != "runs" and first.identity.get(name) != identity.get(name):
            raise UsageError(f"{first.path} and {path} are of different sweeps: {words} differs")


def _require_none_missing(begin: int, end: int) -> None:
    if begin < end:
        raise UsageError(f"{_runs(begin, end - 1)} in none of the files; name those of all parts")


def _runs(first: int, last: int) -> str:
    return f"run {first} is" if first == last else f"runs {first} to {last} are"


def _whole_plan(sweeps: Sequence[Sweep]) -> Known:
    """The plan with the values as they were when its parts ran."""
    first = sweeps[0]
    joined = {name: np.concatenate([sweep.runs[name] for sweep in sweeps]) for name in first.units}
    values = {name: column.tolist() if column.dtype == object else column for name, column in joined.items()}
    runs, about = range(first.planned), (first.plan_digest, first.method, first.description)
    return Known(first.units, values, runs, first.seed, *about)


def _portions(sweeps: Sequence[Sweep], size: int) -> Iterator[Portion]:
    """All portions of the whole, whose runs may be in several parts."""
    names = sweeps[0].results
    for runs in windows(range(sweeps[0].planned), size, sweeps[0].run_bytes):
        pieces = []
        for sweep in sweeps:
            first, last = runs.start - int(sweep.numbers[0]), runs.stop - int(sweep.numbers[0])
            if first < len(sweep) and last > 0:
                pieces.append(sweep.rows(slice(max(first, 0), min(last, len(sweep)))))
        arrays = {name: np.concatenate([arrays[name] for arrays, _, _ in pieces]) for name in names}
        status = np.concatenate([status for _, status, _ in pieces])
        errors = {run: text for _, _, some in pieces for run, text in some.items()}
        yield from portions_of(runs.start, size, arrays, status, errors)
