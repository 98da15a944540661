#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed wheel: many runs in threads and in asyncio, leaks, forks, and programs that end in
the middle of a run."""
import asyncio
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import place

place.enter_python()
import haft  # noqa: E402
from script import check, wait_for  # noqa: E402
from specs import call, write  # noqa: E402

HERE = place.temporary("life")
RUNS = 1000


@haft.tool(read_only=True)
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@haft.tool(read_only=True)
async def later(a: int) -> int:
    """Return a number later."""
    await asyncio.sleep(0.001)
    return a


write(HERE, [[call("add", a=2, b=3), call("add", a=4, b=5)], [call("add", a=1, b=1)], "Nine."],
      "threads")
write(HERE, [[call("later", a=2), call("add", a=4, b=5)], [call("later", a=3)], "Three."], "tasks")


def memory():
    """KiB of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def used():
    """Descriptors and threads of this process."""
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def is_no_more(before):
    """Whether the process soon uses no more than before; threads may still be ending."""
    return wait_for(lambda: all(now <= then for now, then in zip(used(), before)))


# ---- many runs ----

def in_threads(runtime, count, threads=8):
    agent = runtime.agent(HERE / "threads.yaml", [add])
    answers = []

    def work():
        for i in range(count // threads):
            if i % 2:
                answers.append(agent.run("x").answer)
            else:  # every other run is read event by event
                run = agent.start("x")
                numbers = [event.seq for event in run if event.seq]
                answers.append(run.answer_text if numbers == list(range(1, len(numbers) + 1))
                               else f"events {numbers}")
    working = [threading.Thread(target=work) for _ in range(threads)]
    for each in working:
        each.start()
    for each in working:
        each.join()
    return answers


async def in_asyncio(runtime, count):
    agent = runtime.agent(HERE / "tasks.yaml", [later, add])
    return [each.answer for each in await asyncio.gather(*(agent.start("x")
                                                           for _ in range(count)))]

with haft.Runtime() as runtime:
    check("1000_runs_in_threads", in_threads(runtime, RUNS), ["Nine."] * RUNS)
    check("1000_runs_in_asyncio", asyncio.run(in_asyncio(runtime, RUNS)), ["Three."] * RUNS)

# A store in memory keeps every run. A file in memory is fast.
SHM = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").exists() else HERE))
with haft.Runtime(f"sqlite:{SHM}/runs.db") as runtime:
    in_threads(runtime, RUNS)
    asyncio.run(in_asyncio(runtime, RUNS))
    before = memory(), used()
    for _ in range(3):
        in_threads(runtime, RUNS)
    grown = memory() - before[0]
    print(f"# 3,000 runs more: {grown} KiB more, of {before[0]}")
    check("runs_leave_no_memory", grown < 6000)  # two KiB for each run
    check("runs_leave_no_descriptors_and_threads", is_no_more(before[1]))
    check("runs_that_have_ended_are_released",
          wait_for(lambda: gc.collect() >= 0 and not runtime._runs and not runtime._held))
shutil.rmtree(SHM)

before = None
for round in range(60):
    with haft.Runtime(f"sqlite:{HERE}/many.db") as runtime:
        runtime.agent(HERE / "threads.yaml", [add]).run("x")
    if round == 10:
        before = memory(), used()
grown = memory() - before[0]
print(f"# 49 runtimes more: {grown} KiB more")
check("runtimes_leave_no_memory", grown < 4000)
check("runtimes_leave_no_descriptors_and_threads", is_no_more(before[1]))

# ---- forks ----

HOLD = threading.Event()


@haft.tool(read_only=True)
def held() -> str:
    """Wait for the test."""
    HOLD.wait(60)
    return "held"


with haft.Runtime(f"sqlite:{HERE}/fork.db") as runtime:
    run = runtime.agent(write(HERE, [[call("held")], "Parent."], "fork"), [held]).start("x")
    child = os.fork()
    if child == 0:
        try:
            run.wait()
        except haft.BadState:
            with haft.Runtime() as own:  # a runtime of its own works
                good = own.agent(HERE / "threads.yaml", [add]).run("x").answer == "Nine."
            runtime.close()  # does nothing
            os._exit(7 if good else 1)
        os._exit(2)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    check("a_forked_child_has_an_error_and_can_make_its_own_runtime", status, 7)
    child = os.fork()
    if child == 0:
        sys.exit(5)  # runs atexit functions
    check("a_forked_child_can_exit", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 5)
    HOLD.set()
    check("the_parent_continues_its_run", (run.wait(), run.answer_text), ("ended", "Parent."))

# ---- programs that end ----

PROGRAM = """
import sys, threading, time
import haft

@haft.tool(read_only=True)
def wait(how: str) -> str:
    '''Wait.'''
    print("started", flush=True)
    time.sleep(3600) if how == "sleep" else None
    return "waited"

@haft.tool(read_only=True)
async def wait_async(how: str) -> str:
    '''Wait.'''
    import asyncio
    print("started", flush=True)
    await asyncio.sleep(3600)
    return "waited"

runtime = haft.Runtime("sqlite:" + sys.argv[2])
run = runtime.agent(sys.argv[1], [globals()[sys.argv[3]]]).start("x")
print(run.id, flush=True)
"""
ENDS = {"at_the_last_line": ("", 0), "by_sys_exit": ("sys.exit(3)", 3),
        "by_an_exception": ("raise ValueError('x')", 1),
        "while_a_thread_waits": ("threading.Thread(target=run.wait, daemon=True).start()", 0),
        "while_it_reads_events": ("next(event for event in run if event.kind == 'call_started')",
                                  0),
        "by_a_signal": ("import os, signal; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)",
                        -2),
        "after_close": ("runtime.close()", 0)}
for kind in ("wait", "wait_async"):
    spec = write(HERE, [[call(kind, how="sleep")], "Late."], f"end_{kind}")
    for name, (line, wanted) in ENDS.items():
        program = HERE / "program.py"
        program.write_text(textwrap.dedent(PROGRAM) + "time.sleep(0.3)\n" + line + "\n")
        store = HERE / f"{kind}_{name}.db"
        done = subprocess.run([sys.executable, program, spec, store, kind], text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(f"a_program_ends_in_a_{kind}_{name}",
              (done.returncode, "Fatal" in done.stderr or "Segmentation" in done.stderr),
              (wanted, False))

        @haft.tool(read_only=True, name=kind)
        def again(how: str) -> str:
            """Wait."""
            return "at once"

        with haft.Runtime(f"sqlite:{store}") as runtime:
            run = runtime.open(done.stdout.split()[0], [again])
            check(f"and_its_run_continues_after_{kind}_{name}", (run.wait(), run.answer_text),
                  ("ended", "Late."))
