#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/llm without a model: it names and skips what is missing, fails if the given server does
not answer, and adds up verdicts. Its tests and the package tools are stand-ins."""
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import house
from script import check

REAL = ["sh", "env", "mktemp", "rm", "cat", "dirname", "nice"]
HOW = "HAFT_LLAMACPP_URL=http://HOST:PORT make test-llm uses a running llama.cpp server"
GOOD = ("print('# 7 bytes')\nprint('ok llm/good_test.py one')\n"
        "print('skip llm/good_test.py two: no')\n")
BAD = "print('not ok llm/bad_test.py one')\n"
DEAD = "raise SystemExit(3)\n"


def stand_in(directory, name, body):
    path = directory / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def outcome(tests, url=None, packages="", server=None):
    """(status, output, errors) of scripts/llm in a tree with these tests."""
    with tempfile.TemporaryDirectory(prefix="haft-llm-") as temporary:
        root, programs = Path(temporary) / "tree", Path(temporary) / "bin"
        for directory in (root / "scripts", root / "tests/llm", programs):
            directory.mkdir(parents=True)
        for script in ("llm", "deps"):
            shutil.copy(house.ROOT / "scripts" / script, root / "scripts" / script)
        for name, text in tests.items():
            (root / "tests/llm" / name).write_text(text)
        for name in REAL:
            os.symlink(shutil.which(name), programs / name)
        if server is not None:
            (root / "build-llm").mkdir()
            stand_in(root / "build-llm", "llama-server-0.3.36", server)
            (root / "build-llm/SmolLM2-135M-Instruct.Q4_1.gguf").write_text("weights")
        stand_in(programs, "dpkg-query", f"printf '{packages}'")
        stand_in(programs, "id", "echo 1000")
        stand_in(programs, "python3", "exit 0")
        environment = {"PATH": str(programs), "PIP_NO_INDEX": "1", "HOME": temporary}
        environment.update({"HAFT_LLAMACPP_URL": url} if url else {})
        done = subprocess.run([sys.executable, root / "scripts/llm"], text=True,
                              capture_output=True, env=environment)
        return done.returncode, done.stdout, done.stderr


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


MISSING = ("Neither root nor sudo is available; as root, run: apt-get install cmake ninja-build "
           "g++")
check("missing_packages_are_named", outcome({"good_test.py": GOOD}),
      (0, f"skip llm/good_test.py: {MISSING}. {HOW}\n0 passed, 0 failed, 1 skipped\n",
       f"make test-llm: {MISSING}. {HOW}\n"))

ALL = r"cmake installed\nninja-build installed\ng++ installed\n"
status, output, errors = outcome({"good_test.py": GOOD}, packages=ALL)
house.check("failed_download_is_a_skip",
            [] if status == 0 and "skip llm/good_test.py: pip download " in output
            and HOW in output and output.endswith("0 passed, 0 failed, 1 skipped\n")
            else [status, output, errors])

status, output, errors = outcome({"good_test.py": GOOD}, packages=ALL, server="exit 3")
house.check("a_server_that_does_not_start_is_a_failure",
            [] if status == 1 and "not ok scripts/llm: llama-server does not start" in output
            and output.endswith("0 passed, 1 failed, 0 skipped\n") else [status, output, errors])

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Health)
there = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
check("verdicts_are_added_up", outcome({"good_test.py": GOOD}, there + "/v1/"),
      (0, "# 7 bytes\nok llm/good_test.py one\nskip llm/good_test.py two: no\n"
       "1 passed, 0 failed, 1 skipped\n", ""))
check("failed_and_silent_tests_are_failures",
      outcome({"good_test.py": GOOD, "bad_test.py": BAD, "dead_test.py": DEAD}, there),
      (1, "not ok llm/bad_test.py one\nnot ok llm/dead_test.py: exit status 3\n# 7 bytes\n"
       "ok llm/good_test.py one\nskip llm/good_test.py two: no\n1 passed, 2 failed, 1 skipped\n",
       ""))
server.shutdown()
server.server_close()
status, output, errors = outcome({"good_test.py": GOOD}, there)
house.check("given_server_must_answer",
            [] if status == 1 and errors.startswith(
                f"make test-llm: HAFT_LLAMACPP_URL is {there}, but {there}/health does not answer")
            else [status, output, errors])
