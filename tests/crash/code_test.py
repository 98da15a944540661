#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 inside each nested call of code: after `haft resume` the answer is the same, and every
effect has happened once. Nothing of the first process is left."""
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
CALLS = 4
SPEC = """haft: 1
name: crash
model: script:spec.script.yaml
formats: [codemode]
instructions: Write code.
tools:
  - builtin: [python_execution]
  - name: add
    description: Add a line.
    args: [line]
    command:
      - sh
      - -c
      - |
        [ -f go ] || [ $HAFT_CALL != c1.1.VICTIM ] || { touch inside; sleep 1000; }
        grep -qs $HAFT_IDEMPOTENCY_KEY log.txt || echo $HAFT_IDEMPOTENCY_KEY >> log.txt
        echo added $HAFT_CALL
    traits: {idempotent: true, timeout: 1000s}
"""
CODE = f"""
found = [add(str(i)) for i in range({CALLS})]
print(found)
"""


def haft(place, *words):
    return subprocess.run([HAFT, *words], cwd=place, capture_output=True, text=True, check=False,
                          env=environment(place))


def environment(place):
    return {**os.environ, "HAFT_STORE": f"sqlite:{place}/haft.db", "HAFT_LEASE": "1s",
            "TMPDIR": str(place)}


def crash_in(place, victim):
    (place / "spec.yaml").write_text(SPEC.replace("VICTIM", str(victim)))
    (place / "spec.script.yaml").write_text(json.dumps({"replies": [
        {"calls": [{"name": "python_execution", "arguments": {"code": CODE}}]},
        {"expect": {"contains": "added c1.1.4"}, "text": "same answer"}]}))
    process = subprocess.Popen([HAFT, "run", "spec.yaml", "go"], cwd=place,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment(place))
    inside = wait_for(lambda: (place / "inside").exists() or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (place / "go").touch()
    if not inside or not (place / "inside").exists():
        return ["the call was not reached"]
    ran = wait_for(lambda: attempt(place))
    log = (place / "log.txt").read_text().split()
    problems = [] if ran else ["the run did not end"]
    if sorted(log) != sorted(set(log)) or len(log) != CALLS:
        problems.append(f"effects: {log}")
    if not wait_for(lambda: not processes(place), 60):
        problems.append(f"left: {processes(place)}")
    return problems + replay(place)


def attempt(place):
    """Resumes the run as soon as the lease of the dead process has expired."""
    haft(place, "resume", "last")
    shown = json.loads(haft(place, "runs", "show", "last", "--json").stdout)
    return (shown["end"], shown["answer"]) == ("done", "same answer")


def replay(place):
    out = haft(place, "runs", "replay", "last").stdout
    return [] if "identical" in out else [out]


def processes(place):
    """Processes that work in the directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "cwd").startswith(str(place)):
                found.append(path.name)
        except OSError:
            pass
    return found


def main():
    if subprocess.run([HAFT, "sandbox", "-"], input=b"pass", capture_output=True,
                      check=False).returncode == 6:
        skip("code", "this machine has no sandbox: see haft doctor")
        return
    victims = range(1, CALLS + 1) if os.environ.get("HAFT_LONG") else (1, 3)
    for victim in victims:
        with tempfile.TemporaryDirectory(prefix="haft-code-") as directory:
            place = Path(directory)
            place.chmod(0o755)
            check(f"killed_in_nested_call_{victim}_every_effect_happens_once",
                  crash_in(place, victim), [])


main()
