"""What joints do, in trajectories and files: coordinates and rates, also by the names of quantities."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from rigidsim import Scene, Simulation, load, load_sweep, plot, simulate, sweep
from rigidsim.analysis.differences import Comparison
from rigidsim.analysis.quantities import names, quantity
from rigidsim.errors import FormatError, NotRecordedError, SceneError, UsageError
from rigidsim.physics.quaternion import conjugate, product
from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection
from rigidsim.report.sweep_inspection import inspect_sweep
from rigidsim.trajectory.motion import columns, rows

ROBOT = """
format: rigidsim/1
simulation: {duration: 0.5 s, step: 2 ms}
world: {gravity: [0, 0, -9.81]}
bodies:
  base:
    scale: 2
    motion: {prescribed: {angular_velocity: [0, 0, 1]}}
    children:
      arm:
        mass: 1
        inertia: {principal: [0.1, 0.1, 0.02]}
        position: [0, 0, -0.5]
        motion: {hinge: {axis: [0, 1, 0], at: [0, 0, 0.5], angle: 50 deg, rate: 20}}
        children:
          wrist:
            mass: 0.3
            inertia: {principal: [0.01, 0.012, 0.015]}
            position: [0, 0, -0.7]
            motion: {universal: {axes: [[1, 0, 0], [0, 1, 0]], at: [0, 0, 0.2], rates: [1, 2]}}
      cart: {mass: 1, inertia: point, motion: {slide: {axis: [1, 0, 0], displacement: 3 cm, rate: 1}}}
      drill: {mass: 1, inertia: {principal: [1, 1, 1]}, motion: {cylindrical: {axis: [0, 0, 1], rates: [1, 9]}}}
      puck: {mass: 1, inertia: {principal: [1, 1, 1]}, motion: {planar: {normal: [0, 0, 1], rates: [1, 2, 9]}}}
      top: {mass: 1, inertia: {principal: [1, 1, 1]}, position: [0, 0, 1], motion: {ball: {at: [0, 0, -1]}}}
"""


@pytest.fixture(scope="module")
def robot():
    return simulate(Scene.from_text(ROBOT))


@pytest.fixture(scope="module")
def file(robot, tmp_path_factory):
    path = tmp_path_factory.mktemp("joints") / "robot.h5"
    robot.save(path)
    return path


def test_the_relative_motion_is_that_of_the_recorded_coordinates(robot):
    for path, type in robot.header.joints.items():
        if type != "ball":
            node, local = robot.header.scene.hierarchy[path], robot[path].local
            numbers = [[robot.arrays[f"joints/{name}"][:, k] for name in ("coordinate", "rate")]
                       for k in robot.header.coordinates[path]]  # fmt: skip
            p, q, v, omega = node.joint.moved(numbers, node.scale, node.parent_metres)
            # The state is the coordinates, from which the engine computes the motion in the world and back.
            assert np.allclose(rows(p), local.position, atol=1e-13)
            assert np.allclose(rows(v), local.velocity, atol=1e-12)
            assert np.allclose(rows(omega), local.angular_velocity, atol=1e-12)
            assert np.allclose(np.abs(product(conjugate(q), columns(local.orientation))[0]), 1.0, atol=1e-14)


def test_rates_are_the_derivatives_of_the_coordinates_and_angles_count_turns(robot):
    found = robot.arrays["joints/coordinate"], robot.arrays["joints/rate"]
    x, rate = (np.asarray(array) for array in found)
    # Simpson's rule over each two intervals of h = 2 ms, which are wrong by some h^5; 2e-5 with 10 ms.
    total = (rate[:-2:2] + 4 * rate[1:-1:2] + rate[2::2]) * 0.002 / 3
    assert np.allclose(np.diff(x[::2], axis=0), total, atol=1e-7)
    assert quantity(robot, "drill.angle").values[-1] == pytest.approx(4.5, abs=1e-12)
    assert quantity(robot, "arm.angle").values[-1] > 2 * np.pi


def test_quantities_of_joints_have_units_of_their_own_and_lengths_of_the_parent(robot):
    units = {"arm.angle": "rad", "wrist.angle_2": "rad", "cart.displacement": "2 m", "cart.rate": "2 m/s",
             "arm.rate": "rad/s", "puck.displacement_2": "2 m", "puck.rate_3": "rad/s",
             "drill.rate_2[rpm]": "rpm"}  # fmt: skip
    found = {name: quantity(robot, name) for name in units}
    assert {name: one.unit for name, one in found.items()} == units
    assert found["cart.displacement"].values[0] == 0.03
    assert found["arm.angle"].values[0] == np.radians(50)
    listed = names(robot)
    assert {"base/arm.angle", "base/puck.rate_3", "base/drill.displacement"} <= {*listed}
    assert "base/top.angle" not in listed
    assert "base/arm.displacement" not in listed


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("arm.displacement", "the hinge joint of 'base/arm' has no displacement; it has angle, rate, motor"),
        ("top.angle", "the ball joint of 'base/top' has no angle; its state is its rotation"),
        ("base.angle", "'base' is prescribed, not on a joint, so it has no angle"),
        ("arm.angel", "angle"),
    ],
)
def test_a_coordinate_that_a_body_has_not_is_an_error(robot, name, words):
    with pytest.raises(UsageError, match=words):
        quantity(robot, name)


def test_a_file_has_the_joints_and_reads_back(robot, file):
    with load(file) as again, h5py.File(file) as raw:
        assert again.header.joints == robot.header.joints
        assert again.content_hash == robot.content_hash
        assert np.array_equal(again.arrays["joints/rate"], robot.arrays["joints/rate"])
        assert raw.attrs["format"] == "rigidsim-trajectory/6"
        labels = [text.decode() for text in raw["joint_coordinate"][()]]
        assert labels[:3] == ["base/arm", "base/arm/wrist.1", "base/arm/wrist.2"]
        assert raw["joints/coordinate"].dims[1][0] == raw["joint_coordinate"]


def test_a_file_whose_joints_are_others_is_damaged(file, tmp_path):
    for name, value in (("joint_type", b"slide"), ("joint", b"base/arm")):
        changed = tmp_path / f"{name}.h5"
        changed.write_bytes(file.read_bytes())
        with h5py.File(changed, "r+") as raw:
            raw[name][-1] = value
        with pytest.raises(FormatError, match="damaged"):
            load(changed)


def test_coordinates_alone_can_be_recorded_and_left_out():
    only = simulate(Scene.from_text(ROBOT, overrides=[("simulation.record", ["joints", "world/position"])]))
    joints = (f"joints/{name}" for name in ("coordinate", "rate", "motor", "force", "torque"))
    assert {*only.arrays} == {"time", "world/position", *joints}
    without = simulate(Scene.from_text(ROBOT, overrides=[("simulation.record", ["local", "world"])]))
    assert "joints/rate" not in without.arrays
    with pytest.raises(NotRecordedError, match=r"angle of 'base/arm' was not recorded"):
        quantity(without, "arm.angle")


METRICS = """
metrics:
  top: "= max('arm.angle')"
  bend: "= final('wrist.angle_2') / 2"
  way: "= max('cart.displacement')"
  speed: "= min('cart.rate')"
  load: "= max('cart.reaction_force.norm')"
  twist: "= final('arm.reaction_torque.z@body')"
  turns: "= final('drill.angle') + final('drill.rate_2')*1 s"
oracle:
  puck.angle: "= 9*t"
  puck.rate_3: 9
"""


def test_metrics_and_oracles_read_coordinates_with_the_bits_of_the_trajectory():
    found = simulate(Scene.from_text(ROBOT + METRICS))
    assert set(found.metrics) == {"top", "bend", "way", "speed", "load", "twist", "turns"}
    for name, text in found.header.metrics.items():
        assert found.metric(text) == found.metrics[name]
    assert found.metrics["turns"] == pytest.approx(13.5, abs=1e-12)
    assert found.metrics["top"] == quantity(found, "arm.angle").values.max()


def test_a_metric_reads_the_force_of_a_motor_in_newtons_where_lengths_have_another_unit():
    slide = "{slide: {axis: [1, 0, 0], motor: {force: '= 3'}}}"
    cart = f"{{mass: 2, inertia: point, motion: {slide}}}"
    found = simulate(
        Scene.from_text(
            "format: rigidsim/1\nsimulation: {duration: 0.1, step: 10 ms}\n"
            "metrics: {push: \"= max('rail/cart.motor')\", way: \"= max('rail/cart.displacement')\"}\n"
            f"bodies: {{rail: {{motion: fixed, scale: 0.01, children: {{cart: {cart}}}}}}}"
        )
    )
    assert found.metrics == {"push": 3.0, "way": pytest.approx(0.75, rel=1e-14)}  # f t^2/(2 m) = 7.5 mm


def test_ball_joints_alone_have_no_coordinates_and_are_kept(tmp_path):
    top = "{mass: 1, inertia: {principal: [1, 1, 2]}, center_of_mass: [0, 0, 1], motion: {ball: {}}}"
    text = f"format: rigidsim/1\nsimulation: {{duration: 0.1, step: 0.01}}\nbodies: {{top: {top}}}"
    simulate(Scene.from_text(text)).save(tmp_path / "top.h5")
    with load(tmp_path / "top.h5") as kept:
        assert kept.header.joints == {"top": "ball"}
        assert {name for name in kept.arrays if name.startswith("joints")} == {"joints/force", "joints/torque"}
    with pytest.raises(SceneError, match="there is nothing to record of joints"):
        Scene.from_text(text.replace(", motion: {ball: {}}", ""), overrides=[("simulation.record", ["joints"])])


def test_a_body_has_its_joint_and_others_have_none(robot):
    arm, wrist, top = (robot[f"base/{path}"].joint for path in ("arm", "arm/wrist", "top"))
    assert (arm.type, wrist.type, top.type) == ("hinge", "universal", "ball")
    assert (arm.coordinates.shape, wrist.rates.shape, top.coordinates.shape) == ((251, 1), (251, 2), (251, 0))
    assert np.array_equal(wrist.coordinates[:, 1], quantity(robot, "wrist.angle_2").values)
    assert np.array_equal(arm.force, quantity(robot, "arm.reaction_force").values)
    with pytest.raises(UsageError, match="'base' is prescribed, not on a joint; joints: base/arm, "):
        _ = robot["base"].joint


def test_motion_that_was_not_recorded_follows_from_the_coordinates(robot):
    only = simulate(Scene.from_text(ROBOT, overrides=[("simulation.record", ["joints"])]))
    for path in ("base/arm", "base/arm/wrist", "base/puck"):
        for frame in ("local", "world"):
            for name in ("position", "orientation", "velocity", "angular_velocity"):
                known, derived = (getattr(getattr(one[path], frame), name) for one in (robot, only))
                if name == "orientation":
                    derived = derived * np.sign(np.sum(known * derived, axis=-1, keepdims=True))
                assert np.allclose(derived, known, atol=1e-11)
    with pytest.raises(NotRecordedError, match="base/top"):
        _ = only["base/top"].world.position


def test_inspect_and_explain_speak_of_joints(robot, file):
    with load(file) as kept:
        shown = str(Inspection.of(kept, file))
        explained, data = (of(BodyReport.of(kept, "arm", 0.0)) for of in (str, BodyReport.as_dict))
        explained = explained.splitlines()
        size = np.linalg.norm(kept["base/arm/wrist"].joint.force[0])
    assert "universal" in shown
    assert "base/arm/wrist.angle_2, rad" in shown
    assert "base/cart.displacement, 2 m" in shown
    assert (
        explained[0]
        == "a hinge joint connects base/arm to base, at t = 0 s: angle 0.872665 rad, rate 20 rad/s, motor 0 N m"
    )
    assert explained[1].startswith("the joint exerts ")
    assert explained[1].endswith(" N m about the joint")
    assert explained[2].startswith(f"a universal joint connects base/arm/wrist to it and exerts {size:.6g} N, and ")
    assert [one["body"] for one in data["joints"]] == ["base/arm", "base/arm/wrist"]


def test_explain_says_which_coordinates_are_at_a_limit():
    """In the units of the parent."""
    planar = "{normal: [0, 0, 1], displacements: [1, 2], limits: [[0, 2], [0, 2], [-1, 0]]}"
    body = f"b: {{mass: 1, inertia: {{principal: [1, 1, 1]}}, motion: {{planar: {planar}}}}}"
    bodies = f"bodies: {{base: {{scale: 4, children: {{{body}}}}}}}"
    simulation = "format: rigidsim/1\nsimulation: {duration: 0.1, step: 0.1}"
    report = BodyReport.of(simulate(Scene.from_text(f"{simulation}\n{bodies}")), "b", 0.0)
    assert "angle 0 rad (its upper limit), displacement 1 4 m, displacement_2 2 4 m (its upper limit), rate 0" in str(
        report
    )
    joint = report.as_dict()["joint"]
    limits = [joint[f"{name}_limits"] for name in ("angle", "displacement", "displacement_2")]
    assert limits == [[-1.0, 0.0], [0.0, 2.0], [0.0, 2.0]]


def test_explain_splits_the_terms_of_joints(tmp_path):
    with_terms = simulate(Scene.from_text(ROBOT, overrides=[("simulation.duration", 0.002)]), terms=True)
    lines = str(BodyReport.of(with_terms, "arm", 0.0)).splitlines()
    for unit, name in (("m/s2", "joint"), ("rad/s2", "angular_joint")):
        head = next(k for k, line in enumerate(lines) if line.startswith(f"  {name}, joint by joint") and unit in line)
        assert lines[head + 1].startswith("  its own hinge joint ")
        assert lines[head + 2].startswith("  universal joint of base/arm/wrist ")
    with pytest.raises(UsageError, match="there is no body 'arn'; did you mean 'arm'"):
        BodyReport.of(with_terms, "arn", 0.0)


def test_differences_in_joints_name_the_coordinate_and_exports_label_it(robot):
    faster = [("simulation.record", ["joints"]), ("bodies.base.children.arm.motion.hinge.rate", 21)]
    ours, theirs = (simulate(Scene.from_text(ROBOT, overrides=faster[:count])) for count in (1, 2))
    found = Comparison(ours, theirs).first_difference
    assert (found.dataset, found.body, found.row, found.values) == ("joints/rate", "base/arm", 0, (20.0, 21.0))
    exported, wrist = robot.to_xarray(), robot["base/arm/wrist"].joint
    labelled = exported.joints_coordinate.sel(joint_coordinate="base/arm/wrist.2").values
    assert np.array_equal(labelled, wrist.coordinates[:, 1])
    assert exported.joint_type.sel(joint="base/top").item() == "ball"


@pytest.mark.slow
def test_runs_of_a_sweep_have_the_motion_of_joints_and_metrics_read_their_coordinates(tmp_path):
    metered = Scene.from_text(
        ROBOT + "metrics: {bend: \"= max('wrist.angle_2')\", pull: \"= max('wrist.terms.joint.norm')\"}\n"
    )
    varied = {"bodies.base.children.arm.motion.hinge.rate": [10, 20]}
    with sweep(metered, vary=varied, path=tmp_path / "metrics.h5", record="metrics") as runs:
        alone = simulate(metered, terms=True)
        assert {name: runs.metrics[name][1] for name in alone.metrics} == alone.metrics
        pull = np.linalg.norm(alone["base/arm/wrist"].term("joint"), axis=1).max()
        assert alone.metrics["pull"] == pytest.approx(pull, rel=1e-15)
    every = Scene.from_text(ROBOT, overrides=[("simulation.record_every", 0.1)])
    with sweep(every, vary=varied, path=tmp_path / "samples.h5", record=0.1) as runs:
        run, alone = runs[1], simulate(every)
        assert run.content_hash == alone.content_hash
        assert np.array_equal(quantity(run, "wrist.angle_2").values, quantity(alone, "wrist.angle_2").values)
        exported = runs.to_xarray().joints_rate.sel(joint_coordinate="base/drill.2", run=1)
        assert np.array_equal(exported.values, run["base/drill"].joint.rates[:, 1])
    with sweep(every, vary=varied, path=tmp_path / "final.h5", record="final", threads=2) as runs:
        ends = runs.array("joints/coordinate")
        assert np.array_equal(ends[1], alone.arrays["joints/coordinate"][-1])
        assert np.array_equal(runs[1]["base/puck"].joint.torque, alone["base/puck"].joint.torque[-1])
    inspected = str(inspect_sweep(tmp_path / "final.h5"))
    row = next(line for line in inspected.splitlines() if line.startswith("last displacement of base/drill (m)"))
    # The file has the displacement of a cylindrical joint before its angle, the names have it after.
    assert row.split()[5:8] == [f"{ends[:, 4].min():.6g}", f"{ends[:, 4].mean():.6g}", f"{ends[:, 4].max():.6g}"]


def test_runs_of_a_sweep_are_on_the_same_joints_unless_these_are_left_out(tmp_path):
    slide = {"slide": {"axis": [1, 0, 0]}}
    varied = {"bodies.base.children.cart.motion": [slide, "free"]}
    with pytest.raises(UsageError, match=r"'base/cart' is slide in run 0 .*, not on a joint in run 1 .*leave them out"):
        sweep(Scene.from_text(ROBOT), vary=varied, record="final")
    without = Scene.from_text(ROBOT, overrides=[("simulation.record", ["world"])])
    with sweep(without, vary=varied, record="final") as runs:
        assert runs.runs["status"].tolist() == ["complete", "complete"] and not runs.joints
        with pytest.raises(NotRecordedError, match=r"displacement of 'base/cart' was not recorded"):
            plot(runs, "cart.displacement")


def test_a_sweep_whose_joints_are_others_is_damaged(tmp_path):
    cart = "format: rigidsim/1\nsimulation: {duration: 0.1, step: 0.1}\nbodies: {cart: {mass: 1, inertia: point, "
    scene = Scene.from_text(f"{cart}motion: {{slide: {{axis: [1, 0, 0]}}}}}}}}")
    sweep(scene, vary={"bodies.cart.mass": [1, 2]}, path=tmp_path / "a.h5").close()
    for name, value in (("joint_type", b"hinge"), ("joint_type", b"spiral"), ("joint", b"cat")):
        changed = tmp_path / "changed.h5"
        changed.write_bytes((tmp_path / "a.h5").read_bytes())
        with h5py.File(changed, "r+") as raw:
            assert raw.attrs["format"] == "rigidsim-sweep/3"
            raw[name][0] = value
        with pytest.raises(FormatError, match="damaged"):
            load_sweep(changed)


def test_between_samples_coordinates_are_interpolated_and_reactions_linear(robot):
    numbers = ("coordinate", "rate", "motor", "force", "torque")
    for h in (8, 4):  # steps between samples
        coarse = robot.part(slice(None, None, h))
        assert np.array_equal(coarse.at(0.016).arrays["joints/torque"], robot.arrays["joints/torque"][8])
        quarters = range(h // 4, 248, h)  # in the middle the derivative has a higher order
        states = [coarse.at(robot.time[k]) for k in quarters]
        found = {n: np.stack([state.arrays[f"joints/{n}"] for state in states]) for n in numbers}
        errors = {n: np.abs(found[n] - robot.arrays[f"joints/{n}"][list(quarters)]).max() for n in numbers}
        if h == 8:
            coarser = errors
    # A cubic, its derivative, and a line between samples: orders 4, 3 and 2.
    orders = {n: np.log2(coarser[n] / errors[n]) for n in ("coordinate", "rate", "force", "torque")}
    assert orders == pytest.approx({"coordinate": 4, "rate": 3, "force": 2, "torque": 2}, abs=0.15)
    assert states[3]["base/arm"].joint.coordinates == found["coordinate"][3][:1]


def test_the_state_of_a_simulation_and_that_of_a_selection_have_the_joints():
    simulation = Simulation(Scene.from_text(ROBOT))
    simulation.step(5)
    angle = simulation.state["base/arm"].joint.coordinates
    only = simulate(Scene.from_text(ROBOT, overrides=[("simulation.record", ["joints", "world"])]))
    assert angle == only.at(0.01)["base/arm"].joint.coordinates
