"""Robots of other programs: the scene has the masses, inertias and positions that MuJoCo computes from their files."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import rigidsim
from rigidsim.cli import cli
from rigidsim.errors import SceneError, StorageError
from rigidsim.imports import read_robot
from rigidsim.imports.robot import DEEPEST
from rigidsim.physics.inertia import rotated
from rigidsim.physics.mass import unpacked
from rigidsim.physics.quaternion import product, rotate, to_matrix
from rigidsim.physics.vector import add, sub
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.start import Starts

ARM = """<?xml version="1.0"?>
<robot name="arm on a rail">
  <mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="hand"><inertial><origin xyz="0.01 0 0.02" rpy="0.3 -0.2 0.9"/><mass value="0.4"/>
    <inertia ixx="1e-3" iyy="2e-3" izz="2.5e-3" ixy="1e-4" ixz="-2e-4" iyz="5e-5"/></inertial></link>
  <link name="rail"><collision><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <link name="carriage">
    <inertial><mass value="3"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="upper arm">
    <inertial><origin xyz="0 0.03 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.12" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry>
      <material name="blue"/></visual>
    <collision><origin xyz="0 0 0.2" rpy="0 0.1 0"/>
      <geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <link name="plate"><inertial><mass value="0.2"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="0.02"/></geometry></visual></link>
  <joint name="slider" type="prismatic"><parent link="rail"/><child link="carriage"/>
    <origin xyz="0 0 0.1" rpy="0.2 0 0.1"/>
    <axis xyz="1 0.5 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
  <joint name="shoulder" type="revolute"><parent link="carriage"/><child link="upper arm"/>
    <origin xyz="0 0.02 0.05" rpy="0.4 -0.3 1.57"/><axis xyz="0 1 2"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.02"/></joint>
  <joint name="bolt" type="fixed"><parent link="upper arm"/><child link="plate"/>
    <origin xyz="0 0.1 0.3" rpy="0 0.5 0"/></joint>
  <joint name="wrist" type="continuous"><parent link="plate"/><child link="hand"/><origin xyz="0 0 0.1"/></joint>
  <transmission name="motor"/><transmission name="another"/>
</robot>
"""
LEGS = """<mujoco model="legs">
  <compiler angle="degree" eulerseq="zyx"/>
  <option timestep="0.003" gravity="0 0 -3.7"/>
  <default>
    <joint damping="0.5"/>
    <geom density="700"/>
    <default class="leg">
      <joint axis="0 1 0" stiffness="2"/>
      <geom type="capsule" size="0.05"/>
      <default class="shin"><geom fromto="0 0 0 0.1 0 -0.3"/></default>
    </default>
  </default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 0.1" pos="0 0 -0.2" euler="5 0 0"/>
    <body name="torso" pos="0 0 1.2" euler="10 20 30" childclass="leg">
      <freejoint name="root"/>
      <geom name="chest" type="box" size="0.1 0.2 0.3" pos="0.01 0.02 0.03" axisangle="1 2 3 40" density="300"/>
      <geom name="badge" type="ellipsoid" size="0.03 0.02 0.01" pos="0.1 0 0" mass="0"/>
      <body name="head" pos="0 0 0.4"><geom type="sphere" size="0.1" mass="1.5"/></body>
      <body name="thigh" pos="0 -0.1 -0.3" quat="0.8 0 0.6 0">
        <joint name="hip_x" axis="1 0 0" pos="0 0 0.02" range="-30 40"/>
        <joint name="hip_z" axis="0 0 1"/>
        <joint name="hip_y" pos="0.01 0 0" ref="15" springref="20"/>
        <geom fromto="0 0 0 0 0.01 -0.34"/>
        <frame pos="0 0.01 -0.4" euler="0 0 12">
          <body name="shin" pos="0.02 0 0">
            <joint name="knee" pos="0 0 0.02" class="leg"/>
            <geom class="shin"/>
            <geom type="cylinder" fromto="0 0 -0.3 0.1 0.02 -0.3" size="0.03"/>
            <body name="foot" pos="0 0 -0.39" zaxis="0.1 0.2 1">
              <joint name="ankle" type="ball" pos="0 0 0.08" stiffness="0"/>
              <geom type="box" size="0.1 0.05 0.02" xyaxes="1 0.1 0 0 1 0.2"/>
            </body>
          </body>
        </frame>
      </body>
      <body name="tail" pos="-0.1 0 0">
        <inertial pos="-0.1 0 0.01" mass="0.8" fullinertia="0.01 0.02 0.025 0.001 -0.002 0.003"/>
        <joint name="tail" type="slide" axis="1 1 0" ref="0.1"/>
        <geom name="hair" type="sphere" size="0.05" contype="0" conaffinity="0"/>
      </body>
      <body name="arm" pos="0 0.2 0.2">
        <inertial pos="0 0.1 0" mass="0.7" diaginertia="0.01 0.02 0.025" quat="0.6 0.8 0 0"/>
        <joint type="ball" stiffness="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="knee"/></actuator>
</mujoco>
"""
TOLERANCE = 1e-12
"""Of masses, inertias and positions, all below 10: both programs round some tens of operations. Measured: 5e-16 to
2e-15.
"""


def robot_in(folder, text, name="robot.xml", **options):
    path = folder / name
    path.write_text(text)
    return read_robot(path, folder, **options)


def scene_of(robot, folder):
    return Scene.from_text(robot.checked(str(folder / "scene.yaml")), str(folder / "scene.yaml"))


def all_bodies(bodies):
    for name, body in bodies.items():
        yield name, body
        yield from all_bodies(body.get("children", {}))


def move(bodies, model, qpos):
    """Give the joints of plain bodies the coordinates of MuJoCo's, which count from qpos0, without limits and friction,
    which are soft there.
    """
    of_name = dict(all_bodies(bodies))
    last = {model.jnt_bodyid[j]: j for j in range(model.njnt)}
    for j in range(model.njnt):
        joint, at = model.joint(j), model.jnt_qposadr[j]
        body = of_name[model.body(joint.bodyid[0]).name if last[joint.bodyid[0]] == j else joint.name]
        x = qpos[at] - model.qpos0[at]
        if joint.type[0] == 0:
            body["position"], body["orientation"] = list(qpos[at : at + 3]), {"wxyz": list(qpos[at + 3 : at + 7])}
        elif joint.type[0] == 1:
            # The joint stays where it is, so the origin moves around it.
            zero, pivot = tuple(model.body(joint.bodyid[0]).quat), tuple(joint.pos)
            q = product(zero, tuple(qpos[at : at + 4]))
            away = sub(rotate(zero, pivot), rotate(q, pivot))
            body["position"] = [float(x) for x in add(body.get("position", (0, 0, 0)), away)]
            body["orientation"] = {"wxyz": [float(x) for x in q]}
        else:
            kind, start = ("slide", "displacement") if joint.type[0] == 2 else ("hinge", "angle")
            keys = {key: value for key, value in body["motion"][kind].items() if key not in ("limits", "friction")}
            body["motion"] = {kind: {**keys, start: float(x)}}


def random_coordinates(model, seed):
    """Coordinates of all joints, with unit quaternions."""
    import mujoco

    qpos = np.random.default_rng(seed).normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, qpos)
    return qpos


@pytest.mark.parametrize(("text", "bodies", "joints"), [(ARM, 5, 3), (LEGS, 7, 8)], ids=["urdf", "mjcf"])
def test_masses_and_positions_are_those_of_mujoco(tmp_path, text, bodies, joints):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text)
    data, robot = mujoco.MjData(model), robot_in(tmp_path, text)
    for seed in range(3):
        data.qpos[:] = random_coordinates(model, seed)
        mujoco.mj_kinematics(model, data)
        moved = yaml.safe_load(robot.checked("scene.yaml"))
        move(moved["bodies"], model, data.qpos)
        hierarchy = Scene.from_dict(moved).hierarchy
        starts, compared = Starts(hierarchy), 0
        for node in hierarchy:
            name = node.path.split("/")[-1]
            if name not in [model.body(i).name for i in range(1, model.nbody)]:
                continue
            body, motion = model.body(name), starts[node.frame]
            assert np.allclose(motion.p, data.body(name).xpos, rtol=0, atol=TOLERANCE), node.path
            assert np.allclose(to_matrix(motion.q), data.body(name).xmat.reshape(3, 3), rtol=0, atol=TOLERANCE)
            compared += 1
            if name in ("rail",) or node.mass is None:
                continue  # what rests in the world has no mass here
            assert abs(node.mass.mass - body.mass[0]) < TOLERANCE
            assert np.allclose(node.mass.center, body.ipos, rtol=0, atol=TOLERANCE)
            inertia = rotated(tuple(body.iquat), (*body.inertia, 0, 0, 0))
            assert np.allclose(unpacked(node.mass.inertia), unpacked(inertia), rtol=0, atol=TOLERANCE), node.path
        assert compared == model.nbody - 1
    assert (compared, model.njnt) == (bodies, joints)


def test_the_text_is_as_a_person_would_write_it(tmp_path):
    """It is also YAML 1.1, of which 1e-05 is no number, and what is left out has a line of its own."""
    robot = robot_in(tmp_path, ARM)
    text = robot.checked("scene.yaml")
    assert (
        """
              plate:
                mass: 0.2
                center_of_mass: [0, 0, 0]
                inertia: {principal: [0.001, 0.001, 0.001]}
                position: [0, 0.1, 0.3]
                orientation: {euler: [0, 0.5, 0], order: xyz}
                motion: fixed
                shapes: [{type: sphere, radius: 0.02}]
                collide: false
"""
        in text
    )
    assert max(map(len, text.splitlines())) < 140
    assert Scene.from_dict(yaml.safe_load(text)) == Scene.from_text(text)
    left_out = [line.removeprefix(f"{tmp_path}/robot.xml:") for line in robot.left_out.lines()]
    assert left_out == [
        "3: <mujoco> of 'arm on a rail': settings of MuJoCo have no counterpart",
        "31: <transmission> 'motor' (and 1 more): motors are written in the joint",
        "24: <limit> of 'slider' (and 1 more): its effort, the largest torque, belongs to a motor",
        "24: <limit> of 'slider' (and 1 more): its velocity, the largest rate, belongs to a motor",
    ]


def test_what_is_wrong_with_a_joint_is_shown_at_its_element(tmp_path):
    robot = robot_in(tmp_path, ARM.replace('friction="0.02"', 'friction="-0.02"'))
    with pytest.raises(SceneError, match="<joint> 'shoulder': hinge\\.friction: must not be negative") as error:
        robot.checked("arm.yaml")
    line = next(k for k, text in enumerate(ARM.splitlines(), start=1) if '<joint name="shoulder"' in text)
    assert [problem.line for problem in error.value.problems] == [line]


def test_limits_and_friction_of_joints_are_those_of_the_file(tmp_path):
    arm = dict(all_bodies(robot_in(tmp_path, ARM).bodies))
    assert arm["carriage"]["motion"]["slide"]["limits"] == [-1, 1]
    shoulder = arm["upper arm"]["motion"]["hinge"]
    assert (shoulder["limits"], shoulder["friction"], shoulder["damping"]) == ([-1, 2], 0.02, 0.1)
    joints = (
        '<joint name="a" range="-30 60" ref="20" frictionloss="0.3"/>'
        '<joint name="b" type="slide" range="1 2"/><joint name="c" range="-3 -2"/>'
        '<joint name="d" range="-1 1" limited="false"/>'
        '<joint name="f" type="ball" range="0 60"/>'
    )
    model = f'<mujoco><worldbody><body name="f">{joints}<geom size="1"/></body></worldbody></mujoco>'
    robot = robot_in(tmp_path, model)
    found = {name: body["motion"] for name, body in all_bodies(robot.bodies)}
    assert found["a"]["hinge"] == {"axis": (0, 0, 1), "limits": ["-50 deg", "40 deg"], "friction": 0.3}
    assert found["b"]["slide"] == {"axis": (0, 0, 1), "limits": [1, 2], "displacement": 1}
    assert found["c"]["hinge"] == {"axis": (0, 0, 1), "limits": ["-3 deg", "-2 deg"], "angle": "-2 deg"}
    assert found["d"]["hinge"] == {"axis": (0, 0, 1)}
    assert found["f"] == {"ball": {}}
    assert robot.loops == [{"type": "turn", "between": ["a/b/c/d", "a/b/c/d/f"], "max_angle": "60 deg"}]
    assert [line.rpartition("<joint> ")[2] for line in robot.left_out.lines()] == [
        "'b' (and 1 more): its pose at zero is beyond its limits, so it begins at the nearest one",
    ]
    stuck = robot_in(tmp_path, ARM.replace('lower="-1" upper="1"', ""))
    assert dict(all_bodies(stuck.bodies))["carriage"]["motion"] == {"slide": {"axis": (1, 0.5, 0)}}
    assert any("'slider': its limits are equal, so it moves without any" in line for line in stuck.left_out.lines())


def test_the_range_of_a_tendon_between_two_sites_is_that_of_a_rope(tmp_path):
    tendons = """<tendon><spatial range="0 0.8"><site site="a"/><site site="b"/></spatial>
      <spatial range="0.1 2" name="both"><site site="o"/><site site="b"/></spatial>
      <spatial name="free"><site site="a"/><site site="b"/></spatial>
      <spatial range="0 1" name="three"><site site="a"/><site site="o"/><site site="b"/></spatial></tendon>"""
    model = f"""<mujoco><worldbody><site name="o" pos="0 0 2"/>
      <body name="one"><freejoint/><geom size="0.1"/><frame pos="0 0.1 0"><site name="a" pos="0.1 0 0"/></frame></body>
      <body name="two" pos="0 0 0.5"><freejoint/><geom size="0.1"/><site name="b" pos="0 0 -0.1"/></body>
      </worldbody>{tendons}</mujoco>"""
    robot = robot_in(tmp_path, model)
    assert robot.loops == [
        {"type": "distance", "between": ["one", "two"], "at": (0.1, 0.1, 0), "to_at": (0, 0, -0.1), "max_length": 0.8},
        {"type": "distance", "between": ["world", "two"], "at": (0, 0, 2), "to_at": (0, 0, -0.1), "max_length": 2,
         "min_length": 0.1},
    ]  # fmt: skip
    left = [line for line in robot.left_out.lines() if "only the range of a tendon" in line]
    assert len(left) == 1 and "(and 1 more)" in left[0]
    with pytest.raises(SceneError, match="there is no site 'c'"):
        robot_in(tmp_path, model.replace('site="b"/></spatial>', 'site="c"/></spatial>'))


def test_the_root_link_rests_or_is_free(tmp_path):
    text = """<robot name="r"><link name="base"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <link name="tool"><inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>
      <joint name="j" type="planar"><parent link="base"/><child link="tool"/><axis xyz="0 0 1"/></joint></robot>"""
    fixed, free = (robot_in(tmp_path, text, base=base) for base in ("fixed", "free"))
    assert fixed.bodies["base"]["motion"] == "fixed" and "mass" not in fixed.bodies["base"]
    assert "it rests in the world, so its mass has no effect" in fixed.left_out.lines()[0]
    assert (free.bodies["base"]["mass"], free.left_out.lines()) == (2, [])
    assert free.bodies["base"]["children"]["tool"] == {
        "mass": 1, "inertia": "point", "motion": {"planar": {"normal": (0, 0, 1)}},
    }  # fmt: skip
    floating = robot_in(tmp_path, text.replace("planar", "floating"))
    assert floating.bodies["base"]["children"]["tool"]["motion"] == "free"


def test_meshes_and_included_files_are_found(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "my_robot" / "meshes").mkdir(parents=True)
    (tmp_path / "my_robot" / "urdf").mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "my_robot" / "meshes" / "corner.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (tmp_path / "my_robot" / "meshes" / "open.obj").write_text(corners + "f 1 3 2\nf 1 2 4\n")
    shape = '<collision><geometry><mesh filename="package://my_robot/meshes/{}" scale="2 2 2"/></geometry></collision>'
    shapes = "".join(map(shape.format, ("corner.obj", "open.obj", "none.obj", "corner.dae")))
    robot = robot_in(
        tmp_path / "my_robot" / "urdf", f'<robot name="r"><link name="base">{shapes}</link></robot>',
        within=tmp_path / "my_robot",
    )  # fmt: skip
    assert robot.bodies["base"]["shapes"] == [{"type": "hull", "file": "../meshes/corner.obj", "scale": (2, 2, 2)}]
    assert "collide" not in robot.bodies["base"]
    reasons = " ".join(robot.left_out.lines())
    assert all(words in reasons for words in ("open.obj' has no volume", "none.obj' is no file in the folder"))
    (tmp_path / "leg.xml").write_text(
        '<mujoco><body name="leg"><joint/><geom size="0.1" type="mesh" mesh="m"/></body></mujoco>'
    )
    (tmp_path / "assets.xml").write_text('<m><mesh name="m" file="my_robot/meshes/corner.obj" scale="1 2 3"/></m>')
    whole = (
        '<mujoco><asset><include file="assets.xml"/></asset><worldbody><include file="leg.xml"/></worldbody></mujoco>'
    )
    (leg,) = scene_of(robot_in(tmp_path, whole), tmp_path).hierarchy
    assert abs(leg.mass.mass - 1000) < 1e-9  # a sixth of 1 x 2 x 3 m^3 of water


FOUR_BARS = """<mujoco><worldbody>
<body name="crank"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/>
  <body name="coupler" pos="0 0 0.5"><joint axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 1 0 0.3" size="0.02"/></body>
</body>
<body name="rocker" pos="1 0 0" euler="0 10 0"><joint axis="0 1 0"/><geom type="box" size="0.02 0.02 0.4"/></body>
</worldbody><equality>
<connect body1="coupler" body2="rocker" anchor="1 0 0.3"/><connect body1="crank" anchor="0 0 0" active="false"/>
</equality></mujoco>"""


GRIPPER = """<robot name="gripper"><link name="palm"/>
<link name="left">{mass}</link><link name="right">{mass}</link><link name="thumb">{mass}</link>
<joint name="thumb" type="revolute"><parent link="palm"/><child link="thumb"/><axis xyz="0 0 1"/>
 <limit lower="-1" upper="1"/><mimic joint="right" multiplier="-20" offset="0.5"/></joint>
<joint name="left" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="1 0 0"/>
 <limit lower="0.01" upper="0.04"/></joint>
<joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="-1 0 0"/>
 <limit lower="0" upper="0.04"/><mimic joint="{of}"/></joint></robot>"""


def read(folder, text: str) -> Scene:
    """The scene of a robot."""
    return scene_of(robot_in(folder, text), folder)


def gripper(of: str = "left") -> str:
    return GRIPPER.format(mass=INERTIAL.format(1, 1), of=of)


def test_joints_that_mimic_others_follow_them(tmp_path):
    """Also one that follows a follower; each begins where that says."""
    scene = read(tmp_path, gripper())
    loops = [(loop.type, loop.between, loop.ratio) for loop in scene.world.loops]
    assert loops == [
        ("coupling", ("palm/left", "palm/right"), 1.0),
        ("coupling", ("palm/right", "palm/thumb"), -20.0),
    ]
    starts = {name: scene.hierarchy[f"palm/{name}"].joint.coordinates[0].start for name in ("left", "right", "thumb")}
    assert starts == {"left": 0.01, "right": 0.01, "thumb": pytest.approx(0.3)}


@pytest.mark.parametrize(("of", "words"), [("lefd", "there is no joint 'lefd'"), ("thumb", "go round in a circle")])
def test_joints_that_mimic_none_or_each_other_are_an_error_with_its_line(tmp_path, of, words):
    with pytest.raises(SceneError, match=words) as found:
        read(tmp_path, gripper(of))
    assert found.value.problems[0].line == (8 if of == "lefd" else 4)


GEARED = """<mujoco><compiler angle="degree"/><worldbody>
<body name="a"><joint name="ja" type="hinge" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>
<body name="b" pos="1 0 0"><joint name="jb" type="hinge" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>
</worldbody><equality><joint joint1="jb" joint2="ja" polycoef="0.25 -2 0 0 0"/>
<joint joint1="jb" joint2="ja" polycoef="0 1 3"/><joint joint1="jb"/></equality></mujoco>"""


def test_joints_in_a_linear_equality_are_coupled(tmp_path):
    scene = read(tmp_path, GEARED)
    (loop,) = scene.world.loops
    assert (loop.between, loop.ratio, loop.angle) == (("a", "b"), -2.0, 0.25)
    assert scene.hierarchy["b"].joint.coordinates[0].start == 0.25


DRIVEN = """<mujoco><compiler angle="degree"/><default><position kp="20"/></default><worldbody>
<body name="a"><joint name="ja" axis="0 0 1" ref="30"/><geom type="box" size=".1 .1 .1"/></body>
<body name="b" pos="1 0 0"><joint name="jb" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>
<body name="c" pos="3 0 0"><joint name="jc" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>
<body name="d" pos="5 0 0"><joint name="jd" type="ball"/><geom type="box" size=".1 .1 .1"/></body>
</worldbody><actuator>
<motor joint="jb" forcerange="-1 2"/>
<position name="hip" joint="ja" gear="2" kv="3" forcerange="-4 4" ctrlrange="-1 1"/>
<velocity name="2 lift" joint="jb" kv="5" gear="-3"/>
<motor name="hip" joint="jc" gear="7" forcerange="-2 2"/>
<motor joint="ja"/><motor joint="jd"/><motor site="x"/><muscle joint="ja"/>
</actuator></mujoco>"""


def test_actuators_are_motors_with_a_parameter_for_their_control(tmp_path):
    """The torque of MuJoCo's documentation: gear f with f = kp (u - gear q) - kv gear q', kv (u - gear q'), and u, as
    far as `forcerange` lets it; q counts from `ref`.
    """
    robot = robot_in(tmp_path, DRIVEN)
    assert [line.rpartition(": ")[2] for line in robot.left_out.lines()] == [
        "of actuators only motor, velocity and position are understood",
        "only motors with the same largest force both ways are understood",
        "its joint has a motor already",
        "only hinges and slides, by their 'joint', have motors",
    ]
    plain = yaml.safe_load(robot.checked("scene.yaml"))
    assert plain["parameters"] == {"hip_control": 0, "_2_lift_control": 0, "hip_control_2": 0}
    plain["simulation"] |= {"duration": 0.002, "record_every": 0.002}
    q, v = (0.3, 0.1, 0.2), (0.4, -0.6, 0.5)
    for body, x, rate in zip("abc", q, v, strict=True):
        ((kind, keys),) = plain["bodies"][body]["motion"].items()
        keys |= {"displacement" if kind == "slide" else "angle": x, "rate": rate}
    for u in ((2.0, 0.7, 1.5), (2.4, -0.7, -3.0)):
        plain["parameters"] = dict(zip(plain["parameters"], u, strict=True))
        found = rigidsim.simulate(Scene.from_dict(plain))
        f = [20 * (u[0] - 2 * (q[0] + np.pi / 6)) - 3 * 2 * v[0], 5 * (u[1] + 3 * v[1]), u[2]]
        f[0], f[2] = np.clip(f[0], -4, 4), np.clip(f[2], -2, 2)
        torque = np.array(f) * (2, -3, 7)
        assert np.allclose(np.asarray(found.arrays["joints/motor"])[0], torque, rtol=1e-14, atol=0)


def test_an_actuator_of_an_unknown_joint_is_an_error_with_its_line(tmp_path):
    with pytest.raises(SceneError, match="there is no joint 'jx'") as found:
        read(tmp_path, DRIVEN.replace('joint="ja" gear', 'joint="jx" gear'))
    assert found.value.problems[0].line == 8


def test_points_that_are_connected_close_a_loop(tmp_path):
    robot = robot_in(tmp_path, FOUR_BARS)
    assert [line.rpartition(": ")[2] for line in robot.left_out.lines()] == [
        "only points of bodies that are active are held together"
    ]
    limited = robot_in(tmp_path, FOUR_BARS.replace("<joint", '<joint range="-90 90"', 1))
    assert limited.bodies["crank"]["motion"]["hinge"]["limits"] == ["-90 deg", "90 deg"]
    (loop,) = robot.loops
    assert loop["between"] == ["crank/coupler", "rocker"] and loop["at"] == (1, 0, 0.3) and loop["collide"] is True
    excluded = '</equality><contact><exclude body1="rocker" body2="coupler"/></contact>'
    assert "collide" not in robot_in(tmp_path, FOUR_BARS.replace("</equality>", excluded)).loops[0]
    scene = yaml.safe_load(robot.checked("scene.yaml"))
    scene["simulation"] = {"duration": 0.2, "step": 1e-3}
    trajectory = rigidsim.simulate(Scene.from_dict(scene))
    ends = []
    for path, point in zip(loop["between"], (loop["at"], loop["to_at"]), strict=True):
        world = trajectory[path].world
        ends.append(world.position + np.stack(rotate(tuple(world.orientation.T), point), axis=-1))
    assert np.abs(ends[0] - ends[1]).max() < 1e-14  # m
    with pytest.raises(SceneError, match="there is no body 'rock'; did you mean 'rocker'"):
        robot_in(tmp_path, FOUR_BARS.replace('body2="rocker"', 'body2="rock"'))


LINK = '<robot name="r">\n<link name="a">\n{}\n</link>\n</robot>'
MODEL = "<mujoco>\n<worldbody>\n{}\n</worldbody>\n</mujoco>"
INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="{}"/></inertial>'
PAIR = '</link><joint name="j" type="{}">{}</joint><link name="b">'
ENDS = '<parent link="a"/><child link="b"/>'
ENDS_BACK = '<parent link="b"/><child link="a"/>'
BAD = {
    "not xml": ("<robot>\n<link name='a'>\n</robot>", "xml", 3, "mismatched tag"),
    "nothing": ("", "xml", 1, "no element found"),
    "another format": ("<sdf/>", "format", 1, "neither <robot> (URDF) nor <mujoco> (MJCF)"),
    "entities": ('<!DOCTYPE r [\n<!ENTITY a "aa">]>\n<robot/>', "entity", 2, "entities"),
    "too deep": ("<a>" * 300, "depth", 1, "nested more than"),
    "no links": ("<robot name='r'/>", "empty", 1, "has no links"),
    "numbers": (LINK.format(INERTIAL.format("1 2", 1)), "numbers", 3, "value='1 2' is not one number"),
    "a word": (LINK.format(INERTIAL.format("heavy", 1)), "numbers", 3, "of 'a': value='heavy'"),
    "not finite": (LINK.format(INERTIAL.format("nan", 1)), "numbers", 3, "value='nan'"),
    "a negative mass": (LINK.format(INERTIAL.format(-1, 1)), "positive", 3, "is not positive"),
    "a huge mass": (MODEL.format('<body>\n<joint/><geom type="sphere" size="0.1" mass="1e300"/></body>'), "magnitude",
                    3, "1e+300 kg is beyond 1e+50 kg"),
    "an impossible inertia": (LINK.format(INERTIAL.format(1, 3)), "inertia", 3, "triangle inequality"),
    "no link": (LINK.format(PAIR.format("fixed", '<parent link="a"/>\n<child link="c"/>')), "link", 4, "no link 'c'"),
    "no such joint": (LINK.format(PAIR.format("revolut", ENDS)), "word", 3, "did you mean 'revolute'"),
    "two links of one name": (LINK.format("</link>\n<link name='a'>"), "name", 4, "in line 2"),
    "two roots": (LINK.format("</link>\n<link name='b'>"), "tree", 4, "one link may be the root"),
    "no limits": (LINK.format(PAIR.format("revolute", ENDS)), "missing", 3, "has no <limit>"),
    "a circle": (LINK.format(PAIR.format("fixed", '<parent link="b"/><child link="b"/>')), "tree", 3, "circle"),
    "only a circle": (f'<robot>\n<joint name="j" type="fixed">{ENDS}</joint>'
                      f'<joint name="k" type="fixed">{ENDS_BACK}</joint><link name="a"/><link name="b"/></robot>',
                      "tree", 1, "circle"),
    "no bodies": ("<mujoco/>", "empty", 1, "has no bodies"),
    "a class": (MODEL.format('<body><joint class="x"/></body>'), "class", 3, "there is no class 'x'"),
    "a type": (MODEL.format('<body><joint type="hing"/></body>'), "word", 3, "did you mean 'hinge'"),
    "a size": (MODEL.format('<body>\n<joint/><geom type="box" size="1 2"/></body>'), "numbers", 4, "3 numbers"),
    "no size": (MODEL.format('<body><joint/><geom type="box"/></body>'), "missing", 3, "has no attribute 'size'"),
    "no axis": (MODEL.format('<body><joint axis="0 0 0"/></body>'), "direction", 3, "has no direction"),
    "two orientations": (MODEL.format('<body quat="1 0 0 0" euler="1 2 3"/>'), "orientation", 3, "more than one"),
    "limits": (MODEL.format('<body><joint range="1 -1"/></body>'), "limits", 3, "is empty"),
    "no such file": ('<mujoco>\n<include file="none.xml"/></mujoco>', "include", 2, "none.xml is no file in"),
    "the system's file": ('<mujoco>\n<include file="/etc/passwd"/></mujoco>', "include", 2, "passwd is no file in"),
    "itself": ('<mujoco>\n<include file="robot.xml"/></mujoco>', "include", 2, "more than once"),
    "no such mesh": (MODEL.format('<body><joint/><geom type="mesh" mesh="m"/></body>'), "mesh", 3, "no mesh 'm'"),
    "no mass at the end": (MODEL.format('<body name="a">\n<joint name="j"/></body>'), "missing-key", 3,
                           "<body> 'a': a body on a hinge"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_has_its_line(tmp_path, what):
    text, code, line, words = BAD[what]
    with pytest.raises(SceneError) as caught:
        robot_in(tmp_path, text).checked("scene.yaml")
    (problem,) = caught.value.problems
    assert problem.file == str(tmp_path / "robot.xml")
    assert (problem.line, problem.code) == (line, code) and words in str(problem), problem


SECRET = "secret:x:0\n"
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("way", ["above", "absolute", "link", "link to a folder"])
def test_nothing_outside_the_folder_is_opened(tmp_path, way):
    """Nothing is said of such a file: neither its text, nor whether it exists."""
    inside = tmp_path / "robots"
    inside.mkdir()
    for name, text in {
        "key": SECRET,
        "leg.xml": '<m><body><joint/><geom size="1"/></body></m>',
        "m.obj": TETRAHEDRON,
    }.items():
        (tmp_path / name).write_text(text)
        if way == "link":
            (inside / name).symlink_to(tmp_path / name)
    (inside / "up").symlink_to(tmp_path)
    folder = {"above": "../", "absolute": f"{tmp_path}/", "link": "", "link to a folder": "up/"}[way]
    for name in ("key", "leg.xml", "nothing"):
        text = f'<mujoco><worldbody>\n<include file="{folder}{name}"/></worldbody></mujoco>'
        with pytest.raises(SceneError, match=f"is no file in the folder {inside}; --within FOLDER") as caught:
            robot_in(inside, text)
        assert (caught.value.problems[0].line, "secret" in str(caught.value)) == (2, False)
    text = f'<mujoco><worldbody>\n<include file="{folder}key"/></worldbody></mujoco>'
    with pytest.raises(SceneError, match="key:1:1: this is not XML: syntax error") as caught:
        robot_in(inside, text, within=tmp_path)
    assert "secret" not in str(caught.value)
    assert robot_in(inside, text.replace("key", "leg.xml"), within=tmp_path).bodies
    for mesh in (
        f'<robot name="r"><link name="a"><visual><geometry><mesh filename="{folder}m.obj"/></geometry></visual></link>'
        "</robot>",
        f'<mujoco><asset><mesh name="m" file="{folder}m.obj"/></asset><worldbody><body><joint/><geom size="1"/>'
        '<geom type="mesh" mesh="m" density="0"/></body></worldbody></mujoco>',
    ):
        (reason,) = [line for line in robot_in(inside, mesh).left_out.lines() if "is no file in the folder" in line]
        assert f"' is no file in the folder {inside}; --within FOLDER" in reason
        pytest.importorskip("trimesh")
        assert "no file" not in "".join(robot_in(inside, mesh, within=tmp_path).left_out.lines())


def chain(kind, n):
    """A chain of n bodies, one below the other, one in a line; the scene of each says as much as it can."""
    if kind == "mjcf":
        body = '<body name="b{}"><joint range="1 2"/><geom type="box" size="1 1 1" euler="1 2 3"/>'
        body += '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return MODEL.format("\n".join(map(body.format, range(n))) + "</body>" * n)
    mass = '<inertial><origin rpy="1 2 3"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = "".join(f'<link name="b{k}">{mass if k else ""}</link>' for k in range(n))
    joint = '<joint name="j{0}" type="continuous"><parent link="b{0}"/><child link="b{1}"/></joint>'
    return f"<robot>{links}" + "".join(joint.format(k, k + 1) for k in range(n - 1)) + "</robot>"


@pytest.mark.parametrize("kind", [pytest.param("mjcf", marks=pytest.mark.slow), "urdf"])
def test_depth_of_a_chain(tmp_path, kind):
    robot_in(tmp_path, chain(kind, DEEPEST)).checked("scene.yaml")
    with pytest.raises(
        SceneError, match=f"<(body|link)> 'b{DEEPEST}' is nested more than {DEEPEST} bodies below"
    ) as caught:
        robot_in(tmp_path, chain(kind, DEEPEST + 1))
    if kind == "mjcf":
        assert caught.value.problems[0].line == 3 + DEEPEST
        for k in range(3):
            (tmp_path / f"{k}.xml").write_text(
                "<m>" + "<frame>" * 90 + f'<include file="{k + 1}.xml"/>' + "</frame>" * 90 + "</m>"
            )
        with pytest.raises(SceneError, match="nested more than"):
            robot_in(tmp_path, MODEL.format('<include file="0.xml"/>'))


def test_names_are_changed_only_where_they_must_be(tmp_path):
    bodies = "".join(
        f'<body name="{name}"><joint/><geom size="1"/></body>' for name in ("a/b", "a_b", "world", "leg.1")
    )
    assert [*robot_in(tmp_path, MODEL.format(bodies)).bodies] == ["a_b", "a_b_2", "world_", "leg.1"]


def test_names_that_look_like_something_else_stay_names(tmp_path):
    names = [
        "null",
        "yes",
        "1e3",
        "<<",
        "a: b",
        "é",
        "{x}",
        "-",
        "#x",
        "0x1F",
        "1_000",
        ".inf",
        "'q'",
        "~",
        "12:30",
        "*a",
    ]
    bodies = "".join(f'<body name="{name}"><joint/><geom size="1"/></body>' for name in names if name != "<<")
    text = robot_in(tmp_path, MODEL.format(bodies + '<body name="&lt;&lt;"/>')).checked("scene.yaml")
    assert {*yaml.safe_load(text)["bodies"]} == {*Scene.from_text(text).bodies} == {*names}


def test_the_command_writes_a_scene_and_names_what_is_left_out(tmp_path):
    run = CliRunner().invoke
    (tmp_path / "arm.urdf").write_text(ARM)
    done = run(cli, ["import", str(tmp_path / "arm.urdf")], obj={"debug": False})
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'arm.yaml'}: 5 bodies\n")
    assert done.stderr.count("left out: ") == done.stderr.count("\n") >= 4
    again = run(cli, ["import", str(tmp_path / "arm.urdf")], obj={"debug": False})
    assert isinstance(again.exception, StorageError) and "--force" in str(again.exception)
    shown = run(cli, ["import", str(tmp_path / "arm.urdf"), "-o", "-"], obj={"debug": False})
    assert shown.stdout == (tmp_path / "arm.yaml").read_text()
    assert isinstance(run(cli, ["import", str(tmp_path / "none.urdf")], obj={"debug": False}).exception, StorageError)
    assert run(cli, ["validate", str(tmp_path / "arm.yaml")], obj={"debug": False}).exit_code == 0


@pytest.mark.parametrize("text", [ARM, LEGS], ids=["urdf", "mjcf"])
def test_it_moves_as_in_mujoco(tmp_path, text):
    """From random coordinates, a tenth of a second by steps of 0.2 ms with Runge-Kutta of fourth order in both."""
    mujoco = pytest.importorskip("mujoco")
    step, n = 2e-4, 500
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    for what in ("CONTACT", "LIMIT", "FRICTIONLOSS"):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{what}")
    data, robot = mujoco.MjData(model), robot_in(tmp_path, text)
    data.qpos[:] = random_coordinates(model, 0)
    moved = yaml.safe_load(robot.checked("scene.yaml"))
    move(moved["bodies"], model, data.qpos)
    moved["simulation"] = {"duration": n * step, "step": step, "record_every": n * step, "contact": "off"}
    trajectory = rigidsim.simulate(Scene.from_dict(moved))
    mujoco.mj_step(model, data, nstep=n)
    mujoco.mj_kinematics(model, data)
    for path in trajectory.paths:
        if (name := path.split("/")[-1]) in [model.body(i).name for i in range(1, model.nbody)]:
            found = trajectory[path].world
            assert np.abs(found.position[-1] - data.body(name).xpos).max() < 1e-9, path


# --- random trees

CHAINS = (
    ("hinge",), ("slide",), ("ball",), ("hinge", "hinge"), ("slide", "hinge"), ("slide", "slide", "hinge"),
    ("hinge", "hinge", "hinge"), (), ("free",), ("free",),
)  # fmt: skip
"""The joints of one body; free bodies are roots."""
STEP, N_STEP = 1e-3, 100


class RandomTree:
    """A tree of bodies with random masses, joints, springs, dampers and places."""

    def __init__(self, seed: int):
        self._random, self._count = np.random.default_rng(seed), 0
        self.text = f"<mujoco><worldbody>{self._body(3, CHAINS)}{self._body(3, CHAINS)}</worldbody></mujoco>"

    def _numbers(self, n: int = 3, size: float = 0.3) -> str:
        return " ".join(map(repr, map(float, size * self._random.normal(size=n))))

    def _body(self, depth: int, chains: tuple) -> str:
        self._count += 1
        name, chain = f"body_{self._count}", chains[self._random.integers(len(chains))]
        joints = "".join(self._joint(f"{name}_{i}", kind) for i, kind in enumerate(chain))
        below = "".join(self._body(depth - 1, CHAINS[:-2]) for _ in range(self._random.integers(3 if depth else 1)))
        moments = 0.02 + 0.02 * self._random.uniform(size=3)
        inertial = (
            f'<inertial pos="{self._numbers()}" quat="{self._numbers(4)}" mass="{self._random.uniform(0.3, 3)!r}"'
            f' diaginertia="{" ".join(map(repr, map(float, moments)))}"/>'
        )
        return f'<body name="{name}" pos="{self._numbers()}" quat="{self._numbers(4)}">{joints}{inertial}{below}</body>'

    def _joint(self, name: str, kind: str) -> str:
        at = f'pos="{self._numbers()}"' if kind in ("hinge", "ball") else ""
        axis = f'axis="{self._numbers()}"' if kind in ("hinge", "slide") else ""
        spring = f'stiffness="{self._random.uniform(0, 5)!r}" springref="{self._numbers(1)}"' if axis else ""
        damping = f'damping="{self._random.uniform(0, 0.3)!r}"' if kind != "free" else ""
        return f'<joint name="{name}" type="{kind}" {at} {axis} {spring} {damping}/>'


@pytest.mark.parametrize("seed", range(11))
def test_a_random_tree_moves_as_in_mujoco(tmp_path, seed):
    """Two engines, of which neither knows the other's method: from random coordinates, by 100 steps of 1 ms with
    Runge-Kutta of fourth order in both.
    """
    text = RandomTree(seed).text
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data, robot = mujoco.MjData(model), robot_in(tmp_path, text)
    data.qpos[:] = random_coordinates(model, seed)
    scene = yaml.safe_load(robot.checked("scene.yaml"))
    move(scene["bodies"], model, data.qpos)
    scene["simulation"] = {"duration": N_STEP * STEP, "step": STEP, "record_every": N_STEP * STEP}
    trajectory = rigidsim.simulate(Scene.from_dict(scene))
    mujoco.mj_step(model, data, nstep=N_STEP)
    mujoco.mj_kinematics(model, data)
    ends = {path.split("/")[-1]: trajectory[path].world.position[-1] for path in trajectory.paths}
    errors = [np.abs(ends[model.body(i).name] - data.xpos[i]).max() for i in range(1, model.nbody)]
    # Measured 8e-11; of the first 200 trees one differs by 2e-6, and by 5e-9 at a quarter of the step.
    assert max(errors) < 1e-9


def test_the_spring_of_a_ball_has_no_angle_of_rest(tmp_path):
    """MuJoCo ignores `springref` of a ball joint, which may inherit it from a default."""
    robot = robot_in(
        tmp_path,
        '<mujoco><default><joint stiffness="0.5" springref="15"/></default><worldbody><body name="b" pos="0 0 1">'
        '<joint name="j" type="ball"/><geom type="sphere" size="0.1" pos="0 0 -0.3"/></body></worldbody></mujoco>',
    )
    assert "motion: {ball: {spring: {stiffness: 0.5}}}" in robot.checked(str(tmp_path / "scene.yaml"))
