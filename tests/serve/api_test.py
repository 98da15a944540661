#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runs API of `haft serve`: runs, events, commands, artifacts, threads, with bad input."""
import hashlib
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import (ASKER, LOOKER, PICKER, QUICK, SENDER, HAFT, STREAM, Server,  # noqa: E402
                        agent, write_files)
from script import check, check_none, wait_for  # noqa: E402
from store_urls import stores  # noqa: E402
import subprocess  # noqa: E402

SECRET = "sk-canary-0123456789abcdef"
NOBODY = "01m7tv1a71fxxpq0djtw0qnx6d"
STEPS = {"steps.json": json.dumps({
    "haft": 1, "kind": "graph", "name": "steps", "graph": {
        "input": ["n"], "output": "/n", "channels": {"n": {"type": "integer"}},
        "nodes": {"more": {"do": [{"set": {"n": 2}}]}},
        "edges": [{"from": "start", "to": "more"}]}})}
AGENTS = (QUICK, LOOKER, ASKER, SENDER, PICKER, STEPS)
CALL_MOST = 256 << 20   # HAFT__LIMIT_SERVE_CALL_BYTES bounds the memory of one request
BODY_MOST = 8 << 20     # HAFT__LIMIT_SERVE_BODY_BYTES
PAGE_MOST = 1000        # HAFT__LIMIT_SERVE_PAGE
WAIT_MOST = 600         # HAFT__LIMIT_SERVE_WAIT_S
COMMAND_WAIT = 10       # HAFT__LIMIT_SERVE_COMMAND_WAIT_S: the default of `wait`
BATCH_MOST = 100        # HAFT__LIMIT_SERVE_BATCH
KEY_MOST = 256          # HAFT__LIMIT_SERVE_KEY_BYTES


def test_run(server, name):
    """A run that ends."""
    run = server.start("looker", "Look at it")
    check(f"{name}_a_new_run_is_created", (run["agent"], run["task"], run["user"]),
          ("looker", "Look at it", None))
    done = server.wait(run["run"])
    check(f"{name}_wait_returns_the_end", (done["end"], done["answer"], done["state"]),
          ("done", "Seen.", "ended"))
    events = server.events(run["run"])
    check(f"{name}_events_are_numbered", [e["seq"] for e in events],
          list(range(1, len(events) + 1)))
    check(f"{name}_events_end", events[-1]["kind"], "run_finished")
    shown = server.get(f"/api/v1/runs/{run['run']}").json
    check(f"{name}_get_is_the_same_object", shown, done)
    rest = server.get(f"/api/v1/runs/{run['run']}/events?since=2&limit=3").json
    check(f"{name}_a_part_of_the_events",
          ([e["seq"] for e in rest["events"]], rest["last"], rest["more"]), ([3, 4, 5], 5, True))
    streamed = list(server.stream(run["run"]))
    check(f"{name}_the_stream_has_the_same_events",
          [e for number, _, e in streamed if number], events)
    check(f"{name}_the_stream_names_the_kind", all(k == e["kind"] for _, k, e in streamed))
    late = [number for number, _, _ in server.stream(run["run"], since=3)]
    check(f"{name}_a_stream_continues", late, [e["seq"] for e in events[3:]])
    check(f"{name}_nothing_after_the_end", server.stream(run["run"], since=len(events)).status, 204)


def test_live(server, name):
    """A stream that began before the question, and ends behind the answer."""
    run = server.start("asker")["run"]
    waiting = server.wait(run)
    check(f"{name}_a_question_waits",
          (waiting["end"], [(p["call"], p["kind"], p["question"]) for p in waiting["pending"]]),
          ("waiting", [("c1.1", "question", "Which one?")]))
    stream = iter(server.stream(run))
    seen = []
    while not seen or seen[-1][1] != "paused":
        seen.append(next(stream))
    listed = [p for p in server.get("/api/v1/pending").json["pending"] if p["run"] == run]
    check(f"{name}_pending_lists_it", [(p["agent"], p["pending"]["call"]) for p in listed],
          [("asker", "c1.1")])
    refused = server.command(run, "approve", call="c9.9")
    check(f"{name}_an_unknown_call", refused.status, 404)
    answered = server.command(run, "answer", value="the red one")
    check(f"{name}_an_answer_is_accepted", answered.status, 200)
    check(f"{name}_the_same_answer_again_is_the_same",
          server.command(run, "answer", call="c1.1", value="the red one").status, 200)
    other = server.command(run, "answer", call="c1.1", value="the blue one")
    check(f"{name}_another_answer_is_late", other.status, 409)
    seen += list(stream)
    check(f"{name}_the_stream_has_each_event_once",
          [number for number, _, _ in seen if number],
          [e["seq"] for e in server.events(run)])
    check(f"{name}_the_stream_ends", seen[-1][1], "run_finished")
    done = server.wait(run)
    check(f"{name}_the_run_ends_after_the_answer", (done["end"], done["answer"]),
          ("done", "Thank you."))
    artifacts = server.get(f"/api/v1/runs/{run}/artifacts").json["artifacts"]
    check(f"{name}_artifacts_are_listed", [a["name"] for a in artifacts], ["notes/answer.txt"])
    content = server.get(f"/api/v1/runs/{run}/artifacts/notes/answer.txt")
    check(f"{name}_an_artifact_is_fetched",
          (content.body, content.headers["content-type"], content.headers["content-disposition"]),
          (b"the answer", "text/plain", "attachment"))
    check(f"{name}_an_unknown_artifact",
          server.get(f"/api/v1/runs/{run}/artifacts/other").status, 404)


def test_approval(server, name, directory):
    (directory / "sent.txt").unlink(missing_ok=True)
    run = server.start("sender")["run"]
    pending = server.wait(run)["pending"][0]
    bad = server.command(run, "approve", binding="0" * 64)
    check(f"{name}_an_approval_of_something_else", bad.status, 409)
    bad = server.command(run, "edit", value={"to": 5, "x": 1})
    check(f"{name}_edited_arguments_are_checked", bad.status, 422)
    good = server.command(run, "edit", value={"to": "berta"}, binding=pending["binding"])
    check(f"{name}_arguments_are_edited", good.status, 200)
    server.wait(run)
    check(f"{name}_the_edited_call_ran", json.loads((directory / "sent.txt").read_text()),
          {"to": "berta"})
    events = server.events(run)
    check(f"{name}_the_author_is_recorded", [e["by"] for e in events if e["kind"] == "answered"],
          ["api"])
    run = server.start("sender")["run"]
    server.wait(run)
    server.command(run, "reject", why="not today")
    check(f"{name}_a_rejection", ["not today" in json.dumps(e)
                                  for e in server.events(run) if e["kind"] == "answered"], [True])
    run = server.start("picker")["run"]
    server.wait(run)
    check(f"{name}_a_headless_call", server.command(run, "answer", value={"file": "a.txt"}).status,
          200)
    check(f"{name}_its_run_ends", server.wait(run)["answer"], "Picked.")


def test_cancel(server, name):
    run = server.start("asker")["run"]
    server.wait(run)
    check(f"{name}_cancel",
          server.post(f"/api/v1/runs/{run}/cancel", {"why": "enough"}).status, 200)
    check(f"{name}_the_run_is_cancelled", server.wait(run)["end"], "cancelled")
    check(f"{name}_cancel_twice",
          server.ask("POST", f"/api/v1/runs/{run}/cancel").status in (200, 409))
    check(f"{name}_a_run_that_has_ended_takes_no_answer",
          server.command(run, "answer", value="x").status, 409)
    check(f"{name}_delete", server.ask("DELETE", f"/api/v1/runs/{run}").status, 204)
    check(f"{name}_a_deleted_run", server.get(f"/api/v1/runs/{run}").status, 404)


def test_threads(server, name):
    first = server.start("quick", "one")
    server.wait(first["run"])
    second = server.start("quick", "two", thread=first["thread"])
    check(f"{name}_a_run_continues_a_thread", second["thread"], first["thread"])
    server.wait(second["run"])
    thread = server.get(f"/api/v1/threads/{first['thread']}").json
    check(f"{name}_the_runs_of_a_thread", [r["run"] for r in thread["runs"]],
          [first["run"], second["run"]])
    threads = server.get("/api/v1/threads?limit=1").json["threads"]
    check(f"{name}_threads_by_their_newest_run",
          [(t["thread"], t["newest"]["run"]) for t in threads],
          [(first["thread"], second["run"])])


def test_lists(server, name):
    ids = []
    for number in range(5):
        ids.append(server.start("quick", f"task {number}")["run"])
    for run in ids:
        server.wait(run)
    page = server.get("/api/v1/runs?limit=2").json
    check(f"{name}_a_page", [r["run"] for r in page["runs"]], ids[:2:-1])
    page = server.get(f"/api/v1/runs?limit=2&before={page['next']}").json
    check(f"{name}_the_next_page", [r["run"] for r in page["runs"]], ids[2:0:-1])
    found = server.get("/api/v1/runs?text=TASK%203&agent=quick&state=ended&end=done").json
    check(f"{name}_filters", [r["run"] for r in found["runs"]], [ids[3]])
    check(f"{name}_filters_find_nothing", server.get("/api/v1/runs?agent=nobody").json["runs"], [])


def test_key(server, name):
    headers = {"Idempotency-Key": f"key-{name}"}
    body = {"agent": "quick", "task": "once"}
    first = server.post("/api/v1/runs", body, headers=headers)
    again = server.post("/api/v1/runs", body, headers=headers)
    check(f"{name}_a_repeated_request_gets_the_first_run",
          (first.status, again.status, again.json["run"]), (201, 200, first.json["run"]))
    other = server.post("/api/v1/runs", {**body, "task": "twice"}, headers=headers)
    check(f"{name}_a_key_has_one_task", other.status, 422)
    for size, status in ((KEY_MOST, 201), (KEY_MOST + 1, 422)):
        reply = server.post("/api/v1/runs", body, headers={"Idempotency-Key": "k" * size})
        check(f"{name}_a_key_of_{size}", reply.status, status)


def test_batch(server, name):
    runs = [server.start("sender")["run"] for _ in range(3)]
    for run in runs:
        server.wait(run)
    commands = [{"run": run, "command": "approve"} for run in runs[:2]]
    commands += [{"run": NOBODY, "command": "approve"}, {"run": runs[2], "command": "answer"}]
    reply = server.post("/api/v1/commands", {"commands": commands})
    found = [result["status"] for result in reply.json["results"]]
    check(f"{name}_a_batch_has_an_outcome_for_each_command", found[:3], [200, 200, 404])
    check(f"{name}_approved_runs_end", [server.wait(run)["end"] for run in runs[:2]],
          ["done", "done"])
    server.command(runs[2], "reject")
    for size, status in ((BATCH_MOST, 200), (BATCH_MOST + 1, 413)):
        reply = server.post("/api/v1/commands", {
            "commands": [{"run": NOBODY, "command": "approve"}] * size})
        check(f"{name}_a_batch_of_{size}", reply.status, status)


def test_fork(server, name):
    """Forks of a run that has ended, at a call, with another task, and of a graph."""
    run = server.start("asker")["run"]
    server.wait(run)
    server.command(run, "answer", value="first")
    server.wait(run)
    forked = server.post(f"/api/v1/runs/{run}/fork", {"call": "c1.1"})
    fork = forked.json["run"]
    check(f"{name}_a_fork_at_a_call", (forked.status, forked.json["end"], fork != run),
          (201, "waiting", True))
    check(f"{name}_a_fork_has_a_thread_of_its_own",
          forked.json["thread"] != server.get(f"/api/v1/runs/{run}").json["thread"])
    server.command(fork, "answer", value="second")
    server.wait(fork)
    answers = [event["value"] for one in (run, fork) for event in server.events(one)
               if event["kind"] == "answered"]
    check(f"{name}_the_fork_has_another_answer", answers, ["first", "second"])
    other = server.post(f"/api/v1/runs/{run}/fork", {"task": "another task"}).json
    check(f"{name}_a_fork_with_another_task_starts",
          (server.wait(other["run"])["end"], other["task"]), ("waiting", "another task"))
    server.post(f"/api/v1/runs/{other['run']}/cancel", {})
    quiet = server.start("looker")["run"]
    server.wait(quiet)
    early = server.post(f"/api/v1/runs/{quiet}/fork", {"turn": 1}).json
    check(f"{name}_a_fork_waits_until_it_is_resumed",
          server.get(f"/api/v1/runs/{early['run']}").json["end"], "waiting")
    check(f"{name}_resume", server.command(early["run"], "resume").status, 202)
    check(f"{name}_the_fork_ends",
          wait_for(lambda: server.get(f"/api/v1/runs/{early['run']}").json["end"] == "done"))
    for body, status in (({"turn": 1, "at": 3}, 422), ({"turn": 99}, 422),
                         ({"call": "c9.9"}, 422), ({"thread": "x"}, 422)):
        found = server.post(f"/api/v1/runs/{run}/fork", body).status
        check(f"{name}_a_fork_that_is_not_possible_{'_'.join(body)}", found in (status, 409))


def test_graph(server, name):
    run = server.start("steps", input={"n": 1})["run"]
    done = server.wait(run)
    check(f"{name}_a_graph_gets_json", done["end"], "done")
    state = server.get(f"/api/v1/runs/{run}/state").json
    check(f"{name}_its_state", state["state"], {"n": 2})
    check(f"{name}_its_state_before",
          server.get(f"/api/v1/runs/{run}/state?step=0").json["state"], {"n": 1})
    check(f"{name}_no_such_step", server.get(f"/api/v1/runs/{run}/state?step=9").status, 422)
    for kind in ("graph", "waterfall"):
        picture = server.get(f"/api/v1/runs/{run}/picture.svg?kind={kind}")
        check(f"{name}_picture_{kind}",
              (picture.headers["content-type"], picture.body[:4]), ("image/svg+xml", b"<svg"))
    edited = server.post(f"/api/v1/runs/{run}/edit", {"set": {"n": 7}})
    check(f"{name}_an_edited_state", edited.status in (201, 409), True)
    other = server.start("looker")["run"]
    server.wait(other)
    check(f"{name}_an_agent_has_no_state", server.get(f"/api/v1/runs/{other}/state").status, 422)
    check(f"{name}_an_agent_is_not_edited",
          server.post(f"/api/v1/runs/{other}/edit", {"set": {"n": 7}}).status, 422)
    check(f"{name}_an_agent_has_no_graph",
          server.get(f"/api/v1/runs/{other}/picture.svg?kind=graph").status, 422)


def test_details(server, name):
    run = server.start("looker", "a `task`\n```\n# Not a title")["run"]
    server.wait(run)
    lines = server.get(f"/api/v1/runs/{run}/export").body.decode().splitlines()
    check(f"{name}_export_has_the_events", [json.loads(line) for line in lines],
          server.events(run))
    page = server.get(f"/api/v1/runs/{run}/export?format=markdown").body.decode()
    check(f"{name}_export_as_markdown", (page.startswith(f"# Run {run}"), "````" in page),
          (True, True))
    request = server.get(f"/api/v1/runs/{run}/turns/2/request")
    check(f"{name}_the_request_of_a_turn",
          [message["role"] for message in request.json["messages"]][-2:], ["assistant", "tool"])
    check(f"{name}_its_hash", request.headers["x-haft-sha256"],
          hashlib.sha256(request.body).hexdigest())
    first = server.get(f"/api/v1/runs/{run}/turns/1/request").json["messages"]
    check(f"{name}_a_request_begins_with_the_one_before",
          request.json["messages"][:len(first)], first)
    reply = server.get(f"/api/v1/runs/{run}/turns/2/reply").json
    check(f"{name}_the_reply_of_a_turn", (reply["kind"], reply["content"]),
          ("model_replied", "Seen."))
    check(f"{name}_no_such_turn", [server.get(f"/api/v1/runs/{run}/turns/{n}/request").status
                                   for n in ("3", "x", "-1")], [404, 404, 404])
    tools = server.get("/api/v1/agents/looker/tools").json["tools"]
    check(f"{name}_tools", [tool["name"] for tool in tools][:1], ["look"])
    explained = server.post("/api/v1/agents/looker/explain", {"task": "x"})
    check(f"{name}_explain", (explained.status, "tools" in explained.json), (200, True))
    check(f"{name}_check", server.get("/api/v1/agents/looker/check").json["valid"], True)
    models = server.get("/api/v1/models").json["models"]
    check(f"{name}_models", {a for model in models for a in model["agents"]} >= {"looker"})
    system = server.get("/api/v1/system").json
    check(f"{name}_system", (system["version"] != "", system["runs"]["queued"]), (True, 0))


def test_bad(server):
    """Bad input to each route, with its status and a message."""
    run = server.start("quick")["run"]
    server.wait(run)
    create = "/api/v1/runs"
    body = '{"agent":"quick","task":"x"}'
    json_type = {"Content-Type": "application/json"}
    cases = [
        ("no type", 415, "POST", create, body, {}),
        ("form", 415, "POST", create, body, {"Content-Type": "text/plain"}),
        ("empty", 400, "POST", create, "", json_type),
        ("not json", 400, "POST", create, "{", json_type),
        ("array", 422, "POST", create, "[]", json_type),
        ("duplicate", 400, "POST", create, '{"agent":"quick","agent":"x","task":"x"}', json_type),
        ("nul key", 400, "POST", create, '{"agent\\u0000":"quick","task":"x"}', json_type),
        ("nul text", 400, "POST", create, '{"agent":"quick","task":"x\\u0000"}', json_type),
        ("deep", 413, "POST", create, '{"input":' + "[" * 65 + "]" * 65 + "}", json_type),
        ("no agent", 422, "POST", create, '{"task":"x"}', json_type),
        ("no task", 422, "POST", create, '{"agent":"quick"}', json_type),
        ("unknown agent", 404, "POST", create, '{"agent":"nobody","task":"x"}', json_type),
        ("unknown member", 422, "POST", create, '{"agent":"quick","task":"x","y":1}', json_type),
        ("bad thread", 422, "POST", create, '{"agent":"quick","task":"x","thread":"y"}', json_type),
        ("bad model", 422, "POST", create, '{"agent":"quick","task":"x","model":"no:such:"}',
         json_type),
        ("bad limit", 422, "POST", create, '{"agent":"quick","task":"x","limits":{"turns":0}}',
         json_type),
        ("bad id", 404, "GET", "/api/v1/runs/x", None, {}),
        ("prefix of an id", 404, "GET", f"/api/v1/runs/{run[:10]}", None, {}),
        ("unknown run", 404, "GET", f"/api/v1/runs/{NOBODY}", None, {}),
        ("events of none", 404, "GET", f"/api/v1/runs/{NOBODY}/events", None, STREAM),
        ("wait for none", 404, "GET", f"/api/v1/runs/{NOBODY}/wait", None, {}),
        ("delete none", 404, "DELETE", f"/api/v1/runs/{NOBODY}", None, {}),
        ("bad since", 400, "GET", f"/api/v1/runs/{run}/events?since=x", None, {}),
        ("negative", 400, "GET", f"/api/v1/runs/{run}/events?since=-1", None, {}),
        ("bad event id", 400, "GET", f"/api/v1/runs/{run}/events", None, {"Last-Event-ID": "a"}),
        ("big limit", 400, "GET", f"/api/v1/runs?limit={PAGE_MOST + 1}", None, {}),
        ("long wait", 400, "GET", f"/api/v1/runs/{run}/wait?timeout={WAIT_MOST + 1}", None, {}),
        ("unknown parameter", 400, "GET", "/api/v1/runs?limits=1", None, {}),
        ("parameter twice", 400, "GET", "/api/v1/runs?limit=1&limit=2", None, {}),
        ("bad escape", 400, "GET", "/api/v1/runs?text=%zz", None, {}),
        ("nul in query", 400, "GET", "/api/v1/runs?text=%00", None, {}),
        ("bad cursor", 400, "GET", "/api/v1/runs?before=x", None, {}),
        ("command of none", 404, "POST", f"/api/v1/runs/{NOBODY}/commands", '{"command":"approve"}',
         json_type),
        ("unknown command", 422, "POST", f"/api/v1/runs/{run}/commands", '{"command":"x"}',
         json_type),
        ("answer of nothing", 422, "POST", f"/api/v1/runs/{run}/commands", '{"command":"answer"}',
         json_type),
        ("no thread", 404, "GET", f"/api/v1/threads/{NOBODY}", None, {}),
        ("unknown path", 404, "GET", "/api/v1/nothing", None, {}),
        ("slash", 404, "GET", "/api/v1/runs/", None, {}),
        ("slashes", 400, "GET", "/api/v1//runs", None, {}),
        ("dots", 400, "GET", "/api/v1/runs/../agents", None, {}),
        ("escaped dots", 400, "GET", "/api/v1/runs/%2e%2E/agents", None, {}),
        ("escaped slash", 400, "GET", "/api/v1/runs%2Fx", None, {}),
        ("nul", 400, "GET", "/api/v1/runs/%00", None, {}),
        ("backslash", 400, "GET", "/api/v1/runs/%5cx", None, {}),
        ("half escape", 400, "GET", "/api/v1/runs/%2", None, {}),
        ("method", 405, "PUT", create, None, {}),
        ("method of a run", 405, "POST", f"/api/v1/runs/{run}", None, {}),
        ("options", 405, "OPTIONS", create, None, {}),
        ("trace", 405, "TRACE", create, None, {}),
    ]
    problems = []
    for name, wanted, method, path, text, headers in cases:
        reply = server.ask(method, path, text, headers=headers)
        try:
            problem = reply.json
            good = (reply.status == wanted and problem["status"] == wanted
                    and reply.headers["content-type"] == "application/problem+json"
                    and problem["error"]["message"] and problem["detail"])
        except (ValueError, KeyError):
            good = False
        if not good:
            problems.append(f"{name}: wanted {wanted}, found {reply.status} {reply.body[:200]}")
    check_none("bad_input_gets_a_problem", problems)
    big = '{"agent":"quick","task":"' + "x" * BODY_MOST + '"}'
    check("a_body_past_the_limit",
          server.ask("POST", create, big, headers=json_type).status, 413)
    fits = '{"agent":"quick","task":"' + "x" * (BODY_MOST - 40) + '"}'
    check("a_body_at_the_limit",
          server.ask("POST", create, fits, headers=json_type).status in (201, 413, 422))
    head = server.ask("HEAD", "/ok")
    check("head_is_get_without_a_body", (head.status, head.body), (200, b""))


def test_specs(directory):
    """Specs of a directory, and a spec that changes."""
    specs = directory / "specs"
    specs.mkdir()
    write_files(specs, QUICK)
    (specs / "broken.yaml").write_text("haft: 1\nname: broken\nmodel: nobody:x\nturns: 5\n")
    (specs / "other.yaml").write_text("a: 1\n")
    with Server(directory, "specs/") as server:
        check("other_files_are_named",
              wait_for(lambda: any("other.yaml" in line and "skipped" in line
                                   for line in server.warnings)) is not None)
        agents = server.get("/api/v1/agents").json["agents"]
        check("agents_of_a_directory", [(a["name"], a["usable"]) for a in agents],
              [("broken", False), ("quick", True)])
        check("a_broken_spec_says_why", "broken.yaml" in agents[0]["error"]["where"])
        check("a_broken_spec_starts_no_run",
              server.post("/api/v1/runs", {"agent": "broken", "task": "x"}).status, 409)
        write_files(specs, agent("late", [{"text": "I am new."}]))
        check("a_new_file_is_served", wait_for(
            lambda: server.get("/api/v1/agents/late").status == 200) is not None)
        write_files(specs, agent("quick", [{"text": "Changed."}], description="changed"))
        check("a_changed_file_is_read_again", wait_for(
            lambda: server.get("/api/v1/agents/quick").json["description"] == "changed")
            is not None)
        run = server.start("quick")["run"]
        check("new_runs_use_it", server.wait(run)["answer"], "Changed.")
    failed = subprocess.run([HAFT, "serve", "specs/broken.yaml", "--listen", "127.0.0.1:0"],
                            cwd=directory, capture_output=True, text=True, check=False)
    check("a_named_spec_must_be_usable", (failed.returncode, "broken.yaml" in failed.stderr),
          (2, True))


def test_secrets(directory):
    """A secret of the environment that a tool prints is in no response and no log line."""
    leak = {"name": "leak", "description": "Prints a secret from its environment.", "args": [],
            "command": ["sh", "-c", "echo key $KEY"], "env": {"KEY": "${CANARY_KEY}"},
            "traits": {"read_only": True}}
    write_files(directory, agent("leaker", [{"calls": [{"name": "leak", "arguments": {}}]},
                                            {"text": f"It is {SECRET}."}], [leak]))
    with Server(directory, "leaker.json", store="sqlite:leak.db",
                env={"CANARY_KEY": SECRET}) as server:
        run = server.start("leaker", f"Print {SECRET}")["run"]
        server.wait(run)
        paths = ["", "/events", "/export", "/export?format=markdown", "/turns/2/request",
                 "/turns/2/reply", "/picture.svg"]
        found = [path for path in paths
                 if SECRET in server.get(f"/api/v1/runs/{run}{path}").body.decode()]
        found += [path for path in ("/api/v1/runs", "/api/v1/agents/leaker", "/api/v1/system",
                                    "/api/v1/threads", "/api/v1/agents/leaker/tools")
                  if SECRET in server.get(path).body.decode()]
        found += [str(item) for item in server.stream(run) if SECRET in str(item)]
        check("the_tool_has_printed_it", "key" in server.get(f"/api/v1/runs/{run}/export").body
              .decode())
        server.stop()
        found += [line for line in server.warnings if SECRET in line]
        check("no_response_has_the_secret", found, [])


def main():
    with tempfile.TemporaryDirectory(prefix="haft-serve-") as scratch:
        directory = Path(scratch)
        write_files(directory, *AGENTS)
        names = [name for files in AGENTS for name in files if not name.endswith(".script.json")]
        urls = [(name, new()) for name, new in stores(scratch)] + [("memory", "memory:")]
        for name, url in urls:
            with Server(directory, *names, store=url) as server:
                test_run(server, name)
                test_live(server, name)
                test_approval(server, name, directory)
                test_cancel(server, name)
                test_threads(server, name)
                test_lists(server, name)
                test_key(server, name)
                test_batch(server, name)
                test_fork(server, name)
                test_graph(server, name)
                test_details(server, name)
                if name == "sqlite":
                    test_bad(server)
                check(f"{name}_the_server_stops", server.stop(), 0)
        test_specs(directory)
        test_secrets(directory)


main()
