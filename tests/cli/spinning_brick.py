"""The scene that the tests of the command line run."""

from __future__ import annotations

from pathlib import Path

SCENE = """\
format: rigidsim/1
title: A spinning brick
simulation: {duration: 1, step: 0.01, record_every: 0.05}
bodies:
  brick:
    mass: 2
    inertia: {principal: [1, 2, 2.5]}
    velocity: [1, 0, 0]
    angular_velocity: [0.1, 2, 0.3]
    children:
      mark: {position: [0, 0, 1]}
"""
STEPS, SAMPLES = 100, 21


def remains(folder: Path) -> set[str]:
    """Names of all files in a folder, the hidden ones too."""
    return {file.name for file in folder.iterdir()}
