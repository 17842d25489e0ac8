"""Pictures in files: complete or not at all, never over something else, the same bytes for the same figure."""

from __future__ import annotations

import re
import stat

import numpy as np
import pytest

from rigidsim.errors import StorageError, UsageError
from rigidsim.plots.saving import BEGINS, save_picture
from rigidsim.plots.style import Picture
from rigidsim.trajectory.destination import FileKind
from rigidsim.trajectory.spool import published

PNG = FileKind("a picture", "pictures", (".png",))


@pytest.fixture
def figure(tumbling):
    return tumbling.plot("top.speed", title="a top")


@pytest.mark.parametrize("suffix", BEGINS)
def test_the_suffix_names_the_format_and_bytes_are_repeated(tumbling, tmp_path, suffix):
    for name in "ab":
        save_picture(tumbling.plot("top.speed"), tmp_path / f"{name}{suffix}", dpi=50)
    first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
    assert re.match(BEGINS[suffix], first) and first == second
    assert {file.name for file in tmp_path.iterdir()} == {f"a{suffix}", f"b{suffix}"}


def test_the_last_digit_of_a_layout_changes_no_byte_of_an_svg(tmp_path):
    """Solvers of layouts do not repeat it."""
    for name, left in (("a", 0.125), ("b", np.nextafter(0.125, 1))):
        figure = Picture()
        figure.add_axes((left, 0.2, 0.7, 0.5)).plot([0, 1], [0, 2])
        figure.add_axes((left, 0.8, 0.7, 0.1)).plot([0, 1], [0, 2])
        save_picture(figure, tmp_path / f"{name}.svg")
    first, second = ((tmp_path / f"{name}.svg").read_text() for name in "ab")
    assert first == second
    assert re.findall('clipPath id="(.*?)"', first) == ["clip0", "clip1"]
    assert set(re.findall(r"clip-path=\"url\(#(.*?)\)", first)) == {"clip0", "clip1"}


def test_only_pictures_are_overwritten_and_only_by_force(figure, tmp_path):
    path = tmp_path / "a.png"
    save_picture(figure, path, dpi=50)
    with pytest.raises(StorageError, match=r"a.png exists already; use force=True"):
        save_picture(figure, path, dpi=50)
    save_picture(figure, path, dpi=60, force=True)
    path.write_text("my notes")
    with pytest.raises(StorageError, match="is not a picture of this format, or it is damaged; force=True overwrites"):
        save_picture(figure, path, force=True)
    assert path.read_text() == "my notes"
    path.write_bytes(b"")
    save_picture(figure, path, dpi=50, force=True)


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.jpg", "a.jpg: the name must end with one of .png, .svg, .pdf"), ("a", "must end with one of")],
)
def test_other_formats_are_refused(figure, tmp_path, name, message):
    with pytest.raises(UsageError, match=message):
        save_picture(figure, tmp_path / name)


def test_places_that_cannot_be_written_are_named(figure, tmp_path):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(StorageError, match="is a folder; name a file"):
        save_picture(figure, tmp_path / "folder.png")
    with pytest.raises(StorageError, match=r"the folder .* does not exist"):
        save_picture(figure, tmp_path / "none" / "a.png")
    with pytest.raises(UsageError, match="pixels cannot be made; change its size or dpi"):
        save_picture(figure, tmp_path / "a.png", dpi=10_000)


def test_what_fails_halfway_leaves_nothing(tmp_path):
    with (
        pytest.raises(StorageError, match=r"cannot write .*a\.png: No space left"),
        published(tmp_path / "a.png", PNG, False) as file,
    ):
        file.write(b"half")
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_replaced_but_no_link_is_followed(tmp_path):
    (tmp_path / ".a.png.tmp").write_bytes(b"longer than the new one")
    with published(tmp_path / "a.png", PNG, False) as file:
        file.write(b"new")
    assert (tmp_path / "a.png").read_bytes() == b"new" and stat.S_ISREG((tmp_path / "a.png").stat().st_mode)
    (tmp_path / "target").write_text("keep")
    (tmp_path / ".b.png.tmp").symlink_to(tmp_path / "target")
    with pytest.raises(StorageError, match="it is a symbolic link"), published(tmp_path / "b.png", PNG, False):
        pass
    assert (tmp_path / "target").read_text() == "keep"
