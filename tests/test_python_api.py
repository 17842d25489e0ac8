"""The public functions and classes, called wrongly: one sentence of ours, and nothing half done."""

from __future__ import annotations

import inspect
import math
import pickle
import re
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import make_api
import rigidsim
from rigidsim import DynamicTransform, Scene, Simulation, Transform, dual, simulate
from rigidsim.engine.time.run import BlockRun
from rigidsim.errors import StorageError, UsageError
from rigidsim.transform import TRS, accumulate_componentwise, accumulate_matrices, as_quaternions

SHIPPED = Path(__file__).parents[1] / "scenes" / "flipping_axis.yaml"
SHORT = ["simulation.duration=0.1", "simulation.step=0.01"]
BODY = {"mass": 1.0, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": [1, 0.1, 0]}
HEAD = {"format": "rigidsim/1", "simulation": {"duration": 0.1, "step": 0.01}}
NO_NUMBER = {"force": ["= 1/(t - 0.05)", 0, 0]}


def spinning(**more) -> Scene:
    return Scene.from_dict({**HEAD, "bodies": {"b": {**BODY, **more}}})


@pytest.fixture(scope="module")
def scene() -> Scene:
    return spinning()


@cache
def history():
    return simulate(spinning())


AT, MOVING = Transform.identity(3), DynamicTransform.identity(3)


@pytest.mark.parametrize("n", [2, 2.0, np.int32(2), np.uint8(2), np.float32(2), np.float64(2)])
def test_any_whole_number_of_steps_will_do(scene, n):
    simulation = Simulation(scene)
    simulation.step(n)
    assert simulation.n == 2


# --- what they say of themselves


@pytest.mark.parametrize("name", [name for name in rigidsim.__all__ if inspect.isfunction(getattr(rigidsim, name))])
def test_a_public_function_describes_its_parameters_and_its_result(name):
    function = getattr(rigidsim, name)
    lines = re.findall(r"^([\w*, ]+) : ", inspect.getdoc(function), re.MULTILINE)
    described = [word.strip(" *") for line in lines for word in line.split(",")]
    assert described == list(inspect.signature(function).parameters)
    assert "\nReturns\n-------\n" in inspect.getdoc(function)


# --- where a scene is wanted


@pytest.mark.parametrize("path", [str(SHIPPED), SHIPPED])
def test_a_path_stands_for_its_scene(path):
    simulation, read = Simulation(path), Simulation(Scene.from_file(SHIPPED))
    assert simulation.scene == read.scene
    assert simulation.scene.name == SHIPPED.name
    for one in (simulation, read):
        one.step(10)
    assert np.array_equal(simulation.state["nut"].world.orientation, read.state["nut"].world.orientation)


def test_simulate_takes_paths_alone_and_in_lists(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(Scene.from_file(SHIPPED, SHORT).source.replace("duration: 30", "duration: 0.1"))
    alone, in_list = simulate(str(path)), simulate([path, str(path)])
    assert [history.content_hash for history in in_list] == 2 * [alone.content_hash]
    assert len(simulate(Scene.from_file(path) for _ in range(2))) == 2


@pytest.mark.parametrize(
    "make", [lambda: Scene(), lambda: Scene("s.yaml"), lambda: Scene(**HEAD), lambda: Scene.model_validate(HEAD)]
)
def test_scenes_are_made_by_reading(make):
    with pytest.raises(UsageError, match=r"Scene\.from_file, Scene\.from_text or Scene\.from_dict"):
        make()


def test_scenes_can_be_copied_and_pickled(scene):
    assert scene.model_copy() == scene == pickle.loads(pickle.dumps(scene))


# --- arguments

NOTHING = (None, 1, b"x", [])
# What is called with each of these values, and what the error says.
WRONG = {
    "n, the number of steps, must be an integer": (
        (1.5, math.nan, math.inf, -1, "2", None, True, [], 1j, np.array([1, 2]), 10**30, 1e30),
        (lambda n: Simulation(spinning()).step(n),),
    ),
    "threads must be an integer from 1": (
        (-1, 0, 1.5, "2", None, True, math.nan),
        (lambda n: simulate(spinning(), threads=n), lambda n: simulate([], threads=n)),
    ),
    "a Scene, or the path of a scene file": (
        (None, 1, b"s.yaml", {}, HEAD, object(), np.array([1.0])),
        (Simulation, simulate, lambda wrong: simulate([wrong])),
    ),
    r"Scene\.from_dict makes one of a mapping": ([{**HEAD, "bodies": {"b": BODY}}], (simulate,)),
    r"Scene\.from_text reads the text": ([SHIPPED.read_text()], (simulate,)),
    "must be a path": (NOTHING, (Scene.from_file, rigidsim.load)),
    "the scene must be a string": (NOTHING, (Scene.from_text,)),
    "name must be a string": (NOTHING, (lambda name: Scene.from_text(SHIPPED.read_text(), name=name),)),
    r"overrides are a list of \"path=value\" and \(path, value\)": (
        (None, 1, "simulation.step=1", {"simulation.step": 1}, [1], [None], [("a",)], [(1, 2)]),
        (lambda overrides: Scene.from_file(SHIPPED, overrides),),
    ),
    "watch must be a function": (
        (None, 1, "x"),
        (lambda w: simulate(spinning(), watch=w), lambda w: next(Simulation(spinning()).blocks(w))),
    ),
    "callbacks must be a mapping of paths of free bodies to functions": (
        (1, "b", ["b"], len, {"b": 1}, {"b": None}),
        (lambda callbacks: Simulation(spinning(), callbacks=callbacks),),
    ),
    r"there is no body .*bodies: b": (
        (None, 1, b"b", [], ("b",), object()),
        (lambda other: history()[other], lambda other: history()["b"].seen_from(other)),
    ),
    r"there is no diagnostic .*kinetic_energy": (
        (None, "", "nope", "kinetic_energies"),
        (lambda name: history().diagnostic(name),),
    ),
    "time": (
        (None, "x", math.nan, [], [0.01, 0.02], 1j),
        [lambda time, ask=ask: getattr(history()["b"], ask)(time) for ask in ("place_at", "parent_at", "moved_base_at")]
        + [lambda time: history().at(time)],
    ),
    "times must be an array of real numbers": (
        ("x", 1j, object(), [[0.01], [0.01, 0.02]]),
        (lambda times: history()["b"].world.at(times),),
    ),
    "the number of dimensions must be an integer from 1": (
        (None, -1, 0, 1.5, "3", True),
        (Transform.identity, DynamicTransform.identity),
    ),
    "transform must be a Transform": (
        (None, 1),
        (DynamicTransform, lambda wrong: DynamicTransform.from_rates(wrong, 0, 0, 0, 0), TRS.from_transform),
    ),
    "child must be a DynamicTransform": ([AT], (MOVING.global_to_local,)),
    "new_parent must be a DynamicTransform": ([AT], (MOVING.reparented,)),
    "old_parent must be a DynamicTransform": ([AT], (lambda wrong: MOVING.reparented(MOVING, wrong),)),
    "a node of a chain must be a TRS": ([[AT], [None]], (accumulate_componentwise, accumulate_matrices)),
    "a chain must be a list of TRS": ([1], (accumulate_matrices,)),
    "other must be a Transform": ([None], (AT.isclose,)),
    "3 and of 2 dimensions cannot be compared": ([Transform.identity(2)], (AT.isclose,)),
    "rtol must be an array of real numbers": (["x"], (lambda rtol: AT.isclose(AT, rtol),)),
    "matrix must be an array of numbers": ([[[1, 2], [3]]], (Transform.from_matrix,)),
    "a quaternion must be a numpy-quaternion": (
        (None, "x"),
        (lambda q: Transform.from_quaternion([0, 0, 0], q),),
    ),
    r"must have a shape \(\.\.\., 4\)": ([[1, 2]], (as_quaternions,)),
    "a quaternion must be an array of real numbers": ([None], (as_quaternions,)),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_called_wrongly_says_what_was_expected(words):
    values, calls = WRONG[words]
    for value in values:
        for call in calls:
            with pytest.raises(UsageError, match=words):
                call(value)


@pytest.mark.parametrize("name", ["plot", "view", "video", "export", "to_xarray", "to_pandas"])
@pytest.mark.parametrize("given", ["outputs/scene.h5", None])
def test_functions_of_trajectories_say_what_they_are_of(name, given):
    path = {"video": ("a.png",), "export": ("a.csv",)}.get(name, ())
    with pytest.raises(UsageError, match=f"must be a Trajectory.*, got {given!r}"):
        getattr(rigidsim, name)(given, *path)


def test_a_refused_step_changes_nothing(scene):
    simulation = Simulation(scene)
    with pytest.raises(UsageError):
        simulation.step(1.5)
    assert (simulation.n, simulation.status) == (0, "running")


def test_a_file_that_is_missing_is_named():
    with pytest.raises(StorageError, match=r"nowhere\.yaml cannot be read: No such file"):
        simulate("nowhere.yaml")


# --- a simulation that fails


def test_a_failed_step_fails_again():
    simulation = Simulation(spinning(forces=[NO_NUMBER]))
    with pytest.raises(rigidsim.SimulationError, match=r"gave inf at t = 0\.05 s") as first:
        simulation.step(10)
    n, state = simulation.n, simulation.state["b"].world.position
    assert simulation.status == "failed"
    for again in (lambda: simulation.step(), lambda: simulation.step(0), lambda: next(simulation.blocks())):
        with pytest.raises(rigidsim.SimulationError) as caught:
            again()
        assert caught.value is first.value
    assert (simulation.n, simulation.status) == (n, "failed")
    assert np.array_equal(simulation.state["b"].world.position, state)


def test_what_cannot_begin_has_failed():
    simulation = Simulation(spinning(forces=[{"force": ["= 1/t", 0, 0]}]))
    for _ in range(2):
        with pytest.raises(rigidsim.SimulationError, match="inf at t = 0 s"):
            simulation.step()
        assert simulation.status == "failed"


def test_a_callback_that_raises_leaves_a_whole_step():
    """Not a state in the middle of one; and the same error again."""
    n_call = 0

    def careless(t, bodies):
        nonlocal n_call
        n_call += 1
        return [1 / (t - 0.05), 0, 0], [0, 0, 0]

    simulation = Simulation(spinning(), callbacks={"b": careless})
    simulation.step(2)
    before = simulation.state["b"].world.orientation
    with pytest.raises(ZeroDivisionError):
        simulation.step(8)
    called = n_call
    with pytest.raises(ZeroDivisionError):
        simulation.step()
    assert n_call == called
    assert simulation.status == "failed"
    twin = Simulation(spinning(), callbacks={"b": careless})
    twin.step(simulation.n)
    assert simulation.n >= 2
    assert np.array_equal(twin.state["b"].world.orientation, simulation.state["b"].world.orientation)
    assert simulation.n > 2 or np.array_equal(simulation.state["b"].world.orientation, before)


def test_an_interruption_is_no_failure():
    ring = True

    def interrupted(t, bodies):
        nonlocal ring
        if t > 0.03 and ring:
            ring = False
            raise KeyboardInterrupt
        return [0, 0, 0], [0, 0, 0]

    simulation = Simulation(spinning(), callbacks={"b": interrupted})
    with pytest.raises(KeyboardInterrupt):
        simulation.step(10)
    assert simulation.status == "running"
    simulation.step(10 - simulation.n)
    assert np.array_equal(simulation.state["b"].world.orientation, simulate(spinning())["b"].world.orientation[-1])


def test_an_interruption_before_the_first_step_loses_no_event(monkeypatch):
    """As Ctrl-C while the stepper is compiled."""
    scene = spinning(impulses=[{"time": 0, "impulse": [1, 0, 0]}])
    simulation, advance = Simulation(scene), BlockRun._go

    def interrupted(*_):
        monkeypatch.setattr(BlockRun, "_go", advance)
        raise KeyboardInterrupt

    monkeypatch.setattr(BlockRun, "_go", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulation.step()
    simulation.step(10)
    whole = simulate(scene)
    assert simulation.events == whole.events and len(whole.events) == 1
    assert np.array_equal(simulation.state["b"].world.velocity, whole["b"].world.velocity[-1])


# --- one at a time


def test_one_thread_at_a_time():
    """While one steps, the others are refused; its result is that of a simulation by itself."""
    inside, leave = threading.Event(), threading.Event()

    def wait(t, bodies):
        inside.set()
        assert leave.wait(60)
        return [0, 0, 0], [0, 0, 0]

    simulation = Simulation(spinning(), callbacks={"b": wait})
    worker = threading.Thread(target=simulation.step, args=(10,))
    worker.start()
    assert inside.wait(60)
    try:
        for call in (simulation.step, simulation.prepare, lambda: next(simulation.blocks()), lambda: simulation.state):
            with pytest.raises(UsageError, match="one thread at a time"):
                call()
    finally:
        leave.set()
        worker.join()
    assert (simulation.n, simulation.status) == (10, "running")
    alone = simulate(spinning())["b"].world.orientation[-1]
    assert np.array_equal(simulation.state["b"].world.orientation, alone)


def test_four_threads_that_all_step_lose_nothing(scene):
    """Each step is either taken as a whole or refused."""
    simulation, taken, refused = Simulation(scene), [], []
    simulation.prepare()

    def work():
        for _ in range(500):
            try:
                simulation.step(3)
                taken.append(3)
            except UsageError:
                refused.append(3)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert simulation.n == sum(taken)
    assert len(taken) + len(refused) == 2000
    twin = Simulation(scene)
    twin.step(simulation.n)
    assert np.array_equal(twin.state["b"].world.orientation, simulation.state["b"].world.orientation)


def test_a_loop_over_blocks_has_the_simulation_to_itself(scene):
    """Its state may be read; steps in between would be missing in the history."""
    simulation = Simulation(scene)
    blocks = simulation.blocks(lambda n: simulation.state.time > 1)
    next(blocks)
    assert simulation.state.time == simulation.time
    for call in (simulation.step, lambda: next(simulation.blocks())):
        with pytest.raises(UsageError, match="a loop over its blocks"):
            call()
    blocks.close()
    simulation.step()


def test_a_callback_cannot_step_or_read_its_own_simulation():
    def curious(t, bodies):
        return simulation.state["b"].world.position, [0, 0, 0]

    simulation = Simulation(spinning(), callbacks={"b": curious})
    with pytest.raises(UsageError, match="one thread at a time"):
        simulation.step()


# --- what they say of themselves


def test_a_scene_says_what_it_is():
    free = {**BODY, "children": {"eye": {"position": [0, 0, 1], "motion": "fixed"}}}
    bodies = {"frame": {"motion": {"prescribed": {}}, "children": {"b": free}}}
    scene = Scene.from_dict({**HEAD, "title": "A\ttop", "bodies": bodies})
    said = "<Scene 'A\\ttop': 3 bodies (1 free, 1 fixed, 1 prescribed), 0.1 s in steps of 0.01 s>"
    assert repr(scene) == str(scene) == said
    assert repr(Scene.from_file(SHIPPED)).startswith(
        "<Scene 'The flipping intermediate axis': 1 body (1 free), 30 s in"
    )
    assert repr(spinning()) == "<Scene: 1 body (1 free), 0.1 s in steps of 0.01 s>"
    simulation = Simulation(scene)
    simulation.step(3)
    assert repr(simulation) == f"<Simulation of {said} at step 3 of 10, t = 0.03 s, running>"


@pytest.mark.parametrize("x", [None, "x", [1.0, 2.0]])
def test_dual_functions_want_numbers(x):
    """As Python's own functions, they raise TypeError; it says what was expected."""
    for call in (lambda: dual.sin(x), lambda: dual.sqrt(x), lambda: dual.derivative(dual.cos, x)):
        with pytest.raises(TypeError, match="expected a number or an array"):
            call()


# --- out of memory

HUNGRY = """
import sys
import rigidsim.cli as cli
from rigidsim import cli as _
import rigidsim.scene.read

ways, sys.argv = sys.argv[1:], ["rigidsim", "validate", "x.yaml"]
for way in ways:
    rigidsim.scene.read.Scene.from_file = lambda *_: exec(way)
    try:
        cli.main()
    except SystemExit as end:
        print(end.code)
"""


def test_out_of_memory_is_no_bug():
    ways = {
        "import numpy; numpy.zeros((1 << 24, 1 << 24))": "2.00 PiB could not be allocated",
        "bytearray(1 << 60)": "out of memory",
        "raise MemoryError": "out of memory",
    }
    done = subprocess.run([sys.executable, "-c", HUNGRY, *ways], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["5"] * len(ways) and done.returncode == 0
    nothing, *said = done.stderr.split("error: out of memory")
    assert nothing == ""
    for after, words in zip(said, ways.values(), strict=True):
        assert words in f"out of memory{after}"
    assert "bug" not in done.stderr and "Traceback" not in done.stderr


def test_a_history_that_does_not_fit_says_so_before_the_run():
    long = Scene.from_dict(
        {**HEAD, "simulation": {"duration": 1e6, "step": 1e-6, "record_every": 1e-6}, "bodies": {"b": BODY}}
    )
    for scenes in (long, [long, long]):
        with pytest.raises(StorageError, match=r"the history would need .* GB of memory"):
            simulate(scenes)


def functions_and_methods():
    """The public functions and methods that have arguments, but formulas, whose docstrings are equations."""
    for name in (name for names in make_api.GROUPS.values() for name in names):
        public = make_api.found(name)
        members = dict(make_api.members(public)) if inspect.isclass(public) else {}
        if inspect.ismodule(public):
            members = {key: getattr(public, key) for key in public.__all__}
        for key, function in ({"": public} | members).items():
            is_formula = getattr(function, "__module__", "").startswith("rigidsim.physics") or "<locals>" in str(
                function
            )
            if inspect.isfunction(function) and not is_formula:
                yield pytest.param(function, id=f"{name}.{key}".rstrip("."))


@pytest.mark.parametrize("function", [*functions_and_methods()])
def test_docstrings_name_each_argument(function):
    """In a section `Parameters`, as numpydoc has it."""
    arguments = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    _, _, section = inspect.getdoc(function).partition("\nParameters\n----------\n")
    named = re.findall(r"^\**(\w+(?:, \w+)*) : ", section.partition("\n\nReturns\n")[0], re.MULTILINE)
    assert [name for group in named for name in group.split(", ")] == arguments
