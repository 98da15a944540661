#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients/haft.py and clients/haft.js: their examples against `haft serve`, streams that break, and
errors. tests/studio/pure_test.mjs tests the reader of haft.js for each cut of a stream."""
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cli"), str(ROOT / "clients")]
import haft as client  # noqa: E402
from script import check, skip, verdict  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
RUN = "00000000000000000000000001"
EVENTS = [{"seq": 1, "run": RUN, "kind": "run_started"},
          {"after": 1, "run": RUN, "kind": "model_progress", "text": "x"},
          {"seq": 2, "run": RUN, "kind": "turn_started", "text": "Köln"},
          {"seq": 3, "run": RUN, "kind": "run_finished"}]


def stream_of(events):
    return b": beat\n\n" + b"".join(
        (f"id: {one['seq']}\n" if "seq" in one else "").encode()
        + f"event: {one['kind']}\ndata: {json.dumps(one, ensure_ascii=False)}\n\n".encode()
        for one in events)


class Cutter(http.server.BaseHTTPRequestHandler):
    """Sends the first `cut` bytes of the stream; to a client that comes back, the rest."""
    cut, asked, answer = 0, [], None

    def log_message(self, *_):
        pass

    def do_GET(self):
        if Cutter.answer:
            status, kind, body = Cutter.answer
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)
            return
        since = int(self.headers["Last-Event-ID"])
        first = not Cutter.asked
        Cutter.asked.append(since)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        # An event that the client has already may come again.
        rest = [one for one in EVENTS if one.get("seq", 0) >= since or "after" in one]
        self.wfile.write(stream_of(EVENTS)[:Cutter.cut] if first else stream_of(rest))


def test_cuts(haft):
    wrong = []
    client.RETRY_SECONDS = (0,)
    for cut in range(0, len(stream_of(EVENTS)), 3):
        Cutter.cut, Cutter.asked = cut, []
        found = [event["seq"] for event in haft.events(RUN) if "seq" in event]
        if found != [1, 2, 3]:
            wrong.append(f"cut after {cut} bytes: {found}, asked for {Cutter.asked}")
    check("python_resumes_a_stream_that_is_cut_anywhere", wrong, [])


def test_errors(haft):
    cases = [(404, "application/problem+json", json.dumps({
        "title": "Not Found", "status": 404, "detail": "no such run",
        "error": {"message": "no such run", "hint": "list them", "where": "run"}}).encode(),
        ("no such run", "list them", "run")),
        (502, "text/html", b"<html>bad", ("<html>bad", "", "")),
        (500, "application/json", b"[]", ("[]", "", "")),
        (503, "text/plain", b"", ("HTTP 503", "", ""))]
    for status, kind, body, wanted in cases:
        Cutter.answer = (status, kind, body)
        try:
            haft.run(RUN)
            found = None
        except client.HaftError as error:
            found = (error.status, str(error), error.hint, error.where)
        check(f"python_raises_the_error_of_a_response_with_{status}", found, (status, *wanted))
    Cutter.answer = (404, "application/json", b"{}")
    try:
        next(haft.events(RUN))
        found = None
    except client.HaftError as error:
        found = error.status
    check("python_does_not_retry_a_run_that_does_not_exist", found, 404)
    Cutter.answer = None
    try:
        client.Haft("127.0.0.1:1")
        found = None
    except ValueError as error:
        found = str(error)
    check("python_rejects_a_wrong_url", found,
          "expected a URL such as http://127.0.0.1:8642, found '127.0.0.1:1'")


def test_stub():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cutter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    haft = client.Haft(f"http://127.0.0.1:{server.server_port}")
    test_cuts(haft)
    test_errors(haft)
    server.shutdown()
    server.server_close()
    try:
        haft.run(RUN)
        found = None
    except client.HaftError as error:
        found = error.status
    check("python_reports_a_server_that_is_not_reached", found, 0)


def example(words, url):
    done = subprocess.run([*words, url], cwd=ROOT, text=True, capture_output=True, timeout=300)
    return done.stdout.splitlines() + done.stderr.splitlines()


def test_failure(haft):
    """A tool that raises fails its call."""
    run = haft.start("pick_file", "What is the file?")["run"]
    haft.on_tool("pick_file", lambda **_: 1 / 0)
    events = list(haft.serve(run))
    answers = [event for event in events if event["kind"] == "answered"]
    return [one["verdict"] for one in answers], events[-1]["kind"]


def test_server(kind, store):
    server = subprocess.Popen([HAFT, "serve", ROOT / "examples/clients", "--listen",
                               "127.0.0.1:0", "--store", store], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        url = server.stdout.readline().split()[-1]
        programs = [("python", [sys.executable, "examples/clients/ask.py"])]
        if shutil.which("node") is None:
            skip(f"javascript_answers_a_headless_call_{kind}", "node is not installed")
        else:
            programs.append(("javascript", ["node", "examples/clients/ask.mjs"]))
        for name, words in programs:
            lines = example(words, url)
            verdict(f"{name}_answers_a_headless_call_{kind}",
                    lines[-1:] == ["The file is a letter to Charles."]
                    and "the agent asks for a letter" in lines, lines)
        haft = client.Haft(url)
        check(f"python_fails_a_call_whose_tool_raises_{kind}", test_failure(haft),
              (["error"], "run_finished"))
        names = [run["agent"] for run in haft.runs(limit=2)["runs"]]
        check(f"python_lists_runs_{kind}", names, ["pick_file"] * 2)
        try:
            haft.command(haft.runs(limit=1)["runs"][0]["run"], "dance")
            found = None
        except client.HaftError as error:
            found = error.status
        check(f"python_reports_a_wrong_command_{kind}", found, 422)
    finally:
        server.terminate()
        server.wait()


test_stub()
with tempfile.TemporaryDirectory(prefix="haft-clients-") as scratch:
    for store_kind, new_store in stores(scratch):  # HAFT_TEST_POSTGRES: also PostgreSQL
        test_server(store_kind, new_store())
