"""The imports of commands, which are most of the time of a short one."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Import without garbage collection: modules live as long as the process, and looking through them again and again
    takes a fifth of the time of a short run. What was imported is left out of later collections.
    """
    known, was_enabled = len(sys.modules), gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
        if was_enabled:
            gc.enable()
