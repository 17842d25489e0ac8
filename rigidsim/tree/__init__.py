"""The tree of frames: nodes and what holds them, masses of what is rigidly joined, motions along it, its changes."""
