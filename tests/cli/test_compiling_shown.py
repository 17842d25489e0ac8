"""The progress of compiling."""

from __future__ import annotations

import io
import time

from rigidsim.jit.kernels import foresee, kernel
from rigidsim.runner.compiling import compiling, compiling_beside
from rigidsim.runner.progress import ProgressLine


class Terminal(io.StringIO):
    """A terminal of eighty columns."""

    def isatty(self) -> bool:
        """It is one."""
        return True

    def fileno(self) -> int:
        """The descriptor of a stream that has a size of its own."""
        return 2


def on_terminal(monkeypatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("os.get_terminal_size", lambda _: type("Size", (), {"columns": 80}))
    monkeypatch.setenv("TERM", "xterm")
    return terminal


def test_a_terminal_shows_that_compiling_goes_on(monkeypatch):
    """A line before it, ticks while it lasts, and nothing of them stays."""
    monkeypatch.setattr("rigidsim.runner.compiling.NOTICED_SECONDS", 0.05)
    terminal = on_terminal(monkeypatch)
    with compiling(quiet=False) as watch:
        watch.announce_once(3.0)
        time.sleep(0.4)
    notice, _, progress = terminal.getvalue().partition("\n")
    shown = progress.split("\r")
    assert notice.startswith("compiling the stepper for this kind of scene, about 3 s")
    assert [line for line in shown if line.startswith("compiling, 0 s")]
    assert not shown[-1].strip() and not shown[-2].strip()


def test_a_quiet_command_shows_nothing(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with compiling(quiet=True) as watch:
        watch.announce_once(3.0)
    with compiling_beside(ProgressLine(10, quiet=True)) as watch:
        watch.announce_once(3.0)
    assert not terminal.getvalue()


def test_the_notice_is_written_above_other_progress(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr("rigidsim.runner.progress.REDRAW_SECONDS", {True: 0.0})
    progress = ProgressLine(10, quiet=False)
    with compiling_beside(progress) as watch:
        progress.report(5, lambda _: "half")
        watch.announce_once(3.0)
    before, notice = terminal.getvalue().rsplit("\r", 1)
    assert not before.rsplit("\r", 1)[1].strip()
    assert notice.startswith("compiling the stepper") and notice.endswith("\n")


def test_kernels_that_are_made_together_are_announced_together(monkeypatch):
    monkeypatch.setattr("rigidsim.jit.kernels.WORTH_A_NOTICE", 0.0)
    calls = [(kernel(one).caller(), (1.0,)) for one in (doubled, tripled)]
    alone = [call.seconds_to_make(*arguments) for call, arguments in calls]
    reported = []
    monkeypatch.setattr("rigidsim.jit.kernels.log_compilation", reported.append)
    foresee(calls)
    assert reported == [sum(alone)] and min(alone) > 0
    for call, arguments in calls:
        assert not call.make(*arguments).before
        assert call.make(*arguments).before and call.seconds_to_make(*arguments) == 0.0
    foresee(calls)
    assert len(reported) == 3  # each kernel reported of itself when it was made, and nothing is left to tell


def doubled(x):
    return x + x


def tripled(x):
    return x + x + x
