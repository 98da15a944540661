#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory files and AGENTS.md in runs: hashes, changed files, forks, secrets, hostile files
(docs/skills.md)."""
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
SECRET = "s3cr3t-of-the-test-4711"


def haft(*words, env=None, cwd=None, **more):
    return subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, check=False,
                          cwd=cwd or scratch, env={**os.environ, **(env or {})}, **more)


def write(path, text):
    path = scratch / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def events(done):
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def make_spec(name, replies, **more):
    write(f"{name}.script.yaml", json.dumps({"replies": replies}))
    return write(f"{name}.yaml", json.dumps({
        "haft": 1, "name": name, "model": f"script:{name}.script.yaml", "instructions": "Be brief.",
        "tools": [{"name": "pick", "description": "Picks.", "args": [], "headless": True}],
        **more}))


PICK = [{"name": "pick", "arguments": {}}]


def test_changed():
    """A run keeps the texts with which it began; a new run reads the files again."""
    old = {"expect": {"contains": "Version one."}}
    spec = make_spec("kept", [{**old, "calls": PICK}, {**old, "text": "Done."}],
                     memory=["notes/team.md"], agents_md=True, root="project/src")
    write("notes/team.md", "Version one.\n")
    write("project/.git/HEAD", "")
    write("project/AGENTS.md", "Run make test.\n")
    write("project/src/main.c", "")
    started = haft("run", spec, "Go.", "--events", "--store", "k.db")
    log = events(started)
    check("the_run_waits", started.returncode, 4)
    check("run_started_has_the_hashes", log[0]["memory"], [
        {"file": "notes/team.md", "bytes": 13, "project": False,
         "sha256": hashlib.sha256(b"Version one.\n").hexdigest()},
        {"file": "project/src/../AGENTS.md", "bytes": 15, "project": True,
         "sha256": hashlib.sha256(b"Run make test.\n").hexdigest()}])
    write("notes/team.md", "Version two.\n")
    (scratch / "project/AGENTS.md").unlink()
    run = log[0]["run"]
    fork = haft("runs", "fork", run, "--call", "c1.1", "--store", "k.db", "--json")
    done = haft("answer", run, '"x"', "--events", "--store", "k.db")
    check("a_resumed_run_keeps_its_texts", (done.returncode, events(done)[-1]["end"]), (0, "done"))
    replay = haft("runs", "replay", run, "--store", "k.db")
    check("a_replay_needs_no_file", (replay.returncode, replay.stderr), (0, ""))
    child = json.loads(fork.stdout)["run"]
    done = haft("answer", child, '"x"', "--events", "--store", "k.db")
    check("a_fork_keeps_them_too", (done.returncode, events(done)[-1]["end"]), (0, "done"))
    new = events(haft("run", spec, "Go.", "--events", "--store", "k.db"))
    check("a_new_run_reads_the_files",
          (new[-1]["end"], "Version one." in new[-1]["error"]["message"],
           [m["bytes"] for m in new[0]["memory"]]), ("failed", True, [13]))


def test_nearest():
    """The nearest AGENTS.md of the repository, and none from outside of it."""
    found = {}
    write("AGENTS.md", "Not of the repository.\n")
    write("repo/.git/HEAD", "")
    write("repo/AGENTS.md", "Of the repository.\n")
    write("repo/lib/AGENTS.md", "Of the library.\n")
    write("repo/lib/deep/x.c", "")
    write("repo/app/x.c", "")
    write("bare/x.c", "")
    for root in ("repo", "repo/lib", "repo/lib/deep", "repo/app", "bare", "."):
        spec = make_spec("near", [{"text": "Done."}], agents_md=True, root=root)
        log = events(haft("run", spec, "Go.", "--events", "--store", "memory:"))
        found[root] = [m["file"] for m in log[0].get("memory", [])]
    check("the_nearest_file_wins", found, {
        "repo": ["repo/AGENTS.md"], "repo/lib": ["repo/lib/AGENTS.md"],
        "repo/lib/deep": ["repo/lib/deep/../AGENTS.md"], "repo/app": ["repo/app/../AGENTS.md"],
        "bare": [], ".": ["AGENTS.md"]})
    (scratch / "AGENTS.md").unlink()


def test_explain():
    write("repo/AGENTS.md", "Run make test.\n")
    write("rules.md", "Cite files.\n")
    spec = make_spec("told", [{"text": "Done."}], agents_md=True, root="repo", memory=["rules.md"],
                     context={"tokens": 4000})
    page = haft("explain", spec).stdout
    check("explain_lists_the_files", [line for line in page.splitlines() if "sha256" in line], [
        "  rules.md: 12 bytes, about 4 tokens, sha256 "
        + hashlib.sha256(b"Cite files.\n").hexdigest()[:8],
        "  repo/AGENTS.md: 15 bytes, about 5 tokens, sha256 "
        + hashlib.sha256(b"Run make test.\n").hexdigest()[:8] + ", untrusted text of the project"])
    found = json.loads(haft("explain", spec, "--json").stdout)
    check("explain_has_them_as_json", [m["file"] for m in found["memory"]],
          ["rules.md", "repo/AGENTS.md"])
    plain = json.loads(haft("explain", make_spec("plain", [{"text": "Done."}],
                                                 context={"tokens": 4000}), "--json").stdout)
    check("their_size_counts", found["context"]["system"] > plain["context"]["system"] + 7, True)
    system = found["request"]["messages"][0]["content"]
    check("the_text_of_the_project_is_marked",
          (system.startswith("Be brief."), "# Standing instructions: rules.md" in system,
           "not by the author of these instructions" in system), (True, True, True))


def test_hostile():
    """Files that cannot be used are errors of the spec, with their place."""
    os.mkfifo(scratch / "pipe.md")
    write("huge.md", "x" * (1 << 20))
    (scratch / "binary.md").write_bytes(b"a\xff")
    write("folder/x", "")
    for name, wanted in (("pipe.md", "found a special file"),
                         ("huge.md", "has more than the 65536"),
                         ("binary.md", "byte 1 is not UTF-8"), ("folder", "found a directory"),
                         ("gone.md", "cannot be read: No such file")):
        spec = make_spec("bad", [{"text": "Done."}], memory=[name])
        done = haft("check", spec, timeout=60)
        check(f"check_rejects_{name.split('.')[0]}", (done.returncode, wanted in done.stdout),
              (2, True))
    secret = write("secret.txt", "A private text.")
    write("evil/.git/HEAD", "")
    (scratch / "evil/AGENTS.md").symlink_to(secret)
    done = haft("check", make_spec("bad", [{"text": "Done."}], agents_md=True, root="evil"))
    check("a_link_is_not_followed", (done.returncode, "symbolic link" in done.stdout,
                                     "private" in done.stdout + done.stderr), (2, True, False))


def test_secret():
    """A secret of the environment in a memory file reaches neither the store nor the model."""
    write("keys.md", f"The key is {SECRET}. Use it.\n")
    spec = make_spec("keys", [{"expect": {"contains": "The key is [redacted]. Use it."},
                               "text": "Done."}], memory=["keys.md"],
                     agents={"sub": {"name": "sub", "memory": ["keys.md"]}})
    spec = write("keys.yaml", json.dumps({
        **json.loads(spec.read_text()),
        "tools": [{"name": "ask", "description": "Asks.", "agent": "sub"},
                  {"name": "look", "description": "Looks.", "args": [], "command": ["true"],
                   "env": {"KEY": "${TEST_API_KEY}"}}]}))
    done = haft("run", spec, "Go.", "--events", "--store", "secret.db",
                env={"TEST_API_KEY": SECRET})
    check("the_model_reads_the_redacted_text", (done.returncode, events(done)[-1]["end"]),
          (0, "done"))
    check("the_store_has_no_secret", SECRET.encode() in (scratch / "secret.db").read_bytes(), False)
    wal = scratch / "secret.db-wal"
    check("nor_its_journal", wal.exists() and SECRET.encode() in wal.read_bytes(), False)
    replay = haft("runs", "replay", events(done)[0]["run"], "--store", "secret.db")
    check("the_redacted_run_replays", (replay.returncode, replay.stderr), (0, ""))


scratch = Path(tempfile.mkdtemp())
try:
    test_changed()
    test_nearest()
    test_explain()
    test_hostile()
    test_secret()
finally:
    shutil.rmtree(scratch)
