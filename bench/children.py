#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of child runs: bench/children.py BUILD_DIR

Compares child runs with the same turns in their parent, measures many children at once against a
server that plays the model, and the time from the end of a child to the next request of its parent,
in one process and with two workers; then the cost of many waiting children, and of agents that use
agents. Everything runs on this machine. No figure is compared with a limit.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from product import LATENCY_MS, Server
from rows import median, ratio, show, table
from workers import Crew, wait_for

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/house"))
import pg  # noqa: E402

REPETITIONS = 3
SAMPLES = 20     # of the time until the next request
COUNT = 100      # children of the comparison with their parent
CROWD = 1000     # children at once
WAITING = (100, 200, 400, 800)
LOOK = {"name": "look", "description": "Look it up.", "args": ["q"], "headless": True}
MANY = {"turns": 4 * CROWD, "calls": 4 * CROWD, "parallel": CROWD}


def call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def ask(count):
    return {"calls": [call("ask_worker", task=f"number {i}") for i in range(count)]}


class Place:
    """A directory with a new store for each measurement."""

    def __init__(self, haft, folder):
        self.haft, self.folder, self.files = haft, Path(folder), 0

    def crew(self, url=None):
        self.files += 1
        return Crew(self.haft, url or f"sqlite:{self.folder}/{self.files}.db", self.folder)

    def measure(self, spec):
        """Runs a spec; its wall time, CPU time (both ms), peak memory (MB) and stored bytes."""
        crew = self.crew()
        began = time.monotonic()
        process = subprocess.Popen([self.haft, "run", spec, "go", "--quiet"], cwd=self.folder,
                                   env=crew.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = (time.monotonic() - began) * 1e3
        process.returncode = status  # it has been waited for
        process.stderr.close()
        if status != 0:
            raise RuntimeError(f"{spec}: {errors}")
        stored = sum(f.stat().st_size for f in self.folder.glob(f"{self.files}.db*")
                     if not f.name.endswith("-shm"))
        return wall, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024, stored


# ---- children and the same turns in the parent ----

def worker_spec(model, tools=()):
    return {"haft": 1, "name": "worker", "description": "Looks it up.", "model": model,
            "tools": list(tools)}


def tree_spec(crew, count):
    """A parent whose children each call a tool and answer."""
    worker = worker_spec(crew.script("worker", [{"calls": [call("look", q="it")]},
                                                {"text": "good"}], {"look": ["x" * 200]}), [LOOK])
    tool = {"name": "ask_worker", "agent": "worker", "limits": {"turns": 2}}
    return crew.spec("tree", crew.script("tree", [ask(count), {"text": "good"}]), [tool],
                     agents={"worker": worker}, limits=MANY)


def line_spec(crew, count):
    """The same turns and calls in one run: for each child, a turn with a call and one with a call
    that only repeats, so that the run does not end."""
    replies = [{"calls": [call("look", q=f"{part} {i}")]}
               for i in range(count) for part in ("it", "again")]
    model = crew.script("line", [*replies, {"text": "good"}],
                        {"look": [f"{i}{'x' * 200}" for i in range(2 * count)]})
    return crew.spec("line", model, [LOOK], limits=MANY)


def compare(place):
    crew = place.crew()
    specs = {"children": tree_spec, "the parent itself": line_spec}
    found = {(name, count): [] for name in specs for count in (1, COUNT)}
    for _ in range(REPETITIONS):
        for (name, count), rows in found.items():
            rows.append(place.measure(specs[name](crew, count)))

    def each(name, at):
        """Of one child, without the start of the process and of the store."""
        more, less = (median(row[at] for row in found[name, count]) for count in (COUNT, 1))
        return (more - less) / (COUNT - 1)
    figures = {name: (each(name, 1), each(name, 3)) for name in specs}
    own = figures["the parent itself"]
    print(f"### {COUNT} children of two turns with a call, and as many turns of the parent\n")
    print(table(["turns of", "CPU ms", "x", "bytes stored", "x"],
                [[name, show(cpu, 2), show(ratio(cpu, own[0]), 2), show(size, 0),
                  show(ratio(size, own[1]), 2)] for name, (cpu, size) in figures.items()]),
          flush=True)


# ---- many at once ----

def crowd(place, build):
    server = Server(build / "bench/haft-bench-mock", str(LATENCY_MS))
    try:
        crew = place.crew()
        worker = worker_spec({"provider": "openai", "model": "mock-0", "base_url": server.url,
                              "api_key": "none", "requests": CROWD})
        tool = {"name": "ask_worker", "agent": "worker", "limits": {"turns": 1}}
        spec = crew.spec("crowd", crew.script("crowd", [ask(CROWD), {"text": "good"}]), [tool],
                         agents={"worker": worker}, limits=MANY)
        rows = [place.measure(spec) for _ in range(REPETITIONS)]
    finally:
        server.stop()
    wall, cpu, peak, _ = (median(column) for column in zip(*rows))
    print(f"### {CROWD:,} children of one turn at once, {LATENCY_MS} ms of latency\n")
    print(table(["", "wall ms", "x latency", "CPU ms", "peak RSS MB", "KB for each child"],
                [["haft run, SQLite", show(wall, 0), show(wall / LATENCY_MS, 2), show(cpu, 0),
                  show(peak, 1), show(peak * 1024 / CROWD, 1)]]), flush=True)


# ---- waiting children, and agents that use agents ----

def cpu_of(place, crew, *words):
    """Milliseconds of CPU of a command, and its exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([place.haft, *words], cwd=place.folder, env=crew.environment,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3, \
        done.returncode


def waiting(place):
    send = {"name": "send", "description": "Sends it.", "args": [], "command": ["true"],
            "traits": {"needs_approval": True}}
    rows = []
    for count in WAITING:
        crew = place.crew()
        worker = worker_spec(crew.script("asks", [{"calls": [call("send")]}, {"text": "good"}]),
                             [send])
        tool = {"name": "ask_worker", "agent": "worker", "limits": {"turns": 2}}
        spec = crew.spec("asks_all", crew.script("asks_all", [ask(count), {"text": "good"}]),
                         [tool], agents={"worker": worker}, limits=MANY)
        if cpu_of(place, crew, "run", spec, "go", "--quiet")[1] != 4:
            raise RuntimeError("the children do not wait")
        used = [median(cpu_of(place, crew, *words)[0] for _ in range(SAMPLES))
                for words in (["pending"], ["runs", "show", "last", "--json"])]
        rows.append([str(count), *(show(ms, 0) for ms in used)])
    print("### Waiting children: CPU ms of commands that list their calls\n")
    print(table(["children", "haft pending", "haft runs show --json"], rows), flush=True)


def levels(place):
    """`count` agents on each of four levels, each of which uses all of the next level."""
    rows = []
    for count in range(1, 6):
        crew = place.crew()
        agents = {}
        for level in range(4):
            for i in range(count):
                tools = [{"name": f"ask{k}", "agent": f"{'abcd'[level + 1]}{k}"}
                         for k in range(count) if level < 3]
                agents[f"{'abcd'[level]}{i}"] = {"haft": 1, "name": "worker", "tools": tools,
                                                 "description": "Looks it up."}
        spec = crew.spec("levels", "offline", [{"name": f"ask{k}", "agent": f"a{k}"}
                                               for k in range(count)], agents=agents)
        used = median(cpu_of(place, crew, "check", spec)[0] for _ in range(REPETITIONS))
        if cpu_of(place, crew, "run", spec, "go", "--detach")[1] != 0:
            raise RuntimeError("the run of agents that use agents did not start")
        stored = (place.folder / f"{place.files}.db").stat().st_size
        uses = sum(count ** k * (5 - k) for k in range(1, 5))
        rows.append([str(4 * count), str(uses), show(used, 0), show(stored / 1024, 0)])
    print("### Agents on four levels, each of which uses all of the next level\n")
    print(table(["agents", "uses", "CPU ms of haft check", "KB of a store with one run"], rows),
          flush=True)


# ---- from the end of a child to the next request of its parent ----

class Model:
    """A model server: the parent calls its child, the child answers, the parent ends. `times` has
    the seconds from the answer of a child to the next request of its parent."""

    def __init__(self):
        self.times, self.answered = [], 0
        model = self

        class Listener(BaseHTTPRequestHandler):
            def do_POST(self):
                arrived = time.monotonic()
                text = self.rfile.read(int(self.headers["content-length"])).decode()
                parent = json.loads(text)["model"] == "boss"
                message = {"role": "assistant", "content": "good"}
                if parent and '"role":"tool"' in text:
                    model.times.append(arrived - model.answered)
                elif parent:
                    message = {"role": "assistant", "content": None, "tool_calls": [{
                        "id": "call_1", "type": "function", "function": {
                            "name": "ask_worker", "arguments": '{"task":"it"}'}}]}
                self.reply(json.dumps({"choices": [{
                    "index": 0, "message": message,
                    "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}]}))
                if not parent:
                    model.answered = time.monotonic()

            def reply(self, text):
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spec(self, crew):
        def model(name):
            return {"provider": "openai", "model": name, "api_key": "none",
                    "base_url": f"http://127.0.0.1:{self.server.server_port}/v1",
                    "options": {"stream": False}}
        tool = {"name": "ask_worker", "agent": "worker", "limits": {"turns": 1}}
        return crew.spec("pair", model("boss"), [tool],
                         agents={"worker": worker_spec(model("worker"))}, limits={"turns": 8})

    def next(self, start):
        """Starts a run; milliseconds until the next request of the parent."""
        count = len(self.times)
        start()
        wait_for(lambda: len(self.times) > count)
        return self.times[-1] * 1e3


def in_one_process(crew, model, spec):
    return sorted(model.next(lambda: crew.run("run", spec, "go", "--quiet"))
                  for _ in range(SAMPLES))


def with_two_workers(crew, model, spec):
    with crew.idle_worker(), crew.idle_worker():
        return sorted(model.next(lambda: crew.run("run", "--detach", spec, "go"))
                      for _ in range(SAMPLES))


def latency(place, cluster):
    model = Model()
    ways = [("one process, SQLite", in_one_process, None),
            ("two workers, SQLite", with_two_workers, None)]
    if cluster is not None:
        ways += [("one process, PostgreSQL", in_one_process, cluster.new_database()),
                 ("two workers, PostgreSQL", with_two_workers, cluster.new_database())]
    lines = []
    for name, way, url in ways:
        crew = place.crew(url)
        found = way(crew, model, model.spec(crew))
        lines.append([name, show(median(found), 1), show(found[-1], 1)])
    model.server.shutdown()
    print("### From the answer of a child's model to the next request of its parent\n")
    print(table(["", "p50 ms", "most ms"], lines), flush=True)


def main(build):
    build = Path(build).resolve()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as scratch:
        place = Place(build / "haft", scratch)
        compare(place)
        crowd(place, build)
        waiting(place)
        levels(place)
        try:
            with pg.Cluster() as cluster:
                latency(place, cluster)
        except pg.Unavailable as error:
            print(f"PostgreSQL is not measured: {error}", file=sys.stderr)
            latency(place, None)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench/children.py BUILD_DIR")
    main(sys.argv[1])
