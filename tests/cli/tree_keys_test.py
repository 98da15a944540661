#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The keys of all models that a tree of runs can use are redacted in every run of the tree: those
of further models, of agents, and those in files that only one of the runs reads."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from agents_help import Place, ask, call, tool  # noqa: E402
from script import check  # noqa: E402

KEYS = {"boss": "boss-Zq81-first", "dig_file": "dig-Xw72-second", "dig_text": "dig-Kp63-third",
        "password": "pass-Lm54-fourth"}


def with_models(spec, *more):
    """The spec with further models, which are not asked here."""
    first = spec.pop("model")
    return {**spec, "models": [first, *more]}


def server(variable=None, **more):
    return {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1",
            **({"api_key_env": variable} if variable else {}), **more}


def leaks(words):
    return tool("leak", ["sh", "-c", words])


with tempfile.TemporaryDirectory() as made:
    place = Place(made)
    everything = "cat boss.txt dig.txt text.txt password.txt"
    for name, key in (("boss", KEYS["boss"]), ("dig", KEYS["dig_file"]), ("text", KEYS["dig_text"]),
                      ("password", KEYS["password"])):
        place.put(f"{name}.txt", key + "\n")
        place.environment[f"MODEL_{name.upper()}_FILE"] = str(Path(made) / f"{name}.txt")
    digger = with_models(
        place.agent("digger", [[call("leak")], "from the child"], [leaks(everything)]),
        server("MODEL_DIG"), server(api_key=KEYS["dig_text"]),
        server(base_url=f"http://u:{KEYS['password']}@127.0.0.1:1/v1"))
    spec = with_models(
        place.agent("boss", [[call("leak")], [call("ask_digger", task="gold")], "done"],
                    [leaks(everything), ask("digger")], agents={"digger": digger}),
        server("MODEL_BOSS"))
    status, result = place.run(spec)
    check("the_tree_ends", (status, result.get("answer")), (0, "done"))
    root = result["run"]
    runs = {"parent": root, "child": (place.children(root) or [""])[0]}
    for who, run in runs.items():
        log = "\n".join(json.dumps(event) for event in place.events(run))
        shown = [event["result"] for event in place.of_kind(run, "call_finished")
                 if event["tool"] == "leak"]
        check(f"the_tool_of_the_{who}_ran", shown, ["\n".join(["[redacted]"] * 4)])
        check(f"the_{who}_has_no_key", [name for name, key in KEYS.items() if key in log], [])
