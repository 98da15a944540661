#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of commands, servers, clients and people against output_schema, and headless calls that
fail."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
WRONG = "ran, but its result does not match its output_schema: "
GIVEN = "the result provided for count does not match its output_schema: "


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, cwd=scratch, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


def spec(name, calls, **tool):
    replies = [{"calls": [{"name": "count"}] * calls}, {"text": "done"}]
    Path(scratch, f"{name}.script.json").write_text(json.dumps({"replies": replies}))
    path = Path(scratch, f"{name}.json")
    path.write_text(json.dumps({
        "haft": 1, "name": name, "model": f"script:{name}.script.json", "tools": [
            {"name": "count", "description": "Counts the words of a text.", "output_schema": OUTPUT,
             "input_schema": {"type": "object", "properties": {}}, **tool}]}))
    return path


def finished():
    """ok, and the result or the message of the error, of each finished call of the newest run."""
    lines = haft("runs", "events", "last")[1].splitlines()
    events = [event for event in map(json.loads, lines) if event["kind"] == "call_finished"]
    return [(e["ok"], e["result"] if e["ok"] else e["error"]["message"]) for e in events]


def causes():
    """where and hint of the error of each failed call of the newest run."""
    lines = haft("runs", "events", "last")[1].splitlines()
    events = [event for event in map(json.loads, lines) if event["kind"] == "call_finished"]
    return [(e["error"]["where"], e["error"]["hint"]) for e in events if not e["ok"]]


def test_commands():
    for name, text, wanted in (
            ("good", '{"n": 3}', (True, '{"n": 3}')),
            ("type", '{"n": "3"}', (False, f'count {WRONG}/n: Expected integer, found string "3"')),
            ("text", "three", (False, f"count {WRONG}expected JSON, found other text"))):
        status, _, _ = haft("run", spec(name, 1, command=["printf", "%s", text]), "go", "--quiet")
        found = [(ok, text.strip()) for ok, text in finished()]
        check(f"a_command_that_prints_{name}", (status, found), (0, [wanted]))
    secret = "s3cret-s3cret-s3cret"
    environment["HAFT_TEST_API_KEY"] = secret
    path = spec("secret", 1, command=["printf", "%s", json.dumps({"n": secret})])
    made = json.loads(path.read_text())
    made["tools"][0]["env"] = {"KEY": "${HAFT_TEST_API_KEY}"}
    path.write_text(json.dumps(made))
    haft("run", path, "go", "--quiet")
    log = haft("runs", "events", "last")[1]
    check("no_part_of_a_secret_is_quoted", (secret[:12] in log, finished()[0][0]), (False, False))


class Server(http.server.BaseHTTPRequestHandler):
    """The path is the reply."""

    def do_GET(self):
        body = urllib.parse.unquote(self.path[1:]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_http():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, body, wanted in (
                ("good", '{"n": 3}', (True, '{"n": 3}')),
                ("type", '{"n": "3"}',
                 (False, f'count {WRONG}/n: Expected integer, found string "3"')),
                ("text", "three", (False, f"count {WRONG}expected JSON, found other text"))):
            url = f"http://127.0.0.1:{server.server_port}/{urllib.parse.quote(body)}"
            path = spec(f"http_{name}", 1, http={"url": url, "allow_private": True})
            status, _, err = haft("run", path, "go", "--quiet")
            found = [(ok, text.strip()) for ok, text in finished()]
            check(f"a_server_that_sends_{name}", (status, found, err), (0, [wanted], ""))
        server.shutdown()
    check("error_says_that_the_tool_is_at_fault", causes(),
          [("output_schema", "this is a fault of the tool")])


def test_clients():
    def start(name):
        return haft("run", spec(name, 1, headless=True), "go", "--quiet")[0]
    check("a_headless_call_waits", start("fits"), 4)
    check("result_that_fits_is_accepted",
          (haft("answer", "last", '{"n": 3}', "--quiet")[0], finished()),
          (0, [(True, '{"n":3}')]))
    check("second_headless_call_waits", start("misfit"), 4)
    status = haft("answer", "last", "c1.1", '{"n": "x"}', "--quiet")[0]
    found = [(ok, text.strip()) for ok, text in finished()]
    check("a_result_that_does_not_fit_is_an_error_for_the_model", (status, found),
          (0, [(False, f'{GIVEN}/n: Expected integer, found string "x"')]))
    check("error_names_the_output_schema",
          causes(), [("output_schema", "this is a fault of the tool")])
    check("third_headless_call_waits", start("fails"), 4)
    status, _, err = haft("answer", "last", "c1.1", "7", "--error", "x")
    check("value_and_error_cannot_be_combined", (status, "cannot be combined" in err), (2, True))
    status, _, err = haft("answer", "last")
    check("value_or_error_is_required", (status, "VALUE or --error" in err), (2, True))
    command = ["answer", "last", "c1.1", "--error", "no such file"]
    check("client_reports_a_failure",
          (haft(*command, "--quiet")[0], finished()), (0, [(False, "no such file")]))
    check("equal_error_is_accepted_again", haft(*command, "--quiet")[0], 0)
    status, _, err = haft("answer", "last", "c1.1", "--error", "another")
    check("another_error_is_rejected", (status, "different answer" in err), (1, True))
    check("failed_headless_call_replays", haft("runs", "replay", "last")[0], 0)
    path = spec("asks", 1, command=["true"], traits={"needs_approval": True})
    check("an_approval_waits", haft("run", path, "go", "--quiet")[0], 4)
    status, _, err = haft("answer", "last", "c1.1", "--error", "x")
    check("only_a_headless_call_can_fail_at_a_client", (status, "is not headless" in err),
          (1, True))
    for name, words, message in (
            ("an_empty_error", ["--error", ""], "found an empty text"),
            ("an_error_without_its_text", ["--error", "--store", "x"], "found the option --store")):
        status, _, err = haft("answer", "last", "c1.1", *words)
        check(name, (status, message in err), (2, True))


def test_people():
    for name, value, wanted in (
            ("fits", '{"n": 3}', (True, '{"n":3}')),
            ("does_not_fit", '{"n": "x"}',
             (False, f'{GIVEN}/n: Expected integer, found string "x"'))):
        path = spec(name, 1, command=["false"], traits={"needs_approval": True})
        check(f"an_approval_of_a_call_that_{name}_waits", haft("run", path, "go", "--quiet")[0], 4)
        status = haft("answer", "last", value, "--quiet")[0]
        found = [(ok, text.strip()) for ok, text in finished()]
        check(f"a_result_in_place_of_an_approved_call_{name}", (status, found), (0, [wanted]))
    check("error_says_that_a_person_gave_the_result", causes(),
          [("output_schema", "a person gave it in place of the tool")])
    check("result_of_a_person_replays", haft("runs", "replay", "last")[0], 0)


with tempfile.TemporaryDirectory() as scratch:
    environment = {**os.environ, "XDG_STATE_HOME": scratch, "XDG_CONFIG_HOME": scratch}
    test_commands()
    test_http()
    test_clients()
    test_people()
