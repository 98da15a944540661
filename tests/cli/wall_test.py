#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""limits.wall bounds a run inside a call, a stream and retries; time of people does not count."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # seconds; a run that is not bounded takes longer
WALL = "300ms"
ENOUGH = threading.Event()
CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"."}}]}\n\n'


class Server(http.server.BaseHTTPRequestHandler):
    """Its replies never end: /drip sends text, /comments only comments, /busy asks for retries."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/busy"):
            self.send_response(503)
            self.send_header("Retry-After", "60")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            while not ENOUGH.wait(0.02):
                self.wfile.write(CHUNK if self.path.startswith("/drip") else b": alive\n\n")
                self.wfile.flush()
        except OSError:
            pass

    def log_message(self, *_):
        pass


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=LONG, cwd=scratch, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def tool(name, command, **more):
    return {"name": name, "description": f"Does what {name} does for the test.", "args": [],
            "command": command, **more}


TOOLS = [tool("quick", ["echo", "seen"], traits={"read_only": True}),
         tool("send", ["sleep", "1000"], traits={"timeout": "20m"}),
         tool("look", ["sleep", "1000"], traits={"read_only": True, "timeout": "20m"}),
         tool("again", ["sleep", "1000"],
              traits={"read_only": True, "timeout": "50ms", "retries": 10})]


def spec(name, model=None, replies=(), wall=WALL, **more):
    (Path(scratch) / f"{name}.script.json").write_text(json.dumps({"replies": list(replies)}))
    path = Path(scratch) / f"{name}.json"
    path.write_text(json.dumps({"haft": 1, "name": name, "tools": TOOLS, "limits": {"wall": wall},
                                "model": model or f"script:{name}.script.json", **more}))
    return path


def calls(*names):
    return {"calls": [{"name": name, "arguments": {}} for name in names]}


def play(name, *words, **more):
    status, out, err = haft("run", spec(name, **more), "go", "--json", *words)
    found = json.loads(out) if out else {"end": err, "answer": None, "reason": ""}
    return status, found


def same_again(run):
    return haft("runs", "replay", run)[1].startswith("identical")


def test_calls():
    for name, unknown in (("send", True), ("look", False), ("again", False)):
        status, found = play(f"call_{name}", replies=[calls("quick"), calls(name), {"text": "no"}])
        events = [json.loads(line) for line in haft("runs", "events", found["run"])[1].splitlines()]
        errors = [e["error"]["message"] for e in events
                  if e["kind"] == "call_finished" and e["error"]]
        check(f"the_run_ends_inside_the_call_{name}",
              (status, found["end"], found["answer"], found["turns"]), (3, "exhausted", "seen", 2))
        check(f"unknown_outcome_is_reported_{name}", ["unknown" in e for e in errors], [unknown])
        check(f"the_reason_names_the_call_{name}", "c2.1" in found["reason"], unknown)
        check(f"a_replay_of_{name}_decides_the_same", same_again(found["run"]), True)


def test_models(port):
    for name in ("drip", "comments", "busy"):
        model = {"provider": "openai", "model": "m", "api_key_env": "TEST_KEY",
                 "base_url": f"http://127.0.0.1:{port}/{name}"}
        status, found = play(f"model_{name}", model=model)
        check(f"run_ends_despite_{name}", (status, found["end"], found["answer"]),
              (3, "exhausted", ""))
        check(f"a_replay_after_{name}_decides_the_same", same_again(found["run"]), True)


def test_people():
    """The time between two processes, and that of a person, is longer than the budget."""
    status, found = play("people", replies=[calls("quick"), {"text": "good"}], wall="5s",
                         approvals=[{"tools": ["quick"]}])
    check("run_waits_for_a_person", status, 4)
    time.sleep(5.1)
    status, out, _ = haft("approve", found["run"], "--json")
    check("a_pause_does_not_count", (status, json.loads(out)["end"]), (0, "done"))


with tempfile.TemporaryDirectory() as scratch:
    environment = {"PATH": os.environ["PATH"], "HOME": scratch, "XDG_STATE_HOME": scratch,
                   "TEST_KEY": "no-secret-at-all"}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test_calls()
    test_models(server.server_address[1])
    test_people()
    ENOUGH.set()
    server.shutdown()
    server.server_close()
