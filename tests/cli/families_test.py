#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Model families: `haft explain` names the family, a run uses its format, and reasoning is kept,
shown, and never run."""
import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
SPEC = """\
haft: 1
name: weather
model: {model}
tools:
  - name: get_weather
    description: The weather of a city.
    input_schema: {{type: object, properties: {{city: {{type: string}}}}, required: [city]}}
    command: [printf, "%s", "{{city}}: 21 degrees"]
"""
CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "%s"}}</tool_call>'


def write(model):
    path = Path(scratch) / "spec.yaml"
    path.write_text(SPEC.format(model=json.dumps(model)))
    return path


def explain(model, *words):
    done = subprocess.run([HAFT, "explain", write(model), "hi", *words], text=True,
                          capture_output=True, env=environment)
    return done.stdout if "--json" not in words else json.loads(done.stdout)


def test_explain():
    found = explain("ollama:deepseek-r1:671b", "--json")
    check("explain_names_the_row", found["family"], {
        "name": "DeepSeek R1", "found_by": "name", "pattern": "deepseek-r-1",
        "taken": {"format": "deepseek_v3", "native_tools": False, "context_tokens": 131072,
                  "starts_in_reasoning": True, "thinks_behind": "<think>"}})
    check("explain_has_the_size_in_the_name", (
        found["size_in_name"], explain("ollama:unheard-of:3b", "--json")["size_in_name"],
        explain("ollama:deepseek-r1:8b", "--json")["format"]), (671, 3, "purejson"))
    check("explain_says_why_the_format", (found["format"], found["format_reason"]),
          ("deepseek_v3", "the format of the model's family"))
    check("explain_in_words", explain("ollama:deepseek-r1:671b").split("\n\n")[1:2], [
        "model\n  ollama:deepseek-r1:671b\n  size 671 B, from the name\n"
        "  family DeepSeek R1, from the name (deepseek-r-1); settings from it: no calls, "
        "format deepseek_v3, context 131072 tokens, replies begin after <think>"])
    check("explain_describes_a_native_model",
          explain("vllm:mistralai/Devstral-Small-2507").split("\n\n")[1], (
        "model\n  vllm:mistralai/Devstral-Small-2507\n  family Devstral, from the name (devstral); "
        "settings from it: has calls, context 131072 tokens, size 24 B"))
    found = explain({"provider": "vllm", "model": "m", "native_tools": True, "context_tokens": 9,
                     "size_b": 3, "family": "devstral"}, "--json")
    check("the_spec_overrides_the_family", found["family"], {
        "name": "Devstral", "found_by": "spec", "pattern": "", "taken": {}})
    check("text_does_not_mention_the_family",
          "from the spec; settings from it: nothing\n" in explain(
        {"provider": "vllm", "model": "m", "native_tools": True, "context_tokens": 9, "size_b": 3,
         "family": "devstral"}), True)
    found = explain({"provider": "vllm", "model": "devstral"}, "--json")
    check("a_size_is_a_number", found["family"]["taken"]["size_b"], 24)
    models = ["vllm:m", "vllm:m-7b", "vllm:devstral",
              {"provider": "vllm", "model": "m-7b", "size_b": 3}, "openai:gpt-5",
              {"provider": "openai", "model": "gpt-5", "size_b": 3}]
    printed = [explain(model, "--json") for model in models]
    check("explain_says_where_a_size_comes_from",
          [(t["size_in_name"], t["deferred"]["cap"], t["deferred"]["cap_by"]) for t in printed],
          [(None, 2, "unknown_size"), (7, 5, "name"), (None, 5, "family"), (None, 2, "size_b"),
           (None, 10, "hosted"), (None, 2, "size_b")])
    check("explain_does_not_mention_an_unknown_family",
          ("family" in explain("vllm:m", "--json"),
           "family" in explain("vllm:m").split("tools\n")[0]), (False, False))


def play(model, replies, *words, errors=subprocess.PIPE):
    script = Path(scratch) / "script.json"
    script.write_text(json.dumps({"replies": replies}))
    server = subprocess.Popen([HAFT, "mock-model", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    url = server.stdout.readline().split()[-1]
    spec = write(dict({"provider": "openai", "base_url": url}, **model))
    try:
        done = subprocess.run([HAFT, "run", spec, "How warm?", *words], text=True,
                              stdout=subprocess.PIPE, stderr=errors, env=environment, timeout=300)
    finally:
        server.terminate()
        server.communicate()
    return done


def events(done, kind, *fields):
    log = [json.loads(line) for line in done.stdout.splitlines()]
    return [tuple(e[f] for f in fields) for e in log if e["kind"] == kind]


def test_thoughts(name, model, replies, reasoning, cities):
    """Reasoning is kept separately, the answer does not contain it, and only `cities` is called."""
    done = play(model, replies, "--events")
    check(f"{name}_ends_well", (done.returncode, events(done, "run_finished", "answer")),
          (0, [("21.",)]))
    check(f"{name}_thoughts_are_kept", [r for r, in events(done, "model_replied", "reasoning")],
          reasoning)
    called = [arguments["city"] for arguments, in events(done, "call_started", "arguments")]
    check(f"{name}_calls_inside_reasoning_do_not_run", called, cities)


def test_reasoning():
    nice, lyon = CALL % "Nice", CALL % "Lyon"
    test_thoughts("hermes_text", {"model": "Falcon3-7B"}, [
        {"expect": {"declared": [], "contains": "<tools>"},
         "text": f"<think>Or {nice}?</think>{lyon}"},
        {"expect": {"contains": "Lyon: 21 degrees"}, "text": "<think>So.</think>21."}],
        [f"Or {nice}?", "So."], ["Lyon"])
    test_thoughts("opened_by_the_template", {"model": "QwQ-32B", "native_tools": False}, [
        {"text": f"Or {nice}?</think>{lyon}"}, {"text": "So.</think>21."}],
        [f"Or {nice}?", "So."], ["Lyon"])
    test_thoughts("told_apart_by_the_server", {"model": "QwQ-32B", "native_tools": False}, [
        {"reasoning": f"Or {nice}?", "text": lyon}, {"reasoning": "So.", "text": "21."}],
        [f"Or {nice}?", "So."], ["Lyon"])
    test_thoughts("native", {"model": "Qwen3-8B"}, [
        {"text": f"<think>Or {nice}?</think>",
         "calls": [{"name": "get_weather", "arguments": {"city": "Lyon"}}]},
        {"text": "<think>So.</think>21."}],
        [f"Or {nice}?", "So."], ["Lyon"])
    test_thoughts("mistral", {"model": "Magistral-Small-2509", "native_tools": False}, [
        {"text": '[THINK]Or [TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Nice"}}]'
                 '[/THINK]21.'}],
        ['Or [TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Nice"}}]'], [])
    test_thoughts("harmony", {"model": "gpt-oss-20b", "native_tools": False}, [
        {"text": "<|channel|>analysis<|message|>Or <|constrain|>Nice?<|end|><|start|>assistant"
                 "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
                 '{"city": "Lyon"}<|call|>'},
        {"text": "<|channel|>analysis<|message|>So.<|end|><|start|>assistant<|channel|>final"
                 "<|message|>21.<|return|>"}],
        ["Or <|constrain|>Nice?", "So."], ["Lyon"])


def test_thoughts_stay_here():
    """Reasoning is not sent back to a server that does not ask for it, nor as content."""
    done = play({"model": "Qwen3-8B"}, [
        {"text": "<think>secret thought</think>Looking.",
         "calls": [{"name": "get_weather", "arguments": {"city": "Lyon"}}]},
        {"expect": {"contains": ["Looking.", "Lyon: 21 degrees"]}, "text": "21."}], "--events")
    check("only_the_text_is_sent_back", (done.returncode, events(done, "model_replied", "content")),
          (0, [("Looking.",), ("21.",)]))


def test_an_answer_is_without_thoughts():
    ours, terminal = pty.openpty()
    done = play({"model": "deepseek-r1-distill-llama-8b"}, [
        {"text": "Hm.</think>\n\n{\"answer\": \"21.\"}"}], errors=terminal)
    shown = os.read(ours, 65536).decode()
    os.close(terminal)
    os.close(ours)
    check("an_answer_is_without_thoughts", (done.returncode, done.stdout), (0, "21.\n"))
    check("thoughts_are_shown_dim", [line for line in shown.splitlines() if "Hm." in line
                                     and "\x1b[2m" in line] != [], True)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch, OPENAI_API_KEY="sk-test-0123456789",
                       TERM="xterm-256color")
    test_explain()
    test_reasoning()
    test_thoughts_stay_here()
    test_an_answer_is_without_thoughts()
