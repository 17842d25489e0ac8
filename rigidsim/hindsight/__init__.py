"""What can be computed again of a finished history: its model at a sample, each load alone, what it conserves."""
