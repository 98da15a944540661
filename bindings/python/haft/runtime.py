# SPDX-License-Identifier: Apache-2.0
"""Runtimes and agents. A runtime has one thread that steps it.

Rules of threads: one lock guards a runtime and everything made with it. The stepping thread holds
it during a step, never while it waits. Each call of the library releases the GIL, and no thread of
the library calls Python, so neither lock can wait for the other.
"""
from __future__ import annotations

import asyncio
import atexit
import collections
import contextlib
import json
import os
import select
import threading
import weakref
from types import TracebackType
from typing import Any, Iterable, Iterator

from ._native import ffi, lib
from .errors import BY_STATUS, BadState, HaftError
from .performer import Performer
from .run import Result, Run
from .tool import Call, Tool

HERE = os.path.dirname(os.path.abspath(__file__))
GUARD = os.path.join(HERE, "libexec", "guard")
WORDS = os.path.join(HERE, "share", "words.vec")


def _encode(text: str | os.PathLike[str] | None, what: str) -> Any:
    if text is None:
        return ffi.NULL
    data = os.fsencode(text)
    if b"\0" in data:
        raise BY_STATUS["BAD_INPUT"](f"expected {what} without NUL characters")
    return data


class Runtime:
    """The store, the connections and the thread of many runs. Use it with `with`, or close it.

    `store` is "memory:", "sqlite:PATH" or "postgres://...". `threads` tools that are not coroutines
    run at the same time. A process may have several runtimes. A runtime does not survive a fork: in
    the child process all its methods raise BadState, and the parent's runs continue."""

    def __init__(self, store: str = "memory:", *, threads: int = 32, lease: float = 0) -> None:
        options = ffi.new("haft_runtime_options *")
        words = [_encode(store, "a store"), _encode(GUARD, "a path")]
        keep = [ffi.from_buffer(word + b"\0") for word in words]
        options.struct_size = ffi.sizeof("haft_runtime_options")
        options.store, options.guard = (ffi.cast("const char *", each) for each in keep)
        options.lease_ms = int(lease * 1000)
        made, error = ffi.new("haft_runtime **"), ffi.new("haft_error *")
        self._handle: Any = None
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._check(lib.haft_runtime_create(options, made, error), error)
        self._handle = made[0]
        self._changes = lib.haft_changes_create()
        self._change, self._event = ffi.new("haft_change *"), ffi.new("haft_event *")
        self._tools: dict[str, Tool] = {}
        self._runs: dict[int, weakref.ref[Run]] = {}
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}
        self._held: set[Run] = set()
        self._released: collections.deque[tuple[int, Any]] = collections.deque()
        self._released_agents: collections.deque[Any] = collections.deque()
        self._failure: HaftError | None = None
        self._performer = Performer(threads)
        self._closing = False
        self._wakeup = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._thread = threading.Thread(target=self._step_all, name="haft", daemon=True)
        self._thread.start()
        ALL.add(self)

    # ---- agents and runs ----

    def agent(self, spec: str | os.PathLike[str], tools: Iterable[Tool] = ()) -> "Agent":
        """Loads a spec from a YAML or JSON file. It can name `tools`, and tools that were added to
        the runtime before."""
        for each in tools:
            self.add(each)
        made = ffi.new("haft_agent **")
        with self._use(wake=True) as error:
            self._check(lib.haft_agent_load(self._handle, _encode(spec, "a path"), made, error),
                        error)
            return Agent(self, made[0])

    def add(self, tool: Tool) -> None:
        """Adds a tool for agents that are loaded afterwards, and for runs that are opened. Adding
        the same tool again does nothing."""
        if not isinstance(tool, Tool):
            raise TypeError(f"expected a tool, found {tool!r}: is @haft.tool missing?")
        if self._tools.get(tool.name) is tool:
            return
        texts = [ffi.NULL if text is None else ffi.new("char[]", text.encode()) for text in (
            tool.name, tool.description, json.dumps(tool.input_schema),
            None if tool.output_schema is None else json.dumps(tool.output_schema), tool.lane)]
        made = ffi.new("haft_tool *")
        made.struct_size = ffi.sizeof("haft_tool")
        made.name, made.description, made.input_schema, made.output_schema, made.lane = texts
        made.traits = tool._traits()
        made.timeout_ms, made.cache_ms = int(tool.timeout * 1000), int(tool.cache_seconds * 1000)
        made.retries = tool.retries
        with self._use() as error:
            self._check(lib.haft_tool_add(self._handle, made, error), error)
            self._tools[tool.name] = tool

    def open(self, run_id: str, tools: Iterable[Tool] = ()) -> Run:
        """Opens a run of the store: its id, a prefix of it, or "last". It continues, unless it
        waits or has ended."""
        for each in tools:
            self.add(each)
        made = ffi.new("haft_run **")
        with self._use(wake=True) as error:
            self._check(lib.haft_run_open(self._handle, _encode(run_id, "an id"), made, error),
                        error)
            return Run(self, made[0], _running_loop())

    # ---- the lock ----

    @contextlib.contextmanager
    def _use(self, wake: bool = False, closed: bool = False) -> Iterator[Any]:
        """Holds the lock, and gives room for an error. With `wake`, the stepping thread steps
        afterwards."""
        if self._pid != os.getpid():
            raise BadState("the runtime was made before a fork", hint="make one in this process")
        with self._lock:
            if self._handle is None and not closed:
                raise BadState("the runtime is closed")
            if self._failure is not None and not closed:
                raise self._failure
            yield ffi.new("haft_error *")
        if wake:
            self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # closed
            os.eventfd_write(self._wakeup, 1)

    @staticmethod
    def _check(status: int, error: Any) -> None:
        if status != lib.HAFT_OK:
            Runtime._raise(error)

    @staticmethod
    def _raise(error: Any) -> None:
        name, message, where, hint = (
            ffi.string(text).decode() for text in (
                lib.haft_status_name(error.status), error.message, error.where, error.hint))
        raise BY_STATUS.get(name, HaftError)(message, where, hint)

    # ---- runs: the lock is held ----

    def _watch(self, run: Run, handle: Any) -> int:
        slot = int(lib.haft_changes_add(self._changes, handle))
        self._runs[slot] = weakref.ref(run)
        if run._loop is not None:
            self._loops[run._id] = run._loop
        return slot

    def _hold(self, run: Run, running: bool) -> None:
        """A running run stays alive, even if the program has dropped it."""
        if running:
            self._held.add(run)
        else:
            self._held.discard(run)

    def _release_later(self, slot: int, handle: Any) -> None:
        """Called by the garbage collector, on any thread."""
        self._released.append((slot, handle))
        self._wake()

    def _release_all(self) -> None:
        while self._released:
            slot, handle = self._released.popleft()
            self._runs.pop(slot, None)
            self._loops.pop(ffi.string(lib.haft_run_id(handle)).decode(), None)
            lib.haft_changes_remove(self._changes, slot)
            lib.haft_run_release(handle)
        while self._released_agents:
            lib.haft_agent_release(self._released_agents.popleft())

    # ---- the stepping thread ----

    def _step_all(self) -> None:
        poll = select.poll()
        poll.register(lib.haft_runtime_fd(self._handle), select.POLLIN)
        poll.register(self._wakeup, select.POLLIN)
        timeout = 0
        error = ffi.new("haft_error *")
        while not self._closing:
            for fd, _ in poll.poll(timeout if timeout >= 0 else None):
                if fd == self._wakeup:
                    os.eventfd_read(self._wakeup)
            with self._lock:
                if self._closing:
                    return
                try:
                    self._release_all()
                    self._check(lib.haft_runtime_step(self._handle, 0, error), error)
                    calls = self._take_calls()
                    self._report_changes()
                    timeout = lib.haft_runtime_timeout(self._handle)
                except HaftError as failure:
                    self._fail(failure)
                    return
            for tool, call, loop in calls:
                self._performer.start(tool, call, loop)
            self._performer.cancel_cancelled()

    def _take_calls(self) -> list[tuple[Tool, Call, asyncio.AbstractEventLoop | None]]:
        calls = []
        while (handle := lib.haft_runtime_next_call(self._handle)) != ffi.NULL:
            call = Call(handle)
            calls.append((self._tools[call.tool], call, self._loops.get(call.run)))
        return calls

    def _report_changes(self) -> None:
        woken: set[int] = set()
        change = self._change
        while lib.haft_changes_next(self._changes, change):
            reference = self._runs.get(change.slot)
            run = reference() if reference is not None else None
            if run is None:
                continue
            if change.is_event:
                run._add_event(ffi.addressof(change, "event"))
            else:
                run._refresh()
            if change.slot not in woken:
                woken.add(change.slot)
        for slot in woken:
            run = self._runs[slot]()
            if run is not None:
                run._wake()

    def _fail(self, failure: HaftError) -> None:
        """The loop cannot go on; everybody who waits gets the error."""
        self._failure = failure
        for reference in list(self._runs.values()):
            run = reference()
            if run is not None:
                run._wake()

    # ---- the end ----

    def close(self) -> None:
        """Stops all runs in this process; a durable store keeps them. Tools that are running are
        not waited for. The program's end closes all runtimes."""
        if self._pid != os.getpid():
            return
        self._closing = True
        self._wake()
        if self._thread is not threading.current_thread():
            self._thread.join()
        with self._lock:
            if self._handle is None:
                return
            self._release_all()
            for reference in list(self._runs.values()):
                run = reference()
                if run is not None:
                    run._leave()
                    run._release.detach()
                    run._wake()
            lib.haft_runtime_destroy(self._handle)  # and releases the runs
            lib.haft_changes_destroy(self._changes)
            self._handle = None
        self._performer.close()
        os.close(self._wakeup)
        ALL.discard(self)

    def __enter__(self) -> "Runtime":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class Agent:
    """A loaded spec."""

    def __init__(self, runtime: Runtime, handle: Any) -> None:
        self._runtime = runtime
        self._handle = handle
        release = weakref.finalize(self, runtime._released_agents.append, handle)
        release.atexit = False

    def start(self, task: str, *, thread: str | None = None, user: str | None = None,
              enqueue: bool = False) -> Run:
        """Starts a run and returns at once. `thread` is the id of a thread, whose earlier runs the
        model sees; tools get the `user`. With `enqueue` the run is only written to the store, and
        another process runs it."""
        options = ffi.new("haft_run_options *")
        options.struct_size = ffi.sizeof("haft_run_options")
        texts = [ffi.NULL if text is None else ffi.new("char[]", text.encode())
                 for text in (thread, user)]
        options.thread, options.user = texts
        options.enqueue = enqueue
        made = ffi.new("haft_run **")
        with self._runtime._use(wake=True) as error:
            self._runtime._check(lib.haft_run_start(self._handle, _encode(task, "a task"), options,
                                                    made, error), error)
            run = Run(self._runtime, made[0], _running_loop())
            run._refresh()
            return run

    def run(self, task: str, **options: Any) -> Result:
        """Starts a run and waits until it waits or has ended. Raises RunFailed if it ends without
        an answer."""
        run = self.start(task, **options)
        run.wait()
        return run._checked_result()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


ALL: "weakref.WeakSet[Runtime]" = weakref.WeakSet()


def _close_all() -> None:
    for runtime in list(ALL):
        runtime.close()


atexit.register(_close_all)
