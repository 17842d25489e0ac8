"""Three-dimensional pictures of trajectories: what they show as plain numbers, and an HTML page that shows it."""
