"""Findings: problems found by the checks of a whole scene."""

from __future__ import annotations

from dataclasses import dataclass

from rigidsim.scene.hierarchy.nodes import SceneNode
from rigidsim.scene.schema.integrators import Method, able
from rigidsim.scene.text.document import Path

WHOLE_TOLERANCE = 1e-9
"""Relative tolerance of a ratio of times that must be a whole number."""


@dataclass(frozen=True)
class Finding:
    """A problem at a path of the scene."""

    code: str
    message: str
    path: Path
    hint: str = ""
    at_key: bool = False


def finding_at(node: SceneNode, code: str, message: str, key: str | None = None, hint: str = "") -> Finding:
    """A finding about a body, or about one of its keys."""
    place = node.place if key is None else (*node.place, key)
    return Finding(code, message, place, hint, at_key=key is not None)


def incapable(method: Method, capability: str, what: str, otherwise: str = "") -> Finding:
    """A finding about an integrator that lacks a capability, which a scene needs to do `what`; the hint names those
    that have it, and what else helps.
    """
    hint = f"use {able(capability)}{otherwise}"
    return Finding("integrator", f"'{method.name}' does not {what}", ("simulation", "integrator"), hint)


def is_whole(ratio: float) -> bool:
    """Whether a ratio of times is a whole number, but for rounding."""
    nearest = round(ratio)
    return nearest >= 1 and abs(ratio - nearest) <= WHOLE_TOLERANCE * nearest
