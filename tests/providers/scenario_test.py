#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One scenario on every provider, streamed and whole. The strict mocks reject nothing, and the
events are the same: modes, allowed tools, calls, arguments, refusals, results and the end."""
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import verdict  # noqa: E402

from cases import CASES  # noqa: E402
from scenario import play  # noqa: E402


def difference(found, wanted):
    for i, (one, other) in enumerate(zip(found, wanted)):
        if one != other:
            return [f"event {i + 1}", f"found  {one}", f"wanted {other}"]
    return [] if len(found) == len(wanted) else [f"{len(found)} events, not {len(wanted)}: "
                                                 f"{[event['kind'] for event in found]}"]


def main(scratch):
    jobs = [(case, streams) for case in CASES for streams in (True, False)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda job: play(*job, Path(scratch) / f"{job[0].name}{job[1]}"),
                                jobs))
    wanted = results[0][1]
    kinds = [event["kind"] for event in wanted]
    modes = [(event["mode"], event["tool"]) for event in wanted if event["kind"] == "turn_started"]
    verdict("the_scenario_has_all_its_parts",
            modes == [("tool", "docs:look.up"), ("any", None)] + [("auto", None)] * 4
            and kinds.count("call_refused") == 3 and kinds.count("artifact_stored") == 1
            and kinds.count("call_finished") == 5 and wanted[-1]["end"] == "done",
            [modes, kinds, wanted[-1:]])
    for (case, streams), (status, events, errors, problems, _) in zip(jobs, results):
        name = f"{case.name}_{'streamed' if streams else 'whole'}"
        details = [f"rejected: {problem}" for problem in problems] + difference(events,
                                                                                       wanted)
        verdict(name, status == 0 and not details,
                details + [f"exit {status}", *errors.splitlines()])
    # The history is text that begins with the assistant. Only the requests differ.
    for case in CASES:
        status, events, errors, problems, _ = play(case, True, Path(scratch) / f"{case.name}text",
                                                   history="transcript")
        verdict(f"{case.name}_takes_a_transcript",
                (status, events[-1].get("end"), problems) == (0, "done", []),
                [f"exit {status}", *map(str, problems), *errors.splitlines()[-3:]])


with tempfile.TemporaryDirectory() as made:
    main(made)
