#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graph cases as real runs: a case becomes a spec, and its script becomes haft's commands.

`haft graph --cases` plays the same cases in memory (graph_test.py). Here runs are stored and read
again by every command, on every store: SQLite, and PostgreSQL if HAFT_TEST_POSTGRES names a server.
HAFT_LONG plays all cases, else some of them: those of haft, and each SHARE-th of the recorded ones.

The operations `effect`, `delay` and `fail` with `times` exist only in cases. Here each is a graph
that calls a tool: it writes a line, sleeps, or fails the first times.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from script import check_none, skip  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests/graph/cases.jsonl"
RECORDED = ROOT.parent / "shared/data/graphs/cases.jsonl"
LONG = bool(os.environ.get("HAFT_LONG"))
SHARE = 1 if LONG else 4
WAIT = 300  # timeout in seconds of a command
# Why a case is played in memory only; their number is printed.
OUTSIDE = {
    "changes": "an action changes the limit or the concurrency, which are in the spec of a run",
    "return": "only a node of a case can return what is no update",
    "inside": "a graph inside that has failed begins anew in the next try",
}


# ---- a case as a spec ----

def concurrencies(case):
    return {one["concurrency"] for one in case["script"] if "concurrency" in one}


def settings(case):
    """What all actions of the case set in the same way; it is in the spec."""
    return {"concurrency": value for value in concurrencies(case)}



class Spec:
    """The spec of a case; `folder` has its file and what its tools write."""

    def __init__(self, case, folder):
        self.folder, self.graphs, self.tools = folder, {}, []
        self.several_runs = sum("invoke" in action for action in case["script"]) > 1
        graphs = case.get("graphs", {})
        main = {**self.graph(case["graph"]), **settings(case)}
        self.graphs.update({name: self.graph(graph) for name, graph in graphs.items()})
        self.helpers = set(self.graphs) - set(graphs)
        value = {"haft": 1, "kind": "graph", "name": "case", "tools": self.tools, "graph": main,
                 "graphs": self.graphs, "limits": {"calls": 100000, "turns": 100000}}
        (folder / "spec.json").write_text(json.dumps(value))

    def graph(self, source):
        nodes = {name: self.node(node) for name, node in source["nodes"].items()}
        return {**source, "nodes": nodes}

    def node(self, node):
        node = dict(node)
        if "cache" in node and self.several_runs:
            return self.cached(node)
        if "do" in node:
            node["do"] = self.operations(node["do"])
        if isinstance(node.get("on_error"), dict):
            node["on_error"] = {**node["on_error"], "do": self.operations(node["on_error"]["do"])}
        return node

    def cached(self, node):
        """The outputs of a case are kept for all its runs: those of a tool are, for the thread.
        The tool has the effect, and returns what the node writes."""
        effect, write = node["do"]
        kind, values = next(iter(write.items()))
        (channel, value), = values.items()
        name = f"cached{len(self.tools)}"
        made = [re.sub(r"{/(\w+)}", r"{\1}", text if isinstance(text, str) else text[0])
                for text in (effect["effect"], value)]
        self.tools.append({"name": name, "description": "Does what the case wants.",
                           "traits": {"idempotent": True},
                           "input_schema": {"type": "object", "properties":
                                            {key: {} for key in node["input"]}},
                           "command": ["sh", "-c", f"cd {self.folder}; printf '%s\\n' \"$1\" "
                                       '>>effects; printf "%s" "$2"', "sh", *made]})
        assert kind in ("set", "text")
        return {"tool": name, "args": {key: f"/{key}" for key in node["input"]},
                "input": node["input"], "out": {channel: ""}, "cache": {"scope": "thread"}}

    def operations(self, given):
        return [self.operation(one) for one in given]

    def operation(self, one):
        one = {**one, **{key: self.operations(one[key]) for key in ("then", "else") if key in one}}
        if "effect" in one:
            return self.helper("effect", 'printf "%s\\n" "$1" >>effects', one["effect"])
        if "delay" in one:
            return self.helper("delay", f"sleep {one['delay'] / 1000}", "")
        if "times" in one:
            count = f"count{len(self.tools)}"
            return self.helper("fail", f'n=$(cat {count} 2>/dev/null || echo 0); echo $((n+1)) '
                               f'>{count}; [ "$n" -ge {one["times"]} ] && echo fine || echo bad',
                               one["fail"])
        return one

    def helper(self, kind, code, text):
        """A call of a graph that calls a tool with a text; a failure has that text."""
        name = f"{kind}{len(self.tools)}"
        self.tools.append({"name": name, "description": "Does what the case wants.",
                           "args": ["text"],
                           "command": ["sh", "-c", f"cd {self.folder}; {code}", "sh", "{text}"]})
        seen = {pointer.split("/")[1] for pointer in re.findall(r"{(/[^}]*)}", text)} - {"$"}
        nodes = {"a": {"do": [{"text": {"rendered": text}}]},
                 "b": {"tool": name, "args": {"text": "/rendered"}, "out": {"verdict": ""}},
                 "c": {"do": [{"if": {"at": "/verdict", "op": "eq", "value": "bad"},
                               "then": [{"fail": "{/rendered}"}]}]}}
        self.graphs[name] = {
            "channels": {"rendered": {}, "verdict": {}, **{key: {} for key in seen}},
            "input": sorted(seen) or ["verdict"], "nodes": nodes,
            "edges": [{"from": "start", "to": "a"}, {"from": "a", "to": "b"},
                      {"from": "b", "to": "c"}]}
        return {"call": name, "in": {key: f"/{key}" for key in seen}, "out": {}}


# ---- a script as commands ----

class Refused(Exception):
    """A command that changed nothing."""


class Player:
    def __init__(self, case, folder, environment):
        self.case, self.folder, self.environment = case, folder, environment
        self.run = self.thread = None
        self.committed = 0  # steps of the run before the action
        self.spec = Spec(case, folder)

    def haft(self, *words):
        done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, cwd=self.folder, env=self.environment,
                              timeout=WAIT)
        return done.returncode, done.stdout, done.stderr

    def command(self, *words):
        status, out, err = self.haft(*words, "--json")
        found = json.loads(out) if out.startswith("{") else {}
        if not found.get("run") or status == 2:
            error = found.get("error") or {}
            raise Refused(error.get("message") or err)
        self.run, self.thread = found["run"], found["thread"] or self.thread
        return found

    def act(self, action):
        """Performs an action; returns the result of the last command."""
        if "invoke" in action:
            self.committed = 0
            again = ("--thread", self.thread) if self.thread else ()
            return self.command("run", "spec.json", json.dumps(action["invoke"]), *again)
        if "answer" in action:
            return self.answer(action["answer"])
        if "resume" in action:
            pending = self.last["pending"]
            if len(pending) != 1:
                raise Refused("which")
            return self.command("answer", self.run, pending[0]["call"],
                                json.dumps(action["resume"]))
        if "edit" in action:
            return self.edit(action)
        if "at" in action:
            self.committed = action["at"]
            return self.command("runs", "fork", self.run, "--step", action["at"], "--go")
        if self.last["end"] == "exhausted":
            return self.command("resume", self.run, "--steps",
                                self.case["graph"].get("recursion_limit", 25))
        return self.go_on()

    def answer(self, answers):
        for question, value in answers.items():
            call = next((one["call"] for one in self.last["pending"]
                         if one["question"] == question), "n0.0")
            found = self.command("answer", self.run, call, json.dumps(value))
        return found

    def go_on(self):
        found, paused = None, [one for one in self.last["pending"] if one["kind"] == "approval"]
        for one in paused:
            found = self.command("approve", self.run, one["call"])
        return found or self.command("resume", self.run)

    def edit(self, action):
        values = [word for name, value in action["edit"].items()
                  for word in ("--set", f"{name}={json.dumps(value)}")]
        node = ("--as", action["as"]) if "as" in action else ()
        if "at" in action:
            self.committed = action["at"]
            return self.command("runs", "fork", self.run, "--step", action["at"], *values, *node,
                                "--go")
        return self.command("runs", "edit", self.run, *values, *node)

    def effects(self):
        log = self.folder / "effects"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return sorted(lines)

    def result(self, action):
        """What the action did, in the words of a case."""
        try:
            self.last = self.act(action)
        except Refused as error:
            return {"end": "refused", "why": str(error), "effects": self.effects()}
        return self.read()

    def read(self):
        events = [json.loads(line)
                  for line in self.haft("runs", "events", self.run)[1].splitlines()]
        state = json.loads(self.haft("runs", "state", self.run)[1])["state"]
        brief = {name for name, channel in self.case["graph"]["channels"].items()
                 if channel.get("lifetime") == "step"}
        steps = [[node["node"] for node in event["nodes"]] for event in events
                 if event["kind"] == "graph_step" and event.get("nodes")]
        new, self.committed = steps[self.committed:], len(steps)
        end = self.last["end"]
        return {"end": "paused" if end == "waiting" else end,
                "code": (self.last["reason"] or "").split(":")[0],
                "state": made({name: value for name, value in state.items() if name not in brief}),
                "steps": new, "effects": self.effects(),
                "cached": '"cache"' in json.dumps(self.case["graph"]),  # they are in the steps
                "pending": sorted(one["question"] or one["tool"] for one in self.last["pending"]
                                  if not one["call"].endswith(".after"))}


# ---- the comparison ----

def made(value):
    """A value without the ids that haft makes for messages."""
    if isinstance(value, dict):
        return {key: "(made)" if key == "id" and str(one).startswith("made-") else made(one)
                for key, one in value.items()}
    return [made(one) for one in value] if isinstance(value, list) else value


def wanted_pending(want):
    return sorted(one["ask"] if "ask" in one else f"pause:{one['node'].split('/')[-1]}"
                  for one in want.get("pending", []))


def compare_steps(want, found):
    """Nodes of each step. A step that is not whole is in `want` only, and one that an earlier
    action began is listed there without the nodes that were done."""
    wanted = [{name.split("!")[0] for name in step} for step in want.get("steps", [])]
    whole = want["end"] in ("done", "exhausted", "incomplete")
    if len(wanted) - len(found["steps"]) not in ((0,) if whole else (0, 1)):
        return f"steps: wanted {want.get('steps')}, found {found['steps']}"
    for i, (names, ran) in enumerate(zip(wanted, found["steps"])):
        if names != set(ran) and not (i == 0 and names < set(ran)):
            return f"step {i + 1} of the action: wanted {sorted(names)}, found {ran}"
    return None


def compare(want, found):
    if want["end"] == "refused" and not found.get("steps") and not found["effects"]:
        return None  # `haft resume` of a run that has ended only prints it
    if want["end"] != found["end"]:
        return f"end: wanted {want['end']}, found {found}"
    wanted_code = want.get("error", {}).get("code")
    effects = sorted(want.get("effects", []))
    if found["effects"] != effects:
        return f"effects: wanted {effects}, found {found['effects']}"
    if want["end"] in ("failed", "incomplete") and wanted_code != found["code"]:
        return f"code: wanted {wanted_code}, found {found['code']}"
    if want.get("state", {}) != found["state"]:
        return f"state: wanted {want.get('state')}, found {found['state']}"
    if wanted_pending(want) != found["pending"]:
        return f"pending: wanted {wanted_pending(want)}, found {found['pending']}"
    return None if found["cached"] else compare_steps(want, found)


def is_edited_and_continued(case, i):
    """Two actions that are one command: an edit, and `continue`."""
    script = case["script"]
    return ("edit" in script[i] and case["want"][i]["end"] == "edited" and i + 1 < len(script)
            and "continue" in script[i + 1])


def compare_edited(want, found):
    """An edit of a run that waits, which waits again."""
    if found["end"] != "paused" or want.get("state", {}) != found["state"]:
        return f"edited: wanted {want}, found {found}"
    lost = set(wanted_pending(want)) - set(found["pending"])
    return f"pending: wanted {sorted(lost)}, found {found['pending']}" if lost else None


def goes_on_alone(case, i, found):
    """Whether the run that has been edited has nothing to wait for, so that it went on. If the edit
    has completed a step, its result has this step, too."""
    if found["end"] == "paused" or not is_edited_and_continued(case, i):
        return False
    before, then = case["want"][i - 1], case["want"][i + 1]
    opened = [set(before.get("next", [])), set(before["steps"][-1])]
    if len(found["steps"]) > len(then["steps"]) and set(found["steps"][0]) in opened:
        found["steps"] = found["steps"][1:]
    return True


def in_order_of_runs(case):
    """A case ends as failed while questions are open, and goes on beside them. A run waits for the
    answers first: the same actions, in the other order, must end in the same way."""
    script, wants = case["script"], case["want"]
    if [want["end"] for want in wants] != ["failed", "paused", "done"] or "pending" not in wants[0]:
        return case
    first = {**wants[0], "end": "paused"}
    steps = wants[0]["steps"]
    return {**case, "script": [script[0], script[2], script[1]],
            "want": [{**first, "steps": steps}, {**wants[0], "steps": steps, "pending": []},
                     {**wants[2], "steps": steps}]}


def play(case, environment, scratch):
    """A problem, or None."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        player = Player(case, Path(folder), environment)
        if case["want"][0]["end"] == "load_error":
            status, out, err = player.haft("check", "spec.json")
            code = case["want"][0]["error"]["code"]
            return None if status == 2 and f"{code}:" in out + err else f"{status}: {out}{err}"
        case, skipped = in_order_of_runs(case), False
        for i, (action, want) in enumerate(zip(case["script"], case["want"])):
            if skipped:
                skipped = False
                continue
            found = player.result(action)
            skipped = goes_on_alone(case, i, found)
            problem = (compare(case["want"][i + 1], found) if skipped
                       else compare_edited(want, found) if want["end"] == "edited"
                       else compare(want, found))
            if problem:
                return f"action {i + 1}: {problem}"
    return None


def outside(case):
    """Why the case is played in memory only, as a key of OUTSIDE; None if it is played here."""
    script = case["script"]
    main, graphs = json.dumps(case["graph"]), json.dumps(case.get("graphs", {}))
    rules = [("return", '"return"' in main),
             ("changes", any("limit" in one for one in script) or len(concurrencies(case)) > 1),
             ("inside", '"times"' in graphs and len(script) > 1)]
    return next((reason for reason, holds in rules if holds), None)


def all_cases():
    cases = [json.loads(line) for line in OWN.read_text().splitlines()]
    if not RECORDED.exists():
        skip("recorded_graph_cases_as_runs", "there is no ../shared")
        return cases
    recorded = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    return cases + recorded[::SHARE]


def main():
    cases = all_cases()
    left = collections.Counter(filter(None, map(outside, cases)))
    cases = [case for case in cases if outside(case) is None]
    words = sys.argv[1:]
    cases = [case for case in cases if not words or case["id"] in words]
    for key, count in left.items():
        print(f"# {count} cases are played in memory only: {OUTSIDE[key]}")
    print(f"# {len(cases)} cases")
    with tempfile.TemporaryDirectory() as scratch:
        for store, new_store in stores(scratch):
            environment = dict(os.environ, HAFT_STORE=new_store(), HOME=scratch, NO_COLOR="1")
            subprocess.run([HAFT, "runs", "list"], env=environment, capture_output=True)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                found = pool.map(lambda case: play(case, environment, scratch), cases)
                problems = [f"{case['id']}: {problem}" for case, problem in zip(cases, found)
                            if problem]
            check_none(f"graph_cases_end_the_same_as_runs_{store}", problems, most=40)


main()
