#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks the offline model questions with known answers, on three source trees.

As a test it uses the trees that exist. It checks that every reference exists and quotes its line,
and that the answers about this repository reach the floor below. With --table it prints the shares
for docs/offline.md, with --misses the missed questions; --tree NAME=DIRECTORY says
where a tree is (zlib: an unpacked `apt-get source zlib`), --held-out asks the questions that
nothing was tuned on.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import skip, verdict  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
HAFT = os.environ.get("HAFT", str(ROOT / "build" / "haft"))
QUESTIONS = Path(__file__).resolve().parent / "offline_eval"
TREES = {"haft": ROOT, "include": Path("/usr/include"),
         "zlib": Path(os.environ.get("HAFT_ZLIB_SOURCE", "/usr/src/zlib"))}
# The least number of questions about this repository whose expected reference is first, among the
# first three, and anywhere in the answer. Below the figures of docs/offline.md: the tree changes.
FLOOR = (8, 13, 13)
REFERENCE = re.compile(r"(`+)([^`\s][^`\n]*?):([0-9]+)\1(?:: (`+) ?(.*?) ?\4)?")


def ask(question, tree):
    """The answer, and how many seconds it took."""
    start = time.monotonic()
    done = subprocess.run([HAFT, "run", ROOT / "examples" / "ask.yaml", question, "--quiet",
                           "--store", "memory:", "--set", f"root={tree}"], text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"haft failed on {question!r}: {done.stderr}")
    return done.stdout, time.monotonic() - start


def lines_of(path):
    return path.read_bytes().decode("utf-8", "replace").split("\n") if path.is_file() else []


def references(answer):
    """(path, number, quoted text or None), each once, in the order of the answer."""
    found = {}
    for match in REFERENCE.finditer(answer):
        found.setdefault((match[2], int(match[3])), match[5])
    return [(path, number, text) for (path, number), text in found.items()]


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def problem_of(reference, tree):
    """What is wrong with a reference; None when the line exists and is quoted as it is."""
    path, number, text = reference
    lines = lines_of(tree / path)
    if not 0 < number <= len(lines):
        return f"{path}:{number} does not exist"
    shown = plain((text or "").removesuffix("…"))
    if "\ufffd" not in lines[number - 1] and not plain(lines[number - 1]).startswith(shown):
        return f"{path}:{number} is not {text!r} but {lines[number - 1]!r}"
    return None


def is_expected(reference, places, tree):
    path, number, _ = reference
    lines = lines_of(tree / path)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    return any((fnmatchcase(path, glob) or fnmatchcase("/" + path, glob)) and re.search(regex, line)
               for glob, regex in places)


class Asked:
    """One question: where the expected reference stands among those of the answer, from 1; 0 for
    nowhere."""

    def __init__(self, question, tree):
        self.ask = question["ask"]
        self.answer, self.seconds = ask(self.ask, tree)
        self.references = references(self.answer)
        self.problems = [p for p in (problem_of(r, tree) for r in self.references) if p]
        good = [is_expected(r, question["at"], tree) for r in self.references]
        self.place = good.index(True) + 1 if True in good else 0


def shares(asked):
    return (sum(a.place == 1 for a in asked), sum(1 <= a.place <= 3 for a in asked),
            sum(a.place > 0 for a in asked))


def load(name, held_out):
    data = json.loads((QUESTIONS / f"{name}.json").read_text())
    return data["held_out" if held_out else "questions"]


def test(trees):
    for name, tree in trees.items():
        if not tree.is_dir():
            skip(f"references_exist_in_{name}", f"there is no {tree}")
            continue
        step = 1 if name == "haft" else 2  # every second question: large trees are slow
        sets = (False, True) if "HAFT_LONG" in os.environ else (False,)
        asked = [Asked(q, tree) for held_out in sets for q in load(name, held_out)[::step]]
        verdict(f"references_exist_in_{name}", not any(a.problems for a in asked),
                [p for a in asked for p in a.problems])
        verdict(f"every_answer_in_{name}_is_short", max(len(a.answer) for a in asked) <= 6000,
                [f"{len(a.answer)}: {a.ask}" for a in asked])
        if name == "haft":
            found = shares(asked[:len(load(name, False))])
            verdict("the_share_is_kept", all(f >= floor for f, floor in zip(found, FLOOR)),
                    [f"found {found}, wanted {FLOOR}"]
                    + [f"at {a.place}: {a.ask}" for a in asked if a.place != 1])


def show(trees, options):
    print("| tree | questions | first | among three | at all | seconds each |\n|---|---:|---:|---:|"
          "---:|---:|")
    for name, tree in trees.items():
        asked = [Asked(q, tree) for q in load(name, options.held_out)]
        count = len(asked)
        row = " | ".join(f"{found} ({100 * found // count} %)" for found in shares(asked))
        seconds = sum(a.seconds for a in asked) / count
        print(f"| {name} | {count} | {row} | {seconds:.2f} |")
        for a in asked:
            if options.misses and (a.place != 1 or a.problems):
                print(f"    {a.place or 'not found'}: {a.ask} {' '.join(a.problems)}")
                for path, number, text in a.references[:options.misses]:
                    print(f"        {path}:{number}: {(text or '')[:90]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--tree", action="append", default=[])
    options = parser.parse_args()
    trees = dict(TREES, **{name: Path(path) for name, path in (t.split("=") for t in options.tree)})
    trees = {name: tree for name, tree in trees.items() if not options.only or name in options.only}
    if options.table:
        show({name: tree for name, tree in trees.items() if tree.is_dir()}, options)
    else:
        test(trees)


if __name__ == "__main__":
    main()
