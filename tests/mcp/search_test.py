#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small model with many tools: the search before the first turn, searches of the model, tools
that are hidden again, and the servers that are started for this. The servers are the fixture of
this directory, haft's own server, and the real servers of npm if they are available."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "house")]
import packages  # noqa: E402
from script import check, NAME  # noqa: E402

HAFT = os.environ["HAFT"]
BUILD = Path(os.environ["HAFT_BUILD"])
SCOPE = packages.SCOPE
SECONDS = 300


class Agent:
    """A spec with servers, a script, and its own directory for cached lists."""

    def __init__(self, servers, replies, **more):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.spec = {"haft": 1, "name": "a", "tools": [{"builtin": ["tool_search"]}],
                     "model": {"provider": "script", "model": "script.json", "size_b": 3},
                     "mcp": {"servers": servers(self.path)}, **more}
        (self.path / "script.json").write_text(json.dumps({"replies": replies}))
        (self.path / "spec.json").write_text(json.dumps(self.spec))

    def haft(self, *words):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"),
                           HAFT_VECTORS="none")
        return subprocess.run([HAFT, *words], cwd=self.path, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=SECONDS, env=environment)

    def run(self, task, *words):
        done = self.haft("run", "spec.json", task, "--events", *words)
        self.log = [json.loads(line) for line in done.stdout.splitlines()]
        self.status, self.err = done.returncode, done.stderr
        return self

    def events(self, kind):
        return [event for event in self.log if event["kind"] == kind]

    def states(self):
        return [s["state"] for s in self.events("tools_revealed")[0]["servers"]]

    def starts(self):
        """The servers that have been started since the last check."""
        file = self.path / "starts"
        names = file.read_text().split() if file.exists() else []
        file.unlink(missing_ok=True)
        return sorted(names)

    def explain(self, task):
        return json.loads(self.haft("explain", "spec.json", task, "--json").stdout)


def with_logged_start(name, words):
    """The command of a program that logs its start."""
    return ["/bin/sh", "-c", f'echo {name} >>starts; exec "$@"', name, *map(str, words)]


def test_search(name, agent, task, found, wanted, third, result, servers):
    """A whole run, twice. `found`: the tools that the task reveals."""
    check(f"{name}_unknown_lists_are_reported_as_unknown",
          {s["code"] for s in agent.explain(task)["servers"]}, {"not_known"})
    check(f"{name}_explaining_starts_no_server", agent.starts(), [])
    agent.run(task)
    if agent.status != 0:
        print("#", agent.err[:800])
    first, later = agent.events("tools_revealed")
    check(f"{name}_the_run_is_done", (agent.status, agent.log[-1].get("end")), (0, "done"))
    check(f"{name}_all_servers_are_started_if_no_list_is_known",
          (set(agent.states()) <= {"started", "used"}, agent.starts()), (True, sorted(servers)))
    check(f"{name}_the_task_is_searched_for", (first["automatic"], first["query"], first["call"]),
          (True, task, None))
    check(f"{name}_has_more_than_twenty_tools", first["deferred"] > 20)
    check(f"{name}_two_tools_are_shown",
          ([t["name"] for t in first["tools"]], first["cap"]), (found, 2))
    check(f"{name}_shown_tools_have_scores_and_ranks",
          ([t["rank"] for t in first["tools"]],
           first["tools"][0]["score"] >= first["tools"][1]["score"] > 0), ([1, 2], True))
    turns = agent.events("turn_started")
    check(f"{name}_two_tools_are_in_the_prompt", turns[0]["declared"], ["tool_search", *found])
    check(f"{name}_the_model_finds_a_third_tool",
          (later["automatic"], later["call"], [t["name"] for t in later["tools"]][:1]),
          (False, "c1.1", [third]))
    hidden = agent.events("tools_hidden")
    check(f"{name}_one_tool_is_hidden_for_the_third",
          (len(hidden), hidden[0]["tools"], hidden[0]["cap"], hidden[0]["cache_tokens"] > 0),
          (1, found[:1], 2, True))
    check(f"{name}_the_third_tool_is_declared_last",
          turns[1]["declared"], ["tool_search", found[1], third])
    answered = [(e["tool"], e["ok"]) for e in agent.events("call_finished")]
    check(f"{name}_calls_are_answered", answered, [("tool_search", True), (third, True)])
    check(f"{name}_the_third_tool_has_the_right_result",
          result in agent.events("call_finished")[1]["result"])
    # A second run in another process: the lists are known, and only the called server is started.
    run = agent.log[0]["run"]
    agent.run(task)
    check(f"{name}_the_second_time_lists_are_known", set(agent.states()), {"known"})
    check(f"{name}_only_the_called_server_is_started", agent.starts(),
          [third.split(":")[0]] if servers else [])
    check(f"{name}_the_second_run_finds_the_same_tools",
          [t["name"] for t in agent.events("tools_revealed")[0]["tools"]], found)
    replayed = agent.haft("runs", "replay", run)
    check(f"{name}_the_run_is_replayed", (replayed.returncode, replayed.stdout + replayed.stderr
                                 if replayed.returncode else ""), (0, ""))
    test_explain(name, agent, task, found, wanted)


def test_explain(name, agent, task, found, wanted):
    explained = agent.explain(task)
    check(f"{name}_explaining_starts_no_server_either", agent.starts(), [])
    served = [t for t in explained["tools"] if t["source"] == "mcp"]
    check(f"{name}_every_tool_has_a_verdict",
          (len(served) > 20, all(t["code"] and t["reason"] for t in explained["tools"])),
          (True, True))
    check(f"{name}_explain_shows_the_found_tools",
          [t["name"] for t in served if t["offered"]], sorted(
        found, key=[t["name"] for t in served].index))
    check(f"{name}_explain_shows_the_others_as_deferred",
          {t["code"] for t in served if not t["offered"]},
          {"deferred"})
    check(f"{name}_the_cap_is_explained",
          {k: explained["deferred"][k] for k in ("tools", "shown", "cap", "cap_by")},
          {"tools": len(served), "shown": 2, "cap": 2, "cap_by": "size_b"})
    words = agent.haft("explain", "spec.json", task).stdout
    head = f"{len(served)} deferred tools, 2 shown: at most 2 (cap for a model of 3 B)"
    check(f"{name}_explain_in_words", head in words
          and f"  + {found[0]}" in words and f"  - {wanted}" in words)


def script(query, third, arguments):
    return [{"calls": [{"name": "tool_search", "arguments": {"query": query, "limit": 1}}]},
            {"calls": [{"name": third, "arguments": arguments}]}, {"text": "the end"}]


class Fixture:
    def __enter__(self):
        self.process = subprocess.Popen([BUILD / "tests/mcp-fixture"], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(SECONDS)
        self.process.stdout.close()


def test_fixture():
    with Fixture() as fixture:
        agent = Agent(lambda _: {"fix": {"url": fixture.url}},
                      script("one simple text", "fix:test_simple_text", {}))
        test_search("fixture", agent, "ask the user to choose, with defaults",
                    ["fix:test_elicitation_sep1034_defaults", "fix:test_elicitation_sep1330_enums"],
                    "fix:test_error_handling", "fix:test_simple_text", "simple text", [])
        dead = Agent(lambda _: {"fix": {"url": fixture.url}}, [{"text": "the end"}])
        shutil.copytree(agent.path / "state", dead.path / "state")
    dead.run("ask the user to choose")
    check("known_tools_are_shown_without_their_server",
          (dead.status, dead.states(), len(dead.events("turn_started")[0]["declared"])),
          (0, ["known"], 3))


def test_not_revealed():
    """A tool that exists, one that does not, and one of a dead server."""
    own = {"haft": 1, "name": "own", "model": "script:none.json",
           "tools": [{"name": f"tool_{n}", "description": f"Does thing number {n}.", "args": [],
                      "command": ["echo", f"did {n}"]} for n in range(4)]}

    def servers(path):
        (path / "own.json").write_text(json.dumps(own))
        (path / "none.json").write_text('{"replies": []}')
        return {"own": {"command": with_logged_start("own", [HAFT, "mcp", path / "own.json"])},
                "dead": {"command": ["/bin/false"]}}

    calls = ["own:tool_3", "own:tool_9", "dead:tool"]
    agent = Agent(servers, [{"calls": [{"name": name} for name in calls]},
                            {"calls": [{"name": "tool_search", "arguments": {"query": "tool_3"}}]},
                            {"calls": [{"name": "own:tool_3"}]}, {"text": "the end"}])
    agent.run("thing number 1")
    refused = [(e["tool"], e["why"]) for e in agent.events("call_refused")]
    check("reasons_of_missing_tools_differ", refused,
          [("own:tool_3", "not_revealed"), ("own:tool_9", "unknown"), ("dead:tool", "unavailable")])
    texts = [e["text"] for e in agent.events("call_refused")]
    check("the_model_reads_what_to_do", ("tool_search" in texts[0], "'dead'" in texts[2]),
          (True, True))
    check("an_exact_name_is_found_first",
          [t["name"] for t in agent.events("tools_revealed")[1]["tools"]][0], "own:tool_3")
    check("a_tool_that_was_found_is_called",
          [(e["tool"], e["result"]) for e in agent.events("call_finished")][1:],
          [("own:tool_3", "did 3")])


def test_npm():
    wanted = [f"{SCOPE}/server-everything", f"{SCOPE}/server-filesystem", f"{SCOPE}/server-memory"]
    place = packages.install(NAME, "the_real_servers", "mcp-servers", wanted)

    def servers(path):
        (path / "note.txt").write_text("a note")

        def words(name, *more):
            program = place / "node_modules" / SCOPE / f"server-{name}" / "dist/index.js"
            return ["node", program, *more]

        return {"all": {"command": with_logged_start("all", words("everything", "stdio"))},
                "files": {"command": with_logged_start("files", words("filesystem", path))},
                "memory": {"command": with_logged_start("memory", words("memory")),
                           "env": {"MEMORY_FILE_PATH": str(path / "memory.json")}}}

    agent = Agent(servers, [])
    third = "files:get_file_info"
    (agent.path / "script.json").write_text(json.dumps(
        {"replies": script("get_file_info", third, {"path": str(agent.path / "note.txt")})}))
    test_search("npm", agent, "create new entities and relations in the knowledge graph",
                ["memory:create_relations", "memory:create_entities"], "all:echo", third, "size",
                ["all", "files", "memory"])


scratch = tempfile.mkdtemp(prefix="haft-search-")
try:
    test_fixture()
    test_not_revealed()
    test_npm()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
