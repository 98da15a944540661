#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configuration files of other programs (tests/mcp/import): each has one server that works here,
and others that are disabled, wrong, or need a variable that is not set. The tools of the good
server are listed; skipped servers are reported with the file, the server and the reason."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
GO = "use notes:say"  # the task: a search finds the tools that it names
HERE = Path(__file__).resolve().parent
FILES = {
    "claude_desktop_config.json": [
        "the server 'My Old Server': it has no command and no url; it is skipped"],
    "vscode_mcp.json": [
        "notes: envFile is not read",
        "the server 'issues': the variable HAFT_INPUT_ISSUES_KEY is not set; "
        "it is skipped",
        "issues: the file has no `inputs` for an ${input:..} of it",
        "the server 'picked': cannot expand the variable 'command:extension.pickServer'; "
        "it is skipped"],
    "cursor_mcp.json": [
        "the server 'hosted': the variable HOSTED_KEY_THAT_NOBODY_SET is not set; "
        "it is skipped",
        "the server 'both': it has both a command and a url; it is skipped"],
}


def run(place, mcp):
    """(exit status, tools that the model saw, events, standard error)"""
    (place / "spec.json").write_text(json.dumps(
        {"name": "a", "model": "script:script.json", "mcp": mcp}))
    (place / "script.json").write_text(json.dumps({"replies": [
        {"calls": [{"name": "notes:say", "arguments": {"word": "hello"}}]}, {"text": "the end"}]}))
    environment = dict(os.environ, XDG_STATE_HOME=str(place / "state"), NOTES_KEY="a canary",
                       HAFT_INPUT_NOTES_KEY="a canary")
    done = subprocess.run([HAFT, "run", "spec.json", GO, "--store", "memory:", "--events"],
                          cwd=place, env=environment, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    log = [json.loads(line) for line in done.stdout.splitlines()]
    tools = [tool["name"] for event in log if event["kind"] == "tools_revealed"
             for tool in event["tools"]]
    return done.returncode, tools, log, done.stderr


def test(file, warnings):
    place = Path(tempfile.mkdtemp(dir=scratch))
    shutil.copy(HERE / "import" / file, place / file)
    shutil.copy(HERE / "bad_server.py", place / "server.py")
    status, tools, log, err = run(place, {"import": file})
    results = [event.get("result") for event in log if event["kind"] == "call_finished"]
    check(f"{file}_runs", (status, tools, results), (0, ["notes:say"], ["you said hello"]))
    for warning in warnings:
        check(f"{file}_says_{warning[:30]!r}", f"haft: warning: {file}: {warning}" in err, True)
    if not all(warning in err for warning in warnings):
        print("#", err.replace("\n", "\n# "))
    check(f"{file}_shows_no_secret", "a canary" in err + json.dumps(log), False)
    out = [warning.split("'")[1] for warning in warnings if "it is skipped" in warning]
    for server in out:
        status, _, _, err = run(place, {"import": file, "allow": [f"{server.replace(' ', '-')}:*"]})
        check(f"{file}_fails_if_the_spec_allows_tools_of_{server}",
              (status, f"{file}: the server '{server}': " in err,
               "`allow` in the spec names it" in err), (2, True, True))


with tempfile.TemporaryDirectory() as scratch:
    for name, wanted in FILES.items():
        test(name, wanted)
