"""A state that is no longer finite."""
