"""What commands tell of compiling, on stderr: a line before it, and on a terminal for how long it has been going on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rigidsim.jit.kernels import CompileWatch, compilation_notice, watch_compilation
from rigidsim.runner.progress import ProgressLine, Working, write_line

NOTICED_SECONDS = 0.5  # until the first tick


@contextmanager
def compiling(quiet: bool) -> Iterator[CompileWatch]:
    """Tell what is compiled in this context, which does nothing else that takes long."""
    with ExitStack() as watched:

        def tell(seconds: float) -> None:
            write_line(compilation_notice(seconds))
            watched.enter_context(Working("compiling", after=NOTICED_SECONDS))

        yield watched.enter_context(watch_compilation((lambda _: None) if quiet else tell))


@contextmanager
def compiling_beside(progress: ProgressLine) -> Iterator[CompileWatch]:
    """Tell what is compiled in this context above the progress of what else it does."""
    with watch_compilation(lambda seconds: progress.write_above(compilation_notice(seconds))) as watch:
        yield watch
