#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Caches of nodes, and the kinds of failures that a node retries.

On every store: SQLite, and PostgreSQL if HAFT_TEST_POSTGRES names a server.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from script import check  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, cwd=scratch,
                          env=environment, timeout=LONG, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def counter(name):
    return Path(scratch) / f"count-{name}"


def count(name):
    return len(counter(name).read_text().split()) if counter(name).exists() else 0


def tool(name, script, **traits):
    return {"name": name, "description": f"Does {name} for these tests.", "args": ["text"],
            "command": ["sh", "-c", script, "sh", "{text}"],
            "traits": dict({"read_only": True}, **traits)}


def counting(name):
    return tool("look", f"echo x >>{counter(name)}; echo saw $1")


def spec(node, tools, **more):
    return {"haft": 1, "kind": "graph", "name": "g", "tools": tools, "graph": dict({
        "input": ["text"], "output": "/out",
        "channels": {"text": {}, "out": {"reducer": "append"}, "n": {"reducer": "add"}},
        "nodes": {"a": node}, "edges": [{"from": "start", "to": "a"}]}, **more)}


def run(value, text, *words):
    (Path(scratch) / "spec.json").write_text(json.dumps(value))
    status, out, err = haft("run", "spec.json", text, "--json", *words)
    result = json.loads(out) if out else {"err": err}
    if result.get("run"):
        seen.append(result["run"])
    return result


def events(run_id, kind):
    lines = [json.loads(line) for line in haft("runs", "events", run_id)[1].splitlines()]
    return [event for event in lines if event["kind"] == kind]


def look(**cache):
    return {"tool": "look", "args": {"text": "/text"}, "out": {"out": ""}, "cache": cache}


def scopes(name):
    where = f"thread-{name}"
    value = spec(look(scope="thread"), [counting(where)])
    first = run(value, "a")
    again = run(value, "a", "--thread", first["thread"])
    check(f"a_result_is_reused_in_its_thread_{name}",
          (count(where), again["answer"], first["answer"],
           events(again["run"], "call_finished")[0]["cached"]),
          (1, '["saw a"]', '["saw a"]', True))
    run(value, "b", "--thread", first["thread"])
    check(f"other_input_is_another_key_{name}", count(where), 2)
    run(value, "a")
    check(f"another_thread_calls_again_{name}", count(where), 3)
    changed = spec(dict(look(scope="thread"), on_error={"do": []}), [counting(where)])
    run(changed, "a", "--thread", first["thread"])
    check(f"a_changed_node_is_another_key_{name}", count(where), 4)
    where = f"global-{name}"
    value = spec(look(scope="global"), [counting(where)])
    run(value, "a")
    run(value, "a")
    check(f"a_result_is_reused_everywhere_{name}", count(where), 1)


def lifetimes(name):
    where = f"ttl-{name}"
    value = spec(look(scope="global", ttl="1ms"), [counting(where)])
    run(value, "a")
    time.sleep(0.05)
    run(value, "a")
    check(f"a_result_expires_{name}", count(where), 2)
    where = f"loop-{name}"
    slow = tool("look", f"echo x >>{counter(where)}; sleep 0.05; echo saw $1")
    loop = {"edges": [{"from": "start", "to": "a"}, {"from": "a", "to": "b"},
                      {"from": "b", "choose": [{"when": {"at": "/n", "op": "ge", "value": 3},
                                                "to": "end"}, {"to": "a"}]}]}
    for ttl, calls in ((None, 1), ("1h", 1), ("1ms", 3)):
        counter(where).unlink(missing_ok=True)
        cache = {"scope": "run", **({"ttl": ttl} if ttl else {})}
        node = dict(look(**cache), input=["text"])
        wait = {"tool": "wait", "args": {"text": "/text"}, "out": {"n": ""}}
        waiting = tool("wait", "sleep 0.05; echo '[1]'", cost="free")
        waiting["output_schema"] = {"type": "integer"}
        waiting["command"][2] = "sleep 0.05; echo 1"
        value = spec(node, [slow, waiting], **loop)
        value["graph"]["nodes"]["b"] = wait
        result = run(value, "a")
        check(f"outputs_of_a_run_expire_after_{ttl}_{name}",
              (result["end"], count(where)), ("done", calls))


def operations(name):
    value = spec({"do": [{"set": {"out": "x"}}], "cache": {"scope": "global"}}, [])
    check(f"operations_accept_every_scope_{name}", run(value, "a")["answer"], '["x"]')


def retries(name):
    for words, attempts, script, timeout in (
            ("error", 3, "exit 1", None), ("timeout", 1, "exit 1", None),
            ("timeout", 3, "sleep 60", "100ms"), ("error", 1, "sleep 60", "100ms"),
            ("refused transient", 1, "exit 1", None), ("error timeout", 3, "exit 1", None)):
        where = f"retry-{words}-{attempts}-{name}".replace(" ", "_")
        node = {"tool": "fail", "args": {"text": "/text"},
                "retry": {"attempts": 3, "backoff": "10ms", "on": words.split()}}
        if timeout:
            node["timeout"] = timeout
        value = spec(node, [tool("fail", f"echo x >>{counter(where)}; {script}")])
        result = run(value, "a")
        kind = "timeout" if timeout else None
        check(f"{where}", (result["end"], count(where),
                           {one["error"].get("failure")
                            for one in events(result["run"], "call_finished")}),
              ("failed", attempts, {kind}))
    node = {"ask": {"question": "Well?", "deadline": "1ms"}, "out": {"out": ""},
            "retry": {"attempts": 2, "on": ["timeout"]}}
    value = run(spec(node, []), "a")
    time.sleep(0.05)
    for _ in range(2):
        haft("resume", value["run"])
    questions = {one["call"] for one in events(value["run"], "paused")}
    check(f"an_answer_that_does_not_come_is_a_timeout_{name}", questions, {"n1.1", "n1.1.2"})


TESTS = [scopes, lifetimes, operations, retries]

with tempfile.TemporaryDirectory() as scratch:
    for store, new_store in stores(scratch):
        environment = dict(os.environ, HAFT_STORE=new_store(), XDG_CONFIG_HOME=scratch)
        seen = []
        for test in [one for one in TESTS if not sys.argv[1:] or one.__name__ in sys.argv]:
            test(store)
        replayed = {one: haft("runs", "replay", one)[0] for one in seen}
        check(f"all_runs_replay_{store}", [one for one, code in replayed.items() if code], [])
