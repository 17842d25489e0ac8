"""Measures the English of the pages: `python docs/prose.py [PAGE ...]`.

It prints the words, the mean and the longest sentence of each page, then the sentences above the limit and words that
the pages do not use. `tests/test_documents.py` holds each page to `LIMIT` and `MEAN`. Code, headings and
pictures do not count, inline code is one word, and a list item or a
cell of a table is a sentence of its own at least. Cells do not count for the mean.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
LIMIT, MEAN = 35, 17
"""The words of the longest sentence of a page, and the mean over its sentences."""
NOT_USED = re.compile(
    r"\b(?:(?:first|second|two|changes) gears?|hangs? (?:on|together)"
    r"|told|lone|alike|calm|haste|wound|paced|course|grips?|blows?)\b",
    re.IGNORECASE,
)
"""Words of our own for which the field has a term, or German usage."""
FENCE = re.compile(r"^( *)```.*?^\1```$|^\$\$\n.*?^\$\$$", re.MULTILINE | re.DOTALL)
ASIDE = re.compile(r"<!--.*?-->|<[^>]+>|^!!!.*$|^---\n.*?\n---$|!\[[^\]]*\]\([^)]*\)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"``.+?``|`[^`]+`|\$[^$]+\$", re.DOTALL)
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) )")
END = re.compile(r"(?<=[.?!])[\"')*]*\s+(?=[\"'(*A-Z0-9\[]|rigidsim)")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|cf|et al|Fig|No)\.")
SECTION = re.compile(r"^(?:Parameters|Returns|Yields|Raises)\n-+\n", re.MULTILINE)
TERM = re.compile(r"^\S.*\n", re.MULTILINE)
"""In a section of a docstring, a line with names and types; what they mean is indented below."""
EXAMPLES = re.compile("\b\n.*?(?:\n\n|$)", re.DOTALL)
"""In the help of a command, lines that click prints as they are."""
WORD = re.compile(r"[^\W_][\w'.,/-]*")


def words_of(sentence: str) -> int:
    """How many words it has."""
    return len(WORD.findall(sentence))


class Prose(NamedTuple):
    """The sentences of a page, those in cells of tables, and words on it that are not to be used."""

    sentences: list[str]
    cells: list[str]
    not_used: list[str]

    @property
    def lengths(self) -> list[int]:
        """The words of each sentence."""
        return [words_of(sentence) for sentence in self.sentences]

    @property
    def mean(self) -> float:
        """The mean length of a sentence."""
        return sum(self.lengths) / max(1, len(self.sentences))

    @property
    def longest(self) -> int:
        """The length of the longest sentence, also of those in tables."""
        return max((words_of(sentence) for sentence in (*self.sentences, *self.cells)), default=0)

    @property
    def above(self) -> list[str]:
        """The sentences that are too long."""
        return [sentence for sentence in (*self.sentences, *self.cells) if words_of(sentence) > LIMIT]


def prose(text: str) -> Prose:
    """The sentences of a page in Markdown."""
    text = ASIDE.sub("", CODE.sub("X", FENCE.sub("", text)))
    text = ABBREVIATION.sub(r"\1", LINK.sub(r"\1", text))
    blocks = (re.sub(r"^\s*(?:[-*]|\d+\.) ", "", block).strip() for block in BLOCK.split(text))
    texts = [re.sub(r"\s+", " ", block) for block in blocks if not block.startswith("#")]
    running, cells = (
        [sentence for text in some for sentence in END.split(text) if WORD.search(sentence)]
        for some in (
            [text for text in texts if not text.startswith("|")],
            [cell for text in texts if text.startswith("|") for cell in text.strip("|").split("|")],
        )
    )
    not_used = [match[0] for sentence in (*running, *cells) for match in NOT_USED.finditer(sentence)]
    return Prose(running, cells, not_used)


def pages() -> list[Path]:
    """README and all pages, without those that are made from docstrings, and the changelog."""
    others = [DOCS / name for name in ("api.md", "changelog.md", "elementary.md", "physics.md")]
    return [DOCS.parent / "README.md", *sorted({*DOCS.rglob("*.md")} - {*others})]


def name_of(page: Path) -> str:
    """A page by its path below docs/."""
    return str(page.relative_to(DOCS) if page.is_relative_to(DOCS) else page.name)


def docstrings() -> str:
    """The docstrings of docs/api.md, which are in fences there."""
    texts = re.findall(r"^```text\n(.*?)```", (DOCS / "api.md").read_text(), re.MULTILINE | re.DOTALL)
    return "\n\n".join(map(without_terms, texts))


def without_terms(docstring: str) -> str:
    """A docstring without the headings of its sections, and the names and types in them."""
    text, *sections = SECTION.split(docstring)
    return "\n\n".join([text, *(TERM.sub("\n", section) for section in sections)])


def messages() -> str:
    """The texts of at least three words in the sources, X for each value: help, errors, warnings, labels. Docstrings
    and the descriptions of rows (`Row`, `Integers`) are not for users.
    """
    return "\n\n".join(
        text
        for path in sorted((DOCS.parent / "rigidsim").rglob("*.py"))
        for text in shown_in(ast.parse(path.read_text()))
        if len(text.split()) > 2
    )


def shown_in(node: ast.AST) -> Iterator[str]:
    """The texts below a node of a syntax tree."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield EXAMPLES.sub("", node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) and not is_row(node):
        for child in ast.iter_child_nodes(node):
            yield from shown_in(child)


def is_row(node: ast.AST) -> bool:
    """Whether a row of arrays is declared here."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Row", "Integers")


def main(names: list[str]) -> None:
    """Print the table, and with names the long sentences of these pages."""
    print(f"{'page':31} words sentences  mean longest  above {LIMIT}")
    for page in [Path(name) for name in names] or pages():
        measured = prose(page.read_text())
        lengths, above = measured.lengths, measured.above
        row = f"{sum(lengths):6} {len(lengths):9} {measured.mean:5.1f} {measured.longest:7} {len(above):9}"
        print(f"{name_of(page.resolve()):31}{row}  {' '.join(measured.not_used)}")
        for sentence in above if names else ():
            print(f"    {words_of(sentence)}: {sentence}")


if __name__ == "__main__":
    main(sys.argv[1:])
