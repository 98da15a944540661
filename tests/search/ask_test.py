#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `haft ask` questions with known answers (ask_eval/*.json) on three trees, with the model
`offline`.

As a test it asks about this repository, and about the other trees if they exist: every reference
must exist and quote its line, and the answers about this repository reach the floor below. With
--table it prints the figures for docs/search.md, with --misses N the missed questions; --held-out
asks the questions that nothing was tuned on; --tree NAME=DIRECTORY says where a tree is.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import skip, verdict  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HAFT = os.environ.get("HAFT", str(ROOT / "build" / "haft"))
QUESTIONS = Path(__file__).resolve().parent / "ask_eval"
TREES = {"haft": ROOT, "include": Path("/usr/include"), "python": Path("/usr/lib/python3.11")}
# The least number of the questions about this repository whose expected reference is first, and
# anywhere in the answer. Below the figures of docs/search.md: the tree changes.
FLOOR = (4, 6)


def ask(question, tree, store="memory:"):
    """The result, and the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([HAFT, "ask", question, str(tree), "--json", "--store", store],
                          text=True, capture_output=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"haft failed on {question!r}: {done.stderr}")
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), took


def work_of(run, store):
    """The turns of all agents, and the bytes of the results that they read."""
    done = subprocess.run([HAFT, "runs", "events", run, "--tree", "--store", store],
                          capture_output=True, check=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    results = [e["result"] for e in events if e["kind"] == "call_finished" and e["ok"]
               and e["tool"] in ("glob", "grep", "read")]
    turns = sum(e["kind"] == "turn_started" for e in events)
    return turns, sum(len(result.encode()) for result in results)


def matches(path, pattern):
    return fnmatchcase(path, pattern) or (pattern.startswith("**/")
                                          and fnmatchcase(path, pattern[3:]))


def is_right(reference, wanted):
    return any(matches(reference["file"], pattern) and re.search(line, reference["quote"])
               for pattern, line in wanted)


def squash(text):
    return re.sub(r"[\s\u2026]+", "", text)


def exists(reference, tree):
    path = Path(tree) / reference["file"]
    lines = path.read_bytes().decode("utf-8", "replace").split("\n") if path.is_file() else []
    return (reference["line"] <= len(lines)
            and squash(reference["quote"]) in squash(lines[reference["line"] - 1]))


def grep_bytes(question, tree):
    """What `grep -rniE` for the longest word of the question prints: a simple baseline."""
    word = max(re.findall(r"\w+", question), key=len)
    command = ["grep", "-rniI", "--exclude-dir=.git", "--exclude-dir=build*", word, "."]
    done = subprocess.run(command, cwd=tree, capture_output=True, check=False)
    return len(done.stdout)


def evaluate(name, tree, held_out, misses, baseline):
    """(questions, first, first three, any, wrong references, seconds, turns, bytes of results,
    bytes of grep)"""
    questions = json.loads((QUESTIONS / f"{name}.json").read_text())
    questions = questions["held_out" if held_out else "questions"]
    first = three = anywhere = wrong = 0
    seconds, turns, size, by_grep = [], 0, 0, 0
    for question in questions:
        with tempfile.TemporaryDirectory() as own:
            store = f"sqlite:{own}/haft.db" if baseline else "memory:"
            found, took = ask(question["ask"], tree, store)
            more, read = work_of(found["run"], store) if baseline else (0, 0)
        right = [is_right(r, question["at"]) for r in found["references"]]
        first += right[:1] == [True]
        three += any(right[:3])
        anywhere += any(right)
        wrong += sum(not exists(r, tree) for r in found["references"])
        seconds.append(took)
        turns += more
        size += read
        by_grep += grep_bytes(question["ask"], tree) if baseline else 0
        if misses and right[:1] != [True]:
            print(f"# {name}: {question['ask']}")
            for reference in found["references"][:misses]:
                print(f"#     {reference['file']}:{reference['line']}: {reference['quote'][:90]}")
    return len(questions), first, three, anywhere, wrong, seconds, turns, size, by_grep


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--tree", action="append", default=[])
    args = parser.parse_args()
    trees = {**TREES, **{name: Path(path) for name, path in (t.split("=", 1) for t in args.tree)}}
    for name, tree in trees.items():
        if not tree.is_dir():
            skip(f"questions_about_{name}", f"{tree} does not exist")
            continue
        count, first, three, anywhere, wrong, seconds, turns, size, by_grep = evaluate(
            name, tree, args.held_out, args.misses, args.table)
        if args.table:
            kind = ", held out" if args.held_out else ""
            median = sorted(seconds)[len(seconds) // 2]
            print(f"| {name}{kind} | {count} | {first} | {three} | {anywhere} | {wrong} | "
                  f"{median:.2f} s | {turns / count:.0f} | {size // count // 1024} KiB | "
                  f"{by_grep // count // 1024} KiB |")
            continue
        verdict(f"no_wrong_reference_about_{name}", wrong == 0, [f"{wrong} wrong references"])
        if name == "haft":
            verdict("answers_about_this_repository", first >= FLOOR[0] and anywhere >= FLOOR[1],
                    [f"{first} first and {anywhere} at all of {count}, the floor is {FLOOR}"])


main()
