"""The tree of a scene at t = 0: parents, carriers, masses, initial motion."""
