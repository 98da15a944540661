#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forks: where they start, what they know, and that no call runs again without approval."""
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
LONG = 300


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, cwd=scratch,
                          env=environment, timeout=LONG, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def result(*words):
    status, out, err = haft(*words, "--json")
    return status, json.loads(out) if out else {"error": err}


def fork(run, *words):
    status, out, err = haft("runs", "fork", run, *words)
    return out.strip() if status == 0 else (status, err)


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def spec(name, replies, tools, **more):
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": tools,
                                     "model": f"script:{name}.script.json"}, **more))


def tool(name, work, **traits):
    return {"name": name, "description": f"Does {name}.", "args": ["q"],
            "command": ["sh", "-c", work], "traits": traits}


def call(*names):
    return {"calls": [{"name": name, "arguments": {"q": "x"}} for name in names]}


PICK = {"name": "pick", "description": "Lets somebody pick.", "args": ["q"], "headless": True}


def effects(name):
    path = Path(scratch) / name
    return len(path.read_text().split()) if path.exists() else 0


def row(run):
    rows = json.loads(haft("runs", "list", "--json")[1])["runs"]
    return next(each for each in rows if each["run"] == run)


def events(run):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def kinds(run):
    return [event["kind"] for event in events(run)]


def replays(run):
    return haft("runs", "replay", run)[1].startswith("identical")


def test_turns():
    store = {"name": "store_artifact", "arguments": {"name": "a", "content": "kept"}}
    path = spec("turns", [call("mark"), {"calls": [store]}, call("mark"), {"text": "end"}],
                [tool("mark", "echo x >> marks"), {"builtin": ["store_artifact"]}],
                choice={"min_tools_for_auto": 0})
    run = result("run", path, "go")[1]["run"]
    check("original_run_has_its_effects", (effects("marks"), len(events(run)) > 10), (2, True))
    for turn, wanted in (0, 4), (1, 5), (2, 6), (3, 6):
        made = fork(run, "--turn", turn)
        check(f"a_fork_of_turn_{turn}_has_its_events",
              kinds(made), kinds(run)[:len(kinds(made))])
        check(f"no_call_is_repeated_in_turn_{turn}", (
            result("resume", made)[1]["answer"], effects("marks"), replays(made)),
            ("end", wanted, True))
        check(f"fork_has_a_new_thread_in_turn_{turn}",
              row(made)["thread"] not in (row(run)["thread"], ""),
              True)
    made = fork(run, "--turn", 2)
    check("fork_has_the_artifacts", haft("runs", "artifact", made, "a")[1], "kept")
    done = result("runs", "fork", run, "--turn", 3, "--go")[1]
    check("fork_continues_at_once", done["answer"], "end")
    for words in (["--turn", 5], ["--at", 3], ["--turn", 1, "--at", 4], ["--go"],
                  ["--call", "c1.1"], ["--answer", "x"], ["--thread", "x", "--turn", 1],
                  ["--thread", row(run)["thread"], "--turn", 1]):
        check(f"fork_at_an_invalid_place_is_rejected{words}",
              isinstance(fork(run, *words), tuple), True)
    thread = "01k00000000000000000000001"
    check("fork_gets_the_given_thread_id",
          row(fork(run, "--turn", 1, "--thread", thread))["thread"], thread)


def test_edit():
    path = spec("talk", [{"text": "first answer"}], [])
    knows = spec("knows", [{"expect": {"contains": "first answer"}, "text": "good"}], [])
    first = result("run", path, "first")[1]
    second = result("run", knows, "second", "--thread", first["thread"])[1]
    result("run", path, "third", "--thread", first["thread"])
    status, edited = result("runs", "fork", second["run"], "--task", "other words")
    check("fork_continues_with_another_task", (status, edited["answer"]), (0, "good"))
    rows = json.loads(haft("runs", "list", "--json", "--thread", edited["thread"])[1])["runs"]
    check("thread_of_the_fork_has_only_earlier_runs", [each["task"] for each in rows],
          ["other words", "first"])
    rows = json.loads(haft("runs", "list", "--json", "--thread", first["thread"])[1])["runs"]
    check("the_other_thread_is_unchanged", len(rows), 3)
    check("fork_with_another_task_replays", replays(edited["run"]), True)


def test_answer():
    path = spec("asked", [call("pick"), call("mark"), {"text": "end"}],
                [PICK, tool("mark", "echo x >> answers")])
    run = result("run", path, "go")[1]["run"]
    haft("answer", run, '"red"')
    made = fork(run, "--call", "c1.1")
    check("fork_has_the_pause_of_the_original_run", (row(made)["state"], result(
        "runs", "show", made)[1]["pending"][0]["call"]), ("waiting", "c1.1"))
    status, other = result("runs", "fork", run, "--call", "c1.1", "--answer", '"blue"')
    answers = [e["value"] for e in events(other["run"]) if e["kind"] == "answered"]
    check("fork_continues_with_another_answer",
          (status, other["end"], answers), (0, "done", ["blue"]))
    check("fork_at_an_answer_replays", replays(other["run"]), True)


def pauses(run):
    return [(p["call"], p["kind"]) for p in result("runs", "show", run)[1]["pending"]]


def test_waiting():
    """Two forks can answer a question differently before the run itself is answered."""
    path = spec("undecided", [call("pick"), call("mark"), {"text": "end"}],
                [PICK, tool("mark", "echo x >> undecided.effects")],
                pauses={"headless": {"deadline": "1h"}})
    run = result("run", path, "go")[1]["run"]
    last = events(run)[-1]["seq"]
    for words in ([], ["--call", "c1.1"], ["--at", last]):
        made = fork(run, *words)
        check(f"a_run_that_waits_is_forked_where_it_waits{words[:1]}",
              (row(made)["state"], pauses(made), kinds(made) == kinds(run)),
              ("waiting", [("c1.1", "headless")], True))
    check("fork_after_an_unfinished_turn_is_rejected",
          isinstance(fork(run, "--turn", 1), tuple), True)
    check("fork_can_be_answered_before_the_run", (result("answer", made, '"red"')[1]["end"],
                                                  effects("undecided.effects")), ("done", 1))
    status, other = result("runs", "fork", run, "--call", "c1.1", "--answer", '"blue"')
    answers = [e["value"] for each in (made, other["run"]) for e in events(each)
            if e["kind"] == "answered"]
    check("another_fork_can_have_another_answer",
          (status, answers, replays(made), replays(other["run"]),
           effects("undecided.effects")),
          (0, ["red", "blue"], True, True, 2))
    check("original_run_still_waits", pauses(run), [("c1.1", "headless")])


def test_question_during_a_call():
    """A call that runs while a question is pending has an unknown outcome in a fork, and does not
    start again."""
    for name, traits, wanted in (("besides", {}, True), ("besidesk", {"idempotent": True}, False)):
        work = f"echo x >> {name}.effects; while [ ! -e {name}.gate ]; do sleep 0.02; done"
        path = spec(name, [call("slow", "pick"), {"text": "end"}],
                    [PICK, tool("slow", work, **traits)])
        process = subprocess.Popen([HAFT, "run", path, "go"], cwd=scratch, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL)
        end = time.monotonic() + LONG
        while time.monotonic() < end and (effects(f"{name}.effects") == 0
                                          or kinds("last")[-1] != "paused"):
            time.sleep(0.02)
        made = fork("last", "--call", "c1.2")
        put(f"{name}.gate", "")
        process.wait(timeout=LONG)
        if not wanted:
            check("fork_is_refused_while_a_repeatable_call_runs",
                  (made[0], "c1.1 of slow was running" in made[1]), (1, True))
            continue
        found = result("resume", made)[1]["pending"]
        check("call_in_progress_next_to_a_question_has_an_unknown_outcome",
              ([p["kind"] for p in found], effects(f"{name}.effects")),
              (["unknown_outcome", "headless"], 1))


def test_about_to_start():
    """A call that waits for nothing starts in the run itself."""
    for name, traits, wanted in (("begins", {}, 1), ("beginsr", {"read_only": True}, 0)):
        path = spec(name, [call("pick", "mark"), {"text": "end"}],
                    [PICK, tool("mark", "true", **traits)])
        lines = haft("runs", "events", result("run", path, "go")[1]["run"])[1].splitlines()
        asked = next(i for i, line in enumerate(lines) if json.loads(line)["kind"] == "paused")
        log = put(f"{name}.jsonl", "".join(line + "\n" for line in lines[:asked + 1]))
        status, out, err = haft("runs", "fork", log, "--spec", path, "--call", "c1.1")
        check(f"call_about_to_start_does_not_start_twice{traits}",
              (status, "c1.2 of mark" in err), (wanted, wanted == 1))


def test_which_pause():
    """A call that paused twice is forked at its last pause, or anywhere with --at."""
    path = spec("twice", [call("pick"), {"text": "end"}],
                [dict(PICK, traits={"needs_approval": True})])
    run = result("run", path, "go")[1]["run"]
    haft("approve", run)
    check("call_option_selects_the_pending_pause",
          pauses(fork(run, "--call", "c1.1")), [("c1.1", "headless")])
    haft("answer", run, '"red"')
    check("call_option_selects_the_last_answer",
          pauses(fork(run, "--call", "c1.1")), [("c1.1", "headless")])
    first = next(e["seq"] for e in events(run) if e["kind"] == "answered")
    made = fork(run, "--at", first - 1)
    check("at_option_selects_the_approval_before", pauses(made), [("c1.1", "approval")])
    check("fork_can_be_rejected_there", (result("reject", made)[1]["end"], replays(made)),
          ("done", True))


def test_branch():
    """After the end of a run its thread continues in two branches."""
    path = spec("trunk", [{"text": "first answer"}], [])
    knows = spec("branch", [{"expect": {"contains": "first answer"}, "text": "good"}], [])
    first = result("run", path, "first")[1]
    second = result("run", path, "second", "--thread", first["thread"])[1]
    result("run", path, "third", "--thread", first["thread"])
    for words in ([], ["--turn", 1]):
        status, out, err = haft("runs", "fork", second["run"], *words)
        made = row(out.strip())
        check(f"a_run_that_has_ended_is_copied{words}",
              (status, made["state"], made["end"], f"--thread {made['thread']}" in err,
               replays(made["run"])), (0, "ended", "done", True, True))
        more = result("run", knows, "more", "--thread", made["thread"])[1]
        rows = json.loads(haft("runs", "list", "--json", "--thread", made["thread"])[1])["runs"]
        check(f"its_thread_continues_after_it{words}",
              (more["answer"], [each["task"] for each in rows]),
              ("good", ["more", "second", "first"]))
    status, out, err = haft("runs", "fork", second["run"], "--go")
    check("copy_of_an_ended_run_cannot_continue", (status, out, "has ended" in err), (2, "", True))
    log = put("trunk.jsonl", haft("runs", "events", second["run"])[1])
    check("ended_run_in_an_event_file_is_not_copied",
          haft("runs", "fork", log, "--spec", path)[0], 2)


def test_left_alone():
    path = spec("charges", [call("charge"), {"text": "end"}],
                [tool("charge", "echo x >> charges.effects")])
    run = result("run", path, "go")[1]["run"]
    for turn, more in ((0, 1), (1, 0)):
        made, before = fork(run, "--turn", turn), effects("charges.effects")
        found = result("resume", "--all")[1], haft("worker", "--until-idle", "--json")[:2]
        check(f"an_unopened_fork_is_not_claimed_{turn}",
              (found, row(made)["state"], effects("charges.effects") - before),
              (({"runs": []}, (0, "")), "waiting", 0))
        check(f"every_command_shows_the_same_state_{turn}",
              result("runs", "show", made)[1]["end"], "waiting")
        check(f"opening_the_fork_continues_it_{turn}",
              (result("resume", made)[1]["end"], effects("charges.effects") - before),
              ("done", more))
    made, before = fork(run, "--turn", 0), effects("charges.effects")
    check("fork_can_be_cancelled_before_it_begins",
          (result("cancel", made)[1]["end"], effects("charges.effects") - before),
          ("cancelled", 0))


def start_with_running_call(name, traits, **more):
    """A run whose call `slow` was running when another process answered `pick`."""
    work = f"echo x >> {name}.effects; while [ ! -e {name}.gate ]; do sleep 0.02; done; echo ok"
    path = spec(name, [call("slow", "pick"), {"text": "end"}], [PICK, tool("slow", work, **traits)],
                **more)
    process = subprocess.Popen([HAFT, "run", path, "go", "--json"], cwd=scratch, env=environment,
                               stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    end = time.monotonic() + LONG
    while effects(f"{name}.effects") == 0 and time.monotonic() < end:
        time.sleep(0.02)
    haft("answer", "last", "c1.2", '"red"')
    put(f"{name}.gate", "")
    return json.loads(process.communicate(timeout=LONG)[0])["run"]


def test_running_call():
    run = start_with_running_call("asks", {})
    made = fork(run, "--call", "c1.2")
    status, waiting = result("resume", made)
    check("a_running_call_becomes_an_unknown_outcome",
          (status, [p["kind"] for p in waiting["pending"]], effects("asks.effects")),
          (4, ["unknown_outcome", "headless"], 1))
    haft("answer", made, "c1.2", '"blue"')
    check("fork_continues_only_after_the_answer",
          (result("answer", made, "c1.1", '"it is done"')[1]["end"],
           effects("asks.effects"), replays(made)), ("done", 1, True))
    run = start_with_running_call("tells", {}, on_unknown="tell")
    status, done = result("runs", "fork", run, "--call", "c1.2", "--answer", "1")
    check("model_is_informed_instead_if_the_spec_says_so",
          (status, done["end"], effects("tells.effects")), (0, "done", 1))
    run = start_with_running_call("reads", {"read_only": True})
    check("read_only_call_runs_again_in_the_fork", (
        result("runs", "fork", run, "--call", "c1.2", "--answer", "1")[0],
        effects("reads.effects")), (0, 2))
    run = start_with_running_call("careful", {"on_unknown": "ask"}, on_unknown="retry")
    status, waiting = result("resume", fork(run, "--call", "c1.2"))
    check("the_tool_overrides_the_spec",
          (status, [p["kind"] for p in waiting["pending"]], effects("careful.effects")),
          (4, ["unknown_outcome", "headless"], 1))
    for name, traits, more in (("keyed", {"idempotent": True}, {}),
                               ("retried", {}, {"on_unknown": "retry"}),
                               ("retries", {"on_unknown": "retry"}, {})):
        run = start_with_running_call(name, traits, **more)
        status, err = fork(run, "--call", "c1.2")
        check(f"refused_if_no_question_would_follow_{name}",
              (status, "c1.1 of slow was running" in err, "--turn 0" in err,
               effects(f"{name}.effects")), (1, True, True, 1))


def test_not_started():
    """A call that waited for its siblings, or for limits.parallel, starts in the fork."""
    ask = {"name": "request_user_input", "arguments": {"question": "Which?"}}
    replies = [{"calls": call("send", "send")["calls"] + [ask]}, {"text": "end"}]
    send = tool("send", "echo x >> held.effects", needs_approval=True)
    path = spec("held", replies, [send, {"builtin": ["request_user_input"]}])
    run = result("run", path, "go")[1]["run"]
    for words in (("approve", run, "c1.1"), ("approve", run, "c1.2"), ("answer", run, "red")):
        status, ended = result(*words)
    check("a_question_after_approvals", (status, ended["end"]), (0, "done"))
    made = fork(run, "--call", "c1.1")
    for words in (("approve", made, "c1.1"), ("reject", made, "c1.2"), ("answer", made, "blue")):
        status, ended = result(*words)
    check("a_call_that_had_not_started_starts_in_the_fork",
          (status, ended["end"], effects("held.effects"), replays(made)), (0, "done", 3, True))


def test_changed():
    def write(**traits):
        return spec("changed", [call("pay", "pick"), {"text": "end"}],
                    [PICK, tool("pay", "echo x >> changed.effects", **traits)])

    def there():
        return len(json.loads(haft("runs", "list", "--json")[1])["runs"])

    run = result("run", write(), "go")[1]["run"]
    result("answer", run, "c1.2", '"red"')
    write(needs_approval=True)
    before = there()
    ways = (("--turn", 0, "--go"), ("--task", "other"), ("--call", "c1.2", "--answer", '"blue"'))
    for words in ways:
        status, out, err = haft("runs", "fork", run, *words)
        check(f"a_fork_whose_spec_has_changed_is_refused{words[:2]}",
              (status, "the spec has changed" in err, "needs_approval" in err,
               "--accept-spec" in err, effects("changed.effects")), (2, True, True, True, 1))
    status, out, err = haft("runs", "fork", run, *ways[0], "--accept-spec", "--stored-spec")
    check("the_two_options_cannot_be_combined", (status, "cannot be combined" in err), (2, True))
    check("rejected_fork_is_not_created", there(), before)
    status, waiting = result("runs", "fork", run, *ways[0], "--accept-spec")
    check("fork_continues_with_the_new_spec",
          (status, [p["kind"] for p in waiting["pending"]], effects("changed.effects"),
             "spec_changed" in kinds(waiting["run"])), (4, ["approval", "headless"], 1, True))
    status, waiting = result("runs", "fork", run, *ways[0], "--stored-spec")
    check("fork_continues_with_the_stored_spec", (status, effects("changed.effects")), (4, 2))
    check("its_exit_status_is_in_the_help",
          f"    {status}  " in haft("help", "runs")[1].partition("Exit status:")[2], True)
    for option, wanted in (("--accept-spec", 1), ("--stored-spec", 0)):
        status, done = result("runs", "fork", run, *ways[2], option)
        check(f"changed_spec_with_an_answer_{option}",
              (status, done["end"], kinds(done["run"]).count("spec_changed"),
               effects("changed.effects"), replays(done["run"])),
              (0, "done", wanted, 2, True))
    made = fork(run, "--turn", 0)
    check("the_spec_is_checked_when_the_fork_continues",
          (isinstance(made, str), haft("resume", made)[0]), (True, 2))
    (Path(scratch) / "changed.json").unlink()
    status, out, err = haft("runs", "fork", run, *ways[2])
    check("a_missing_file_is_reported_once", (status, err.count("no longer exists")),
          (0, 1))


def test_cannot_continue():
    path = put("key.json", {"haft": 1, "name": "key", "model": "script:key.script.json",
                            "tools": [tool("say", "cat")]})
    put("key.script.json", {"replies": [{"text": "end"}]})
    run = result("run", path, "go")[1]["run"]
    put("key.script.json", "no script")
    status, out, err = haft("runs", "fork", run, "--turn", 0, "--go")
    made = json.loads(haft("runs", "list", "--json")[1])["runs"][0]["run"]
    check("a_fork_that_cannot_continue_is_named",
          (status != 0, f"the fork is {made}" in err, row(made)["state"]), (True, True, "waiting"))
    put("key.script.json", {"replies": [{"text": "end"}]})
    check("fork_continues_later", result("resume", made)[1]["end"], "done")


with tempfile.TemporaryDirectory() as scratch:
    environment = {"PATH": os.environ["PATH"], "HOME": scratch, "LANG": "C.UTF-8",
                   "XDG_STATE_HOME": f"{scratch}/state"}
    test_turns()
    test_edit()
    test_answer()
    test_waiting()
    test_question_during_a_call()
    test_about_to_start()
    test_which_pause()
    test_branch()
    test_left_alone()
    test_running_call()
    test_not_started()
    test_changed()
    test_cannot_continue()
