#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many idle streams of `haft mcp --listen` use no processor time: 500 streams, with HAFT_LONG=1
10,000, or as many as there are descriptors for. The test prints their time and memory."""
import json
import os
import re
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import verdict  # noqa: E402

HAFT = os.environ["HAFT"]
NEW = "2026-07-28"
WANTED = 10000 if os.environ.get("HAFT_LONG") else 500
SPARE = 100  # descriptors for everything else
SECONDS = 2
MAX_CORE_SHARE = 0.2
SPEC = {"name": "quiet", "model": "script:script.json", "tools": [
    {"name": "say", "description": "Says a word.", "command": ["echo", "word"], "args": []}]}
LISTEN = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
    "notifications": {"toolsListChanged": True},
    "_meta": {"io.modelcontextprotocol/protocolVersion": NEW,
              "io.modelcontextprotocol/clientCapabilities": {}}}})


def check(name, good, details):
    print(f"# {details}")
    verdict(name, good)


def raise_limit():
    """Raises the limit of descriptors as far as possible, here and in child processes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED + SPARE
    soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def count_wakeups(pid):
    """The number of wakeups of the server."""
    found = re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)",
                      Path(f"/proc/{pid}/status").read_text())
    return int(found[1])


def open_stream(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=300)
    connection.sendall((
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
        f"Content-Type: application/json\r\nMCP-Protocol-Version: {NEW}\r\n"
        f"Mcp-Method: subscriptions/listen\r\nContent-Length: {len(LISTEN)}\r\n\r\n{LISTEN}"
    ).encode())
    text = b""
    while b"subscriptions/acknowledged" not in text:
        part = connection.recv(4096)
        if not part:
            connection.close()
            return None
        text += part
    return connection


def main():
    count = min(WANTED, raise_limit() - SPARE)
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "agent.json").write_text(json.dumps(SPEC))
        (Path(scratch) / "script.json").write_text('{"replies": []}')
        server = subprocess.Popen([HAFT, "mcp", "agent.json", "--store", "memory:", "--listen",
                                   "127.0.0.1:0"], cwd=scratch, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        port = int(re.search(r":(\d+)/mcp", server.stdout.readline())[1])
        open_stream(port).close()
        before = resident_kb(server.pid)
        streams = [stream for stream in (open_stream(port) for _ in range(count)) if stream]
        each = (resident_kb(server.pid) - before) / max(1, len(streams))
        check("all_streams_are_open", len(streams) == count,
              f"{len(streams)} streams of {WANTED}, {each:.1f} KB of memory each")
        woken, used = count_wakeups(server.pid), processor_seconds(server.pid)
        time.sleep(SECONDS)  # the measured time, not a timeout
        used = processor_seconds(server.pid) - used
        check("idle_streams_use_almost_no_processor_time", used < MAX_CORE_SHARE * SECONDS,
              f"{used:.2f} s of processor time and {count_wakeups(server.pid) - woken} wake-ups in "
              f"{SECONDS} s, with {len(streams)} idle streams")
        poll = select.poll()
        for stream in streams:
            poll.register(stream, select.POLLIN)
        check("all_streams_are_still_open", not poll.poll(0), f"{len(streams)} streams")
        for stream in streams:
            stream.close()
        server.terminate()
        server.communicate(timeout=300)
        check("the_server_ends_with_status_0",
              server.returncode == 0, f"exit status {server.returncode}")


main()
