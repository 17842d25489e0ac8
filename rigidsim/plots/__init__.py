"""Figures of trajectories, drawn by matplotlib without a display. The only package that imports it."""

from rigidsim.arguments import needed

needed("matplotlib", "figures", "plot")
