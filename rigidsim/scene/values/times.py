"""Times on the command line and in the API, in the notation of scenes."""

from __future__ import annotations

from pydantic_core import PydanticCustomError

from rigidsim.errors import UsageError
from rigidsim.scene.values.quantities import TIME


def seconds(text: str) -> float:
    """A number, or a quantity such as `500 ms`, in s. Raises UsageError for anything else."""
    try:
        return TIME.read(text)
    except PydanticCustomError as error:
        raise UsageError(error.message()) from None
