#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that a search reveals while a run goes on. Where the provider has a form for it, the
beginning of the request stays the same: Anthropic's models with bound thinking have all tools from
the start, deferred; OpenAI's Responses API gets their definitions after the result. The strict
mocks reject thinking after changed tools, and references to unknown ones."""
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, verdict  # noqa: E402

import mock_anthropic  # noqa: E402
import mock_responses  # noqa: E402
from cases import CASES, Case  # noqa: E402
from deferral import TURNS, owned, play, served  # noqa: E402
from mock import refuse_unless  # noqa: E402

MARK = ', "cache_control": {"type": "ephemeral"}'
BY_NAME = {case.name: case for case in CASES}


def plain_tools(request):
    return [{key: value for key, value in tool.items() if key != "cache_control"}
            for tool in request["tools"]]


def names_of(tools):
    return [tool["name"] for tool in tools]


def of_kind(events, kind):
    return [event for event in events if event["kind"] == kind]


def test_run(name, events):
    """What every provider has in common."""
    check(f"{name}_the_search_before_the_first_turn_shows_one_tool",
          of_kind(events, "turn_started")[0]["declared"], ["tool_search", "own:mail"])
    check(f"{name}_a_tool_that_was_not_revealed_is_refused",
          [(event["tool"].replace("_-_", ":"), event["why"])
           for event in of_kind(events, "call_refused")], [("own:atlas", "not_revealed")])
    check(f"{name}_revealed_tools_are_called",
          [event["result"].split(":")[-1] for event in of_kind(events, "call_finished")
           if event["tool"] != "tool_search"], ["weather", "weather", "atlas"])


def test_whole(name, events, requests):
    """The beginning of each request is that of the one before."""
    replies = of_kind(events, "model_replied")
    caches = [reply["cache"] for reply in replies[1:]]
    check(f"{name}_no_request_breaks_the_prefix",
          [cache["cause"] for cache in caches if cache["same_bytes"] != cache["bytes"]], [])
    check(f"{name}_all_reasoning_is_sent_back",
          [reply.get("unsent_reasoning", 0) for reply in replies], [0] * len(replies))
    tools = plain_tools(requests[0])
    check(f"{name}_the_tools_never_change",
          [i for i, request in enumerate(requests) if plain_tools(request) != tools], [])
    check(f"{name}_no_tool_is_hidden", of_kind(events, "tools_hidden"), [])


def references(request):
    return [[part["tool_name"] for part in block["content"] if part["type"] == "tool_reference"]
            for message in request["messages"] for block in message["content"]
            if block["type"] == "tool_result" and isinstance(block["content"], list)]


def test_anthropic(case, make, directory):
    name = f"{case.name}_{make.__name__}"
    status, events, errors, server, explained = play(case, TURNS, directory, make)
    problems = server.problems()
    verdict(f"{name}_is_done", status == 0 and not problems and not errors, [errors, *problems])
    test_run(name, events)
    test_whole(name, events, server.requests)
    tools = server.requests[0]["tools"]
    check(f"{name}_other_tools_are_deferred",
          [tool["name"] for tool in tools if tool.get("defer_loading")],
          ["own_-_weather", "own_-_atlas", "own_-_stars"])
    check(f"{name}_the_last_loaded_tool_has_the_mark",
          [tool["name"] for tool in tools if "cache_control" in tool], ["own_-_mail"])
    check(f"{name}_results_refer_to_revealed_tools", references(server.requests[-1]),
          [["own_-_weather"], ["own_-_atlas"]])
    check(f"{name}_thinking_is_in_the_last_request",
          sum(block["type"] == "thinking" for message in server.requests[-1]["messages"]
              for block in message["content"]), 4)
    written = of_kind(events, "tools_revealed")[0].get("deferred_tools", [])
    check(f"{name}_the_log_has_their_definitions", names_of(written),
          ["own:weather", "own:atlas", "own:stars"] if make is served else [])
    check(f"{name}_explain_shows_it", explained[0]["deferred"]["reveal"],
          "it is declared from the start; the result of the search refers to it")
    shown = [tool for tool in explained[0]["request"]["tools"] if tool.get("defer_loading")]
    check(f"{name}_explain_has_the_request", len(shown), 3)


def test_responses(case, directory):
    name = case.name
    status, events, errors, server, explained = play(case, TURNS, directory)
    problems = server.problems()
    verdict(f"{name}_is_done", status == 0 and not problems and not errors, [errors, *problems])
    test_run(name, events)
    test_whole(name, events, server.requests)
    check(f"{name}_declares_what_is_shown_at_first", names_of(server.requests[0]["tools"]),
          ["tool_search", "own_-_mail"])
    items = server.requests[-1]["input"]
    added = [i for i, item in enumerate(items) if item.get("type") == "additional_tools"]
    check(f"{name}_definitions_follow_the_results",
          [(items[i - 1]["type"], names_of(items[i]["tools"])) for i in added],
          [("function_call_output", ["own_-_weather"]), ("function_call_output", ["own_-_atlas"])])
    check(f"{name}_explain_shows_it", explained[0]["deferred"]["reveal"],
          "its definition follows the result of the search")


def test_others(case, directory):
    """Other models get the tool in the list of tools from then on."""
    status, events, errors, server, explained = play(case, TURNS, directory)
    problems = server.problems()
    name = f"{case.name}_without_a_form"
    verdict(f"{name}_is_done", status == 0 and not problems and not errors, [errors, *problems])
    test_run(name, events)
    check(f"{name}_declares_the_revealed_tool",
          [names_of(request["tools"])[1:] for request in server.requests],
          [["own_-_mail"]] + [["own_-_weather"]] * 2 + [["own_-_atlas"]] * 2)
    check(f"{name}_the_audit_says_so", of_kind(events, "model_replied")[1]["cache"]["cause"],
          "tools_changed")
    check(f"{name}_explain_shows_it", explained[0]["deferred"]["reveal"],
          "it is added to the declared tools")


class PlainAnthropic(mock_anthropic.Anthropic):
    """A gateway that does not know deferred tools."""

    def check_tools(self, request):
        refuse_unless("defer_loading" not in json.dumps(request["tools"]),
                      "tools.2.custom.defer_loading: Extra inputs are not permitted")
        super().check_tools(request)


class NoReferences(mock_anthropic.Anthropic):
    """A gateway that knows deferred tools, but no references to them."""

    def check_messages(self, request):
        refuse_unless("tool_reference" not in json.dumps(request["messages"]),
                      "messages.2.content.0.tool_result.content.1: unexpected 'tool_reference'")
        super().check_messages(request)


class PlainResponses(mock_responses.Responses):
    def check_input(self, items, model):
        refuse_unless("additional_tools" not in json.dumps(items),
                      "input[4]: unknown type additional_tools")
        super().check_input(items, model)


def test_refused(name, wire, member, directory):
    """A server that rejects the form is asked without it from then on."""
    like = BY_NAME["openai_responses" if wire is PlainResponses else "anthropic_bound"]
    case = Case(name, like.provider, wire, like.model, like.base, like.options, like.signs,
                like.variable)
    status, events, errors, server, _ = play(case, TURNS, directory)
    verdict(f"{name}_is_done", status == 0 and not errors, [errors, *server.problems()])
    check(f"{name}_rejects_once", len(server.problems()), 1)
    check(f"{name}_is_recorded", [event["member"] for event in of_kind(events, "option_refused")],
          [member])
    test_run(name, events)
    last = json.dumps(server.requests[-1])
    check(f"{name}_gets_no_more_of_it",
          [word for word in ("defer_loading", "tool_reference", "additional_tools")
           if word in last], [])


def test_resumed(case, directory):
    """Another process continues the run: other bytes would make thinking invalid."""
    name = f"{case.name}_resumed"
    status, events, errors, server, _ = play(
        case, TURNS, directory, then=["approve", "last", "--events"],
        approvals=[{"tools": ["own:atlas"]}])
    problems = server.problems()
    verdict(f"{name}_is_done", status == 0 and not problems and not errors, [errors, *problems])
    check(f"{name}_all_reasoning_is_sent_back",
          [reply.get("unsent_reasoning", 0) for reply in of_kind(events, "model_replied")], [0])
    tools = plain_tools(server.requests[0])
    check(f"{name}_the_tools_are_the_same",
          [i for i, request in enumerate(server.requests) if plain_tools(request) != tools], [])
    key = "messages" if case.provider == "anthropic" else "input"
    known = json.dumps(server.requests[-2][key]).replace(MARK, "")[:-4]
    check(f"{name}_the_history_is_the_same",
          json.dumps(server.requests[-1][key]).replace(MARK, "").startswith(known))


def main(scratch):
    jobs = [(test_anthropic, BY_NAME[name], make, scratch / f"{name}_{make.__name__}")
            for name in ("anthropic_bound", "anthropic_unforced") for make in (served, owned)]
    jobs += [(test_resumed, BY_NAME[name], scratch / f"{name}_resumed")
             for name in ("anthropic_bound", "anthropic_unforced", "openai_responses")]
    jobs += [(test_responses, BY_NAME["openai_responses"], scratch / "responses"),
             (test_others, BY_NAME["anthropic"], scratch / "others"),
             (test_refused, "a_plain_gateway", PlainAnthropic, "defer_loading", scratch / "plain"),
             (test_refused, "a_gateway_without_references", NoReferences, "defer_loading",
              scratch / "references"),
             (test_refused, "a_plain_server", PlainResponses, "additional_tools",
              scratch / "additional")]
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(*job) for job in jobs]:
            done.result()


with tempfile.TemporaryDirectory() as made:
    main(Path(made))
