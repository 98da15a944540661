# SPDX-License-Identifier: Apache-2.0
"""Shared helpers of test scripts: the script's name, verdicts, and waiting."""
import os
import subprocess
import sys
import time
from pathlib import Path

NAME = "/".join(Path(sys.argv[0]).resolve().parts[-2:])  # as in "cli/run_test.py"
SOON = 300  # seconds; the timeout for something that should happen soon


def verdict(name, good, details=()):
    """One test. If it failed, the details are printed as lines before the verdict."""
    for line in details if not good else ():
        print(f"# {line}")
    print(f"{'ok' if good else 'not ok'} {NAME} {name}", flush=True)
    return good


def check(name, found, wanted=True):
    """One test: passes if both are equal."""
    return verdict(name, found == wanted, [f"found  {found!r}", f"wanted {wanted!r}"])


def check_none(name, problems, most=None):
    """One test: passes if there are no problems. Prints at most `most` of them."""
    problems = list(problems)
    shown = [line for problem in problems[:most] for line in str(problem).splitlines()]
    if most is not None and len(problems) > most:
        shown.append(f"and {len(problems) - most} more")
    return verdict(name, not problems, shown)


def skip(name, reason):
    print(f"skip {NAME} {name}: {reason}", flush=True)


def wait_for(what, seconds=SOON, pause=0.02):
    """Polls `what()` and returns its first true result; None after the timeout."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(pause)
    return None


def lease_seconds(least):
    """The length of a lease that is meant to expire: `least` seconds, and more if the machine is
    slow now, so that a live process renews it in time."""
    began = time.monotonic()
    subprocess.run([os.environ["HAFT"], "--version"], stdout=subprocess.DEVNULL, check=True)
    return int(least + 60 * (time.monotonic() - began))
