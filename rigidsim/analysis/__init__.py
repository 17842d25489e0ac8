"""Analysis of finished trajectories: the model at a sample, each load alone, conserved quantities."""
