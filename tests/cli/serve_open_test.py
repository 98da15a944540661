#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft serve --open` starts the user's browser at the studio, and serves without one, too."""
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]


def serve(scratch, path, listen="127.0.0.1:0"):
    return subprocess.Popen([HAFT, "serve", "--open", "--listen", listen, "--store", "memory:"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            cwd=scratch, env={**os.environ, "PATH": str(path)})


def end(server):
    server.terminate()
    return server.communicate()[1]


with tempfile.TemporaryDirectory(prefix="haft-open-") as scratch:
    programs = Path(scratch) / "bin"
    programs.mkdir()
    opened = Path(scratch) / "opened"
    browser = programs / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" >{opened}.new\n/bin/mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    server = serve(scratch, programs)
    url = server.stdout.readline().split()[-1]
    wait_for(opened.exists)
    check("the_browser_gets_the_address_of_the_studio", opened.read_text().strip(),
          f"{url}/studio/")
    with urllib.request.urlopen(f"{url}/") as page:
        check("the_server_redirects_to_the_page", (page.status, page.url), (200, f"{url}/studio/"))
    check("a_browser_that_starts_is_not_reported", end(server), "")

    browser.unlink()
    server = serve(scratch, programs)
    url = server.stdout.readline().split()[-1]
    with urllib.request.urlopen(f"{url}/ok") as page:
        check("the_server_works_without_a_browser", page.status, 200)
    check("a_missing_browser_is_reported", end(server),
          f"haft: serve: --open: cannot start a browser (xdg-open); open {url}/studio/\n")

    server = serve(scratch, programs, f"unix:{scratch}/socket")
    server.stdout.readline()
    check("a_socket_is_not_opened", end(server),
          "haft: serve: --open: a browser cannot open a unix socket\n")
