# SPDX-License-Identifier: Apache-2.0
"""Servers that behave like the servers of model providers and reject what those reject.

A mock plays a list of turns. A turn is what the model says, independent of the provider:

    {"thinking": "...", "text": "...", "calls": [["add", {"a": 1}]], "raw": {0: "{broken"},
     "hosted": [["web_search", {"query": "x"}]], "pause": True, "cut": True}

"hosted" are calls that the provider ran itself; after "pause" the same request goes on; "cut" is a
reply that its token limit ended; one that "continues" goes on in the response to another request.

Each wire format has a module with a class. Its `check` raises Refusal for a request that the
provider rejects, `whole` and `stream` write the reply. The rules come from the providers'
documentation, not from haft's requests. What a provider ignores in silence is a complaint: the
request is answered, and the test fails.
"""
import base64
import hashlib
import hmac
import http.server
import itertools
import json
import re
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from own_host import OwnHost  # noqa: E402

COUNTER = itertools.count()
PIECE = 11  # bytes: streams are sent in pieces that cut lines and characters


class Refusal(Exception):
    """An error response."""

    def __init__(self, message, status=400, **more):
        super().__init__(message)
        self.message, self.status, self.more = message, status, more


def refuse_unless(condition, message, **more):
    if not condition:
        raise Refusal(message, **more)


def refuse_unknown(value, known, where, **more):
    """Rejects members that the provider does not have."""
    refuse_unless(isinstance(value, dict), f"{where}: expected an object", **more)
    for key in value:
        refuse_unless(key in known, f"{where}: unknown member '{key}'", **more)


def dumps(value):
    """JSON with characters as they are: UTF-8 is cut by the pieces of a stream."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def seal(*parts):
    """A signature that only the mocks can make."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return base64.b64encode(hmac.new(b"mock", text.encode(), hashlib.sha256).digest()).decode()


def arguments_of(turn, index):
    """The arguments of a call as text; "raw" has texts that are not an object."""
    return turn.get("raw", {}).get(index) or dumps(turn["calls"][index][1])


def halves(text):
    """A text in two pieces."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def sse(event, data):
    """An event of a stream; `event` may be None."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {data if isinstance(data, str) else dumps(data)}\n\n"


# Keywords with schemas in them: one, a list, or a dictionary.
ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
       "unevaluatedItems", "unevaluatedProperties")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def schemas_in(schema, where="#"):
    """Every schema inside a schema, with its place."""
    yield where, schema
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in ONE and isinstance(value, (dict, bool)):
            yield from schemas_in(value, f"{where}/{key}")
        elif key in LISTS:
            for i, item in enumerate(value):
                yield from schemas_in(item, f"{where}/{key}/{i}")
        elif key in NAMED:
            for name, item in value.items():
                yield from schemas_in(item, f"{where}/{key}/{name}")


def check_keywords(schema, known, where):
    for place, part in schemas_in(schema):
        for key in part if isinstance(part, dict) else ():
            refuse_unless(key in known, f"{where}: keyword '{key}' at {place} is not supported")


def check_object_root(schema, where, forbidden=()):
    refuse_unless(isinstance(schema, dict) and schema.get("type") == "object",
                  f"{where}: the schema must have type 'object'")
    for key in forbidden:
        refuse_unless(key not in schema, f"{where}: '{key}' at the top level is not supported")


def check_names(names, pattern, most=None):
    for name in names:
        refuse_unless(re.fullmatch(pattern, name), f"tool name '{name}' does not match {pattern}")
    refuse_unless(len(set(names)) == len(names), "tool names must be unique")
    refuse_unless(most is None or len(names) <= most, f"too many tools, at most {most}")


class Wire:
    """What the wire formats share."""
    content_type = "text/event-stream"

    def __init__(self):
        self.complaints = []
        self.issued = {}  # ids of calls of this server: what belongs to them

    def next_id(self, start, length=24):
        """Ids differ between mocks: a run that changes its provider has ids of both."""
        return start + hashlib.sha256(str(next(COUNTER)).encode()).hexdigest()[:length]

    def complain(self, message):
        self.complaints.append(message)

    def error(self, refusal):
        """The body of an error response."""
        return {"error": {"message": refusal.message, "type": "invalid_request_error",
                          "param": None, "code": None}}


class Mock:
    """A server with one wire format. Use it with `with`; `url` is its base URL. With `host`, it
    takes the place of this host for haft with the variables `host.environment`."""

    def __init__(self, wire, turns, piece=PIECE, host=None):
        self.wire, self.turns, self.piece = wire, list(turns), piece
        self.requests, self.refusals = [], []
        handler = type("Handler", (_Handler,), {"mock": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.lock = threading.Lock()
        self.host = OwnHost(self.server, host) if host else None

    def __enter__(self):
        if self.host:
            self.host.__enter__()
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        if self.host:
            self.host.__exit__()

    def problems(self):
        return self.refusals + self.wire.complaints + [
            f"{len(self.turns)} turns were not asked for"] * bool(self.turns)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def send(self, status, content_type, body):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for i in range(0, len(body), self.mock.piece):
            self.wfile.write(body[i:i + self.mock.piece])
            self.wfile.flush()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.mock.lock:
            status, content_type, answer = self.answer(body)
        try:
            self.send(status, content_type, answer.encode())
        except OSError:
            pass  # the client has gone

    def answer(self, body):
        mock, wire = self.mock, self.mock.wire
        try:
            request = json.loads(body)
            mock.requests.append(request)
            streams = wire.check(self.path, self.headers, request)
            refuse_unless(mock.turns, "the script has no more turns", status=500)
            turn = mock.turns.pop(0)
            if streams:
                return 200, wire.content_type, wire.stream(request, turn)
            return 200, "application/json", dumps(wire.whole(request, turn))
        except Refusal as refusal:
            mock.refusals.append(refusal.message)
            return refusal.status, "application/json", dumps(wire.error(refusal))
