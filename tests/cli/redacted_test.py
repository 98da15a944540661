#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls and commands that contain a secret: they run exactly as approved or not at all, the same in
every process, whatever its environment."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # timeout in seconds of events that must happen soon
SECRET = "cluster-eu1"
KEY = "supersecretvalue123"
BEARER = "Bearer abcdefgh12345678ijkl"
KNOWS = {"DEPLOY_TOKEN": SECRET}


def start(*words, env=None):
    return subprocess.Popen([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, cwd=scratch,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**environment, **(env or {})})


def haft(*words, env=None):
    process = start(*words, env=env)
    out, err = process.communicate(timeout=LONG)
    return process.returncode, out, err


def spec(name, calls, *tools, **more):
    script = {"replies": [{"calls": calls}, {"text": "good"}]}
    (Path(scratch) / f"{name}.script.json").write_text(json.dumps(script))
    path = Path(scratch) / f"{name}.json"
    path.write_text(json.dumps({"haft": 1, "name": name, "tools": list(tools),
                                "model": f"script:{name}.script.json", **more}))
    return path


def tool(name, command=None, **more):
    how = {"command": ["sh", "-c", command]} if command else {"headless": True}
    return {"name": name, "description": f"Does {name} for the tests of haft.", "args": ["to"],
            **how, **more}


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def effects():
    """What the tools got: the key of the call, and the arguments."""
    path = Path(scratch) / "log"
    lines = path.read_text().splitlines() if path.exists() else []
    return [tuple(line.split(" ", 1)) for line in lines]


LOG = 'read -r a; echo "$HAFT_IDEMPOTENCY_KEY $a" >> log'


def begin(name, calls, *tools, **more):
    """A waiting run, made by a process that does not know the secret."""
    (Path(scratch) / "log").unlink(missing_ok=True)
    status, out, err = haft("run", spec(name, calls, *tools, **more), "go", "--json", "--quiet")
    if status != 4:
        print(f"# {status} {err}")
    return json.loads(out)["run"] or "last"


def events(run):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def check_replay(name, run):
    status, out, _ = haft("runs", "replay", run)
    check(f"{name}_replays", (status, out[:9]), (0, "identical"))


def test_approved():
    """An approved call runs, also in a process that knows that it contains a secret."""
    run = begin("approved", [call("pay", to=SECRET)],
                tool("pay", LOG, traits={"needs_approval": True}))
    status, out, _ = haft("approve", run, "--events", env=KNOWS)
    check("approved_call_with_a_secret_runs", (status, effects()), (0, [(f"{run}:c1.1", json.dumps(
        {"to": SECRET}, separators=(",", ":")))]))
    check("secret_of_an_approved_call_is_not_printed", SECRET in out, False)
    check_replay("approved_call_with_a_secret", run)


def test_edited():
    """New arguments that contain a secret are refused; nothing runs, and the call stays pending."""
    pay = tool("pay", LOG, traits={"needs_approval": True}, env={"K": "${MYKEY}"})
    environment["MYKEY"] = KEY
    for name, value in (("bearer", BEARER), ("variable", f"with {KEY}"), ("token", SECRET)):
        run = begin(f"edit_{name}", [call("pay", to="ana")], pay)
        status, _, err = haft("approve", run, "--args", json.dumps({"to": value}), env=KNOWS)
        check(f"an_edit_with_a_{name}_is_refused", (status, "secret" in err, value in err,
                                                   effects()), (2, True, False, []))
        check(f"an_edit_with_a_{name}_leaves_no_event", events(run)[-1]["kind"], "paused")
        status = haft("approve", run, "--args", '{"to":"bob"}', env=KNOWS)[0]
        check(f"valid_edit_after_an_edit_with_a_{name}_runs", (status, [a for _, a in effects()]),
              (0, ['{"to":"bob"}']))
        check_replay(f"an_edit_with_a_{name}", run)
    del environment["MYKEY"]


def test_recovery():
    """The second attempt of a call has the key and the arguments of the first."""
    (Path(scratch) / "log").unlink(missing_ok=True)
    path = spec("recovery", [call("pay", to=SECRET)], tool(
        "pay", LOG + "; test $(wc -l < log) -gt 1 || sleep 60", traits={"idempotent": True}))
    first = start("run", path, "go", "--quiet")
    wait_for(effects)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    status, out, _ = haft("resume", "last", "--events", env=KNOWS)
    run = json.loads(out.splitlines()[0])["run"]
    check("a_second_attempt_is_like_the_first", (status, len(effects()), len(set(effects()))),
          (0, 2, 1))
    check("a_second_attempt_is_not_reported", SECRET in out, False)
    check_replay("a_second_attempt", run)


def test_suggested():
    """A call in which the model writes a secret is not run with another text."""
    (Path(scratch) / "log").unlink(missing_ok=True)
    path = spec("suggested", [call("pay", to=SECRET), call("pay", to=BEARER), call("pay", to="me")],
                tool("pay", LOG))
    status, out, _ = haft("run", path, "go", "--events", env=KNOWS)
    printed = [json.loads(line) for line in out.splitlines()]
    check("a_call_with_a_secret_is_not_made", (status, [a for _, a in effects()]),
          (0, ['{"to":"me"}']))
    check("refused_call_has_the_reason", [e["why"] for e in printed if e["kind"] == "call_refused"],
          ["secret", "secret"])
    check("the_reply_is_marked", [c.get("redacted") for e in printed if e["kind"] == "model_replied"
                                  for c in e["calls"]], [True, True, None])
    check_replay("a_call_with_a_secret", printed[0]["run"])


def test_number():
    """A secret that is a number does not break its event."""
    run = begin("number", [call("pick", to="a")], tool("pick"),
                tool("unused", "true", env={"K": "${PIN}"}))
    status = haft("answer", run, '{"n":12345678901,"m":[1]}')[0]
    check("a_number_is_redacted_as_a_value", (status, [e["value"] for e in events(run) if
          e["kind"] == "answered"]), (0, [{"n": "[redacted]", "m": [1]}]))


def test_words():
    """A variable whose value is a word of events, or part of a tool's name, blocks nothing."""
    for word in ("production", "headless", "call_started"):
        environment["WORD"] = word
        run = begin(f"word_{word}", [call("deploy_production", to="a"), call("pick", to="b")],
                    tool("deploy_production", LOG, env={"K": "${WORD}"}), tool("pick"))
        status = haft("answer", run, "1")[0]
        check(f"the_word_{word}_stops_nothing", (status, len(effects())), (0, 1))
        check_replay(f"the_word_{word}", run)
    del environment["WORD"]


def test_answered():
    """An equal answer with a secret is accepted again; the run has no other owner."""
    for name, value in (("value", {"k": KEY}), ("bearer", {"k": BEARER}), ("text", KEY)):
        run = begin(f"answered_{name}", [call("pick", to="a"), call("wait", to="b")],
                    tool("pick"), tool("wait"), tool("unused", "true", env={"K": "${MYKEY}"}))
        words = ("answer", run, "c1.1", json.dumps(value))
        found = [haft(*words)[0], haft(*words)[0]]
        found.append(haft("answer", run, "c1.1", '{"k":"other"}')[0])
        check(f"equal_{name}_is_accepted_and_another_is_rejected", found, [4, 4, 1])
        status = haft("answer", run, "c1.2", "1")[0]
        check(f"equal_{name}_is_accepted_after_the_end", (status, haft(*words)[0]), (0, 0))
        check_replay(f"equal_{name}", run)


def messages():
    with sqlite3.connect(f"file:{scratch}/state/haft/haft.db?mode=ro", uri=True) as db:
        return [str(row[0]) for row in db.execute("SELECT body FROM messages")]


def test_answered_there():
    """The same for a run of another process, sent by a process that knows the secret and by one
    that does not."""
    path = spec("there", [call("slow", to="a"), call("pick", to="b"), call("pick", to="c")],
                tool("slow", "sleep 600", env={"K": "${MYKEY}"}), tool("pick"))
    owner = start("run", path, "go", "--events")
    run = json.loads(owner.stdout.readline())["run"]
    wait_for(lambda: sum(e["kind"] == "paused" for e in events(run)) == 2)
    unknowing = {"MYKEY": "anything-else"}
    for name, target, env in (("known", "c1.2", None), ("unknown", "c1.3", unknowing)):
        words = ("answer", run, target, json.dumps({"k": KEY}))
        status, _, err = haft(*words, env=env)
        check(f"answer_to_another_process_{name}_is_sent",
              (status in (0, 4), "otherwise" in err), (True, False))
        taken = [e["value"] for e in events(run)
                 if e["kind"] == "answered" and e["call"] == target]
        check(f"answer_to_another_process_{name}_is_recorded", taken, [{"k": "[redacted]"}])
        check(f"equal_answer_to_another_process_{name}_is_accepted",
              haft(*words)[0] in (0, 4), True)
        check(f"different_answer_to_another_process_{name}_is_rejected",
              haft("answer", run, target, "1")[0], 1)
    check("run_of_another_process_is_cancelled", haft("cancel", run)[0], 130)
    owner.communicate(timeout=LONG)


def test_message():
    """A stored message that is not yet delivered has no secret in it."""
    path = spec("message", [call("slow", to="a"), call("pick", to="b")],
                tool("slow", "sleep 600", env={"K": "${MYKEY}"}), tool("pick"))
    owner = start("run", path, "go", "--events")
    run = json.loads(owner.stdout.readline())["run"]
    wait_for(lambda: any(e["kind"] == "paused" for e in events(run)))
    owner.send_signal(signal.SIGSTOP)
    speaker = start("answer", run, "c1.2", json.dumps({"k": KEY, "n": 1}))
    left = wait_for(messages) or []
    check("a_message_waits_without_its_secret", [(KEY in text, "[redacted]" in text)
                                                 for text in left], [(False, True)])
    owner.send_signal(signal.SIGCONT)
    speaker.communicate(timeout=LONG)
    check("a_message_is_received", speaker.returncode in (0, 4), True)
    haft("cancel", run)
    owner.communicate(timeout=LONG)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=str(Path(scratch) / "state"))
    test_approved()
    test_edited()
    test_recovery()
    test_suggested()
    environment.update(MYKEY=KEY, PIN="12345678901")
    test_number()
    test_words()
    test_answered()
    test_answered_there()
    test_message()
