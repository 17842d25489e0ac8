"""Signals end a run within a second, and its file is whole."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import rigidsim
from rigidsim.runner.signals import STOP_SIGNALS, StopRequest
from spinning_brick import SCENE, remains
from typed import COMPILING

ENDLESS = ["--duration", "1e6", "--step", "1e-3", "--record-every", "1"]  # half an hour of computing
SECONDS = 30.0  # measured: 0.33 s from the signal to the end of the process on an idle machine

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")


def hears(process, number: int, field: str = "SigCgt") -> bool:
    """Whether a process catches (or, by another field, ignores) a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith(field))
    return bool(int(mask, 16) >> (number - 1) & 1)


@pytest.fixture
def under_way(spawn, workplace):
    """An endless run that has begun to write and to listen for SIGTERM."""

    def start(*more, **options):
        # A test run in the background may itself have been made to ignore them.
        options = {"preexec_fn": lambda: [signal.signal(number, signal.SIG_DFL) for number in STOP_SIGNALS]} | options
        process = spawn("run", "scene.yaml", "-o", "a.h5", *ENDLESS, *more, **options)
        give_up = time.monotonic() + 60
        while not (workplace / ".a.h5.tmp").exists() or not hears(process, signal.SIGTERM):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < give_up
            time.sleep(0.01)
        time.sleep(0.3)  # some samples
        return process

    return start


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_signal_ends_the_run_and_keeps_the_samples_of_an_undisturbed_one(under_way, workplace, name, code):
    process = under_way()
    begin = time.monotonic()
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < SECONDS
    assert process.returncode == code
    assert out.startswith("a.h5: interrupted, ")
    assert COMPILING.sub("", err).startswith(f"interrupted by {name} at t = ")
    assert "a.h5 holds the" in err
    assert remains(workplace) == {"scene.yaml", "a.h5"}
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.status == "interrupted"
        assert len(trajectory.time) > 2
        assert np.array_equal(trajectory.time[:-1], np.arange(len(trajectory.time) - 1) * 1000 * 1e-3)
        assert trajectory.content_hash == trajectory.stored_hash
        stopped = trajectory["brick"].world.orientation[:5]
    changes = ["simulation.duration=5", "simulation.step=1e-3", "simulation.record_every=1"]
    undisturbed = rigidsim.simulate(rigidsim.Scene.from_text(SCENE, overrides=changes))
    assert len(stopped) > 2
    assert np.array_equal(stopped, undisturbed["brick"].world.orientation[: len(stopped)])


def test_second_signal_ends_at_once_and_leaves_nothing(under_way, workplace):
    # A sample each step: the first signal is answered only after what is recorded has been written.
    process = under_way("--duration", "1e4", "--record-every", "0.01")
    os.kill(process.pid, signal.SIGSTOP)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(process.pid, number)
    begin = time.monotonic()
    os.kill(process.pid, signal.SIGCONT)
    process.communicate(timeout=60)
    assert time.monotonic() - begin < SECONDS
    assert process.returncode in (130, 143)
    assert remains(workplace) == {"scene.yaml"}


def test_ignored_hangup_stays_ignored(under_way):
    """As under `nohup`."""
    process = under_way(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert hears(process, signal.SIGHUP, "SigIgn")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 143


def test_handlers_are_put_back():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with StopRequest() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert (stop.received, stop.name) == (signal.SIGTERM, "SIGTERM")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_interrupt_before_the_run_is_one_line(call, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rigidsim.simulation.single.Simulation.prepare", interrupt)
    assert call("run", "scene.yaml", "-o", "a.h5") == (130, "", "\ninterrupted\n")


def test_an_interrupted_run_says_that_it_has_no_derivatives(under_way):
    process = under_way("--derivatives", "bodies.brick.mass")
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    assert "a run that is interrupted has no derivatives; a complete run from its start has them" in err
