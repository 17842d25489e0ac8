"""The output of commands: lists of sections, as text, JSON or HTML."""
