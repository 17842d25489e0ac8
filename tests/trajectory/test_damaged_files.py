"""Files that are no trajectories, or no longer: one exception, one sentence, never a crash or a vast allocation."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import rigidsim
from contact_logs import history_of
from rigidsim.errors import FormatError, StorageError
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory.fields import FIELDS, TERM_FIELDS
from rigidsim.trajectory.tables import check_rows

PROGRAM = Path(__file__).with_name("damage_every_part.py")


def fuzzed(file: Path, folder: Path, cuts: int, flips: int) -> dict[str, int]:
    """Counts of what became of damaged copies, in a process that may crash."""
    command = [sys.executable, str(PROGRAM), str(file), str(folder), str(cuts), str(flips)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"after {done.stdout.splitlines()[-1:]}: {done.stderr[-2000:]}"
    return ast.literal_eval(done.stdout.splitlines()[-1])


def check(counts: dict[str, int], cuts: int, flips: int) -> None:
    """All cuts are found, and all flips in samples by those who read them; others are found, or harmless because no one
    reads the place, of which there is more or less in a file of any size.
    """
    for way in ("arrays", "inspected", "verified", "explained"):
        assert counts[f"cut, {way}, refused"] == 21 + cuts
        found = {damage: counts.get(f"{damage}, {way}, refused", 0) for damage in ("flip", "chunk")}
        assert found["flip"] + counts.get(f"flip, {way}, whole", 0) == flips
        if way in ("arrays", "verified"):
            assert found["chunk"] == flips // 3
        else:
            assert found["chunk"] + counts.get(f"chunk, {way}, whole", 0) == flips // 3
    assert counts["flip, verified, refused"] >= counts["flip, arrays, refused"] > 0


def test_damage_is_refused_or_harmless(kept_file, tmp_path):
    check(fuzzed(kept_file, tmp_path, 2, 15), 2, 15)


@pytest.mark.slow
def test_damage_to_tables_of_contact_is_refused_or_harmless(touched_file, tmp_path):
    check(fuzzed(touched_file, tmp_path, 1, 12), 1, 12)


@pytest.fixture
def touched_file(tmp_path):
    """The file of a history with contact and terms."""
    history_of(contacts=True, terms=True).save(tmp_path / "touched.h5")
    return tmp_path / "touched.h5"


@pytest.mark.slow
def test_more_damage(kept_file, tmp_path):
    check(fuzzed(kept_file, tmp_path, 200, 1000), 200, 1000)


@pytest.mark.slow
def test_more_damage_to_tables_of_contact(touched_file, tmp_path):
    check(fuzzed(touched_file, tmp_path, 20, 200), 20, 200)


def test_text_heap_that_leads_nowhere(file, tmp_path):
    """HDF5 itself would walk along such a heap for ever."""
    content, begin = bytearray(file.read_bytes()), 0
    while (begin := content.find(b"GCOL\1", begin)) >= 0:
        place, end = begin + 16, begin + int.from_bytes(content[begin + 8 : begin + 16], "little")
        while place + 16 <= end and content[place]:
            place += 16 + -(-int.from_bytes(content[place + 8 : place + 16], "little") // 8) * 8
        if place + 16 <= end:
            content[place : place + 16] = bytes(16)  # what is free here is of length 0
        begin = end
    file.write_bytes(content)
    code = f"import rigidsim\ntry:\n    rigidsim.load({str(file)!r})\nexcept rigidsim.RigidsimError as e:\n    print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "is damaged: " in done.stdout
    assert "the text at byte" in done.stdout


def change_attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


def change_value(name, index, value):
    return lambda file: file[name].__setitem__(index, value)


def without(name):
    return lambda file: file.__delitem__(name)


def instead(name, data=None, **options):
    def replace(file):
        del file[name]
        file.create_dataset(name, data=data, **options)

    return replace


def vast(file):
    """All times and samples claim 2^62 rows, of which the file has none."""
    for name in FIELDS + TERM_FIELDS:
        shape = file[name.name].shape
        del file[name.name]
        options = {"chunks": (1, *shape[1:]), "maxshape": (None, *shape[1:])}
        file.create_dataset(name.name, (2**62, *shape[1:]), "f8", **options)
    del file["time"]
    file.create_dataset("time", (2**62,), "f8", chunks=(1,), maxshape=(None,))


def link_outside(file):
    del file["world/position"]
    file["world/position"] = h5py.ExternalLink("other.h5", "/x")


def virtual(file):
    shape = file["world/position"].shape
    del file["world/position"]
    layout = h5py.VirtualLayout(shape, "f8")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape)
    file.create_virtual_dataset("world/position", layout)


def external(file):
    shape = file["world/position"].shape
    instead("world/position", shape=shape, dtype="f8", external=[("other.bin", 0, h5py.h5f.UNLIMITED)])(file)


CHANGES = {
    "foreign format": (change_attribute("format", "h5md/1"), "is not a trajectory: its format is 'h5md/1'"),
    "newer version": (change_attribute("format", "rigidsim-trajectory/9"), "from another version of rigidsim"),
    "format is no text": (change_attribute("format", 7), "is not a trajectory: its format is '7'"),
    "no format": (lambda file: file.attrs.__delitem__("format"), "is not a trajectory: it has no format name"),
    "no status": (lambda file: file.attrs.__delitem__("status"), "status"),
    "no time": (without("time"), "time is missing"),
    "no bodies": (without("body"), "body is missing"),
    "no positions": (without("world/position"), "world/position is missing"),
    "a group less": (without("diagnostics"), "diagnostics/kinetic_energy is missing"),
    "no scene": (without("scene"), "scene"),
    "group for dataset": (lambda f: (without("time")(f), f.create_group("time")), "time is not an array in this file"),
    "float32": (
        lambda f: instead("world/position", np.zeros(f["world/position"].shape, "f4"))(f),
        "world/position is float32",
    ),
    "one body less": (instead("local/velocity", np.zeros((41, 4, 3))), r"expected float64 of \(41, 5, 3\)"),
    "one time more": (instead("time", np.arange(42.0)), r"expected float64 of \(42, 5, 3\)"),
    "no samples": (instead("time", np.zeros(0)), "no samples"),
    "times in a table": (instead("time", np.zeros((41, 2))), r"time is float64 of shape \(41, 2\)"),
    "numbers for names": (instead("body", np.zeros(5)), "body is float64"),
    "a name twice": (instead("body", ["a", "a", "b", "c", "d"]), "names are not unique, or are empty or unprintable"),
    "escape in a name": (
        instead("body", ["\x1b[2J", "a", "b", "c", "d"]),
        "names are not unique, or are empty or unprintable",
    ),
    "cycle of parents": (
        instead("parent", ["deck/crane", "deck", "deck/crane", "deck/crane", ""]),
        "the parent of 'deck' does not come before it",
    ),
    "no unit of length": (without("own_scale_to_metre"), "own_scale_to_metre is missing"),
    "scale of one": (instead("scale_to_metre", np.ones(1)), "scale_to_metre is float64"),
    "other scene": (instead("scene/resolved", "{}"), "scene/resolved does not match its sha256"),
    "provenance": (lambda file: file["scene"].attrs.__setitem__("provenance", "{"), "JSONDecodeError"),
    "other order of quaternions": (change_attribute("quaternion_order", "xyzw"), "quaternion_order is 'xyzw'"),
    "no order of quaternions": (lambda file: file.attrs.__delitem__("quaternion_order"), "quaternion_order"),
    **{
        f"{name} {value}": (change_value(name, 1, value), rf"{name} is \[1.0, {value}, .*expected positive numbers")
        for name in ("scale_to_metre", "own_scale_to_metre")
        for value in (0.0, -1.0, np.nan, np.inf)
    },
    **{f"time {value}": (change_value("time", 7, value), "time") for value in (np.nan, np.inf, 0.0, 0.3)},
    "another kind": (lambda f: change_value("kind", 0, "fixed")(f), "does not match description_sha256"),
    "another scale": (change_value("scale_to_metre", 0, 2.0), "does not match description_sha256"),
    "another name": (change_value("body", 4, "lamp"), "do not match its content hash"),
    **{
        f"isolated {value}": (change_attribute("isolated", value), "isolated is '.*', expected 0 or 1")
        for value in (12345, -1, 0.5, np.nan, "yes", [1, 1])
    },
    "another isolated": (
        lambda f: change_attribute("isolated", np.int8(1 - f.attrs["isolated"]))(f),
        "description_sha256",
    ),
    "another status": (change_attribute("status", "interrupted"), "does not match description_sha256"),
    "another hash": (change_attribute("content_hash", "0" * 64), "do not match its content hash"),
    "another text": (instead("scene/text", "x"), "does not match description_sha256"),
    "an array without digest": (lambda f: f["terms/euler"].attrs.__delitem__("sha256"), "sha256"),
    "a digest that is none": (lambda f: f["terms/euler"].attrs.__setitem__("sha256", "x"), "ValueError"),
    "vast": (vast, "has fewer values than its shape"),
    "external link": (link_outside, "world/position"),
    "virtual dataset": (virtual, "world/position is not an array in this file"),
    "external storage": (external, "world/position is not an array in this file"),
}


@pytest.mark.parametrize(("change", "words"), CHANGES.values(), ids=CHANGES)
def test_changed_file_is_refused(file, change, words):
    with h5py.File(file.parent / "other.h5", "w") as other:
        other["x"] = np.zeros((41, 5, 3))
    (file.parent / "other.bin").write_bytes(bytes(41 * 5 * 3 * 8))
    with h5py.File(file, "r+") as opened:
        change(opened)
    with pytest.raises(FormatError, match=words) as caught:
        rigidsim.load(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)
    with h5py.File(file, "r+"):  # which HDF5 would not allow if it were still open
        pass
    assert caught.value.exit_code == 6


@pytest.mark.parametrize("content", [b"", b"format: rigidsim/1\n", b"\x89HDF\r\n\x1a\n", b"\0" * 4096])
def test_what_is_no_hdf5(tmp_path, content):
    (tmp_path / "a.h5").write_bytes(content)
    with pytest.raises(FormatError, match="is not an HDF5 file, or it is damaged"):
        rigidsim.load(tmp_path / "a.h5")


def test_other_hdf5(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as other:
        other["x"] = np.zeros(3)
    with pytest.raises(FormatError, match="has no format name"):
        rigidsim.load(tmp_path / "a.h5")


@pytest.mark.parametrize("name", ["nowhere.h5", ".", "a\0b"])
def test_what_cannot_be_read(tmp_path, name):
    with pytest.raises(StorageError):
        rigidsim.load(tmp_path / name)


def test_file_that_is_being_written_says_so(file):
    with h5py.File(file, "r+"), pytest.raises((StorageError, FormatError)) as caught:
        command = f"import rigidsim; rigidsim.load({str(file)!r})"
        done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
        raise StorageError(done.stderr.splitlines()[-1])
    assert "another process is writing it" in str(caught.value)


def test_damage_in_a_chunk_is_found_when_it_is_read(file):
    with h5py.File(file) as opened:
        chunk = opened["local/velocity"].id.get_chunk_info(0)
    content = bytearray(file.read_bytes())
    content[chunk.byte_offset] ^= 0x10
    file.write_bytes(content)
    with rigidsim.load(file) as trajectory:
        assert trajectory["deck"].local.position.shape == (41, 3)
        with pytest.raises(FormatError, match="local/velocity"):
            _ = trajectory["deck"].local.velocity
        with pytest.raises(FormatError, match="local/velocity"):
            Inspection.of(trajectory, file)


@pytest.mark.parametrize("number", [-1, 1, 2**40])
def test_row_of_an_event_that_is_not_there(number):
    with pytest.raises(ValueError, match=f"events/carried refers to event {number} of 1"):
        check_rows(np.array([0, number]), 1, "events/carried")
