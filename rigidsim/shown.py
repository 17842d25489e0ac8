"""How scenes, states, trajectories and sweeps show themselves in a notebook."""

from __future__ import annotations

from importlib import import_module


def in_notebook(kind: str, shown: object) -> str:
    """HTML of a scene, state, trajectory or sweep. The report is imported by its name: it imports what it shows."""
    return getattr(import_module("rigidsim.report.notebook"), f"html_of_{kind}")(shown)
