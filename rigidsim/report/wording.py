"""Text that several reports share."""

from __future__ import annotations

from rigidsim.trajectory.header import Header


def counted(number: int, one: str, many: str = "") -> str:
    """`1 sample`, `2 samples`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def title_of(header: Header) -> str:
    """The title of the scene, or else its name."""
    return header.resolved.get("title") or header.scene_name or "untitled"
