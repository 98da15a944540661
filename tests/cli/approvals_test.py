#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Standing approvals of a user: A at an approval, approvals.json, and haft approvals."""
import json
import os
import pty
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300
PROMPT = "/?]> "
WAITS = 4


def write_spec(name, directory=".", program="true", description="Does something for the test.",
               **traits):
    folder = Path(scratch) / directory
    folder.mkdir(exist_ok=True)
    (folder / "s.script.json").write_text(json.dumps({"replies": [
        {"calls": [{"name": "send", "arguments": {"q": "x"}}]}, {"text": "over"}]}))
    path = folder / f"{name}.json"
    path.write_text(json.dumps({
        "haft": 1, "name": name, "model": "script:s.script.json",
        "tools": [{"name": "send", "description": description, "args": ["q"],
                   "command": [program], "traits": dict(traits, needs_approval=True)}]}))
    return path


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], cwd=scratch, env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def type_at_prompt(words, lines):
    """Runs haft on a terminal and types each line at the next prompt; returns its exit status."""
    child, master = pty.fork()
    if child == 0:
        os.chdir(scratch)
        os.execve(HAFT, [HAFT, *map(str, words)], environment)
    shown, typed, end = "", 0, time.monotonic() + LONG
    while time.monotonic() < end:
        if typed < len(lines) and shown.count(PROMPT) > typed:
            os.write(master, lines[typed].encode())
            typed += 1
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 65536).decode("utf-8", "replace")
        except OSError:
            break
        if not piece:
            break
        shown += piece
    if time.monotonic() >= end:
        os.kill(child, 9)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(master)
    return status, shown


def listed():
    return json.loads(haft("approvals", "list", "--json")[1])["approvals"]


def test_always():
    path = write_spec("first")
    check("nothing_is_listed_at_first", (haft("approvals")[::2], listed()),
          ((0, "No standing approvals.\n"), []))
    check("without_a_standing_approval_the_run_waits", haft("run", path, "go")[0], WAITS)
    status, shown = type_at_prompt(["run", path, "go"], ["A\n"])
    check("always_runs_the_call", (status, shown.count(PROMPT)), (0, 1))
    rows = listed()
    check("standing_approval_is_listed",
          [(row["tool"], row["source"], row["directory"], row["destructive"])
           for row in rows], [("send", "command", str(real), False)])
    check("only_the_user_can_read_the_file", store.stat().st_mode & 0o777, 0o600)
    status, out, _ = haft("run", path, "go", "--events")
    answer = next(json.loads(line) for line in out.splitlines() if '"answered"' in line)
    check("later_runs_need_no_question", (status, answer["by"], answer["why"]),
          (0, "standing approval", f"haft approvals: {rows[0]['id']}"))
    check("replay_gives_the_same_run", haft("runs", "replay", "last")[0], 0)
    check("arguments_and_other_specs_do_not_matter",
          haft("run", write_spec("second"), "go")[0], 0)
    check("no_config_ignores_standing_approvals", haft("run", path, "go", "--no-config")[0], WAITS)
    status, shown = type_at_prompt(["run", path, "go", "--no-config"], ["A\n", "n\n"])
    check("no_config_keeps_no_standing_approval", (status, shown.count(PROMPT),
                                                   "no approval is stored" in shown), (0, 2, True))


def test_changes():
    for name, changed in (("program", {"program": "false"}), ("directory", {"directory": "d"}),
                          ("description", {"description": "D."}),
                          ("destructive", {"destructive": True})):
        check(f"a_changed_tool_needs_approval_{name}",
              haft("run", write_spec("changed", **changed), "go")[0], WAITS)


def test_file():
    path = write_spec("first")
    for mode in (0o620, 0o602):
        store.chmod(mode)
        status, _, err = haft("run", path, "go")
        check(f"a_file_that_others_can_write_is_not_used_{mode:o}",
              (status, "writable by others" in err), (WAITS, True))
    store.chmod(0o600)
    kept = store.read_text()
    store.write_text("{")
    status, _, err = haft("run", path, "go")
    check("a_damaged_file_is_not_used", (status, "approvals.json" in err), (WAITS, True))
    check("a_damaged_file_is_reported", haft("approvals")[0], 2)
    store.write_text(kept)


def test_revoke():
    path = write_spec("first")
    known = listed()[0]["id"]
    for name, words in (("nothing", []), ("both", [known, "--all"]), ("short", [known[:4]]),
                        ("unknown", ["0" * 12])):
        check(f"revoke_needs_exactly_one_id_{name}",
              (haft("approvals", "revoke", *words)[0], len(listed())),
              (2, 1))
    check("revoke_removes_the_approval", (haft("approvals", "revoke", known)[:2], listed()),
          ((0, "revoked 1\n"), []))
    check("revoked_approval_does_not_apply", haft("run", path, "go")[0], WAITS)
    type_at_prompt(["run", path, "go"], ["A\n"])
    type_at_prompt(["run", write_spec("other", directory="d"), "go"], ["A\n"])
    check("revoke_all_removes_all", (len(listed()), haft("approvals", "revoke", "--all",
                                                         "--json")[:2], listed()),
          (2, (0, '{"revoked":2}\n'), []))
    check("an_unknown_word_is_refused", haft("approvals", "lst")[0], 2)


with tempfile.TemporaryDirectory() as scratch:
    real = Path(scratch).resolve()
    environment = dict(os.environ, XDG_STATE_HOME=scratch, XDG_CONFIG_HOME=f"{scratch}/config",
                       TERM="dumb", LANG="C.UTF-8")
    for variable in ("HAFT_STORE", "HAFT_MODEL", "HAFT_PLAIN"):
        environment.pop(variable, None)
    store = Path(scratch) / "config" / "haft" / "approvals.json"
    test_always()
    test_changes()
    test_file()
    test_revoke()
