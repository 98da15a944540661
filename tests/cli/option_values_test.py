#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model that leaves out the value of an option cannot make the next word an option: tar and rg
do not start the program that the model names."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
# The words of a command, the argument that becomes an option, and whether the call is refused.
CASES = [
    ("rg", ["rg", "-e", "{t}", "--", "{u}", "{v}"], "--pre={evil}", False),
    ("rg", ["rg", "-e{t}", "--", "{u}", "{v}"], "--pre={evil}", False),
    ("rg", ["rg", "-ie", "{t}", "--", "{u}", "{v}"], "--pre={evil}", True),
    ("tar", ["tar", "-c", "-f", "{t}", "--", "{u}", "{v}"], "--use-compress-program={evil}", False),
    ("tar", ["tar", "cf", "{t}", "--", "{u}", "{v}"], "--use-compress-program={evil}", True),
]


def test(number, program, words, text, refused):
    name = f"{program}_{number}"
    if shutil.which(program) is None:
        skip(name, f"no {program}")
        return
    home = scratch / str(number)
    home.mkdir()
    evil, ran = home / "evil.sh", home / "ran"
    evil.write_text(f"#!/bin/sh\n: >{ran}\ncat\n")
    evil.chmod(0o755)
    (home / "spec.json").write_text(json.dumps(
        {"haft": 1, "name": "s", "model": "script:script.json",
         "tools": [{"name": "look", "description": "Looks into the files.", "command": words,
                    "input_schema": {"type": "object", "required": ["u", "v"], "properties": {
                        "t": {"type": "string"}, "u": {"type": "string"},
                        "v": {"type": "string"}}}}]}))
    call = {"name": "look", "arguments": {"u": text.format(evil=evil), "v": "spec.json"}}
    (home / "script.json").write_text(json.dumps(
        {"replies": [{"calls": [call]}, {"text": "done"}]}))
    done = subprocess.run([HAFT, "run", "spec.json", "go", "--events"], cwd=home, text=True,
                          capture_output=True, timeout=300,
                          env=dict(os.environ, XDG_STATE_HOME=str(home)))
    check(f"{name}_starts_nothing", ran.exists(), False)
    check(f"{name}_is_refused", "may take the next word as its value" in done.stdout, refused)
    check(f"{name}_the_run_goes_on", done.returncode, 0)


with tempfile.TemporaryDirectory() as directory:
    scratch = Path(directory)
    for number, case in enumerate(CASES):
        test(number, *case)
