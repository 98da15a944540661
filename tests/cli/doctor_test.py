#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft doctor`."""
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
SCHEMA = Path(__file__).resolve().parent.parent.parent / "docs/schemas/doctor.schema.json"
KEY = "sk-doctor-0123456789abcdef"


def doctor(*words, **more):
    done = subprocess.run([HAFT, "doctor", *words], text=True, capture_output=True,
                          env=dict(os.environ, XDG_STATE_HOME=scratch, **more))
    return done.returncode, done.stdout, done.stderr


def as_user(*words):
    """Runs `haft doctor` as a user who is not root; None if that is not possible here."""
    line = [HAFT, "doctor", *words]
    if os.geteuid() == 0:
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if shutil.which("setpriv") is None or subprocess.run([*drop, HAFT, "--version"],
                                                             capture_output=True).returncode != 0:
            return None
        line = drop + line
    done = subprocess.run(line, text=True, capture_output=True, cwd="/",
                          env=dict(os.environ, HOME=scratch, XDG_STATE_HOME=scratch,
                                   XDG_CONFIG_HOME=scratch))
    return done.returncode, done.stdout


def write_check(url):
    """The status, the text and the hint of the check that writes."""
    status, out = as_user("--json", "--store", url)
    store = json.loads(out)["store"]
    last = store["checks"][-1] if store["checks"] else store
    return status, last["found"], last["hint"]


def test_permissions():
    if as_user() is None:
        skip("permissions", "no other user can be used")
        return
    place = Path(scratch, "place")
    file = place / "b.db"
    place.mkdir()
    os.chmod(scratch, 0o755)
    subprocess.run([HAFT, "worker", "--until-idle", "--store", f"sqlite:{file}"], check=True)
    for name, mode_of_place, mode, wanted, hint in (
            ("a_store_that_can_be_written", 0o777, 0o666, "yes", ""),
            ("a_file_that_cannot_be_written", 0o777, 0o444,
             "no: the database is read-only for this user", "write permission for the file"),
            ("a_directory_that_cannot_be_written", 0o555, 0o666,
             "no: the directory of the database is read-only for this user",
             "write permission for the directory")):
        file.chmod(mode)
        place.chmod(mode_of_place)
        status, found, hints = write_check(f"sqlite:{file}")
        check(name, (status, found, hint in hints, hints == ""),
              (int(hint != ""), wanted, True, hint == ""))
    for left in place.glob("b.db-*"):
        left.unlink()
    place.chmod(0o555)
    file.chmod(0o444)
    checks = json.loads(as_user("--json", "--store", f"sqlite:{file}")[1])["store"]["checks"]
    check("the_journal_of_a_read_only_store_is_not_a_fault",
          [(one["found"], one["ok"]) for one in checks if one["name"] == "journal"],
          [("unknown: the database is open read-only", True)])
    status, found, hints = write_check(f"sqlite:{place}/new/c.db")
    check("store_that_cannot_be_created_is_reported",
          (status, "this user cannot create it" in found, "--store" in hints), (1, True, True))
    place.chmod(0o777)
    check("store_that_can_be_created_passes", write_check(f"sqlite:{place}/new/c.db")[0], 0)
    check("a_check_creates_nothing", sorted(one.name for one in place.iterdir()
                                            if not one.name.startswith("b.db")), [])


with tempfile.TemporaryDirectory() as scratch:
    status, out, err = doctor("--json", OPENAI_API_KEY=KEY)
    found = json.loads(out)
    check("all_checks_pass", (status, err, [k for k in found if not found[k]["ok"]]), (0, "", []))
    check("all_checks_are_listed", list(found), ["version", "libraries", "store", "guard", "files",
                                                 "server", "sandbox", "keys", "mcp", "config"])
    valid = subprocess.run([HAFT, "validate", SCHEMA, "-"], input=out, text=True,
                           capture_output=True)
    check("output_matches_its_schema", (valid.returncode, valid.stdout),
          (0, "standard input: valid\n"))
    check("keys_are_named_not_shown", ("OPENAI_API_KEY" in out, KEY in out), (True, False))
    check("text_output_begins_with_the_version",
          doctor()[1].splitlines()[0].split()[:2], ["ok", "version"])
    status, out, _ = doctor("--store", "sqlite:/proc")
    check("store_that_cannot_be_opened_is_reported", (status, "BAD  store" in out), (1, True))
    missing = os.path.join(scratch, "none", "haft.db")
    status, out, _ = doctor("--store", f"sqlite:{missing}")
    check("a_missing_store_is_not_created",
          (status, "does not exist" in out, os.path.exists(os.path.dirname(missing))),
          (0, True, False))
    subprocess.run([HAFT, "worker", "--until-idle", "--store", f"sqlite:{scratch}/a.db"],
                   check=True)
    status, out, _ = doctor("--json", "--store", f"sqlite:{scratch}/a.db")
    checks = json.loads(out)["store"]["checks"]
    check("checks_of_the_store_are_listed", (status, [one["name"] for one in checks]),
          (0, ["schema", "journal", "synchronous", "integrity", "space", "clock", "writable"]))
    check("settings_of_the_store_are_shown",
          [one["found"] for one in checks][1:4], ["wal", "full", "ok"])
    valid = subprocess.run([HAFT, "validate", SCHEMA, "-"], input=out, text=True,
                           capture_output=True)
    check("output_about_a_store_matches_its_schema", valid.returncode, 0)
    check("text_output_has_the_journal_mode",
          "journal: wal" in doctor("--store", f"sqlite:{scratch}/a.db")[1], True)
    for url in ("POSTGRES://u:s3kret@h/x", " postgres://u:s3kret@h/x", "mysql://u:s3kret@h/x",
                "postgres://u:a@s3kret@h/x", "postgres://u:a/s3kret@h/x",
                "postgres://u@127.0.0.1:1/x?password=s3kret&sslpassword=s3kret"):
        for words in ([], ["--json"]):
            status, out, err = doctor("--store", url, *words)
            check(f"no_password_is_printed {url} {words}",
                  (status, "s3kret" in out + err), (1, False))
    check("unknown_kind_of_store_is_reported", "store      unknown kind of store 'mysql:'" in
          doctor("--store", "mysql://u:s3kret@h/x")[1], True)
    test_permissions()
