# SPDX-License-Identifier: Apache-2.0
"""Reads every run of a store and lists the problems of its history.

This module does not know how haft decides: its rules are those of docs/guarantees.md, applied to
the events that `haft runs events` prints, the rows of `haft runs list --json` and an effect log.
"""
import json
from collections import Counter, defaultdict

REPEATABLE = ("read_only", "idempotent")


def check_events(run, events):
    """One run: consecutive sequence numbers, one start, at most one end and nothing after it."""
    problems = []
    for number, event in enumerate(events, 1):
        if event["seq"] != number:
            problems.append(f"{run}: event {number} has the number {event['seq']}")
        if event["run"] != run:
            problems.append(f"{run}: event {number} is of the run {event['run']}")
    kinds = [event["kind"] for event in events]
    if not kinds or kinds[0] != "run_started":
        problems.append(f"{run}: it does not begin with run_started")
    if kinds.count("run_started") > 1:
        problems.append(f"{run}: it begins {kinds.count('run_started')} times")
    ends = kinds.count("run_finished")
    if ends > 1:
        problems.append(f"{run}: {ends} terminal events")
    if ends and kinds[-1] != "run_finished":
        problems.append(f"{run}: {kinds[-1]} comes after its end")
    return problems + check_calls(run, events)


def check_calls(run, events):
    """Each call: attempts that count up under one key, one result, one answer per question."""
    problems = []
    attempts, keys, done, open_pause = Counter(), {}, Counter(), Counter()
    for event in events:
        kind, call = event["kind"], event.get("call")
        where = f"{run} {call}"
        if kind == "call_started":
            attempts[call] += 1
            if event["attempt"] != attempts[call]:
                problems.append(f"{where}: attempt {event['attempt']} comes as the "
                                f"{attempts[call]}.")
            if keys.setdefault(call, event["idempotency_key"]) != event["idempotency_key"]:
                problems.append(f"{where}: its key has changed")
            if done[call]:
                problems.append(f"{where}: it starts again after its result")
        elif kind in ("call_finished", "call_refused"):
            done[call] += 1
            if done[call] > 1:
                problems.append(f"{where}: {done[call]} results")
        elif kind == "paused":
            open_pause[call] += 1
            if open_pause[call] > 1:
                problems.append(f"{where}: it is paused while it is paused")
        elif kind == "answered":
            open_pause[call] -= 1
            if open_pause[call] < 0:
                problems.append(f"{where}: it is answered twice")
    return problems


def check_row(row, events):
    """The row of a run agrees with its events."""
    run, problems = row["run"], []
    ended = events and events[-1]["kind"] == "run_finished"
    if (row["state"] == "ended") != bool(ended):
        problems.append(f"{run}: the list says {row['state']}, its last event is "
                        f"{events[-1]['kind'] if events else 'not there'}")
    elif ended and row["end"] != events[-1]["end"]:
        problems.append(f"{run}: the list says {row['end']}, its events say {events[-1]['end']}")
    if row.get("seq", len(events)) != len(events):
        problems.append(f"{run}: the list says {row['seq']} events, there are {len(events)}")
    return problems


def check_rows(before, after):
    """Two reads of a store: stored events stay, epochs and sequence numbers only grow."""
    problems, later = [], {row["run"]: row for row in after}
    for row in before:
        now = later.get(row["run"])
        if now is None:
            problems.append(f"{row['run']}: it does not exist any more")
            continue
        for what in ("seq", "epoch"):
            if what in row and now[what] < row[what]:
                problems.append(f"{row['run']}: its {what} went from {row[what]} to {now[what]}")
        if row["state"] == "ended" and (now["state"], now["end"]) != ("ended", row["end"]):
            problems.append(f"{row['run']}: it had ended as {row['end']} and is {now['state']}")
    return problems


def allowed_effects(events, call, cls):
    """How often the call may have had its effect, according to the log."""
    starts = sum(e["kind"] == "call_started" and e["call"] == call for e in events)
    if cls in REPEATABLE or cls == "retry":
        return starts
    retries = sum(e["kind"] == "answered" and e["call"] == call and e["verdict"] == "retry"
                  for e in events)
    return min(starts, 1 + retries)


def check_effects(histories, log, classes):
    """Effects by class. `classes` has `read_only`, `idempotent`, `retry` or `once` of each tool;
    `histories` the events of each run; `log` the lines of the effect log, split."""
    problems, counts = [], Counter((key, tool) for key, tool, *_ in log)
    known, finished = {}, {}
    for run, events in histories.items():
        answered = {e["call"] for e in events if e["kind"] == "answered"
                    and e["verdict"] in ("answer", "respond")}
        for event in events:
            if event["kind"] == "call_started":
                known[event["idempotency_key"]] = (run, event["call"], event["tool"])
            elif event["kind"] == "call_finished" and event["ok"]:
                finished[run, event["call"]] = event["call"] in answered
    for (key, tool), count in counts.items():
        if key not in known:
            if classes[tool] != "read_only":
                problems.append(f"{key} {tool}: an effect that is in no log")
            continue
        run, call, name = known[key]
        if name != tool:
            problems.append(f"{key}: the log has {name}, the effect is {tool}'s")
        most = allowed_effects(histories[run], call, classes[tool])
        if count > most and classes[tool] != "read_only":
            problems.append(f"{key} {tool}: {count} effects, at most {most} are allowed")
    for key, (run, call, tool) in known.items():
        if tool in classes and finished.get((run, call)) is False and not counts[key, tool]:
            problems.append(f"{key} {tool}: it succeeded without its effect")
    return problems + check_epochs(log)


def check_epochs(log):
    """Later attempts of a call have later epochs, if tools get the epoch."""
    problems, last = [], defaultdict(int)
    for key, tool, _, epoch in log:
        if epoch == "-":
            continue
        if int(epoch) < last[key]:
            problems.append(f"{key} {tool}: epoch {epoch} after epoch {last[key]}")
        last[key] = max(last[key], int(epoch))
    return problems


def read(store, rows=None):
    """The events of every run."""
    return {row["run"]: store.events(row["run"]) for row in (rows or store.runs())}


def check_store(store, log=(), classes=None, ended=True):
    """Every rule on every run of a store."""
    rows = store.runs()
    histories = read(store, rows)
    problems = []
    for row in rows:
        events = histories[row["run"]]
        problems += check_events(row["run"], events) + check_row(row, events)
        if ended and row["state"] != "ended":
            problems.append(f"{row['run']}: it has not ended, it is {row['state']}")
    return problems + check_effects(histories, list(log), classes or {})


def check_acknowledged(printed, kept):
    """Every event that was printed as durable is in the log, byte for byte."""
    problems = []
    for line in printed:
        seq = json.loads(line)["seq"]
        if seq > len(kept):
            problems.append(f"event {seq} was acknowledged and is lost: {line[:120]}")
        elif kept[seq - 1] != line:
            problems.append(f"event {seq} was acknowledged and differs:\n{line}\n"
                            f"{kept[seq - 1]}")
    return problems


def check_trees(store):
    """Every child_started has exactly one run, which names its parent; every child has one
    child_started, and ends before its parent does; ends agree."""
    problems, histories = [], read(store)
    started, finished = {}, {}
    for run, events in histories.items():
        for event in events:
            if event["kind"] == "child_started":
                if event["child"] in started:
                    problems.append(f"{event['child']}: it was started twice")
                started[event["child"]] = (run, event["call"])
            elif event["kind"] == "child_finished":
                if event["child"] in finished:
                    problems.append(f"{event['child']}: it finished twice")
                finished[event["child"]] = event["end"]
    for child, (run, call) in started.items():
        events = histories.get(child)
        if not events:
            problems.append(f"{child}: {run} started it, and it does not exist")
            continue
        first, last = events[0], events[-1]
        if (first["parent"], first.get("call")) != (run, call):
            problems.append(f"{child}: it names {first['parent']} {first.get('call')} as its start")
        ended = last["kind"] == "run_finished"
        if ended and child in finished and finished[child] != last["end"]:
            problems.append(f"{child}: it ended as {last['end']}, its parent says "
                            f"{finished[child]}")
        if histories[run][-1]["kind"] == "run_finished" and child not in finished:
            problems.append(f"{run}: it ended before its child {child}")
    for run, events in histories.items():
        if events and "root" in events[0] and run not in started:
            problems.append(f"{run}: no run has started this child")
    return problems
