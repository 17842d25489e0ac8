"""What can be read of a run: one vocabulary for expressions, metrics, oracles, tables, plots and exports."""
