# SPDX-License-Identifier: Apache-2.0
"""Anthropic's Messages API."""
import json
import re

from mock import (Refusal, Wire, arguments_of, check_keywords, check_names, check_object_root,
                  dumps, halves, refuse_unknown, refuse_unless, schemas_in, seal, sse)

MEMBERS = {
    "model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "stop_sequences",
    "thinking", "output_config", "metadata", "service_tier", "speed", "inference_geo", "container",
    "cache_control", "context_management", "mcp_servers"}
OLD_MEMBERS = {"temperature", "top_p", "top_k"}  # only with the version 2023-06-01
TOOL = {"name", "description", "input_schema", "strict", "cache_control", "defer_loading",
        "input_examples", "eager_input_streaming", "allowed_callers", "type"}
HOSTED = {"web_search_20260318": ("web_search", {
    "type", "name", "max_uses", "allowed_domains", "blocked_domains", "user_location",
    "cache_control"})}
# Schemas of strict tools and of output_config.format.
STRICT = {"type", "description", "title", "properties", "required", "additionalProperties", "items",
          "enum", "const", "anyOf", "allOf", "$ref", "$defs", "format", "pattern", "minItems",
          "default"}
# Models that reject a forced tool_choice.
NO_FORCE = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1")
# Models whose thinking is valid only after the same conversation.
BOUND = NO_FORCE + ("claude-haiku-5-5", "claude-fable-5-2", "claude-mythos-5-1",
                    "claude-mythos-5-2")
# Models that know no effort.
NO_EFFORT = ("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-1")
ADAPTIVE_ONLY = ("claude-opus-5-5", "claude-fable-5-1")


def is_model(model, names):
    """Whether the model is one of these, or a dated version of one."""
    return any(model == name or model.startswith(name + "-") for name in names)


def without_marks(value):
    """A copy without cache_control, which does not count when conversations are compared."""
    if isinstance(value, dict):
        return {key: without_marks(item) for key, item in value.items() if key != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value


def count_marks(value):
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(count_marks, value.values()))
    return sum(map(count_marks, value)) if isinstance(value, list) else 0


def blocks_of(message):
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


class Anthropic(Wire):
    path = "/v1/messages"

    def __init__(self):
        super().__init__()
        self.hosted = []     # the blocks of tools that ran at the provider
        self.paused = set()  # the ids of those whose reply ended with pause_turn

    def error(self, refusal):
        kind = {401: "authentication_error", 404: "not_found_error"}.get(
            refusal.status, "invalid_request_error")
        return {"type": "error", "request_id": "req_1",
                "error": {"type": kind, "message": refusal.message}}

    # ---- requests ----

    def check(self, path, headers, request):
        refuse_unless(path == self.path, f"unknown path {path}", status=404)
        bearer = headers.get("Authorization", "").startswith("Bearer ")
        refuse_unless(bearer != bool(headers.get("x-api-key")), "one key is required", status=401)
        version = headers.get("anthropic-version")
        refuse_unless(version in ("2023-06-01", "2026-10-21"), "anthropic-version: unknown")
        refuse_unknown(request, MEMBERS | (OLD_MEMBERS if version == "2023-06-01" else set()),
                       "request")
        refuse_unless(isinstance(request.get("model"), str) and request["model"], "no model")
        refuse_unless(isinstance(request.get("max_tokens"), int), "max_tokens: Field required")
        refuse_unless(count_marks(request) <= 4,
                      "A maximum of 4 blocks with cache_control may be provided.")
        self.check_system(request.get("system", "x"))
        self.check_thinking(request)
        self.check_tools(request)
        self.check_messages(request)
        self.check_output(request.get("output_config", {}), request["model"])
        return request.get("stream", False)

    @staticmethod
    def check_system(system):
        for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
            refuse_unknown(block, {"type", "text", "cache_control", "citations"}, "system")
            refuse_unless(block["text"].strip(), "system: text content blocks must be non-empty")

    @staticmethod
    def check_thinking(request):
        thinking, model = request.get("thinking"), request["model"]
        if thinking is None:
            return
        kind = thinking.get("type")
        refuse_unless(kind in ("adaptive", "enabled", "between_tools", "disabled"),
                      "thinking.type: unknown")
        refuse_unless(not is_model(model, ADAPTIVE_ONLY) or kind == "adaptive",
                      f"thinking.type: {kind} is not supported by {model}")
        refuse_unless(not is_model(model, ("claude-sonnet-5-5",)) or kind != "disabled",
                      f"thinking.type: disabled is not supported by {model}")
        if kind == "enabled":
            budget = thinking.get("budget_tokens", 0)
            refuse_unless(1024 <= budget < request["max_tokens"], "thinking.budget_tokens: invalid")

    @staticmethod
    def check_output(output, model):
        refuse_unknown(output, {"format", "effort"}, "output_config")
        refuse_unless("effort" not in output or not is_model(model, NO_EFFORT),
                      "This model does not support the effort parameter.")
        refuse_unless(output.get("effort", "low") in ("low", "medium", "high", "xhigh", "max"),
                      "output_config.effort: unknown")
        form = output.get("format")
        if form is not None:
            refuse_unknown(form, {"type", "schema"}, "output_config.format")
            check_keywords(form["schema"], STRICT, "output_config.format")
            for place, part in schemas_in(form["schema"]):
                refuse_unless(not isinstance(part, dict) or part.get("type") != "object"
                              or part.get("additionalProperties") is False,
                              f"output_config.format: 'additionalProperties' at {place}")
                refuse_unless(not isinstance(part, dict) or part.get("minItems", 0) <= 1,
                              f"output_config.format: minItems at {place}")

    def check_tools(self, request):
        declared = request.get("tools", [])
        tools = [tool for tool in declared if tool.get("type", "custom") not in HOSTED]
        for tool in declared:
            if tool.get("type") in HOSTED:
                name, known = HOSTED[tool["type"]]
                refuse_unknown(tool, known, "tools")
                refuse_unless(tool["name"] == name, f"tools: the name must be {name}")
        for tool in tools:
            refuse_unknown(tool, TOOL, "tools")
            check_object_root(tool["input_schema"], tool["name"], ("anyOf", "oneOf", "allOf"))
            if tool.get("strict"):
                check_keywords(tool["input_schema"], STRICT, tool["name"])
        names = [tool["name"] for tool in tools]
        check_names(names, "[a-zA-Z0-9_-]{1,128}")
        self.check_deferred(declared)
        choice = request.get("tool_choice")
        if choice is None:
            return
        refuse_unless(tools, "tool_choice: there are no tools")
        kind = choice.get("type")
        known = {"auto": {"type", "disable_parallel_tool_use"}, "none": {"type"},
                 "any": {"type", "disable_parallel_tool_use"},
                 "tool": {"type", "name", "disable_parallel_tool_use"}}
        refuse_unless(kind in known, f"tool_choice.type: unknown {kind}")
        refuse_unknown(choice, known[kind], "tool_choice")
        refuse_unless(kind != "tool" or choice["name"] in names,
                      "tool_choice: this tool is not declared")
        if kind in ("any", "tool"):
            refuse_unless(not is_model(request["model"], NO_FORCE),
                          f"tool_choice: {kind} is not supported by this model")
            refuse_unless(request.get("thinking", {}).get("type", "disabled") == "disabled",
                          "Thinking may not be enabled when tool_choice forces tool use.")

    @staticmethod
    def check_deferred(declared):
        deferred = [tool for tool in declared if tool.get("defer_loading")]
        refuse_unless(not deferred or len(deferred) < len(declared),
                      "At least one tool must have defer_loading=false. All tools cannot be "
                      "deferred.")
        for tool in deferred:
            refuse_unless("cache_control" not in tool,
                          f"tools: {tool['name']} has defer_loading and cache_control")

    # ---- messages ----

    def prefix(self, request, end):
        """Everything before a message. Adjacent messages of a role are one message."""
        messages = []
        for message in request["messages"][:end]:
            if messages and messages[-1][0] == message["role"]:
                messages[-1][1].extend(without_marks(blocks_of(message)))
            else:
                messages.append((message["role"], list(without_marks(blocks_of(message)))))
        system = request.get("system")
        system = [{"type": "text", "text": system}] if isinstance(system, str) else system
        return [without_marks(system), without_marks(request.get("tools")), messages]

    def signature(self, request, end, thinking):
        model = request["model"]
        bound = self.prefix(request, end) if is_model(model, BOUND) else None
        return seal(model, thinking, bound)

    def check_messages(self, request):
        messages = request["messages"]
        refuse_unless(messages and messages[0]["role"] == "user",
                      "first message must be the user's")
        paused = any(block.get("id") in self.paused for block in blocks_of(messages[-1]))
        refuse_unless(messages[-1]["role"] == "user" or paused,
                      "this model does not support prefill")
        open_ids = []
        for i, message in enumerate(messages):
            refuse_unknown(message, {"role", "content"}, f"messages.{i}")
            refuse_unless(message["role"] in ("user", "assistant"), f"messages.{i}: role")
            refuse_unless(message["content"], f"messages.{i}: content is empty")
            results = [block["tool_use_id"] for block in blocks_of(message)
                       if block["type"] == "tool_result"]
            refuse_unless(set(open_ids) <= set(results) or not open_ids,
                          f"messages.{i}: `tool_use` ids were found without `tool_result` blocks "
                          f"immediately after: {open_ids}")
            refuse_unless(set(results) <= set(open_ids),
                          f"messages.{i}: unexpected `tool_use_id` in `tool_result` blocks")
            refuse_unless(len(set(results)) == len(results),
                          f"messages.{i}: each tool_use must have a single result")
            refuse_unless(results == open_ids, f"messages.{i}: results are out of order")
            open_ids = self.check_blocks(request, i, message)
        refuse_unless(not open_ids, f"`tool_use` ids were found without `tool_result`: {open_ids}")

    def check_blocks(self, request, i, message):
        """Returns the ids of its calls."""
        known = {"user": ("text", "tool_result", "image", "document"),
                 "assistant": ("text", "tool_use", "thinking", "redacted_thinking",
                               "server_tool_use", "web_search_tool_result")}
        ids, other, thoughts = [], False, []
        for block in blocks_of(message):
            kind, where = block["type"], f"messages.{i}"
            refuse_unless(kind in known[message["role"]], f"{where}: unexpected block {kind}")
            refuse_unless(kind != "tool_result" or not other,
                          f"{where}: tool_result blocks must come first")
            other = other or (message["role"] == "user" and kind != "tool_result")
            if kind == "text":
                refuse_unknown(block, {"type", "text", "cache_control", "citations"}, where)
                refuse_unless(block["text"].strip(),
                              f"{where}: text content blocks must be non-empty")
            elif kind == "tool_result":
                refuse_unknown(block, {"type", "tool_use_id", "content", "is_error",
                                       "cache_control"}, where)
                self.check_result(request, block.get("content", ""), where)
            elif kind in ("server_tool_use", "web_search_tool_result"):
                refuse_unless(without_marks(block) in self.hosted, f"{where}: unknown {kind}")
            elif kind == "tool_use":
                refuse_unknown(block, {"type", "id", "name", "input", "caller", "cache_control"},
                               where)
                refuse_unless(re.fullmatch("[a-zA-Z0-9_-]+", block["id"]), f"{where}: bad id")
                refuse_unless(isinstance(block["input"], dict), f"{where}: input: not an object")
                check_names([block["name"]], "[a-zA-Z0-9_-]{1,128}")
                ids.append(block["id"])
            else:
                self.check_thought(request, i, block)
                thoughts.append(block)
        refuse_unless(len(set(ids)) == len(ids), f"messages.{i}: `tool_use` ids must be unique")
        self.check_complete(request, i, ids, thoughts)
        return ids

    @staticmethod
    def check_result(request, content, where):
        members = {"text": {"text", "citations"}, "image": {"source"},
                   "document": {"source", "title", "context", "citations"},
                   "search_result": {"source", "title", "content", "citations"},
                   "tool_reference": {"tool_name"}}
        names = [tool["name"] for tool in request.get("tools", ())]
        for block in content if isinstance(content, list) else ():
            refuse_unless(block["type"] in members,
                          f"{where}: unexpected {block['type']} in a tool_result")
            refuse_unknown(block, {"type", "cache_control"} | members[block["type"]], where)
            refuse_unless(block["type"] != "text" or block["text"].strip(),
                          f"{where}: text content blocks must be non-empty")
            refuse_unless(block["type"] != "tool_reference" or block["tool_name"] in names,
                          f"Tool reference '{block.get('tool_name')}' not found in available tools")

    def check_thought(self, request, i, block):
        refuse_unless(block["type"] == "thinking", f"messages.{i}: unknown redacted thinking")
        refuse_unknown(block, {"type", "thinking", "signature"}, f"messages.{i}")
        wanted = self.signature(request, i, block["thinking"])
        if block["signature"] != wanted:
            bound = ". The block is bound to a different conversation"
            raise Refusal(f"messages.{i}: Invalid `signature` in `thinking` block"
                          + (bound if is_model(request["model"], BOUND) else ""))

    def check_complete(self, request, i, ids, thoughts):
        """As long as the calls of a turn follow each other without a new user message, the request
        must contain their thinking, unless its signature is no longer valid."""
        later = request["messages"][i + 1:]
        is_open = all(block["type"] == "tool_result" for message in later
                      if message["role"] == "user" for block in blocks_of(message))
        needed = next((self.issued[key] for key in ids if key in self.issued), None)
        if not is_open or needed is None or needed["model"] != request["model"]:
            return
        still_valid = self.signature(request, i, needed["thinking"]) == needed["signature"]
        refuse_unless(not still_valid or thoughts, f"messages.{i}: Expected `thinking` or "
                      "`redacted_thinking`, but found `tool_use`")

    # ---- replies ----

    def blocks(self, request, turn):
        blocks, signature = [], None
        if turn.get("thinking"):
            signature = self.signature(request, len(request["messages"]), turn["thinking"])
            blocks.append({"type": "thinking", "thinking": turn["thinking"],
                           "signature": signature})
        for name, asked in turn.get("hosted", ()):
            key = self.next_id("srvtoolu_")
            found = [{"type": "web_search_result", "title": "größer", "url": "https://e.org/",
                      "encrypted_content": seal(key), "page_age": None}]
            self.hosted += [{"type": "server_tool_use", "id": key, "name": name, "input": asked},
                            {"type": f"{name}_tool_result", "tool_use_id": key, "content": found}]
            blocks += self.hosted[-2:]
            self.paused |= {key} if turn.get("pause") else set()
        if turn.get("text"):
            blocks.append({"type": "text", "text": turn["text"]})
        for i, (name, _) in enumerate(turn.get("calls", ())):
            key = self.next_id("toolu_")
            if signature:
                self.issued[key] = {"model": request["model"], "thinking": turn["thinking"],
                                    "signature": signature}
            text = arguments_of(turn, i)  # of a call that was cut: not JSON
            blocks.append({"type": "tool_use", "id": key, "name": name,
                           "input": text if turn.get("cut") else json.loads(text)})
        return blocks

    USAGE = {"input_tokens": 8, "cache_read_input_tokens": 32, "cache_creation_input_tokens": 0,
             "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}

    @staticmethod
    def message(request, content, reason, usage):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
                "content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}

    @staticmethod
    def reason(turn):
        return "pause_turn" if turn.get("pause") else "max_tokens" if turn.get(
            "cut") else "tool_use" if turn.get("calls") else "end_turn"

    def whole(self, request, turn):
        return self.message(request, self.blocks(request, turn), self.reason(turn), self.USAGE)

    def stream(self, request, turn):
        def event(kind, **data):
            return sse(kind, {"type": kind, **data})
        out = event("message_start", message=self.message(
            request, [], None, {**self.USAGE, "output_tokens": 1}))
        out += event("ping") + ": comment\n\n"
        for at, block in enumerate(self.blocks(request, turn)):
            begun, deltas = self.deltas(block)
            out += event("content_block_start", index=at, content_block=begun)
            for delta in deltas:
                out += event("content_block_delta", index=at, delta=delta) + event("ping")
            out += event("content_block_stop", index=at)
        out += event("some_new_event", data=1)
        out += event("message_delta", usage=self.USAGE, delta={
            "stop_reason": self.reason(turn), "stop_sequence": None})
        return out + event("message_stop")

    @staticmethod
    def deltas(block):
        if block["type"] == "text":
            return {"type": "text", "text": ""}, [
                {"type": "text_delta", "text": piece} for piece in halves(block["text"])]
        if block["type"] == "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": piece}
                for piece in halves(block["thinking"])] + [
                    {"type": "signature_delta", "signature": block["signature"]}]
        if block["type"] == "web_search_tool_result":
            return block, []
        text = block["input"] if isinstance(block["input"], str) else dumps(block["input"])
        return {**block, "input": {}}, [
            {"type": "input_json_delta", "partial_json": piece} for piece in [""] + halves(text)]
