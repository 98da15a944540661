#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/render.c and turns.c, by running haft: options, errors, exit status,
and for each format a golden file in tests/cli/render/: the prompt, a history, the grammar for any
tool and the grammar for one tool. `HAFT=build/haft tests/cli/render_test.py --write` rewrites the
golden files; review the diff."""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = str(Path(os.environ["HAFT"]).resolve())
ROOT = Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "tests/cli/render"
TOOLS, CALLS = str(GOLDEN / "tools.json"), str(GOLDEN / "calls.jsonl")
SCHEMA = ROOT / "docs/schemas/render.schema.json"
# The formats that `haft help render` lists.
FORMATS = re.findall(r"^    (\w+)$", subprocess.run([HAFT, "help", "render"], capture_output=True,
                                                   text=True).stdout, re.M)


def haft(*words, text=""):
    done = subprocess.run([HAFT, "render", *words], input=text.encode(), capture_output=True,
                          cwd=scratch)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def put(name, value):
    text = value if isinstance(value, str) else json.dumps(value)
    (Path(scratch) / name).write_text(text)
    return name


# ---- golden files ----

def golden(name):
    """The output for a format: all parts of its golden file."""
    parts = {
        "prompt": ["--tools", TOOLS, "--choice", "any", "--allow", "get_weather,now"],
        "history": ["--calls", CALLS],
        "grammar: any": ["--tools", TOOLS, "--grammar", "--several"],
        "grammar: save_note": ["--tools", TOOLS, "--grammar", "--choice", "tool:save_note"],
    }
    if name == "mistral":
        parts["grammar: save_note, form 2"] = [*parts["grammar: save_note"], "--form", "2"]
    text = ""
    for part, words in parts.items():
        status, out, err = haft("--format", name, *words)
        text += f"======== {part}\n{out}"
        text += f"-------- standard error\n{err}" if err else ""
        check(f"{name} {part} is printed", status, 0)
    return text


def test_golden():
    for name in FORMATS:
        path, text = GOLDEN / f"{name}.txt", golden(name)
        if "--write" in sys.argv:
            path.write_text(text)
        was = path.read_text() if path.exists() else ""
        check(f"{name} matches its golden file", list(difflib.unified_diff(
            was.splitlines(), text.splitlines(), "golden", "printed", lineterm="", n=0)), [])
    hint = json.loads(haft("--format", "nix", "--tools", TOOLS, "--json")[1])["error"]["hint"]
    check("unknown_format_has_a_hint", hint, "'haft help render' lists the formats")
    rows = re.findall(r"^    X\((\w+)\)", (ROOT / "src/format/formats.h").read_text(), re.M)
    check("every_format_is_in_the_help", FORMATS, rows)
    page = (ROOT / "docs/formats.md").read_text()
    check("every_format_is_in_docs_formats_md",
          [name for name in rows if f"`{name}`" not in page], [])


def test_histories_are_read_back():
    """`haft parse` reads the calls of a history back."""
    turns = [json.loads(line) for line in Path(CALLS).read_text().splitlines()]
    for name in FORMATS:
        if name == "codemode":
            continue
        history = json.loads(haft("--format", name, "--calls", CALLS, "--json")[1])["history"]
        check(f"{name} roles", [turn["role"] for turn in history],
              ["assistant", "user", "assistant", "user", "assistant"])
        for turn, message in zip(turns, history):
            if "results" in turn:
                continue
            done = subprocess.run([HAFT, "parse", "--format", name, "--tools", TOOLS, "-"],
                                  input=message["content"].encode(), capture_output=True)
            found = json.loads(done.stdout)
            check(f"{name} is read back",
                  (found["error"], [(c["name"], c["arguments"]) for c in found["calls"]],
                   found["content"]),
                  (None, [(c["name"], c["arguments"]) for c in turn.get("calls", [])],
                   turn.get("text", "")))


# ---- options ----

def prompt(*words):
    status, out, err = haft("--format", "hermes", "--tools", TOOLS, *words)
    end = "</tools>\n"
    return status, out[out.index(end, out.index("<tools>\n")) + len(end):], err


def test_choice():
    must = ("\nCall a tool now, in the format that was described; an answer in words is not wanted "
            "yet.")
    only = "Of the tools, only these can be called now: now."
    for words, wanted in {
        (): "",
        ("--choice", "auto"): "",
        ("--choice", "any"): f"{must}\n",
        ("--choice", "required"): f"{must}\n",
        ("--choice", "none"): "\nNo tool can be called now: give your answer.\n",
        ("--choice", "tool:now"):
            "\nCall the tool now now, in the format that was described.\n",
        ("--choice", "tool now"):
            "\nCall the tool now now, in the format that was described.\n",
        ("--allow", "now"): f"\n{only}\n",
        ("--allow", "now,now", "--choice", "any"): f"{must} {only}\n",
        ("--allow", " get_weather , now,save_note"): "",
    }.items():
        check(f"choice {' '.join(words)}", prompt(*words), (0, wanted, ""))
    grammar = haft("--format", "hermes", "--tools", TOOLS, "--grammar", "--allow", "now")[1]
    check("grammar_has_only_allowed_tools",
          ("\\\"now\\\"" in grammar, "get_weather" in grammar), (True, False))


def test_input():
    text = Path(TOOLS).read_text()
    whole = haft("--format", "hermes", "--tools", TOOLS)
    check("format_name_ignores_case", haft("-f", "HERMES", "--tools", TOOLS), whole)
    check("tools_from_standard_input", haft("--format", "hermes", "--tools", "-", text=text), whole)
    tools = json.loads(text)
    for name, value in {
        "in_an_object": {"tools": tools},
        "as_in_openai_requests": [{"type": "function", "function": tool} for tool in tools],
        "as_in_anthropic_requests": [{"name": t["name"], "description": t["description"],
                                      "input_schema": t["parameters"]} for t in tools],
        "as_in_mcp_lists": [{"name": t["name"], "description": t["description"],
                             "inputSchema": t["parameters"]} for t in tools],
    }.items():
        check(f"tools_are_accepted_{name}",
              haft("--format", "hermes", "--tools", put("t.json", value)), whole)
    check("a_tool_may_be_only_a_name", '{"name":"f","description":"","parameters":{}}' in haft(
        "--format", "llama3", "--tools", put("t.json", ["f"]))[1], True)
    check("json_is_an_alias_of_purejson", haft("--format", "json", "--tools", TOOLS),
          haft("--format", "purejson", "--tools", TOOLS))


def test_native():
    status, out, err = haft("--format", "native", "--tools", TOOLS, "--choice", "any")
    check("native_has_no_prompt", (status, out, err.startswith("native: no prompt text")),
          (0, "", True))
    found = json.loads(haft("--format", "Native", "--tools", TOOLS, "--json")[1])
    check("native_as_json", (found["format"], found["prompt"], found["choice"]), ("native", "", ""))
    grammar = haft("--format", "native", "--tools", TOOLS, "--grammar", "--choice", "tool:now")
    check("native_has_a_grammar", (grammar[0], 'root ::= ( call )' in grammar[1]), (0, True))
    check("native_has_no_history", haft("--format", "native", "--calls", CALLS), (
        2, "", "haft: --calls: calls in the format native are members of messages, not text\n"))


def test_constraints():
    words = ["--format", "hermes", "--tools", TOOLS]
    status, out, err = haft(*words, "--schema", "openai", "--choice", "tool:save_note")
    schema = json.loads(out)
    call = schema["properties"]["tool_call"]["properties"]
    check("schema_requires_the_chosen_tool",
          (status, call["name"]["enum"], call["arguments"]["required"]),
          (0, ["save_note"], ["text", "tags", "pinned"]))
    check("relaxed_parts_are_reported", err.splitlines(), [
        "relaxed: /save_note/properties/text: maxLength 200 became nothing: not supported by "
        "the server",
        "relaxed: /save_note/properties/pinned: an optional property became one that may be "
        "null"])
    for server in ("vllm", "ollama"):
        status, out, err = haft(*words, "--schema", server, "--several")
        check(f"schema_for_{server}_allows_several_calls",
              (status, json.loads(out)["anyOf"][0]["type"], err), (0, "array", ""))
    answer = haft("--format", "purejson", "--tools", TOOLS, "--grammar", "--choice", "auto",
                  "--answer")
    check("grammar_with_answer_allows_an_answer",
          (answer[0], '\\"answer\\":' in answer[1]), (0, True))
    reasoning = haft(*words, "--grammar", "--reasoning")
    check("grammar_with_reasoning_allows_reasoning",
          (reasoning[0], '"<think>"' in reasoning[1]), (0, True))
    check("code_reports_what_it_cannot_express",
          haft("--format", "codemode", "--tools", TOOLS, "--grammar")[2],
          "relaxed: a call of a tool became code that may call it\n")


def test_large():
    """haft retries a grammar that is too large with fewer details: no error of the first attempt is
    printed. Omitted lines are counted."""
    text = {"type": "string", "pattern": "^[a-z]{3}$", "description": "x" * 40}
    many = [{"name": f"tool{n}", "parameters": {
        "properties": {f"argument{k}_{n}": dict(text, pattern=f"^[a-z]{{{k + 1}}}[0-9]{{{n}}}$")
                       for k in range(20)}}} for n in range(1, 41)]
    status, _, err = haft("--format", "hermes", "--tools", put("many.json", many), "--grammar")
    check("failed_attempts_print_no_error",
          (status, [line for line in err.splitlines() if not line.startswith("relaxed: ")]),
          (0, []))
    loose = [{"name": "loose", "parameters": {"properties": {
        f"a{n}": {"type": "string", "format": "odd"} for n in range(203)}}}]
    path = put("loose.json", loose)
    status, _, err = haft("--format", "hermes", "--tools", path, "--grammar")
    check("omitted_lines_are_counted", (len(err.splitlines()), err.splitlines()[-1]),
          (201, "relaxed: and 3 more"))
    found = json.loads(haft("--format", "hermes", "--tools", path, "--grammar", "--json")[1])
    check("json_output_has_the_number_of_omitted_relaxations",
          (len(found["relaxed"]), found["relaxed_left_off"]), (200, 3))


def valid(text):
    done = subprocess.run([HAFT, "validate", str(SCHEMA), "-"], input=text.encode(),
                          capture_output=True)
    return done.returncode == 0


def test_json():
    everything = ["--tools", TOOLS, "--calls", CALLS, "--grammar", "--schema", "vllm", "--choice",
                  "any", "--json"]
    for name in FORMATS:
        status, out, err = haft("--format", name, *everything)
        check(f"{name} as JSON", (status, valid(out), err), (0, True, ""))
    name = "qwen3coder"  # its grammar relaxes a schema
    found = json.loads(haft("--format", name, *everything)[1])
    check("json_and_text_output_agree",
          (found["prompt"] + "\n\n" + found["choice"] + "\n", found["grammar"]),
          (haft("--format", name, "--tools", TOOLS, "--choice", "any")[1],
          haft("--format", name, "--tools", TOOLS, "--grammar", "--choice", "any")[1]))
    check("relaxed_as_json", found["relaxed"], [
        {"where": "/save_note/properties/text", "what": "maxLength 200", "became": "any text"}])
    status, out, _ = haft("--format", "hermes", "--calls", CALLS, "--json")
    found = json.loads(out)
    check("members_that_were_not_requested_are_null", (valid(out), [found[k] for k in (
        "prompt", "choice", "grammar", "schema")]), (True, [None] * 4))
    status, out, err = haft("--format", "hermes", "--tools", "nix.json", "--json")
    check("error_is_printed_as_json",
          (status, list(json.loads(out)), json.loads(out)["error"]["status"], err != ""),
          (2, ["error"], "IO", True))


# ---- calls ----

def history(turns, name="kimi_k2"):
    text = turns if isinstance(turns, str) else "".join(json.dumps(t) + "\n" for t in turns)
    return haft("--format", name, "--calls", "-", text=text)


def test_calls():
    turns = [json.loads(line) for line in Path(CALLS).read_text().splitlines()]
    lines = haft("--format", "kimi_k2", "--calls", CALLS)
    check("turns_may_be_in_an_array", history(json.dumps(turns, indent=2)), lines)
    check("numbers_keep_their_digits", '{"n":1.50,"m":12345678901234567890123}' in history(
        '{"calls":[{"name":"f","arguments":{"n":1.50,"m":12345678901234567890123}}]}')[1], True)
    check("calls_are_numbered_across_turns",
          [word.split("<|")[0] for word in lines[1].split("functions.")[1:]
                                   if "tool_call_argument" in word],
          ["get_weather:0", "now:1", "save_note:2"])
    check("results_match_calls_by_id", history([
        {"calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}]},
        {"results": [{"id": "b", "text": "two"}, {"id": "a", "text": {"x": 1}}]}])[1].split(
            "[user]\n")[1],
          '## Return of functions.g:1\ntwo\n## Return of functions.f:0\n{"x":1}\n')
    check("result_can_name_its_tool", history([{"results": [
        {"name": "f", "text": "x"}]}], "llama3")[1], '[user]\n{"name": "f", "output": "x"}\n')
    check("arguments_may_be_json_in_a_string", '{"a":1}' in history([
        {"calls": [{"name": "f", "arguments": '{"a": 1}'}]}])[1], True)
    check("empty_input_has_no_turns", history(""), (0, "", ""))
    check("empty_lines_are_ignored", history('\n\n{"text":"a"}\r\n\n'),
          (0, "[assistant]\na\n", ""))


def test_bad_calls():
    for name, (text, wanted) in {
        "invalid_json": ('{"text":"a"}\n{"text":}', "standard input:2:9: "),
        "turn_is_not_an_object": ("5\n", "standard input:1: expected a turn, found number"),
        "turn_without_text_calls_or_results": (
            "{}", "standard input:1: expected a turn, found object without"),
        "calls_are_not_an_array": ('{"calls":5}', "standard input:1: /calls: expected an array"),
        "call_is_not_an_object": ('{"calls":[5]}', "standard input:1: /calls/0: expected a call"),
        "call_without_name": ('{"calls":[{}]}',
                              'standard input:1: /calls/0: expected the key "name"'),
        "name_is_not_a_string": ('{"calls":[{"name":5}]}',
                                 "standard input:1: /calls/0/name: expected"),
        "text_is_not_a_string": ('{"text":5}', "standard input:1: /text: expected a string"),
        "id_is_not_a_string": ('{"calls":[{"id":5}]}', "standard input:1: /calls/0/id: expected"),
        "result_is_not_an_object": ('{"results":[5]}',
                                    "standard input:1: /results/0: expected a result"),
        "results_are_not_an_array": ('{"results":5}',
                                     "standard input:1: /results: expected an array"),
        "result_without_call": ('{"results":[{"text":"x"}]}',
                                "standard input:1: /results/0: no call matches this result"),
        "result_with_unknown_id": ('{"calls":[{"name":"f"}]}\n{"results":[{"id":"q","text":"x"}]}',
                                   "standard input:2: /results/0: no call matches this result"),
        "call_without_name_in_an_array": ('[{"text":"a"},{"calls":[{}]}]',
                                          "standard input:/1/calls/0: expected"),
        "truncated_array": ('[{"text":"a"},', "standard input:1:15"),
    }.items():
        status, out, err = history(text)
        check(f"calls: {name}", (status, out, err[:len(wanted) + 6]), (2, "", f"haft: {wanted}"))
    bad = put("bad.jsonl", '{"text":"a"}\n{"text":}\n')
    check("error_shows_the_line", haft("--format", "hermes", "--calls", bad)[2].splitlines()[1:],
          ['    {"text":}', "            ^"])


# ---- errors ----

def test_errors():
    with_tools = ["--format", "hermes", "--tools", TOOLS]
    for name, (words, wanted) in {
        "no_format": (["--tools", TOOLS], "haft: expected --format F, found none\n"
                      "hint: 'haft help render' lists the formats\n"),
        "misspelled_format": (["--format", "hermse", "--tools", TOOLS],
                              "haft: unknown format 'hermse'\nhint: did you mean 'hermes'?\n"),
        "no_tools": (["--format", "hermes"], "haft: expected --tools FILE, found none\n"
                     'hint: the file is an array of {"name", "description", "parameters"}\n'),
        "choice_without_tools": (["--format", "hermes", "--calls", CALLS, "--choice", "any"],
                                 "haft: expected --tools FILE"),
        "missing_file": (["--format", "hermes", "--tools", "nix.json"], "haft: nix.json: "),
        "invalid_json": (["--format", "hermes", "--tools", put("bad.json", '[{"name": }]')],
                         "haft: bad.json:1:11 (byte 10): "),
        "tools_are_not_an_array": (["--format", "hermes", "--tools", put("five.json", "5")],
                                   "haft: five.json: expected an array of tools, found number\n"),
        "tool_without_name": (["--format", "hermes", "--tools", put("less.json", [{}])],
                              "haft: less.json:/0: expected the name of a tool"),
        "bad_name": (["--format", "hermes", "--tools", put("odd.json", ['a"b'])],
                     "haft: odd.json: 'a\"b' is not a valid tool name\nhint: a name has "),
        "long_name": (["--format", "hermes", "--tools", put("long.json", ["a" * 129])],
                      "haft: long.json: 'aaa"),
        "duplicate_name": (["--format", "hermes", "--tools", put("twice.json", ["f", "g", "f"])],
                           "haft: twice.json: two tools are named 'f'\n"),
        "empty_array": (["--format", "hermes", "--tools", put("empty.json", [])],
                        "haft: empty.json: expected tools, found none\nhint: a tool is {"),
        "unknown_choice": ([*with_tools, "--choice", "ayn"],
                           "haft: --choice: expected auto, any, none or tool:NAME, found 'ayn'\n"),
        "unknown_tool": ([*with_tools, "--choice", "tool:get_wether"],
                         "haft: --choice: no tool is named 'get_wether'\n"
                         "hint: did you mean 'get_weather'?\n"),
        "empty_name_in_allow": ([*with_tools, "--allow", "now,,"],
                                "haft: --allow: no tool is named ''\n"),
        "choice_is_not_allowed": ([*with_tools, "--allow", "now", "--choice", "tool:save_note"],
                                  "haft: --choice: --allow does not name the tool 'save_note'\n"),
        "unknown_server": ([*with_tools, "--schema", "nix"],
                           "haft: render: --schema expects one of "),
        "form_0": ([*with_tools, "--grammar", "--form", "0"],
                   "haft: --form: hermes has 1 form, found 0\n"),
        "form_3_of_2": (["--format", "mistral", "--tools", TOOLS, "--grammar", "--form", "3"],
                        "haft: --form: mistral has 2 forms, found 3\n"),
        "auto_has_no_grammar": ([*with_tools, "--grammar", "--choice", "auto"],
                                "haft: there is no grammar for a turn without a forced call\n"),
        "none_has_no_schema": ([*with_tools, "--schema", "vllm", "--choice", "none"],
                               "haft: there is no grammar for a turn"),
        "format_without_answers": ([*with_tools, "--grammar", "--answer"],
                                   "haft: the format hermes has no syntax for an answer\n"),
        "openai_schema_with_answer": (
            ["--format", "purejson", "--tools", TOOLS, "--schema", "openai", "--answer"],
            "haft: a schema for OpenAI cannot leave a choice"),
        "two_outputs": ([*with_tools, "--grammar", "--schema", "vllm"],
                        "haft: --grammar, --schema and --calls cannot be combined\n"
                        "hint: with --json they can be combined\n"),
        "two_inputs_from_stdin": (["--format", "hermes", "--tools", "-", "--calls", "-"],
                                  "haft: only one of --tools and --calls can be standard input\n"),
        "unexpected_argument": ([*with_tools, "x"],
                                "haft: render: expected no argument, found 1 argument\n"),
    }.items():
        status, out, err = haft(*words)
        check(f"error: {name}", (status, out, err[:len(wanted)]), (2, "", wanted))
    longest = put("longest.json", ["a" * 128])
    check("tool_name_may_have_128_bytes", haft("--format", "hermes", "--tools", longest)[0], 0)


with tempfile.TemporaryDirectory() as scratch:
    test_golden()
    test_histories_are_read_back()
    test_choice()
    test_input()
    test_native()
    test_constraints()
    test_large()
    test_json()
    test_calls()
    test_bad_calls()
    test_errors()
