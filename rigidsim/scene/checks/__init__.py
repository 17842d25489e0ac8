"""Checks of a scene as a whole, of which each part is valid on its own."""
