#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/analysis.yaml: a planner, a manager and workers; plans that do not match, do not end or
grow; a manager that changes, repeats and skips phases, and decides otherwise in each round."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from script import check  # noqa: E402
from wire_server import Server, chat  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HAFT = os.environ["HAFT"]
SPEC = ROOT / "examples/analysis.yaml"


def phase(name, goals=("look",), worker="searcher"):
    return {"name": name, "worker": worker, "goals": list(goals), "done": "each goal is reached"}


def plan(*phases):
    return {"phases": list(phases)}


def step(the_plan, following, reason="because"):
    return {"plan": the_plan, "next": following, "finished": following is None, "reason": reason}


class Case:
    """A run of the example in which each agent has a script of its own. Each child run begins its
    script again; a `server` gives the replies of the manager one after the other instead."""

    def __init__(self, planner, manager, searcher="found", critic="checked", goal="Find it.",
                 server=None, summary="the summary"):
        environment = dict(os.environ)
        with tempfile.TemporaryDirectory() as own:
            sets = []
            for node, replies in (("planner", planner), ("manager", manager),
                                  ("searcher", [searcher]), ("critic", [critic]),
                                  ("sum_up", [summary])):
                path = Path(own) / f"{node}.json"
                path.write_text(json.dumps({"replies": [
                    {"text": reply if isinstance(reply, str) else json.dumps(reply)}
                    for reply in replies]}))
                served = server is not None and node == "manager"
                model = "openai:m" if served else f"script:{path}"
                sets += ["--set", f"graph.nodes.{node}.agent.model={model}"]
            if server is not None:
                environment.update(OPENAI_API_KEY="k", OPENAI_BASE_URL=server.url("/v1"))
            store = ["--store", f"sqlite:{own}/haft.db"]
            done = subprocess.run([HAFT, "run", str(SPEC), goal, *sets, *store, "--json"],
                                  text=True, capture_output=True, stdin=subprocess.DEVNULL,
                                  env=environment)
            self.result = json.loads(done.stdout or "{}")
            show = subprocess.run([HAFT, "runs", "state", "last", *store], text=True,
                                  capture_output=True)
            self.state = json.loads(show.stdout or '{"state": {}}')["state"]
            events = subprocess.run([HAFT, "runs", "events", "last", "--tree", *store], text=True,
                                    capture_output=True).stdout.splitlines()
            events = [json.loads(line) for line in events]
            self.tasks = [event["task"] for event in events if event["kind"] == "run_started"]
            self.updates = [event["updates"] for event in events if event["kind"] == "graph_step"]
            replay = subprocess.run([HAFT, "runs", "replay", "last", *store], text=True,
                                    capture_output=True)
            self.replays = replay.returncode == 0


def offline():
    with tempfile.TemporaryDirectory() as where:
        (Path(where) / "gate.c").write_text("int open_gate(void)\n{\n}\n")
        store = ["--store", f"sqlite:{where}/haft.db"]
        done = subprocess.run([HAFT, "run", str(SPEC), "Where is open_gate defined?", "--json",
                               "--set", f"root={where}", *store], text=True, capture_output=True)
        found = json.loads(done.stdout)
        check("it_works_by_rules", (found["end"], found["answer"].split("\n")[0]),
              ("done", "- `gate.c:1`: `int open_gate(void)`"))
        state = json.loads(subprocess.run([HAFT, "runs", "state", "last", *store], text=True,
                                          capture_output=True).stdout)["state"]
        check("both_phases_ran", state["done"], ["survey", "detail"])
        check("each_goal_has_a_result", len(state["results"]), 4)
        check("each_decision_has_its_reason", [set(d) for d in state["decisions"]],
              [{"next", "reason"}, {"next", "reason"}, {"next", "reason"}])


def scripted():
    # Each child run begins its script again, so a manager always replies the same.
    one = plan(phase("only", ["a", "b"]))
    case = Case([one], [step(one, phase("only", ["a", "b"]), "again")])
    check("a_plan_that_never_ends_is_summed_up", (case.result["end"], case.result["answer"],
                                                  case.state["rounds"], case.state["done"]),
          ("done", "the summary", 8, 8 * ["only"]))
    check("workers_of_a_phase_count_once_each", case.state["results"], 16 * ["found"])
    check("every_change_is_recorded_with_its_reason", case.state["decisions"],
          8 * [{"next": "only", "reason": "again"}] + [{"next": "only", "reason": "again"}])
    check("workers_read_the_plan", [task for task in case.tasks if task.startswith("a\n\n")][:1],
          ["a\n\nSTRATEGIC PLAN:\n" + json.dumps(one, indent=2)])
    check("it_replays", case.replays)

    changed = plan(phase("other", ["c"], "critic"))
    case = Case([one], [step(changed, phase("other", ["c"], "critic"), "the first was wrong")])
    check("the_manager_changes_the_plan", (case.state["plan"], case.state["done"][0],
                                           case.state["results"][0]),
          (changed, "other", "checked"))

    case = Case([one], [step(one, None, "nothing to do")])
    check("the_manager_skips_all_phases", (case.result["answer"], case.state["done"],
                                           case.state["reason"]),
          ("the summary", [], "nothing to do"))

    case = Case([one], [step(one, phase("only", ["a", "b"]))], summary={"a": "no text"})
    check("without_a_summary_the_results_are_the_answer",
          (case.result["end"], case.result["answer"].split("\n\n")[1:3]),
          ("done", ["found", "found"]))

    wrong = plan(phase("x", worker="nobody"))
    case = Case([wrong, wrong], [step(one, None)])
    check("a_plan_with_an_unknown_worker_is_refused",
          (case.result["end"], "plan" in json.dumps(case.result["error"])), ("failed", True))
    grown = plan(*[phase(f"p{n}") for n in range(6)])
    case = Case([one], [step(grown, phase("p5")), step(grown, phase("p5"))])
    check("a_plan_that_grows_past_its_bound_ends_the_work", (case.result["answer"],
                                                             case.state["done"]),
          ("the summary", []))
    fenced = [f"```json\n{json.dumps(value, indent=2)}\n```" for value in (one, step(one, None))]
    case = Case(fenced[:1], fenced[1:])
    check("a_plan_and_a_decision_in_fences", (case.result["end"], case.state["decisions"]),
          ("done", [{"next": None, "reason": "because"}]))
    case = Case([one], ["I cannot decide."])
    check("a_manager_that_does_not_decide_ends_the_work", case.result["answer"], "the summary")
    long = plan(phase("long", [400 * "x", 400 * "y", 400 * "z", 400 * "w"]))
    case = Case([long], [step(long, phase("long", ["goal"]))])
    task = [task for task in case.tasks if task.startswith("goal\n\n")][0]
    check("a_long_plan_is_cut", len(task) - len("goal\n\nSTRATEGIC PLAN:\n"), 1500)


def managed(planned, decisions, **more):
    """A run whose manager decides otherwise in each round, and the tasks that it read."""
    with Server([chat(json.dumps(decision)) for decision in decisions]) as server:
        case = Case([planned], [], server=server, **more)
        return case, [request["messages"][-1]["content"] for request in server.requests]


def rounds():
    survey, detail, review = phase("survey"), phase("detail"), phase("review", ["a", "b"], "critic")
    first, second = plan(survey, detail), plan(survey, review)
    case, read = managed(first, [
        step(first, survey, "it is the first"), step(first, survey, "too few results"),
        step(second, review, "detail is not needed, but a review is"),
        step(second, None, "all is done")])
    check("a_phase_is_repeated_and_the_next_one_skipped",
          (case.result["end"], case.result["answer"], case.state["done"], case.state["results"]),
          ("done", "the summary", ["survey", "survey", "review"],
           ["found", "found", "checked", "checked"]))
    check("each_decision_is_recorded_with_its_reason", case.state["decisions"],
          [{"next": "survey", "reason": "it is the first"},
           {"next": "survey", "reason": "too few results"},
           {"next": "review", "reason": "detail is not needed, but a review is"},
           {"next": None, "reason": "all is done"}])
    changes = [(update["plan"], update["reason"]) for update in case.updates if "reason" in update]
    check("the_log_has_the_plan_after_each_decision_with_its_reason", changes,
          [(first, "it is the first"), (first, "too few results"),
           (second, "detail is not needed, but a review is"), (second, "all is done")])
    check("the_manager_reads_results_between_phases",
          [task.split("Results: ")[1] for task in read],
          ["[]", '["found"]', '["found","found"]', '["found","found","checked","checked"]'])
    check("and_how_many_rounds_there_were",
          [task.split("Rounds: ")[1].split("\n")[0] for task in read],
          [f"{n} of 8" for n in range(4)])
    check("a_changed_plan_replays", case.replays)
    turns = [step(first, phase_of, f"round {n}") for n in range(10)
             for phase_of in [survey if n % 2 == 0 else detail]]
    case, read = managed(first, turns)
    check("rounds_have_a_bound_whatever_the_manager_decides",
          (case.result["answer"], case.state["done"], len(read)),
          ("the summary", 4 * ["survey", "detail"], 9))
    grown = plan(*[phase(f"p{n}") for n in range(6)])
    case, read = managed(first, [step(first, survey), step(grown, phase("p5")),
                                 step(first, detail, "second attempt"), step(first, None)])
    check("a_plan_that_is_too_long_is_asked_for_again",
          (case.state["done"], case.state["decisions"][1]["reason"]),
          (["survey", "detail"], "second attempt"))


def main():
    check("it_is_a_valid_spec", subprocess.run([HAFT, "check", str(SPEC)],
                                               capture_output=True).returncode, 0)
    offline()
    scripted()
    rounds()


main()
