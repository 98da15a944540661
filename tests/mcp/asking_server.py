#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server on standard input and output whose tool asks its user something, for ask_test.py.

    asking_server.py old|new form|url|twice|many|forever|after_log|leaves|both|again|gone|parallel
        LOG

`both` asks two questions at once. `again` withdraws the first question before it asks the second.
`gone` withdraws its question and is silent. `parallel` asks once in each of two parallel calls. The
result of the tool is the answers, which are also written to LOG. `after_log` asks nothing, and
answers its call when LOG exists. `leaves` does the same with an open question."""
import json
import os
import sys
import time

ERA, WAY, LOG = sys.argv[1:4]
FORM = {"type": "object", "properties": {
    "name": {"type": "string", "title": "Your name", "minLength": 2},
    "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
    "n": {"type": "integer", "default": 3}}, "required": ["name"]}
ASKS = {"form": {"mode": "form", "message": "Who are you?\nSay it.", "requestedSchema": FORM},
        "url": {"mode": "url", "message": "Sign in first.", "elicitationId": "e1",
                "url": "https://login.example.org/start?x=1"}}
for way in ("twice", "many", "forever", "both", "again", "gone", "parallel"):
    ASKS[way] = ASKS["form"]
TIMES = {"twice": 2, "many": 12, "forever": 1 << 30, "both": 2}.get(WAY, 1)
TOOL = {"name": "ask", "description": "Asks its user.", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": WAY == "parallel"}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def say(number, answers, **more):
    text = json.dumps(answers, sort_keys=True)
    with open(LOG, "a") as log:
        log.write(text + "\n")
    send({"id": number, "result": {**more, "content": [{"type": "text", "text": text}]}})


def ask(number):
    send({"id": f"q{number}", "method": "elicitation/create",
          "params": dict(ASKS[WAY], message=f"{ASKS[WAY]['message']} {number}"
                         if WAY in ("both", "again", "parallel") else ASKS[WAY]["message"])})


def begin():
    """Asks the questions of one call."""
    ask(0)
    if WAY in ("again", "gone"):
        send({"method": "notifications/cancelled", "params": {"requestId": "q0"}})
    if WAY in ("again", "both"):
        ask(1)


def answer_parallel_calls():
    """Two calls that each ask: the first with q0, the second with q1."""
    calls = []
    while len(calls) < 2:
        message = json.loads(sys.stdin.readline())
        if message.get("method") == "tools/call":
            ask(len(calls))
            calls.append(message["id"])
    for _ in calls:
        message = json.loads(sys.stdin.readline())
        say(calls[int(message["id"][1:])], [message.get("result", message.get("error"))])


def old():
    call, answers = None, []
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            send({"id": number, "result": {
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "asking", "version": "1"}}})
        elif method == "tools/list":
            send({"id": number, "result": {"tools": [TOOL]}})
            if WAY == "parallel":
                answer_parallel_calls()
        elif method == "tools/call" and WAY in ("after_log", "leaves"):
            if WAY == "leaves":
                send({"id": "q0", "method": "elicitation/create", "params": ASKS["form"]})
            while not os.path.exists(LOG):
                time.sleep(0.01)
            send({"id": number, "result": {"content": [{"type": "text", "text": "said"}]}})
        elif method == "tools/call":
            call, answers = number, []
            begin()
        elif method is None and call is not None:
            answers.append(message.get("result", message.get("error")))
            if len(answers) == TIMES:
                say(call, answers)
            elif WAY != "both":
                ask(len(answers))
        elif number is not None:
            send({"id": number, "error": {"code": -32601, "message": "no such method"}})


def new():
    complete = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    for line in sys.stdin:
        message = json.loads(line)
        method, number, params = message["method"], message.get("id"), message.get("params", {})
        if method == "server/discover":
            send({"id": number, "result": dict(complete, supportedVersions=["2026-07-28"],
                                               capabilities={"tools": {}})})
        elif method == "tools/list":
            send({"id": number, "result": dict(complete, tools=[TOOL])})
        elif method == "tools/call" and "inputResponses" not in params:
            asks = {k: v for k, v in ASKS[WAY].items() if k != "elicitationId"}
            send({"id": number, "result": {
                "resultType": "input_required", "requestState": "opaque",
                "inputRequests": {"q": {"method": "elicitation/create", "params": asks}}}})
        elif method == "tools/call":
            say(number, [params["inputResponses"]["q"]], resultType="complete")


old() if ERA == "old" else new()
