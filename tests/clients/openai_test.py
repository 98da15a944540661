#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official openai package talks to `haft mock-model`: openai_test.mjs has the cases."""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "house")]
import packages  # noqa: E402
from script import NAME  # noqa: E402

place = packages.install(NAME, "the_official_client", "clients", ["openai"])
client = (place / "node_modules/openai/index.mjs").as_uri()
sys.exit(subprocess.run(["node", HERE / "openai_test.mjs", NAME, client]).returncode)
