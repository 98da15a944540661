#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft run`, `haft explain` and `haft runs` on the examples, by running haft."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"


def haft(*words, text="", environment=None):
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          cwd=scratch, env=dict(os.environ, **(environment or {})))
    return done.returncode, done.stdout, done.stderr


def events(*words):
    status, out, err = haft("run", *words, "--events")
    return status, [json.loads(line) for line in out.splitlines()], err


def put(name, text):
    path = Path(scratch) / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def test_workflow():
    """The example that the documents walk through: each shortcut is refused."""
    status, log, err = events(EXAMPLES / "workflow.yaml", "Report on the parser")
    kinds = [event["kind"] for event in log]
    turns = [event for event in log if event["kind"] == "turn_started"]
    check("the_workflow_is_done", (status, log[-1]["kind"], log[-1]["end"], err),
          (0, "run_finished", "done", ""))
    check("tool_choice_is_forced_until_the_gate_opens",
          [turn["mode"] for turn in turns], ["any"] * 5 + ["auto"] * 4)
    check("every_turn_has_a_reason", [turn for turn in turns if not turn["reason"]], [])
    check("the_gate_counts_distinct_tools", [len(turn["gate"]["called"]) for turn in turns],
          [0, 0, 1, 1, 2, 3, 3, 3, 3])
    check("the_gate_opens_once", kinds.count("gate_opened"), 1)
    check("refused_calls_have_a_reason",
          [(e["tool"], e["why"]) for e in log if e["kind"] == "call_refused"],
          [("request_user_input", "guard"), ("complete_workflow", "guard")])
    check("text_was_asked_again", [e["came"] for e in log if e["kind"] == "violation"],
          ["text_instead_of_call"])
    check("no_artifact_is_stored_while_forced",
          [turn["turn"] for turn in turns
               if turn["mode"] == "any" and "store_artifact" in turn["allowed"]], [])
    check("the_report_is_stored", [e["name"] for e in log if e["kind"] == "artifact_stored"],
          ["report.md"])
    check("sequence_numbers_have_no_gaps", [e["seq"] for e in log], list(range(1, len(log) + 1)))
    check("all_events_have_one_run_id", len({e["run"] for e in log}), 1)
    check("ids_are_crockford", bool(re.fullmatch("[0-9a-hjkmnp-tv-z]{26}", log[0]["run"])), True)


def test_other_examples():
    status, log, _ = events(EXAMPLES / "pipeline.yaml", "Describe data/letter.txt")
    modes = [(e["mode"], e["tool"]) for e in log if e["kind"] == "turn_started"]
    check("the_pipeline_keeps_its_schedule", (status, modes),
          (0, [("tool", "extract_metadata"), ("auto", None), ("none", None)]))
    words = ["run", EXAMPLES / "planner.yaml", "Which customers are overdue?", "--model",
             "script:planner.script.yaml"]
    status, out, _ = haft(*words, "--quiet")
    check("the_planner_shape_runs", (status, out),
          (0, "Two customers are overdue, with 300 in all.\n"))


def test_output():
    words = ["run", EXAMPLES / "workflow.yaml", "Report on the parser"]
    status, out, err = haft(*words)
    check("the_answer_is_all_of_standard_output", (status, out), (
        0, "The report is stored as report.md; the parser is in src/json/read.c.\n"))
    check("the_timeline_is_on_standard_error",
          ["[report] turn 1/12: must use a tool: 0 of 3 done" in err,
           "enough tools used (3 of 3): " in err, "[report] done:" in err],
          [True, True, True])
    status, out, err = haft(*words, "--json")
    result = json.loads(out)
    check("json_is_one_object", (status, err, result["end"], result["turns"], result["calls"]),
          (0, "", "done", 9, 6))
    check("json_has_the_keys_of_the_contract", list(result), [
        "run", "thread", "end", "answer", "reason", "exhausted", "forced_final", "turns", "calls",
        "usage", "artifacts", "pending", "error"])
    check("artifacts_are_listed", [(a["name"], a["bytes"]) for a in result["artifacts"]],
          [("report.md", 40)])
    check("json_and_events_cannot_be_combined", haft(*words, "--json", "--events")[0::2],
          (2, "haft: --events and --json cannot be combined\n"))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([HAFT, *map(str, words), "--events"], stdout=full,
                              stderr=subprocess.PIPE)
    check("events_that_are_lost_are_a_failure", done.returncode, 1)


def test_ends():
    def end(replies, **spec):
        put("s.json", {"replies": replies, "results": {"look": "r"}})
        base = {"haft": 1, "name": "t", "model": "script:s.json", "tools": [
            {"name": "look", "description": "Look something up in the archive.", "args": [],
             "command": ["true"]},
            {"name": "pick", "description": "Let the user pick a file.", "args": [],
             "headless": True}]}
        path = put("t.json", dict(base, **spec))
        status, out, _ = haft("run", path, "go", "--json")
        return status, json.loads(out)["end"]

    call = {"calls": [{"name": "look"}]}
    check("text_ends_as_done", end([{"text": "x"}]), (0, "done"))
    check("server_error_ends_as_failed",
          end([{"error": {"status": 500, "body": "no"}}]), (1, "failed"))
    check("script_that_is_too_short_ends_as_failed", end([call]), (1, "failed"))
    check("last_turn_ends_as_exhausted", end([call, call], limits={"turns": 2}), (3, "exhausted"))
    check("headless_call_ends_as_waiting", end([{"calls": [{"name": "pick"}]}]), (4, "waiting"))
    check("empty_reply_ends_as_violated",
          end([{"text": ""}], limits={"violations": 0}), (5, "violated"))
    end([{"text": "I refuse."}, {"text": ""}], limits={"violations": 1}, choice={"default": "any"})
    found = json.loads(haft("run", Path(scratch) / "t.json", "go", "--json")[1])
    check("violated_has_a_reason_and_the_last_text",
          (found["end"], found["answer"], found["reason"]),
          ("violated", "I refuse.", "the model did not obey the choice when asked again"))
    check("refusal_ends_as_refused", end([{"text": "no", "stop": "refusal"}]), (6, "refused"))


def test_quiet():
    """Only the answer, or the reason if there is none."""
    here = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "k"}
    path = put("quiet.yaml", "haft: 1\nname: q\nmodel: openai:x\n")
    status, out, err = haft("run", path, "hi", "-q", environment=here)
    check("a_quiet_failure_is_one_line",
          (status, out, err.startswith("haft: failed: "), err.count("\n")), (1, "", True, 1))
    status, out, err = haft("run", path, "hi", "--plain", environment=here)
    check("the_reason_is_not_cut", ("127.0.0.1" in err, "..." in err), (True, False))
    status, _, err = haft("run", path, "hi", environment=dict(here, OPENAI_BASE_URL="nowhere"))
    check("a_bad_address_is_named", (status, err.startswith("haft: OPENAI_BASE_URL: ")), (2, True))
    put("ask.script.yaml", "replies: [{calls: [{name: request_user_input, arguments: "
        "{question: Which?}}]}]\n")
    path = put("ask.yaml", "haft: 1\nname: a\nmodel: script:ask.script.yaml\n"
               "tools: [{builtin: [request_user_input]}]\n")
    status, out, err = haft("run", path, "hi", "-q")
    check("a_quiet_run_that_waits_prints_how_to_continue", (status, out, "haft answer " in err),
          (4, "", True))


def test_failures_as_json():
    """With --json a failure is one object of the documented shape, also without a run."""
    shape = ROOT / "docs/schemas/result.schema.json"
    good = put("good.yaml", "haft: 1\nname: g\nmodel: script:gone.yaml\n")
    cases = [
        ("a_bad_spec", ["run", put("bad.yaml", "modl: x\n")], 2, f"{scratch}/bad.yaml:1:1",
         'there is no key "modl" here'),
        ("a_bad_override", ["run", good, "--set", "limits.turns=x"], 2,
         f"{scratch}/good.yaml:--set limits.turns=x", 'expected integer, found string "x"'),
        ("no_spec", ["run", "none.yaml"], 2, "none.yaml",
         "cannot be opened: No such file or directory"),
        ("no_script", ["run", good, "go"], 2, f"{scratch}/gone.yaml",
         "cannot be opened: No such file or directory"),
        ("no_store", ["run", EXAMPLES / "workflow.yaml", "x", "--store", "sqlite:/proc/no/h.db"], 1,
         None, None),
        ("no_store_for_an_answer", ["answer", "last", "x", "--store", "sqlite:/proc/no/h.db"], 1,
         None, None),
        ("no_run", ["resume", "0" * 26, "--store", "sqlite:empty.db"], 2, None, None)]
    haft("run", EXAMPLES / "pipeline.yaml", "x", "--store", "sqlite:empty.db")
    for name, words, wanted, where, message in cases:
        status, out, err = haft(*words, "--json")
        found = json.loads(out) if out.count("\n") == 1 else {"error": {}}
        put("found.json", out)
        valid = haft("validate", shape, "found.json")[0]
        error = found["error"]
        check(f"json_for_{name}", (status, valid, found.get("run"), found.get("end"),
                                   err != "", error.get("message") != ""),
              (wanted, 0, None, "failed", True, True))
        if where:
            check(f"json_for_{name}_says_where", (error["where"], error["message"]),
                  (where, message))
    for words in (["runs", "show", "zzz", "--store", "sqlite:empty.db"], ["explain", "bad.yaml"],
                  ["tools", "bad.yaml"], ["tools", "none.yaml"]):
        status, out, err = haft(*words, "--json")
        found = json.loads(out or "{}")
        check(f"an_error_for_{words[0]}_{words[1]}",
              (status, list(found), found.get("error", {}).get("message", "") != "", err != ""),
              (2, ["error"], True, True))


def test_thread():
    words = ["run", EXAMPLES / "pipeline.yaml", "x", "--events", "--thread"]
    good = "01k9v3m7q2r8s4t5w6x7y8z9ab"
    status, out, err = haft(*words, good)
    check("a_thread_is_kept", (status, json.loads(out.splitlines()[0])["thread"]), (0, good))
    for name, bad in (("word", "foo"), ("empty", ""), ("long", good + "0"),
                      ("alphabet", good[:-1] + "u")):
        check(f"a_thread_that_is_not_an_id_{name}", haft(*words, bad), (
            2, "", "haft: --thread: expected an id of 26 lower-case letters and digits, found "
            f'"{bad}"\n'))


def test_input():
    """HAFT__LIMIT_INPUT_BYTES: a file of a task has at most 4 MiB."""
    put("echo.script.json", {"replies": [{"expect": {"contains": "--- notes.txt\nof note"},
                                          "text": "seen"}]})
    path = put("echo.json", {"haft": 1, "model": "script:echo.script.json"})
    put("notes.txt", "of note")
    check("a_file_is_added_to_the_task", haft("run", path, "Read:", "--input", "notes.txt", "-q"),
          (0, "seen\n", ""))
    for value, wanted in [("none", ""), ("", ""), ("notes.txt", "not a valid table of vectors"),
                          ("gone.vec", "HAFT_VECTORS: gone.vec: ")]:
        status, out, err = haft("run", path, "Read:", "--input", "notes.txt", "-q",
                                environment={"HAFT_VECTORS": value})
        check(f"unusable_vectors_are_reported_once_{value or 'empty'}",
              (status, out, wanted in err, err.count("warning")),
              (0, "seen\n", True, 1 if wanted else 0))
    put("most.txt", "x" * (4 << 20))
    put("more.txt", "x" * ((4 << 20) + 1))
    check("input_of_the_maximum_length_is_accepted",
          haft("run", path, "--input", "most.txt", "-q")[0], 1)
    status, _, err = haft("run", path, "--input", "more.txt", "-q")
    check("longer_input_is_rejected", (status, "longer than the 4194304 bytes" in err), (2, True))


def test_task_from_standard_input():
    """TASK "-" or a pipe; a TASK leaves standard input alone; an empty task is an error."""
    path = put("any.json", {"haft": 1, "model": "script:any.script.json"})
    put("any.script.json", {"replies": [{"text": "end"}]})
    put("notes.txt", "of note")

    def task(*words, text=""):
        status, out, err = haft("run", path, *words, "--events", text=text)
        return json.loads(out.splitlines()[0])["task"] if status == 0 else (status, err)

    check("task_from_a_dash", task("-", text="from\nthere\n"), "from\nthere")
    check("task_from_a_pipe", task(text="piped\n"), "piped")
    check("a_task_is_not_extended_by_a_pipe", task("given", text="piped"), "given")
    check("a_file_is_not_extended_by_a_pipe", task("--input", "notes.txt", text="piped"),
          "--- notes.txt\nof note")
    check("task_from_a_dash_is_extended_by_a_file",
          task("-", "--input", "notes.txt", text="Read:\n"),
          "Read:\n\n--- notes.txt\nof note")
    check("input_from_standard_input", task("Read:", "--input", "-", text="piped"),
          "Read:\n\n--- standard input\npiped")
    empty = (2, "haft: TASK: the task is empty\n"
                "hint: write the task after the spec; '-' or a pipe reads it from standard input\n")
    check("empty_pipe_is_an_error", task(), empty)
    check("empty_task_is_an_error", task(" \n"), empty)
    hint = "hint: a tool can read a file that is not text\n"
    check("a_task_with_a_nul_is_not_cut", task("-", text="a\0b"),
          (2, "haft: TASK: expected text in UTF-8, found the byte 0x00 at 1\n" + hint))
    put("latin.txt", b"caf\xe9 au lait")
    check("file_that_is_not_utf8_is_rejected", task("Read", "--input", "latin.txt"),
          (2, "haft: TASK: expected text in UTF-8, found the byte 0xE9 at 24\n" + hint))
    check("standard_input_can_be_used_once", task("-", "--input", "-", text="once"),
          (2, "haft: -: standard input can be used only once, found 2 times\n"))
    check("spec_and_task_cannot_both_be_standard_input", haft("run", "-", "-", text="once")[0], 2)
    check("task_before_the_spec_has_a_hint", haft("run", "Do it", path),
          (2, "", "haft: Do it: cannot be opened: No such file or directory\n"
                  f"hint: the spec comes first, then the task: {path} 'TASK'\n"))


def test_bad_input():
    check("missing_spec_is_an_error", haft("run", "none.yaml")[0::2],
          (2, "haft: none.yaml: cannot be opened: No such file or directory\n"))
    status, _, err = haft("run", put("tabs.yaml", "limits:\n\tturns: 3\n"), "go")
    check("tabs_in_yaml_are_an_error", (status, "tabs.yaml:2:" in err), (2, True))
    status, _, err = haft("run", put("typo.yaml", "haft: 1\nmodel: script:x\nlimit: {}\n"), "go")
    check("unknown_key_is_an_error", (status, "typo.yaml:3:1: error: " in err, "limits" in err),
          (2, True, True))
    put("bad.script.yaml", "replies: [{txt: hi}]\n")
    put("s.yaml", "haft: 1\nname: s\nmodel: script:bad.script.yaml\n")
    status, _, err = haft("run", "s.yaml", "go")
    put("big.json", " " * (4 << 20) + " ")
    put("big.yaml", "haft: 1\nname: s\nmodel: script:big.json\n")
    check("script_that_is_too_long_is_rejected", haft("run", "big.yaml", "go"),
          (2, "", f"haft: {scratch}/big.json: is longer than the 4194304 bytes allowed\n"))
    check("script_with_a_typo_is_an_error",
          (status, "bad.script.yaml" in err, "txt" in err), (2, True, True))


def test_runs():
    status, out, _ = haft("run", EXAMPLES / "workflow.yaml", "Report on the parser", "--events")
    log = put("run.jsonl", out)
    spec = ["--spec", EXAMPLES / "workflow.yaml"]
    count = len(out.splitlines())
    status, text, _ = haft("runs", "replay", log, *spec)
    check("a_replay_is_identical", (status, text.startswith(f"identical: {count} events")),
          (0, True))
    status, again, _ = haft("run", EXAMPLES / "workflow.yaml", "Report on the parser", "--model",
                            f"replay:{log}", "--quiet")
    check("a_run_can_be_played_again", (status, again), (
        0, "The report is stored as report.md; the parser is in src/json/read.c.\n"))
    changed = put("changed.jsonl", out.replace('"mode":"any"', '"mode":"auto"', 1))
    status, text, _ = haft("runs", "replay", changed, *spec)
    check("a_changed_decision_is_found", (status, text.splitlines()[0]),
          (1, "different at event 2"))
    status, text, _ = haft("runs", "show", log, *spec)
    check("show_gives_the_result", (status, json.loads(text)["end"]), (0, "done"))
    check("events_prints_them", haft("runs", "events", log)[1], out)
    boundary = next(json.loads(line)["seq"] - 1 for line in out.splitlines()
                    if '"turn":3' in line)
    status, text, _ = haft("runs", "fork", log, "--at", boundary, *spec)
    forked = [json.loads(line) for line in text.splitlines()]
    check("fork_is_a_separate_run", (
        status, len(forked), forked[0]["run"] != json.loads(out.splitlines()[0])["run"]),
        (0, boundary, True))
    status, _, err = haft("runs", "fork", log, "--at", 3, *spec)
    check("fork_in_the_middle_of_a_turn_is_rejected",
          (status, "found an unfinished turn" in err), (2, True))
    lines = out.splitlines()
    cut = put("cut.jsonl", "\n".join(lines[:9]) + "\n" + lines[9][:20])
    note = f"haft: {cut}:10: the last line is incomplete and is ignored\n"
    status, text, err = haft("runs", "show", cut, *spec)
    check("log_that_was_cut_is_shown_as_running",
          (status, err, json.loads(text)["end"]), (0, note, "running"))
    status, text, err = haft("runs", "replay", cut, *spec)
    check("log_that_was_cut_replays", (status, err, text.startswith("identical: 9 events")),
          (0, note, True))
    unended = put("unended.jsonl", out.rstrip("\n"))
    status, text, err = haft("runs", "replay", unended, *spec)
    check("a_last_line_without_its_end_is_whole",
          (status, err, text.startswith(f"identical: {count} events")), (0, "", True))
    empty, torn = put("empty.jsonl", "\n"), put("torn.jsonl", lines[0][:20])
    damaged = put("damaged.jsonl", "\n".join([lines[0], lines[1][:20], *lines[2:]]) + "\n")
    for word in ("show", "replay"):
        check(f"{word}_requires_events", haft("runs", word, empty, *spec),
              (2, "", f"haft: {empty}: expected events, found none\n"))
        status, text, err = haft("runs", word, torn, *spec)
        check(f"{word}_of_a_log_with_nothing_whole",
              (status, text, "torn.jsonl:1: the last line is incomplete" in err,
               "expected events, found none" in err), (2, "", True, True))
        status, text, err = haft("runs", word, damaged, *spec)
        check(f"{word}_of_a_damaged_log", (status, text, "damaged.jsonl:2" in err), (2, "", True))
    newer = put("newer.jsonl", out.replace('"version":1', '"version":2', 1))
    for word in ("show", "replay"):
        status, _, err = haft("runs", word, newer, *spec)
        check(f"{word}_of_a_newer_version", (status, "version 1, found 2" in err), (2, True))
    check("show_needs_the_spec", haft("runs", "show", log)[0::2],
          (2, f"haft: {log}: a file of events needs --spec\n"
           "hint: name the spec of the run: --spec SPEC\n"))


def test_explain_model():
    path = put("none.yaml", "haft: 1\nname: none\n")
    for words, wanted in (([], "offline"), (["-m", "openai:x"], "openai:x")):
        found = json.loads(haft("explain", path, "hi", "--json", *words)[1])
        check(f"explain_json_has_the_model_{wanted}", (found["model"], found["request"]["model"]),
              (wanted, wanted.split(":")[-1]))
        check(f"explain_text_has_the_model_{wanted}",
              f"\nmodel\n  {wanted}\n" in haft("explain", path, "hi", *words)[1], True)


def test_explain():
    status, out, _ = haft("explain", EXAMPLES / "workflow.yaml", "Report", "--json")
    printed = json.loads(out)
    check("explain_lists_each_tool",
          (status, [(t["name"], t["offered"]) for t in printed["tools"]]),
          (0, [(n, True) for n in ("glob", "grep", "read", "store_artifact", "request_user_input",
                                   "complete_workflow")]))
    check("explain_has_the_first_turn", printed["first_turn"]["mode"], "any")
    check("explain_shows_the_request", printed["request"]["messages"][-1],
          {"role": "user", "content": "Report"})
    status, out, _ = haft("explain", EXAMPLES / "pipeline.yaml", "x")
    check("explain_in_words", (status, "tool extract_metadata: " in out, "turns 12" in out),
          (0, True, True))


with tempfile.TemporaryDirectory() as scratch:
    test_workflow()
    test_other_examples()
    test_output()
    test_ends()
    test_quiet()
    test_failures_as_json()
    test_thread()
    test_input()
    test_bad_input()
    test_runs()
    test_explain()
    test_explain_model()
