# SPDX-License-Identifier: Apache-2.0
"""Offers a server that supports only stdio over Streamable HTTP: each posted message becomes a line
for the program, and the response is the message with the same id. Other messages of the program are
dropped. Every `initialize` starts a new program, as every session would."""
import contextlib
import http.server
import json
import subprocess
import tempfile
import threading

SECONDS = 300


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(405)

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            answer = self.server.bridge.pass_on(message)
        except NoAnswer as error:
            self.reply(502, str(error).encode())
            return
        self.reply(202 if answer is None else 200, b"" if answer is None else answer.encode())


class NoAnswer(Exception):
    """The program has ended, or does not answer."""


class Bridge:
    def __init__(self, command, environment):
        self.command, self.environment = command, environment
        self.process, self.answers, self.arrived = None, {}, threading.Condition()
        self.stderr_file = tempfile.TemporaryFile("w+")  # the standard error of all programs
        self.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.site.daemon_threads, self.site.bridge = True, self
        self.url = f"http://127.0.0.1:{self.site.server_port}/mcp"
        self.posted = []  # methods, so that a test knows which messages used the bridge
        threading.Thread(target=self.site.serve_forever, daemon=True).start()

    def begin(self):
        self.stop()
        self.process = subprocess.Popen(self.command, env=self.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.stderr_file)
        threading.Thread(target=self.read, args=[self.process], daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            message = json.loads(line)
            with self.arrived:
                if "method" not in message:
                    self.answers[message["id"]] = line
                    self.arrived.notify_all()

    def pass_on(self, message):
        """The response, or None for a notification."""
        with self.arrived:
            if self.process is None or message.get("method") == "initialize":
                self.begin()
            self.posted.append(message.get("method"))
            self.answers.pop(message.get("id"), None)
            try:
                self.process.stdin.write(json.dumps(message) + "\n")
                self.process.stdin.flush()
            except BrokenPipeError:
                raise self.no_answer("has ended") from None
            if "id" not in message or "method" not in message:
                return None
            if not self.arrived.wait_for(lambda: message["id"] in self.answers, SECONDS):
                raise self.no_answer("does not answer")
            return self.answers.pop(message["id"])

    def no_answer(self, how):
        self.stderr_file.seek(0)
        return NoAnswer(f"{self.command[1]} {how}: {self.stderr_file.read()[-2000:]}")

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(BrokenPipeError):  # the program may have ended
                self.process.stdin.close()

    def end(self):
        self.site.shutdown()
        self.site.server_close()
        self.stop()
