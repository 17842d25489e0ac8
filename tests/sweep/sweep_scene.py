"""A scene with numbers, a parameter with a unit, and words to vary."""

from __future__ import annotations

TEXT = """\
format: rigidsim/1
parameters:
  spin: 30 rpm
  size: 2
simulation: {duration: 1, step: 0.1}
bodies:
  top:
    mass: 2
    inertia: {principal: [1, 1, "= size"]}
    angular_velocity: [0, 0, "= spin"]
"""
