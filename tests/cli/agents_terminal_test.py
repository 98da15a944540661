#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft run` at a terminal, for a run that starts children: the tree of agents is below the lines
of all runs while children are open, and stays there when the run has ended."""
import re
import shlex
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from agents_help import HAFT, Place, ask, call, tool  # noqa: E402
from screen import Terminal  # noqa: E402
from script import SOON, check  # noqa: E402

ROW = re.compile(r" *[*?+x] (\w+), ")


def start(place, *words):
    """`haft run spec.json go` at a terminal that has ASCII and no colours."""
    environment = {**place.environment, "TERM": "xterm-256color", "LANG": "C", "LC_ALL": "C"}
    return Terminal(shlex.join([HAFT, "run", "spec.json", "go", *words]), place.directory,
                    environment)


def rows(terminal):
    """The lines of the tree at the end of the screen, above an answer."""
    return [line for line in terminal.screen.text().split("\n") if ROW.match(line)]


def read_until(terminal, found):
    end = time.monotonic() + SOON
    while not found() and time.monotonic() < end and terminal.read():
        pass


def team(place, gate):
    helper = place.agent("helper", [[call("hold")], "sand"], [tool("hold", ["sh", "-c", gate])])
    first = place.agent("first", [[call("ask_helper", task="sift")], "gold"], [ask("helper")],
                        agents={"helper": helper})
    return place.agent("boss", [[call("ask_first", task="dig"), call("ask_second", task="drill")],
                                "found"],
                       [ask("first", limits={"turns": 9}), ask("second", limits={"turns": 9})],
                       agents={"first": first, "second": place.agent("second", ["tin"])})


def tree_below_the_lines(place):
    """`hold` runs until the file `go` exists."""
    place.put("spec.json", team(place, "while [ ! -e go ]; do sleep 0.05; done"))
    terminal = start(place)
    read_until(terminal, lambda: any("second, " in row and "done" in row for row in rows(terminal))
               and any("hold" in row for row in rows(terminal)))
    check("the_tree_has_each_agent_below_the_one_that_started_it",
          [re.sub(r"\d+ tokens", "N tokens", row) for row in rows(terminal)],
          ["* boss, turn 1/40, ask_first: go",
           "  * first, turn 1/9, ask_helper: dig",
           "    * helper, turn 1/7, hold: sift",
           "  + second, turn 1/9, N tokens, done: drill"])
    lines = terminal.screen.text().split("\n")
    check("the_tree_is_the_end_of_the_screen", lines[-4:], rows(terminal))
    check("the_lines_of_children_are_above_it",
          [line for line in lines[:-4] if line.startswith("  c1.2 -- turn 1/9")] != [], True)
    place.put("go", "")
    status = terminal.end()
    lines = terminal.screen.text().split("\n")
    check("the_tree_of_a_run_that_has_ended_stays_once",
          (status, [ROW.match(line)[1] for line in rows(terminal)],
           [line for line in rows(terminal) if " done" not in line]),
          (0, ["boss", "first", "helper", "second"], []))
    check("no_line_of_a_child_is_lost",
          [sum(line.startswith(f"{start} -- turn 2/") for line in lines)
           for start in ("  c1.1", "    c1.1/c1.1")], [1, 1])
    check("verbose_runs_have_the_tree_too", "+ helper, turn 2/" in run_to_end(place, "-v"), True)
    check("plain_runs_have_no_tree", "+ helper, turn 2/" in run_to_end(place, "--plain"), False)


def run_to_end(place, *words):
    terminal = start(place, *words)
    terminal.end()
    return terminal.screen.text()


def folded(place):
    digger = place.agent("digger", ["sand"])
    boss = place.agent("boss", [[call("ask_digger", task=f"hole {n}") for n in range(20)], "found"],
                       [ask("digger", limits={"turns": 1})], agents={"digger": digger})
    place.put("spec.json", boss)
    terminal = start(place)
    terminal.end()
    check("many_agents_are_folded", (len(rows(terminal)), terminal.screen.text().split("\n")[-1]),
          (12, "  ... and 9 more: 9 done"))
    check("they_were_folded_while_they_worked", " more: " in terminal.plain.split("found")[0], True)


def with_approval(place):
    mail = tool("mail", ["true"], needs_approval=True)
    clerk = place.agent("clerk", [[call("mail")], "sent"], [mail])
    place.put("spec.json", place.agent("boss", [[call("ask_clerk", task="write")], "done"],
                                       [ask("clerk")], agents={"clerk": clerk}))
    terminal = start(place)
    asked = terminal.wait("approve? [y/N/a/A/e/?]> ")
    check("a_prompt_is_below_all_lines",
          (asked, "approve? " in terminal.screen.text().split("\n")[-1]), (True, True))
    terminal.type("y\r")
    check("the_tree_follows_the_prompt",
          (terminal.end(), [ROW.match(line)[1] for line in rows(terminal)]),
          (0, ["boss", "clerk"]))


with tempfile.TemporaryDirectory(prefix="haft-agents-") as scratch:
    here = Place(scratch)
    tree_below_the_lines(here)
    folded(here)
    with_approval(here)
