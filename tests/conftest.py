"""What tests of several folders share, how hypothesis searches, and how the whole suite is spread over processes."""

from __future__ import annotations

import gc
import os
import signal
import sys

import mpmath
import pytest
from hypothesis import settings

import long_tests

# Never against the clock. By default the same examples each time; who finds something with others makes it a test.
settings.register_profile("default", deadline=None, derandomize=True, database=None)
settings.register_profile("random", deadline=None)  # pytest --hypothesis-profile random
settings.register_profile("thorough", deadline=None, max_examples=400)  # random, too, and many more
settings.load_profile("default")

# Tests start hundreds of processes, which would each compile the whole program where the environment keeps no bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts the tests in the background makes them, and the processes they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Most objects of tests last, or go without cycles: look for garbage seldom, and not until all tests are collected.
gc.set_threshold(50_000)
gc.disable()

MOST = 8  # each process has a fifth of a gigabyte


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The whole suite is run by a process for each core, single files are not. `-n` says otherwise. Each process begins
    with folders of its own, so that what the tests of a folder share is mostly made once.
    """
    is_open = getattr(config.option, "numprocesses", 0) is None  # else there is no pytest-xdist, or -n was given
    is_whole = config.args_source is config.ArgsSource.TESTPATHS
    if is_open and is_whole and not hasattr(config, "workerinput") and not config.option.usepdb:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if cores > 1:
            config.option.numprocesses, config.option.dist = min(cores, MOST), "worksteal"


LONG = long_tests.listed()


def pytest_itemcollected(item):
    """The default suite leaves out what takes long even with compiled code in the cache; CI runs it."""
    if item.nodeid.partition("[")[0] in LONG:
        item.add_marker("long")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """What the collection made lasts: no search for garbage looks through it."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def run():
    """The history of each shipped scene, computed once."""
    import rigidsim
    from rigidsim.cli.examples import shipped_scenes

    done, scenes = {}, shipped_scenes()

    def get(name: str) -> rigidsim.Trajectory:
        if name not in done:
            done[name] = rigidsim.simulate(rigidsim.Scene.from_file(scenes[name]))
        return done[name]

    return get


@pytest.fixture(scope="session")
def turned_under_constant_acceleration():
    """(q0, omega, alpha, t) -> q(t) of q' = (omega + alpha t) q / 2 in space axes, to fifty digits.

    The power series of the equation itself: (k + 1) q[k+1] = (omega q[k] + alpha q[k-1]) / 2.
    """
    mp = mpmath.MPContext()
    mp.dps = 60

    def product(u, q):
        x, y, z = u
        return (
            -x * q[1] - y * q[2] - z * q[3],
            x * q[0] + y * q[3] - z * q[2],
            y * q[0] + z * q[1] - x * q[3],
            z * q[0] + x * q[2] - y * q[1],
        )

    def turned(q_0, omega, alpha, t):
        q_0, omega, alpha = (tuple(mp.mpf(x) for x in v) for v in (q_0, omega, alpha))
        t = mp.mpf(t)
        before, now, total, power = (mp.mpf(0),) * 4, q_0, q_0, mp.mpf(1)
        for k in range(200):
            terms = zip(product(omega, now), product(alpha, before), strict=True)
            before, now = now, tuple((a + b) / (2 * (k + 1)) for a, b in terms)
            power *= t
            total = tuple(a + power * b for a, b in zip(total, now, strict=True))
            if power * max(abs(x) for x in (*now, *before)) < mp.mpf(10) ** -58:
                return total
        raise AssertionError("the step is too long for the series")

    return turned
