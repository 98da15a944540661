# SPDX-License-Identifier: Apache-2.0
"""Chat Completions as OpenAI, Mistral, DeepSeek, llama.cpp, vLLM and a gateway serve it."""
import json
import re

from mock import (Wire, arguments_of, check_keywords, check_names, check_object_root, halves,
                  refuse_unknown, refuse_unless, schemas_in, seal, sse)

NAME = "[a-zA-Z0-9_-]{1,64}"
MEMBERS = {
    "model", "messages", "tools", "tool_choice", "stream", "max_tokens", "temperature", "top_p",
    "n", "stop", "response_format", "presence_penalty", "frequency_penalty", "parallel_tool_calls"}
OPENAI_MEMBERS = MEMBERS | {
    "stream_options", "max_completion_tokens", "seed", "user", "reasoning_effort", "verbosity",
    "service_tier", "store", "metadata", "logprobs", "top_logprobs", "logit_bias", "modalities",
    "audio", "prediction", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention",
    "safety_identifier", "web_search_options", "functions", "function_call"}
# Strict mode of OpenAI.
STRICT = {"type", "description", "title", "properties", "required", "additionalProperties", "items",
          "enum", "const", "anyOf", "$ref", "$defs", "pattern", "format", "multipleOf", "minimum",
          "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6",
                  "uuid"}
AT_ROOT = ("anyOf", "oneOf", "allOf", "enum", "not")


def check_strict_schema(schema, where):
    """Strict mode: closed objects with every property required, and few keywords."""
    check_object_root(schema, where, AT_ROOT)
    check_keywords(schema, STRICT, where)
    properties = 0
    for place, part in schemas_in(schema):
        if not isinstance(part, dict):
            refuse_unless(place.endswith("/additionalProperties"),
                          f"{where}: a boolean schema at {place}")
            continue
        refuse_unless(place.count("/properties/") <= 10, f"{where}: too deep at {place}")
        refuse_unless(part.get("format", "date") in STRICT_FORMATS,
                      f"{where}: unknown format at {place}")
        if part.get("type") == "object" or "properties" in part:
            names = set(part.get("properties", {}))
            properties += len(names)
            refuse_unless(part.get("additionalProperties") is False,
                          f"{where}: 'additionalProperties' must be false at {place}")
            refuse_unless(set(part.get("required", ())) == names,
                          f"{where}: 'required' must have every property at {place}")
    refuse_unless(properties <= 5000, f"{where}: too many properties")


class Chat(Wire):
    """OpenAI. Other servers change these."""
    path = "/v1/chat/completions"
    members = OPENAI_MEMBERS
    turn_members = {"role", "content", "refusal", "name", "audio", "tool_calls", "function_call"}
    choices = {"none", "auto", "required"}
    can_name = can_subset = knows_stream_options = True
    objects_only = False        # arguments in the history must be a JSON object
    most_tools = 128
    id_pattern = ".{1,40}"
    finish_reason = "tool_calls"
    reasoning = None            # the member with the thinking
    needs_key = True

    # ---- requests ----

    def check(self, path, headers, request):
        refuse_unless(path == self.path, f"unknown path {path}", status=404)
        refuse_unless(not self.needs_key or headers.get("Authorization", "").startswith("Bearer "),
                      "no key", status=401)
        self.check_members(request)
        refuse_unless(isinstance(request.get("model"), str) and request["model"], "no model")
        self.check_tools(request)
        self.check_messages(request["messages"], request["model"])
        self.check_options(request)
        return request.get("stream", False)

    def check_members(self, request):
        refuse_unknown(request, self.members, "request")

    def check_options(self, request):
        refuse_unless("stream_options" not in request or request.get("stream"),
                      "'stream_options' is only allowed when 'stream' is true")
        reasons = re.match(r"o\d|gpt-[5-9]", request["model"])
        refuse_unless(not (reasons and "max_tokens" in request),
                      "'max_tokens' is not supported with this model")
        refuse_unless(not (reasons and request.get("temperature", 1) != 1),
                      "'temperature' does not support this value")
        refuse_unless(not (re.match(r"gpt-(5\.[4-9]|[6-9])", request["model"])
                           and request.get("tools")
                           and request.get("reasoning_effort") != "none"),
                      "Function tools with reasoning_effort are not supported for this model")
        form = request.get("response_format")
        if form and form.get("type") == "json_schema":
            refuse_unknown(form, {"type", "json_schema"}, "response_format")
            refuse_unknown(form["json_schema"], {"name", "description", "schema", "strict"},
                           "response_format")
            check_names([form["json_schema"]["name"]], NAME)
            if form["json_schema"].get("strict"):
                check_strict_schema(form["json_schema"]["schema"], "response_format")

    def check_tools(self, request):
        tools = request.get("tools")
        refuse_unless(tools is None or len(tools) > 0, "[] is too short - 'tools'")
        for key in ("tool_choice", "parallel_tool_calls"):
            refuse_unless(tools or key not in request, f"'{key}' is only allowed with 'tools'")
        for tool in tools or ():
            refuse_unknown(tool, {"type", "function"}, "tools")
            refuse_unless(tool["type"] == "function", "tools: unknown type")
            function = tool["function"]
            refuse_unknown(function, {"name", "description", "parameters", "strict"}, "function")
            self.check_parameters(function)
        names = [tool["function"]["name"] for tool in tools or ()]
        check_names(names, NAME, self.most_tools)
        self.check_choice(request.get("tool_choice", "auto"), names)

    def check_parameters(self, function):
        parameters = function.get("parameters", {"type": "object", "properties": {}})
        check_object_root(parameters, function["name"], AT_ROOT)
        refuse_unless("properties" in parameters, "object schema missing properties")
        if function.get("strict"):
            check_strict_schema(parameters, function["name"])

    def check_choice(self, choice, names):
        if isinstance(choice, str):
            refuse_unless(choice in self.choices, f"Invalid tool_choice: {choice}")
        elif choice.get("type") == "allowed_tools":
            refuse_unless(self.can_subset, "Invalid tool_choice: allowed_tools")
            refuse_unknown(choice, {"type", "allowed_tools"}, "tool_choice")
            allowed = choice["allowed_tools"]
            refuse_unknown(allowed, {"mode", "tools"}, "allowed_tools")
            refuse_unless(allowed["mode"] in ("auto", "required"), "allowed_tools: unknown mode")
            refuse_unless(allowed["tools"], "allowed_tools: no tools")
            for tool in allowed["tools"]:
                self.check_named(tool, names)
        else:
            refuse_unless(self.can_name, "Invalid tool_choice: expected a string")
            self.check_named(choice, names)

    @staticmethod
    def check_named(choice, names):
        refuse_unknown(choice, {"type", "function"}, "tool_choice")
        refuse_unless(choice["type"] == "function", "tool_choice: unknown type")
        refuse_unknown(choice["function"], {"name"}, "tool_choice")
        refuse_unless(choice["function"]["name"] in names, "tool_choice: this tool is not declared")

    # ---- messages ----

    def check_messages(self, messages, model):
        refuse_unless(messages, "'messages' is empty")
        open_ids = []  # calls without a result, in order
        before = None
        for i, message in enumerate(messages):
            where, role = f"messages[{i}]", message.get("role")
            refuse_unless(role in ("system", "developer", "user", "assistant", "tool"),
                          f"{where}: unknown role {role}")
            if role == "tool":
                self.check_result(message, open_ids, where)
                open_ids.pop(0)
            else:
                refuse_unless(not open_ids, f"{where}: no tool message for the calls {open_ids}")
                open_ids = self.check_message(message, where, model)
            self.check_order(before, role, where)
            before = role
        refuse_unless(not open_ids, f"no tool message for the calls {open_ids}")
        refuse_unless(before != "assistant", "the last message is the assistant's")

    def check_order(self, before, role, where):
        pass

    def check_result(self, message, open_ids, where):
        refuse_unknown(message, {"role", "content", "tool_call_id", "name"}, where)
        refuse_unless(open_ids, f"{where}: a tool message must follow a message with tool_calls")
        refuse_unless(message["tool_call_id"] in open_ids,
                      f"{where}: unknown tool_call_id {message['tool_call_id']}")
        refuse_unless(message["tool_call_id"] == open_ids[0], f"{where}: results are out of order")
        refuse_unless(isinstance(message["content"], str), f"{where}: expected a text")

    def check_message(self, message, where, model):
        """Returns the ids of its calls."""
        if message["role"] != "assistant":
            refuse_unknown(message, {"role", "content", "name"}, where)
            refuse_unless(isinstance(message["content"], (str, list)), f"{where}: no content")
            return []
        refuse_unknown(message, self.turn_members, where)
        calls = message.get("tool_calls")
        refuse_unless(calls is None or calls, f"{where}: [] is too short - 'tool_calls'")
        refuse_unless(calls or isinstance(message.get("content"), (str, list)),
                      f"{where}: content or tool_calls must be set")
        for call in calls or ():
            refuse_unknown(call, {"id", "type", "function"}, where)
            refuse_unless(call["type"] == "function", f"{where}: unknown type of a call")
            refuse_unknown(call["function"], {"name", "arguments"}, where)
            refuse_unless(re.fullmatch(self.id_pattern, call["id"]), f"{where}: id {call['id']}")
            check_names([call["function"]["name"]], NAME)
            arguments = call["function"]["arguments"]
            refuse_unless(isinstance(arguments, str), f"{where}: arguments must be a text")
            if self.objects_only:
                refuse_unless(is_object(arguments), f"{where}: arguments are not a JSON object")
        ids = [call["id"] for call in calls or ()]
        refuse_unless(len(set(ids)) == len(ids), f"{where}: duplicate ids of calls")
        self.check_reasoning(message, ids, where, model)
        return ids

    def check_reasoning(self, message, ids, where, model):
        """Thinking that comes back is unchanged."""
        for key in ids:
            issued = self.issued.get((key, model))
            if issued is not None and self.reasoning in message:
                refuse_unless(message[self.reasoning] == issued, f"{where}: changed thinking")

    # ---- replies ----

    def calls(self, turn, request):
        made = []
        for i, (name, _) in enumerate(turn.get("calls", ())):
            key = self.new_id()
            self.issued[key, request["model"]] = turn.get("thinking", "")
            made.append({"id": key, "type": "function",
                         "function": {"name": name, "arguments": arguments_of(turn, i)}})
        return made

    def new_id(self):
        return self.next_id("call_")

    def usage(self):
        return {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49,
                "prompt_tokens_details": {"cached_tokens": 32},
                "completion_tokens_details": {"reasoning_tokens": 4}}

    def message(self, request, turn):
        message = {"role": "assistant", "content": turn.get("text"), "refusal": None}
        if self.reasoning:
            message[self.reasoning] = turn.get("thinking", "")
        calls = self.calls(turn, request)
        return message | ({"tool_calls": calls} if calls else {})

    def whole(self, request, turn):
        message = self.message(request, turn)
        reason = self.finish_reason if "tool_calls" in message else "stop"
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1,
                "model": request["model"], "usage": self.usage(),
                "choices": [{"index": 0, "message": message, "finish_reason": reason,
                             "logprobs": None}]}

    def chunk(self, request, delta, reason=None, **more):
        usage = {"usage": None} if request.get("stream_options", {}).get("include_usage") else {}
        return sse(None, {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
                          "model": request["model"], "choices": [
                              {"index": 0, "delta": delta, "finish_reason": reason}]}
                   | usage | more)

    def thinking_deltas(self, thinking):
        return [{self.reasoning: piece} for piece in halves(thinking)] if self.reasoning else []

    def call_deltas(self, calls):
        """Calls begin with their names; the pieces of their arguments alternate."""
        for i, call in enumerate(calls):
            yield {"tool_calls": [{"index": i, **call, "function": {
                "name": call["function"]["name"], "arguments": ""}}]}
        for part in range(2):
            for i, call in enumerate(calls):
                pieces = halves(call["function"]["arguments"])
                if part < len(pieces):
                    yield {"tool_calls": [{"index": i, "function": {"arguments": pieces[part]}}]}

    def stream(self, request, turn):
        calls = self.calls(turn, request)
        out = ": keep-alive\n\n" + self.chunk(request, {"role": "assistant", "content": None})
        for delta in self.thinking_deltas(turn.get("thinking", "")):
            out += self.chunk(request, delta)
        out += "\n: keep-alive\n\n"
        for piece in halves(turn.get("text") or ""):
            out += self.chunk(request, {"content": piece}, obfuscation="x7")
        for delta in self.call_deltas(calls):
            out += self.chunk(request, delta)
        out += self.finish_stream(request, self.finish_reason if calls else "stop")
        return out + sse(None, "[DONE]")

    def finish_stream(self, request, reason):
        out = self.chunk(request, {}, reason)
        if request.get("stream_options", {}).get("include_usage"):
            out += sse(None, {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
                              "model": request["model"], "choices": [], "usage": self.usage()})
        return out


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


class Mistral(Chat):
    members = MEMBERS | {"random_seed", "metadata", "prediction", "prompt_mode", "safe_prompt",
                         "reasoning_effort", "prompt_cache_key", "service_tier", "guardrails"}
    turn_members = {"role", "content", "tool_calls", "prefix"}
    choices = {"none", "auto", "any", "required"}
    can_subset = False
    most_tools = None
    id_pattern = "[A-Za-z0-9]{9}"

    def error(self, refusal):
        return {"detail": [{"type": "value_error", "loc": ["body"], "msg": refusal.message}]}

    def check(self, path, headers, request):
        try:
            return super().check(path, headers, request)
        except Exception as error:
            if getattr(error, "status", None) == 400:
                error.status = 422
            raise

    def check_parameters(self, function):
        refuse_unless(isinstance(function.get("parameters"), dict), "no parameters")

    def check_order(self, before, role, where):
        refuse_unless(not (before == "tool" and role == "user"),
                      f"{where}: Unexpected role 'user' after role 'tool'")

    def new_id(self):
        return self.next_id("", 9)

    def check_reasoning(self, message, ids, where, model):
        """Thinking comes back as it was, with the calls that followed it."""
        content = message.get("content")
        thinking = [part for part in (content if isinstance(content, list) else ())
                    if part["type"] == "thinking"]
        for part in thinking:
            refuse_unless(part == self.thinking(part["thinking"][0]["text"]),
                          f"{where}: the thinking was changed")
        if not thinking and any(self.issued.get((key, model)) for key in ids):
            self.complain(f"{where}: the thinking before the calls is missing")

    @staticmethod
    def thinking(text):
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}],
                "signature": seal(text), "closed": True}

    def message(self, request, turn):
        content = [self.thinking(turn["thinking"])] if "thinking" in turn else []
        content += [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
        calls = self.calls(turn, request)
        for call in calls:  # arguments may be an object
            if is_object(call["function"]["arguments"]):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        return {"role": "assistant", "content": content or ""} | (
            {"tool_calls": calls} if calls else {})

    def thinking_deltas(self, thinking):
        if not thinking:
            return []
        return [{"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}
                for piece in halves(thinking)] + [
                    {"content": [self.thinking(thinking) | {"thinking": []}]}]

    def finish_stream(self, request, reason):
        return self.chunk(request, {"content": ""}, reason, usage=self.usage())

    def call_deltas(self, calls):
        yield from ({"tool_calls": [{"index": i, **call}]} for i, call in enumerate(calls))


class DeepSeek(Chat):
    path = "/chat/completions"
    members = MEMBERS - {"parallel_tool_calls"} | {
        "stream_options", "thinking", "reasoning_effort", "logprobs", "top_logprobs"}
    turn_members = {"role", "content", "name", "prefix", "reasoning_content", "tool_calls"}
    can_subset = False
    reasoning = "reasoning_content"

    def check_parameters(self, function):
        check_object_root(function["parameters"], function["name"])

    def check_reasoning(self, message, ids, where, model):
        refuse_unless(not ids or isinstance(message.get("reasoning_content"), str),
                      f"{where}: the reasoning_content in the thinking mode must be passed back")
        super().check_reasoning(message, ids, where, model)

    def usage(self):
        return {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49,
                "prompt_cache_hit_tokens": 32, "prompt_cache_miss_tokens": 8,
                "completion_tokens_details": {"reasoning_tokens": 4}}


class LlamaCpp(Chat):
    members = MEMBERS | {
        "stream_options", "grammar", "json_schema", "parse_tool_calls", "chat_template_kwargs",
        "reasoning_format", "reasoning_effort", "reasoning_control", "cache_prompt", "id_slot",
        "timings_per_token", "continue_final_message", "add_generation_prompt", "seed", "top_k",
        "min_p"}
    turn_members = Chat.turn_members | {"reasoning_content"}
    can_subset = False
    objects_only = True
    needs_key = False
    most_tools = None
    reasoning = "reasoning_content"

    def error(self, refusal):
        return {"error": {"code": refusal.status, "message": refusal.message,
                          "type": "invalid_request_error"}}

    def check_members(self, request):
        for key in request:
            if key not in self.members:
                self.complain(f"the server ignores '{key}'")
        choice = request.get("tool_choice", "auto")
        if not isinstance(choice, str):
            self.complain("the server ignores a tool_choice that is not a text")
        refuse_unless(not (request.get("grammar") and request.get("json_schema")),
                      "Either 'json_schema' or 'grammar' can be specified, but not both")
        refuse_unless(not (request.get("grammar") and request.get("tools") and choice != "none"),
                      "Cannot use custom grammar constraints with tools.")

    def check_parameters(self, function):
        refuse_unless(isinstance(function.get("parameters"), dict), "no parameters")


class Vllm(LlamaCpp):
    members = MEMBERS | {
        "stream_options", "max_completion_tokens", "structured_outputs", "chat_template_kwargs",
        "chat_template", "include_reasoning", "reasoning_effort", "thinking_token_budget",
        "add_generation_prompt", "continue_final_message", "cache_salt", "priority", "session_id",
        "vllm_xargs", "stream_interval", "top_k", "min_p", "seed"}
    turn_members = Chat.turn_members | {"reasoning", "reasoning_content"}
    reasoning = "reasoning"

    def error(self, refusal):
        return {"error": {"message": refusal.message, "type": "BadRequestError", "param": None,
                          "code": refusal.status}}

    def check_members(self, request):
        for key in request:
            if key not in self.members:
                self.complain(f"the server ignores '{key}'")

    def check_reasoning(self, message, ids, where, model):
        if "reasoning_content" in message:  # renamed by the server
            message = message | {"reasoning": message["reasoning_content"]}
        super().check_reasoning(message, ids, where, model)


class Gateway(Chat):
    """A gateway to the models of others, as OpenRouter is one. Comments come before and between the
    events, every event names the provider that replies, usage has the cost, and the thinking comes
    as blocks too, which must come back as they were."""
    path = "/api/v1/chat/completions"
    members = OPENAI_MEMBERS | {"provider", "models", "route", "plugins", "transforms", "usage",
                                "reasoning", "include_reasoning", "top_k", "min_p", "top_a",
                                "repetition_penalty"}
    turn_members = Chat.turn_members | {"reasoning", "reasoning_details"}
    can_subset = False
    most_tools = None
    reasoning = "reasoning"
    comment = ": OPENROUTER PROCESSING\n\n"

    def error(self, refusal):
        return {"error": {"code": refusal.status, "message": refusal.message,
                          "metadata": {"provider_name": "Some"}}, "user_id": "u"}

    def check_parameters(self, function):
        check_object_root(function["parameters"], function["name"])

    def details(self, thinking):
        """The thinking as blocks: a signed text, and one that only its model can read."""
        return [{"type": "reasoning.text", "text": thinking, "signature": seal("text", thinking),
                 "id": None, "format": "anthropic-claude-v1", "index": 0},
                {"type": "reasoning.encrypted", "data": seal("data", thinking), "id": "rs_1",
                 "format": "openai-responses-v1", "index": 1}] if thinking else []

    def check_reasoning(self, message, ids, where, model):
        for key in ids:
            issued = self.issued.get((key, model))
            refuse_unless(issued is None or message.get("reasoning_details", [])
                          == self.details(issued), f"{where}: changed reasoning_details")
            refuse_unless(issued is not None or "reasoning_details" not in message,
                          f"{where}: reasoning_details of another model")

    def usage(self):
        return super().usage() | {"cost": 0.00014, "is_byok": False, "cost_details": {
            "upstream_inference_cost": None}}

    def message(self, request, turn):
        details = self.details(turn.get("thinking", ""))
        return super().message(request, turn) | ({"reasoning_details": details} if details else {})

    def whole(self, request, turn):
        reply = super().whole(request, turn)
        reply["choices"][0]["native_finish_reason"] = "end_turn"
        return reply | {"provider": "Some"}

    def chunk(self, request, delta, reason=None, **more):
        return super().chunk(request, delta, reason, provider="Some",
                             **{key: value for key, value in more.items() if key == "usage"})

    def thinking_deltas(self, thinking):
        """The text comes in pieces; its signature follows with an empty one."""
        if not thinking:
            return []
        text, encrypted = self.details(thinking)
        pieces = [(piece, None) for piece in halves(thinking)] + [("", text["signature"])]
        return [{"role": "assistant", "content": "", "reasoning": piece or None,
                 "reasoning_details": [text | {"text": piece, "signature": signature}]}
                for piece, signature in pieces] + [
                    {"role": "assistant", "content": "", "reasoning": None,
                     "reasoning_details": [encrypted]}]

    def stream(self, request, turn):
        return self.comment * 2 + super().stream(request, turn).replace(": keep-alive\n\n",
                                                                        self.comment)

    def finish_stream(self, request, reason):
        last = {"id": "gen-1", "object": "chat.completion.chunk", "created": 1, "provider": "Some",
                "model": request["model"], "usage": self.usage(),
                "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""},
                             "finish_reason": None, "native_finish_reason": None}]}
        return self.chunk(request, {"role": "assistant", "content": ""}, reason) + sse(None, last)
