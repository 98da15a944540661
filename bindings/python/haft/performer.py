# SPDX-License-Identifier: Apache-2.0
"""Performs the calls of tools: functions on daemon threads, coroutines on event loops.

No thread of the library ever calls Python: the stepping thread takes calls from the runtime's
queue and passes them on, so that no lock of the library can wait for the interpreter."""
from __future__ import annotations

import asyncio
import queue
import threading
from typing import Any

from ._native import lib
from .tool import Call, Tool, error_of, reply_of


def _end(call: Call, value: Any) -> None:
    try:
        call._finish(*reply_of(value))
    except Exception as error:  # the value is not JSON
        call._finish(lib.HAFT_REPLY_ERROR, error_of(error))


def _fail(call: Call, error: BaseException) -> None:
    call._finish(lib.HAFT_REPLY_ERROR, error_of(error))


class Performer:
    def __init__(self, threads: int) -> None:
        self._most = threads
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[tuple[Tool, Call] | None] = queue.SimpleQueue()
        self._threads = 0
        self._idle = 0
        self._own_loop: asyncio.AbstractEventLoop | None = None
        self._tasks: dict[asyncio.Task[None], tuple[Call, asyncio.AbstractEventLoop]] = {}

    def start(self, tool: Tool, call: Call, loop: asyncio.AbstractEventLoop | None) -> None:
        """Starts a call; `loop` is the event loop of its run, for a coroutine."""
        if not tool.is_async:
            self._start_function(tool, call)
            return
        if loop is None or loop.is_closed():
            loop = self._start_own_loop()
        try:
            loop.call_soon_threadsafe(self._start_coroutine, tool, call, loop)
        except RuntimeError as error:  # it was closed just now
            _fail(call, error)

    # ---- functions ----

    def _start_function(self, tool: Tool, call: Call) -> None:
        with self._lock:
            self._jobs.put((tool, call))
            if self._idle >= self._jobs.qsize() or self._threads == self._most:
                return
            self._threads += 1
        # Daemon threads: a tool that does not return must not keep the interpreter from exiting.
        threading.Thread(target=self._work, name="haft-tool", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            job = self._jobs.get()
            with self._lock:
                self._idle -= 1
            if job is None:
                return
            tool, call = job
            try:
                value = None if call.cancelled else tool._start(call)
            except BaseException as error:
                _fail(call, error)
            else:
                _end(call, value)
            del job, call

    # ---- coroutines ----

    def _start_coroutine(self, tool: Tool, call: Call, loop: asyncio.AbstractEventLoop) -> None:
        task = loop.create_task(self._perform(tool, call))
        self._tasks[task] = (call, loop)
        task.add_done_callback(lambda _: self._tasks.pop(task, None))

    @staticmethod
    async def _perform(tool: Tool, call: Call) -> None:
        try:
            _end(call, await tool._start(call))
        except BaseException as error:
            _fail(call, error)
            if not isinstance(error, Exception):  # such as CancelledError
                raise

    def cancel_cancelled(self) -> None:
        """Cancels the tasks whose call has timed out or was cancelled."""
        for task, (call, loop) in list(self._tasks.items()):
            if call.cancelled and not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)

    def _start_own_loop(self) -> asyncio.AbstractEventLoop:
        if self._own_loop is None:
            self._own_loop = asyncio.new_event_loop()
            threading.Thread(target=self._own_loop.run_forever, name="haft-asyncio",
                             daemon=True).start()
        return self._own_loop

    def close(self) -> None:
        """Ends idle threads; running functions end by themselves."""
        self.cancel_cancelled()
        with self._lock:
            for _ in range(self._threads):
                self._jobs.put(None)
        if self._own_loop is not None:
            self._own_loop.call_soon_threadsafe(self._own_loop.stop)
