# SPDX-License-Identifier: Apache-2.0
"""corpus.c in Python: corpus.py SPEC TASK ACTION..."""
import json
import sys
from typing import Annotated, Literal

import haft


@haft.tool(read_only=True)
def add(a: Annotated[int, "the first"], b: Annotated[int, "the second"] = 1) -> str:
    """Add two numbers."""
    return str(a + b)


@haft.tool(read_only=True, cache="run")
def find(query: Annotated[str, "words to look for"],
         state: Annotated[Literal["open", "paid"], "of the order"] = "open") -> dict:
    """Find orders."""
    return {"query": query, "state": state}


@haft.tool
def fail(told: Annotated[bool, "whether the model is told why"]) -> str:
    """Fail."""
    raise haft.ToolError("no connection; try again later" if told else "unknown")


@haft.tool(needs_approval=True, idempotent=True)
def pay(to: Annotated[str, "who gets it"], cents: Annotated[int, "how much"]) -> str:
    """Pay money back."""
    return f"{to} has {cents} cents"


@haft.tool(read_only=True, return_direct=True)
def quote(text: Annotated[str, "the text"]) -> str:
    """Quote a text."""
    return f'"{text}"'


def act(run, action):
    name, given, value = action.partition(":")
    if name == "approve":
        run.approve(None, json.loads(value) if given else None)
    elif name == "answer":
        run.answer(None, json.loads(value))
    elif name == "reject":
        run.reject(None, value)
    else:
        run.cancel()


def show(run):
    for event in run:
        if event.seq:
            print(json.dumps(event.data))


with haft.Runtime() as runtime:
    started = runtime.agent(sys.argv[1], [add, find, fail, pay, quote]).start(sys.argv[2])
    show(started)
    for each in sys.argv[3:]:
        act(started, each)
        show(started)
