#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft mock-model`, over HTTP: its answers, and how it ends."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
CHAT = "/v1/chat/completions"
USER = {"role": "user", "content": "hi"}
LOOK = {"type": "function", "function": {"name": "look", "parameters": {
    "type": "object", "properties": {"q": {"type": "string"}}}}}
FIND = {"type": "function", "function": {"name": "docs_-_find"}}


class Mock:
    """A running mock-model; `exit` and `stderr` are set once it has ended."""

    def __init__(self, replies, *options):
        path = Path(scratch) / "script.json"
        path.write_text(json.dumps({"replies": replies}))
        self.process = subprocess.Popen([HAFT, "mock-model", str(path), *options], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/v1$", self.line)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGTERM)

    def stop(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.rest, self.stderr = self.process.communicate(timeout=300)
        self.exit = self.process.returncode

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)

    def send(self, method, path, body=None, headers=None):
        """(status, headers, body)"""
        connection = self.connect()
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text

    def ask(self, **members):
        """(status, value) of a chat request"""
        body = json.dumps({"model": "m", "messages": [USER], **members})
        status, headers, text = self.send("POST", CHAT, body, {"Content-Type": "application/json"})
        is_json = headers.get("content-type", "").startswith("application/json")
        return status, json.loads(text) if is_json else text

    def events(self, **members):
        """The data of each event of a stream."""
        status, text = self.ask(stream=True, **members)
        lines = [part.removeprefix("data: ") for part in text.split("\n\n")]
        return status, [json.loads(line) for line in lines[:-2]], lines[-2:]


def error(status, message, param=None, code=None):
    return status, {"error": {"message": message, "type": "invalid_request_error",
                              "param": param, "code": code}}


def test_whole():
    reply = {"text": "Hello.", "reasoning": "hm", "usage": {
        "input_tokens": 9, "output_tokens": 5, "cached_tokens": 4}}
    call = {"calls": [{"name": "docs:find", "arguments": {"q": "x"}},
                      {"name": "look", "id": "own"}]}
    with Mock([reply, call]) as mock:
        check("server_prints_its_address",
              bool(re.fullmatch(r"listening on http://127\.0\.0\.1:\d+/v1\n", mock.line)), True)
        status, value = mock.ask()
        created = value.pop("created")
        check("creation_time_is_now", abs(time.time() - created) < 600, True)
        check("text_reply_has_all_members", (status, value), (200, {
            "id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [{
                "index": 0, "message": {
                    "role": "assistant", "content": "Hello.", "refusal": None, "annotations": [],
                    "reasoning_content": "hm"}, "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
                      "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
                      "completion_tokens_details": {
                          "reasoning_tokens": 0, "audio_tokens": 0,
                          "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}},
            "service_tier": "default", "system_fingerprint": None}))
        status, value = mock.ask(tools=[LOOK, FIND])
        check("reply_has_the_calls", value["choices"][0]["message"]["tool_calls"], [
            {"id": "call_1", "type": "function", "function": {
                "name": "docs_-_find", "arguments": '{"q":"x"}'}},
            {"id": "own", "type": "function", "function": {"name": "look", "arguments": "{}"}}])
        check("calls_have_no_content", (value["choices"][0]["message"]["content"],
                                        value["choices"][0]["finish_reason"]),
              (None, "tool_calls"))
    check("server_exits_with_0", (mock.exit, mock.rest, mock.stderr), (0, "", ""))


def test_stream():
    long = "Wörter in Stücken, eins nach dem anderen. " * 20
    replies = [{"text": long, "usage": {"input_tokens": 1}},
               {"reasoning": "hm", "calls": [{"name": "look", "arguments": {"q": long}}]}, {}]
    with Mock(replies) as mock:
        status, chunks, end = mock.events(stream_options={"include_usage": True})
        deltas = [c["choices"][0]["delta"] for c in chunks if c["choices"]]
        check("the_role_comes_first", deltas[0],
              {"role": "assistant", "content": "", "refusal": None})
        check("a_text_comes_in_pieces", (
            status, len(deltas) > 10, "".join(d.get("content") or "" for d in deltas)),
            (200, True, long))
        check("chunks_have_the_same_id_and_model",
              {(c["id"], c["object"], c["model"]) for c in chunks},
              {("chatcmpl-1", "chat.completion.chunk", "m")})
        check("finish_reason_has_its_own_chunk", [
            (c["choices"][0]["delta"], c["choices"][0]["finish_reason"]) for c in chunks
            if c["choices"] and c["choices"][0]["finish_reason"]], [({}, "stop")])
        check("usage_comes_last", (chunks[-1]["choices"], chunks[-1]["usage"]["prompt_tokens"],
                                   {c["usage"] for c in chunks[:-1]}), ([], 1, {None}))
        check("stream_ends_with_done", end, ["[DONE]", ""])
        status, chunks, end = mock.events(tools=[LOOK])
        deltas = [c["choices"][0]["delta"] for c in chunks]
        calls = [d["tool_calls"][0] for d in deltas if "tool_calls" in d]
        check("a_call_has_its_name_first", calls[0], {
            "index": 0, "id": "call_1", "type": "function",
            "function": {"name": "look", "arguments": ""}})
        check("arguments_come_in_pieces", (
            len(calls) > 10, json.loads("".join(c["function"]["arguments"] for c in calls))),
            (True, {"q": long}))
        check("reasoning_is_streamed", [d["reasoning_content"] for d in deltas
                                        if "reasoning_content" in d], ["hm"])
        check("no_usage_unless_asked_for", [c for c in chunks if "usage" in c], [])
        status, chunks, end = mock.events()
        check("empty_reply_is_streamed", (len(chunks), end), (2, ["[DONE]", ""]))


def test_script():
    """The parts of a script other than replies."""
    replies = [
        {"error": {"status": 429, "body": {"error": {"message": "slow down"}},
                   "headers": {"Retry-After": 7, "X-Should-Retry": "false"}}},
        {"error": {"status": 503, "body": "<html>"}},
        {"error": {"status": 500}},
        {"error": {"status": 418, "body": "tea", "headers": {"content-type": "text/tea"}}},
        {"expect": {"mode": "any", "allowed": ["look"], "declared": ["look", "docs:find"],
                    "contains": "hi"}, "text": "as expected"},
        {"stop": "refusal", "text": "No."}, {"stop": "length", "text": "And so"}]
    choice = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [
        {"type": "function", "function": {"name": "look"}}]}}
    with Mock(replies) as mock:
        body = json.dumps({"model": "m", "messages": [USER]})
        status, headers, text = mock.send("POST", "/chat/completions", body)
        check("error_of_the_script_is_sent", (
            status, headers["retry-after"], headers["x-should-retry"], headers["content-type"],
            headers["x-request-id"], text), (
            429, "7", "false", "application/json", "req_1", '{"error":{"message":"slow down"}}'))
        status, headers, text = mock.send("POST", CHAT, body)
        check("body_can_be_text", (status, headers["content-type"], text),
              (503, "text/plain; charset=utf-8", "<html>"))
        status, headers, text = mock.send("POST", CHAT, body)
        check("body_can_be_missing", (status, "content-type" in headers, text), (500, False, ""))
        status, headers, text = mock.send("POST", CHAT, body)
        check("body_can_have_its_own_type", (status, headers["content-type"], text),
              (418, "text/tea", "tea"))
        wanted = ("script /replies/4/expect/mode: the script expects mode any, found none")
        check("expectation_that_fails_is_an_error", mock.ask(), error(400, wanted))
        check("second_request_gets_the_same_error", mock.ask(), error(400, wanted))
        status, value = mock.ask(tools=[LOOK, FIND], tool_choice=choice)
        check("expectation_that_holds_gives_the_reply",
              (status, value["choices"][0]["message"]["content"]),
              (200, "as expected"))
        message = mock.ask()[1]["choices"][0]["message"]
        check("refusal_is_sent", (message["content"], message["refusal"]), (None, "No."))
        check("token_limit_is_the_finish_reason",
              mock.ask()[1]["choices"][0]["finish_reason"], "length")
        past = "script /replies: the script has 7 replies, found a request for one more"
        check("request_after_the_last_reply_is_an_error", mock.ask(), error(400, past))
    check("the_error_is_reported", mock.stderr.splitlines(),
          [f"haft: mock-model: {line}" for line in (wanted, wanted, past)])


def test_loop():
    with Mock([{"text": "one"}, {"text": "two"}], "--loop") as mock:
        found = [mock.ask()[1]["choices"][0]["message"]["content"] for _ in range(5)]
    check("script_in_a_loop_starts_again", found, ["one", "two", "one", "two", "one"])
    with Mock([], "--loop") as mock:
        check("loop_without_replies_is_an_error", mock.ask()[0], 400)


def dial(mock, **members):
    """A connection on which a chat request was sent."""
    text = json.dumps({"model": "m", "messages": [USER], **members})
    connection = socket.create_connection(("127.0.0.1", mock.port), timeout=300)
    connection.sendall(f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text)}\r\n\r\n"
                       f"{text}".encode())
    return connection


def raw(mock, **members):
    """All bytes of the answer, until the connection closes."""
    with dial(mock, **members) as connection:
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return received.decode()


def unchunk(answer):
    """The body of a chunked answer, and whether it is complete."""
    rest, body = answer.partition("\r\n\r\n")[2], ""
    while rest:
        size, _, rest = rest.partition("\r\n")
        if int(size, 16) == 0:
            return body, True
        body, rest = body + rest[:int(size, 16)], rest[int(size, 16) + 2:]
    return body, False


def test_cut():
    replies = [{"text": "x" * 1000, "cut": n} for n in (100, 100, 0, 0)]
    with Mock([*replies, {"text": "x", "cut": 100000}, {"text": "x", "cut": 100000},
               {"error": {}}]) as mock:
        for name, stream, length in (("whole", False, 100), ("stream", True, 100),
                                     ("whole_at_once", False, 0), ("stream_at_once", True, 0)):
            answer = raw(mock, stream=stream)
            body, whole = unchunk(answer)
            check(f"reply_is_cut_{name}", (answer.startswith("HTTP/1.1 200 "), len(body), whole),
                  (True, length, False))
        check("reply_without_a_cut_is_complete", mock.ask()[0], 200)
        check("stream_without_a_cut_is_complete", mock.events()[2], ["[DONE]", ""])
        check("an_error_without_a_status_breaks_the_connection", raw(mock), "")
        with Mock([{"text": "hello", "cut": 20}]) as other:
            connection = other.connect()
            connection.request("POST", CHAT, json.dumps({"model": "m", "messages": [USER]}))
            try:
                found = connection.getresponse().read()
            except http.client.IncompleteRead as failure:
                found = failure
            check("client_notices_a_cut_reply", type(found).__name__, "IncompleteRead")


def test_delay():
    """A delayed reply does not delay other clients, and its client may disconnect."""
    slow = [{"role": "user", "content": "slowly"}]
    with Mock([{"expect": {"contains": "slowly"}, "text": "late", "delay": 0.3}, {"text": "early"},
               {"expect": {"contains": "slowly"}, "delay": 3600}, {"text": "on"},
               {"expect": {"contains": "slowly"}, "delay": 3600}, {"text": "last"}]) as mock:
        def other():
            """The next reply, once the delayed one was assigned."""
            while (found := mock.ask())[0] != 200:
                pass
            return found[1]["choices"][0]["message"]["content"]

        start = time.monotonic()
        with dial(mock, messages=slow) as connection:
            check("others_are_answered", other(), "early")
            check("a_delayed_reply_comes", b'"late"' in connection.recv(65536), True)
        # The server counts whole milliseconds.
        check("a_delay_is_kept", time.monotonic() - start > 0.298, True)
        with dial(mock, messages=slow):
            check("very_slow_reply_does_not_delay_others", other(), "on")
        check("a_waiting_client_may_leave", mock.send("GET", "/health")[0], 200)
        waiting = dial(mock, messages=slow)
        check("others_are_answered_while_a_client_waits", other(), "last")
    check("server_exits_while_a_client_waits", (mock.exit, waiting.recv(1)), (0, b""))
    waiting.close()


BAD = [
    ("not_json", "{", "We could not parse the JSON body of your request: ", None, None),
    ("no_model", {"messages": [USER]}, "you must provide a model parameter", None, None),
    ("no_messages", {"model": "m"}, "Missing required parameter: 'messages'.", "messages",
     "missing_required_parameter"),
    ("unknown", {"model": "m", "messages": [USER], "x": 1},
     "Unrecognized request argument supplied: x", None, None),
    ("role", {"model": "m", "messages": [{"role": "x", "content": ""}]}, "Invalid value: 'x'.",
     "messages[0].role", "invalid_value"),
    ("name", {"model": "m", "messages": [USER],
              "tools": [{"type": "function", "function": {"name": "a b"}}]},
     "Invalid 'tools[0].function.name': string does not match pattern.",
     "tools[0].function.name", "invalid_value"),
    ("choice", {"model": "m", "messages": [USER], "tools": [LOOK], "tool_choice": {
        "type": "function", "function": {"name": "other"}}},
     "Tool choice 'other' not found in 'tools' parameter.", "tool_choice", None),
    ("unanswered", {"model": "m", "messages": [
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {
            "name": "look", "arguments": "{}"}}]}, USER]},
     "An assistant message with 'tool_calls' must be followed by tool messages",
     "messages[1].role", None),
    ("nobody_called", {"model": "m", "messages": [
        {"role": "tool", "tool_call_id": "c", "content": ""}]},
     "Invalid parameter: messages with role 'tool' must be a response", "messages[0].role", None),
    ("legacy", {"model": "m", "messages": [USER], "functions": []}, "'functions' is deprecated",
     "functions", "unsupported_parameter"),
]


def test_bad_requests():
    with Mock([{"text": "still here"}]) as mock:
        for name, body, message, param, code in BAD:
            text = body if isinstance(body, str) else json.dumps(body)
            status, _, answer = mock.send("POST", CHAT, text)
            found = json.loads(answer)["error"]
            check(f"bad_{name}", (status, found["message"].startswith(message), found["type"],
                                  found["param"], found["code"]),
                  (400, True, "invalid_request_error", param, code))
        status, _, answer = mock.send("POST", CHAT, "model=m", {
            "Content-Type": "application/x-www-form-urlencoded"})
        check("bad_content_type", (status, json.loads(answer)["error"]["code"]),
              (400, "unsupported_content_type"))
        status, _, answer = mock.send("POST", CHAT, json.dumps(
            {"model": "m", "messages": [USER]}), {"Content-Type": "Application/JSON; charset=x"})
        check("bad_requests_take_no_reply", (status, "still here" in answer), (200, True))
        for name, method, path, wanted in (
                ("another_path", "POST", "/v1/responses", 404),
                ("a_prefix", "GET", "/v1/models/script", 404), ("the_root", "GET", "/", 404),
                ("another_method", "GET", CHAT, 405), ("options", "OPTIONS", CHAT, 405),
                ("posting_health", "POST", "/health", 405)):
            status, _, answer = mock.send(method, path)
            check(name, (status, json.loads(answer)["error"]["type"]),
                  (wanted, "invalid_request_error"))


def test_others():
    with Mock([{"text": "x"}], "--require-key") as mock:
        check("health_needs_no_key", mock.send("GET", "/health")[::2], (200, '{"status":"ok"}'))
        status, headers, text = mock.send("HEAD", "/health")
        check("health_may_be_asked_for_its_head", (status, headers["content-length"], text),
              (200, "15", ""))
        status, _, answer = mock.send("GET", "/v1/models")
        check("models_need_a_key", (status, json.loads(answer)["error"]["message"][:32]),
              (401, "You didn't provide an API key. Y"))
        for name, value, wanted in (("none", None, 401), ("empty", "Bearer ", 401),
                                    ("basic", "Basic eDp5", 401), ("any", "bearer sk-x", 200)):
            headers = {"Authorization": value} if value else {}
            status, _, answer = mock.send("GET", "/v1/models?limit=1", None, headers)
            check(f"key_{name}", status, wanted)
        check("models_are_listed", json.loads(answer), {"object": "list", "data": [
            {"id": "script", "object": "model", "created": 0, "owned_by": "haft"}]})
    mock = Mock([])
    mock.stop(signal.SIGINT)
    check("interrupt_ends_the_server", (mock.exit, mock.stderr), (0, ""))


def test_usage():
    def haft(*words):
        done = subprocess.run([HAFT, "mock-model", *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, cwd=scratch)
        return done.returncode, done.stdout, done.stderr

    check("script_is_required", haft()[0], 2)
    check("missing_script_is_an_error", haft("none.yaml"),
          (2, "", "haft: none.yaml: cannot be opened: No such file or directory\n"))
    Path(scratch, "bad.yaml").write_text("replies: [{txt: hi}]\n")
    status, _, err = haft("bad.yaml")
    check("script_with_a_typo_is_an_error",
          (status, "bad.yaml:1:" in err and "txt" in err), (2, True))
    Path(scratch, "tab.yaml").write_text("replies:\n\t- {}\n")
    status, _, err = haft("tab.yaml")
    check("script_that_is_not_yaml_is_an_error", (status, "tab.yaml:2:" in err), (2, True))
    Path(scratch, "good.yaml").write_text("replies: []\n")
    check("invalid_address_is_an_error", haft("good.yaml", "--listen", "here"), (
        2, "", "haft: --listen: expected an address as ADDRESS:PORT, found 'here'\n"
        "hint: for example 127.0.0.1:8080, [::1]:8080 or localhost:0\n"))
    with Mock([]) as mock:
        status, out, err = haft("good.yaml", "--listen", f"127.0.0.1:{mock.port}")
        check("address_in_use_is_an_error", (status, out, "cannot listen" in err),
              (1, "", True))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([HAFT, "mock-model", "good.yaml"], stdout=full, cwd=scratch,
                              stderr=subprocess.PIPE)
    check("address_that_cannot_be_printed_is_an_error", done.returncode, 1)


def schema_format(schema, **more):
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, **more}}


def test_constraints():
    closed = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
              "additionalProperties": False}
    open_ = {"type": "object", "properties": {"a": {"type": "integer"}}}
    with Mock([{"text": '{"a": 1}'}, {"text": "no"}, {"text": "no", "ignores_constraint": True},
               {"when": "constrained", "text": "{}"}, {"when": "free", "text": "free"}]) as mock:
        check("openai_rejects_a_grammar", mock.ask(grammar='root ::= "a"'),
              error(400, "Unrecognized request argument supplied: grammar"))
        status, value = mock.ask(response_format=schema_format(open_, strict=True))
        check("strict_schema_that_breaks_the_rules_is_rejected",
              (status, value["error"]["message"]),
              (400, "Invalid schema for response_format 'reply': In context=(), "
                    "'additionalProperties' is required to be supplied and to be false."))
        check("reply_that_conforms_is_sent",
              mock.ask(response_format=schema_format(closed, strict=True))[0], 200)
        status, value = mock.ask(response_format=schema_format(closed, strict=True))
        why = ("script /replies/1: the reply does not conform to the json_schema of the "
               "request; set ignores_constraint: true for a server that ignores it")
        check("reply_that_violates_the_schema_is_an_error",
              (status, value["error"]["message"]), (500, why))
        check("reply_that_ignores_the_constraint_is_sent",
              mock.ask(response_format=schema_format(closed, strict=True))[0], 200)
        check("request_without_a_constraint_gets_its_reply",
              mock.ask()[1]["choices"][0]["message"]["content"], "free")
    check("violated_constraint_is_reported", mock.stderr, f"haft: mock-model: {why}\n")
    with Mock([{"text": "ab"}, {"text": "x"}], "--like", "llamacpp") as mock:
        status, value = mock.ask(grammar="root ::= other")
        check("invalid_grammar_is_rejected", (status, value["error"]["message"]),
              (400, "Failed to parse grammar: a rule is not defined"))
        status, value = mock.ask(grammar='root ::= "ab"', tools=[LOOK])
        check("grammar_with_tools_is_rejected", (status, value["error"]["message"]),
              (400, "Cannot use custom grammar constraints with tools."))
        check("reply_that_matches_the_grammar_is_sent", mock.ask(grammar='root ::= "ab"')[0], 200)
        check("reply_that_the_grammar_rejects_is_an_error",
              mock.ask(grammar='root ::= "ab"')[0], 500)
    for like in ("vllm", "ollama"):
        with Mock([{"text": "{}"}], "--like", like) as mock:
            check(f"open_schema_is_accepted_by_{like}",
                  mock.ask(response_format=schema_format(open_))[0], 200)
    test_ollama()
    done = subprocess.run([HAFT, "mock-model", "x.json", "--like", "nobody"], text=True,
                          capture_output=True)
    check("unknown_server_is_rejected",
          (done.returncode, "expected openai, llamacpp, vllm or ollama" in
           done.stderr), (2, True))


def test_ollama():
    """Ollama's own API: lines of JSON, arguments as objects, ids that may be missing."""
    def ask(mock, **body):
        status, headers, text = mock.send("POST", "/api/chat", json.dumps(
            {"model": "m", "messages": [USER], "tools": [LOOK], **body}),
            {"Content-Type": "application/json"})
        return status, headers["content-type"], [json.loads(line) for line in text.splitlines()]

    replies = [{"calls": [{"name": "look", "arguments": {"q": "x"}}], "reasoning": "Hm."},
               {"expect": {"contains": "seen"}, "text": "done",
                "usage": {"input_tokens": 9, "output_tokens": 2}},
               {"error": {"status": 503, "body": {"error": "busy"}}}]
    with Mock(replies, "--like", "ollama") as mock:
        status, kind, (first, last) = ask(mock)
        call = first["message"]["tool_calls"][0]
        check("ollama_streams_lines", (status, kind, first["done"], last["done"],
                                       last["done_reason"], first["message"]["thinking"]),
              (200, "application/x-ndjson", False, True, "stop", "Hm."))
        check("ollama_sends_arguments_as_objects", call["function"],
              {"index": 0, "name": "look", "arguments": {"q": "x"}})
        history = [USER, {"role": "assistant", "content": "", "tool_calls": [
            {"function": call["function"]}]},
            {"role": "tool", "tool_name": "look", "content": "seen"}]
        status, kind, (whole,) = ask(mock, stream=False, messages=history, tools=[])
        check("ollama_replies_whole", (status, kind, whole["message"]["content"], whole["done"],
                                       whole["prompt_eval_count"], whole["eval_count"]),
              (200, "application/json", "done", True, 9, 2))
        check("ollama_fails_as_the_script_says", ask(mock)[0], 503)
        status, _, text = mock.send("POST", "/api/chat", "[]", {
            "Content-Type": "application/json"})
        check("ollama_errors_are_texts", (status, json.loads(text)),
              (400, {"error": "expected a JSON object"}))
        status, _, text = mock.send("GET", "/api/tags")
        check("ollama_lists_models", (status, json.loads(text)["models"][0]["name"]),
              (200, "script"))
    with Mock([]) as mock:
        check("other_servers_do_not_have_it", mock.send("POST", "/api/chat", "{}")[0], 404)
    spec = Path(scratch) / "ollama.json"
    with Mock(replies[:2], "--like", "ollama") as mock:
        spec.write_text(json.dumps({
            "haft": 1, "name": "o", "model": {"provider": "ollama", "model": "m",
                                              "base_url": mock.line.split()[-1]},
            "tools": [{"name": "look", "description": "Looks at a thing.", "args": ["q"],
                       "command": ["echo", "seen {q}"]}]}))
        done = subprocess.run([HAFT, "run", spec, "go"], text=True, capture_output=True,
                              env=dict(os.environ, XDG_STATE_HOME=scratch), timeout=300)
    check("haft_plays_a_run_with_it", (done.returncode, done.stdout), (0, "done\n"))


with tempfile.TemporaryDirectory() as scratch:
    test_whole()
    test_stream()
    test_script()
    test_loop()
    test_cut()
    test_delay()
    test_bad_requests()
    test_others()
    test_usage()
    test_constraints()
