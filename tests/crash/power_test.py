#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power loss: after it, a write that was not synced may be lost.

shim.c records each sync, and the bytes that each write replaced. The test kills the process and
undoes some of the writes after the last sync of each file. Every event that haft printed as durable
must still exist, and the log must contain every effect.
"""
import random
import time

import crash_help as help
import history
from crash_help import call, effect

CLASSES = {"look": "read_only", "put": "idempotent", "send": "once"}


def make(store):
    tools = [effect(store, "look", read_only=True), effect(store, "put", idempotent=True),
             effect(store, "send", on_unknown="tell")]
    turns = [[call("send", q=f"{i}"), call("put", q=f"{i}"), call("look", q=f"{i}")]
             for i in range(3)]
    return help.spec(store, "power", [*turns, "good"], tools)


def unsynced(notes):
    """(path, offset, size, old bytes) of the writes that were not synced."""
    data, at, writes = notes.read_bytes(), 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        what, offset, size, old, path = data[at:end].decode().split(" ", 4)
        at = end + 1 + int(old)
        if what == "sync":
            writes = [w for w in writes if w[0] != path]
        else:
            writes.append((path, int(offset), int(size), data[end + 1:at]))
    return writes


def lose_power(store, notes, chance):
    """Undoes some of the writes, the last one first; returns how many."""
    lost = 0
    for path, offset, size, old in reversed(unsynced(notes)):
        if chance.random() < 0.5 and help.os.path.exists(path):
            lost += 1
            with open(path, "r+b") as file:
                file.seek(offset)
                file.write(old.ljust(size, b"\0"))
    shared = store.file().with_name("haft.db-shm")
    shared.unlink(missing_ok=True)
    return lost


def lose_power_in_run(store, path, chance, notes):
    """Starts a run, loses power, and continues the run to its end. Returns the problems, the number
    of acknowledged events and the number of lost writes."""
    notes.unlink(missing_ok=True)
    mode, number = chance.choice(["begin", "torn", "sync", "synced"]), chance.randint(1, 14)
    process = store.start("run", path, "go", "--events",
                          env=store.shim(kill=f"{mode}:{number}", undo=notes))
    reader = help.Reader(process)
    process.wait(help.SOON)
    reader.join(help.SOON)
    lost = lose_power(store, notes, chance) if notes.exists() else 0
    problems, kept = [], []
    if reader.lines:
        run = help.json.loads(reader.lines[0])["run"]
        try:
            kept = store.lines(run)
        except RuntimeError as problem:
            problems.append(str(problem))
    problems += history.check_acknowledged(reader.lines, kept)
    problems += help.drive(store)
    return [f"{mode}:{number}: {p}" for p in problems], len(reader.lines), lost


def test_power(store):
    if store.kind != "sqlite":
        return  # PostgreSQL does its own writing
    seed = int(help.os.environ.get("HAFT_SEED", time.time_ns() % 1000000))
    chance, problems, printed, lost = random.Random(seed), [], 0, 0
    path, notes = make(store), store.folder / "undo"
    for _ in range(help.rounds(14, 300)):
        found, lines, gone = lose_power_in_run(store, path, chance, notes)
        problems, printed, lost = problems + found, printed + lines, lost + gone
    print(f"# seed {seed}: {lost} writes lost, {printed} acknowledged events")
    problems += history.check_store(store, help.effects(store), CLASSES)
    help.check("nothing_acknowledged_is_lost_with_the_power_sqlite", problems)


if help.no_shim():
    help.skip("power", help.no_shim())
else:
    help.for_each_store(test_power)
