# SPDX-License-Identifier: Apache-2.0
"""Ollama's own API (/api/chat)."""
import json

from mock import Wire, arguments_of, dumps, halves, refuse_unknown, refuse_unless

MEMBERS = {"model", "messages", "tools", "stream", "format", "think", "options", "keep_alive",
           "truncate", "shift", "logprobs", "top_logprobs"}
KEYWORDS = {"type", "$defs", "items", "required", "properties", "description", "enum", "anyOf"}


class Ollama(Wire):
    content_type = "application/x-ndjson"

    def error(self, refusal):
        return {"error": refusal.message}

    # ---- requests ----

    def check(self, path, headers, request):
        refuse_unless(path == "/api/chat", f"unknown path {path}", status=404)
        for key in request:
            if key not in MEMBERS:
                self.complain(f"the server ignores '{key}'")
        refuse_unless(request.get("model"), "model is required")
        for tool in request.get("tools", ()):
            refuse_unknown(tool, {"type", "function"}, "tools")
            refuse_unknown(tool["function"], {"name", "description", "parameters"}, "function")
            parameters = tool["function"]["parameters"]
            refuse_unless(parameters.get("type") == "object", "parameters: not an object")
            for key in parameters:
                if key not in KEYWORDS:
                    self.complain(f"the server ignores the keyword '{key}'")
        self.check_messages(request["messages"], request["model"])
        return request.get("stream", True)

    def check_messages(self, messages, model):
        open_calls = []
        for i, message in enumerate(messages):
            where, role = f"messages[{i}]", message["role"]
            refuse_unless(role in ("system", "user", "assistant", "tool"), f"{where}: role")
            refuse_unless(isinstance(message.get("content", ""), str), f"{where}: content")
            if role == "tool":
                refuse_unknown(message, {"role", "content", "tool_name", "tool_call_id"}, where)
                refuse_unless(open_calls, f"{where}: a result without a call")
                call = open_calls.pop(0)
                refuse_unless(message.get("tool_name") == call["function"]["name"],
                              f"{where}: results are out of order")
                refuse_unless(message.get("tool_call_id") == call.get("id"),
                              f"{where}: unknown id of a call")
                continue
            refuse_unless(not open_calls, f"{where}: calls without results")
            refuse_unknown(message, {"role", "content", "images"} | (
                {"thinking", "tool_calls"} if role == "assistant" else set()), where)
            open_calls = list(message.get("tool_calls", ()))
            self.check_calls(message, open_calls, where, model)
        refuse_unless(not open_calls, "calls without results")

    def check_calls(self, message, calls, where, model):
        for call in calls:
            refuse_unknown(call, {"id", "function"}, where)
            refuse_unknown(call["function"], {"name", "arguments", "index"}, where)
            refuse_unless(isinstance(call["function"]["arguments"], dict),
                          f"{where}: arguments must be an object")
            thinking = self.issued.get((call.get("id"), model))
            refuse_unless(thinking is None or message.get("thinking", "") == thinking,
                          f"{where}: changed thinking")

    # ---- replies ----

    def calls(self, request, turn):
        made = []
        for i, (name, _) in enumerate(turn.get("calls", ())):
            key = self.next_id("call_", 8)
            self.issued[key, request["model"]] = turn.get("thinking", "")
            made.append({"id": key, "function": {"index": i, "name": name, "arguments": json.loads(
                arguments_of(turn, i))}})
        return made

    def line(self, request, message, **more):
        return {"model": request["model"], "created_at": "2026-11-18T00:00:00Z",
                "message": {"role": "assistant", "content": "", **message}, "done": False, **more}

    END = {"done": True, "done_reason": "stop", "total_duration": 9, "load_duration": 1,
           "prompt_eval_count": 40, "prompt_eval_duration": 1, "eval_count": 9, "eval_duration": 1}

    def whole(self, request, turn):
        if request.get("format"):
            turn = self.as_text(turn)
        message = {"content": turn.get("text") or ""}
        if turn.get("thinking"):
            message["thinking"] = turn["thinking"]
        calls = self.calls(request, turn)
        return self.line(request, message | ({"tool_calls": calls} if calls else {}), **self.END)

    def stream(self, request, turn):
        if request.get("format"):
            turn = self.as_text(turn)
        lines = [self.line(request, {"thinking": piece})
                 for piece in halves(turn.get("thinking", ""))]
        lines += [self.line(request, {"content": piece})
                  for piece in halves(turn.get("text") or "")]
        lines += [self.line(request, {"tool_calls": [call]}) for call in self.calls(request, turn)]
        lines.append(self.line(request, {}, **self.END))
        return "".join(dumps(line) + "\n" for line in lines)

    @staticmethod
    def as_text(turn):
        """The reply if the request has a `format`: the first call as JSON text, in the form of
        haft's schema."""
        if not turn.get("calls"):
            return turn
        name, arguments = turn["calls"][0]
        return {"text": dumps({"name": name, "arguments": arguments}),
                "thinking": turn.get("thinking", "")}
