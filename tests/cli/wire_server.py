# SPDX-License-Identifier: Apache-2.0
"""A model server for tests: it answers each request with the next entry of a list, in the wire
format of any provider, and keeps the requests."""
import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def sse(events, names=False):
    return [(f"event: {event['type']}\n" if names else "") + f"data: {json.dumps(event)}\n\n"
            for event in events]


def chat(text="", calls=()):
    """A streamed reply of Chat Completions, as a list of pieces."""
    deltas = [{"role": "assistant", "content": text}] if text else []
    deltas += [{"tool_calls": [{"index": i, "id": f"call_{name}_{i}", "type": "function",
                                "function": {"name": name, "arguments": json.dumps(arguments)}}]}
               for i, (name, arguments) in enumerate(calls)]
    chunks = [{"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta}]}
              for delta in deltas]
    chunks += [{"id": "x", "model": "m", "choices": [
        {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]},
        {"id": "x", "model": "m", "choices": [], "usage": {
            "prompt_tokens": 10, "completion_tokens": 2}}]
    return sse(chunks) + ["data: [DONE]\n\n"]


def responses(text="", calls=()):
    """A streamed reply of the Responses API."""
    said = [{"type": "output_text", "text": text, "annotations": []}]
    items = [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
              "content": said}] if text else []
    items += [{"type": "function_call", "id": f"fc_{i}", "call_id": f"call_{name}_{i}",
               "name": name, "arguments": json.dumps(arguments), "status": "completed"}
              for i, (name, arguments) in enumerate(calls)]
    events = [{"type": "response.created", "response": {"id": "r", "status": "in_progress"}}]
    for i, item in enumerate(items):
        begun = {"content": []} if item["type"] == "message" else {}
        events.append({"type": "response.output_item.added", "output_index": i,
                       "item": {**item, "status": "in_progress", **begun}})
        if item["type"] == "message":
            events.append({"type": "response.output_text.delta", "output_index": i,
                           "content_index": 0, "item_id": "msg_1", "delta": text})
        events.append({"type": "response.output_item.done", "output_index": i, "item": item})
    events.append({"type": "response.completed", "response": {
        "id": "r", "status": "completed", "model": "m", "output": items,
        "usage": {"input_tokens": 10, "output_tokens": 2}}})
    return sse(events, names=True)


def anthropic(text="", calls=()):
    """A streamed reply of the Messages API."""
    events = [{"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}}}]
    blocks = [({"type": "text", "text": ""}, {"type": "text_delta", "text": text})] if text else []
    blocks += [({"type": "tool_use", "id": f"toolu_{name}_{i}", "name": name, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(arguments)})
               for i, (name, arguments) in enumerate(calls)]
    for i, (block, delta) in enumerate(blocks):
        events += [{"type": "content_block_start", "index": i, "content_block": block},
                   {"type": "content_block_delta", "index": i, "delta": delta},
                   {"type": "content_block_stop", "index": i}]
    events += [{"type": "message_delta", "delta": {
        "stop_reason": "tool_use" if calls else "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"}]
    return sse(events, names=True)


def gemini(text="", calls=()):
    """A streamed reply of generateContent."""
    parts = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    chunks = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
              for part in parts]
    chunks += [{"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0,
                                "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 2}}]
    return sse(chunks)


def ollama(text="", calls=()):
    """A streamed reply of Ollama's own API: a line of JSON for each piece."""
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [{"id": f"call_{name}_{i}",
                                  "function": {"name": name, "arguments": arguments}}
                                 for i, (name, arguments) in enumerate(calls)]
    lines = [{"model": "m", "message": message, "done": False},
             {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True,
              "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 2}]
    return [json.dumps(line) + "\n" for line in lines]


# The provider of a spec, how its base URL ends, and its replies.
WIRES = {
    "openai-chat": ("openai", "/v1", chat),
    "openai-responses": ("openai-responses", "/v1", responses),
    "anthropic": ("anthropic", "/v1", anthropic),
    "gemini": ("gemini", "/v1beta", gemini),
    "ollama": ("ollama", "", ollama),
}


def error(status, message, headers=(), **more):
    """A response that is not 2xx."""
    body = {"error": {"message": message, "type": "invalid_request_error", **more}}
    return {"status": status, "headers": dict(headers), "pieces": [json.dumps(body)]}


class Server:
    """Answers each request with the next entry: a list of pieces (200, a stream), or {status,
    headers, pieces, end}; `end` is "reset" (the connection breaks after the pieces) or "stall" (it
    stays open and silent). A function gets the request and returns the entry."""

    def __init__(self, entries):
        self.requests, self.headers, self.entries = [], [], list(entries)
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.active = self.most_active = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.answer(self, body)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever)

    def answer(self, handler, body):
        with self.lock:
            self.requests.append(body)
            self.headers.append(dict(handler.headers))
            entry = self.entries.pop(0) if self.entries else error(500, "no reply is left")
            self.active += 1
            self.most_active = max(self.most_active, self.active)
        handler.active = True
        try:
            entry = entry(body) if callable(entry) else entry
            self.send(handler, entry if isinstance(entry, dict) else {"pieces": entry})
        except OSError:
            handler.close_connection = True
        finally:
            self.leave(handler)

    def leave(self, handler):
        """The request is no longer active: the client may send another one as soon as it has read
        the last piece."""
        with self.lock:
            self.active -= handler.active
            handler.active = False

    def send(self, handler, entry):
        good = entry.get("status", 200) == 200
        handler.send_response(entry.get("status", 200))
        handler.send_header("Content-Type", "text/event-stream" if good else "application/json")
        for name, value in entry.get("headers", {}).items():
            handler.send_header(name, value)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        for i, piece in enumerate(entry["pieces"]):
            if i + 1 == len(entry["pieces"]) and "end" not in entry:
                self.leave(handler)
            handler.wfile.write(piece.encode())
            handler.wfile.flush()
        if entry.get("end") == "reset":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                          struct.pack("ii", 1, 0))
            handler.connection.close()
        elif entry.get("end") == "stall":
            self.stopped.wait()

    def url(self, end=""):
        return f"http://127.0.0.1:{self.http.server_port}{end}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()
