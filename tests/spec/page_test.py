#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/spec.md has every key of haft.schema.json, and its examples load. `--write` puts the tables
there."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check_none  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/spec.md"
SCHEMA = json.loads((ROOT / "src/spec/load/haft.schema.json").read_text())
BEGIN, END = "<!-- keys -->\n", "<!-- end of keys -->\n"
HEAD = "| key | value | default | what it is for |\n|---|---|---|---|\n"

# Definitions with their own keys, and how the object that holds them is written.
SECTIONS = [("The top", None), ("`model`", "model"), ("`model.timeouts`", "model/timeouts"),
            ("`model.price`", "model/price"),
            ("`phases[]`", "phase"), ("`tools[]`", "tool"), ("`tools[].http`", "http"),
            ("`tools[].limits`", "agent_limits"), ("`tools[].provider`", "tool/provider"),
            ("`tools[].traits`", "traits"), ("`tools[].traits.cache`", "traits/cache"),
            ("`mcp`", "mcp"), ("`mcp.import`", "mcp/import"),
            ("`mcp.servers.NAME`", "server"), ("`formats`", "formats"),
            ("`choice`", "choice"), ("`choice.default`, `choice.schedule[]`", "wish"),
            ("`builtins`", "builtins"),
            ("`memory[]`, `agents_md`", "memory_file"), ("`skills[]`", "skill"),
            ("`context`", "context"), ("`context.clear`", "context/clear"),
            ("`context.summarise`", "context/summarise"),
            ("`tool_search`", "tool_search"), ("`tool_search.embeddings`", "embeddings"),
            ("`databases.NAME`", "database"), ("`limits`", "limits"),
            ("`limits.repeats`", "repeats"),
            ("`middleware[]`", "middleware"),
            *((f"`middleware[].{kind}`", f"middleware/{kind}") for kind in (
                "cache", "call_limit", "command", "fallback", "http", "rate_limit", "redact",
                "retry", "select_tools", "todo_list", "tool_errors")),
            ("`middleware[].select_tools.turns`", "middleware/select_tools/turns"),
            ("`approvals[]`", "approval"), ("`approvals[].when`", "approval/when"),
            ("`approvals[].on_expire`", "approval/on_expire"),
            ("`pauses`", "pauses"), ("`pauses.KIND`", "pause"),
            ("`pauses.KIND.on_expire`", "pause/on_expire"), ("`graph`, `graphs.NAME`", "graph"),
            ("`graph.channels.NAME`", "graph_channel"), ("`graph.nodes.NAME`", "graph_node"),
            ("`graph.nodes.NAME.ask`", "graph_ask"),
            ("`graph.nodes.NAME.ask.on_expire`", "graph_ask/on_expire"),
            ("`graph.nodes.NAME.retry`", "graph_retry"),
            ("`graph.nodes.NAME.cache`", "graph_cache"),
            ("`graph.nodes.NAME.on_error`", "graph_on_error"),
            ("`graph.nodes.NAME.do[]`", "graph_operation"), ("`do[].send[]`", "graph_send"),
            ("`do[].parent`", "graph_parent"),
            ("`graph.edges[]`", "graph_edge"),
            ("`choose[]`, `every[]`", "graph_branch"), ("`when`, `do[].if`", "graph_condition"),
            ("`map`, `do[].send`", "graph_map"),
            ("`spec.planner`", "planner_spec/planner"),
            ("`spec.planner.config`", "planner_spec/planner/config"),
            ("`spec.planner.config.tool_descriptions[]`", "tool_description"),
            ("`resources`", "resources"), ("`resources.inference_gateways[]`", "gateway"),
            ("`resources.inference_gateways[].config`", "gateway/config")]


def resolve(part):
    """A property merged with its $ref; the members of the property take precedence."""
    if "$ref" in part:
        part = {**resolve(SCHEMA["$defs"][part["$ref"].removeprefix("#/$defs/")]), **part}
    return part


def find(path):
    if path is None:
        return SCHEMA
    first, *rest = path.split("/")
    part = SCHEMA["$defs"][first]
    for key in rest:
        part = part["properties"][key]
    return part


def kind(part):
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "enum" in part:
        return " ".join(f"`{value}`" for value in part["enum"])
    names = part.get("type", "anything")
    text = names if isinstance(names, str) else " or ".join(names)
    bounds = [f"{word} {part[key]:,}" for key, word in
              (("minimum", "from"), ("exclusiveMinimum", "more than"), ("maximum", "to"))
              if key in part and "pattern" not in part]
    return ", ".join([text, *bounds])


def row(name, part, required):
    part = resolve(part)
    default = f"`{json.dumps(part['default'])}`" if "default" in part else ""
    default = "required" if name in required else default.replace('`"', "`").replace('"`', "`")
    return f"| `{name}` | {kind(part)} | {default} | {part['description']} |\n".replace("||", "| |")


def tables():
    text = ""
    for title, path in SECTIONS:
        part = find(path)
        text += f"\n### {title}\n\n"
        if path is not None:
            text += part["description"] + "\n\n"
        text += HEAD + "".join(row(name, value, part.get("required", []))
                               for name, value in part["properties"].items())
    return text + "\n"


def keys_of(part, found):
    """Every object with properties, wherever it is in the schema."""
    if isinstance(part, dict):
        if isinstance(part.get("properties"), dict):
            found.append(part["properties"])
        for value in part.values():
            keys_of(value, found)
    elif isinstance(part, list):
        for value in part:
            keys_of(value, found)
    return found


page = PAGE.read_text()
before, rest = page.split(BEGIN)
after = rest.split(END)[1]
wanted = before + BEGIN + tables() + END + after
if "--write" in sys.argv:
    PAGE.write_text(wanted)
    page = wanted
check_none("the_page_has_every_key", [] if page == wanted else
           ["docs/spec.md and src/spec/load/haft.schema.json differ; "
            "tests/spec/page_test.py --write"])

shown = [id(find(path)["properties"]) for _, path in SECTIONS]
missed = [list(group) for group in keys_of(SCHEMA, [])
          if id(group) not in shown
          and list(group) not in (["builtin"], ["name"], ["planner"], ["tools"])]
check_none("no_object_of_the_schema_is_left_out", missed)

if "HAFT" in os.environ:
    problems = []
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "replies.yaml").write_text("replies: [{text: a}]\n")
        for example in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
            variables = {name: "x" for name in re.findall(r"\$\{(\w+)\}", example)}
            done = subprocess.run([os.environ["HAFT"], "check", "-"], input=example, text=True,
                                  capture_output=True, cwd=directory,
                                  env={"PATH": os.environ["PATH"], "OPENAI_API_KEY": "x",
                                       **variables})
            if (done.returncode, done.stdout) != (0, "standard input: good\n"):
                problems.append(example + done.stdout + done.stderr)
        check_none("the_examples_load", problems)
        (Path(directory) / "i.json").write_text('{"model":"offline"}')
        done = subprocess.run([os.environ["HAFT"], "validate",
                               str(ROOT / "src/spec/load/haft.schema.json"), "i.json"],
                              cwd=directory, capture_output=True, text=True)
        check_none("the_schema_works_by_itself", [] if done.returncode == 0 else [done.stdout])
