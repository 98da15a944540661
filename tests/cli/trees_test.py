#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that show trees of runs: list, show, events, replay, migrate, and the timeline."""
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import Place, ask, call  # noqa: E402
from script import check  # noqa: E402
from store_urls import stores  # noqa: E402

ID = re.compile(r"[0-9a-hjkmnp-tv-z]{26}")


def team(place):
    """The spec of an agent "boss" that calls the agents "first" and "second"; "first" calls
    "helper"."""
    helper = place.agent("helper", ["sand"])
    first = place.agent("first", [[call("ask_helper", task="sift")], "gold"], [ask("helper")],
                        agents={"helper": helper})
    second = place.agent("second", ["tin"])
    return place.agent("boss", [[call("ask_first", task="dig")],
                                [call("ask_second", task="drill")], "found"],
                       [ask("first"), ask("second")],
                       agents={"first": first, "second": second})


def shown_trees(place, name):
    status, result = place.run(team(place))
    root = result["run"]
    check(f"the_result_of_a_tree_matches_its_schema_{name}",
          (status, place.matches("result", result), result["tree"]["runs"]), (0, True, 4))
    alone = place.run(place.agent("alone", ["x"]))[1]["run"]
    status, out, _ = place.haft("runs", "list", "--tree", "--json")
    listed = json.loads(out)
    rows = [(row["name"], row["parent"]) for row in listed["runs"]]
    ids = {row["name"]: row["run"] for row in listed["runs"]}
    check(f"a_list_has_each_run_below_its_parent_{name}",
          (status, place.matches("runs", listed), rows),
          (0, True, [("alone", None), ("boss", None), ("first", root), ("helper", ids["first"]),
                     ("second", root)]))
    out = place.haft("runs", "list", "--tree", "--limit", "2")[1]
    check(f"lines_of_a_tree_are_indented_{name}",
          [re.split(r"\d (?:calls|call )  ", line)[1] for line in out.splitlines()],
          ["go", "go", "  first: dig", "    helper: sift", "  second: drill"])
    out = place.haft("runs", "list", "--tree", "--limit", "1", "--json")[1]
    check(f"the_limit_counts_trees_{name}",
          [row["run"] for row in json.loads(out)["runs"]], [alone])
    status, _, err = place.haft("runs", "list", "--tree", "--thread", "t")
    check(f"a_thread_has_no_trees_{name}", (status, "--thread cannot" in err), (2, True))
    return root, ids


def shown_runs(place, root, ids, name):
    status, out, _ = place.haft("runs", "show", root, "--tree", "--json")
    report = json.loads(out)
    rows = [(one["agent"], one["call"], one["parent"], one["state"], one["end"], one["turns"],
             one["usage"]["input_tokens"]) for one in report["runs"]]
    check(f"a_report_has_turns_state_and_usage_of_each_run_{name}",
          (status, place.matches("tree", report), rows, report["tree"]["turns"]),
          (0, True, [("boss", None, None, "ended", "done", 3, 10),
                     ("first", "c1.1", root, "ended", "done", 2, 10),
                     ("helper", "c1.1/c1.1", ids["first"], "ended", "done", 1, 10),
                     ("second", "c2.1", root, "ended", "done", 1, 10)], 7))
    out = place.haft("runs", "show", root, "--tree")[1]
    check(f"the_lines_of_a_report_{name}",
          [re.sub(" +", " ", ID.sub("ID", line)) for line in out.splitlines()],
          ["ID done 3 turns 2 calls 12 tokens 0.0 USD boss: go",
           "ID done 2 turns 1 call 12 tokens 0.0 USD c1.1 first: dig",
           "ID done 1 turn 0 calls 12 tokens 0.0 USD c1.1/c1.1 helper: sift",
           "ID done 1 turn 0 calls 12 tokens 0.0 USD c2.1 second: drill",
           "4 runs 7 turns 3 calls 48 tokens 0.0 USD"])
    out = place.haft("runs", "show", ids["first"], "--tree", "--json")[1]
    check(f"a_part_of_a_tree_is_shown_{name}",
          [one["agent"] for one in json.loads(out)["runs"]], ["first", "helper"])
    place.put("one.jsonl", place.haft("runs", "events", root)[1])
    for word in ("show", "events"):
        status, _, err = place.haft("runs", word, "one.jsonl", "--spec", "spec.json", "--tree")
        check(f"a_file_has_no_tree_{word}_{name}", (status, "one run" in err), (2, True))


def streamed_events(place, root, ids, name):
    stream = place.events(root, "--tree")
    again = place.events(root, "--tree")
    check(f"the_order_of_a_stream_is_stable_{name}", stream == again)
    check(f"events_of_a_stream_match_the_schema_{name}",
          [event for event in stream if not place.matches("event", event)], [])
    wrong = [dict(stream[-1], path="c1"), dict(stream[-1], path=1), dict(stream[-1], place="c1.1")]
    check(f"other_paths_do_not_match_the_schema_{name}",
          [place.matches("event", event) for event in wrong], [False] * 3)
    separate = {run: place.events(run) for run in (root, ids["first"], ids["helper"],
                                                   ids["second"])}
    paths = {root: None, ids["first"]: "c1.1", ids["helper"]: "c1.1/c1.1", ids["second"]: "c2.1"}
    plain = {run: [] for run in separate}
    for event in stream:
        path = event.pop("path")
        if event["kind"] == "run_started" and path is not None:
            event["path"] = path
        plain[event["run"]].append(event)
        if path != paths[event["run"]]:
            check(f"each_event_has_its_path_{name}", path, paths[event["run"]])
    check(f"a_stream_has_all_events_of_all_runs_in_order_{name}", plain == separate)
    places = {(event["run"], event["kind"]): at for at, event in enumerate(stream)}
    starts = {event["child"]: at for at, event in enumerate(stream)
              if event["kind"] == "child_started"}
    ends = {event["child"]: at for at, event in enumerate(stream)
            if event["kind"] == "child_finished"}
    check(f"a_child_is_between_its_start_and_its_end_{name}",
          all(starts[one] < places[(one, "run_started")] and
              places[(one, "run_finished")] < ends[one] for one in starts))


def replayed_trees(place, root, name):
    status, out, _ = place.haft("runs", "replay", root, "--json")
    found = json.loads(out)
    check(f"a_tree_is_replayed_as_one_{name}",
          (status, place.matches("replay", found), found["identical"], found["runs"],
           found["events"]), (0, True, True, 4, len(place.events(root, "--tree"))))
    out = place.haft("runs", "replay", root)[1]
    check(f"a_replay_counts_the_runs_{name}", out.rstrip().endswith("recomputed in 4 runs"))


def migrated_trees(place, root, ids, name):
    """If --run names a run, migrate copies the whole tree of that run and no other run."""
    target = f"sqlite:{place.directory}/moved-{name}.db"
    status = place.haft("migrate", "--from", place.environment["HAFT_STORE"], "--to", target,
                        "--run", ids["first"], "--quiet")[0]
    moved = Place(place.directory, target)
    listed = json.loads(moved.haft("runs", "list", "--json")[1])["runs"]
    check(f"a_tree_is_migrated_as_one_{name}",
          (status, sorted(row["name"] for row in listed), moved.haft("runs", "replay", root)[0]),
          (0, ["boss", "first", "helper", "second"], 0))


def lines_while_it_runs(place, name):
    err = place.haft("run", place.put("spec.json", team(place)), "go")[2]
    lines = err.splitlines()
    nested = [line for line in lines if line.startswith("  c1.1 ")]
    deeper = [line for line in lines if line.startswith("    c1.1/c1.1 ")]
    check(f"the_timeline_has_the_lines_of_children_{name}",
          (any("[first] turn 1" in line for line in nested),
           any("[helper] turn 1" in line for line in deeper),
           any(line.startswith("[boss] turn 2") for line in lines)), (True, True, True))
    err = place.haft("run", "spec.json", "go", "--quiet")[2]
    check(f"quiet_runs_show_no_children_{name}", err, "")


with tempfile.TemporaryDirectory(prefix="haft-trees-") as scratch:
    for store_name, new_store in stores(scratch):
        here = Place(scratch, new_store())
        first_root, by_name = shown_trees(here, store_name)
        shown_runs(here, first_root, by_name, store_name)
        streamed_events(here, first_root, by_name, store_name)
        replayed_trees(here, first_root, store_name)
        migrated_trees(here, first_root, by_name, store_name)
        lines_while_it_runs(here, store_name)
