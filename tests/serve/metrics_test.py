#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Telemetry of `haft serve`: /metrics of requests, streams and runs, who may read it; the trace of
a client."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import ASKER, HAFT, LOOKER, Server, write_files  # noqa: E402
from script import check, check_none, skip, wait_for  # noqa: E402
from otlp_sink import Sink  # noqa: E402

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def sample(text, name):
    """The number of a sample; None if it is missing."""
    found = re.search(rf"^{re.escape(name)} (\S+)", text, re.MULTILINE)
    return float(found[1]) if found else None


def metrics(server, **headers):
    reply = server.get("/metrics", headers=headers)
    return reply.status, reply.headers.get("content-type", ""), reply.body.decode()


directory = tempfile.mkdtemp(prefix="haft-serve-metrics-", dir=os.environ.get("TMPDIR", "/tmp"))
write_files(directory, LOOKER, ASKER)
sink = Sink()
with Server(directory, "looker.json", "asker.json",
            env=sink.env(OTEL_BSP_SCHEDULE_DELAY="1")) as server:
    run = server.start("looker", headers={"traceparent": CALLER})["run"]
    server.wait(run)
    asking = server.start("asker")["run"]
    server.wait(asking)
    server.get("/api/v1/runs/00000000000000000000000000")
    server.get("/no/such/path")
    server.ask("PATCH", "/api/v1/runs")
    stream = server.stream(asking)
    kinds = iter(stream)
    next(kinds)
    status, kind, text = metrics(server)
    check("the_text_format", (status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
    http = "haft_http_requests_total"
    check_none("numbers", [f"{name} is {sample(text, name)}" for name, wanted in {
        f'{http}{{route="/api/v1/runs",method="POST",code="201"}}': 2,
        f'{http}{{route="/api/v1/runs/{{run}}",method="GET",code="404"}}': 1,
        f'{http}{{route="none",method="GET",code="404"}}': 1,
        f'{http}{{route="none",method="other",code="405"}}': 1,
        f'{http}{{route="/api/v1/runs/{{run}}/events",method="GET",code="200"}}': 1,
        'haft_http_request_duration_seconds_count{route="/api/v1/runs",method="POST"}': 2,
        'haft_http_request_duration_seconds_count{route="/api/v1/runs/{run}/events",method="GET"}':
            None,
        "haft_http_streams": 1,
        'haft_runs_total{spec="looker",end="done"}': 1,
        'haft_tool_calls_total{tool="look",outcome="ok"}': 1}.items()
        if sample(text, name) != wanted])
    check("no_ids", [run in text, asking in text], [False, False])
    status, kind, text = metrics(server, Accept="application/openmetrics-text")
    check("openmetrics", (status, kind.startswith("application/openmetrics-text"),
                          text.endswith("# EOF\n")), (200, True, True))
    promtool = shutil.which(os.environ.get("PROMTOOL", "promtool"))
    if promtool is None:
        skip("promtool_accepts_the_text",
             "promtool is not installed (Debian package prometheus)")
    else:
        found = subprocess.run([promtool, "check", "metrics"], input=metrics(server)[2],
                               capture_output=True, text=True, timeout=300)
        check("promtool_accepts_the_text", (found.returncode, found.stdout + found.stderr), (0, ""))
    stream.close()
    wait_for(lambda: sample(metrics(server)[2], "haft_http_streams") == 0)
    check("a_closed_stream_is_not_counted", sample(metrics(server)[2], "haft_http_streams"), 0.0)
    sent = []
    wait_for(lambda: sent.extend(sink.take()[0]) or
             any(span["haft.run.id"] == run and span.name == "invoke_agent looker"
                 for span in sent))
    check("a_run_belongs_to_the_trace_of_its_client",
          {(span.trace, span.parent) for span in sent
           if span["haft.run.id"] == run and span.name.startswith("invoke_agent")},
          {(CALLER[3:35], CALLER[36:52])})
    check("no_warnings", server.warnings, [])

made = {role: subprocess.run([HAFT, "token", "create", role, "--roles", role], cwd=directory,
                             capture_output=True, text=True, timeout=300, check=True)
        for role in ("read", "metrics", "admin")}
with Server(directory, "looker.json", options=["--token-file", "haft-tokens.jsonl"]) as server:
    found = {role: server.get("/metrics", token=one.stdout.strip()).status
             for role, one in made.items()}
    check("metrics_have_their_own_role", (server.get("/metrics").status, found),
          (401, {"read": 403, "metrics": 200, "admin": 200}))
shutil.rmtree(directory)
