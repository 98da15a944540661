#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the studio that need no browser: pure_test.mjs runs them in node."""
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from script import NAME, skip  # noqa: E402

if shutil.which("node") is None:
    skip("the_modules_of_the_studio", "node is not installed")
    sys.exit(0)
sys.exit(subprocess.run(["node", "--no-warnings", HERE / "pure_test.mjs", NAME]).returncode)
