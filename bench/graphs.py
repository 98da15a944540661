#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of graphs: bench/graphs.py BUILD_DIR

Steps of graphs in memory, with events, and stored, beside LangGraph for JavaScript and Python with
and without a checkpointer (../shared/bench/graphs, with its packages from npm and PyPI; skipped
with a line if they cannot be had). Then child runs of a graph, a large state, and large graphs.
Everything runs on this machine, one after the other. No figure is compared with a limit.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rows import median, ratio, show, table

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT.parent / "shared/bench/graphs"
RUNS = 15        # of each shape in one process
REPETITIONS = 5  # of processes
COUNT = {"do": [{"set": {"n": 1}}]}
CHANNELS = {"n": {"reducer": "add"}, "items": {}, "log": {"reducer": "append"}}


# ---- shapes: those of ../shared/bench/graphs ----

def graph(nodes, edges, **more):
    return {"channels": CHANNELS, "output": "/n", "recursion_limit": 5000, "nodes": nodes,
            "edges": edges, **more}


def chain(count, node=COUNT):
    names = [f"n{i:05}" for i in range(count)]
    stops = ["start", *names, "end"]
    return graph({name: node for name in names},
                 [{"from": a, "to": b} for a, b in zip(stops, stops[1:])])


def loop(count, node=COUNT):
    return graph({"a": node}, [{"from": "start", "to": "a"},
                               {"from": "a", "choose": [
                                   {"when": {"at": "/n", "op": "lt", "value": count}, "to": "a"},
                                   {"to": "end"}]}])


def fan(count):
    names = [f"w{i:04}" for i in range(count)]
    return graph({name: COUNT for name in [*names, "join"]},
                 [{"from": "start", "to": names}, {"from": names, "to": "join"}])


def mapped():
    return graph({"w": COUNT, "z": COUNT},
                 [{"from": "start", "map": {"over": "/items", "to": "w"}},
                  {"from": "w", "to": "z"}])


def grid():
    def at(row, column):
        return f"r{row}c{column % 10}"
    nodes = {at(row, column): COUNT for row in range(10) for column in range(10)}
    edges = [{"from": "start", "to": [at(0, column) for column in range(10)]}]
    edges += [{"from": at(row, column), "to": [at(row + 1, column), at(row + 1, column + 1)]}
              for row in range(9) for column in range(10)]
    return graph(nodes, edges)


GROW = {"do": [{"set": {"n": 1, "log": ["x" * 100]}}]}
SHAPES = {
    "chain 100": (chain(100), {}),
    "chain 400, list grows 100 B a step": (chain(400, GROW), {}),
    "loop 100 (condition)": (loop(100), {}),
    "fan-out 100 + join": (fan(100), {}),
    "map 100 (Send) + after": (mapped(), {"items": list(range(100))}),
    "grid 10 x 10 (each leads to two)": (grid(), {}),
}


# ---- haft ----

class Place:
    def __init__(self, build, folder):
        self.build, self.folder, self.stores = build, Path(folder), 0

    def spec(self, main, **more):
        path = self.folder / "spec.json"
        path.write_text(json.dumps({"haft": 1, "kind": "graph", "name": "g", "graph": main,
                                    **more}))
        return path

    def in_memory(self, main, value, runs=RUNS):
        """What bench/graphs/steps.c prints."""
        (self.folder / "input.json").write_text(json.dumps(value))
        done = subprocess.run([self.build / "bench/haft-bench-graphs", self.spec(main),
                               self.folder / "input.json", str(runs)], text=True,
                              capture_output=True, check=True)
        return json.loads(done.stdout)

    def stored(self, main, value, **more):
        """CPU time (ms) of a process that runs the graph, and the bytes that its store has."""
        spec = self.spec(main, **more)
        found = []
        for _ in range(REPETITIONS):
            self.stores += 1
            store = self.folder / f"{self.stores}.db"
            environment = dict(os.environ, HAFT_STORE=f"sqlite:{store}", HOME=str(self.folder))
            process = subprocess.Popen([self.build / "haft", "run", spec, "--quiet", "-"],
                                       env=environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            process.stdin.write(json.dumps(value).encode())
            process.stdin.close()
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status  # it has been waited for
            process.stderr.close()
            if status != 0:
                raise RuntimeError(errors.decode())
            size = sum(one.stat().st_size for one in self.folder.glob(f"{self.stores}.db*")
                       if not one.name.endswith("-shm"))
            found.append(((usage.ru_utime + usage.ru_stime) * 1e3, size))
        return tuple(median(column) for column in zip(*found))


# ---- LangGraph ----

def skip(what, why):
    print(f"{what} is not measured: {why}", file=sys.stderr)
    return {}


def read_table(done):
    """{(shape, checkpointer): ms}"""
    found = json.loads(done.stdout)
    return {(row["shape"], row["saver"].split()[0]): row["cpu_ms"] for row in found["table"]}


def npm(place, *words):
    return subprocess.run(["npm", *words], cwd=place, capture_output=True, text=True)


def install(place):
    """Installs the packages of LangGraph. A registry may lack the version of a package that one of
    them needs; then its newest version of that package is taken, and a line names it."""
    package = json.loads((place / "package.json").read_text())
    package.pop("optionalDependencies", None)
    for _ in range(5):
        (place / "package.json").write_text(json.dumps(package))
        made = npm(place, "install", "--no-audit", "--no-fund", "--legacy-peer-deps")
        missing = re.search(r"No matching version found for (\S+)@(\S+?)\.?\s", made.stderr)
        if made.returncode == 0 or missing is None:
            return made.returncode == 0
        name, wanted = missing.groups()
        found = npm(place, "view", name, "version").stdout.strip()
        if not found or name in package.get("overrides", {}) or name in package["dependencies"]:
            return False
        package.setdefault("overrides", {})[name] = found
        print(f"LangGraph for JavaScript: {name} is {found} instead of {wanted}", file=sys.stderr)
    return False


def javascript(folder):
    if not PEERS.is_dir() or not shutil.which("npm"):
        return skip("LangGraph for JavaScript", "../shared or npm is missing")
    place = folder / "js"
    shutil.copytree(PEERS, place)
    if not install(place):
        return skip("LangGraph for JavaScript", "npm cannot install its packages")
    return read_table(subprocess.run(["node", "--expose-gc", "perf.mjs", str(RUNS)], cwd=place,
                                     capture_output=True, text=True, check=True))


def python(folder):
    requirements = ROOT.parent / "shared/data/graphs/driver/requirements.txt"
    if not PEERS.is_dir() or not requirements.exists():
        return skip("LangGraph for Python", "../shared is missing")
    place = folder / "py"
    made = subprocess.run([sys.executable, "-m", "venv", place], capture_output=True)
    if made.returncode == 0:
        made = subprocess.run([place / "bin/pip", "install", "-q", "-r", requirements],
                              capture_output=True)
    if made.returncode != 0:
        return skip("LangGraph for Python", "pip cannot install its packages")
    return read_table(subprocess.run([place / "bin/python", PEERS / "perf.py", str(RUNS)],
                                     capture_output=True, text=True, check=True))


# ---- tables ----

def compare(place):
    peers = {"JS": javascript(place.folder), "Python": python(place.folder)}
    savers = [(name, saver) for name in peers for saver in ("none", "memory", "sqlite")
              if any(key[1] == saver for key in peers[name])]
    base = place.stored(chain(1), {})
    lines, more = [], []
    for shape, (main, value) in SHAPES.items():
        own = place.in_memory(main, value)
        cpu, size = place.stored(main, value)
        theirs = [peers[name].get((shape, saver)) for name, saver in savers]
        lines.append([shape, show(own["engine_ms"], 3), show(own["events_ms"], 3),
                      show(max(cpu - base[0], 0), 1), *[show(ms, 0) for ms in theirs]])
        each = own["nodes"]
        more.append([shape, str(own["steps"]), str(own["nodes"]),
                     show(own["engine_ms"] / each * 1e3, 1), show(own["events_ms"] / each * 1e3, 1),
                     show(own["steps"] / own["engine_ms"] * 1e3, 0),
                     show(own["steps"] / own["events_ms"] * 1e3, 0),
                     show(own["bytes"] / own["steps"], 0),
                     show(max(size - base[1], 0) / own["steps"], 0)])
    print("### CPU milliseconds of a run\n")
    print(table(["shape", "haft", "with events", "stored",
                 *[f"{name}, {saver}" for name, saver in savers]], lines))
    print("### haft for each node and step\n")
    print(table(["shape", "steps", "nodes", "us/node", "us/node, events", "steps/s",
                 "steps/s, events", "bytes of events/step", "bytes stored/step"], more), flush=True)


def children(place):
    """A chain of graphs that each run one node, and the same nodes in one graph."""
    inner = {"one": graph({"a": COUNT}, [{"from": "start", "to": "a"}, {"from": "a", "to": "end"}])}
    more = {"graphs": inner, "limits": {"turns": 5000, "calls": 5000}}
    node = {"graph": "one", "out": {"n": "/n"}}
    lines = []
    for name, kind in (("graphs inside", node), ("nodes", COUNT)):
        one, many = (place.stored(chain(count, kind), {}, **more) for count in (1, 100))
        lines.append([name, show((many[0] - one[0]) / 99, 3), show((many[1] - one[1]) / 99, 0)])
    print("### 100 graphs inside a graph, one after the other, and as many nodes\n")
    print(table(["", "CPU ms each", "bytes stored each"], lines), flush=True)


def large_state(place):
    """A state of 1 MB, of which 1,000 steps change little."""
    big = {"log": ["y" * 1000] * 1000}
    lines = []
    for name, value in (("empty", {}), ("1 MB", big)):
        one, many = (place.in_memory(loop(count, GROW), value, 5) for count in (1, 1000))
        small, large = (place.stored(loop(count, GROW), value) for count in (1, 1000))
        lines.append([name, show((many["engine_ms"] - one["engine_ms"]) / 0.999, 2),
                      show((many["events_ms"] - one["events_ms"]) / 0.999, 2),
                      show((large[0] - small[0]) / 0.999, 1),
                      show((many["bytes"] - one["bytes"]) / 999, 0),
                      show((large[1] - small[1]) / 999, 0)])
    print("### 1,000 steps that each add 100 bytes to a list, without the first\n")
    print(table(["the list before", "us/step", "us/step, events", "us/step, stored",
                 "bytes of events/step", "bytes stored/step"], lines), flush=True)


def large_graphs(place):
    lines = []
    for count in (1000, 2000, 4000):
        own = place.in_memory(chain(count), {}, 5)
        wide = place.in_memory(fan(count), {}, 5)
        lines.append([f"{count:,}", show(own["load_ms"], 1), show(own["load_ms"] / count * 1e3, 1),
                      show(own["engine_ms"], 2), show(own["engine_ms"] / count * 1e3, 2),
                      show(wide["load_ms"], 1), show(wide["engine_ms"], 2),
                      show(wide["engine_ms"] / count * 1e3, 2)])
    print("### Graphs of 1,000 to 4,000 nodes\n")
    print(table(["nodes", "chain: load and check ms", "us/node", "run ms", "us/node",
                 "fan-out: load and check ms", "run ms", "us/node"], lines), flush=True)


def main(build):
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as scratch:
        place = Place(Path(build).resolve(), scratch)
        compare(place)
        children(place)
        large_state(place)
        large_graphs(place)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench/graphs.py BUILD_DIR")
    main(sys.argv[1])
