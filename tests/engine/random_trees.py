"""Trees of every kind of node, at random."""

from __future__ import annotations

import numpy as np


def random_vector(random: np.random.Generator, size: float = 1.0) -> list[float]:
    return (size * random.uniform(-1, 1, 3)).tolist()


def random_body(random: np.random.Generator, kind: str) -> dict:
    """One node without children; fixed ones have no mass, which they may have only where a free body carries them."""
    q = random.normal(size=4)
    body = {
        "position": random_vector(random, 2),
        "orientation": {"wxyz": (q / np.linalg.norm(q)).tolist()},
        "scale": float(random.choice([1.0, 0.5, 3.0])),
    }
    if kind == "free":
        moments = random.uniform(1, 2, 3)
        return body | {
            "mass": float(random.uniform(0.5, 3)),
            "inertia": {"principal": moments.tolist()},
            "center_of_mass": random_vector(random, 0.3),
            "velocity": random_vector(random),
            "angular_velocity": random_vector(random),
        }
    if kind == "prescribed":
        rates = {"velocity": random_vector(random), "angular_velocity": random_vector(random)}
        return body | {"motion": {"prescribed": rates | {"acceleration": random_vector(random)}}}
    if kind == "driven":
        turn = {"axis": [0.3, -0.2, 1.0], "angle": "= 0.4*sin(3*t + 0.2)"}
        position = [f"= {x!r} + 0.1*sin(2*t)" for x in body.pop("position")]
        return body | {"motion": {"prescribed": {"position": position, "orientation": turn}}}
    return body | {"motion": "fixed"}


def random_tree(seed: int, n_node: int = 12) -> tuple[dict, list[str], list[str]]:
    """(bodies as a scene has them, paths in order, kinds); at least one free body."""
    random = np.random.default_rng(seed)
    bodies: dict = {}
    nodes: list[dict] = []
    paths, kinds = [], []
    for k in range(n_node):
        kind = "free" if k == 0 else str(random.choice(["free", "free", "fixed", "prescribed", "driven"]))
        body = random_body(random, kind)
        above = int(random.integers(-1, k)) if k else -1
        siblings = bodies if above < 0 else nodes[above].setdefault("children", {})
        siblings[f"n{k}"] = body
        nodes.append(body)
        paths.append(f"n{k}" if above < 0 else f"{paths[above]}/n{k}")
        kinds.append(kind)
    return bodies, paths, kinds


def node_at(bodies: dict, path: str) -> dict:
    """The node at a path."""
    first, *rest = path.split("/")
    node = bodies[first]
    for name in rest:
        node = node["children"][name]
    return node


def first_free(paths: list[str], kinds: list[str], above: str) -> set[str]:
    """The first free descendants of a node, through fixed and prescribed ones."""
    kind = dict(zip(paths, kinds, strict=True))
    found = set()
    for path in paths:
        if path.startswith(f"{above}/") and kind[path] == "free":
            names = path[len(above) + 1 :].split("/")
            between = ["/".join([above, *names[:k]]) for k in range(1, len(names))]
            if all(kind[node] != "free" for node in between):
                found.add(path)
    return found


def line_of(path: str, parents: dict[str, str]) -> list[str]:
    """A node and its ancestors, itself first."""
    line = []
    while path:
        line.append(path)
        path = parents[path]
    return line


def carrier_of(path: str, parents: dict[str, str], kinds: dict[str, str]) -> str:
    """The free body that carries a node through fixed ones, itself if it is free; empty if there is none."""
    found = next((node for node in line_of(path, parents) if kinds[node] != "fixed"), "")
    return found if found and kinds[found] == "free" else ""


def random_reparenting(
    random: np.random.Generator, parents: dict[str, str], kinds: dict[str, str], massive: set[str]
) -> dict:
    """A change of the tree that is allowed, without its time; `parents` and `kinds` are changed with it."""
    paths = list(parents)
    while True:
        body, to = str(random.choice(paths)), str(random.choice(["world", *paths]))
        motion, above = str(random.choice(["free", "fixed"])), "" if to == "world" else to
        parts = {part for part in massive if kinds[part] != "free" and carrier_of(part, parents, kinds)}
        brings = any(body in line_of(part, parents) for part in parts)
        allowed = {
            ("free", "free"): True,
            ("free", "fixed"): bool(carrier_of(above, parents, kinds)),
            ("fixed", "free"): body in massive,
            ("fixed", "fixed"): not brings,
        }
        if allowed.get((kinds[body], motion), False) and body not in line_of(above, parents):
            parents[body], kinds[body] = above, motion
            return {"body": body, "to": to, "motion": motion}
