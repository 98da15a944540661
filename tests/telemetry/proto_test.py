#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official messages of OTLP read what haft writes: the golden files, and the requests of a run.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "cli"), str(HERE.parent / "house")]
from script import check, skip  # noqa: E402
from otlp_sink import Sink  # noqa: E402
import pypi  # noqa: E402

IDS = ("traceId", "spanId", "parentSpanId")

missing = pypi.install("opentelemetry-proto==1.45.2")
if missing:
    skip("official_messages", missing)
    sys.exit()
from google.protobuf import json_format  # noqa: E402
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (  # noqa: E402
    ExportMetricsServiceRequest)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: E402
    ExportTraceServiceRequest)


def with_bytes(value):
    """OTLP writes ids in hex; JSON of protobuf has them in base64."""
    if isinstance(value, list):
        return [with_bytes(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: base64.b64encode(bytes.fromhex(item)).decode() if key in IDS
            else with_bytes(item) for key, item in value.items()}


for name, kind in (("traces", ExportTraceServiceRequest), ("metrics", ExportMetricsServiceRequest)):
    data = bytes.fromhex((HERE / f"golden/{name}.hex").read_text())
    message, other = kind(), kind()
    message.ParseFromString(data)
    check(f"{name}_are_written_as_the_official_messages_write_them",
          message.SerializeToString(deterministic=True).hex(), data.hex())
    json_format.ParseDict(with_bytes(json.loads((HERE / f"golden/{name}.json").read_text())), other)
    check(f"both_encodings_of_{name}_are_equal", other == message)

scratch = Path(tempfile.mkdtemp(prefix="haft-proto-", dir=os.environ.get("TMPDIR", "/tmp")))
(scratch / "script.json").write_text(json.dumps({"replies": [{"text": "done"}]}))
(scratch / "spec.json").write_text(json.dumps(
    {"haft": 1, "name": "small", "model": "script:script.json"}))
sink = Sink()
done = subprocess.run([os.environ["HAFT"], "run", scratch / "spec.json", "go", "-q", "--store",
                       "memory:"], capture_output=True, text=True, timeout=600,
                      env={"PATH": os.environ["PATH"], "HOME": str(scratch),
                           "OTEL_EXPORTER_OTLP_ENDPOINT": sink.url,
                           "OTEL_SERVICE_NAME": "sh\u00f6p"})
found = {path: (headers["Content-Type"], body) for path, headers, body in sink.requests}
check("protobuf_is_the_default", (done.returncode, done.stderr, {t for t, _ in found.values()}),
      (0, "", {"application/x-protobuf"}))
traces, metrics = ExportTraceServiceRequest(), ExportMetricsServiceRequest()
traces.ParseFromString(found["/v1/traces"][1])
metrics.ParseFromString(found["/v1/metrics"][1])
spans = [span for scope in traces.resource_spans[0].scope_spans for span in scope.spans]
check("spans_of_a_run", [(span.name, len(span.trace_id), len(span.span_id)) for span in spans],
      [("chat script.json", 16, 8), ("invoke_agent small", 16, 8)])
check("spans_form_a_tree", spans[0].parent_span_id, spans[1].span_id)
check("the_service", traces.resource_spans[0].resource.attributes[0].value.string_value,
      "sh\u00f6p")
named = {metric.name: metric for metric in metrics.resource_metrics[0].scope_metrics[0].metrics}
duration = named["gen_ai.invoke_agent.duration"].histogram
check("a_histogram", (duration.data_points[0].count, sum(duration.data_points[0].bucket_counts),
                      duration.aggregation_temporality), (1, 1, 2))
