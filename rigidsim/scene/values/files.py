"""Data files that a scene names: where they are, and what is required of them before they are read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import SceneModel, invalid, or_mapping


def status_of(
    path: Path, code: str, most: int, fewer: str, *, kind: str = "", formats: Collection[str] = (), **more: Any
) -> os.stat_result:
    """The status of a regular file of at most so many bytes, with one of these endings, if there are any. Raises the
    error with this code; `fewer` is the hint for a larger file. The time of change and the size are part of the keys of
    caches, so that a changed file is read again.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        hint, reason = "a relative path begins at the scene's folder", getattr(error, "strerror", None) or error
        raise invalid(code, f"'{shown(path.name)}' cannot be read: {reason}", hint, **more) from None
    if not stat.S_ISREG(status.st_mode):
        raise invalid(code, f"'{shown(path.name)}' is not a regular file", **more)
    if formats and path.suffix.lower() not in formats:
        raise invalid(code, f"'{shown(path.name)}' is not a {kind}", f"formats: {', '.join(formats)}", **more)
    if status.st_size > most:
        raise invalid(code, f"'{shown(path.name)}' is larger than {most // 2**20} MiB", fewer, **more)
    return status


def file_of(kind: str, model: type[SceneModel], describe: Callable[[Path], SceneModel]) -> Any:
    """The type of a file that is written as its path, or with what is known of it as in resolved scenes; its value is
    the latter.
    """

    def require_form(value: Any) -> Any:
        if not isinstance(value, str | dict | model):
            raise invalid("not-text", f"expected the path of a {kind}, got {shown(value)}")
        return value

    def from_path(written: Any, info: ValidationInfo) -> SceneModel:
        if isinstance(written, model):
            return written
        folder = info.context.folder if info.context else Path()
        return describe(Path(os.path.abspath(folder / written)))

    return Annotated[or_mapping(str, model), AfterValidator(from_path), BeforeValidator(require_form)]
