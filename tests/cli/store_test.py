#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that other processes continue: answer, approve, reject, resume, cancel."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
SCHEMA = Path(__file__).resolve().parent.parent.parent / "docs/schemas/runs.schema.json"
LONG = 300  # timeout in seconds of events that must happen soon


def haft(*words, text=""):
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          cwd=scratch, env=environment)
    return done.returncode, done.stdout, done.stderr


def result(*words):
    status, out, err = haft(*words, "--json")
    try:
        return status, json.loads(out)
    except ValueError:
        return status, {"error": err, "end": None, "run": None, "answer": None, "pending": []}


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def tool(name, command=None, **more):
    made = {"name": name, "description": f"Does {name} for the tests of haft.",
            "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}
    if command:
        made["command"] = command
    else:
        made["headless"] = True
    return dict(made, **more)


def spec(name, replies, tools, **more):
    """A spec and its script."""
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": tools,
                                     "model": f"script:{name}.script.json"}, **more))


def calls(*names, **arguments):
    return {"calls": [{"name": name, "arguments": arguments} for name in names]}


def kinds(run):
    return [json.loads(line)["kind"] for line in haft("runs", "events", run)[1].splitlines()]


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def newest():
    out = haft("runs", "list", "--json", "--limit", "1")[1]
    rows = json.loads(out)["runs"] if out else []
    return rows[0] if rows else None


def test_headless():
    path = spec("pick", [calls("pick"), {"text": "thanks"}], [tool("pick")])
    status, waiting = result("run", path, "go")
    check("a_headless_call_waits", (status, waiting["end"], [
        (p["call"], p["kind"], p["tool"]) for p in waiting["pending"]]),
        (4, "waiting", [("c1.1", "headless", "pick")]))
    run = waiting["run"]
    check("value_that_is_not_json_is_rejected", haft("answer", run, "{")[0], 2)
    check("headless_call_cannot_be_approved", haft("approve", run)[0], 1)
    status, done = result("answer", run, '{"file":"a.txt"}')
    check("another_process_answers", (status, done["end"], done["answer"]), (0, "done", "thanks"))
    check("events_of_a_headless_call_are_in_order", kinds(run)[2:8], [
        "model_replied", "call_started", "paused", "answered", "call_finished", "turn_started"])
    check("equal_second_answer_is_accepted",
          result("answer", run, "c1.1", '{"file": "a.txt"}')[0], 0)
    status, _, err = haft("answer", run, "c1.1", "7")
    check("another_answer_is_refused", (status, "already has a different answer" in err), (1, True))
    check("show_is_what_run_prints", json.loads(haft("runs", "show", run)[1]), done)
    check("a_prefix_of_the_id_suffices", json.loads(haft("runs", "show", run[:20])[1]), done)
    status, out, _ = haft("runs", "replay", run)
    check("a_replay_is_identical", (status, out.startswith("identical: ")), (0, True))


def test_question():
    path = spec("ask", [calls("look"), calls("look", q="b"), calls("peek"), {
        "calls": [{"name": "request_user_input", "arguments": {"question": "Which one?"}}]},
        {"text": "fine"}],
        [{"builtin": ["request_user_input"]}, tool("look", ["echo", "x"]),
         tool("peek", ["echo", "y"])])
    status, waiting = result("run", path, "go")
    check("a_question_waits", (status, [(p["kind"], p["question"]) for p in waiting["pending"]]),
          (4, [("question", "Which one?")]))
    status, out, _ = haft("answer", "last", "the second", "--quiet")
    check("a_text_answers_it", (status, out), (0, "fine\n"))
    answered = [json.loads(line) for line in haft("runs", "events", waiting["run"])[1].splitlines()
                if '"answered"' in line]
    check("the_answer_is_recorded", [(e["verdict"], e["value"]) for e in answered],
          [("answer", "the second")])


def test_approval():
    log = Path(scratch) / "sent.txt"
    send = tool("send", ["sh", "-c", f"cat >> {log}"], traits={"needs_approval": True})
    path = spec("send", [calls("send", q="hello"), {"text": "sent"}], [send])
    status, waiting = result("run", path, "go")
    check("an_approval_waits", (status, waiting["pending"][0]["kind"], log.exists()),
          (4, "approval", False))
    status, done = result("approve", waiting["run"])
    check("approved_call_runs", (status, done["end"], log.read_text()),
          (0, "done", '{"q":"hello"}\n'))
    _, waiting = result("run", path, "go")
    status, done = result("approve", waiting["run"], "c1.1", "--args", '{"q":"other"}')
    check("approval_can_replace_arguments",
          (status, log.read_text().splitlines()[-1]), (0, '{"q":"other"}'))
    _, waiting = result("run", path, "go")
    status, done = result("reject", waiting["run"], "--why", "not today")
    check("rejected_call_never_runs", (status, done["end"], len(log.read_text().splitlines())),
          (0, "done", 2))
    refused = [json.loads(line) for line in haft("runs", "events", waiting["run"])[1].splitlines()
               if '"call_refused"' in line]
    check("the_model_reads_the_reason", [(e["why"], "not today" in e["text"]) for e in refused],
          [("denied", True)])
    status, done = result("run", path, "go", "--yes")
    check("yes_approves", (status, done["end"]), (0, "done"))
    by = [json.loads(line)["by"] for line in haft("runs", "events", done["run"])[1].splitlines()
          if '"answered"' in line]
    check("yes_is_recorded_as_the_approver", by, ["--yes"])
    worse = dict(send, traits={"needs_approval": True, "destructive": True})
    path = spec("worse", [calls("send", q="x"), {"text": "sent"}], [worse])
    check("yes_does_not_approve_what_is_destructive", result("run", path, "go", "--yes")[0], 4)
    check("yes_all_approves_what_is_destructive", result("run", path, "go", "--yes=all")[0], 0)


def test_threads():
    first = spec("first", [{"text": "four"}], [])
    thread = result("run", first, "two and two?")[1]["thread"]
    second = spec("second", [{"expect": {"contains": "four"}, "text": "five"}], [])
    check("a_run_sees_its_thread", result("run", second, "and one?", "--thread", thread)[0], 0)
    check("run_without_thread_does_not_see_it", result("run", second, "and one?")[0], 1)
    listed = json.loads(haft("runs", "list", "--json", "--thread", thread)[1])["runs"]
    status, out, _ = haft("validate", SCHEMA, "-", text=haft("runs", "list", "--json")[1])
    check("a_schema_describes_the_list", status, 0)
    check("runs_of_a_thread", [row["task"] for row in listed], ["and one?", "two and two?"])


def test_waiting_in_memory():
    paying = spec("paying", [{"calls": [{"name": "pay", "arguments": {}}]}, {"text": "paid"}],
                  [{"name": "pay", "description": "Pays the invoice that was named.",
                    "command": ["true"], "traits": {"needs_approval": True}}])
    status, _, err = haft("run", paying, "go", "--store", "memory:")
    check("no_command_is_suggested_for_a_run_in_memory",
          (status, "haft approve" in err, "its store is in memory" in err), (4, False, True))


def test_artifacts():
    path = spec("store", [{"calls": [{"name": "store_artifact", "arguments": {
        "name": "../notes.md", "content": "# Hi\n", "media_type": "text/markdown"}}]},
        {"text": "stored"}], [{"builtin": ["store_artifact"]}])
    directory = Path(scratch) / "out"
    status, done = result("run", path, "go", "--artifacts", directory)
    check("an_artifact_is_stored", (status, [(a["name"], a["bytes"]) for a in done["artifacts"]]),
          (0, [("../notes.md", 5)]))
    check("artifact_is_printed", haft("runs", "artifact", "last", "../notes.md")[:2], (0, "# Hi\n"))
    check("artifact_is_written_only_into_its_directory",
          [p.name for p in directory.iterdir()], ["_._notes.md"])
    for name, place, reason in (("below_a_file", path, "is not a directory for artifacts"),
                                ("in_no_directory", "/proc/none/out", "cannot create the")):
        before = haft("runs", "list")[1].count("\n")
        status, _, err = haft("run", path, "go", "--artifacts", place)
        check(f"artifacts_{name}_are_refused_before_the_run",
              (status, err.startswith(f"haft: {place}: {reason}"),
               haft("runs", "list")[1].count("\n")),
              (2, True, before))
    check("unknown_artifact_is_an_error", haft("runs", "artifact", "last", "x")[0], 2)
    path = spec("some", [{"calls": [{"name": "store_artifact", "arguments": {
        "name": name, "content": name}} for name in ("folder", "pipe", "good")]},
        {"text": "stored"}], [{"builtin": ["store_artifact"]}])
    directory = Path(scratch) / "some"
    (directory / "folder").mkdir(parents=True)
    os.mkfifo(directory / "pipe")
    status, out, err = haft("run", path, "go", "--artifacts", directory, "--quiet")
    check("the_answer_and_the_other_artifacts_are_written",
          (status, out, "haft: folder: cannot write the artifact" in err
           and "; also not written: pipe" in err, (directory / "good").read_text()),
          (1, "stored\n", True, "good"))
    with open(directory / "pipe", "rb", buffering=0,
              opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as reader:
        haft("run", path, "go", "--artifacts", directory, "--quiet")
        check("a_pipe_with_a_reader_gets_nothing", reader.read(), b"")
    names = ["a/b.md", "a_b.md", "A_B.md", "a", "a/b.md", ".x", "_x", "_x-2", "a_b-2.md",
             "\u00e9.md", "e\u0301.md", "L" * 300 + ".md"]
    path = spec("names", [{"calls": [{"name": "store_artifact", "arguments": {
        "name": name, "content": f"{i} {name}"}} for i, name in enumerate(names)]},
        {"text": "stored"}], [{"builtin": ["store_artifact"]}])
    directory = Path(scratch) / "apart"
    status, done = result("run", path, "go", "--artifacts", directory)
    check("names_that_collide_are_kept_apart",
          (status, {p.name: p.read_text() for p in directory.iterdir()}),
          (0, {"a_b.md": "1 a_b.md", "A_B-3.md": "2 A_B.md", "a": "3 a", "a_b-4.md": "4 a/b.md",
               "_x": "6 _x", "_x-2": "7 _x-2", "_x-3": "5 .x", "a_b-2.md": "8 a_b-2.md",
               "\u00e9.md": "9 \u00e9.md", "e\u0301-2.md": "10 e\u0301.md",
               "L" * 197 + ".md": "11 " + "L" * 300 + ".md"}))
    check("the_name_gives_the_media_type",
          {a["name"]: a["media_type"] for a in done["artifacts"]}.get("a/b.md"), "text/markdown")


def test_crash():
    """Killed while a tool runs: repeatable calls run again, the outcome of others is unknown."""
    for name, traits, status, attempts in (("safe", {"read_only": True}, 0, 2),
                                           ("unsafe", {}, 4, 1)):
        marks, go = Path(scratch) / f"{name}.marks", Path(scratch) / f"{name}.go"
        slow = tool("slow", ["sh", "-c", f"echo x >> {marks}; while [ ! -e {go} ]; do sleep 0.1; "
                             "done; echo over"], traits=traits)
        path = spec(name, [calls("slow"), {"text": "done"}], [slow])
        process = start("run", path, "go", "--json")
        seen = wait_for(lambda: marks.exists() and marks.read_text())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        row = newest()
        check(f"{name}_is_in_the_store", (bool(seen), row["name"], row["state"]),
              (True, name, "running"))
        go.write_text("")
        found, done = result("resume", row["run"])
        check(f"{name}_continues", (found, len(marks.read_text().splitlines())), (status, attempts))
        if status == 4:
            check("interrupted_call_has_an_unknown_outcome", [p["kind"] for p in done["pending"]],
                  ["unknown_outcome"])
            found, done = result("answer", row["run"], '"it was sent"')
            check("person_can_answer_an_unknown_outcome",
                  (found, done["end"], len(marks.read_text().splitlines())),
                  (0, "done", 1))
        out = haft("runs", "replay", row["run"])[1]
        check(f"{name}_replays", out.startswith("identical"), True)


def test_cancel():
    pids = Path(scratch) / "pids"
    slow = tool("slow", ["sh", "-c", f"(sleep 300 & echo $! >> {pids}); echo $$ >> {pids}; "
                         "sleep 300"])
    path = spec("cancelled", [calls("slow"), {"text": "done"}], [slow])
    process = start("run", path, "go", "--json")
    wait_for(lambda: pids.exists() and len(pids.read_text().splitlines()) == 2)
    begun = time.monotonic()
    status, done = result("cancel", newest()["run"], "--why", "enough")
    took = time.monotonic() - begun
    print(f"# cancelled from another process in {took:.2f} s")
    check("cancelled_from_another_process", (status, done["end"]), (130, "cancelled"))
    check("process_of_the_run_exits_as_cancelled", (process.wait(LONG), json.loads(
        process.communicate()[0])["end"]), (130, "cancelled"))
    alive = [pid for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()]
    check("no_started_process_is_left", alive, [])
    check("cancelling_again_changes_nothing", haft("cancel", done["run"])[0], 130)
    check("cancelled_run_has_one_end", kinds(done["run"]).count("run_finished"), 1)


def test_other_owner():
    """A run that another process owns: a command is delivered or rejected."""
    go = Path(scratch) / "owner.go"
    slow = tool("slow", ["sh", "-c", f"while [ ! -e {go} ]; do sleep 0.05; done"],
                traits={"read_only": True})
    send = tool("send", ["true"], traits={"needs_approval": True})
    path = spec("owned", [calls("slow", "send"), {"text": "over"}], [slow, send])
    process = start("run", path, "go", "--json")
    wait_for(lambda: (newest() or {}).get("name") == "owned" and "paused" in kinds("last"))
    check("unknown_call_is_an_error", haft("approve", "last", "c9.9")[0], 2)
    check("answer_to_an_approval_is_rejected", haft("answer", "last", "c1.1", "1")[0], 1)
    run = newest()["run"]
    check("other_process_can_reject", haft("reject", "last", "--why", "no"),
          (0, "", f"another process continues {run}\n"))
    check("equal_second_rejection_is_accepted", haft("reject", "last", "c1.2", "--why", "no")[0], 0)
    check("quiet_rejection_prints_nothing",
          haft("reject", "last", "c1.2", "--why", "no", "--quiet"), (0, "", ""))
    check("rejection_with_json_prints_the_state",
          result("reject", "last", "c1.2", "--why", "no")[1]["end"], "running")
    status, _, err = haft("approve", "last", "c1.2")
    check("the_second_command_is_refused", (status, "has a different answer" in err), (1, True))
    go.write_text("")
    check("run_ends_after_the_rejection",
          json.loads(process.communicate(timeout=LONG)[0])["end"], "done")


def test_elsewhere():
    """Another process continues from another directory: paths stay relative to the spec."""
    where = tool("where", ["pwd"], traits={"read_only": True})
    path = spec("where", [calls("pick"), calls("where"), {"text": "x"}], [tool("pick"), where])
    run = result("run", path.name, "go")[1]["run"]
    elsewhere = Path(scratch) / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([HAFT, "answer", run, "1"], cwd=elsewhere, env=environment, capture_output=True)
    found = [json.loads(line)["result"] for line in haft("runs", "events", run)[1].splitlines()
             if '"call_finished"' in line and '"where"' in line]
    check("paths_are_relative_to_the_spec", found, [str(Path(scratch).resolve())])


def test_big_results():
    zeros = tool("zeros", ["head", "-c", "15000000", "/dev/zero"], traits={"read_only": True})
    path = spec("zeros", [calls("zeros"), {"text": "x"}], [zeros])
    status, done = result("run", path, "go")
    check("long_result_that_is_not_text_is_accepted", (status, done["end"]), (0, "done"))


def test_cached_secrets():
    secret = "sk-cached-0123456789"
    environment["CACHED_API_KEY"] = secret
    show = tool("show", ["sh", "-c", "echo $K"], env={"K": "${CACHED_API_KEY}"},
                traits={"read_only": True, "idempotent": True, "cache": "global"})
    path = spec("cached", [calls("show"), {"text": "x"}], [show])
    check("a_result_is_remembered", result("run", path, "go")[0], 0)
    files = [f for f in (Path(scratch) / "state").rglob("*") if f.is_file()]
    check("store_has_no_secrets", [f for f in files if secret.encode() in f.read_bytes()], [])
    del environment["CACHED_API_KEY"]
    check("reading_needs_no_secrets", haft("runs", "show", "last")[0], 0)


def test_interrupt():
    slow = tool("slow", ["sleep", "300"], traits={"read_only": True})
    path = spec("stopped", [calls("slow"), {"text": "done"}], [slow])
    process = start("run", path, "go", "--json")
    wait_for(lambda: (newest() or {}).get("name") == "stopped")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=LONG)
    check("interrupt_stops_the_run", (process.returncode, json.loads(out)["error"]["message"]),
          (130, "stopped by a signal"))
    check("interrupted_run_can_be_resumed", newest()["state"], "running")
    check("interrupted_run_can_be_cancelled", haft("cancel", "last")[0], 130)


def test_detach():
    path = spec("later", [{"text": "now"}], [])
    status, out, _ = haft("run", path, "go", "--detach")
    check("a_run_can_be_left_for_later", (status, len(out.strip()), newest()["state"]),
          (0, 26, "queued"))
    status, out, _ = haft("resume", "--all", "--quiet")
    check("resume_all_continues_a_detached_run", (status, out), (0, "now\n"))


def test_fork():
    path = spec("forked", [calls("look"), {"text": "one"}], [tool("look", ["echo", "x"])])
    run = result("run", path, "go")[1]["run"]
    log = [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]
    at = [e["seq"] for e in log if e["kind"] == "turn_started"][1] - 1
    status, out, err = haft("runs", "fork", run, "--at", at)
    check("a_fork_has_an_id", (status, len(out.strip()), err), (0, 26, ""))
    check("fork_continues_from_its_point", result("resume", out.strip())[1]["answer"], "one")
    check("fork_in_the_middle_of_a_turn_is_rejected", haft("runs", "fork", run, "--at", 3)[0], 2)


def test_bad_names():
    check("unknown_run_is_an_error", haft("resume", "zzzz")[0], 2)
    check("resume_requires_an_id", haft("resume")[0], 2)
    check("unknown_kind_of_store_is_rejected", haft("runs", "list", "--store", "ftp://x")[0], 2)
    put("text.db", "this is no database at all, but some text that is long enough\n" * 50)
    status, _, err = haft("runs", "list", "--store", "sqlite:text.db")
    check("file_that_is_not_a_store_is_an_error", (status, "database" in err), (1, True))


def test_same_exits():
    """Every command reports a bad store in the same way."""
    path = spec("same", [{"text": "hi"}], [])
    put("text.db", "this is no database at all, but some text that is long enough\n" * 50)
    for words in (["run", path, "go"], ["chat", path], ["runs", "list"], ["runs", "show", "x"],
                  ["runs", "gc"], ["resume", "x"], ["answer", "x", "y"], ["cancel", "x"]):
        name = "_".join(map(str, words[:2])).replace(str(path), "SPEC")
        check(f"damaged_store_is_an_error_for_{name}",
              haft(*words, "--store", "sqlite:text.db")[0], 1)
        check(f"unknown_store_is_rejected_by_{name}", haft(*words, "--store", "ftp://x")[0], 2)


def test_reading_creates_nothing():
    missing = Path(scratch) / "none" / "haft.db"
    store = ("--store", f"sqlite:{missing}")
    check("missing_store_has_no_runs", haft("runs", "list", *store),
          (0, "", f"no store at {missing}\n"))
    check("missing_store_has_no_runs_as_json",
          haft("runs", "list", "--json", *store)[:2], (0, '{"runs":[]}\n'))
    status, out, err = haft("runs", "list", "--limit", 0)
    check("limit_of_zero_runs_is_rejected", (status, out, "at least 1" in err), (2, "", True))
    for words in (["show", "x"], ["events", "x"], ["replay", "x"], ["fork", "x"], ["rm", "x"],
                  ["artifact", "x", "y"], ["gc"]):
        status, _, err = haft("runs", *words, *store)
        check(f"missing_store_is_an_error_for_{words[0]}",
              (status, "the store does not exist" in err), (1, True))
    for words in (["answer", "x", "y"], ["approve", "x"], ["reject", "x"], ["resume", "x"],
                  ["resume", "--all"], ["cancel", "x"]):
        status, _, err = haft(*words, *store)
        check(f"missing_store_is_an_error_for_{words[0]}_{words[1]}",
              (status, "the store does not exist" in err),
              (1, True))
    check("no_store_was_created", missing.parent.exists(), False)


def test_rm_and_gc():
    path = spec("gone", [{"text": "bye"}], [])
    run = result("run", path, "go")[1]["run"]
    check("a_run_can_be_removed", (haft("runs", "rm", run)[0], haft("runs", "show", run)[0]),
          (0, 2))
    slow = spec("killed", [calls("slow")],
                [tool("slow", ["sh", "-c", "echo > slow-began; sleep 60"])])
    running = subprocess.Popen([HAFT, "run", slow, "go"], cwd=scratch, env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for((Path(scratch) / "slow-began").exists)
    status, _, err = haft("runs", "rm", "last")
    check("run_with_an_owner_is_not_removed", (status, "belongs to process" in err), (1, True))
    running.kill()
    running.wait()
    check("run_of_a_dead_owner_is_removed_at_once", haft("runs", "rm", "last"), (0, "", ""))
    result("run", path, "go")
    status, out, _ = haft("runs", "gc", "--older", "0s")
    check("old_runs_can_be_collected", (status, out.endswith("runs removed\n")), (0, True))


def test_retention():
    store = f"sqlite:{scratch}/retention.db"
    good, bad = spec("kept", [{"text": "bye"}], []), spec("lost", [{"error": {"status": 400}}], [])
    for path in good, good, bad, good:
        haft("run", path, "go", "--store", store)

    def left():
        out = haft("runs", "list", "--json", "--store", store)[1]
        return [row["end"] or row["state"] for row in json.loads(out)["runs"]]

    def collect(*words):
        return haft("runs", "gc", "--store", store, *words)[:2]

    check("without_options_no_run_is_removed",
          (collect(), len(left())), ((0, "0 runs removed\n"), 4))
    check("gc_dry_run_removes_nothing", (collect("--keep", 3, "--dry-run"), len(left())),
          ((0, "1 run would be removed\n"), 4))
    check("gc_by_number", (collect("--keep", 3, "--json"), left()),
          ((0, '{"removed":1,"dry_run":false}\n'), ["done", "failed", "done"]))
    check("gc_by_end", (collect("--state", "failed", "--state", "expired"), left()),
          ((0, "1 run removed\n"), ["done", "done"]))
    check("gc_by_age", (collect("--older", "1h"), collect("--older", "0s", "--keep", 1), left()),
          ((0, "0 runs removed\n"), (0, "1 run removed\n"), ["done"]))
    for words in ["--state", "running"], ["--state", ""], ["--keep", "x"], ["--older", "x"]:
        check(f"gc_rejects_invalid_options_{words}", (collect(*words)[0], left()), (2, ["done"]))
    ask = spec("asking", [calls("pick"), {"text": "thanks"}], [tool("pick")])
    run = result("run", ask, "go", "--store", store)[1]
    haft("run", good, "before", "--store", store, "--thread", run["thread"], "--detach")
    check("gc_keeps_unfinished_runs", (collect("--keep", 0, "--older", "0s"), left()),
          ((0, "1 run removed\n"), ["queued", "waiting"]))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=str(Path(scratch) / "state"))
    test_headless()
    test_question()
    test_approval()
    test_threads()
    test_waiting_in_memory()
    test_artifacts()
    test_crash()
    test_cancel()
    test_other_owner()
    test_elsewhere()
    test_big_results()
    test_cached_secrets()
    test_interrupt()
    test_detach()
    test_fork()
    test_bad_names()
    test_same_exits()
    test_reading_creates_nothing()
    test_rm_and_gc()
    test_retention()
