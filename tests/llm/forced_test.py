# SPDX-License-Identifier: Apache-2.0
"""The report workflow under a forced choice, constrained by a grammar: in each format every one of
50 forced turns yields a valid call of an allowed tool, at once, and runs end as done."""
import llm
import runs

WANTED = 50
# At least this share of the runs is done. The last turn is not forced: a small model may write a
# call there, and is stopped.
DONE = 0.5


def describe(turn):
    """The first reply that was not a valid call, or the last one."""
    at = turn["tries"].index(False) if False in turn["tries"] else -1
    reply = turn["replies"][at] if turn["replies"] else None
    return f"turn {turn['turn']} ({turn['mode']}): " + (
        f"{reply['stop']} {reply['usage']['output_tokens']} tokens {reply['content'][:300]!r} "
        f"{[(call['name'], call['arguments'][:300]) for call in reply['calls']]}"
        if reply else "no reply")


def try_format(format):
    turns, ends, problems = [], [], []
    for seed, task in enumerate(runs.TASKS, 1):
        status, log, errors = runs.run_agent(format, task, {"seed": seed})
        made = runs.forced_turns(log)
        turns += made
        end = log[-1]["end"] if log and log[-1]["kind"] == "run_finished" else f"none: {errors}"
        ends.append(end)
        llm.note(f"{format} {seed}: {end}; " + " ".join(
            f"{'+'.join('yes' if good else 'no' for good in turn['tries'])}/{sum(turn['ms'])} ms"
            for turn in made))
        problems += [f"{task}: {describe(turn)}" for turn in made if turn["tries"] != [True]]
        if end == "done" and not runs.workflow_is_complete(log):
            problems.append(f"{task}: it ended as done, but its workflow is not complete")
    good = sum(turn["tries"] == [True] for turn in turns)
    median, most = runs.median_and_max([sum(turn["ms"]) for turn in turns])
    tokens, longest = runs.median_and_max([sum(turn["tokens"]) for turn in turns])
    llm.note(f"{format}: {good} of {len(turns)} forced turns were a valid call at once; "
             f"{ends.count('done')} of {len(ends)} runs done; a turn took {median} ms "
             f"(median; at most {most} ms) and {tokens} tokens (at most {longest})")
    if len(turns) < WANTED:
        problems.append(f"only {len(turns)} forced turns")
    llm.check(f"{WANTED}_of_{WANTED}_forced_turns_in_{format}_are_valid_calls", problems)
    llm.check(f"runs_in_{format}_end_as_done",
              [] if ends.count("done") >= DONE * len(ends) and set(ends) <= {"done", "violated"}
              else [ends])


for each in runs.FORMATS:
    try_format(each)
