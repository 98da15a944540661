#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams of `haft serve`: lost connections, servers that are killed, clients that do not read, and
requests that arrive slowly."""
import itertools
import os
import signal
import socket
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import ASKER, Server, agent, write_files  # noqa: E402
from script import check, check_none, skip  # noqa: E402
from store_urls import stores  # noqa: E402

STEPS = 16
SCAN_MOST = 10000        # HAFT__LIMIT_SERVE_SCAN
STALL_S = 30             # HAFT__LIMIT_SERVE_STALL_MS: then a client that reads nothing is cut
QUEUE_MOST = 32 << 20    # HAFT__LIMIT_SERVE_STREAM_BYTES: a stream is cut long before
SLOW = {"name": "slow", "description": "Takes a moment, without an effect.", "args": [],
        "command": ["sleep", "0.03"], "traits": {"read_only": True}}
BIG = {"name": "big", "description": "Prints a lot of text, without an effect.", "args": [],
       "command": ["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"],
       "traits": {"read_only": True}}
LONG = agent("long", [{"calls": [{"name": "slow", "arguments": {}}]}] * STEPS + [{"text": "End."}],
             [SLOW], limits={"turns": STEPS + 5, "calls": STEPS + 5, "repeats": {
                 "hint": 100, "refuse": 200, "end": 300}})
HUGE = agent("huge", [{"calls": [{"name": "big", "arguments": {}}]}] * 8 + [{"text": "End."}],
             [BIG], limits={"turns": 12, "repeats": {"hint": 100, "refuse": 200, "end": 300}})


def numbers(seen):
    return [number for number, _, _ in seen if number]


def test_reconnect(server, name):
    """A client that loses its connection after every few events."""
    run = server.start("long")["run"]
    seen, last, connections = [], None, 0
    while not seen or seen[-1][1] != "run_finished":
        stream = server.stream(run, since=last)
        connections += 1
        part = [item for item in itertools.islice(stream, 7)]
        stream.close()
        seen += part
        last = max(numbers(seen), default=None)
    check(f"{name}_a_client_that_reconnects_misses_nothing", numbers(seen),
          [event["seq"] for event in server.events(run)])
    check(f"{name}_it_had_many_connections", connections > 5)


def test_takeover(directory, name, url):
    """The server is killed in the middle of a stream; another one continues run and stream."""
    env = {"HAFT_LEASE": "2s"}
    with Server(directory, "long.json", store=url, env=env) as second:
        first = Server(directory, "long.json", store=url, env=env)
        run = first.start("long")["run"]
        stream = first.stream(run)
        seen = list(itertools.islice(stream, 12))
        first.stop(signal.SIGKILL)
        seen += list(stream)
        check(f"{name}_the_stream_breaks", seen[-1][1] != "run_finished")
        seen += list(second.stream(run, since=max(numbers(seen))))
        events = second.events(run)
        check(f"{name}_another_server_continues_the_stream", numbers(seen),
              [event["seq"] for event in events])
        check(f"{name}_and_the_run", (events[-1]["kind"], events[-1]["end"]),
              ("run_finished", "done"))


def test_other_worker(directory, name, url):
    """A server without a worker streams a run of another one."""
    with Server(directory, "long.json", store=url) as working, \
            Server(directory, "long.json", store=url, options=["--no-work"]) as reading:
        run = working.start("long")["run"]
        seen = list(reading.stream(run))
        check(f"{name}_a_run_of_another_server_is_streamed", numbers(seen),
              [event["seq"] for event in working.events(run)])
        queued = reading.start("long")["run"]
        check(f"{name}_a_run_without_a_worker_is_claimed", reading.wait(queued)["end"], "done")


def test_drain(directory, name, url):
    """SIGTERM cuts streams, and the run continues elsewhere."""
    with Server(directory, "long.json", store=url) as second:
        first = Server(directory, "long.json", store=url)
        run = first.start("long")["run"]
        stream = first.stream(run)
        seen = list(itertools.islice(stream, 12))
        check(f"{name}_a_drained_server_ends", first.stop(), 0)
        seen += list(stream)
        seen += list(second.stream(run, since=max(numbers(seen))))
        check(f"{name}_a_stream_survives_a_drain", numbers(seen),
              [event["seq"] for event in second.events(run)])


def memory(server):
    """The resident memory of the server in bytes."""
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def connect(server, path):
    """A connection that sends a request and reads nothing."""
    host, port = server.host.split(":")
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect((host, int(port)))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n"
                   "Accept: text/event-stream\r\n\r\n".encode())
    return client


def test_slow_readers(server):
    """20 clients that do not read 24 MB of events each."""
    run = server.start("huge")["run"]
    clients = [connect(server, f"/api/v1/runs/{run}/events") for _ in range(20)]
    done = server.wait(run)
    check("a_run_does_not_wait_for_its_readers", done["end"], "done")
    check("another_reader_gets_everything", numbers(server.stream(run)),
          [event["seq"] for event in server.events(run)])
    check("their_unread_events_need_no_memory", memory(server) < 20 * 24_000_000 < 20 * QUEUE_MOST)
    if os.environ.get("HAFT_LONG"):
        clients[0].settimeout(STALL_S + 60)
        time.sleep(STALL_S + 10)
        read = 0
        while part := clients[0].recv(1 << 16):
            read += len(part)
        check("a_client_that_reads_nothing_is_cut", read < 20_000_000)
    for client in clients:
        client.close()
    check("the_server_still_answers", server.get("/ok").status, 200)


def test_slow_requests(server):
    """Clients that send a part of a request and stop: others are served."""
    host, port = server.host.split(":")
    clients = []
    for number in range(300):
        client = socket.create_connection((host, int(port)))
        client.sendall(b"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nX: " + b"a" * (number % 7))
        clients.append(client)
    check("slow_requests_block_nobody", server.get("/api/v1/runs").status, 200)
    for client in clients:
        client.close()


def test_many_streams(server):
    """2,000 streams of one run that waits, and its answer."""
    import resource
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = 2000
    if most < 2 * count + 200:
        skip("two_thousand_streams", f"the limit of open files is {most}")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    run = server.start("asker")["run"]
    server.wait(run)
    before = memory(server)
    clients = [connect(server, f"/api/v1/runs/{run}/events") for _ in range(count)]
    heads = sum(client.recv(15).startswith(b"HTTP/1.1 200") for client in clients)
    check("two_thousand_streams_are_open", heads, count)
    print(f"# {(memory(server) - before) // count} bytes for each of {count} streams")
    check("meanwhile_others_are_served", server.get("/api/v1/runs").status, 200)
    server.command(run, "answer", value="x")
    server.wait(run)
    missing = []
    for number, client in enumerate(clients):
        text = b""
        client.settimeout(300)
        while part := client.recv(1 << 16):
            text += part
            if b"run_finished" in text and text.endswith(b"0\r\n\r\n"):
                break
        if b"event: run_finished" not in text:
            missing.append(f"client {number}: {text[-200:]}")
        client.close()
    check_none("all_of_them_get_the_end", missing, 3)


def test_scan(directory):
    """A filtered list reads a bounded number of runs, and says where it stopped."""
    with Server(directory, "asker.json", store="sqlite:scan.db") as server:
        run = server.start("asker")["run"]
        server.wait(run)
    base = sqlite3.connect(directory / "scan.db")
    columns = [row[1] for row in base.execute("PRAGMA table_info(runs)")]
    kept = [name for name in columns if name not in ("number", "id")]
    names = ", ".join(f'"{name}"' for name in kept)
    base.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= "
                 f"{SCAN_MOST}) INSERT INTO runs (id, {names}) SELECT "
                 f"'7' || printf('%025d', i), {names} FROM runs, n WHERE id = '{run}'")
    base.commit()
    base.close()
    with Server(directory, "asker.json", store="sqlite:scan.db", options=["--no-work"]) as server:
        page = server.get("/api/v1/runs?agent=nobody").json
        check("a_filter_stops_at_the_limit", (page["runs"], page["next"] is not None), ([], True))
        rest = server.get(f"/api/v1/runs?agent=nobody&before={page['next']}").json
        check("the_next_page_continues", (rest["runs"], rest["next"]), ([], None))


def main():
    with tempfile.TemporaryDirectory(prefix="haft-stream-") as scratch:
        directory = Path(scratch)
        write_files(directory, LONG, HUGE, ASKER)
        for name, new in stores(scratch):
            with Server(directory, "long.json", store=new()) as server:
                test_reconnect(server, name)
            test_takeover(directory, name, new())
            test_other_worker(directory, name, new())
            test_drain(directory, name, new())
        with Server(directory, "huge.json", "asker.json", options=["--rate", "100000"]) as server:
            test_slow_readers(server)
            test_slow_requests(server)
            test_many_streams(server)
        test_scan(directory)


main()
