"""Sensors and controllers: a clock, errors, range finders, control laws."""
