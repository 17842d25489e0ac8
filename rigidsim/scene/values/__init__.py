"""What single values mean: units, quantities, vectors, times."""
