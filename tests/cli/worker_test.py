#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers share one store: one of them continues each run, whichever of them dies."""
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))
import history  # noqa: E402
import script  # noqa: E402
from script import wait_for  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # timeout in seconds of events that must happen soon
FULL = os.environ.get("HAFT_LONG") == "1"
RUNS, WORKERS, EACH = (2000, 4, 1.0) if FULL else (80, 3, 0.2)


def check(name, found, wanted):
    script.check(f"{kind} {name}", found, wanted)


def haft(*words, env=None, cwd=None):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, cwd=cwd or scratch, env=env or environment,
                          timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def worker(*words, env=None):
    """Starts a worker; its output goes to files, so that it never waits for a reader."""
    worker.count += 1
    out = open(Path(scratch) / f"worker{worker.count}.out", "w+")
    err = open(Path(scratch) / f"worker{worker.count}.err", "w+")
    process = subprocess.Popen([HAFT, "worker", *map(str, words)], cwd="/", stdout=out, stderr=err,
                               stdin=subprocess.DEVNULL, env=env or environment)
    process.files = out, err
    return process


worker.count = 0


def output_of(process, at=1):
    process.files[at].seek(0)
    return process.files[at].read()


def reports(process):
    return [json.loads(line) for line in output_of(process, 0).splitlines() if line.endswith("}")]


def stop(process, how=signal.SIGTERM):
    process.send_signal(how)
    return process.wait(timeout=LONG)


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, cwd=scratch,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def spec(name, replies, tools=(), **more):
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": list(tools),
                                     "model": f"script:{name}.script.json"}, **more))


def tool(name, command=None, **more):
    made = {"name": name, "description": f"Does {name} for the tests of haft.", "args": []}
    return dict(made, **({"command": ["sh", "-c", command]} if command else {"headless": True}),
                **more)


def calls(*names):
    return {"calls": [{"name": name} for name in names]}


def runs():
    """All runs, the oldest first; at most a thousand."""
    return json.loads(haft("runs", "list", "--json")[1])["runs"][::-1]


def is_open():
    return bool(json.loads(haft("runs", "list", "--json", "--open", "--limit", 1)[1])["runs"])


def states():
    return Counter(run["end"] or run["state"] for run in runs())


def run_of(run):
    return next(one for one in runs() if one["run"] == run)


def events(run):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def detach(path, task, *more):
    status, out, err = haft("run", path, task, "--detach", *more)
    return out.strip() if status == 0 else (status, out, err)


def effects(name):
    path = Path(scratch) / name
    return path.read_text().split() if path.exists() else []


def thread():
    thread.count += 1
    return f"01k0000000000000000000{thread.count:04d}"


thread.count = 0


def test_detached_runs_are_done():
    path = spec("plain", [calls("do"), {"text": "fine"}], [tool("do", "pwd; echo x >> plain.log")])
    ids = [detach(path, f"task {n}") for n in range(5)]
    check("detached_runs_are_queued", states(), Counter({"queued": 5}))
    one = worker("--until-idle", "--json", "--concurrency", 2)
    check("worker_ends_when_all_runs_are_done", (one.wait(timeout=LONG), output_of(one)), (0, ""))
    check("all_are_done", states(), Counter({"done": 5}))
    check("each_effect_happens_once", len(effects("plain.log")), 5)
    reported = reports(one)
    check("each_run_is_reported",
          ({n["run"] for n in reported if n["what"] == "taken"},
           {n["run"] for n in reported if n["what"] == "ended"}), (set(ids), set(ids)))
    check("oldest_runs_are_claimed_first",
          [n["run"] for n in reported if n["what"] == "taken"][:2], ids[:2])
    status, out, _ = haft("run", path, "again", "--detach", "--json")
    out = json.loads(out)
    check("detach_prints_an_object", (status, out["end"], out["turns"]), (0, "queued", 0))
    two = worker("--until-idle")
    lines = (two.wait(timeout=LONG), output_of(two).splitlines())[1]
    check("text_output_has_a_line_for_each_report",
          lines, [f"{out['run']} taken", f"{out['run']} ended done, 2 turns"])
    three = worker("--until-idle", "--quiet")
    check("worker_without_runs_prints_nothing",
          (three.wait(timeout=LONG), output_of(three), output_of(three, 0)), (0, "", ""))


def test_pauses():
    """A waiting run takes no slot; after an answer a worker continues it."""
    path = spec("asks", [calls("look"), {"text": "seen"}], [tool("look")])
    ids = [detach(path, f"task {n}") for n in range(6)]
    one = worker("--json", "--concurrency", 2, "--poll", 50)
    wait_for(lambda: states() == Counter({"waiting": 6}))
    check("all_runs_wait", states(), Counter({"waiting": 6}))
    wait_for(lambda: Counter(n["what"] for n in reports(one)) == Counter(taken=6, waits=6))
    check("waiting_runs_are_released",
          Counter(n["what"] for n in reports(one)), Counter(taken=6, waits=6))
    check("released_runs_can_be_answered", [haft("answer", run, '"x"', "--quiet")[0]
                                            for run in ids[:2]], [0, 0])
    check("worker_stops", stop(one), 0)
    check("answered_runs_are_done", states(), Counter({"waiting": 4, "done": 2}))


def test_deadlines():
    path = spec("patient", [calls("look"), {"text": "gone on"}], [tool("look")],
                pauses={"headless": {"deadline": "300ms", "on_expire": "reject"}})
    detach(path, "wait")
    one = worker("--json", "--poll", 50)
    wait_for(lambda: states() == Counter({"done": 1}))
    check("deadline_is_applied", states(), Counter({"done": 1}))
    reported = [n["what"] for n in reports(one) if n["what"] != "taken"]
    check("run_was_released_meanwhile",
          (reported[0], reported[-1], stop(one)), ("waits", "ended", 0))


def test_threads():
    """The runs of each thread one after the other, over three workers."""
    path = spec("talk", [calls("do"), {"text": "output_of"}],
                [tool("do", "sleep 0.02; echo $HAFT_IDEMPOTENCY_KEY >> talk.log")])
    workers = [worker("--concurrency", 3, "--poll", 30, "--quiet") for _ in range(3)]
    talks = {thread(): [] for _ in range(3)}
    for n in range(4):
        for where, ids in talks.items():
            ids.append(detach(path, f"say {n}", "--thread", where))
    wait_for(lambda: states()["done"] == 12)
    check("all_talks_are_done", states(), Counter({"done": 12}))
    order = [line.split(":")[0] for line in effects("talk.log")]
    check("runs_of_a_thread_keep_their_order",
          [[run for run in order if run in ids] for ids in talks.values()],
          list(talks.values()))
    logs = [[events(run) for run in ids] for ids in talks.values()]
    check("run_starts_when_the_one_before_has_ended",
          all(a[-1]["at"] <= b[1]["at"] for log in logs for a, b in zip(log, log[1:])), True)
    check("workers_stop", [stop(one) for one in workers], [0, 0, 0])


def test_multitask():
    where = thread()
    slow = spec("slow", [calls("do"), {"text": "slow"}],
                [tool("do", "touch slow.began; sleep 60", traits={"read_only": True})])
    quick = spec("quick", [{"text": "quick"}])
    pushy = spec("pushy", [{"text": "pushy"}], multitask="interrupt")
    picky = spec("picky", [{"text": "picky"}], multitask="reject")
    workers = [worker("--poll", 30, "--quiet") for _ in range(2)]
    first = detach(slow, "first", "--thread", where)
    second = detach(quick, "second", "--thread", where)
    wait_for((Path(scratch) / "slow.began").exists)
    refused = haft("run", picky, "third", "--thread", where, "--detach")
    check("run_with_reject_is_refused", (refused[0], first in refused[2]), (6, True))
    check("enqueue_waits", run_of(second)["state"], "queued")
    last = detach(pushy, "last", "--thread", where)
    wait_for(lambda: run_of(last)["end"])
    check("interrupt_cancels_earlier_runs", [run_of(run)["end"] for run in [first, second, last]],
          ["cancelled", "cancelled", "done"])
    check("workers_stop", [stop(one) for one in workers], [0, 0])


def test_interrupters():
    """Many runs that interrupt each other at once: none hangs, and one is left."""
    pushy = spec("pushy", [{"text": "pushy"}], multitask="interrupt")
    for where in [thread() for _ in range(3)]:
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(haft, "run", pushy, "go", "--thread", where, "--detach")
                    for _ in range(8)]
        check("each_gets_its_id", [job.result()[0] for job in jobs], [0] * 8)
    one = worker("--poll", 30, "--until-idle", "--quiet")
    check("a_worker_continues", one.wait(timeout=LONG), 0)
    check("the_last_of_each_thread_is_left", states(), Counter({"cancelled": 21, "done": 3}))


def test_sigterm():
    """Calls with effects finish; repeatable calls are left for another worker."""
    put("gate", "")
    os.unlink(Path(scratch) / "gate")
    effect = ("echo $HAFT_IDEMPOTENCY_KEY >> held.log; while [ ! -e gate ]; do sleep 0.02; done; "
              "echo done >> held.log")
    held = spec("held", [calls("do"), {"text": "held"}], [tool("do", effect)])
    looks = spec("looks", [calls("look"), {"text": "looked"}],
                 [tool("look", "echo begun >> looks.log; while [ ! -e gate ]; do sleep 0.02; done",
                       traits={"read_only": True})])
    ids = [detach(held, "one"), detach(looks, "two")]
    one = worker("--json", "--poll", 30)
    wait_for(lambda: effects("held.log") and effects("looks.log"))
    one.send_signal(signal.SIGTERM)
    late = detach(spec("late", [{"text": "late"}]), "three")
    wait_for(lambda: any(n["what"] == "released" for n in reports(one)))
    check("a_run_that_reads_is_released",
          [n["run"] for n in reports(one) if n["what"] == "released"],
          [ids[1]])
    check("a_call_with_effects_continues", one.poll(), None)
    put("gate", "")
    check("worker_exits_with_0", one.wait(timeout=LONG), 0)
    check("no_more_runs_are_claimed", late in [n["run"] for n in reports(one)], False)
    check("call_with_effects_is_complete", len(effects("held.log")), 2)
    check("no_run_has_ended", states(), Counter({"running": 2, "queued": 1}))
    two = worker("--until-idle", "--quiet")
    check("another_worker_ends_the_runs",
          (two.wait(timeout=LONG), states()), (0, Counter({"done": 3})))
    check("the_effect_was_not_repeated", len(effects("held.log")), 2)

    os.unlink(Path(scratch) / "gate")
    os.unlink(Path(scratch) / "held.log")
    detach(held, "four")
    three = worker("--poll", 30)
    wait_for(lambda: effects("held.log"))
    three.send_signal(signal.SIGINT)
    wait_for(lambda: "second signal" in output_of(three))
    three.send_signal(signal.SIGINT)
    check("a_second_signal_stops_at_once", (three.wait(timeout=LONG), len(effects("held.log"))),
          (0, 1))
    four = worker("--until-idle", "--quiet")
    check("outcome_of_the_stopped_call_is_unknown",
          (four.wait(timeout=LONG), states()["waiting"]), (0, 1))


def change_version(by):
    """Changes the version of the tables, and the oldest program version that can use them."""
    url = environment["HAFT_STORE"]
    if kind == "sqlite":
        store = sqlite3.connect(url.partition(":")[2])
        (version,) = store.execute("PRAGMA user_version").fetchone()
        store.execute(f"PRAGMA user_version = {version + by}")
        store.close()
    else:
        subprocess.run(["psql", "-qX", url, "-c", "UPDATE haft.meta SET version = version + "
                        f"({by}), oldest = oldest + ({by})"], check=True)


def count_messages():
    url, query = environment["HAFT_STORE"], "SELECT count(*) FROM {}messages"
    if kind == "sqlite":
        store = sqlite3.connect(url.partition(":")[2])
        (count,) = store.execute(query.format("")).fetchone()
        store.close()
        return count
    done = subprocess.run(["psql", "-qXAt", url, "-c", query.format("haft.")], check=True,
                          text=True, capture_output=True)
    return int(done.stdout)


def test_cancel_before_all():
    """A worker that claims a cancelled run starts nothing: neither the interrupted call, nor the
    model, nor the next call."""
    path = spec("halted", [calls("slow"), calls("wire"), {"text": "good"}],
                [tool("slow", "echo slow >> halted.log; sleep 300", traits={"idempotent": True}),
                 tool("wire", "echo wire >> halted.log")])
    process = start("run", path, "go")
    wait_for(lambda: effects("halted.log"))
    (run,) = [one["run"] for one in runs()]
    process.send_signal(signal.SIGSTOP)
    canceller = start("cancel", run)
    wait_for(lambda: count_messages() == 1)
    for one in (canceller, process):
        one.kill()
        one.wait(timeout=LONG)
    one = worker("--until-idle")
    check("cancelled_run_ends", (one.wait(timeout=LONG), run_of(run)["end"]), (0, "cancelled"))
    kinds = [event["kind"] for event in events(run)]
    check("cancel_is_applied_before_anything_else",
          (effects("halted.log"), kinds[kinds.index("call_started") + 1:]),
          (["slow"], ["cancel_asked", "run_finished"]))


def test_a_later_store():
    """A later haft has changed the tables so that this version cannot use them: the worker ends."""
    slow = spec("later", [calls("do"), {"text": "fine"}],
                [tool("do", "echo x >> later.log; exec sleep 300")])
    quick = spec("before", [{"text": "fine"}])
    for name, path, begun in (("idle", quick, lambda: states()["done"] == 1),
                              ("busy", slow, lambda: effects("later.log"))):
        run = detach(path, "task")
        one = worker("--poll", 50)
        wait_for(begun)
        change_version(+98)
        check(f"worker_ends_when_{name}",
              (one.wait(timeout=LONG), "this haft supports" in output_of(one)),
              (1, True))
        check(f"new_worker_ends_when_{name}", worker().wait(timeout=LONG), 1)
        change_version(-98)
    check("run_of_the_ended_worker_can_be_cancelled",
          (run_of(run)["state"], haft("cancel", run)[0], run_of(run)["end"]),
          ("running", 130, "cancelled"))


def test_runs_that_cannot_continue():
    good = spec("good", [{"text": "good"}])
    keyed = spec("keyed", [{"text": "keyed"}],
                 [tool("do", "true", env={"KEY": "${HAFT_TEST_KEY}"})])
    changed = spec("changed", [{"text": "changed"}])
    script = spec("scriptless", [{"text": "x"}])
    with_key = dict(environment, HAFT_TEST_KEY="sesame")
    status, out, err = haft("run", keyed, "one", "--detach", env=with_key)
    check("run_that_needs_a_variable_is_detached", (status, len(out.strip()), err), (0, 26, ""))
    ids = [out.strip(), detach(changed, "two"), detach(script, "three")]
    put("changed.json", json.loads(changed.read_text()) | {"description": "Another."})
    os.unlink(Path(scratch) / "scriptless.script.json")
    ids.append(detach(good, "four"))
    one = worker("--until-idle", "--json")
    check("worker_exits_with_1_after_skipped_runs", one.wait(timeout=LONG), 1)
    reported = reports(one)
    left = {n["run"]: n["error"] for n in reported if n["what"] == "left"}
    check("bad_runs_are_skipped", sorted(left), sorted(ids[:3]))
    check("each_bad_run_is_reported_once",
          Counter(n["what"] for n in reported), Counter(taken=4, left=3, ended=1))
    check("a_variable_is_named", "HAFT_TEST_KEY" in left[ids[0]]["message"], True)
    check("a_change_is_reported", "the spec has changed" in left[ids[1]]["message"], True)
    check("good_run_is_done", run_of(ids[3])["end"], "done")
    check("skipped_runs_are_retried_after_5_s",
          [n["retry_ms"] for n in reported if n["what"] == "left"], [5000] * 3)
    two = worker("--until-idle", "--json", "--stored-spec", env=with_key)
    check("another_worker_can_continue_them",
          (two.wait(timeout=LONG),
           [run_of(run)["end"] for run in ids[:2]]), (1, ["done", "done"]))
    os.unlink(changed)
    gone = detach(spec("gone", [{"text": "gone"}]), "five")
    os.unlink(Path(scratch) / "gone.json")
    three = worker("--until-idle")
    three.wait(timeout=LONG)
    check("a_missing_spec_is_reported", "gone.json no longer exists" in output_of(three),
          True)
    check("run_continues_with_the_stored_spec", run_of(gone)["end"], "done")


CRASHES = 10  # work.crashes


class Deadly(BaseHTTPRequestHandler):
    """A model whose reply kills its client."""
    victim = None

    def do_POST(self):
        wait_for(lambda: Deadly.victim is not None)
        os.kill(Deadly.victim, signal.SIGKILL)

    def log_message(self, *words):
        pass


def send_to_death(*words):
    """The exit status of a worker when each worker that asks the model dies."""
    one = worker("--until-idle", "--json", *words)
    Deadly.victim = one.pid
    status = one.wait(timeout=LONG)
    Deadly.victim = None
    return status, one


def test_a_run_that_ends_its_workers():
    """A run that kills its workers without a tool fails after a number of crashes; other runs of
    the killed workers continue."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Deadly)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model = {"provider": "openai", "model": "m", "api_key": "none",
             "base_url": f"http://127.0.0.1:{server.server_port}/v1"}
    bad = detach(put("bad.json", {"haft": 1, "name": "bad", "tools": [], "model": model}), "go")
    path = spec("good", [{"text": "fine", "delay": 0.3}])
    good = [detach(path, f"good {n}") for n in range(5)]
    statuses, last = [], None
    while is_open() and len(statuses) < CRASHES + 5:
        status, last = send_to_death("--concurrency", 8)
        statuses.append(status)
    server.shutdown()
    server.server_close()
    # Before its first crash a run asks without waiting for the disk: one more request is possible.
    dead = statuses[:-1]
    check("workers_crash_a_limited_number_of_times", len(dead) in (CRASHES + 1, CRASHES + 2), True)
    check("last_worker_does_not_crash", (set(dead), statuses[-1]), ({-signal.SIGKILL}, 0))
    check("the_last_worker_reports_the_end",
          [one["end"] for one in reports(last) if one["run"] == bad and one["what"] == "ended"],
          ["failed"])
    check("others_are_done", [run_of(run)["end"] for run in good], ["done"] * len(good))
    log = events(bad)
    check("crash_limit_is_recorded", [one["kind"] for one in log],
          ["run_started", "turn_started", "model_failed", "run_finished"])
    check("crash_limit_is_the_reason",
          log[2]["message"].startswith(f"{CRASHES} processes in a row stopped"), True)
    check("failed_run_replays", haft("runs", "replay", bad)[0], 0)


def test_bad_words():
    for words in (["--concurrency", 0], ["--concurrency", 1001], ["--poll", 0], ["--poll", 60001],
                  ["--store", "memory:"], ["--accept-spec", "--stored-spec"], ["more"]):
        check(f"refused {' '.join(map(str, words))}", haft("worker", *words)[0], 2)
    for words in (["--concurrency", 1000], ["--poll", 60000]):
        check(f"accepted {' '.join(map(str, words))}", haft("worker", "--until-idle", *words)[0], 0)


def all_at_once(function, items):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(function, items))


def snapshot():
    return json.loads(haft("runs", "list", "--json", "--limit", 1000)[1])["runs"]


def kill_some():
    """Kills one worker after the other until all runs have ended: how many, how long it took,
    problems of the list meanwhile, and the exit statuses of the living."""
    begun, killed, problems, before = time.monotonic(), 0, [], snapshot()
    crew = [worker("--concurrency", 4, "--poll", 50, "--quiet") for _ in range(WORKERS)]
    while is_open() and time.monotonic() - begun < (3600 if FULL else LONG):
        time.sleep(EACH)
        at = random.randrange(WORKERS)
        crew[at].kill()
        crew[at].wait()
        crew[at] = worker("--concurrency", 4, "--poll", 50, "--quiet")
        killed += 1
        if killed % 20 == 0:
            before, last = snapshot(), before
            problems += history.check_rows(last, before)
    took = time.monotonic() - begun
    return killed, took, problems + history.check_rows(before, snapshot()), [stop(c) for c in crew]


def test_kills():
    """Workers die all the time: no run is lost, no effect happens twice."""
    line = 'echo "$HAFT_IDEMPOTENCY_KEY {} $$ $HAFT_EPOCH" >> effects.log; sleep 0.05'
    tools = [tool("idem", line.format("idem"), traits={"idempotent": True}),
             tool("once", line.format("once"), traits={"on_unknown": "tell"})]
    path = spec("hard", [calls("idem", "once"), calls("idem"), {"text": "through"}], tools)
    ids = all_at_once(lambda n: detach(path, f"task {n}"), range(RUNS))
    killed, took, problems, codes = kill_some()
    # A worker that has just started has no signal handler yet.
    check("no_worker_failed", set(codes) <= {0, -signal.SIGTERM}, True)
    check("some_workers_were_killed", killed > 0, True)
    histories = dict(zip(ids, all_at_once(events, ids)))
    ends = Counter(log[-1].get("end") if log else None for log in histories.values())
    check("no_run_is_lost", ends, Counter({"done": RUNS}))
    for run, log in histories.items():
        problems += history.check_events(run, log)
    effect_log = [tuple(one.split()) for one in
                  (Path(scratch) / "effects.log").read_text().splitlines()]
    problems += history.check_effects(histories, effect_log, {"idem": "idempotent", "once": "once"})
    check("every_history_is_correct", problems[:10], [])
    once = Counter(key for key, name, *_ in effect_log if name == "once")
    check("no_effect_happens_twice", [key for key, count in once.items() if count > 1], [])
    idem = Counter(key for key, name, *_ in effect_log if name == "idem")
    check("each_call_was_started", len(idem) >= RUNS, True)
    replays = [haft("runs", "replay", run)[0] for run in random.sample(ids, 5)]
    check("replays_are_identical", replays, [0] * 5)
    print(f"# {kind}: {RUNS} runs, {WORKERS} workers, {killed} killed, {took:.1f} s; "
          f"{sum(map(len, histories.values()))} events, {len(effect_log)} effects, "
          f"{sum(idem.values()) - len(idem)} repeated under the same key, "
          f"{RUNS - len(once)} that were never begun", flush=True)


def test_idle_costs():
    """Printed; only a value far out of bounds fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    one = worker("--quiet")
    time.sleep(3)
    stop(one)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"# an idle worker: {spent * 1000 / 3:.1f} ms of CPU time a second")
    check("an_idle_worker_is_idle", spent < 1.5, True)


TESTS = [test_detached_runs_are_done, test_pauses, test_deadlines, test_threads, test_multitask,
         test_interrupters, test_sigterm, test_cancel_before_all, test_a_later_store,
         test_runs_that_cannot_continue, test_a_run_that_ends_its_workers, test_bad_words,
         test_kills, test_idle_costs]
scratch_parent = tempfile.TemporaryDirectory()
for kind, new_store in stores(scratch_parent.name):
    for test in TESTS:
        if not all(word in f"{kind} {test.__name__}" for word in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            environment = {"PATH": os.environ["PATH"], "HOME": scratch, "HAFT_STORE": new_store()}
            test()
scratch_parent.cleanup()
