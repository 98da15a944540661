#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Skills in runs: found by a search, read, narrowing, changed or missing folders, hostile folders,
10,000 skills (docs/skills.md)."""
import hashlib
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
ROOT = Path(__file__).resolve().parents[2]
SECRET = "s3cr3t-of-the-test-4711"
CHARS = 32768  # HAFT__LIMIT_SKILL_CHARS


def haft(*words, env=None, cwd=None, **more):
    return subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, check=False,
                          cwd=cwd or scratch, env={**os.environ, **(env or {})}, **more)


def write(path, text):
    path = scratch / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill(folder, body="Do it.", **front):
    """Writes a skill. The front matter is JSON, which is YAML."""
    name = folder.split("/")[-1]
    front = {"name": name, "description": f"Helps with {name}.", **front}
    return write(f"{folder}/SKILL.md", "---\n" + "".join(
        f"{key}: {json.dumps(value)}\n" for key, value in front.items()) + f"---\n{body}\n")


def events(done):
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def results(log):
    return {e["call"]: e["result"] if e["ok"] else e["error"]["message"] for e in log
            if e["kind"] == "call_finished"}


def make_spec(name, replies, **more):
    write(f"{name}.script.yaml", json.dumps({"replies": replies}))
    return write(f"{name}.yaml", json.dumps({
        "haft": 1, "name": name, "model": f"script:{name}.script.yaml",
        "tools": [{"builtin": ["glob", "grep", "read"]},
                  {"name": "pick", "description": "Lets a person pick a letter of the alphabet.",
                   "args": [], "headless": True}], **more}))


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def test_example():
    """The example of docs/skills.md: found, read, and then narrowed."""
    task = "Write a reminder to every customer whose invoice is overdue."
    done = haft("run", ROOT / "examples/skills.yaml", task, "--events", "--store", "memory:")
    log = events(done)
    check("the_example_ends", (done.returncode, log[-1]["end"]), (0, "done"))
    check("the_search_reveals_it", [tool["name"] for e in log if e["kind"] == "tools_revealed"
                                    for tool in e["tools"]], ["skill:payment-reminder"])
    turns = [e for e in log if e["kind"] == "turn_started"]
    check("what_is_declared_stays", len({tuple(e["declared"]) for e in turns}), 1)
    files = ("glob", "grep", "read")
    check("what_is_allowed_narrows", [[tool for tool in e["allowed"] if tool in files]
                                      for e in turns], [list(files), ["grep", "read"],
                                                        ["grep", "read"]])
    refused = [e for e in log if e["kind"] == "call_refused"]
    check("the_refusal_names_the_skill", [(e["tool"], e["why"], "The skill payment-reminder" in
                                           e["text"]) for e in refused],
          [("glob", "not_allowed", True)])
    page = haft("explain", ROOT / "examples/skills.yaml").stdout
    check("explain_lists_it", [line for line in page.splitlines() if "skills/payment" in line], [
        "  payment-reminder: skills/payment-reminder, sha256 " + hashlib.sha256(
            (ROOT / "examples/skills/payment-reminder/SKILL.md").read_bytes()).hexdigest()[:8]
        + ", then only grep read"])
    check("explain_has_its_verdict",
          "skill:payment-reminder   skill, neutral: deferred" in page, True)
    found = json.loads(haft("explain", ROOT / "examples/skills.yaml", "--json").stdout)
    check("explain_has_it_as_json", [(s["name"], s["allowed_tools"], s["replaces"])
                                     for s in found["skills"]],
          [("payment-reminder", ["grep", "read"], None)])


def test_changed():
    """A run keeps the skills with which it began; their texts are read when they are called."""
    skill("kept/letters", "Version one.")
    skill("kept/other", "Another one.")
    spec = make_spec("kept", [
        {"calls": [call("pick")]},
        {"calls": [call("skill:letters"), call("skill:other")]},
        {"text": "Done."}], skills=["kept"])
    started = haft("run", spec, "Help with letters and other.", "--events", "--store", "k.db")
    log = events(started)
    run = log[0]["run"]
    digest = lambda name: hashlib.sha256((scratch / f"kept/{name}/SKILL.md").read_bytes())
    lines = "".join(f"{name} {digest(name).hexdigest()}\n" for name in ("letters", "other"))
    check("run_started_has_the_hash", (started.returncode, log[0]["skills"]), (4, {
        "count": 2, "sha256": hashlib.sha256(lines.encode()).hexdigest()}))
    skill("kept/letters", "Version two.", description="Deletes files.", **{"allowed-tools": "glob"})
    shutil.rmtree(scratch / "kept/other")
    fork = haft("runs", "fork", run, "--call", "c1.1", "--store", "k.db", "--json").stdout
    for name in (run, json.loads(fork)["run"]):
        done = haft("answer", name, '"x"', "--events", "--store", "k.db")
        log = events(done)
        texts = results(log)
        check("it_goes_on", (done.returncode, log[-1]["end"]), (0, "done"))
        check("the_result_says_that_the_text_has_changed",
              ("SKILL.md has changed" in texts["c2.1"], "Version two." in texts["c2.1"]),
              (True, True))
        check("a_missing_folder_is_an_error_of_the_call", "No such file" in texts["c2.2"], True)
        check("its_tools_are_those_of_the_beginning", "glob" in [
            e for e in log if e["kind"] == "turn_started"][-1]["allowed"], True)
        replay = haft("runs", "replay", name, "--store", "k.db")
        check("a_replay_needs_no_folder", (replay.returncode, replay.stderr), (0, ""))
    done = haft("check", spec)
    check("a_new_run_reads_the_folders", (done.returncode, "good" in done.stdout), (0, True))
    shutil.rmtree(scratch / "kept")
    check("without_them_it_does_not_start",
          (haft("run", spec, "Go.", "--store", "k.db").returncode,
           haft("runs", "replay", run, "--store", "k.db").returncode), (2, 0))


def test_gate():
    """Reading a skill does not count for the gate, and a search for skills is not forced."""
    skill("gate/letters")
    spec = make_spec("gate", [
        {"expect": {"mode": "any"}, "calls": [call("skill:letters")]},
        {"expect": {"mode": "any"}, "calls": [call("glob", pattern="*.none")]},
        {"expect": {"mode": "any"}, "calls": [call("grep", pattern="x", path="gate")]},
        {"expect": {"mode": "auto"}, "text": "Done."}],
        skills=["gate"], choice={"min_tools_for_auto": 2})
    log = events(haft("run", spec, "Help with letters.", "--events", "--store", "memory:"))
    check("skills_are_neutral", (log[-1]["end"], [e["called"] for e in log
                                                  if e["kind"] == "gate_opened"]),
          ("done", [["glob", "grep"]]))
    spec = write("only.yaml", json.dumps({**json.loads(spec.read_text()), "tools": [], "model":
                                          "script:only.script.yaml"}))
    write("only.script.yaml", json.dumps({"replies": [{"expect": {"mode": "auto"},
                                                       "text": "Done."}]}))
    log = events(haft("run", spec, "Dance.", "--events", "--store", "memory:"))
    check("a_gate_does_not_wait_for_skills", log[-1]["end"], "done")


def test_closed_gate():
    """No skill opens a gate: if it allows no tool that the gate waits for, it narrows none."""
    skill("closed/quiet", **{"allowed-tools": ""})
    skill("closed/letters", **{"allowed-tools": "read"})
    spec = make_spec("closed", [
        {"expect": {"mode": "any"}, "calls": [call("skill:quiet"), call("skill:letters")]},
        {"expect": {"mode": "any"}, "calls": [call("glob", pattern="*.none")]},
        {"expect": {"mode": "any"}, "calls": [call("grep", pattern="x", path="closed")]},
        {"expect": {"mode": "auto"}, "text": "Done."}],
        skills=["closed"], choice={"min_tools_for_auto": 2})
    log = events(haft("run", spec, "Help with letters and quiet.", "--events", "--store",
                      "memory:"))
    check("a_skill_opens_no_gate", (log[-1]["end"], [e["called"] for e in log
                                                     if e["kind"] == "gate_opened"]),
          ("done", [["glob", "grep"]]))
    check("then_it_narrows", [[tool for tool in e["allowed"] if tool in ("glob", "grep", "read")]
                              for e in log if e["kind"] == "turn_started"][1:],
          [["glob", "grep", "read"], ["grep", "read"], []])


def test_handoff():
    """A skill narrows the agent that has read it: no other agent, and this one when it is back."""
    skill("hand/letters", **{"allowed-tools": "grep read"})
    look = {"calls": [call("glob", pattern="*.none")]}
    write("b.script.yaml", json.dumps({"replies": [look, {"calls": [call("transfer_to_a")]}]}))
    agent = {"name": "b", "model": "script:b.script.yaml", "handoffs": ["a"],
             "tools": [{"builtin": ["glob", "grep", "read"]}]}
    for other in ({}, {"skills": ["hand"]}):
        spec = make_spec("a", [{"calls": [call("skill:letters")]}, {"calls": [
            call("transfer_to_b")]}, look, {"text": "Done."}], skills=["hand"], handoffs=["b"],
            agents={"b": {**agent, **other}})
        spec = write("a.yaml", json.dumps({**json.loads(spec.read_text()),
                                           "tools": agent["tools"]}))
        done = haft("run", spec, "Help with letters.", "--events", "--store", "hand.db")
        log = events(done)
        check("only_the_agent_that_has_read_it_is_narrowed",
              ["glob" in e["allowed"] for e in log if e["kind"] == "turn_started"],
              [True, False, True, True, False, False])
        replay = haft("runs", "replay", log[0]["run"], "--store", "hand.db")
        check("it_replays", (done.returncode, replay.returncode, replay.stderr), (0, 0, ""))


def test_refused():
    """Scripts and paths out of the folder are refused; the run goes on."""
    skill("ref/tool", "Run scripts/go.py.")
    write("ref/tool/scripts/go.py", "print('ran')")
    write("ref/secret.txt", "private text")
    spec = make_spec("ref", [
        {"calls": [call("skill:tool"), call("skill:tool", file="scripts/go.py"),
                   call("skill:tool", file="../secret.txt")]}, {"text": "Done."}],
        skills=["ref/tool"], choice={"schedule": ["skill:tool", "auto"]}, limits={"parallel": 9})
    log = events(haft("run", spec, "Go.", "--events", "--store", "memory:"))
    texts = results(log)
    check("scripts_are_refused_with_the_reason",
          ("does not run scripts of skills" in texts["c1.2"],
           "scripts/go.py (12 bytes)" in texts["c1.1"], "ran" in texts["c1.2"]),
          (True, True, False))
    check("so_are_paths_out_of_the_folder", ("beneath the folder" in texts["c1.3"],
                                             log[-1]["end"]), (True, "done"))
    check("a_named_skill_is_never_deferred", [e["tools"] for e in log
                                              if e["kind"] == "tools_revealed"], [])


def test_hostile():
    """Folders that cannot be used are errors of the spec, with file, line and column."""
    skill("h1/good", name="../../etc")
    skill("h2/evil\u202e\n", name="evil\u202e\n")
    write("h4/SKILL.md", "# no front matter\n")
    secret = write("private.txt", "A private text.")
    skill("h3/link")
    (scratch / "h3/link/notes.md").symlink_to(secret)
    (scratch / "h5").mkdir()
    (scratch / "h5/out").symlink_to(scratch / "h3/link")
    skill("h6/bomb")
    for i in range(300):
        write(f"h6/bomb/references/{i}/x.md", "x")
    (scratch / "h7/loop").mkdir(parents=True)
    (scratch / "h7/loop/SKILL.md").symlink_to("SKILL.md")
    (scratch / "h8").mkdir()
    for name, wanted in (
            ("h1", 'h1/good/SKILL.md:2:7: the name "../../etc" is not of the form'),
            ("h2", "h2/evil\\u202e\\u000a/SKILL.md:2:7: the name \"evil\\u202e\\u000a\" is not"),
            ("h3", "h3/link/notes.md: is a symbolic link"),
            ("h4", "h4/SKILL.md:1:1: expected a front matter"),
            ("h5", "h5/out: is a symbolic link"),
            ("h6", "h6/bomb: has more than 256 files and directories"),
            ("h7", "h7/loop/SKILL.md: is a symbolic link"),
            ("h8", "h8 has no skill"),
            ("private.txt", "private.txt is not a directory"),
            (".", "./h4/SKILL.md:1:1: expected")):
        done = haft("check", make_spec("bad", [{"text": "x"}], skills=[name]), timeout=60)
        place = next((line for line in done.stdout.splitlines() if "error" in line), "")
        check(f"check_rejects_{name.split('.')[0]}",
              (done.returncode, wanted in done.stdout, "bad.yaml:1:" in place,
               "A private" in done.stdout + done.stderr), (2, True, True, False))
    skill("later/good", "Second.")
    skill("first/good", "First.")
    done = haft("check", make_spec("twice", [{"text": "x"}], skills=["first", "later"]))
    check("the_later_folder_wins", (done.returncode, "of later/good replaces the one of first/good"
                                    in done.stdout), (0, True))
    page = haft("explain", scratch / "twice.yaml").stdout
    check("explain_says_so", "later/good, sha256" in page and ", replaces first/good" in page, True)


def test_long():
    """Instructions are whole up to skill.chars, whatever observation_chars is."""
    def run(count):
        skill("long/text", "x" * count)
        spec = make_spec("long", [{"calls": [call("skill:text")]}, {"text": "Done."}],
                         skills=["long"], choice={"schedule": ["skill:text", "auto"]})
        log = events(haft("run", spec, "Go.", "--events", "--store", "memory:"))
        return next((len(e["result"]), e["truncated"]) for e in log if e["kind"] == "call_finished")
    length, _ = run(10000)
    room = CHARS - (length - 10000)
    check("at_the_limit_it_is_whole", run(room), (CHARS, False))
    check("past_it_it_is_cut", run(room + 1)[1], True)


def test_secret():
    """A secret of the environment reaches neither the store nor the model."""
    skill("sec/keys", f"The key is {SECRET}.", description=f"Knows the key {SECRET} of the house.")
    spec = make_spec("sec", [{"calls": [call("skill:keys")]},
                             {"expect": {"contains": "The key is [redacted]."}, "text": "Done."}],
                     skills=["sec"], choice={"schedule": ["skill:keys", "auto"]},
                     agents={"sub": {"name": "sub", "skills": ["sec"]}})
    spec = write("sec.yaml", json.dumps({
        **json.loads(spec.read_text()),
        "tools": [{"name": "ask", "description": "Asks another agent a question.", "agent": "sub"},
                  {"name": "look", "description": "Looks at the things in the house.", "args": [],
                   "command": ["true"], "env": {"KEY": "${TEST_API_KEY}"}}]}))
    done = haft("run", spec, "Go.", "--events", "--store", "secret.db",
                env={"TEST_API_KEY": SECRET})
    check("the_model_reads_the_redacted_text", (done.returncode, events(done)[-1]["end"]),
          (0, "done"))
    for name in ("secret.db", "secret.db-wal"):
        path = scratch / name
        check(f"no_secret_in_{name}", path.exists() and SECRET.encode() in path.read_bytes(), False)
    replay = haft("runs", "replay", events(done)[0]["run"], "--store", "secret.db")
    check("the_redacted_run_replays", (replay.returncode, replay.stderr), (0, ""))


def test_hidden():
    """Hidden characters of descriptions and instructions are escaped, in the store and for the
    model: nobody who reads the file sees them."""
    hidden = "\u202e\u200b\U000e0041"
    skill("hidden/letters", f"Line one.\r\n\tLine two{hidden}.", description=f"Sends{hidden} it.")
    shown = "\\u202e\\u200b\\udb40\\udc41"
    spec = make_spec("hidden", [{"calls": [call("skill:letters")]}, {"text": "Done."}],
                     skills=["hidden"], choice={"schedule": ["skill:letters", "auto"]})
    log = events(haft("run", spec, "Go.", "--events", "--store", "memory:"))
    check("instructions_are_visible",
          f"Line one.\n\tLine two{shown}." in results(log)["c1.1"], True)
    found = haft("tools", spec, "--json").stdout.replace("\\\\", "\\")
    check("and_the_description", f"Sends{shown} it." in found, True)


def test_many_secrets():
    """Descriptions with secrets are redacted in linear time and memory."""
    for i in range(9000):
        skill(f"keys/s{i}", description=f"Knows the key {SECRET} of door {i}.")
    spec = make_spec("keys", [{"text": "Done."}], skills=["keys"])
    spec = write("keys.yaml", json.dumps({**json.loads(spec.read_text()), "tools": [
        {"name": "look", "description": "Looks at the things in the house.", "args": [],
         "command": ["true"], "env": {"KEY": "${TEST_API_KEY}"}}]}))
    done = haft("run", spec, "Go.", "--events", "--store", "keys.db",
                env={"TEST_API_KEY": SECRET})
    check("many_secrets_are_redacted", (done.returncode, done.stderr), (0, ""))
    stored = b"".join(path.read_bytes() for path in scratch.glob("keys.db*"))
    check("none_is_stored", (SECRET.encode() in stored, b"Knows the key [redacted]" in stored),
          (False, True))


def test_many():
    """10,000 skills: the right one is found, and the events stay small."""
    for i in range(9999):
        skill(f"many/s{i}", description=f"Sorts boxes of kind {i}.")
    skill("many/contracts", description="Translates contracts into French.")
    spec = make_spec("many", [{"calls": [call("tool_search", query="translate a contract")]},
                              {"calls": [call("skill:contracts")]}, {"text": "Done."}],
                     skills=["many"])
    done = haft("run", spec, "Count to ten.", "--events", "--store", "memory:")
    log = events(done)
    check("the_run_ends", (done.returncode, log[-1]["end"], log[0]["skills"]["count"]),
          (0, "done", 10000))
    check("the_search_finds_it", log[-1]["calls"], 2)
    check("its_instructions_are_read", "Do it." in results(log)["c2.1"], True)
    check("events_do_not_list_all_skills", max(map(len, done.stdout.splitlines())) < 20000, True)
    skill("many/one-more")
    done = haft("check", spec)
    check("one_more_is_rejected", (done.returncode, "more than 10000 skills" in done.stdout),
          (2, True))


scratch = Path(tempfile.mkdtemp())
try:
    test_example()
    test_changed()
    test_gate()
    test_closed_gate()
    test_handoff()
    test_refused()
    test_hostile()
    test_long()
    test_secret()
    test_hidden()
    test_many_secrets()
    test_many()
finally:
    shutil.rmtree(scratch)
