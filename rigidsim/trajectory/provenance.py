"""The provenance of a trajectory: versions and platform. It is not part of the content hash."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

PACKAGES = ("numpy", "llvmlite", "h5py")
CALLBACKS = "callbacks"
"""A key that a run has with forces from Python functions, which its scene does not know."""


def cpu_model() -> str:
    """The name of the processor, as far as the system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@cache
def provenance() -> dict[str, str]:
    """Versions, platform and processor."""
    import rigidsim

    return {
        "rigidsim": rigidsim.__version__,
        "python": platform.python_version(),
        **{name: import_module(name).__version__ for name in PACKAGES},
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": str(os.cpu_count()),
        "byte_order": sys.byteorder,
    }
