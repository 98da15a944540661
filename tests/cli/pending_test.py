#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haft pending: the pending calls of a store or of a tree; its commands are run as printed."""
import json
import shlex
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import Place, ask, call, tool  # noqa: E402
from script import check  # noqa: E402
from store_urls import stores  # noqa: E402


def pending(*words):
    status, out, err = place.haft("pending", *words, "--json")
    value = json.loads(out) if status == 0 else {"pending": err}
    check("the_json_has_its_shape", status == 0 and place.matches("pending", value))
    return value["pending"]


def start_trees():
    """A run with a question, and a tree whose child and grandchild wait."""
    alone = place.agent("alone", [[call("request_user_input", question="Which?")], "so"],
                        [{"builtin": ["request_user_input"]}])
    send = tool("send", ["sh", "-c", "echo x >> effects"], needs_approval=True)
    low = place.agent("low", [[call("send")], "sent"], [send],
                      pauses={"approval": {"deadline": "2h"}})
    middle = place.agent("middle", [[call("ask_low", task="l"), call("pick")], "middle"],
                         [ask("low"), tool("pick")], agents={"low": low})
    top = place.agent("top", [[call("ask_middle", task="m")], "top done"], [ask("middle")],
                      agents={"middle": middle})
    for spec in (alone, top):
        place.haft("run", place.put(f"{spec['name']}.json", spec), "go", "--quiet")
    rows = json.loads(place.haft("runs", "list", "--json")[1])["runs"]
    return [next(row["run"] for row in rows if row["name"] == name) for name in ("alone", "top")]


def lists(name):
    status, out, err = place.haft("pending")
    check(f"a_store_without_runs_has_no_pending_calls_{name}", (status, out, err),
          (0, "", "no pending calls\n"))
    alone, top = start_trees()
    found = [(one["root"], one["call"], one["kind"], one["tool"], one["agent"],
              one["question"], one["deadline"] is not None) for one in pending()]
    wanted = [(top, "c1.1/c1.2", "headless", "pick", "middle", None, False),
              (top, "c1.1/c1.1/c1.1", "approval", "send", "low", None, True),
              (alone, "c1.1", "question", "request_user_input", "alone", "Which?", False)]
    check(f"all_pending_calls_are_listed_with_their_path_{name}", found, wanted)
    child = place.children(top)[0]
    trees = [[one["call"] for one in pending(run)] for run in (alone, top, child, "last")]
    below = [row[1] for row in wanted[:2]]
    check(f"an_id_selects_its_tree_{name}", trees, [["c1.1"], below, below, below])
    lines = place.haft("pending", top)[1].splitlines()
    check(f"lines_say_who_asks_{name}",
          (lines[0], "c1.1/c1.2: headless of pick, asked by middle" in lines,
           any(line.startswith("c1.1/c1.1/c1.1: approval of send, asked by low, until 2")
               for line in lines)), (top, True, True))
    check(f"an_unknown_run_is_an_error_{name}", place.haft("pending", "none")[0] != 0)
    return alone, top


def answers(alone, top, name):
    """Runs the first command of each pending call, until none is left."""
    for one in pending():
        words = [word.replace("TEXT", "this").replace("JSON", '"it"')
                 for word in shlex.split(one["commands"][0])]
        status = place.haft(*words[1:], "--quiet")[0]
        check(f"a_listed_command_is_accepted_{one['kind']}_{name}", status in (0, 4))
    check(f"nothing_is_pending_after_all_commands_{name}", pending(), [])
    check(f"the_runs_have_ended_{name}",
          ([place.shown(run)["end"] for run in (alone, top)],
           (place.directory / "effects").read_text()), (["done", "done"], "x\n"))
    status, out, err = place.haft("pending", top)
    check(f"a_run_that_has_ended_has_none_{name}", (status, out, err),
          (0, "", "no pending calls\n"))


with tempfile.TemporaryDirectory(prefix="haft-pending-") as scratch:
    place = Place(scratch)
    for store_name, new_store in stores(scratch):
        place.environment["HAFT_STORE"] = new_store()
        (place.directory / "effects").unlink(missing_ok=True)
        answers(*lists(store_name), store_name)
