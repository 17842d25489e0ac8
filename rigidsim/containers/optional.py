"""Values that need not be there."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def not_none(value: T | None) -> T:
    """A value that is known to be there."""
    assert value is not None
    return value
