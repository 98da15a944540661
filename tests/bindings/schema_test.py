#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bindings/python/haft/schema.py: JSON Schemas from annotations and docstrings, and values."""
import dataclasses
import enum
import importlib.util
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypedDict

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
description = importlib.util.spec_from_file_location(
    "schema", ROOT / "bindings/python/haft/schema.py")
schema = importlib.util.module_from_spec(description)
description.loader.exec_module(schema)


class Colour(enum.Enum):
    RED, BLUE = "red", "blue"


class Range(TypedDict, total=False):
    low: int
    high: int


@dataclasses.dataclass
class Order:
    """An order.

    Attributes:
        number: as on the bill
    """
    number: int
    colours: list[Colour] = dataclasses.field(default_factory=list)
    note: str = "none"


class Node:
    pass


@dataclasses.dataclass
class Endless:
    next: "Endless | None"


ORDER = {"type": "object",
         "properties": {"number": {"type": "integer", "description": "as on the bill"},
                        "colours": {"type": "array",
                                    "items": {"type": "string", "enum": ["red", "blue"]}},
                        "note": {"type": "string", "default": "none"}},
         "required": ["number"], "additionalProperties": False}
RED = {"type": "string", "enum": ["red", "blue"]}

# annotation, schema, a JSON value, the value that the function gets
ROWS = [
    (str, {"type": "string"}, "a", "a"),
    (int, {"type": "integer"}, 1, 1),
    (int, {"type": "integer"}, 3.0, 3),
    (float, {"type": "number"}, 1, 1.0),
    (float | None, {"type": ["number", "null"]}, 1, 1.0),
    (int | float, {"type": ["integer", "number"]}, 1.5, 1.5),
    (bool, {"type": "boolean"}, True, True),
    (None, {"type": "null"}, None, None),
    (Any, {}, [1], [1]),
    (list, {"type": "array", "items": {}}, [1, "a"], [1, "a"]),
    (list[float], {"type": "array", "items": {"type": "number"}}, [1], [1.0]),
    (set[str], {"type": "array", "items": {"type": "string"}}, ["a", "a"], {"a"}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}, [1], (1,)),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1},
     {"a": 1}),
    (dict, {"type": "object", "additionalProperties": True}, {"a": [1]}, {"a": [1]}),
    (Optional[int], {"type": ["integer", "null"]}, None, None),
    (int | str, {"type": ["integer", "string"]}, "a", "a"),
    (list[Colour] | None, {"anyOf": [{"type": "array", "items": RED}, {"type": "null"}]}, ["red"],
     [Colour.RED]),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
    (Literal["a", 1], {"enum": ["a", 1]}, 1, 1),
    (Colour, RED, "blue", Colour.BLUE),
    (Order, ORDER, {"number": 7, "colours": ["red"]}, Order(7, [Colour.RED])),
    (Order | None, {"anyOf": [ORDER, {"type": "null"}]}, {"number": 7}, Order(7)),
    (Range, {"type": "object", "properties": {"low": {"type": "integer"},
                                              "high": {"type": "integer"}},
             "additionalProperties": False}, {"low": 1}, {"low": 1}),
    (Annotated[int, "how many", {"minimum": 1}],
     {"type": "integer", "description": "how many", "minimum": 1}, 1, 1),
]
for annotation, wanted, value, made in ROWS:
    name = f"{annotation}_from_{value}".replace(" ", "")
    found, convert = schema.read(annotation)
    check(f"schema_of_{name}", found, wanted)
    check(f"value_of_{name}", (convert(value), type(convert(value))), (made, type(made)))

WRONG = [bytes, tuple[int, str], dict[int, str], Node, Endless, Order | Colour, Literal[b"a"]]
for annotation in WRONG:
    try:
        found = schema.read(annotation)
    except TypeError as error:
        found = str(error)
    check(f"no_schema_of_{annotation}".replace(" ", ""), isinstance(found, str) and found != "")


def google(number: int, note: str = "none", colour: Colour = Colour.RED) -> str:
    """Look up one order,
    whatever its state.

    The second part.

    Args:
        number (int): the number of the order,
            for instance 1042
        note: free text

    Returns:
        a text
    """


def numpy(number: int, note: str = "none"):
    """Look up one order.

    Parameters
    ----------
    number : int
        the number of the order
    note
        free text

    Returns
    -------
    a text
    """


def sphinx(number: int, note: str = "none"):
    """Look up one order.

    :param int number: the number
        of the order
    :param note: free text
    :returns: a text
    """


WORDS = {"google": ("Look up one order, whatever its state.\nThe second part.",
                    "the number of the order, for instance 1042"),
         "numpy": ("Look up one order.", "the number of the order"),
         "sphinx": ("Look up one order.", "the number of the order")}
for function in (google, numpy, sphinx):
    text, number = WORDS[function.__name__]
    found, _, _ = schema.of_function(function, Node)
    check(f"summary_in_the_style_of_{function.__name__}", schema.summary(function.__doc__), text)
    check(f"parameters_in_the_style_of_{function.__name__}",
          [found["properties"]["number"], found["properties"]["note"], found["required"]],
          [{"type": "integer", "description": number},
           {"type": "string", "description": "free text", "default": "none"}, ["number"]])
check("a_default_that_is_not_json_is_left_out",
      schema.of_function(google, Node)[0]["properties"]["colour"], RED)


def with_node(number: int, node: Node):
    """A function with a parameter that the model does not see."""


def stars(*numbers: int):
    """Without names."""


def bare(number):
    """Without an annotation."""


check("a_parameter_of_the_program_is_not_in_the_schema",
      (list(schema.of_function(with_node, Node)[0]["properties"]),
       schema.of_function(with_node, Node)[2]), (["number"], "node"))
for function, word in ((stars, "numbers"), (bare, "number"), (with_node, "Node")):
    try:
        schema.of_function(function, Colour)
        found = ""
    except TypeError as error:
        found = str(error)
    check(f"the_error_of_{function.__name__}_names_the_part",
          word in found and function.__name__ in found)
