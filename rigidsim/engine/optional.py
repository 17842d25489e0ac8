"""Optional parts of a model: a missing part is None, and code for it is not compiled."""

from __future__ import annotations

from rigidsim._jit import compiled_form


def if_given(part, function, *more):
    """Call function(part, *more) unless the part is None."""
    if part is not None:
        function(part, *more)


@compiled_form(if_given)
def _if_given(part, function, *more):
    if not hasattr(part, "instance_class"):  # of a named tuple
        return lambda part, function, *more: None
    return lambda part, function, *more: function(part, *more)


def value_if_given(default, part, function, *more):
    """The result of function(part, *more); the default if the part is None."""
    return default if part is None else function(part, *more)


@compiled_form(value_if_given)
def _value_if_given(default, part, function, *more):
    if not hasattr(part, "instance_class"):
        return lambda default, part, function, *more: default
    return lambda default, part, function, *more: function(part, *more)
