#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/cmd_validate.c, from outside: files, lines, exit status, golden output."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/validate.schema.json"
SUITE = ROOT.parent / "shared/data/json-schema-test-suite"


def check(name, found, wanted):
    if found != wanted:
        print(f"# found  {found!r}\n# wanted {wanted!r}")
    print(f"{'ok' if found == wanted else 'not ok'} cli/validate_test.py {name}", flush=True)


def haft(*words, text=""):
    done = subprocess.run([HAFT, "validate", *words], input=text, text=True, capture_output=True,
                          cwd=scratch)
    return done.returncode, done.stdout, done.stderr


def lines(objects, *words):
    text = "".join((o if isinstance(o, str) else json.dumps(o)) + "\n" for o in objects)
    status, out, err = haft("--jsonl", *words, text=text)
    return status, [json.loads(line) for line in out.split("\n") if line], err


def put(name, value):
    text = value if isinstance(value, str) else json.dumps(value)
    (Path(scratch) / name).write_text(text)
    return name


def test_files():
    schema = put("schema.json", {"type": "object", "required": ["query"], "properties": {
        "query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}})
    good = put("good.json", {"query": "x"})
    bad = put("bad.json", {"limit": 0})
    check("a_valid_file", haft(schema, good), (0, "good.json: valid\n", ""))
    check("every_reason_is_told", haft(schema, bad), (
        1, "bad.json: Missing required argument: query\n"
        "bad.json: /limit: Expected a number of at least 1, found 0\n"
        "bad.json: not valid: 2 errors\n", ""))
    check("standard_input_is_an_instance", haft(schema, "-", text='{"query":"x"}'),
          (0, "standard input: valid\n", ""))
    check("standard_input_is_a_schema", haft("-", good, text="false")[0], 1)
    check("not_both_from_standard_input", haft("-", "-"),
          (2, "", "haft: only one of the two can be standard input\n"))
    check("conversion_is_asked_for", [haft("--coerce", schema, put("text.json", text))[0]
          for text in ('{"query":"x","limit":"5"}', '{"query":"x","limit":"five"}')], [0, 1])
    check("and_only_then_done", haft(schema, "text.json")[0], 1)
    check("a_terminal_is_not_steered",
          haft(put("closed.json", {"additionalProperties": False}),
               put("red.json", {"\x1b[31m": 1})),
          (1, "red.json: /\\u001b[31m: Unknown argument: \\u001b[31m\n"
           "red.json: not valid: 1 error\n", ""))
    check("on_standard_error_neither", haft("--\x1b[31m")[2].count("\x1b"), 0)


def test_what_cannot_be_used():
    good = put("good.json", "1")
    check("an_instance_that_is_no_json", haft(put("any.json", "true"), put("cut.json", "[1,\n")), (
        2, "", "haft: cut.json:2:1 (byte 4): expected a value, found the end of the text\n"))
    check("a_schema_that_is_none", haft(put("odd.json", {"type": "strin"}), good)[0::2], (
        2, "haft: odd.json:/type: found the string \"strin\", wanted null, boolean, number, "
        "integer, string, array or object (in quotes)\n"))
    check("a_schema_with_a_key_twice", haft(put("twice.json", '{"type":"null","type":"null"}'),
          good)[0::2], (2, "haft: twice.json:1:2 (byte 1): expected each key once in an object, "
                        "found \"type\" more than once\n"))
    check("an_instance_with_a_key_twice", haft("any.json", put("two.json", '{"a":1,"a":2}'))[0], 0)
    check("a_file_that_is_not_there", haft("none.json", good),
          (2, "", "haft: none.json: cannot be opened: No such file or directory\n"))
    check("too_few_files", haft("any.json")[0::2], (
        2, "haft: wanted SCHEMA INSTANCE, found 1 argument\n"
        "hint: 'haft help validate' says more\n"))
    check("a_draft_we_do_not_know", haft("--draft", "4", "any.json", good)[0::2],
          (2, "haft: validate: --draft wants one of 7|2020-12, found '4'\n"))


def test_objects():
    schema = put("schema.json", {"type": "integer"})
    golden = [
        (["--json", schema, put("i.json", "1")],
         '{"valid":true,"errors":[],"more":false,"coerced":null,"error":null}\n', 0),
        (["--json", schema, put("s.json", '"x"')],
         '{"valid":false,"errors":[{"where":"","message":"Expected integer, found string \\"x\\"'
         '"}],"more":false,"coerced":null,"error":null}\n', 1),
        (["--json", "--coerce", schema, put("ten.json", '"10"')],
         '{"valid":true,"errors":[],"more":false,"coerced":10,"error":null}\n', 0),
        (["--json", schema, put("cut.json", "[")],
         '{"valid":null,"errors":[],"more":false,"coerced":null,"error":{"status":"BAD_INPUT",'
         '"where":"cut.json:1:2 (byte 1)","message":"expected a value or \']\', found the end of '
         'the text","hint":""}}\n', 2),
    ]
    check("one_object_as_documented", [haft(*words) for words, _, _ in golden],
          [(status, out, "") for _, out, status in golden])


def test_lines():
    status, answers, err = lines([
        {"schema": True, "instance": 1},
        "",
        {"id": 7, "schema": {"type": "string"}, "instance": 1},
        "{",
        {"schema": True},
        {"instance": True},
        {"schema": {"type": 1}, "instance": 1, "id": "x"},
        {"schema": {"$ref": "#/definitions/n", "definitions": {"n": {"type": "null"}},
                    "type": "string"}, "instance": None, "draft": "7"},
        {"schema": True, "instance": 1, "draft": "6"},
        '{"schema":{"a":1,"a":2},"instance":{}}',
        '{"schema":{},"instance":{"a":1,"a":2}}',
        {"schema": {"type": "integer"}, "instance": "5", "coerce": True},
    ])
    check("lines_exit_with_0", (status, err), (0, ""))
    check("each_line_is_answered", [answer["valid"] for answer in answers],
          [True, False, None, None, None, None, True, None, None, True, True])
    check("an_id_comes_back", [answer.get("id") for answer in answers][1:6],
          [7, None, None, None, "x"])
    check("errors_of_lines_say_what_was_wanted",
          [answers[i]["error"]["message"] for i in (2, 3, 4, 7, 8)],
          ["expected a key in double quotes or '}', found the end of the text",
           'expected the key "instance", found none', 'expected the key "schema", found none',
           'expected "7" or "2020-12", found "6"',
           'expected each key once in an object, found "a" more than once'])
    check("a_line_may_ask_for_conversion", answers[10]["coerced"], 5)
    shape = json.loads(SHAPE.read_text())
    status, verdicts, _ = lines([{"schema": shape, "instance": answer} for answer in answers])
    check("answers_have_the_documented_shape", [v["errors"] for v in verdicts],
          [[]] * len(answers))
    big = [{"schema": {"items": {"type": "string"}}, "instance": [1] * 100}]
    check("errors_are_bounded", [(len(a["errors"]) < 100, a["more"]) for a in lines(big)[1]],
          [(True, True)])
    check("lines_from_a_file", haft("--jsonl", put("l.jsonl", '{"schema":true,"instance":1}'))[0],
          0)
    check("one_file_of_lines", haft("--jsonl", "a", "b")[0::2],
          (2, "haft: --jsonl wants one FILE at most, found 2\n"))
    check("a_file_of_lines_that_is_not_there", haft("--jsonl", "none")[0], 2)


def test_remotes():
    (Path(scratch) / "remotes").mkdir()
    put("remotes/text.json", {"type": "string"})
    put("remotes/bad.json", "{")
    put("secret.json", "true")

    def verdict(reference, *words):
        answer = lines([{"schema": {"$ref": reference}, "instance": 1}], *words)[1][0]
        return answer["valid"], answer["error"] and answer["error"]["where"]

    url = "http://localhost:1234/"
    check("a_remote_document", verdict(url + "text.json", "--remotes", "remotes"), (False, None))
    check("no_remotes_without_a_directory", verdict(url + "text.json"), (None, "/$ref"))
    check("nothing_outside_the_directory",
          verdict(url + "../secret.json", "--remotes", "remotes")[0], None)
    check("a_remote_document_that_is_no_json",
          verdict(url + "bad.json", "--remotes", "remotes"),
          (None, "remotes/bad.json:1:2 (byte 1)"))


def test_suite():
    """Every required case of the official suite, through the command line."""
    if not SUITE.is_dir():
        print("skip cli/validate_test.py the_official_suite: no ../shared/data here")
        return
    for draft, folder in (("2020-12", "draft2020-12"), ("7", "draft7")):
        cases, wanted = [], []
        for path in sorted((SUITE / "tests" / folder).glob("*.json")):
            for group in json.loads(path.read_text()):
                for test in group["tests"]:
                    cases.append({"schema": group["schema"], "instance": test["data"],
                                  "id": f"{path.name}: {group['description']}: "
                                  f"{test['description']}"})
                    wanted.append((cases[-1]["id"], test["valid"]))
        _, answers, _ = lines(cases, "--draft", draft, "--remotes", str(SUITE / "remotes"))
        found = [(answer["id"], answer["valid"]) for answer in answers]
        check(f"the_official_suite_{folder}",
              [pair for pair in zip(found, wanted) if pair[0] != pair[1]] + [len(found) > 900],
              [True])


with tempfile.TemporaryDirectory() as scratch:
    test_files()
    test_what_cannot_be_used()
    test_objects()
    test_lines()
    test_remotes()
    test_suite()
