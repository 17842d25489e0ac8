"""What runs a scene or a sweep into a file: going on with it, progress, signals."""
