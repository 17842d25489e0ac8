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
