"""The arrays of a model: rows, declared once; named tuples of arrays; programs of expressions."""
