#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The quality of tool search: recall@1, 2, 5, 10 and nDCG@10, with word vectors and without, on
sets of queries whose right answers are known, and the share of wrong tools that are found. No
figure may be worse than in LIMITS. SMALL has the limits of small catalogues, with queries that have
an answer there and queries that have none; ONE those of catalogues of a single server. --table
prints the tables of docs/tool-search.md.
tests/search/mcp is our own set, with tools like those of real MCP servers. The other sets are in
../shared, and are skipped if that directory does not exist."""
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
# The share of tools without an answer that are found; lower is better.
FALSE_POSITIVES = "false positives"
NAMES = ["recall@1", "recall@2", "recall@5", "recall@10", "nDCG@10", FALSE_POSITIVES]
# In percent, a little worse than the measured values: first without vectors, then with them.
LIMITS = {
    "mcp": [[52.8, 66.5, 88.0, 91.9, 74.5, 9.5],
            [56.2, 68.6, 85.3, 93.0, 76.5, 23.2]],
    "seal-tools": [[46.1, 67.7, 93.2, 96.9, 94.7, 23.0],
                   [46.0, 67.3, 92.6, 96.8, 94.3, 26.7]],
    "metatool": [[42.7, 53.4, 64.3, 70.8, 58.3, 17.3],
                 [45.7, 57.1, 68.5, 75.9, 62.3, 28.0]],
    "spider-schemas": [[55.4, 75.2, 88.2, 92.6, 82.9, 24.4],
                       [58.1, 77.7, 91.9, 94.7, 85.6, 26.4]],
}
SMALL_NAMES = ["relevant found", FALSE_POSITIVES, "unrelated left out", "empty results"]
# In percent, of catalogues of 12 tools: the relevant tools that are found, and the others; of
# queries without an answer, the tools that are left out and the queries that find nothing.
SMALL = {
    "mcp": [[89.3, 6.5, 96.7, 74.3], [89.3, 14.4, 85.8, 55.5]],
    "seal-tools": [[97.6, 36.1, 68.2, 7.9], [98.2, 21.8, 74.7, 16.7]],
    "metatool": [[82.4, 16.6, 83.3, 20.7], [88.0, 23.0, 75.2, 22.8]],
    "spider-schemas": [[98.9, 30.8, 72.5, 22.0], [99.2, 26.4, 73.3, 23.1]],
}
CATALOGUES, SIZE = 24, 12
ONE_NAMES = ["relevant found", FALSE_POSITIVES]
# In percent, of catalogues of one server: queries whose answer it has.
ONE = {
    "mcp": [[89.4, 37.9], [88.0, 38.3]],
    "spider-schemas": [[98.4, 41.5], [99.8, 40.8]],
}
LEAST_TOOLS, MAX_SERVERS = 5, 24
SAMPLE = 200  # queries whose hits are all counted


def figures(hits, relevant):
    """The figures of one query, in the order of NAMES."""
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


def server_catalogues(directory):
    """Catalogues of one server, with the queries that have an answer there: [(tools, queries)]."""
    corpus, queries = load(directory, "corpus.jsonl"), load(directory, "queries.jsonl")
    servers = {}
    for tool in corpus:
        servers.setdefault(tool["server"], []).append(tool)
    for tools in [some for some in servers.values() if len(some) >= LEAST_TOOLS][:MAX_SERVERS]:
        ids = {tool["id"] for tool in tools}
        yield tools, [query for query in queries if ids & set(query["relevant"])]


def search_in(tools, queries, vectors):
    """All hits of each query, as sets of ids."""
    with tempfile.TemporaryDirectory() as place:
        for name, rows in (("corpus", tools), ("queries", queries)):
            Path(place, f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        answers = search(Path(place), queries, vectors, len(tools))
    return [{hit["id"] for hit in answer["hits"]} for answer in answers]


class Found:
    """Counts what queries with an answer find."""

    def __init__(self):
        self.relevant = self.found = self.queries = self.false_positives = 0

    def add(self, tools, queries, hits):
        ids = {tool["id"] for tool in tools}
        for query, found in zip(queries, hits):
            right = ids & set(query["relevant"])
            self.relevant += len(right)
            self.found += len(right & found)
            if ids - right:
                self.queries += 1
                self.false_positives += len(found - right) / len(ids - right)

    def figures(self):
        return [100 * self.found / self.relevant, 100 * self.false_positives / self.queries]


def measure_small(directory, vectors):
    """In the order of SMALL_NAMES."""
    total, asked, hits, empty = Found(), 0, 0, 0
    for tools, answered, others in small_catalogues(directory):
        found = search_in(tools, answered + others, vectors)
        total.add(tools, answered, found)
        for ids in found[len(answered):]:
            asked += 1
            hits += len(ids)
            empty += not ids
    return [*total.figures(), 100 - 100 * hits / asked / SIZE, 100 * empty / asked]


def measure_one(directory, vectors):
    """In the order of ONE_NAMES."""
    total = Found()
    for tools, queries in server_catalogues(directory):
        if queries:
            total.add(tools, queries, search_in(tools, queries, vectors))
    return total.figures()


def measure(directory, vectors):
    """In the order of NAMES."""
    corpus, queries = load(directory, "corpus.jsonl"), load(directory, "queries.jsonl")
    answers = search(directory, queries, vectors, 10)
    rows = [figures([hit["id"] for hit in answer["hits"]], set(query["relevant"]))
            for answer, query in zip(answers, queries)]
    some, total = queries[::-(-len(queries) // SAMPLE)], Found()
    total.add(corpus, some, search_in(corpus, some, vectors))
    return [*(100 * sum(column) / len(rows) for column in zip(*rows)), total.figures()[1]]


def is_worse(name, value, limit):
    return value > limit + 0.05 if name == FALSE_POSITIVES else value < limit - 0.05


def test(name, names, limits_of, measured):
    for vectors, limits in enumerate(limits_of.get(name, [])):
        found = measured(SETS[name], vectors)
        worse = [f"{figure} {value:.1f}, wanted {limit}" for figure, value, limit
                 in zip(names, found, limits) if is_worse(figure, value, limit)]
        check_none(f"{name} {'with' if vectors else 'without'} vectors, {', '.join(names)}", worse)


def table(names, limits_of, measured):
    print(f"| set | | {' | '.join(names)} |\n|---|---|{'---:|' * len(names)}")
    for name in limits_of:
        if SETS[name].exists():
            for vectors in (0, 1):
                found = " | ".join(f"{value:.1f}" for value in measured(SETS[name], vectors))
                print(f"| {name} | {'with' if vectors else 'without'} vectors | {found} |")
    print()


TABLES = [(NAMES, LIMITS, measure), (SMALL_NAMES, SMALL, measure_small),
          (ONE_NAMES, ONE, measure_one)]
if "--table" in sys.argv:
    for row in TABLES:
        table(*row)
else:
    for name, directory in SETS.items():
        if directory.exists():
            for row in TABLES:
                test(name, *row)
        else:
            skip(name, f"there is no {directory}")
