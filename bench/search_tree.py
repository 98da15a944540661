#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft ask` on large trees: bench/search_tree.py BUILD_DIR

Makes trees of 1,000, 10,000 and 100,000 files, and measures with the model `offline`: the time to
the first finding (the first result of grep) and to the answer, the processor time, and the memory
of the process, with four workers and with one; then the memory of each further worker. For grep
itself, the time of ripgrep for the same expression and the same tree."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HAFT = Path(sys.argv[1]).resolve() / "haft"
SIZES = (1000, 10000, 100000)
RUNS = 3
WORKERS = (1, 4, 16)  # of the table of memory
LINES = 40
QUESTION = "Where is the lantern of the harbour lit?"
EXPRESSION = "(?:[Ll]antern|LANTERN).{0,80}(?:[Hh]arbour|HARBOUR)"
FORMAT = """haft: 1
name: grep
model: script:replies.json
root: tree
tools: [{builtin: [grep]}]
"""


def make(where, count):
    """Files of 40 lines in directories of 100; one line of one file is the answer."""
    for n in range(count):
        directory = Path(where) / f"d{n // 100:04}"
        directory.mkdir(exist_ok=True)
        lines = [f"line {k} of file {n}: nothing to see, count {n * k % 997}" for k in range(LINES)]
        if n == count * 2 // 3:
            lines[20] = "static void light_harbour_lantern(void)"
        (directory / f"file{n:06}.c").write_text("\n".join(lines) + "\n")


def ask(tree, workers, *words, store="memory:"):
    """Seconds to the first finding and to the answer, processor seconds, and peak MiB."""
    start = time.monotonic()
    command = [HAFT, "ask", QUESTION, str(tree), "--workers", str(workers), "--store", store,
               "--plain", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL)
    first = None
    for line in process.stderr:
        if first is None and " grep " in line and ": ok" in line:
            first = time.monotonic() - start
    answer = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or "light_harbour_lantern" not in answer:
        sys.exit(f"haft did not find the line: {answer}")
    whole = time.monotonic() - start
    return first, whole, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(rows):
    """The least of each column."""
    return [min(column) for column in zip(*rows)]


def timed(command, where, **more):
    times = []
    for _ in range(RUNS):
        start = time.monotonic()
        subprocess.run(command, cwd=where, capture_output=True, check=False, **more)
        times.append(time.monotonic() - start)
    return min(times)


def haft_grep(where):
    """One call of grep in a run, without the start of the program."""
    call = {"name": "grep", "arguments": {"pattern": EXPRESSION}}
    (Path(where) / "replies.json").write_text(
        f'{{"replies": [{{"calls": [{str(call).replace(chr(39), chr(34))}]}}, {{"text": "ok"}}]}}')
    (Path(where) / "grep.yaml").write_text(FORMAT)
    return timed([HAFT, "run", "grep.yaml", "go", "--store", "memory:", "--quiet"], where)


def memory_of(where, tree, workers):
    """Peak MiB with this number of workers at once: a script splits the question, because rules
    give at most one sub-query for each angle."""
    queries = [{"text": QUESTION, "angle": "names"} for _ in range(workers)]
    script = Path(where) / "split.json"
    script.write_text(json.dumps({"replies": [{"text": json.dumps({"queries": queries})}]}))
    words = ["--set", f"graph.nodes.decompose.agent.model=script:{script}"]
    rows = [ask(tree, workers, *words, store=f"sqlite:{where}/{workers}.{n}.db")
            for n in range(RUNS)]
    return best(rows)[3]


def main():
    print(f"### haft ask, offline; the best of {RUNS} runs\n")
    print("| files | workers | first finding | answer | processor | memory |")
    print("|---|---|---|---|---|---|")
    greps, memories = [], []
    for count in SIZES:
        with tempfile.TemporaryDirectory() as where:
            tree = Path(where) / "tree"
            tree.mkdir()
            make(tree, count)
            for workers in (1, 4):
                first, whole, processor, memory = best([ask(tree, workers) for _ in range(RUNS)])
                print(f"| {count:,} | {workers} | {first:.2f} s | {whole:.2f} s | "
                      f"{processor:.2f} s | {memory:.0f} MiB |", flush=True)
            memories.append((count, [memory_of(where, tree, workers) for workers in WORKERS]))
            start = timed([HAFT, "--version"], where)
            ripgrep = (timed(["rg", "-n", "-P", EXPRESSION, "tree"], where)
                       if shutil.which("rg") else None)
            greps.append((count, haft_grep(where), ripgrep, start))
    print("\n### Memory by the number of workers at once, on SQLite\n")
    print("| files |" + "".join(f" {workers} |" for workers in WORKERS) + " each further worker |")
    print("|---|" + "---|" * len(WORKERS) + "---|")
    for count, peaks in memories:
        each = (peaks[-1] - peaks[0]) * 1024 / (WORKERS[-1] - WORKERS[0])
        print(f"| {count:,} |" + "".join(f" {peak:.1f} MiB |" for peak in peaks)
              + f" {each:.0f} KiB |")
    print("\n### One grep of the tree, start of the program included\n")
    print("| files | haft run with one grep | ripgrep -P | haft --version |\n|---|---|---|---|")
    for count, own, ripgrep, start in greps:
        other = f"{ripgrep:.2f} s" if ripgrep is not None else "not installed"
        print(f"| {count:,} | {own:.2f} s | {other} | {start:.2f} s |")


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
