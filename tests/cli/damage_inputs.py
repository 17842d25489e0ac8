"""Give each command that reads files damaged ones, in many ways: each is answered in sentences with an exit code of its
own, and a file of results that is read at all is read as it was.

Arguments: a folder to work in, how many inputs each command gets, a seed, and the commands, all if none is named.
"""

from __future__ import annotations

import faulthandler
import io
import os
import random
import re
import shutil
import signal
import sys
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parents[1]))
os.environ["RIGIDSIM_JIT"] = "off"  # damaged scenes have many structures, each of which would be compiled
import h5py
import yaml

from rigidsim.cli import main
from rigidsim.errors import INTERNAL
from support.damaging import flipped, restructure

TOO_LONG, ENDED = 20.0, 600
"""s: a command gets Ctrl-C after so much processor time, since it may have been asked for a long run; the process ends
after the second, which no command may take.
"""
SCENES = [
    """\
format: rigidsim/1
parameters: {spin: {value: 20, unit: rpm}, tilt: "= spin / 4"}
simulation: {duration: 0.05, step: 0.01, record_every: 0.01, integrator: {name: magnus, terms: 2}}
world: {gravity: [0, 0, -9.81]}
sweep: {vary: {spin: 10:30:3, bodies.top.mass: [1, 2]}}
metrics: {fastest: '= max(speed("top"))'}
bodies:
  top:
    mass: 2
    inertia: {principal: [1, 2, 2.5]}
    orientation: {axis: [0, 1, 0], angle: 30 deg}
    velocity: [1 km/h, 0, 0]
    angular_velocity: {frame: body, value: ["= tilt", 0, "= spin"]}
    forces: [{type: constant, force: ["= 2*t", 0, 1], at: [0, 0, 0.1], during: [0, 0.03]}]
    children: {mark: {position: [0, 0, 1]}}
  bead: {repeat: {line: 3, spacing: [1, 0, 0]}, position: [5, 0, 0], mass: 2, inertia: point}
""",
    """\
format: rigidsim/1
simulation: {duration: 0.05, step: 0.01, record_every: 0.01}
world: {gravity: [0, 0, -9.81]}
bodies:
  floor: {motion: fixed, shapes: [{type: plane}]}
  ball: {mass: 1, shapes: [{type: sphere, radius: 0.1}], position: [0, 0, 0.1], material: {restitution: 0.5}}
  arm:
    motion: {hinge: {axis: [0, 1, 0], angle: 20 deg, limits: [-30 deg, 60 deg], damping: 0.1}}
    mass: 1
    center_of_mass: [0.5, 0, 0]
    inertia: {principal: [0.1, 0.1, 0.1]}
    position: [3, 0, 3]
    impulses: [{time: 0.02, impulse: [0, 0, 1], at: [1, 0, 0]}]
reparent: [{time: 0.03, body: arm, to: ball, motion: free}]
""",
    """\
format: rigidsim/1
parameters: {push: 3 +- 0.1 m/s, load: {uniform: [1 kg, 2 kg]}}
simulation: {duration: 0.05, step: 0.01, record_every: 0.01, stop: {when: "= z('ball') < -100"}}
world: {gravity: [0, 0, -9.81]}
let: {height: "= z('ball') + 1 m"}
tables: {air: {file: air.csv, x: altitude, y: density, kind: linear}}
metrics: {top: "= max(height)", far: "= final(x('ball'))"}
bodies:
  floor: {motion: fixed, shapes: [{type: mesh, file: m.obj, position: [0, 0, -3]}]}
  ground: {motion: fixed, position: [9, 0, 0], shapes: [{type: terrain, heights: [[0, 1], [1, 0]], spacing: 2}]}
  ball:
    mass: "= load"
    shapes: [{type: sphere, radius: 0.1}]
    velocity: ["= push", 0, 0]
    forces: [{type: constant, force: ["= -0.1 * air(height) * v_x('ball')", 0, 0]}]
    impulses: [{when: {condition: "= z('ball') < -0.001", every: true, delay: 0.01}, impulse: [0, 0, 1]}]
  chip: {mass: 1, position: [0, 3, 0], shapes: [{type: hull, file: m.obj}], velocity: [0, 0, 1]}
optimise: {vary: {push: [1, 5]}, maximise: "= final(x('ball'))", subject_to: ["= max(height) < 3"]}
fit:
  data: [{file: measured.csv, columns: {ball.position.x: {column: x, sigma: 1 mm}}}]
  parameters: {push: {bounds: [1, 5]}}
""",
]
FITTED = """\
format: rigidsim/1
parameters: {start: 65 deg, stiffness: 1 N*m/rad}
simulation: {duration: 0.05, step: 0.01, record_every: 0.01}
bodies:
  rod:
    mass: 0.5
    inertia: point
    center_of_mass: [0, 0, -1]
    motion: {hinge: {axis: [0, -1, 0], angle: "= start", spring: {stiffness: "= stiffness"}}}
"""
AROUND = """\
format: rigidsim/1
simulation: {duration: 0.05, step: 0.01}
world: {gravity: [0, 0, -9.81]}
bodies: {one: {include: in.yaml}, row: {repeat: {line: 2, spacing: [9, 0, 0]}, include: in.yaml}}
"""
MEASURED = "time (s),rod.angle,sigma\n0,1.13,0.01\n0.01,1.131,0.01\n0.02,1.12,0.02\n0.03,1.11,0.01\n"
AIR = "altitude [m],density [kg/m^3]\n-200,1\n0,0.7\n200,0.5\n"
URDF = """<robot name="arm"><link name="base"><visual><geometry><mesh filename="m.obj"/></geometry></visual></link>
<link name="tip"><inertial><origin xyz="0 0 1" rpy="0.1 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1"/></joint></robot>
"""
MJCF = """<mujoco model="m"><compiler angle="radian"/><option timestep="0.002" gravity="0 0 -9.81"/>
<default><geom density="700"/><default class="c"><joint damping="0.1"/></default></default>
<asset><mesh name="m" file="m.obj"/></asset><worldbody><include file="part.xml"/><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1" childclass="c"><joint axis="0 1 0" range="-1 1"/><geom type="capsule" size="0.1 0.3"/>
<frame pos="0 0 1"><body name="b" euler="0.1 0 0"><joint type="slide"/><geom mesh="m" type="mesh"/></body></frame>
</body>
</worldbody><equality><connect body1="b" anchor="0 0 0"/></equality></mujoco>
"""
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ODD = [
    None, True, "", "text", "= 1/0", "= t", "= spin", "=", "= ((((", "1e400", "5 parsec", -1, 0, 0.5,
    1e300, -1e300, 1e-300, float("nan"), float("inf"), 10**400, 2**63, [],
    [1], [1, 2, 3], [[1, 2], [3]], {}, {"value": 1},
    {"a": {"b": {}}}, "2026-11-24", b"\xff\x00", "x" * 10_000, "\x1b[2J", "../../etc/passwd", "world",
    [None] * 3, [1e50, 1e50, 1e50], "../top",
]  # fmt: skip
WORDS = [
    "nan",
    "1e999",
    "",
    "-1",
    "1 2",
    "0 0 0",
    "x" * 5000,
    "\x07",
    "1e300",
    "none.obj",
    "/etc/passwd",
    "../..",
    "a",
    "free",
]


class Command(NamedTuple):
    """A command: its words, what it reads (the kind, and the name in the folder), whether the answer to a damaged
    file must be the one to the whole file, unless it is refused, and whether its scene stays whole, so that compiled
    code serves all inputs.
    """

    words: str
    kind: str
    name: str
    is_kept: bool = True
    is_compiled: bool = False


COMMANDS = {
    "validate": Command("validate in.yaml", "scene", "in.yaml", False),
    "run": Command("run in.yaml -o out.h5 --force", "scene", "in.yaml", False),
    "sweep": Command(
        "sweep in.yaml --vary simulation.duration=0.02:0.04:2 -o out.h5 --force", "scene", "in.yaml", False
    ),
    "sweep table": Command("sweep top.yaml --table in.csv -o out.h5 --force", "table", "in.csv", False),
    "fit": Command(
        "fit rod.yaml --vary start,stiffness --data in.csv -o out.yaml --force", "measured", "in.csv", False, True
    ),
    "run of a table": Command("run full.yaml -o out.h5 --force -q", "air", "air.csv", False),
    "run of a mesh": Command("run full.yaml -o out.h5 --force -q", "mesh", "m.obj", False),
    "validate included": Command("validate around.yaml", "scene", "in.yaml", False),
    "linearize": Command("linearize in.yaml", "scene", "in.yaml", False),
    "certify": Command("certify in.yaml", "scene", "in.yaml", False),
    "validate json": Command("validate in.yaml --json --strict", "scene", "in.yaml", False),
    "import urdf": Command("import in.urdf -o out.yaml --force", "urdf", "in.urdf", False),
    "import mjcf": Command("import in.xml -o out.yaml --force", "mjcf", "in.xml", False),
    "import mesh": Command("import whole.xml -o out.yaml --force", "mesh", "m.obj", False),
    "inspect": Command("inspect in.h5 --json", "run", "in.h5"),
    "verify": Command("inspect in.h5 --json --verify", "run", "in.h5"),
    "quantity": Command("inspect in.h5 top.speed total_energy --json", "run", "in.h5"),
    "hash": Command("hash in.h5 --verify", "run", "in.h5"),
    "explain": Command("explain in.h5 top --at 0.02", "run", "in.h5"),
    "diff": Command("diff in.h5 whole.h5", "run", "in.h5"),
    "export": Command("export in.h5 --to csv -o -", "run", "in.h5"),
    "export netcdf": Command("export in.h5 -o out.nc --force", "run", "in.h5"),
    "plot": Command("plot in.h5 top.speed -o out.png --force --dpi 20", "run", "in.h5"),
    "view": Command("view in.h5 -o out.html --force", "run", "in.h5"),
    "video": Command("video in.h5 --at 0.02 --size 64x64 -o out.png --force", "run", "in.h5"),
    "extend": Command("run top.yaml -o in.h5 --extend 0.01 --terms -q", "run", "in.h5"),
    "resume": Command("run top.yaml -o left.h5 --resume -q", "left", ".left.h5.tmp"),
    "resume checkpoint": Command("run top.yaml -o left.h5 --resume -q", "left", ".left.h5.resume"),
    "recover": Command("recover left.h5", "left", ".left.h5.tmp"),
    "inspect sweep": Command("inspect in-sweep.h5 --json", "swept", "in-sweep.h5"),
    "export sweep": Command("export in-sweep.h5 --to csv -o -", "swept", "in-sweep.h5"),
    "plot sweep": Command("plot in-sweep.h5 -o out.png --force --dpi 20", "swept", "in-sweep.h5"),
    "run of a sweep": Command("run top.yaml --from in-sweep.h5 --index 1 -o out.h5 --force -q", "swept", "in-sweep.h5"),
    "resume of a sweep": Command("sweep top.yaml -o in-sweep.h5 --resume -q", "swept", "in-sweep.h5"),
    "assemble": Command("assemble in-sweep.h5 whole-part.h5 -o out.h5 --force", "part", "in-sweep.h5"),
}
OUTPUTS = ("out.h5", "out.nc", "out.png", "out.html", "out.yaml", "left.h5")


def called(words: str) -> tuple[int, str, str]:
    """The exit code of a command, and what it prints."""
    out, err, before = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8"), sys.argv
    sys.argv = ["rigidsim", *words.split()]
    faulthandler.dump_traceback_later(ENDED, exit=True)
    signal.setitimer(signal.ITIMER_PROF, TOO_LONG)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
        code = 0
    except SystemExit as ending:
        code = ending.code or 0
    except BaseException as error:
        code = INTERNAL
        err.write(f"Traceback of {type(error).__name__}: {error}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        faulthandler.cancel_dump_traceback_later()
        sys.argv = before
    texts = []
    for stream in (out, err):
        with suppress(ValueError):
            stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", "replace"))
    return code, *texts


def made(words: str) -> None:
    """Run a command that must succeed."""
    code, out, err = called(words)
    assert code == 0, f"{words}: {code} {out} {err}"


def leave_a_killed_run(scene: str, path: str) -> None:
    """What a run leaves that is killed after a checkpoint."""
    from rigidsim.simulation.single import Simulation
    from rigidsim.trajectory.writer import Writer

    simulation = Simulation(scene)
    with Writer(path, simulation.header, simulation.n_sample) as writer:
        for number, block in enumerate(simulation.blocks(every=0.0)):
            writer.append(block)
            if number == 0:
                writer.commit(simulation.events, simulation.metrics, simulation.contact_ledger)
                return


def originals(folder: Path) -> None:
    """What the commands read, whole, in a folder."""
    os.chdir(folder)
    scene = SCENES[0]
    Path("top.yaml").write_text(scene)
    Path("touch.yaml").write_text(SCENES[1])
    Path("full.yaml").write_text(SCENES[2])
    Path("rod.yaml").write_text(FITTED)
    Path("around.yaml").write_text(AROUND)
    Path("measured.csv").write_text(MEASURED)
    Path("air.csv").write_text(AIR)
    Path("table.csv").write_text("spin,bodies.top.mass\n1 rpm,2\n20 rpm,3\n")
    Path("arm.urdf").write_text(URDF)
    Path("model.xml").write_text(MJCF)
    Path("part.xml").write_text('<mujocoinclude><geom size="0.1" pos="0 0 3"/></mujocoinclude>')
    Path("m.obj").write_text(MESH)
    made("run top.yaml -o run.h5 --terms -q")
    made("run touch.yaml -o touched.h5 --contacts --terms -q")
    made("sweep top.yaml -o swept.h5 -q --threads 1")
    for part in (1, 2):
        made(f"sweep top.yaml -o part-{part}.h5 -q --part {part}/2 --threads 1")
    leave_a_killed_run("top.yaml", "left.h5")


def of_data(text: str, choice: random.Random) -> bytes:
    """A scene with one value, key or entry changed in its data."""
    data = yaml.safe_load(text)
    node = data
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = choice.choice(keys)
        if not isinstance(node[key], dict | list) or not node[key] or choice.random() < 0.25:
            break
        node = node[key]
    act = choice.randrange(6)
    if act == 0:
        del node[key]
    elif act == 1 and isinstance(node, dict):
        node[choice.choice(["mass", "motion", "x", "1", "<<", "bodies", "world", key + "s"])] = node.pop(key)
    elif act == 2:
        deep: object = choice.choice(ODD)
        for _ in range(choice.choice([5, 250, 1500])):
            deep = choice.choice([[deep], {"children": deep}])
        text = ""
        node[key] = "DEEP"
        return yaml.safe_dump(data).replace("DEEP", "[" * 250 + "]" * 250).encode()
    elif act == 3 and isinstance(node, list):
        node.extend([node[key]] * choice.choice([1, 100]))
    else:
        node[key] = choice.choice(ODD)
    return yaml.safe_dump(data, allow_unicode=True).encode("utf-8", "surrogatepass")


def of_text(content: bytes, choice: random.Random) -> bytes:
    """A text that is cut, has bits flipped, bytes of no text, lines that are missing, twice, or indented otherwise."""
    lines = content.split(b"\n")
    k = choice.randrange(len(lines))
    place = choice.randrange(len(content))
    act = choice.randrange(9)
    if act == 0:
        return content[:place]
    if act == 1:
        damaged = bytearray(content)
        for _ in range(choice.randint(1, 20)):
            damaged[choice.randrange(len(damaged))] ^= 1 << choice.randrange(8)
        return bytes(damaged)
    if act == 2:
        return (
            content[:place]
            + choice.choice([b"\xff\xfe", b"\0", b"\xc3", b"\xe2\x80\xa8", b"\x1b[2J"])
            + content[place:]
        )
    if act == 3:
        return content.decode().encode(choice.choice(["utf-16", "utf-32", "utf-16-be", "cp500", "utf-8-sig"]))
    if act == 4:
        lines[k] = b" " * choice.randrange(1, 9) + lines[k]
    if act == 5:
        lines[k] = b"\t" + lines[k]
    if act == 6:
        lines.insert(k, lines[k])
    if act == 7:
        lines[k : k + choice.randint(1, 3)] = []
    if act == 8:
        words = re.findall(rb"[\w.+-]+", content)
        word, other = choice.choice(words), choice.choice(words)
        return content.replace(word, other, choice.choice([1, -1]))
    return b"\n".join(lines)


def of_xml(text: str, choice: random.Random) -> bytes:
    """An XML file with an attribute, a tag or an element changed."""
    act = choice.randrange(4)
    attributes = list(re.finditer(r'"[^"]*"', text))
    one = choice.choice(attributes)
    if act == 0:
        return (text[: one.start()] + f'"{choice.choice(WORDS)}"' + text[one.end() :]).encode()
    if act == 1:
        tags = list(re.finditer(r"<\w+[^>]*/>", text))
        one = choice.choice(tags)
        return (text[: one.start()] + one[0] * choice.choice([0, 2, 50]) + text[one.end() :]).encode()
    if act == 2:
        names = sorted({found[1] for found in re.finditer(r"[< ](\w+)[ =/>]", text)})
        return text.replace(choice.choice(names), choice.choice(names)).encode()
    opened = choice.choice([20, 300, 5000])
    return text.replace("<body", "<body><frame>" * opened + "<body", 1).encode()


def damaged(command: Command, path: Path, whole: Path, choice: random.Random) -> str:
    """Write a damaged copy of what a command reads, which is described."""
    content = whole.read_bytes()
    if command.kind in ("run", "swept", "part", "left"):
        act = choice.randrange(4)
        if act == 0:
            cut = choice.choice([choice.randrange(len(content)), len(content) - choice.randrange(1, 64)])
            path.write_bytes(content[:cut])
            return f"cut {cut} of {len(content)}"
        if act == 3 and h5py.is_hdf5(whole):
            path.write_bytes(content)
            return f"structure {restructure(path, choice, path.with_name('pipe.h5'))}"
        path.write_bytes(flipped(content, choice))
        return "flip"
    act = choice.randrange(3)
    if command.kind == "scene" and act:
        path.write_bytes(of_data(content.decode(), choice))
        return "data"
    if command.kind in ("urdf", "mjcf") and act:
        path.write_bytes(of_xml(content.decode(), choice))
        return "xml"
    path.write_bytes(of_text(content, choice))
    return "text"


WHOLES = {
    "scene": ("top.yaml", "touch.yaml", "full.yaml"), "table": ("table.csv",), "urdf": ("arm.urdf",),
    "mjcf": ("model.xml",), "mesh": ("m.obj",), "measured": ("measured.csv",), "air": ("air.csv",),
    "run": ("run.h5",), "swept": ("swept.h5",), "part": ("part-1.h5",), "left": (),
}  # fmt: skip


def prepared(command: Command, source: Path, place: Path, choice: random.Random) -> Path:
    """A folder with all that a command needs; the whole file that it reads."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    os.chdir(place)
    os.mkfifo("pipe.h5")
    with h5py.File("other.h5", "w") as other:
        other["x"] = [0.0] * 400
    names = WHOLES[command.kind] or (command.name,)
    for name in (
        "top.yaml",
        "full.yaml",
        "rod.yaml",
        "around.yaml",
        "air.csv",
        "m.obj",
        "part.xml",
        ".left.h5.tmp",
        ".left.h5.resume",
    ):
        shutil.copy(source / name, name)
    shutil.copy(source / "run.h5", "whole.h5")
    shutil.copy(source / "part-2.h5", "whole-part.h5")
    shutil.copy(source / "model.xml", "whole.xml")
    whole = source / choice.choice(names)
    shutil.copy(whole, command.name)
    return whole


def made_files(words: str) -> dict[str, object]:
    """What a command wrote: the bytes of files, of results their content hash, of NetCDF its numbers."""
    found: dict[str, object] = {}
    own = [name for name in words.split() if name.startswith("in") and ("--extend" in words or "--resume" in words)]
    for name in filter(os.path.exists, (*OUTPUTS, *own)):
        found[name] = Path(name).read_bytes()
        if name.endswith(".h5"):
            found[name] = called(f"hash {name} --verify")
        elif name == "out.nc":
            with h5py.File(name) as file:
                found[name] = {key: one[()].tobytes() for key, one in file.items() if one.dtype.kind == "f"}
    return found


def tried(name: str, source: Path, place: Path, count: int, seed: int) -> Counter:
    """What became of so many damaged inputs of a command."""
    command, choice, counts = COMMANDS[name], random.Random(f"{name} {seed}"), Counter()
    os.environ["RIGIDSIM_JIT"] = "on" if command.is_compiled else "off"
    answers: dict[Path, object] = {}
    for number in range(count):
        whole = prepared(command, source, place, choice)
        if whole not in answers:
            code, out, err = called(command.words)
            assert code == 0 or not command.is_kept, (name, code, out, err)
            answers[whole] = (out, made_files(command.words)) if command.is_kept else code
            prepared(command, source, place, random.Random(0))
        what = damaged(command, Path(command.name), whole, choice)
        print(f"{name} {number}: {what}", flush=True)
        kept = Path(command.name).read_bytes()
        begin = time.process_time()
        code, out, err = called(command.words)
        seconds = time.process_time() - begin
        text = f"{out}\n{err}"
        if code == INTERNAL or "Traceback" in text or "internal error" in text:
            outcome = "internal"
        elif any(mark in text for mark in "\x1b\x07"):
            outcome = "escapes"
        elif seconds > TOO_LONG / 2 and code != 128 + signal.SIGINT:
            outcome = "slow"
        elif code == 128 + signal.SIGPROF or code == 128 + signal.SIGINT:
            outcome = "long"
        elif code == 1:
            outcome = "changed"
        elif code:
            outcome = "refused" if text.strip() else "silent"
        else:
            outcome = "read" if not command.is_kept or (out, made_files(command.words)) == answers[whole] else "changed"
        counts[outcome] += 1
        if outcome not in ("refused", "read", "long"):
            saved = source / f"found-{name.replace(' ', '-')}-{number}"
            saved.write_bytes(kept)
            print(f"  {outcome} ({code}) after {seconds:.1f} s, {saved}: {text.strip()[-400:]}", flush=True)
    assert command.is_kept or 0 in answers.values(), f"{name} refuses what is whole"
    return counts


def begin(folder: str, count: str, seed: str, *names: str) -> None:
    """Try all commands; the last line printed has the counts of each."""
    source, place = Path(folder).resolve() / "whole", Path(folder).resolve() / "place"
    source.mkdir(parents=True, exist_ok=True)
    interrupted = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    originals(source)
    counts: dict[str, dict[str, int]] = {}
    for name in names or COMMANDS:
        counts[name] = dict(tried(name, source, place, int(count), int(seed)))
        signal.signal(signal.SIGINT, interrupted)
    os.chdir("/")
    print(counts)


if __name__ == "__main__":
    sys.argv, given = sys.argv[:1], sys.argv[1:]
    begin(*given)
