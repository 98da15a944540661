#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/check.c and spec_file.c, by running haft: golden output, exit status,
every kind of bad input, and speed."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/check.schema.json"


def haft(*words, text="", env=None):
    """(exit status, standard output, standard error)"""
    done = subprocess.run([HAFT, *words], input=text.encode() if isinstance(text, str) else text,
                          capture_output=True, cwd=scratch,
                          env={"PATH": os.environ["PATH"], **(env or {})})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def put(name, text):
    path = Path(scratch) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def first(text, *words):
    """The exit status and the first problem of a spec."""
    status, out, err = haft("check", put("spec.yaml", text), *words)
    return status, out.split("\n")[0], err


GOOD = "model: offline\ntools:\n  - builtin: [glob]\n"
BAD = """\
modl: offline
tools:
  - name: x
    description: Searches stuff.
    command: [x]
    http: {url: "https://é", hedaers: {}}
limits: {turns: 0}
"""
BAD_OUT = """\
spec.yaml:1:1: error: there is no key "modl" here
    modl: offline
    ^~~~
    hint: did you mean model?
spec.yaml:4:18: warning: the description says little beyond filler words: name what the tool\
 works on
        description: Searches stuff.
                     ^~~~~~~~~~~~~~~
spec.yaml:5:15: warning: the program 'x' does not exist here
        command: [x]
                  ^
    hint: install it, or write its path relative to the spec
spec.yaml:6:5: error: the tool has both "command" and "http"
        http: {url: "https://é", hedaers: {}}
        ^~~~
    hint: a tool has one implementation; make two tools
spec.yaml:6:30: error: there is no key "hedaers" here
        http: {url: "https://é", hedaers: {}}
                                 ^~~~~~~
    hint: did you mean headers?
spec.yaml:7:17: error: expected a number of at least 1, found 0
    limits: {turns: 0}
                    ^
4 errors, 2 warnings in spec.yaml
"""


def test_models():
    """A spec whose model cannot be asked here is refused, as by run."""
    put("bad.script.yaml", "replies: 5\n")
    put("good.script.yaml", "replies: [{text: a}]\n")
    for name, model, words in (
            ("a_missing_script", "script:no.yaml", "no.yaml: cannot be opened"),
            ("a_missing_log", "replay:no.jsonl", "no.jsonl: cannot be opened"),
            ("a_bad_script", "script:bad.script.yaml", "bad.script.yaml"),
            ("a_missing_key", "openai:m", "OPENAI_API_KEY is not set"),
            ("a_bad_url", "{provider: ollama, model: m, base_url: 'htp:/x'}", "http://"),
            ("a_script", "script:good.script.yaml", None),
            ("a_server_without_a_key", "ollama:m", None)):
        status, line, _ = first(f"model: {model}\n")
        wanted = "spec.yaml:1:8: error: no run can start here: " if words else "spec.yaml: good"
        check(f"{name}_is_found", (status, line.startswith(wanted), (words or "") in line),
              (2 if words else 0, True, True))
    check("a_key_that_is_set", haft("check", put("spec.yaml", "model: openai:m\n"),
                                    env={"OPENAI_API_KEY": "k" * 20}),
          (0, "spec.yaml: good\n", ""))
    spec = ("model: offline\nmcp: {servers: {b: {url: 'https://h/'}}}\n"
            "builtins: {enabled: [tool_search]}\n"
            "tool_search: {embeddings: {base_url: 'x', model: m}}\n")
    check("a_server_of_embeddings_is_checked", "no run can start here" in first(spec)[1], True)


def test_words():
    check("good_spec_passes", haft("check", put("spec.yaml", GOOD)), (0, "spec.yaml: good\n", ""))
    check("spec_from_standard_input_passes",
          haft("check", "-", text=GOOD), (0, "standard input: good\n", ""))
    check("problems_as_a_compiler_shows_them", haft("check", put("spec.yaml", BAD)),
          (2, BAD_OUT, ""))
    check("warnings_do_not_fail",
          haft("check", put("spec.yaml", "tools: [{name: x, description: Count the words.}]\n")),
          (0, 'spec.yaml:1:9: warning: "x" has no implementation: its calls wait for an answer\n'
           "    tools: [{name: x, description: Count the words.}]\n            ^\n"
           "    hint: give it a command or http, or write headless: true\n"
           "1 warning in spec.yaml\n", ""))
    check("missing_file_is_an_error", haft("check", "none.yaml"),
          (2, "", "haft: none.yaml: cannot be opened: No such file or directory\n"))
    check("a_spec_is_required", haft("check")[0], 2)
    check("invalid_overrides_are_errors",
          haft("check", put("spec.yaml", GOOD), "--set", "limits.turns=x", "--set",
               "nix"),
          (2, "--set: error: found no '='\n    nix\n    ^~~\n    hint: write --set path=value\n"
           '--set: error: expected integer, found string "x"\n    limits.turns=x\n'
           "                 ^\n", ""))
    check("override_of_an_unknown_key_is_an_error",
          haft("check", "spec.yaml", "--set", "limts.turns=5")[1],
          '--set: error: there is no key "limts" here\n    limts.turns=5\n    ^~~~~\n'
          "    hint: did you mean limits?\n")
    check("override_of_a_missing_item_is_an_error",
          haft("check", "spec.yaml", "--set", "tools.9.name=5")[1],
          "--set: error: there is no item '9' in this list\n    tools.9.name=5\n          ^\n"
          "    hint: it has 1 items; the first is 0\n")
    check("override_can_set_a_part_of_a_model_that_is_a_text",
          haft("check", put("text.yaml", "model: openai:x\n"), "--set",
               "model.base_url=http://127.0.0.1:1/v1"), (0, "text.yaml: good\n", ""))
    check("unknown_provider_of_the_model_option_is_an_error",
          haft("explain", "spec.yaml", "--model", "nix:x")[2].split("\n")[:3],
          ['--model: error: there is no provider "nix"', "    nix:x", "    ^~~~~"])
    check("model_option_without_a_provider_is_an_error",
          haft("explain", "spec.yaml", "--model", "gpt-4o"),
          (2, "", '--model: error: the model "gpt-4o" has no provider\n    gpt-4o\n    ^~~~~~\n'
           "    hint: write openai:gpt-4o\n"))
    check("a_wide_character_takes_two_columns",
          haft("check", put("spec.yaml",
                            'limits: {中文: 1, "é\u0301": 2}\n'))[1].split("\n")[0:7],
          ['spec.yaml:1:10: error: there is no key "中文" here',
           "    limits: {中文: 1, \"é\u0301\": 2}",
           "             ^~~~", 'spec.yaml:1:17: error: there is no key "é\u0301" here',
           "    limits: {中文: 1, \"é\u0301\": 2}", "                      ^~~",
           "2 errors in spec.yaml"])
    check("control_characters_are_escaped",
          haft("check", put("spec.yaml", 'limits: {"\u202ex": 1}\n'))[1].split("\n")[1:3],
          ['    limits: {"\\u202ex": 1}', "             ^~~~~~~~~"])
    check("a_tab_in_the_line_keeps_the_caret_in_place",
          haft("check", put("spec.yaml", "model:\t\tx:y\n"))[1].split("\n")[1:3],
          ["    model:\t\tx:y", "          \t\t^~~"])
    long = "name: " + "x" * 300 + "\nlimits: {" + " " * 300 + "trns: 5}\n"
    check("long_line_is_shown_in_part",
          haft("check", put("spec.yaml", long))[1].split("\n")[4:7],
          ["    ..." + " " * 60 + "trns: 5}", "       " + " " * 60 + "^~~~",
          "    hint: did you mean turns?"])
    check("beginning_of_a_long_line_is_shown",
          haft("check", "spec.yaml")[1].split("\n")[1],
          "    name: " + "x" * 94 + "...")


def test_environment():
    text = ('mcp: {servers: {a: {url: "https://${HOST}"}}}\n'
            'builtins: {enabled: [tool_search]}\n')
    check("variables_come_from_the_environment",
          haft("check", put("spec.yaml", text), env={"HOST": "h"})[0], 0)
    check("missing_variable_is_an_error", first(text),
          (2, "spec.yaml:1:26: error: the variable HOST is not set", ""))
    check("unknown_tool_in_openai_tool_choice_is_an_error",
          haft("check", put("spec.yaml", GOOD), env={"OPENAI_TOOL_CHOICE": "grep"}),
          (2, 'OPENAI_TOOL_CHOICE: error: there is no tool "grep"\n'
           "    hint: it is a built-in: add it to builtins.enabled\n", ""))


FULL = """\
haft: 1
kind: workflow
name: report
model: openai:gpt-5.4-mini
instructions: |
  Read before you speak. ...
plan: {phases: [{worker: reader, goals: "..."}]}
phases:
  - {name: gather, tools: [glob, grep, read]}
tools:
  - builtin: [glob, grep, read, store_artifact, request_user_input, complete_workflow]
  - name: word_count
    description: Count the words of a text.
    input_schema: {type: object, properties: {text: {type: string}}, required: [text]}
    command: [wc, -w]
    stdin: "{text}"
    traits: {read_only: true, cost: light, timeout: 10s}
  - name: weather
    description: Weather for a city.
    args: [city]
    http: {method: GET, url: "https://example.org/weather?city={city}"}
  - {name: pick_file, description: Let the user pick a file., args: [], headless: true}
mcp:
  servers:
    docs: {command: [python3, -m, some_mcp_server], env: {TOKEN: "${DOCS_TOKEN}"}, enabled: true}
    remote: {url: "https://example.org/mcp", headers: {Authorization: "Bearer ${T}"}}
  allow: ["docs:*"]
  deny: ["*:delete_*"]
formats: {primary: native, enabled: [native, hermes, purejson]}
choice:
  min_tools_for_auto: 5
  schedule: [{tool: glob}, gate]
  default: auto
root: .
builtins: {enabled: [glob, grep, read, tool_search], allow: ["*"], deny: []}
on_unknown: ask
limits: {turns: 12, calls: 50, parallel: 3, overflow: queue, observation_chars: 8000,
         tokens: 200000, usd: 0.50, wall: 10m, invalid_calls: 3, reminders: 2, violations: 2}
approvals: [{tools: ["docs:send_*"], deadline: 24h, on_expire: reject}]
"""


def test_money():
    env = {"DOCS_TOKEN": "d", "T": "t", "OPENAI_API_KEY": "k" * 20}
    check("spec_with_every_feature_passes",
          haft("check", put("spec.yaml", FULL), env=env),
          (0, "spec.yaml: good\n",
           "haft: warning: the tools of the MCP server docs are not known yet, so they are not "
           "checked\n  hint: `haft tools SPEC --refresh` starts the server and lists them; then "
           "check again\n"))
    check("limit_in_dollars_needs_a_price",
          haft("check", put("spec.yaml", FULL), "--set", "model=openai:other",
               env=env)[1].split("\n")[0],
          "spec.yaml:38:26: error: there is a limit in dollars, but the price of the model is not "
          "known")
    check("explain_shows_the_request_with_the_options",
          '"stream":true,"stream_options":{"include_usage":true},"seed":7}' in
          haft("explain", "--set", "model.options.seed=7",
               put("spec.yaml", "model: {provider: vllm, model: x}\n"), "hi")[1], True)


def test_bad_input():
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20))
    deep = "a: " + "[" * 100000
    many = "".join(f"q{i}: 1\n" for i in range(1000))
    for name, text, wanted in [
            ("tabs", "a:\n\tb: 1\n", "2:1: error: the line is indented with a tab"),
            ("an_unknown_key", "modell: x\n", '1:1: error: there is no key "modell" here'),
            ("a_cyclic_alias", "a: &a [*a]\n",
             "1:8: error: the alias *a is inside the value it refers to"),
            ("aliases_that_multiply", laughs,
             "6:20: error: the spec has more than 250000 values after expanding aliases"),
            ("bytes_that_are_not_utf8", b"a: \xff\n",
             "1:4: error: found the byte 0xFF, expected UTF-8"),
            ("utf16", "model: offline\n".encode("utf-16"),
             "1:1: error: found the byte 0xFF, expected UTF-8"),
            ("a_nul", b"a: b\0c\n", "1:5: error: found the control character 0x00, expected text"),
            ("an_empty_file", "", "1:1: error: the file is empty, expected a spec"),
            ("a_scalar", "text\n", '1:1: error: expected object, found string "text"'),
            ("a_list", "[1]\n", "1:1: error: expected object, found array [1]"),
            ("a_number", "5\n", "1:1: error: expected object, found integer 5"),
            ("deep_nesting", deep, "1:67: error: the spec nests more than 64 levels deep"),
            ("deep_json", '{"a":' * 100000, "1:321: error: expected at most 64 levels of nesting"),
            ("a_tool_whose_schema_is_none",
             "tools: [{name: x, description: Count the words of it., headless: true, input_schema: "
             "{type: object, properties: 5}}]\n",
             "1:113: error: found the number 5, expected an object whose members are "),
            ("many_problems", many, '1:1: error: there is no key "q0" here'),
            ("a_second_document", "model: offline\n---\na: 1\n",
             "2:1: error: found a second document, expected one spec"),
            ("half_of_a_file", "tools:\n  - {name: x, desc",
             "2:19: error: this is not YAML: missing comma in flow mapping")]:
        status, line, err = first(text)
        check(name, (status, line.removeprefix("spec.yaml:")[:len(wanted)], err), (2, wanted, ""))
    os.truncate(Path(scratch) / put("big.yaml", ""), 1 << 40)  # too long to read completely
    check("a_spec_of_a_terabyte_is_refused", haft("check", "big.yaml"),
          (2, "", "haft: big.yaml: is longer than the 4194304 bytes allowed\n"))


def test_json():
    status, out, err = haft("check", put("spec.yaml", GOOD), "--json")
    found = json.loads(out)
    check("good_spec_passes_as_json", (status, err, found["valid"], found["problems"],
                                       len(found["hash"])), (0, "", True, [], 64))
    status, out, err = haft("check", put("bad.yaml", BAD), "--json")
    problems = json.loads(out)
    check("problems_are_printed_as_json",
          (status, err, problems["valid"], problems["hash"],
           problems["errors"], problems["warnings"], problems["problems"][0]),
          (2, "", False, None, 4, 2,
           {"line": 1, "column": 1, "length": 4, "from": "", "where": "/modl", "severity": "error",
            "message": 'there is no key "modl" here', "hint": "did you mean model?"}))
    status, out, err = haft("check", "none.yaml", "--json")
    absent = json.loads(out)
    check("missing_file_is_printed_as_json",
          (status, err, absent["valid"], [p["message"] for p in absent["problems"]]),
          (2, "", False, ["cannot be opened: No such file or directory"]))
    put("lines", "".join(json.dumps({"schema": json.loads(SHAPE.read_text()), "instance": value})
                         + "\n" for value in (found, problems, absent)))
    verdicts = [json.loads(line) for line in haft("validate", "--jsonl", "lines")[1].splitlines()]
    check("all_have_the_documented_shape", [v["errors"] for v in verdicts], [[], [], []])


def hundred():
    return "model: offline\ntools:\n" + "".join(f"""\
  - name: tool_{i}
    description: Look up the orders of customer number {i} in the shop.
    input_schema:
      type: object
      properties:
        query: {{type: string, description: What to look for, minLength: 1}}
        limit: {{type: integer, minimum: 1, maximum: 100, default: 10}}
        order: {{enum: [newest, oldest]}}
      required: [query]
      additionalProperties: false
    command: [./lookup, "{i}"]
    traits: {{read_only: true, timeout: 10s, retries: 1}}
""" for i in range(100))


def test_speed():
    put("hundred.yaml", hundred())
    times = []
    for _ in range(10):
        started = time.monotonic()
        status = haft("check", "hundred.yaml")[0]
        times.append(time.monotonic() - started)
    print(f"# a hundred tools are checked in {min(times) * 1000:.1f} ms")
    check("a_hundred_tools_are_checked", status, 0)


def test_keys():
    """Keys in the spec are not printed, of no model and of no agent."""
    path = put("keys.yaml", "haft: 1\nname: k\nhandoffs: [b]\nmodels:\n"
               "  - {provider: openai, model: m, api_key: planted-a-1234}\n"
               "  - {provider: openai, model: n, api_key: planted-b-1234}\n"
               "agents:\n  b: {haft: 1, name: b, description: Counts the words., "
               "model: {provider: openai, model: o, api_key: planted-c-1234}}\n")
    for words in (["check", path], ["check", path, "--json"], ["run", path, "x", "--colour"]):
        found = haft(*words)
        check(f"keys_are_not_printed_by_{words[0]}_{len(words)}", "planted" in str(found), False)


def test_hints():
    """Common mistakes and their hints."""
    tool = "tools:\n  - {name: z, description: Counts the words of a letter., %s}\n"
    cases = [
        ("a_command_line", tool % "command: ls  -l", [], "write [ls, -l]"),
        ("a_type", tool % "command: [ls], input_schema: {type: objct}", [],
         "did you mean object?"),
        ("a_type_inside", tool % "command: [ls], input_schema: {type: object, properties: "
         "{a: {type: strng}}}", [], "did you mean string?"),
        ("a_key_of_an_override", "", ["--set", "limits.turn=5"],
         "limits.turn=5\n           ^~~~\n    hint: did you mean turns?"),
        ("a_provider", "", ["--set", "model=opn:x"], "did you mean openai?"),
        ("an_open_quote", 'description: "abc\nlimits: {}\n', [], "is the closing quote missing?"),
        ("a_variable", 'mcp: {servers: {a: {url: "${HAFT_NO_SUCH}"}}}\n'
         "builtins: {enabled: [tool_search]}\n", [], "or in .env"),
    ]
    for name, text, words, wanted in cases:
        path = put(f"{name}.yaml", "haft: 1\nname: h\nmodel: offline\n" + text)
        status, out, _ = haft("check", path, *words)
        check(f"a_hint_for_{name}", (status, wanted in out or out), (2, True))
        check(f"{name}_is_not_an_error_of_the_file",
              " error in a" in out.splitlines()[-1], not words)
    check("a_hint_for_a_task_of_several_words", haft("run", path, "two", "words", "here"), (
        2, "", "haft: run: expected SPEC [TASK], found 4 arguments\n"
        f"hint: quote a task that has spaces: haft run {path} 'two words ...'\n"))


with tempfile.TemporaryDirectory() as scratch:
    test_models()
    test_words()
    test_environment()
    test_money()
    test_bad_input()
    test_json()
    test_speed()
    test_hints()
    test_keys()
