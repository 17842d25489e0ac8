"""What is compiled, and how often."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import rigidsim.engine
from rigidsim._jit import kernel

HERE = Path(__file__).parent

SIGNATURES = """
import sys
from importlib import import_module
from pkgutil import walk_packages
from every_kind import GRAVITY, STEP, every_kind
from scenes import make_scene
import rigidsim, rigidsim.engine
from numba.core.dispatcher import Dispatcher
how = dict(duration=0.2, step=STEP, gravity=GRAVITY, integrator=sys.argv[1])
for terms in (False, True):
    rigidsim.simulate(make_scene(every_kind(), **how), terms=terms)
    rigidsim.simulate(make_scene({"alone": every_kind()["probe"]}, **how), terms=terms)
for found in walk_packages(rigidsim.engine.__path__, "rigidsim.engine."):
    for name, value in vars(import_module(found.name)).items():
        if isinstance(value, Dispatcher) and value.py_func.__module__ == found.name:
            print(found.name, name, len(value.signatures))
"""


def kernels() -> dict[str, Dispatcher]:
    """All kernels of the engine by name."""
    found = {}
    for module in walk_packages(rigidsim.engine.__path__, "rigidsim.engine."):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, Dispatcher) and value.py_func.__module__ == module.name:
                found[f"{module.name}.{name}"] = value
    return found


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus"])
def test_no_kernel_is_compiled_twice(integrator):
    """Large and small scenes, with and without terms, are all of the same types."""
    done = subprocess.run(
        [sys.executable, "-c", SIGNATURES, integrator], cwd=HERE, capture_output=True, text=True, check=True
    )
    counts = {tuple(line.split()[:2]): int(line.split()[2]) for line in done.stdout.splitlines()}
    assert counts["rigidsim.engine.stepper", "advance"] == 1
    assert max(counts.values()) == 1, {name: count for name, count in counts.items() if count > 1}


def test_kernels_are_found_and_share_their_options():
    found = kernels()
    assert "rigidsim.engine.stepper.advance" in found
    for name, dispatcher in found.items():
        options = dispatcher.targetoptions
        assert options["nogil"], name
        assert options["error_model"] == "numpy", name
        assert not options.get("fastmath"), name
        assert not options.get("parallel"), name
        assert options["_nrt"] is False, name


def test_a_kernel_that_allocates_does_not_compile():
    """Without numba's run time there is no memory to be had."""

    def allocate(n):
        return np.zeros(n).sum()

    with pytest.raises(numba.core.errors.NumbaError):
        kernel(allocate)(3)
