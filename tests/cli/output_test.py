#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/main.c: output that cannot be written is a failure."""
import fcntl
import os
import subprocess
import sys
import tempfile
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
check("a_reader_that_has_ended_is_only_in_the_exit_status", run(["--help"], writing), (1, ""))
os.close(writing)
reading, writing = os.pipe()
fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)  # less than the output, which waits for its reader
with subprocess.Popen([HAFT, "help", "--format", "markdown"], stdout=writing,
                      stderr=subprocess.PIPE, text=True) as long:
    os.close(writing)
    os.read(reading, 10)
    os.close(reading)
    check("a_reader_that_ends_early_is_only_in_the_exit_status",
          (long.stderr.read(), long.wait()), ("", 1))

LOST = "haft: cannot write the output: Bad file descriptor\n"


def closed(redirection, *words):
    """The exit status and output of haft with closed standard descriptors."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "s.json").write_text('{"haft": 1, "model": "script:r.json"}')
        Path(scratch, "r.json").write_text('{"replies": [{"text": "answer"}]}')
        done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', HAFT, *words],
                              cwd=scratch, env=dict(os.environ, XDG_STATE_HOME=scratch),
                              input="", capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr


RUN = ("run", "s.json", "go", "-q")
check("without_standard_input", closed("<&-", *RUN), (0, "answer\n", ""))
check("without_standard_output", closed(">&-", *RUN), (1, "", LOST))
check("without_standard_error", closed("2>&-", *RUN), (0, "answer\n", ""))
check("with_standard_output_only", closed("<&- 2>&-", *RUN), (0, "answer\n", ""))
check("without_any_standard_stream", closed("<&- >&- 2>&-", *RUN), (1, "", ""))
for redirection, name in ("<&-", "input"), (">&-", "output"):
    check(f"a_server_without_standard_{name}", closed(redirection, "mcp", "s.json"),
          (1, "", f"haft: standard {name}: it is closed, and the MCP client needs it\n"))
check("chat_without_standard_input", closed("<&-", "chat", "s.json")[0], 1)

with open("/dev/null", "wb") as null:
    check("successful_write_is_no_error", run(["--version"], null), (0, ""))
