#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of graphs: tools, agents, graphs inside, questions, pauses, loops, failures, replay.

On every store: SQLite, and PostgreSQL if HAFT_TEST_POSTGRES names a server.
"""
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


def haft(*words, cwd=None):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, cwd=cwd or scratch, env=environment, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def tool(name, command, **traits):
    return {"name": name, "description": f"Does {name} for these tests.", "args": [],
            "command": command, "traits": dict({"read_only": True}, **traits)}


def graph(nodes, edges, channels=None, **more):
    return dict({"channels": channels or {"out": {"reducer": "append"}}, "nodes": nodes,
                 "edges": edges}, **more)


def spec(main, tools=(), **more):
    return dict({"haft": 1, "kind": "graph", "name": "g", "tools": list(tools), "graph": main},
                **more)


def run(value, task="{}", *words):
    """Runs a spec; returns the exit status and the result."""
    (Path(scratch) / "spec.json").write_text(json.dumps(value))
    status, out, err = haft("run", "spec.json", task, "--json", *words)
    result = json.loads(out) if out else {"err": err}
    if result.get("run"):
        seen.append(result["run"])
    return status, result


def again(*words):
    """A command that continues a run; the result."""
    out = haft(*words, "--json")
    return json.loads(out[1]) if out[1] else {"err": out[2]}


def answer(result):
    text = result.get("answer", "")
    return json.loads(text) if text.startswith(("{", "[")) else text


def events(run_id, kind=None):
    lines = [json.loads(line) for line in haft("runs", "events", run_id)[1].splitlines()]
    return [event for event in lines if kind in (None, event["kind"])]


def line(*names):
    """Edges from start through these nodes to the end."""
    stops = ["start", *names, "end"]
    return [{"from": a, "to": b} for a, b in zip(stops, stops[1:])]


# ---- the tests; each on every store ----

def operations_only(name):
    """A loop of operations, and how it ends."""
    loop = graph({"up": {"do": [{"set": {"n": 1}}]}},
                 [{"from": "start", "to": "up"},
                  {"from": "up", "choose": [{"when": {"at": "/n", "op": "ge", "value": 5},
                                             "to": "end"}, {"to": "up"}]}],
                 {"n": {"reducer": "add"}}, output="/n")
    status, result = run(spec(loop))
    check(f"a_loop_of_operations_{name}", (status, result["end"], result["answer"]),
          (0, "done", "5"))
    steps = events(result["run"], "graph_step")
    check(f"each_step_is_an_event_{name}", [step["step"] for step in steps], list(range(6)))
    status, result = run(spec(dict(loop, recursion_limit=3)))
    check(f"the_limit_ends_as_exhausted_{name}",
          (result["end"], result["answer"], status != 0), ("exhausted", "3", True))
    status, result = run(spec(dict(loop, recursion_limit=3, on_limit="last", nodes=dict(
        loop["nodes"], last={"do": [{"overwrite": {"n": 99}}]}))))
    check(f"the_node_of_the_limit_runs_{name}", (result["end"], result["answer"]),
          ("exhausted", "99"))


def tools_and_joins(name):
    """Tools beside each other, a join, results that are JSON or text."""
    main = graph({"a": {"tool": "hello", "out": {"out": ""}},
                  "b": {"tool": "object", "out": {"out": "/x"}},
                  "c": {"do": [{"set": {"out": "c"}}]}},
                 [{"from": "start", "to": ["a", "b"]}, {"from": ["a", "b"], "to": "c"}],
                 output="/out")
    tools = [tool("hello", ["echo", "hi"]), tool("object", ["echo", '{"x": [1, 2]}'])]
    status, result = run(spec(main, tools))
    check(f"tools_run_beside_each_other_{name}", (status, answer(result)),
          (0, ["hi", 1, 2, "c"]))
    started = events(result["run"], "call_started")
    check(f"calls_name_their_nodes_{name}",
          sorted((one["call"], one["node"], one["tool"]) for one in started),
          [("n1.1", "a", "hello"), ("n1.2", "b", "object")])
    half = graph({"a": {"do": []}, "b": {"do": []}, "c": {"do": []}},
                 [{"from": "start", "choose": [{"when": {"at": "/out", "op": "eq", "value": 1},
                                                "to": ["a", "b"]}, {"to": "a"}]},
                  {"from": ["a", "b"], "to": "c"}])
    status, result = run(spec(half))
    check(f"a_half_full_join_is_incomplete_{name}",
          (result["end"], result["reason"].split(":")[0], status != 0),
          ("incomplete", "join_unmet", True))


def maps(name):
    """One worker for each item, some of which fail."""
    main = graph({"worker": {"tool": "upper", "args": {"text": "/item"}, "out": {"out": ""},
                             "on_error": {"do": [{"text": {"out": "lost {/item}"}}]}},
                  "all": {"do": [{"set": {"out": "all"}}]}},
                 [{"from": "start", "map": {"over": "/items", "to": "worker"}},
                  {"from": "worker", "to": "all"}],
                 {"items": {}, "out": {"reducer": "append"}}, output="/out", input=["items"])
    upper = {"name": "upper", "description": "Upper.", "args": ["text"], "traits":
             {"read_only": True}, "command":
             ["sh", "-c", 'test "$1" != bad && echo "$1" | tr a-z A-Z', "sh", "{text}"]}
    items = ["a", "bad", "c", "d"]
    status, result = run(spec(main, [upper]), json.dumps({"items": items}))
    check(f"workers_keep_their_order_{name}", (status, answer(result)),
          (0, ["A", "lost bad", "C", "D", "all"]))
    paths = {one["node"] for one in events(result["run"], "call_started")}
    check(f"workers_are_numbered_{name}", paths, {f"worker[{i}]" for i in range(4)})


def failures(name):
    """A failure ends the run; its siblings finish; attempts with a delay; bad updates."""
    main = graph({"bad": {"tool": "no"}, "good": {"tool": "yes", "out": {"out": ""}}},
                 [{"from": "start", "to": ["bad", "good"]}])
    status, result = run(spec(main, [tool("no", ["false"]), tool("yes", ["echo", "y"])]))
    finished = {one["node"]: one["ok"] for one in events(result["run"], "call_finished")}
    check(f"a_failed_node_fails_the_run_{name}",
          (status != 0, result["end"], result["reason"].split(":")[0], finished),
          (True, "failed", "node_failed", {"bad": False, "good": True}))
    counter = Path(scratch) / f"attempts-{name}"
    counter.unlink(missing_ok=True)
    flaky = tool("flaky", ["sh", "-c", f'echo x >>{counter}; test $(wc -l <{counter}) -ge 3'])
    main = graph({"try": {"tool": "flaky", "retry": {"attempts": 3, "backoff": "20ms"}}},
                 line("try"))
    status, result = run(spec(main, [flaky]))
    check(f"a_node_is_tried_again_{name}",
          (status, [one["call"] for one in events(result["run"], "call_started")]),
          (0, ["n1.1", "n1.1.2", "n1.1.3"]))
    main = graph({"a": {"tool": "yes", "out": {"n": ""}}}, line("a"), {"n": {"type": "integer"}})
    status, result = run(spec(main, [tool("yes", ["echo", "y"])]))
    check(f"a_value_of_another_type_fails_the_node_{name}",
          (result["end"], result["reason"].split(":")[0]), ("failed", "bad_update"))
    main = graph({"slow": {"tool": "sleeper", "timeout": "100ms",
                           "on_error": {"do": [{"set": {"out": "late"}}]}}}, line("slow"))
    status, result = run(spec(main, [tool("sleeper", ["sleep", "60"])]))
    check(f"a_node_has_a_timeout_{name}", (status, answer(result)), (0, {"out": ["late"]}))


def questions(name):
    """Questions in a node and in operations, answered in any order, with any value."""
    main = graph({"one": {"ask": {"question": "First {/word}?", "choices": ["x", "y"]},
                          "out": {"out": ""}},
                  "two": {"do": [{"ask": "Second?", "as": "it"}, {"copy": {"out": "/$/it"}},
                                 {"ask": "Third?", "as": "it"}, {"copy": {"out": "/$/it"}}]},
                  "beside": {"do": [{"set": {"out": "beside"}}]}},
                 [{"from": "start", "to": ["one", "two", "beside"]}],
                 {"word": {}, "out": {"reducer": "append"}}, output="/out", input=["word"])
    status, result = run(spec(main), "abc")
    pending = {one["call"]: one["question"] for one in result["pending"]}
    check(f"questions_wait_together_{name}", (result["end"], pending),
          ("waiting", {"n1.2": "First abc?", "n1.3": "Second?"}))
    again("answer", result["run"], "n1.3", '{"a": false}')
    result = again("answer", result["run"], "n1.2", "y")
    check(f"the_next_question_of_a_node_{name}",
          [one["call"] for one in result["pending"]], ["n1.3.2"])
    result = again("answer", result["run"], "n1.3.2", "0")
    check(f"answers_are_values_{name}", (result["end"], answer(result)),
          ("done", ["beside", "y", {"a": False}, 0]))
    late = graph({"one": {"ask": {"question": "Now?", "deadline": "50ms",
                                  "on_expire": {"answer": "never"}}, "out": {"out": ""}}},
                 line("one"), output="/out")
    status, result = run(spec(late))
    wait_for(lambda: again("resume", result["run"]).get("end") == "done")
    result = again("runs", "show", result["run"])
    check(f"a_question_has_a_deadline_{name}", answer(result), ["never"])


def pauses(name):
    """`pause` before and after a node."""
    main = graph({"a": {"do": [{"set": {"out": "a"}}], "pause": "both"},
                  "b": {"do": [{"set": {"out": "b"}}]}}, line("a", "b"), output="/out")
    status, result = run(spec(main))
    check(f"a_node_waits_before_{name}",
          [(one["call"], one["kind"]) for one in result["pending"]], [("n1.1", "approval")])
    result = again("approve", result["run"])
    check(f"the_run_waits_after_{name}", [one["call"] for one in result["pending"]], ["n1.after"])
    result = again("approve", result["run"])
    check(f"it_continues_{name}", (result["end"], answer(result)), ("done", ["a", "b"]))
    status, result = run(spec(main))
    result = again("reject", result["run"], "--why", "no")
    check(f"a_rejected_node_fails_{name}",
          (result["end"], "rejected this call: no" in result["reason"]), ("failed", True))


def inside(name):
    """Graphs inside graphs: input, output, a question inside, a command for the graph around."""
    inner = graph({"ask": {"ask": "Inside {/word}?", "out": {"got": ""}}}, line("ask"),
                  {"word": {}, "got": {}})
    main = graph({"sub": {"graph": "inner", "out": {"out": "/got"}},
                  "op": {"do": [{"call": "inner", "in": {"word": "/word"},
                                 "out": {"out": "/got"}}]}}, line("sub", "op"),
                 {"word": {}, "out": {"reducer": "append"}}, input=["word"], output="/out")
    status, result = run(spec(main, graphs={"inner": inner}), "deep")
    pending = result["pending"]
    check(f"a_question_inside_is_shown_outside_{name}",
          [one["question"] for one in pending], ["Inside deep?"])
    result = again("answer", result["run"], pending[0]["call"], "one")
    result = again("answer", result["run"], result["pending"][0]["call"], "two")
    check(f"a_graph_inside_gives_its_state_{name}", (result["end"], answer(result)),
          ("done", ["one", "two"]))
    commands = graph({"x": {"do": [{"parent": {"update": {"out": "up"}, "goto": "end"}}]}},
                     line("x"))
    main = graph({"sub": {"graph": "inner"}, "never": {"do": [{"set": {"out": "no"}}]}},
                 line("sub", "never"), output="/out")
    status, result = run(spec(main, graphs={"inner": commands}))
    check(f"a_command_for_the_graph_around_{name}", (result["end"], answer(result)),
          ("done", ["up"]))
    fails = graph({"x": {"do": [{"fail": "broken"}]}}, line("x"))
    status, result = run(spec(main, graphs={"inner": fails}))
    check(f"a_failure_inside_{name}", (result["end"], result["reason"]),
          ("failed", "node_failed: broken"))


def deep_pauses(name):
    """Pauses and questions in a graph inside a graph inside a graph, let through from the root."""
    deep = graph({"ask": {"ask": "Deep?", "out": {"out": ""}, "pause": "both"},
                  "beside": {"ask": "Beside?", "out": {"out": ""}}},
                 [{"from": "start", "to": ["ask", "beside"]}])
    middle = graph({"held": {"graph": "deep", "out": {"out": "/out"}, "pause": "before"}},
                   line("held"))
    main = graph({"top": {"graph": "middle", "out": {"out": "/out"}},
                  "other": {"ask": "Top?", "out": {"out": ""}}},
                 [{"from": "start", "to": ["top", "other"]}], output="/out")
    status, result = run(spec(main, graphs={"middle": middle, "deep": deep}))
    run_id, seen_calls = result["run"], []
    answers = {"Deep?": "d", "Beside?": "b", "Top?": "t"}
    while result.get("end") == "waiting" and len(seen_calls) < 20:
        one = result["pending"][-1]  # the newest first
        seen_calls.append((one["call"], one["kind"]))
        if one["kind"] == "approval":
            result = again("approve", run_id, one["call"])
        else:
            result = again("answer", run_id, one["call"], answers[one["question"]])
    check(f"pauses_inside_are_let_through_from_the_root_{name}",
          (result.get("end"), answer(result)), ("done", ["t", "d", "b"]))
    check(f"pauses_have_a_path_{name}", sorted(seen_calls),
          sorted([("n1.1", "question"), ("n1.2/n1.1", "approval"),
                  ("n1.2/n1.1.2/n1.1", "approval"), ("n1.2/n1.1.2/n1.1.2", "question"),
                  ("n1.2/n1.1.2/n1.2", "question")]))


def wide_map(name):
    """A map over 500 items, of which every tenth fails; never more than `parallel` at once."""
    (Path(scratch) / "there.txt").write_text("there\n")
    items = [f"missing{i}.txt" if i % 10 == 0 else "there.txt" for i in range(500)]
    worker = {"tool": "read", "args": {"path": "/path"}, "out": {"good": ""},
              "on_error": {"do": [{"set": {"failed": 1}}]}}
    channels = {"items": {}, "good": {"reducer": "append"}, "failed": {"reducer": "add"}}
    main = graph({"w": worker, "z": {"do": [{"set": {"failed": 0}}]}},
                 [{"from": "start", "map": {"over": "/items", "to": "w", "as": "path", "max": 500}},
                  {"from": "w", "to": "z"}], channels, input=["items"], output="/failed")
    value = spec(main, [{"builtin": ["read"]}], root=".", limits={"parallel": 7})
    status, result = run(value, json.dumps({"items": items}))
    log, open_calls, most = events(result["run"]), 0, 0
    for event in log:
        open_calls += (event["kind"] == "call_started") - (event["kind"] == "call_finished")
        most = max(most, open_calls)
    state = json.loads(haft("runs", "state", result["run"])[1])["state"]
    check(f"500_workers_of_which_a_tenth_fails_{name}",
          (status, result["answer"], len(state["good"])), (0, "50", 450))
    check(f"never_more_workers_at_once_than_allowed_{name}", 0 < most <= 7, True)
    status, result = run(value, json.dumps({"items": items + ["one.txt"]}))
    check(f"one_item_more_than_max_{name}", (status != 0, result.get("run")), (True, None))


def agents(name):
    """Agents as nodes: written at the node, and by name; the budgets of the graph."""
    (Path(scratch) / "say.json").write_text(json.dumps({"replies": [{"text": '["p", "q"]'}]}))
    agent = {"haft": 1, "name": "sayer", "model": "script:say.json"}
    main = graph({"a": {"agent": agent, "task": "Say {/word}", "out": {"out": ""}},
                  "b": {"agent": "sayer", "task": "{/word}", "out": {"out": "/0"}}}, line("a", "b"),
                 {"word": {}, "out": {"reducer": "append"}}, input=["word"], output="/out")
    status, result = run(spec(main, agents={"sayer": agent}), "hey")
    check(f"agents_are_nodes_{name}", (status, answer(result), result["tree"]["runs"]),
          (0, ["p", "q", "p"], 3))
    value = spec(main, agents={"sayer": agent})
    for kind, text, read in (("a_fence", '```json\n["p"]\n```\n', True),
                             ("a_fence_without_a_language", '```\n["p"]\n```', True),
                             ("another_language", '```yaml\n["p"]\n```', False),
                             ("prose_and_a_fence", 'So:\n```json\n["p"]\n```', False),
                             ("two_fences", '```json\n["p"]\n```\n```json\n["q"]\n```', False),
                             ("an_open_fence", '```json\n["p"]', False)):
        (Path(scratch) / "say.json").write_text(json.dumps({"replies": [{"text": text}]}))
        written = answer(run(value, "hey")[1])
        check(f"json_in_{kind}_{name}", written[0] if written else None, "p" if read else text)
    (Path(scratch) / "say.json").write_text(json.dumps({"replies": [{"text": '["p", "q"]'}]}))
    child = events(result["run"], "child_started")[0]["child"]
    check(f"the_task_of_an_agent_{name}", events(child)[0]["task"], "Say hey")


def bounds(name):
    """Data that exceeds a limit: the node fails, and what has run is known."""
    effects = Path(scratch) / f"effects-{name}"
    main = graph({"grow": {"do": [{"text": {"a": "{/a}" * 8}}, {"sum": {"n": ["/n", 1]}}]},
                  "hit": {"tool": "touch", "out": {"r": ""}},
                  "boom": {"do": [{"text": {"r": "{/a}{/a}"}}]}},
                 [{"from": "start", "to": "grow"},
                  {"from": "grow", "choose": [{"when": {"at": "/n", "op": "ge", "value": 6},
                                               "to": "hit"}, {"to": "grow"}]},
                  {"from": "hit", "to": "boom"}],
                 {"a": {}, "n": {"default": 0}, "r": {}}, input=["a"], output="/r")
    touch = tool("touch", ["sh", "-c", f"echo x >>{effects}; echo ok"], read_only=False)
    status, result = run(spec(main, [touch]), "x" * 40)
    check(f"a_text_that_is_too_long_fails_its_node_{name}",
          (result["end"], result["reason"], result["error"]["where"]),
          ("failed", "bad_update: the text is longer than 16777216 bytes", "boom"))
    check(f"what_ran_before_is_known_{name}",
          ([one["ok"] for one in events(result["run"], "call_finished")], effects.read_text()),
          ([True], "x\n"))
    deep = graph({"a": {"tool": "deep", "out": {"r": ""}}}, line("a"), {"r": {}})
    status, result = run(spec(deep, [tool("deep", ["echo", "[" * 256 + "]" * 256])]))
    check(f"a_result_that_nests_too_deeply_{name}", (result["end"], result["reason"]),
          ("failed", "bad_update: channel 'r': the value nests more than 240 levels deep"))


def other_graphs(name):
    """A run does not continue with another graph; other changes are accepted."""
    main = graph({"q": {"ask": "Fine?", "out": {"ok": ""}},
                  "end_it": {"tool": "say", "out": {"r": ""}}}, line("q", "end_it"),
                 {"ok": {}, "r": {}}, output="/r")
    first = spec(main, [tool("say", ["echo", "one"])])
    status, result = run(first)
    path = Path(scratch) / "spec.json"
    for what, other in (("graph", dict(first, graph=dict(main, output="/ok"))),
                        ("graphs", dict(first, graphs={"g": graph({"a": {"do": []}}, line("a"))})),
                        ("kind", {"haft": 1, "name": "g", "model": "offline"})):
        path.write_text(json.dumps(other))
        code, out, err = haft("answer", result["run"], "n1.1", "yes", "--accept-spec")
        check(f"another_{what}_is_refused_{name}",
              (code, f"cannot continue with another {what}" in err), (2, True))
    path.write_text(json.dumps(spec(main, [tool("say", ["echo", "two"])])))
    ended = again("answer", result["run"], "n1.1", "yes", "--accept-spec")
    check(f"another_command_is_accepted_{name}", (ended["end"], ended["answer"]), ("done", "two"))


def wrong_lists(name):
    """Maps over too many items, and over what is no list."""
    worker = {"w": {"do": [{"copy": {"out": "/item"}}]}}
    channels = {"items": {}, "out": {"reducer": "append"}}
    at_start = graph(worker, [{"from": "start", "map": {"over": "/items", "to": "w", "max": 2}}],
                     channels, input=["items"])
    status, result = run(spec(at_start), '{"items": [1, 2, 3]}')
    check(f"too_many_items_at_the_start_{name}",
          (status, result["error"]["where"], result["error"]["message"]),
          (2, "TASK", "the input: node_failed: the list at /items has more than 2 items"))
    later = graph(dict(worker, s={"do": []}),
                  [{"from": "start", "to": "s"},
                   {"from": "s", "map": {"over": "/items", "to": "w", "max": 2}}],
                  channels, input=["items"])
    for items, what in (([1, 2, 3], "has more than 2 items"), ("text", "expected a list")):
        status, result = run(spec(later), json.dumps({"items": items}))
        check(f"wrong_items_{type(items).__name__}_{name}",
              (result["end"], what in result["reason"], result["error"]["where"]),
              ("failed", True, "s"))


def first_items(name):
    """A map over the first items of a list; the number is in the state."""
    main = graph({"w": {"do": [{"copy": {"out": "/item"}}]}},
                 [{"from": "start", "map": {"over": "/items", "to": "w", "first": "/most"}}],
                 {"items": {}, "most": {}, "out": {"reducer": "append"}}, input=["items", "most"],
                 output="/out")
    for most, want in ((2, [1, 2]), (0, []), (-1, []), (3, [1, 2, 3]), (10 ** 12, [1, 2, 3]),
                       ("2", [1, 2, 3]), (None, [1, 2, 3])):
        _, result = run(spec(main), json.dumps({"items": [1, 2, 3], "most": most}))
        check(f"the_first_{most}_items_{name}", answer(result) or [], want)


def first_items_of_the_same_step(name):
    """A node writes the list and the number of items that get a worker."""
    for edges, send in (([{"from": "s", "map": {"over": "/items", "to": "w", "first": "/most"}}],
                         []),
                        ([], [{"send": {"over": "/items", "to": "w", "first": "/most"}}])):
        main = graph({"s": {"do": [{"set": {"items": [1, 2, 3], "most": 2}}]},
                      "t": {"do": send}, "w": {"do": [{"copy": {"out": "/item"}}]}},
                     [{"from": "start", "to": "s"}, *edges, {"from": "s", "to": "t"},
                      {"from": "t", "to": "end"}],
                     {"items": {}, "most": {"default": 1}, "out": {"reducer": "append"}},
                     output="/out")
        _, result = run(spec(main))
        check(f"the_first_items_by_{'send' if send else 'edge'}_{name}", answer(result), [1, 2])


def open_questions(name):
    """A failed node does not end the step while another waits for a person."""
    inner = graph({"q": {"ask": "In?", "out": {"got": ""}}}, line("q"), {"got": {}})
    for node, what in (({"ask": "Fine?", "out": {"got": ""}}, "here"),
                       ({"graph": "inner"}, "inside")):
        main = graph({"bad": {"do": [{"fail": "boom"}]}, "q": node},
                     [{"from": "start", "to": ["bad", "q"]}], {"got": {}})
        status, result = run(spec(main, graphs={"inner": inner}))
        check(f"the_question_stays_open_{what}_{name}",
              (result["end"], len(result["pending"])), ("waiting", 1))
        result = again("answer", result["run"], result["pending"][0]["call"], "yes")
        check(f"then_the_run_has_failed_{what}_{name}", (result["end"], result["reason"]),
              ("failed", "node_failed: boom"))
    main = graph({"q": {"ask": {"question": "Which?", "choices": ["a", "b"]},
                        "out": {"out": ""}}}, line("q"), output="/out")
    status, result = run(spec(main))
    code, out, err = haft("answer", result["run"], "n1.1", "c")
    check(f"an_answer_that_is_no_choice_{name}", (code, "not one of the 2 choices" in err),
          (2, True))
    result = again("answer", result["run"], "n1.1", "2")
    check(f"the_number_of_a_choice_{name}", answer(result), ["b"])


def budgets(name):
    """A graph keeps no turn for itself, and time that is used up is no failure."""
    (Path(scratch) / "one.json").write_text(json.dumps({"replies": [{"text": "hi"}]}))
    agent = {"model": "script:one.json", "instructions": "Say hi."}
    main = graph({"w": {"agent": agent, "task": "x", "out": {"out": ""}}}, line("w"),
                 output="/out")
    status, result = run(spec(main, limits={"turns": 1}))
    check(f"one_turn_is_enough_for_one_agent_{name}", (status, answer(result)), (0, ["hi"]))
    status, result = run(spec(graph({"a": main["nodes"]["w"], "b": main["nodes"]["w"]},
                                    line("a", "b")), limits={"turns": 1}))
    check(f"the_budget_is_used_up_{name}",
          (result["end"], "the budget of the graph is used up" in result["reason"]),
          ("failed", True))
    talk = {"replies": [{"calls": [{"name": "look", "arguments": {"q": str(i)}}]}
                        for i in range(9)]}
    (Path(scratch) / "talk.json").write_text(json.dumps(talk))
    busy = dict(agent, model="script:talk.json",
                tools=[{**tool("look", ["echo", "{q}"]), "args": ["q"]}])
    inner = graph({"w": {"agent": busy, "task": "x", "limits": {"turns": 3}, "out": {"out": ""}},
                   "beside": {"do": [{"set": {"out": "kept"}}]}},
                  [{"from": "start", "to": ["w", "beside"]}])
    outer = graph({"g": {"graph": "inner", "out": {"out": "/out"},
                         "on_error": {"do": [{"text": {"out": "{/$/error}"}}]}},
                   "beside": {"do": [{"set": {"out": "beside"}}]}},
                  [{"from": "start", "to": ["g", "beside"]}], output="/out")
    status, result = run(spec(outer, graphs={"inner": inner}))
    found = answer(result)
    check(f"the_budget_of_an_agent_inside_is_used_up_{name}",
          (status, found[0], "exhausted" in found[1], len(found)), (0, "beside", True, 2))
    deep = {f"g{i}": graph({"w": {"graph": f"g{i + 1}"}}, line("w")) for i in (1, 2, 3)}
    deep["g4"] = graph({"w": {"do": [{"set": {"out": "deep"}}]}}, line("w"))
    status, result = run(spec(graph({"w": {"graph": "g1"}}, line("w"), output="/out"), graphs=deep,
                              limits={"turns": 1}))
    check(f"graphs_inside_need_no_turns_{name}", (status, answer(result)), (0, ["deep"]))
    (Path(scratch) / "slow.json").write_text(json.dumps(
        {"replies": [{"text": "hi", "delay": 60}]}))
    slow = dict(agent, model="script:slow.json")
    inner = graph({"w": {"agent": slow, "task": "x", "out": {"out": ""}}}, line("w"))
    status, result = run(spec(graph({"g": {"graph": "inner"}}, line("g")), graphs={"inner": inner},
                              limits={"wall": "300ms"}))
    check(f"a_graph_without_time_is_exhausted_{name}",
          (result["end"], "time budget used up" in result["reason"], answer(result)),
          ("exhausted", True, {}))


def inputs(name):
    main = graph({"a": {"do": []}}, line("a"), {"n": {"type": "integer"}, "m": {}}, input=["n"])
    status, result = run(spec(main), '{"m": 1}')
    check(f"a_key_that_is_no_input_{name}",
          (status, result["error"]["where"], "cannot set" in result["error"]["message"]),
          (2, "TASK", True))
    status, result = run(spec(main), '{"n": "text"}')
    check(f"an_input_of_another_type_{name}", (status != 0, "bad_update" in str(result)),
          (True, True))
    main = dict(main, input=["n", "m"])
    status, result = run(spec(main), "words")
    check(f"several_channels_need_an_object_{name}",
          (status != 0, "must be a JSON object" in str(result)), (True, True))


def no_model(name):
    main = graph({"a": {"do": []}}, line("a"))
    (Path(scratch) / "spec.json").write_text(json.dumps(spec(main)))
    status, out, err = haft("explain", "spec.json", "x")
    check(f"a_graph_asks_no_model_{name}", (status, out, "a graph calls no model itself" in err),
          (2, "", True))


def the_example(name):
    status, out, err = haft("run", EXAMPLES / "graph.yaml", "the river gauge", "--json")
    result = json.loads(out)
    seen.append(result["run"])
    check(f"the_example_waits_{name}", [(one["call"], one["tool"]) for one in result["pending"]],
          [("n1.2", "send_question")])
    result = again("approve", result["run"])
    steps = [[node["node"] for node in step["nodes"]]
             for step in events(result["run"], "graph_step")[1:]]
    check(f"the_example_ends_as_drawn_{name}",
          (result["end"], "gauge" in result["answer"], steps),
          ("done", True, [["archive", "press"], ["write"], ["judge"], ["count"], ["write"],
                          ["judge"], ["count"]]))


TESTS = [operations_only, tools_and_joins, maps, failures, questions, pauses, inside, deep_pauses,
         wide_map, agents, bounds, other_graphs, wrong_lists, first_items,
         first_items_of_the_same_step, open_questions, budgets, inputs, no_model, the_example]

with tempfile.TemporaryDirectory() as scratch:
    for store, new_store in stores(scratch):
        environment = dict(os.environ, HAFT_STORE=new_store(), XDG_CONFIG_HOME=scratch)
        seen = []
        for test in [one for one in TESTS if not sys.argv[1:] or one.__name__ in sys.argv]:
            test(store)
        replayed = {one: haft("runs", "replay", one)[0] for one in seen}
        check(f"all_runs_replay_{store}", [one for one, code in replayed.items() if code], [])
