"""What loops do, in trajectories, files and sweeps: forces and torques, also by the names of quantities."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from rigidsim import Scene, load, simulate, sweep
from rigidsim.analysis.loads import loop_reactions
from rigidsim.analysis.quantities import expanded, names, quantity
from rigidsim.errors import FormatError, NotRecordedError, SceneError, UsageError
from rigidsim.exports.recorded import labelled
from rigidsim.report.inspect import Inspection

HANGING = """
format: rigidsim/1
simulation: {duration: 0.2 s, step: 2 ms}
world:
  gravity: [0, -9.81, 0]
  loops:
    - {type: distance, between: [bob, world], to_at: [-0.8, 0, 0]}
    - {type: distance, between: [bob, world], to_at: [1.5, 0, 0]}
    - {type: hinge, between: [beam, world], to_at: [5, 0, 0], axis: [0, 1, 0], name: hook}
bodies:
  bob: {mass: 2, inertia: point, position: [0, -1.2, 0], velocity: [0, 0, 3]}
  beam:
    mass: 1
    inertia: {principal: [0.3, 0.4, 0.5]}
    position: [5, 0, 0]
    center_of_mass: [0.5, 0, 0]
    angular_velocity: [0, 4, 0]
metrics:
  load: "= max('hook.loop_force.norm')"
  twist: "= final('hook.loop_torque.z')"
  pull: "= min('bob-world-2.loop_force.y')"
"""
NAMES = ["bob-world", "bob-world-2", "hook"]


@pytest.fixture(scope="module")
def hanging():
    return simulate(Scene.from_text(HANGING))


@pytest.fixture(scope="module")
def file(hanging, tmp_path_factory):
    path = tmp_path_factory.mktemp("loops") / "hanging.h5"
    hanging.save(path)
    return path


def test_the_force_of_a_hinge_bears_the_weight_and_turns_the_beam(hanging):
    """A hinge about the vertical: the weight up, on the beam's side of the loop down; and the centripetal force."""
    force, torque = (quantity(hanging, f"hook.loop_{one}") for one in ("force", "torque"))
    assert (force.unit, torque.unit) == ("N", "N m")
    turned = quantity(hanging, "beam.axis_x").values
    assert np.abs(force.values - (0.5 * 4**2 * turned - [0, 9.81, 0])).max() < 1e-9
    assert np.abs(torque.values - np.cross(0.5 * turned, [0, -9.81, 0])).max() < 1e-9


def test_what_was_recorded_is_what_follows_from_the_state(hanging):
    without = simulate(Scene.from_text(HANGING, overrides=[("simulation.record", ["local", "world"])]))
    with pytest.raises(NotRecordedError, match="loop_force of 'hook' was not recorded"):
        quantity(without, "hook.loop_force")
    for one, other in zip(loop_reactions(hanging, 50), loop_reactions(without, 50), strict=True):
        assert one.place == other.place and one.name == other.name
        assert np.abs(one.force - other.force).max() < 1e-12 and np.abs(one.torque - other.torque).max() < 1e-12
    alone = simulate(Scene.from_text(HANGING, overrides=[("simulation.record", ["loops"])]))
    assert {*alone.arrays} == {"time", "loops/force", "loops/torque"}
    assert np.array_equal(alone.arrays["loops/force"], hanging.arrays["loops/force"])


def test_metrics_have_the_bits_of_the_samples(hanging):
    found = {name: quantity(hanging, f"{name}.loop_force").values for name in NAMES}
    assert hanging.metrics["load"] == quantity(hanging, "hook.loop_force.norm").values.max()
    assert hanging.metrics["pull"] == found["bob-world-2"][:, 1].min()
    assert hanging.metrics["twist"] == quantity(hanging, "hook.loop_torque.z").values[-1]
    assert hanging.metric("= max('bob-world.loop_force.x')") == found["bob-world"][:, 0].max()


def test_a_file_has_the_loops_and_reads_back(hanging, file):
    with load(file) as again, h5py.File(file) as raw:
        assert [*again.header.loops.items()] == list(zip(NAMES, ["distance", "distance", "hinge"], strict=True))
        assert again.content_hash == hanging.content_hash
        assert np.array_equal(again.arrays["loops/torque"], hanging.arrays["loops/torque"])
        assert raw.attrs["format"] == "rigidsim-trajectory/7"
        assert raw["loops/force"].dims[1][0] == raw["loop"]
        assert {f"{name}.loop_force" for name in NAMES} <= {*names(again)}
        middle = again.at(0.1001).arrays["loops/force"]
        ends = again.arrays["loops/force"][50:52]
        assert np.allclose(middle, 0.95 * ends[0] + 0.05 * ends[1], atol=1e-12)


def test_a_file_whose_loops_are_others_is_damaged(file, tmp_path):
    for name, value in (("loop_type", b"slide"), ("loop_type", b"point"), ("loop", b"hock")):
        changed = tmp_path / f"{value.decode()}.h5"
        changed.write_bytes(file.read_bytes())
        with h5py.File(changed, "r+") as raw:
            raw[name][-1] = value
        with pytest.raises(FormatError, match="damaged"):
            load(changed)


def test_names_of_loops_are_suggested_and_shown(hanging):
    with pytest.raises(UsageError, match=r"there is no loop 'hock'; did you mean 'hook'"):
        quantity(hanging, "hock.loop_force")
    assert expanded(hanging, "bob*.loop_force") == ["bob-world.loop_force", "bob-world-2.loop_force"]
    shown = str(Inspection.of(hanging, "hanging.h5"))
    assert "hook.loop_force.norm" in shown
    axes = {variable.name: variable.dimensions for variable in labelled(hanging).variables}
    assert axes["loops_force"] == ("time", "loop", "xyz") and axes["loop_type"] == ("loop",)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("metrics", {"a": "= max('hock.loop_force.x')"}), "there is no loop 'hock'; did you mean 'hook'"),
        (("metrics", {"a": "= max('beam.loop_force.x')"}), "there is no loop 'beam'"),
        (("world.loops[0].name", "hook"), r"world\.loops\[0\] has the name 'hook', too"),
        (("world.loops[0].name", "a/b"), "a character that is not allowed"),
        (("world.loops", []), "there is no loop 'hook'"),
    ],
)
def test_a_mistake_is_one_located_error(change, words):
    with pytest.raises(SceneError, match=words):
        Scene.from_text(HANGING, overrides=[change])
    with pytest.raises(SceneError, match="the scene has no loops, so there is nothing to record of loops"):
        Scene.from_text(HANGING, overrides=[("world.loops", []), ("metrics", {}), ("simulation.record", ["loops"])])


def test_runs_of_a_sweep_have_the_reactions_of_loops(tmp_path, hanging):
    scene = Scene.from_text(HANGING, overrides=[("simulation.record_every", 0.1)])
    varied = {"world.gravity": [[0, -9.81, 0], [0, -1.6, 0]]}
    with sweep(scene, vary=varied, path=tmp_path / "samples.h5", record=0.1) as runs:
        assert runs[0].content_hash == simulate(scene).content_hash
        assert np.abs(quantity(runs[1], "hook.loop_force.y").values + 1.6).max() < 1e-9
        exported = runs.to_xarray().loops_force.sel(loop="hook", run=0)
        assert np.array_equal(exported.values[-1], hanging.arrays["loops/force"][-1, 2])
    with sweep(scene, vary=varied, path=tmp_path / "final.h5", record="final") as runs:
        assert np.array_equal(runs.array("loops/torque")[0], hanging.arrays["loops/torque"][-1])
