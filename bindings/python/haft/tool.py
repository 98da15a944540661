# SPDX-License-Identifier: Apache-2.0
"""Tools: Python functions that a model can call."""
from __future__ import annotations

import dataclasses
import inspect
import json
import logging
import threading
from typing import Any, Callable, Literal, overload

from . import schema
from ._native import ffi, lib
from .errors import ToolError

log = logging.getLogger("haft")

COSTS = {"light": 0, "heavy": lib.HAFT_COST_HEAVY}
CACHES = {None: 0, "run": lib.HAFT_CACHE_RUN, "thread": lib.HAFT_CACHE_THREAD,
          "global": lib.HAFT_CACHE_GLOBAL}


@dataclasses.dataclass(frozen=True)
class Command:
    """The reply of a tool that is a node of a graph: `update` writes channels, `goto` says what
    follows, `send` starts further runs of nodes."""

    update: dict[str, Any] | None = None
    goto: str | list[str] | None = None
    send: list[dict[str, Any]] | None = None


class Call:
    """The facts about the call that a tool is working on. A parameter of a tool whose annotation is
    haft.Call gets it; the model does not see that parameter."""

    def __init__(self, handle: Any) -> None:
        facts = lib.haft_call_info(handle)
        self._lock = threading.Lock()  # one thread at a time uses the call of the library
        self._handle: Any = handle
        self.id, self.run, self.thread, self.user, self.idempotency_key, self.tool = (
            ffi.string(text).decode() for text in (
                facts.call, facts.run, facts.thread, facts.user, facts.idempotency_key, facts.tool))
        self.attempt: int = facts.attempt
        self.remaining_turns: int = facts.remaining_turns
        self.epoch: int = facts.epoch
        text = facts.arguments
        self.arguments: dict[str, Any] = json.loads(ffi.buffer(text.ptr, text.len)[:])

    @property
    def cancelled(self) -> bool:
        """Whether the call was cancelled, timed out or has ended; a long tool then returns."""
        with self._lock:
            return self._handle is None or bool(lib.haft_cancelled(self._handle))

    def progress(self, value: Any) -> None:
        """Reports progress, a JSON value: readers of the run's events get it as call_progress."""
        text = json.dumps(value).encode()
        with self._lock:
            if self._handle is not None:
                lib.haft_emit(self._handle, text)

    def _finish(self, kind: int, text: str) -> None:
        """Ends the call. A reply that is not valid becomes an error that the model reads."""
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is None:
            return
        error = ffi.new("haft_error *")
        data = text.encode("utf-8", "replace").replace(b"\0", b"\\u0000")
        if lib.haft_call_finish(handle, kind, data, error) != lib.HAFT_OK:
            what = b"the reply of the tool cannot be used: " + ffi.string(error.message)
            if lib.haft_call_finish(handle, lib.HAFT_REPLY_ERROR, what, error) != lib.HAFT_OK:
                log.error("a call cannot be finished: %s", ffi.string(error.message).decode())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool. The decorator `tool` makes one from a function; programs can also fill it in, for
    instance from a tool of another library. `run` gets the arguments by name."""

    name: str
    description: str
    input_schema: dict[str, Any]
    run: Callable[..., Any] | None  # None: headless, a client of the run answers
    output_schema: dict[str, Any] | None = None
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    return_direct: bool = False
    needs_approval: bool = False
    polls: bool = False
    cost: Literal["light", "heavy"] = "light"
    cache: Literal["run", "thread", "global"] | None = None
    cache_seconds: float = 0
    timeout: float = 0  # seconds of one attempt; 0: the default, a minute
    retries: int = 0
    lane: str | None = None  # calls of one lane never overlap
    converts: dict[str, schema.Convert] = dataclasses.field(default_factory=dict, repr=False)
    call_parameter: str | None = None  # the parameter that gets the Call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function itself, as a test would."""
        if self.run is None:
            raise TypeError(f"the tool {self.name} has no function")
        return self.run(*args, **kwargs)

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.run)

    def _traits(self) -> int:
        flags = {lib.HAFT_READ_ONLY: self.read_only, lib.HAFT_IDEMPOTENT: self.idempotent,
                 lib.HAFT_DESTRUCTIVE: self.destructive, lib.HAFT_POLLS: self.polls,
                 lib.HAFT_RETURN_DIRECT: self.return_direct, lib.HAFT_QUEUED: self.run is not None,
                 lib.HAFT_NEEDS_APPROVAL: self.needs_approval}
        return sum(flag for flag, given in flags.items() if given) + COSTS[self.cost] \
            + CACHES[self.cache]

    def _start(self, call: Call) -> Any:
        """Calls the function with the arguments of a call: its result, or its coroutine."""
        assert self.run is not None
        arguments = {name: self.converts[name](value) if name in self.converts else value
                     for name, value in call.arguments.items()}
        if self.call_parameter is not None:
            arguments[self.call_parameter] = call
        return self.run(**arguments)


def _plain(value: Any) -> Any:
    """A value that json.dumps does not know."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"the tool returned a {type(value).__name__}, which is not JSON: "
                    "return text, a dict, a list or a dataclass")


def _write(value: Any) -> str:
    return json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False,
                      separators=(",", ":"))


def reply_of(value: Any) -> tuple[int, str]:
    """The kind and the text of the reply for a result of a tool's function."""
    if isinstance(value, str):
        return lib.HAFT_REPLY_TEXT, value
    if isinstance(value, Command):
        parts = {name: part for name, part in vars(value).items() if part is not None}
        return lib.HAFT_REPLY_COMMAND, _write(parts)
    return lib.HAFT_REPLY_JSON, _write(value)


def error_of(error: BaseException) -> str:
    """The text of an exception for the model: no traceback, which may contain secrets."""
    if isinstance(error, ToolError):
        return str(error) or "the tool failed"
    log.warning("a tool raised an exception", exc_info=error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(*, name: str | None = None, description: str | None = None,
         input_schema: dict[str, Any] | None = None, **traits: Any
         ) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Callable[..., Any] | None = None, /, *, name: str | None = None,
         description: str | None = None, input_schema: dict[str, Any] | None = None,
         **traits: Any) -> Any:
    """Makes a tool of a function. Its name, its docstring and its annotations become the name, the
    description and the schema; the keywords are the fields of Tool:

        @haft.tool(read_only=True)
        def get_order(number: int) -> dict:
            \"\"\"Look up one order of the shop.

            Args:
                number: the number of the order, for instance 1042
            \"\"\"
    """
    def decorate(body: Callable[..., Any]) -> Tool:
        text = schema.summary(body.__doc__ or "") if description is None else description
        if not text:
            raise TypeError(f"the tool {body.__name__} has no docstring, and the model needs one")
        made: dict[str, Any] = {"input_schema": input_schema}
        if input_schema is None:
            found, converts, skipped = schema.of_function(body, Call)
            made = {"input_schema": found, "converts": converts, "call_parameter": skipped}
        return Tool(name=name or body.__name__, description=text, run=body, **made, **traits)
    return decorate if function is None else decorate(function)
