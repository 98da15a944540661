#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers whose PostgreSQL server is killed, stopped, slow, or has a full disk.

The server is started by the test. Nothing that was acknowledged is lost, the workers survive, and
every run ends when the server works again.
"""
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "house"))
import crash_help as help  # noqa: E402
import history  # noqa: E402
import pg  # noqa: E402
from crash_help import call, effect  # noqa: E402

CLASSES = {"put": "idempotent", "send": "once"}
LONGEST = 1200  # seconds until all have ended: a skipped run is retried after 5 s, 10 s, 20 s


def begin(store, count):
    """Runs in the store, and workers for them."""
    tools = [effect(store, "put", after="sleep 0.05", idempotent=True),
             effect(store, "send", after="sleep 0.05", on_unknown="tell")]
    path = help.spec(store, "hard", [[call("put", q="1"), call("send")], [call("put", q="2")],
                                     "through"], tools)
    for _ in range(count):
        status, _, err = store.haft("run", path, "go", "--detach")
        if status != 0:
            raise RuntimeError(err)
    return [store.start("worker", "--quiet", "--poll", 30, "--concurrency", 2,
                        env=help.SHORT_LEASE, out=subprocess.DEVNULL) for _ in range(3)]


def done(store):
    return sum(row["state"] == "ended" for row in store.runs())


def settle(name, store, workers, before):
    """The server works: all runs end, with a correct history."""
    help.wait_for(lambda: not store.runs("--open", "--limit", 1), LONGEST, 0.2)
    problems = [f"a worker has ended with {w.poll()}" for w in workers if w.poll() is not None]
    for worker in workers:
        worker.terminate()
    problems += [f"a worker: exit {w.returncode}" for w in workers if w.wait(help.SOON) != 0]
    rows = store.runs()
    problems += history.check_rows(before, rows)
    problems += [f"{row['run']}: {row['end']}" for row in rows if row["end"] != "done"]
    help.check(name, problems + history.check_store(store, help.effects(store), CLASSES))


# ---- killed ----

def test_killed(cluster, store):
    """kill -9 of the server and all its processes, and immediate restarts, under live workers."""
    rounds = help.rounds(2, 40)
    workers = begin(store, 15 * rounds)
    before, ways = store.runs(), []
    for n in range(rounds):
        ended = done(store)
        help.wait_for(lambda: done(store) > ended or not store.runs("--open"))
        time.sleep(random.uniform(0, 0.2))
        before += store.runs()
        ways.append("kill" if n % 2 == 0 else "immediate")
        if ways[-1] == "kill":
            cluster.kill()
        else:
            cluster.stop("immediate")
        cluster.start()
    print(f"# {15 * rounds} runs, the server was ended {len(ways)} times")
    settle("a_server_that_is_killed_under_workers_loses_nothing", store, workers, before)


# ---- slow ----

def signal_all(family, number):
    for pid in family:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # one of a connection that has just ended


def test_still(cluster, store):
    """The server is stopped for longer than a lease, and then continues."""
    workers = begin(store, 30)
    help.wait_for(lambda: done(store) > 3)
    before, family = store.runs(), cluster._family()
    signal_all(family, signal.SIGSTOP)
    help.pass_lease()
    signal_all(family, signal.SIGCONT)
    settle("workers_wait_for_a_stopped_server", store, workers, before)


def test_slow(cluster, store):
    """A disk that takes a tenth of a second for every sync."""
    cluster.sql("ALTER SYSTEM SET commit_siblings = 0")
    cluster.sql("ALTER SYSTEM SET commit_delay = 100000")
    cluster.sql("SELECT pg_reload_conf()")
    try:
        begun = time.monotonic()
        workers = begin(store, 15)
        settle("a_slow_disk_is_slow_and_nothing_else", store, workers, store.runs())
        print(f"# 15 runs with syncs of 100 ms: {time.monotonic() - begun:.1f} s")
    finally:
        cluster.sql("ALTER SYSTEM RESET ALL")
        cluster.sql("SELECT pg_reload_conf()")


# ---- full ----

def fill(place):
    """Fills a disk."""
    with open(place / "fill", "wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 12)):
                pass
        except OSError:
            pass


def test_full(cluster, store):
    """A full disk: it is reported, reading works, and workers continue when there is space."""
    problems = []
    workers = begin(store, 30)
    help.wait_for(lambda: done(store) > 3)
    store.put("big.script.json", {"replies": [{"text": "x" * 200000}]})
    big = store.put("big.json", {"haft": 1, "name": "big", "tools": [],
                                 "model": "script:big.script.json",
                                 "description": os.urandom(60000).hex()})
    before = store.runs()
    fill(cluster.disk)
    status, _, err = store.haft("run", big, "go", "--detach", env=help.SHORT_LEASE)
    if status == 0 or not any(word in err for word in ("the disk is full", "cannot be reached",
                                                       "connection was lost", "commit")):
        problems.append(f"a new run on a full disk: exit {status}: {err}")
    print(f"# a new run on a full disk: {err.strip().splitlines()[:1]}")
    time.sleep(1)
    (cluster.disk / "fill").unlink()
    if cluster.process.poll() is not None:
        print("# the server has given up, and is started again")
        cluster.start()
    help.wait_for(lambda: store.haft("runs", "list")[0] == 0)
    help.check("a_full_disk_is_reported", problems)
    settle("nothing_is_lost_on_a_full_disk", store, workers, before)


def on(cluster, test):
    help.POSTGRES = cluster.url()
    with help.new_store(help.Postgres) as store:
        test(cluster, store)


def main():
    try:
        with pg.Cluster() as cluster:
            for test in (test_killed, test_still, test_slow):
                on(cluster, test)
    except pg.Unavailable as error:
        help.skip("a_server_of_its_own", str(error))
        return
    try:
        with pg.Cluster(["max_wal_size=32MB", "min_wal_size=32MB"], disk="112m") as cluster:
            on(cluster, test_full)
    except pg.Unavailable as error:
        help.skip("a_full_disk", str(error))


main()
