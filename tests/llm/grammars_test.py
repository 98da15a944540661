# SPDX-License-Identifier: Apache-2.0
"""llama.cpp accepts the grammar of every format for every set of tools. Under the grammar a model
writes a call that haft can read: the tool exists, and its schema accepts the arguments unless
`haft render` reports that the grammar is looser than the schema."""
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import llm
from tool_sets import SETS

FORMATS = re.findall(r"^    (\w+)$", subprocess.run([llm.HAFT, "help", "render"], text=True,
                                                   capture_output=True).stdout, re.M)
CODE = "codemode"
TOKENS = 400
SLOW_SECONDS = 20
# A small model often does not end a string. A bias for these tokens makes the end more likely; it
# does not change what the grammar allows.
ENDINGS = ['"', '"}', '",', "'", "</", "]", "}", ")", "`"]
ONLY = os.environ.get("HAFT_LLM_ONLY", "").split()


def write(path, value):
    path.write_text(json.dumps(value))
    return path


def generate(grammar, seed):
    """(the error, the text, whether the token limit cut it)"""
    status, answer = llm.ask({
        "messages": [{"role": "user", "content": "Call one of your tools, briefly."}],
        "grammar": grammar, "max_tokens": TOKENS, "temperature": 0.7, "seed": seed,
        "logit_bias": [[ending, 4] for ending in ENDINGS]})
    if status != 200:
        return f"llama.cpp answers {status}: {str(answer)[:300]}", "", False
    choice = answer["choices"][0]
    return "", choice["message"]["content"] or "", choice["finish_reason"] == "length"


def judge(call, tools, exact):
    if call["name"] not in tools["schemas"]:
        return [f"there is no tool {call['name']}"]
    status, output, _ = llm.haft("validate", tools["schemas"][call["name"]], "-",
                                 text=json.dumps(call["arguments"]))
    return [output] if status != 0 and exact else []


def read_back(format, tools, text, exact, several):
    """The problems with a text that ended by itself."""
    status, output, errors = llm.haft("parse", "--format", format, "--tools", tools["file"], "-",
                                    text=text)
    found = json.loads(output) if output else {"error": errors, "calls": []}
    if format == CODE:
        return [] if found["code"] else [f"no code: {output}"]
    calls = found["calls"]
    if status != 0 or found["error"] or not calls or (len(calls) > 1 and not several):
        return [f"haft parse: {found['error']} {found.get('errors')} {len(calls)} calls"]
    return [problem for call in calls for problem in judge(call, tools, exact)]


def try_format(format, tools, seed, *options):
    """(the problems, whether the text was cut, bytes of the grammar, seconds)"""
    status, grammar, relaxed = llm.haft("render", "--format", format, "--tools", tools["file"],
                                        "--grammar", *options)
    if status != 0:
        return [f"haft render: {relaxed}"], False, 0, 0
    begin = time.monotonic()
    wrong, text, cut = generate(grammar, seed)
    seconds = time.monotonic() - begin
    if wrong:
        return [wrong], False, len(grammar), seconds
    if cut:
        # Only a string or an array without a bound may be cut; the text so far is not a call.
        free = tools["free"] or relaxed.strip() != "" or format == CODE or options
        return [] if free else [f"cut after {TOKENS} tokens: {text}"], True, len(grammar), seconds
    problems = read_back(format, tools, text, relaxed.strip() == "", "--several" in options)
    return problems + ([f"the text: {text}"] if problems else []), False, len(grammar), seconds


def prepare(name, place):
    schemas = {tool["name"]: write(place / f"{name}-{tool['name']}.json",
                                   tool.get("parameters", {})) for tool in SETS[name]}
    # `free`: a call may need more than TOKENS (texts without a bound, arrays of up to 400).
    return {"file": write(place / f"{name}.json", SETS[name]), "schemas": schemas,
            "free": name.startswith("free") or name == "counts"}


def cases():
    """(name, set, format, options)"""
    for name in SETS:
        for format in FORMATS:
            yield f"{name}_in_{format}", name, format, []
    yield "an_array_in_mistral", "simple", "mistral", ["--form", "1"]
    for option in ("--several", "--reasoning"):
        for format in FORMATS:
            yield f"{option[2:]}_in_{format}", "simple", format, [option]


def main():
    sizes, cuts = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        prepared = {name: prepare(name, Path(scratch)) for name in SETS}
        for seed, (title, name, format, options) in enumerate(cases(), 1):
            if ONLY and not any(word in title for word in ONLY):
                continue
            problems, cut, size, seconds = try_format(format, prepared[name], seed, *options)
            if problems or seconds > SLOW_SECONDS:
                llm.note(f"{title}: {size} bytes, {seconds:.1f} s")
            llm.check(title, problems)
            sizes.append((size, seconds))
            cuts += cut
    llm.note(f"{len(sizes)} grammars of up to {max(sizes)[0]} bytes; the slowest reply took "
             f"{max(seconds for _, seconds in sizes):.1f} s; {cuts} replies without a bound were "
             f"cut after {TOKENS} tokens")


main()
