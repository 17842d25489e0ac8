"""Trajectories: access by body name, in memory or from a file (`reader.load`), and the HDF5 format.

The only package that imports h5py.
"""

from rigidsim.trajectory.bodies import BodyHistory, JointHistory, State
from rigidsim.trajectory.trajectory import Trajectory

__all__ = ["BodyHistory", "JointHistory", "State", "Trajectory"]
