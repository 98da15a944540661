#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/main.c: output that cannot be written is a failure."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]


def run(words, stdout):
    done = subprocess.run([HAFT, *words], stdout=stdout, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


with open("/dev/full", "wb") as full:
    check("a_full_disk_is_noticed", run(["--help"], full),
          (1, "haft: cannot write the output: No space left on device\n"))
    check("full_disk_without_output_is_no_error", run(["frobnicate"], full),
          (2, "haft: unknown command 'frobnicate'\nhint: 'haft --help' lists the commands\n"))

reading, writing = os.pipe()
os.close(reading)
check("a_broken_pipe_is_noticed", run(["--help"], writing),
      (1, "haft: cannot write the output: Broken pipe\n"))
os.close(writing)

with open("/dev/null", "wb") as null:
    check("successful_write_is_no_error", run(["--version"], null), (0, ""))
