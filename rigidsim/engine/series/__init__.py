"""Series of Taylor of a scene's own equations: their graph, its recurrences, and steps by them."""
