# SPDX-License-Identifier: Apache-2.0
"""The same requests at temperature 0, streamed and not: the same replies, the same events, but for
what the clock and chance say."""
import llm
import runs

# The server takes what it has computed before into account unless told not to, and then the last
# digits of a sum may differ.
OPTIONS = {"temperature": 0, "seed": 1, "cache_prompt": False}
TASKS = runs.TASKS[:2]
PASSING = ("at", "run", "thread", "ms", "spec", "idempotency_key")


def lasting(log):
    return [{key: value for key, value in event.items() if key not in PASSING} for event in log]


def differences(one, other):
    found = [f"streamed {a}\nwhole    {b}" for a, b in zip(one, other) if a != b]
    if len(one) != len(other):
        found.append(f"{len(one)} events streamed, {len(other)} not")
    return found


def try_format(format, constraint):
    problems, replies = [], 0
    for task in TASKS:
        logs = [lasting(runs.play(format, task, dict(OPTIONS, stream=stream),
                                  **{"model.constraint": constraint})[1])
                for stream in (True, False)]
        replies += len(runs.of(logs[0], "model_replied"))
        problems += [f"{task}: {problem}" for problem in differences(*logs)]
    if replies == 0:
        problems.append("there was no reply to compare")
    llm.note(f"{format}, constraint {constraint}: {replies} replies came the same both ways")
    llm.check(f"streamed_is_whole_in_{format}_constraint_{constraint}", problems)


for each in runs.FORMATS:
    for held in ("auto", "none"):
        try_format(each, held)
