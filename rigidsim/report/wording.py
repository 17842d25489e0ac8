"""Text that several reports share."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 sample`, `2 samples`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
