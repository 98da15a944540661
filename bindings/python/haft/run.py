# SPDX-License-Identifier: Apache-2.0
"""Runs, their events and their pauses."""
from __future__ import annotations

import asyncio
import collections
import dataclasses
import json
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Generator, Iterator, Literal

from ._native import ffi, lib
from .errors import BadState, RunFailed

if TYPE_CHECKING:
    from .runtime import Runtime

State = Literal["running", "waiting", "ended", "stopped"]
STATES: dict[int, State] = {lib.HAFT_RUNNING: "running", lib.HAFT_WAITING: "waiting",
                            lib.HAFT_ENDED: "ended", lib.HAFT_STOPPED: "stopped"}


@dataclasses.dataclass(frozen=True)
class Event:
    """An event of a run (docs/events.md), or a progress event, whose `seq` is 0."""

    seq: int
    kind: str
    data: dict[str, Any]  # the whole event

    def __getitem__(self, field: str) -> Any:
        return self.data[field]


@dataclasses.dataclass(frozen=True)
class Pause:
    """A call that waits for a person or a client."""

    kind: str  # "question", "headless", "approval" or "unknown_outcome"
    call: str
    tool: str
    arguments: dict[str, Any] | None
    question: str | None
    data: dict[str, Any] = dataclasses.field(repr=False)  # an item of `pending` of the result
    _run: "Run" = dataclasses.field(repr=False, compare=False)

    def answer(self, value: Any) -> None:
        """Answers a question, or gives the result of the call, a JSON value."""
        self._run.answer(self.call, value)

    def approve(self, arguments: dict[str, Any] | None = None) -> None:
        """Runs the call, with other arguments if they are given."""
        self._run.approve(self.call, arguments)

    def reject(self, why: str | None = None) -> None:
        """Does not run the call; the model reads why."""
        self._run.reject(self.call, why)

    def again(self) -> None:
        """Repeats a call whose outcome is unknown."""
        self._run.again(self.call)


@dataclasses.dataclass(frozen=True)
class Result:
    """How far a run has come."""

    run: str  # its id
    end: str  # "done", "failed" ...; "waiting" while it waits
    answer: str
    reason: str
    pauses: list[Pause] = dataclasses.field(default_factory=list, repr=False)
    data: dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)  # what the command
    # `haft run --json` prints: also turns, calls, usage, artifacts


class Run:
    """A run of an agent. Iterate over it for its events, with `for` or `async for`: the iteration
    ends when the run waits or has ended. All methods may be called from any thread."""

    def __init__(self, runtime: "Runtime", handle: Any,
                 loop: asyncio.AbstractEventLoop | None) -> None:
        """The runtime's lock is held."""
        self._runtime = runtime
        self._handle = handle
        self._loop = loop
        self._events: collections.deque[Event] = collections.deque()
        self._last: dict[str, Any] = {}  # the result when the run was closed
        self._waiters: list[Callable[[], None]] = []
        self._state: State = STATES[lib.haft_run_state(handle)]
        self._id: str = ffi.string(lib.haft_run_id(handle)).decode()
        self._end = "waiting"
        self._answer = ""
        self._slot: int = runtime._watch(self, handle)
        self._release = weakref.finalize(self, runtime._release_later, self._slot, handle)
        self._release.atexit = False

    # ---- what is known ----

    @property
    def id(self) -> str:
        """26 characters; with it any process opens the run again from a durable store."""
        return self._id

    @property
    def state(self) -> State:
        """The state; a run that is "stopped" cannot continue in this process."""
        with self._runtime._use(closed=True):
            self._refresh()
            return self._state

    @property
    def end(self) -> str:
        """"done", "failed" ...; "waiting" before the run has ended."""
        with self._runtime._use(closed=True):
            self._refresh()
            return self._end

    @property
    def answer_text(self) -> str:
        """The answer; empty before the run has ended."""
        with self._runtime._use(closed=True):
            self._refresh()
            return self._answer

    @property
    def pauses(self) -> list[Pause]:
        """The calls of this run, and of runs below it, that wait for a person or a client now."""
        return self.result.pauses

    @property
    def result(self) -> Result:
        """How far the run has come."""
        with self._runtime._use(closed=True):
            self._refresh()
            data = self._read_result()
        error = data.get("error") or {}
        return Result(self._id, data.get("end", ""), data.get("answer", ""),
                      error.get("message") or data.get("reason") or "",
                      [Pause(each["kind"], each["call"], each["tool"], each["arguments"],
                             each["question"], each, self) for each in data.get("pending", ())],
                      data)

    def _read_result(self) -> dict[str, Any]:
        """The lock is held."""
        if self._handle is not None:
            text, error = ffi.new("char **"), ffi.new("haft_error *")
            self._runtime._check(lib.haft_run_result(self._handle, text, error), error)
            self._last = json.loads(ffi.string(text[0]))
            lib.haft_free(text[0])
        return self._last

    def _leave(self) -> None:
        """Keeps what is known, before the library releases the run. The lock is held."""
        self._refresh()
        self._drain()
        self._read_result()
        self._runtime._hold(self, False)
        self._handle = None

    def _refresh(self) -> None:
        """Reads the state. The lock is held."""
        if self._handle is None:
            return
        self._state = STATES[lib.haft_run_state(self._handle)]
        if self._state == "ended" and self._end == "waiting":
            self._end = ffi.string(lib.haft_run_end(self._handle)).decode()
            answer = lib.haft_run_answer_text(self._handle)
            self._answer = ffi.buffer(answer.ptr, answer.len)[:].decode() if answer.len else ""
        self._runtime._hold(self, self._state == "running")

    # ---- events ----

    def _add_event(self, event: Any) -> None:
        """The lock is held."""
        data = json.loads(ffi.buffer(event.json.ptr, event.json.len)[:])
        self._events.append(Event(event.seq, data["kind"], data))

    def _drain(self) -> None:
        """Reads the events that are there. The lock is held."""
        if self._handle is not None:
            event = self._runtime._event
            while lib.haft_run_next_event(self._handle, event):
                self._add_event(event)

    def _next(self, waiter: Callable[[], None] | None) -> Event | bool:
        """The next event; False if there is none before the run waits or has ended; else True, and
        `waiter` is called once when something has changed."""
        with self._runtime._use(closed=True):
            if not self._events:
                self._refresh()
                self._drain()
            if self._events:
                return self._events.popleft()
            if self._state != "running":
                self._check_stopped()
                return False
            if waiter is not None:
                self._wait_for_change(waiter, True)
            return True

    def _wait_for_change(self, waiter: Callable[[], None], events: bool) -> None:
        """The lock is held."""
        self._waiters.append(waiter)
        if events:
            lib.haft_changes_want_events(self._runtime._changes, self._slot, True)

    def _wake(self) -> None:
        """Something has changed. The stepping thread calls this; the lock is held."""
        waiters, self._waiters = self._waiters, []
        if self._handle is not None:
            lib.haft_changes_want_events(self._runtime._changes, self._slot, False)
        for waiter in waiters:
            waiter()

    def __iter__(self) -> Iterator[Event]:
        while True:
            lock = threading.Lock()
            lock.acquire()
            found = self._next(lock.release)
            if isinstance(found, Event):
                yield found
            elif found:
                lock.acquire()
            else:
                return

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            changed = _Changed()
            found = self._next(changed)
            if isinstance(found, Event):
                yield found
            elif found:
                await changed
            else:
                return

    # ---- waiting ----

    def _is_running(self, waiter: Callable[[], None]) -> bool:
        with self._runtime._use(closed=True):
            self._refresh()
            self._check_stopped()
            if self._state == "running":
                self._wait_for_change(waiter, False)
            return self._state == "running"

    def wait(self, timeout: float | None = None) -> State:
        """Waits until the run waits or has ended, or `timeout` seconds have passed."""
        end = None if timeout is None else time.monotonic() + timeout
        lock = threading.Lock()
        lock.acquire()
        while self._is_running(lock.release):
            if not lock.acquire(timeout=-1 if end is None else max(0, end - time.monotonic())):
                return "running"
        return self._state

    def __await__(self) -> Generator[Any, None, Result]:
        """`await run` is its Result when it waits or has ended."""
        changed = _Changed()
        while self._is_running(changed):
            yield from changed.__await__()
            changed = _Changed()
        return self._checked_result()

    def _checked_result(self) -> Result:
        result = self.result
        if result.end not in ("done", "waiting"):
            raise RunFailed(result)
        return result

    def _check_stopped(self) -> None:
        if self._runtime._failure is not None:
            raise self._runtime._failure
        if self._handle is None and self._state == "running":
            raise BadState(f"the run {self._id} was closed")
        if self._state == "stopped" and self._handle is not None:
            self._runtime._raise(lib.haft_run_error(self._handle))

    # ---- commands ----

    def answer(self, call: str | None, value: Any) -> None:
        """Answers the call; None if only one is pending. "c3.1/c1.2" is a call of a child run."""
        self._command(lib.haft_run_answer, call, json.dumps(value))

    def approve(self, call: str | None = None, arguments: dict[str, Any] | None = None) -> None:
        """Approves the call, with other arguments if they are given."""
        self._command(lib.haft_run_approve, call,
                      None if arguments is None else json.dumps(arguments))

    def reject(self, call: str | None = None, why: str | None = None) -> None:
        """Rejects the call; the model reads why."""
        self._command(lib.haft_run_reject, call, why)

    def again(self, call: str | None = None) -> None:
        """Repeats a call whose outcome is unknown."""
        self._command(lib.haft_run_again, call)

    def cancel(self) -> None:
        """Cancels the run and everything it has started."""
        with self._runtime._use(wake=True) as error:
            self._runtime._check(lib.haft_run_cancel(self._open_handle(), error), error)
            self._expect_change()

    def _command(self, command: Any, call: str | None, *texts: str | None) -> None:
        with self._runtime._use(wake=True) as error:
            handle = self._open_handle()
            words = [ffi.NULL if text is None else text.encode() for text in (call, *texts)]
            self._runtime._check(command(handle, *words, error), error)
            self._expect_change()

    def _expect_change(self) -> None:
        """After a command. The lock is held."""
        self._refresh()
        lib.haft_changes_expect(self._runtime._changes, self._slot)

    def _open_handle(self) -> Any:
        if self._handle is None:
            raise BadState(f"the run {self._id} was closed")
        return self._handle

    def close(self) -> None:
        """Releases the run. It is not cancelled: a durable store keeps it, and any process can
        open it again. A run that is no longer used is released by itself."""
        with self._runtime._use(wake=True, closed=True):
            if self._handle is not None:
                self._leave()
                self._release()
            self._wake()


class _Changed:
    """An awaitable for one change, which another thread reports by calling it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[None] = self._loop.create_future()

    def __call__(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._set)
        except RuntimeError:
            pass  # the loop was closed: nobody waits any more

    def _set(self) -> None:
        if not self._future.done():
            self._future.set_result(None)

    def __await__(self) -> Generator[Any, None, None]:
        return self._future.__await__()
