#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mocks reject what the providers reject: each row changes a good request in one way. Requests
of the official clients (../shared/data/providers) are accepted."""
import copy
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, check_none, skip  # noqa: E402

import mock_anthropic  # noqa: E402
import mock_chat  # noqa: E402
import mock_gemini  # noqa: E402
import mock_ollama  # noqa: E402
import mock_responses  # noqa: E402
from mock import Refusal, dumps, seal  # noqa: E402

DATA = Path(__file__).resolve().parents[3] / "shared/data/providers"
KEY = {"Authorization": "Bearer k", "x-goog-api-key": "k"}
VERSION = {"Authorization": "Bearer k", "anthropic-version": "2026-10-21"}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
          "additionalProperties": False}
TURN = {"thinking": "Hm, größer.", "text": "Yes.",
        "calls": [["add", {"a": 1}], ["add", {"a": 2}]]}


def at(value, path):
    for key in path:
        value = value[key]
    return value


def put(*path):
    """A change: sets the value at a path, whose last item it is."""
    def change(request):
        at(request, path[:-2])[path[-2]] = path[-1]
    return change


def drop(*path):
    def change(request):
        del at(request, path[:-1])[path[-1]]
    return change


def swap(*path):
    """A change: swaps an item of a list with the next one."""
    def change(request):
        items, i = at(request, path[:-1]), path[-1]
        items[i], items[i + 1] = items[i + 1], items[i]
    return change


def double(*path):
    """A change: repeats an item of a list."""
    def change(request):
        at(request, path[:-1]).insert(path[-1], copy.deepcopy(at(request, path)))
    return change


def move(model):
    return put("model", model)


class Subject:
    """A wire format with a good request, which has a turn of this server and its results."""

    def __init__(self, wire, path, headers, request, answer):
        self.wire, self.path, self.headers = wire, path, headers
        self.wire.check(path, headers, request)
        reply = wire.whole(request, TURN)
        self.request = answer(copy.deepcopy(request), reply)

    def outcome(self, change):
        request = copy.deepcopy(self.request)
        if change:
            change(request)
        self.wire.complaints.clear()
        try:
            self.wire.check(self.path, self.headers, request)
        except Refusal as refusal:
            return refusal.message
        return "; ".join(self.wire.complaints)

    def test(self, name, rows):
        check(f"{name}_accepts_a_good_request", self.outcome(None), "")
        for title, change, wanted in rows:
            found = self.outcome(change)
            check_none(f"{name}_rejects_{title}",
                       [] if wanted in found and found else [f"found '{found}', not '{wanted}'"])


# ---- Chat Completions ----

def chat_request():
    tool = {"type": "function", "function": {"name": "add", "description": "d",
                                             "parameters": copy.deepcopy(SCHEMA)}}
    return {"model": "m", "messages": [{"role": "system", "content": "s"},
                                       {"role": "user", "content": "q"}], "tools": [tool],
            "tool_choice": "required"}


def answer_chat(request, reply):
    message = dict(reply["choices"][0]["message"])
    message.pop("refusal", None)
    if isinstance(message["content"], list):
        for call in message["tool_calls"]:
            call["function"]["arguments"] = dumps(call["function"]["arguments"])
    request["messages"] += [message] + [
        {"role": "tool", "tool_call_id": call["id"], "content": "r"}
        for call in message["tool_calls"]]
    return request


FUNCTION = ("tools", 0, "function")
CHAT_ROWS = [
    ("an_unknown_member", put("top", 1), "top"),
    ("results_out_of_order", swap("messages", 3), "out of order"),
    ("a_result_twice", double("messages", 3), ""),
    ("a_missing_result", drop("messages", 4), "no tool message"),
    ("an_unknown_id", put("messages", 3, "tool_call_id", "other"), "unknown tool_call_id"),
    ("equal_ids", lambda r: put("messages", 2, "tool_calls", 1, "id",
                                r["messages"][2]["tool_calls"][0]["id"])(r), "duplicate"),
    ("a_user_between", lambda r: r["messages"].insert(3, {"role": "user", "content": "x"}),
     "no tool message"),
    ("a_bad_name", put(*FUNCTION, "name", "a.b"), "does not match"),
    ("a_long_name", put(*FUNCTION, "name", "a" * 65), "does not match"),
    ("two_tools_with_a_name", double("tools", 0), "unique"),
    ("a_choice_without_tools", drop("tools"), "only allowed with 'tools'"),
    ("an_unknown_choice", put("tool_choice", "some"), "tool_choice"),
    ("an_undeclared_choice", put("tool_choice", {"type": "function", "function": {"name": "x"}}),
     "not declared"),
]
OPENAI_ROWS = [
    ("alternatives_at_the_root", put(*FUNCTION, "parameters", "anyOf", [{}]), "top level"),
    ("a_root_that_is_no_object", put(*FUNCTION, "parameters", {}), "type 'object'"),
    ("a_strict_tool_with_a_keyword", lambda r: (put(*FUNCTION, "strict", True)(r), put(
        *FUNCTION, "parameters", "properties", "a", "minLength", 1)(r)), "minLength"),
    ("a_strict_tool_with_an_optional_argument", lambda r: (
        put(*FUNCTION, "strict", True)(r), put(*FUNCTION, "parameters", "required", [])(r)),
     "required"),
    ("too_many_tools", lambda r: r.update(tools=[
        {"type": "function", "function": {"name": f"t{i}", "parameters": SCHEMA}}
        for i in range(129)]), "too many"),
    ("tools_of_a_reasoning_model", move("gpt-5.6"), "reasoning_effort"),
    ("any", put("tool_choice", "any"), "tool_choice"),
    ("stream_options_without_a_stream", put("stream_options", {}), "stream_options"),
]


def test_chat():
    subjects = {name: Subject(wire(), wire.path, KEY, chat_request(), answer_chat)
                for name, wire in (("openai", mock_chat.Chat), ("mistral", mock_chat.Mistral),
                                   ("deepseek", mock_chat.DeepSeek), ("vllm", mock_chat.Vllm),
                                   ("llamacpp", mock_chat.LlamaCpp),
                                   ("gateway", mock_chat.Gateway))}
    named = ("an_undeclared_choice",)
    subset = [("a_subset", put("tool_choice", {"type": "allowed_tools", "allowed_tools": {
        "mode": "auto", "tools": [{"type": "function", "function": {"name": "add"}}]}}),
        "tool_choice")]
    thought = [("changed_thinking", put("messages", 2, "reasoning_content", "x"), "changed")]
    subjects["openai"].test("openai", CHAT_ROWS + OPENAI_ROWS)
    subjects["mistral"].test("mistral", CHAT_ROWS + subset + [
        ("a_user_after_a_tool", lambda r: r["messages"].append({"role": "user", "content": "x"}),
         "after role 'tool'"),
        ("an_id_of_another_length", lambda r: (
            put("messages", 2, "tool_calls", 0, "id", "call_1")(r),
            put("messages", 3, "tool_call_id", "call_1")(r)), "id call_1"),
        ("changed_thinking", put("messages", 2, "content", 0, "signature", "x"), "changed"),
        ("missing_thinking", put("messages", 2, "content", "Yes."), "is missing"),
        ("stream_options", put("stream_options", {}), "stream_options")])
    subjects["deepseek"].test("deepseek", CHAT_ROWS + subset + thought + [
        ("missing_thinking", drop("messages", 2, "reasoning_content"), "must be passed back"),
        ("parallel", put("parallel_tool_calls", False), "parallel_tool_calls")])
    subjects["vllm"].test("vllm", CHAT_ROWS + subset + thought + [
        ("arguments_that_are_no_object", put(
            "messages", 2, "tool_calls", 0, "function", "arguments", "{"), "not a JSON object")])
    details = ("messages", 2, "reasoning_details")
    subjects["gateway"].test("gateway", CHAT_ROWS + subset + [
        ("missing_thinking", drop(*details), "changed reasoning_details"),
        ("a_missing_block", drop(*details, 1), "changed reasoning_details"),
        ("swapped_blocks", swap(*details, 0), "changed reasoning_details"),
        ("a_changed_text", put(*details, 0, "text", "x"), "changed reasoning_details"),
        ("a_missing_signature", drop(*details, 0, "signature"), "changed reasoning_details"),
        ("thinking_of_another_model", move("n"), "of another model")])
    subjects["llamacpp"].test("llamacpp", [row for row in CHAT_ROWS if row[0] not in named]
                              + subset + thought + [
        ("a_named_choice", put("tool_choice", {"type": "function", "function": {"name": "add"}}),
         "ignores"),
        ("a_grammar_with_tools", put("grammar", "root ::= x"), "custom grammar")])


# ---- Responses ----

def test_responses():
    tool = {"type": "function", "name": "add", "description": "d", "strict": True,
            "parameters": copy.deepcopy(SCHEMA)}
    request = {"model": "m", "store": False, "input": [{"role": "user", "content": "q"}],
               "tools": [tool], "tool_choice": "required"}

    def answer(request, reply):
        request["input"] += reply["output"] + [
            {"type": "function_call_output", "call_id": item["call_id"], "output": "r"}
            for item in reply["output"] if item["type"] == "function_call"]
        return request

    subject = Subject(mock_responses.Responses(), "/v1/responses", KEY, request, answer)
    subject.test("responses", [
        ("an_unknown_member", put("messages", []), "messages"),
        ("an_unknown_member_of_an_item", put("input", 3, "x", 1), "'x'"),
        ("results_out_of_order", swap("input", 5), "out of order"),
        ("a_missing_result", drop("input", 6), "No tool output found"),
        ("a_result_twice", double("input", 5), "duplicate"),
        ("an_unknown_id", put("input", 5, "call_id", "x"), "No tool call found"),
        ("equal_ids", lambda r: put("input", 4, "call_id", r["input"][3]["call_id"])(r), ""),
        ("changed_thinking", put("input", 1, "summary", []), "could not be verified"),
        ("changed_encrypted_thinking", put("input", 1, "encrypted_content", "x"), "verified"),
        ("missing_encrypted_thinking", drop("input", 1, "encrypted_content"), "not persisted"),
        ("missing_thinking", drop("input", 1), "without its required 'reasoning' item"),
        ("thinking_alone", lambda r: r["input"].__setitem__(slice(2, 7), []), "following item"),
        ("thinking_of_another_model", move("n"), "could not be verified"),
        ("text_of_the_wrong_kind", put("input", 2, "content", 0, "type", "input_text"), "type"),
        ("a_bad_name", put("tools", 0, "name", "a.b"), "does not match"),
        ("a_strict_tool_with_a_keyword", put("tools", 0, "parameters", "properties", "a",
                                             "minLength", 1), "minLength"),
        ("an_open_object", put("tools", 0, "parameters", "additionalProperties", True), "must be"),
        ("a_tool_without_strict", drop("tools", 0, "strict"), "strict of add is missing"),
        ("a_nested_choice", put("tool_choice", {"type": "function", "function": {"name": "add"}}),
         "unknown member"),
        ("an_undeclared_choice", put("tool_choice", {"type": "function", "name": "x"}),
         "not declared")])
    later = {"type": "additional_tools", "role": "developer", "tools": [{**tool, "name": "more"}]}

    def add(item, at=7):
        return lambda r: r["input"].insert(at, item)
    subject.test("responses_later", [
        ("tools_between_calls_and_outputs", add(later, 5), "has no output yet"),
        ("tools_of_another_role", add({**later, "role": "user"}), "role user"),
        ("no_later_tools", add({**later, "tools": []}), "no tools"),
        ("a_tool_that_is_declared_already", add({**later, "tools": [tool]}), "unique"),
        ("a_later_tool_without_strict", add({**later, "tools": [
            {key: value for key, value in tool.items() if key != "strict"} | {"name": "more"}]}),
         "strict of more is missing")])
    check("responses_accept_a_choice_of_a_later_tool", subject.outcome(lambda r: (
        add(later)(r), put("tool_choice", {"type": "function", "name": "more"})(r))), "")


# ---- Anthropic ----

def anthropic_subject(model, **more):
    tool = {"name": "add", "description": "d", "input_schema": copy.deepcopy(SCHEMA)}
    request = {"model": model, "max_tokens": 4096, "messages": [{"role": "user", "content": "q"}],
               "system": "s", "tools": [tool], **more}

    def answer(request, reply):
        request["messages"] += [{"role": "assistant", "content": reply["content"]}, {
            "role": "user", "content": [
                {"type": "tool_result", "tool_use_id": block["id"], "content": "r"}
                for block in reply["content"] if block["type"] == "tool_use"]}]
        return request
    return Subject(mock_anthropic.Anthropic(), "/v1/messages", VERSION, request, answer)


def test_deferred(mark, subject):
    content = ("messages", 2, "content", 0, "content")
    found = {"type": "tool_reference", "tool_name": "late"}
    subject.test("anthropic_deferred", [
        ("only_deferred_tools", put("tools", 0, "defer_loading", True), "cannot be deferred"),
        ("a_mark_on_a_deferred_tool", put("tools", 1, "cache_control", mark), "cache_control"),
        ("a_reference_to_an_unknown_tool", put(*content, [{**found, "tool_name": "x"}]),
         "Tool reference 'x' not found"),
        ("a_reference_with_another_member", put(*content, [{**found, "name": "late"}]), "'name'"),
        ("an_unknown_block_in_a_result", put(*content, [{"type": "tool_use"}]), "unexpected"),
        ("a_tool_that_is_no_longer_deferred", drop("tools", 1, "defer_loading"),
         "bound to a different"),
        ("one_more_deferred_tool", lambda r: r["tools"].append(
            {**r["tools"][1], "name": "later"}), "bound to a different")])
    for name, blocks in (("a_reference", [found]),
                         ("text_and_a_reference", [{"type": "text", "text": "x"}, found])):
        check(f"anthropic_accepts_{name}", subject.outcome(put(*content, blocks)), "")


def test_anthropic():
    adaptive = {"type": "adaptive"}
    text = {"type": "text", "text": "x"}
    mark = {"type": "ephemeral"}
    results = ("messages", 2, "content")
    rows = [
        ("an_unknown_member", put("top", 1), "top"),
        ("a_temperature", put("temperature", 1), "temperature"),
        ("no_max_tokens", drop("max_tokens"), "max_tokens"),
        ("results_out_of_order", swap(*results, 0), "out of order"),
        ("a_missing_result", drop(*results, 1), "without `tool_result`"),
        ("a_result_twice", double(*results, 0), "single result"),
        ("an_unknown_id", lambda r: at(r, results).append(
            {"type": "tool_result", "tool_use_id": "x", "content": "r"}), "unexpected"),
        ("equal_ids", lambda r: put("messages", 1, "content", 3, "id",
                                    r["messages"][1]["content"][2]["id"])(r), ""),
        ("text_before_results", lambda r: at(r, results).insert(0, text), "come first"),
        ("an_empty_text", lambda r: at(r, results).append({"type": "text", "text": " "}), "empty"),
        ("changed_thinking", put("messages", 1, "content", 0, "thinking", "x"), "signature"),
        ("a_changed_signature", put("messages", 1, "content", 0, "signature", "x"), "signature"),
        ("missing_thinking", drop("messages", 1, "content", 0), "Expected `thinking`"),
        ("thinking_of_another_model", move("claude-other"), "signature"),
        ("a_bad_name", put("tools", 0, "name", "a.b"), "does not match"),
        ("alternatives_at_the_root", put("tools", 0, "input_schema", "anyOf", []), "top level"),
        ("five_marks", lambda r: [block.update(cache_control=mark) for block in (
            *r["messages"][1]["content"][1:], *at(r, results))], "maximum of 4"),
        ("a_prefill", lambda r: r["messages"].append({"role": "assistant", "content": "x"}),
         "prefill")]
    free = anthropic_subject("claude-haiku-4-5")
    free.test("anthropic", rows + [
        ("a_forced_choice_with_thinking", lambda r: r.update(
            thinking=adaptive, tool_choice={"type": "any"}), "Thinking may not be enabled"),
        ("an_effort", put("output_config", {"effort": "low"}), "effort"),
        ("an_undeclared_choice", put("tool_choice", {"type": "tool", "name": "x"}), "declared")])
    check("anthropic_accepts_a_forced_choice", free.outcome(put("tool_choice", {"type": "any"})),
          "")
    check("anthropic_accepts_a_changed_prefix", free.outcome(put("system", "other")), "")
    bound = anthropic_subject("claude-sonnet-5-5", thinking=adaptive)
    bound.test("anthropic_bound", [
        ("a_forced_choice", put("tool_choice", {"type": "any"}), "not supported by this model"),
        ("a_changed_system", put("system", "other"), "bound to a different conversation"),
        ("a_changed_tool", put("tools", 0, "description", "x"), "bound to a different"),
        ("a_changed_message", put("messages", 0, "content", "x"), "bound to a different"),
        ("disabled_thinking", put("thinking", {"type": "disabled"}), "not supported")])
    check("anthropic_accepts_marks_that_move",
          bound.outcome(put("tools", 0, "cache_control", mark)), "")
    test_deferred(mark, anthropic_subject("claude-sonnet-5-5", thinking=adaptive, tools=[
        {"name": "add", "description": "d", "input_schema": copy.deepcopy(SCHEMA)},
        {"name": "late", "description": "d", "input_schema": copy.deepcopy(SCHEMA),
         "defer_loading": True}]))
    check("anthropic_accepts_no_thinking_after_another_prefix", bound.outcome(lambda r: (
        put("system", "other")(r), drop("messages", 1, "content", 0)(r))), "")


# ---- Gemini and Ollama ----

def test_gemini():
    function = {"name": "add", "description": "d", "parametersJsonSchema": copy.deepcopy(SCHEMA)}
    request = {"contents": [{"role": "user", "parts": [{"text": "q"}]}],
               "tools": [{"functionDeclarations": [function]}],
               "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}

    def answer(request, reply):
        content = reply["candidates"][0]["content"]
        request["contents"] += [content, {"role": "user", "parts": [
            {"functionResponse": {"id": part["functionCall"]["id"], "name": "add",
                                  "response": {"output": "r"}}}
            for part in content["parts"] if "functionCall" in part]}]
        return request

    path = "/v1beta/models/gemini-3.8-flash:generateContent"
    choice = ("toolConfig", "functionCallingConfig")
    subject = Subject(mock_gemini.Gemini(), path, KEY, request, answer)
    subject.test("gemini", [
        ("an_unknown_member", put("top", 1), "top"),
        ("results_out_of_order", swap("contents", 2, "parts", 0), "unknown id"),
        ("a_missing_result", drop("contents", 2, "parts", 1), "number of function response"),
        ("a_result_twice", double("contents", 2, "parts", 0), "number of function response"),
        ("an_unknown_id", put("contents", 2, "parts", 0, "functionResponse", "id", "x"), "id"),
        ("a_missing_signature", drop("contents", 1, "parts", 2, "thoughtSignature"), "is missing"),
        ("a_changed_signature", put("contents", 1, "parts", 2, "thoughtSignature", "x"), "Corrup"),
        ("a_moved_signature", lambda r: put("contents", 1, "parts", 3, "thoughtSignature", r[
            "contents"][1]["parts"][2]["thoughtSignature"])(r), "Corrupted"),
        ("a_result_that_is_no_object", put("contents", 2, "parts", 0, "functionResponse",
                                           "response", "r"), "must be an object"),
        ("a_bad_name", put("tools", 0, "functionDeclarations", 0, "name", "1a"), "does not match"),
        ("a_keyword", put("tools", 0, "functionDeclarations", 0, "parametersJsonSchema",
                          "properties", "a", "pattern", "x"), "'pattern'"),
        ("both_schemas", put("tools", 0, "functionDeclarations", 0, "parameters", {}), "exclusive"),
        ("an_undeclared_choice", put(*choice, "allowedFunctionNames", ["x"]), "not declared"),
        ("names_with_auto", put(*choice, {"mode": "AUTO", "allowedFunctionNames": ["add"]}),
         "not supported with mode AUTO")])
    subject.path = path.replace("flash", "pro")
    check_none("gemini_rejects_signatures_of_another_model",
               [] if "Corrupted" in subject.outcome(None) else ["accepted"])


def test_ollama():
    tool = {"type": "function", "function": {"name": "add", "description": "d", "parameters": {
        "type": "object", "properties": {"a": {"type": "integer"}}}}}
    request = {"model": "m", "messages": [{"role": "user", "content": "q"}], "tools": [tool]}

    def answer(request, reply):
        message = reply["message"]
        request["messages"] += [message] + [
            {"role": "tool", "tool_name": "add", "tool_call_id": call["id"], "content": "r"}
            for call in message["tool_calls"]]
        return request

    subject = Subject(mock_ollama.Ollama(), "/api/chat", {}, request, answer)
    subject.test("ollama", [
        ("a_choice", put("tool_choice", "required"), "ignores 'tool_choice'"),
        ("results_out_of_order", swap("messages", 2), "unknown id"),
        ("a_missing_result", drop("messages", 3), "calls without results"),
        ("a_result_twice", double("messages", 2), "unknown id"),
        ("changed_thinking", put("messages", 1, "thinking", "x"), "changed thinking"),
        ("arguments_as_text", put("messages", 1, "tool_calls", 0, "function", "arguments", "{}"),
         "must be an object"),
        ("a_keyword", put("tools", 0, "function", "parameters", "minProperties", 1), "ignores")])


# ---- requests of the official clients ----

def test_clients():
    files = {"openai-chat-request.json": mock_chat.Chat,
             "openai-responses-request.json": mock_responses.Responses,
             "anthropic-request.json": mock_anthropic.Anthropic,
             "gemini-request.json": mock_gemini.Gemini}
    for name, wire in files.items():
        title = "accepts_" + name.replace("-request.json", "").replace("-", "_")
        if not (DATA / name).exists():
            skip(title, f"{name} is not there")
            continue
        stored = json.loads((DATA / name).read_text())
        request, server = stored["body"], wire()
        sign(request, server)
        headers = {key.title(): value for key, value in stored["headers"].items()}
        headers |= stored["headers"]
        try:
            server.check(stored["path"], headers, request)
            check_none(title, server.complaints)
        except Refusal as refusal:
            check_none(title, [refusal.message])


def sign(request, server):
    """The stored requests have signatures of no server."""
    for i, message in enumerate(request.get("messages", ())):
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if block["type"] == "thinking":
                block["signature"] = server.signature(request, i, block["thinking"])
    for item in request.get("input", ()):
        if item.get("type") == "reasoning":
            item["encrypted_content"] = seal(request["model"], item["id"], item["summary"])
    for content in request.get("contents", ()):
        for part in content["parts"]:
            if part.pop("thoughtSignature", None):
                part["thoughtSignature"] = seal("gemini-3.8-flash", dict(part))


for test in (test_chat, test_responses, test_anthropic, test_gemini, test_ollama, test_clients):
    test()
