#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/search.c, search_file.c and src/exec/embeddings/word_vectors.c, by
running haft."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = str(Path(os.environ["HAFT"]).resolve())
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/search.schema.json"
TOOLS = [
    {"id": "1", "name": "create_issue", "server": "github", "description": "Create an issue.",
     "input_schema": {"type": "object", "properties": {"title": {"description": "Heading"}}}},
    {"id": "2", "name": "post_message", "server": "slack", "description": "Post to a channel.",
     "params": [{"name": "channel", "description": "Where to"}, "text"]},
    {"name": "read_file", "server": "fs", "description": "Read a file from disk."},
    {"name": "forecast", "description": "Weather of a city.", "parameters": {}},
]


def haft(*words, text="", env=None):
    done = subprocess.run([HAFT, "search", *words], input=text.encode(), capture_output=True,
                          cwd=scratch, env=dict(os.environ, **(env or {})))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def put(name, *lines):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    (Path(scratch) / name).write_text(text)
    return name


def valid(value):
    put("value.json", value)
    return subprocess.run([HAFT, "validate", SHAPE, "value.json"], cwd=scratch,
                          capture_output=True).returncode == 0


def ids(output):
    return [hit["id"] for hit in json.loads(output)["hits"]]


def test_queries():
    none = ["--tools", tools, "--vectors", "none"]
    for query, k, wanted in [("creating issues", 1, ["1"]), ("create_issue", 1, ["1"]),
                             ("heading", 1, ["1"]), ("text channel", 1, ["2"]),
                             ("read files", 1, ["fs:read_file"]), ("weather", 5, ["forecast"]),
                             ("zzz", 5, []), ("", 5, []), ("slack", 1, ["2"])]:
        status, out, _ = haft(*none, "-k", str(k), "--json", query)
        check(f"query {query!r}", (status, ids(out), valid(json.loads(out))), (0, wanted, True))
    check("words are joined", ids(haft(*none, "--json", "read", "files")[1])[0], "fs:read_file")
    check("text output has score, id and reason", haft(*none, "-k1", "create_issue"),
          (0, " 17.4500  1  (exact name)\n", ""))
    check("no match is reported on standard error", haft(*none, "zzz"),
          (0, "", "haft: no tool matches this query\n"))
    put("colour.jsonl", {"name": "a\u001b[31m", "description": "red"})
    check("a tool cannot control the terminal",
          "\x1b" in haft("--tools", "colour.jsonl", "red")[1], False)


def test_batch():
    put("queries.jsonl", {"query": "read files"}, "", "{", {"q": 1}, {"query": 5},
        {"query": "weather", "id": 9}, "[]")
    status, out, err = haft("--tools", tools, "--queries", "queries.jsonl", "--vectors", "none")
    rows = [json.loads(line) for line in out.splitlines()]
    check("each line is answered", (status, len(rows), err), (0, 6, ""))
    check("answers match their schema", [valid(row) for row in rows], [True] * 6)
    check("queries and hits", [(row["query"], [hit["id"] for hit in row["hits"]])
                               for row in rows if not row["error"]],
          [("read files", ["fs:read_file"]), ("weather", ["forecast"])])
    check("errors name the line", [row["error"]["where"][:6] for row in rows if row["error"]],
          ["line 3", "line 4", "line 5", "line 7"])
    check("error names the missing key",
          rows[2]["error"]["message"], 'expected a string for "query", found none')
    status, out, _ = haft("--tools", tools, "--queries", "-", text='{"query":"read file"}\n')
    check("queries come from standard input", (status, ids(out)[0]), (0, "fs:read_file"))
    check("tools come from standard input",
          ids(haft("--tools", "-", "--json", "red", text='{"name":"red"}\n')[1]), ["red"])


def test_errors():
    for name, lines, wanted in [
            ("no JSON", ['{"name":"a"}', "{"], "bad.jsonl:2: "),
            ("no object", ["[]"], "bad.jsonl:1: expected an object, found array"),
            ("no name", ["{}"], 'bad.jsonl:1: expected a string for "name", found none'),
            ("an id alone", ['{"name":"a"}', '{"id":"b"}'],
             'bad.jsonl:2: expected a string for "name", found none'),
            ("a name of another type", ['{"name":1}'],
             'bad.jsonl:1: expected a string for "name", found number'),
            ("invalid params", ['{"name":"a","params":1}'],
             'bad.jsonl:1: expected an object or an array for "params", found number'),
            ("a parameter without a name", ['{"name":"a","params":[1]}'],
             'bad.jsonl:1: expected a name or an object with "name" in "params", found number')]:
        put("bad.jsonl", *lines)
        status, out, err = haft("--tools", "bad.jsonl", "x")
        check(name, (status, out, wanted in err), (2, "", True))
    for name, words, wanted in [
            ("no tools", ["x"], "expected --tools FILE, found none"),
            ("no query", ["--tools", tools], "expected QUERY or --queries FILE, found neither"),
            ("both", ["--tools", tools, "--queries", "-", "x"],
             "expected QUERY or --queries FILE, found both"),
            ("twice standard input", ["--tools", "-", "--queries", "-"],
             "only one of --tools and --queries can be standard input"),
            ("no hits", ["--tools", tools, "-k", "0", "x"],
             "expected at least 1 for --hits, found 0"),
            ("no such file", ["--tools", "none.jsonl", "x"], "none.jsonl: cannot be opened"),
            ("no such queries", ["--tools", tools, "--queries", "none"], "none: cannot be opened"),
            ("no such vectors", ["--tools", tools, "--vectors", "no.vec", "x"], "no.vec: "),
            ("invalid vectors", ["--tools", tools, "--vectors", tools, "x"],
             "not a valid table of vectors")]:
        status, out, err = haft(*words)
        check(name, (status, out, wanted in err), (2, "", True))
    check("--json and --queries cannot be combined",
          json.loads(haft("--tools", tools, "--queries", "-", "--json")[1])["error"]["message"],
          "--json and --queries cannot be combined")
    check("with --json errors are JSON", json.loads(haft("--json", "x")[1])["error"]["message"],
          "expected --tools FILE, found none")


def test_same_ids():
    put("twice.jsonl", {"id": "a", "name": "red"}, {"id": "b", "name": "blue"},
        {"id": "a", "name": "green"}, {"id": "b", "name": "white"})
    status, out, err = haft("--tools", "twice.jsonl", "--vectors", "none", "--json", "green")
    check("last tool with the same id is used", (status, ids(out)), (0, ["a"]))
    check("tools with the same id are reported",
          err, "haft: warning: twice.jsonl:3: an earlier tool has the same id; "
          "the last one is used (2 such lines)\n")


def test_vectors():
    put("doctors.jsonl", {"name": "physician_lookup"}, {"name": "recipes"}, {"name": "hotels"})
    words = ["--tools", "doctors.jsonl", "--json", "which doctor treats fever"]
    check("meaning is found", ids(haft(*words)[1])[:1], ["physician_lookup"])
    check("meaning is not found without vectors", ids(haft(*words, "--vectors", "none")[1]), [])
    check("HAFT_VECTORS=none disables vectors",
          ids(haft(*words, env={"HAFT_VECTORS": "none"})[1]), [])
    table = str(ROOT / "share/haft/words.vec")
    check("named file of vectors is used", ids(haft(*words, "--vectors", table)[1])[:1],
          ["physician_lookup"])
    check("option overrides the variable", ids(haft(*words, "--vectors", table,
                                                    env={"HAFT_VECTORS": "none"})[1])[:1],
          ["physician_lookup"])


def test_same_result():
    """The random key of the hash changes nothing."""
    put("many.jsonl", *({"name": f"tool_{i % 50}", "server": f"s{i % 7}", "id": str(i),
                         "description": f"Reads file {i % 13} of user {i % 5}"}
                        for i in range(400)))
    found = {haft("--tools", "many.jsonl", "-k", "50", "--json", "read files of users")[1]
             for _ in range(4)}
    check("results are the same every time", len(found), 1)


def test_embeddings():
    """With the toy vectors of mock-model: parts of words, so that word forms are similar."""
    put("replies.json", {"replies": []})
    env = {"XDG_STATE_HOME": str(Path(scratch) / "state"), "EMBED_KEY": "sk-0123456789abcdef"}
    put("four.jsonl", {"query": "weathering"}, {"query": "disk files"}, {"q": 1})
    words = ["--tools", "tools.jsonl", "--vectors", "none", "--embeddings-model", "toy",
             "--embeddings-key-env", "EMBED_KEY"]
    for fault in [], ["--embeddings-fault", "error"]:
        mock = subprocess.Popen([HAFT, "mock-model", "replies.json", "--embeddings", "128",
                                 "--require-key", *fault],
                                cwd=scratch, text=True, stdout=subprocess.PIPE)
        at = ["--embeddings", mock.stdout.readline().split()[-1]]
        status, out, err = haft(*words, *at, "--json", "weathers of towns", env=env)
        batch = haft(*words, *at, "--queries", "four.jsonl", "--query-prefix", "q: ",
                     "--document-prefix", "d: ", env=env)
        mock.terminate()
        mock.communicate(timeout=300)
        lines = [json.loads(line) for line in batch[1].splitlines()]
        if fault:
            check("a server that fails is an error", (status, "no embeddings for" in out + err),
                  (1, True))
            check("failed server is an error of each line",
                  [line["error"] is None for line in lines], [False] * 3)
            check("its key is not printed",
                  env["EMBED_KEY"] in out + err + batch[1] + batch[2], False)
        else:
            check("vectors of a server are used", (status, ids(out)[:1]), (0, ["forecast"]))
            check("vectors of a server are used for each line",
                  [[hit["id"] for hit in line["hits"]][:1] for line in lines],
                  [["forecast"], ["fs:read_file"], []])
    check("a model must be named",
          haft("--tools", "tools.jsonl", "--embeddings", "http://127.0.0.1:1/v1", "x")[0], 2)
    check("invalid URL is rejected", haft(*words, "--embeddings", "nowhere", "x", env=env)[0], 2)


with tempfile.TemporaryDirectory(prefix="haft-search-") as scratch:
    tools = put("tools.jsonl", *TOOLS)
    test_queries()
    test_batch()
    test_errors()
    test_same_ids()
    test_vectors()
    test_embeddings()
    test_same_result()
