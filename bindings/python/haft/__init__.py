# SPDX-License-Identifier: Apache-2.0
"""haft, a tool-calling runtime for language-model agents."""
import os as _os

from ._native import ffi as _ffi, lib as _lib
from .errors import (BadInput, BadState, HaftError, InputOutputError, NotFound, OutOfMemory,
                     RunFailed, TooBig, ToolError, Unsupported)
from .run import Event, Pause, Result, Run
from .runtime import WORDS as _WORDS, Agent, Runtime
from .tool import Call, Command, Tool, tool

__version__: str = _ffi.string(_lib.haft_version()).decode()
__all__ = ["Agent", "BadInput", "BadState", "Call", "Command", "Event", "HaftError",
           "InputOutputError", "NotFound", "OutOfMemory", "Pause", "Result", "Run", "RunFailed",
           "Runtime", "Tool", "ToolError", "TooBig", "Unsupported", "tool"]

# Tool search reads the word vectors of this package; a variable of the user comes first.
if _os.path.exists(_WORDS):
    _os.environ.setdefault("HAFT_VECTORS", _WORDS)
