#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers over Streamable HTTP that are good or bad in one way each, here in the test: sessions
that end, streams that break, answers that are none. The run goes on to its end."""
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

HAFT = os.environ["HAFT"]
RESUMES = 5  # HAFT__LIMIT_MCP_RESUMES
SAY = {"name": "say", "description": "Says a word.", "annotations": {"readOnlyHint": True},
       "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}}}


def check(name, found, wanted):
    if found != wanted:
        print(f"# found  {found!r}\n# wanted {wanted!r}")
    print(f"{'ok' if found == wanted else 'not ok'} mcp/web_test.py {name}", flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="application/json", headers=()):
        self.send_response(status)
        if body:
            self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, number, result, headers=()):
        text = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
        self.reply(200, text.encode(), headers=headers)

    def stream(self, text):
        """Events, and then the connection is closed."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def do_GET(self):
        site = self.server.site
        site.seen.append(("GET", self.headers.get("Last-Event-ID"),
                          self.headers.get("Mcp-Session-Id")))
        if site.way in ("resume", "resume_forever") and self.headers.get("Last-Event-ID"):
            if site.way == "resume_forever":
                self.stream("id: again\nretry: 1\ndata:\n\n")
                return
            self.stream("id: e2\ndata: " + json.dumps(site.result(site.waiting)) + "\n\n")
            return
        self.reply(404 if site.way == "forgotten" else 405)

    def do_DELETE(self):
        self.server.site.seen.append(("DELETE", self.headers.get("Mcp-Session-Id")))
        self.reply(200)

    def do_POST(self):
        site = self.server.site
        length = int(self.headers.get("Content-Length", 0))
        message = json.loads(self.rfile.read(length))
        site.headers.append(dict(self.headers))
        method, number = message.get("method"), message.get("id")
        site.seen.append((method, self.headers.get("Mcp-Session-Id")))
        if method == "server/discover":
            self.reply(404, b"no")
        elif method == "initialize":
            site.sessions += 1
            self.answer(number, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                 "serverInfo": {"name": "w", "version": "1"}},
                        [("Mcp-Session-Id", f"s{site.sessions}")])
        elif number is None:
            self.reply(202)
        elif method == "tools/list":
            self.answer(number, {"tools": [SAY]})
        elif method == "tools/call":
            self.call(site, number)
        else:
            self.reply(404)

    def call(self, site, number):
        way = site.way
        site.calls += 1
        if way == "expire" and site.calls == 1:
            self.reply(404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}')
        elif way == "sse":
            self.stream(": hello\n\ndata:\n\nevent: message\ndata: "
                        + json.dumps(site.result(number)) + "\n\n")
        elif way in ("resume", "resume_forever", "forgotten"):
            site.waiting = number
            self.stream("id: e1\nretry: 20\ndata:\n\n")
        elif way == "cut":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"jsonrpc"')
            self.close_connection = True
        elif way == "empty":
            self.reply(200, b" ")
        elif way == "html":
            self.reply(200, b"<html>Please log in</html>", "text/html")
        elif way == "error":
            self.reply(503, b"come back later", "text/plain")
        elif way == "denied":
            self.reply(401, b"", headers=[("WWW-Authenticate", "Bearer")])
        elif way == "redirect":
            self.reply(307, headers=[("Location", "http://169.254.169.254/")])
        elif way == "huge":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(b" " * (1 << 20))
            except OSError:
                pass
            self.close_connection = True
        elif way == "hang":
            site.hold.wait(60)
            self.close_connection = True
        else:
            self.answer(number, site.result(number)["result"])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client may break off when it likes."""


class Site:
    def __init__(self, way):
        self.way, self.seen, self.headers = way, [], []
        self.sessions = self.calls = 0
        self.waiting, self.hold = None, threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.site = self
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def result(self, number):
        return {"jsonrpc": "2.0", "id": number,
                "result": {"content": [{"type": "text", "text": "you said it"}]}}

    def run(self, **more):
        """What the call came back with, once all is over."""
        place = Path(tempfile.mkdtemp(dir=scratch))
        server = {"url": f"http://127.0.0.1:{self.server.server_address[1]}/mcp",
                  "headers": {"X-Word": "${WORD}"}, **more}
        (place / "spec.json").write_text(json.dumps(
            {"haft": 1, "name": "a", "model": "script:script.json",
             "mcp": {"servers": {"web": server}}}))
        (place / "script.json").write_text(json.dumps({"replies": [
            {"calls": [{"name": "web:say", "arguments": {"word": "x"}}]}, {"text": "the end"}]}))
        done = subprocess.run(
            [HAFT, "run", "spec.json", "go", "--store", "memory:", "--events"], cwd=place,
            text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
            env=dict(os.environ, XDG_STATE_HOME=str(place / "state"), WORD="a canary word"))
        self.hold.set()
        self.server.shutdown()
        self.server.server_close()
        self.log = [json.loads(line) for line in done.stdout.splitlines()]
        ends = [e for e in self.log if e["kind"] == "call_finished"]
        self.end = (done.returncode, self.log[-1].get("end"))
        if not ends:
            return done.stdout[-2000:] + done.stderr
        self.hint = "" if ends[0]["ok"] else ends[0]["error"]["hint"]
        return ends[0]["result"] if ends[0]["ok"] else ends[0]["error"]["message"]


def one(name, way, part, **more):
    site = Site(way)
    text = site.run(**more)
    check(name, (site.end, part in text or text), ((0, "done"), True))
    return site


scratch = tempfile.mkdtemp(prefix="haft-web-")
try:
    site = one("json", "good", "you said it")
    check("the_session_is_kept_and_ended",
          [s for s in site.seen if s[0] in ("tools/call", "DELETE")],
          [("tools/call", "s1"), ("DELETE", "s1")])
    check("headers_of_the_spec_are_sent", {h.get("X-Word") for h in site.headers},
          {"a canary word"})
    check("the_version_is_sent", site.headers[-1].get("MCP-Protocol-Version"), "2025-11-25")
    check("no_value_of_a_header_is_written_down", "canary" in json.dumps(site.log), False)
    one("a_stream", "sse", "you said it")
    site = one("a_session_that_is_over", "expire", "you said it")
    check("another_is_begun", site.sessions, 2)
    site = one("a_stream_that_breaks", "resume", "you said it")
    check("it_is_taken_up_where_it_was", [s for s in site.seen if s[0] == "GET" and s[1]],
          [("GET", "e1", "s1")])
    site = one("a_stream_that_always_breaks", "resume_forever", "the MCP server 'web'")
    check("it_is_taken_up_a_few_times", len([s for s in site.seen if s[0] == "GET" and s[1]]),
          RESUMES)
    site = one("a_stream_that_is_forgotten", "forgotten", "broke off")
    check("the_call_is_not_made_again", (site.calls, "may or may not" in site.hint), (1, True))
    one("an_answer_that_is_cut", "cut", "the MCP server 'web'")
    one("an_empty_answer", "empty", "the MCP server 'web'")
    one("a_page_for_people", "html", "the MCP server 'web'")
    site = one("an_error_of_http", "error", "503")
    check("which_may_have_had_its_effect", "may or may not" in site.hint, True)
    one("no_token", "denied", "401")
    one("a_redirect", "redirect", "307")
    one("an_answer_without_end", "huge", "the answer is longer than a message may be")
    one("one_that_hangs", "hang", "longer than the 1000 ms", timeout="1s", trust=True)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
