#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft explain` prints the decision tree: golden files in tests/cli/explain/, as text and as JSON
(docs/schemas/explain.schema.json). HAFT_RENEW=1 writes them again."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/cli/explain"
SHAPE = ROOT / "docs/schemas/explain.schema.json"
HAFT = os.environ["HAFT"]
RENEW = "HAFT_RENEW" in os.environ

SERVED = {"haft": 1, "name": "served", "model": "script:a.json",
          "tools": [{"name": name, "description": text, "args": ["what"], "command": ["echo", name]}
                    for name, text in (("find_file", "Finds a file by its name."),
                                       ("read_file", "Reads a file and returns its text."),
                                       ("send_mail", "Sends a mail to somebody."),
                                       ("delete_file", "Deletes a file for ever."))]}


def own(name):
    return {"name": name, "description": "Counts the words of a text, one by one, carefully.",
            "args": ["text"], "command": ["wc", "-w"]}


def spec(**more):
    return {"haft": 1, "name": "tree", "model": {"provider": "script", "model": "a.json"}, **more}


SERVERS = {"docs": {"command": [HAFT, "mcp", "served.json"]},
           "mail": {"command": [HAFT, "mcp", "served.json"]},
           "new": {"command": ["/bin/false"]}, "off": {"command": ["x"], "enabled": False}}
MCP = {"servers": SERVERS, "allow": ["docs:*", "new:*"], "deny": ["*:delete_*"]}
CASES = {
    "plain": spec(tools=[{"builtin": ["grep", "read_result"]}, own("count")]),
    "builtins": spec(tools=[{"builtin": ["glob", "grep", "python_execution", "execute_sql",
                                         "search_schemas", "tool_search"]}],
                     builtins={"deny": ["gl*"]}),
    "servers": spec(tools=[{"builtin": ["tool_search"]}, own("count")], mcp=MCP, max_mcp_tools=1),
    "undeclared": spec(mcp=MCP, builtins={"enabled": []}),
    "default": spec(mcp=MCP),
    "hosted": spec(mcp=MCP),
    "gate": spec(kind="workflow", tools=[{"builtin": ["grep", "complete_workflow",
                                                      "store_artifact"]}, own("count")]),
    "evidence": spec(tools=[{"builtin": ["glob", "grep", "read", "read_result"]}],
                     choice={"evidence_first": True, "cost_budget": 20}),
    "forbidden": spec(mcp=MCP, builtins={"deny": ["tool_search"]}),
    "crowded": spec(tools=[{"builtin": ["tool_search", "grep"]}, own("count"), own("recount"),
                           own("weigh")], choice={"schedule": [{"tool": "weigh"}]}),
}
CASES["crowded"]["model"]["context_tokens"] = 500
CASES["servers"]["model"]["size_b"] = 70
CASES["hosted"]["model"] = {"provider": "openai", "model": "gpt-5"}
CASES["gate"]["model"] = {"provider": "mistral", "model": "mistral-large-latest"}


def haft(*words, **more):
    environment = dict(os.environ, XDG_STATE_HOME=str(place / "state"), HOME=str(place),
                       HAFT_VECTORS="none", **more)
    done = subprocess.run([HAFT, *map(str, words)], cwd=place, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300, env=environment)
    return done.returncode, done.stdout, done.stderr


def compare(name, text):
    """Golden files have N in place of scores, which the index decides."""
    text = re.sub(r'(score |"score": )[0-9.]+', r"\1N", text)
    file = GOLDEN / name
    if RENEW:
        file.write_text(text)
    check(name.replace(".", "_"), text, file.read_text() if file.exists() else "")


def test_case(name):
    status, out, err = haft("explain", f"{name}.json", "read a file", "--json")
    check(f"{name}_exits_0", (status, err), (0, ""))
    printed = json.loads(out)
    (place / "line").write_text(json.dumps({"schema": json.loads(SHAPE.read_text()),
                                            "instance": printed}) + "\n")
    check(f"{name}_matches_its_schema",
          json.loads(haft("validate", "--jsonl", "line")[1])["errors"],
          [])
    tree = {key: printed[key] for key in ("tools", "not_enabled", "servers", "deferred")
            if key in printed}
    compare(f"{name}.json", json.dumps(tree, indent=2) + "\n")
    words = haft("explain", f"{name}.json", "read a file")[1]
    compare(f"{name}.txt", words[words.index("\ntools\n") + 1:words.index("\nformat\n")])
    declared = [t["name"] for t in printed["tools"] if t["sight"] == "declared"]
    check(f"{name}_is_what_the_first_turn_declares", sorted(printed["first_turn"]["declared"]),
          sorted(declared))


def test_server_of_a_variable():
    """A server that a variable names is explained like one that the spec names."""
    url, found = "http://127.0.0.1:9/v1", []
    for base_url, more in ((url, {}), (None, {"OPENAI_BASE_URL": url}), (None, {})):
        model = {"provider": "openai", "model": "any", **({"base_url": url} if base_url else {})}
        (place / "server.json").write_text(json.dumps(dict(CASES["gate"], model=model)))
        out = haft("explain", "server.json", "read a file", "--json", **more)[1]
        found.append("store_artifact" in json.loads(out)["first_turn"]["declared"])
    check("a_server_of_a_variable_is_like_one_of_the_spec", found, [False, False, True])


def test_options():
    """Options that the model does not get, and those that it gets under another name."""
    options = {"temperature": 0, "stop": "END", "reasoning_effort": "high", "user": "u"}
    model = {"provider": "anthropic", "model": "claude-opus-5", "options": options}
    (place / "options.json").write_text(json.dumps(dict(CASES["gate"], model=model)))
    out = haft("explain", "options.json", "read a file", "--json")[1]
    printed = json.loads(out)
    check("options_that_are_not_sent_are_listed",
          [row["option"] for row in printed["unsent_options"]], ["temperature", "user"])
    check("the_request_has_the_others",
          [printed["request"].get(key) for key in ("temperature", "user", "stop_sequences",
                                                   "output_config")],
          [None, None, ["END"], {"effort": "high"}])
    (place / "line").write_text(json.dumps({"schema": json.loads(SHAPE.read_text()),
                                            "instance": printed}) + "\n")
    check("an_explanation_of_options_matches_its_schema",
          json.loads(haft("validate", "--jsonl", "line")[1])["errors"], [])
    words = haft("explain", "options.json", "read a file")[1]
    check("explain_prints_them", "\noptions that are not sent\n  temperature: the provider has no "
          "such option\n  user: " in words)


def test_evidence():
    words = haft("explain", "evidence.json", "read a file")[1]
    check("explain_prints_what_each_tool_costs",
          "\nevidence first (cost budget 20)\n  glob costs 0 (free)\n  grep costs 1 (light)\n"
          "  read costs 4 (heavy): only after a cheaper result" in words)
    printed = json.loads(haft("explain", "evidence.json", "read a file", "--json")[1])
    check("explain_has_them_as_json", printed["evidence_first"],
          {"cost_budget": 20, "costs": {"glob": 0, "grep": 1, "read": 4}})


def test_functions_of_another_program():
    inner = {"kind": "graph", "description": "Judges a text in several steps.",
             "graph": {"nodes": {"a": {"function": "judge"}},
                       "edges": [{"from": "start", "to": "a"}]}}
    (place / "outer.json").write_text(json.dumps(spec(
        agents={"judge": inner}, tools=[{"name": "judge_text", "agent": "judge",
                                         "description": "Judges a text in several steps."}])))
    (place / "inner.json").write_text(json.dumps({"haft": 1, "name": "inner", **inner}))
    status, out, err = haft("explain", "outer.json", "judge it")
    check("explain_needs_no_function_of_a_graph_below", (status, "judge_text" in out, err),
          (0, True, ""))
    status, out, err = haft("explain", "inner.json")
    check("explain_of_a_graph_says_that_its_agents_ask_the_model",
          (status, "a graph calls no model itself" in err), (2, True))


place = Path(tempfile.mkdtemp(prefix="haft-explain-"))
try:
    for name, content in {**CASES, "served": SERVED}.items():
        (place / f"{name}.json").write_text(json.dumps(content))
    (place / "a.json").write_text('{"replies": [{"text": "good"}]}')
    haft("run", "servers.json", "go", "--store", "memory:")  # its lists are known from now on
    for name in CASES:
        test_case(name)
    test_server_of_a_variable()
    test_options()
    test_evidence()
    test_functions_of_another_program()
finally:
    shutil.rmtree(place, ignore_errors=True)
    sys.stdout.flush()
