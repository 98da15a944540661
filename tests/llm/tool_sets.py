# SPDX-License-Identifier: Apache-2.0
"""Sets of tools whose grammars are hard in different ways."""


def tool(name, properties, required=None, **more):
    return {"name": name, "description": f"A tool called {name}.",
            "parameters": {"type": "object", "properties": properties,
                           "required": list(properties) if required is None else required, **more}}


def string(**more):
    return {"type": "string", **more}


def numbered(i):
    """One of very many tools; all of them differ."""
    return tool(f"tool_{i:03}", {
        f"name_{i}": string(maxLength=20 + i),
        f"kind_{i}": {"enum": [f"kind-{i}-{j}" for j in range(12)]},
        f"code_{i}": string(pattern=f"^[A-Z]{{2}}-[0-9]{{{2 + i % 5}}}$"),
        f"size_{i}": {"type": "integer", "minimum": i, "maximum": 1000 + 37 * i},
        f"tags_{i}": {"type": "array", "items": string(minLength=1, maxLength=8), "maxItems": 3},
    }, [f"kind_{i}", f"code_{i}"])


POINT = {"type": "object", "properties": {"x": {"type": "integer", "minimum": -90, "maximum": 90},
                                          "y": {"type": "number"}},
         "required": ["x", "y"], "additionalProperties": False}

# A set whose name begins with "free" has strings without a bound, so a reply may be cut.
SETS = {
    "simple": [
        tool("find", {"q": string(minLength=1, maxLength=30),
                      "n": {"type": "integer", "minimum": 1, "maximum": 20}}, ["q"]),
        tool("now", {})],
    "nested": [
        tool("draw", {
            "title": string(maxLength=12),
            "lines": {"type": "array", "minItems": 1, "maxItems": 2, "items": {
                "type": "object", "properties": {"from": POINT, "to": POINT,
                                                 "dashed": {"type": "boolean"}},
                "required": ["from", "to"], "additionalProperties": False}},
            "style": {"anyOf": [{"type": "null"}, {"enum": ["thin", "thick"]}]}})],
    "enums": [
        tool("set", {"level": {"enum": ["low", "middle", "high"]},
                     "mark": {"type": "string", "enum": ["a \"quote\"", "back\\slash", "caf\u00e9",
                                                         "it's", "two words", "line\nend"]},
                     "number": {"enum": [1, 2.5, -3, None, True]},
                     "fixed": {"const": "always this"}})],
    "patterns": [
        tool("book", {"day": string(pattern="^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]$"),
                      "code": string(pattern="^[A-Z]{2,3}(-[A-Z0-9]{4}){1,2}$"),
                      "mail": string(pattern="^[a-z]{1,8}@[a-z]{1,8}\\.(com|org)$"),
                      "word": string(pattern="^\\w{1,12}$")})],
    "counts": [
        tool("fill", {"cells": {"type": "array", "items": {"type": "integer", "minimum": 0,
                                                           "maximum": 9},
                                "minItems": 3, "maxItems": 400},
                      "text": string(minLength=5, maxLength=400),
                      "rows": {"type": "array", "maxItems": 300, "items": {
                          "type": "array", "maxItems": 500, "items": {"type": "boolean"}}},
                      "key": string(pattern="^([a-f0-9]{2}:){5}[a-f0-9]{2}$")}, ["cells", "key"])],
    "empty": [
        tool("stop", {}), {"name": "wait", "parameters": {"type": "object", "properties": {},
                                                          "additionalProperties": False}}],
    "recursive": [
        {"name": "plant", "parameters": {
            "type": "object", "properties": {"root": {"$ref": "#/$defs/node"}},
            "required": ["root"],
            "$defs": {"node": {"type": "object", "properties": {
                "name": string(maxLength=6),
                "leaves": {"type": "array", "maxItems": 1, "items": {"$ref": "#/$defs/node"}}},
                "required": ["name"], "additionalProperties": False}}}}],
    "free_long": [
        tool("write", {"path": string(maxLength=40), "text": string(maxLength=2000)})],
    "free_any": [
        {"name": "note", "parameters": {"type": "object"}}, {"name": "bare"},
        tool("keep", {"value": {}, "more": {"type": "object", "additionalProperties": string()}})],
    "many": [numbered(i) for i in range(64)],
    "too_many": [numbered(i) for i in range(200)],
}
