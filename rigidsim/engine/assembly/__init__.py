"""From a blueprint and the present tree to the arrays of a Model: at t = 0 and at each reparenting."""
