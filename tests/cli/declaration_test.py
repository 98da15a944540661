#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keywords of tools' schemas that a provider does not get: `haft check`, `haft explain` and
`haft tools --wire` list them, and calls are still checked with them."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HAFT = os.environ.get("HAFT", ROOT / "build/haft")
SHAPE = ROOT / "docs/schemas/explain.schema.json"

FIND = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
TOOL = {"name": "find", "description": "Finds the numbers.", "headless": True,
        "input_schema": FIND}
NOTE = ("haft: note: %s does not get 1 keyword of the tools' schemas; calls are checked with the "
        "whole schemas: /find/anyOf")


def haft(*words):
    done = subprocess.run([str(HAFT), *words], cwd=scratch, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL,
                          env={**os.environ, "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"})
    return done.returncode, done.stdout, " ".join(done.stderr.split())


def spec(name, model, **more):
    (Path(scratch) / name).write_text(json.dumps({"model": model, "tools": [TOOL], **more}))
    return name


def test_reports():
    for model, name in (("anthropic:claude-x", "anthropic"), ("openai:gpt-x", "openai")):
        file = spec("spec.yaml", model)
        status, _, err = haft("check", file)
        check(f"check_names_left_out_keywords_{name}", (status, err), (0, NOTE % name))
        found = json.loads(haft("explain", file, "--json")[1])
        check(f"explain_lists_left_out_keywords_{name}", found["declared"]["left_out"], [
            {"where": "/find", "keyword": "anyOf",
             "reason": "the server rejects it at the root"}])
        shape = {"schema": json.loads(SHAPE.read_text()), "instance": found}
        (Path(scratch) / "lines").write_text(json.dumps(shape) + "\n")
        check(f"explain_matches_its_schema_{name}",
              json.loads(haft("validate", "--jsonl", "lines")[1])["errors"], [])
        check(f"explain_prints_left_out_keywords_{name}",
              "  not sent, but checked: /find/anyOf: the server "
              "rejects it at the root\n" in haft("explain", file)[1], True)
        status, out, err = haft("tools", file, "--wire", name)
        check(f"tools_names_left_out_keywords_{name}",
              (status, "anyOf" in out, err), (0, False, NOTE % name))
    plain = spec("plain.yaml", "llamacpp:m")
    check("nothing_is_left_out", haft("check", plain)[2], "")
    check("explain_prints_nothing_if_no_keyword_is_left_out",
          "declared tools" in haft("explain", plain)[1], False)
    text = spec("text.yaml", {"provider": "openai", "model": "m", "formats": ["hermes"]})
    check("schemas_in_prompts_are_complete", haft("check", text)[2], "")


def test_too_many_tools():
    tools = [{**TOOL, "name": f"t{i}", "input_schema": {"type": "object"}} for i in range(129)]
    for count in (128, 129):
        (Path(scratch) / "many.yaml").write_text(
            json.dumps({"model": "openai:gpt-x", "tools": tools[:count]}))
        check(f"more_than_128_tools_are_reported_{count}",
              haft("check", "many.yaml")[2], "" if count == 128 else
              "haft: warning: openai accepts 128 tools in a request, the first one has 129 hint: "
              "enable fewer tools, or let the model search them (docs/tool-search.md)")


with tempfile.TemporaryDirectory() as scratch:
    test_reports()
    test_too_many_tools()
