"""Scenes that include others: the same motion, names, and one located error for each mistake."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

import rigidsim
from rigidsim.cli.examples import shipped_scenes

CRANE = """\
format: rigidsim/1
parameters: {reach: 5 m, load: 100 kg}
let: {height: "= z('arm/hook') + 1 m"}
tables: {air: {points: [[-100, 1.2], [100, 1.1]]}}
simulation: {duration: 0.5, step: 1 ms, record_every: 0.1}
world:
  gravity: [0, 0, -9.81]
  loops: [{type: distance, between: [bob, world], to_at: [-3, 0, 10]}]
bodies:
  arm:
    motion: {hinge: {axis: [0, 0, 1], motor: {angle: "= 0.1*t^2"}}}
    mass: 50
    inertia: {principal: [1, 100, 100]}
    children:
      hook:
        mass: "= load"
        inertia: point
        position: ["= reach", 0, -2]
        forces:
          - {type: spring, to: arm, to_at: ["= reach", 0, 0], stiffness: 1000, length: 1}
          - {type: constant, force: [0, 0, "= -0.1*air(height)*v_z('arm/hook', 'world')"], frame: world}
  bob:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    position: [-3, 1, 10]
    velocity: {value: [0.1, 0, 0], relative_to: world}
    impulses: [{when: "= t > 0.2", impulse: [0, 0.1, 0], frame: world}]
reparent: [{time: 0.4, body: bob, to: world}]
"""
AROUND = """\
format: rigidsim/1
parameters: {wide: 4 m}
simulation: {duration: 0.5, step: 1 ms, record_every: 0.1}
world: {gravity: [0, 0, -9.81]}
bodies:
"""


@pytest.fixture
def read(tmp_path):
    """The scene with these bodies, beside the file of the crane."""
    (tmp_path / "crane.yaml").write_text(CRANE)

    def scene(bodies: str, more: str = "", **files: str) -> rigidsim.Scene:
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        (tmp_path / "yard.yaml").write_text(AROUND + bodies + more)
        return rigidsim.Scene.from_file(tmp_path / "yard.yaml")

    return scene


def test_an_included_scene_moves_as_it_does_alone(read, tmp_path):
    alone = rigidsim.simulate(tmp_path / "crane.yaml")
    scene = read("  crane: {include: crane.yaml}\n", "metrics: {top: '= max(crane_height)'}\n")
    found = rigidsim.simulate(scene)
    for path in ("arm", "arm/hook"):
        assert np.array_equal(found[f"crane/{path}"].world.position, alone[path].world.position)
    bob, wanted = found["crane/bob"].world.position, alone["bob"].world.position
    assert np.abs(bob - wanted).max() <= 1e-13  # of 10 m: the new parent is another frame
    assert found.metrics["top"] == alone["arm/hook"].world.position[:, 2].max() + 1.0


def test_what_stands_turned_elsewhere_moves_in_the_same_way_there(read, tmp_path):
    """Gravity is the same along the vertical, about which the body is turned."""
    alone = rigidsim.simulate(tmp_path / "crane.yaml")
    text = "  crane: {include: crane.yaml, position: [10, 2, 3], orientation: {axis: [0, 0, 1], angle: 90 deg}}\n"
    found = rigidsim.simulate(read(text))
    for path in ("arm/hook", "bob"):
        x, y, z = alone[path].world.position.T
        wanted = np.stack([10.0 - y, 2.0 + x, 3.0 + z], axis=1)
        assert np.abs(found[f"crane/{path}"].world.position - wanted).max() <= 1e-12


def test_values_of_parameters_may_be_expressions_of_the_copy(read):
    scene = read(
        "  row: {repeat: {line: 2, spacing: [20, 0, 0]},"
        ' include: {file: crane.yaml, with: {reach: "= wide + index"}}}\n'
    )
    positions = [scene.hierarchy[f"row_{k}/arm/hook"].body.position for k in range(2)]
    assert positions == [(4.0, 0.0, -2.0), (5.0, 0.0, -2.0)]
    assert scene.with_overrides(["wide=7"]).hierarchy["row_1/arm/hook"].body.position == (8.0, 0.0, -2.0)
    assert (
        scene.with_overrides([("bodies.row.include.with.load", "2 t")]).hierarchy["row_0/arm/hook"].body.mass == 2000.0
    )
    again = rigidsim.Scene.from_dict(scene.resolved())
    assert again == scene and "include" not in yaml.safe_dump(scene.resolved())


def test_files_may_include_others_and_are_found_beside_them(read, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "crane.yaml").write_text(CRANE)
    inner = AROUND.replace("bodies:", "bodies:\n  left: {include: {file: crane.yaml, with: {load: 7}}}")
    (tmp_path / "parts" / "pair.yaml").write_text(inner)
    scene = read("  dock: {include: parts/pair.yaml}\n")
    assert scene.hierarchy["dock/left/arm/hook"].body.mass == 7.0
    assert scene.let.keys() == {"dock_left_height"} and scene.tables.keys() == {"dock_left_air"}


def test_a_sweep_and_derivatives_vary_what_is_included(read):
    text = '  crane: {include: {file: crane.yaml, with: {reach: "= wide"}}}\n'
    far = {"far": "= final(x('crane/arm/hook'))"}
    scene = read(text).with_overrides([("metrics", far)])
    sweep = rigidsim.sweep(scene, vary={"wide": [4.0, 5.0]}, threads=1)
    alone = [rigidsim.simulate(scene.with_overrides([("wide", f"{value} m")])).metrics["far"] for value in (4, 5)]
    assert list(sweep.metrics["far"]) == alone


MISTAKES = {
    "is not there": ("  a: {include: crame.yaml}\n", "yard.yaml:6:16", "'crame.yaml' cannot be read"),
    "is no scene": ("  a: {include: /etc/passwd}\n", "yard.yaml:6:16", "'passwd' is not a scene; formats: .yaml, .yml"),
    "includes itself": ("  a: {include: yard.yaml}\n", "yard.yaml:6:16", "yard.yaml -> yard.yaml"),
    "has no such parameter": (
        "  a: {include: {file: crane.yaml, with: {reech: 5}}}\n", "yard.yaml:6:49", "did you mean 'reach'?",
    ),
    "has another unit": ("  a: {include: {file: crane.yaml, with: {load: 3 km}}}\n", "crane.yaml:16:15", "length"),
    "gets no number": (
        "  a: {include: {file: crane.yaml, with: {load: x}}}\n", "yard.yaml, with load", "expected a number",
    ),
    "gets an unknown name": (
        '  a: {include: {file: crane.yaml, with: {load: "= foo"}}}\n', "yard.yaml:6:51", "unknown name 'foo'",
    ),
    "is a number": ("  a: {include: 5}\n", "yard.yaml:6:16", "expected text, got 5"),
    "has such a body": ("  a: {include: crane.yaml, children: {arm: {}}}\n", "yard.yaml:6:39", "a body 'arm', too"),
    "has a name that is given": (
        '  a: {include: crane.yaml}\nlet: {a_height: "= t"}\n', "yard.yaml:6:3", "'a_height' already",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bodies", "where", "what"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_where_it_is(read, bodies, where, what):
    with pytest.raises(rigidsim.SceneError) as error:
        read(bodies)
    assert where in str(error.value) and what in str(error.value)


def test_errors_of_the_file_are_located_in_it(read):
    with pytest.raises(rigidsim.SceneError, match=r"broken\.yaml:5:7: error\[unknown-key\] bodies\.a\.mess"):
        read(
            "  a: {include: broken.yaml}\n", broken=AROUND.replace("parameters: {wide: 4 m}\n", "") + "  a: {mess: 5}\n"
        )


def test_what_is_given_relative_to_the_world_of_the_file_is_so_relative_to_the_body(read):
    other = (
        AROUND
        + """\
  a:
    motion: {prescribed: {angular_velocity: [0, 0, 2]}}
    children: {b: {mass: 1, inertia: point, position: [3, 0, 0], velocity: {value: [1, 0, 0], relative_to: world}}}
"""
    )
    around = "  turned: {motion: {prescribed: {angular_velocity: [0, 0, 1]}}, children: {c: {include: other.yaml}}}\n"
    velocity = read(around, other=other).hierarchy["turned/c/a/b"].body.velocity
    assert (velocity.value, velocity.relative_to) == ((1.0, -6.0, 0.0), "parent")


def test_axes_of_the_world_of_the_file_turn_with_the_body(read):
    turned = "orientation: {axis: [0, 0, 1], angle: 90 deg}"
    axis = "axis: {value: [1, 0, 0], frame: world}"
    body = "mass: 1, inertia: {principal: [1, 1, 1]}"
    bodies = f"""\
  a: {{{turned}, children: {{b: {{{body}, motion: {{hinge: {{{axis}, rate: 2}}}}}}}}}}
  c: {{{body}, angular_velocity: [3, 0, 0], {turned}}}
"""
    other = AROUND.replace("81]}", f"81], loops: [{{type: hinge, between: [c, world], {axis}}}]}}") + bodies
    alone = rigidsim.simulate(rigidsim.Scene.from_text(other))
    found = rigidsim.simulate(read(f"  base: {{include: other.yaml, {turned}}}\n", other=other))
    for path in ("a/b", "c"):
        omega, wanted = found[f"base/{path}"].world.angular_velocity, alone[path].world.angular_velocity
        assert np.abs(omega - np.stack([-wanted[:, 1], wanted[:, 0], wanted[:, 2]], axis=1)).max() <= 1e-13
        assert abs(np.abs(omega[-1]).max() - {"a/b": 2.0, "c": 3.0}[path]) <= 1e-13


def test_files_that_include_each_other_many_times_are_refused(read):
    files = {f"f{k}": AROUND + "".join(f"  b{n}: {{include: f{k + 1}.yaml}}\n" for n in range(20)) for k in range(5)}
    with pytest.raises(rigidsim.SceneError, match="more than 1000 scenes are included"):
        read("  a: {include: f0.yaml}\n", **files, f5=AROUND + "  c: {}\n")


KEPT = ("double_pendulum", "payload_release", "clutch")
SHIPPED = [pytest.param(name, marks=() if name in KEPT else pytest.mark.slow) for name in sorted(shipped_scenes())]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_scene_moves_the_same_below_a_body_at_rest(name, tmp_path):
    """To the rounding of positions, which chaotic motion lets grow: few steps."""
    path = shipped_scenes()[name]
    alone = rigidsim.Scene.from_file(path)
    data = alone.resolved()
    if "plane" in data["world"] or any(key in str(data["world"]["gravity"]) for key in "center") or alone.world.source:
        pytest.skip("the world has more than a uniform field")
    n, step = 50, data["simulation"]["step"]
    settings = {**data["simulation"], "duration": n * step, "record_every": n * step}
    settings.pop("record", None), settings.pop("stop", None)
    around = {"format": "rigidsim/1", "simulation": settings, "world": {"gravity": data["world"]["gravity"]}}
    around["bodies"] = {"base": {"include": str(path)}}
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(around))
    both = [tmp_path / "s.yaml", alone.with_overrides([("simulation", settings)])]
    found, wanted = (rigidsim.simulate(scene) for scene in both)
    for path in wanted.paths:
        a, b = found[f"base/{path}"].world, wanted[path].world
        assert np.allclose(a.position, b.position, rtol=1e-12, atol=1e-11)
        assert np.allclose(a.velocity, b.velocity, rtol=1e-9, atol=1e-9)


# --- numbers that change, and state machines

GATE = """\
format: rigidsim/1
simulation: {duration: 8, step: 0.01}
parameters: {wind: 0 N, gain: 2, torque: 0 N m}
let: {turned: "= angle('gate') - 60 deg"}
bodies:
  gate:
    mass: 40
    inertia: {principal: [10, 1, 10]}
    motion: {hinge: {axis: [0, 0, 1], at: [-1, 0, 0], motor: {rate: 20 deg/s, max_torque: 80}}}
    forces: [{force: [0, "= gain*wind*(1 + x('wheel', 'world'))", 0], frame: world}]
  wheel:
    mass: 10
    inertia: {principal: [1, 1, 2]}
    motion: {hinge: {axis: [0, 0, 1], damping: 0.1, motor: {torque: "= torque"}}}
changes:
  - {when: "= turned > 0", name: open, set: {bodies.gate.motion.hinge.motor.rate: 0}}
  - {time: 4, set: {wind: 15 N}}
states:
  drive:
    waits: {to: {runs: {after: 2 s}}}
    runs: {set: {torque: 3}, to: {coasts: "= rate('wheel') > 5"}}
    coasts: {set: {torque: 0}, to: {runs: "= rate('wheel') < 4"}}
"""
YARD = """\
format: rigidsim/1
simulation: {duration: 8, step: 0.01}
parameters: {push: 0 N}
bodies:
  left: {include: {file: gate.yaml, with: {gain: 3}}}
  right: {include: row.yaml, position: [10, 0, 0]}
  ball: {mass: 1, inertia: point, forces: [{force: ["= push", 0, 0]}]}
changes: [{time: 1, set: {push: 2 N}}]
"""
ROW = """\
format: rigidsim/1
simulation: {duration: 8, step: 0.01}
bodies: {inner: {include: gate.yaml, position: [0, 2, 0]}}
"""


def test_what_an_included_scene_sets_is_set_where_it_is(tmp_path):
    """Twice, once in a file within a file, beside a change of the scene around; with the bits of the motion alone."""
    for name, text in (("gate", GATE), ("yard", YARD), ("row", ROW)):
        (tmp_path / f"{name}.yaml").write_text(text)
    scene = rigidsim.Scene.from_file(tmp_path / "yard.yaml")
    found = rigidsim.simulate(scene)
    for base, gain in (("left", 3), ("right/inner", 2)):
        alone = rigidsim.simulate(rigidsim.Scene.from_file(tmp_path / "gate.yaml", [f"gain={gain}"]))
        for body in ("gate", "wheel"):
            assert (found[f"{base}/{body}"].joint.coordinates == alone[body].joint.coordinates).all()
    assert found["ball"].world.velocity[-1, 0] == pytest.approx(14.0, abs=1e-12)
    assert [one.id for one in found.events.scheduled if one.name == "open"] == ["changes[1]", "changes[3]"]
    assert {*scene.states} == {"left_drive", "right_inner_drive"}
    again = rigidsim.Scene.from_dict(scene.resolved())
    assert rigidsim.simulate(again).content_hash == found.content_hash
    begun, resumed = rigidsim.Simulation(scene), rigidsim.Simulation(scene)
    begun.step(500)
    resumed.resume(begun.checkpoint(), begun.events)
    resumed.step(300)
    assert (resumed.state["right/inner/gate"].world.position == found["right/inner/gate"].world.position[-1]).all()


def test_two_changes_of_one_number_of_an_included_scene_both_hold(tmp_path):
    """The wind, and what it is multiplied by: 60 N times 4 are more than the motor bears."""
    windy = GATE.replace("15 N", "60 N")
    text = windy.replace("wind: 60 N}}", "wind: 60 N}}\n  - {time: 5, set: {gain: 4}}")
    (tmp_path / "gate.yaml").write_text(text)
    (tmp_path / "yard.yaml").write_text(YARD.replace("row.yaml", "gate.yaml").replace(", with: {gain: 3}", ""))
    found = rigidsim.simulate(rigidsim.Scene.from_file(tmp_path / "yard.yaml"))
    alone = rigidsim.simulate(rigidsim.Scene.from_file(tmp_path / "gate.yaml"))
    other = rigidsim.simulate(rigidsim.Scene.from_text(windy))
    for base in ("left", "right"):
        assert (found[f"{base}/gate"].joint.coordinates == alone["gate"].joint.coordinates).all()
    assert abs(alone["gate"].joint.coordinates[-1, 0] - other["gate"].joint.coordinates[-1, 0]) > 0.1


def test_a_mistake_in_what_is_set_is_told_in_its_file(tmp_path):
    (tmp_path / "gate.yaml").write_text(GATE.replace("motor.rate: 0}", "motor.rte: 0}"))
    (tmp_path / "yard.yaml").write_text(AROUND + "  left: {include: gate.yaml}\n")
    with pytest.raises(rigidsim.SceneError) as error:
        rigidsim.Scene.from_file(tmp_path / "yard.yaml")
    assert "gate.yaml:16" in str(error.value)
