#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official openai package talks to `haft mock-model`: openai_test.mjs has the cases. The
package is installed into the build directory, once; without npm, or without its registry, the test
is skipped."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAME = "clients/openai_test.py"
HERE = Path(__file__).resolve().parent
PLACE = Path(os.environ["HAFT_BUILD"]) / "clients"
MAJOR = 6
INSTALL_SECONDS = 240


def skip(reason):
    print(f"skip {NAME} the_official_client: {reason}")
    sys.exit(0)


def is_there():
    try:
        package = json.loads((PLACE / "node_modules/openai/package.json").read_text())
        return package["version"].split(".")[0] == str(MAJOR)
    except (OSError, ValueError):
        return False


def install():
    """Beside its place first, so that half of it is never taken for the whole."""
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PLACE.parent, prefix="clients-") as fresh:
        try:
            done = subprocess.run(
                ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
                 "--fetch-retries=1", "--fetch-retry-maxtimeout=5000", "--prefix", fresh,
                 f"openai@{MAJOR}"], cwd=fresh, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=INSTALL_SECONDS)
        except subprocess.TimeoutExpired:
            skip(f"npm has not installed openai@{MAJOR} after {INSTALL_SECONDS} seconds")
        if done.returncode != 0:
            skip(f"npm cannot install openai@{MAJOR} here (exit status {done.returncode})")
        shutil.rmtree(PLACE, ignore_errors=True)
        PLACE.mkdir()
        os.rename(Path(fresh) / "node_modules", PLACE / "node_modules")


for program in ("node", "npm"):
    if shutil.which(program) is None:
        skip(f"{program} is not installed")
if not is_there():
    install()
client = (PLACE / "node_modules/openai/index.mjs").as_uri()
sys.exit(subprocess.run(["node", HERE / "openai_test.mjs", NAME, client]).returncode)
