# SPDX-License-Identifier: Apache-2.0
"""The shared code of the tests with a real model: the server, the command, verdicts. scripts/llm
starts the tests, with the address of the server in HAFT_LLAMACPP_URL."""
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check_none as check  # noqa: E402, F401

HAFT = os.environ["HAFT"]
URL = os.environ["HAFT_LLAMACPP_URL"]
HERE = Path(__file__).resolve().parent
ASK_SECONDS = 600


def note(text):
    """Prints a figure or a remark, which is not a verdict."""
    print(f"# {text}", flush=True)


def ask(body):
    """(status, the answer as JSON; if the status is an error, its text)"""
    request = urllib.request.Request(f"{URL}/v1/chat/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=ASK_SECONDS) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")


def haft(*words, text=None, seconds=ASK_SECONDS):
    """(exit status, standard output, standard error)"""
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          timeout=seconds)
    return done.returncode, done.stdout, done.stderr
