#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that are killed or hang at each moment, over stdio and over HTTP, together with good
servers: their calls end with an error that says that the outcome is unknown, no call is made twice,
the calls of the good servers continue, and the run ends.

    kills_test.py WHEN HOW FILE [stdio|http]    is such a server; FILE gets a line for each call

The last test checks how servers are stopped at the end of a run."""
import concurrent.futures
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402
# The task: a search finds the tools that it names.
GO = "use bad:say, badweb:say, good:say and goodweb:say"

MOMENTS = ("start", "initialize", "tools/list", "idle", "tools/call")
SAY = {"name": "say", "description": "Says a word.",
       "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}}}


# ---- the server ----

class Bad:
    def __init__(self, when, how, file):
        self.when, self.how, self.file = when, how, file

    def fail_at(self, moment):
        if moment != self.when:
            return
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(600)

    def answer(self, message):
        """The message to send, or None."""
        method, number = message.get("method"), message.get("id")
        if method == "tools/call":
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(message["params"]["arguments"]["word"] + "\n")
        self.fail_at(method)
        if number is None:
            return None
        results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                  "serverInfo": {"name": "bad", "version": "1"}},
                   "tools/list": {"tools": [SAY]},
                   "tools/call": {"content": [{"type": "text", "text": "said"}]}}
        if method in results:
            return {"jsonrpc": "2.0", "id": number, "result": results[method]}
        return {"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}}

    def write(self, word):
        print("much to say " * 10000, flush=True)  # haft must read it, or the pipe is full
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(word + "\n")

    def act_at_end(self):
        """The action at the end of the input: `how` is eof, term or never."""
        if self.how == "eof":
            self.write("saw the end of its input")
            return
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self.write(f"child {child.pid}")
        if self.how == "never":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        else:
            signal.signal(signal.SIGTERM, lambda *_: (self.write("saw SIGTERM"), os._exit(0)))
        self.write("stays")
        while True:
            time.sleep(1000)

    def stdio(self):
        self.fail_at("start")
        for line in sys.stdin:
            message = json.loads(line)
            answer = self.answer(message)
            if answer:
                print(json.dumps(answer), flush=True)
            if message.get("method") == "tools/list":
                self.fail_at("idle")
        if self.when == "end":
            self.act_at_end()

    def http(self):
        bad = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(405)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_DELETE = do_GET

            def do_POST(self):
                bad.fail_at("start")
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = bad.answer(message)
                body = json.dumps(answer).encode() if answer else b""
                self.send_response(200 if answer else 202)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.wfile.flush()
                if message.get("method") == "tools/list":
                    bad.fail_at("idle")

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """haft may disconnect at any time."""

        server = Server(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()


# ---- the test ----

class Run:
    """Four servers: a bad and a good one over stdio, and a bad and a good one over HTTP."""

    def __init__(self, when, how, **spec):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.processes = []
        ways = {"bad": ("stdio", when, how), "badweb": ("http", when, how),
                "good": ("stdio", "never", "kill"), "goodweb": ("http", "never", "kill")}
        servers = {name: self.server(name, *way) for name, way in ways.items()}
        for name in ("bad", "badweb"):
            servers[name]["timeout"] = "1s"
        calls = [{"name": f"{name}:say", "arguments": {"word": name}} for name in ways]
        spec = {"haft": 1, "name": "a", "model": "script:script.json", "max_mcp_tools": 64,
                "mcp": {"servers": servers}, **spec}
        (self.path / "spec.json").write_text(json.dumps(spec))
        (self.path / "script.json").write_text(json.dumps({"replies": [
            {"calls": calls}, {"calls": calls[2:]}, {"text": "the end"}]}))

    def server(self, name, kind, when, how):
        words = [sys.executable, os.path.abspath(__file__), when, how,
                 str(self.path / f"{name}.calls"), kind]
        if kind == "stdio":
            return {"command": words}
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.processes.append(process)
        return {"url": f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"}

    def run(self):
        done = subprocess.run(
            [os.environ["HAFT"], "run", "spec.json", GO, "--store", "memory:", "--events"],
            cwd=self.path, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=300,
            env=dict(os.environ, XDG_STATE_HOME=str(self.path / "state")))
        for process in self.processes:
            process.kill()
            process.communicate()
        self.log = [json.loads(line) for line in done.stdout.splitlines()]
        self.end = (done.returncode, self.log[-1].get("end") if self.log else done.stderr)
        self.ends = [e for e in self.log if e["kind"] in ("call_finished", "call_refused")]
        return self

    def made(self, name):
        file = self.path / f"{name}.calls"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def good(self):
        return [e["tool"] for e in self.ends if e.get("ok")]

    def error_of(self, name):
        """The text about the server's call that the model sees, and whether it says that the
        outcome is unknown."""
        for event in self.ends:
            if event.get("tool") == f"{name}:say":
                error = event.get("error") or {}
                text = error.get("message") or event.get("text", "")
                return text, "the outcome is not known" in error.get("hint", "")
        for event in self.log:
            if event["kind"] == "tools_revealed":
                return {s["name"]: s.get("error", "") for s in event["servers"]}[name], False
        return "", False


def test_moment(when, how):
    run = Run(when, how).run()
    name = f"{how}_at_{when.replace('/', '_')}"
    goods = sorted(tool for tool in run.good() if tool.startswith("good"))
    check(f"{name}_the_good_servers_continue", (run.end, goods),
          ((0, "done"), ["good:say", "good:say", "goodweb:say", "goodweb:say"]))
    for server in ("bad", "badweb"):
        text, unknown = run.error_of(server)
        made = when == "tools/call"
        # A server that fails while idle is restarted for the call, or the call has an error.
        right = (when == "idle" and (f"{server}:say" in run.good() or len(text) > 0)
                 or len(text) > 0 and unknown == made)
        if not right:
            print("#", server, text)
        check(f"{name}_{server}_is_reported", right, True)
        check(f"{name}_{server}_is_called_once", run.made(server) <= 1, True)
        if made:
            check(f"{name}_{server}_error_says_what_happened",
                  ("longer than its timeout of 1000 ms" in text) if how == "hang"
                  else "the MCP server" in text, True)


def test_ask():
    """If the spec requires a person to decide, the run waits."""
    run = Run("tools/call", "kill", on_unknown="ask").run()
    pauses = sorted(e["tool"] for e in run.log if e["kind"] == "paused")
    check("a_person_is_asked_if_the_spec_says_ask",
          (pauses, run.made("bad"), run.made("badweb")), (["bad:say", "badweb:say"], 1, 1))


def is_alive(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def test_ends():
    """At the end of a run, servers get the end of their input, then SIGTERM, then SIGKILL."""
    path = Path(tempfile.mkdtemp(dir=scratch))
    files = {how: path / how for how in ("eof", "term", "never")}
    servers = {how: {"command": [sys.executable, os.path.abspath(__file__), "end", how, str(file)]}
               for how, file in files.items()}
    (path / "script.json").write_text('{"replies": [{"text": "the end"}]}')
    took = {}
    for names in (["eof"], ["eof", "term", "never"]):
        (path / "spec.json").write_text(json.dumps(
            {"haft": 1, "name": "a", "model": "script:script.json",
             "mcp": {"servers": {name: servers[name] for name in names}}}))
        begun = time.monotonic()
        done = subprocess.run(
            [os.environ["HAFT"], "run", "spec.json", "go", "--store", "memory:"], cwd=path,
            text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=300,
            env=dict(os.environ, XDG_STATE_HOME=str(path / f"state{len(names)}")))
        took[len(names)] = time.monotonic() - begun
        check(f"a_run_with_{len(names)}_servers_ends",
              (done.returncode, done.stdout), (0, "the end\n"))
    print(f"# a server that ends at once: {took[1]:.2f} s; with some that do not: {took[3]:.2f} s")
    lines = {how: file.read_text().splitlines() for how, file in files.items()}
    children = [int(line.split()[1]) for text in lines.values() for line in text
                if line.startswith("child")]
    endings = {how: [line for line in text if not line.startswith("child")]
            for how, text in lines.items()}
    check("each_server_has_time_to_exit", endings,
          {"eof": ["saw the end of its input"] * 2, "term": ["stays", "saw SIGTERM"],
           "never": ["stays"]})
    check("no_child_of_a_server_is_left", (len(children), [c for c in children if is_alive(c)]),
          (2, []))


if len(sys.argv) > 3:
    server = Bad(*sys.argv[1:4])
    (server.http if sys.argv[4:] == ["http"] else server.stdio)()
    sys.exit(0)
scratch = tempfile.mkdtemp(prefix="haft-kills-")
# A server that hangs before its list takes the whole time that is allowed for a list.
long_ones = ("start", "initialize", "tools/list") if "HAFT_LONG" in os.environ else ()
try:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(test_moment, when, "kill") for when in MOMENTS]
        jobs += [pool.submit(test_moment, when, "hang") for when in ("idle", "tools/call")]
        jobs += [pool.submit(test_moment, when, "hang") for when in long_ones]
        jobs += [pool.submit(test) for test in (test_ask, test_ends)]
        for job in jobs:
            job.result()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
