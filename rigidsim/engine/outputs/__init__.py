"""What a run records: samples, terms of accelerations, metrics."""
