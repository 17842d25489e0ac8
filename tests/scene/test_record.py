"""`simulation.record`: names and patterns, and the datasets and bodies they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.errors import SceneError
from rigidsim.quantities.names import matches
from rigidsim.scene import Scene
from rigidsim.scene.schema.record import OF_ALL, OF_BODIES, RecordedPart
from rigidsim.simulation.recording import rows_by_dataset
from rigidsim.trajectory.recorded import possible_fields, selection

PATHS = ("ship", "ship/mast", "ship/mast/lamp", "ship/cat", "cat", "lamp", "ship/a[0]*")
TEXT = """\
format: rigidsim/1
simulation:
  duration: 1
  step: 0.1
  record: {}
bodies:
  ship:
    children:
      mast: {{children: {{lamp: {{}}}}}}
      cat: {{mass: 1, inertia: point}}
  crate: {{repeat: {{line: 3, spacing: [1, 0, 0]}}}}
"""
MOTION = [f"{frame}/{name}" for frame in ("local", "world") for name in
          ("position", "orientation", "velocity", "angular_velocity")]  # fmt: skip
POSSIBLE = possible_fields(True, True, True, {"a": "hinge"}, {"a-world": "point"})
NAMES = [field.name for field in POSSIBLE]


def scene(record: str, overrides=()) -> Scene:
    return Scene.from_text(TEXT.format(record), "a.yaml", overrides)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("ship", ["ship"]),
        ("*", ["ship", "cat", "lamp"]),
        ("ship/*", ["ship/mast", "ship/cat", "ship/a[0]*"]),
        ("ship/**", ["ship/mast", "ship/mast/lamp", "ship/cat", "ship/a[0]*"]),
        ("**", list(PATHS)),
        ("**/lamp", ["ship/mast/lamp", "lamp"]),
        ("ship/**/lamp", ["ship/mast/lamp"]),
        ("ship/**/cat", ["ship/cat"]),
        ("?at", ["cat"]),
        ("*/?a*", ["ship/mast", "ship/cat"]),
        ("ship/a[0]*", ["ship/a[0]*"]),  # the path of a body, whatever is in it
        ("s.ip", []),
        ("mast", []),
        ("*/lamp", []),
    ],
)
def test_patterns(pattern, found):
    assert matches(pattern, dict.fromkeys(PATHS)) == found


@pytest.mark.parametrize("record", ["[]", "[world]", "[{bodies: ship/*, of: position}, diagnostics, world/velocity]"])
def test_each_entry_is_resolved(record):
    assert len(scene(record).resolved()["simulation"]["record"]) == len(scene(record).simulation.record)


def test_without_the_key_a_resolved_scene_is_what_it_was():
    text = TEXT.replace("  record: {}\n", "").format()
    assert "record" not in Scene.from_text(text).resolved()["simulation"]


def test_the_command_line_sets_it():
    changed = scene("[world]", ["simulation.record=[local, {bodies: ship, of: [terms]}]"])
    assert changed.simulation.record == ("local", RecordedPart.model_construct(bodies=("ship",), of=("terms",)))
    with pytest.raises(SceneError, match=r"--set simulation\.record=\[wrld\].*did you mean 'world'"):
        scene("[world]", ["simulation.record=[wrld]"])


@pytest.mark.parametrize(
    ("record", "place", "words"),
    [
        ("[positon]", (5, 12), "positon is not a quantity that can be recorded; did you mean 'position'?"),
        ("position", (5, 11), "expected a list, got position"),
        ("[time]", (5, 12), "time and events are always recorded"),
        ("[{bodies: ship/mst, of: world}]", (5, 21), "there is no body 'ship/mst'; did you mean 'ship/mast'?"),
        ("[{bodies: [ship, shpi/*], of: world}]", (5, 28), "no body matches 'shpi/*'; did you mean 'ship/*'?"),
        ("[{bodies: '*/lamp', of: world}]", (5, 21), "no body matches '*/lamp'; did you mean '**/lamp'?"),
        ("[{bodies: mast/*, of: world}]", (5, 21), "no body matches 'mast/*'; did you mean '**/mast/*'?"),
        ("[{bodies: crate, of: world}]", (5, 21), "there is no body 'crate'; there are crate_0 ... crate_2"),
        ("[{bodies: ship, of: diagnostics}]", (5, 31), "'diagnostics' cannot be limited to bodies"),
        ("[{bodies: ship, of: [world, contacts]}]", (5, 39), "'contacts' cannot be limited to bodies"),
        ("[{bodies: ship, of: []}]", (5, 31), "the list is empty"),
        ("[{bodies: [], of: world}]", (5, 21), "the list is empty"),
        ("[{bodies: ship}]", (5, 12), "the key 'of' is missing"),
        ("[{bodies: ship, off: world, of: world}]", (5, 27), "unknown key 'off'; did you mean 'of'?"),
        ("[contacts]", (5, 12), "there are no contacts to record"),
        ("[3]", (5, 12), "3 is not a quantity that can be recorded; there are position, orientation"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_error_in_its_place(record, place, words):
    with pytest.raises(SceneError) as caught:
        scene(record)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == place
    assert words in f"{problem.message}; {problem.hint}"


# --- what the names stand for


def rows(record, paths=PATHS):
    return rows_by_dataset(record, paths, NAMES)


def part(bodies, of):
    return RecordedPart.model_construct(bodies=tuple(bodies), of=tuple(of))


@pytest.mark.parametrize(
    ("name", "datasets"),
    [
        ("position", ["local/position", "world/position"]),
        ("local", MOTION[:4]),
        ("world", MOTION[4:]),
        ("world/velocity", ["world/velocity"]),
        ("diagnostics", [name for name in NAMES if name.startswith("diagnostics/")]),
        ("terms", [name for name in NAMES if name.startswith("terms/")]),
        ("contacts", ["contacts/work"]),
    ],
)
def test_names(name, datasets):
    assert rows([name]) == dict.fromkeys(datasets)


def test_every_name_stands_for_datasets_and_every_dataset_has_a_name():
    assert all(set(rows([name])) <= set(NAMES) and rows([name]) for name in (*OF_BODIES, *OF_ALL))
    assert rows([*OF_BODIES, *OF_ALL]) == dict.fromkeys(NAMES)


PARTS = st.builds(
    part,
    st.lists(st.sampled_from([*PATHS, "*", "ship/*", "**/lamp", "**"]), min_size=1, max_size=3),
    st.lists(st.sampled_from(OF_BODIES), min_size=1, max_size=3),
)
ENTRIES = st.lists(st.sampled_from([*OF_BODIES, *OF_ALL]) | PARTS, max_size=5)


def recorded(found) -> set[tuple[str, int]]:
    """Every dataset and body that is recorded."""
    every = range(len(PATHS))
    return {(name, row) for name, some in found.items() for row in (every if some is None else some)}


@given(ENTRIES, ENTRIES)
def test_entries_add_up(one, other):
    assert recorded(rows(one + other)) == recorded(rows(one)) | recorded(rows(other))


@given(ENTRIES.flatmap(lambda entries: st.tuples(st.just(entries), st.permutations(entries))))
def test_the_order_does_not_matter(pair):
    one, other = (selection(rows(entries), POSSIBLE, len(PATHS)) for entries in pair)
    assert (one is None) == (other is None)
    if one is not None:
        assert list(one) == list(other)
        assert all(
            (mine is None) == (others is None) and (mine is None or mine.tolist() == others.tolist())
            for mine, others in zip(one.values(), other.values(), strict=True)
        )


@given(ENTRIES)
def test_all_bodies_are_as_no_limit_and_everything_is_as_no_selection(entries):
    found = selection(rows(entries), POSSIBLE, len(PATHS))
    everything = {(name, row) for name in NAMES for row in range(len(PATHS))}
    assert (found is None) == (recorded(rows(entries)) == everything)
    for some in (found or {}).values():
        assert some is None or (0 < len(some) < len(PATHS) and some.tolist() == sorted(set(some.tolist())))
