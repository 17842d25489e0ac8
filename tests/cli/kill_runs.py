"""End a run at its writes, at random times, or by a full disk, resume it, and compare its content hash with that of an
undisturbed run; a program for its own process.

Arguments: a folder to work in, the name of a scene below, and how many times: at as many writes, spread over all, at as
many random times, some by Ctrl-C, and by a full disk at as many sizes of the file. The last line it prints counts what
happened.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import rigidsim
from rigidsim.cli import main
from rigidsim.runner import run
from rigidsim.trajectory.spool import Spool

METRICS = {"metrics": {"top": "= max(speed('a'))", "kicks": "= final(x('a'))"}}
BALL = {"mass": 1, "inertia": {"principal": [0.4, 0.4, 0.4]}}
REPARENTED = METRICS | {
    "format": "rigidsim/1",
    "simulation": {"duration": 2, "step": 1e-3, "record_every": 2e-3},
    "bodies": {
        "a": BALL | {
            "angular_velocity": [0.1, 2, 0.3],
            "impulses": [{"time": t, "impulse": [0, 1, 0]} for t in (0.001, 0.3, 1.7)],
            "children": {"b": BALL | {"position": [0, 1, 0], "velocity": [0.1, 0, 0]}},
        }
    },
    "reparent": [{"body": "a/b", "to": "world", "time": 0.2}, {"body": "a/b", "to": "a", "motion": "fixed", "time": 1}],
}  # fmt: skip
TOUCHING = METRICS | {
    "format": "rigidsim/1",
    "simulation": {
        "duration": 0.6,
        "step": 1e-3,
        "contact": "stepping",
        "record": ["world", "contacts", "diagnostics"],
    },
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {"floor": {"shapes": [{"type": "plane"}]}}
    | {
        name: BALL
        | {"position": [x, 0, z], "shapes": [{"type": "sphere", "radius": 0.2}], "material": {"restitution": 0.5}}
        for name, x, z in (("a", 0, 0.4), ("b", 0.1, 0.9), ("c", 1, 0.3))
    },
}
# Motors that prescribe and that pull, a ball joint, and a spring that counts turns.
JOINTED = METRICS | {
    "format": "rigidsim/1",
    "simulation": {"duration": 0.6, "step": 2e-3, "record_every": 4e-3},
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {
        "a": BALL | {
            "angular_velocity": [0.1, 2, 0.3],
            "impulses": [{"time": t, "impulse": [0, 1, 0]} for t in (0.001, 0.35)],
            "children": {
                "wheel": BALL | {
                    "motion": {"hinge": {"axis": [0, 0, 1], "rate": 40}},
                    "forces": [{"type": "torsion_spring", "to": "a", "axis": [0, 0, 1], "stiffness": 0.02}],
                },
                "arm": BALL | {
                    "motion": {"hinge": {"axis": [1, 0, 0], "at": [0, 0, 1], "motor": {"angle": "= sin(9*t)"}}},
                    "children": {"bob": BALL | {"position": [0, 0, -1], "motion": {"ball": {"at": [0, 0, 0.5]}}}},
                },
                "cart": BALL | {"motion": {"slide": {"axis": [0, 1, 0], "motor": {"force": "= 3*t - displacement"}}}},
                "flap": BALL | {"motion": {"hinge": {"axis": [0, 1, 0], "at": [0, 0, 1], "rate": 9, "friction": 0.1,
                                                     "limits": [-0.2, 0.2], "restitution": 0.8}}},
                "belt": BALL | {"motion": {"slide": {"axis": [1, 0, 0], "motor": {"rate": 0.2, "max_force": 2}}}},
            },
        }
    },
}  # fmt: skip
LONG = REPARENTED | {"simulation": {"duration": 9, "step": 1e-3, "record_every": 1e-3}}  # more than two rows of chunks
SCENES = {"long": LONG, "reparented": REPARENTED, "touching": TOUCHING, "jointed": JOINTED}


def command(
    *words: str,
    prepare: Callable[[], None] = lambda: None,
    wait: float | None = None,
    by: signal.Signals = signal.SIGKILL,
) -> int:
    """The exit code of a command in a child, ended after `wait` seconds; that of a killed one is -9."""
    child = os.fork()
    if child == 0:
        code = 99
        with open(os.devnull, "w") as silent, contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            prepare()
            sys.argv = ["rigidsim", "run", "scene.json", "-o", "a.h5", "-q", *words]
            try:
                main()
            except SystemExit as ending:
                code = ending.code
        os._exit(code)
    if wait is not None:
        time.sleep(wait)
        os.kill(child, by)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at(number: int) -> Callable[[], None]:
    """Prepare a child to die at that write, renaming or removing of a file: in the middle of a write."""
    done = 0

    def counted(act: Callable, begin: Callable = lambda *_: None) -> Callable:
        def acting(*arguments, **options):
            nonlocal done
            done += 1
            if done == number:
                begin(*arguments)
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*arguments, **options)

        return acting

    def prepare() -> None:
        write = Spool._write_all
        Spool._write_all = counted(write, lambda spool, place, whole: write(spool, place, whole[: len(whole) // 2]))
        os.replace, os.link, Path.unlink = counted(os.replace), counted(os.link), counted(Path.unlink)

    return prepare


def full_at(size: int) -> Callable[[], None]:
    """Prepare a child that can write no file larger than so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def resumed(outcomes: Counter) -> None:
    """Go on with the killed run to its end, which begins again if nothing had been kept."""
    kept = Path(".a.h5.resume").exists() or Path("a.h5").exists()
    code = command("--resume")
    outcomes["complete" if code else "resumed" if kept else "nothing kept"] += 1
    assert code == 0 or (code == 5 and kept and Path("a.h5").exists()), code


def found() -> tuple[str, dict[str, float]]:
    """The content hash and the metrics in the file, which is whole."""
    with rigidsim.load("a.h5") as trajectory:
        assert (trajectory.status, trajectory.content_hash) == ("complete", trajectory.stored_hash)
        return trajectory.stored_hash, trajectory.metrics


def check(wanted: tuple[str, dict[str, float]]) -> None:
    """The file is that of an undisturbed run, and alone."""
    assert found() == wanted
    Path("a.h5").unlink()
    assert sorted(os.listdir()) == ["scene.json"], os.listdir()


def check_kills(kills: int, outcomes: Counter) -> None:
    """All kills, one after the other."""
    begin = time.perf_counter()
    assert command() == 0
    seconds = time.perf_counter() - begin
    wanted = found()
    Path("a.h5").unlink()
    writes = next(n for n in range(20, 10_000, 20) if ended(n))
    for k in range(kills):
        if command(prepare=kill_at(1 + k * writes // kills)) == -signal.SIGKILL:
            outcomes["killed at a write"] += 1
            if k % 2:
                outcomes["killed again"] += command("--resume", prepare=kill_at(1 + k % 15)) == -signal.SIGKILL
            resumed(outcomes)
        check(wanted)
    chosen = random.Random(1)
    for _ in range(kills):
        by = chosen.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT))
        code = command(wait=chosen.uniform(0.0, seconds), by=by)
        outcomes["killed at a time"] += code == -signal.SIGKILL
        outcomes["interrupted"] += code == 128 + signal.SIGINT
        resumed(outcomes)
        check(wanted)
    assert command() == 0
    size = Path("a.h5").stat().st_size
    Path("a.h5").unlink()
    for k in range(kills):
        code = command(prepare=full_at(int(size * (k + 1) / kills)))
        assert code in (0, 5), code
        outcomes["full disk"] += code == 5
        resumed(outcomes)
        check(wanted)


def ended(number: int) -> bool:
    """Whether a run has fewer writes than that."""
    code = command("--force", prepare=kill_at(number))
    Path("a.h5").unlink(missing_ok=True)
    for left in Path().glob(".a.h5*"):
        left.unlink()
    return code == 0


def begin(folder: str, name: str, kills: str) -> None:
    run.FIRST_CHECKPOINT_SECONDS = run.CHECKPOINT_SECONDS = 0.0
    run.CHECKPOINT_SHARE = 1e9  # after each slice of the run that has a sample
    os.chdir(folder)
    scene = rigidsim.Scene.from_dict(SCENES[name])
    Path("scene.json").write_text(scene.source)
    rigidsim.simulate(scene)  # compiles
    outcomes: Counter = Counter()
    check_kills(int(kills), outcomes)
    print(", ".join(f"{what}: {count}" for what, count in sorted(outcomes.items())))


if __name__ == "__main__":
    begin(*sys.argv[1:])
