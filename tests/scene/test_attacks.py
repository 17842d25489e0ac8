"""Hostile scenes are answered quickly, whatever they would expand to."""

from __future__ import annotations

import pytest

from rigidsim.errors import SceneError
from rigidsim.scene import Scene
from rigidsim.scene.text import builder
from support.effort import at_most_calls

MOST_CALLS = 2_000_000  # measured: 0.7 million for a list of fifty thousand values
HEAD = "format: rigidsim/1\nsimulation: {duration: 1, step: 1}\nbodies:\n"
BOMB = "a: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join(f"b{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10))
BODY_BOMB = HEAD + "  a0: &b0 {mass: 1}\n"
BODY_BOMB += "".join(f"  a{i}: &b{i} {{children: {{a: *b{i - 1}, b: *b{i - 1}}}}}\n" for i in range(1, 40))
MERGE_BOMB = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 25))

ATTACKS = {
    "alias bomb": (BOMB, "alias"),
    "body bomb": (BODY_BOMB, "alias"),
    "merge bomb": (MERGE_BOMB, "merge-key"),
    "self reference": ("a: &a [*a]", "alias"),
    "nested lists": ("[" * 100_000, "depth"),
    "nested mappings": ("{a: " * 50_000, "depth"),
    "nested blocks": ("\n".join(" " * i + "a:" for i in range(2000)), "depth"),
    "nested dashes": ("- " * 50_000, "depth"),
    "long text": ("a: " + "x" * (2**20 + 1), "scalar"),
    "long integer": (HEAD + f"  a: {{mass: {'9' * 5000}}}", "not-finite"),
    "long quantity": (HEAD + f"  a: {{mass: '{'9' * 100_000} kg'}}", "not-a-number"),
    "huge exponent": (HEAD + "  a: {mass: '1e999999999 kg'}", "not-finite"),
    "long list": (HEAD + f"  a: {{position: [{'x,' * 50_000}]}}", "length"),
    "escape in a name": (HEAD + '  "a\\e[31m": {}', "body-name"),
}


@pytest.mark.parametrize(("text", "code"), ATTACKS.values(), ids=ATTACKS)
def test_attack_is_refused_quickly(text, code):
    with at_most_calls(MOST_CALLS), pytest.raises(SceneError) as caught:
        Scene.from_text(text)
    message = str(caught.value)
    assert caught.value.problems[0].code == code
    assert "\x1b" not in message


def test_many_problems_are_counted_not_listed(problems):
    found = problems(HEAD + "  a: {" + ",".join(f"k{i}: 1" for i in range(3000)) + "}")
    assert len(found) == 1001
    assert any("2000 further problems" in p.message for p in found)


def test_too_many_values_are_refused(monkeypatch, problem):
    monkeypatch.setattr(builder, "MAX_NODES", 100)
    assert problem("a: [" + "1," * 200 + "]").code == "size"


def test_two_thousand_bodies_are_read_quickly():
    body = "  b{}:\n    mass: 2\n    inertia: {{principal: [1, 2, 2.5]}}\n    position: [{}, 0, 0]\n"
    text = HEAD + "".join(body.format(i, i) for i in range(2000))
    with at_most_calls(4_000_000):
        assert len(Scene.from_text(text).bodies) == 2000
