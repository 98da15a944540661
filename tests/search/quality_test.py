#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good tool search is: recall@1, 2, 5, 10 and nDCG@10, with word vectors and without, on sets
of queries whose right answers are known; no figure may fall below what FLOORS has. And what small
catalogues find, with an answer and without one; no figure may fall below what SMALL has. Prints
the tables of docs/tool-search.md with --table. tests/search/mcp is a set of our own, from tools as
real MCP servers have them; the others are in ../shared and skipped where that is not."""
import json
import math
import os
import subprocess
import sys
import tempfile
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
    "mcp": [[51.5, 65.2, 86.6, 91.2, 73.5], [53.5, 65.9, 83.9, 91.6, 74.4]],
    "seal-tools": [[46.1, 67.7, 93.2, 96.9, 94.7], [46.0, 67.3, 92.6, 96.8, 94.3]],
    "metatool": [[42.6, 53.3, 64.0, 70.7, 58.1], [45.6, 56.9, 68.0, 75.6, 62.0]],
    "spider-schemas": [[55.4, 75.2, 88.1, 92.6, 82.8], [58.1, 77.7, 91.9, 94.7, 85.6]],
}
SMALL_NAMES = ["relevant found", "unrelated left out", "empty results"]
# In percent, of catalogues of 12 tools: the relevant tools that are found; of queries without an
# answer, the tools that are left out and the queries that find nothing.
SMALL = {
    "mcp": [[88.5, 95.1, 68.1], [89.3, 84.2, 49.3]],
    "seal-tools": [[97.6, 68.2, 7.9], [98.2, 74.7, 16.7]],
    "metatool": [[82.1, 82.9, 20.6], [88.1, 74.8, 22.3]],
    "spider-schemas": [[98.9, 72.5, 21.9], [99.2, 73.2, 23.1]],
}
CATALOGUES, SIZE = 24, 12


def figures(hits, relevant):
    """Of one query, in the order of NAMES."""
    found = [name in relevant for name in hits[:10]]
    best = sum(1 / math.log2(i + 2) for i in range(min(10, len(relevant))))
    gain = sum(1 / math.log2(i + 2) for i, hit in enumerate(found) if hit)
    return [*(sum(found[:k]) / len(relevant) for k in (1, 2, 5, 10)), gain / best]


def load(directory, name):
    return [json.loads(line) for line in (directory / name).open()]


def search(directory, queries, vectors, limit):
    """The hits of each query."""
    words = [HAFT, "search", "--tools", directory / "corpus.jsonl", "--queries",
             directory / "queries.jsonl", "-k", str(limit),
             *([] if vectors else ["--vectors", "none"])]
    done = subprocess.run(words, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or [a["query"] for a in answers] != [q["query"] for q in queries]:
        sys.exit(f"{directory}: {done.returncode} {done.stderr}")
    return answers


def small_catalogues(directory):
    """Catalogues of SIZE tools, with queries that have an answer there and others that have none,
    not even on a server of these tools: [(tools, queries, queries without an answer)]."""
    corpus, queries = load(directory, "corpus.jsonl"), load(directory, "queries.jsonl")
    servers = {tool["id"]: tool.get("server") or tool["id"] for tool in corpus}
    for number in range(CATALOGUES):
        step = len(corpus) // SIZE
        tools = [corpus[(number * 7 + i * step) % len(corpus)] for i in range(SIZE)]
        ids = {tool["id"] for tool in tools}
        here = {servers[name] for name in ids}
        answered = [query for query in queries if ids & set(query["relevant"])]
        others = [query for query in queries[number::CATALOGUES]
                  if not any(servers.get(name) in here for name in query["relevant"])]
        yield tools, answered[:40], others[:40]


def measure_small(directory, vectors):
    """In the order of SMALL_NAMES."""
    relevant = found = asked = hits = empty = 0
    with tempfile.TemporaryDirectory() as place:
        for tools, answered, others in small_catalogues(directory):
            for name, rows in (("corpus", tools), ("queries", answered + others)):
                Path(place, f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n"
                                                                for row in rows))
            ids = {tool["id"] for tool in tools}
            answers = search(Path(place), answered + others, vectors, SIZE)
            for query, answer in zip(answered, answers):
                right = ids & set(query["relevant"])
                relevant += len(right)
                found += len(right & {hit["id"] for hit in answer["hits"]})
            for answer in answers[len(answered):]:
                asked += 1
                hits += len(answer["hits"])
                empty += not answer["hits"]
    return [100 * found / relevant, 100 - 100 * hits / asked / SIZE, 100 * empty / asked]


def measure(directory, vectors):
    queries = load(directory, "queries.jsonl")
    answers = search(directory, queries, vectors, 10)
    rows = [figures([hit["id"] for hit in answer["hits"]], set(query["relevant"]))
            for answer, query in zip(answers, queries)]
    return [100 * sum(column) / len(rows) for column in zip(*rows)]


def test(name, names, floors_of, measured):
    for vectors, floors in enumerate(floors_of[name]):
        found = measured(SETS[name], vectors)
        low = [f"{figure} {value:.1f}, wanted {floor}" for figure, value, floor
               in zip(names, found, floors) if value < floor - 0.05]
        check_none(f"{name} {'with' if vectors else 'without'} vectors, {names[0]}", low)


def table(names, measured):
    print(f"| set | | {' | '.join(names)} |\n|---|---|{'---:|' * len(names)}")
    for name, directory in SETS.items():
        if directory.exists():
            for vectors in (0, 1):
                found = " | ".join(f"{value:.1f}" for value in measured(directory, vectors))
                print(f"| {name} | {'with' if vectors else 'without'} vectors | {found} |")


if "--table" in sys.argv:
    table(NAMES, measure)
    print()
    table(SMALL_NAMES, measure_small)
else:
    for name, directory in SETS.items():
        if directory.exists():
            test(name, NAMES, FLOORS, measure)
            test(name, SMALL_NAMES, SMALL, measure_small)
        else:
            skip(name, f"there is no {directory}")
