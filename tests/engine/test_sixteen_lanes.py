"""Sixteen different worlds side by side have the bits of each alone."""
