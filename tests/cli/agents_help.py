# SPDX-License-Identifier: Apache-2.0
"""Specs of agents with scripted models, and commands in a directory of their own."""
import json
import os
import subprocess
from pathlib import Path

HAFT = os.environ["HAFT"]
SCHEMAS = Path(__file__).resolve().parents[2] / "docs/schemas"
LONG = 300  # timeout in seconds of events that must happen soon


def call(tool_name, **arguments):
    return {"name": tool_name, "arguments": arguments}


def ask(name, **more):
    return dict({"name": f"ask_{name}", "agent": name}, **more)


def tool(name, command=None, **traits):
    how = {"command": command} if command else {"headless": True}
    return dict({"name": name, "description": f"Does {name} for these tests.", "args": []}, **how,
                **({"traits": traits} if traits else {}))


class Place:
    """A directory with a store, specs and scripts."""

    def __init__(self, directory, store=None):
        self.directory = Path(directory)
        self.environment = dict(os.environ, HOME=str(directory), NO_COLOR="1",
                                HAFT_STORE=store or f"sqlite:{directory}/haft.db")

    def haft(self, *words, text=""):
        done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                              cwd=self.directory, env=self.environment, timeout=LONG)
        return done.returncode, done.stdout, done.stderr

    def start(self, *words):
        return subprocess.Popen([HAFT, *map(str, words)], cwd=self.directory,
                                env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def put(self, name, value):
        text = value if isinstance(value, str) else json.dumps(value)
        (self.directory / name).write_text(text)
        return name

    def agent(self, name, replies, tools=(), **more):
        """The spec of an agent whose model gives these replies: lists of calls, or texts."""
        turns = [{"text": reply, "usage": {"input_tokens": 10, "output_tokens": 2}}
                 if isinstance(reply, str) else {"calls": reply} for reply in replies]
        self.put(f"{name}.script.json", {"replies": turns})
        return dict({"haft": 1, "name": name, "description": f"The agent {name} of these tests.",
                     "model": f"script:{name}.script.json", "tools": list(tools),
                     "limits": {"turns": 40, "parallel": 8}}, **more)

    def run(self, spec, *words):
        """Runs a spec; returns the exit status and the result."""
        status, out, err = self.haft("run", self.put("spec.json", spec), "go", "--json", *words)
        return status, json.loads(out) if out else {"err": err, "pending": [], "run": ""}

    def events(self, run_id, *words):
        lines = self.haft("runs", "events", run_id, *words)[1].splitlines()
        return [json.loads(line) for line in lines]

    def of_kind(self, run_id, kind):
        return [event for event in self.events(run_id) if event["kind"] == kind]

    def children(self, run_id):
        return [event["child"] for event in self.of_kind(run_id, "child_started")]

    def shown(self, run_id):
        return json.loads(self.haft("runs", "show", run_id, "--json")[1])

    def matches(self, schema, value):
        return self.haft("validate", SCHEMAS / f"{schema}.schema.json", "-",
                         text=json.dumps(value))[0] == 0
