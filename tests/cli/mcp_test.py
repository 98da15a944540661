#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft mcp`, by talking to it on stdio and over HTTP, with both protocol eras, and with
many errors."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
SECRET = "sk-canary-0123456789abcdef"
NEW = "2026-07-28"
OLD = "2025-11-25"
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
ADD = "import sys,json; a=json.load(sys.stdin); print(a['a']+a['b'])"
TOKEN_MOST = 4096  # HAFT__LIMIT_MCP_TOKEN_FILE_BYTES
TOKEN = "a-token-of-some-length-and-of-32"
TOKEN_LEAST = 32  # HAFT__LIMIT_MCP_TOKEN_MIN_BYTES
KEY_MOST = 256  # HAFT__LIMIT_MCP_KEY_BYTES
SPEC = {
    "name": "helper", "model": "script:script.json", "instructions": "Help.",
    "description": "Helps with small things, for tests.",
    "tools": [
        {"name": "add", "description": "Adds two numbers and prints their sum.",
         "command": ["python3", "-c", ADD],
         "input_schema": {"type": "object", "properties": {
             "a": {"type": "integer"}, "b": {"type": "integer", "default": 40}},
             "required": ["a"], "additionalProperties": False},
         "traits": {"read_only": True}},
        {"name": "docs:look", "description": "Prints one JSON object about a thing.",
         "command": ["echo", '{"n": 1}'], "args": [],
         "output_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        {"name": "liar", "description": "Prints something that its schema does not allow.",
         "command": ["echo", "nothing"], "args": [],
         "output_schema": {"type": "object"}},
        {"name": "leak", "description": "Prints a secret from its environment.",
         "command": ["sh", "-c", "echo key $KEY"], "args": [], "env": {"KEY": "${CANARY_KEY}"}},
        {"name": "fails", "description": "Fails with a message on standard error.",
         "command": ["sh", "-c", "echo broken >&2; exit 3"], "args": []},
        {"name": "slow", "description": "Sleeps for much longer than a test takes.",
         "command": ["sh", "-c", "echo $$ > slow.pid; sleep 300"], "args": []},
        {"name": "danger", "description": "Does something that a person must approve.",
         "command": ["echo", "it is done"], "args": [],
         "traits": {"destructive": True, "needs_approval": True}},
        {"name": "keyed", "description": "Prints the key and the epoch of its call.",
         "command": ["sh", "-c", 'echo "$HAFT_IDEMPOTENCY_KEY ${HAFT_EPOCH:--}"'], "args": []},
    ],
    "builtins": {"enabled": ["read", "request_user_input", "store_artifact"]},
}
# Each byte is six bytes of JSON: the first result is a message of 30 MB, the second would have 48.
HUGE = {**SPEC, "tools": SPEC["tools"][:1] + [
    {"name": name, "description": f"Prints {size} bytes that JSON must escape.", "args": [],
     "command": ["sh", "-c", f"head -c {size} /dev/zero | tr '\\0' '\\1'"]}
    for name, size in (("huge", 5000000), ("huger", 8000000))]}
SCRIPT = {"replies": [
    {"calls": [{"name": "add", "arguments": {"a": 1}}, {"name": "leak", "arguments": {}}]},
    {"calls": [{"name": "request_user_input", "arguments": {"question": "Which one?"}}]},
    {"text": "The answer is 41."}]}


def start(*options, spec="agent.json"):
    return subprocess.Popen([HAFT, "mcp", spec, "--store", "sqlite:runs.db", *options],
                            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, cwd=scratch,
                            env={**os.environ, "CANARY_KEY": SECRET})


def meta(can=None, **more):
    return {"io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": can or {}, **more}


class Stdio:
    """A server on stdio, and one client. It keeps messages that are not the awaited answer."""

    def __init__(self, *options, spec="agent.json"):
        self.process = start(*options, spec=spec)
        self.id = 0
        self.others = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(timeout=300)
        self.process.stdout.close()
        self.process.stderr.close()

    def write(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def send(self, method, params=None, id=None):
        self.id += 1
        message = {"jsonrpc": "2.0", "id": id or self.id, "method": method}
        self.write({**message, "params": params} if params is not None else message)
        return id or self.id

    def wait(self, id):
        while True:
            message = self.read()
            if message is None or (message.get("id") == id and "method" not in message):
                return message
            self.others.append(message)

    def ask(self, method, params=None):
        return self.wait(self.send(method, params))

    def open(self, capabilities=None, version=OLD):
        answer = self.ask("initialize", {"protocolVersion": version,
                                         "capabilities": capabilities or {},
                                         "clientInfo": {"name": "t", "version": "1"}})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, name, arguments=None, **more):
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}, **more})


def outcome(answer):
    """(is_error, text) of a tool's result, or the code of an error."""
    if "error" in answer:
        return answer["error"]["code"]
    result = answer["result"]
    return result.get("isError", False), result["content"][0]["text"]


def code(answer):
    return answer["error"]["code"] if "error" in answer else "no error"


def runs():
    done = subprocess.run([HAFT, "runs", "--store", "sqlite:runs.db", "--json"], cwd=scratch,
                          capture_output=True, text=True)
    return done.stdout


# ---- stdio ----

def test_old():
    with Stdio() as s:
        answer = s.open()["result"]
        check("handshake_returns_the_server_and_its_capabilities",
              (answer["protocolVersion"], answer["serverInfo"]["name"],
               "tools" in answer["capabilities"],
               "resources" in answer["capabilities"], answer["instructions"]),
              (OLD, "helper", True, False, SPEC["description"]))
        tools = s.ask("tools/list")["result"]["tools"]
        check("tools_are_listed", [t["name"] for t in tools],
              ["add", "docs_-_look", "liar", "leak", "fails", "slow", "danger", "keyed", "read",
               "run_helper"])
        check("annotations_follow_the_traits", (tools[0]["annotations"]["readOnlyHint"],
                                                tools[6]["annotations"]["destructiveHint"],
                                                "annotations" in tools[2]),
              (True, True, False))
        check("call_returns_its_result", outcome(s.call("add", {"a": "2"})), (False, "42"))
        look = s.call("docs_-_look")
        check("structured_content_is_returned",
              (look["result"]["structuredContent"], outcome(look)),
              ({"n": 1}, (False, '{"n": 1}')))
        check("result_that_violates_its_schema_is_an_error", outcome(s.call("liar"))[0], True)
        check("secret_is_redacted", outcome(s.call("leak")), (False, "key [redacted]"))
        failed = outcome(s.call("fails"))
        check("failed_call_is_an_error", (failed[0], "broken" in failed[1]), (True, True))
        wrong = outcome(s.call("add", {"b": "x"}))
        check("invalid_arguments_are_an_error", (wrong[0], "a" in wrong[1]), (True, True))
        check("ping_is_answered", s.ask("ping")["result"], {})
        check("log_level_is_accepted", s.ask("logging/setLevel", {"level": "debug"})["result"], {})
        check("completion_has_no_values", s.ask("completion/complete", {
            "ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}})
            ["result"]["completion"]["values"], [])
        refused = outcome(s.call("danger"))
        check("approval_without_elicitation_is_refused",
              (refused[0], "approval" in refused[1]), (True, True))


def test_versions():
    for asked, given in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"),
                         ("1999-01-01", OLD), (NEW, OLD)):
        with Stdio() as s:
            check(f"version_{asked}", s.open(version=asked)["result"]["protocolVersion"], given)


def test_bad_messages():
    cases = (
        ("nonsense", -32700), ("{", -32700), ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":7}', -32600),
        ('{"jsonrpc":"2.0","id":7,"method":"tools/list"}', -32600),
        ('{"jsonrpc":"2.0","id":7,"method":"server/discover"}', -32602),
        ('{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}', -32602),
        ('{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}', -32602),
    )
    with Stdio() as s:
        for text, wanted in cases:
            s.write(text)
            check(f"refused_{text}", code(s.read()), wanted)
        s.write("")
        s.write('{"jsonrpc":"2.0","id":99,"result":{}}')
        s.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
        s.write('{"jsonrpc":"2.0","method":"notifications/unheard_of"}')
        check("unexpected_messages_are_not_answered", s.ask("ping")["result"], {})
        s.open()
        check("second_initialize_is_rejected",
              code(s.ask("initialize", {"protocolVersion": OLD})), -32600)
        check("unknown_method_is_rejected", code(s.ask("resources/list")), -32601)
        check("unknown_tool_is_rejected", code(s.call("nobody")), -32602)
        check("call_without_a_name_is_rejected", code(s.ask("tools/call", {})), -32602)
        check("arguments_that_are_a_list_are_rejected",
              code(s.ask("tools/call", {"name": "add", "arguments": []})), -32602)
        check("unknown_log_level_is_rejected",
              code(s.ask("logging/setLevel", {"level": "loud"})), -32602)
        check("unknown_cursor_is_rejected", code(s.ask("tools/list", {"cursor": "1"})), -32602)
        check("invalid_completion_is_rejected",
              code(s.ask("completion/complete", {"ref": 1})), -32602)
        check("server_keeps_running", s.process.poll(), None)


def test_long_line():
    with Stdio() as s:
        s.write("x" * (33 << 20))
        check("line_that_is_too_long_is_rejected", code(s.read()), -32600)
        check("server_continues", s.ask("ping")["result"], {})


def test_cancel():
    with Stdio() as s:
        s.open()
        id = s.send("tools/call", {"name": "slow", "arguments": {}})
        while not (Path(scratch) / "slow.pid").exists():
            s.ask("ping")
        check("id_in_use_is_rejected", code(s.wait(s.send("ping", id=id))), -32600)
        s.write({"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": id}})
        check("cancelled_call_is_not_answered",
              (s.ask("ping")["result"],
               [m for m in s.others if m.get("id") == id]), ({}, []))


def test_end():
    pid = Path(scratch) / "slow.pid"
    pid.unlink(missing_ok=True)
    with Stdio() as s:
        s.open()
        s.send("tools/call", {"name": "slow", "arguments": {}})
        while not pid.exists() or not pid.read_text().strip():
            s.ask("ping")
        s.process.stdin.close()
        check("end_of_input_ends_the_server", s.process.wait(timeout=300), 0)
        check("process_of_the_tool_is_gone",
              os.path.exists(f"/proc/{pid.read_text().strip()}"), False)
    with Stdio() as s:
        s.open()
        s.process.send_signal(signal.SIGTERM)
        check("sigterm_ends_the_server", s.process.wait(timeout=300), 0)
    with Stdio() as s:
        s.process.stdout.close()
        s.send("ping")
        s.send("ping")
        check("server_ends_if_its_reader_is_gone", s.process.wait(timeout=300), 0)
    with open(Path(scratch) / "in.jsonl", "w") as file:
        file.write('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    with open(Path(scratch) / "in.jsonl") as file:
        done = subprocess.run([HAFT, "mcp", "agent.json", "--store", "memory:"], stdin=file,
                              capture_output=True, text=True, cwd=scratch,
                              env={**os.environ, "CANARY_KEY": SECRET})
    check("input_can_be_a_file", (done.returncode, done.stdout),
          (0, '{"jsonrpc":"2.0","id":1,"result":{}}\n'))


def test_approval_old():
    for content, wanted in (({"action": "accept", "content": {"approve": True}},
                             (False, "it is done")),
                            ({"action": "accept", "content": {"approve": False}}, True),
                            ({"action": "decline"}, True), ({}, True)):
        with Stdio() as s:
            s.open({"elicitation": {}})
            id = s.send("tools/call", {"name": "danger", "arguments": {}})
            question = s.read()
            s.write({"jsonrpc": "2.0", "id": question["id"], "result": content})
            found = outcome(s.wait(id))
            check(f"approval_{json.dumps(content)}", (question["method"],
                  found if isinstance(wanted, tuple) else found[0]),
                  ("elicitation/create", wanted))


def test_hidden():
    """Forms show every hidden character. The run gets the choice as the model wrote it."""
    hidden = "a\u200b\ufe0f\ue000\U000e0041\u202e"
    shown = r"a\u200b\ufe0f\ue000\udb40\udc41\u202e"
    tools = [{"name": "send", "description": "Sends a text somewhere.", "args": ["q"],
              "command": ["true"], "traits": {"needs_approval": True}}]
    asked = {"question": f"Which?\n{hidden}", "choices": [hidden, "b"], "default": hidden}
    put = {"hidden.json": {**SPEC, "tools": SPEC["tools"] + tools,
                           "model": "script:hidden.script.json"},
           "hidden.script.json": {"replies": [
               {"calls": SCRIPT["replies"][0]["calls"]
                + [{"name": "send", "arguments": {"q": hidden}}]},
               {"calls": [{"name": "request_user_input", "arguments": asked}]},
               {"expect": {"contains": hidden}, "text": "over"}]}}
    for name, value in put.items():
        (Path(scratch) / name).write_text(json.dumps(value))
    with Stdio(spec="hidden.json") as s:
        s.open({"elicitation": {}})
        id = s.send("tools/call", {"name": "send", "arguments": {"q": hidden}})
        question = s.read()
        check("a_form_for_a_tool_hides_nothing", question["params"]["message"],
              'May the tool \'send\' be called with {"q":"%s"}?' % shown)
        s.write({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
        s.wait(id)
        id = s.send("tools/call", {"name": "run_helper", "arguments": {"task": "Do it"}})
        for wanted, content in (
                (('May the tool \'send\' be called with {"q":"%s"}?' % shown, None, False),
                 {"approve": True}),
                ((f"Which?\n{shown}", [shown, "b"], shown), {"answer": shown})):
            question = s.read()
            while question is not None and question.get("method", "").startswith("notifications/"):
                question = s.read()
            field = next(iter(question["params"]["requestedSchema"]["properties"].values()))
            check("a_form_for_a_run_hides_nothing", (question["params"]["message"],
                                                     field.get("enum"), field["default"]), wanted)
            s.write({"jsonrpc": "2.0", "id": question["id"],
                     "result": {"action": "accept", "content": content}})
        check("run_gets_the_unescaped_choice", outcome(s.wait(id)), (False, "over"))


def test_keys():
    """The tool gets the key and the epoch that the client sends, or is not run at all."""
    name, epoch = "internal.haft/idempotencyKey", "internal.haft/epoch"
    with Stdio() as s:
        s.open()
        for key in ("01m7gc9pjqjenx55a234gkbv5f:c1.1", "k" * KEY_MOST, "!~"):
            check(f"key_is_passed_to_the_tool_{key[:8]}",
                  outcome(s.call("keyed", _meta={name: key, epoch: 7})),
                  (False, f"{key} 7"))
        own = outcome(s.call("keyed"))[1]
        check("haft_creates_a_key_if_the_client_has_none", (own[:4], own[-2:]), ("mcp:", " -"))
        for key in ("", "k" * (KEY_MOST + 1), "a b", "a\nb", "\u00e4", "a\0", "mcp:x", 7, None, {}):
            found = outcome(s.call("keyed", _meta={name: key}))
            check(f"invalid_key_is_rejected_{str(key)[:8]!r}",
                  (found[0], "did not run" in found[1]), (True, True))
        for number in (0, -1, 1.5, "1", None, 2 ** 63):
            found = outcome(s.call("keyed", _meta={name: "k", epoch: number}))
            check(f"invalid_epoch_is_rejected_{number!r}",
                  (found[0], "did not run" in found[1]), (True, True))


def test_key_through_haft():
    """haft as the client of haft: the key in its log is the one that the tool gets."""
    (Path(scratch) / "client.script.json").write_text(json.dumps({"replies": [
        {"calls": [{"name": "helper:keyed", "arguments": {}}]}, {"text": "ok"}]}))
    (Path(scratch) / "client.json").write_text(json.dumps({
        "haft": 1, "name": "client", "model": "script:client.script.json", "max_mcp_tools": 20,
        "mcp": {"servers": {"helper": {"command": [HAFT, "mcp", f"{scratch}/agent.json"],
                                       "env": {"CANARY_KEY": SECRET}}}}}))
    done = subprocess.run([HAFT, "run", "client.json", "call keyed", "--events", "--store",
                           "sqlite:client.db"], cwd=scratch, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    keys = [e["idempotency_key"] for e in events if e["kind"] == "call_started"]
    results = [e["result"].strip() for e in events if e["kind"] == "call_finished"]
    check("key_of_the_client_reaches_the_tool",
          (len(keys), results), (1, [f"{key} 1" for key in keys]))


def made():
    """The number of runs."""
    return len(json.loads(runs() or '{"runs": []}')["runs"])


def ask_keyed(s, key, task="Do it", times=1):
    """Calls the agent several times at once and answers its questions. (is_error, text) of each."""
    ids = {s.send("tools/call", {"name": "run_helper", "arguments": {"task": task},
                                 "_meta": {"internal.haft/idempotencyKey": key}})
           for _ in range(times)}
    found = []
    while len(found) < times:
        message = s.read()
        if message.get("method") == "elicitation/create":
            s.write({"jsonrpc": "2.0", "id": message["id"],
                     "result": {"action": "accept", "content": {"answer": "the first"}}})
        elif message.get("id") in ids and "method" not in message:
            found.append(outcome(message))
    return found


def test_run_keys():
    """One key is one run, for any number of calls and clients; another task needs another key."""
    good = (False, "The answer is 41.")
    with Stdio() as s:
        s.open({"elicitation": {}})
        before = made()
        check("a_key_makes_a_run", (ask_keyed(s, "k1"), made() - before), ([good], 1))
        check("same_key_is_the_same_run", (ask_keyed(s, "k1"), made() - before), ([good], 1))
        ((failed, text),) = ask_keyed(s, "k1", "Do something else")
        check("another_task_is_refused", (failed, "which has another task" in text,
                                          made() - before), (True, True, 1))
        check("another_key_is_another_run", (ask_keyed(s, "k2"), made() - before), ([good], 2))
        check("calls_at_the_same_time_share_a_run",
              (ask_keyed(s, "k3", times=3), made() - before), ([good] * 3, 3))
        ((failed, text),) = ask_keyed(s, "a b")
        check("invalid_key_for_a_run_is_rejected", (failed, "did not run" in text), (True, True))
    with Stdio() as s:
        s.open({"elicitation": {}})
        check("key_is_valid_for_another_server_of_the_store",
              (ask_keyed(s, "k3"), made() - before), ([good], 3))
    with Stdio() as s:
        s.open()  # this client does not support elicitation
        ((failed, text),) = ask_keyed(s, "k4")
        check("run_waits", (failed, "haft answer" in text), (True, True))
    with Stdio() as s:
        s.open({"elicitation": {}})
        check("run_continues_with_the_same_key", (ask_keyed(s, "k4"), made() - before), ([good], 4))


def test_client_that_does_not_read():
    """Requests wait while answers do, and none is lost; too many unread answers end the server with
    a message."""
    count = 30000
    with Stdio() as s:
        s.open()
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/list"}) + "\n"
                       for i in range(count))

        def write():
            s.process.stdin.write(text)
            s.process.stdin.flush()

        writer = threading.Thread(target=write)
        writer.start()
        writer.join(timeout=2)  # meanwhile all buffers fill up
        answers = sum("result" in json.loads(s.process.stdout.readline()) for _ in range(count))
        writer.join()
        check("all_is_answered_once_it_is_read", answers, count)
    with Stdio(spec="huge.json") as s:
        s.open()
        for i in range(6):
            s.send("tools/call", {"name": "huge"})
        status, err = s.process.wait(timeout=300), s.process.stderr.read()
        check("server_ends_if_its_client_does_not_read",
              (status, "does not read" in err), (1, True))


def test_huge_result():
    """haft accepts what haft sends: a result that is too long for a message is an error of its
    call."""
    with Stdio(spec="huge.json") as s:
        s.open()
        check("longest_result_is_returned", outcome(s.call("huge"))[0], False)
        found = outcome(s.call("huger"))
        check("longer_result_is_an_error", (found[0], "too long" in found[1]), (True, True))
        check("server_continues", outcome(s.call("add", {"a": 1})), (False, "41"))


def test_run_keys_of_another_spec():
    """A key finds only a run of the same agent, never the answer of another agent."""
    other = {**SPEC, "description": "Another agent of that name."}
    (Path(scratch) / "other.json").write_text(json.dumps(other))
    good = (False, "The answer is 41.")
    with Stdio() as s:
        s.open({"elicitation": {}})
        before = made()
        check("key_starts_a_run_of_the_spec", (ask_keyed(s, "s1"), made() - before), ([good], 1))
    with Stdio(spec="other.json") as s:
        s.open({"elicitation": {}})
        ((failed, text),) = ask_keyed(s, "s1")
        reported = "has another spec" in text and "haft runs show" in text
        check("key_of_another_spec_is_rejected",
              (failed, reported, made() - before), (True, True, 1))
        check("another_key_starts_a_run_of_the_other_spec",
              (ask_keyed(s, "s2"), made() - before), ([good], 2))
    (Path(scratch) / "copy.json").write_text((Path(scratch) / "agent.json").read_text())
    with Stdio(spec="copy.json") as s:
        s.open({"elicitation": {}})
        check("same_spec_in_another_file_is_the_same_run",
              (ask_keyed(s, "s1"), made() - before), ([good], 2))


def test_run_keys_and_cancelling():
    """A client that cancels does not take the answer away from other clients."""
    with Stdio() as s:
        s.open({"elicitation": {}})
        before = made()
        name = {"name": "run_helper", "arguments": {"task": "Do it"},
                "_meta": {"internal.haft/idempotencyKey": "k5"}}
        first = s.send("tools/call", name)
        question = s.read()
        while question.get("method") != "elicitation/create":
            question = s.read()
        second = s.send("tools/call", name)
        s.ask("ping")
        s.write({"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": first}})
        while (message := s.read()).get("id") != second or "method" in message:
            if message.get("method") == "elicitation/create":
                s.write({"jsonrpc": "2.0", "id": message["id"],
                         "result": {"action": "accept", "content": {"answer": "the first"}}})
        check("other_client_gets_the_answer", (outcome(message), made() - before),
              ((False, "The answer is 41."), 1))


def test_run():
    with Stdio() as s:
        s.open({"elicitation": {}})
        id = s.send("tools/call", {"name": "run_helper", "arguments": {"task": "Do it"},
                                   "_meta": {"progressToken": 7}})
        while True:
            message = s.read()
            if message.get("method") == "elicitation/create":
                break
            s.others.append(message)
        check("question_is_sent_to_the_client", message["params"]["message"], "Which one?")
        s.write({"jsonrpc": "2.0", "id": message["id"],
                 "result": {"action": "accept", "content": {"answer": "the first"}}})
        check("answer_of_the_run_is_returned", outcome(s.wait(id)), (False, "The answer is 41."))
        reported = [m["params"] for m in s.others if m.get("method") == "notifications/progress"]
        steps = [p["progress"] for p in reported]
        check("progress_is_reported", (len(steps) > 5, steps == sorted(set(steps)),
                                       {p["progressToken"] for p in reported}), (True, True, {7}))
    check("run_is_in_the_store", '"done"' in runs(), True)
    with Stdio() as s:
        s.open()
        found = outcome(s.call("run_helper", {"task": "Do it"}))
        check("waiting_run_is_an_error_with_a_command",
              (found[0], "haft answer " in found[1], "Which one?" in found[1]),
              (True, True, True))
        for bad in ({}, {"task": ""}, {"task": 1}, {"task": "a", "more": 1}, {"task": "a\0b"}):
            check(f"invalid_task_is_an_error_{json.dumps(bad)}",
                  outcome(s.call("run_helper", bad))[0], True)
    with Stdio() as s:
        s.open({"elicitation": {}})
        id = s.send("tools/call", {"name": "run_helper", "arguments": {"task": "Do it"}})
        while s.read().get("method") != "elicitation/create":
            pass
        s.write({"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": id}})
        s.process.stdin.close()
        check("server_ends_after_a_run_was_cancelled", s.process.wait(timeout=300), 0)
    check("store_has_the_cancelled_run", '"cancelled"' in runs(), True)


def test_new():
    with Stdio() as s:
        def ask(method, params=None, can=None):
            return s.ask(method, {**(params or {}), "_meta": meta(can)})
        found = ask("server/discover")["result"]
        check("discover_returns_the_supported_versions",
              (found["supportedVersions"], found["resultType"],
               found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]),
              ([NEW], "complete", "helper"))
        listed = ask("tools/list")["result"]
        check("list_says_how_long_it_is_valid",
              (listed["ttlMs"] >= 0, listed["cacheScope"]), (True, "private"))
        check("new_protocol_has_no_ping", code(ask("ping")), -32601)
        bad = s.ask("tools/list", {"_meta": {**meta(), "io.modelcontextprotocol/protocolVersion":
                                             "v9"}})
        check("unknown_version_is_rejected", (code(bad), bad["error"]["data"]),
              (-32022, {"supported": [NEW], "requested": "v9"}))
        check("missing_capabilities_are_rejected", code(s.ask("tools/list", {"_meta": {
            "io.modelcontextprotocol/protocolVersion": NEW}})), -32602)
        first = ask("tools/call", {"name": "danger", "arguments": {}}, {"elicitation": {}})
        result = first["result"]
        key = next(iter(result["inputRequests"]))
        check("call_that_needs_approval_returns_a_question", (result["resultType"],
              result["inputRequests"][key]["method"]), ("input_required", "elicitation/create"))
        yes = {"inputResponses": {key: {"action": "accept", "content": {"approve": True}}}}
        call = {"name": "danger", "arguments": {}, "requestState": result["requestState"]}
        check("approved_call_runs",
              outcome(ask("tools/call", {**call, **yes}, {"elicitation": {}})),
              (False, "it is done"))
        check("approval_is_valid_once",
              code(ask("tools/call", {**call, **yes}, {"elicitation": {}})),
              -32602)
        state = result["requestState"]
        for name, other in (("changed", state[:-1] + ("0" if state[-1] != "0" else "1")),
                            ("longer", state + "0"), ("none", ""), ("a_number", 7)):
            check(f"changed_state_is_rejected_{name}",
                  code(ask("tools/call", {**call, **yes, "requestState": other})),
                  -32602)
        check("state_of_another_call_is_rejected",
              code(ask("tools/call", {**call, **yes, "name": "add"})),
              -32602)
        unasked = ask("tools/call", {"name": "danger", "arguments": {}, **yes}, {"elicitation": {}})
        check("answer_without_a_question_is_asked_again",
              unasked["result"]["resultType"], "input_required")
        check("invalid_answers_are_rejected",
              code(ask("tools/call", {**call, "inputResponses": 1})),
              -32602)
        one = ask("tools/call", {"name": "run_helper", "arguments": {"task": "Do it"}},
                  {"elicitation": {}})["result"]
        key = next(iter(one["inputRequests"]))
        two = ask("tools/call", {"name": "run_helper", "arguments": {"task": "Do it"},
                                 "requestState": one["requestState"],
                                 "inputResponses": {key: {"action": "accept",
                                                          "content": {"answer": "x"}}}},
                  {"elicitation": {}})
        check("a_run_is_resumed", outcome(two), (False, "The answer is 41."))
        id = s.send("subscriptions/listen", {"notifications": {"toolsListChanged": True},
                                             "_meta": meta()})
        check("subscription_is_acknowledged", (s.read()["method"], id > 0),
              ("notifications/subscriptions/acknowledged", True))


# ---- HTTP ----

class Http:
    def __init__(self, *options, address="127.0.0.1:0"):
        self.process = start("--listen", address, *options)
        self.line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/mcp$", self.line)[1])
        self.session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=300)

    def send(self, body, headers=None, method="POST", path="/mcp", read=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        text = body if isinstance(body, (str, type(None))) else json.dumps(body)
        connection.request(method, path, text, {**JSON, **(headers or {})})
        answer = connection.getresponse()
        if not read:
            return connection, answer
        found = answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), \
            answer.read().decode()
        connection.close()
        return found

    def open(self):
        status, headers, text = self.send({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                                           "params": {"protocolVersion": OLD, "capabilities": {}}})
        self.session = {"Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": OLD}
        return status

    def ask(self, method, params=None, id=2):
        status, headers, text = self.send({"jsonrpc": "2.0", "id": id, "method": method,
                                           "params": params or {}}, self.session)
        return status, events(text)[-1] if "event-stream" in headers["content-type"] \
            else json.loads(text)

    def new(self, method, params=None, headers=None, id=3):
        all = {"MCP-Protocol-Version": NEW, "Mcp-Method": method,
               **({"Mcp-Name": params["name"]} if params and "name" in params else {}),
               **(headers or {})}
        status, got, text = self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": {
            **(params or {}), "_meta": meta()}}, {k: v for k, v in all.items() if v is not None})
        return status, events(text)[-1] if "event-stream" in got.get("content-type", "") \
            else json.loads(text)


def events(text):
    return [json.loads(line[6:]) for line in text.split("\n")
            if line.startswith("data: ") and len(line) > 6]


def test_http_guard():
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with Http() as h:
        for name, headers, wanted in (
                ("host", {"Host": "evil.example.com"}, 403),
                ("host_that_looks_right", {"Host": "localhost.evil.com"}, 403),
                ("host_address", {"Host": "10.0.0.1"}, 403), ("host_empty", {"Host": ""}, 403),
                ("origin", {"Origin": "http://evil.example.com"}, 403),
                ("origin_null", {"Origin": "null"}, 403),
                ("type", {"Content-Type": "text/plain"}, 415),
                ("form", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
                ("accept", {"Accept": "application/json"}, 406),
                ("accept_nothing", {"Accept": ""}, 406),
                ("no_session", {}, 400),
                ("unknown_session", {"Mcp-Session-Id": "0" * 32}, 404)):
            check(f"http_{name}", h.send(ping, headers)[0], wanted)
            if wanted == 403:
                check(f"http_get_{name}", h.send(None, headers, "GET")[0], 403)
        for body in ("", "nonsense", "[]", "{}", "[" * 1000, "\x00"):
            check(f"http_body_{body[:8]!r}", h.send(body)[0], 400)
        check("http_other_path_is_not_found", h.send(ping, path="/other")[0], 404)
        check("http_put_is_not_allowed", h.send(ping, method="PUT")[0], 405)
        check("http_local_origin_is_accepted",
              h.send(ping, {"Origin": "http://localhost:3000",
                            "Host": f"localhost:{h.port}"})[0], 400)
        check("http_get_without_session_is_rejected", h.send(None, method="GET")[0], 400)
        check("http_delete_without_session_is_rejected", h.send(None, method="DELETE")[0], 400)
        check("new_protocol_has_no_get", h.send(None, {"MCP-Protocol-Version": NEW}, "GET")[0], 405)
        check("new_protocol_has_no_delete",
              h.send(None, {"MCP-Protocol-Version": NEW}, "DELETE")[0], 405)


def test_http_token():
    os.umask(0o077)
    (Path(scratch) / "token").write_text(TOKEN + "\n")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with Http("--token-file", "token", address="0.0.0.0:0") as h:
        for value, wanted in ((None, 401), ("Bearer wrong", 401), ("Bearer ", 401),
                              ("Basic x", 401), (f"Bearer {TOKEN[:-1]}", 401),
                              (f"Bearer {TOKEN}", 400),
                              (f"bearer {TOKEN}", 400)):
            status, headers, _ = h.send(ping, {"Authorization": value} if value else {})
            check(f"token_{value}", (status, "www-authenticate" in headers),
                  (wanted, wanted == 401))
        check("token_does_not_allow_a_foreign_host",
              h.send(ping, {"Authorization": f"Bearer {TOKEN}",
                            "Host": "evil.example.com"})[0], 403)
    (Path(scratch) / "longest").write_text("t" * TOKEN_MOST)
    with Http("--token-file", "longest") as h:
        check("longest_token_is_accepted",
              h.send(ping, {"Authorization": "Bearer " + "t" * TOKEN_MOST})[0],
              400)
    (Path(scratch) / "short").write_text("t" * (TOKEN_LEAST - 1))
    with Http("--token-file", "short") as h:
        h.process.terminate()
        check("short_token_is_reported", "the token is short" in h.process.stderr.read(), True)
    (Path(scratch) / "least").write_text("t" * TOKEN_LEAST)
    (Path(scratch) / "least").chmod(0o644)
    with Http("--token-file", "least", address="0.0.0.0:0") as h:
        h.process.terminate()
        check("token_file_that_others_can_read_is_reported",
              "other users can read" in h.process.stderr.read(), True)
    (Path(scratch) / "writable").write_text("t" * TOKEN_LEAST)
    (Path(scratch) / "writable").chmod(0o622)
    (Path(scratch) / "too_long").write_text("t" * (TOKEN_MOST + 1))
    (Path(scratch) / "empty").write_text("\n")
    for name, options in (("no_token", ("--listen", "0.0.0.0:0")),
                          ("any_address", ("--listen", "[::]:0")),
                          ("empty_token", ("--listen", "0.0.0.0:0", "--token-file", "empty")),
                          ("short_token", ("--listen", "0.0.0.0:0", "--token-file", "short")),
                          ("writable_token", ("--listen", "127.0.0.1:0", "--token-file",
                                              "writable")),
                          ("too_long", ("--listen", "127.0.0.1:0", "--token-file", "too_long")),
                          ("no_file", ("--listen", "127.0.0.1:0", "--token-file", "nowhere")),
                          ("bad_address", ("--listen", "nonsense")),
                          ("token_on_stdio", ("--token-file", "token"))):
        process = start(*options)
        out, err = process.communicate(timeout=300)
        check(f"usage_{name}", (process.returncode in (1, 2), out, err != ""), (True, "", True))


def test_http_old():
    with Http() as h:
        check("http_handshake_succeeds", h.open(), 200)
        check("http_notification_is_accepted",
              h.send({"jsonrpc": "2.0", "method": "notifications/initialized"},
                     h.session)[0], 202)
        check("http_list_has_the_tools",
              h.ask("tools/list")[1]["result"]["tools"][0]["name"], "add")
        status, answer = h.ask("tools/call", {"name": "add", "arguments": {"a": 1}})
        check("http_call_returns_its_result", (status, outcome(answer)), (200, (False, "41")))
        bad = h.send({"jsonrpc": "2.0", "id": 1, "method": "ping"},
                     {**h.session, "MCP-Protocol-Version": "1.0"})
        check("http_unknown_version_is_rejected",
              (bad[0], json.loads(bad[2])["error"]["data"]["requested"]),
              (400, "1.0"))
        for method in ("GET", "DELETE"):
            bad = h.send(None, {**h.session, "MCP-Protocol-Version": "1.0"}, method)
            check(f"http_unknown_version_is_rejected_{method}",
                  (bad[0], "MCP-Protocol-Version" in bad[2]),
                  (400, True))
        connection, push = h.send(None, h.session, "GET", read=False)
        check("http_get_opens_a_stream", (push.status, push.getheader("content-type")),
              (200, "text/event-stream"))
        check("http_second_stream_is_rejected", h.send(None, h.session, "GET")[0], 409)
        connection.close()
        status, headers, text = h.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                                        "params": {"name": "fails", "arguments": {}}}, h.session)
        first = re.search(r"id: (\d+)-0\nretry: \d+\ndata: \n\n", text)
        check("http_stream_starts_with_an_event_id", first is not None, True)
        again = h.send(None, {**h.session, "Last-Event-ID": f"{first[1]}-0"}, "GET")
        check("http_stream_can_be_replayed", (again[0], events(again[2])), (200, events(text)))
        for bad in ("x", "1", "999-0", "-", f"{first[1]}-x"):
            check(f"http_unknown_event_id_is_rejected_{bad}",
                  h.send(None, {**h.session, "Last-Event-ID": bad}, "GET")[0],
                  410)
        other = dict(h.session)
        h.open()
        check("http_event_id_of_another_session_is_rejected",
              h.send(None, {**h.session, "Last-Event-ID":
                            f"{first[1]}-0"}, "GET")[0], 410)
        check("http_session_can_be_deleted", h.send(None, other, "DELETE")[0], 204)
        check("http_deleted_session_is_not_found",
              h.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, other)[0], 404)


def test_http_doubled():
    """A request in which an identifying header occurs twice is rejected."""
    with Http() as h:
        for name, first, second in (("Origin", "http://localhost", "http://evil.example.com"),
                                    ("Host", "localhost", "localhost"),
                                    ("Mcp-Session-Id", "a", "b"),
                                    ("MCP-Protocol-Version", OLD, NEW)):
            connection = http.client.HTTPConnection("127.0.0.1", h.port, timeout=300)
            connection.putrequest("POST", "/mcp", skip_host=True)
            for key, value in {**JSON, "Host": "localhost", "Content-Length": "2",
                               name: first}.items():
                connection.putheader(key, value)
            connection.putheader(name.lower(), second)
            connection.endheaders(b"{}")
            answer = connection.getresponse()
            text = answer.read().decode()
            check(f"doubled_header_is_rejected_{name}",
                  (answer.status, name in text or name == "Host"), (400, True))
            connection.close()


def test_http_delete():
    """Ending a session cancels its running call and reports that."""
    pid = Path(scratch) / "slow.pid"
    pid.unlink(missing_ok=True)
    with Http() as h:
        h.open()
        connection = http.client.HTTPConnection("127.0.0.1", h.port, timeout=300)
        connection.request("POST", "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": "mine", "method": "tools/call",
            "params": {"name": "slow", "arguments": {}}}), {**JSON, **h.session})
        while not pid.exists() or not pid.read_text().strip():
            h.new("tools/list")
        check("session_can_be_deleted_during_a_call", h.send(None, h.session, "DELETE")[0], 204)
        last = events(connection.getresponse().read().decode())[-1]
        check("cancelled_call_is_reported", (last["id"], "cancelled" in last["error"]["message"]),
              ("mine", True))
        while os.path.exists(f"/proc/{pid.read_text().strip()}"):
            h.new("tools/list")
        check("process_of_the_tool_is_gone", True, True)


def test_http_gone():
    """With a handshake a lost connection does not cancel; without one it does."""
    pid = Path(scratch) / "slow.pid"
    with Http() as h:
        h.open()
        for modern in (False, True):
            pid.unlink(missing_ok=True)
            headers = h.session if not modern else {
                "MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": "slow"}
            params = {"name": "slow", "arguments": {}, **({"_meta": meta()} if modern else {})}
            connection = http.client.HTTPConnection("127.0.0.1", h.port, timeout=300)
            connection.request("POST", "/mcp", json.dumps({
                "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}),
                {**JSON, **headers})
            while not pid.exists() or not pid.read_text().strip():
                h.new("tools/list")
            connection.sock.close()
            if modern:
                while os.path.exists(f"/proc/{pid.read_text().strip()}"):
                    h.new("tools/list")
            else:
                h.new("tools/list")
            check(f"lost_connection_cancels_only_in_the_new_protocol_{'new' if modern else 'old'}",
                  os.path.exists(f"/proc/{pid.read_text().strip()}"), not modern)
            h.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": 5}}, h.session)


def test_http_new():
    with Http() as h:
        check("new_protocol_call_returns_its_result",
              [h.new("tools/call", {"name": "add", "arguments": {"a": 1}})[0],
               outcome(h.new("tools/call", {"name": "add", "arguments": {"a": 1}})[1])],
              [200, (False, "41")])
        for name, headers, wanted in (
                ("no_method", {"Mcp-Method": None}, -32020),
                ("another_method", {"Mcp-Method": "tools/list"}, -32020),
                ("no_name", {"Mcp-Name": None}, -32020),
                ("another_name", {"Mcp-Name": "slow"}, -32020),
                ("bad_base64", {"Mcp-Name": "=?base64?YWRk!?="}, -32020),
                ("no_version", {"MCP-Protocol-Version": None}, -32020),
                ("old_version", {"MCP-Protocol-Version": OLD}, -32020)):
            status, answer = h.new("tools/call", {"name": "add", "arguments": {"a": 1}}, headers)
            check(f"new_protocol_rejects_{name}",
                  (status, code(answer), answer["id"]), (400, wanted, 3))
        status, answer = h.new("tools/call", {"name": "add", "arguments": {"a": 1}},
                               {"Mcp-Name": "=?base64?YWRk?="})
        check("new_protocol_accepts_a_base64_name", (status, outcome(answer)), (200, (False, "41")))
        status, answer = h.new("nobody/knows")
        check("new_protocol_rejects_an_unknown_method", (status, code(answer)), (404, -32601))
        check("new_protocol_ignores_a_session",
              h.new("tools/list", {}, {"Mcp-Session-Id": "x"})[0], 200)
        # the same id at the same time, from independent clients
        found = {}
        threads = [threading.Thread(target=lambda n=n: found.update({n: h.new(
            "tools/call", {"name": "add", "arguments": {"a": n}}, id=1)[1]})) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check("new_protocol_clients_may_use_the_same_id", [outcome(found[n]) for n in range(8)],
              [(False, str(40 + n)) for n in range(8)])


def test_usage():
    keyless = {**SPEC, "model": "openai:gpt-5.4-mini"}
    (Path(scratch) / "keyless.json").write_text(json.dumps(keyless))
    env = {k: v for k, v in os.environ.items() if "OPENAI" not in k}
    process = subprocess.Popen([HAFT, "mcp", "keyless.json", "--store", "memory:"], cwd=scratch,
                               env={**env, "CANARY_KEY": SECRET}, text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":'
                                   + json.dumps({"_meta": meta()}) + '}\n', timeout=300)
    names = [t["name"] for t in json.loads(out)["result"]["tools"]]
    check("tools_are_served_without_a_key",
          ("run_helper" in names, "add" in names, "only the tools" in err),
          (False, True, True))
    clash = {**SPEC, "tools": [{"name": "run_helper", "description": "Takes the agent's name here.",
                                "command": ["true"], "args": []}]}
    (Path(scratch) / "clash.json").write_text(json.dumps(clash))
    for name, words in (("no_spec", ()), ("missing", ("nowhere.yaml",)),
                        ("clash", ("clash.json",))):
        done = subprocess.run([HAFT, "mcp", *words, *(("--store", "memory:") if words else ())],
                              cwd=scratch, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check(f"usage_{name}", (done.returncode, done.stdout, done.stderr != ""), (2, "", True))
    for address in ("::1", "127.0.0.1:-1", "nowhere"):
        done = subprocess.run([HAFT, "mcp", "agent.json", "--store", "memory:", "--listen",
                               address], cwd=scratch, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        check(f"invalid_address_is_rejected_{address}",
              (done.returncode, "no token" in done.stderr), (2, False))


with tempfile.TemporaryDirectory() as scratch:
    (Path(scratch) / "agent.json").write_text(json.dumps(SPEC))
    (Path(scratch) / "huge.json").write_text(json.dumps(HUGE))
    (Path(scratch) / "script.json").write_text(json.dumps(SCRIPT))
    test_old()
    test_versions()
    test_bad_messages()
    test_long_line()
    test_cancel()
    test_end()
    test_approval_old()
    test_hidden()
    test_keys()
    test_key_through_haft()
    test_run_keys()
    test_huge_result()
    test_client_that_does_not_read()
    test_run_keys_of_another_spec()
    test_run_keys_and_cancelling()
    test_run()
    test_new()
    test_http_guard()
    test_http_token()
    test_http_old()
    test_http_doubled()
    test_http_delete()
    test_http_gone()
    test_http_new()
    test_usage()
