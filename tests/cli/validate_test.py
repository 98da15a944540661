#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/validate.c, by running haft: files, lines, exit status, golden
output."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/validate.schema.json"
SUITE = ROOT.parent / "shared/data/json-schema-test-suite"


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
    check("valid_file_is_valid", haft(schema, good), (0, "good.json: valid\n", ""))
    check("every_reason_is_printed", haft(schema, bad), (
        1, "bad.json: Missing required argument: query\n"
        "bad.json: /limit: Expected a number of at least 1, found 0\n"
        "bad.json: not valid: 2 errors\n", ""))
    check("standard_input_can_be_the_instance", haft(schema, "-", text='{"query":"x"}'),
          (0, "standard input: valid\n", ""))
    check("standard_input_can_be_the_schema", haft("-", good, text="false")[0], 1)
    check("schema_and_instance_cannot_both_be_standard_input", haft("-", "-"),
          (2, "", "haft: only one of SCHEMA and INSTANCE can be standard input\n"))
    check("coerce_converts_values", [haft("--coerce", schema, put("text.json", text))[0]
          for text in ('{"query":"x","limit":"5"}', '{"query":"x","limit":"five"}')], [0, 1])
    check("without_coerce_the_instance_is_invalid", haft(schema, "text.json")[0], 1)
    check("output_does_not_control_the_terminal",
          haft(put("closed.json", {"additionalProperties": False}),
               put("red.json", {"\x1b[31m": 1})),
          (1, "red.json: /\\u001b[31m: Unknown argument: \\u001b[31m\n"
           "red.json: not valid: 1 error\n", ""))
    check("errors_do_not_control_the_terminal", haft("--\x1b[31m")[2].count("\x1b"), 0)


def test_unusable_files():
    good = put("good.json", "1")
    check("instance_that_is_not_json_is_an_error",
          haft(put("any.json", "true"), put("cut.json", "[1,\n")), (
        2, "", "cut.json:2:1: error: expected a value, found the end of the text\n"))
    check("line_of_the_error_is_shown", haft("any.json", put("odd.json", '{"中": [1,\t}]}'))[2],
          "odd.json:1:11: error: expected a value, found '}'\n"
          '    {"中": [1,\t}]}\n              \t^\n')
    check("line_of_standard_input_is_shown", haft("any.json", "-", text="[1 2]")[2],
          "standard input:1:4: error: expected ',' or ']' after the item, found '2'\n"
          "    [1 2]\n       ^\n")
    check("invalid_schema_is_an_error", haft(put("odd.json", {"type": "strin"}), good)[0::2], (
        2, "haft: odd.json:/type: found the string \"strin\", expected null, boolean, number, "
        "integer, string, array or object (in quotes)\nhint: did you mean string?\n"))
    check("schema_with_a_duplicate_key_is_an_error",
          haft(put("twice.json", '{"type":"null","type":"null"}'),
          good)[0::2], (
              2, "twice.json:1:2: error: expected each key once in an object, "
              'found "type" more than once\n    {"type":"null","type":"null"}\n     ^\n'))
    check("instance_with_a_duplicate_key_is_accepted",
          haft("any.json", put("two.json", '{"a":1,"a":2}'))[0], 0)
    check("missing_file_is_an_error", haft("none.json", good),
          (2, "", "haft: none.json: cannot be opened: No such file or directory\n"))
    check("too_few_files_are_an_error", haft("any.json")[0::2], (
        2, "haft: expected SCHEMA INSTANCE, found 1 argument\n"
        "hint: see 'haft help validate'\n"))
    check("unknown_draft_is_rejected", haft("--draft", "4", "any.json", good)[0::2],
          (2, "haft: validate: --draft expects one of 7|2020-12, found '4'\n"))


def test_options():
    put("good.json", "1")
    check("missing_remotes_directory_is_an_error",
          haft("--remotes", "nowhere", put("any.json", "true"), "good.json"),
          (2, "", "haft: nowhere: cannot be opened: No such file or directory\n"))
    check("remotes_directory_that_is_a_file_is_an_error",
          haft("--remotes", "good.json", "--jsonl"),
          (2, "", "haft: good.json: is not a directory\n"))
    check("json_and_jsonl_cannot_be_combined", haft("--json", "--jsonl"), (
        2, "", "haft: --json and --jsonl cannot be combined\n"
        "hint: --jsonl prints a JSON object for each line anyway\n"))
    check("file_name_does_not_control_the_terminal", haft("any.json", put("\x1b[31m", "1"))[:2],
          (0, "\\u001b[31m: valid\n"))


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
        {"schema": {"type": "integer"}, "instance": "5", "coerce": "yes"},
        {"schema": {"type": "integer"}, "instance": "5", "coerce": None},
    ])
    check("lines_exit_with_0", (status, err), (0, ""))
    check("each_line_is_answered", [answer["valid"] for answer in answers],
          [True, False, None, None, None, None, True, None, None, True, True, None, None])
    check("a_line_that_cannot_be_used_is_named",
          [answer["error"] and answer["error"]["where"] for answer in answers],
          [None, None, "line 4: 1:2 (byte 1)", "line 5", "line 6", "line 7: /type", None,
           "line 9: /draft", "line 10", None, None, "line 13: /coerce",
           "line 14: /coerce"])
    check("an_id_comes_back", [answer.get("id") for answer in answers][1:6],
          [7, None, None, None, "x"])
    check("errors_of_lines_name_what_was_expected",
          [answers[i]["error"]["message"] for i in (2, 3, 4, 7, 8, 11, 12)],
          ["expected a key in double quotes or '}', found the end of the text",
           'expected the key "instance", found none', 'expected the key "schema", found none',
           'expected "7" or "2020-12", found "6"',
           'expected each key once in an object, found "a" more than once',
           'expected true or false, found string', 'expected true or false, found null'])
    check("a_line_may_request_conversion", answers[10]["coerced"], 5)
    shape = json.loads(SHAPE.read_text())
    status, verdicts, _ = lines([{"schema": shape, "instance": answer} for answer in answers])
    check("answers_have_the_documented_shape", [v["errors"] for v in verdicts],
          [[]] * len(answers))
    big = [{"schema": {"items": {"type": "string"}}, "instance": [1] * 100}]
    check("errors_are_bounded", [(len(a["errors"]) < 100, a["more"]) for a in lines(big)[1]],
          [(True, True)])
    check("lines_are_read_from_a_file",
          haft("--jsonl", put("l.jsonl", '{"schema":true,"instance":1}'))[0],
          0)
    check("second_file_of_lines_is_rejected", haft("--jsonl", "a", "b")[0::2],
          (2, "haft: --jsonl expects at most one FILE, found 2\n"))
    check("missing_file_of_lines_is_an_error", haft("--jsonl", "none")[0], 2)
    check("directory_instead_of_lines_is_an_error", haft("--jsonl", "."),
          (2, "", "haft: .: cannot be read: Is a directory\n"))
    closed = subprocess.run(["sh", "-c", '"$1" validate --jsonl <&-', "sh", HAFT], text=True,
                            capture_output=True)
    check("closed_standard_input_is_an_error", (closed.returncode, closed.stdout, closed.stderr),
          (2, "", "haft: standard input: cannot be read: Bad file descriptor\n"))


def test_lines_of_extremes():
    """A line that cannot be read or printed is answered like any other, and so are the next
    ones."""
    deep = "[" * 200 + json.dumps("[" * 200 + "]" * 200) + "]" * 200
    nested = '{"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}'
    good = '{"schema":true,"instance":1,"id":2}'
    status, answers, err = lines([
        f'{{"schema":{nested},"instance":{deep},"coerce":true}}', good])
    check("conversion_to_a_deep_value_is_answered", (status, len(answers), answers[1:], err), (
        0, 2, [{"id": 2, "valid": True, "errors": [], "more": False, "coerced": None,
                "error": None}], ""))
    status, answers, err = lines([good, " " * (64 << 20) + good, good])
    check("line_that_is_too_long_is_answered",
          (status, [(a["valid"], a["error"] and a["error"]["where"]) for a in answers], err),
          (0, [(True, None), (None, "line 2"), (True, None)], ""))


def test_remotes():
    (Path(scratch) / "remotes").mkdir()
    put("remotes/text.json", {"type": "string"})
    put("remotes/bad.json", "{")
    put("secret.json", "true")

    def verdict(reference, *words):
        answer = lines([{"schema": {"$ref": reference}, "instance": 1}], *words)[1][0]
        return answer["valid"], answer["error"] and answer["error"]["where"]

    url = "http://localhost:1234/"
    check("remote_document_is_read",
          verdict(url + "text.json", "--remotes", "remotes"), (False, None))
    check("no_remotes_without_a_directory", verdict(url + "text.json"), (None, "line 1: /$ref"))
    check("no_document_outside_the_directory_is_read",
          verdict(url + "../secret.json", "--remotes", "remotes")[0], None)
    check("remote_document_that_is_not_json_is_an_error",
          verdict(url + "bad.json", "--remotes", "remotes"),
          (None, "line 1: remotes/bad.json:1:2 (byte 1)"))
    put("remotes/large.json", '["' + "x" * (8 << 20))
    answers = lines([{"schema": {"$ref": url + "large.json"}, "instance": 1}] * 200,
                    "--remotes", "remotes")[1]
    check("a_bad_remote_document_stays_bad",
          {(a["valid"], a["error"]["message"]) for a in answers},
          {(None, "expected the end of the string, found the end of the text")})


def test_suite():
    """Every required case of the official suite, through the command line."""
    if not SUITE.is_dir():
        skip("the_official_suite", "no shared/data/json-schema-test-suite next to the project; "
             "docs/testing.md says how to have it")
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
    test_unusable_files()
    test_options()
    test_objects()
    test_lines()
    test_lines_of_extremes()
    test_remotes()
    test_suite()
