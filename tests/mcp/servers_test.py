#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haft with the real servers of npm: everything, filesystem and memory over stdio, and everything
over Streamable HTTP. Any of them may be killed at any moment: that is an error of a tool, and the
run goes on."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import packages  # noqa: E402

NAME = "mcp/servers_test.py"
HAFT = os.environ["HAFT"]
SCOPE = packages.SCOPE
SERVERS = [f"{SCOPE}/server-everything", f"{SCOPE}/server-filesystem", f"{SCOPE}/server-memory"]
LONG = "HAFT_LONG" in os.environ
SECONDS = 120


def check(name, found, wanted):
    if found != wanted:
        print(f"# found  {found!r}\n# wanted {wanted!r}")
    print(f"{'ok' if found == wanted else 'not ok'} {NAME} {name}", flush=True)


def program(name, *words):
    return ["node", str(place / "node_modules" / SCOPE / f"server-{name}" / "dist/index.js"),
            *map(str, words)]


class Agent:
    """A spec with servers and a script of calls, in a directory of its own."""

    def __init__(self, servers, calls):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        spec = {"haft": 1, "name": "a", "model": "script:script.json", "max_mcp_tools": 64,
                "mcp": {"servers": servers}}
        replies = [{"calls": [{"name": name, "arguments": arguments}]}
                   for name, arguments in calls] + [{"text": "the end"}]
        (self.path / "script.json").write_text(json.dumps({"replies": replies}))
        (self.path / "spec.json").write_text(json.dumps(spec))
        self.log = []

    def start(self):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"))
        return subprocess.Popen([HAFT, "run", "spec.json", "go", "--store", "memory:", "--events"],
                                cwd=self.path, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)

    def run(self):
        process = self.start()
        out, self.err = process.communicate(timeout=SECONDS)
        self.status = process.returncode
        self.log = [json.loads(line) for line in out.splitlines()]
        return self

    def end(self):
        return (self.status, self.log[-1]["kind"], self.log[-1].get("end"))

    def results(self):
        return [(e["tool"], e["ok"], e["result"] if e["ok"] else e["error"]["message"])
                for e in self.log if e["kind"] == "call_finished"]

    def states(self):
        return {s["name"]: s["state"] for e in self.log if e["kind"] == "tools_revealed"
                for s in e["servers"]}


DONE = (0, "run_finished", "done")
EVERYTHING = [("all:echo", {"message": "hello"}, "Echo: hello"),
              ("all:get-sum", {"a": 2, "b": 40}, "42"),
              ("all:get-tiny-image", {}, "image/png"),
              ("all:get-structured-content", {"location": "New York"}, "temperature"),
              ("all:trigger-long-running-operation", {"duration": 1, "steps": 3}, "completed")]
REST = [("files:read_text_file", lambda p: {"path": str(p / "note.txt")}, "a note"),
        ("files:read_text_file", lambda p: {"path": "/etc/passwd"}, "Access denied"),
        ("memory:create_entities", lambda p: {"entities": [
            {"name": "Ada", "entityType": "person", "observations": ["wrote notes"]}]}, "Ada"),
        ("memory:search_nodes", lambda p: {"query": "Ada"}, "wrote notes")]


def three(everything, folder):
    servers = {"all": everything,
               "files": {"command": program("filesystem", folder)},
               "memory": {"command": program("memory"),
                          "env": {"MEMORY_FILE_PATH": str(folder / "memory.json")}}}
    calls = [(name, arguments) for name, arguments, _ in EVERYTHING]
    calls += [(name, make(folder)) for name, make, _ in REST]
    return Agent(servers, calls)


def test_three(name, everything):
    folder = Path(tempfile.mkdtemp(dir=scratch))
    (folder / "note.txt").write_text("a note")
    agent = three(everything, folder).run()
    wanted = [(tool, text) for tool, _, text in EVERYTHING + REST]
    found = agent.results()
    wrong = [(f, w) for f, w in zip(found, wanted) if f[0] != w[0] or w[1] not in f[2]]
    if wrong or agent.end() != DONE:
        print("#", agent.err[:500])
    check(f"three_servers_{name}", (agent.end(), wrong, len(found)), (DONE, [], len(wanted)))
    if LONG:
        check(f"the_second_time_their_tools_are_known_{name}",
              set(agent.run().states().values()), {"known"})
    return agent


def children_of(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        if int(text.rsplit(")", 1)[1].split()[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def kill_all_below(pid):
    """The servers, which are children of guard, which is a child of haft."""
    for guard in children_of(pid):
        for server in children_of(guard):
            try:
                os.kill(server, signal.SIGKILL)
            except OSError:
                pass


def test_killed(name, moment):
    """Kills every server once, when an event of this kind is seen."""
    calls = [("all:trigger-long-running-operation", {"duration": 2, "steps": 4}),
             ("all:echo", {"message": "again"})]
    agent = Agent({"all": {"command": program("everything", "stdio")}}, calls)
    process = agent.start()
    lines, killed = [], False
    for line in process.stdout:
        lines.append(json.loads(line))
        if lines[-1]["kind"] == moment and not killed:
            killed = True
            kill_all_below(process.pid)
    agent.err, agent.log = process.stderr.read(), lines
    agent.status = process.wait(timeout=SECONDS)
    ends = agent.results()
    good = len(ends) == 2 and ends[1] == ("all:echo", True, "Echo: again")
    told = len(ends) == 2 and (ends[0][1] or "the MCP server 'all'" in ends[0][2])
    if not good or not told:
        print("#", ends, agent.err[:500])
    check(f"killed_{name}", (killed, agent.end(), good, told),
          (True, DONE, True, True))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Web:
    """server-everything over Streamable HTTP."""

    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen(program("everything", "streamableHttp"),
                                        env=dict(os.environ, PORT=str(self.port)),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun = time.monotonic()
        while time.monotonic() - begun < SECONDS:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)

    def end(self):
        self.process.kill()
        self.process.wait()


def test_web():
    web = Web()
    try:
        agent = test_three("over_http", {"url": f"http://127.0.0.1:{web.port}/mcp"})
        calls = [("all:echo", {"message": "one"})]
        dead = Agent({"all": {"url": f"http://127.0.0.1:{web.port}/mcp"}}, calls)
        shutil.copytree(agent.path / "state", dead.path / "state")
    finally:
        web.end()
    dead.run()
    # Its tools are known from before; the call finds nobody there.
    check("a_server_that_is_gone", (dead.end(), [(t, ok) for t, ok, _ in dead.results()],
                                    all("the MCP server 'all'" in m for _, _, m in dead.results())),
          (DONE, [("all:echo", False)], True))


place = packages.install(NAME, "the_real_servers", "mcp-servers", SERVERS)
scratch = tempfile.mkdtemp(prefix="haft-mcp-")
try:
    test_three("over_stdio", {"command": program("everything", "stdio")})
    test_web()
    test_killed("while_a_call_runs", "call_started")
    if LONG:
        for event in ("run_started", "tools_revealed", "turn_started", "model_replied",
                      "call_finished"):
            test_killed(f"at_{event}", event)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
