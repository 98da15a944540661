#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Agents that start agents: start, pauses answered from the root, cancel, budgets, workers, rm."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import LONG, Place, ask, call, tool  # noqa: E402
from script import check, wait_for  # noqa: E402
from store_urls import stores  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


# ---- the tests; each on every store ----

def two_at_once(name):
    spec = place.agent("boss", [[call("ask_digger", task="gold"), call("ask_digger", task="tin")],
                                "found"], [ask("digger")],
                       agents={"digger": place.agent("digger", ["a fact"])})
    status, result = place.run(spec)
    check(f"children_answer_{name}", (status, result["answer"], result["tree"]["runs"]),
          (0, "found", 3))
    root = result["run"]
    kinds = [event["kind"] for event in place.events(root)]
    check(f"children_start_together_{name}",
          kinds.index("child_finished") > kinds.index("child_started") + 1)
    first = place.children(root)[0]
    began = place.events(first)[0]
    check(f"the_child_names_its_parent_{name}",
          (began["parent"], began["call"], began["root"], began["path"], began["task"]),
          (root, "c1.1", root, "c1.1", "gold"))
    check(f"trees_replay_{name}", [place.haft("runs", "replay", one)[0] for one in (root, first)],
          [0, 0])
    check(f"last_is_the_root_{name}", place.shown("last")["run"], root)
    return root, first


def failures_are_data(name):
    spec = place.agent("boss", [[call("ask_bad", task="x"), call("ask_good", task="y")], "read"],
                       [ask("bad"), ask("good")],
                       agents={"bad": place.agent("bad", []),
                               "good": place.agent("good", ["fine"])})
    status, result = place.run(spec)
    finished = {event["call"]: event for event in place.of_kind(result["run"], "call_finished")}
    check(f"a_failed_child_is_data_{name}",
          (status, finished["c1.1"]["ok"],
           finished["c1.1"]["error"]["message"].partition(" request ")[0],
           finished["c1.2"]["result"]),
          (0, False, "worker error: the agent ended as failed: the model call failed: the model "
           "gave no reply: script /replies: the script has 0 replies, found a", "fine"))


def errors_stop_the_tree(name):
    """The script of the child is missing or bad when the child starts, and then it is there."""
    for kind, change in (("missing", ["rm", "lost.script.json"]),
                         ("bad", ["sh", "-c", "echo [ > lost.script.json"])):
        lost = place.agent("lost", ["found again"])
        good = (place.directory / "lost.script.json").read_text()
        spec = place.agent("boss", [[call("spoil")], [call("ask_lost", task="x")], "read"],
                           [tool("spoil", change), ask("lost")], agents={"lost": lost})
        status, out, err = place.haft("run", place.put("spec.json", spec), "go")
        check(f"the_error_of_a_child_is_reported_{kind}_{name}",
              (status, out, "lost.script.json" in err), (1, "", True))
        place.put("lost.script.json", good)
        check(f"a_tree_continues_after_such_an_error_{kind}_{name}",
              place.haft("resume", "last")[:2], (0, "read\n"))


def nested_pauses(name):
    """Three levels; the questions of all levels are answered at the root, the deepest last."""
    send = tool("send", ["sh", "-c", "echo x >> effects; echo sent"], needs_approval=True)
    low = place.agent("low", [[call("send")], "low done"], [send])
    middle = place.agent("middle", [[call("ask_low", task="l"), call("request_user_input",
                                                                     question="which?")],
                                    "middle done"],
                         [ask("low"), {"builtin": ["request_user_input"]}],
                         agents={"low": low})
    top = place.agent("top", [[call("ask_middle", task="m"), call("pick")], "top done"],
                      [ask("middle"), tool("pick")], agents={"middle": middle})
    place.put("effects", "")
    status, result = place.run(top)
    pending = {one["call"]: one["kind"] for one in result["pending"]}
    check(f"pending_calls_have_their_path_{name}", (status, result["end"], pending),
          (4, "waiting", {"c1.2": "headless", "c1.1/c1.1/c1.1": "approval"}))
    root = result["run"]
    status = place.haft("approve", root, "c9.1/c1.1")[0]
    check(f"a_path_that_does_not_exist_is_rejected_{name}", status != 0)
    status, _, err = place.haft("answer", root, "/", '"mine"')
    check(f"a_path_without_calls_is_rejected_{name}", (status, 'found "/"' in err), (2, True))
    status, _, err = place.haft("approve", root)
    check(f"several_pending_calls_are_listed_{name}", (status, "c1.1/c1.1/c1.1" in err), (2, True))
    status = place.haft("answer", root, "c1.2", '"mine"')[0]
    check(f"the_root_waits_for_its_children_{name}", status, 4)
    status, _, err = place.haft("approve", root, "c1.1")  # the agent that asks, not its question
    check(f"the_error_for_a_call_of_an_agent_says_what_lists_its_calls_{name}",
          (status, f"haft pending {root}" in err), (1, True))
    status = place.haft("approve", root, "c1.1/c1.1/c1.1")[0]
    check(f"the_deepest_call_runs_once_{name}",
          (status, (place.directory / "effects").read_text()), (4, "x\n"))
    pending = [(one["call"], one["kind"], one["agent"]) for one in place.shown(root)["pending"]]
    check(f"the_next_question_comes_up_{name}", pending, [("c1.1/c1.2", "question", "middle")])
    status, out, err = place.haft("answer", root, "c1.1/c1.2", "this one")
    check(f"the_tree_ends_{name}", (status, out.strip()), (0, "top done"))
    check(f"child_cannot_be_answered_by_its_own_id_{name}",
          place.haft("answer", place.children(root)[0], "c1.2", "that one")[0] != 0)


def cancel_goes_down(name):
    place.put("gate", "")
    wait = tool("wait", ["sh", "-c", "echo $$ >> waits; sleep 600"], read_only=True,
                timeout="500s")
    low = place.agent("low", [[call("wait")], "never"], [wait])
    middle = place.agent("middle", [[call("ask_low", task="l")], "never"], [ask("low")],
                         agents={"low": low})
    calls = [call("ask_middle", task="1"), call("ask_middle", task="2")]
    top = place.agent("top", [calls, "never"],
                      [ask("middle")], agents={"middle": middle})
    place.put("waits", "")
    process = place.start("run", place.put("spec.json", top), "go", "--events")
    root = json.loads(process.stdout.readline())["run"]
    waits = place.directory / "waits"
    wait_for(lambda: len(waits.read_text().split()) == 2)
    status = place.haft("cancel", root)[0]
    process.wait(LONG)
    process.stdout.close()
    below = place.children(root)
    lowest = [one for run_id in below for one in place.children(run_id)]
    ends = [[event["end"] for event in place.of_kind(one, "run_finished")]
            for one in [root, *below, *lowest]]
    check(f"cancel_goes_down_with_one_end_each_{name}", (status in (0, 130), ends),
          (True, [["cancelled"]] * 5))
    check(f"a_parent_ends_after_its_children_{name}",
          [event["end"] for event in place.of_kind(root, "child_finished")], ["cancelled"] * 2)


def budgets_are_shared(name):
    dig = tool("dig", ["echo", "sand"], read_only=True)
    digger = place.agent("digger", [[call("dig")]] * 30, [dig])
    spec = place.agent("boss", [[call("ask_digger", task="gold"), call("ask_digger", task="tin")],
                                "enough"],
                       [ask("digger", limits={"turns": 2})], agents={"digger": digger})
    status, result = place.run(spec)
    ends = [event["end"] for event in place.of_kind(result["run"], "child_finished")]
    check(f"a_child_ends_at_its_budget_{name}", (status, ends, result["tree"]["turns"]),
          (0, ["exhausted"] * 2, 6))
    spec = place.agent("boss", [[call("ask_digger", task="gold")], "enough"], [ask("digger")],
                       agents={"digger": digger})
    spec["limits"] = {"turns": 2}
    status, result = place.run(spec)
    refused = place.of_kind(result["run"], "call_refused")
    check(f"last_turn_starts_no_child_{name}",
          (status, [event["why"] for event in refused]), (0, ["over_limit"]))


def a_parent_runs_out_of_time(name):
    stall = tool("stall", ["sleep", "600"], read_only=True, timeout="500s")
    digger = place.agent("digger", [[call("dig")], "never"],
                         [tool("dig", ["echo", "sand"], needs_approval=True)])
    spec = place.agent("boss", [[call("ask_digger", task="gold"), call("stall")], "never"],
                       [ask("digger"), stall], agents={"digger": digger})
    spec["limits"]["wall"] = "1s"
    result = place.run(spec)[1]
    child = place.children(result["run"])[0]
    ended = place.of_kind(child, "run_finished")[0]
    check(f"children_of_a_parent_without_time_end_after_their_turn_{name}",
          (result["end"], ended["end"], ended["reason"], ended["turns"],
           [event["limit"] for event in place.of_kind(child, "limit_reached")]),
          ("exhausted", "exhausted", "the run that started this one has used up its budget", 1,
           ["parent"]))
    check(f"such_a_tree_replays_{name}", place.haft("runs", "replay", result["run"])[0], 0)


def workers_run_children(name):
    digger = place.agent("digger", ["a fact"])
    spec = place.agent("boss", [[call("ask_digger", task=str(i)) for i in range(6)], "found"],
                       [ask("digger")], agents={"digger": digger})
    out = place.haft("run", place.put("spec.json", spec), "go", "--detach", "--quiet", "--json")[1]
    root = json.loads(out)["run"]
    workers = [place.start("worker", "--until-idle", "--poll", "50") for _ in range(2)]
    for worker in workers:
        worker.wait(LONG)
        worker.stdout.close()
    if place.shown(root)["end"] != "done":  # both were idle while the other one had the last child
        place.haft("resume", "--all")
    result = place.shown(root)
    check(f"workers_run_children_{name}", (result["end"], result["tree"]["runs"]), ("done", 7))
    out = place.haft("run", "spec.json", "go", "--detach", "--quiet", "--json")[1]
    root = json.loads(out)["run"]
    place.haft("worker", "--until-idle", "--poll", "50", "--concurrency", "1")
    check(f"a_parent_that_waits_holds_no_worker_{name}", place.shown(root)["end"], "done")


def one_after_the_other(name):
    """Of the children of one reply, as many run at once as `limits.parallel` says."""
    spec = place.agent("boss", [[call("ask_digger", task=str(i)) for i in range(3)], "found"],
                       [ask("digger")], agents={"digger": place.agent("digger", ["a fact"])},
                       limits={"turns": 40, "parallel": 1})
    status, result = place.run(spec)
    kinds = [event["kind"] for event in place.events(result["run"])
             if event["kind"].startswith("child_")]
    check(f"children_share_the_places_of_their_parent_{name}", (status, kinds),
          (0, ["child_started", "child_finished"] * 3))


def rm_removes_trees(root, child, name):
    refused = place.haft("runs", "rm", child)[0]
    removed = place.haft("runs", "rm", root)[0]
    left = [place.haft("runs", "show", one, "--json")[0] for one in (root, child)]
    check(f"a_tree_is_removed_as_one_{name}", (refused != 0, removed, [one != 0 for one in left]),
          (True, 0, [True, True]))


def forks(name):
    spec = place.agent("boss", [[call("ask_digger", task="gold")], "found"], [ask("digger")],
                       agents={"digger": place.agent("digger", ["a fact"])})
    root = place.run(spec)[1]["run"]
    status, out, err = place.haft("runs", "fork", root, "--turn", "1", "--json")
    fork = json.loads(out)["run"] if out else err
    done = place.haft("resume", fork)[0]
    check(f"a_fork_keeps_finished_children_{name}",
          (status, done, place.children(fork) == place.children(root),
           place.haft("runs", "replay", fork)[0]),
          (0, 0, True, 0))
    check(f"a_child_is_not_forked_alone_{name}",
          place.haft("runs", "fork", place.children(root)[0])[0] != 0)


def example_team(name):
    """The editor of examples/ waits for an approval of its reporter, which comes from elsewhere."""
    status, out, err = place.haft("run", EXAMPLES / "team.yaml", "Write a note.", "--json")
    result = json.loads(out) if out else {"pending": err}
    pending = [(one["call"], one["agent"]) for one in result["pending"]]
    check(f"the_example_asks_for_approval_{name}", (status, pending), (4, [("c1.2/c1.1",
                                                                            "reporter")]))
    status, out, _ = place.haft("approve", "last")
    check(f"the_example_ends_{name}", (status, "repaired on Monday" in out), (0, True))


def gc_removes_trees(name):
    place.haft("runs", "gc", "--keep", "0")
    left = json.loads(place.haft("runs", "list", "--json")[1])["runs"]
    check(f"gc_removes_whole_trees_{name}", left, [])


def load_problems():
    """Specs that are refused, with the reason."""
    loop = place.agent("a", ["x"], [ask("b")])
    other = place.agent("b", ["x"], [ask("a")])
    top = place.agent("top", ["x"], [ask("a")], agents={"a": loop, "b": other})
    status, out, err = place.haft("check", place.put("loop.json", top))
    check("cyclic_agents_are_rejected", (status, "would start itself" in out + err), (2, True))
    place.put("self.json", place.agent("self", ["x"], [{"name": "me", "agent": "self.json"}]))
    status, out, err = place.haft("check", "self.json")
    check("a_file_that_starts_itself_is_rejected", (status, "start itself" in out + err),
          (2, True))
    lonely = place.agent("top", ["x"], [ask("nobody")])
    status, out, err = place.haft("check", place.put("none.json", lonely))
    check("an_unknown_agent_is_rejected", (status, 'no agent "nobody"' in out + err), (2, True))
    bad = dict(place.agent("bad", ["x"]), limits={"turns": 0})
    top = place.agent("top", ["x"], [ask("bad")], agents={"bad": bad})
    status, out, err = place.haft("check", place.put("bad.json", top))
    check("problems_of_an_agent_are_reported_at_its_place",
          (status, "/agents/bad/limits/turns" in out + err or "turns" in out + err), (2, True))
    place.put("worker.yaml", "haft: 1\nname: worker\ndescription: Works.\nmodel: script:w.json\n")
    place.put("w.json", {"replies": [{"text": "worked"}]})
    spec = place.agent("boss", [[call("work", task="t")], "all done"],
                       [{"name": "work", "agent": "worker.yaml"}])
    status, result = place.run(spec)
    (place.directory / "worker.yaml").unlink()
    again = place.haft("runs", "replay", result["run"])[0]
    check("an_agent_comes_from_a_file_and_is_stored_with_the_run",
          (status, result["answer"], again), (0, "all done", 0))
    deep = place.agent("d5", ["x"])
    for level in range(4, -1, -1):
        below = f"d{level + 1}"
        deep = place.agent(f"d{level}", ["x"], [ask(below)], agents={below: deep})
    status, out, err = place.haft("check", place.put("deep.json", deep))
    check("agents_nest_up_to_the_limit", (status, "nested more than 4 deep" in out + err),
          (2, True))


with tempfile.TemporaryDirectory(prefix="haft-children-") as scratch:
    place = Place(scratch)
    for store_name, new_store in stores(scratch):
        place.environment["HAFT_STORE"] = new_store()
        first_root, first_child = two_at_once(store_name)
        failures_are_data(store_name)
        errors_stop_the_tree(store_name)
        nested_pauses(store_name)
        cancel_goes_down(store_name)
        budgets_are_shared(store_name)
        a_parent_runs_out_of_time(store_name)
        workers_run_children(store_name)
        one_after_the_other(store_name)
        forks(store_name)
        example_team(store_name)
        rm_removes_trees(first_root, first_child, store_name)
        gc_removes_trees(store_name)
    place.environment["HAFT_STORE"] = f"sqlite:{scratch}/more.db"
    load_problems()
