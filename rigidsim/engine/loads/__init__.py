"""Forces and torques on bodies: declared laws, mutual gravity, expressions, Python functions."""
