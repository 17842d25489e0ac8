"""YAML text, with the place of everything in it, and plain data."""
