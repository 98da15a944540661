#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft mcp`: questions and approvals of runs below the run of a request come to the client with
their path, in both eras of the protocol, and its answers go back to these runs."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from agents_help import HAFT, LONG, Place, ask, call, tool  # noqa: E402
from script import check  # noqa: E402

NEW, OLD = "2026-07-28", "2025-11-25"
SERVER = Path(__file__).resolve().parents[1] / "mcp/asking_server.py"
CAN = {"elicitation": {"form": {}, "url": {}}}
YES = {"action": "accept", "content": {"approve": True}}
CHILDREN = 16  # HAFT__LIMIT_CHILD_KEPT


def reply(text):
    return {"action": "accept", "content": {"answer": text}}


class Client:
    """A client of `haft mcp spec.json` on stdio. `run` runs the agent; with `answers`, a function
    of a question, it answers."""

    def __init__(self, place, spec, new, can=CAN):
        place.put("spec.json", spec)
        self.process = subprocess.Popen([HAFT, "mcp", "spec.json"], cwd=place.directory,
                                        env=place.environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.new, self.can, self.id, self.asked = new, can, 0, []
        if not new:
            self.send("initialize", {"protocolVersion": OLD, "capabilities": can,
                                     "clientInfo": {"name": "t", "version": "1"}})
            self.next()
            self.write({"method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=LONG)
        self.process.stdout.close()

    def write(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def send(self, method, params):
        self.id += 1
        self.write({"id": self.id, "method": method, "params": params})

    def next(self, *methods):
        """The next response, or request with one of the methods."""
        while True:
            message = json.loads(self.process.stdout.readline())
            if "method" not in message or message["method"] in methods:
                return message

    def call(self, **more):
        if self.new:
            more["_meta"] = {"io.modelcontextprotocol/protocolVersion": NEW,
                             "io.modelcontextprotocol/clientCapabilities": self.can}
        self.send("tools/call", {"name": "run_boss", "arguments": {"task": "go"}, **more})

    def run(self, answers):
        """(text, whether it is an error) of the result. `asked` gets the questions."""
        self.call()
        while True:
            message = self.next("elicitation/create")
            if message.get("method"):
                self.asked.append((None, message["params"]))
                self.write({"id": message["id"], "result": answers(message["params"])})
                continue
            result = message["result"]
            if result.get("resultType") != "input_required":
                return result["content"][0]["text"], result.get("isError", False)
            given = {key: answers(one["params"]) for key, one in result["inputRequests"].items()}
            self.asked += [(key, one["params"]) for key, one in result["inputRequests"].items()]
            self.call(requestState=result["requestState"], inputResponses=given)


def team(place):
    """A boss with two agents: one has a clerk who needs approval, the other asks a question."""
    mail = tool("mail", ["sh", "-c", "echo x >> mailed"], needs_approval=True)
    clerk = place.agent("clerk", [[call("mail")], "sent"], [mail])
    first = place.agent("first", [[call("ask_clerk", task="write")], "gold"], [ask("clerk")],
                        agents={"clerk": clerk})
    second = place.agent("second", [[call("request_user_input", question="Where?")], "tin"],
                         builtins={"enabled": ["request_user_input"]})
    return place.agent("boss", [[call("ask_first", task="dig"), call("ask_second", task="drill")],
                                "found"], [ask("first"), ask("second")],
                       agents={"first": first, "second": second})


def answer_of(params):
    return YES if "approve" in params["requestedSchema"]["properties"] else reply("here")


def mailed(place):
    path = place.directory / "mailed"
    count = len(path.read_text().split()) if path.exists() else 0
    path.unlink(missing_ok=True)
    return count


def both_kinds(place, new, era):
    with Client(place, team(place), new) as client:
        result = client.run(answer_of)
        check(f"questions_of_children_come_to_the_client_{era}",
              sorted({params["message"] for _, params in client.asked}),
              ["The agent 'clerk' (c1.1/c1.1) asks: May the tool 'mail' be called with {}?",
               "The agent 'second' (c1.2) asks: Where?"])
        if new:
            check("their_keys_have_the_path",
                  sorted({key.rsplit("-")[0] for key, _ in client.asked}),
                  ["c1.1/c1.1/c1.1", "c1.2/c1.1"])
        check(f"the_answers_go_to_the_children_{era}", (result, mailed(place)),
              (("found", False), 1))
    root = json.loads(place.haft("runs", "list", "--tree", "--json")[1])["runs"][0]["run"]
    events = place.events(root, "--tree")
    check(f"they_are_answered_once_by_the_client_{era}",
          sorted((e["path"], e["verdict"], e["by"]) for e in events if e["kind"] == "answered"),
          [("c1.1/c1.1", "approve", "mcp"), ("c1.2", "answer", "mcp")])


def rejected(place, new, era):
    with Client(place, team(place), new) as client:
        result = client.run(lambda params: {"action": "decline"} if "approve" in json.dumps(params)
                            else reply("there"))
        check(f"a_declined_call_of_a_child_does_not_run_{era}", (result, mailed(place)),
              (("found", False), 0))


def unanswered(place, new, era):
    """The client cannot ask, or its user has not answered: the text says how to continue."""
    with Client(place, team(place), new, can={}) as client:
        text, bad = client.run(answer_of)
    root = json.loads(place.haft("runs", "list", "--tree", "--json")[1])["runs"][0]["run"]
    check(f"a_client_that_cannot_ask_gets_the_commands_{era}",
          (bad, f"hint: haft approve {root} c1.1/c1.1/c1.1" in text,
           f"hint: haft answer {root} c1.2/c1.1 VALUE" in text), (True, True, True))
    place.haft("answer", root, "c1.2/c1.1", "here")
    done = place.haft("approve", root, "c1.1/c1.1/c1.1")
    check(f"the_commands_continue_the_run_{era}", (done[0], done[1], mailed(place)),
          (0, "found\n", 1))


def answered_elsewhere(place):
    with Client(place, team(place), False) as client:
        client.call()
        questions = [client.next("elicitation/create") for _ in range(2)]
        where = next(q for q in questions if "Where" in q["params"]["message"])
        root = json.loads(place.haft("runs", "list", "--tree", "--json")[1])["runs"][0]["run"]
        place.haft("answer", root, "c1.2/c1.1", "here")
        off = client.next("notifications/cancelled")
        check("a_question_of_a_child_that_another_process_answers_is_withdrawn",
              off.get("params", {}).get("requestId"), where["id"])
        other = next(q for q in questions if q is not where)
        client.write({"id": other["id"], "result": YES})
        check("the_other_question_is_still_open", client.next()["result"]["content"][0]["text"],
              "found")
    mailed(place)


def many(place, new, era):
    """More questions than the client gets at once."""
    count = CHILDREN + 4
    asker = place.agent("asker", [[call("request_user_input", question="Where?")], "there"],
                        builtins={"enabled": ["request_user_input"]})
    boss = place.agent("boss", [[call("ask_asker", task=str(n)) for n in range(count)], "found"],
                       [ask("asker", limits={"turns": 2})], agents={"asker": asker},
                       limits={"turns": 2 * count + 2, "parallel": count, "calls": 3 * count})
    with Client(place, boss, new) as client:
        result = client.run(answer_of)
        check(f"many_children_ask_one_after_the_other_{era}",
              (result, len({params["message"] for _, params in client.asked})),
              (("found", False), count))
    with Client(place, boss, new, can={}) as client:
        text, _ = client.run(answer_of)
        check(f"a_text_that_does_not_list_all_says_where_they_are_{era}",
              (text.count("\nquestion of"), "all pending calls: haft pending" in text),
              (CHILDREN, True))


def of_a_server(place, new, era):
    """The question of an MCP server of a child, which waits for the answer in this process."""
    log = place.directory / f"log{era}"
    asker = place.agent("asker", [[call("docs:ask")], "asked"], mcp={"servers": {"docs": {
        "command": [sys.executable, str(SERVER), "old", "form", str(log)], "timeout": "60s",
        "trust": True}}})
    boss = place.agent("boss", [[call("ask_asker", task="use docs:ask")], "found"], [ask("asker")],
                       agents={"asker": asker})
    wanted = {"name": "Ada", "n": 4}
    with Client(place, boss, new) as client:
        result = client.run(lambda params: {"action": "accept", "content": wanted})
        check(f"the_question_of_a_childs_server_is_passed_on_{era}",
              [params["message"] for _, params in client.asked],
              ["The agent 'asker' (c1.1) asks: The server 'docs' asks: Who are you?\nSay it."])
        answers = [json.loads(line) for line in log.read_text().splitlines()]
        check(f"and_the_server_gets_the_answer_{era}", (result, answers[0][0]["content"]),
              (("found", False), {**wanted, "size": "small"}))


with tempfile.TemporaryDirectory(prefix="haft-mcp-") as scratch:
    for number, (is_new, era_name) in enumerate(((False, "old"), (True, "new"))):
        here = Path(scratch) / era_name
        here.mkdir()
        where_ = Place(here)
        both_kinds(where_, is_new, era_name)
        rejected(where_, is_new, era_name)
        unanswered(where_, is_new, era_name)
        many(where_, is_new, era_name)
        of_a_server(where_, is_new, era_name)
    answered_elsewhere(Place(scratch))
