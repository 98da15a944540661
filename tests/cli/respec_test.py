#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose spec has changed since they started: refused with the changes, or accepted."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, input="",
                          cwd=scratch, env=environment)
    return done.returncode, done.stdout, done.stderr


def events():
    return [json.loads(line) for line in haft("runs", "events", "last")[1].splitlines()]


def kinds():
    return [event["kind"] for event in events()]


def pending():
    shown = json.loads(haft("runs", "show", "last", "--json")[1])
    return [(p["call"], p["kind"]) for p in shown["pending"]]


def sent():
    path = Path(scratch) / "sent.log"
    return path.read_text().splitlines() if path.exists() else []


def write(description="Sends it.", head="", tools=None, **more):
    send = {"name": "send", "description": description,
            "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "command": ["sh", "-c", "cat >> sent.log"], "traits": {"needs_approval": True}}
    spec = dict({"haft": 1, "name": "s", "model": "script:script.json",
                 "tools": [send] if tools is None else tools}, **more)
    (Path(scratch) / "s.yaml").write_text(head + json.dumps(spec, indent=1))


def begin(*words, **more):
    """A run that waits for the approval of send."""
    (Path(scratch) / "sent.log").unlink(missing_ok=True)
    (Path(scratch) / "script.json").write_text(json.dumps(
        {"replies": [{"calls": [{"name": "send", "arguments": {"n": 1}}]}, {"text": "good"}]}))
    write(**more)
    return haft("run", "s.yaml", "do it", "--quiet", *words)[0]


def test_unchanged():
    check("a run waits", begin(), 4)
    write(head="# a comment\n")
    check("a comment does not change the spec",
          haft("approve", "last", "--quiet")[:2], (0, "good\n"))
    check("the approved call has run", sent(), ['{"n":1}'])


def changed():
    return [e["changes"] for e in events() if e["kind"] == "spec_changed"]


def command():
    """The words of the `haft approve` that a waiting run prints."""
    printed = haft("resume", "last", "--quiet")[2]
    return next(line for line in printed.splitlines() if "haft approve" in line).split()[1:]


def test_value_of_a_missing_variable():
    """--set may give the value of a variable that this shell lacks; the approval stays valid."""
    by_variable = [{"name": "send", "description": "Sends it.", "traits": {"needs_approval": True},
                    "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}},
                    "command": ["sh", "-c", "echo $TO >> sent.log"], "env": {"TO": "to ${TO}"}}]
    value = ("--set", "tools.0.env.TO=to Ada")

    def waiting():
        environment["TO"] = "Ada"
        begin(tools=by_variable)
        words = command()
        del environment["TO"]
        return words

    good = (0, "good\n", ["to Ada"])
    waiting()
    status, _, err = haft("approve", "last")
    check("the missing variable is named",
          (status, "the variable TO is not set" in err, kinds()[-1]), (2, True, "paused"))
    check("an approval with the value", (*haft("approve", "last", "--quiet", *value)[:2], sent()),
          good)
    change = next(e for e in events() if e["kind"] == "spec_changed")
    check("it has a new binding", (change["judged_again"], list(change["rebound"])), ([], ["c1.1"]))
    check("the printed command with the value",
          (*haft(*waiting(), "--quiet", *value)[:2], sent()), good)
    waiting()
    check("a resumed run waits", haft("resume", "last", "--quiet", *value)[0], 4)
    check("other values are added", haft("resume", "last", "-q", "--set", "limits.turns=7")[0], 4)
    check("the same value again", haft("resume", "last", "--quiet", *value)[0], 4)
    check("the command that it prints", (*haft(*command(), "--quiet")[:2], sent()), good)
    for other in ("tools.0.env.TO=for Ada", "tools.0.env.MORE=x", "tools.0.description=Sends all.",
                  "tools.0.command.2=echo >> sent.log"):
        words = waiting()
        status, _, err = haft(*words, "--quiet", *value, "--set", other)
        check(f"another call needs approval: {other}",
              (status, "as it is now" in err, pending(), sent()),
              (1, True, [("c1.1", "approval")], []))
        check(f"the new command works: {other}", haft(*command(), "--quiet")[:2], (0, "good\n"))
    waiting()
    environment["TO"] = "Bob"
    status, _, err = haft("approve", "last", "--quiet", *value)
    del environment["TO"]
    check("a value other than that of the variable needs approval",
          (status, "as it is now" in err, sent()), (1, True, []))


def test_second_missing_variable():
    """An override may need a variable too: the last spec of the run counts, not the first."""
    environment["TO"] = "Ada"
    begin()
    check("the run gets a variable", haft("resume", "last", "--quiet", "--set",
                                          "tools.0.env={\"TO\": \"${TO}\"}")[0], 4)
    del environment["TO"]
    status, _, err = haft("approve", "last")
    check("it is missing", (status, "the variable TO is not set" in err), (2, True))
    check("its value continues the run",
          haft("approve", "last", "--quiet", "--set", "tools.0.env.TO=Ada")[:2], (0, "good\n"))


def test_missing_variables():
    """One message names all variables that a shell lacks."""
    environment.update(TO="Ada", FROM="Bob")
    begin(tools=[{"name": "send", "description": "Sends it.", "args": ["n"],
                  "traits": {"needs_approval": True}, "command": ["sh", "-c", "echo $A"],
                  "env": {"A": "${TO}", "B": "${FROM} ${TO}"}}])
    words = command()
    del environment["TO"], environment["FROM"]
    status, _, err = haft(*words)
    check("all missing variables are named",
          (status, err.count("the variable TO is not set"), err.count("the variable FROM")),
          (2, 1, 1))


def test_overridden():
    """--model and --set: for a shell that lacks the variables of the first."""
    (Path(scratch) / "other.json").write_text(json.dumps(
        {"replies": [{"text": "unused"}, {"text": "of another"}]}))
    for name, remove, words in (("with_its_file", False, ()),
                                ("with_the_stored_spec", False, ("--stored-spec",)),
                                ("without_its_file", True, ())):
        begin("--set", "limits.turns=5")
        if remove:
            (Path(scratch) / "s.yaml").unlink()
        check(f"overridden {name}",
              haft("approve", "last", "--quiet", "--model", "script:other.json", *words)[:2],
              (0, "of another\n"))
        check(f"the changes {name} are recorded",
              changed(), [['model: "script:script.json" -> "script:other.json"']])
        check(f"the approved call has run {name}", sent(), ['{"n":1}'])
    begin()
    check("nothing is overridden", haft("approve", "last", "--quiet", "--model",
                                        "script:script.json")[:2], (0, "good\n"))
    check("no change is recorded", changed(), [])
    begin()
    status, _, err = haft("approve", "last", "--set", "limits.turns=x")
    check("an invalid override is refused",
          (status, "is overridden and is not valid" in err, pending()),
          (2, True, [("c1.1", "approval")]))
    write(description="Sends it elsewhere.")
    status, _, err = haft("approve", "last", "--set", "limits.turns=5")
    check("an override accepts no other change",
          (status, "the spec has changed since the run began" in err, sent()), (2, True, []))
    missing = "by OPENAI_API_KEY, which is not set"
    environment["OPENAI_API_KEY"] = "k"
    begin("--detach", model="openai:gpt-5-mini", tools=[])
    del environment["OPENAI_API_KEY"]
    for words in ((), ("--set", "limits.turns=5")):
        status, _, err = haft("resume", "last", *words)
        check(f"the missing variable is named {words}", (status, missing in err), (2, True))
    check("another model needs no key",
          haft("resume", "last", "--quiet", "--model", "script:other.json")[:2], (0, "unused\n"))


class Server:
    """A model server that plays a script."""

    def __init__(self, replies):
        path = Path(scratch) / "served.json"
        path.write_text(json.dumps({"replies": replies}))
        self.process = subprocess.Popen([HAFT, "mock-model", path], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()


def begin_served(variables, **more):
    environment.update(variables)
    status = begin(model="openai:m", **more)
    for name in variables:
        del environment[name]
    return status


def test_variables():
    """A run whose server was chosen by variables, in shells without some of them."""
    call = [{"calls": [{"name": "send", "arguments": {"n": 1}}]}]
    script = Path(scratch) / "other.json"
    script.write_text(json.dumps({"replies": [{"text": "unused"}, {"text": "of another"}]}))
    good = [{"text": "good"}]
    with Server(call + good + call + call + good + call + (call + good) * 2) as server:
        both = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-planted-7d1f9a"}
        check("the run waits", begin_served(both), 4)
        started = events()[0]
        check("names are recorded, values are not",
              (started.get("variables"), server.url in json.dumps(started)),
              (["OPENAI_BASE_URL", "OPENAI_API_KEY"], False))
        for without, named, words in (
                (list(both), "OPENAI_BASE_URL and OPENAI_API_KEY, which are not set", ()),
                (["OPENAI_BASE_URL"], "OPENAI_BASE_URL, which is not set", ()),
                (["OPENAI_API_KEY"], "OPENAI_API_KEY, which is not set", ()),
                (["OPENAI_BASE_URL"], "OPENAI_BASE_URL, which is not set",
                 ("--set", "limits.turns=5"))):
            environment.update({k: v for k, v in both.items() if k not in without})
            for command in (("approve", "last"), ("reject", "last"), ("answer", "last", "1"),
                            ("resume", "last")):
                status, out, err = haft(*command, *words)
                check(f"{command[0]} {words} without {without}",
                      (status, out, named in err, "--model" in err), (2, "", True, True))
            for name in both:
                environment.pop(name, None)
        check("the run still waits", (pending(), len(changed())), ([("c1.1", "approval")], 0))
        environment.update(both)
        check("with both variables the run continues",
              haft("approve", "last", "--quiet")[:2], (0, "good\n"))
        for name in both:
            del environment[name]
        check("the second run waits", begin_served(both), 4)
        check("another model needs no variables",
              haft("approve", "last", "--quiet", "--model", "script:other.json")[:2],
              (0, "of another\n"))
        check("the spec of another model has no variables",
              [e.get("variables") for e in events() if e["kind"] == "spec_changed"], [None])
        check("the third run waits", begin_served(both), 4)
        check("another server needs no variables",
              haft("approve", "last", "--quiet", "--set", "model=" + json.dumps(
                  {"provider": "openai", "model": "m", "base_url": server.url}))[:2],
              (0, "good\n"))
        environment.update(both)
        begin("--detach", model="openai:m", tools=[])
        del environment["OPENAI_BASE_URL"]
        status, _, err = haft("worker", "--until-idle")
        check("a worker skips a run without its variables",
              (status, "OPENAI_BASE_URL, which is not set" in err,
               kinds()), (1, True, ["run_started"]))
        del environment["OPENAI_API_KEY"]
        check("a skipped run is cancelled", haft("cancel", "last", "--quiet")[0] in (0, 130), True)
        check("the fourth run waits", begin_served(both), 4)
        check("a run is cancelled without its variables",
              (haft("cancel", "last", "--quiet")[0] in (0, 130), events()[-1].get("end")),
              (True, "cancelled"))
        named = {"MY_KEY": "planted-0a9b8c7d"}
        spec = {"provider": "openai", "model": "m", "base_url": server.url + "${MY_PATH}"}
        for key, name in (("api_key", "${MY_KEY}"), ("api_key_env", "MY_KEY")):
            environment.update(named, MY_PATH="/")
            check(f"{key}: the run waits", begin(model=dict(spec, **{key: name})), 4)
            for missing in ("MY_KEY", "MY_PATH"):
                kept = environment.pop(missing)
                status, out, err = haft("approve", "last")
                check(f"{key}: {missing} is named",
                      (status, out, missing in err, pending()),
                      (2, "", True, [("c1.1", "approval")]))
                environment[missing] = kept
            check(f"{key}: the run continues",
                  haft("approve", "last", "--quiet")[:2], (0, "good\n"))
        del environment["MY_KEY"], environment["MY_PATH"]


def test_refused():
    begin()
    write(description="Sends it elsewhere.", limits={"turns": 3})
    for words in (("approve", "last"), ("reject", "last"), ("answer", "last", "1"),
                  ("resume", "last")):
        status, out, err = haft(*words)
        check(f"{words[0]} is refused", (status, out), (2, ""))
        check(f"{words[0]} shows what has changed",
              ('tools.send.description: "Sends it." -> "Sends it elsewhere."' in err,
               "limits: added" in err, "--accept-spec" in err), (True, True, True))
    check("nothing has run", (sent(), kinds()[-1], pending()),
          ([], "paused", [("c1.1", "approval")]))
    check("a run that waits for people is skipped", haft("resume", "--all")[0], 0)
    check("the two options exclude each other",
          haft("resume", "last", "--accept-spec", "--stored-spec")[0], 2)
    check("cancelling is never refused", haft("cancel", "last")[0], 130)
    check("a cancelled run has one end", kinds().count("run_finished"), 1)


def test_stored():
    begin()
    write(description="Sends it elsewhere.")
    check("the run continues with its stored spec",
          haft("approve", "last", "--stored-spec", "--quiet")[:2],
          (0, "good\n"))
    check("the call of the stored spec has run",
          (sent(), "spec_changed" in kinds()), (['{"n":1}'], False))


def test_accepted():
    begin("--set", "limits.turns=7")
    write(description="Sends it elsewhere.")
    status, _, err = haft("approve", "last", "--accept-spec")
    check("an approval of the old spec approves nothing", status, 1)
    check("the reason is printed", "the approval does not apply to the call" in err, True)
    check("the changed call needs approval again",
          (sent(), kinds()[-2:]), ([], ["spec_changed", "paused"]))
    changed = events()[-2]
    check("the event spec_changed has the changes",
          (changed["was"] == events()[0]["spec"], changed["judged_again"],
           changed["source"]["limits"], changed["changes"]),
          (True, ["c1.1"], {"turns": 7},
           ['tools.send.description: "Sends it." -> "Sends it elsewhere."']))
    check("bindings differ", events()[-1]["binding"] != events()[-3]["binding"], True)
    check("the run continues after the new approval",
          haft("approve", "last", "--quiet")[:2], (0, "good\n"))
    check("the call ran once", (sent(), kinds().count("call_started")), (['{"n":1}'], 1))
    check("a run with a changed spec replays", haft("runs", "replay", "last")[0], 0)
    check("a run with a changed spec is shown",
          json.loads(haft("runs", "show", "last", "--json")[1])["end"], "done")


def test_same_binding():
    begin()
    write(limits={"turns": 3})
    check("a change elsewhere needs no second approval",
          haft("approve", "last", "--accept-spec", "--quiet")[:2], (0, "good\n"))
    check("the call ran", (sent(), [e["judged_again"] for e in events()
                                   if e["kind"] == "spec_changed"]), (['{"n":1}'], [[]]))


def test_twice():
    begin()
    for turns in (3, 4, 5):
        write(limits={"turns": turns})
        check(f"accepted with {turns}", haft("resume", "last", "--accept-spec", "--quiet")[0], 4)
    check("three changes are recorded", kinds().count("spec_changed"), 3)
    check("the run continues after three changes",
          haft("approve", "last", "--quiet")[:2], (0, "good\n"))
    check("a run with three changes replays", haft("runs", "replay", "last")[0], 0)


def test_gone():
    begin()
    (Path(scratch) / "s.yaml").unlink()
    status, _, err = haft("resume", "last", "--accept-spec", "--quiet")
    check("--accept-spec is refused", (status, "to accept no longer exists" in err,
                                       "spec_changed" in kinds()), (2, True, False))
    status, out, err = haft("approve", "last")
    check("a file that is gone does not matter", (status, out), (0, "good\n"))
    check("a file that is gone is reported",
          "no longer exists; the run continues with its stored spec" in err, True)


def test_broken():
    begin()
    write(tools=[{"name": 7}])
    status, _, err = haft("approve", "last", "--accept-spec")
    check("an invalid spec is refused", (status, "is not valid" in err, sent()), (2, True, []))
    check("continues with the stored spec",
          haft("approve", "last", "--stored-spec", "--quiet")[0], 0)


def test_tool_gone():
    begin()
    write(tools=[])
    check("a call of a tool that is gone is refused, and the run continues",
          haft("resume", "last", "--accept-spec", "--quiet")[:2], (0, "good\n"))
    check("a call of a removed tool never ran", (sent(), "call_refused" in kinds()), ([], True))


def begin_and_kill(traits):
    """An approved call is running when its process is killed."""
    def send(command):
        return [{"name": "send", "description": "Sends it.", "command": command,
                 "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}},
                 "traits": dict(traits, needs_approval=True)}]
    (Path(scratch) / "began").unlink(missing_ok=True)
    begin(tools=send(["sh", "-c", "touch began; exec sleep 60"]))
    going = subprocess.Popen([HAFT, "approve", "last"], cwd=scratch, env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not (Path(scratch) / "began").exists() and time.monotonic() < end:
        time.sleep(0.02)
    going.kill()
    going.wait()
    write(tools=send(["sh", "-c", "echo elsewhere >> sent.log"]))


def test_recovered():
    begin_and_kill({"idempotent": True})
    check("an approval does not apply to another command",
          (haft("resume", "last", "--accept-spec", "--quiet")[0], sent(), pending()),
          (4, [], [("c1.1", "approval")]))
    check("the other command is approved", haft("approve", "last", "--quiet")[:2], (0, "good\n"))
    check("the other command runs", (sent(), haft("runs", "replay", "last")[0]), (["elsewhere"], 0))


def test_retried():
    begin_and_kill({})
    check("its outcome is unknown",
          (haft("resume", "last", "--stored-spec", "--quiet")[0], pending()),
          (4, [("c1.1", "unknown_outcome")]))
    check("running it again needs approval of the new command",
          (haft("approve", "last", "--again", "--accept-spec", "--quiet")[0], sent(), pending()),
          (4, [], [("c1.1", "approval")]))
    check("a rejection ends the run without the call",
          haft("reject", "last", "--quiet")[:2], (0, "good\n"))
    check("nothing ran again", (sent(), haft("runs", "replay", "last")[0]), ([], 0))


def printed_command(err):
    """The printed command that approves the call."""
    return next(line.split()[1:] for line in err.splitlines() if "haft approve" in line)


def test_binding():
    """A printed command approves only the call it was printed for."""
    begin()
    first = printed_command(haft("resume", "last", "--quiet")[2])
    bindings = [json.loads(haft("runs", "show", "last", "--json")[1])["pending"][0]["binding"]]
    write(tools=[dict(json.loads((Path(scratch) / "s.yaml").read_text())["tools"][0],
                      command=["sh", "-c", "echo other >> sent.log"])])
    second = printed_command(haft("resume", "last", "--accept-spec", "--quiet")[2])
    bindings.append(json.loads(haft("runs", "show", "last", "--json")[1])["pending"][0]["binding"])
    check("a pending approval has a binding", [first[-1], second[-1]], [b[:12] for b in bindings])
    status, _, err = haft(*first)
    check("the first command does not approve the changed call",
          (status, "the approval does not apply to the call" in err, sent(), pending()),
          (1, True, [], [("c1.1", "approval")]))
    for given in ("", "1cc3", bindings[1][:11], bindings[1] + "0", bindings[1][:12].upper() + "X"):
        status, _, err = haft("approve", "last", "--binding", given)
        check(f"{given[:14]!r} is no binding", (status, "--binding" in err, sent()), (2, True, []))
    check("a complete binding is accepted",
          haft("approve", "last", "c1.1", "--binding", bindings[1], "--quiet")[:2], (0, "good\n"))
    check("the beginning of the binding is accepted when repeated",
          (haft(*second, "--quiet")[:2], sent()), ((0, "good\n"), ["other"]))
    for more in (("--args", "{}"), ("--binding", bindings[1])):
        check(f"--again and {more[0]}", haft("approve", "last", "--again", *more)[0], 2)


def test_chat():
    """A run of a chat also knows its spec file."""
    begin()
    done = subprocess.run([HAFT, "chat", "s.yaml"], text=True, capture_output=True,
                          input="do it\n", cwd=scratch, env=environment)
    check("a chat leaves a run that waits", (done.returncode in (0, 4), pending()),
          (True, [("c1.1", "approval")]))
    check("the run of a chat names its file", "file" in events()[0], True)
    write(description="Sends it elsewhere.")
    status, _, err = haft("approve", "last")
    check("the run of a chat is refused if its file has changed",
          (status, "has changed" in err), (2, True))
    check("the run of a chat continues with its stored spec",
          haft("approve", "last", "--stored-spec", "--quiet")[:2], (0, "good\n"))


UNASKED = dict(tools=[{"name": "send", "description": "Sends it.",
                       "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}},
                       "command": ["sh", "-c", "cat >> sent.log"]}])


def answers():
    return [(e["verdict"], e["by"] == "deadline") for e in events() if e["kind"] == "answered"]


def test_unasked():
    """The new spec does not require approval any more: earlier commands still apply."""
    begin()
    write(**UNASKED)
    check("a rejected call does not run",
          (haft("reject", "last", "c1.1", "--why", "never", "--accept-spec", "--quiet")[:2], sent(),
           kinds()[-6:-4], answers()),
          ((0, "good\n"), [], ["answered", "spec_changed"], [("reject", False)]))
    check("a rejected call replays", haft("runs", "replay", "last")[0], 0)
    begin()
    write(**UNASKED)
    check("a call that a person answered does not run",
          (haft("answer", "last", '"mine"', "--accept-spec", "--quiet")[:2], sent(),
           [e["result"] for e in events() if e["kind"] == "call_finished"]),
          ((0, "good\n"), [], ["mine"]))
    for words in ((), ("--args", '{"n":2}')):
        begin()
        write(**UNASKED)
        status, _, err = haft("approve", "last", *words, "--accept-spec", "--quiet")
        check(f"an approval does not apply to a changed call {words}",
              (status, "the approval does not apply to the call" in err, sent(), pending()),
              (1, True, [], [("c1.1", "approval")]))
        check(f"a changed call needs approval whatever the rules say {words}",
              (events()[-2].get("asked_again"), kinds()[-1]), (["c1.1"], "paused"))
        check(f"a call that changes again needs approval {words}",
              (write(limits={"turns": 9}, **UNASKED),
               haft("resume", "last", "--accept-spec", "--quiet")[0], sent()), (None, 4, []))
        check(f"the changed call runs after its approval {words}",
              haft("approve", "last", *words, "--quiet")[:2],
              (0, "good\n"))
        check(f"the call runs as it was approved {words}",
              (sent(), haft("runs", "replay", "last")[0]),
              (['{"n":2}' if words else '{"n":1}'], 0))
    begin()
    write(**UNASKED)
    check("a spec without approvals runs the call",
          (haft("resume", "last", "--accept-spec", "--quiet")[0], sent()), (0, ['{"n":1}']))


def test_declined_gone():
    for words in (("reject", "last"), ("reject", "last", "c1.1")):
        begin()
        write(tools=[])
        check(f"{words} of a call whose tool is gone",
              (haft(*words, "--why", "never", "--accept-spec", "--quiet")[:2], answers(),
               [e["why"] for e in events() if e["kind"] == "call_refused"]),
              ((0, "good\n"), [("reject", False)], ["denied"]))
        check(f"{words} replays", haft("runs", "replay", "last")[0], 0)
    begin()
    write(tools=[])
    check("a result for a removed tool is refused",
          haft("answer", "last", '"mine"', "--accept-spec")[0], 1)
    check("a result is accepted with the stored spec",
          haft("answer", "last", '"mine"', "--stored-spec", "--quiet")[:2], (0, "good\n"))


def test_overdue():
    """A deadline that has passed stays passed, whatever another spec says about the call."""
    begin(approvals=[{"tools": ["send"], "deadline": "1s", "on_expire": "reject"}])
    time.sleep(1.1)
    write(**UNASKED)
    check("a call without approval by the deadline does not run",
          (haft("resume", "last", "--accept-spec", "--quiet")[0], sent(), answers()),
          (0, [], [("reject", True)]))
    check("an expired call replays", haft("runs", "replay", "last")[0], 0)


def test_mail():
    """A command to a process that ends before it reads it; then another process claims the run."""
    for kind, wanted in (("reject", ([], [("reject", False)], "done")),
                         ("approve", ([], [("approve", False)], "waiting"))):
        begin()
        shown = json.loads(haft("runs", "show", "last", "--json")[1])
        paused = [e for e in events() if e["kind"] == "paused"][0]
        message = {"command": kind, "call": "c1.1", "value": None, "by": "ana", "why": "never",
                   "pause": "approval", "binding": paused["binding"] if kind == "approve" else ""}
        with sqlite3.connect(f"{scratch}/haft.db") as db:
            db.execute("INSERT INTO messages (run, body) SELECT number, ? FROM runs WHERE id = ?",
                       (json.dumps(message), shown["run"]))
        write(**UNASKED)
        check(f"{kind}: the command is applied first",
              (haft("resume", "last", "--accept-spec", "--quiet")[0] in (0, 4), sent(), answers(),
               json.loads(haft("runs", "show", "last", "--json")[1])["end"]),
              (True, *wanted))
        check(f"{kind}: the run replays", haft("runs", "replay", "last")[0], 0)
        haft("cancel", "last")


def test_secret():
    begin()
    write(model={"provider": "script", "model": "script.json",
                 "api_key": "hunter2-hunter2-hunter2"})
    status, out, err = haft("resume", "last", "--accept-spec")
    check("a secret is never written down",
          "hunter2" in out + err + haft("runs", "events", "last")[1], False)
    check("a change with a secret is refused", (status, "contains a secret" in err), (2, True))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, HAFT_STORE=f"sqlite:{scratch}/haft.db", HOME=scratch,
                       NO_COLOR="1")
    test_unchanged()
    test_refused()
    test_stored()
    test_accepted()
    test_same_binding()
    test_twice()
    test_overridden()
    test_value_of_a_missing_variable()
    test_second_missing_variable()
    test_missing_variables()
    test_variables()
    test_gone()
    test_broken()
    test_tool_gone()
    test_chat()
    test_unasked()
    test_declined_gone()
    test_overdue()
    test_mail()
    test_recovered()
    test_retried()
    test_binding()
    test_secret()
