#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pauses of every kind: deadlines, choices, repeated answers, unknown outcomes, and cancelling."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # timeout in seconds of events that must happen soon


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, input="",
                          cwd=scratch, env=environment)
    return done.returncode, done.stdout, done.stderr


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def events(run="last"):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def kinds(run="last"):
    return [event["kind"] for event in events(run)]


def shown(run="last"):
    return json.loads(haft("runs", "show", run, "--json")[1])


def results(run="last"):
    """The result of each call, by its id."""
    return {e["call"]: e.get("result") or e.get("text") or e["error"]["message"]
            for e in events(run) if e["kind"] in ("call_finished", "call_refused")}


def tool(name, command=None, **more):
    how = {"command": command} if command else {"headless": True}
    return dict({"name": name, "description": f"Does {name} for the tests of haft.",
                 "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}},
                **how, **more)


def spec(name, calls, tools, **more):
    path = Path(scratch) / f"{name}.json"
    script = {"replies": [{"calls": calls}, {"text": "good"}]}
    (Path(scratch) / f"{name}.script.json").write_text(json.dumps(script))
    path.write_text(json.dumps(dict({"haft": 1, "name": name, "tools": tools,
                                     "model": f"script:{name}.script.json"}, **more)))
    return path


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


ASK = {"builtin": ["request_user_input"]}


def test_deadlines():
    """Every kind of pause, with every action of a deadline; no process runs when it passes."""
    unknown = tool("gone", ["sh", "-c", "sleep 30"], traits={"timeout": "200ms"})
    send = tool("send", ["sh", "-c", "echo ran"], traits={"needs_approval": True})
    rows = [("question", ASK, call("request_user_input", question="Well?")),
            ("headless", tool("pick"), call("pick")),
            ("approval", send, call("send")),
            ("unknown_outcome", unknown, call("gone"))]
    for kind, made, asked in rows:
        for on_expire, wanted in (("fail", (7, "expired", None)), ("reject", (0, "done", "denied")),
                                  ({"answer": {"v": 1}}, (0, "done", '{"v":1}'))):
            name = f"{kind}_{on_expire if isinstance(on_expire, str) else 'answer'}"
            path = spec(name, [asked], [made],
                        pauses={kind: {"deadline": "1ms", "on_expire": on_expire}})
            check(f"{name}_waits", haft("run", path, "go", "--quiet")[0] in (4, wanted[0]), True)
            run = shown()["run"]
            status = haft("resume", "--all", "--quiet")[0]
            log = events(run)
            reported = [e.get("why") or e.get("result") for e in log
                    if e["kind"] in ("call_refused", "call_finished")]
            if name == "unknown_outcome_reject":  # it had started: the model gets an error
                reported = ["denied" if "may or may not" in results(run)["c1.1"] else "hidden"]
            check(f"{name}_expires", (status if shown(run)["end"] != "done" else 0,
                                      shown(run)["end"], reported[0] if reported else None),
                  (wanted[0] if status else 0, wanted[1], wanted[2]))
            check(f"{name}_is_answered_by_the_deadline",
                  [e["by"] for e in log if e["kind"] == "answered"], ["deadline"])
            check(f"{name}_has_one_end", kinds(run).count("run_finished"), 1)


def test_expired_answers():
    """The answer of a deadline counts like the answer of a person."""
    for given, wanted in ((2, "blue"), ("", "red"), ("green", "green"),
                          (9, "Nobody answered by the deadline, and the answer for that case "
                              "is not valid: there is no choice 9: expected 1 to 2, or a text")):
        path = spec("expired", [call("request_user_input", question="Which?", default="red",
                                     choices=["red", "blue"])], [ASK],
                    pauses={"question": {"deadline": "1ms", "on_expire": {"answer": given}}})
        haft("run", path, "go", "--quiet")
        status, _, err = haft("answer", "last", "c1.1", "another")
        check(f"answer_after_the_deadline_is_rejected_{given!r}",
              (status, "too late: the deadline of" in err),
              (1, True))
        check(f"model_reads_the_answer_of_the_deadline_{given!r}", results(), {"c1.1": wanted})
        check(f"expired_run_replays_{given!r}", haft("runs", "replay", "last")[0], 0)


def test_unknown_arguments():
    """A call runs again only with its own arguments: others are refused, and it stays pending."""
    ran = Path(scratch) / "ran.log"
    gone = tool("gone", ["sh", "-c", "cat >> ran.log; sleep 30"],
                traits={"timeout": "300ms"})
    check("unknown_outcome_waits",
          haft("run", spec("again", [call("gone", q="a")], [gone]), "go", "--quiet")[0], 4)
    for given in ('{"q":"b"}', '{"nosuch":5}'):
        status, _, err = haft("approve", "last", "--args", given)
        check(f"call_with_an_unknown_outcome_rejects_{given}",
              (status, "only run again unchanged" in err), (2, True))
    check("run_keeps_waiting", (shown()["end"], ran.read_text()), ("waiting", '{"q":"a"}\n'))
    haft("cancel", "last")


def test_rule_first():
    path = spec("rules", [call("send")], [tool("send", ["true"])],
                approvals=[{"tools": ["send"], "deadline": "1h", "on_expire": "reject"}],
                pauses={"approval": {"deadline": "2h"}})
    haft("run", path, "go")
    paused = [e for e in events() if e["kind"] == "paused"][0]
    check("deadline_of_a_rule_takes_precedence", paused["on_expire"], "reject")
    check("without_a_deadline_nothing_expires", haft("resume", "--all")[0], 0)
    check("run_keeps_waiting", shown()["end"], "waiting")
    haft("cancel", "last")


def test_bad_specs():
    for pauses in ({"question": {}}, {"dance": {"deadline": "1s"}},
                   {"question": {"deadline": "soon"}},
                   {"headless": {"deadline": "1s", "on_expire": "explode"}}):
        path = spec("bad", [], [ASK], pauses=pauses)
        check(f"invalid_pauses_are_rejected_{json.dumps(pauses)}", haft("check", path)[0], 2)


def test_choices():
    def ask(**more):
        path = spec("choice", [call("request_user_input", question="Which?", **more)], [ASK])
        return haft("run", path, "go", "--quiet")[0]

    for given, wanted in (("2", "blue"), ("red", "red"), ("green or so", "green or so"),
                          ('"2"', "2")):
        check(f"question_waits_for_{given}", ask(choices=["red", "blue"]), 4)
        check(f"answer_is_accepted_{given}",
              haft("answer", "last", given, "--quiet")[:2], (0, "good\n"))
        check(f"the_model_reads_{given}", results(), {"c1.1": wanted})
    ask(choices=["red", "blue"], default="blue")
    check("unknown_choice_is_rejected", haft("answer", "last", "3")[0], 2)
    check("run_keeps_waiting", shown()["end"], "waiting")
    check("empty_answer_means_the_default", haft("answer", "last", "")[0], 0)
    check("model_reads_the_default", results(), {"c1.1": "blue"})
    ask()
    status, _, err = haft("answer", "last", "")
    check("empty_answer_without_a_default_is_rejected",
          (status, "has no default" in err), (2, True))
    haft("cancel", "last")


def test_twice():
    path = spec("twice", [call("pick", q="a"), call("pick", q="b")], [tool("pick")])
    haft("run", path, "go")
    check("calls_can_be_answered_in_any_order", haft("answer", "last", "c1.2", '{"a": 1}')[0], 4)
    check("equal_second_answer_is_accepted", haft("answer", "last", "c1.2", '{"a":1.0}')[0], 4)
    check("different_second_answer_is_rejected", haft("answer", "last", "c1.2", '{"a":2}')[0], 1)
    check("rejection_after_an_answer_is_rejected", haft("reject", "last", "c1.2")[0], 1)
    several = [start("answer", "last", "c1.1", str(n % 2), "--json") for n in range(6)]
    exits = [process.wait(LONG) for process in several]
    good = [n % 2 for n, status in enumerate(exits) if status == 0]
    for process in several:
        process.communicate()
    check("equal_concurrent_answers_succeed",
          (len(set(good)), all(s in (0, 1) for s in exits)), (1, True))
    answered = [e["value"] for e in events() if e["kind"] == "answered" and e["call"] == "c1.1"]
    check("one_of_the_concurrent_answers_is_applied", answered, good[:1])
    check("equal_answer_after_the_end_is_accepted",
          haft("answer", "last", "c1.1", str(good[0]))[0], 0)
    check("different_answer_after_the_end_is_rejected",
          haft("answer", "last", "c1.1", str(1 - good[0]))[0], 1)
    check("run_has_one_end", kinds().count("run_finished"), 1)


def test_next():
    """A repeated approval, when the call has reached its next pause: it waits for a client."""
    pick = tool("pick", traits={"needs_approval": True})
    for more in ((), ("--args", '{"q":"b"}')):
        words = ("approve", "last", "c1.1", *more)
        haft("run", spec("next", [call("pick", q="a"), call("pick", q="c")], [pick]), "go")
        check(f"repeated_approval_{more}_is_accepted", [haft(*words)[0] for _ in range(2)], [4, 4])
        check(f"approved_call_{more}_waits_for_a_client", [p["kind"] for p in shown()["pending"]],
              ["headless", "approval"])
        check(f"different_approval_{more}_is_rejected",
              haft("approve", "last", "c1.1", "--args", "{}")[0], 1)
        check(f"repeated_commands_after_the_answer_{more}_are_accepted", [haft(*w)[0] for w in (
            ("answer", "last", "c1.1", "1"), words, ("answer", "last", "c1.1", "1"),
            ("answer", "last", "c1.1", "2"))], [4, 4, 4, 1])
        haft("cancel", "last")


def killed(path, marks):
    """Runs until the tool has started, and kills haft."""
    process = start("run", path, "go")
    wait_for(lambda: marks.exists() and marks.read_text())  # the line, not only the file
    process.kill()
    process.wait(LONG)
    process.communicate()


def test_unknown():
    """What the spec, or the tool, says about an interrupted call."""
    rows = [("ask", None, 4, 1), ("tell", None, 0, 1), ("retry", None, 0, 2), ("ask", "tell", 0, 1),
            ("tell", "retry", 0, 2), ("retry", "ask", 4, 1)]
    for for_all, own, wanted, count in rows:
        name = f"unknown_{for_all}_{own}"
        marks = Path(scratch) / f"{name}.log"
        made = tool("effect", ["sh", "-c", f'[ -e {marks} ] && again=1; '
                               f'echo "$HAFT_IDEMPOTENCY_KEY" >> {marks}; '
                               '[ -n "$again" ] || sleep 3; echo ran'])
        made["traits"] = {"on_unknown": own} if own else {}
        killed(spec(name, [call("effect")], [made], on_unknown=for_all), marks)
        check(f"{name}_continues", haft("resume", "--all")[0], wanted)
        if wanted == 4:
            check(f"{name}_outcome_is_pending",
                  [p["kind"] for p in shown()["pending"]], ["unknown_outcome"])
            check(f"{name}_keeps_waiting", haft("resume", "--all")[0], 0)
            check(f"{name}_is_answered", haft("answer", "last", "it did")[0], 0)
            check(f"{name}_answer_is_read_by_the_model", results(), {"c1.1": "it did"})
        keys = marks.read_text().splitlines()
        check(f"{name}_effects", (len(keys), len(set(keys))), (count, 1))
        check(f"{name}_ends", shown()["end"], "done")
        check(f"{name}_replays", haft("runs", "replay", "last")[0], 0)


def test_all():
    """Runs that another process owns, or that wait for people, are skipped; orphans are not."""
    marks, go = Path(scratch) / "all.log", Path(scratch) / "all.go"
    slow = tool("slow", ["sh", "-c", f"echo a >> {marks}; "
                         f"while [ ! -e {go} ]; do sleep 0.05; done"])
    process = start("run", spec("owned", [call("slow")], [slow]), "go")
    wait_for(lambda: marks.exists() and marks.read_text())  # the line, not only the file
    check("resume_all_skips_a_run_of_another_process", haft("resume", "--all"), (0, "", ""))
    go.write_text("")
    check("run_continues_in_its_own_process",
          (process.wait(LONG), process.communicate()[0]), (0, "good\n"))
    check("call_ran_once", marks.read_text().split(), ["a"])
    marks2 = Path(scratch) / "all2.log"
    read = tool("read", ["sh", "-c", f"echo a >> {marks2}; "
                         f"[ $(wc -l < {marks2}) -gt 1 ] || sleep 3"],
                traits={"read_only": True})
    killed(spec("orphan", [call("pick"), call("read")], [tool("pick"), read]), marks2)
    check("resume_all_continues_an_orphan", haft("resume", "--all")[0], 4)
    check("call_of_the_orphan_ran_again_and_the_other_waits",
          (marks2.read_text().split(), [p["call"] for p in shown()["pending"]]),
          (["a", "a"], ["c1.1"]))
    check("resume_all_skips_the_run", haft("resume", "--all"), (0, "", ""))
    check("run_ends_after_the_answer", haft("answer", "last", "1")[0], 0)


def test_cancel():
    haft("run", spec("c1", [call("pick")], [tool("pick")]), "go")
    begun = time.monotonic()
    check("waiting_run_can_be_cancelled", haft("cancel", "last")[0], 130)
    print(f"# cancelled in {time.monotonic() - begun:.2f} s")
    check("cancelled_run_has_one_end",
          (kinds().count("run_finished"), shown()["end"]), (1, "cancelled"))
    for words in (("answer", "last", "1"), ("approve", "last"), ("reject", "last", "c1.1")):
        status, _, err = haft(*words)
        check(f"{words[0]}_is_refused", (status, "the run has ended: cancelled" in err),
              (1, True))
    marks = Path(scratch) / "c2.log"
    slow = tool("slow", ["sh", "-c", f"echo a >> {marks}; sleep 3"])
    killed(spec("c2", [call("slow")], [slow]), marks)
    check("run_of_a_dead_process_can_be_cancelled", haft("cancel", "last")[0], 130)
    check("cancelled_run_of_a_dead_process_has_one_end",
          (kinds().count("run_finished"), shown()["end"]), (1, "cancelled"))
    check("its_tool_does_not_run_again", marks.read_text().splitlines(), ["a"])
    check("resuming_it_runs_nothing", haft("resume", "last")[0], 130)
    check("resuming_a_cancelled_run_adds_no_end", kinds().count("run_finished"), 1)


def test_three_at_once():
    """One approval, one client call, one killed call: each effect happens once."""
    for order in ("approve first", "answer first"):
        effects, go = Path(scratch) / f"{order}.effects", Path(scratch) / f"{order}.go"
        begun = Path(scratch) / f"{order}.begun"
        send = tool("send", ["sh", "-c", f"echo send >> '{effects}'"],
                    traits={"needs_approval": True})
        slow = tool("slow", ["sh", "-c", f"echo x >> '{begun}'; n=0; while [ ! -e '{go}' ] && "
                             f"[ $n -lt 600 ] && [ $PPID -ne 1 ]; do n=$((n+1)); sleep 0.05; "
                             f"[ -d /proc/$PPID ] || exit 1; done; echo slow >> '{effects}'"],
                    traits={"idempotent": True})
        path = spec(order, [call("send"), call("pick"), call("slow")], [send, tool("pick"), slow])
        killed(path, begun)
        words = [("approve", "last", "c1.1"), ("answer", "last", "c1.2", '"mine"')]
        others = [start(*w, "--json") for w in (words if order == "approve first" else words[::-1])]
        wait_for(lambda: sum(e["kind"] == "answered" for e in events()) == 2)
        go.write_text("")
        for process in others:
            process.wait(LONG)
            process.communicate()
        check(f"{order}_ends", wait_for(lambda: shown()["end"] == "done"), True)
        check(f"{order}_each_effect_happens_once",
              sorted(effects.read_text().split()), ["send", "slow"])
        check(f"{order}_has_one_end", kinds().count("run_finished"), 1)


def test_keys_twice():
    """An answer with a duplicate key is invalid, and is not taken as text either."""
    for kind, made, asked in (("headless", tool("pick"), call("pick")),
                              ("question", ASK, call("request_user_input", question="Well?"))):
        haft("run", spec(f"keys-{kind}", [asked], [made]), "do it", "--quiet")
        status, out, err = haft("answer", "last", '{"a": {"b": 1, "b": 2}}')
        check(f"a {kind}: a key twice is refused",
              (status, out, 'found "b" more than once' in err, "give each key once" in err,
               kinds()[-1]), (2, "", True, True, "paused"))
        check(f"a {kind}: a key once is an answer",
              haft("answer", "last", '{"a": {"b": 1}, "b": 2}', "--quiet")[:2], (0, "good\n"))


def test_edits():
    """Arguments that cannot be intended approve nothing."""
    path = spec("edits", [call("send", q="a")],
                [tool("send", ["sh", "-c", "cat >> edits.log"], traits={"needs_approval": True})])
    haft("run", path, "do it", "--quiet")
    for given, why in (("null", "found null"), (" null ", "found null"),
                       ('{"q":"a","q":"b"}', 'found "q" more than once'),
                       ('{"q":{"a":1,"a":2}}', 'found "a" more than once'), ("[]", "")):
        status, _, err = haft("approve", "last", "--args", given)
        check(f"approve --args {given}", (status, why in err), (2, True))
    check("nothing was approved", (kinds()[-1], (Path(scratch) / "edits.log").exists()),
          ("paused", False))
    check("a valid edit is approved", haft("approve", "last", "--args", '{"q":"c"}', "--quiet")[:2],
          (0, "good\n"))


def test_lane():
    """An approved call runs while an earlier call of its lane is pending."""
    traits = {"needs_approval": True, "destructive": True}
    path = spec("lane", [call("one"), call("two")],
                [tool(name, ["sh", "-c", f"echo {name} >> lane.log"], traits=traits)
                 for name in ("one", "two")])
    haft("run", path, "do it", "--quiet")
    check("the second continues alone", haft("approve", "last", "c1.2", "--quiet")[0], 4)
    check("the second call has run", ((Path(scratch) / "lane.log").read_text(),
                                      [p["call"] for p in shown()["pending"]]), ("two\n", ["c1.1"]))
    check("the first call runs after its approval",
          haft("approve", "last", "c1.1", "--quiet")[:2], (0, "good\n"))
    check("the lane replays", haft("runs", "replay", "last")[0], 0)


def test_waiting_for_a_lane():
    """A call that waits for another one of its lane is reported as waiting."""
    traits = {"lane": "mail"}
    path = spec("held", [call("one"), call("two")],
                [tool("one", ["sh", "-c", "until [ -e let-go ]; do sleep 0.02; done"],
                      traits=dict(traits, timeout=f"{LONG}s")),
                 tool("two", ["true"], traits=traits)])
    waiting = [{"call": "c1.2", "tool": "two", "by": "lane", "lane": "mail", "behind": "c1.1"}]
    line = "  c1.2 two waits for c1.1 one, in the same lane: mail\n"
    run = start("run", path, "do it")
    reported = next((text for text in run.stderr if "waits for" in text), None)
    check("a follower sees why a call waits", reported, line)
    check("runs show prints why a call waits", shown().get("held"), waiting)
    (Path(scratch) / "let-go").touch()
    check("the waiting call runs later", (run.communicate()[0], run.returncode), ("good\n", 0))
    check("no call waits any more", shown().get("held"), None)
    path = spec("client", [call("pick"), call("two")],
                [tool("pick", traits=traits), tool("two", ["true"], traits=traits)])
    status, _, err = haft("run", path, "do it")
    check("a pending client call is reported", (status, line.replace("one", "pick") in err),
          (4, True))


def test_text_and_number():
    """A rule that cannot compare its values requires approval."""
    path = spec("compare", [call("pay", amount="500")],
                [{"name": "pay", "description": "Pay somebody for the tests.",
                  "args": ["amount"], "command": ["true"]}],
                approvals=[{"tools": ["pay"],
                            "when": {"at": "/amount", "op": "gt", "value": 100}}])
    check("a text and a number need approval", haft("run", path, "do it", "--quiet")[0], 4)
    status, out, err = haft("check", path)
    check("check warns about the rule", "cannot be compared this way" in out + err, True)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, HAFT_STORE=f"sqlite:{scratch}/haft.db", HOME=scratch,
                       NO_COLOR="1")
    test_deadlines()
    test_expired_answers()
    test_unknown_arguments()
    test_rule_first()
    test_bad_specs()
    test_choices()
    test_twice()
    test_next()
    test_unknown()
    test_all()
    test_cancel()
    test_three_at_once()
    test_keys_twice()
    test_edits()
    test_lane()
    test_waiting_for_a_lane()
    test_text_and_number()
