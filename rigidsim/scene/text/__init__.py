"""Reading YAML text to plain data with the location of every value."""
