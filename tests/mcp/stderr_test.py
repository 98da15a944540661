#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last lines that a failed MCP server wrote to standard error are shown: redacted, then cut to
mcp.stderr_lines and mcp.stderr_bytes, with hidden characters escaped."""
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
SECRET = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
LINES, BYTES = 20, 2000


def lines(count):
    return [f"line {i} of {count}" for i in range(1, count + 1)]


class Place:
    def __init__(self, fault, text=None, calls=()):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.write(text)
        spec = {"haft": 1, "name": "a", "model": "script:script.json",
                "mcp": {"servers": {"a": {"env": {"MYTOK": "${MYTOK}"}, "command": [
                    sys.executable, str(SERVER), fault, str(self.path / "said")]}}}}
        (self.path / "spec.json").write_text(json.dumps(spec))
        replies = [{"calls": [{"name": name, "arguments": {"word": "x"}}]} for name in calls]
        (self.path / "script.json").write_text(json.dumps(
            {"replies": replies + [{"text": "the end"}]}))

    def write(self, text):
        if text is not None:
            (self.path / "said").write_bytes(text.encode())

    def haft(self, *words):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"), MYTOK=SECRET)
        done = subprocess.run([HAFT, *words], cwd=self.path, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300, env=environment)
        return done.stdout, done.stderr

    def refresh(self):
        """The row of the server, and the lines that are shown."""
        out, err = self.haft("tools", "spec.json", "--refresh", "--json")
        return json.loads(out)["servers"][0], [line[4:] for line in err.splitlines()
                                               if line.startswith("  | ")]

    def run(self, *words):
        return self.haft("run", "spec.json", "say a word", "--store", "memory:", *words)


def test_what_is_shown():
    """A run and `haft tools` show the lines with their indentation, without the secret."""
    text = ("Traceback:\r\n    File \"a.py\"\r\n" + f"key {SECRET} is \x1b[31mbad\u202e\n"
            + "no licence\n")
    shown = ["Traceback:", '    File "a.py"', "key [redacted] is \\u001b[31mbad\\u202e",
             "no licence"]
    place = Place("tell_file", text)
    row, printed = place.refresh()
    check("tools_prints_the_lines", printed, shown)
    check("tools_json_has_the_lines", (row["stderr"].split("\n"), "status 3: no licence"
                                  in row["reason"]), (shown, True))
    out, err = place.run("--events")
    row = next(json.loads(line) for line in out.splitlines()
               if json.loads(line)["kind"] == "tools_revealed")["servers"][0]
    check("the_event_has_the_lines", row["stderr"].split("\n"), shown)
    out, err = place.run()
    check("a_run_prints_the_lines", [line[6:] for line in err.splitlines()
                                if line.startswith("    | ")], shown)
    check("the_secret_is_not_shown", SECRET[:8] in out + err + json.dumps(row), False)


def test_one_line():
    """A single line is in the error, and not repeated."""
    row, printed = Place("tell_file", "no licence\n").refresh()
    check("one_line_is_shown_once", ("stderr" in row, printed, "no licence" in row["reason"]),
          (False, [], True))


def test_line_limit(count):
    shown = Place("tell_file", "\n".join(lines(count))).refresh()[1]
    check(f"the_last_lines_of_{count}_lines_are_shown", shown, lines(count)[-LINES:])


def test_byte_limit(size):
    shown = Place("tell_file", "x" * (size - 4) + " end").refresh()[1]
    check(f"a_line_of_{size}_bytes_is_cut_to_the_limit", [len(line) for line in shown], [BYTES])
    rest = "x" * 70 + "\n"
    text = "y" * (size - len(rest) * 2 - 4) + "\n" + rest * 2 + "end"
    shown = Place("tell_file", text).refresh()[1]
    check(f"whole_lines_are_dropped_from_{size}_bytes", (shown[0][0], len(shown)),
          ("y", 4) if size == BYTES else ("x", 3))


def test_calls():
    """A server that ends during a call, and one that no longer starts."""
    text = f"one {SECRET}\ntwo \x1b[2J\nthree\n"
    wanted = "\nLast lines of its standard error:\none [redacted]\ntwo \\u001b[2J\nthree"
    place = Place("tell_file_call", text, calls=["a:say"])
    out, err = place.run("--events")
    error = next(json.loads(line) for line in out.splitlines() if "Last lines" in line)["error"]
    check("the_error_of_a_call_has_the_lines", wanted in error["message"] or error, True)
    check("the_error_of_a_call_has_no_secret", SECRET[:8] in out + err, False)
    place = Place("tell_file", calls=["a:say"])
    place.refresh()
    place.write(text)
    out, err = place.run("--events")
    check("the_error_of_a_server_that_does_not_start_has_the_lines",
          ("Last lines of its standard error" in out,
                                                 SECRET[:8] in out + err), (True, False))


scratch = tempfile.mkdtemp(prefix="haft-mcp-")
try:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:  # the tests wait more than they compute
        for done in [*[pool.submit(test) for test in (test_what_is_shown, test_one_line,
                                                      test_calls)],
                     *[pool.submit(test_line_limit, LINES + n) for n in (0, 1)],
                     *[pool.submit(test_byte_limit, BYTES + n) for n in (0, 1)]]:
            done.result()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
