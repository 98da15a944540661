#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/parse.c, by running haft: files, lines, exit status, golden output;
and foreign test suites, whole and in pieces."""
import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/parse.schema.json"
CASES = ROOT.parent / "shared/data/formats/cases.jsonl"
OWN = ROOT / "tests/format/cases.jsonl"
CALL = '<tool_call>{"name":"f","arguments":{"n":9007199254740993,"x":1.50}}</tool_call>'
GOOD = ('{"id":null,"content":"Hi.","reasoning":"","code":"","calls":[{"id":null,"name":"f",'
        '"arguments":{"n":9007199254740993,"x":1.50}}],"error":null,"errors":[],'
        '"repaired":false}\n')


def haft(*words, text=""):
    text = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([HAFT, "parse", *words], input=text, capture_output=True, cwd=scratch)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(objects, *words):
    text = "".join((o if isinstance(o, str) else json.dumps(o)) + "\n" for o in objects)
    status, out, err = haft("--jsonl", *words, text=text)
    return status, [json.loads(line) for line in out.split("\n") if line], err


def put(name, value):
    text = value if isinstance(value, str) else json.dumps(value)
    (Path(scratch) / name).write_text(text)
    return name


def test_files():
    reply = put("reply.txt", "Hi.\n" + CALL)
    check("file_is_parsed", haft("--format", "hermes", reply), (0, GOOD, ""))
    check("standard_input_is_parsed",
          haft("--format", "hermes", text="Hi.\n" + CALL), (0, GOOD, ""))
    check("dash_means_standard_input",
          haft("-f", "HERMES", "-", text="Hi.\n" + CALL), (0, GOOD, ""))
    for chunk in ("1", "7", "64", "100000"):
        check(f"result_is_the_same_in_pieces_of_{chunk}",
              haft("--format", "hermes", "--chunk", chunk, reply)[:2],
              (0, GOOD))
    check("empty_text_has_no_calls", haft("--format", "hermes"), (
        0, '{"id":null,"content":"","reasoning":"","code":"","calls":[],"error":null,"errors":[],'
        '"repaired":false}\n', ""))
    check("a_cut_call_is_no_success", haft("--format", "hermes", text='x<tool_call>{"name":"f"'), (
        1, '{"id":null,"content":"x","reasoning":"","code":"","calls":[],"error":"truncated",'
        '"errors":[{"error":"truncated","offset":1,"why":"the text ends inside it",'
        '"text":"<tool_call>{\\"name\\":\\"f\\""}],"repaired":false}\n', ""))
    check("bytes_that_are_not_text_are_replaced",
          haft("--format", "hermes", text=b"a\xffb\x00\x1b")[1][:37],
          '{"id":null,"content":"a\ufffdb\\u0000\\u001b')


def test_tools():
    tools = put("tools.json", [{"name": "f", "parameters": {"properties": {
        "n": {"type": "integer"}, "s": {"type": "string"}}}}])
    text = "<function=f><parameter=n>5</parameter><parameter=s>5</parameter></function>"
    for name, value in {
        "an_array": json.loads((Path(scratch) / tools).read_text()),
        "an_object": {"tools": [{"name": "f", "input_schema": {"properties": {
            "s": {"type": "string"}}}}]},
        "as_openai_has_them": [{"type": "function", "function": {
            "name": "f", "parameters": {"properties": {"s": {"type": "string"}}}}}],
        "as_mcp_has_them": [{"name": "f", "inputSchema": {"properties": {
            "s": {"type": "string"}}}}],
    }.items():
        out = haft("--format", "qwen3coder", "--tools", put("t.json", value), text=text)[1]
        check(f"tools_are_{name}", json.loads(out)["calls"][0]["arguments"], {"n": 5, "s": "5"})
    names = put("names.json", ["g"])
    check("tools_are_names", json.loads(haft("--format", "pythonic", "--tools", names,
                                             text="[f()] [g()]")[1])["calls"],
          [{"id": None, "name": "g", "arguments": {}}])
    check("tool_without_a_name_is_rejected",
          haft("--format", "hermes", "--tools", put("odd.json", [{}])), (
        2, "", 'haft: odd.json:/0: expected the name of a tool, or an object with "name"\n'
        'hint: a tool is {"name": ..., "parameters": {...}}\n'))
    check("tools_that_are_not_an_array_are_rejected",
          haft("--format", "hermes", "--tools", put("odd.json", "5"))[2],
          "haft: odd.json: expected an array of tools, found number\n")
    check("tools_that_are_not_json_are_rejected",
          haft("--format", "hermes", "--tools", put("odd.json", "[")), (
        2, "", "haft: odd.json:1:2 (byte 1): expected a value or ']', found the end of the text\n"))


def test_usage():
    check("a_format_is_required", haft(), (
        2, "", "haft: expected --format F, found none\n"
        "hint: 'haft help parse' lists the formats\n"))
    check("unknown_format_has_a_suggestion", haft("--format", "hermis"), (
        2, "", "haft: unknown format 'hermis'\nhint: did you mean 'hermes'?\n"))
    check("unknown_format_without_a_near_match_has_a_hint", haft("--format", "x\x1b[31m"), (
        2, "", "haft: unknown format 'x\\u001b[31m'\n"
        "hint: 'haft help parse' lists the formats\n"))
    check("missing_file_is_an_error", haft("--format", "hermes", "none.txt"), (
        2, "", "haft: none.txt: cannot be opened: No such file or directory\n"))
    check("missing_file_of_lines_is_an_error", haft("--jsonl", "none.txt")[0], 2)
    check("lines_have_their_own_tools", haft("--jsonl", "--tools", "x"), (
        2, "", 'haft: --jsonl and --tools cannot be combined\n'
        'hint: each line has its own "tools"\n'))
    check("standard_input_can_be_used_once", haft("--format", "hermes", "--tools", "-"), (
        2, "", "haft: only one of FILE and --tools can be standard input\n"))
    status, _, err = haft("--format", "hermes", "--chunk", "0")
    check("chunk_of_zero_bytes_is_rejected", (status, "expected at least 1 byte, found 0" in err),
          (2, True))
    check("native_alone_is_not_a_format",
          "native_openai, native_anthropic or native_gemini" in haft("--format", "native")[2], True)
    check("chunk_must_be_a_number", haft("--format", "hermes", "--chunk", "x")[0], 2)


def test_terminal():
    """Control characters never reach a terminal: it gets the same JSON with escapes."""
    text = "a\x9bb\u202ec\x7fd"
    ours, terminal = pty.openpty()
    subprocess.run([HAFT, "parse", "--format", "hermes", put("steering.txt", text)],
                   stdout=terminal, cwd=scratch, check=True)
    shown = os.read(ours, 65536).decode()
    os.close(terminal)
    os.close(ours)
    check("control_characters_are_escaped", ("a\\u009bb\\u202ec\\u007fd" in shown,
                                             json.loads(shown)["content"]), (True, text))
    check("a_file_gets_the_bytes", text in haft("--format", "hermes", "steering.txt")[1], True)


def test_names():
    text = '{"tool":"f","args":{}}'
    for name in ("purejson", "PureJson", "PUREJSON", "json", "Json"):
        check(f"format_is_accepted_{name}",
              len(lines([{"format": name, "text": text}])[1][0]["calls"]), 1)
    for name in ("codemode", "CodeMode", "code"):
        check(f"code_format_is_accepted_{name}", lines([{
            "format": name, "text": "```python\na\n```\nand\n<code>b</code>"}])[1][0]["code"],
            "a\n\nb")


def test_lines():
    good = {"format": "hermes", "text": CALL}
    status, answers, err = lines([
        {"id": 7, **good}, "", "nonsense", "[]", {"text": "x"}, {"format": "hermes"},
        {"id": "u", "format": "unknown", "text": ""}, {"format": 5, "text": ""},
        {**good, "tools": {"a": 1}}, {**good, "tools": [5]}, {**good, "options": []},
        {**good, "options": {"repair": 1}}, {**good, "options": {"starts_after": 1}},
        {"id": None, **good, "tools": None, "options": None, "other": [1], "note": "x"},
        {"id": {"a": [1]}, **good, "options": {"repair": None, "strange": 1}},
    ])
    check("lines_exit_with_0", (status, err), (0, ""))
    problems = [a["error"] and (a["error"]["where"], a["error"]["message"]) for a in answers]
    check("each_line_is_answered", problems, [
        None, ("line 3: 1:2 (byte 1)", "expected true, false or null, found 'o'"),
        ("line 4", "expected an object, found array"),
        ("line 5", 'expected the key "format", found none'),
        ("line 6", 'expected the key "text", found none'),
        ("line 7", "unknown format 'unknown'"),
        ("line 8: /format", "expected a string, found number"),
        ("line 9: /tools", "expected an array of tools, found object"),
        ("line 10: /tools:/0", 'expected the name of a tool, or an object with "name"'),
        ("line 11: /options", "expected an object, found array"),
        ("line 12: /options/repair", "expected true or false, found number"),
        ("line 13: /options/starts_after", "expected a string, found number"),
        None, None])
    check("ids_come_back", [a["id"] for a in answers],
          [7] + [None] * 4 + ["u"] + [None] * 7 + [{"a": [1]}])
    check("a_format_for_all_lines", lines([{"text": CALL}], "--format", "hermes")[1][0]["error"],
          None)
    _, verdicts = haft_validate(answers)
    check("answers_have_the_documented_shape", [v["errors"] for v in verdicts],
          [[]] * len(answers))


def haft_validate(answers):
    shape = json.loads(SHAPE.read_text())
    text = "".join(json.dumps({"schema": shape, "instance": a}) + "\n" for a in answers)
    done = subprocess.run([HAFT, "validate", "--jsonl"], input=text, text=True,
                          capture_output=True)
    return done.returncode, [json.loads(line) for line in done.stdout.split("\n") if line]


def test_options():
    text = "So.</think>" + CALL
    status, answers, _ = lines([
        {"format": "hermes", "text": text, "options": {"start_in_reasoning": True}},
        {"format": "hermes", "text": text, "options": {"starts_after": "<think>\n"}},
        {"format": "hermes", "text": text, "options": {"starts_after": "unknown"}},
        {"format": "functionary_v32", "text": "f\n{}", "tools": ["f"],
         "options": {"starts_after": ">>>"}},
    ])
    check("reasoning_may_start_in_the_prompt", [(a["reasoning"], len(a["calls"])) for a in answers],
          [("So.", 1), ("So.", 1), ("", 1), ("", 1)])
    check("start_in_reasoning_option_is_used", json.loads(haft(
        "--format", "hermes", "--start-in-reasoning", text=text)[1])["reasoning"], "So.")
    _, answers, _ = lines([{"format": "hermes", "text": 'ab<tool_call>{"name":1}</tool_call>',
                            "options": {"starts_after": "<think>"}}] * 2)
    check("offsets_refer_to_the_text", answers[0]["errors"][0]["offset"], 2)


def test_native():
    def openai(arguments, reason="tool_calls"):
        return json.dumps({"choices": [{"finish_reason": reason, "message": {"tool_calls": [
            {"id": "c", "function": {"name": "f", "arguments": arguments}}]}}]})

    def first(format, text, **options):
        answer = lines([{"format": format, "text": text, "options": options}])[1][0]
        return answer["error"], answer["calls"], answer["repaired"]

    call = [{"id": "c", "name": "f", "arguments": {}}]
    check("empty_arguments_are_an_empty_object",
          first("native_openai", openai("")), (None, call, False))
    check("null_arguments_are_an_empty_object",
          first("Native_OpenAI", openai("null")), (None, call, False))
    check("arguments_that_are_not_json_are_malformed", first("native_openai", openai("{'a'}")),
          ("malformed", [], False))
    check("arguments_that_are_cut_are_truncated", first("native_openai", openai('{"a":', "length")),
          ("truncated", [], False))
    check("arguments_that_are_not_an_object_are_malformed",
          first("native_openai", openai("[]", "length")),
          ("malformed", [], False))
    check("arguments_are_repaired", first("native_openai", openai("{'a': True,}"), repair=True),
          (None, [{"id": "c", "name": "f", "arguments": {"a": True}}], True))
    check("arguments_that_have_not_arrived_are_truncated",
          first("native_openai", openai("", "length")), ("truncated", [], False))
    check("cut_arguments_are_not_repaired",
          first("native_openai", openai("{'a': True", "length"), repair=True),
          ("truncated", [], False))
    check("incomplete_arguments_are_not_repaired",
          first("native_openai", openai("{'a': [1", "tool_calls"), repair=True)[1], [])
    check("half_a_reply_is_truncated",
          first("native_openai", openai("{}")[:40]), ("truncated", [], False))
    check("half_a_reply_of_anthropic_is_truncated", first("native_anthropic", '{"content":['),
          ("truncated", [], False))
    check("json_that_is_not_a_reply_is_malformed",
          first("native_gemini", '{"a":1}'), ("malformed", [], False))
    check("empty_text_is_malformed", first("native_gemini", ''), ("malformed", [], False))


def expected(expect, answer):
    problems = [key for key in ("content", "reasoning", "code")
                if key in expect and expect[key].strip() != answer[key].strip()]
    if expect["error"] not in ("any", answer["error"]):
        problems.append("error")
    found = [{key: call.get(key) for key in wanted}
             for wanted, call in zip(expect["calls"], answer["calls"])]
    if found != expect["calls"] or len(answer["calls"]) != len(expect["calls"]):
        problems.append("calls")
    return problems


def test_cases(path, name):
    if not path.exists():
        skip(name, f"{path} is not there")
        return
    cases = [json.loads(line) for line in path.read_text().split("\n") if line]
    for words in ([], ["--chunk", "1"], ["--chunk", "7"]):
        status, answers, _ = lines(cases, *words)
        bad = {case["id"]: expected(case["expect"], answer)
               for case, answer in zip(cases, answers) if expected(case["expect"], answer)}
        check(f"{name} {' '.join(words)}", (status, len(answers), bad),
              (0, len(cases), {}))
        _, verdicts = haft_validate(answers)
        check(f"{name}_shape {' '.join(words)}", [v for v in verdicts if not v["valid"]], [])


with tempfile.TemporaryDirectory() as scratch:
    test_files()
    test_tools()
    test_usage()
    test_terminal()
    test_names()
    test_lines()
    test_options()
    test_native()
    test_cases(CASES, "the_cases_of_others")
    test_cases(OWN, "our_own_cases")
