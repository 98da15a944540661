#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/tools.c, by running haft: golden output in every form."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/tools.schema.json"

SPEC = """\
model: offline
tools:
  - builtin: [glob, complete_workflow]
  - name: docs:v1.find
    description: |
      Find pages of the manual by a few words.
      The second line is not shown.
    args: [query]
    command: [find]
    traits: {read_only: true, idempotent: true, cost: heavy, timeout: 90s, retries: 2, cache: run,
             lane: disk}
  - name: drop
    description: Delete a page of the manual for good.
    input_schema: {type: object, properties: {page: {type: integer}, why: {type: string}},
                   required: [page]}
    http: {url: "https://example.org/{page}", method: DELETE}
    traits: {destructive: true, needs_approval: true, return_direct: true}
"""

WORDS = """\
docs:v1.find(query)
    Find pages of the manual by a few words.
    command, data: read_only, idempotent, heavy, 90s, 2 retries, cached for the run, lane disk
drop(page, why?)
    Delete a page of the manual for good.
    http, data: destructive, return_direct, needs_approval, light, 1m
"""

FIND = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"],
        "additionalProperties": False}
DROP = {"type": "object", "properties": {"page": {"type": "integer"}, "why": {"type": "string"}},
        "required": ["page"]}
FIND_WIRE, FIND_TEXT = "docs_-_v1_-h2efind", \
    "Find pages of the manual by a few words.\nThe second line is not shown.\n"
DROP_TEXT = "Delete a page of the manual for good."


def haft(*words):
    done = subprocess.run([HAFT, *words], text=True, capture_output=True, cwd=scratch,
                          env={"PATH": os.environ["PATH"]})
    return done.returncode, done.stdout, done.stderr


def put(name, text):
    (Path(scratch) / name).write_text(text)
    return name


def test_words():
    status, out, err = haft("tools", put("spec.yaml", SPEC))
    check("text_output_lists_the_tools", (status, out[out.index("docs:"):], err), (0, WORDS, ""))
    check("built_ins_come_in_their_order",
          [line for line in out.splitlines() if not line.startswith(" ")],
          ["glob(pattern, path?)", "complete_workflow(summary?)", "docs:v1.find(query)",
           "drop(page, why?)"])
    check("invalid_spec_is_reported", haft("tools", put("bad.yaml", "tols: []\n")),
          (2, "", 'bad.yaml:1:1: error: there is no key "tols" here\n    tols: []\n    ^~~~\n'
           "    hint: did you mean tools?\n1 error in bad.yaml\n"))
    check("spec_without_tools_prints_nothing",
          haft("tools", put("none.yaml", "model: offline\n")), (0, "", ""))
    check("override_changes_the_tools",
          haft("tools", "spec.yaml", "--set", "tools.0.builtin=[]")[1], WORDS)
    check("unknown_provider_is_rejected", haft("tools", "spec.yaml", "--wire", "x")[0::2],
          (2, "haft: tools: --wire expects one of openai|anthropic|gemini, found 'x'\n"))


def test_json():
    status, out, _ = haft("tools", "spec.yaml", "--json")
    found = json.loads(out)
    check("json_lists_all_tools", (status, [tool["name"] for tool in found["tools"]]),
          (0, ["glob", "complete_workflow", "docs:v1.find", "drop"]))
    check("json_has_the_traits_of_a_tool", found["tools"][2], {
        "name": "docs:v1.find", "wire_name": FIND_WIRE, "description": FIND_TEXT,
        "source": "command", "role": "data", "typed": False, "traits": {
            "read_only": True, "idempotent": True, "destructive": False, "return_direct": False,
            "needs_approval": False, "cost": "heavy", "timeout": "90s", "retries": 2,
            "cache": {"scope": "run", "ttl": None}, "lane": "disk"},
        "input_schema": FIND, "output_schema": None} | {
            "traits": found["tools"][2]["traits"]})
    traits = found["tools"][2]["traits"]
    check("traits_can_be_read_again", haft("check", put("again.yaml", json.dumps(
        {"tools": [{"name": "x", "description": "Count the words of it.", "headless": True,
                    "traits": {key: value for key, value in traits.items()
                               if value is not None}}]})))[0], 0)
    put("lines", json.dumps({"schema": json.loads(SHAPE.read_text()), "instance": found}) + "\n")
    verdict = json.loads(haft("validate", "--jsonl", "lines")[1])
    check("output_matches_the_schema", verdict["errors"], [])


def test_wire():
    golden = {
        "openai": [{"type": "function", "function": {
            "name": FIND_WIRE, "description": FIND_TEXT, "parameters": FIND}},
                   {"type": "function", "function": {
                       "name": "drop", "description": DROP_TEXT, "parameters": DROP}}],
        "anthropic": [{"name": FIND_WIRE, "description": FIND_TEXT, "input_schema": FIND},
                      {"name": "drop", "description": DROP_TEXT, "input_schema": DROP}],
        "gemini": {"functionDeclarations": [
            {"name": FIND_WIRE, "description": FIND_TEXT, "parametersJsonSchema": FIND},
            {"name": "drop", "description": DROP_TEXT, "parametersJsonSchema": DROP}]},
    }
    for provider, wanted in golden.items():
        status, out, err = haft("tools", "spec.yaml", "--wire", provider, "--set",
                                "tools.0.builtin=[]")
        check(f"definitions_for_{provider}", (status, json.loads(out), err), (0, wanted, ""))


with tempfile.TemporaryDirectory() as scratch:
    test_words()
    test_json()
    test_wire()
