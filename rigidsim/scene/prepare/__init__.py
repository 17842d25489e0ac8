"""Changes to the plain data before validation: overrides, parameters, copies."""
