"""What may be written in a scene: one frozen model for each mapping."""
