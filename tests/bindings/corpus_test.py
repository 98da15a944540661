#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same runs with tools in C, in Python and in JavaScript have the same logs, but for times, ids
and durations. corpus.c, corpus.py and corpus.mjs have the tools."""
import json
import os
import re
import shutil
from pathlib import Path

import place
from script import check, check_none, skip
from specs import call, write

HERE = Path(__file__).resolve().parent
EXAMPLES = ["workflow", "pipeline", "skills", "team", "graph", "tiny"]
TWICE = [call("find", query="Frost"), call("find", query="Frost")]
ASK = [{"builtin": ["request_user_input"]}]
PICK = [{"name": "pick", "description": "Pick.", "args": [], "headless": True}]

# name: (replies, parts of the spec, actions)
CASES = {
    "an_answer": (["Hello."], {}, []),
    "a_call": ([[call("add", a=2, b=3)], "Five."], {}, []),
    "a_default": ([[call("add", a=2)], "Three."], {}, []),
    "a_conversion": ([[call("add", a="2", b=3.0)], "Five."], {}, []),
    "a_missing_argument": ([[call("add")], [call("add", a=1)], "Two."], {}, []),
    "a_wrong_argument": ([[call("find", query=["x"], stat="open")], "No."], {}, []),
    "a_wrong_choice": ([[call("find", query="x", state="lost")], "No."], {}, []),
    "an_unknown_tool": ([[call("fnd", query="x")], "No."], {}, []),
    "text_that_is_not_ascii": ([[call("find", query="Grüße \u2028 😀")], "Ok."], {}, []),
    "a_json_result": ([[call("find", query="Frost", state="paid")], "Ok."], {}, []),
    "a_cached_result": ([TWICE[:1], TWICE[1:], "Ok."], {}, []),
    "an_error_of_a_tool": ([[call("fail", told=True)], [call("fail", told=False)], "No."], {}, []),
    "a_direct_result": ([[call("quote", text="as it is")]], {}, []),
    "an_approval": ([[call("pay", to="Ana", cents=5)], "Paid."], {}, ["approve"]),
    "an_edited_approval": ([[call("pay", to="Ana", cents=5)], "Paid."], {},
                           ['approve:{"to":"Ana","cents":2}']),
    "a_rejection": ([[call("pay", to="Ana", cents=5)], "Not paid."], {}, ["reject:too much"]),
    "a_response_in_place_of_a_call": ([[call("pay", to="Ana", cents=5)], "Paid."], {},
                                      ['answer:"paid by hand"']),
    "a_cancel": ([[call("pay", to="Ana", cents=5)], "Paid."], {}, ["cancel"]),
    "two_approvals": ([[call("pay", to="Ana", cents=5)], [call("pay", to="Ben", cents=6)], "Paid."],
                      {}, ["approve", "reject:once is enough"]),
    "a_headless_call": ([[call("pick")], "Picked."], {"tools": PICK}, ['answer:{"letter":"b"}']),
    "a_question": ([[call("add", a=1)], [call("find", query="x")],
                    [call("request_user_input", question="Which?")], "Fine."], {"tools": ASK},
                   ['answer:"the blue one"']),
    "an_early_question": ([[call("request_user_input", question="Which?")], "Fine."],
                          {"tools": ASK}, []),
    "a_forced_call": (["No.", [call("add", a=1)], "Two."],
                      {"choice": {"min_tools_for_auto": 1}}, []),
    "a_turn_limit": ([[call("add", a=1)], [call("add", a=2)], [call("add", a=3)], "Over."],
                     {"limits": {"turns": 2}}, []),
    "a_call_limit": ([[call("add", a=1), call("add", a=2)], "Over."], {"limits": {"calls": 1}}, []),
    "a_repetition": ([[call("add", a=1)]] * 6 + ["Over."], {}, []),
    "an_end_of_the_script": ([[call("add", a=1)]], {}, []),
    "an_empty_reply": (["", "Ok."], {}, []),
}

UNEQUAL = {"at", "ms", "used_ms", "limit_ms", "wait_ms"}
ID = re.compile(r"\b[0-9a-z]{26}\b")


def cleaned(value):
    """Without times, ids and durations."""
    if isinstance(value, dict):
        return {name: cleaned(each) for name, each in value.items() if name not in UNEQUAL}
    if isinstance(value, list):
        return [cleaned(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # JavaScript writes 0.0 as 0
    return ID.sub("ID", value) if isinstance(value, str) else value


def log_of(command, words):
    """The events of a run, or the output if it is not a log."""
    status, output = place.log_of(*command, *words, cwd=place.ROOT, timeout=300)
    try:
        return [json.dumps(cleaned(json.loads(line))) for line in output.strip().split("\n")]
    except ValueError:
        return [f"exit {status}: {output}"]


def compile_c():
    """The program in C, linked with the library of the packages."""
    build = place.ROOT / "build-release"
    program = place.temporary("corpus") / "corpus"
    os.environ["CORPUS_GUARD"] = str(build / "libexec/haft/guard")
    status, output = place.log_of(
        "cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", f"-I{place.ROOT}/include",
        HERE / "corpus.c", build / "src/libhaft.a", "-o", program, "-luv", "-lsqlite3", "-lpcre2-8",
        "-lfyaml", "-lpthread", "-ldl", "-lm")
    check("the_program_in_c_is_compiled", (status, output), (0, ""))
    return program


def bindings():
    """name: command, of each binding that can be installed."""
    found = {}
    python, why = place.virtual_environment(os.environ.get("PYTHON", "/usr/bin/python3"))
    if python is None:
        skip("the_corpus_in_python", f"pip cannot install the wheel: {why}")
    else:
        found["python"] = [python, HERE / "corpus.py"]
    project = place.npm_project()
    shutil.copy(HERE / "corpus.mjs", project)
    found.update((f"node_{version}", [node, project / "corpus.mjs"])
                 for version, node in place.nodes())
    return found


def difference(name, one, other):
    for number, (wanted, found) in enumerate(zip(one, other), 1):
        if wanted != found:
            return [f"{name}, event {number}:", f"C      {wanted}", f"other  {found}"]
    return [] if len(one) == len(other) else [f"{name}: {len(one)} events, and {len(other)}"]


place.package("haft-*")
program, others = compile_c(), bindings()
specs = place.temporary("specs")
runs = {name: [write(specs, replies, name, **parts), "Do it", *actions]
        for name, (replies, parts, actions) in CASES.items()}
runs.update((f"examples_{name}", [f"examples/{name}.yaml", "Report on the parser"])
            for name in EXAMPLES)
wanted = {name: log_of([program], words) for name, words in runs.items()}
check_none("every_run_in_c_has_a_log",
           [f"{name}: {log}" for name, log in wanted.items() if len(log) < 3])
for binding, command in others.items():
    for name, words in runs.items():
        found = log_of(command, words)
        check_none(f"{binding}_{name}", difference(name, wanted[name], found))
