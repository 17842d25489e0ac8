"""Parts of a model that a scene may lack: they are None, and what concerns them is not even compiled then."""

from __future__ import annotations

from rigidsim._jit import compiled_form


def if_given(part, function, *more):
    """Call function(part, *more), unless there is no such part."""
    if part is not None:
        function(part, *more)


@compiled_form(if_given)
def _if_given(part, function, *more):
    if not hasattr(part, "instance_class"):  # of a named tuple
        return lambda part, function, *more: None
    return lambda part, function, *more: function(part, *more)


def value_if_given(default, part, function, *more):
    """What function(part, *more) gives; the default, if there is no such part."""
    return default if part is None else function(part, *more)


@compiled_form(value_if_given)
def _value_if_given(default, part, function, *more):
    if not hasattr(part, "instance_class"):
        return lambda default, part, function, *more: default
    return lambda default, part, function, *more: function(part, *more)
