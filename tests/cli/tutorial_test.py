#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/tutorial.md step by step: assembles the spec from its blocks, runs its commands
against a web service like the one of the page, and makes the mistake that the page shows."""
import functools
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tutorial.md").read_text()


def haft(*words):
    environment = {**os.environ, "XDG_STATE_HOME": scratch, "NO_COLOR": "1"}
    done = subprocess.run([HAFT, *words], text=True, capture_output=True, cwd=scratch, timeout=300,
                          env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def serve():
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=ROOT / "examples/shop"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def blocks():
    return re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_pages_agree():
    """The page shows what examples/shop/agent.yaml has, except for comments."""
    typed = "".join(blocks()[:2])
    there = re.sub(r"^#.*\n| #.*$", "", (ROOT / "examples/shop/agent.yaml").read_text(),
                   flags=re.MULTILINE)
    check("the_example_is_what_is_typed", typed, there)


def test_steps(port):
    spec = Path(scratch) / "my-agent.yaml"
    spec.write_text(blocks()[0])
    check("spec_with_a_program_is_good", haft("check", "my-agent.yaml")[0], 0)
    status, out, _ = haft("run", "my-agent.yaml", "How much space is left in /tmp?")
    check("tool_is_called", (status, "disk_free" in out and "Filesystem" in out), (0, True))
    spec.write_text(blocks()[0].replace("args:", "argz:"))
    status, out, err = haft("check", "my-agent.yaml")
    shown = re.search(r"^    (my-agent\.yaml:8:5.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)[1]
    shown = re.sub(r"^    ", "", shown, flags=re.MULTILINE)
    check("mistake_is_reported_as_on_the_page", (status, shown in out + err), (2, True))
    spec.write_text("".join(blocks()[:2]).replace(":8000", f":{port}"))
    status, out, _ = haft("run", "my-agent.yaml", "What is the state of order 1042?")
    check("service_is_called", (status, "shipped" in out), (0, True))
    for words in (["explain", "my-agent.yaml", "What?"], ["runs", "list"], ["runs", "show", "last"],
                  ["runs", "replay", "last"]):
        check(" ".join(words), haft(*words)[0], 0)
    spec.write_text(spec.read_text().replace("{read_only: true}", "{needs_approval: true}"))
    status, _, err = haft("run", "my-agent.yaml", "Use disk_free for /tmp")
    check("run_asks_for_approval", (status, "haft approve" in err), (4, True))
    status, out, _ = haft("approve", "last")
    check("run_continues_after_approval", (status, "Filesystem" in out), (0, True))


with tempfile.TemporaryDirectory() as scratch:
    service = serve()
    test_pages_agree()
    test_steps(service.server_address[1])
    service.shutdown()
