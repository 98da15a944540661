#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trees that several processes work on: pauses of three levels in any order, a cancel and an answer
at the same time, agents of another provider, a file of an agent that changes, late answers."""
import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import HAFT, LONG, Place, ask, call  # noqa: E402
from script import check  # noqa: E402
from store_urls import stores  # noqa: E402

PICK = {"name": "pick", "description": "Picks one of them.", "args": [], "headless": True}
RACES = 4


def three_levels(place):
    """Each level waits for a client; all three calls are pending at once."""
    low = place.agent("low", [[call("pick")], "low done"], [PICK])
    middle = place.agent("middle", [[call("ask_low", task="l"), call("pick")], "middle done"],
                         [ask("low"), PICK], agents={"low": low})
    return place.agent("top", [[call("ask_middle", task="m"), call("pick")], "top done"],
                       [ask("middle"), PICK], agents={"middle": middle})


def ends(place, root):
    """How each run of the tree ended: each has one end."""
    finished = [event for event in place.events(root, "--tree")
                if event["kind"] == "run_finished"]
    return [event["end"] for event in finished], len({event["run"] for event in finished})


def any_order(place, name):
    found = {}
    for order in itertools.permutations(["c1.2", "c1.1/c1.2", "c1.1/c1.1/c1.1"]):
        status, result = place.run(three_levels(place))
        root, statuses = result["run"], [status]
        for one in order:
            statuses.append(place.haft("answer", root, one, json.dumps(one), "--quiet")[0])
        results = {event["result"] for event in place.events(root, "--tree")
                   if event["kind"] == "call_finished" and event["tool"] == "pick"}
        found[order] = (statuses, results == set(order), ends(place, root))
    wanted = ([4, 4, 4, 0], True, (["done"] * 3, 3))
    check(f"pauses_of_three_levels_are_answered_in_any_order_{name}",
          {order: one for order, one in found.items() if one != wanted}, {})


def cancel_races(place, name):
    """A cancel of the root and an answer to its grandchild at the same time: each run has one end,
    and nothing waits."""
    problems = []
    for _ in range(RACES):
        root = place.run(three_levels(place))[1]["run"]
        both = [subprocess.Popen([HAFT, *words], cwd=place.directory, env=place.environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
                for words in (["cancel", root], ["answer", root, "c1.1/c1.1/c1.1", '"x"'])]
        for process in both:
            process.wait(LONG)
        place.haft("resume", root, "--quiet")  # if neither had the whole tree at the end
        how, runs = ends(place, root)
        if (len(how), runs, how[-1]) != (3, 3, "cancelled") or set(how) - {"cancelled", "done"}:
            problems.append((root, how, runs))
    check(f"a_cancel_and_an_answer_leave_one_end_each_{name}", problems, [])


def other_provider(place, name):
    """A scripted parent whose child, and whose handoff, go to a model server."""
    place.put("mock.json", {"replies": [{"text": "from the server"}]})
    server = subprocess.Popen([HAFT, "mock-model", "mock.json", "--loop"], cwd=place.directory,
                              env=place.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    try:
        url = re.search(r"http://\S+/v1", server.stdout.readline())[0]
        remote = dict(place.agent("remote", []),
                      model={"provider": "openai", "model": "mock", "base_url": url,
                             "api_key": "key"})
        spec = place.agent("boss", [[call("ask_remote", task="x")], "thanks"], [ask("remote")],
                           agents={"remote": remote})
        status, result = place.run(spec)
        answers = [event["answer"] for event in place.events(result["run"])
                   if event["kind"] == "child_finished"]
        check(f"a_child_has_a_model_of_another_provider_{name}", (status, answers),
              (0, ["from the server"]))
        spec = place.agent("boss", [[call("transfer_to_remote")]], agents={"remote": remote},
                           handoffs=["remote"])
        status, result = place.run(spec)
        check(f"a_handoff_changes_the_provider_{name}",
              (status, result["answer"], place.haft("runs", "replay", result["run"])[0]),
              (0, "from the server", 0))
    finally:
        server.terminate()
        server.wait(LONG)
        server.stdout.close()


def changed_file(place, name):
    """The file of an agent changes while its child waits: the child keeps its spec."""
    worker = place.agent("worker", [[call("pick")], "worked"], [PICK])
    place.put("worker.json", worker)
    spec = place.agent("boss", [[call("work", task="t")], "all done"],
                       [{"name": "work", "agent": "worker.json"}])
    root = place.run(spec)[1]["run"]
    place.put("worker.json", dict(worker, tools=[], name="other"))
    kept = place.haft("answer", root, "c1.1/c1.1", '"one"', "--stored-spec", "--json")
    check(f"a_child_keeps_the_spec_that_it_started_with_{name}",
          (kept[0], json.loads(kept[1])["answer"] if kept[1] else kept[2]), (0, "all done"))


def rejected_spec(place, name):
    """The root rejects the new spec: the error is reported, and the child has its answer."""
    top = place.agent("top", [[call("ask_low", task="l")], "top done"], [ask("low")],
                      agents={"low": place.agent("low", [[call("pick")], "low done"], [PICK])})
    root = place.run(top)[1]["run"]
    place.put("spec.json", dict(top, tools=[PICK], agents={}))
    status, _, err = place.haft("answer", root, "c1.1/c1.1", '"x"', "--accept-spec")
    check(f"a_spec_that_the_root_rejects_is_reported_{name}",
          (status, "but the new spec has no tool ask_low" in err, ends(place, root)),
          (1, True, (["done"], 1)))
    place.put("spec.json", top)
    check(f"the_tree_continues_with_its_own_spec_{name}",
          place.haft("resume", root, "--quiet")[:2], (0, "top done\n"))


def late_answer(place, name):
    """The answer for a child comes after its deadline: it is rejected, and the tree continues."""
    found = {}
    for on_expire in ("fail", "reject"):
        low = place.agent("low", [[call("pick")], "low done"], [PICK],
                          pauses={"headless": {"deadline": "1s", "on_expire": on_expire}})
        root = place.run(place.agent("top", [[call("ask_low", task="l")], "top done"], [ask("low")],
                                     agents={"low": low}))[1]["run"]
        time.sleep(1.1)  # until the deadline has passed
        status, out, err = place.haft("answer", root, "c1.1/c1.1", '"x"', "--json")
        result = json.loads(out)
        found[on_expire] = (status, result["run"] == root, result["end"], result["answer"],
                            result["error"]["message"][:8], ends(place, root))
    check(f"a_tree_continues_after_a_late_answer_{name}", found,
          {"fail": (1, True, "done", "top done", "too late", (["expired", "done"], 2)),
           "reject": (1, True, "done", "top done", "too late", (["done"] * 2, 2))})


def child_alone(place, name):
    """A command to a child alone says how the run that waits for it continues."""
    top = place.agent("top", [[call("ask_low", task="l")], "top done"], [ask("low")],
                      agents={"low": place.agent("low", [[call("pick")], "low done"], [PICK])})
    root = place.run(top)[1]["run"]
    child = place.children(root)[0]
    status, _, err = place.haft("cancel", child)
    check(f"a_cancelled_child_names_the_run_that_waits_{name}",
          (status, f"haft resume {root}" in err), (130, True))
    check(f"that_run_continues_{name}", place.haft("resume", root, "--quiet")[:2],
          (0, "top done\n"))
    status, _, err = place.haft("resume", child)
    check(f"an_ended_tree_is_not_named_{name}", f"haft resume {root}" in err, False)


with tempfile.TemporaryDirectory(prefix="haft-answers-") as scratch:
    for store_name, new_store in stores(scratch):
        here = Place(scratch, new_store())
        any_order(here, store_name)
        cancel_races(here, store_name)
        other_provider(here, store_name)
        changed_file(here, store_name)
        rejected_spec(here, store_name)
        late_answer(here, store_name)
        child_alone(here, store_name)
