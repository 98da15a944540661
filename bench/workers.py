# SPDX-License-Identifier: Apache-2.0
"""Cost and latency of workers, measured from outside: processes that share one store."""
import contextlib
import json
import os
import random
import signal
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

LONG = 30  # seconds to wait for something that should happen soon


class Crew:
    """Workers that share one store, and their specs and scripts."""

    def __init__(self, haft, url, folder):
        self.haft, self.url, self.folder = haft, url, Path(folder)
        self.environment = dict(os.environ, HAFT_STORE=url, HAFT_LEASE="30s")

    def run(self, *words, check=True):
        done = subprocess.run([self.haft, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, env=self.environment, cwd=self.folder,
                              timeout=LONG, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"haft {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout.strip()

    def worker(self, *words, before=(), lease="30s"):
        return subprocess.Popen([*before, self.haft, "worker", "--quiet", *map(str, words)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL,
                                env=dict(self.environment, HAFT_LEASE=lease), cwd="/")

    @contextlib.contextmanager
    def idle_worker(self, *words):
        process = self.worker(*words)
        try:
            time.sleep(1)  # it has polled and found nothing
            yield process
        finally:
            process.kill()
            process.wait()

    def spec(self, name, model, tools=(), **more):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"haft": 1, "name": name, "model": model, "tools": tools,
                                    **more}))
        return path

    def script(self, name, replies, results=None):
        (self.folder / f"{name}.script.json").write_text(
            json.dumps({"replies": replies, **({"results": results} if results else {})}))
        return f"script:{name}.script.json"


def wait_for(what):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.002)
    raise RuntimeError("timed out")


# ---- from enqueueing a run to its first request ----

class Model:
    """A model server that records the time of each request."""

    def __init__(self):
        arrived = threading.Event()

        class Listener(BaseHTTPRequestHandler):
            def do_POST(self):
                self.server.at = time.monotonic()
                arrived.set()
                self.rfile.read(int(self.headers["content-length"]))
                text = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": {
                    "role": "assistant", "content": "good"}}]}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *words):
                pass

        self.server, self.arrived = HTTPServer(("127.0.0.1", 0), Listener), arrived
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def wait(self):
        if not self.arrived.wait(LONG):
            raise RuntimeError("the model got no request")
        self.arrived.clear()
        return self.server.at


def first_calls(crew, samples, *words):
    """Milliseconds of `haft run --detach`, and from its end to the first request; both sorted."""
    model = Model()
    spec = crew.spec("enqueue", {"provider": "openai", "model": "mock",
                                  "base_url": model.url})
    commands, waits = [], []
    with crew.idle_worker(*words):
        for _ in range(samples):
            time.sleep(random.uniform(0.05, 0.55))  # anywhere between two polls
            began = time.monotonic()
            crew.run("run", "--detach", spec, "say good")
            ended = time.monotonic()
            commands.append((ended - began) * 1e3)
            waits.append(max(0.0, model.wait() - ended) * 1e3)
    model.server.shutdown()
    return sorted(commands), sorted(waits)


# ---- many runs ----

def eight_turns(crew):
    """Enqueues a run of eight turns with a call each; returns its id."""
    calls = [{"calls": [{"name": "look", "arguments": {"q": f"number {i}"}}]} for i in range(8)]
    model = crew.script("turns", [*calls, {"text": "good"}],
                        {"look": [f"{i}{'x' * 200}" for i in range(8)]})
    tool = {"name": "look", "description": "Look it up.", "args": ["q"], "headless": True}
    return crew.run("run", "--detach", crew.spec("turns", model, [tool]), "look it up")


def finish_all(crew, workers, concurrency):
    """(seconds, CPU seconds of the workers) until no runs are left."""
    began, cpu = time.monotonic(), 0
    crowd = [crew.worker("--until-idle", "--poll", 20, "--concurrency", concurrency)
             for _ in range(workers)]
    for process in crowd:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu += usage.ru_utime + usage.ru_stime
        if process.returncode != 0:
            raise RuntimeError("a worker could not continue a run")
    return time.monotonic() - began, cpu


# ---- an idle worker ----

def cpu_seconds(pid):
    """CPU time of all threads, from the scheduler's clock."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


# ---- after kill -9 ----

def recovery(crew, samples, other_machine):
    """Milliseconds from kill -9 of a worker until another one has started the call again."""
    log = crew.folder / "begun"
    model = crew.script("sleep", [{"calls": [{"name": "nap"}]}, {"text": "good"}])
    spec = crew.spec("sleep", model, [{
        "name": "nap", "description": "Sleeps for a while.", "args": [],
        "command": ["sh", "-c", f"echo $$ >> {log}; exec sleep 30"],
        "traits": {"read_only": True}}])
    # A process in another PID namespace looks like one on another machine.
    before = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] if other_machine else []
    lease = "2s" if other_machine else "30s"
    found = []
    for _ in range(samples):
        log.write_text("")
        victim = crew.worker(before=before, lease=lease)
        try:
            found.append(recover_one(crew, spec, log, victim))
        finally:
            victim.kill()
            victim.wait()
    return sorted(found)


def recover_one(crew, spec, log, victim):
    run = crew.run("run", "--detach", spec, "sleep")
    wait_for(lambda: log.read_text().count("\n") == 1)
    with crew.idle_worker() as heir:
        time.sleep(random.uniform(0, 0.5))
        began = time.monotonic()
        victim.kill()
        victim.wait()  # until then it still exists as a process
        wait_for(lambda: log.read_text().count("\n") == 2)
        seconds = time.monotonic() - began
        crew.run("cancel", run, check=False)
        heir.send_signal(signal.SIGTERM)
        heir.wait(LONG)
    return seconds * 1e3
