"""Running scenes: one world step by step, many in lanes, and what is told of it."""

from rigidsim.simulation.batch import simulate
from rigidsim.simulation.single import Simulation

__all__ = ["Simulation", "simulate"]
