"""Tables in CSV files: names in the first line, perhaps with units behind them, then rows of cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rigidsim.errors import StorageError, UsageError
from rigidsim.scene.text.document import shown

Line = tuple[int, list[str]]
"""The number of the last line of a row in the file, counted from one, and its cells."""
WITH_UNIT = re.compile(r"(.*\S)\s*(?:\(([^()]*)\)|\[([^\[\]0-9][^\[\]]*)\])")
"""A column with its unit: `altitude (km)`, `density [kg/m^3]`; an index, `position[2]`, is none."""
NO_UNIT = ("-", "1")


class BadTable(UsageError):
    """What is wrong with a table, and where: the file, the line, perhaps the column."""

    def __init__(self, path: Path, message: str, line: int = 0, column: int = 0):
        super().__init__(f"{path}{f':{line}' * (line > 0)}{f':{column}' * (column > 0)}: {message}")
        self.message, self.line = message, line


def csv_lines(path: Path) -> Iterator[Line]:
    """The lines of a CSV file that are neither empty nor comments (#). Raises StorageError, and BadTable for what is
    not CSV.
    """
    if path.exists() and not path.is_file():
        raise StorageError(f"{path} is not a regular file; a table is a CSV file")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(_without_comments(file), strict=True, skipinitialspace=True)
            try:
                yield from ((reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells))
            except csv.Error as error:
                raise BadTable(path, f"this is not CSV: {error}", reader.line_num) from None
    except UnicodeDecodeError:
        raise BadTable(path, "this is not UTF-8 text; save the table as CSV in UTF-8") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from None


def _without_comments(lines: Iterable[str]) -> Iterator[str]:
    return ("\n" if line.lstrip().startswith("#") else line for line in lines)


def csv_names(path: Path, line: int, header: list[str]) -> list[str]:
    """The names of the columns of a CSV file. Raises BadTable."""
    if not header:
        raise BadTable(path, "the table is empty; its first line has the names, such as spin,bodies.top.mass")
    names = [cell.strip() for cell in header]
    for index, name in enumerate(names):
        if not name:
            raise BadTable(path, "this column has no name", line, index + 1)
        if name in names[:index]:
            raise BadTable(path, f"'{shown(name)}' is the name of an earlier column, too", line, index + 1)
        if len(names) == 1 and (";" in name or "\t" in name):
            message = f"the columns of a table are separated by commas, got '{shown(name)}'"
            raise BadTable(path, message, line, index + 1)
    return names


def with_unit(name: str) -> tuple[str, str]:
    """The name of a column, and the unit behind it; empty if there is none."""
    match = WITH_UNIT.fullmatch(name)
    if match is None:
        return name, ""
    unit = (match[2] or match[3] or "").strip()
    return match[1], "" if unit in NO_UNIT else unit


def require_cells(path: Path, line: Line, names: list[str]) -> None:
    """Raise BadTable unless a line has as many cells as the header."""
    number, cells = line
    if len(cells) != len(names):
        counted = f"{len(names)} cell{'s' * (len(names) != 1)}"
        raise BadTable(path, f"expected {counted} as in the header, got {len(cells)}", number)
