#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of telemetry: bench/telemetry.py BUILD_DIR

Runs the same script without telemetry, with the log in JSON, with spans and metrics in each
encoding, with content, and with a collector that is not there, in turn. CPU time of haft alone: the
collector is another process. No figure is compared with a limit.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rows import median, ratio, show, table

REPETITIONS = 9
TURNS = (10, 810)  # the difference is without the start of the process
SINK = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def variants(url):
    spans = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_MAX_QUEUE_SIZE": "100000"}
    content = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
    return {"off": {}, "log in JSON": {"HAFT_LOG": "json"}, "protobuf": spans,
            "JSON": {**spans, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"},
            "protobuf with content": {**spans, **content},
            "no collector there": {**spans, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}}


def write_spec(folder, turns):
    """A run of so many turns, each with a call whose result has 1 KB."""
    replies = [{"calls": [{"name": "look", "arguments": {"q": f"number {i}"}}]}
               for i in range(turns - 1)]
    results = [f"{i} {'x' * 1000}" for i in range(turns - 1)]
    (folder / f"{turns}.script.json").write_text(json.dumps(
        {"replies": [*replies, {"text": "good"}], "results": {"look": results}}))
    (folder / f"{turns}.json").write_text(json.dumps(
        {"haft": 1, "name": "bench", "model": f"script:{turns}.script.json",
         "limits": {"turns": turns + 1, "calls": turns + 1},
         "tools": [{"name": "look", "description": "Look it up.", "args": ["q"],
                    "headless": True}]}))


def cpu_ms(haft, folder, turns, env):
    process = subprocess.Popen([haft, "run", f"{turns}.json", "go", "--quiet",
                                "--store", "memory:"], cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL,
                               env={"PATH": os.environ["PATH"], "HOME": str(folder), **env})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status  # it has been waited for
    if status != 0:
        raise RuntimeError(f"a run of {turns} turns failed with {env}")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main(build):
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as scratch:
        folder, haft = Path(scratch), Path(build).resolve() / "haft"
        with subprocess.Popen([sys.executable, "-c", SINK], stdout=subprocess.PIPE,
                              text=True) as sink:
            url = f"http://127.0.0.1:{sink.stdout.readline().strip()}"
            found = {name: {turns: [] for turns in TURNS} for name in variants(url)}
            for turns in TURNS:
                write_spec(folder, turns)
            for _ in range(REPETITIONS):
                for name, env in variants(url).items():
                    for turns in TURNS:
                        found[name][turns].append(cpu_ms(haft, folder, turns, env))
            sink.terminate()
    few, many = TURNS
    each = {name: (median(times[many]) - median(times[few])) * 1e3 / (many - few)
            for name, times in found.items()}
    print("### A turn with one call, with and without telemetry\n")
    print(table(["telemetry", "CPU µs a turn", "x", "CPU ms of the shortest run"],
                [[name, show(cost, 1), show(ratio(cost, each["off"]), 2),
                  show(median(found[name][few]), 1)] for name, cost in each.items()]), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench/telemetry.py BUILD_DIR")
    main(sys.argv[1])
