#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trees that stop: a child that cannot be created, Ctrl-C, time that is used up, commands to a tree
that another process continues, gc."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import HAFT, LONG, Place, ask, call, tool  # noqa: E402
from script import check, wait_for  # noqa: E402
from store_urls import stores  # noqa: E402


def lines_of(name):
    path = place.directory / name
    return path.read_text().split() if path.exists() else []


def shell(name, command, **traits):
    return tool(name, ["sh", "-c", command], **traits)


def begin(spec, *words):
    """Starts a run in the background. Standard error is kept in a file."""
    with open(place.directory / "errors", "w", encoding="utf-8") as errors:
        return subprocess.Popen([HAFT, "run", place.put("spec.json", spec), "go", *words],
                                cwd=place.directory, env=place.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)


def shown():
    status, out, _ = place.haft("runs", "show", "last", "--json")
    return json.loads(out) if status == 0 else {"pending": []}


def exits(process):
    status = process.wait(LONG)
    process.stdout.close()
    return status


# ---- a child that cannot be created ----

def blocked_children(name):
    """The model of a child has no key. What runs beside it ends first, and its results are kept."""
    slow = shell("slow", "echo x >> effects; sleep 0.3; echo fine")
    keyed = dict(place.agent("keyed", ["never"]), model="openai:gpt-5")
    good = place.agent("good", [[call("slow")], "ok"], [slow])
    calls = [call("slow"), call("ask_good", task="g"), call("ask_keyed", task="k")]
    spec = place.agent("boss", [calls, "end"], [slow, ask("good"), ask("keyed")],
                       agents={"good": good, "keyed": keyed})
    place.put("effects", "")
    status, result = place.run(spec)
    run = result["run"]
    kinds = [event["kind"] for event in place.events(run)]
    check(f"a_missing_key_of_a_child_is_reported_{name}",
          (status, "OPENAI_API_KEY" in result["error"]["message"]), (1, True))
    check(f"results_beside_it_are_kept_{name}",
          (kinds.count("model_replied"), kinds.count("call_finished"),
           [event["end"] for event in place.of_kind(run, "child_finished")], lines_of("effects")),
          (1, 1, ["done"], ["x"] * 2))
    status = place.haft("resume", run)[0]
    check(f"nothing_runs_again_{name}",
          (status, place.of_kind(run, "paused"), lines_of("effects")), (1, [], ["x"] * 2))
    check(f"a_run_that_was_blocked_replays_{name}", place.haft("runs", "replay", run)[0], 0)
    place.put("effects", "")
    spec["agents"]["keyed"]["model"] = "script:keyed.script.json"
    spec["tools"].append(shell("spoil", "rm keyed.script.json"))
    place.put("boss.script.json", {"replies": [{"calls": [call("spoil")]}, {"calls": calls},
                                               {"text": "end"}]})
    status, result = place.run(spec)  # the script of a child is missing, and then it is there
    place.put("keyed.script.json", {"replies": [{"text": "never"}]})
    again = place.haft("resume", result["run"], "--quiet")
    check(f"a_blocked_run_continues_{name}", (status, again[:2], lines_of("effects")),
          (1, (0, "end\n"), ["x"] * 2))
    check(f"and_replays_{name}", place.haft("runs", "replay", result["run"])[0], 0)
    spec["agents"]["good"] = place.agent("good", ["ok"])  # it ends before the call beside it
    result = place.run(spec)[1]
    place.put("keyed.script.json", {"replies": [{"text": "never"}]})
    again = place.haft("resume", result["run"], "--quiet")
    kinds = [event["kind"] for event in place.events(result["run"])]
    check(f"results_that_were_recorded_without_decisions_replay_{name}",
          (again[:2], kinds[kinds.index("child_finished") + 1],
           place.haft("runs", "replay", result["run"])[:1]), ((0, "end\n"), "call_finished", (0,)))


# ---- Ctrl-C ----

def busy_tree(seconds):
    """A root whose child and grandchild run calls with effects."""
    work = shell("work", f"echo $$ >> begun; sleep {seconds}; echo x >> effects")
    low = place.agent("low", [[call("work")], "low"], [work])
    middle = place.agent("middle", [[call("ask_low", task="l"), call("work")], "middle"],
                         [ask("low"), work], agents={"low": low})
    for name in ("effects", "begun"):
        place.put(name, "")
    return place.agent("top", [[call("ask_middle", task="m")], "good"], [ask("middle")],
                       agents={"middle": middle})


def interrupt(name):
    process = begin(busy_tree(1))
    wait_for(lambda: len(lines_of("begun")) == 2)
    process.send_signal(signal.SIGINT)
    status = exits(process)
    errors = (place.directory / "errors").read_text()
    check(f"an_interrupt_waits_for_the_calls_of_children_{name}",
          (status, len(lines_of("effects")), "c1.1/c1.2" in errors, "c1.1/c1.1/c1.1" in errors),
          (130, 2, True, True))
    status, out, _ = place.haft("resume", "last", "--quiet")
    check(f"the_tree_continues_after_an_interrupt_{name}",
          (status, out, len(lines_of("effects")), len(lines_of("begun"))), (0, "good\n", 2, 2))


def is_running(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


def interrupt_twice(name):
    process = begin(busy_tree(600))
    wait_for(lambda: len(lines_of("begun")) == 2)
    process.send_signal(signal.SIGINT)
    wait_for(lambda: "pausing after" in (place.directory / "errors").read_text())
    process.send_signal(signal.SIGINT)
    status = exits(process)
    wait_for(lambda: not any(is_running(pid) for pid in lines_of("begun")))
    root = shown()["run"]
    middle = place.children(root)[0]
    ends = [[event["end"] for event in place.of_kind(run, "run_finished")]
            for run in (root, middle, place.children(middle)[0])]
    check(f"a_second_interrupt_cancels_the_tree_{name}", (status, ends, lines_of("effects")),
          (130, [["cancelled"]] * 3, []))
    check(f"the_parents_end_last_{name}",
          [[event["end"] for event in place.of_kind(run, "child_finished")]
           for run in (root, middle)], [["cancelled"]] * 2)


# ---- time ----

def inherited_time(name):
    """A child has the rest of its parent's time; the time of people is not part of it."""
    low = place.agent("low", [[call("stall")], "never"],
                      [tool("stall", ["sleep", "600"], read_only=True, timeout="500s")])
    spec = place.agent("boss", [[call("ask_low", task="t")], "sorry"], [ask("low")],
                       agents={"low": low})
    spec["limits"]["wall"] = "1s"
    status, result = place.run(spec)
    run = result["run"]
    finished = place.of_kind(run, "call_finished")[0]
    check(f"a_child_ends_with_the_time_of_its_parent_{name}",
          (status, result["end"], result["answer"],
           place.of_kind(run, "child_finished")[0]["end"],
           finished["error"]["message"].startswith(
               "worker error: the agent ended as exhausted: time budget used up")),
          (0, "done", "sorry", "exhausted", True))
    low = place.agent("low", [[call("pick")], "picked"], [tool("pick")])
    spec["agents"]["low"] = low
    status, result = place.run(spec)
    time.sleep(1.2)  # longer than its time
    again, out, _ = place.haft("answer", "last", "c1.1/c1.1", '"it"', "--json")
    check(f"a_child_that_waits_uses_no_time_{name}",
          (status, again, json.loads(out)["end"], json.loads(out)["forced_final"]),
          (4, 0, "done", False))


# ---- a tree that another process continues ----

def tree_elsewhere(name):
    """The child that asks belongs to nobody, while its root works for its other child."""
    send = shell("send", "echo x >> effects", needs_approval=True)
    wait = shell("wait", "while [ ! -e gate ]; do sleep 0.05; done", read_only=True,
                 timeout="500s")
    asks = place.agent("asks", [[call("send")]], [send])
    also = place.agent("also", [[call("send")], "sent"], [send])
    slow = place.agent("slow", [[call("wait")], "slept"], [wait])
    spec = place.agent("boss", [[call("ask_asks", task="g"), call("ask_slow", task="s"),
                                 call("ask_also", task="a")], "end"],
                       [ask("asks"), ask("slow"), ask("also")],
                       agents={"asks": asks, "slow": slow, "also": also})
    place.put("effects", "")
    (place.directory / "gate").unlink(missing_ok=True)
    process = begin(spec, "--quiet")
    wait_for(lambda: len(shown()["pending"]) == 2)
    first = place.haft("approve", "last", "c1.1/c1.1", "--json")
    check(f"the_end_of_a_child_is_not_the_status_of_the_command_{name}",
          (first[0], json.loads(first[1])["end"], lines_of("effects")), (4, "failed", ["x"]))
    second = place.haft("approve", "last", "c1.3/c1.1", "--quiet")
    check(f"nothing_else_is_pending_{name}", second[:2], (0, "sent\n"))
    (place.directory / "gate").write_text("")
    out = process.stdout.read()
    check(f"the_other_process_ends_the_tree_{name}", (exits(process), out, lines_of("effects")),
          (0, "end\n", ["x"] * 2))


def stuck_root(name):
    """A command is delivered to a child whose root cannot continue here."""
    send = shell("send", "echo x >> effects; sleep 0.3", needs_approval=True)
    low = place.agent("low", [[call("send")], "sent"], [send])
    look = tool("look", ["echo", "fine"])
    look["env"] = {"KEEPER": "${KEEPER}"}
    spec = place.agent("boss", [[call("ask_low", task="g")], "end"], [ask("low"), look],
                       agents={"low": low})
    place.put("effects", "")
    place.environment["KEEPER"] = "Ada"
    status = place.run(spec)[0]
    del place.environment["KEEPER"]
    done, _, err = place.haft("approve", "last", "c1.1/c1.1")
    child = place.children("last")[0]
    check(f"a_command_that_was_delivered_is_reported_as_such_{name}",
          (status, done, "the command was delivered, but the run" in err, "KEEPER" in err,
           place.shown(child)["end"], lines_of("effects")),
          (4, 2, True, True, "done", ["x"]))
    place.environment["KEEPER"] = "Ada"
    check(f"the_root_continues_elsewhere_{name}",
          (place.haft("resume", "last", "--quiet")[:2], lines_of("effects")),
          ((0, "end\n"), ["x"]))
    del place.environment["KEEPER"]


# ---- gc ----

def gc_counts_trees(name):
    low = place.agent("low", ["fine"])
    bad = place.agent("bad", [])
    good = place.agent("boss", [[call("ask_low", task="l"), call("ask_bad", task="b")], "end"],
                       [ask("low"), ask("bad")], agents={"low": low, "bad": bad})
    failed = place.agent("poor", [[call("ask_low", task="l")]], [ask("low")], agents={"low": low})
    roots = [place.run(spec)[1]["run"] for spec in (good, failed)]

    def left():
        rows = json.loads(place.haft("runs", "list", "--json")[1])["runs"]
        return sorted(row["parent"] or row["run"] for row in rows)
    kept = place.haft("runs", "gc", "--keep", "2")[1]
    check(f"gc_keeps_trees_{name}", (kept, len(left())), ("0 runs removed\n", 5))
    words = ("runs", "gc", "--state", "failed")
    counts = [place.haft(*words, "--dry-run")[1], place.haft(*words)[1]]
    check(f"gc_by_end_looks_at_roots_{name}", (counts, left()),
          (["1 run would be removed\n", "1 run removed\n"], [roots[0]] * 3))


with tempfile.TemporaryDirectory(prefix="haft-children-stop-") as scratch:
    place = Place(scratch)
    place.environment.pop("OPENAI_API_KEY", None)
    for store_name, new_store in stores(scratch):
        place.environment["HAFT_STORE"] = new_store()
        blocked_children(store_name)
        interrupt(store_name)
        interrupt_twice(store_name)
        inherited_time(store_name)
        tree_elsewhere(store_name)
        stuck_root(store_name)
        place.environment["HAFT_STORE"] = new_store()
        gc_counts_trees(store_name)
