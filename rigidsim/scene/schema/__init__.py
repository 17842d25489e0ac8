"""The schema of a scene: one frozen model for each mapping."""
