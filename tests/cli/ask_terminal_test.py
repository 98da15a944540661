#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft ask` at a terminal: the tree of agents, drawn again in place and folded if they are many,
and references that are hyperlinks."""
import json
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from screen import Terminal  # noqa: E402
from script import check  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HAFT = os.environ["HAFT"]


def on_terminal(where, *words, **variables):
    """The lines of the screen, and everything that was written."""
    environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", **variables}
    command = [HAFT, "ask", "Where is the gate opened?", *words, "--store", "memory:"]
    terminal = Terminal(shlex.join(command), where, environment)
    terminal.end()
    return terminal.screen.text().split("\n"), terminal.raw


def main():
    with tempfile.TemporaryDirectory() as where:
        (Path(where) / "gate.c").write_text("/* The gate. */\nint open_gate(void)\n{\n}\n")
        lines, raw = on_terminal(where)
        tree = [line for line in lines if re.match(r" *\u2713 ", line)]
        check("one_line_for_each_agent_when_it_has_ended",
              [line.split()[1].strip(",") for line in tree],
              ["search", "decompose"] + 4 * ["worker"] + ["synthesise"])
        check("with_its_turns", len([line for line in tree if "turn " in line]), 6)
        check("the_tree_is_drawn_again_in_place", "\x1b[J" in raw, True)
        check("references_are_hyperlinks",
              f"\x1b]8;;file://{os.path.realpath(where)}/gate.c#L2\x1b\\" in raw, True)
        check("the_answer_is_below", any("gate.c:2" in line for line in lines), True)
        _, raw = on_terminal(where, NO_COLOR="1")
        check("without_colours_no_colours", "\x1b[3" in raw, False)
        queries = {"queries": 16 * [{"text": "gate", "angle": "names"}]}
        script = Path(where) / "split.json"
        script.write_text(json.dumps({"replies": [{"text": json.dumps(queries)}]}))
        lines, _ = on_terminal(where, "--workers", "16", "--set",
                               f"graph.nodes.decompose.agent.model=script:{script}")
        check("many_agents_are_folded", [line.strip() for line in lines if " more: " in line],
              ["... and 7 more: 7 done"])
        script.write_text(json.dumps({"replies": [{"text": "See `see gate.c:2-3`, `gate.c:2:int`, "
                                                           "`none:2` and `file:///gate.c:2`."}]}))
        _, raw = on_terminal(where, "--set", f"graph.nodes.synthesise.agent.model=script:{script}")
        check("only_references_that_exist_are_hyperlinks",
              re.findall(r"\x1b\]8;;([^\x1b]+)", raw),
              2 * [f"file://{os.path.realpath(where)}/gate.c#L2"])
        lines, _ = on_terminal(where, "--plain")
        check("plain_lines_on_request", any("[search] step 1" in line for line in lines), True)


main()
