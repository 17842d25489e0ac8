"""The tree of a scene at t = 0: parents, moved bases, masses, initial motion."""
