#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft token`: tokens in a file, their hashes, and bad input."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, check_none  # noqa: E402

HAFT = os.environ["HAFT"]


def run(directory, *words):
    return subprocess.run([HAFT, "token", *words], cwd=directory, capture_output=True, text=True,
                          check=False)


def main():
    with tempfile.TemporaryDirectory(prefix="haft-token-") as scratch:
        directory = Path(scratch)
        made = run(scratch, "create", "anna", "--roles", "read,answer", "--expires", "30d")
        token = made.stdout.strip()
        check("a_token_is_printed", (made.returncode, token[:5], len(token)), (0, "haft_", 69))
        path = directory / "haft-tokens.jsonl"
        row = json.loads(path.read_text())
        check("the_file_has_its_hash",
              (row["sha256"], row["name"], row["user"], row["roles"], row["all_users"]),
              (hashlib.sha256(token.encode()).hexdigest(), "anna", "anna", ["read", "answer"],
               False))
        check("it_expires", row["expires"] > row["created"])
        check("the_token_is_not_in_the_file", token in path.read_text(), False)
        check("only_the_owner_may_read_it", oct(path.stat().st_mode & 0o777), "0o600")
        run(scratch, "create", "boss", "--roles", "admin", "--all-users", "--user", "b\x1b[0m")
        listed = run(scratch, "list").stdout.splitlines()
        check("tokens_are_listed",
              [(line.split()[0], line.split()[1]) for line in listed],
              [("anna", "read,answer"), ("boss", "admin")])
        check("names_are_escaped", "\x1b" in "".join(listed), False)
        cases = [
            ("twice", ["create", "anna"], 2, "already exists"),
            ("a bad role", ["create", "x", "--roles", "root"], 2, "--roles"),
            ("a bad time", ["create", "x", "--expires", "soon"], 2, "--expires"),
            ("no name", ["create"], 2, "create NAME"),
            ("an unknown word", ["make", "x"], 2, "'make'"),
            ("an unknown token", ["revoke", "x"], 2, "no token 'x'"),
            ("a missing file", ["list", "--token-file", "none"], 1, "none"),
        ]
        (directory / "plain").write_text("a-plain-token\n")
        cases.append(("a plain token", ["create", "x", "--token-file", "plain"], 2, "plain token"))
        problems = []
        for name, words, status, text in cases:
            done = run(scratch, *words)
            if done.returncode != status or text not in done.stderr or done.stdout:
                problems.append(f"{name}: {done.returncode} {done.stdout} {done.stderr}")
        check_none("bad_input", problems)
        check("revoke", run(scratch, "revoke", "anna").returncode, 0)
        check("the_others_stay", [json.loads(line)["name"]
                                  for line in path.read_text().splitlines()], ["boss"])
        both = [subprocess.Popen([HAFT, "token", "create", f"t{n}"], cwd=scratch,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for n in range(10)]
        # One that cannot get the lock in time reports that, and changes nothing.
        done = sum(one.wait() == 0 for one in both)
        check("commands_at_once_lose_no_token",
              (len(path.read_text().splitlines()), done > 0), (1 + done, True))


main()
