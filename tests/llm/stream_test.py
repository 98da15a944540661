# SPDX-License-Identifier: Apache-2.0
"""The same requests at temperature 0, streamed and not: the same replies, the same events, but for
what the clock and chance say."""
import llm
import runs

OPTIONS = {"temperature": 0, "seed": 1}
TASK = runs.TASKS[0]
PASSING = ("at", "run", "thread", "ms", "spec", "idempotency_key")


def lasting(log):
    """What must be the same. How much a server had computed before is none of it."""
    kept = [{key: value for key, value in event.items() if key not in PASSING} for event in log]
    for event in kept:
        if isinstance(event.get("usage"), dict):
            event["usage"] = {key: value for key, value in event["usage"].items()
                              if key != "cached_tokens"}
    return kept


def differences(one, other):
    found = [f"streamed {a}\nwhole    {b}" for a, b in zip(one, other) if a != b]
    if len(one) != len(other):
        found.append(f"{len(one)} events streamed, {len(other)} not")
    return found


def forget():
    """The server goes on from what it has computed before, and then the last digits of a sum may
    differ: each run begins from the same."""
    llm.ask({"messages": [{"role": "user", "content": "Hello."}], "max_tokens": 1})


def play(format, stream):
    forget()
    return lasting(runs.play(format, TASK, dict(OPTIONS, stream=stream),
                             **{"limits.wall": "1h"})[1])


def try_format(format):
    streamed, whole = play(format, True), play(format, False)
    replies = len(runs.of(streamed, "model_replied"))
    problems = differences(streamed, whole) + ([] if replies else ["there was no reply at all"])
    llm.note(f"{format}: {replies} replies, {len(streamed)} events; "
             f"{'not all' if problems else 'all'} the same streamed and whole")
    llm.check(f"streamed_is_whole_in_{format}", problems)


for each in runs.FORMATS:
    try_format(each)
