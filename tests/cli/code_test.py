#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_execution and code mode: nested calls with validation, approval, gate, budget and events;
pauses that continue in another process. tests/crash/code_test.py kills haft in between."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
HEAD = """haft: 1
name: code
model: script:spec.script.yaml
formats: [codemode]
instructions: Write code.
"""
TOOLS = """
tools:
  - builtin: [glob, read, python_execution]
  - name: note
    description: Write a line.
    input_schema:
      type: object
      properties: {line: {type: string}, count: {type: integer, default: 1}}
      required: [line]
    command: [sh, -c, "echo $HAFT_CALL >> log.txt; echo noted"]
  - name: send
    description: Send a line.
    args: [line]
    command: [sh, -c, "echo sent $HAFT_IDEMPOTENCY_KEY >> log.txt; echo sent"]
  - {name: ask_client, description: Ask the client., args: [what], headless: true}
approvals: [{tools: [send]}]
"""


class Place:
    """A directory with a spec, its script and a store."""

    def __init__(self, directory, codes, spec=HEAD + TOOLS, last="finished"):
        self.path = Path(directory)
        (self.path / "spec.yaml").write_text(spec)
        replies = [{"calls": [{"name": "python_execution", "arguments": {"code": code}}]}
                   for code in codes]
        (self.path / "spec.script.yaml").write_text(json.dumps(
            {"replies": [*replies, {"text": last}]}))

    def haft(self, *words, **env):
        ran = subprocess.run([HAFT, *words], cwd=self.path, capture_output=True, text=True,
                             check=False, env={**os.environ, "XDG_STATE_HOME": str(self.path),
                                               "HAFT_STORE": f"sqlite:{self.path}/haft.db", **env})
        return ran.returncode, ran.stdout, ran.stderr

    def run(self, **env):
        status, out, errors = self.haft("run", "spec.yaml", "go", "--json", **env)
        return status, json.loads(out) if out else errors

    def events(self, kind=None):
        events = [json.loads(line) for line in
                  self.haft("runs", "events", "last")[1].splitlines()]
        return [event for event in events if kind in (None, event["kind"])]

    def result(self, call="c1.1"):
        """The result or the error of a call."""
        for event in self.events("call_finished"):
            if event["call"] == call:
                return event["result"] if event["ok"] else event["error"]["message"]
        return None

    def log(self):
        path = self.path / "log.txt"
        return path.read_text().split("\n")[:-1] if path.exists() else []


def run(codes, **more):
    """Runs code in a new directory; returns the place and the result of the run."""
    directory = tempfile.TemporaryDirectory(prefix="haft-code-")
    place = Place(directory.name, codes, **more)
    place.keep = directory
    return place, *place.run()


def test_results():
    place, status, _ = run(["print('shown')\n[1, 2]"])
    check("output_and_result_reach_the_model", (status, place.result()),
          (0, "shown\nResult: [1, 2]"))
    event = [e for e in place.events("call_finished") if e["call"] == "c1.1"][0]
    check("the_event_has_profile_and_cause", (event["sandbox"]["cause"],
                                              event["sandbox"]["profile"] in
                                              ("namespaces", "landlock")), ("exit", True))
    place, status, _ = run(["print('before')\n1 / 0"])
    check("an_exception_is_an_error_with_its_line",
          (status, "ZeroDivisionError" in place.result(), "line 2" in place.result(),
           "before" in place.result()), (0, True, True, True))
    place, _, _ = run(["x = = 1"])
    check("a_syntax_error_is_reported", "SyntaxError" in place.result())
    place, _, shown = run(["open('table.csv', 'w').write('a,b')\nopen('bytes.bin', 'wb')"
                           ".write(b'\\0\\xff')"])
    check("files_become_artifacts", [(a["name"], a["bytes"]) for a in shown["artifacts"]],
          [("bytes.bin", 2), ("table.csv", 3)])
    check("an_artifact_has_its_bytes",
          place.haft("runs", "artifact", "last", "table.csv")[1], "a,b")
    place, _, _ = run(["import os\nprint(sorted(os.environ), os.getuid() != 0)"],)
    check("no_secret_is_inherited",
          place.result(), "['HOME', 'LANG', 'PYTHONHASHSEED'] True")
    place, _, _ = run(["print(1)", "print(2)", "print(3)"])
    check("one_run_may_execute_often", [place.result(f"c{n}.1") for n in (1, 2, 3)],
          ["1", "2", "3"])


def test_calls():
    place, status, shown = run(["a = note('x')\nb = note(line='y', count=2)\n"
                                "c = gather([note.request('1'), note.request('2')])\n"
                                "print(a, b, c)"])
    check("code_calls_tools", (status, place.result(), sorted(place.log())),
          (0, "noted noted ['noted', 'noted']", ["c1.1.1", "c1.1.2", "c1.1.3", "c1.1.4"]))
    check("nested_calls_count", shown["calls"], 5)
    nested = [e for e in place.events() if e.get("call", "").startswith("c1.1.")]
    check("every_event_of_a_nested_call_names_its_parent",
          {e.get("parent") for e in nested}, {"c1.1"})
    check("the_decisions_replay", "identical" in place.haft("runs", "replay", "last")[1])
    for name, code, wanted in [
            ("an_unknown_tool", "gather([__import__('sys')._getframe and "
             "type(note.request('x'))('nothing', {})])", "there is no tool named"),
            ("a_missing_argument", "note(count=1)", "Missing required argument: line"),
            ("a_wrong_type", "note('x', count='many')", "Expected integer"),
            ("code_from_code", "gather([type(note.request('x'))('python_execution', "
             "{'code': '1'})])", "cannot be called"),
            ("a_bad_list", "gather(['x'])", "TypeError")]:
        place, _, _ = run([code])
        check(f"{name}_is_an_error_for_the_code", (wanted in place.result(), place.log()),
              (True, []))
    place, _, _ = run(["try:\n    note(count=1)\nexcept ToolError as error:\n    print('caught')"])
    check("code_can_handle_an_error", place.result(), "caught")
    place, _, _ = run(["for i in range(5):\n    note(str(i))"],
                      spec=HEAD + TOOLS + "limits: {calls: 3}\n")
    check("the_budget_of_calls_holds_in_code",
          (len(place.log()), "budget of 3 calls" in place.result()), (2, True))
    place, _, _ = run(["gather([note.request(str(i)) for i in range(6)])"],
                      spec=HEAD + TOOLS + "limits: {parallel: 1}\n")
    check("one_call_at_a_time_is_enough", len(place.log()), 6)
    place, _, _ = run(["gather([note.request('x')] * 65)"])
    check("a_list_of_calls_has_a_limit", ("policy" in str(place.events("call_finished")[-1]),
                                          place.log()), (True, []))


def test_gate():
    spec = HEAD.replace("formats", "kind: workflow\nformats") + """
tools:
  - builtin: [python_execution, complete_workflow]
  - {name: note, description: Write a line., args: [line], command: [echo, noted]}
choice: {min_tools_for_auto: 2}
"""
    place, status, shown = run(["note('x')", "complete_workflow()"], spec=spec)
    check("nested_calls_open_the_gate_and_complete_a_workflow",
          (status, shown["end"], [e["called"] for e in place.events("gate_opened")]),
          (0, "done", [["python_execution", "note"]]))


def test_pauses():
    place, status, shown = run(["a = note('1')\nb = send('2')\nc = ask_client('3')\n"
                                "print(a, b, c)"])
    check("an_approval_in_code_pauses_the_run",
          (status, shown["end"], [p["call"] for p in shown["pending"]], place.log()),
          (4, "waiting", ["c1.1.2"], ["c1.1.1"]))
    status, out, _ = place.haft("approve", "last", "--json")
    shown = json.loads(out)
    check("the_code_continues_to_the_next_pause",
          (status, [(p["call"], p["kind"]) for p in shown["pending"]], len(place.log())),
          (4, [("c1.1.3", "headless")], 2))
    status, out, _ = place.haft("answer", "last", '"red"', "--json")
    check("the_code_ends_in_a_third_process",
          (status, json.loads(out)["end"], place.result(), len(place.log())),
          (0, "done", "noted sent red", 2))
    check("three_attempts_of_the_code_are_recorded",
          [e["attempt"] for e in place.events("call_started") if e["call"] == "c1.1"], [1, 2, 3])
    check("such_a_run_replays", "identical" in place.haft("runs", "replay", "last")[1])
    place, _, _ = run(["try:\n    send('2')\nexcept ToolError as error:\n    print('no:', error)"])
    place.haft("reject", "last", "--why", "not today")
    check("a_rejection_reaches_the_code", ("not today" in place.result(), place.log()),
          (True, []))


def test_divergence():
    code = ("import time, os\nnote('1')\nsend(str(time.time()))\nprint('end')")
    for policy, wanted in [("tell", 0), ("ask", 4)]:
        place, status, _ = run([code + "\n"], spec=HEAD + TOOLS + f"on_unknown: {policy}\n")
        status, out, _ = place.haft("approve", "last", "--json")
        finished = [e for e in place.events() if e.get("call") == "c1.1"][-1]
        check(f"code_that_takes_another_way_has_an_unknown_outcome_{policy}",
              (status, "was not the recorded one" in json.dumps(finished), place.log()[0]),
              (wanted, True, "c1.1.1"))
        check(f"no_effect_happens_twice_{policy}", len(place.log()) <= 2)


def test_specs():
    with tempfile.TemporaryDirectory(prefix="haft-code-") as directory:
        place = Place(directory, [], spec=HEAD + "tools: [{builtin: [glob]}]\n")
        status, out, errors = place.haft("check", "spec.yaml")
        check("only_codemode_without_python_execution_is_an_error",
              (status, "codemode needs python_execution" in out + errors), (2, True))
        place = Place(directory, [], spec=HEAD + TOOLS)
        check("such_a_spec_is_good", place.haft("check", "spec.yaml")[0], 0)
        out = place.haft("explain", "spec.yaml", "go")[1]
        check("the_prompt_shows_typed_functions",
              ("def note(line: str, count: int = 1) -> str:" in out, "Write a line." in out,
               "def python_execution" in out), (True, True, False))


def main():
    if subprocess.run([HAFT, "sandbox", "-"], input=b"pass", capture_output=True,
                      check=False).returncode == 6:
        skip("code", "this machine has no sandbox: see haft doctor")
        return
    for test in (test_results, test_calls, test_gate, test_pauses, test_divergence, test_specs):
        test()


main()
