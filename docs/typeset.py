"""Docstrings of formulas as Markdown with typeset equations.

An equation in a docstring is plain text: `a_WC = g + f/m`, `omega x L`, `x'' = k (w - U . a')`. Symbols are single
letters, Greek names and names of arguments, with subscripts and primes. ` x ` between two operands is the vector
product and ` . ` the scalar one; two operands side by side are a product. What is no equation remains text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator
from typing import NamedTuple

GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Delta", "Omega", "Sigma", "Phi",
}  # fmt: skip
FUNCTIONS = {"sin", "cos", "tan", "cot", "exp", "log", "sinh", "cosh", "tanh", "max", "min"}
BARE = {"sin", "cos", "tan", "cot"}
"""Functions whose argument may stand without brackets. Any other word before a bracket is a function, too."""
UNITS = {"m", "s", "kg", "N", "rad", "J", "W", "Hz"}
UNIT = re.compile(r"\(?(?:1/)?[A-Za-z]+(?:\^\d)?(?:[ /*][A-Za-z]+(?:\^\d)?)*\)?")
TOKEN = re.compile(
    r"(?P<code>`[^`]+`)|(?P<word>[A-Za-z]+\d?(?:_[A-Za-z0-9]+)*(?:'[a-z]+\b|'+(?!\w))?)|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)"
    r"|(?P<sign><=|>=|->|[-+*/^=<>|()\[\],.])|(?P<other>\S)"
)
BINARY = {"+": " + ", "-": " - ", "*": r"\, ", "/": "/", "=": " = ", "<": " < ", ">": " > ", "<=": r" \le "}
BINARY |= {">=": r" \ge ", "->": r" \to ", "x": r" \times ", ".": r" \cdot "}
SUM = r"\textstyle\sum"
SPACED = ("x", "-", "<", ">")
"""What is an operation between spaces only: `x-axis` is a word."""
ASSIGNED = re.compile(r"(?<![\w.`])([A-Za-z]+) = ")
"""Words that an equation in the text defines are symbols."""
CLOSING = {"(": ")", "[": "]"}
ARTICLES = ("a", "A", "I")
MARKDOWN = str.maketrans({"_": r"\_", "<": "&lt;", "$": r"\$"})


def as_markdown(docstring: str, arguments: Collection[str] = ()) -> str:
    """A docstring with its equations; `arguments` are names that are symbols, too."""
    blocks = re.split(r"\n\s*\n|\n(?=\d\. |- )", docstring)
    arguments = {*arguments, *ASSIGNED.findall(docstring)}
    return "\n\n".join(block for text in blocks for block in _blocks(text, arguments))


def _blocks(text: str, arguments: Collection[str]) -> Iterator[str]:
    """A paragraph, or of an indented block the equations, or else its text as it stands."""
    if not text.startswith("    "):
        yield inline(" ".join(text.split()), arguments)
        return
    lines = textwrap.dedent(text).splitlines()
    parts = [[part.strip().rstrip(",.;") for part in re.split(r"\s{3,}", line)] for line in lines]
    rows = [[_whole(part, arguments) for part in row] for row in parts]
    if all(part for row in rows for part in row):
        shown = " \\\\\n".join(r" \qquad ".join(row) for row in rows)
        yield f"$$\n\\begin{{gathered}}\n{shown}\n\\end{{gathered}}\n$$"
    elif any(True for line in lines for _ in _equations(line, arguments)):
        yield from (inline(" ".join(line.split()), arguments) for line in lines)
    else:
        yield f"```text\n{chr(10).join(lines)}\n```"


def inline(text: str, arguments: Collection[str]) -> str:
    """A paragraph with its equations between dollars."""
    made, end = [], 0
    for one in _equations(text, arguments):
        made += [_escaped(text[end : one.begin]), f"${one.latex}$"]
        end = one.end
    return "".join([*made, _escaped(text[end:])])


class Equation(NamedTuple):
    """A part of a text that is an equation, and its LaTeX."""

    begin: int
    end: int
    latex: str


def _whole(text: str, arguments: Collection[str]) -> str:
    """The LaTeX of a text that is an equation from its beginning to its end; empty of any other."""
    found = [*_equations(text, arguments)]
    return found[0].latex if len(found) == 1 and found[0][:2] == (0, len(text)) else ""


def _equations(text: str, arguments: Collection[str]) -> Iterator[Equation]:
    """The longest parts of a text that are equations."""
    reader, place = _Reader(text, arguments), 0
    while place < len(reader.tokens):
        latex, end = reader.sequence(place)
        tokens = reader.tokens[place:end]
        is_equation = _says_something(tokens, arguments) or r"\times" in latex
        if is_equation:
            words = [token["word"] for token in tokens if token["word"]]
            is_unit = all(word in UNITS for word in words) and UNIT.fullmatch(
                text[tokens[0].start() : tokens[-1].end()]
            )
            yield Equation(tokens[0].start(), tokens[-1].end(), rf"\mathrm{{{latex}}}" if is_unit else latex)
        place = end if is_equation else place + 1


def _says_something(tokens: list[re.Match], arguments: Collection[str]) -> bool:
    """Whether tokens are more than a number or a plain name: an operation, a product, a Greek letter, a subscript."""
    words = [token["word"] for token in tokens if token["word"]]
    if not words:
        return False
    if len(tokens) == 1:
        base = words[0].rstrip("'")
        is_marked = ("_" in base and base not in arguments) or base != words[0]
        return is_marked or base.partition("_")[0] in GREEK
    is_named = any(word in arguments and len(word) > 2 for word in words)
    return any(token["sign"] for token in tokens) or not (is_named or words[0] in ARTICLES)


class _Reader:
    """Reads equations from the tokens of a text. Each method returns the LaTeX of what begins at a place, and the place
    behind it; that place itself if nothing does.
    """

    def __init__(self, text: str, arguments: Collection[str]):
        self.tokens, self._text, self._arguments = [*TOKEN.finditer(text)], text, arguments

    def sequence(self, place: int) -> tuple[str, int]:
        """Operands with operations between them."""
        latex, end = self._signed(place)
        while end > place:
            sign = self._sign(end)
            if sign in BINARY and self._is_operation(end):
                right, after = (self._signed if sign not in ("x", ".") else self._operand)(end + 1)
                if after > end + 1:
                    latex, end = latex + BINARY[sign] + right, after
                    continue
            right, after = self._operand(end) if self._may_follow(end) else ("", end)
            if after == end:
                break
            is_call = sign in CLOSING and self.tokens[end - 1].end() == self.tokens[end].start()
            latex, end = latex + ("" if is_call else r"\, ") + right, after
        return latex, end

    def _signed(self, place: int) -> tuple[str, int]:
        if self._sign(place) != "-" or self._gap(place + 1):
            return self._operand(place)
        latex, end = self._operand(place + 1)
        return (f"-{latex}", end) if end > place + 1 else ("", place)

    def _operand(self, place: int) -> tuple[str, int]:
        """A number, a symbol, or what is in brackets, and its power."""
        latex, end = self._bracketed(place) if self._sign(place) in ("(", "[", "|") else self._symbol(place)
        if end > place and self._sign(end) == "*" and not self._gap(end) and not self._is_operand(end + 1):
            return f"{latex}^{{*}}", end + 1
        if end > place and self._sign(end) == "^":
            power, after = self._signed(end + 1) if self._sign(end + 1) == "-" else self._base(end + 1)
            if after > end + 1:
                return f"{latex}^{{{power}}}", after
        return latex, end

    def _is_operand(self, place: int) -> bool:
        """Whether an operand begins right behind the token before."""
        return not self._gap(place) and self._operand(place)[1] > place

    def _base(self, place: int) -> tuple[str, int]:
        return self._bracketed(place) if self._sign(place) == "(" else self._symbol(place)

    def _bracketed(self, place: int) -> tuple[str, int]:
        opening = self._sign(place)
        latex, end = self.sequence(place + 1)
        while end > place + 1 and self._sign(end) == "," and opening in CLOSING:
            more, after = self.sequence(end + 1)
            if after == end + 1:
                break
            latex, end = f"{latex},\\; {more}", after
        if end == place + 1 or self._sign(end) != CLOSING.get(opening, "|"):
            return "", place
        shown = rf"\lvert {latex} \rvert" if opening == "|" else f"{opening}{latex}{CLOSING[opening]}"
        return shown, end + 1

    def _symbol(self, place: int) -> tuple[str, int]:
        if place >= len(self.tokens) or not (word := self.tokens[place]["word"]):
            is_number = place < len(self.tokens) and self.tokens[place]["number"]
            return (_number(is_number), place + 1) if is_number else ("", place)
        base = word.rstrip("'")
        stem, *below = (
            re.sub(r"(?<=[A-Za-z])(\d)(?=_|$)", r"_\1", base, count=1).split("_") if len(base) > 1 else [base]
        )
        is_call = self._sign(place + 1) == "(" and not self._gap(place + 1)
        if base == "sqrt" and is_call:
            inside, end = self._bracketed(place + 1)
            return (rf"\sqrt{{{inside[1:-1]}}}", end) if end > place + 1 else ("", place)
        is_known = (
            base in self._arguments or (stem == "sum" and below) or stem in GREEK | BARE | UNITS or len(stem) == 1
        )
        if not (is_known or (is_call and base.isalnum())):
            return "", place
        if stem in GREEK | FUNCTIONS:
            shown = rf"\{stem}"
        elif is_call and not is_known:
            shown, below = SUM if base == "sum" else rf"\operatorname{{{base}}}", []
        else:
            shown = SUM if stem == "sum" and below else stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
        sub = ",".join(map(_subscript, below))
        return f"{shown}{f'_{{{sub}}}' if sub else ''}{word[len(base) :]}", place + 1

    def _sign(self, place: int) -> str:
        """The sign at a place, or an x; empty if it is anything else."""
        if place >= len(self.tokens):
            return ""
        token = self.tokens[place]
        return token[0] if token["sign"] or token[0] == "x" else ""

    def _gap(self, place: int) -> bool:
        """Whether there is a space before a token."""
        return place >= len(self.tokens) or self._text[: self.tokens[place].start()][-1:].isspace()

    def _is_operation(self, place: int) -> bool:
        sign, spaces = self._sign(place), (self._gap(place), self._gap(place + 1))
        if sign == ".":
            abbreviation = self._text[self.tokens[place].start() - 1 :][3:4] == "."
            return spaces[0] == spaces[1] and (spaces[0] or not abbreviation)
        return all(spaces) if sign in SPACED else True

    def _may_follow(self, place: int) -> bool:
        """Whether what is at a place may be a factor: no article, no unit in brackets."""
        if place + 1 < len(self.tokens) and self.tokens[place][0] in ARTICLES:
            following = self.tokens[place + 1]
            return not following["word"] or self._symbol(place + 1)[1] > place + 1
        inside = place < len(self.tokens) and re.match(r"\(([^()]*)\)", self._text[self.tokens[place].start() :])
        return not (inside and all(word in UNITS for word in re.findall(r"[A-Za-z']+", inside[1])))


def _subscript(text: str) -> str:
    return rf"\{text}" if text in GREEK else text if len(text) < 3 else rf"\mathrm{{{text}}}"


def _number(text: str) -> str:
    """A number; 1e-8 as a power of ten."""
    mantissa, _, power = text.partition("e")
    factor = "" if mantissa == "1" else rf"{mantissa} \cdot "
    return f"{factor}10^{{{power}}}" if power else text


def _escaped(text: str) -> str:
    """Text outside of equations; code in it as it is."""
    return "".join(part if part.startswith("`") else part.translate(MARKDOWN) for part in re.split(r"(`[^`]*`)", text))
