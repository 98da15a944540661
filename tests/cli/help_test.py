#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for the output of the command table: every example of the help runs, and man(1) accepts
every manual page without a warning."""
import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
EXAMPLE = re.compile(r"^  (haft .*)\n      (.*)$", re.MULTILINE)
AGENT = """\
haft: 1
name: counter
model: offline
tools:
  - name: word_count
    description: Count the words of a text.
    args: [text]
    command: [wc, -w]
    stdin: "{text}"
    traits: {read_only: true}
"""
ASKS = """\
haft: 1
name: asks
model: script:script.yaml
tools:
  - builtin: [request_user_input]
  - {name: look, description: Look something up in the archive., args: [q], command: [echo, x]}
  - {name: peek, description: Peek into something in the archive., args: [q], command: [echo, y]}
  - name: send
    description: Send a text to somebody.
    args: [text]
    command: ["true"]
    traits: {needs_approval: true}
  - {name: pick, description: Pick a file on the user's screen., args: [q], headless: true}
"""
QUESTION = ("replies: [{calls: [{name: look, arguments: {q: a}}]}, "
            "{calls: [{name: look, arguments: {q: b}}]}, {calls: [{name: peek, "
            "arguments: {q: a}}]}, {calls: [{name: request_user_input, "
            "arguments: {question: Which?}}]}, {text: x}]\n")
CALL = "replies: [{calls: [{name: send, arguments: {text: hello}}]}, {text: x}]\n"
FAILS = "replies: [{calls: [{name: pick, arguments: {q: a}}]}, {text: x}]\n"
# The script of a waiting run that an example needs.
BEFORE = {"answer": QUESTION, "approve": CALL, "reject": CALL, "cancel": CALL, "resume": QUESTION,
          "runs": QUESTION, "pending": QUESTION, "ask": QUESTION}
# Examples that leave the run waiting, or end it on purpose.
ENDS = {"haft resume last": 4, "haft ask --resume last": 4,
        "haft cancel last --why 'no longer needed'": 130}


def haft(*words):
    done = subprocess.run([HAFT, *words], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def commands():
    return [line.split("\t")[0] for line in haft("completion", "commands")[1].splitlines()]


def shell(line, scratch):
    """Runs a line; a server is ended once it prints its address."""
    env = {"PATH": f"{Path(HAFT).parent}:{os.environ['PATH']}", "HOME": str(scratch),
           "MANPAGER": "cat", "LC_ALL": "C.UTF-8"}
    done = subprocess.Popen(["bash", "-c", line], cwd=scratch, env=env, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)
    if line.startswith("haft mock-model") or "--listen" in line:
        done.stdout.readline()
        os.killpg(done.pid, signal.SIGTERM)
    out, err = done.communicate(timeout=300)
    return done.returncode, out, err


def prepare(scratch, command, line):
    for name, text in {"agent.yaml": AGENT, "asks.yaml": ASKS, "letter.txt": "one two three\n",
                       "schema.json": '{"type": "integer"}', "instance.json": "5",
                       "program.py": "print(1)", "count.py": "print(2)",
                       "reply.txt": "Hello.", "tools.json": '["f"]',
                       "tools.jsonl": '{"name": "f"}', "queries.jsonl": '{"query": "f"}',
                       "cases.jsonl": '{"id": 1, "graph": {"nodes": {"a": {"do": []}}, "edges": '
                                      '[{"from": "start", "to": "a"}]}, "script": []}',
                       "graph.yaml": "kind: graph\ngraph: {nodes: {a: {do: []}}, edges: "
                                     "[{from: start, to: a}]}\n",
                       "database.yaml": "databases: {shop: {url: 'sqlite:shop.db'}}\n",
                       "calls.jsonl": '{"calls": [{"name": "f"}]}',
                       "script.yaml": FAILS if "--error" in line else
                       BEFORE.get(command, QUESTION)}.items():
        (scratch / name).write_text(text)
    if command == "sql":
        with contextlib.closing(sqlite3.connect(scratch / "shop.db")) as shop:
            shop.execute("CREATE TABLE orders (id INTEGER)")
    if command in BEFORE:
        check(f"a_run_waits_for_{command}", shell("haft run asks.yaml go", scratch)[0], 4)
    if command == "migrate":
        shell("haft run agent.yaml go --detach --store sqlite:old.db", scratch)


def test_examples():
    count = 0
    for command in commands():
        for line, what in EXAMPLE.findall(haft("help", command)[1]):
            if "man -l" in line and not shutil.which("man"):
                continue
            with tempfile.TemporaryDirectory() as temporary:
                scratch = Path(temporary)
                prepare(scratch, command, line)
                status, out, err = shell(line, scratch)
                wanted = ENDS.get(line, 0)
                if command == "sandbox" and status == 6:
                    skip(f"example: {line}", err.splitlines()[0])
                    continue
                if status != wanted:
                    print(f"# {out}{err}")
                check(f"example: {line}", (status, what != ""), (wanted, True))
                count += 1
    check("examples_were_found", count > 20, True)


def lint(page, text):
    """The messages of the installed formatters about a page."""
    messages = []
    for words in (["groff", "-ww", "-man", "-Tutf8", "-z"], ["mandoc", "-Tlint", "-Werror"],
                  ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page]):
        if shutil.which(words[0]):
            done = subprocess.run([*words] if words[0] == "man" else [*words, page], text=True,
                                  capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
            messages += [line for line in done.stderr.splitlines() + (
                done.stdout.splitlines() if words[0] == "mandoc" else []) if "command" not in line
                     or "not found" not in line]
    return messages


def test_manual():
    if not any(map(shutil.which, ("groff", "mandoc"))):
        skip("manual pages", "neither groff nor mandoc is here")
        return
    with tempfile.TemporaryDirectory() as temporary:
        for command in ["", *commands()]:
            name = f"haft-{command}.1" if command else "haft.1"
            status, text, _ = haft("help", "--format", "man", *([command] if command else []))
            page = Path(temporary) / name
            page.write_text(text)
            check(f"manual page {name}", (status, lint(str(page), text)), (0, []))
    check("unknown_command_is_rejected", haft("help", "--format", "man", "nix")[0], 2)
    check("unknown_format_is_rejected", haft("help", "--format", "nix")[0], 2)


def test_shown():
    if not shutil.which("groff"):
        return
    text = haft("help", "--format", "man", "run")[1]
    shown = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou"], input=text, text=True,
                           capture_output=True).stdout
    for part in ("haft-run - run an agent", "-m, --model M", "--set PATH=VALUE", "130",
                 "haft run agent.yaml 'Count the words of letter.txt'"):
        check(f"the page shows {part}", part in shown, True)


test_examples()
test_manual()
test_shown()
