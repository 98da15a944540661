#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/graph.c, by running haft: pictures, cases, verdicts, exit status."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, check_none, skip  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parents[2]
SHAPE = ROOT / "docs/schemas/graph-cases.schema.json"
DRIVER = ROOT.parent / "shared/data/graphs/driver"
COUNT = int(os.environ.get("HAFT_TEST_ROUNDS", "2000"))
GRAPH = {"channels": {"n": {"reducer": "add"}}, "nodes": {"a": {"do": [{"set": {"n": 1}}]}},
         "edges": [{"from": "start", "to": "a"}]}
# Random graphs with the results of a reference model, which is written in another language.
MODEL = """
import { generate, play, PROFILES, random } from "%(driver)s/generate.mjs";
import { runModel } from "%(driver)s/model.mjs";
const r = random(%(seed)d), asked = test => {
  const results = runModel(test), last = results.at(-1);
  return [...results.slice(0, -1), { ...last, end: last.end === "failed" ? "error" : last.end }];
};
for (let n = 0; n < %(count)d; n++) {
  const profile = PROFILES[n %% PROFILES.length], seed = r.below(1e9);
  const test = { id: profile + "-" + seed, ...generate(seed, profile) };
  if (await play(test, seed, asked)) console.log(JSON.stringify({ ...test, want: runModel(test) }));
}
"""


def haft(*words, text=""):
    done = subprocess.run([HAFT, "graph", *words], input=text, text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def play(lines):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    status, out, err = haft("--cases", "-", text=text)
    return status, [json.loads(line) for line in out.split("\n") if line], err


def test_lines():
    good = {"id": 1, "graph": GRAPH, "script": [{"invoke": {"n": 4}}]}
    done = {"end": "done", "state": {"n": 5}, "steps": [["a"]]}
    status, found, err = play([good])
    check("a_case_is_played", (status, found, err),
          (0, [{"id": 1, "results": [done], "error": None}], ""))
    status, found, _ = play([{**good, "want": [done]},
                             {**good, "want": [{**done, "end": "failed"}]}])
    check("results_are_compared_with_want",
          (status, [(one["right"], one["difference"]) for one in found]),
          (1, [(True, None), (False, "action 1: end")]))
    status, found, _ = play(["{", {"id": "x"}, "", good])
    check("a_bad_line_is_answered_with_its_number",
          (status, [(one["id"], one["error"] and one["error"]["where"]) for one in found]),
          (0, [(None, "line 1: 1:2 (byte 1)"), ("x", "line 2"), (1, None)]))
    for name, line in (("no_graph", {"graph": None}), ("want_is_no_list", {"want": done}),
                       ("unknown_action", {"script": [{"invok": {}}]})):
        status, found, _ = play([{**good, "want": [done], **line}])
        check(f"a_case_with_want_that_cannot_be_played_is_wrong_{name}",
              (status, [(one["right"], bool(one["error"])) for one in found]), (1, [(False, True)]))
    status, found, _ = play(['{"graph": {}, "graph": {}, "script": []}'])
    check("a_key_cannot_be_given_twice", found[0]["error"]["status"], "BAD_INPUT")
    check("missing_file_is_an_error", haft("--cases", "/nowhere.jsonl")[0], 2)
    check("file_is_required", haft()[0], 2)


def test_shape():
    cases = (ROOT / "tests/graph/cases.jsonl").read_text()
    status, found, _ = play(cases.splitlines())
    wrong = [one["id"] for one in found if not one["right"]]
    check("own_cases_are_right", (status, wrong), (0, []))
    lines = "".join(json.dumps({"schema": json.loads(SHAPE.read_text()), "instance": one}) + "\n"
                    for one in found)
    done = subprocess.run([HAFT, "validate", "--jsonl"], input=lines, text=True,
                          capture_output=True)
    check_none("results_have_the_shape_of_the_schema",
               [line for line in done.stdout.splitlines() if not json.loads(line)["valid"]])


def test_model():
    node = shutil.which("node")
    if node is None or not DRIVER.is_dir():
        skip("random_graphs_end_like_the_reference_model",
             "node is not installed" if node is None else "there is no ../shared")
        return
    with tempfile.TemporaryDirectory() as scratch:
        script = Path(scratch) / "model.mjs"
        script.write_text(MODEL % {"driver": DRIVER, "seed": 7, "count": COUNT})
        made = subprocess.run([node, script], text=True, capture_output=True)
    cases = made.stdout.splitlines()
    check("the_model_makes_graphs", (made.stderr, len(cases) > COUNT * 0.9), ("", True))
    _, found, _ = play(cases)
    check_none("random_graphs_end_like_the_reference_model",
               [(one["id"], one["difference"]) for one in found if not one["right"]][:5])


def test_pictures():
    spec = ("kind: graph\nname: two\ngraph: {nodes: {a: {do: []}}, edges: [{from: start, to: a}]}\n"
            "graphs: {inner: {nodes: {b: {do: []}}, edges: [{from: start, to: b}]}}\n")
    for option, begin in (("--svg", "<svg "), ("--mermaid", "flowchart TD\n"),
                          ("--dot", 'digraph "two" {\n'), ("--ascii", "\n( start )\n")):
        status, out, err = haft("-", option, text=spec)
        check(f"a_graph_is_drawn_{option}", (status, out.startswith(begin), err), (0, True, ""))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "inner.yaml").write_text(spec)
        outer = Path(folder, "outer.yaml")
        outer.write_text("kind: graph\nname: outer\ngraph: {nodes: {a: {graph: inner.yaml}}, "
                         "edges: [{from: start, to: a}]}\n")
        status, out, err = haft(str(outer))
        check("a_node_that_names_a_file_is_drawn", (status, "graph inner.yaml" in out, err),
              (0, True, ""))
    tools = "".join(f"  - {{name: {name}, description: Prints its argument., args: [x], "
                    f"command: [echo, '{{x}}'], traits: {{{traits}}}}}\n"
                    for name, traits in (("free", "read_only: true"), ("ruled", "read_only: true"),
                                         ("asked", "needs_approval: true")))
    status, out, err = haft("-", text=(
        f"kind: graph\nmodel: offline\ntools:\n{tools}approvals: [{{tools: [ruled]}}]\n"
        "graph:\n  channels: {x: {}}\n  nodes:\n"
        "    a: {tool: free, args: {x: /x}}\n    b: {tool: asked, args: {x: /x}}\n"
        "    c: {tool: ruled, args: {x: /x}}\n"
        "  edges: [{from: start, to: [a, b, c]}]\n"))
    check("a_tool_that_needs_an_approval_is_marked", (status, out.count("*"), err), (0, 2, ""))
    check("the_picture_of_the_docs", haft(str(ROOT / "examples/graph.yaml"), "--svg")[1],
          (ROOT / "docs/graphs.svg").read_text())
    check("ascii_is_the_default", haft("-", text=spec), haft("-", "--ascii", text=spec))
    check("an_inner_graph_is_drawn", "| b |" in haft("-", "--graph", "inner", text=spec)[1], True)
    check("an_unknown_inner_graph", haft("-", "--graph", "zz", text=spec)[::2],
          (2, "haft: standard input has no graph 'zz' under graphs\n"))
    check("a_graph_is_drawn_without_the_key_of_its_model",
          haft("-", text="model: openai:gpt-5.4-mini\n" + spec)[0], 0)
    programs = ("kind: graph\ngraph:\n  channels: {x: {reducer: 'custom:sum'}}\n"
                "  nodes: {judge: {function: judge, goto: [write]}, write: {do: []}}\n"
                "  edges: [{from: start, to: judge}]\n")
    status, out, err = haft("-", text=programs)
    check("a_graph_is_drawn_without_the_functions_that_it_names",
          (status, "judge" in out, "| write |" in out, err), (0, True, True, ""))
    check("two_pictures", haft("-", "--svg", "--dot", text=spec)[0], 2)
    check("a_spec_and_cases", haft("-", "--cases", "-", text=spec)[0], 2)
    check("no_graph", haft("-", text="model: offline\n")[::2],
          (2, "haft: standard input has no graph: its kind is not graph\n"))
    status, out, err = haft("-", text="kind: graph\ngraph: {nodes: {a: {do: []}}, edges: []}\n")
    check("problems_of_the_graph", (status, out, "no_entry" in err), (2, "", True))


test_lines()
test_pictures()
test_shape()
test_model()
