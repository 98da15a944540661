#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions of servers to their user during a call: on a command line without a terminal, from
another process, through `haft mcp` to its client, and after the process that asked has ended."""
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
GO = "use docs:ask and slow:ask"  # the task: a search finds the tools that it names
SERVER = Path(__file__).resolve().parent / "asking_server.py"
NEW = "2026-07-28"
WAITING = 4  # the exit status of a waiting run
ANSWER = {"name": "Ada", "n": 4}
FULL = {"action": "accept", "content": {"n": 4, "name": "Ada", "size": "small"}}
BOTH = {"form": {}, "url": {}}


class Place:
    """A directory with a spec of one server that asks questions."""

    def __init__(self, era, way, timeout="60s", calls=1, **server):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.log = self.path / "log"
        spec = {"name": "a", "model": "script:script.json", "mcp": {"servers": {"docs": {
            "command": [sys.executable, str(SERVER), era, way, str(self.log)],
            "timeout": timeout, **server}}}}
        replies = [{"calls": [{"name": "docs:ask", "arguments": {"number": n} if n else {}}
                              for n in range(calls)]}, {"text": "the end"}]
        (self.path / "spec.json").write_text(json.dumps(spec))
        (self.path / "script.json").write_text(json.dumps({"replies": replies}))
        self.environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"))

    def change(self, replies, **more):
        """Writes other replies, and adds members to the spec."""
        spec = json.loads((self.path / "spec.json").read_text())
        (self.path / "spec.json").write_text(json.dumps({**spec, **more}))
        (self.path / "script.json").write_text(json.dumps({"replies": replies}))

    def start(self, *words):
        return subprocess.Popen([HAFT, *words, "--store", "sqlite:runs.db"], cwd=self.path,
                                text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment)

    def haft(self, *words):
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def answers(self):
        """The answers that the server got."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def read_until(process, text):
    """Reads standard error up to the text, with os.read, so that no data stays in a buffer."""
    found = ""
    while text not in found:
        ready = select.select([process.stderr], [], [], 60)[0]
        part = os.read(process.stderr.fileno(), 65536).decode() if ready else ""
        if not part:
            return found + " (nothing more)"
        found += part
    return found


def answer_of(text):
    """The words of the command that the run suggests for the answer."""
    return re.search(r"  haft answer (\S+) (\S+) (.*?) --store", text)


def test_form():
    """A server with a session waits in the process that runs the call; another process answers."""
    place = Place("old", "form")
    run = place.start("run", "spec.json", GO)
    text = read_until(run, "# decline")
    for part in ("docs:ask asks, from the server docs", "Who are you?\n", "Say it.\n",
                 "  name: string, required; minLength 2; Your name\n",
                 '  size: string, optional; one of "small", "large"; default "small"\n',
                 "while this process runs"):
        check(f"the_question_says_{part.strip()[:20]!r}", part in text, True)
    words = answer_of(text)
    check("the_question_has_an_answer_to_copy", words and words[3],
          """'{"name": "...", "size": "small", "n": 3}'""")
    for bad in ('{"n": 4}', '{"name": "A"}', "Ada", '{"name": "Ada", "size": "tiny"}'):
        status, _, err = place.haft("answer", words[1], words[2], bad)
        check(f"an_invalid_answer_is_rejected_{bad}", (status in (1, 2), bool(err)), (True, True))
    status, _, err = place.haft("answer", words[1], words[2], json.dumps(ANSWER))
    check("a_valid_answer_is_accepted", (status, "different answer" in err), (0, False))
    out, _ = run.communicate(timeout=300)
    check("the_run_continues_after_the_answer", (run.returncode, out, place.answers()),
          (0, "the end\n", [[FULL]]))
    status, _, err = place.haft("answer", words[1], words[2], json.dumps(ANSWER))
    check("the_same_answer_is_accepted_twice", status, 0)
    status, _, err = place.haft("answer", words[1], words[2], '{"name": "Bob"}')
    check("a_different_second_answer_is_rejected",
          (status != 0, "different answer" in err), (True, True))


def test_fork():
    """A question belongs to the process that runs the call. A fork has another process, so the
    outcome of the call is unknown."""
    for policy, wanted in (("ask", (0, WAITING, 1)), ("retry", (1, None, 1))):
        place = Place("old", "form")
        spec = json.loads((place.path / "spec.json").read_text())
        (place.path / "spec.json").write_text(json.dumps(dict(spec, on_unknown=policy)))
        run = place.start("run", "spec.json", GO)
        words = answer_of(read_until(run, "# decline"))
        place.haft("answer", words[1], words[2], json.dumps(ANSWER))
        run.communicate(timeout=300)
        status, out, err = place.haft("runs", "fork", words[1], "--call", words[2])
        resumed = place.haft("resume", out.strip(), "--json") if status == 0 else (None, "", "")
        check(f"a_question_of_a_process_is_not_asked_by_a_fork_{policy}",
              (status, resumed[0], len(place.answers())), wanted)
        if resumed[1]:
            check("a_person_is_asked_for_the_outcome_of_the_call",
                  [p["kind"] for p in json.loads(resumed[1])["pending"]], ["unknown_outcome"])
        else:
            named = f"the call {words[2]} of docs:ask was running" in err
            check("the_error_names_the_call", named, True)


def make_slow_and_asking(timeout="60s"):
    """A spec in which one server asks, and another is silent until the first got its answer."""
    place = Place("old", "form", timeout)
    servers = json.loads((place.path / "spec.json").read_text())["mcp"]["servers"]
    servers["docs"]["trust"] = True
    servers["slow"] = {"command": [sys.executable, str(SERVER), "old", "after_log", str(place.log)],
                       "timeout": "60s"}
    place.change([{"calls": [{"name": "docs:ask", "arguments": {}},
                             {"name": "slow:ask", "arguments": {}}]}, {"text": "the end"}],
                 mcp={"servers": servers})
    return place


def test_slow_and_asking():
    """A slow call does not delay the question of another call."""
    place = make_slow_and_asking()
    run = place.start("run", "spec.json", GO)
    text = read_until(run, "# decline")
    words = answer_of(text)
    check("a_question_is_reported_while_another_call_runs",
          (words is not None, text.count("# decline")),
          (True, 1))
    place.haft("answer", words[1], words[2], json.dumps(ANSWER))
    out, err = run.communicate(timeout=300)
    check("the_question_is_answered_while_another_call_runs",
          (run.returncode, out, place.answers(), "# decline" in err),
          (0, "the end\n", [[FULL]], False))
    for modern in (False, True):
        place = make_slow_and_asking()
        with Client(place) as client:
            answer = {"action": "accept", "content": ANSWER}
            if modern:
                result = client.modern({"elicitation": BOTH})
                back = {"requestState": result["requestState"],
                        "inputResponses": {key: answer for key in result["inputRequests"]}}
                result = client.modern({"elicitation": BOTH}, **back)
            else:
                client.greet({"elicitation": BOTH})
                client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
                question = client.next("elicitation/create")
                client.write({"id": question["id"], "result": answer})
                result = client.next()["result"]
            check(f"the_question_is_passed_to_the_client_modern_{modern}",
                  (text_and_error(result), place.answers()),
                  (("the end", False), [[FULL]]))


def make_child(slow):
    """A spec whose child asks, and then has a call that waits for the file `go`. With `slow`, so
    does a call of its parent."""
    place = Place("old", "form")
    wait = {"name": "wait", "description": "Waits for the test.", "args": [],
            "command": ["sh", "-c", "while [ ! -e go ]; do sleep 0.05; done"],
            "traits": {"timeout": "60s"}}
    asking = json.loads((place.path / "spec.json").read_text())
    wait_call = {"name": "wait", "arguments": {}}
    place.change([{"calls": [{"name": "docs:ask", "arguments": {}}]}, {"calls": [wait_call]},
                  {"text": "the child"}])
    (place.path / "boss.json").write_text(json.dumps({"replies": [
        {"calls": [{"name": "call_asking", "arguments": {"task": GO}}, *[wait_call] * slow]},
        {"text": "the end"}]}))
    (place.path / "spec.json").write_text(json.dumps({
        "name": "boss", "model": "script:boss.json",
        "tools": [{"name": "call_asking", "agent": "asking"}, wait],
        "agents": {"asking": dict(asking, name="asking", description="Asks.", tools=[wait])}}))
    return place


def test_child():
    """The question of a child is waited for as one of the root is, also while a sibling runs."""
    for slow in (False, True):
        place = make_child(slow)
        run = place.start("run", "spec.json", GO)
        text = read_until(run, "# decline")
        words = answer_of(text)
        check(f"the_question_of_a_child_names_its_path_slow_{slow}",
              (words and words[2], "asking (c1.1) asks:" in text), ("c1.1/c1.1", True))
        check(f"the_answer_to_a_child_is_accepted_slow_{slow}",
              place.haft("answer", words[1], words[2], json.dumps(ANSWER)),
              (0, "", f"another process continues {words[1]}\n"))
        (place.path / "go").write_text("")
        out, err = run.communicate(timeout=300)
        check(f"the_tree_continues_after_the_answer_slow_{slow}",
              (run.returncode, out, place.answers(), "# decline" in err),
              (0, "the end\n", [[FULL]], False))


def test_url():
    place = Place("old", "url")
    run = place.start("run", "spec.json", GO, "--json")
    text = read_until(run, "# decline")
    check("a_url_is_shown_with_its_host", ("on the host login.example.org" in text,
                                  "https://login.example.org/start?x=1" in text), (True, True))
    words = answer_of(text)
    status, _, err = place.haft("answer", words[1], words[2], words[3])
    check("a_url_can_be_accepted", status in (0, WAITING), True)
    run.communicate(timeout=300)
    check("the_server_gets_the_consent", place.answers(), [[{"action": "accept"}]])


def test_twice():
    place = Place("old", "twice")
    run = place.start("run", "spec.json", GO)
    for number in range(2):
        words = answer_of(read_until(run, "# decline"))
        status, _, err = place.haft("answer", words[1], words[2], json.dumps(
            dict(ANSWER, n=number)))
        check(f"question_{number}_is_answered", (status in (0, WAITING), "did not take" in err),
              (True, False))
    run.communicate(timeout=300)
    check("each_question_gets_its_own_answer",
          [a["content"]["n"] for a in place.answers()[0]], [0, 1])


def events_of(place):
    _, out, _ = place.haft("runs", "events", "last")
    return [json.loads(line) for line in out.splitlines()]


def test_both():
    """A server asks two questions at once: a person gets one after the other."""
    place = Place("old", "both")
    run = place.start("run", "spec.json", GO)
    for number in range(2):
        text = read_until(run, "# decline")
        check(f"question_{number}_of_two_at_once", f"Say it. {number}\n" in text, True)
        words = answer_of(text)
        place.haft("answer", words[1], words[2], json.dumps(dict(ANSWER, n=number)))
    run.communicate(timeout=300)
    check("both_questions_at_once_are_answered",
          [a.get("content", {}).get("n") for a in place.answers()[0]], [0, 1])


def test_parallel():
    """Parallel calls of one run: it does not matter which call asks, a person gets the question."""
    place = Place("old", "parallel", calls=2, trust=True)
    run = place.start("run", "spec.json", GO)
    words = answer_of(read_until(run, "# decline"))
    for number, call in enumerate(("c1.1", "c1.2")):
        for _ in range(100):  # the second question may come a moment later
            answer = json.dumps(dict(ANSWER, n=number))
            if place.haft("answer", words[1], call, answer)[0] in (0, WAITING):
                break
    run.communicate(timeout=300)
    check("the_questions_of_both_parallel_calls_are_answered",
          sorted(a.get("content", {}).get("n") for round in place.answers() for a in round), [0, 1])


def test_again():
    """A server withdraws one question and asks another: a person gets the second, and it is not
    declined."""
    place = Place("old", "again")
    run = place.start("run", "spec.json", GO)
    text = read_until(run, "Say it. 1\n")
    if "# decline" not in text.split("Say it. 1\n", 1)[1]:
        text += read_until(run, "# decline")
    words = answer_of(text)
    place.haft("answer", words[1], words[2], json.dumps(ANSWER))
    run.communicate(timeout=300)
    check("the_second_question_is_answered", place.answers(), [[FULL]])
    check("the_log_has_the_withdrawal_and_the_answer",
          [(e["by"] == "server", e["value"]["action"]) for e in events_of(place)
           if e["kind"] == "answered"], [(True, "cancel"), (False, "accept")])
    status, out, _ = place.haft("runs", "replay", "last")
    check("a_run_with_a_withdrawn_question_is_replayed",
          (status, out.split()[-1:] if status else []), (0, []))


def test_gone():
    """An answer to a withdrawn question is rejected."""
    place = Place("old", "gone")
    run = place.start("run", "spec.json", GO)
    read_until(run, "server")
    while not (answered := [e for e in events_of(place) if e["kind"] == "answered"]):
        pass
    check("the_log_has_the_withdrawal", (answered[0]["by"], answered[0]["value"]),
          ("server", {"action": "cancel"}))
    status, _, err = place.haft("answer", answered[0]["run"], answered[0]["call"],
                                json.dumps(ANSWER))
    check("an_answer_to_a_withdrawn_question_is_rejected",
          (status != 0, "has withdrawn the question" in err),
          (True, True))
    run.kill()
    run.communicate(timeout=300)


def test_forever():
    """A server asks again and again and gets no answer: the call ends at its timeout."""
    place = Place("old", "forever", "2s")
    run = place.start("run", "spec.json", GO)
    try:
        out, _ = run.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        run.kill()
        out, _ = run.communicate()
    check("a_call_that_asks_forever_ends", (run.returncode, out), (0, "the end\n"))
    _, out, _ = place.haft("runs", "events", "last")
    kinds = [json.loads(line)["kind"] for line in out.splitlines()]
    check("the_call_ends_after_a_few_questions", 1 <= kinds.count("answered") <= 10, True)


def test_many():
    """A person gets at most ten questions of one call."""
    place = Place("old", "many")
    with Client(place) as client:
        client.greet({"elicitation": BOTH})
        client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
        asked, message = 0, client.next("elicitation/create")
        while "method" in message:
            asked += 1
            client.write({"id": message["id"], "result": {"action": "accept",
                                                          "content": ANSWER}})
            message = client.next("elicitation/create")
    check("a_person_gets_at_most_ten_questions", (asked, [a["action"] for a in place.answers()[0]]),
          (10, ["accept"] * 10 + ["cancel"] * 2))


def test_reject():
    place = Place("old", "form")
    run = place.start("run", "spec.json", GO)
    words = answer_of(read_until(run, "# decline"))
    status, _, err = place.haft("reject", words[1], words[2])
    check("a_rejection_is_accepted",
          (status in (0, WAITING), "different answer" in err), (True, False))
    run.communicate(timeout=300)
    check("the_server_gets_the_rejection", place.answers(), [[{"action": "decline"}]])


def test_crash():
    """The process that asked was killed: its question is lost, and no answer to it becomes a
    result."""
    place = Place("old", "form")
    run = place.start("run", "spec.json", GO)
    words = answer_of(read_until(run, "# decline"))
    shown = json.loads(place.haft("runs", "show", words[1], "--json")[1])["pending"][0]
    check("the_question_is_shown_while_its_process_runs", (shown["kind"], shown["asks"]["pinned"]),
          ("question", True))
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=300)
    shown = json.loads(place.haft("runs", "show", words[1], "--json")[1])["pending"][0]
    check("the_lost_question_is_shown_as_an_unknown_outcome",
          (shown["kind"], "asks" in shown), ("unknown_outcome", False))
    status, out, err = place.haft("answer", words[1], words[2], json.dumps(ANSWER))
    check("an_answer_to_a_lost_question_is_rejected",
          (status != 0, "ended with the process" in err),
          (True, True))
    status, out, err = place.haft("resume", words[1], "--json")
    pending = json.loads(out)["pending"][0]
    check("the_call_is_pending_as_an_unknown_outcome", (pending["kind"], pending.get("asks")),
          ("unknown_outcome", None))
    status, out, err = place.haft("resume", words[1])
    check("the_loss_is_reported", ("was lost when its process ended" in err, "# its result" in err),
          (True, True))
    status, out, err = place.haft("answer", words[1], words[2], "it was done")
    check("a_person_can_give_the_result_of_the_call", (status, out, err if status else ""),
          (0, "the end\n", ""))


def test_durable():
    """A server without a session: the run waits in the store."""
    place = Place("new", "form")
    status, out, err = place.haft("run", "spec.json", GO)
    words = answer_of(err)
    check("a_run_with_a_durable_question_waits",
          (status, "  name: string, required" in err, words is not None),
          (WAITING, True, True))
    status, out, _ = place.haft("resume", words[1], "--json")
    asks = json.loads(out)["pending"][0]["asks"]
    check("json_has_the_whole_question", (asks["mode"], asks["schema"]["required"], asks["pinned"]),
          ("form", ["name"], False))
    status, out, err = place.haft("answer", words[1], words[2], json.dumps(ANSWER))
    check("the_run_continues_after_a_durable_answer",
          (status, out, place.answers()), (0, "the end\n", [[FULL]]))


# ---- haft mcp as the server, started again for each command ----

def test_own_server():
    """The client ends its server when the run pauses; the next server gets the answer."""
    for tool, arguments, answers, result in (
            ("danger", {"x": "a"}, [{"approve": True}], "deleted a"),
            ("danger", {"x": "a"}, [{"approve": False}], "was not approved"),
            ("run_inner", {"task": GO}, [{"approve": True}], "inner done")):
        place = Place("new", "one")
        name = f"{tool}_{answers[-1]}"
        inner = {"name": "inner", "model": "script:inner_script.json", "tools": [
            {"name": "danger", "description": "Deletes something.", "args": ["x"],
             "command": ["/bin/echo", "deleted", "{x}"], "traits": {"needs_approval": True}}]}
        replies = [{"calls": [{"name": "danger", "arguments": {"x": "a"}}]},
                   {"expect": {"contains": ["deleted a"]}, "text": "inner done"}]
        outer = {"name": "outer", "model": "script:script.json", "mcp": {"servers": {"in": {
            "command": [HAFT, "mcp", "inner.json", "--store", "sqlite:inner.db"],
            "env": {"XDG_STATE_HOME": str(place.path / "inner")}, "timeout": "60s"}}}}
        for file, value in (("inner.json", inner), ("inner_script.json", {"replies": replies}),
                            ("spec.json", outer),
                            ("script.json", {"replies": [
                                {"calls": [{"name": f"in:{tool}", "arguments": arguments}]},
                                {"text": "the end"}]})):
            (place.path / file).write_text(json.dumps(value))
        status, out, err = place.haft("run", "spec.json", f"use in:{tool}")
        for answer in answers:
            check(f"{name}_waits", status, WAITING)
            status, out, err = place.haft("answer", "last", "c1.1", json.dumps(answer), "--json")
        status, out, err = place.haft("runs", "events", "last")
        ends = [event for event in map(json.loads, out.splitlines())
                if event["kind"] == "call_finished"]
        check(f"{name}_is_answered", [result in json.dumps(end) for end in ends], [True])
        keys = list((place.path / "inner").rglob("*.seal"))
        check(f"{name}_has_one_seal_file",
              [oct(key.stat().st_mode & 0o777) for key in keys], ["0o600"])


# ---- through haft mcp ----

class Client:
    """A client of `haft mcp` on stdio."""

    def __init__(self, place):
        self.process = place.start("mcp", "spec.json")
        self.id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=300)
        self.process.stdout.close()
        self.process.stderr.close()

    def write(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def send(self, method, params):
        self.id += 1
        self.write({"id": self.id, "method": method, "params": params})
        return self.id

    def next(self, *methods):
        """The next message that is a response, or a request with one of the methods."""
        while True:
            message = json.loads(self.process.stdout.readline())
            if "method" not in message or message["method"] in methods:
                return message

    def greet(self, can):
        self.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": can,
                                 "clientInfo": {"name": "t", "version": "1"}})
        self.next()
        self.write({"method": "notifications/initialized"})

    def modern(self, can, **more):
        self.send("tools/call", {
            "name": "run_a", "arguments": {"task": GO}, **more,
            "_meta": {"io.modelcontextprotocol/protocolVersion": NEW,
                      "io.modelcontextprotocol/clientCapabilities": can}})
        return self.next()["result"]


def text_and_error(result):
    return result["content"][0]["text"], result.get("isError", False)


def check_question(name, params, way):
    if way == "form":
        found = (params["mode"], params["message"], params["requestedSchema"]["required"],
                 params["requestedSchema"]["properties"]["size"]["enum"])
        wanted = ("form", "The server 'docs' asks: Who are you?\nSay it.", ["name"],
                  ["small", "large"])
    else:
        found = (params["mode"], params["message"], params["url"])
        wanted = ("url", "The server 'docs' asks: Sign in first.",
                  "https://login.example.org/start?x=1")
    check(f"{name}_question_is_complete", found, wanted)


def test_server(inner, way):
    """The outer client gets the question of the inner server, and the inner server gets the
    answer."""
    answer = {"action": "accept", **({"content": ANSWER} if way == "form" else {})}
    wanted = [[FULL if way == "form" else {"action": "accept"}]]
    place = Place(inner, way)
    with Client(place) as client:
        client.greet({"elicitation": BOTH})
        client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
        question = client.next("elicitation/create")
        check_question(f"old_to_{inner}_{way}", question["params"], way)
        client.write({"id": question["id"], "result": {**answer, "_meta": {}}})
        check(f"old_to_{inner}_{way}_result",
              (text_and_error(client.next()["result"]), place.answers()),
              (("the end", False), wanted))
    place = Place(inner, way)
    with Client(place) as client:
        result = client.modern({"elicitation": BOTH})
        key, asked = next(iter(result["inputRequests"].items()))
        check_question(f"new_to_{inner}_{way}", asked["params"], way)
        back = {"requestState": result["requestState"], "inputResponses": {key: answer}}
        check(f"new_to_{inner}_{way}_result",
              (text_and_error(client.modern({"elicitation": BOTH}, **back)), place.answers()),
              (("the end", False), wanted))


def test_server_without():
    """The client cannot ask a person: a server that waits gets a cancel; a durable question
    waits."""
    for can in ({}, {"elicitation": {}}):
        place = Place("old", "url")
        with Client(place) as client:
            client.greet(can)
            client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
            check(f"a_client_that_cannot_ask_cancels_{len(can)}",
                  (text_and_error(client.next()["result"]), place.answers()),
                  (("the end", False), [[{"action": "cancel"}]]))
    place = Place("new", "url")
    with Client(place) as client:
        client.greet({})
        client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
        text, bad = text_and_error(client.next()["result"])
        check("a_durable_question_waits_in_the_store",
              (bad, "https://login.example.org/start?x=1" in text,
                                        "haft answer" in text), (True, True, True))


def test_server_no():
    """A decline reaches the server. An invalid answer and a failure of the client reach it as a
    cancel: no person has declined."""
    for number, (reply, action) in enumerate((
            ({"result": {"action": "decline"}}, "decline"),
            ({"result": {"action": "accept", "content": {"n": 1}}}, "cancel"),
            ({"error": {"code": -1, "message": "no"}}, "cancel"))):
        place = Place("old", "form")
        with Client(place) as client:
            client.greet({"elicitation": {}})
            client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
            client.write({"id": client.next("elicitation/create")["id"], **reply})
            check(f"negative_reply_{number}_reaches_the_server",
                  (text_and_error(client.next()["result"]), place.answers()),
                  (("the end", False), [[{"action": action}]]))


SETTLED = ("notifications/cancelled", "elicitation/create")


def check_second_question(client, place, name):
    """The first question is withdrawn, an answer to it is ignored, and the next one is asked."""
    off = client.next(*SETTLED)
    check(f"{name}_withdraws_the_first_question",
          (off.get("method"), off.get("params", {}).get("requestId")),
          (SETTLED[0], 1))
    question = client.next(*SETTLED)
    check(f"{name}_leads_to_the_next_question", question["params"]["message"], "And now?")
    client.write({"id": 1, "result": {"action": "accept", "content": {"answer": "late"}}})
    client.write({"id": question["id"],
                  "result": {"action": "accept", "content": {"answer": "yes"}}})
    check(f"{name}_and_the_next_answer_end_the_run",
          text_and_error(client.next()["result"]), ("the end", False))
    events = map(json.loads, place.haft("runs", "events", "last")[1].splitlines())
    check(f"{name}_does_not_replace_the_next_answer",
          [e.get("value") for e in events if e["kind"] == "answered"][-1:],
          ["yes"])


def test_server_settled():
    """A question is settled elsewhere: another process answers, or the server has continued."""
    def ask(question):
        return {"calls": [{"name": "request_user_input", "arguments": {"question": question}}]}
    builtins = {"enabled": ["request_user_input", "tool_search"]}
    place = Place("old", "form")
    place.change([ask("First?"), ask("And now?"), {"text": "the end"}], builtins=builtins, mcp={})
    with Client(place) as client:
        client.greet({"elicitation": BOTH})
        client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
        client.next("elicitation/create")
        place.haft("answer", "last", "c1.1", "me")
        check_second_question(client, place, "another_answer")
    place = Place("old", "leaves")
    place.change([{"calls": [{"name": "docs:ask", "arguments": {}}]}, ask("And now?"),
                  {"text": "the end"}], builtins=builtins)
    with Client(place) as client:
        client.greet({"elicitation": BOTH})
        client.send("tools/call", {"name": "run_a", "arguments": {"task": GO}})
        client.next("elicitation/create")
        place.log.write_text("")
        check_second_question(client, place, "a_server_that_continues")


def test_server_two():
    """Two questions at once: each answer is used when it arrives. If one question gets no answer,
    the result says how to continue."""
    def ask(question):
        return {"name": "request_user_input", "arguments": {"question": question}}
    place = Place("old", "form")
    place.change([{"calls": [ask("One?"), ask("Two?")]}, {"text": "the end"}],
                 builtins={"enabled": ["request_user_input"]}, mcp={})
    with Client(place) as client:
        client.greet({"elicitation": BOTH})
        client.send("tools/call", {"name": "run_a", "arguments": {"task": GO},
                                   "_meta": {"progressToken": 1}})
        ids = [client.next("elicitation/create")["id"] for _ in range(2)]
        client.write({"id": ids[0], "result": {"action": "cancel"}})
        client.write({"id": ids[1], "result": {"action": "accept", "content": {"answer": "b"}}})
        text, bad = text_and_error(client.next("elicitation/create")["result"])
        check("one_of_two_questions_is_not_answered", (bad, "One?" in text, "Two?" in text),
              (True, True, False))


def test_server_ends():
    """A run that waits for a client that never returns ends with the server."""
    place = Place("old", "form")
    with Client(place) as client:
        client.modern({"elicitation": {}})
    check("haft_mcp_ends_while_a_run_waits", client.process.returncode, 0)
    out = place.haft("runs", "--json")[1]
    check("a_run_that_waits_is_cancelled_at_the_end", '"cancelled"' in out, True)


with tempfile.TemporaryDirectory() as scratch:
    test_form()
    test_fork()
    test_slow_and_asking()
    test_child()
    test_url()
    test_twice()
    test_both()
    test_parallel()
    test_again()
    test_gone()
    test_forever()
    test_many()
    test_reject()
    test_crash()
    test_durable()
    test_own_server()
    for inner in ("old", "new"):
        for way in ("form", "url"):
            test_server(inner, way)
    test_server_without()
    test_server_no()
    test_server_settled()
    test_server_two()
    test_server_ends()
