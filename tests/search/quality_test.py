#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good tool search is: recall@1, 2, 5, 10 and nDCG@10, with word vectors and without, on sets
of queries whose right answers are known; no figure may fall below what FLOORS has. Prints the table
of docs/tool-search.md with --table. tests/search/mcp is a set of our own, from tools as real MCP
servers have them; the others are in ../shared and skipped where that is not."""
import json
import math
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check_none, skip  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
HAFT = str(Path(os.environ.get("HAFT", ROOT / "build/haft")).resolve())
SHARED = ROOT.parent / "shared/data/tool-search"
SETS = {"mcp": ROOT / "tests/search/mcp", "seal-tools": SHARED / "seal-tools",
        "metatool": SHARED / "metatool", "spider-schemas": SHARED / "spider-schemas"}
NAMES = ["recall@1", "recall@2", "recall@5", "recall@10", "nDCG@10"]
# In percent, a little below what was measured: without vectors, with them.
FLOORS = {
    "mcp": [[50.1, 63.9, 85.3, 89.9, 72.1], [53.5, 65.9, 84.5, 91.6, 74.4]],
    "seal-tools": [[46.0, 67.7, 93.2, 96.9, 94.7], [45.9, 67.3, 92.4, 96.7, 94.3]],
    "metatool": [[42.6, 53.2, 64.0, 70.7, 58.1], [45.1, 56.6, 68.0, 75.5, 61.7]],
    "spider-schemas": [[55.3, 75.1, 88.1, 92.6, 82.8], [58.1, 77.7, 91.8, 94.7, 85.6]],
}


def figures(hits, relevant):
    """Of one query, in the order of NAMES."""
    found = [name in relevant for name in hits[:10]]
    best = sum(1 / math.log2(i + 2) for i in range(min(10, len(relevant))))
    gain = sum(1 / math.log2(i + 2) for i, hit in enumerate(found) if hit)
    return [*(sum(found[:k]) / len(relevant) for k in (1, 2, 5, 10)), gain / best]


def measure(directory, vectors):
    queries = [json.loads(line) for line in (directory / "queries.jsonl").open()]
    words = [HAFT, "search", "--tools", directory / "corpus.jsonl", "--queries",
             directory / "queries.jsonl", "-k", "10", *([] if vectors else ["--vectors", "none"])]
    done = subprocess.run(words, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or [a["query"] for a in answers] != [q["query"] for q in queries]:
        sys.exit(f"{directory}: {done.returncode} {done.stderr}")
    rows = [figures([hit["id"] for hit in answer["hits"]], set(query["relevant"]))
            for answer, query in zip(answers, queries)]
    return [100 * sum(column) / len(rows) for column in zip(*rows)]


def test(name):
    for vectors, floors in enumerate(FLOORS[name]):
        found = measure(SETS[name], vectors)
        low = [f"{figure} {value:.1f}, wanted {floor}" for figure, value, floor
               in zip(NAMES, found, floors) if value < floor - 0.05]
        check_none(f"{name} {'with' if vectors else 'without'} vectors", low)


def table():
    print(f"| set | | {' | '.join(NAMES)} |\n|---|---|{'---:|' * len(NAMES)}")
    for name, directory in SETS.items():
        if directory.exists():
            for vectors in (0, 1):
                found = " | ".join(f"{value:.1f}" for value in measure(directory, vectors))
                print(f"| {name} | {'with' if vectors else 'without'} vectors | {found} |")


if "--table" in sys.argv:
    table()
else:
    for name, directory in SETS.items():
        if directory.exists():
            test(name)
        else:
            skip(name, f"there is no {directory}")
