"""Fixtures of the engine's tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from scenes import interpreted


@pytest.fixture
def other_methods_interpreted(request) -> Iterator[None]:
    """In a test that is parametrised by the method, only `rkmk4` is compiled; with `--compile-all` each is."""
    chosen = request.node.callspec.params.values() if hasattr(request.node, "callspec") else ()
    methods = {"magnus", "magnus2", "euler"} & set(map(str, chosen))
    with interpreted() if methods and not request.config.getoption("--compile-all") else nullcontext():
        yield
