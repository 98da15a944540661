#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With --json a refused command prints the state of the run, as the store has it, and the reason;
every command prints exactly one object, as docs/schemas describes it."""
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
SHAPES = Path(__file__).resolve().parent.parent.parent / "docs/schemas"
LONG = 300


def haft(*words, text=""):
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          cwd=scratch, env=environment, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def one(shape, *words):
    """The exit status and the only object, which matches its schema."""
    status, out, _ = haft(*words, "--json")
    good = out.count("\n") == 1 and haft("validate", SHAPES / f"{shape}.schema.json", "-",
                                         text=out)[0] == 0
    return status, json.loads(out) if good else {"not as described": out}


def refused_state(*words):
    """The exit status, the state that a refused command prints, and whether it prints a reason."""
    status, found = one("result", *words)
    return state_of(status, found)


def state_of(status, found):
    error = found.get("error") or {}
    return (status, found.get("run"), found.get("thread"), found.get("end"), found.get("turns"),
            [call["call"] for call in found.get("pending", [])], error.get("message", "") != "")


def put(name, value):
    path = Path(scratch) / name
    path.write_text(json.dumps(value))
    return path


def tool(name, **more):
    return dict({"name": name, "description": f"Does {name} for the tests of haft.",
                 "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
                **more)


def spec(name, replies, *tools, **more):
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": list(tools),
                                     "model": f"script:{name}.script.json"}, **more))


def call(name, /, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], text=True, cwd=scratch, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def rows():
    return json.loads(haft("runs", "list", "--json")[1])["runs"]


def begin_slow(name, *words):
    """A run whose call has started, and ends when the test ends it."""
    path = spec(name, [call("wait"), {"text": "end"}],
                tool("wait", command=["sh", "-c", f"touch {name}.begun; exec sleep 300"],
                     traits={"read_only": True}))
    process = start("run", path, "go", *words)
    wait_for((Path(scratch) / f"{name}.begun").exists)
    return process


PAY = dict(command=["true"], traits={"needs_approval": True})


def test_refused_while_it_waits():
    path = spec("pay", [call("pay", n=1), {"text": "paid"}], tool("pay", **PAY))
    status, made = one("result", "run", path, "go")
    run, thread = made["run"], made["thread"]
    check("run_waits", (status, made["end"], made["error"]), (4, "waiting", None))
    waits = (run, thread, "waiting", 1, ["c1.1"], True)
    check("arguments_that_are_not_json_are_refused",
          refused_state("approve", run, "--args", "{"), (2, *waits))
    check("arguments_that_do_not_fit_are_refused",
          refused_state("approve", run, "--args", '{"n":"x"}')[1:], waits)
    check("unknown_call_is_refused", refused_state("approve", run, "c9.9")[1:], waits)
    check("prefix_of_the_id_is_accepted", refused_state("approve", run[:-1], "c9.9")[1:], waits)
    put("pay.json", dict(json.loads(path.read_text()), instructions="Other."))
    check("changed_spec_is_refused_by_resume", refused_state("resume", run)[1:], waits)
    check("changed_spec_is_refused_by_approve", refused_state("approve", run)[1:], waits)
    check("run_is_done_after_the_approval",
          one("result", "approve", run, "--accept-spec")[1]["end"], "done")
    done = (run, thread, "done", 2, [], True)
    check("a_late_command_gets_the_state", refused_state("reject", run, "c1.1"), (1, *done))
    check("a_late_cancel_gets_the_state", refused_state("cancel", run), (1, *done))
    check("an_unknown_run_is_null", refused_state("cancel", "0" * 26),
          (2, None, None, "failed", 0, [], True))


def test_refused_by_another_process():
    process = begin_slow("busy", "--json")
    row = rows()[0]
    check("run_of_another_process_is_refused", refused_state("resume", row["run"]),
          (1, row["run"], row["thread"], "running", 1, [], True))
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=LONG)
    check("signal_prints_the_state_of_the_run", state_of(process.returncode, json.loads(out)),
          (130, row["run"], row["thread"], "running", 1, [], True))
    haft("cancel", row["run"])


def test_too_late():
    """An answer after the deadline is rejected, and the run continues."""
    path = spec("late", [call("request_user_input", question="Which?"), {"text": "end"}],
                {"builtin": ["request_user_input"]},
                pauses={"question": {"deadline": "1ms", "on_expire": {"answer": "red"}}})
    haft("run", path, "go", "--quiet")
    status, found = one("result", "answer", "last", "c1.1", "another")
    check("too_late_is_in_the_object", (status, found["end"], "too late" in str(found["error"])),
          (1, "done", True))


def test_in_memory():
    process = begin_slow("gone", "--json", "--store", "memory:")
    process.send_signal(signal.SIGTERM)
    found = json.loads(process.communicate(timeout=LONG)[0])
    check("run_in_memory_is_cancelled_by_a_signal", (process.returncode, found["end"],
                                                     found["error"]["message"]),
          (130, "cancelled", "stopped by a signal"))


def test_after_the_end():
    """A write that fails after the end does not change the end."""
    path = spec("kept", [call("store_artifact", name="a", content="b"), {"text": "good"}],
                {"builtin": ["store_artifact"]})
    nowhere = Path(scratch) / "taken"
    (nowhere / "a").mkdir(parents=True)
    for store in f"sqlite:{scratch}/kept.db", "memory:":
        status, found = one("result", "run", path, "go", "--artifacts", nowhere, "--store", store)
        check(f"the_answer_is_printed_{store[:6]}", (status, found["end"], found["answer"],
                                                     found["error"] is not None),
              (1, "done", "good", True))


def test_all():
    path = spec("lost", [{"text": "found"}])
    run = haft("run", path, "task", "--detach")[1].strip()
    thread = rows()[0]["thread"]
    (Path(scratch) / "lost.script.json").unlink()
    status, out, _ = haft("resume", "--all", "--json")
    printed = json.loads(out)["runs"]
    check("resume_all_prints_each_run", [state_of(status, each)[1:] for each in printed],
          [(run, thread, "queued", 0, [], True)])
    check("a_single_run_prints_the_same", refused_state("resume", run)[1:],
          (run, thread, "queued", 0, [], True))


def test_runs():
    path = spec("two", [call("note", n=1), {"text": "end"}], tool("note", command=["true"]))
    run = one("result", "run", path, "go")[1]["run"]
    log = Path(scratch) / "two.jsonl"
    log.write_text(haft("runs", "events", run)[1])
    status, made = one("result", "runs", "fork", run, "--turn", 1)
    check("fork_prints_its_state",
          (status, made["run"] not in (None, run), made["end"], made["turns"],
           made["error"]), (0, True, "waiting", 1, None))
    check("json_for_a_fork_that_continues",
          one("result", "runs", "fork", run, "--turn", 1, "--go")[1]["end"],
          "done")
    (Path(scratch) / "two.script.json").rename(Path(scratch) / "away.json")
    found = refused_state("runs", "fork", run, "--turn", 1, "--go")
    check("json_for_a_fork_that_cannot_continue",
          (found[0], found[1] == rows()[0]["run"], found[3:]),
          (1, True, ("waiting", 1, [], True)))
    (Path(scratch) / "away.json").rename(Path(scratch) / "two.script.json")
    check("replay_prints_its_result", one("replay", "runs", "replay", run),
          (0, {"identical": True, "events": len(log.read_text().splitlines()), "decisions": 4,
               "differs_at": None, "runs": 1, "run": None, "recorded": None, "decided": None}))
    log.write_text(log.read_text().replace('"mode":"auto"', '"mode":"any"', 1))
    status, found = one("replay", "runs", "replay", log, "--spec", path)
    check("replay_that_differs_prints_both_decisions",
          (status, found["identical"], found["differs_at"],
           found["recorded"]["mode"], found["decided"]["mode"]),
          (1, False, 2, "any", "auto"))
    check("replay_of_an_unknown_run_is_an_error",
          list(one("replay", "runs", "replay", "0" * 26)[1]), ["error"])
    check("rm_prints_the_number_of_removed_runs",
          one("gc", "runs", "rm", run), (0, {"removed": 1, "dry_run": False}))
    status, found = one("gc", "runs", "rm", run)
    check("rm_of_a_removed_run_is_an_error", (status, list(found)), (2, ["error"]))
    check("open_runs_have_no_end", (one("runs", "runs", "list", "--open")[0],
                                    {row["end"] for row in rows() if row["state"] != "ended"}),
          (0, {None}))
    for words in (["events", made["run"]], ["artifact", made["run"], "a"],
                  ["fork", log, "--spec", path, "--turn", 1]):
        status, found = one("gc", "runs", *words)
        check(f"json_is_refused_without_an_object_{words[0]}", (status, found["error"]["where"]),
              (2, "--json"))


def test_events():
    """Only events; or one object, if both are requested."""
    path = spec("apart", [{"text": "end"}])
    out = [json.loads(line) for line in haft("run", path, "go", "--detach", "--events")[1]
           .splitlines()]
    check("detached_run_prints_its_first_event", [(e["kind"], e["run"]) for e in out],
          [("run_started", rows()[0]["run"])])
    process = begin_slow("elsewhere")
    run = rows()[0]["run"]
    status, printed, errors = haft("cancel", run, "--events")
    process.communicate(timeout=LONG)
    out = haft("runs", "events", run)[1]
    check("command_to_another_process_prints_its_events",
          (status, errors if status != 130 else "", out.endswith(printed),
           [json.loads(line)["kind"] for line in printed.splitlines()][:1]),
          (130, "", True, ["cancel_asked"]))
    check("events_and_json_cannot_be_combined", refused_state("run", path, "go", "--events"),
          (2, None, None, "failed", 0, [], True))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=f"{scratch}/state")
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
