"""Single values: units, quantities, vectors, times."""
