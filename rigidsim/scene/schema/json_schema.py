"""The JSON Schema of scene files, in a form that lets editors and validators report errors precisely.

pydantic writes the forms of a value as `oneOf`, for which a validator can only report that none fits. Here the form is
selected as in a scene, by `type` or by a key that the other forms lack, and an error is reported within that form.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rigidsim.scene.schema.scene import SceneData
from rigidsim.scene.values.quantities import UNIT

HEAD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "urn:rigidsim:scene:1",
    "title": "rigidsim scene",
}
KINDS = ("type", "name")
"""The keys of which the word selects a form."""


@cache
def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of scene files as they are written, for editors and other programs; made once."""
    schema = SceneData.model_json_schema(mode="validation")
    return HEAD | _Rewriter(schema["$defs"]).rewritten({key: schema[key] for key in schema if key != "title"})


class _Rewriter:
    """Rewrites all parts of a schema with these definitions."""

    def __init__(self, definitions: dict[str, Any]):
        self._definitions = definitions

    def rewritten(self, schema: Any) -> Any:
        """The schema with forms selected by key and properties described."""
        if isinstance(schema, list):
            return [self.rewritten(item) for item in schema]
        if not isinstance(schema, dict):
            return schema
        made = {key: self.rewritten(value) for key, value in schema.items() if key not in ("properties", UNIT)}
        made = {key: value for key, value in made.items() if not (key == "default" and value is None)}
        if "properties" in schema:
            made["properties"] = {
                key: self.rewritten(_described(key, value, schema)) for key, value in schema["properties"].items()
            }
        for key in ("oneOf", "anyOf"):
            if any(self._keys(form) for form in schema.get(key, ())):
                made |= self._distinguished(made.pop(key))
        return made

    def _keys(self, form: dict[str, Any]) -> dict[str, Any]:
        """The properties of a form that is a mapping; empty for other forms."""
        return self._definition(form).get("properties", {})

    def _definition(self, form: dict[str, Any]) -> dict[str, Any]:
        return self._definitions[form["$ref"].rpartition("/")[2]] if "$ref" in form else form

    def _distinguished(self, forms: list[dict[str, Any]]) -> dict[str, Any]:
        mappings = [form for form in forms if self._keys(form)]
        others = [form for form in forms if not self._keys(form)]
        chosen = self._mapping(mappings)
        if not others:
            return chosen
        return {"if": {"type": "object"}, "then": chosen, "else": others[0] if len(others) == 1 else {"anyOf": others}}

    def _mapping(self, forms: list[dict[str, Any]]) -> dict[str, Any]:
        """One of these mappings, selected by the word of `type` or `name` if they have it, else by a key that
        others lack.
        """
        if len(forms) == 1:
            return forms[0]
        kind = next((kind for kind in KINDS if all("const" in self._keys(form).get(kind, {}) for form in forms)), None)
        return self._by_own_key(forms) if kind is None else self._by_word(forms, kind)

    def _by_word(self, forms: list[dict[str, Any]], kind: str) -> dict[str, Any]:
        words = [self._keys(form)[kind]["const"] for form in forms]
        given = {"required": [kind]}
        # Without the word, the form in which it is optional is selected.
        implied = [form for form in forms if "default" in self._keys(form)[kind]]
        tests = [
            {"properties": {kind: {"const": word}}} | ({} if form in implied else given)
            for word, form in zip(words, forms, strict=True)
        ]
        choices = [{"if": test, "then": form} for test, form in zip(tests, forms, strict=True)]
        properties = {kind: {"enum": words, "description": f"The {kind}; it determines the other keys."}}
        return {"type": "object", "properties": properties, **({} if implied else given), "allOf": choices}

    def _by_own_key(self, forms: list[dict[str, Any]]) -> dict[str, Any]:
        tests = []
        for form in forms:
            elsewhere = {key for other in forms if other is not form for key in self._keys(other)}
            own = [key for key in self._definition(form)["required"] if key not in elsewhere]
            tests.append({"anyOf": [{"required": [key]} for key in own]} if len(own) > 1 else {"required": own})
        choices = [{"if": test, "then": form} for test, form in zip(tests, forms, strict=True)]
        return {"type": "object", "anyOf": tests, "allOf": choices}


def _described(key: str, schema: dict[str, Any], owner: dict[str, Any]) -> dict[str, Any]:
    """A property with its unit in its description, without the title that is its name again."""
    made = {name: value for name, value in schema.items() if name != "title"}
    if key in KINDS and "const" in made:
        made.setdefault("description", owner.get("description", ""))
    text, unit = made.get("description", "").removesuffix("."), _unit(schema)
    if text:
        made["description"] = f"{text[0].upper()}{text[1:]}{unit and f' [{unit}]'}"
    return made


def _unit(schema: dict[str, Any]) -> str:
    """The SI unit of a quantity, or of the components of a vector, also where it is one of several forms."""
    if UNIT in schema:
        return schema[UNIT]
    inner = [*schema.get("oneOf", ()), *filter(None, [schema.get("items")])]
    return next((unit for unit in map(_unit, inner) if unit), "")
