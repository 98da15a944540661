# SPDX-License-Identifier: Apache-2.0
"""A `haft serve` process for tests, and its clients."""
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

HAFT = os.environ["HAFT"]
JSON = {"Content-Type": "application/json"}
STREAM = {"Accept": "text/event-stream"}


def agent(name, replies, tools=(), **more):
    """Files of an agent whose model plays a script."""
    spec = {"haft": 1, "name": name, "model": f"script:{name}.script.json", "instructions": "Help.",
            "tools": list(tools), **more}
    return {f"{name}.json": json.dumps(spec),
            f"{name}.script.json": json.dumps({"replies": list(replies)})}


def write_files(directory, *agents):
    for files in agents:
        for name, text in files.items():
            (Path(directory) / name).write_text(text)


TOUCH = {"name": "touch", "description": "Appends a line to a file, which has an effect.",
         "command": ["sh", "-c", "echo x >> effects.txt; echo touched"], "args": []}
SEND = {"name": "send", "description": "Sends a letter, which a person must approve.",
        "command": ["sh", "-c", "cat >> sent.txt; echo sent"],
        "input_schema": {"type": "object", "properties": {"to": {"type": "string"}},
                         "required": ["to"], "additionalProperties": False},
        "traits": {"destructive": True, "needs_approval": True}}
PICK = {"name": "pick", "description": "Lets the user of the client pick a file.", "args": [],
        "headless": True}
LOOK = {"name": "look", "description": "Looks at a thing, without an effect.", "args": [],
        "command": ["echo", "seen"], "traits": {"read_only": True}}

QUICK = agent("quick", [{"text": "The answer is 42."}])
LOOKER = agent("looker", [{"calls": [{"name": "look", "arguments": {}}]}, {"text": "Seen."}],
               [LOOK])
ASKER = agent("asker", [
    {"calls": [{"name": "request_user_input", "arguments": {"question": "Which one?"}}]},
    {"calls": [{"name": "store_artifact", "arguments": {
        "name": "notes/answer.txt", "content": "the answer", "media_type": "text/plain"}}]},
    {"text": "Thank you."}],
    [{"builtin": ["request_user_input", "store_artifact"]}])
SENDER = agent("sender", [{"calls": [{"name": "send", "arguments": {"to": "anna"}}]},
                          {"text": "It is sent."}], [SEND])
PICKER = agent("picker", [{"calls": [{"name": "pick", "arguments": {}}]}, {"text": "Picked."}],
               [PICK])


class Reply:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def message(self):
        return self.json["error"]["message"]


class Server:
    """`haft serve` on a free port, in `directory`."""

    def __init__(self, directory, *specs, store="sqlite:runs.db", options=(), env=None,
                 listen=("--listen", "127.0.0.1:0")):
        self.process = subprocess.Popen(
            [HAFT, "serve", *specs, *listen, "--store", store, *options],
            cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})})
        self.warnings = []
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"haft serve does not start: {self.process.stderr.read()}")
        self.url = line.removeprefix("listening on ").strip()
        self.host = self.url.removeprefix("http://")
        self.reader = threading.Thread(target=self.read_warnings, daemon=True)
        self.reader.start()

    def read_warnings(self):
        for line in self.process.stderr:
            self.warnings.append(line.rstrip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(timeout=300)
        self.reader.join(timeout=300)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def connect(self, timeout=300):
        return http.client.HTTPConnection(self.host, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, token=None):
        """One request, and its whole response."""
        connection = self.connect()
        fields = dict(headers or {})
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
            fields = {**JSON, **fields}
        try:
            connection.request(method, path, body=body, headers=fields)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def start(self, agent_name, task="a task", token=None, headers=None, **more):
        """Starts a run; its object."""
        reply = self.post("/api/v1/runs", {"agent": agent_name, "task": task, **more},
                          token=token, headers=headers)
        assert reply.status == 201, (reply.status, reply.body)
        return reply.json

    def wait(self, run, timeout=120, token=None):
        return self.get(f"/api/v1/runs/{run}/wait?timeout={timeout}", token=token).json

    def command(self, run, command, token=None, **more):
        return self.post(f"/api/v1/runs/{run}/commands", {"command": command, **more}, token=token)

    def events(self, run, token=None):
        return self.get(f"/api/v1/runs/{run}/events", token=token).json["events"]

    def stream(self, run, since=None, token=None, timeout=300):
        return Stream(self, run, since, token, timeout)


class Stream:
    """The events of a run as a stream: items (id, kind, event); id is None for progress."""

    def __init__(self, server, run, since=None, token=None, timeout=300):
        self.connection = server.connect(timeout)
        headers = dict(STREAM)
        if since is not None:
            headers["Last-Event-ID"] = str(since)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request("GET", f"/api/v1/runs/{run}/events", headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def __iter__(self):
        found = {}
        try:
            for raw in self.response:
                line = raw.decode().rstrip("\n")
                if line == "" and found:
                    number = found.get("id")
                    yield (int(number) if number else None, found["event"],
                           json.loads(found["data"]))
                    found = {}
                elif not line.startswith(":") and line:
                    name, value = line.split(": ", 1)
                    found[name] = value
        except (http.client.HTTPException, OSError):
            return

    def close(self):
        self.connection.close()
