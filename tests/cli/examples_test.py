#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tools of the examples do what their scripts say, and handle bad input."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
COMMANDS = {
    "search_database": "tools/search.py",
    "calculate_statistics": "tools/statistics_of.py",
    "write_summary": "tools/write_summary.py",
    "extract_metadata": "tools/metadata.py",
    "count_words": "tools/count_words.py",
}


def haft(*words):
    """A spec whose model needs a key is refused without one."""
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, cwd=scratch,
                          env={**os.environ, "OPENAI_API_KEY": "k" * 20})
    return done.returncode, done.stdout, done.stderr


def run(tool, text):
    """(exit status, output without its last line end, errors) of the command as haft would run it:
    with a small environment, in the directory of the spec, which here is a copy."""
    text = text if isinstance(text, (str, bytes)) else json.dumps(text) + "\n"
    done = subprocess.run(["python3", COMMANDS[tool]], cwd=Path(scratch) / "examples",
                          input=text.encode() if isinstance(text, str) else text,
                          capture_output=True,
                          env={"PATH": os.environ["PATH"], "LANG": "C", "HOME": scratch})
    out = done.stdout.decode()
    return done.returncode, out[:-1] if out.endswith("\n") else out, done.stderr.decode()


def calls(spec, task, *words):
    """(tool, arguments, result) of each call of a scripted run."""
    _, out, _ = haft("run", EXAMPLES / spec, task, "--events", *words)
    log = [json.loads(line) for line in out.splitlines()]
    results = {e["call"]: e["result"] for e in log if e["kind"] == "call_finished"}
    return [(e["tool"], e["arguments"], results[e["call"]]) for e in log
            if e["kind"] == "call_started"]


def test_scripts():
    made = calls("planner.yaml", "Which customers are overdue?", "--model",
                 "script:planner.script.yaml")
    made += calls("pipeline.yaml", "Describe data/letter.txt")
    check("every_tool_is_called", {tool for tool, _, _ in made}, set(COMMANDS))
    for tool, arguments, result in made:
        check(f"{tool}_answers_what_its_script_says", run(tool, arguments), (0, result, ""))
    check("the_summary_is_written", (Path(scratch) / "examples/summary.txt").read_text(),
          "Two customers are overdue.\n")
    texts = "".join((EXAMPLES / name).read_text() for name in ("planner.yaml", "pipeline.yaml"))
    for tool, command in COMMANDS.items():
        check(f"{tool}_is_the_command_of_its_spec", f"command: [python3, {command}]" in texts, True)


def test_search():
    rows = lambda **arguments: [row["name"] for row in json.loads(run("search_database",
                                                                      arguments)[1])]
    check("any_column_is_searched", rows(query="york", limit="5"), ["Cleo Marsh", "Fay Winter"])
    check("best_matches_come_first", rows(query="London PAID", limit="5"),
          ["Dana Frost", "Ada Byron", "Cleo Marsh"])
    check("no_more_than_the_limit", rows(query="London PAID", limit="1"), ["Dana Frost"])
    check("query_without_a_match_finds_nothing", rows(query="zebra", limit="5"), [])
    check("empty_query_finds_nothing", rows(query="", limit="5"), [])
    check("words_are_not_patterns", rows(query=".* [", limit="5"), [])


def test_bad_input():
    bad = {
        "search_database": [({"query": "x", "limit": "many"}, "limit: expected a whole number"),
                            ({"query": "x", "limit": "0"}, "limit: expected a whole number"),
                            ({"query": "x"}, "expected a text in 'limit'")],
        "calculate_statistics": [({"column": "hue"}, "there is no column 'hue'; there are id"),
                                 ({"column": "name"}, "holds no numbers"),
                                 ({"column": 5}, "expected a text in 'column'")],
        "write_summary": [({}, "expected a text in 'text'")],
        "extract_metadata": [({"path": "data/none.txt"}, "No such file"),
                             ({"path": "../README.md"}, "expected a path below examples/"),
                             ({"path": "/etc/passwd"}, "expected a path below examples/"),
                             ({"path": "data"}, "Is a directory"),
                             ({"path": "data/binary"}, "it is no text"),
                             ({"path": "a\0b"}, "cannot be read")],
        "count_words": [({"path": ""}, "expected a path below examples/")],
    }
    (Path(scratch) / "examples/data/binary").write_bytes(b"\xff\xfe\x00")
    for tool, cases in bad.items():
        for text, message in [*cases, ("", "expected a JSON object"), ("[1]", "another value"),
                              (b"\xff\xff", "expected a JSON object")]:
            status, out, err = run(tool, text)
            check(f"{tool}_refuses_{message.split(':')[0].replace(' ', '_')}",
                  (status, out, message in err, "Traceback" in err), (1, "", True, False))


def test_documents():
    check("words_of_a_document_without_a_head_are_counted",
          run("count_words", {"path": "data/customers.csv"})[:2],
          (0, "13"))
    check("document_without_a_head_has_no_metadata",
          run("extract_metadata", {"path": "data/customers.csv"})[:2],
          (0, "{}"))


def test_specs():
    for name in ("report", "planner", "pipeline", "workflow"):
        check(f"{name}_is_good", haft("check", EXAMPLES / f"{name}.yaml")[0], 0)


with tempfile.TemporaryDirectory() as scratch:
    shutil.copytree(EXAMPLES, Path(scratch) / "examples")
    test_scripts()
    test_search()
    test_bad_input()
    test_documents()
    test_specs()
