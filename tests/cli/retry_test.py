#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP tool that fails once is repeated: the terminal shows the reason, without secrets, and
when the next attempt starts."""
import http.server
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
SECRET = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
SECONDS = 300


class Server(http.server.BaseHTTPRequestHandler):
    """Answers 503 and 200 in turn."""
    asked = 0

    def do_GET(self):
        busy = Server.asked % 2 == 0
        Server.asked += 1
        body = (f"busy, key {SECRET}" if busy else "rain").encode()
        self.send_response(503 if busy else 200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def read_all(descriptor):
    text = b""
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            return text.decode()
        text += part


def run(live):
    """Exit status, answer and progress; `live`: progress goes to a terminal."""
    reader, writer = pty.openpty() if live else os.pipe()
    environment = dict(os.environ, TERM="xterm", COLUMNS="200", API_KEY=SECRET)
    with subprocess.Popen([HAFT, "run", "spec.json", "weather", "--store", "memory:"], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer,
                          cwd=scratch, env=environment) as process:
        os.close(writer)
        progress = read_all(reader)
        os.close(reader)
        answer = process.stdout.read()
        return process.wait(timeout=SECONDS), answer, progress


scratch = tempfile.mkdtemp(prefix="haft-retry-")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    url = f"http://127.0.0.1:{server.server_port}/"
    tool = {"name": "weather", "description": "Gets the weather.", "args": [],
            "http": {"url": url, "allow_private": True},
            "traits": {"read_only": True, "retries": 1}}
    Path(scratch, "spec.json").write_text(json.dumps(
        {"haft": 1, "name": "a", "model": "script:script.json", "tools": [tool]}))
    Path(scratch, "script.json").write_text(json.dumps(
        {"replies": [{"calls": [{"name": "weather"}]}, {"text": "It rains."}]}))
    for live in (False, True):
        name = "live" if live else "plain"
        status, answer, progress = run(live)
        shown = " ".join(progress.split())
        check(f"{name}_the_second_attempt_succeeds", (status, answer.strip()), (0, "It rains."))
        check(f"{name}_the_reason_and_the_time_are_shown",
              ("weather failed: " in shown and "503" in shown
               and "busy, key [redacted]; attempt 2 now" in shown) or progress, True)
        check(f"{name}_no_secret_is_shown", SECRET[:8] in answer + progress, False)
    check("each_run_makes_two_requests", Server.asked, 4)
finally:
    server.shutdown()
    shutil.rmtree(scratch, ignore_errors=True)
