# SPDX-License-Identifier: Apache-2.0
"""Runs the code of one python_execution call inside the sandbox. docs/sandbox.md.

Messages to and from haft are JSON, each after its length as 4 bytes: descriptor 3 to read, 4 to
write. Nothing here is a defence: the kernel's limits are, and haft checks every message.
"""
import sys
sys.path[:] = [path for path in sys.path if path]
sys.dont_write_bytecode = True
import ast, collections, datetime, decimal, functools, io, itertools, json, linecache, math, os
import random, re, statistics, string, struct, threading, traceback

_lock = threading.Lock()
_number = itertools.count(1)


def _receive():
    def exactly(count):
        data = b""
        while len(data) < count:
            piece = os.read(3, count - len(data))
            if not piece:
                os._exit(3)
            data += piece
        return data
    return json.loads(exactly(struct.unpack(">I", exactly(4))[0]))


def _send(message):
    data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(4, data):]


class ToolError(Exception):
    """A tool call was refused or has failed; the text is what the tool reported."""


class Request:
    """A call for gather([...]): Tool.request(arguments) makes one without running it."""

    def __init__(self, tool, arguments):
        self.tool, self.arguments = tool, arguments


def _value(result):
    if not result["ok"]:
        return ToolError(result["text"])
    try:
        return json.loads(result["text"]) if result["text"][:1] in "[{" else result["text"]
    except ValueError:
        return result["text"]


def _run(requests):
    sys.stdout.flush()
    with _lock:
        number = next(_number)
        _send({"calls": [{"tool": r.tool, "arguments": r.arguments} for r in requests],
               "number": number})
        answer = _receive()
    _define(answer.get("functions", ()))
    return [_value(result) for result in answer["results"]]


class Tool:
    """A tool of the agent as a function."""

    def __init__(self, name, tool, parameters):
        self.__name__, self._tool, self._parameters = name, tool, parameters

    def request(self, *values, **named):
        if len(values) > len(self._parameters):
            raise TypeError(f"{self.__name__}() takes {len(self._parameters)} arguments, "
                            f"found {len(values)}")
        arguments = dict(zip(self._parameters, values))
        for key in named:
            if key in arguments:
                raise TypeError(f"{self.__name__}() got two values for '{key}'")
        return Request(self._tool, {**arguments, **named})

    def __call__(self, *values, **named):
        found = _run([self.request(*values, **named)])[0]
        if isinstance(found, ToolError):
            raise found
        return found

    def __repr__(self):
        return f"<tool {self.__name__}>"


def gather(requests, errors=False):
    """Runs calls at the same time: gather([search.request("a"), read.request("b")]). Returns
    their results in order. A failed call raises ToolError; with errors=True it is an item."""
    requests = list(requests)
    for request in requests:
        if not isinstance(request, Request):
            raise TypeError("gather([...]) wants items such as tool.request(...), found "
                            + type(request).__name__)
    found = _run(requests) if requests else []
    for result in found:
        if isinstance(result, ToolError) and not errors:
            raise result
    return found


_names = {"__name__": "__main__", "gather": gather, "ToolError": ToolError}


def _define(functions):
    for function in functions:
        _names[function["name"]] = Tool(function["name"], function["tool"],
                                        function["parameters"])


def _show(value):
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _execute(code):
    """Runs the code; the value of a last line that is an expression is its result."""
    linecache.cache["<code>"] = (len(code), None, code.splitlines(True), "<code>")
    tree = ast.parse(code, "<code>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), _names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<code>", "eval"), _names)
        if value is not None:
            return _show(value)
    return None


def _report(error):
    """Prints the traceback without the lines of this file."""
    parts = traceback.TracebackException.from_exception(error)
    one, seen = parts, set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        kept = [frame for frame in one.stack if frame.filename != "<string>"]
        one.stack = traceback.StackSummary.from_list(kept)
        one = one.__cause__ or one.__context__
    sys.stderr.write("".join(parts.format()))


def _main():
    _send({"ready": True})
    start = _receive()
    _define(start["functions"])
    done = {"result": None, "error": None}
    status = 0
    try:
        done["result"] = _execute(start["code"])
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        if status == 1 and stop.code != 1:
            sys.stderr.write(f"{stop.code}\n")
        done["error"] = "SystemExit" if status != 0 else None
    except BaseException as error:
        status = 1
        done["error"] = type(error).__name__
        try:
            _report(error)
        except BaseException:
            sys.stderr.write(type(error).__name__ + "\n")
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    _send({"done": done})
    os._exit(status & 255)


sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), "utf-8", "replace", write_through=True)
sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), "utf-8", "replace", write_through=True)
_main()
