#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spans, metrics and the log in JSON of runs and workers; collectors that fail; what is never sent.
"""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from script import check, check_none  # noqa: E402
from otlp_sink import Sink  # noqa: E402

scratch = Path(tempfile.mkdtemp(prefix="haft-otlp-", dir=os.environ.get("TMPDIR", "/tmp")))
sink = Sink()
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SECRET = "very-secret-value-7421"


def haft(*args, env=None, seconds=600):
    return subprocess.run([os.environ["HAFT"], *args], cwd=scratch, capture_output=True, text=True,
                          timeout=seconds, stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "HOME": str(scratch),
                               "XDG_STATE_HOME": str(scratch / "state"), **(env or {})})


def write_spec(name, replies, **members):
    (scratch / f"{name}.script.json").write_text(json.dumps({"replies": replies}))
    path = scratch / f"{name}.json"
    path.write_text(json.dumps({"haft": 1, "name": name, "model": f"script:{name}.script.json",
                                **members}))
    return path.name


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def named(spans, name):
    return [span for span in spans if span.name == name]


TOOL = {"name": "env", "description": "Prints its environment.", "args": [], "command": ["env"],
        "traits": {"read_only": True}}
FAILS = {"name": "fails", "description": "Fails.", "args": [],
         "command": ["sh", "-c", f"echo {SECRET}-text >&2; exit 3"], "traits": {"read_only": True}}
plain = write_spec("plain", [call("env"), call("fails"),
                             {"text": "The answer.",
                              "usage": {"input_tokens": 11, "output_tokens": 7}}],
                   tools=[TOOL, FAILS])

# ---- spans and metrics of a run ----

quiet = haft("run", plain, "go", "--store", "memory:")
done = haft("run", plain, "Find it.", "--events", "--store", "memory:",
            env=sink.env(TRACEPARENT=CALLER, OTEL_EXPORTER_OTLP_HEADERS=f"x-key={SECRET}"))
events = [json.loads(line) for line in done.stdout.splitlines()]
check("the_run_is_done", (done.returncode, quiet.returncode, done.stderr), (0, 0, ""))
check("headers_are_sent", {headers.get("x-key") for _, headers, _ in sink.requests}, {SECRET})
check("each_signal_is_sent_once", sorted(sink.paths()), ["/v1/metrics", "/v1/traces"])
bodies = b"".join(body for _, _, body in sink.requests)
check_none("content_does_not_leave_by_default",
           [text for text in ("Find it.", "The answer.", "-text", "HAFT_RUN", SECRET)
            if text.encode() in bodies])
spans, metrics = sink.take()
agent = named(spans, "invoke_agent plain")[0]
check("names_of_spans", sorted(span.name for span in spans),
      ["chat plain.script.json"] * 3 + ["execute_tool env", "execute_tool fails",
                                        "invoke_agent plain"])
check("the_run_belongs_to_the_trace_of_its_caller",
      ({span.trace for span in spans}, agent.parent, events[0]["traceparent"]),
      ({CALLER[3:35]}, CALLER[36:52], CALLER))
check("all_other_spans_are_below_it", {span.parent for span in spans if span != agent}, {agent.id})
tool, failed = named(spans, "execute_tool env")[0], named(spans, "execute_tool fails")[0]
results = {e["call"]: e["result"] for e in events if e["kind"] == "call_finished"}
check("a_command_gets_the_span_of_its_call",
      re.search(r"TRACEPARENT=(.*)", results["c1.1"])[1], f"00-{agent.trace}-{tool.id}-01")
check("attributes_of_a_call", (tool["gen_ai.tool.type"], tool["haft.call.id"], tool["haft.turn"],
                               failed.failed, failed["error.type"]),
      ("extension", "c1.1", "1", True, "tool_error"))
chat = named(spans, "chat plain.script.json")[-1]
check("attributes_of_a_request", (chat.kind, chat["gen_ai.provider.name"], chat["haft.mode"],
                                  chat["haft.run.id"]), (3, "script", "auto", events[0]["run"]))
check("attributes_of_a_run", (agent.kind, agent["haft.run.end"], agent["gen_ai.conversation.id"]),
      (1, "done", events[0]["thread"]))
check_none("names_of_metrics", {"haft.runs", "gen_ai.invoke_agent.duration",
                                "gen_ai.execute_tool.duration", "gen_ai.client.operation.duration",
                                "haft.tool.calls"} - set(metrics))
check_none("no_ids_in_metrics", [m for m in metrics.values()
                                 if events[0]["run"] in json.dumps(m)
                                 or events[0]["thread"] in json.dumps(m)])
unsampled = haft("run", plain, "go", "--store", "memory:", "-q",
                 env=sink.env(TRACEPARENT=CALLER[:-1] + "0"))
check("an_unsampled_trace_is_not_sent", (unsampled.returncode, sink.paths()), (0, ["/v1/metrics"]))
sink.take()

# ---- pauses ----

ASK = {"name": "ask", "description": "Ask the client.", "args": [], "headless": True}
paused = write_spec("paused", [call("ask"), {"text": "good"}], tools=[ASK])
store = ["--store", f"sqlite:{scratch}/runs.db"]
first = haft("run", paused, "go", "--json", *store, env=sink.env())
run = json.loads(first.stdout)["run"]
before, _ = sink.take()
second = haft("answer", run, '"it"', "--json", *store, env=sink.env())
after, _ = sink.take()
stretches = named(before, "invoke_agent paused") + named(after, "invoke_agent paused")
check("a_run_that_waits_has_a_span_for_each_stretch",
      (first.returncode, second.returncode, [s["haft.run.end"] for s in stretches]),
      (4, 0, ["waiting", "done"]))
check("stretches_are_linked", (stretches[0].links, stretches[1].links,
                               stretches[0].trace == stretches[1].trace,
                               stretches[0].end <= stretches[1].start),
      ([], [stretches[0].id], True, True))
answered = named(after, "execute_tool ask")[0]
check("a_call_of_a_client", (answered["gen_ai.tool.type"], answered.parent),
      ("function", stretches[1].id))

# ---- child runs ----

child = {"name": "helper", "model": "script:helper.script.json"}
(scratch / "helper.script.json").write_text(json.dumps({"replies": [{"text": "helped"}]}))
tree = write_spec("tree", [call("helper", task="help"), {"text": "done"}],
                  agents={"helper": {k: v for k, v in child.items() if k != "name"}},
                  tools=[{"name": "helper", "description": "Helps.", "agent": "helper"}])
done = haft("run", tree, "go", "--store", "memory:", "-q", env=sink.env())
spans, _ = sink.take()
below = named(spans, "invoke_agent helper")
check("a_child_run_is_below_its_call",
      (done.returncode, [s.parent for s in below], len({s.trace for s in spans})),
      (0, [s.id for s in named(spans, "execute_tool helper")], 1))

# ---- MCP clients ----


def talk(*messages):
    """The results of requests to `haft mcp`, by id."""
    text = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    process = subprocess.Popen([os.environ["HAFT"], "mcp", plain, *store], cwd=scratch, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={"PATH": os.environ["PATH"], "HOME": str(scratch),
                                    **sink.env()})
    process.stdin.write(text)
    process.stdin.flush()
    wanted, results = {m["id"] for m in messages if "id" in m}, {}
    while wanted - set(results):
        message = json.loads(process.stdout.readline())
        results[message.get("id")] = message.get("result")
    process.stdin.close()
    process.wait(300)
    process.stdout.close()
    return results


results = talk(
    {"id": 1, "method": "initialize",
     "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call",
     "params": {"name": "run_plain", "arguments": {"task": "go"},
                "_meta": {"traceparent": CALLER}}})
spans, _ = sink.take()
check("a_run_for_a_client_belongs_to_its_trace",
      (results[2].get("isError", False), {(s.trace, s.parent) for s in
                                          named(spans, "invoke_agent plain")}),
      (False, {(CALLER[3:35], CALLER[36:52])}))

# ---- workers ----

haft("run", plain, "go", "--detach", *store)
done = haft("worker", "--until-idle", "--json", *store, env=sink.env())
spans, metrics = sink.take()
check("a_worker_sends_spans",
      (done.returncode, [s["haft.run.end"] for s in named(spans, "invoke_agent plain")],
       "haft.run.queue_wait" in metrics), (0, ["done"], True))

# ---- collectors that fail ----


def run_with(answers, **more):
    """Runs with a collector of traces that gives these answers."""
    sink.answers[:] = answers
    result = haft("run", plain, "go", "--store", "memory:", "-q",
                  env=sink.env(OTEL_METRICS_EXPORTER="none", **more))
    sent = [body for _, _, body in sink.requests]
    sink.requests.clear()
    sink.answers.clear()
    return result, sent


result, sent = run_with([(400, {}, b"")])
check("a_request_with_an_error_is_not_repeated", (result.returncode, len(sent)), (0, 1))
check("the_error_is_reported_once", re.sub(r":\d+", ":N", result.stderr),
      "haft: warning: telemetry: traces: http://127.0.0.1:N answered with status 400\n")
partial = json.dumps({"partialSuccess": {"rejectedSpans": "2", "errorMessage": "no\u001broom"}})
result, sent = run_with([(200, {"Content-Type": "application/json"}, partial.encode())])
check("a_partial_success_is_reported_and_not_repeated",
      (result.returncode, len(sent), result.stderr),
      (0, 1, "haft: warning: telemetry: traces: the collector rejected 2 items: no room\n"))
sleeps = write_spec("sleeps", [call("nap"), {"text": "rested"}],
                    tools=[{"name": "nap", "description": "Sleeps.", "args": [],
                            "command": ["sleep", "1"], "traits": {"read_only": True}}])
sink.answers[:] = [(503, {"Retry-After": "0"}, b""), (429, {"Retry-After": "0"}, b"")]
result = haft("run", sleeps, "go", "--store", "memory:", "-q",
              env=sink.env(OTEL_METRICS_EXPORTER="none", OTEL_BSP_SCHEDULE_DELAY="1"))
sent = [body for _, _, body in sink.requests]
check("an_overloaded_collector_gets_the_same_request_again",
      (result.returncode, len(sent) >= 3, sent[0] == sent[1] == sent[2], result.stderr),
      (0, True, True, ""))
spans = {s.id for s in sink.take()[0]}
check("no_span_is_lost", len(spans), 4)
result, sent = run_with([Sink.HANG], OTEL_EXPORTER_OTLP_TIMEOUT="200")
check("a_collector_that_hangs_costs_only_its_spans",
      (result.returncode, result.stdout, "response was not complete in time" in result.stderr),
      (0, "The answer.\n", True))
sink.released.set()
with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
    dead = f"http://127.0.0.1:{taken.getsockname()[1]}"
    result = haft("run", plain, "go", "--store", "memory:", "-q",
                  env={"OTEL_EXPORTER_OTLP_ENDPOINT": dead,
                       "OTEL_EXPORTER_OTLP_HEADERS": f"authorization={SECRET}"})
check("a_dead_collector_does_not_stop_a_run",
      (result.returncode, result.stdout, result.stderr.count("cannot connect")),
      (0, "The answer.\n", 2))
check("headers_are_not_printed", SECRET in result.stderr + result.stdout, False)
many = write_spec("many", [{"calls": [{"name": "env", "arguments": {}} for _ in range(40)]},
                           {"text": "done"}], tools=[TOOL], limits={"parallel": 4})
result = haft("run", many, "go", "--store", "memory:", "-q",
              env=sink.env(OTEL_BSP_MAX_QUEUE_SIZE="10", OTEL_BSP_MAX_EXPORT_BATCH_SIZE="10",
                           OTEL_EXPORTER_OTLP_TIMEOUT="2000",
                           OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=dead))
spans, metrics = sink.take()
dropped = metrics.get("haft.otlp.dropped", {"sum": {"dataPoints": []}})["sum"]["dataPoints"]
reasons = {a["value"]["stringValue"] for p in dropped for a in p["attributes"]}
check("a_full_queue_drops_and_counts",
      (result.returncode, "further ones are dropped" in result.stderr, "queue_full" in reasons),
      (0, True, True))

result, sent = run_with([], OTEL_EXPORTER_OTLP_COMPRESSION="gzip")
check("requests_can_be_compressed",
      (result.returncode, result.stderr, len(sent), b'"invoke_agent plain"' in sent[0]),
      (0, "", 1, True))

# ---- content ----

TRUE = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
done = haft("run", plain, "Find it.", "--store", "memory:", "-q",
            env=sink.env(**TRUE, APP_TOKEN=f"{SECRET}-text"))
bodies = b"".join(body for _, _, body in sink.requests).decode()
spans, _ = sink.take()
agent = named(spans, "invoke_agent plain")[0]
check("content_is_sent_on_request",
      (json.loads(agent["gen_ai.input.messages"]), json.loads(agent["gen_ai.output.messages"])),
      ([{"role": "user", "parts": [{"type": "text", "content": "Find it."}]}],
       [{"role": "assistant", "parts": [{"type": "text", "content": "The answer."}]}]))
check("results_are_sent_on_request",
      "HAFT_CALL=c1.1" in named(spans, "execute_tool env")[0]["gen_ai.tool.call.result"])
check("secrets_are_not_sent", (SECRET in bodies, "[redacted]" in bodies), (False, True))

# ---- the log in JSON ----

done = haft("run", plain, "Find it.", "--store", "memory:", env={"HAFT_LOG": "json"})
lines = [json.loads(line) for line in done.stderr.splitlines()]
check("a_line_for_each_turn_and_call", [line["what"] for line in lines],
      ["turn", "call", "turn", "call", "turn", "run"])
check("the_answer_is_still_printed", done.stdout, "The answer.\n")
check("members_of_a_line", list(lines[0]),
      ["at", "level", "what", "run", "thread", "agent", "turn", "mode", "gate", "provider", "model",
       "input_tokens", "output_tokens", "stop", "error", "ms", "trace_id", "span_id"])
check("a_failed_call", (lines[3]["tool"], lines[3]["level"], lines[3]["error"]),
      ("fails", "error", "tool_error"))
check("the_log_has_no_content", "Find it" in done.stderr or "answer" in done.stderr, False)
haft("run", plain, "go", "--detach", *store)
done = haft("worker", "--until-idle", "--quiet", *store, env={"HAFT_LOG": "json"})
check("a_worker_writes_the_log",
      [json.loads(line)["what"] for line in done.stderr.splitlines()][-1:], ["run"])
done = haft("run", plain, "go", "--store", "memory:", "-q", env={"HAFT_LOG": "xml"})
check("a_value_that_is_not_known", (done.returncode, done.stderr),
      (0, "haft: warning: HAFT_LOG: expected json or text; it counts as text\n"))
shutil.rmtree(scratch)
