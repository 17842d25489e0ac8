"""Sweeps: many runs of a scene that differ in the values of a few numbers."""
