"""Random definitions and patterns for the management API."""

from __future__ import annotations

import json
from typing import Any

import real
import yaml
from cases import Make

PIECES = ["a", "b", ".", "^", "$", "|", "(", ")", "(?:", "(?P<n>", "(?P=n)", "(?<n>", "(?=", "(?!", "(?<=", "(?<!", "(?i)", "(?i:", "(?-i:", "(?x)", "(?a)", "(?L)",
          "(?#c)", "(?>", "(?(1)", "(?(n)", "[", "]", "[^", "-", "[a-z]", "[z-a]", r"\d", r"\D", r"\w", r"\p{L}", r"\Z", r"\z", r"\A", r"\b", r"\1", r"\2", r"\0", r"\07", r"\400",
          r"\x4", r"\x41", r"\u0041", r"\u00", r"\U0001F600", r"\U00110000", r"\N{EM DASH}", r"\-", r"\é", r"\_", "\\", "*", "+", "?", "{", "}", "{2}", "{,3}", "{2,}", "{3,2}",
          "{x}", "*?", "++", "??", "{2}+", ",", "#", " ", "\n", "é", ")", ")", "]"]


def patterns(make: Make) -> dict:
    text = "".join(make.one(*PIECES) for _ in range(make.random.randrange(1, 9)))
    if make.some(0.3):
        text += ")" * max(0, text.count("(") - text.count(")"))
    return {"pattern": text, "expect": real.pattern(text)}


def schema(make: Make, depth: int = 0) -> Any:
    if depth > 3 or make.some(0.05):
        return make.one(True, False, {}, {"type": "string"}, None, "odd", 5, [])
    below = lambda: schema(make, depth + 1)
    keywords = {
        "type": lambda: make.one("object", "array", "string", ["array", "null"], "any", None, ["string", "string"], "integer"),
        "properties": lambda: {make.one("a", "b", ""): below() for _ in range(2)} if make.some(0.95) else [],
        "items": lambda: make.one(below(), below(), [below()], {}),
        "required": lambda: make.one(["a"], [], ["a", "a"], True, "a", [5]),
        "enum": lambda: make.one([1, 2], [], [1, 1], "a"),
        "pattern": lambda: patterns(make)["pattern"] if make.some(0.5) else make.one("^a", 5, "(?P<y>a)", r"a\Z"),
        "patternProperties": lambda: {make.one("^x", "(", "a{,3}"): below()},
        "additionalProperties": lambda: make.one(below(), True, None),
        "anyOf": lambda: make.one([below()], [[below()]], [], {}),
        "allOf": lambda: [below(), below()],
        "$ref": lambda: make.one("#/$defs/x", "https://example.org/x", 5, "#", "a b", "#/nowhere"),
        "$defs": lambda: {"x": below()},
        "definitions": lambda: {"x": below()},
        "$id": lambda: make.one("https://example.org/x", "a#b", "x#", 5, ""),
        "$anchor": lambda: make.one("a", "1", ""),
        "$dynamicRef": lambda: make.one("#x", "#/nowhere", 5),
        "minimum": lambda: make.one(1, 1.5, "1", True),
        "exclusiveMinimum": lambda: make.one(1, True),
        "maxLength": lambda: make.one(1, -1, 1.0, 1.5),
        "multipleOf": lambda: make.one(1, 0, -1),
        "format": lambda: make.one("regex", "email", 5),
        "title": lambda: make.one("t", None, 5),
        "default": make.scalar,
        "not": below,
        "if": below,
        "uniqueItems": lambda: make.one(True, "x"),
        "dependentRequired": lambda: make.one({"a": ["b"]}, {"a": "b"}),
        "x-own": make.scalar,
    }
    own: dict[str, Any] = {}
    if depth == 0 and make.some(0.3):
        own["$schema"] = make.one("http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
                                  "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
                                  "https://example.org/unknown", 5, "", "https://json-schema.org/draft/2020-12/schema#")
    for name in make.random.sample(list(keywords), make.random.randrange(1, 4)):
        own[name] = keywords[name]()
    if own.get("type") == "array" and make.some(0.7):
        own.setdefault("items", {"type": "string"})
    return own


def tool_definitions(make: Make) -> dict:
    value: Any = {
        "tool_name": make.one("lamp", "lamp", " lamp ", "fork_join", "Fork_Join"),
        "description": make.one("d", None, "", "a\0b") if make.some(0.3) else "d",
        "target_subject": make.one(*["cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch"] * 6, "x", "", "a.cmd.tool.b.cmd.sys.c"),
        "after_execution": make.one(*["suspend"] * 6, "terminate", "later", " suspend"),
        "parameters": schema(make),
        "options": {},
    }
    if make.some(0.15):
        value[make.one(*value)] = make.value()
    if make.some(0.1):
        value.pop(make.one(*value))
    make.perhaps(value, "name", lambda: make.one("other", "", None), 0.1)
    if make.some(0.02):
        value = make.value()
    # As the API reads it, from the text: 1e-05 is no number in YAML 1.1.
    value = json.loads(json.dumps(value))
    return {"definition": value, "expect": real.definition(yaml.safe_load(json.dumps(value)))}
