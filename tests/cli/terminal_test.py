#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions and approvals at a terminal, a real one: the run asks there and goes on."""
import json
import os
import pty
import select
import subprocess
import tempfile
import time
from pathlib import Path

HAFT = os.environ["HAFT"]
LONG = 30


def check(name, found, wanted):
    if found != wanted:
        print(f"# found  {found!r}\n# wanted {wanted!r}")
    print(f"{'ok' if found == wanted else 'not ok'} cli/terminal_test.py {name}", flush=True)


def put(name, value):
    path = Path(scratch) / name
    path.write_text(json.dumps(value))
    return path


def at_terminal(words, typed):
    """Types each line after its prompt has come. Returns (exit status, what was shown)."""
    child, master = pty.fork()
    if child == 0:
        os.chdir(scratch)
        os.execve(HAFT, [HAFT, *map(str, words)], environment)
    shown, end = "", time.monotonic() + LONG
    while time.monotonic() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 4096).decode("utf-8", "replace")
        except OSError:
            piece = ""
        if not piece:
            break
        shown += piece
        if shown.endswith("> ") and typed:
            os.write(master, (typed.pop(0) + "\n").encode())
    status = os.waitpid(child, 0)[1]
    os.close(master)
    return os.waitstatus_to_exitcode(status), shown


def approval(line):
    log = Path(scratch) / "sent.txt"
    log.unlink(missing_ok=True)
    put("send.script.json", {"replies": [{"calls": [{"name": "send", "arguments": {"q": "hi"}}]},
                                         {"text": "over"}]})
    path = put("send.json", {"haft": 1, "model": "script:send.script.json", "tools": [
        {"name": "send", "description": "Send something to the test.", "args": ["q"],
         "command": ["sh", "-c", f"cat > {log}"], "traits": {"needs_approval": True}}]})
    status, shown = at_terminal(["run", path, "go"], [line])
    return status, shown, log.exists()


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch)
    put("ask.script.json", {"replies": [
        {"calls": [{"name": "look"}]}, {"calls": [{"name": "peek"}]},
        {"calls": [{"name": "request_user_input", "arguments": {
            "question": "Which?", "choices": ["red", "blue"], "default": "red"}}]},
        {"expect": {"contains": "blue"}, "text": "blue it is"}],
        "results": {"look": "x", "peek": "y"}})
    ask = put("ask.json", {"haft": 1, "model": "script:ask.script.json", "tools": [
        {"builtin": ["request_user_input"]},
        {"name": "look", "description": "Look something up.", "args": []},
        {"name": "peek", "description": "Look something else up.", "args": []}]})
    status, shown = at_terminal(["run", ask, "go"], ["2"])
    check("a_question_is_asked_and_answered", (status, "    Which?" in shown, "2) blue" in shown,
                                               "blue it is" in shown), (0, True, True, True))
    status, shown, sent = approval("y")
    check("yes_lets_it_run", (status, '{"q":"hi"}' in shown, sent), (0, True, True))
    for word in ("", "n", "sure"):
        status, shown, sent = approval(word)
        check(f"anything_else_does_not_{word or 'empty'}", (status, sent), (0, False))
    done = subprocess.run([HAFT, "run", ask, "go"], cwd=scratch, env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    check("without_one_it_waits", (done.returncode, "haft answer" in done.stderr), (4, True))
