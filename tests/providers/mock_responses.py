# SPDX-License-Identifier: Apache-2.0
"""OpenAI's Responses API."""
import re

from mock import (Refusal, Wire, arguments_of, check_names, check_object_root, halves,
                  refuse_unknown, refuse_unless, seal, sse)
from mock_chat import AT_ROOT, NAME, check_strict_schema

MEMBERS = {
    "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls",
    "max_output_tokens", "max_tool_calls", "store", "previous_response_id", "conversation",
    "include", "reasoning", "text", "stream", "stream_options", "background", "context_management",
    "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "truncation", "metadata",
    "service_tier", "safety_identifier", "temperature", "top_p", "user"}
TOOL = {"type", "name", "description", "parameters", "strict", "defer_loading", "allowed_callers",
        "output_schema", "async"}
HOSTED = {"web_search": {"type", "filters", "search_context_size", "user_location"}}
CALL = {"type", "id", "call_id", "name", "arguments", "status", "namespace", "caller", "async"}


class Responses(Wire):
    path = "/v1/responses"

    # ---- requests ----

    def check(self, path, headers, request):
        refuse_unless(path == self.path, f"unknown path {path}", status=404)
        refuse_unless(headers.get("Authorization", "").startswith("Bearer "), "no key", status=401)
        refuse_unknown(request, MEMBERS, "request")
        refuse_unless(isinstance(request.get("model"), str) and request["model"], "no model")
        refuse_unless(request.get("store") is False, "the mock keeps nothing: store must be false")
        refuse_unless("previous_response_id" not in request, "previous response not found")
        for name in request.get("include", ()):
            refuse_unless(name == "reasoning.encrypted_content", f"include: unknown value {name}")
        self.check_tools(request)
        self.check_input(request["input"], request["model"])
        refuse_unknown(request.get("reasoning") or {},
                       {"effort", "summary", "context", "mode", "generate_summary"}, "reasoning")
        self.check_text(request.get("text") or {})
        return request.get("stream", False)

    @staticmethod
    def check_text(text):
        refuse_unknown(text, {"format", "verbosity"}, "text")
        form = text.get("format", {"type": "text"})
        if form["type"] == "json_schema":
            refuse_unknown(form, {"type", "name", "schema", "strict", "description"}, "text.format")
            check_names([form["name"]], NAME)
            if form.get("strict"):
                check_strict_schema(form["schema"], "text.format")

    def check_tools(self, request):
        declared = list(request.get("tools") or ())
        for item in request["input"]:
            if item.get("type") == "additional_tools":
                declared += item["tools"]
        hosted = [tool["type"] for tool in declared if tool["type"] in HOSTED]
        tools = [tool for tool in declared if tool["type"] not in HOSTED]
        for tool in declared:
            if tool["type"] in HOSTED:
                refuse_unknown(tool, HOSTED[tool["type"]], "tools")
        for tool in tools or ():
            refuse_unknown(tool, TOOL, "tools")
            refuse_unless(tool["type"] == "function", f"tools: unknown type {tool['type']}")
            check_object_root(tool["parameters"], tool["name"], AT_ROOT)
            refuse_unless("properties" in tool["parameters"], "object schema missing properties")
            if "strict" not in tool:
                self.complain(f"strict of {tool['name']} is missing: the server decides")
            if tool.get("strict"):
                check_strict_schema(tool["parameters"], tool["name"])
        names = [tool["name"] for tool in tools or ()]
        check_names(names, NAME, 128)
        choice = request.get("tool_choice", "auto")
        if isinstance(choice, str):
            refuse_unless(choice in ("none", "auto", "required"), "tool_choice: unknown value")
            refuse_unless(choice != "required" or names or hosted,
                          "tool_choice: there are no tools")
        elif choice.get("type") == "allowed_tools":
            refuse_unknown(choice, {"type", "mode", "tools"}, "tool_choice")
            refuse_unless(choice["mode"] in ("auto", "required"), "allowed_tools: unknown mode")
            refuse_unless(choice["tools"], "allowed_tools: no tools")
            for tool in choice["tools"]:
                if tool.get("type") in hosted:
                    refuse_unknown(tool, {"type"}, "tool_choice")
                else:
                    self.check_named(tool, names)
        else:
            self.check_named(choice, names)

    @staticmethod
    def check_named(choice, names):
        refuse_unknown(choice, {"type", "name"}, "tool_choice")
        refuse_unless(choice["type"] == "function", "tool_choice: unknown type")
        refuse_unless(choice["name"] in names, "tool_choice: this tool is not declared")

    # ---- input ----

    def check_input(self, items, model):
        calls, outputs, order = [], [], []
        for i, item in enumerate(items):
            where, kind = f"input[{i}]", item.get("type", "message")
            if kind == "message":
                self.check_message(item, where)
            elif kind == "reasoning":
                self.check_reasoning(item, items[i + 1:], where, model)
            elif kind == "function_call":
                self.check_call(item, where, model, items[:i])
                calls.append(item["call_id"])
            elif kind == "function_call_output":
                refuse_unknown(item, {"type", "id", "call_id", "output", "status", "name",
                                      "namespace"}, where)
                refuse_unless(item["call_id"] in calls,
                              f"No tool call found for function call output {item['call_id']}")
                outputs.append(item["call_id"])
            elif kind == "additional_tools":
                refuse_unknown(item, {"type", "id", "role", "tools"}, where)
                refuse_unless(item["role"] == "developer", f"{where}: role {item['role']}")
                refuse_unless(item["tools"], f"{where}: no tools")
                refuse_unless(outputs == calls, f"{where}: a call has no output yet")
            elif kind == "web_search_call":
                refuse_unless(self.issued.get(item["id"]) == item, f"{where}: unknown item")
            else:
                raise Refusal(f"{where}: unknown type {kind}")
            order.append(kind)
        refuse_unless(len(set(calls)) == len(calls), "duplicate call_id")
        refuse_unless(len(set(outputs)) == len(outputs), "duplicate function call output")
        for key in calls:
            refuse_unless(key in outputs, f"No tool output found for function call {key}")
        refuse_unless(outputs == calls, "outputs are out of order")

    @staticmethod
    def check_message(item, where):
        known = {"type", "role", "content"}
        role = item["role"]
        refuse_unless(role in ("user", "assistant", "system", "developer"), f"{where}: role {role}")
        refuse_unknown(item, known | ({"id", "status", "phase"} if role == "assistant" else set()),
                       where)
        refuse_unless("id" not in item or item["id"].startswith("msg"), f"{where}: bad id")
        wanted = ("output_text", "refusal") if role == "assistant" else (
            "input_text", "input_image", "input_file")
        parts = item["content"]
        refuse_unless(isinstance(parts, (str, list)), f"{where}: no content")
        for part in parts if isinstance(parts, list) else ():
            refuse_unless(part["type"] in wanted, f"{where}: type {part['type']} for {role}")

    def check_reasoning(self, item, rest, where, model):
        refuse_unknown(item, {"type", "id", "summary", "content", "encrypted_content", "status"},
                       where)
        refuse_unless(isinstance(item.get("summary"), list), f"{where}: no summary")
        refuse_unless(item["id"].startswith("rs_"), f"{where}: bad id")
        refuse_unless(item.get("encrypted_content"), f"{where}: Item '{item['id']}' not found. "
                      "Items are not persisted when `store` is set to false.")
        refuse_unless(item["encrypted_content"] == seal(model, item["id"], item["summary"]),
                      f"{where}: The encrypted content could not be verified.")
        after = rest[0].get("type", "message") if rest else None
        own = after in ("function_call", "web_search_call") or (
            after == "message" and rest[0]["role"] == "assistant")
        refuse_unless(own, f"{where}: Item '{item['id']}' of type 'reasoning' was provided without "
                      "its required following item.")

    def check_call(self, item, where, model, before):
        refuse_unknown(item, CALL, where)
        refuse_unless("id" not in item or item["id"].startswith("fc_"), f"{where}: bad id")
        refuse_unless(re.fullmatch(".{1,64}", item["call_id"]), f"{where}: bad call_id")
        refuse_unless(isinstance(item["arguments"], str), f"{where}: arguments must be a text")
        check_names([item["name"]], NAME)
        needed = self.issued.get((item.get("id"), model))
        refuse_unless(needed is None or any(i.get("id") == needed for i in before),
                      f"{where}: Item '{item.get('id')}' of type 'function_call' was provided "
                      f"without its required 'reasoning' item: '{needed}'.")

    # ---- replies ----

    def items(self, request, turn):
        model, items = request["model"], []
        if turn.get("thinking"):
            key = self.next_id("rs_")
            summary = [{"type": "summary_text", "text": turn["thinking"]}]
            items.append({"id": key, "type": "reasoning", "summary": summary,
                          "encrypted_content": seal(model, key, summary)})
        for kind, action in turn.get("hosted", ()):
            key = self.next_id("ws_")
            items.append({"id": key, "type": f"{kind}_call", "status": "completed",
                          "action": {"type": "search", **action}})
            self.issued[key] = items[-1]
        if turn.get("text"):
            phase = "commentary" if turn.get("calls") else "final_answer"
            items.append({"id": self.next_id("msg_"), "type": "message", "status": "completed",
                          "role": "assistant", "phase": phase, "content": [
                              {"type": "output_text", "text": turn["text"], "annotations": []}]})
        for i, (name, _) in enumerate(turn.get("calls", ())):
            key = self.next_id("fc_")
            if items and items[0]["type"] == "reasoning":
                self.issued[key, model] = items[0]["id"]
            items.append({"id": key, "type": "function_call", "status": "completed",
                          "call_id": self.next_id("call_"), "name": name,
                          "arguments": arguments_of(turn, i)})
        return items

    @staticmethod
    def response(request, status, items, usage):
        return {"id": "resp_1", "object": "response", "created_at": 1, "status": status,
                "error": None, "incomplete_details": None, "instructions": None,
                "model": request["model"], "output": items, "parallel_tool_calls": True,
                "metadata": {}, "temperature": None, "top_p": None, "usage": usage,
                "tool_choice": request.get("tool_choice", "auto"),
                "tools": request.get("tools", []), "store": False}

    USAGE = {"input_tokens": 40, "input_tokens_details": {"cached_tokens": 32}, "output_tokens": 9,
             "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 49}

    def whole(self, request, turn):
        return self.response(request, "completed", self.items(request, turn), self.USAGE)

    def stream(self, request, turn):
        events, items = [], self.items(request, turn)
        events += [("response.created", {"response": self.response(request, "in_progress", [],
                                                                   None)})]
        events += [("response.in_progress", events[0][1])]
        for at, item in enumerate(items):
            begun, pieces = self.item_events(at, item)
            events.append(("response.output_item.added", {"output_index": at, "item": begun}))
            events += pieces
            events.append(("response.output_item.done", {"output_index": at, "item": item}))
        events.append(("response.completed", {"response": self.response(
            request, "completed", items, self.USAGE)}))
        out = ": keep-alive\n\n"
        for number, (kind, data) in enumerate(events):
            out += sse(kind, {"type": kind, "sequence_number": number, **data})
        return out

    @staticmethod
    def item_events(at, item):
        """The item as it begins, and the events of its contents."""
        where = {"item_id": item["id"], "output_index": at}
        if item["type"] == "function_call":
            name, text = "response.function_call_arguments", item["arguments"]
            pieces = [(f"{name}.delta", {**where, "delta": piece, "obfuscation": "x"})
                      for piece in halves(text)]
            return ({**item, "arguments": "", "status": "in_progress"},
                    pieces + [(f"{name}.done", {**where, "arguments": text})])
        if item["type"] == "web_search_call":
            name = "response.web_search_call"
            return ({**item, "status": "in_progress"},
                    [(f"{name}.{step}", where) for step in ("in_progress", "searching",
                                                            "completed")])
        if item["type"] == "reasoning":
            where |= {"summary_index": 0}
            part, name = item["summary"][0], "response.reasoning_summary_text"
            pieces = [("response.reasoning_summary_part.added",
                       {**where, "part": {**part, "text": ""}})]
            pieces += [(f"{name}.delta", {**where, "delta": piece})
                       for piece in halves(part["text"])]
            pieces += [(f"{name}.done", {**where, "text": part["text"]}),
                       ("response.reasoning_summary_part.done", {**where, "part": part})]
            return {**item, "summary": [], "encrypted_content": "part"}, pieces
        where |= {"content_index": 0}
        part = item["content"][0]
        pieces = [("response.content_part.added", {**where, "part": {**part, "text": ""}})]
        pieces += [("response.output_text.delta", {**where, "delta": piece, "logprobs": []})
                   for piece in halves(part["text"])]
        pieces += [("response.output_text.done", {**where, "text": part["text"], "logprobs": []}),
                   ("response.content_part.done", {**where, "part": part})]
        return {**item, "content": [], "status": "in_progress"}, pieces
