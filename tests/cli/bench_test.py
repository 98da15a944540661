#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft bench`: it speaks the protocol that benchmark drivers expect, its tools are those
of the other contenders, and it notices runs that did not do the work."""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
DONE = "Done. All of the requested steps are complete."
KEYS = ["peer", "scenario", "model", "store", "runs", "conc", "wall_ms", "cpu_user_ms",
        "cpu_sys_ms", "p50_ms", "p99_ms", "tools", "rss_start_kb", "rss_now_kb", "rss_peak_kb"]
SUSPEND_KEYS = [*KEYS[:12], "rss_per_run", "heap_per_run", "json_per_run", *KEYS[12:]]

STRING = {"type": "string"}


def strings(most):
    return {"maxItems": most, "type": "array", "items": STRING}


def schema(properties, **more):
    return {"type": "object", "properties": properties, "required": list(properties),
            "additionalProperties": False, **more}


# Each tool: description, arguments, a call, its result.
TOOLS = {
    "get_weather": (
        "Weather forecast for a city.",
        {"city": {"type": "string", "minLength": 1, "description": "City name"},
         "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
         "days": {"type": "integer", "minimum": 1, "maximum": 14}},
        {"city": 'Lisb"on', "unit": "celsius", "days": 3},
        {"city": 'Lisb"on', "unit": "celsius", "forecast": [21, 22, 19]}),
    "search_docs": (
        "Full text search over the knowledge base.",
        {"query": {"type": "string", "minLength": 1, "maxLength": 500},
         "top_k": {"type": "integer", "minimum": 1, "maximum": 50},
         "filters": schema({"lang": STRING, "tags": strings(10)})},
        {"query": "refund", "top_k": 5, "filters": {"lang": "en", "tags": ["billing"]}},
        {"hits": [{"id": "kb-17", "score": 0.92, "title": "Refund policy"},
                  {"id": "kb-20", "score": 0.71, "title": "Enterprise terms"}]}),
    "create_ticket": (
        "Open a ticket in the tracker.",
        {"title": {"type": "string", "minLength": 1, "maxLength": 120}, "body": STRING,
         "priority": {"type": "string", "enum": ["low", "normal", "high"]},
         "assignees": strings(5)},
        {"title": "Refund", "body": "x", "priority": "high", "assignees": []},
        {"ticket": "T-881", "url": "tracker/T-881"}),
    "calc": (
        "Arithmetic on two numbers.",
        {"op": {"type": "string", "enum": ["add", "sub", "mul", "div"]},
         "a": {"type": "number"}, "b": {"type": "number"}},
        {"op": "add", "a": 17.5, "b": 4.25},
        {"result": 21.75}),
    "lookup_order": (
        "Order by id.",
        {"order_id": {"type": "string", "pattern": "^ORD-\\d{8}$"},
         "include_items": {"type": "boolean"}},
        {"order_id": "ORD-00001042", "include_items": True},
        {"order_id": "ORD-00001042", "status": "shipped", "total_cents": 12900,
         "items": [{"sku": "A1", "qty": 2}]}),
}


class Mock(BaseHTTPRequestHandler):
    """A model that calls each tool in turn, as many times as its name says."""
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # send head and body together
    seen = []
    final = DONE
    broken = {}
    skipped = 0

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Mock.seen.append(body)
        turns = int(body["model"].split("-")[1]) - Mock.skipped
        made = sum(m["role"] == "tool" for m in body["messages"])
        message = {"role": "assistant", "content": Mock.final}
        if made < turns:
            name = list(TOOLS)[made % len(TOOLS)]
            call = {"name": name, "arguments": json.dumps({**TOOLS[name][2], **Mock.broken})}
            message = {"role": "assistant", "content": None, "tool_calls": [
                {"id": f"call_{len(Mock.seen)}", "type": "function", "function": call}]}
        self.answer(body, message, "tool_calls" if made < turns else "stop")

    def answer(self, body, message, reason):
        head = {"id": "x", "created": 1, "model": body["model"]}
        if body.get("stream"):
            for at, call in enumerate(message.get("tool_calls", [])):
                call["index"] = at
            choice = {"index": 0, "delta": message, "finish_reason": reason}
            chunk = {**head, "object": "chat.completion.chunk", "choices": [choice]}
            text = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
        else:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            text = json.dumps({**head, "object": "chat.completion", "choices": [choice]})
        self.send_response(200)
        self.send_header("content-type",
                         "text/event-stream" if body.get("stream") else "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


def bench(*words):
    Mock.seen = []
    done = subprocess.run([HAFT, "bench", *words, f"url={url}"], text=True, capture_output=True,
                          timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def check_tools():
    bench("once", "model=mock-5")
    offered = {t["function"]["name"]: t["function"] for t in Mock.seen[0]["tools"]}
    check("the_tools_come_in_their_order", list(offered), list(TOOLS))
    for name, (description, properties, _, _) in TOOLS.items():
        wanted = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema(properties)}
        check(f"schema_of_{name}_is_sent", offered[name],
              {"name": name, "description": description, "parameters": wanted})
    results = [json.loads(m["content"]) for m in Mock.seen[-1]["messages"] if m["role"] == "tool"]
    for (name, row), result in zip(TOOLS.items(), results):
        call = result.pop("call")
        check(f"result_of_{name}_is_returned", (call[0], result), ("c", row[3]))
    texts = [m["content"] for m in Mock.seen[0]["messages"]]
    check("requests_have_the_expected_messages", texts, [
        "You are a support agent. Use the tools to look things up, then answer briefly.",
        "Customer Ana (order ORD-00001042) wants a refund and the weather in Lisbon. Handle it."])


def check_load():
    for store, more in [("none", []), ("memory", []), ("sqlite", [f"db={scratch}/load.db"])]:
        status, out, err = bench("load", "model=mock-6", "runs=4", "conc=2", "warm=3",
                                 f"store={store}", *more)
        check(f"load_prints_one_object_{store}", (status, err, out.count("\n")), (0, "", 1))
        found = json.loads(out)
        check(f"printed_object_has_its_members_{store}", list(found), KEYS)
        check(f"printed_values_match_the_run_{store}",
              [found[key] for key in KEYS[:6]] + [found["tools"]],
              ["haft", "load", "mock-6", store, 4, 2, 24])
        memory = [found[key] for key in KEYS[12:]]
        check(f"memory_is_measured_{store}",
              (memory[0] > 1000, memory[2] >= max(memory[:2])), (True, True))
        check(f"all_requests_are_sent_{store}", len(Mock.seen), (4 + 3) * 7)
    check("sqlite_file_is_written", Path(scratch, "load.db").stat().st_size > 0, True)
    status, out, _ = bench("load", "model=mock-3", "runs=2", "stream=1")
    check("stream_option_requests_a_stream",
          (status, json.loads(out)["tools"], Mock.seen[0].get("stream")), (0, 6, True))
    bench("load", "model=mock-1", "stream=0")
    check("without_the_stream_option_no_stream_is_requested",
          Mock.seen[0].get("stream", False), False)
    check("once_prints_nothing", bench("once", "model=mock-1", "warm=3", "runs=3")[:2], (0, ""))
    check("once_is_one_run", len(Mock.seen), 2)


def check_suspend():
    for words in [["store=none"], ["store=memory"], ["store=sqlite", f"db={scratch}/suspend.db"]]:
        status, out, _ = bench("suspend", "model=mock-8", "runs=3", "warm=1", "conc=2", *words)
        found = json.loads(out)
        check(f"suspend_leaves_runs_waiting_{words[0]}",
              (status, list(found), found["tools"], found["json_per_run"] > 500, len(Mock.seen)),
              (0, SUSPEND_KEYS, 0, True, 4 * 3))
    status, _, err = bench("suspend", "model=mock-2")
    check("run_that_does_not_wait_is_a_failure",
          (status, "expected a run that waits" in err), (1, True))


def check_failures():
    Mock.final = "Done, nearly."
    status, _, err = bench("load", "model=mock-1")
    check("another_answer_is_a_failure",
          (status, 'a run ended done with "Done, nearly.", not "Done. All of' in err), (1, True))
    Mock.final = DONE
    Mock.broken = {"days": 99}
    status, _, err = bench("load", "model=mock-1")
    check("call_that_reaches_no_tool_is_a_failure", (status, "expected 1 calls, found 0" in err),
          (1, True))
    Mock.broken = {}
    Mock.skipped = 1
    status, _, err = bench("load", "model=mock-3")
    check("too_few_calls_are_a_failure", (status, "expected 3 calls, found 2" in err), (1, True))
    Mock.skipped = 0
    check("unknown_scenario_is_rejected", bench("dance")[0], 2)
    check("unknown_key_is_rejected", bench("load", "speed=1")[0], 2)


server = ThreadingHTTPServer(("127.0.0.1", 0), Mock)
url = f"http://127.0.0.1:{server.server_port}/v1"
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as scratch:
    check_tools()
    check_load()
    check_suspend()
    check_failures()
server.shutdown()
