"""Energy less work."""
