#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""If a text of a server is cut, put on one line or shown in part, no part of a secret remains.

The tests place a secret at every offset around every cut."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
SERVER = Path(__file__).resolve().parent / "bad_server.py"
CANARY = "sk-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LINES = "short line\nsecond line xx"
PEM = "-----BEGIN KEY-----\n" + "".join(chr(97 + i) * 47 + "\n" for i in range(3)) + "-----END"


def parts(secret, *texts):
    """The pieces of eight bytes of the secret in the texts, also with spaces in place of line
    ends."""
    pieces = {secret[i:i + 8] for i in range(len(secret) - 7)}
    pieces |= {piece.replace("\n", " ") for piece in pieces}
    return sorted(piece for piece in pieces if any(piece in text for text in texts))


class Place:
    def __init__(self, fault, secret, **env):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.secret = secret
        spec = {"haft": 1, "name": "a", "model": "script:script.json",
                "limits": {"calls": 200, "turns": 50}, "mcp": {"servers": {"a": {
            "command": [sys.executable, str(SERVER), fault],
            "env": {"MYTOK": "${MYTOK}", **env}}}}}
        (self.path / "spec.json").write_text(json.dumps(spec))
        self.script([])

    def script(self, calls):
        replies = [{"calls": calls[i:i + 16]} for i in range(0, len(calls), 16)]
        (self.path / "script.json").write_text(json.dumps(
            {"replies": replies + [{"text": "the end"}]}))

    def haft(self, *words):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"), MYTOK=self.secret)
        done = subprocess.run([HAFT, *words], cwd=self.path, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300, env=environment)
        return done.stdout, done.stderr


def test_results():
    for kind in ("error", "uri", "name", "type", "description", "value", "key"):
        place = Place("cuts", CANARY)
        last = 1010 if kind == "description" else 210
        tool = "a:value" if kind in ("value", "key") else "a:say"
        paddings = range(max(0, last - 320), last, 5)
        place.script([{"name": name, "arguments": {"word": f"{what} {n}"}} for n in paddings
                      for name, what in ((tool, kind), ("a:say", "number"))])  # the calls differ
        out, err = place.haft("run", "spec.json", "say a value", "--store", "memory:",
                              "--events")
        ends = sum(json.loads(line)["kind"] == "call_finished" for line in out.splitlines())
        check(f"all_calls_with_a_secret_in_{kind}_were_made", ends, 2 * len(paddings))
        check(f"no_part_of_a_secret_in_{kind}", parts(CANARY, out, err), [])


def test_start(padding):
    place = Place("cut_start", CANARY, PADDING=str(padding))
    out, err = place.haft("tools", "spec.json", "--refresh")
    check(f"no_part_of_a_secret_in_an_error_of_initialize_{padding}",
          (parts(CANARY, out, err), "rejected initialize" in err), ([], True))


def test_errors(row):
    name, fault, secret, report = row
    place = Place(fault, secret)
    out, err = place.haft("tools", "spec.json", "--refresh")
    check(f"no_part_of_a_secret_in_an_error_with_{name}",
          (parts(secret, out, err), report in err), ([], True))
    out, err = place.haft("run", "spec.json", "go", "--store", "memory:", "--events")
    check(f"no_part_of_a_secret_in_events_with_{name}",
          (parts(secret, out, err), report in out), ([], True))


ERRORS = (("lines", "tell_lines", LINES, "bad key: [redacted] it says"),
          ("pem", "tell_lines", PEM, "bad key: [redacted] it says"),
          ("twice", "tell_twice", PEM, "ended with exit status 3"),
          ("half", "tell_half", CANARY, "the key is [redacted]"))

scratch = tempfile.mkdtemp(prefix="haft-mcp-")
try:
    test_results()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:  # the tests wait more than they compute
        for done in [*[pool.submit(test_errors, row) for row in ERRORS],
                     *[pool.submit(test_start, padding) for padding in range(50, 170, 15)]]:
            done.result()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
