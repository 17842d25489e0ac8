"""The map of the sources: who may import whom, and what a formula may contain."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from alterations import is_formula

PACKAGE = Path(__file__).parents[1] / "rigidsim"
SOURCES = sorted(PACKAGE.rglob("*.py"))
ROOT = PACKAGE / "__init__.py"

# The parts of the package, a line: each imports from those before it only. `rigidsim` alone knows names of all of them;
# `methods` asks it. Of the engine, who reads a scene knows what is declared of forces and rows.
LINE = (
    *("jit", "physics", "containers", "errors", "arguments", "methods", "tree", "transform", "quantities"),
    *("engine.model.layout", "engine.laws", "scene", "engine", "trajectory", "blueprints", "simulation", "analysis"),
    *("sweeps", "sensitivities", "fitting"),
    *("selftest", "certify", "report", "plots", "views", "exports", "imports", "runner", "env", "cli"),
)
# Who uses the root: for its version, and for its public names.
OF_ROOT = {"methods", "trajectory", "cli"}
# The one door of each dependency.
DOORS = {
    "click": {"cli"},
    "yaml": {"scene"},
    "pydantic": {"scene"},
    "pydantic_core": {"scene"},
    "h5py": {"trajectory", "sweeps"},
    "quaternion": {"transform"},
    "llvmlite": {"jit.machine"},
    "trimesh": {"scene"},
    "scipy": {
        "sweeps",
        "fitting.estimate",
        "fitting.optimise",
        "analysis.special",
        "scene.schema.hulls",
        "scene.schema.tables",
    },
    "matplotlib": {"plots"},
    "mpl_toolkits": {"plots"},
    "PIL": {"views"},
    "embreex": {"views"},
    "imageio_ffmpeg": {"views"},
    "dask": {"sweeps.cluster"},
    "distributed": {"sweeps.cluster"},
}
# The rooms of two packages: each imports from itself and from those before it, on type checkers' behalf as well.
ROOMS = {
    "scene": ("text", "expressions", "values", "schema", "prepare", "hierarchy", "checks", "notes"),
    "engine": (
        *("model.layout", "model.contact_layout", "laws", "model", "dynamics", "loads", "collision", "constraints"),
        *("evaluate", "series", "integrators", "assembly", "outputs", "events", "contact", "sensing", "time"),
    ),
}


def member_of(inner: str, line: tuple[str, ...]) -> str:
    """The one of the names, some with dots, that a module belongs to; if none, the first part of its name."""
    named = next((part for part in line if "." in part and f"{inner}.".startswith(f"{part}.")), "")
    return named or inner.split(".")[0]


def part_of(module: str) -> str:
    """The part of the package that a module belongs to."""
    return member_of(module.removeprefix("rigidsim").removeprefix("."), LINE) or "rigidsim"


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part not in ("__init__", "__main__"))


MODULES = {module_of(path): path for path in SOURCES if path.name != "__main__.py"}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            found.add(node.module)
    return found


@cache
def modules_imported(path: Path) -> set[str]:
    """Every module of the package that a file imports, anywhere in it; `from package import module` is the module. A
    string that is the name of a module imports it, but in the list of public names.
    """
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & MODULES.keys() or {node.module}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and path != ROOT:
            found |= {node.value} - {"rigidsim"}
    return found & MODULES.keys() - {module_of(path)}


def circles(imported: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """The groups of modules that import each other, directly or not: what can be reached and leads back."""

    def reached(start: str) -> set[str]:
        found, waiting = set(), [start]
        while waiting:
            new = imported[waiting.pop()] - found
            found |= new
            waiting.extend(new)
        return found

    after = {module: reached(module) for module in imported}
    return sorted({tuple(sorted(m for m in after[module] if module in after[m])) for module in after} - {()})


def functions_of(path: Path) -> list[ast.FunctionDef]:
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef)]


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def is_marked(function: ast.FunctionDef, *marks: str) -> bool:
    return any(isinstance(d, ast.Name) and d.id in marks for d in function.decorator_list)


def test_imports_point_one_way_and_each_dependency_has_one_door():
    wrong = []
    for path in SOURCES:
        module = module_of(path)
        part, inner = part_of(module), module.removeprefix("rigidsim.")
        before = LINE[: LINE.index(part)] if part in LINE else ("cli",)
        for other in modules_imported(path):
            if part_of(other) not in {part, *before, *({"rigidsim"} if part in OF_ROOT else ())}:
                wrong.append(f"{module}: {part} must not import {other}")
        for other in imports_of(path):
            door = DOORS.get(other.split(".")[0], {part})
            if not {part, inner} & door:
                wrong.append(f"{module}: {other} has its door in {door}")
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [("b", "c")]
    assert circles({module: modules_imported(path) for module, path in MODULES.items()}) == []


def package_of(module: str) -> str:
    """The package that a module belongs to: all of the engine, with its declarations, is one."""
    return part_of(module).split(".")[0]


def test_no_packages_import_each_other_in_a_circle():
    imported: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        if path != ROOT:
            package, others = package_of(module), map(package_of, modules_imported(path))
            imported[package] = imported.get(package, set()) | {*others} - {package, "rigidsim"}
    assert circles(imported) == []


def room_of(module: str) -> str | None:
    """The room that a module belongs to; None for a module beside the rooms of its package."""
    package, _, inner = module.removeprefix("rigidsim.").partition(".")
    room = member_of(inner, ROOMS.get(package, ()))
    return room if room in ROOMS.get(package, ()) else None


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_are_all_known(package):
    found = {path.stem for path in (PACKAGE / package).iterdir() if (path / "__init__.py").exists()}
    assert found == {room for room in ROOMS[package] if (PACKAGE / package / room).is_dir()}


@pytest.mark.parametrize("package", ROOMS)
def test_each_room_imports_from_those_before_it(package):
    wrong = []
    for module, path in MODULES.items():
        if module.startswith(f"rigidsim.{package}.") and (room := room_of(module)):
            allowed = ROOMS[package][: ROOMS[package].index(room) + 1]
            others = {other for other in modules_imported(path) if other.startswith(f"rigidsim.{package}.")}
            wrong += [f"{module} must not import {other}" for other in others if room_of(other) not in allowed]
    assert wrong == []


def test_formulas_use_no_power_and_no_arrays():
    """`x**0.5` and `x**3` round differently compiled and not; a formula knows numbers and tuples only."""
    wrong = []
    for path in (PACKAGE / "physics").glob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                wrong.append(f"{path.name}:{node.lineno}: a power")
        for function in functions_of(path):
            if is_formula(function):
                found = names_in(function) & {"np", "math", "range", "len"}
                loops = {type(node).__name__ for node in ast.walk(function) if isinstance(node, ast.While | ast.For)}
                wrong += [f"{path.name}: {function.name}: {what}" for what in found | loops]
    assert wrong == []


def test_public_names_say_what_they_are():
    silent = []
    for path in SOURCES:
        tree = tree_of(path)
        public = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")]
        said = {node.name for node in public if ast.get_docstring(node)}  # of overloads the last one has it
        silent += [f"{module_of(path)}: {node.name}" for node in public if node.name not in said]
        if path.read_text().strip() and not ast.get_docstring(tree):
            silent.append(module_of(path))
    assert silent == []


def test_each_row_has_a_name_of_its_own_and_says_what_it_is():
    """So that `frame.omega` has one meaning in all kernels."""
    declared = [
        (node.targets[0].id, ast.literal_eval(node.value.args[0]))
        for path in sorted((PACKAGE / "engine").rglob("*.py"))
        for node in tree_of(path).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if names_in(node.value.func) in ({"Row"}, {"Integers"})
    ]
    names = [name for name, _ in declared if name != "VALUES"]  # those of a law, one in each module
    assert len(names) > 50 and len(names) == len(set(names))
    assert all(text[0].islower() and not text.endswith(".") for _, text in declared)


def test_each_class_of_a_scene_has_a_name_of_its_own():
    homes: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, set()).add(module_of(path))
    shared = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert not {name for name, modules in shared.items() if any(m.startswith("rigidsim.scene") for m in modules)}


# What would treat a column of numbers (`containers/columns.py`) otherwise than a number, and where it may stand.
READING = ("physics", "tree", "scene", "containers", "engine.laws", "blueprints", "engine.assembly")
OF_COUNTS = {
    "tree.history",
    "scene.expressions.operands",
    "scene.hierarchy.surfaces",
    "scene.hierarchy.collision_pairs",
    "engine.assembly.contacts",
}
OF_NOTES = {"engine.laws.bushing", "engine.laws.spring", "engine.laws.torsion_spring"}  # frequencies, for warnings
BY_TYPE = {
    *("scene.text.scalars", "scene.values.quantities", "scene.text.plain"),  # where data become numbers
    *("physics.elementary", "physics.functions", "engine.laws.declaration"),  # which ask for a context, too
    *("containers.columns", "containers.dual"),
    "engine.assembly.lanes",  # what tells structures apart
    "scene.values.points",  # the values of a plan, before a reading
}
CACHED = {
    "engine.assembly.loads",
    "scene.schema.json_schema",
    "scene.schema.hulls",
    "scene.schema.meshes",
    "scene.schema.tables",
    "scene.schema.terrain",
    "scene.values.quantities",
}  # by a count, by nothing, by points, by path, by text


def test_columns_of_numbers_are_read_as_numbers_are():
    found = {"sum": set(), "type": set(), "cache": set()}
    for module, path in MODULES.items():
        inner = module.removeprefix("rigidsim.")
        if not inner.startswith(READING) or inner.startswith("scene.notes"):
            continue
        for node in nodes_of(path):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called == "sum":
                found["sum"].add(inner)
            if called == "isinstance" and "float" in names_in(node.args[1]):
                found["type"].add(inner)
            if isinstance(node, ast.FunctionDef) and any(
                names_in(d) & {"cache", "lru_cache"} for d in node.decorator_list
            ):
                found["cache"].add(inner)
    assert not found["sum"] - OF_COUNTS - OF_NOTES
    assert not found["type"] - BY_TYPE
    assert not found["cache"] - CACHED


def test_kernels_are_in_the_engine_and_formulas_in_physics():
    for path in SOURCES:
        part = part_of(module_of(path))
        for function in functions_of(path):
            if is_marked(function, "kernel"):
                assert part == "engine", function.name
            if is_marked(function, "formula"):
                assert part == "physics" or path.name == "layout.py", function.name


def test_a_formula_that_is_called_is_listed_in_the_book(monkeypatch):
    """docs/physics.md and docs/elementary.md are what the docstrings say now."""
    monkeypatch.syspath_prepend(str(PACKAGE.parent / "docs"))
    import make_physics

    assert set(make_physics.MODULES) == {path.stem for path in (PACKAGE / "physics").glob("*.py")} - {"__init__"}
    for page, text in make_physics.documents().items():
        assert (PACKAGE.parent / "docs" / page).read_text() == text, "run python docs/make_physics.py"


def test_each_central_idea_is_in_the_files_that_the_documentation_names():
    """A row: what, where (one or two files), and the words, a regular expression, that only these files have."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text().partition("## Where is")[2].partition("\n## ")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:4] for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 6
    for what, where, words in rows:
        named = set(re.findall(r"`([a-z_/]+\.py)`", where))
        pattern = re.compile(words.strip().strip("`").replace("\\|", "|"))
        found = {path.relative_to(PACKAGE).as_posix() for path in SOURCES if pattern.search(path.read_text())}
        assert found == named and 1 <= len(named) <= 2, what


def test_the_documentation_names_files_and_words_that_exist():
    """Each `file.py` of the page is a file, and each `word` is in the sources."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text()
    places = [path for folder in ("rigidsim", "tests", "docs") for path in (PACKAGE.parent / folder).rglob("*.py")]
    paths = {f"/{path.relative_to(PACKAGE.parent).as_posix()}" for path in [*places, *(one.parent for one in places)]}
    code = set(re.findall(r"`([^`\n]+)`", page))
    files = {name for name in code if name.endswith(".py") or re.fullmatch(r"[a-z_]+(/[a-z_]+)+/?", name)}
    words = {word for name in code if re.fullmatch(r"[A-Za-z_][\w.]*\w", name) for word in name.split(".")} - files
    written = {word for path in SOURCES for word in re.findall(r"\w+", path.read_text())}
    assert len(files) > 100
    assert [name for name in sorted(files) if not any(path.endswith(f"/{name.rstrip('/')}") for path in paths)] == []
    assert words <= written
