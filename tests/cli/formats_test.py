#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One spec in many formats: `haft mock-model` answers in each dialect, and one line differs."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

HAFT = os.environ["HAFT"]
ZERO = "\u200b"
SPEC = """\
haft: 1
name: weather
model: {{provider: openai, model: m}}
instructions: Answer questions about the weather.
{formats}
tools:
  - name: get_weather
    description: The weather of a city.
    input_schema:
      type: object
      properties: {{city: {{type: string}}, days: {{type: integer}}}}
      required: [city]
      additionalProperties: false
    command: [printf, "%s", "{{city}}: <tool_call></s> 21 degrees"]
choice: {{schedule: [any]}}
"""

# call(name, arguments JSON) in each dialect; several; a call that is broken; one that is cut; and
# what a result must look like when it comes back. {ID} is the id in mistral.
DIALECTS = {
    "hermes": {
        "call": lambda name, args: '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
                % (name, args),
        "join": "\n".join,
        "broken": '<tool_call>{"name": "get_weather", "arguments": {"city": Lyon, "days"}}'
                  "</tool_call>",
        "cut": '<tool_call>{"name": "get_weather", "arguments": {"city": "Ni',
        "taught": ["<tools>", '"name":"get_weather"', "<tool_call></tool_call>"],
        "result": f"<tool_response>\n%s: <{ZERO}tool_call><{ZERO}/s> 21 degrees\n</tool_response>",
        "between": "\n",
    },
    "mistral": {
        "call": lambda name, args: '{"name": "%s", "arguments": %s}' % (name, args),
        "join": lambda calls: "[TOOL_CALLS][" + ", ".join(calls) + "]",
        "broken": '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": Lyon, "days"}}]',
        "cut": '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Ni',
        "taught": ["[AVAILABLE_TOOLS][", '"name":"get_weather"'],
        "result": f'"content": "%s: <tool_call><{ZERO}/s> 21 degrees"' + "}[/TOOL_RESULTS]",
        "between": None,
    },
    "pythonic": {
        "call": lambda name, args: "%s(%s)" % (name, ", ".join(
            f"{k}={v!r}" for k, v in json.loads(args).items())),
        "join": lambda calls: "[" + ", ".join(calls) + "]",
        "broken": "[get_weather(city=Lyon + 1)]",
        "cut": "[get_weather(city='Ni",
        "taught": ["[func_name1(param1=value1", '"name":"get_weather"'],
        "result": '{"name": "get_weather", "response": "%s: <tool_call>' + f"<{ZERO}"
                  + '/s> 21 degrees"}',
        "between": ", ",
    },
    "purejson": {
        "call": lambda name, args: '{"tool": "%s", "args": %s}' % (name, args),
        "join": lambda calls: calls[0] if len(calls) == 1 else "[" + ", ".join(calls) + "]",
        "broken": '{"tool": "get_weather", "args": {"city": Lyon, "days"}}',
        "cut": '{"tool": "get_weather", "args": {"city": "Ni',
        "taught": ['{"answer": <your answer', '"name":"get_weather"'],
        "result": '{"tool": "get_weather", "result": "%s: <tool_call>' + f"<{ZERO}"
                  + '/s> 21 degrees"}',
        "between": "\n",
        "answer": lambda text: json.dumps({"answer": text}),
    },
    "llama3": {
        "call": lambda name, args: '{"name": "%s", "parameters": %s}' % (name, args),
        "join": "; ".join,
        "broken": '<|python_tag|>{"name": "get_weather", "parameters": {"city": Lyon, "days"}}',
        "cut": '{"name": "get_weather", "parameters": {"city": "Ni',
        "taught": ['{"name": <function-name>, "parameters":', '"name":"get_weather"'],
        "result": '{"name": "get_weather", "output": "%s: <tool_call>' + f"<{ZERO}"
                  + '/s> 21 degrees"}',
        "between": "\n",
    },
    "qwen3coder": {
        "call": lambda name, args: "<tool_call>\n<function=%s>\n%s</function>\n</tool_call>" % (
            name, "".join(f"<parameter={k}>\n{v}\n</parameter>\n"
                          for k, v in json.loads(args).items())),
        "join": "\n".join,
        "broken": "<tool_call>\n<function=get_weather>\nLyon\n</function>\n</tool_call>",
        "cut": "<tool_call>\n<function=get_weather>\n<parameter=city>\nNi",
        "taught": ["<parameter=example_parameter_1>", '"name":"get_weather"'],
        "result": f"<tool_response>\n%s: <{ZERO}tool_call><{ZERO}/s> 21 degrees\n</tool_response>",
        "between": "\n",
    },
}


def check(name, found, wanted):
    if found != wanted:
        print(f"# found  {found!r}\n# wanted {wanted!r}")
    print(f"{'ok' if found == wanted else 'not ok'} cli/formats_test.py {name}", flush=True)


def play(formats, replies, *words, task="How warm is it in Paris?"):
    script, spec = Path(scratch) / "script.json", Path(scratch) / "weather.yaml"
    script.write_text(json.dumps({"replies": replies}))
    spec.write_text(SPEC.format(formats=formats))
    server = subprocess.Popen([HAFT, "mock-model", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    url = server.stdout.readline().split()[-1]
    try:
        done = subprocess.run([HAFT, "run", spec, task, "--events", *words], text=True,
                              capture_output=True, env=dict(environment, OPENAI_BASE_URL=url),
                              timeout=120)
    finally:
        server.terminate()
        server.communicate()
    log = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, log, done.stderr


def of(log, kind, *fields):
    return [tuple(event[field] for field in fields) if len(fields) > 1 else event[fields[0]]
            for event in log if event["kind"] == kind]


def replies_of(d):
    """The same conversation in a dialect: words where a call must be, a call, two calls, a broken
    one beside a good one, one that is cut by the token limit, the answer."""
    call, join, result = d["call"], d["join"], d["result"]
    answer = d.get("answer", lambda text: text)
    return [
        {"expect": {"contains": d["taught"] + ["Call a tool now"]},
         "text": answer("Warm, I guess.")},
        {"text": join([call("get_weather", '{"city": "Paris"}')])},
        {"expect": {"contains": [result % "Paris"]},
         "text": join([call("get_weather", '{"city": "Lyon", "days": 2}'),
                       call("get_weather", '{"city": "Brest"}')])},
        {"expect": {"contains": [(result % "Lyon") + d["between"] + (result % "Brest")]
                    if d["between"] is not None else [result % "Lyon", result % "Brest"]},
         "text": d["broken"]},
        {"expect": {"contains": ["could not be read"]}, "text": d["cut"], "stop": "length"},
        {"expect": {"contains": ["cut off by the token limit"]},
         "text": join([call("get_weather", '{"city": "Nice"}')])},
        {"expect": {"contains": [result % "Nice"]}, "text": answer("21 degrees.")},
    ]


def test_dialect(name):
    status, log, err = play(f"formats: {{primary: {name}}}", replies_of(DIALECTS[name]))
    end = [event for event in log if event["kind"] == "run_finished"]
    check(f"{name}_runs_to_done", (status, err, of(log, "run_finished", "end", "answer")),
          (0, "", [("done", "21 degrees.")]))
    check(f"{name}_is_the_format", set(of(log, "turn_started", "format")), {name})
    check(f"{name}_is_asked_again_under_any", of(log, "violation", "came", "mode"),
          [("text_instead_of_call", "any")])
    calls = [(c["name"], c.get("malformed") is not None)
             for list_ in of(log, "model_replied", "calls") for c in list_]
    check(f"{name}_calls", [malformed for _, malformed in calls],
          [False, False, False, True, True, False])
    check(f"{name}_arguments", [json.dumps(a) for a in of(log, "call_started", "arguments")],
          ['{"city": "Paris"}', '{"city": "Lyon", "days": 2}', '{"city": "Brest"}',
           '{"city": "Nice"}'])
    refused = of(log, "call_refused", "why", "text")
    check(f"{name}_refuses_what_cannot_be_read",
          [(why, "could not be read" in text, "token limit" in text) for why, text in refused],
          [("invalid", True, False), ("invalid", False, True)])
    check(f"{name}_content_has_no_marks", of(log, "model_replied", "content"),
          ["Warm, I guess.", "", "", "", "", "", "21 degrees."])
    check(f"{name}_ends_once", len(end), 1)
    done = subprocess.run([HAFT, "runs", "replay", "last"], text=True, capture_output=True,
                          env=environment)
    check(f"{name}_replays_identically", (done.returncode, done.stdout.split(":")[0]),
          (0, "identical"))


def test_native():
    call = {"name": "get_weather", "arguments": {"city": "Paris"}}
    replies = [{"expect": {"mode": "any"}, "text": "Warm, I guess."},
               {"expect": {"declared": ["get_weather"]}, "calls": [call]},
               {"expect": {"contains": "Paris: <tool_call></s> 21 degrees"}, "text": "21 degrees."}]
    status, log, err = play("formats: {primary: native}", replies)
    check("native_runs_to_done", (status, err, of(log, "run_finished", "end", "answer")),
          (0, "", [("done", "21 degrees.")]))


def test_no_native_tools():
    """A model without calling of its own gets the first format that is text."""
    spec = SPEC.replace("model: m", "model: m, native_tools: false")
    d = DIALECTS["purejson"]
    replies = [{"expect": {"declared": [], "contains": d["taught"]},
                "text": d["call"]("get_weather", '{"city": "Paris"}')},
               {"expect": {"contains": d["result"] % "Paris"}, "text": '{"answer": "21."}'}]
    script, path = Path(scratch) / "script.json", Path(scratch) / "small.yaml"
    script.write_text(json.dumps({"replies": replies}))
    path.write_text(spec.format(formats="formats: [native, codemode, purejson]"))
    done = subprocess.run([HAFT, "explain", path, "--json"], text=True, capture_output=True,
                          env=environment)
    found = json.loads(done.stdout)
    check("explain_says_which_and_why", (found["format"], found["format_reason"]),
          ("purejson", "the first enabled one available"))
    server = subprocess.Popen([HAFT, "mock-model", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    url = server.stdout.readline().split()[-1]
    done = subprocess.run([HAFT, "run", path, "How warm?", "--quiet"], text=True,
                          capture_output=True, env=dict(environment, OPENAI_BASE_URL=url),
                          timeout=120)
    server.terminate()
    server.communicate()
    check("without_native_tools", (done.returncode, done.stdout), (0, "21.\n"))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch, OPENAI_API_KEY="sk-test-0123456789")
    test_native()
    for dialect in DIALECTS:
        test_dialect(dialect)
    test_no_native_tools()
