"""From a blueprint and the tree of the moment to the arrays of a Model: at the start, and at each reparenting."""
