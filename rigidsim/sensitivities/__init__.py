"""Derivatives of runs with respect to numbers of their scenes."""
