#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haft compared with a bare loop in C, with the same model server:
bench/product.py BUILD_DIR [RESULTS]

Every repetition measures all contenders in turn. The script prints the medians as Markdown tables
and writes all rows as JSON to the file RESULTS. Everything runs on this machine and takes about a
minute. No figure is compared with a limit.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from rows import Rows, cpu, cpu_per_turn, peak_mb, ratio, runs_per_second, show, table

REPETITIONS = 3
LATENCY_MS = 200
TURNS = [8, 32, 128, 256]
WARM_RUNS = 2  # runs before the measurement; the database file contains them too
CONTENDERS = ["bare", "haft", "haft+durable"]
DONE = "Done. All of the requested steps are complete."


class Server:
    """The model server, a separate process."""

    def __init__(self, program, *words):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([program, *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def counts(self):
        """The counters since the last call."""
        with urllib.request.urlopen(self.url) as reply:
            return json.load(reply)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Bench:
    """Runs contenders and keeps their rows."""

    def __init__(self, build, scratch):
        self.haft, self.bare = build / "haft", build / "bench/haft-bench-bare"
        self.scratch = Path(scratch)
        self.tools = self.scratch / "tools.json"
        self.tools.write_text(json.dumps(offered_tools(self.haft)))
        self.rows = []
        self.files = 0

    def command(self, name, scenario, words):
        if name == "bare":
            return [self.bare, scenario, f"tools={self.tools}", *words], None
        if name == "haft":
            return [self.haft, "bench", scenario, *words], None
        self.files += 1
        file = self.scratch / f"{self.files}.db"
        return [self.haft, "bench", scenario, *words, "store=sqlite", f"db={file}"], file

    def measure(self, group, key, name, scenario, *words):
        command, file = self.command(name, scenario, words)
        row = {"group": group, "name": name, "key": key}
        started = time.time_ns()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        row["exit_ms"] = (time.time_ns() - started) / 1e6
        row["started_ns"] = started
        if done.returncode != 0:
            row["error"] = done.stderr.strip() or f"exit {done.returncode}"
            print(f"bench: {name}, {group} {key}: {row['error']}", file=sys.stderr)
        elif scenario != "once":
            row |= json.loads(done.stdout)
        if file is not None:
            row["db_bytes"] = sum(f.stat().st_size for f in self.scratch.glob(f"{file.name}*")
                                  if not f.name.endswith("-shm"))
            for leftover in self.scratch.glob(f"{file.name}*"):
                leftover.unlink()
        self.rows.append(row)
        return row


def offered_tools(haft):
    """The tools as haft sends them, so that all contenders send the same."""
    seen = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            text = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": DONE}}]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words):
            pass

    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        subprocess.run([haft, "bench", "once", "model=none",
                        f"url=http://127.0.0.1:{server.server_port}/v1"], check=True)
    return seen[0]["tools"]


def measure_start(bench, server):
    for name in CONTENDERS:
        server.counts()
        row = bench.measure("cold", "", name, "once", f"url={server.url}", "model=mock-1")
        row["first_ms"] = (server.counts()["first_ns"] - row["started_ns"]) / 1e6


def measure_load(bench, server):
    for name in CONTENDERS:
        for conc, runs in [(1, 100), (64, 640)]:
            bench.measure("load", f"c{conc}", name, "load", f"url={server.url}", "model=mock-8",
                          f"conc={conc}", "warm=32", f"runs={runs}")


def measure_length(bench, server):
    for name in CONTENDERS:
        for count in TURNS:
            server.counts()
            row = bench.measure("scale", f"t{count}", name, "load", f"url={server.url}",
                                f"model=mock-{count}", f"runs={max(2, 512 // count)}",
                                f"warm={WARM_RUNS}")
            row["longest"] = server.counts()["longest"]


def measure_waiting(bench, server):
    for name in CONTENDERS[1:]:
        bench.measure("suspend", "s1000", name, "suspend", f"url={server.url}", "model=mock-8",
                      "conc=32", "warm=40", "runs=1000")


def measure_fan_out(bench, server):
    for name in CONTENDERS:
        bench.measure("fanout", "c1000", name, "load", f"url={server.url}", "model=mock-2",
                      "conc=1000", "warm=20", "runs=1000")


def tables(rows):
    """All tables, as Markdown."""
    text = []

    def lines(group, key, *figures):
        for name in rows.names(group):
            yield [name, *(show(rows.median(group, name, key, figure), digits)
                           for figure, digits in figures)]

    def add(title, head, body):
        text.append(f"### {title}\n\n{table(head, list(body))}")

    add("One run with one call of a tool: start to end",
        ["", "to first request ms", "to exit ms"],
        lines("cold", "", (lambda r: r["first_ms"], 1), (lambda r: r["exit_ms"], 1)))
    for conc in [1, 64]:
        key = f"c{conc}"
        floor = rows.median("load", "bare", key, cpu_per_turn)
        add(f"Runs of 8 turns, {conc} at a time",
            ["", "runs/s", "CPU us/turn", "x bare", "p99 run ms", "peak RSS MB",
             "RSS MB before the first request"],
            lines("load", key, (runs_per_second, 0), (cpu_per_turn, 1),
                  (lambda r, f=floor: ratio(cpu_per_turn(r), f), 2),
                  (lambda r: r["p99_ms"], 1), (peak_mb, 1),
                  (lambda r: r["rss_start_kb"] / 1024, 1)))
    add("CPU us per turn against the number of turns",
        ["", *(str(t) for t in TURNS), "256 / 8", "x bare at 256"],
        ([name, *(show(rows.median("scale", name, f"t{t}", cpu_per_turn)) for t in TURNS),
          show(ratio(rows.median("scale", name, "t256", cpu_per_turn),
                     rows.median("scale", name, "t8", cpu_per_turn)), 2),
          show(ratio(rows.median("scale", name, "t256", cpu_per_turn),
                     rows.median("scale", "bare", "t256", cpu_per_turn)), 2)]
         for name in rows.names("scale")))
    add("Bytes stored per turn; content is what a turn adds to the conversation",
        ["turns", "stored", "content", "beyond it"],
        ([str(t), show(stored), show(content), show(stored - content)]
         for t in TURNS
         for stored, content in [stored_and_content(rows, t)] if stored and content))
    add("1,000 runs that wait for approval",
        ["", "RSS bytes/run", "heap bytes/run", "bytes on disk/run"],
        lines("suspend", "s1000", (lambda r: r["rss_per_run"], 0),
              (lambda r: r["heap_per_run"], 0), (lambda r: r["db_bytes"] / 1040, 0)))
    wall = rows.median("fanout", "bare", "c1000", lambda r: r["wall_ms"])
    add(f"1,000 runs of 2 turns at once, {LATENCY_MS} ms of latency",
        ["", "wall ms", "x bare", "CPU ms", "peak RSS MB"],
        lines("fanout", "c1000", (lambda r: r["wall_ms"], 0),
              (lambda r: ratio(r["wall_ms"], wall), 2), (cpu, 0), (peak_mb, 1)))
    return "\n".join(text)


def stored_and_content(rows, count):
    """Two numbers: the bytes per turn in the file, and the bytes that a turn adds to the
    conversation. The latter is computed from the growth of the longest request between the
    smallest and the largest number of turns, so it is the same for every `count`."""
    def longest(turns):
        return rows.median("scale", "haft+durable", f"t{turns}", lambda r: r["longest"])

    most, least = max(TURNS), min(TURNS)
    if longest(most) is None or longest(least) is None:
        return None, None
    content = (longest(most) - longest(least)) / (most - least)
    stored = rows.median("scale", "haft+durable", f"t{count}",
                         lambda r: r["db_bytes"] / (r["runs"] + WARM_RUNS) / count)
    return stored, content


def main(build, results=None):
    build = Path(build).resolve()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as scratch:
        bench = Bench(build, scratch)
        server = Server(build / "bench/haft-bench-mock")
        slow = Server(build / "bench/haft-bench-mock", str(LATENCY_MS))
        try:
            for _ in range(REPETITIONS):
                measure_start(bench, server)
                measure_load(bench, server)
                measure_length(bench, server)
                measure_waiting(bench, server)
                measure_fan_out(bench, slow)
        finally:
            server.stop()
            slow.stop()
    if results is not None:
        Path(results).write_text(json.dumps({"rows": bench.rows}))
    print(tables(Rows(bench.rows)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: bench/product.py BUILD_DIR [RESULTS]")
    main(*sys.argv[1:])
