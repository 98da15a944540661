# SPDX-License-Identifier: Apache-2.0
"""The same requests at temperature 0, streamed and not, give the same replies and events, except
for times and random ids."""
import llm
import runs

OPTIONS = {"temperature": 0, "seed": 1}
TASK = runs.TASKS[0]
VARYING = ("at", "run", "thread", "ms", "spec", "idempotency_key")
STREAM = "model.options.stream="


def comparable(log):
    """The parts of the events that must be equal. The number of cached tokens depends on earlier
    requests, and the `set` of `run_started` names the one option in which the runs differ."""
    kept = [{key: value for key, value in event.items() if key not in VARYING} for event in log]
    for event in kept:
        if "set" in event:
            event["set"] = [one for one in event["set"] if not one.startswith(STREAM)]
        if isinstance(event.get("usage"), dict):
            event["usage"] = {key: value for key, value in event["usage"].items()
                              if key != "cached_tokens"}
    return kept


def differences(one, other):
    found = [f"streamed {a}\nwhole    {b}" for a, b in zip(one, other) if a != b]
    if len(one) != len(other):
        found.append(f"{len(one)} events streamed, {len(other)} not")
    return found


def clear_cache():
    """The server reuses earlier computations, and then the last digits of a sum may differ. This
    request gives each run the same start."""
    llm.ask({"messages": [{"role": "user", "content": "Hello."}], "max_tokens": 1})


def play(format, stream):
    clear_cache()
    return comparable(runs.run_agent(format, TASK, dict(OPTIONS, stream=stream),
                             **{"limits.wall": "1h"})[1])


def try_format(format):
    streamed, whole = play(format, True), play(format, False)
    replies = len(runs.events_of_kind(streamed, "model_replied"))
    problems = differences(streamed, whole) + ([] if replies else ["no reply"])
    llm.note(f"{format}: {replies} replies, {len(streamed)} events; "
             f"{'not all' if problems else 'all'} the same streamed and whole")
    llm.check(f"streamed_and_whole_replies_are_equal_in_{format}", problems)


for each in runs.FORMATS:
    try_format(each)
