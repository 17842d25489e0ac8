"""What is unwise in a scene: warnings before a run."""
