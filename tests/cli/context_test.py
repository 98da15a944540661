#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in small contexts: examples/long.yaml, forks and resumed runs after a cut, bars
(docs/context.md)."""
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parents[2]
WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliet "


def haft(*words, **more):
    return subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, cwd=scratch,
                          check=False, **more)


def events(done):
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def of(log, kind):
    return [e for e in log if e["kind"] == kind]


def test_long():
    spec = ROOT / "examples/long.yaml"
    done = haft("run", spec, "Read 300 files.", "--events", "--store", "long.db")
    log = events(done)
    check("three_hundred_files_are_read", (done.returncode, log[-1]["end"],
                                           len(of(log, "call_finished"))), (0, "done", 302))
    changes = of(log, "context_changed")
    check("observations_and_turns_gave_way", {e["what"] for e in changes}, {"cleared", "cut"})
    replies = of(log, "model_replied")
    check("every_request_fits", [e["seq"] for e in replies
                                 if e["context"]["estimated"] > e["context"]["tokens"] - 2000], [])
    check("the_answer_cites_the_first_file", "c1.1" in log[-1]["answer"], True)
    first = [e["result"] for e in of(log, "call_finished") if e["call"] in ("c1.1", "c101.1")]
    check("the_first_file_is_reachable", first[1].startswith(first[0][:200]), True)
    replay = haft("runs", "replay", log[0]["run"], "--store", "long.db")
    check("the_long_run_replays", (replay.returncode, replay.stderr), (0, ""))
    return log


def test_fork(log):
    """A fork after a cut continues with the shortened history."""
    turn = [e["turn"] for e in of(log, "context_changed") if e["what"] == "cut"][-1]
    cut = [e["seq"] for e in of(log, "turn_started") if e["turn"] == turn + 1][0] - 1
    fork = haft("runs", "fork", log[0]["run"], "--turn", turn, "--store", "long.db", "--json")
    name = json.loads(fork.stdout)["run"]
    done = haft("resume", name, "--events", "--store", "long.db")
    rest = events(done)
    check("a_fork_continues_after_a_cut", (done.returncode, rest[-1]["end"]), (0, "done"))
    mine = [e["context"]["estimated"] for e in of(log, "model_replied") if e["seq"] > cut]
    check("its_requests_have_the_same_size",
          [e["context"]["estimated"] for e in of(rest, "model_replied") if e["seq"] > cut], mine)
    replay = haft("runs", "replay", name, "--store", "long.db")
    check("the_fork_replays", replay.returncode, 0)


def test_summary():
    """Two scripts: that of the run, and that of the model which summarises."""
    (Path(scratch) / "spec.yaml").write_text(json.dumps({
        "haft": 1, "name": "sums", "model": "script:run.yaml",
        "tools": [{"name": "look", "description": "Looks.", "headless": True}],
        "context": {"tokens": 1000, "reserve": 100, "clear": False,
                    "summarise": {"at": 60, "keep": 1, "model": {
                        "provider": "script", "model": "sum.yaml",
                        "price": {"input": 1, "output": 1}}}}}))
    turn = {"calls": [{"name": "look", "arguments": {}}]}
    (Path(scratch) / "run.yaml").write_text(json.dumps({
        "replies": [turn, turn, {"expect": {"contains": "First summary."}, "calls": turn["calls"]},
                    turn, {"expect": {"contains": "Second summary."}, "text": "Done."}],
        "results": {"look": [WORDS * 30, WORDS * 40, WORDS * 30, WORDS * 2]}}))
    (Path(scratch) / "sum.yaml").write_text(json.dumps({"replies": [
        {"text": "First summary.", "usage": {"input_tokens": 1000, "output_tokens": 10}},
        {"expect": {"contains": "First summary."}, "text": "Second summary."}]}))
    done = haft("run", "spec.yaml", "Sum up.", "--events", "--store", "s.db")
    log = events(done)
    first = [e["what"] for e in of(log, "context_changed")][:2]
    check("a_model_summarises", (log[-1]["end"], first), ("done", ["summarised", "summarised"]))
    check("a_summary_costs_money", log[-1]["usage"]["cost_usd"], 0.00101)
    check("the_run_with_summaries_replays",
          haft("runs", "replay", log[0]["run"], "--store", "s.db").returncode, 0)
    fork = haft("runs", "fork", log[0]["run"], "--turn", 3, "--store", "s.db", "--json")
    done = haft("resume", json.loads(fork.stdout)["run"], "--events", "--store", "s.db")
    check("a_fork_asks_for_its_own_second_summary",
          (events(done)[-1]["end"], "summary_started" in done.stdout), ("done", True))


def test_full():
    (Path(scratch) / "full.yaml").write_text(json.dumps({
        "haft": 1, "name": "full", "model": "script:one.yaml", "instructions": WORDS * 60,
        "context": {"tokens": 500, "reserve": 50}}))
    (Path(scratch) / "one.yaml").write_text(json.dumps({"replies": [{"text": "Never sent."}]}))
    done = haft("run", "full.yaml", "Go.", "--events", "--store", "f.db")
    end = events(done)[-1]
    check("a_request_that_cannot_fit_ends_the_run",
          (end["end"], end["error"]["status"], end["error"]["where"],
           "system prompt" in end["error"]["message"]), ("failed", "TOO_BIG", "context", True))
    check("nothing_was_sent", len(of(events(done), "model_replied")), 0)


def test_explain():
    done = haft("explain", "full.yaml")
    check("explain_prints_the_budget", "context\n  [" in done.stdout
          and "450 tokens, and 50 for the reply" in done.stdout, True)
    found = json.loads(haft("explain", "full.yaml", "--json").stdout)["context"]
    check("explain_has_the_budget_as_json", (found["tokens"], found["reserve"],
                                             found["clear"], found["estimated"] > 450),
          (500, 50, {"at": 75, "keep": 3}, True))


class Slow(http.server.BaseHTTPRequestHandler):
    """A model server that gets requests for summaries and does not answer them."""
    asked = threading.Event()
    answers = False

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Slow.asked.set()
        if not Slow.answers:
            time.sleep(600)
        body = json.dumps({"choices": [{"finish_reason": "stop", "message": {
            "role": "assistant", "content": "A summary of a server."}}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 9}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def write_killed(url, instructions="Sum up."):
    (Path(scratch) / "killed.yaml").write_text(json.dumps({
        "haft": 1, "name": "killed", "model": "script:killed.run.yaml",
        "instructions": instructions,
        "tools": [{"name": "look", "description": "Looks.", "headless": True}],
        "context": {"tokens": 1000, "reserve": 100, "clear": False,
                    "summarise": {"at": 60, "keep": 1, "model": {
                        "provider": "llamacpp", "model": "m", "base_url": url,
                        "options": {"stream": False}}}}}))


def kill_during_summary(url, store):
    """A run that is killed while it waits for a summary. Returns its events."""
    turn = {"calls": [{"name": "look", "arguments": {}}]}
    (Path(scratch) / "killed.run.yaml").write_text(json.dumps({
        "replies": [turn, turn, turn, {"text": "Done."}],
        "results": {"look": [WORDS * 30, WORDS * 40, WORDS * 2]}}))
    write_killed(url)
    Slow.asked.clear()
    Slow.answers = False
    run = subprocess.Popen([HAFT, "run", "killed.yaml", "Sum up.", "--quiet", "--store", store],
                           cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    Slow.asked.wait(120)
    run.kill()
    run.wait()
    Slow.answers = True
    return events(haft("runs", "events", "last", "--store", store))


def test_killed():
    """A process is killed after summary_started; another one asks for the summary again, also with
    a changed spec."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    for name, words in (("same", []), ("changed", ["--accept-spec"])):
        store = f"killed-{name}.db"
        log = kill_during_summary(url, store)
        check(f"killed_during_a_summary_{name}", (log[-1]["kind"] in ("turn_started",
              "summary_started"), [e for e in log if e.get("summary")]), (True, []))
        if words:
            write_killed(url, "Sum up, briefly. " + WORDS)
        done = haft("resume", log[0]["run"], "--events", "--store", store, *words)
        rest = events(haft("runs", "events", log[0]["run"], "--store", store))
        check(f"the_summary_arrives_later_{name}",
              (done.returncode, rest[-1]["end"],
               "A summary of a server." in [e.get("text", "")[:22] for e in of(
                   rest, "context_changed") if e["what"] == "summarised"]), (0, "done", True))
        check(f"the_summary_counts_once_{name}",
              len([e for e in of(rest, "model_replied") if e.get("summary")]),
              len([e for e in of(rest, "context_changed") if e["what"] == "summarised"]))
        replay = haft("runs", "replay", log[0]["run"], "--store", store)
        check(f"it_replays_{name}", (replay.returncode, replay.stderr), (0, ""))
    server.shutdown()


def test_other_spec(log):
    """A run that was cut continues with another spec, and with a smaller context."""
    run = log[0]["run"]
    turn = [e["turn"] for e in of(log, "context_changed") if e["what"] == "cut"][0]
    fork = json.loads(haft("runs", "fork", run, "--turn", turn + 1, "--store", "long.db",
                           "--json").stdout)["run"]
    done = haft("resume", fork, "--accept-spec", "--set", "context.tokens=12000", "--events",
                "--store", "long.db")
    rest = events(haft("runs", "events", fork, "--store", "long.db"))
    later = rest[[e["kind"] for e in rest].index("spec_changed"):] if of(
        rest, "spec_changed") else []
    check("a_cut_run_continues_with_another_spec",
          (done.returncode, rest[-1].get("end"), len(of(later, "context_changed")) > 0),
          (0, "done", True))
    check("its_requests_fit_the_smaller_context",
          [e["seq"] for e in of(later, "model_replied")
           if e["context"]["estimated"] > 12000 - 2000], [])
    replay = haft("runs", "replay", fork, "--store", "long.db")
    check("the_run_with_two_specs_replays", (replay.returncode, replay.stderr), (0, ""))


scratch = tempfile.mkdtemp()
try:
    long = test_long()
    test_fork(long)
    test_other_spec(long)
    test_killed()
    test_summary()
    test_full()
    test_explain()
finally:
    shutil.rmtree(scratch)
