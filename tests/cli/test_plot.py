"""`rigidsim plot` and `run --plot`, as they are typed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rigidsim
from spinning_brick import SAMPLES

PNG = b"\x89PNG"


@pytest.fixture(autouse=True)
def trajectory(made, monkeypatch):
    """That of the small scene as a.h5, and pictures of few pixels if nothing else is said."""
    made("run.h5", "a.h5")
    monkeypatch.setenv("RIGIDSIM_PLOT_DPI", "40")


def size_of(path) -> tuple[int, int]:
    """Width and height of a PNG, pixels."""
    head = path.read_bytes()[:24]
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def test_an_overview_beside_the_trajectory(call, workplace):
    (workplace / "made").mkdir()
    (workplace / "a.h5").rename(workplace / "made" / "b.h5")
    answer = call("plot", "made/b.h5")
    assert answer == (0, "made/b.png\n", "") and (workplace / "made" / "b.png").read_bytes().startswith(PNG)
    again = call("plot", "made/b.h5")
    assert again.code == 5 and "made/b.png exists already; use --force to overwrite it, or use -o" in again.err
    assert call("plot", "made/b.h5", "--force").code == 0


@pytest.mark.parametrize(
    "asked",
    [
        ["brick.speed", "brick.position", "= t^2", "energy"],
        ["brick.path", "--path", "mark@brick", "--plane", "xz"],
        ["brick.path", "--frame", "world", "--frame", "mark"],
        ["brick.speed", "--against", "brick.position.x"],
        ["brick.angular_velocity@body", "brick.polhode", "--from", "100 ms", "--to", "0.5"],
        ["brick.angular_speed", "--log", "--separate", "--title", "$x_{", "kinetic_energy"],
        ["a.h5", "brick.speed"],
    ],
)
def test_what_can_be_asked_for(call, workplace, asked):
    answer = call("plot", "a.h5", *asked, "-o", "p.png", "--dpi", "50")
    assert answer == (0, "p.png\n", "") and size_of(workplace / "p.png")[0] > 200


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_other_formats(call, workplace, suffix):
    assert call("plot", "a.h5", "brick.speed", "-o", f"p.{suffix}").out == f"p.{suffix}\n"


@pytest.mark.parametrize(("size", "dpi", "pixels"), [("8x5", "10", (80, 50)), ("254mm x 12.7cm", "100", None),
                                                     ("25.4x12.7cm", "50", (500, 250))])  # fmt: skip
def test_size_and_resolution(call, workplace, size, dpi, pixels):
    answer = call("plot", "a.h5", "brick.speed", "--size", size, "--dpi", dpi, "-o", "p.png")
    assert answer.code == (0 if pixels else 2)
    if pixels:
        assert size_of(workplace / "p.png") == pixels


def test_all_quantities_are_listed(call):
    answer = call("plot", "a.h5", "--list")
    assert {"time", "kinetic_energy", "brick.speed", "brick/mark.position"} <= set(answer.out.split())
    assert answer.out.split("\n")[0] == "time"


def test_run_draws_an_overview(call, workplace):
    answer = call("run", "scene.yaml", "-o", "b.h5", "--plot")
    assert answer.code == 0 and answer.out.endswith("\nb.png\n") and (workplace / "b.png").read_bytes().startswith(PNG)
    before = (workplace / "b.h5").read_bytes()
    again = call("run", "scene.yaml", "-o", "c.h5", "--plot", "b.png")
    assert again.code == 5 and "b.png exists already" in again.err and not (workplace / "c.h5").exists()
    assert call("run", "scene.yaml", "-o", "b.h5", "--plot", "b.svg", "--force", "-q") == (0, "", "")
    assert (workplace / "b.svg").exists() and (workplace / "b.h5").read_bytes() == before
    wrong = call("run", "--plot", "scene.yaml")
    assert wrong.code == 2 and "--plot scene.yaml: this is not the name of a picture" in wrong.err


def test_without_matplotlib_one_sentence_tells_how_to_install_it(workplace):
    """In a process of its own, in which it cannot be imported."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rigidsim.cli import main\n"
        "main()"
    )  # fmt: skip
    needed = 'error: figures need matplotlib; install it with: pip install "rigidsim[plot]"\n'
    for arguments in (["plot", "a.h5"], ["run", "scene.yaml", "--plot", "-o", "b.h5"]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, needed)
    assert not (workplace / "b.h5").exists()


def test_a_figure_in_python(workplace):
    with rigidsim.load("a.h5") as trajectory:
        figure = trajectory.plot("brick.velocity.x", path="mark", begin=0.2, size=(6, 4), title="brick")
    assert figure.get_size_inches().tolist() == [6, 4] and figure._repr_png_().startswith(PNG)
    speed = figure.get_axes()[1]
    assert len(speed.lines[0].get_xdata()) == SAMPLES - 4
    figure.savefig("own.png")
