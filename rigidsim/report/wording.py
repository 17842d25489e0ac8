"""Text that several reports share."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 sample`, `2 samples`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def clock(seconds: float) -> str:
    """Hours, minutes, seconds."""
    total = round(seconds)
    return f"{total // 3600}:{total // 60 % 60:02}:{total % 60:02}"


def span(seconds: float) -> str:
    """A length of time: seconds, or hours, minutes and seconds."""
    return f"{seconds:.2g} s" if seconds < 60 else clock(seconds)


def size_text(size: float) -> str:
    """A size in bytes: `164 MB`."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return counted(round(size), "byte")
