"""Makes the pictures of the gallery by the commands that it shows: `python docs/make_gallery.py [NAME ...]`.

Needs the extras `plot` and `video`. The commands run in a temporary folder; the picture `figures/X.png` of the page is
what they write to `outputs/X.png`, at 100 pixels per inch and with 256 colours, which makes it a third as large. The
same versions on the same machine give the same bytes.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

HERE = Path(__file__).parent
PAGE, FIGURES, SCENES = HERE / "gallery.md", HERE / "figures", HERE.parent / "scenes"
LOOK = {"RIGIDSIM_PLOT_DPI": "100"}
SECTION = re.compile(r"^## (?P<title>.*)\n\n`(?P<name>\w+)`\n(?P<text>(?:(?!^## ).*\n?)*)", re.MULTILINE)
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(figures/(\w+\.png)\)")


class Section(NamedTuple):
    """A scene of the page: its commands, as words after `rigidsim`, and the file names of its pictures."""

    name: str
    title: str
    text: str
    commands: list[list[str]]
    pictures: list[str]


def sections() -> Iterator[Section]:
    """The sections of the page that show a scene."""
    for found in SECTION.finditer(PAGE.read_text()):
        typed = "".join(BLOCK.findall(found["text"])).replace("\\\n", " ").splitlines()
        commands = [words[1:] for words in map(shlex.split, typed) if words[0] == "rigidsim"]
        if len(commands) < len(typed):
            raise ValueError(f"{PAGE}: {found['name']}: a command that is none of rigidsim")
        yield Section(found["name"], found["title"], found["text"], commands, PICTURE.findall(found["text"]))


def make(section: Section, folder: Path) -> list[Path]:
    """Run the commands of a section in a folder; the pictures that they made."""
    from rigidsim.cli import cli

    if not (folder / "scenes").exists():
        (folder / "scenes").symlink_to(SCENES)
    os.environ.update(LOOK)
    with chdir(folder), redirect_stdout(io.StringIO()):
        for words in section.commands:
            cli.main(words, prog_name="rigidsim", standalone_mode=False, obj={"debug": True})
    return [folder / "outputs" / picture for picture in section.pictures]


def keep(picture: Path) -> None:
    """Write a picture to the figures of the documentation, with a palette of its own colours."""
    from PIL import Image

    method, none = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    image = Image.open(picture).convert("RGB").quantize(256, method, kmeans=2, dither=none)
    image.save(FIGURES / picture.name, optimize=True)


def main(names: list[str]) -> None:
    """Make the pictures of these scenes, or of all."""
    known = {section.name: section for section in sections()}
    if unknown := set(names) - set(known):
        sys.exit(f"no such section: {', '.join(sorted(unknown))}")
    for name in names or known:
        with TemporaryDirectory() as folder:
            for picture in make(known[name], Path(folder)):
                keep(picture)


if __name__ == "__main__":
    main(sys.argv[1:])
