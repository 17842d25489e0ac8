"""Programs at random: whatever is written in the subset does what Python does, however its parts are combined."""

from __future__ import annotations

import random

import numpy as np
import pytest

from both_ways import compare, function_of

COUNT, SIZE = 40, 6


class Author:
    """Writes a function of a float x, an integer n, a condition b, a row of six floats, and a tuple; all names are
    assigned at the beginning, so that each can be read anywhere, and keep their kinds.
    """

    def __init__(self, seed: int):
        self.random, self.loops = random.Random(seed), 0

    def pick(self, *choices):
        made = self.random.choice(choices)
        return made() if callable(made) else made

    def floating(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("x", "y", "p[0]", "p[1]", "0.5", "-1.25", "0.0", "1.0", f"row[{self.place(0)}]")
        a, b = self.floating(depth - 1), self.floating(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"max({a}, {b})", f"min({a}, {b}, 8.0)",
            f"abs({a})", f"-{a}",
            f"({a} if {self.condition(depth - 1)} else {b})", f"row[{self.place(depth - 1)}]", f"({a} / 4)",
            f"float({self.whole(depth - 1)})", f"(0.5, {a}, 2.0)[{self.whole(0)} % 3]", f"({a} + {self.whole(0)})",
            f"({a} * {self.whole(0)})", f"(1.5, -0.0, 7.0)[{self.whole(0)} % 3]",
        )  # fmt: skip

    def whole(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("n", "k", "len(row)", "3", "-2", "0", "1")
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * 3)", f"({a} // 3)", f"({a} % 5)", f"({a} ^ {b})", f"({a} & {b})",
            f"({a} >> 1)", f"max({a}, {b})", f"({a} if {self.condition(depth - 1)} else {b})",
        )  # fmt: skip

    def place(self, depth: int) -> str:
        return f"{self.whole(depth)} % {SIZE}"

    def condition(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("b", "n > 2", "x < y", "k == 1", "x == x")
        a, c = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick(
            f"({a} and {c})", f"({a} or {c})", f"not {a}", f"{self.floating(1)} < {self.floating(1)}",
            f"0 <= {self.whole(1)} < {self.whole(0)}", f"{self.whole(1)} != {self.floating(0)}",
        )  # fmt: skip

    def assignment(self) -> str:
        return self.pick(
            f"x = {self.floating()}", f"y = {self.floating()}", f"k = {self.whole()} % 100", f"b = {self.condition()}",
            f"row[{self.place(1)}] = {self.floating()}", f"x += {self.floating(1)}", f"row[{self.place(0)}] *= 0.5",
            f"p = ({self.floating(1)}, {self.floating(1)})", "x, y = y, x", "p = (p[1], x)", "row, other = other, row",
            f"row[{self.whole(0)} % 3:] = {self.floating(1)}",
        )  # fmt: skip

    def block(self, depth: int, indent: str, in_loop: bool) -> list[str]:
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, indent, in_loop)
        return lines

    def statement(self, depth: int, indent: str, in_loop: bool) -> list[str]:
        kind = self.random.random()
        if depth == 0 or kind < 0.35:
            if in_loop and kind < 0.03:
                return [indent + self.pick("break", "continue")]
            return [indent + (self.assignment() if kind > 0.01 else "return x, y, k, b, *p")]
        deeper = indent + "    "
        if kind < 0.65:
            lines = [f"{indent}if {self.condition()}:", *self.block(depth - 1, deeper, in_loop)]
            return lines + ([f"{indent}else:", *self.block(depth - 1, deeper, in_loop)] if kind < 0.5 else [])
        self.loops += 1
        name, body = f"i{self.loops}", self.block(depth - 1, deeper, True)
        if kind < 0.75:
            test = f"{name} < {self.random.randint(1, 9)} and {self.condition(1)}"
            return [f"{indent}{name} = 0", f"{indent}while {test}:", f"{deeper}{name} += 1", *body]
        head = self.pick(
            f"for {name} in range({self.whole(0)})", f"for {name} in range({self.random.randint(1, 9)})",
            f"for {name} in range({self.whole(0)}, -3, -2)", f"for {name} in (1, 2.5, n)", f"for {name} in row",
        )  # fmt: skip
        use = self.pick(f"x = x * 0.5 + {name}", f"y = {name} - y * 0.25")
        return [f"{indent}{head}:", f"{deeper}{use}", *body]

    def function(self):
        """The function, with a text that can be read."""
        begin = ["def program(x, n, row, other):", "    y, k, b, p = 0.0, 1, n > 0, (0.0, 0.5)"]
        lines = [*begin, *self.block(3, "    ", False), *self.block(3, "    ", False), "    return x, y, k, b, *p"]
        return function_of(lines, {"__name__": "programs"}), "\n".join(lines)


@pytest.mark.parametrize("way", ["light", "straight"])
@pytest.mark.parametrize("first", range(0, COUNT, 10))
def test_random_programs_do_what_python_does(first, way):
    rows = np.array([1.5, -0.0, 3.0, 0.25, -7.0, 2.0]), np.arange(6.0)
    for seed in range(first, first + 10):
        program, text = Author(seed).function()
        try:
            compare(program, [(x, n, *rows) for x in (0.0, -2.5, 3.0) for n in (-1, 0, 2, 7)][:: 1 + seed % 2], way)
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{text}") from error
