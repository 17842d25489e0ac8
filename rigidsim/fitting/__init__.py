"""Numbers of a scene estimated from measurements."""
