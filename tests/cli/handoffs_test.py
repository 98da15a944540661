#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Handoffs: another agent continues the conversation; loops end; a killed run continues."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import Place, ask, call  # noqa: E402
from script import check  # noqa: E402
from store_urls import stores  # noqa: E402

QUICK_SERVER = Path(__file__).resolve().parents[1] / "mcp/quick_server"
HANDOFF_LIMIT = 16  # HAFT__LIMIT_RUN_HANDOFFS


def to(name):
    return [call(f"transfer_to_{name}")]


def desk(place, billing_replies, **more):
    """A front desk that hands over to billing, which can hand back."""
    billing = place.agent("billing", billing_replies,
                          [{"name": "pick", "description": "Picks an invoice.", "args": [],
                            "headless": True}],
                          handoffs=["desk"], instructions="You are billing.")
    return place.agent("desk", [to("billing"), "the desk again"], agents={"billing": billing},
                       handoffs=["billing"], instructions="You are the desk.", **more)


def handed(place, run_id):
    return [(event["from"], event["to"], event["agent"]) for event in place.events(run_id)
            if event["kind"] == "handed_off"]


def another_agent_answers(place, name):
    spec = desk(place, ["your invoice is paid"])
    place.put("billing.script.json",
              {"replies": [{"expect": {"contains": "You are billing.",
                                       "declared": ["pick", "transfer_to_desk"]},
                            "text": "your invoice is paid"}]})
    status, result = place.run(spec)
    check(f"another_agent_answers_{name}",
          (status, result["answer"], result["turns"], handed(place, result["run"])),
          (0, "your invoice is paid", 2, [("desk", "billing", "billing")]))
    found = [event for event in place.events(result["run"]) if event["kind"] == "call_finished"]
    check(f"a_transfer_has_a_result_{name}", [event["result"] for event in found],
          ['{"assistant":"billing"}'])
    check(f"a_handoff_replays_{name}", place.haft("runs", "replay", result["run"])[0], 0)
    status, out, err = place.haft("run", "spec.json", "go")
    check(f"the_timeline_names_the_agent_{name}",
          ("handed from desk to billing" in err, "[billing] turn 2" in err), (True, True))


def a_desk_gets_it_back(place, name):
    status, result = place.run(desk(place, [to("desk")]))
    check(f"the_first_agent_gets_the_run_back_{name}",
          (status, result["answer"], handed(place, result["run"])),
          (0, "the desk again", [("desk", "billing", "billing"), ("billing", "desk", None)]))


def another_process_continues(place, name):
    """The run waits in the second agent; other processes read, answer and fork it."""
    spec = desk(place, [[call("pick")], to("desk")])
    status, result = place.run(spec)
    check(f"a_run_waits_after_a_handoff_{name}",
          (status, [one["tool"] for one in result["pending"]]), (4, ["pick"]))
    run_id = result["run"]
    status, out, _ = place.haft("answer", run_id, '"seven"', "--json")
    check(f"another_process_continues_with_the_agent_{name}",
          (status, json.loads(out)["answer"], len(handed(place, run_id))),
          (0, "the desk again", 2))
    status, out, err = place.haft("runs", "fork", run_id, "--turn", "2", "--json")
    fork = json.loads(out)["run"] if out else err
    done = place.haft("resume", fork, "--json")
    check(f"a_fork_keeps_the_agent_{name}",
          (status, done[0], json.loads(done[1])["answer"], place.haft("runs", "replay", fork)[0]),
          (0, 0, "the desk again", 0))


def changed_specs(place, name):
    """A spec that changes while the second agent has the run: that agent keeps it."""
    spec = desk(place, [[call("pick")], "paid"])
    run_id = place.run(spec)[1]["run"]
    spec["agents"]["billing"]["instructions"] = "You are billing, and brief."
    place.put("spec.json", spec)
    refused = place.haft("answer", run_id, '"seven"', "--json")[0]
    status, out, err = place.haft("answer", run_id, '"seven"', "--accept-spec", "--json")
    check(f"the_agent_keeps_a_run_whose_spec_changes_{name}",
          (refused != 0, status, json.loads(out)["answer"] if out else err,
           place.haft("runs", "replay", run_id)[0]), (True, 0, "paid", 0))


def loops_end(place, name):
    spec = desk(place, [to("desk")] * 20 + ["enough"],
                limits={"turns": 60, "repeats": {"hint": 90, "refuse": 91, "end": 92}})
    spec["agents"]["billing"]["limits"] = {"turns": 3, "repeats": {"hint": 90, "refuse": 91,
                                                                   "end": 92}}
    place.put("desk.script.json", {"replies": [{"calls": to("billing")}] * 9 +
                                   [{"text": "enough"}]})
    status, result = place.run(spec)
    failed = [event["error"]["message"] for event in place.events(result["run"])
              if event["kind"] == "call_finished" and not event["ok"]]
    check(f"handoffs_are_limited_and_share_the_turns_{name}",
          (status, result["answer"], len(handed(place, result["run"])), result["turns"], failed),
          (0, "enough", HANDOFF_LIMIT, HANDOFF_LIMIT + 2,
           [f"the conversation was handed over {HANDOFF_LIMIT} times, the most that is allowed"]))


def first_transfer_counts(place, name):
    other = place.agent("other", ["other"])
    spec = desk(place, ["billing"])
    spec["agents"]["other"] = other
    spec["handoffs"].append("other")
    place.put("desk.script.json", {"replies": [{"calls": to("other") + to("billing")}]})
    status, result = place.run(spec)
    check(f"the_first_transfer_of_a_reply_counts_{name}",
          (status, result["answer"], handed(place, result["run"])),
          (0, "other", [("desk", "other", "other")]))


def a_child_hands_off(place, name):
    """A child run may hand off, within its own agents and its budget."""
    spec = place.agent("boss", [[call("ask_desk", task="bill")], "done"], [ask("desk")],
                       agents={"desk": desk(place, ["paid"])})
    status, result = place.run(spec)
    finished = [event for event in place.events(result["run"])
                if event["kind"] == "child_finished"]
    check(f"a_child_hands_off_{name}",
          (status, [(event["end"], event["answer"]) for event in finished],
           handed(place, finished[0]["child"])),
          (0, [("done", "paid")], [("desk", "billing", "billing")]))


def servers_of_agents(place):
    """Each agent has its own MCP servers; those of the other are not offered to it. A run that
    waits is continued by another process, which starts the servers of the agent that has it."""
    def server(name):
        return {"servers": {name: {"command": ["sh", str(QUICK_SERVER)]}}}

    spec = desk(place, [])
    spec["mcp"] = server("files")
    billing = spec["agents"]["billing"]
    billing["mcp"] = server("books")
    at_desk = ["files:say", "tool_search", "transfer_to_billing"]
    at_billing = ["books:say", "pick", "tool_search", "transfer_to_desk"]
    place.put("desk.script.json", {"replies": [
        {"expect": {"declared": at_desk}, "calls": [call("files:say")]},
        {"calls": to("billing")},
        {"expect": {"declared": at_desk}, "text": "the desk again"}]})
    place.put("billing.script.json", {"replies": [
        {"expect": {"declared": at_billing},
         "calls": [call("books:say")]},
        {"calls": [call("files:say")]},
        {"calls": [call("pick")]},
        {"expect": {"declared": at_billing}, "calls": to("desk")}]})
    status, out, err = place.haft("run", place.put("spec.json", spec), "say it", "--json")
    run_id = json.loads(out)["run"]
    results = [(event["kind"], event["tool"]) for event in place.events(run_id)
               if event["kind"] in ("call_finished", "call_refused")]
    check("an_agent_uses_its_own_servers", (status, results),
          (4, [("call_finished", "files:say"), ("call_finished", "transfer_to_billing"),
               ("call_finished", "books:say"), ("call_refused", "files:say")]))
    status, out, err = place.haft("answer", run_id, '"seven"', "--json")
    check("another_process_starts_the_servers_of_the_agent",
          (status, json.loads(out)["answer"] if out else err,
           place.haft("runs", "replay", run_id)[0]), (0, "the desk again", 0))
    started = [[server["name"] for server in event["servers"]]
               for event in place.of_kind(run_id, "tools_revealed") if event["automatic"]]
    check("servers_are_listed_again_after_a_handoff", started, [["files"], ["books"], ["files"]])


def searches_of_agents(place):
    """What the searches of one agent found, or did not find, says nothing about the next agent."""
    def server(name):
        return {"servers": {name: {"command": ["sh", str(QUICK_SERVER)]}}}

    billing = place.agent("billing", [], mcp=server("books"), choice={"min_tools_for_auto": 2})
    place.put("billing.script.json", {"replies": [
        {"expect": {"mode": "tool", "tool": "tool_search"},
         "calls": [call("tool_search", query="say")]},
        {"expect": {"mode": "any"}, "calls": [call("books:say")]},
        {"expect": {"mode": "auto"}, "text": "said"}]})
    spec = place.agent("desk", [[call("tool_search", query="qqxx")], to("billing")],
                       mcp=server("files"), agents={"billing": billing}, handoffs=["billing"])
    status, out, err = place.haft("run", place.put("spec.json", spec), "zzyy", "--json")
    result = json.loads(out)
    check("a_search_of_the_last_agent_does_not_open_the_gate",
          (status, result["answer"], result["error"]), (0, "said", None))

    listed = place.agent("billing", [], mcp=server("books"), builtins={"enabled": ["read_result"]})
    place.put("billing.script.json", {"replies": [
        {"calls": [call("tool_search", query="say")]},
        {"calls": [call("books:say")]}, {"text": "said"}]})
    spec = place.agent("desk", [to("billing")], mcp=dict(server("files"), deny=["*:say"]),
                       agents={"billing": listed}, handoffs=["billing"])
    status, out, err = place.haft("run", place.put("spec.json", spec), "zzyy", "--json")
    result = json.loads(out)
    found = [event["tool"] for event in place.of_kind(result["run"], "call_finished")]
    check("an_agent_may_search_after_one_that_had_nothing_to_search",
          (status, result["answer"], found), (0, "said", ["transfer_to_billing", "tool_search",
                                                           "books:say"]))


def results_of_agents(place):
    """Tools of the same name share no results: neither of two agents, nor of two specs."""
    def lookup(words):
        return {"name": "lookup", "description": "Looks up a number.", "args": [],
                "command": ["echo", words], "traits": {"read_only": True, "idempotent": True}}

    def results(run_id):
        return [event["result"] for event in place.of_kind(run_id, "call_finished")
                if event["tool"] == "lookup"]

    billing = place.agent("billing", [[call("lookup")], "paid"], [lookup("billing")])
    spec = place.agent("desk", [[call("lookup")], to("billing")], [lookup("desk")],
                       agents={"billing": billing}, handoffs=["billing"])
    run_id = place.run(spec)[1]["run"]
    check("an_agent_gets_no_result_of_another_agent",
          (results(run_id), place.haft("runs", "replay", run_id)[0]), (["desk", "billing"], 0))

    pick = {"name": "pick", "description": "Picks an invoice.", "args": [], "headless": True}
    replies = [[call("lookup")], [call("pick")], [call("lookup")], "done"]
    run_id = place.run(place.agent("desk", replies, [lookup("old"), pick]))[1]["run"]
    place.put("spec.json", place.agent("desk", replies, [lookup("new"), pick]))
    status = place.haft("answer", run_id, "7", "--accept-spec")[0]
    check("a_changed_tool_gets_no_result_of_the_old_one",
          (status, results(run_id), place.haft("runs", "replay", run_id)[0]),
          (0, ["old", "new"], 0))


def servers_of_a_changed_spec(place):
    """A run whose servers had no tools can search after its spec gets another server."""
    pick = {"name": "pick", "description": "Picks an invoice.", "args": [], "headless": True}
    none = {"servers": {"files": {"command": ["sh", str(QUICK_SERVER)]}}, "deny": ["*:say"]}
    spec = place.agent("desk", [], [pick], mcp=none)
    place.put("desk.script.json", {"replies": [
        {"expect": {"declared": ["pick"]}, "calls": [call("pick")]},
        {"expect": {"declared": ["pick", "tool_search"]},
         "calls": [call("tool_search", query="say")]},
        {"calls": [call("files:say")]}, {"text": "said"}]})
    run_id = place.run(spec)[1]["run"]
    spec["mcp"] = dict(none, deny=[])
    place.put("spec.json", spec)
    status, out, err = place.haft("answer", run_id, "7", "--accept-spec", "--json")
    check("a_changed_spec_can_be_searched",
          (status, json.loads(out)["answer"] if out else err,
           place.haft("runs", "replay", run_id)[0]), (0, "said", 0))


def files(place):
    place.put("support.json", place.agent("support", ["helped"], handoffs=["desk"]))
    spec = place.agent("desk", [to("support")], handoffs=["support.json"])
    status, result = place.run(spec)
    (place.directory / "support.json").unlink()
    check("an_agent_of_a_file_gets_the_run",
          (status, result["answer"], handed(place, result["run"]),
           place.haft("runs", "replay", result["run"])[0]),
          (0, "helped", [("desk", "support", "support.json")], 0))


def load_problems(place):
    """Handoffs that are refused, with the reason."""
    plain = place.agent("plain", ["x"])
    priceless = {"provider": "openai", "model": "mine", "api_key": "key"}
    nested = place.agent("nested", ["x"], handoffs=["inner"], agents={"inner": plain})
    back = place.agent("back", ["x"], handoffs=["top"])
    flow = dict(place.agent("flow", ["x"], [{"builtin": ["complete_workflow"]}]), kind="workflow")
    cases = [
        ("an_unknown_agent", {"handoffs": ["nobody"]}, 'no agent "nobody"'),
        ("a_file_that_does_not_exist", {"handoffs": ["gone.yaml"]}, "gone.yaml"),
        ("an_agent_with_handoffs_of_its_own", {"handoffs": ["nested"],
                                               "agents": {"nested": nested}},
         "this spec does not have"),
        ("a_workflow_as_agent", {"handoffs": ["flow"], "agents": {"flow": flow}},
         "not of the kind agent"),
        ("a_tool_of_that_name", {"handoffs": ["plain"], "agents": {"plain": plain},
                                 "tools": [{"name": "transfer_to_plain", "description": "Moves.",
                                            "args": [], "headless": True}]}, "two tools"),
        ("an_agent_that_hands_off_outside_as_a_tool", {"agents": {"back": back},
                                                       "tools": [ask("back")]},
         "which a child run does not have"),
        ("no_list", {"handoffs": "plain", "agents": {"plain": plain}}, "handoffs"),
        ("a_price_that_is_not_known", {"handoffs": ["plain"],
                                       "agents": {"plain": dict(plain, model=priceless)},
                                       "limits": {"usd": 1},
                                       "model": {"provider": "script", "model": "top.script.json",
                                                 "price": {"input": 1, "output": 1}}},
         "without a price"),
    ]
    for what, more, wanted in cases:
        spec = place.agent("top", ["x"])
        spec.update(more)
        status, out, err = place.haft("check", place.put("bad.json", spec))
        check(f"handoffs_reject_{what}", (status, wanted in out + err or out + err), (2, True))
    spec = dict(flow, handoffs=["plain"], agents={"plain": plain})
    status, out, err = place.haft("check", place.put("bad.json", spec))
    check("only_agents_hand_off", (status, "only an agent can hand off" in out + err), (2, True))


with tempfile.TemporaryDirectory(prefix="haft-handoffs-") as scratch:
    for store_name, new_store in stores(scratch):
        here = Place(scratch, new_store())
        another_agent_answers(here, store_name)
        a_desk_gets_it_back(here, store_name)
        another_process_continues(here, store_name)
        changed_specs(here, store_name)
        loops_end(here, store_name)
        first_transfer_counts(here, store_name)
        a_child_hands_off(here, store_name)
    here = Place(scratch)
    files(here)
    servers_of_agents(here)
    searches_of_agents(here)
    servers_of_a_changed_spec(here)
    results_of_agents(here)
    load_problems(here)
