#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The studio in a real browser, against real servers: browser_test.mjs has the cases. `make
check-studio` (HAFT_LONG=1) runs all of them, on each kind of store."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "house"), str(HERE.parent / "cli")]
import packages  # noqa: E402
from script import NAME, skip  # noqa: E402
from store_urls import stores  # noqa: E402

CASE = "the_studio_in_a_browser"
chromium = shutil.which("chromium")
if chromium is None:
    skip(CASE, "chromium is not installed")
    sys.exit(0)
place = packages.install(NAME, CASE, "studio-packages", ["playwright-core", "axe-core"])
status = 0
with tempfile.TemporaryDirectory(prefix="haft-studio-") as scratch:
    # HAFT_TEST_POSTGRES: a second store, if there is a server.
    every = stores(scratch)
    for store, new_store in every if os.environ.get("HAFT_LONG") == "1" else every[:1]:
        done = subprocess.run(["node", HERE / "browser_test.mjs", NAME, store],
                              env=dict(os.environ, STUDIO_STORE=new_store(), STUDIO_SCRATCH=scratch,
                                       STUDIO_PACKAGES=str(place / "node_modules"),
                                       STUDIO_CHROMIUM=chromium))
        status = status or done.returncode
sys.exit(status)
