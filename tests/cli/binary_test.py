#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Binary results of tools: artifacts of the run, in the log, with a line for the model."""
import base64
import hashlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 48 + b"\n"
LIMIT = 8 << 20
SECRET = "planted-4f7d21c9e0"
SERVER = r"""
import base64, json, sys
data = base64.b64encode(open("picture", "rb").read()).decode()
secret = base64.b64encode(b"\x00\x01" + b"planted-4f7d21c9e0" + b"\xff").decode()
blocks = {"show": [{"type": "text", "text": "Two:"},
                   {"type": "image", "data": data, "mimeType": "image/png"},
                   {"type": "resource", "resource": {"uri": "x:y", "blob": "AAEC"}}],
          "leak": [{"type": "image", "data": secret, "mimeType": "image/png"}]}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": name, "description": f"Can {name} the picture.",
                             "inputSchema": {"type": "object"}} for name in blocks]}
    elif method == "tools/call":
        result = {"content": blocks[message["params"]["name"]]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "no such method"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], capture_output=True, cwd=scratch,
                          env=environment, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.decode()


def write(calls, tools, **more):
    """A spec whose model makes these calls, one a turn, and answers."""
    replies = [{"calls": [{"name": name, "arguments": {}}]} for name in calls]
    (Path(scratch) / "script.json").write_text(json.dumps(
        {"replies": replies + [{"text": "over"}]}))
    (Path(scratch) / "s.json").write_text(json.dumps(
        {"haft": 1, "name": "s", "model": "script:script.json", "tools": tools, **more}))


def tool(name, *command, **more):
    return {"name": name, "description": "Gives it.", "args": [], "command": list(command), **more}


def play(calls, tools, *words, **more):
    write(calls, tools, **more)
    return haft("run", "s.json", "show or leak the picture", *words)


def events(run="last"):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def results(run="last"):
    return [e["result"] for e in events(run) if e["kind"] == "call_finished"]


def stored(run="last"):
    return [e for e in events(run) if e["kind"] == "artifact_stored"]


def artifact(name, *words):
    return haft("runs", "artifact", "last", name, *words)[1]


def test_command():
    """Twice a picture: in the log, in the store, in files, in a fork and in another store."""
    chart = tool("chart", "cat", "picture")
    status, out, err = play(["chart", "chart"], [chart], "--artifacts", "files", "--json")
    line = "%s bytes of image/png, stored as the artifact %s"
    size = f"{len(PICTURE):,}"
    check("run ends", (status, json.loads(out)["end"], err), (0, "done", ""))
    check("model reads a line for each picture", results(),
          [line % (size, "chart-1.png"), line % (size, "chart-2.png")])
    about = {"media_type": "image/png", "bytes": len(PICTURE),
             "sha256": hashlib.sha256(PICTURE).hexdigest()}
    check("result lists the artifacts", json.loads(out)["artifacts"],
          [dict(about, name="chart-1.png"), dict(about, name="chart-2.png")])
    check("the log has the bytes",
          [(e["encoding"], base64.b64decode(e["content"], validate=True)) for e in stored()],
          [("base64", PICTURE)] * 2)
    check("the store has the bytes", artifact("chart-2.png"), PICTURE)
    check("files have the bytes",
          [(Path(scratch) / "files" / f"chart-{n}.png").read_bytes() for n in (1, 2)],
          [PICTURE] * 2)
    check("the replay is identical", haft("runs", "replay", "last")[1].split(b":")[0], b"identical")
    log = haft("runs", "events", "last")[1]
    (Path(scratch) / "log.jsonl").write_bytes(log)
    other = f"sqlite:{scratch}/other.db"
    check("run moves to another store",
          haft("migrate", "--from", environment["HAFT_STORE"], "--to", other)[0], 0)
    check("moved run has its events and artifacts",
          (haft("runs", "events", "last", "--store", other)[1] == log,
           artifact("chart-1.png", "--store", other) == PICTURE), (True, True))
    fork = haft("runs", "fork", "last", "--turn", 1)
    check("fork is created", fork[0], 0)
    check("fork has the artifacts up to its turn",
          (artifact("chart-1.png") == PICTURE,
           haft("runs", "artifact", "last", "chart-2.png")[0]),
          (True, 2))
    check("fork continues", (haft("resume", "last", "--quiet")[:2], artifact("chart-2.png")),
          ((0, b"over\n"), PICTURE))
    status, _, err = play(["chart"], [chart])
    check("timeline shows the artifact",
          (status, f"stored chart-1.png: {len(PICTURE)} bytes, image/png" in err), (0, True))


def test_text():
    """Text stays text; a name that is in use is not used again."""
    latin = tool("latin", "printf", r"na\357ve")
    check("8-bit text is not an artifact",
          (play(["latin"], [latin], "--quiet")[0], results(), stored()),
          (0, ["na?ve"], []))
    zero = tool("zero", "printf", r"a\000")
    check("text with a NUL is an artifact", (play(["zero"], [zero], "--quiet")[0], results()),
          (0, ["2 bytes of application/octet-stream, stored as the artifact zero-1.bin"]))
    keep = {"name": "store_artifact", "arguments": {"name": "zero-1.bin", "content": "mine"}}
    write(["zero"], [zero, {"builtin": ["store_artifact"]}])
    (Path(scratch) / "script.json").write_text(json.dumps({"replies": [
        {"calls": [keep]}, {"calls": [{"name": "zero", "arguments": {}}]}, {"text": "over"}]}))
    check("name of the model's artifact is not used again",
          (haft("run", "s.json", "do it", "--quiet")[0], artifact("zero-1.bin"),
           artifact("zero-2.bin")), (0, b"mine", b"a\0"))
    strict = dict(zero, output_schema={"type": "object"})
    check("a result with a schema is JSON", (play(["zero"], [strict], "--quiet")[0], stored()),
          (0, []))
    cached = dict(zero, traits={"read_only": True, "idempotent": True, "cache": "global"})
    for number in (1, 2):
        check(f"a result that is binary is not kept for other runs {number}",
              (play(["zero"], [cached], "--quiet")[0], artifact("zero-1.bin")), (0, b"a\0"))


def test_limit():
    for bytes, line in ((LIMIT, "8,388,608 bytes of application/octet-stream, stored as the "
                                "artifact zeros-1.bin"),
                        (LIMIT + 1, "8,388,609 bytes of application/octet-stream, not stored: the "
                                    "limit for a binary result is 8,388,608 bytes")):
        zeros = tool("zeros", "head", "-c", str(bytes), "/dev/zero")
        status = play(["zeros"], [zeros], "--quiet")[0]
        check(f"result of {bytes} bytes", (status, results(), len(stored())),
              (0, [line], int(bytes == LIMIT)))
        check(f"result of {bytes} bytes replays", haft("runs", "replay", "last")[1].split(b":")[0],
              b"identical")


def test_secret():
    (Path(scratch) / "leak").write_bytes(b"\x00\x01" + SECRET.encode() + b"\xff")
    environment["MY_TOKEN"] = SECRET
    leak = tool("leak", "cat", "leak", env={"TOKEN": "${MY_TOKEN}"})
    status, out, err = play(["leak"], [leak], "--artifacts", "leaked")
    check("bytes with a secret are not stored",
          (status, results(), stored(), (Path(scratch) / "leaked").exists()
           and list((Path(scratch) / "leaked").iterdir())),
          (0, ["21 bytes of application/octet-stream, not stored: they contain a secret"], [], []))
    status = play(["docs:leak"], [], "--quiet", mcp={"servers": {"docs": {
        "command": [sys.executable, "server.py"], "env": {"TOKEN": "${MY_TOKEN}"}}}})[0]
    check("bytes of a server with a secret are not stored",
          (status, "not kept: its base64 is not valid, or had a secret" in results()[0], stored()),
          (0, True, []))
    del environment["MY_TOKEN"]
    spelled = [SECRET.encode()] + [base64.b64encode(b"\0" * n + SECRET.encode())[4:-4]
                                   for n in range(3)]
    kept = b"".join(path.read_bytes() for path in Path(scratch).glob("haft.db*"))
    check("no output or file has the secret",
          [s in kept + out + err.encode() for s in spelled], [False] * 4)


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.test")
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"\x00\xff\n")

    def log_message(self, *_):
        pass


def test_http():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    get = {"name": "get", "description": "Gets it.", "args": [], "http": {
        "method": "GET", "url": f"http://127.0.0.1:{server.server_port}/", "allow_private": True}}
    status = play(["get"], [get], "--quiet")[0]
    check("declared type is used", (status, results(), artifact("get-1.bin")),
          (0, ["3 bytes of application/vnd.test, stored as the artifact get-1.bin"],
           b"\x00\xff\n"))
    server.shutdown()
    server.server_close()


def test_mcp():
    status = play(["docs:show"], [], "--quiet", mcp={"servers": {"docs": {
        "command": [sys.executable, "server.py"]}}})[0]
    check("a line for each part", (status, results()[0].splitlines()), (0, [
        "Two:", f"[image image/png, {len(PICTURE)} bytes]", "[resource x:y, 3 bytes]",
        f"{len(PICTURE):,} bytes of image/png, stored as the artifact docs-show-1.png",
        "3 bytes of application/octet-stream, stored as the artifact docs-show-1.bin"]))
    check("both parts are stored", (artifact("docs-show-1.png"), artifact("docs-show-1.bin")),
          (PICTURE, b"\0\1\2"))
    check("the replay is identical", haft("runs", "replay", "last")[1].split(b":")[0], b"identical")


def test_served():
    """`haft mcp` passes binary results on."""
    (Path(scratch) / "leak").write_bytes(b"\x00" + SECRET.encode())
    environment["MY_TOKEN"] = SECRET
    write([], [tool("chart", "cat", "picture"), tool("zero", "printf", r"a\000"),
               tool("leak", "cat", "leak", env={"TOKEN": "${MY_TOKEN}"})])
    asked = [{"id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}}, {"method": "notifications/initialized"}]
    asked += [{"id": 2 + n, "method": "tools/call", "params": {"name": name, "arguments": {}}}
              for n, name in enumerate(("chart", "zero", "leak"))]
    server = subprocess.Popen([HAFT, "mcp", "s.json"], cwd=scratch, env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for message in asked:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    found = {}
    while len(found) < 4:
        message = json.loads(server.stdout.readline())
        if "result" in message:
            found[message["id"]] = message["result"]
    server.communicate()
    del environment["MY_TOKEN"]
    check("image is passed on", found[2]["content"], [{"type": "image", "mimeType": "image/png",
                                            "data": base64.b64encode(PICTURE).decode()}])
    check("other bytes are passed on", found[3]["content"], [{"type": "resource", "resource": {
        "uri": "haft:result/1", "blob": "YQA=", "mimeType": "application/octet-stream"}}])
    check("a secret is withheld", found[4]["content"], [{
        "type": "text",
        "text": "19 bytes of application/octet-stream, not stored: they contain a secret"}])


with tempfile.TemporaryDirectory() as scratch:
    # 8 MB keep a process busy for as long as a lease if a sanitizer or a loaded machine slows it.
    environment = dict(os.environ, HAFT_STORE=f"sqlite:{scratch}/haft.db", HOME=scratch,
                       HAFT_LEASE="10m", NO_COLOR="1")
    (Path(scratch) / "picture").write_bytes(PICTURE)
    (Path(scratch) / "server.py").write_text(SERVER)
    test_command()
    test_text()
    test_limit()
    test_secret()
    test_http()
    test_mcp()
    test_served()
