#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Agents that start agents: start, pauses answered from the root, cancel, budgets, workers, rm."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from script import check, wait_for  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LONG = 300  # timeout in seconds of events that must happen soon


def haft(*words, text=""):
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          cwd=scratch, env=environment, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch, env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def put(name, value):
    (Path(scratch) / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return name


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def agent(name, replies, tools=(), **more):
    """The spec of an agent whose model gives these replies: lists of calls, or texts."""
    turns = [{"text": reply} if isinstance(reply, str) else {"calls": reply} for reply in replies]
    put(f"{name}.script.json", {"replies": turns})
    return dict({"haft": 1, "name": name, "description": f"The agent {name} of these tests.",
                 "model": f"script:{name}.script.json", "tools": list(tools),
                 "limits": {"turns": 40, "parallel": 8}}, **more)


def tool(name, command=None, **traits):
    how = {"command": command} if command else {"headless": True}
    return dict({"name": name, "description": f"Does {name} for these tests.", "args": []}, **how,
                **({"traits": traits} if traits else {}))


def ask(name, **more):
    return dict({"name": f"ask_{name}", "agent": name}, **more)


def run(spec, *words):
    """Runs a spec; returns the exit status and the result."""
    status, out, err = haft("run", put("spec.json", spec), "go", "--json", *words)
    return status, json.loads(out) if out else {"err": err, "pending": [], "run": ""}


def events(run_id):
    return [json.loads(line) for line in haft("runs", "events", run_id)[1].splitlines()]


def of_kind(run_id, kind):
    return [event for event in events(run_id) if event["kind"] == kind]


def shown(run_id):
    return json.loads(haft("runs", "show", run_id, "--json")[1])


def children(run_id):
    return [event["child"] for event in of_kind(run_id, "child_started")]


# ---- the tests; each on every store ----

def two_at_once(name):
    spec = agent("boss", [[call("ask_digger", task="gold"), call("ask_digger", task="tin")],
                          "found"], [ask("digger")],
                 agents={"digger": agent("digger", ["a fact"])})
    status, result = run(spec)
    check(f"children_answer_{name}", (status, result["answer"], result["tree"]["runs"]),
          (0, "found", 3))
    root = result["run"]
    kinds = [event["kind"] for event in events(root)]
    check(f"children_start_together_{name}",
          kinds.index("child_finished") > kinds.index("child_started") + 1)
    first = children(root)[0]
    began = events(first)[0]
    check(f"the_child_names_its_parent_{name}",
          (began["parent"], began["call"], began["root"], began["path"], began["task"]),
          (root, "c1.1", root, "c1.1", "gold"))
    check(f"trees_replay_{name}", [haft("runs", "replay", one)[0] for one in (root, first)],
          [0, 0])
    check(f"last_is_the_root_{name}", shown("last")["run"], root)
    return root, first


def failures_are_data(name):
    spec = agent("boss", [[call("ask_bad", task="x"), call("ask_good", task="y")], "understood"],
                 [ask("bad"), ask("good")],
                 agents={"bad": agent("bad", []), "good": agent("good", ["fine"])})
    status, result = run(spec)
    finished = {event["call"]: event for event in of_kind(result["run"], "call_finished")}
    check(f"a_failed_child_is_data_{name}",
          (status, finished["c1.1"]["ok"],
           finished["c1.1"]["error"]["message"].startswith("worker error: the agent ended as fail"),
           finished["c1.2"]["result"]), (0, False, True, "fine"))


def nested_pauses(name):
    """Three levels; the questions of all levels are answered at the root, the deepest last."""
    send = tool("send", ["sh", "-c", "echo x >> effects; echo sent"], needs_approval=True)
    low = agent("low", [[call("send")], "low done"], [send])
    middle = agent("middle", [[call("ask_low", task="l"), call("request_user_input",
                                                               question="which?")],
                              "middle done"], [ask("low"), {"builtin": ["request_user_input"]}],
                   agents={"low": low})
    top = agent("top", [[call("ask_middle", task="m"), call("pick")], "top done"],
                [ask("middle"), tool("pick")], agents={"middle": middle})
    put("effects", "")
    status, result = run(top)
    pending = {one["call"]: one["kind"] for one in result["pending"]}
    check(f"pending_calls_have_their_path_{name}", (status, result["end"], pending),
          (4, "waiting", {"c1.2": "headless", "c1.1/c1.1/c1.1": "approval"}))
    root = result["run"]
    status = haft("approve", root, "c9.1/c1.1")[0]
    check(f"a_path_that_does_not_exist_is_rejected_{name}", status != 0)
    status, _, err = haft("approve", root)
    check(f"several_pending_calls_are_listed_{name}", (status, "c1.1/c1.1/c1.1" in err), (2, True))
    status = haft("answer", root, "c1.2", '"mine"')[0]
    check(f"the_root_waits_for_its_children_{name}", status, 4)
    status = haft("approve", root, "c1.1/c1.1/c1.1")[0]
    check(f"the_deepest_call_runs_once_{name}",
          (status, (Path(scratch) / "effects").read_text()), (4, "x\n"))
    pending = [(one["call"], one["kind"], one["agent"]) for one in shown(root)["pending"]]
    check(f"the_next_question_comes_up_{name}", pending, [("c1.1/c1.2", "question", "middle")])
    status, out, err = haft("answer", root, "c1.1/c1.2", "this one")
    check(f"the_tree_ends_{name}", (status, out.strip()), (0, "top done"))
    check(f"child_cannot_be_answered_by_its_own_id_{name}",
          haft("answer", children(root)[0], "c1.2", "that one")[0] != 0)


def cancel_goes_down(name):
    put("gate", "")
    wait = tool("wait", ["sh", "-c", "echo $$ >> waits; sleep 600"], read_only=True,
                timeout="500s")
    low = agent("low", [[call("wait")], "never"], [wait])
    middle = agent("middle", [[call("ask_low", task="l")], "never"], [ask("low")],
                   agents={"low": low})
    top = agent("top", [[call("ask_middle", task="1"), call("ask_middle", task="2")], "never"],
                [ask("middle")], agents={"middle": middle})
    put("waits", "")
    process = start("run", put("spec.json", top), "go", "--events")
    root = json.loads(process.stdout.readline())["run"]
    waits = Path(scratch) / "waits"
    wait_for(lambda: len(waits.read_text().split()) == 2)
    status = haft("cancel", root)[0]
    process.wait(LONG)
    process.stdout.close()
    below = children(root)
    lowest = [one for run_id in below for one in children(run_id)]
    ends = [[event["end"] for event in of_kind(one, "run_finished")]
            for one in [root, *below, *lowest]]
    check(f"cancel_goes_down_with_one_end_each_{name}", (status in (0, 130), ends),
          (True, [["cancelled"]] * 5))
    check(f"a_parent_ends_after_its_children_{name}",
          [event["end"] for event in of_kind(root, "child_finished")], ["cancelled"] * 2)


def budgets_are_shared(name):
    dig = tool("dig", ["echo", "sand"], read_only=True)
    digger = agent("digger", [[call("dig")]] * 30, [dig])
    spec = agent("boss", [[call("ask_digger", task="gold"), call("ask_digger", task="tin")],
                          "enough"],
                 [ask("digger", limits={"turns": 2})], agents={"digger": digger})
    status, result = run(spec)
    ends = [event["end"] for event in of_kind(result["run"], "child_finished")]
    check(f"a_child_ends_at_its_budget_{name}", (status, ends, result["tree"]["turns"]),
          (0, ["exhausted"] * 2, 6))
    spec = agent("boss", [[call("ask_digger", task="gold")], "enough"], [ask("digger")],
                 agents={"digger": digger})
    spec["limits"] = {"turns": 2}
    status, result = run(spec)
    refused = of_kind(result["run"], "call_refused")
    check(f"last_turn_starts_no_child_{name}",
          (status, [event["why"] for event in refused]), (0, ["over_limit"]))


def workers_run_children(name):
    digger = agent("digger", ["a fact"])
    spec = agent("boss", [[call("ask_digger", task=str(i)) for i in range(6)], "found"],
                 [ask("digger")], agents={"digger": digger})
    out = haft("run", put("spec.json", spec), "go", "--detach", "--quiet", "--json")[1]
    root = json.loads(out)["run"]
    workers = [start("worker", "--until-idle", "--poll", "50") for _ in range(2)]
    for worker in workers:
        worker.wait(LONG)
        worker.stdout.close()
    if shown(root)["end"] != "done":  # both were idle while the other one had the last child
        haft("resume", "--all")
    result = shown(root)
    check(f"workers_run_children_{name}", (result["end"], result["tree"]["runs"]), ("done", 7))


def rm_removes_trees(root, child, name):
    refused = haft("runs", "rm", child)[0]
    removed = haft("runs", "rm", root)[0]
    left = [haft("runs", "show", one, "--json")[0] for one in (root, child)]
    check(f"a_tree_is_removed_as_one_{name}", (refused != 0, removed, [one != 0 for one in left]),
          (True, 0, [True, True]))


def forks(name):
    spec = agent("boss", [[call("ask_digger", task="gold")], "found"], [ask("digger")],
                 agents={"digger": agent("digger", ["a fact"])})
    root = run(spec)[1]["run"]
    status, out, err = haft("runs", "fork", root, "--turn", "1", "--json")
    fork = json.loads(out)["run"] if out else err
    done = haft("resume", fork)[0]
    check(f"a_fork_keeps_finished_children_{name}",
          (status, done, children(fork) == children(root), haft("runs", "replay", fork)[0]),
          (0, 0, True, 0))
    check(f"a_child_is_not_forked_alone_{name}", haft("runs", "fork", children(root)[0])[0] != 0)


def example_team(name):
    """The editor of examples/ waits for an approval of its reporter, which comes from elsewhere."""
    status, out, err = haft("run", EXAMPLES / "team.yaml", "Write a note.", "--json")
    result = json.loads(out) if out else {"pending": err}
    pending = [(one["call"], one["agent"]) for one in result["pending"]]
    check(f"the_example_asks_for_approval_{name}", (status, pending), (4, [("c1.2/c1.1",
                                                                          "reporter")]))
    status, out, _ = haft("approve", "last")
    check(f"the_example_ends_{name}", (status, "repaired on Monday" in out), (0, True))


def gc_removes_trees(name):
    haft("runs", "gc", "--keep", "0")
    left = json.loads(haft("runs", "list", "--json")[1])["runs"]
    check(f"gc_removes_whole_trees_{name}", left, [])


def load_problems():
    """Specs that are refused, with the reason."""
    loop = agent("a", ["x"], [ask("b")])
    other = agent("b", ["x"], [ask("a")])
    top = agent("top", ["x"], [ask("a")], agents={"a": loop, "b": other})
    status, out, err = haft("check", put("loop.json", top))
    check("cyclic_agents_are_rejected", (status, "would start itself" in out + err), (2, True))
    put("self.json", agent("self", ["x"], [{"name": "me", "agent": "self.json"}]))
    status, out, err = haft("check", "self.json")
    check("a_file_that_starts_itself_is_rejected", (status, "start itself" in out + err),
          (2, True))
    status, out, err = haft("check", put("none.json", agent("top", ["x"], [ask("nobody")])))
    check("an_unknown_agent_is_rejected", (status, 'no agent "nobody"' in out + err), (2, True))
    bad = dict(agent("bad", ["x"]), limits={"turns": 0})
    top = agent("top", ["x"], [ask("bad")], agents={"bad": bad})
    status, out, err = haft("check", put("bad.json", top))
    check("problems_of_an_agent_are_reported_at_its_place",
          (status, "/agents/bad/limits/turns" in out + err or "turns" in out + err), (2, True))
    put("worker.yaml", "haft: 1\nname: worker\ndescription: Works.\nmodel: script:w.json\n")
    put("w.json", {"replies": [{"text": "worked"}]})
    spec = agent("boss", [[call("work", task="t")], "all done"],
                 [{"name": "work", "agent": "worker.yaml"}])
    status, result = run(spec)
    (Path(scratch) / "worker.yaml").unlink()
    again = haft("runs", "replay", result["run"])[0]
    check("an_agent_comes_from_a_file_and_is_stored_with_the_run",
          (status, result["answer"], again), (0, "all done", 0))
    deep = agent("d5", ["x"])
    for level in range(4, -1, -1):
        deep = agent(f"d{level}", ["x"], [ask(f"d{level + 1}")], agents={f"d{level + 1}": deep})
    status, out, err = haft("check", put("deep.json", deep))
    check("agents_nest_up_to_the_limit", (status, "nested more than 4 deep" in out + err),
          (2, True))


with tempfile.TemporaryDirectory(prefix="haft-children-") as scratch:
    environment = dict(os.environ, HOME=scratch, NO_COLOR="1")
    for store_name, new_store in stores(scratch):
        environment["HAFT_STORE"] = new_store()
        first_root, first_child = two_at_once(store_name)
        failures_are_data(store_name)
        nested_pauses(store_name)
        cancel_goes_down(store_name)
        budgets_are_shared(store_name)
        workers_run_children(store_name)
        forks(store_name)
        example_team(store_name)
        rm_removes_trees(first_root, first_child, store_name)
        gc_removes_trees(store_name)
    environment["HAFT_STORE"] = f"sqlite:{scratch}/more.db"
    load_problems()
