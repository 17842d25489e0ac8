"""Parts of pages that are made from the sources: they stand between `<!-- NAME -->` and `<!-- end -->`."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parent
END = "<!-- end -->"


def begin(name: str) -> str:
    """The mark before the part of this name."""
    return f"<!-- {name} -->\n"


def filled(page: str, made: dict[str, str]) -> str:
    """The text of a page of docs/ with the parts of these names as they are made now."""
    text = (DOCS / page).read_text()
    for name, part in made.items():
        before, rest = text.split(begin(name))
        text = before + begin(name) + part + END + rest.split(END, 1)[1]
    return text


def write(documents: dict[str, str]) -> None:
    """Write the pages of docs/ by their paths."""
    for page, text in documents.items():
        (DOCS / page).write_text(text)
