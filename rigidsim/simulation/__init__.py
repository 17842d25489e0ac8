"""Running scenes: one world step by step, or many in lanes; their events, failures and headers."""

from rigidsim.simulation.batch import simulate
from rigidsim.simulation.single import Simulation

__all__ = ["Simulation", "simulate"]
