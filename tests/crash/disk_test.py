#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, fail, are read-only, or return damaged data.

Stored data stays readable; a write that fails is an error with a message; when the disk works
again, the runs continue to their ends. Damage is reported and never used. This tests the file of a
SQLite store; tests/store/sqlite/fault_test.c and sqlite/damage_test.c test the rest in C.
"""
import errno
import random
import shutil
import subprocess
import time
from pathlib import Path

import crash_help as help
import history
from crash_help import call, effect

LEASE = {"HAFT_LEASE": "1s"}
CLASSES = {"send": "once", "put": "idempotent"}


def make(store, name, after):
    """Two effects; `after` runs between the first effect and its result."""
    tools = [effect(store, "send", after=after, on_unknown="tell"),
             effect(store, "put", idempotent=True)]
    return help.spec(store, name, [[call("send")], [call("put")], "good"], tools)


def read_problems(store, env=None):
    """Reads the store; returns what went wrong."""
    problems = []
    for words in (("runs", "list"), ("runs", "show", "last", "--json"), ("runs", "events", "last")):
        status, _, err = store.haft(*words, env=env)
        if status != 0:
            problems.append(f"{' '.join(words)}: exit {status}: {err}")
    return problems


def rejection_problems(store, path, words, env=None):
    """Starts a run, which must be rejected with one of these words; returns what went wrong."""
    status, out, err = store.haft("run", path, "go", "--quiet", env=dict(LEASE, **(env or {})))
    if status == 0 or not any(word in err for word in words):
        return [f"a new run: exit {status}: {out}{err}"]
    return []


def settle(store, name, process, problems):
    """The disk works again: everything continues and ends."""
    if process:
        process.communicate(timeout=help.SOON)
    problems += help.drive(store)
    problems += history.check_store(store, help.effects(store), CLASSES)
    good = store.haft("run", make(store, "after", ""), "go", "--quiet")
    if good[:2] != (0, "good\n"):
        problems.append(f"the next run: {good}")
    help.check(name, problems)


# ---- a disk that fails during a run ----

def test_fails(store):
    if help.no_shim():
        help.skip("a_disk_that_fails", help.no_shim())
        return
    store.haft("run", make(store, "first", ""), "go")
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        name = errno.errorcode[number]
        fail = store.folder / f"fail.{name}"
        path = make(store, name, f"echo {number} > {fail}")
        shim = store.shim(fail=fail)
        process = store.start("run", path, "go", "--events", env=dict(LEASE, **shim))
        reader = help.Reader(process)
        help.wait_for(fail.exists)
        problems = read_problems(store, shim)
        words = ("full", "cannot read or write", "cannot sync")
        problems += rejection_problems(store, path, words, shim)
        fail.unlink()
        process.wait(help.SOON)
        reader.join(help.SOON)
        run = help.json.loads(reader.lines[0])["run"]
        problems += history.check_acknowledged(reader.lines, store.lines(run))
        settle(store, f"a_disk_that_fails_with_{name}_loses_nothing_sqlite", None, problems)


# ---- a real small disk ----

def disk(store, size="3m"):
    """A small disk in the store's folder, or the reason why there is none."""
    mount = store.folder / "disk"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "haft-test", mount],
                          capture_output=True, text=True)
    return (mount, None) if done.returncode == 0 else (None, done.stderr.strip())


def remount(mount, how):
    subprocess.run(["mount", "-o", f"remount,{how}", mount], check=True)


def move_to_disk(store, mount):
    """The same store object with its file on that disk."""
    store.file = lambda: mount / "haft.db"
    store.environment["HAFT_STORE"] = store.url()


def test_full(store, mount):
    fill = mount / "fill"
    path = make(store, "fills", f"cat /dev/zero > {fill} 2>/dev/null")
    process = store.start("run", path, "go", env=LEASE)
    help.wait_for(lambda: (fill.exists() and shutil.disk_usage(mount).free < 4096)
                  or process.poll() is not None)
    problems = read_problems(store) + rejection_problems(store, path, ("full",))
    fill.unlink()
    settle(store, "a_full_disk_is_reported_and_the_run_continues_with_room_sqlite", process,
           problems)
    with open(fill, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    problems = read_problems(store) + rejection_problems(store, path, ("full",))
    fill.unlink()
    settle(store, "a_store_on_a_full_disk_can_be_read_sqlite", None, problems)


def test_read_only(store, mount):
    path = make(store, "locked", "")
    store.haft("run", path, "go")
    for killed in (False, True):
        if killed and help.no_shim():
            continue
        before = None
        if killed:
            store.haft("run", path, "go", env=store.shim(kill="synced:4"))
            remount(mount, "ro")
        else:
            before = store.runs()
            remount(mount, "ro")
        problems = read_problems(store) + rejection_problems(store, path, ("is read-only",))
        if before is not None and store.runs() != before:
            problems.append("another list than before")
        if killed and [row["state"] for row in store.runs("--open")] != ["running"]:
            problems.append(f"the run that was killed is not there: {store.runs('--open')}")
        remount(mount, "rw")
        name = "after_a_kill" if killed else "after_an_end"
        settle(store, f"a_read_only_disk_can_be_read_{name}_sqlite", None, problems)


def test_disk(store):
    mount, reason = disk(store)
    if mount is None:
        help.skip("a_disk_of_its_own", f"it cannot be mounted: {reason}")
        return
    try:
        move_to_disk(store, mount)
        test_full(store, mount)
        test_read_only(store, mount)
    finally:
        subprocess.run(["umount", "-l", mount], check=True)


# ---- damage ----

def test_damage(store):
    """Flipped bits and truncated files: the original events, or an error."""
    path = make(store, "damage", "")
    for _ in range(3):
        store.haft("run", path, "go")
    runs = [row["run"] for row in store.runs()]
    whole = {run: store.lines(run) for run in runs}
    data, chance, problems, errors = store.file().read_bytes(), random.Random(time.time_ns()), [], 0
    for i in range(help.rounds(16, 300)):
        at = chance.randrange(len(data))
        broken = data[:at] if i % 4 == 0 else (
            data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:])
        store.file().write_bytes(broken)
        run = chance.choice(runs)
        status, out, err = store.haft("runs", "events", run)
        errors += status != 0
        if status == 0 and out.splitlines() != whole[run]:
            problems.append(f"byte {at} {'cut' if i % 4 == 0 else 'flipped'}: another event was "
                            f"given:\n{out}")
        elif status != 0 and (status not in (1, 2) or not err):
            problems.append(f"byte {at}: exit {status}: {err}")
    store.file().write_bytes(data)
    print(f"# {errors} errors")
    help.check("damage_is_reported_and_not_used_sqlite",
               problems + history.check_store(store, help.effects(store), CLASSES))


def test_pages(store):
    """Zeroed pages, one at a time: every process that continues or reads a run reports the
    damage."""
    send = effect(store, "send", needs_approval=True)
    path = help.spec(store, "pages", [[call("send")], "good"], [send])
    store.haft("run", path, "go")
    run, data = store.runs()[0]["run"], store.file().read_bytes()
    size, problems, errors = int.from_bytes(data[16:18], "big"), [], 0
    for at in range(0, len(data), size):
        for extra in ("-wal", "-shm"):
            Path(f"{store.file()}{extra}").unlink(missing_ok=True)
        store.file().write_bytes(data[:at] + bytes(size) + data[at + size:])
        status, _, err = store.haft("approve", run)
        errors += status != 0
        if status not in (0, 1) or "no run" in err or (status == 1 and "damaged" not in err):
            problems.append(f"page {at // size}: exit {status}: {err}")
    print(f"# {errors} errors")
    help.check("damage_is_reported_when_a_run_continues_sqlite",
               problems + ([] if errors else ["no zeroed page was reported"]))


def test_torn_log(store):
    """A log that ends anywhere is a complete older state."""
    if help.no_shim():
        help.skip("a_torn_log", help.no_shim())
        return
    store.haft("run", make(store, "torn", ""), "go")
    process = store.start("run", make(store, "torn", ""), "go", "--events",
                          env=store.shim(kill="begin:6"))
    reader = help.Reader(process)
    process.wait(help.SOON)
    reader.join(help.SOON)
    run = help.json.loads(reader.lines[0])["run"]
    log, shared = Path(f"{store.file()}-wal"), Path(f"{store.file()}-shm")
    whole, base, data = log.read_bytes(), store.file().read_bytes(), store.lines(run)
    problems = history.check_acknowledged(reader.lines, data)
    chance = random.Random(time.time_ns())
    for _ in range(help.rounds(8, 200)):
        store.file().write_bytes(base)
        log.write_bytes(whole[:chance.randrange(len(whole))])
        shared.unlink(missing_ok=True)
        status, out, err = store.haft("runs", "events", run)
        lines = out.splitlines()
        if (status != 0 and "no run" not in err) or lines != data[:len(lines)]:
            problems.append(f"{status}: {err}\n{out}")
    store.file().write_bytes(base)
    log.write_bytes(whole)
    shared.unlink(missing_ok=True)
    problems += help.drive(store)
    help.check("a_torn_log_is_an_older_state_sqlite",
               problems + history.check_store(store, help.effects(store), CLASSES))


with help.new_store(help.Sqlite) as one:
    test_fails(one)
for test in (test_disk, test_damage, test_pages, test_torn_log):
    with help.new_store(help.Sqlite) as one:
        test(one)
