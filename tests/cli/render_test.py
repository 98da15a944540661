#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/render.c and turns.c, by running haft: options, errors, exit status,
and for each format a golden file in tests/cli/render/: the prompt, a history, the grammar of any
tool and of one. `HAFT=build/haft tests/cli/render_test.py --write` renews them; read what
changed."""
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
SHAPE = ROOT / "docs/schemas/render.schema.json"
# Every row of src/format/formats.h, as the program knows it.
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
    """Everything that is printed for a format, part by part."""
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
        check(f"{name} is unchanged", list(difflib.unified_diff(
            was.splitlines(), text.splitlines(), "golden", "printed", lineterm="", n=0)), [])
    known = json.loads(haft("--format", "nix", "--tools", TOOLS, "--json")[1])["error"]["hint"]
    check("the_help_lists_the_formats", known, "'haft help render' lists the formats")
    rows = re.findall(r"^    X\((\w+)\)", (ROOT / "src/format/formats.h").read_text(), re.M)
    check("every_format_is_in_the_help", FORMATS, rows)
    page = (ROOT / "docs/formats.md").read_text()
    check("every_format_is_in_its_page", [name for name in rows if f"`{name}`" not in page], [])


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
    check("a_grammar_has_the_tools_that_are_allowed",
          ("\\\"now\\\"" in grammar, "get_weather" in grammar), (True, False))


def test_input():
    text = Path(TOOLS).read_text()
    whole = haft("--format", "hermes", "--tools", TOOLS)
    check("a_name_in_capitals", haft("-f", "HERMES", "--tools", TOOLS), whole)
    check("tools_from_standard_input", haft("--format", "hermes", "--tools", "-", text=text), whole)
    tools = json.loads(text)
    for name, value in {
        "an_object": {"tools": tools},
        "as_openai_has_them": [{"type": "function", "function": tool} for tool in tools],
        "as_anthropic_has_them": [{"name": t["name"], "description": t["description"],
                                   "input_schema": t["parameters"]} for t in tools],
        "as_mcp_has_them": [{"name": t["name"], "description": t["description"],
                             "inputSchema": t["parameters"]} for t in tools],
    }.items():
        check(f"tools_are_{name}", haft("--format", "hermes", "--tools", put("t.json", value)),
              whole)
    check("names_alone_are_tools", '{"name":"f","description":"","parameters":{}}' in haft(
        "--format", "llama3", "--tools", put("t.json", ["f"]))[1], True)
    check("an_alias", haft("--format", "json", "--tools", TOOLS),
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


def test_bounds():
    words = ["--format", "hermes", "--tools", TOOLS]
    status, out, err = haft(*words, "--schema", "openai", "--choice", "tool:save_note")
    schema = json.loads(out)
    call = schema["properties"]["tool_call"]["properties"]
    check("a_schema", (status, call["name"]["enum"], call["arguments"]["required"]),
          (0, ["save_note"], ["text", "tags", "pinned"]))
    check("relaxed_parts_are_reported", err.splitlines(), [
        "relaxed: /save_note/properties/text: maxLength 200 became nothing: not supported by "
        "the server",
        "relaxed: /save_note/properties/pinned: an optional property became one that may be "
        "null"])
    for server in ("vllm", "ollama"):
        status, out, err = haft(*words, "--schema", server, "--several")
        check(f"a_schema_for_{server}", (status, json.loads(out)["anyOf"][0]["type"], err),
              (0, "array", ""))
    answer = haft("--format", "purejson", "--tools", TOOLS, "--grammar", "--choice", "auto",
                  "--answer")
    check("an_answer_may_come", (answer[0], '\\"answer\\":' in answer[1]), (0, True))
    thought = haft(*words, "--grammar", "--reasoning")
    check("reasoning_may_come", (thought[0], '"<think>"' in thought[1]), (0, True))
    check("code_reports_what_it_cannot_express",
          haft("--format", "codemode", "--tools", TOOLS, "--grammar")[2],
          "relaxed: a call of a tool became code that may call it\n")


def test_large():
    """Attempts that were too large leave no error; omitted lines are counted."""
    text = {"type": "string", "pattern": "^[a-z]{3}$", "description": "x" * 40}
    many = [{"name": f"tool{n}", "parameters": {
        "properties": {f"argument{k}_{n}": dict(text, pattern=f"^[a-z]{{{k + 1}}}[0-9]{{{n}}}$")
                       for k in range(20)}}} for n in range(1, 41)]
    status, _, err = haft("--format", "hermes", "--tools", put("many.json", many), "--grammar")
    check("no_error_of_an_attempt", (status, [line for line in err.splitlines()
                                              if not line.startswith("relaxed: ")]), (0, []))
    loose = [{"name": "loose", "parameters": {"properties": {
        f"a{n}": {"type": "string", "format": "odd"} for n in range(203)}}}]
    path = put("loose.json", loose)
    status, _, err = haft("--format", "hermes", "--tools", path, "--grammar")
    check("lines_left_off_are_counted", (len(err.splitlines()), err.splitlines()[-1]),
          (201, "relaxed: and 3 more"))
    made = json.loads(haft("--format", "hermes", "--tools", path, "--grammar", "--json")[1])
    check("json_output_has_the_number_of_omitted_relaxations",
          (len(made["relaxed"]), made["relaxed_left_off"]), (200, 3))


def valid(text):
    done = subprocess.run([HAFT, "validate", str(SHAPE), "-"], input=text.encode(),
                          capture_output=True)
    return done.returncode == 0


def test_json():
    everything = ["--tools", TOOLS, "--calls", CALLS, "--grammar", "--schema", "vllm", "--choice",
                  "any", "--json"]
    for name in [*FORMATS]:
        status, out, err = haft("--format", name, *everything)
        check(f"{name} as JSON", (status, valid(out), err), (0, True, ""))
    name = "qwen3coder"  # it reports what it cannot express
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
    check("an_error_as_json", (status, list(json.loads(out)), json.loads(out)["error"]["status"],
                               err != ""), (2, ["error"], "IO", True))


# ---- calls ----

def history(turns, name="kimi_k2"):
    text = turns if isinstance(turns, str) else "".join(json.dumps(t) + "\n" for t in turns)
    return haft("--format", name, "--calls", "-", text=text)


def test_calls():
    turns = [json.loads(line) for line in Path(CALLS).read_text().splitlines()]
    lines = haft("--format", "kimi_k2", "--calls", CALLS)
    check("an_array_is_the_same", history(json.dumps(turns, indent=2)), lines)
    check("numbers_keep_their_digits", '{"n":1.50,"m":12345678901234567890123}' in history(
        '{"calls":[{"name":"f","arguments":{"n":1.50,"m":12345678901234567890123}}]}')[1], True)
    check("calls_are_numbered_across_turns",
          [word.split("<|")[0] for word in lines[1].split("functions.")[1:]
                                   if "tool_call_argument" in word],
          ["get_weather:0", "now:1", "save_note:2"])
    check("results_find_their_call", history([
        {"calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}]},
        {"results": [{"id": "b", "text": "two"}, {"id": "a", "text": {"x": 1}}]}])[1].split(
            "[user]\n")[1],
          '## Return of functions.g:1\ntwo\n## Return of functions.f:0\n{"x":1}\n')
    check("result_can_name_its_tool", history([{"results": [
        {"name": "f", "text": "x"}]}], "llama3")[1], '[user]\n{"name": "f", "output": "x"}\n')
    check("arguments_as_text", '{"a":1}' in history([
        {"calls": [{"name": "f", "arguments": '{"a": 1}'}]}])[1], True)
    check("no_turns", history(""), (0, "", ""))
    check("empty_lines_count_for_nothing", history('\n\n{"text":"a"}\r\n\n'),
          (0, "[assistant]\na\n", ""))


def test_bad_calls():
    for name, (text, wanted) in {
        "no_json": ('{"text":"a"}\n{"text":}', "standard input:2:9: "),
        "no_object": ("5\n", "standard input:1: expected a turn, found number"),
        "neither": ("{}", "standard input:1: expected a turn, found object without"),
        "calls_are_no_array": ('{"calls":5}', "standard input:1: /calls: expected an array"),
        "a_call_is_none": ('{"calls":[5]}', "standard input:1: /calls/0: expected a call"),
        "no_name": ('{"calls":[{}]}', 'standard input:1: /calls/0: expected the key "name"'),
        "a_name_is_none": ('{"calls":[{"name":5}]}', "standard input:1: /calls/0/name: expected"),
        "text_is_none": ('{"text":5}', "standard input:1: /text: expected a string"),
        "an_id_is_none": ('{"calls":[{"id":5}]}', "standard input:1: /calls/0/id: expected"),
        "a_result_is_none": ('{"results":[5]}', "standard input:1: /results/0: expected a result"),
        "results_are_none": ('{"results":5}', "standard input:1: /results: expected an array"),
        "whose_result": ('{"results":[{"text":"x"}]}',
                         "standard input:1: /results/0: no call matches this result"),
        "unknown_id": ('{"calls":[{"name":"f"}]}\n{"results":[{"id":"q","text":"x"}]}',
                       "standard input:2: /results/0: no call matches this result"),
        "in_an_array": ('[{"text":"a"},{"calls":[{}]}]', "standard input:/1/calls/0: expected"),
        "an_array_that_ends": ('[{"text":"a"},', "standard input:1:15"),
    }.items():
        status, out, err = history(text)
        check(f"calls: {name}", (status, out, err[:len(wanted) + 6]), (2, "", f"haft: {wanted}"))
    bad = put("bad.jsonl", '{"text":"a"}\n{"text":}\n')
    check("the_line_is_shown", haft("--format", "hermes", "--calls", bad)[2].splitlines()[1:],
          ['    {"text":}', "            ^"])


# ---- what is wrong ----

def test_errors():
    with_tools = ["--format", "hermes", "--tools", TOOLS]
    for name, (words, wanted) in {
        "no_format": (["--tools", TOOLS], "haft: expected --format F, found none\n"
                      "hint: 'haft help render' lists the formats\n"),
        "near_format": (["--format", "hermse", "--tools", TOOLS],
                        "haft: unknown format 'hermse'\nhint: did you mean 'hermes'?\n"),
        "no_tools": (["--format", "hermes"], "haft: expected --tools FILE, found none\n"
                     'hint: the file is an array of {"name", "description", "parameters"}\n'),
        "calls_and_choice": (["--format", "hermes", "--calls", CALLS, "--choice", "any"],
                             "haft: expected --tools FILE"),
        "missing_file": (["--format", "hermes", "--tools", "nix.json"], "haft: nix.json: "),
        "no_json": (["--format", "hermes", "--tools", put("bad.json", '[{"name": }]')],
                    "haft: bad.json:1:11 (byte 10): "),
        "no_array": (["--format", "hermes", "--tools", put("five.json", "5")],
                     "haft: five.json: expected an array of tools, found number\n"),
        "no_name": (["--format", "hermes", "--tools", put("less.json", [{}])],
                    "haft: less.json:/0: expected the name of a tool"),
        "bad_name": (["--format", "hermes", "--tools", put("odd.json", ['a"b'])],
                     "haft: odd.json: 'a\"b' is not a valid tool name\nhint: a name has "),
        "long_name": (["--format", "hermes", "--tools", put("long.json", ["a" * 129])],
                      "haft: long.json: 'aaa"),
        "twice": (["--format", "hermes", "--tools", put("twice.json", ["f", "g", "f"])],
                  "haft: twice.json: two tools are named 'f'\n"),
        "empty": (["--format", "hermes", "--tools", put("empty.json", [])],
                  "haft: empty.json: expected tools, found none\nhint: a tool is {"),
        "choice": ([*with_tools, "--choice", "ayn"],
                   "haft: --choice: expected auto, any, none or tool:NAME, found 'ayn'\n"),
        "unknown_tool": ([*with_tools, "--choice", "tool:get_wether"],
                         "haft: --choice: no tool is named 'get_wether'\n"
                         "hint: did you mean 'get_weather'?\n"),
        "unknown_allowed": ([*with_tools, "--allow", "now,,"],
                            "haft: --allow: no tool is named ''\n"),
        "not_allowed": ([*with_tools, "--allow", "now", "--choice", "tool:save_note"],
                        "haft: --choice: --allow does not name the tool 'save_note'\n"),
        "server": ([*with_tools, "--schema", "nix"], "haft: render: --schema expects one of "),
        "form_0": ([*with_tools, "--grammar", "--form", "0"],
                   "haft: --form: hermes has 1 form, found 0\n"),
        "form": (["--format", "mistral", "--tools", TOOLS, "--grammar", "--form", "3"],
                 "haft: --form: mistral has 2 forms, found 3\n"),
        "auto_has_no_grammar": ([*with_tools, "--grammar", "--choice", "auto"],
                                "haft: there is no grammar for a turn without a forced call\n"),
        "none_has_no_schema": ([*with_tools, "--schema", "vllm", "--choice", "none"],
                               "haft: there is no grammar for a turn"),
        "no_answer": ([*with_tools, "--grammar", "--answer"],
                      "haft: the format hermes has no way to answer in it\n"),
        "openai_answer": (["--format", "purejson", "--tools", TOOLS, "--schema", "openai",
                           "--answer"], "haft: a schema for OpenAI cannot leave a choice"),
        "two_at_once": ([*with_tools, "--grammar", "--schema", "vllm"],
                        "haft: --grammar, --schema and --calls cannot be combined\n"
                        "hint: with --json they can be combined\n"),
        "one_input": (["--format", "hermes", "--tools", "-", "--calls", "-"],
                      "haft: only one of --tools and --calls can be standard input\n"),
        "a_word": ([*with_tools, "x"], "haft: render: expected no argument, found 1 argument\n"),
    }.items():
        status, out, err = haft(*words)
        check(f"error: {name}", (status, out, err[:len(wanted)]), (2, "", wanted))
    longest = put("longest.json", ["a" * 128])
    check("a_name_of_128_bytes", haft("--format", "hermes", "--tools", longest)[0], 0)


with tempfile.TemporaryDirectory() as scratch:
    test_golden()
    test_histories_are_read_back()
    test_choice()
    test_input()
    test_native()
    test_bounds()
    test_large()
    test_json()
    test_calls()
    test_bad_calls()
    test_errors()
