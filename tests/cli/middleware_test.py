#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""middleware: each kind of entry, in every place and order; hooks that deny, change, replace, hang,
crash, print too much or answer garbage; what a process that is killed leaves behind."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
POINTS = ["before_model", "after_model", "before_tool", "after_tool"]
scratch = Path(tempfile.mkdtemp())


class World:
    """A spec with a tool `echo`, which appends each call to a file, and a script for its model."""

    def __init__(self, name, middleware, replies=None, **more):
        self.dir = scratch / name
        self.dir.mkdir()
        self.middleware = middleware
        self.more = more
        if replies is None:
            replies = [{"calls": [{"name": "echo", "arguments": {"text": "one"}}]},
                       {"text": "done"}]
        (self.dir / "script.yaml").write_text(json.dumps({"replies": replies}))
        self.write()

    def write(self):
        tool = {"name": "echo", "description": "Echoes a text to the caller.", "args": ["text"],
                "stdin": "{text}", "command": ["sh", "-c", "echo ran >> ran; cat"],
                **self.more.pop("tool", {})}
        self.more["tool"] = {k: v for k, v in tool.items() if k in ("traits",)}
        rest = {k: v for k, v in self.more.items() if k != "tool"}
        (self.dir / "spec.json").write_text(json.dumps({
            "haft": 1, "name": "m", "model": "script:script.yaml", "tools": [tool],
            "middleware": self.middleware, **rest}))

    def command(self, *words):
        return [HAFT, *words, "--store", f"sqlite:{self.dir / 'runs.db'}"]

    def haft(self, *words):
        return subprocess.run(self.command(*words), cwd=self.dir, text=True, capture_output=True,
                              timeout=120)

    def run(self, task="go"):
        self.result = self.haft("run", "spec.json", task)
        return self

    def events(self, kind=None):
        lines = self.haft("runs", "events", "last").stdout.splitlines()
        events = [json.loads(line) for line in lines]
        return [event for event in events if kind in (None, event["kind"])]

    def said(self):
        """(name, where, what) of each intervention."""
        return [(e["name"], e["where"], e["what"]) for e in self.events("intervention")]

    def end(self):
        last = self.events()[-1]
        return last.get("end"), last.get("answer")

    def lines(self, name):
        path = self.dir / name
        return path.read_text().splitlines() if path.exists() else []

    def replays(self):
        done = self.haft("runs", "replay", "last")
        return done.returncode == 0 and "identical" in done.stdout


def hook(script, **more):
    return {"command": {"run": ["sh", "-c", script], **more}}


def reply(**members):
    return f"cat > /dev/null; echo '{json.dumps(members)}'"


def in_parallel(cases):
    with ThreadPoolExecutor(4) as pool:
        for name, failure in pool.map(lambda case: case(), cases):
            check(name, failure, None)


def case(name, test):
    def run():
        try:
            return name, test()
        except Exception as error:  # a broken case must not hide the others
            return name, repr(error)
    return run


def differs(wanted, found):
    return None if wanted == found else f"wanted {wanted}, found {found}"


# ---- order ----

def order():
    script = 'cat > /dev/null; echo "$1" >> order; echo {}'
    entries = [{"command": {"name": f"h{i}", "at": POINTS,
                            "run": ["sh", "-c", script, "sh", str(i)]}} for i in (1, 2, 3)]
    world = World("order", entries, replies=[{"text": "done"}]).run()
    straight = world.lines("order")
    world = World("order2", entries).run()
    return (differs(["1", "2", "3", "3", "2", "1"], straight)
            or differs(["1", "2", "3", "3", "2", "1"] * 3, world.lines("order"))
            or differs(True, world.replays()))


def fifty():
    entries = [{"call_limit": {"name": f"l{i}", "max": 5}} for i in range(44)]
    entries += [hook("cat > /dev/null; echo ran >> hooks; echo {}", name=f"h{i}") for i in range(6)]
    world = World("fifty", entries).run()
    return (differs(("done", "done"), world.end()) or differs(6, len(world.lines("hooks")))
            or differs(True, world.replays()))


# ---- what a hook may do at each place ----

def effects():
    deny, replace = reply(deny="no"), reply(result="other")
    rows = [
        # place, script, end and answer, runs of the tool, intervention
        ("before_model", deny, ("refused", ""), 0, "denied"),
        ("after_model", deny, ("refused", ""), 0, "denied"),
        ("before_tool", deny, ("done", "done"), 0, "denied"),
        ("after_tool", deny, ("done", "done"), 1, "denied"),
        ("before_model", replace, ("done", "other"), 0, "replaced"),
        ("before_tool", replace, ("done", "done"), 0, "replaced"),
        ("after_tool", replace, ("done", "done"), 1, "replaced"),
        ("before_tool", reply(arguments={"text": "two"}), ("done", "done"), 1, "changed"),
        ("before_tool", reply(arguments={"txt": 1}), ("done", "done"), 0, "changed"),
        ("after_tool", reply(note="careful"), ("done", "done"), 1, "noted"),
        ("before_model", reply(note="careful"), ("done", "done"), 1, "noted"),
        ("before_tool", "cat > /dev/null", ("done", "done"), 1, "allowed"),
    ]

    def test(index, place, script, end, ran, what):
        world = World(f"effect{index}", [hook(script, at=[place])]).run()
        return (differs(end, world.end()) or differs(ran, len(world.lines("ran")))
                or differs(("command", place, what), world.said()[0])
                or differs(True, world.replays()))
    return [case(f"a hook {row[4]} at {row[0]} ({i})", lambda i=i, row=row: test(i, *row))
            for i, row in enumerate(rows)]


def seen():
    """The model and the tool get what the hooks left."""
    two = [{"calls": [{"name": "echo", "arguments": {"text": "one"}}]},
           {"expect": {"contains": "TWO"}, "text": "done"}]
    world = World("seen", [hook(reply(arguments={"text": "TWO"}))], replies=two).run()
    noted = [{"expect": {"contains": "Be kind."}, "text": "done"}]
    world2 = World("seen2", [hook(reply(note="Be kind."), at=["before_model"])],
                   replies=noted).run()
    result = [{"calls": [{"name": "echo", "arguments": {"text": "one"}}]},
              {"expect": {"contains": "instead"}, "text": "done"}]
    world3 = World("seen3", [hook(reply(result="instead"), at=["after_tool"])],
                   replies=result).run()
    return (differs(("done", "done"), world.end()) or differs(("done", "done"), world2.end())
            or differs(("done", "done"), world3.end()))


def request():
    """A hook reads one JSON object, and its environment has the facts about the call."""
    world = World("request", [hook("cat > seen; env > env; echo {}", env={"OWN": "x"})])
    world.haft("run", "spec.json", "go", "--user", "ann")
    found = json.loads((world.dir / "seen").read_text())
    run = world.events()[0]["run"]
    names = dict(line.split("=", 1) for line in world.lines("env") if "=" in line)
    return (differs({"event": "before_tool", "name": "command", "run": run,
                     "thread": found.get("thread"), "user": "ann", "turn": 1, "call": "c1.1",
                     "tool": "echo", "arguments": {"text": "one"}}, found)
            or differs((run, "c1.1", "ann", "x", None),
                       (names.get("HAFT_RUN"), names.get("HAFT_CALL"), names.get("HAFT_USER"),
                        names.get("OWN"), names.get("HAFT_STORE"))))


# ---- failures ----

def failures():
    scripts = {
        "that hangs": "sleep 60",
        "that fails": "exit 3",
        "that is killed": "kill -9 $$",
        "that prints too much": "yes | head -c 1000000000",
        "with garbage": "cat > /dev/null; echo hello",
        "with a list": "cat > /dev/null; echo '[]'",
        "with an unknown member": reply(allwo=True),
        "that allows and denies": reply(allow=True, deny="no"),
        "that does not exist": None,
    }

    def test(name, script, place, mode):
        entry = hook(script, at=[place], on_error=mode, timeout="500ms") if script else {
            "command": {"run": ["./none"], "at": [place], "on_error": mode}}
        world = World(f"fail-{name}-{place}-{mode}".replace(" ", "-"), [entry]).run()
        denied = mode == "deny"
        ends = ("refused", "") if denied and "model" in place else ("done", "done")
        said = world.said()
        runs = 0 if denied and place != "after_tool" else 1
        return (differs(ends, world.end()) or differs(("command", place, "failed"), said[0])
                or differs(runs, len(world.lines("ran"))) or differs(True, world.replays()))
    rows = [(name, script, "before_tool", mode) for name, script in scripts.items()
            for mode in ("deny", "allow")]
    rows += [("with garbage", scripts["with garbage"], place, mode)
             for place in ("before_model", "after_model", "after_tool")
             for mode in ("deny", "allow")]
    return [case(f"a hook {row[0]} at {row[2]}, on_error {row[3]}", lambda row=row: test(*row))
            for row in rows]


# ---- approvals ----

def changed_after_approval():
    """A hook after the approval changes the arguments: a person must approve the new ones."""
    world = World("approve", [{"approval": {"tools": ["echo"]}},
                              hook("cat > /dev/null; echo ran >> hooks; "
                                   "echo '{\"arguments\": {\"text\": \"two\"}}'")]).run()
    first = world.events("paused")
    world.haft("approve", "last")
    second = world.events("paused")
    before = len(world.lines("ran"))
    world.haft("approve", "last")
    started = world.events("call_started")
    return (differs([{"text": "one"}], [e["arguments"] for e in first])
            or differs([{"text": "one"}, {"text": "two"}], [e["arguments"] for e in second])
            or differs((0, 1, 1), (before, len(world.lines("ran")), len(world.lines("hooks"))))
            or differs([{"text": "two"}], [e["arguments"] for e in started])
            or differs(True, world.replays()))


def removed_in_the_middle():
    """An entry that is removed while the run is paused does nothing any more."""
    world = World("removed", [{"approval": {"tools": ["echo"]}}, hook(reply(deny="no"))]).run()
    world.middleware = world.middleware[:1]
    world.write()
    refused = world.haft("approve", "last")
    world.haft("resume", "last", "--accept-spec")
    world.haft("approve", "last")
    return (differs(False, refused.returncode == 0 and not world.events("spec_changed"))
            or differs((("done", "done"), 1), (world.end(), len(world.lines("ran")))))


# ---- crashes ----

def killed(mode, repeatable=False):
    """The process dies after the hook has done its work and before its reply is recorded."""
    name = f"killed-{mode}-{repeatable}"
    entry = hook("cat > /dev/null; echo ran >> hooks; [ -e again ] || { touch again reached; "
                 "sleep 60; }; echo {}", on_error=mode, repeatable=repeatable, timeout="50s")
    world = World(name, [entry])
    process = subprocess.Popen(world.command("run", "spec.json", "go"), cwd=world.dir,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: (world.dir / "reached").exists())
    started = [e["kind"] for e in world.events()][-1]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    world.haft("resume", "last")
    what = "allowed" if repeatable else "failed"
    ran = 0 if mode == "deny" and not repeatable else 1
    return (differs("hook_started", started)
            or differs(2 if repeatable else 1, len(world.lines("hooks")))
            or differs([("command", "before_tool", what)], world.said())
            or differs((("done", "done"), ran), (world.end(), len(world.lines("ran"))))
            or differs(True, world.replays()))


def killed_after_the_tool():
    """The result of a tool with effects is recorded before a hook sees it: the tool never runs
    again."""
    world = World("killed-after", [hook("cat > /dev/null; touch reached; sleep 60",
                                        at=["after_tool"], on_error="allow", timeout="50s")])
    process = subprocess.Popen(world.command("run", "spec.json", "go"), cwd=world.dir,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: (world.dir / "reached").exists())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    world.haft("resume", "last")
    return (differs((("done", "done"), 1), (world.end(), len(world.lines("ran"))))
            or differs([("command", "after_tool", "failed")], world.said())
            or differs(True, world.replays()))


# ---- rules ----

def calls(*texts):
    return {"calls": [{"name": "echo", "arguments": {"text": text}} for text in texts]}


def limits():
    world = World("limit", [{"call_limit": {"max": 2}}],
                  replies=[calls("1", "2", "3"), calls("4"), {"text": "done"}]).run()
    per_turn = World("limit-turn", [{"call_limit": {"max": 1, "per": "turn"}}],
                     replies=[calls("1", "2"), calls("3"), {"text": "done"}]).run()
    ends = World("limit-end", [{"call_limit": {"max": 1, "on_limit": "end"}}],
                 replies=[calls("1"), calls("2"), {"text": "done"}]).run()
    other = World("limit-other", [{"call_limit": {"max": 1, "tools": ["x*"]}}],
                  replies=[calls("1", "2"), {"text": "done"}]).run()
    return (differs(2, len(world.lines("ran"))) or differs(2, len(per_turn.lines("ran")))
            or differs((("refused", ""), 1), (ends.end(), len(ends.lines("ran"))))
            or differs(6, ends.result.returncode) or differs(2, len(other.lines("ran")))
            or differs([("call_limit", "before_tool", "denied")] * 2, world.said())
            or differs(True, world.replays() and per_turn.replays() and ends.replays()))


def rate():
    world = World("rate", [{"rate_limit": {"max": 1, "per": "700ms"}}],
                  replies=[calls("1", "2"), calls("3"), {"text": "done"}]).run()
    starts = [e["at"] for e in world.events("call_started")]
    times = [sum(float(x) * y for x, y in zip(at[11:23].split(":"), (3600, 60, 1)))
             for at in starts]
    close = [b - a for a, b in zip(times, times[1:]) if 0 <= b - a < 0.699]
    return (differs([], close) or differs(3, len(times))
            or differs([("rate_limit", "before_tool", "delayed")] * 2, world.said())
            or differs(True, world.replays()))


def redaction():
    task = "card 4111 1111 1111 1111, mail bob@example.com, order AB-123"
    rows = {
        "redact": ({"patterns": {"order": "AB-\\d+"}, "kinds": ["email", "credit_card"]},
                   "card [REDACTED_CREDIT_CARD], mail [REDACTED_EMAIL], order [REDACTED_ORDER]"),
        "mask": ({"action": "mask"}, "card **** **** **** 1111, mail ***@******e.com, "
                                     "order AB-123"),
        "hash": ({"action": "hash", "kinds": ["email"]},
                 "card 4111 1111 1111 1111, mail <email_hash:5ff860bf>, order AB-123"),
    }
    for name, (options, wanted) in rows.items():
        world = World(f"redact-{name}", [{"redact": options}], replies=[
            calls("to eve@example.org"), {"text": "I wrote to eve@example.org."}]).run(task)
        everything = json.dumps([e for e in world.events() if e["kind"] != "call_started"
                                 and e["kind"] != "model_replied"])
        found = world.events()[0]["task"]
        failure = (differs(wanted, found) or differs(False, "eve@example.org" in everything)
                   or differs(True, world.replays()))
        if failure:
            return f"{name}: {failure}"
    only = World("redact-where", [{"redact": {"where": ["output"]}}],
                 replies=[{"text": "eve@example.org"}]).run("bob@example.com")
    blocked = World("redact-block", [{"redact": {"action": "block"}}]).run("bob@example.com")
    return (differs(("bob@example.com", "[REDACTED_EMAIL]"),
                    (only.events()[0]["task"], only.end()[1]))
            or differs((("refused", ""), 6), (blocked.end(), blocked.result.returncode))
            or differs("[blocked by redact: 1 email]", blocked.events()[0]["task"])
            or differs(True, only.replays() and blocked.replays()))


def errors():
    broken = {"name": "broken", "description": "A tool that always fails.", "args": [],
              "command": ["sh", "-c", "echo secret detail >&2; exit 1"]}
    world = World("errors", [{"tool_errors": {"text": "{tool} is down. Do without it."}}],
                  replies=[{"calls": [{"name": "broken", "arguments": {}}]},
                           {"expect": {"contains": "broken is down. Do without it."},
                            "text": "done"}])
    spec = json.loads((world.dir / "spec.json").read_text())
    spec["tools"].append(broken)
    (world.dir / "spec.json").write_text(json.dumps(spec))
    world.run()
    kept = world.events("call_finished")[0]["error"]["message"]
    return (differs(("done", "done"), world.end()) or differs(True, "exit status 1" in kept)
            or differs(True, world.replays()))


def todos():
    steps = [{"content": "read", "status": "completed"}, {"content": "write", "status": "pending"}]
    write = {"name": "write_todos", "arguments": {"todos": steps}}
    world = World("todos", [{"todo_list": {}}],
                  replies=[{"calls": [write]}, {"calls": [write, {
                      "name": "write_todos", "arguments": {"todos": steps[:1]}}]},
                      {"text": "done"}]).run()
    shown = world.result.stderr
    oks = [e["ok"] for e in world.events("call_finished")]
    return (differs([True, True, False], oks) or differs(True, "[x] read" in shown)
            or differs(True, "[ ] write" in shown) or differs(True, world.replays()))


def selection():
    world = World("select", [{"select_tools": {"except": ["echo"], "turns": {"to": 1}}}],
                  replies=[calls("1"), calls("2"), {"text": "done"}]).run()
    allowed = [e["allowed"] for e in world.events("turn_started")]
    why = [e["why"] for e in world.events("intervention")]
    return (differs([[], ["echo"], ["echo"]], allowed[-3:])
            or differs(["left out: echo", "all tools"], why)
            or differs(1, len(world.lines("ran"))) or differs(True, world.replays()))


def cached_and_repeated():
    traits = {"read_only": True}
    world = World("cache", [{"cache": {"tools": ["echo"]}}], tool={"traits": traits},
                  replies=[calls("1"), calls("1"), {"text": "done"}]).run()
    flaky = World("retry", [{"retry": {"attempts": 2}}], tool={
        "traits": traits, "command": ["sh", "-c", "echo ran >> ran; kill -9 $PPID"]}).run()
    return differs(1, len(world.lines("ran"))) or differs(3, len(flaky.lines("ran")))


def fallback():
    world = World("fallback", [{"fallback": {"models": ["script:other.yaml"]}}],
                  replies=[{"error": {"status": 529, "body": "busy"}}])
    (world.dir / "other.yaml").write_text(json.dumps({"replies": [{"text": "second"}]}))
    world.run()
    return differs(("done", "second"), world.end()) or differs(1, len(world.events(
        "model_changed")))


def agents():
    """The middleware of a spec is also around the calls of its agents."""
    child = {"name": "child", "description": "Does a part of the work for others.",
             "model": "script:child.yaml",
             "tools": [{"name": "inner", "description": "Echoes a text to the caller.",
                        "args": [], "command": ["sh", "-c", "echo ran >> ran"]}]}
    world = World("agents", [hook(reply(deny="no"), tools=["inner"])],
                  replies=[{"calls": [{"name": "ask", "arguments": {"task": "go"}}]},
                           {"text": "done"}], agents={"child": child})
    spec = json.loads((world.dir / "spec.json").read_text())
    spec["tools"] = [{"name": "ask", "description": "Asks the child to do it.", "agent": "child"}]
    (world.dir / "spec.json").write_text(json.dumps(spec))
    (world.dir / "child.yaml").write_text(json.dumps({"replies": [
        {"calls": [{"name": "inner", "arguments": {}}]}, {"text": "inner done"}]}))
    world.run()
    events = [json.loads(line) for line in world.haft(
        "runs", "events", "last", "--tree").stdout.splitlines()]
    said = [(e["name"], e["what"]) for e in events if e["kind"] == "intervention"]
    return differs([("command", "denied")], said) or differs([], world.lines("ran"))


# ---- a web service ----

class Service(BaseHTTPRequestHandler):
    requests = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((json.loads(body), self.headers.get("Idempotency-Key")))
        answer = b'{"deny": "closed today"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


def web():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/hook"
    world = World("web", [{"http": {"url": url, "allow_private": True}}]).run()
    closed = World("web-private", [{"http": {"url": url}}]).run()
    server.shutdown()
    body, key = Service.requests[0]
    return (differs([("http", "before_tool", "denied")], world.said())
            or differs(("before_tool", "echo", {"text": "one"}),
                       (body["event"], body["tool"], body["arguments"]))
            or differs(True, key is not None and "c1.1:http" in key)
            or differs((1, [("http", "before_tool", "failed")]),
                       (len(Service.requests), closed.said()))
            or differs((0, 0), (len(world.lines("ran")), len(closed.lines("ran")))))


# ---- specs ----

def specs():
    rows = [
        ([{"nothing": {}}], "there is no key"),
        ([{"call_limit": {}}], 'the key "max" is missing'),
        ([{"call_limit": {"max": 0}}], "at least 1"),
        ([{"command": {"run": ["true"], "timeout": "0s"}}], "above 0"),
        ([{"rate_limit": {"max": 1, "per": "0s"}}], "above 0"),
        ([{"redact": {"patterns": {"x": "(("}}}], "unterminated group"),
        ([{"call_limit": {"max": 1, "tools": ["ecko"]}}], "did you mean echo"),
        ([{"select_tools": {}}], 'expected "tools" or "except"'),
        ([{"call_limit": {"max": 1, "name": "a"}}, {"todo_list": {"name": "a"}}], "two entries"),
        ([{"command": {"run": ["true"], "env": {"A": "${NOT_SET_HERE}"}}}], "NOT_SET_HERE"),
        ([{"todo_list": {}, "call_limit": {"max": 1}}], "at most 1"),
        ([{"call_limit": {"max": 1}}] * 65, "at most 64"),
    ]
    for index, (entries, wanted) in enumerate(rows):
        world = World(f"spec{index}", entries)
        done = subprocess.run([HAFT, "check", "spec.json"], cwd=world.dir, text=True,
                              capture_output=True)
        if done.returncode != 2 or wanted not in done.stdout + done.stderr:
            return f"{entries}: wanted {wanted}, found {done.stdout}{done.stderr}"
    whole = World("spec-most", [{"call_limit": {"max": 1}}] * 64).run()
    return differs(("done", "done"), whole.end())


# ---- the example ----

def example():
    """Each entry of examples/guarded.yaml does its part; without it, only this part is missing."""
    source = Path(os.environ["HAFT_SOURCE_ROOT"]) / "examples"
    wanted = {"redact": ["masked"] * 3, "call_limit": ["denied"], "veto": ["denied"],
              "tool_errors": ["replaced"] * 2}

    def said(name, keep):
        place = scratch / f"example-{name}"
        shutil.copytree(source / "guarded", place / "guarded")
        text = (source / "guarded.yaml").read_text()
        lines = [line for line in text.splitlines(keepends=True)
                 if not line.startswith("  - ") or keep(line)]
        (place / "guarded.yaml").write_text("".join(lines))
        done = subprocess.run([HAFT, "run", "guarded.yaml", "for bob@example.com", "--events",
                               "--store", "memory:"], cwd=place, text=True, capture_output=True,
                              timeout=120)
        found = {}
        for event in map(json.loads, done.stdout.splitlines()):
            if event["kind"] == "intervention" and event["what"] != "allowed":
                found.setdefault(event["name"], []).append(event["what"])
        return found
    whole = said("whole", lambda line: True)
    without = said("without", lambda line: "name: veto" not in line)
    return (differs(wanted, whole)
            or differs({**{k: v for k, v in wanted.items() if k != "veto"},
                        "call_limit": ["denied"] * 2, "tool_errors": ["replaced"]}, without))


in_parallel([
    case("each entry of the example does its part", example),
    case("the first entry is the outermost, in both directions", order),
    case("fifty entries", fifty),
    *effects(),
    case("the model and the tool get what the hooks left", seen),
    case("a hook knows the call and nothing else", request),
    *failures(),
    case("arguments changed after an approval need a new one", changed_after_approval),
    case("an entry that is removed in the middle of a run does nothing", removed_in_the_middle),
    case("a hook whose process died does not run again and denies", lambda: killed("deny")),
    case("a hook whose process died does not run again and allows", lambda: killed("allow")),
    case("a repeatable hook runs again", lambda: killed("deny", True)),
    case("a tool does not run again because of the hook after it", killed_after_the_tool),
    case("limits of calls", limits),
    case("a rate limit delays calls", rate),
    case("personal data is neither recorded nor sent", redaction),
    case("the wording of errors", errors),
    case("a todo list is shown", todos),
    case("tools of a turn by a rule", selection),
    case("cache and retry are entries", cached_and_repeated),
    case("fallback is an entry", fallback),
    case("agents have the middleware of their spec", agents),
    case("a web service decides", web),
    case("problems of a spec", specs),
])
