# SPDX-License-Identifier: Apache-2.0
"""What the tools of the examples share. A command tool gets its arguments as one JSON object on
standard input; what it prints is the result, and an exit status other than 0 makes it an error."""
import json
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"


def fail(message):
    """Ends with an error that the model reads."""
    sys.exit(message)


def read(*names):
    """The texts of these arguments, in their order."""
    try:
        arguments = json.loads(sys.stdin.read())
    except ValueError as error:
        fail(f"expected a JSON object on standard input, found something else: {error}")
    if not isinstance(arguments, dict):
        fail("expected a JSON object on standard input, found another value")
    missing = [name for name in names if not isinstance(arguments.get(name), str)]
    if missing:
        fail(f"expected a text in {missing[0]!r}, found none")
    return [arguments[name] for name in names]


def document(path):
    """The text of a document below the directory of the examples."""
    top = DATA.parent
    try:
        file = (top / path).resolve()
        if top not in file.parents:
            fail(f"expected a path below {top.name}/, found {path!r}")
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        fail(f"{path!r} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}")
