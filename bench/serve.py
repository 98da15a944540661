#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/serve.py BUILD_DIR: requests to `haft serve` on one machine, with the server, its store and
the clients. CLIENTS processes each keep one connection and send one request after the other."""
import json
import multiprocessing
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENTS = 4
SECONDS = 3
LISTED = 100_000
STREAMS = 1000
JSON = "Content-Type: application/json\r\n"
SPEC = {"haft": 1, "name": "quick", "model": "script:quick.script.json", "instructions": "Help.",
        "tools": [{"name": "look", "description": "Looks at a thing.", "args": [],
                   "command": ["true"], "traits": {"read_only": True}}]}
SCRIPT = {"replies": [{"text": "The answer is 42."}]}
ASKER = {"haft": 1, "name": "asker", "model": "script:asker.script.json", "instructions": "Help.",
         "tools": [{"name": "pick", "description": "Lets the user pick a file.", "args": [],
                    "headless": True}]}
ASKS = {"replies": [{"calls": [{"name": "pick", "arguments": {}}]}, {"text": "Picked."}]}


class Client:
    def __init__(self, address):
        self.address = address
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def ask(self, method, path, body="", fields=""):
        """One request; the body of its response."""
        text = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}"
                f"Content-Length: {len(body)}\r\n\r\n{body}")
        self.socket.sendall(text.encode())
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(1 << 16)
        head, _, rest = self.buffer.partition(b"\r\n\r\n")
        if b"chunked" in head:
            while not rest.endswith(b"0\r\n\r\n"):
                rest += self.socket.recv(1 << 16)
            self.buffer = b""
            return rest
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(rest) < size:
            rest += self.socket.recv(1 << 16)
        self.buffer = rest[size:]
        return rest[:size]

    def create(self, name="quick"):
        body = json.dumps({"agent": name, "task": "x"})
        return json.loads(self.ask("POST", "/api/v1/runs", body, JSON))


def whole_run(client, _):
    """Create a run, follow its stream to the end, and read its result."""
    run = client.create()["run"]
    client.ask("GET", f"/api/v1/runs/{run}/events", fields="Accept: text/event-stream\r\n")
    result = json.loads(client.ask("GET", f"/api/v1/runs/{run}/wait"))
    assert result["end"] == "done", result


def worker(address, request, run, results):
    client = Client(address)
    times = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.perf_counter()
        request(client, run)
        times.append(time.perf_counter() - began)
    results.put(times)


REQUESTS = {
    "create": lambda client, run: client.create(),
    "get": lambda client, run: client.ask("GET", f"/api/v1/runs/{run}"),
    "events, JSON": lambda client, run: client.ask("GET", f"/api/v1/runs/{run}/events"),
    "list, 50 of 100,000": lambda client, run: client.ask("GET", "/api/v1/runs"),
    "ok": lambda client, run: client.ask("GET", "/ok"),
    "create, stream, wait": whole_run,
}


def measure(address, name, run):
    results = multiprocessing.Queue()
    clients = [multiprocessing.Process(target=worker, args=(address, REQUESTS[name], run, results))
               for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    times = sorted(one for _ in clients for one in results.get())
    for client in clients:
        client.join()
    print(f"{name:24} {len(times) / SECONDS:9.0f}/s  median {times[len(times) // 2] * 1000:7.2f} ms"
          f"  p99 {times[int(len(times) * 0.99)] * 1000:7.2f} ms", flush=True)


class Server:
    def __init__(self, build, directory, store):
        self.process = subprocess.Popen(
            [Path(build).resolve() / "haft", "serve", "quick.json", "asker.json",
             "--listen", "127.0.0.1:0", "--rate", "1000000", "--store", store],
            cwd=directory, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        host, port = line.removeprefix("listening on http://").strip().split(":")
        self.address = host, int(port)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def memory(self):
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def fill(path, run):
    """100,000 copies of a run, for lists."""
    base = sqlite3.connect(path)
    kept = [row[1] for row in base.execute("PRAGMA table_info(runs)")
            if row[1] not in ("number", "id")]
    names = ", ".join(f'"{name}"' for name in kept)
    base.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                 f"{LISTED}) INSERT INTO runs (id, {names}) SELECT '0' || printf('%025d', i), "
                 f"{names} FROM runs, n WHERE id = '{run}'")
    base.commit()
    base.close()


def measure_streams(server):
    """The memory of an open stream of a run that waits."""
    run = Client(server.address).create("asker")["run"]
    Client(server.address).ask("GET", f"/api/v1/runs/{run}/wait")
    before = server.memory()
    clients = [Client(server.address) for _ in range(STREAMS)]
    for client in clients:
        client.socket.sendall(f"GET /api/v1/runs/{run}/events HTTP/1.1\r\nHost: localhost\r\n"
                              "Accept: text/event-stream\r\n\r\n".encode())
        client.socket.recv(15)
    used = server.memory() - before
    print(f"{'open streams':24} {STREAMS * (1 << 20) / max(used, 1):9.0f} per MiB")


def main():
    with tempfile.TemporaryDirectory(prefix="haft-bench-") as directory:
        for name, value in (("quick", SPEC), ("quick.script", SCRIPT), ("asker", ASKER),
                            ("asker.script", ASKS)):
            (Path(directory) / f"{name}.json").write_text(json.dumps(value))
        for store in ("sqlite:runs.db", "memory:"):
            print(f"haft serve --store {store}, {CLIENTS} clients, {SECONDS} s each")
            server = Server(sys.argv[1], directory, store)
            run = Client(server.address).create()["run"]
            Client(server.address).ask("GET", f"/api/v1/runs/{run}/wait")
            names = list(REQUESTS)
            if store.startswith("sqlite"):
                server.stop()
                fill(Path(directory) / "runs.db", run)
                server = Server(sys.argv[1], directory, store)
            else:
                names.remove("list, 50 of 100,000")
            for name in names:
                measure(server.address, name, run)
            measure_streams(server)
            server.stop()


main()
