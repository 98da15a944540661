# SPDX-License-Identifier: Apache-2.0
"""The exceptions of haft. Each status of the C API has a class; all derive from HaftError."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Result


class HaftError(Exception):
    """An error of the library. `where` is a place (a JSON Pointer, line:column or URL), `hint` what
    to do about it; both may be empty."""

    status = ""

    def __init__(self, message: str, where: str = "", hint: str = "") -> None:
        super().__init__(": ".join(part for part in (where, message) if part)
                         + (f" ({hint})" if hint else ""))
        self.message, self.where, self.hint = message, where, hint


class OutOfMemory(HaftError, MemoryError):
    """Out of memory."""
    status = "NO_MEMORY"


class BadInput(HaftError, ValueError):
    """The input is not valid."""
    status = "BAD_INPUT"


class BadState(HaftError):
    """This cannot be done now."""
    status = "BAD_STATE"


class TooBig(HaftError, ValueError):
    """A limit was reached."""
    status = "TOO_BIG"


class NotFound(HaftError, LookupError):
    """There is no such thing."""
    status = "NOT_FOUND"


class Unsupported(HaftError):
    """This is valid but not supported."""
    status = "UNSUPPORTED"


class InputOutputError(HaftError, OSError):
    """Reading or writing failed."""
    status = "IO"


class RunFailed(HaftError):
    """A run has ended, and not with an answer; `result` has its end."""
    status = "RUN_FAILED"

    def __init__(self, result: "Result") -> None:
        super().__init__(f"the run {result.run} ended as {result.end}"
                         + (f": {result.reason}" if result.reason else ""))
        self.result = result


class ToolError(Exception):
    """Raised by a tool: the model reads its text instead of a result. Say what was found, what was
    expected, and what to do about it."""


BY_STATUS: dict[str, type[HaftError]] = {
    each.status: each for each in (OutOfMemory, BadInput, BadState, TooBig, NotFound, Unsupported,
                                   InputOutputError)}
