# SPDX-License-Identifier: Apache-2.0
"""A collector for tests: records requests with JSON, and answers as it is told."""
import gzip
import http.server
import json
import threading


class Sink:
    """`answers` are (status, headers, body) for the next requests; after them each gets 200. The
    answer HANG keeps the connection open without an answer."""
    HANG = "hang"

    def __init__(self):
        self.requests = []  # (path, headers, body)
        self.answers = []
        self.released = threading.Event()
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers["Content-Encoding"] == "gzip":
                    body = gzip.decompress(body)
                sink.requests.append((self.path, dict(self.headers), body))
                answer = sink.answers.pop(0) if sink.answers else (200, {}, b"")
                if answer == Sink.HANG:
                    sink.released.wait(300)
                    return
                status, headers, data = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def env(self, **more):
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", **more}

    def paths(self):
        return [path for path, _, _ in self.requests]

    def take(self):
        """The spans, and the names of metrics, of all requests so far; forgets them."""
        spans, metrics = [], []
        for path, _, body in self.requests:
            value = json.loads(body)
            for resource in value.get("resourceSpans", []):
                spans += [span for scope in resource["scopeSpans"] for span in scope["spans"]]
            for resource in value.get("resourceMetrics", []):
                metrics += [m for scope in resource["scopeMetrics"] for m in scope["metrics"]]
        self.requests.clear()
        return [Span(span) for span in spans], {metric["name"]: metric for metric in metrics}


class Span:
    def __init__(self, span):
        self.trace, self.id = span["traceId"], span["spanId"]
        self.parent = span.get("parentSpanId")
        self.name, self.kind = span["name"], span["kind"]
        self.links = [link["spanId"] for link in span.get("links", [])]
        self.failed = span["status"].get("code") == 2
        self.start, self.end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        self.attributes = {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}

    def __getitem__(self, key):
        return self.attributes.get(key)
