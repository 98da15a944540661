#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prices of models: the spec's, those of the user's settings, and the built-in ones. A run records
the prices that it uses, so that another machine continues and replays it with the same costs."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402
from wire_server import WIRES, Server, error  # noqa: E402

HAFT = os.environ["HAFT"]
PRICE = {"input": 100.0, "output": 1000.0, "cached": 10.0}
WRITES = {"cache_write": 125.0, "cache_write_1h": 200.0}  # of anthropic
REPLY = 0.003  # 10 tokens of input and 2 of output
MINI = {"input": 0.75, "output": 4.5, "cached": 0.075}


def haft(home, *words):
    env = {name: value for name, value in os.environ.items()
           if not name.endswith(("_API_KEY", "_BASE_URL")) and not name.startswith("XDG_")}
    env.update(HOME=str(scratch / home), HAFT_STORE=f"sqlite:{scratch}/runs.db")
    return subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, env=env,
                          cwd=scratch / home, stdin=subprocess.DEVNULL, timeout=300)


def settings(home, text):
    path = scratch / home / ".config/haft/config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def put(name, **spec):
    path = scratch / f"{name}.json"
    path.write_text(json.dumps({"haft": 1, "name": name, "instructions": "Look.", **spec}))
    return path


def model(server, name, wire="anthropic", **more):
    provider, end, _ = WIRES[wire]
    return {"provider": provider, "model": name, "api_key": "sk-test-0123456789",
            "base_url": server.url(end), **more}


def reply(wire="anthropic", **content):
    return WIRES[wire][2](**content)


def run(home, path):
    done = haft(home, "run", path, "go", "--events")
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def events(home, run_id):
    return [json.loads(line)
            for line in haft(home, "runs", "events", run_id).stdout.splitlines()]


def cost(log):
    return [event for event in log if event["kind"] == "run_finished"][0]["usage"]["cost_usd"]


def part(text, wanted):
    """The wanted part of the text, or all of it."""
    return wanted if wanted in text else text


def test_bad_settings():
    for name, text, wanted in [
            ("negative", "prices: {'openai:m': {input: -1, output: 1}}",
             "1:30: error: expected a number of at least 0, found -1"),
            ("too_much", "prices: {'openai:m': {input: 1, output: 1000001}}", "at most 1000000"),
            ("not_a_number", "prices: {'openai:m': {input: .nan, output: 1}}", "1:30: error: "),
            ("infinity", "prices: {'openai:m': {input: .inf, output: 1}}", "1:30: error: "),
            ("text", "prices: {'openai:m': {input: cheap, output: 1}}",
             "expected number, found string"),
            ("unknown_key", "prices: {'openai:m': {input: 1, output: 1, cache: 1}}",
             "did you mean cached?"),
            ("missing", "prices: {'openai:m': {input: 1}}", "output"),
            ("digits", "prices: {'openai:m': {input: 0.0000001, output: 1}}",
             "found 0.0000001 dollars, expected at most 6 digits after the decimal point"),
            ("list", "prices: [1]", "expected object, found"),
            ("number", "prices: {'openai:m': 1}", "expected object, found"),
            ("provider", "prices:\n  opnai:m: {input: 1, output: 1}",
             '2:3: error: there is no provider "opnai"'),
            ("provider_hint", "prices:\n  opnai:m: {input: 1, output: 1}", "did you mean openai?"),
            ("model", "prices:\n  openai: {input: 1, output: 1}",
             '2:3: error: "openai" is not a provider and a model'),
            ("model_hint", "prices:\n  gpt-5.4: {input: 1, output: 1}",
             "write PROVIDER:MODEL, for example openai:gpt-5.4-mini"),
            ("local", "prices:\n  script:x: {input: 1, output: 1}",
             "models of script cost nothing"),
            ("offline", "prices:\n  offline: {input: 1, output: 1}", "cost nothing")]:
        settings("bad", text)
        done = haft("bad", "models")
        check(f"bad_settings_{name}", (done.returncode, part(done.stderr, wanted)), (2, wanted))
    settings("bad", "prices: {}")
    check("an_empty_table_is_valid", haft("bad", "check", plain).returncode, 0)
    project = scratch / "bad/haft.config.yaml"
    project.write_text("prices:\n  openai:m: {input: 0, output: 0}\n")
    done = haft("bad", "check", plain)
    check("a_project_cannot_set_prices",
          (done.returncode, "a project cannot set the prices of models" in done.stderr), (2, True))


def test_bad_spec():
    for name, price, wanted in [
            ("negative", {"input": -1, "output": 1}, "expected a number of at least 0"),
            ("unknown_key", {"input": 1, "output": 1, "cache": 1}, "did you mean cached?"),
            ("missing", {"input": 1}, "output")]:
        path = put("bad", model={"provider": "openai", "model": "m", "price": price})
        done = haft("other", "check", path)
        check(f"bad_spec_{name}", (done.returncode, part(done.stdout + done.stderr, wanted)),
              (2, wanted))


def test_explain():
    stated = {"provider": "anthropic", "model": "mine", "price": {"input": 1, "output": 2}}
    for name, chosen, wanted in [
            ("spec", stated, {"input": 1.0, "output": 2.0, "cached": 1.0, "cache_write": 1.25,
                              "cache_write_1h": 2.0, "from": "spec"}),
            ("writes", {**stated, "price": {"input": 1, "output": 2, "cache_write": 1,
                                            "cache_write_1h": 1}},
             {"input": 1.0, "output": 2.0, "cached": 1.0, "from": "spec"}),
            ("settings", "anthropic:mine", dict(PRICE, **WRITES, **{"from": "settings"})),
            ("dated", "anthropic:mine-2026-01-02", dict(PRICE, **WRITES, **{"from": "settings"})),
            ("built_in", "openai:gpt-5.4-mini", dict(MINI, **{"from": "built in"})),
            ("unknown", "anthropic:other", None)]:
        path = put("explain", model=chosen)
        check(f"explain_has_the_price_{name}",
              json.loads(haft("user", "explain", path, "--json").stdout)["price"], wanted)
        lines = haft("user", "explain", path).stdout.splitlines()
        line = [line for line in lines if line.startswith("  price ")]
        writes = f"${wanted['cache_write']} written to the cache, " if wanted and (
            "cache_write" in wanted) else ""
        check(f"explain_prints_the_price_{name}", line, [] if wanted is None else [
            f"  price ${wanted['input']} input, ${wanted['output']} output, {writes}"
            f"${wanted['cached']} cached per million tokens ({wanted['from']})"])


def test_run():
    """The run starts where the price is known; another machine knows none, or another one."""
    with Server([reply(text="done")]) as server:
        path = put("run", model=model(server, "mine"), limits={"usd": 1})
        refused = haft("other", "run", path, "go")
        check("without_the_price_a_limit_in_dollars_is_refused",
              (refused.returncode, "the price of the model is not known" in refused.stderr),
              (2, True))
        _, log = run("user", path)
    check("the_price_is_recorded", log[0]["prices"],
          [dict(PRICE, **WRITES, model="anthropic:mine", base_url=server.url("/v1"))])
    check("the_cost_follows", cost(log), REPLY)
    whole = scratch / "log.jsonl"
    whole.write_text("".join(json.dumps(event) + "\n" for event in log))
    for home in ("user", "other", "dear"):
        check(f"it_replays_{home}",
              haft(home, "runs", "replay", log[0]["run"]).stdout.split(":")[0], "identical")
        done = haft(home, "runs", "replay", whole, "--spec", path)
        check(f"its_file_replays_{home}", (done.stdout.split(":")[0], done.stderr),
              ("identical", ""))
    stated = put("stated", model={"provider": "script", "model": "r.yaml"})
    (scratch / "r.yaml").write_text("replies: [{text: done}]")
    check("nothing_is_recorded_for_a_local_model", run("user", stated)[1][0].get("prices"), None)


def test_recovery():
    """Continued on another machine, whose settings have another price or none."""
    approved = {"name": "look", "description": "Looks at the thing.", "args": [],
                "command": ["sh", "-c", "echo seen"], "traits": {"needs_approval": True}}
    for home in ("other", "dear"):
        with Server([reply(calls=[("look", {})]), reply(text="done")]) as server:
            path = put("paused", model=model(server, "mine"), tools=[approved],
                       limits={"usd": 1})
            done, log = run("user", path)
            check(f"it_waits_{home}", done.returncode, 4)
            done = haft(home, "approve", log[0]["run"], "c1.1")
        check(f"it_ends_{home}", done.returncode, 0)
        check(f"the_cost_is_that_of_the_first_machine_{home}",
              cost(events("user", log[0]["run"])), 2 * REPLY)
        forked = haft(home, "runs", "fork", log[0]["run"], "--turn", "2", "--json")
        check(f"a_fork_keeps_the_prices_{home}",
              events("user", json.loads(forked.stdout)["run"])[0].get("prices"), log[0]["prices"])
        with Server([reply(calls=[("look", {})]), reply(text="done")]) as server:
            path = put("limited", model=model(server, "mine"), tools=[approved],
                       limits={"usd": REPLY})
            _, log = run("user", path)
            haft(home, "approve", log[0]["run"], "c1.1")
        check(f"the_limit_counts_with_it_{home}",
              [(event["mode"], event["reason"].split(" (")[0])
               for event in events("user", log[0]["run"]) if event["kind"] == "turn_started"][1:],
              [("none", "money budget used up")])


def test_other_models():
    """A fallback, the agent of a handoff and a child run have recorded prices, too."""
    with Server([error(529, "busy", {"retry-after-ms": "1"})] * 3) as a, \
            Server([reply(text="done")]) as b:
        path = put("fallback", models=[model(a, "other", price={"input": 9, "output": 9}),
                                       model(b, "mine")], limits={"usd": 1})
        _, log = run("user", path)
    check("the_price_of_a_fallback_is_recorded", [row["model"] for row in log[0]["prices"]],
          ["anthropic:mine"])
    check("tokens_cost_what_the_fallback_costs", cost(log), REPLY)
    with Server([reply(calls=[("transfer_to_b", {})])]) as a, Server([reply(text="done")]) as b:
        path = put("handoff", model=model(a, "mine"), handoffs=["b"], limits={"usd": 1},
                   agents={"b": {"instructions": "B.", "model": model(b, "twice")}})
        _, log = run("user", path)
    check("the_prices_of_both_agents_are_recorded", [row["model"] for row in log[0]["prices"]],
          ["anthropic:mine", "anthropic:twice"])
    check("each_agent_costs_its_own_price", cost(log), 0.009)
    approved = {"name": "look", "description": "Looks at the thing.", "args": [],
                "command": ["sh", "-c", "echo seen"], "traits": {"needs_approval": True}}
    with Server([reply(calls=[("look", {})]), reply(calls=[("ask", {"task": "x"})]),
                 reply(text="done")]) as a, Server([reply(text="yes")]) as b:
        path = put("parent", model=model(a, "mine"), limits={"usd": 1},
                   tools=[approved, {"name": "ask", "agent": "b", "description": "Asks B."}],
                   agents={"b": {"instructions": "B.", "model": model(b, "twice")}})
        _, log = run("user", path)
        done = haft("other", "approve", log[0]["run"], "c1.1")
    log = events("user", log[0]["run"])
    check("the_parent_ends", (done.returncode, log[-1]["kind"]), (0, "run_finished"))
    child = [event["child"] for event in log if event["kind"] == "child_started"]
    begun = events("user", child[0])
    check("a_child_has_the_prices_of_its_parent", begun[0]["prices"], log[0]["prices"])
    check("its_cost_is_known", cost(begun), 2 * REPLY)


def test_graph_below():
    """A limit in dollars of a graph, whose node starts a graph of a file, whose agent has no
    price."""
    def graph(name, node, **more):
        edges = [{"from": "start", "to": "a"}, {"from": "a", "to": "end"}]
        return put(name, kind="graph", description="Finds a fact about a subject.",
                   graph={"channels": {"q": {}}, "nodes": {"a": node}, "edges": edges}, **more)
    low = {"haft": 1, "name": "low", "description": "Finds a fact about a subject.",
           "model": {"provider": "openai", "model": "mine", "api_key": "sk-test-0123456789"}}
    inner = graph("inner", {"agent": "low", "task": "{/q}"}, agents={"low": low})
    outer = graph("outer", {"graph": "inner.json"}, limits={"usd": 1})
    found = [haft("user", "check", path) for path in (inner, outer)]
    check("a_graph_below_a_limit_in_dollars_has_prices",
          ([done.returncode for done in found],
           "the agent can ask openai:mine, whose price is not known" in found[1].stdout),
          ([0, 2], True))


with tempfile.TemporaryDirectory() as directory:
    scratch = Path(directory)
    for name in ("user", "other", "dear", "bad"):
        (scratch / name).mkdir()
    one, two = json.dumps(PRICE), json.dumps({key: 2 * n for key, n in PRICE.items()})
    settings("user", f"prices:\n  anthropic:mine: {one}\n  anthropic:twice: {two}\n")
    settings("dear", "prices: {'anthropic:mine': {input: 50000, output: 50000}}\n")
    plain = put("plain", model="offline")
    test_bad_settings()
    test_bad_spec()
    test_explain()
    test_run()
    test_recovery()
    test_other_models()
    test_graph_below()
