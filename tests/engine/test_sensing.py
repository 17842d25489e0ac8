"""Sensors: what they measure against closed forms, their errors against statistics and an independent computation, and
the same bits however a run is divided.
"""

from __future__ import annotations

import hashlib

import h5py
import numpy as np
import pytest

import rigidsim as rs
from rigidsim.errors import FormatError, SceneError, UsageError
from rigidsim.trajectory.trajectory import Trajectory

EPS = np.finfo(float).eps


def scene(bodies: str, step: float = 0.01, duration: float = 1.0, more: str = "", settings: str = "") -> rs.Scene:
    return rs.Scene.from_text(
        f"format: rigidsim/1\nsimulation: {{duration: {duration}, step: {step}{settings}}}\n{more}bodies:\n{bodies}"
    )


SPUN = """
  disc:
    motion: {prescribed: {angular_velocity: [0, 0, 2]}}
    sensors:
      imu: {type: imu, every: 0.02, position: [0.5, 0, 0.1], orientation: {axis: [0, 0, 1], angle: 90 deg}}
      place: {type: pose, every: 0.5, position: [0.5, 0, 0.1]}
"""


def test_an_imu_measures_what_is_felt_and_the_rate_in_its_axes():
    read = rs.simulate(scene(SPUN, more="world: {gravity: [0, 0, -9.81]}\n")).readings
    # At r = 0.5 m the centripetal acceleration is -w^2 r along the x-axis of the disc, which is -y of the sensor; a
    # support is felt upwards.
    felt, turned = read["disc.imu"]["acceleration"], read["disc.imu"]["angular_velocity"]
    assert np.abs(felt - [0.0, 4.0 * 0.5, 9.81]).max() < 16 * EPS * 9.81
    assert np.abs(turned - [0.0, 0.0, 2.0]).max() < 8 * EPS
    assert np.array_equal(read["disc.imu"].time, 0.01 * 2 * np.arange(51))
    t = read["disc.place"].time
    expected = np.stack([0.5 * np.cos(2 * t), 0.5 * np.sin(2 * t), np.full(len(t), 0.1)], axis=1)
    assert np.abs(read["disc.place"]["position"] - expected).max() < 8 * EPS


def test_an_encoder_and_a_value_are_read_as_a_trajectory_has_them():
    found = rs.simulate(
        scene(
            """
  arm:
    mass: 2
    inertia: {principal: [0.1, 0.1, 0.1]}
    center_of_mass: [0.4, 0, 0]
    motion: {hinge: {axis: [0, 1, 0], angle: 0.3}}
    sensors:
      encoder: {type: encoder, every: 0.05}
      height: {type: value, every: 0.1, value: "= z('arm') + 2*\\"arm.angular_velocity.y@body\\""}
""",
            more="world: {gravity: [0, 0, -9.81]}\n",
        )
    )
    arm, encoder = found["arm"], found.readings["arm.encoder"]
    assert np.array_equal(encoder["coordinate"], arm.joint.coordinates[::5, 0])
    assert np.array_equal(encoder["rate"], arm.joint.rates[::5, 0])
    omega = arm.world.angular_velocity[::10, 1]
    assert np.abs(found.readings["arm.height"]["value"] - arm.world.position[::10, 2] - 2 * omega).max() < 1e-14


def test_a_contact_sensor_measures_the_weight_of_a_body_at_rest():
    found = rs.simulate(
        scene(
            """
  floor:
    shapes: [{type: plane}]
  box:
    mass: 3
    position: [0, 0, 0.5]
    shapes: [{type: box, size: [1, 1, 1]}]
    sensors: {foot: {type: contact, every: 0.1}, other: {type: contact, every: 0.1, to: floor}}
""",
            more="world: {gravity: [0, 0, -9.81]}\n",
        )
    ).readings
    # The soft contact of a body at rest settles; measured 3e-7 of the weight after 0.5 s.
    assert found["box.foot"]["force"][5:] == pytest.approx(3 * 9.81, rel=3e-6)
    assert np.array_equal(found["box.foot"]["force"], found["box.other"]["force"])


def test_contact_sensors_on_feet_that_are_fixed_to_a_body_share_its_weight():
    """The table is three times nearer to one of its feet than to the other."""
    foot = "shapes: [{type: sphere, radius: 0.1}], sensors: {touch: {type: contact, every: 0.1}}"
    found = rs.simulate(
        scene(
            f"""
  floor: {{shapes: [{{type: plane}}], material: {{friction: 0}}}}
  table:
    mass: 4
    inertia: {{principal: [1, 1, 1]}}
    position: [0, 0, 0.1]
    motion: {{slide: {{axis: [0, 0, 1]}}}}
    children:
      board:
        motion: {{hinge: {{axis: [0, 1, 0]}}}}
        mass: 4
        inertia: {{principal: [1, 1, 1]}}
        sensors: {{touch: {{type: contact, every: 0.1}}}}
        children:
          near: {{position: [-0.5, 0, 0], {foot}}}
          far: {{position: [1.5, 0, 0], {foot}}}
""",
            more="world: {gravity: [0, 0, -9.81]}\n",
        )
    ).readings
    for path, share in {"table/board/near": 0.75, "table/board/far": 0.25, "table/board": 1.0}.items():
        assert found[f"{path}.touch"]["force"][-1] == pytest.approx(share * 8 * 9.81, rel=1e-5), path


WALLS = {
    "{type: plane, normal: [-1, 0, 0], offset: -4}": 4.0,
    "{type: sphere, radius: 0.5, position: [3, 0.3, 0]}": 3 - 0.4,
    "{type: ellipsoid, radii: [1, 0.5, 2], position: [3, 0.3, 0]}": 3 - 0.8,
    "{type: box, size: [1, 2, 3], position: [3, 0.9, -1]}": 2.5,
    "{type: cylinder, radius: 0.5, length: 1, position: [3, 0.3, 0.4]}": 2.6,
    "{type: capsule, radius: 0.5, length: 1, position: [3, 0.3, 0.4]}": 2.6,
    "{type: capsule, radius: 0.5, length: 1, position: [3, 0, 0.8]}": 3 - 0.4,
    "{type: cone, radius: 1, length: 2, position: [3, 0, 0]}": 2.5,
    "{type: cone, radius: 1, length: 2, position: [3, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}": 2.0,
    "{type: hull, points: [[2, -1, -1], [2, 1, -1], [2, 0, 2], [5, 0, 0]]}": 2.0,
    "{type: sphere, radius: 0.5, position: [3, 0.6, 0]}": 9.0,  # missed
    "{type: sphere, radius: 0.5, position: [-3, 0, 0]}": 9.0,  # behind
    "{type: sphere, radius: 5}": 0.0,  # inside
}


@pytest.mark.parametrize("shape", WALLS)
def test_a_range_finder_measures_the_distance_of_the_nearest_shape(shape: str):
    found = rs.simulate(
        scene(
            f"""
  probe:
    motion: {{prescribed: {{velocity: [0, 0, 0]}}}}
    orientation: {{axis: [0, 0, 1], angle: 90 deg}}
    shapes: [{{type: sphere, radius: 0.1}}]
    sensors: {{eye: {{type: range, every: 0.1, longest: 9, direction: [0, -2, 0]}}}}
  wall:
    motion: {{prescribed: {{velocity: [1, 0, 0]}}}}
    shapes: [{shape}]
""",
            duration=0.1,
        )
    ).readings["probe.eye"]["distance"]
    assert found[0] == pytest.approx(WALLS[shape], abs=1e-14)
    moved = WALLS[shape] + 0.1 * (0.0 < WALLS[shape] < 9.0)
    assert found[1] == pytest.approx(moved, abs=1e-14)


# --- errors

NOISY = """
  probe:
    motion: {prescribed: {angular_velocity: [0, 0, 0.5]}}
    sensors:
      imu:
        type: imu
        every: 0.01
        errors:
          angular_velocity: {bias: [0.1, 0, -0.1], noise: 0.02, random_walk: 0.04}
          acceleration: {noise_density: 0.003, quantum: 0.001}
      star: {type: pose, every: 0.02, errors: {orientation: {noise: [0.001, 0.002, 0]}}}
"""


def philox_normals(seed: int, names: tuple[str, ...], width: int, samples: int) -> np.ndarray:
    """(2, sample, width) the numbers that the documentation describes, from NumPy's generator and functions."""
    stream = int.from_bytes(hashlib.sha256("\0".join(names).encode()).digest()[:8], "little")
    counters = -(-2 * width // 4)
    raw = np.random.Philox(key=np.array([seed, stream], np.uint64)).random_raw(4 * counters * samples)
    whole = (raw.reshape(samples, -1)[:, : 2 * width] >> np.uint64(11)).astype(float)
    r = np.sqrt(-2.0 * np.log((whole[:, :width] + 1.0) * 2.0**-53))
    angle = 2.0 * np.pi * whole[:, width:] * 2.0**-53
    return np.stack([r * np.cos(angle), r * np.sin(angle)])


@pytest.fixture(scope="module")
def noisy() -> Trajectory:
    return rs.simulate(scene(NOISY, step=0.01, duration=150.0, settings=", seed: 3, record_every: 40"))


def test_errors_are_those_of_the_seed_the_sensor_and_the_sample(noisy):
    found, n = noisy.readings["probe.imu"]["angular_velocity"], 1000
    white, further = philox_normals(3, ("probe", "imu", "angular_velocity"), 3, n)
    walk = np.concatenate([np.zeros((1, 3)), np.cumsum(0.04 * 0.1 * further, axis=0)[:-1]])
    expected = [0.1, 0.0, 0.4] + walk + 0.02 * white
    assert np.abs(found[:n] - expected).max() < 1e-14
    felt = noisy.readings["probe.imu"]["acceleration"][:n]
    white, _ = philox_normals(3, ("probe", "imu", "acceleration"), 3, n)
    assert np.array_equal(felt, np.floor((0.003 / 0.1 * white) / 0.001 + 0.5) * 0.001)


def test_an_orientation_is_turned_about_the_axes_of_the_sensor(noisy):
    star, n = noisy.readings["probe.star"], 200
    white, _ = philox_normals(3, ("probe", "star", "orientation"), 3, n)
    half = white * [0.001, 0.002, 0.0] / 2
    size = np.linalg.norm(half, axis=1)
    w, (x, y, z) = np.cos(size), (np.sin(size) / size)[:, None].T * half.T
    c, s = np.cos(0.25 * star.time[:n]), np.sin(0.25 * star.time[:n])
    expected = np.stack([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], axis=1)
    expected *= np.sign(c)[:, None]  # of q and -q the one with w >= 0 is measured
    assert np.abs(star["orientation"][:n] - expected).max() < 4e-15


def test_noise_has_its_mean_variance_and_allan_deviation(noisy):
    """Bounds of five standard deviations of each estimate."""
    rate, T = noisy.readings["probe.imu"]["angular_velocity"], 0.01
    felt = noisy.readings["probe.imu"]["acceleration"]
    n = len(felt)
    density = np.sqrt(0.03**2 + 0.001**2 / 12)  # with the noise of the quantum
    assert np.abs(felt.mean(axis=0)).max() < 5 * density / np.sqrt(n)
    assert np.abs(felt.std(axis=0) / density - 1).max() < 5 / np.sqrt(2 * n)
    for m in (1, 10, 100):
        means = rate[: n // m * m].reshape(-1, m, 3).mean(axis=1)
        allan = 0.5 * np.mean(np.diff(means, axis=0) ** 2)
        tau = m * T
        # sigma^2(tau) = N^2/tau + K^2 tau/3 of white noise of the density N and a random walk K (IEEE Std 952), with
        # the sums of a walk that is sampled: tau (1 + 1/(2 m^2))/3.
        theory = 0.02**2 * T / tau + 0.04**2 * tau * (1 + 0.5 / m**2) / 3
        assert abs(allan / theory - 1) < 5 * np.sqrt(3 / means.size)


# --- the same bits


def together(scenes: list[rs.Scene]) -> list[Trajectory]:
    return rs.simulate(scenes)


def seeded(seed: int) -> rs.Scene:
    return scene(NOISY, duration=1.0, settings=f", seed: {seed}")


def test_lanes_and_slices_change_no_bit():
    scenes = [seeded(seed) for seed in range(18)]  # a full block, and one with spare lanes
    for one, alone in zip(together(scenes), map(rs.simulate, scenes), strict=True):
        assert one.content_hash == alone.content_hash
    assert len({one.content_hash for one in map(rs.simulate, scenes[:3])}) == 3
    by_steps = rs.Simulation(scenes[2])
    for n in (1, 2, 30, 67):
        by_steps.step(n)
    log = by_steps._run.sensing.log(0)[0][1]
    assert np.array_equal(log[:, 3:], rs.simulate(scenes[2]).readings["probe.imu"]["angular_velocity"])


def test_a_checkpoint_has_what_sensors_remember():
    whole = rs.simulate(seeded(4))
    first = rs.Simulation(seeded(4))
    block = next(iter(first.blocks(watch=lambda n: n >= 37)))
    later = rs.Simulation(seeded(4))
    later.resume(block.checkpoint, first.events)
    parts = [block.readings, *(one.readings for one in later.blocks())]
    for table in whole.header.readings:
        for name in table.names:
            assert np.array_equal(np.concatenate([part[name] for part in parts]), whole.arrays[name])


def test_sensors_do_not_change_the_motion():
    body = """
  top:
    mass: 2
    inertia: {principal: [1, 2, 3]}
    angular_velocity: [0.1, 3, 0.2]
    velocity: [1, 0, 4]
"""
    sensors = """
    sensors:
      imu: {type: imu, every: 0.03, errors: {acceleration: {noise: 1}}}
      gps: {type: pose, every: 0.05, position: [1, 2, 3]}
"""
    more = "world: {gravity: [0, 0, -9.81]}\n"
    plain, sensed = (rs.simulate(scene(text, more=more)) for text in (body, body + sensors))
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        one, other = (getattr(found["top"].world, name) for found in (plain, sensed))
        assert np.array_equal(one, other)


def test_files_keep_readings(tmp_path):
    made = rs.simulate(seeded(1))
    made.save(tmp_path / "run.h5")
    with rs.load(tmp_path / "run.h5") as read:
        assert read.content_hash == made.content_hash
        assert list(read.readings) == ["probe.imu", "probe.star"]
        imu = read.readings["probe.imu"]
        assert imu.units == {"acceleration": "m s-2", "angular_velocity": "rad s-1"}
        assert imu.components("acceleration") == ("x", "y", "z")
        assert np.array_equal(imu["acceleration"], made.readings["probe.imu"]["acceleration"])
        with pytest.raises(UsageError, match="it has acceleration, angular_velocity"):
            imu["speed"]


def test_damaged_readings_are_refused(tmp_path):
    rs.simulate(seeded(1)).save(path := tmp_path / "run.h5")
    with h5py.File(path, "r+") as file:
        file["sensors/probe/imu/acceleration"][3, 1] += 1.0
    with rs.load(path) as read, pytest.raises(FormatError, match="sensors/probe/imu/acceleration does not match"):
        read.readings["probe.imu"]["acceleration"]
    with h5py.File(path, "r+") as file:
        del file["sensors/probe/star/time"]
    with pytest.raises(FormatError, match="sensors/probe/star/time is missing"):
        rs.load(path)


WRONG = {
    "{type: imu}": "the key 'every' is missing",
    "{type: imu, every: 0.1, rate: 3}": "rate",
    "{type: imu, every: 0.013}": "every / step = 1.3 is not a whole number; nearest: 0.01 s and 0.02 s",
    "{type: imu, every: 0.1, errors: {acceleration: {noise: -1}}}": "must not be negative",
    "{type: imu, every: 0.1, errors: {acceleration: {noise: 1, noise_density: 1}}}": "both 'noise' and 'noise_density'",
    "{type: imu, every: 0.1, errors: {speed: {noise: 1}}}": "speed",
    "{type: gyro, every: 0.1}": "gyro",
    "{type: encoder, every: 0.1}": "'probe' is prescribed, not on a joint",
    "{type: range, every: 0.1}": "the key 'longest' is missing",
    "{type: range, every: 0.1, longest: 5, direction: [0, 0, 0]}": "a direction cannot be zero",
    "{type: contact, every: 0.1}": "nor what is fixed to it has shapes",
    "{type: contact, every: 0.1, to: prob}": "there is no body 'prob'",
    "{type: value, every: 0.1, value: 3}": "expected an expression",
    "{type: value, every: 0.1, value: \"= z('prob')\"}": "there is no body 'prob'; did you mean 'probe'",
}


@pytest.mark.parametrize("sensor", WRONG)
def test_wrong_sensors_are_located(sensor: str):
    with pytest.raises(SceneError, match=r"probe\.sensors\.eye") as caught:
        scene(f"  probe:\n    motion: {{prescribed: {{velocity: [0, 0, 1]}}}}\n    sensors: {{eye: {sensor}}}\n")
    assert WRONG[sensor] in str(caught.value)


def test_a_ray_meets_a_mesh_from_both_sides(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((2, 2, 2)).export(tmp_path / "cube.stl")
    (tmp_path / "scene.yaml").write_text("""
format: rigidsim/1
simulation: {duration: 0.1, step: 0.1}
bodies:
  probe:
    motion: {prescribed: {velocity: [20, 0, 0]}}
    position: [0, 0.3, 0.2]
    sensors: {eye: {type: range, every: 0.1, longest: 50}}
  cube:
    position: [3, 0, 0]
    scale: 0.5
    shapes: [{type: mesh, file: cube.stl}]
""")
    found = rs.simulate(rs.Scene.from_file(tmp_path / "scene.yaml")).readings["probe.eye"]["distance"]
    assert found[0] == pytest.approx(2.5, abs=1e-7)  # the file has single precision
    (tmp_path / "scene.yaml").write_text((tmp_path / "scene.yaml").read_text().replace("[0, 0.3", "[3.1, 0.3"))
    inside = rs.simulate(rs.Scene.from_file(tmp_path / "scene.yaml")).readings["probe.eye"]["distance"]
    assert inside[0] == pytest.approx(0.4, abs=1e-7)
