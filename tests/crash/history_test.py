#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The history checker detects injected faults, and reports nothing for a good history."""
import copy
import json

import crash_help as help
import history

RUN = "01m7g50x7fshx3py5trbgnj035"
KEY = f"{RUN}:c1.1"


def event(seq, kind, **more):
    return dict({"seq": seq, "run": RUN, "kind": kind}, **more)


def whole():
    return [
        event(1, "run_started"),
        event(2, "turn_started"),
        event(3, "model_replied"),
        event(4, "paused", call="c1.1", pause="approval"),
        event(5, "answered", call="c1.1", verdict="approve"),
        event(6, "call_started", call="c1.1", tool="send", attempt=1, idempotency_key=KEY),
        event(7, "paused", call="c1.1", pause="unknown_outcome"),
        event(8, "answered", call="c1.1", verdict="retry"),
        event(9, "call_started", call="c1.1", tool="send", attempt=2, idempotency_key=KEY),
        event(10, "call_finished", call="c1.1", tool="send", ok=True),
        event(11, "run_finished", end="done"),
    ]


def row(**more):
    return dict({"run": RUN, "state": "ended", "end": "done", "seq": 11, "epoch": 2}, **more)


def numbered(events):
    return [dict(e, seq=n) for n, e in enumerate(events, 1)]


def without(number):
    return [e for e in whole() if e["seq"] != number]


def changed(number, **more):
    return [dict(e, **more) if e["seq"] == number else e for e in whole()]


def doubled(number, number_again=True):
    events = whole()
    events.insert(number, copy.deepcopy(events[number - 1]))
    return numbered(events) if number_again else events


EVENTS = [  # the fault, the events, the expected message
    ("a_gap", without(3), "has the number"),
    ("a_number_twice", doubled(3, False), "has the number"),
    ("another_run's_event", changed(3, run="x"), "is of the run"),
    ("no_beginning", numbered(without(1)), "does not begin"),
    ("two_beginnings", doubled(1), "begins 2 times"),
    ("two_ends", doubled(11), "2 terminal events"),
    ("something_after_the_end", whole() + [event(12, "turn_started")], "after its end"),
    ("an_attempt_that_is_left_out", changed(9, attempt=3), "attempt 3"),
    ("a_key_that_changes", changed(9, idempotency_key="other"), "key has changed"),
    ("two_results", doubled(10), "2 results"),
    ("a_start_after_the_result", numbered(whole()[:10] + [dict(whole()[8], attempt=3)]
                                          + whole()[10:]), "starts again"),
    ("two_questions_at_once", doubled(4), "while it is paused"),
    ("two_answers", doubled(5), "answered twice"),
    ("no_events", [], "does not begin"),
]

ROWS = [
    ("an_end_that_the_list_does_not_know", row(state="running"), "the list says running"),
    ("another_end_in_the_list", row(end="failed"), "the list says failed"),
    ("fewer_events_than_the_list_says", row(seq=12), "says 12 events"),
]

LOOKS = [
    ("an_epoch_that_goes_back", row(epoch=3), row(epoch=2), "epoch went"),
    ("a_sequence_that_goes_back", row(seq=12), row(), "seq went"),
    ("an_end_that_changes", row(), row(end="failed"), "had ended as done"),
    ("an_end_that_is_undone", row(), row(state="running", end=""), "had ended as done"),
]


def effect(key=KEY, tool="send", epoch="-"):
    return (key, tool, "17", epoch)


EFFECTS = [  # name, the log, the class, the number of retries, the expected message
    ("an_effect_too_many", [effect()] * 3, "once", whole(), "3 effects, at most 2"),
    ("a_retry_nobody_asked_for", [effect()] * 2, "once", changed(8, verdict="answer"),
     "2 effects, at most 1"),
    ("more_effects_than_attempts", [effect()] * 3, "idempotent", whole(), "at most 2"),
    ("an_effect_without_a_record", [effect("x:c1.1")], "once", whole(), "is in no log"),
    ("an_effect_of_another_tool", [effect(tool="rm")], "once", whole(), "the log has send"),
    ("a_result_without_an_effect", [], "idempotent", whole(), "without its effect"),
    ("an_epoch_after_a_later_one", [effect(epoch="2"), effect(epoch="1")], "retry", whole(),
     "epoch 1 after epoch 2"),
]


def found(name, problems, wanted):
    help.check(f"it_finds_{name}", [] if any(wanted in p for p in problems)
               else [f"wanted {wanted!r}, found {problems}"])


def test_whole():
    problems = history.check_events(RUN, whole()) + history.check_row(row(), whole())
    problems += history.check_rows([row(epoch=1, seq=4, state="running", end="")], [row()])
    problems += history.check_effects({RUN: whole()}, [effect(epoch="1"), effect(epoch="2")],
                                      {"send": "once"})
    help.check("it_finds_nothing_in_a_good_history", problems)


def test_broken():
    for name, events, wanted in EVENTS:
        found(name, history.check_events(RUN, events), wanted)
    for name, broken, wanted in ROWS:
        found(name, history.check_row(broken, whole()), wanted)
    for name, before, after, wanted in LOOKS:
        found(name, history.check_rows([before], [after]), wanted)
    found("a_run_that_was_removed", history.check_rows([row()], []), "does not exist")
    for name, log, cls, events, wanted in EFFECTS:
        classes = {"send": cls, "rm": cls}
        found(name, history.check_effects({RUN: events}, log, classes), wanted)


def test_acknowledged():
    kept = [json.dumps(e) for e in whole()]
    help.check("acknowledged_events_are_there", history.check_acknowledged(kept, kept))
    found("an_acknowledged_event_that_is_lost", history.check_acknowledged(kept, kept[:-1]), "lost")
    found("an_acknowledged_event_that_differs",
          history.check_acknowledged(kept[:1], [json.dumps(dict(whole()[0], kind="x"))]), "differs")


test_whole()
test_broken()
test_acknowledged()
