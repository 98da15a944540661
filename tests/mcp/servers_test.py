#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haft with the real servers of npm: everything, filesystem and memory, over stdio and over
Streamable HTTP; filesystem and memory have no HTTP, so the test uses bridge.py. If a server is
killed at any moment, the tool has an error, and the run continues."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "house")]
import bridge  # noqa: E402
import packages  # noqa: E402
from script import check, NAME  # noqa: E402

HAFT = os.environ["HAFT"]
SCOPE = packages.SCOPE
SERVERS = [f"{SCOPE}/server-everything", f"{SCOPE}/server-filesystem", f"{SCOPE}/server-memory"]
LONG = "HAFT_LONG" in os.environ
SECONDS = 300


def program(name, *words):
    return ["node", str(place / "node_modules" / SCOPE / f"server-{name}" / "dist/index.js"),
            *map(str, words)]


class Agent:
    """A spec with servers and a script of calls, in its own directory."""

    def __init__(self, servers, calls):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        spec = {"haft": 1, "name": "a", "model": "script:script.json", "max_mcp_tools": 64,
                "mcp": {"servers": servers}}
        replies = [{"calls": [{"name": name, "arguments": arguments}]}
                   for name, arguments in calls] + [{"text": "the end"}]
        (self.path / "script.json").write_text(json.dumps({"replies": replies}))
        (self.path / "spec.json").write_text(json.dumps(spec))
        self.task = "call " + " ".join(name for name, _ in calls)  # a task that finds those tools
        self.log = []

    def start(self):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"))
        return subprocess.Popen([HAFT, "run", "spec.json", self.task, "--store", "memory:",
                                 "--events"], cwd=self.path, text=True, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

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

    def problem_text(self):
        """Details for a failed test: errors of servers and rejected calls."""
        problems = [s for e in self.log if e["kind"] == "tools_revealed" for s in e["servers"]]
        problems += [e for e in self.log if e["kind"] == "call_refused"]
        return f"{json.dumps(problems)[:2000]} {self.err[:500]}"

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


def bridges(folder):
    """{server: bridge}, for those that support only stdio."""
    memory = dict(os.environ, MEMORY_FILE_PATH=str(folder / "memory.json"))
    return {"files": bridge.Bridge(program("filesystem", folder), dict(os.environ)),
            "memory": bridge.Bridge(program("memory"), memory)}


def three(everything, folder, others=None):
    servers = {"all": everything,
               "files": {"command": program("filesystem", folder)},
               "memory": {"command": program("memory"),
                          "env": {"MEMORY_FILE_PATH": str(folder / "memory.json")}}}
    servers.update({name: {"url": other.url} for name, other in (others or {}).items()})
    calls = [(name, arguments) for name, arguments, _ in EVERYTHING]
    calls += [(name, make(folder)) for name, make, _ in REST]
    return Agent(servers, calls)


def test_three(name, everything, web=False):
    folder = Path(tempfile.mkdtemp(dir=scratch))
    (folder / "note.txt").write_text("a note")
    others = bridges(folder) if web else {}
    try:
        return run_three(name, three(everything, folder, others), others)
    finally:
        for other in others.values():
            other.end()


def run_three(name, agent, others):
    agent.run()
    wanted = [(tool, text) for tool, _, text in EVERYTHING + REST]
    found = agent.results()
    wrong = [(f, w) for f, w in zip(found, wanted) if f[0] != w[0] or w[1] not in f[2]]
    if wrong or len(found) != len(wanted) or agent.end() != DONE:
        print("#", agent.problem_text())
    check(f"three_servers_answer_{name}", (agent.end(), wrong, len(found)), (DONE, [], len(wanted)))
    for server, other in others.items():
        check(f"{server}_{name}_was_called_through_the_bridge", other.posted.count("tools/call"), 2)
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
    """Kills the servers: they are children of guard, which is a child of haft."""
    for guard in children_of(pid):
        for server in children_of(guard):
            try:
                os.kill(server, signal.SIGKILL)
            except OSError:
                pass


def kill_one_below(pid):
    for guard in children_of(pid):
        for server in children_of(guard):
            try:
                os.kill(server, signal.SIGKILL)
                return
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
    reported = len(ends) == 2 and (ends[0][1] or "the MCP server 'all'" in ends[0][2])
    if not good or not reported:
        print("#", ends, agent.err[:500])
    check(f"the_run_continues_after_a_server_is_killed_{name}",
          (killed, agent.end(), good, reported),
          (True, DONE, True, True))


def test_killed_at(seconds):
    """Kills one of three servers after some time: the run ends, the others answer, and errors name
    the server.
    """
    folder = Path(tempfile.mkdtemp(dir=scratch))
    (folder / "note.txt").write_text("a note")
    agent = three({"command": program("everything", "stdio")}, folder)
    process = agent.start()
    killer = threading.Timer(seconds, lambda: kill_one_below(process.pid))
    killer.start()
    out, agent.err = process.communicate(timeout=SECONDS)
    killer.cancel()
    agent.status, agent.log = process.returncode, [json.loads(line) for line in out.splitlines()]
    wanted = [tool for tool, *_ in EVERYTHING + REST]
    results = agent.results()
    failed = {tool.split(":")[0] for tool, ok, text in results
              if not ok and "Access denied" not in text}
    unclear = [text for tool, ok, text in results if not ok and "Access denied" not in text
               and f"the MCP server '{tool.split(':')[0]}'" not in text]
    if agent.end() != DONE or unclear or len(failed) > 1:
        print("#", results, agent.err[:500])
    check(f"one_of_three_killed_after_{seconds:.1f}_s",
          (agent.end(), [tool for tool, *_ in results] == wanted, len(failed) <= 1, unclear),
          (DONE, True, True, []))


def listens_at(pid):
    """The TCP port of a listening process; None while it has none."""
    sockets = set()
    for fd in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            sockets.add(os.readlink(fd))
        except OSError:
            pass
    for table in (f"/proc/{pid}/net/tcp", f"/proc/{pid}/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and f"socket:[{rest[5]}]" in sockets:
                return int(local.rsplit(":", 1)[1], 16)
    return None


class Web:
    """server-everything over Streamable HTTP. The system chooses its port: a port that is chosen
    before the start may be in use later.
    """

    def __init__(self):
        self.stderr_file = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(program("everything", "streamableHttp"),
                                        env=dict(os.environ, PORT="0"),
                                        stdout=subprocess.DEVNULL, stderr=self.stderr_file)
        give_up, self.port = time.monotonic() + SECONDS, None
        while not self.port:
            time.sleep(0.05)
            if self.process.poll() is not None:
                self.stderr_file.seek(0)
                sys.exit(f"# the server has ended: {self.stderr_file.read()[:2000]}")
            if time.monotonic() > give_up:
                sys.exit(f"# the server does not listen after {SECONDS} seconds")
            self.port = listens_at(self.process.pid)

    def end(self):
        self.process.kill()
        self.process.wait()


def test_web():
    web = Web()
    try:
        agent = test_three("over_http", {"url": f"http://127.0.0.1:{web.port}/mcp"}, web=True)
        calls = [("all:echo", {"message": "one"})]
        dead = Agent({"all": {"url": f"http://127.0.0.1:{web.port}/mcp"}}, calls)
        shutil.copytree(agent.path / "state", dead.path / "state")
    finally:
        web.end()
    dead.run()
    # Its tools are cached; the call cannot connect.
    check("a_call_of_a_server_that_has_ended_fails",
          (dead.end(), [(t, ok) for t, ok, _ in dead.results()],
                                    all("the MCP server 'all'" in m for _, _, m in dead.results())),
          (DONE, [("all:echo", False)], True))


def test_web_killed():
    """Kills a server over HTTP between a request and its response."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    (folder / "note.txt").write_text("a note")
    web = Web()
    agent = Agent({"all": {"url": f"http://127.0.0.1:{web.port}/mcp"},
                   "files": {"command": program("filesystem", folder)}},
                  [("all:trigger-long-running-operation", {"duration": 30, "steps": 4}),
                   ("files:read_text_file", {"path": str(folder / "note.txt")}),
                   ("all:echo", {"message": "again"})])
    process = agent.start()
    for line in process.stdout:
        agent.log.append(json.loads(line))
        if agent.log[-1]["kind"] == "call_progress" or agent.log[-1]["kind"] == "call_started":
            web.end()
    agent.err, agent.status = process.stderr.read(), process.wait(timeout=SECONDS)
    found = agent.results()
    check("the_run_continues_after_a_server_is_killed_over_http",
          (agent.end(), [(tool, ok) for tool, ok, _ in found],
                               all(ok or "the MCP server 'all'" in text for _, ok, text in found)),
          (DONE, [("all:trigger-long-running-operation", False), ("files:read_text_file", True),
                  ("all:echo", False)], True))


place = packages.install(NAME, "the_real_servers", "mcp-servers", SERVERS)
scratch = tempfile.mkdtemp(prefix="haft-mcp-")
try:
    test_three("over_stdio", {"command": program("everything", "stdio")})
    test_web()
    test_killed("while_a_call_runs", "call_started")
    test_web_killed()
    test_killed_at(1.0)
    if LONG:
        for tenths in range(2, 30, 3):
            test_killed_at(tenths / 10)
        for event in ("run_started", "tools_revealed", "turn_started", "model_replied",
                      "call_finished"):
            test_killed(f"at_{event}", event)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
