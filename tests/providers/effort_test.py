#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model that takes no effort is asked once more without it, and the run has the same end."""
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, verdict  # noqa: E402

from cases import CASES  # noqa: E402
from scenario import play  # noqa: E402

REFUSED = "This model does not support the effort parameter."


def efforts(requests):
    return [request.get("output_config", {}).get("effort") for request in requests]


def main(scratch):
    case = next(one for one in CASES if one.name == "anthropic")
    for model, options, problems, wanted in (
            ("claude-haiku-4-5", {"reasoning_effort": "low"}, [REFUSED], ["low"] + [None] * 6),
            ("claude-opus-5", {"reasoning_effort": "minimal"}, [], ["low"] * 6),
            ("claude-haiku-4-5", {"output_config": {"effort": "low"}}, [REFUSED], ["low"])):
        name = f"{model}_{next(iter(options))}"
        status, events, errors, found, requests = play(
            replace(case, model=model, options=options), True, Path(scratch) / name)
        left = ["6 turns were not asked for"] if len(wanted) == 1 else []
        verdict(f"{name}_is_refused_once", found == problems + left, [*found, errors])
        check(f"{name}_is_left_out", efforts(requests), wanted)
        check(f"{name}_has_its_events",
              (status, [event["kind"] for event in events].count("option_refused")),
              (1 if left else 0, int(len(wanted) == 7)))


with tempfile.TemporaryDirectory() as made:
    main(made)
