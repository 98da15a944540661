# SPDX-License-Identifier: Apache-2.0
"""The same workflow without a grammar: only the prompt tells the model to call tools. The test
counts how often the model is asked again, and fails if a run ends as done with an incomplete
workflow."""
import llm
import runs

RUNS = 3
# The possible ends of a run, with the exit status of `haft run`.
ENDS = {"done": 0, "failed": 1, "exhausted": 3, "incomplete": 3, "violated": 5}


def judge(status, log, errors):
    """The problems with the end of a run."""
    if not log or log[-1]["kind"] != "run_finished":
        return [f"the run has not ended: {errors}"]
    end = log[-1]
    if end["end"] not in ENDS or ENDS[end["end"]] != status:
        return [f"it ended as {end['end']} with exit status {status}"]
    if end["end"] == "done" and not runs.workflow_is_complete(log):
        return ["it ended as done, but its workflow is not complete"]
    if end["end"] != "done" and not (end["reason"] or end["error"]):
        return [f"it ended as {end['end']} without a reason"]
    return []


def try_format(format):
    turns, ends, problems = [], [], []
    for seed, task in enumerate(runs.TASKS[:RUNS], 1):
        status, log, errors = runs.run_agent(format, task, {"seed": seed},
                                        **{"model.constraint": "none"})
        made = runs.forced_turns(log)
        turns += made
        problems += [f"{task}: {problem}" for problem in judge(status, log, errors)]
        ends.append(log[-1].get("end") if log else "none")
        llm.note(f"{format} {seed}: {ends[-1]}; " + " ".join(
            "+".join("yes" if good else "no" for good in turn["tries"]) for turn in made))
    first = sum(turn["tries"][:1] == [True] for turn in turns)
    later = sum(any(turn["tries"][1:]) and not turn["tries"][0] for turn in turns)
    asked = sum(len(turn["tries"]) - 1 for turn in turns)
    median, _ = runs.median_and_max([sum(turn["ms"]) for turn in turns])
    llm.note(f"{format}: of {len(turns)} forced turns {first} were a valid call at once, {later} "
             f"after being asked again, {len(turns) - first - later} never; asked again {asked} "
             f"times; runs: " + ", ".join(f"{ends.count(end)} {end}" for end in sorted(set(ends)))
             + f"; a turn took {median} ms (median)")
    llm.check(f"runs_in_{format}_end_with_a_correct_status", problems)


for each in runs.FORMATS:
    try_format(each)
