# SPDX-License-Identifier: Apache-2.0
"""JSON Schemas from annotations and docstrings, and values of the annotated types from JSON."""
from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import json
import re
import types
import typing
from typing import Any, Callable, Union

Json = Any
Convert = Callable[[Json], Any]
Plain = dict[str, Any]

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable)
MAPS = (dict, collections.abc.Mapping)


def _same(value: Json) -> Any:
    return value


def _float(value: Json) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _int(value: Json) -> Any:
    """JSON has one kind of number: 3.0 is an integer, too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _list(item: Any, made: type, seen: tuple[type, ...]) -> tuple[Plain, Convert]:
    schema, convert = read(item, seen)
    make = made if made in (tuple, set, frozenset) else list
    return ({"type": "array", "items": schema},
            lambda value: make(convert(each) for each in value))


def _map(arguments: tuple[Any, ...], seen: tuple[type, ...]) -> tuple[Plain, Convert]:
    if arguments and arguments[0] is not str:
        raise TypeError(f"the keys of a JSON object are str, not {arguments[0]!r}")
    schema, convert = read(arguments[1], seen) if arguments else ({}, _same)
    return ({"type": "object", "additionalProperties": schema or True},
            lambda value: {name: convert(each) for name, each in value.items()})


def _union(members: tuple[Any, ...], seen: tuple[type, ...]) -> tuple[Plain, Convert]:
    read_members = [(member, *read(member, seen)) for member in members]
    converted = [(schema, convert) for _, schema, convert in read_members
                 if convert not in (_same, _int, _float)]
    if len(converted) > 1:
        raise TypeError("at most one member of a union can be a class or a collection; found "
                        + ", ".join(map(str, members)))
    schemas = [schema for _, schema, _ in read_members]
    number = _int if int in members else _float if float in members else _same

    def convert_one(value: Json) -> Any:
        for schema, convert in converted:
            wanted = {"object": dict, "array": list}.get(schema.get("type", ""), object)
            if value is not None and isinstance(value, wanted):
                return convert(value)
        return number(value)

    if all(set(schema) == {"type"} for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}, convert_one
    return {"anyOf": schemas}, convert_one


def _enum(values: list[Any], convert: Convert) -> tuple[Plain, Convert]:
    kinds = {SIMPLE.get(type(value)) for value in values}
    if None in kinds:
        raise TypeError(f"the values of an enumeration are plain JSON values, not {values!r}")
    kind = {"type": kinds.pop()} if len(kinds) == 1 else {}
    return {**kind, "enum": values}, convert


def _object(fields: list[tuple[str, Any, bool, Any, str]], seen: tuple[type, ...]
            ) -> tuple[Plain, dict[str, Convert]]:
    """`fields` are (name, annotation, required, default, description)."""
    properties: dict[str, Plain] = {}
    converts: dict[str, Convert] = {}
    required = []
    for name, annotation, needed, default, description in fields:
        member, converts[name] = read(annotation, seen)
        if description:
            member = _describe(member, description)
        if needed:
            required.append(name)
        elif default is not None and _is_json(default):
            member = {**member, "default": default}
        properties[name] = member
    return {"type": "object", "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False}, converts


def _describe(schema: Plain, description: str) -> Plain:
    """Adds a description, after the type, unless there is one."""
    kind = {"type": schema["type"]} if "type" in schema else {}
    return {**kind, "description": description, **schema}


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def _dataclass(made: type, seen: tuple[type, ...]) -> tuple[Plain, Convert]:
    hints = typing.get_type_hints(made, include_extras=True)
    documented = parameters(made.__doc__ or "")
    schema, converts = _object(
        [(field.name, hints[field.name],
          field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
          None if field.default is dataclasses.MISSING else field.default,
          documented.get(field.name, "")) for field in dataclasses.fields(made) if field.init],
        seen)
    return schema, lambda value: made(**{name: converts[name](each)
                                         for name, each in value.items()})


def _typed_dict(made: Any, seen: tuple[type, ...]) -> tuple[Plain, Convert]:
    hints = typing.get_type_hints(made, include_extras=True)
    documented = parameters(made.__doc__ or "")
    schema, converts = _object(
        [(name, hint, name in made.__required_keys__, None, documented.get(name, ""))
         for name, hint in hints.items()], seen)
    return schema, lambda value: {name: converts[name](each) for name, each in value.items()}


def _class(made: Any, seen: tuple[type, ...]) -> tuple[Plain, Convert] | None:
    if made in seen:
        raise TypeError(f"{made.__name__} contains itself; a schema has no recursion")
    if issubclass(made, enum.Enum):
        return _enum([member.value for member in made], made)
    if dataclasses.is_dataclass(made):
        return _dataclass(made, seen + (made,))
    if typing.is_typeddict(made):
        return _typed_dict(made, seen + (made,))
    if hasattr(made, "model_json_schema") and hasattr(made, "model_validate"):  # pydantic
        return made.model_json_schema(), made.model_validate
    return None


def read(annotation: Any, seen: tuple[type, ...] = ()) -> tuple[Plain, Convert]:
    """The JSON Schema of an annotation, and the function that makes its value from JSON."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any or annotation is inspect.Parameter.empty:
        return {}, _same
    if annotation in (None, *SIMPLE):
        kind = SIMPLE[type(None) if annotation is None else annotation]
        return {"type": kind}, {float: _float, int: _int}.get(annotation, _same)
    if origin is typing.Annotated:
        return _annotated(arguments, seen)
    if origin in (typing.Required, typing.NotRequired):
        return read(arguments[0], seen)
    if origin is typing.Literal:
        return _enum(list(arguments), _same)
    if origin in (Union, types.UnionType):
        return _union(arguments, seen)
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        raise TypeError(f"a tuple has one type of items, tuple[T, ...]; found {annotation}")
    made = origin or annotation
    if made in LISTS:
        return _list(arguments[0] if arguments else Any, made, seen)
    if made in MAPS:
        return _map(arguments, seen)
    found = _class(made, seen) if isinstance(made, type) else None
    if found is None:
        raise TypeError(f"no JSON Schema is known for {annotation!r}; use str, int, float, bool, "
                        "list, dict, Literal, an Enum, a dataclass, a TypedDict or input_schema=")
    return found


def _annotated(arguments: tuple[Any, ...], seen: tuple[type, ...]) -> tuple[Plain, Convert]:
    """A text of Annotated is the description; a dict adds keywords, such as {"minimum": 1}."""
    schema, convert = read(arguments[0], seen)
    for extra in arguments[1:]:
        if isinstance(extra, str):
            schema = _describe(schema, extra)
        elif isinstance(extra, dict):
            schema = {**schema, **extra}
    return schema, convert


# ---- docstrings ----

SECTIONS = r"(?:Args|Arguments|Parameters|Attributes|Fields)"
GOOGLE = re.compile(rf"^{SECTIONS}:[ \t]*\n((?:[ \t]+\S.*\n?|[ \t]*\n)+)", re.MULTILINE)
NUMPY = re.compile(rf"^{SECTIONS}\n-{{3,}}[ \t]*\n((?:.*\n?)*?)(?=^\S[^\n:]*\n-{{3,}}|\Z)",
                   re.MULTILINE)
SPHINX = re.compile(r"^:param(?:[ \t]+[^:\s]+)??[ \t]+(\w+):[ \t]*(.*(?:\n[ \t]+\S.*)*)",
                    re.MULTILINE)
ENTRY = re.compile(r"^(\w+)(?:[ \t]*\([^)\n]*\))?[ \t]*:[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
NUMPY_ENTRY = re.compile(r"^(\w+)[ \t]*(?::.*)?\n((?:[ \t]+\S.*\n?)+)", re.MULTILINE)
END = re.compile(rf"^(?:{SECTIONS}|Returns?|Raises|Yields|Examples?|Notes?)(?::[ \t]*$|\n-{{3,}})"
                 r"|^:(?:param|type|returns?|rtype|raises)\b", re.MULTILINE)


def _words(text: str) -> str:
    return " ".join(text.split())


def parameters(docstring: str) -> dict[str, str]:
    """The descriptions of parameters in a docstring in the style of Google, NumPy or Sphinx."""
    text = inspect.cleandoc(docstring) + "\n"
    found = {name: _words(what) for name, what in SPHINX.findall(text)}
    for section in NUMPY.findall(text):
        found.update((name, _words(what)) for name, what in NUMPY_ENTRY.findall(section))
    for section in GOOGLE.findall(text):
        found.update((name, _words(what))
                     for name, what in ENTRY.findall(inspect.cleandoc(section)))
    return found


def summary(docstring: str) -> str:
    """A docstring up to its first section; its paragraphs are lines."""
    text = inspect.cleandoc(docstring)
    end = END.search(text)
    text = text[:end.start()] if end else text
    return "\n".join(_words(part) for part in text.strip().split("\n\n") if part.strip())


def of_function(function: Callable[..., Any], skip: type) -> tuple[Plain, dict[str, Convert],
                                                                     str | None]:
    """The schema of a function's parameters, how to convert each argument, and the name of the
    parameter whose annotation is `skip`."""
    hints = typing.get_type_hints(function, include_extras=True)
    documented = parameters(function.__doc__ or "")
    fields, skipped = [], None
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"the parameter {name} of {function.__name__} has no name of its own "
                            "in JSON: use plain parameters")
        if hints.get(name) is skip:
            skipped = name
            continue
        if name not in hints:
            raise TypeError(f"the parameter {name} of {function.__name__} has no annotation")
        needed = parameter.default is parameter.empty
        fields.append((name, hints[name], needed, None if needed else parameter.default,
                       documented.get(name, "")))
    try:
        schema, converts = _object(fields, ())
    except TypeError as error:
        raise TypeError(f"{function.__name__}: {error}") from None
    return schema, converts, skipped
