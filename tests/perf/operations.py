"""How many operations of arithmetic a step takes: `RIGIDSIM_JIT=off python tests/perf/operations.py`.

One free body in one lane, with `rkmk4`: what the kernels read from their rows are numbers that count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from rigidsim.jit import rows  # before the declarations of rows are imported

KINDS = {"add": "additions", "sub": "additions", "mul": "multiplications", "truediv": "divisions"}
STEPS = 10
counted: Counter[str] = Counter()


class Counted(float):
    """A float that counts what is done with it."""


def counting(name: str, kind: str) -> Callable:
    """An operator of floats that counts."""
    operation = getattr(float, name)

    def operator(self, other):
        counted[kind] += 1
        return Counted(operation(self, float(other)))

    return operator


def counting_value(value):
    """A float that counts; a number of a row or a node stays as it is."""
    return Counted(value) if isinstance(value, float) else value


def counted_values(read: Callable) -> Callable:
    """A function that reads from a row, with numbers that count."""

    def wrapped(*arguments):
        found = read(*arguments)
        return tuple(map(counting_value, found)) if isinstance(found, tuple) else counting_value(found)

    return wrapped


def main() -> None:
    """Print the operations per step."""
    for name, kind in KINDS.items():
        for form in (f"__{name}__", f"__r{name}__"):
            setattr(Counted, form, counting(form, kind))
    read_and_write = rows._access
    rows._access = lambda *part: (counted_values(read_and_write(*part)[0]), read_and_write(*part)[1])
    from benchmark import block, worlds_of

    run = block(worlds_of("flat", 1, 1))
    run.advance(1)
    counted.clear()
    run.advance(STEPS)
    print(*(f"{kind}: {counted[kind] / STEPS:.0f}" for kind in sorted(set(KINDS.values()))), sep=", ")


if __name__ == "__main__":
    main()
