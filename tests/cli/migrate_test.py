#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs move from one store to another and back, unchanged."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import script  # noqa: E402
from store_urls import sqlite_stores, stores  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300
MANY = bool(os.environ.get("HAFT_LONG"))


def check(name, found, wanted):
    script.check(f"{kind} {name}", found, wanted)


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, cwd=scratch, env=environment, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def spec(name, replies, tools=(), **more):
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": list(tools),
                                     "model": f"script:{name}.script.json"}, **more))


HEADLESS = {"name": "look", "description": "Looks.", "args": [], "headless": True}
WRITES = {"builtin": ["store_artifact"]}


def fill(store):
    """Two runs of one thread, one with artifacts, one that waits, one that has not started."""
    talk = spec("talk", [{"text": "said"}])
    wrote = spec("wrote", [{"calls": [{"name": "store_artifact",
                                       "arguments": {"name": "a.md", "content": text}}]}
                           for text in ("one", "two \u00e4")] + [{"text": "written"}], [WRITES])
    asks = spec("asks", [{"calls": [{"name": "look"}]}, {"text": "seen"}], [HEADLESS])
    where = "01k00000000000000000000001"
    for path, task, more in ((talk, "first", ["--thread", where]),
                             (talk, "second", ["--thread", where]), (wrote, "write", []),
                             (asks, "ask", []), (talk, "later", ["--detach"])):
        haft("run", path, task, "--store", store, "--quiet", *more)


def listing(store):
    return json.loads(haft("runs", "list", "--store", store, "--json")[1]).get("runs", [])


def contents(store):
    """Everything of a run except its owner."""
    found = {}
    for run in listing(store):
        shown = json.loads(haft("runs", "show", run["run"], "--store", store, "--json")[1])
        found[run["run"]] = (haft("runs", "events", run["run"], "--store", store)[1],
                             json.dumps(shown, sort_keys=True),
                             haft("runs", "artifact", run["run"], "a.md", "--store", store)[:2])
    return found


def migrate(old, new, *more):
    status, out, err = haft("migrate", "--from", old, "--to", new, "--json", *more)
    return status, json.loads(out) if out.startswith("{") else out, err


def counts(result):
    return tuple(result[key] for key in ("copied", "there", "open", "failed"))


def test_there_and_back():
    old, new, back = new_local(), new_store(), new_local()
    fill(old)
    before = contents(old)
    check("old_store_has_five_runs", len(before), 5)
    status, result, _ = migrate(old, new, "--dry-run")
    check("a_dry_run_counts", (status, counts(result), listing(new)), (0, (3, 0, 2, 0), []))
    made, absent = [path.name for path in Path(scratch).iterdir()], f"sqlite:{scratch}/absent.db"
    status, result, _ = migrate(old, absent, "--dry-run")
    check("a_dry_run_makes_no_store",
          (status, counts(result), [path.name for path in Path(scratch).iterdir()] == made),
          (0, (3, 0, 2, 0), True))
    status, _, err = migrate(old, old, "--dry-run")
    check("dry_run_into_the_same_store_is_rejected",
          (status, "found the same store" in err), (2, True))
    status, result, err = migrate(old, new)
    check("ended_runs_are_copied", (status, counts(result)), (0, (3, 0, 2, 0)))
    check("skipped_runs_are_reported", err.count("has not ended; --move moves it too"), 2)
    check("the_old_store_is_unchanged", contents(old) == before, True)
    copied = contents(new)
    check("the_copies_are_the_same", all(before[run] == copied[run] for run in copied), True)
    status, result, _ = migrate(old, new)
    check("second_copy_finds_equal_runs", (status, counts(result)), (0, (0, 3, 2, 0)))
    status, result, _ = migrate(old, new, "--move")
    check("all_runs_are_moved", (status, counts(result), listing(old)), (0, (2, 3, 0, 0), []))
    check("moved_runs_are_unchanged", contents(new) == before, True)
    status, result, _ = migrate(new, back, "--move")
    check("moving_back_restores_all_contents",
          (status, counts(result), contents(back) == before), (0, (5, 0, 0, 0), True))
    check("replays_are_identical", [haft("runs", "replay", run, "--store", back)[0]
                                    for run in before], [0] * 5)
    waiting = next(run["run"] for run in listing(back) if run["state"] == "waiting")
    check("moved_waiting_run_can_be_answered", haft("answer", waiting, '"x"', "--store", back,
                                                    "--quiet")[:2], (0, "seen\n"))
    check("worker_ends_the_other_moved_runs",
          (haft("worker", "--store", back, "--until-idle")[0],
           [run["end"] for run in listing(back)]), (0, ["done"] * 5))


def test_messages():
    old, new = new_local(), new_store()
    fill(old)
    waiting = next(run["run"] for run in listing(old) if run["state"] == "waiting")
    base = sqlite3.connect(old.removeprefix("sqlite:"))
    base.execute("INSERT INTO messages (run, body) SELECT number, ? FROM runs WHERE id = ?",
                 (json.dumps({"kind": "cancel"}), waiting))
    base.commit()
    base.close()
    status, result, err = migrate(old, new, "--move", "--run", waiting)
    check("message_is_moved_with_its_run",
          (status, counts(result), "1 message" in err), (0, (1, 0, 0, 0), True))
    check("only_the_named_run_is_moved", len(listing(old)), 4)
    haft("worker", "--store", new, "--until-idle")
    heard = listing(new)[0]["state"]
    check("moved_message_is_received", heard in ("ended", "waiting"), True)


def test_refusals():
    old, new = new_local(), new_store()
    fill(old)
    ids = [run["run"] for run in listing(old)][::-1]
    check("same_store_is_rejected", haft("migrate", "--from", old, "--to", old)[0], 2)
    check("same_store_under_another_name_is_rejected",
          haft("migrate", "--from", old, "--to", old.removeprefix("sqlite:"))[0], 2)
    check("missing_store_is_an_error",
          haft("migrate", "--from", "sqlite:none.db", "--to", new)[0], 1)
    check("missing_store_is_not_created", (Path(scratch) / "none.db").exists(), False)
    for words in ([], ["--from", old], ["--to", new], ["--from", "ftp:x", "--to", new]):
        check(f"usage {len(words)}", haft("migrate", *words)[0], 2)
    check("unknown_run_is_rejected",
          haft("migrate", "--from", old, "--to", new, "--run", "zz")[0],
          2)
    open_one = next(run["run"] for run in listing(old) if run["state"] == "waiting")
    check("named_open_run_is_not_copied", migrate(old, new, "--run", open_one)[0], 1)

    base = sqlite3.connect(old.removeprefix("sqlite:"))
    base.execute("UPDATE runs SET owner = 'other', lease = ? WHERE id = ?",
                 (int(time.time() * 1000) + 100000, open_one))
    base.commit()
    status, result, err = migrate(old, new, "--move", "--run", open_one)
    check("run_with_an_owner_is_not_moved", (status, counts(result), "belongs to other" in err),
          (1, (0, 0, 0, 1), True))
    status, result, err = migrate(old, new, "--move", "--dry-run", "--run", open_one)
    check("dry_run_reports_a_run_with_an_owner", (status, counts(result)), (1, (0, 0, 0, 1)))
    base.execute("UPDATE runs SET owner = '', lease = 0")
    base.execute("UPDATE events SET body = "
                 "CAST(replace(CAST(body AS TEXT), 'said', 'sold') AS BLOB) "
                 "WHERE run = (SELECT number FROM runs WHERE id = ?)", (ids[0],))
    base.commit()
    status, result, _ = migrate(old, new, "--move")
    check("damaged_run_is_not_copied",
          (status, counts(result), [f["run"] for f in result["failures"]]),
          (1, (4, 0, 0, 1), [ids[0]]))
    check("damaged_run_stays_in_the_old_store", [run["run"] for run in listing(old)], [ids[0]])
    base.close()

    third, fourth = new_local(), new_local()
    fill(third)
    migrate(third, fourth)
    base = sqlite3.connect(fourth.removeprefix("sqlite:"))
    base.execute("UPDATE runs SET answer = 'another' WHERE id = ?", (listing(fourth)[-1]["run"],))
    base.commit()
    base.close()
    status, result, _ = migrate(third, fourth, "--move")
    check("different_run_with_the_same_id_is_an_error",
          (status, counts(result), result["failures"][0]["message"]),
          (1, (2, 2, 0, 1), "the run in the new store is not the same: the answer differs"))


# ---- runs with effects: each approval is one line, with the run's key and its epoch ----

def pays(times=1):
    """A spec whose run pays `times` times, each time after an approval; all runs record payments in
    one file."""
    program = put("pay.sh", '#!/bin/sh\necho "$HAFT_IDEMPOTENCY_KEY $HAFT_EPOCH" >> '
                            f"{scratch}/paid\necho '\"done\"'\n")
    program.chmod(0o755)
    tool = {"name": "pay", "description": "Pays.", "args": ["to"], "command": [str(program)],
            "traits": {"needs_approval": True}}
    calls = [{"calls": [{"name": "pay", "arguments": {"to": f"nr{n}"}}]} for n in range(times)]
    return spec("pays", calls + [{"text": "paid"}], [tool])


def paid():
    path = Path(scratch) / "paid"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def wait_for_approval(store, count, times=1):
    path = pays(times)
    for n in range(count):
        haft("run", path, f"task {n}", "--store", store, "--quiet")
    return [run["run"] for run in listing(store)]


def approve_everywhere(places):
    for store in places:
        for run in listing(store):
            haft("approve", run["run"], "--store", store, "--quiet")


def check_paid(name, runs):
    """Each run paid once, wherever it was approved."""
    keys = [key for key, _ in paid()]
    check(name, (len(keys), len(set(keys))), (len(runs), len(runs)))


def start(old, new):
    return subprocess.Popen([HAFT, "migrate", "--from", old, "--to", new, "--move"], cwd=scratch,
                            env=environment, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def test_two_movers():
    """Two moves at once, to two stores: each run ends in one of them."""
    doubled = 0
    runs = []
    for number in range(8 if MANY else 3):
        old, one, other = new_store(), new_store(), new_store()
        runs += wait_for_approval(old, 6)
        movers = [start(old, one), start(old, other)]
        for mover in movers:
            mover.communicate(timeout=LONG)
        for new in (one, other, one, other):
            migrate(old, new, "--move")
        places = [{run["run"] for run in listing(store)} for store in (old, one, other)]
        doubled += sum(map(len, places)) - len(set().union(*places))
        check(f"no_run_is_left_or_lost {number}", (len(places[0]), len(places[1] | places[2])),
              (0, 6))
        approve_everywhere((old, one, other))
    check("no_run_is_in_two_stores", doubled, 0)
    check_paid("each_run_is_paid_once", runs)


def test_two_movers_to_one_store():
    """A move never mistakes the copy of another move for its own."""
    runs = []
    for number in range(20 if MANY else 3):
        old, new = new_store(), new_store()
        made = wait_for_approval(old, 8)
        movers = [start(old, new) for _ in range(3)]
        for mover in movers:
            mover.communicate(timeout=LONG)
        status, result, _ = migrate(old, new, "--move")
        check(f"repeated_move_completes {number}",
              (status, result["failures"], listing(old), len(listing(new))),
              (0, [], [], len(made)))
        approve_everywhere((old, new))
        runs += made
    check_paid("each_run_is_paid_once_in_the_new_store", runs)


def test_killed_and_repeated_elsewhere():
    """Some runs are then in one store, some in the other, and each is paid once."""
    runs = []
    kills = 0
    for number, delay in enumerate([0.01 * n for n in range(2, 14, 1 if MANY else 3)]):
        old, one, other = new_store(), new_store(), new_store()
        runs += wait_for_approval(old, 5)
        mover = start(old, one)
        time.sleep(delay)
        mover.send_signal(signal.SIGKILL)
        mover.communicate()
        kills += mover.returncode != 0
        status, result, _ = migrate(old, other, "--move")
        refused = [failure["message"] for failure in result["failures"]]
        check(f"a_moving_run_is_refused {number}",
              (status, [one.split("?")[0].removeprefix("sqlite:") in text for text in refused]),
              (1 if refused else 0, [True] * len(refused)))
        approve_everywhere((old, one, other))
        check(f"the_first_move_ends {number}", (migrate(old, one, "--move")[0], listing(old)),
              (0, []))
        approve_everywhere((old, one, other))
    check_paid("each_run_is_paid_once_in_the_end", runs)
    print(f"# {kills} were killed")


def test_epochs_increase():
    """A tool that refuses an epoch lower than the greatest it has seen refuses nothing."""
    places = [new_store(), new_local(), new_store()]
    run, = wait_for_approval(places[0], 1, 4)
    for n in range(2):
        haft("approve", run, "--store", places[0], "--quiet")
    for old, new in zip(places, places[1:]):
        check(f"moved {new != places[1]}", migrate(old, new, "--move")[0], 0)
        haft("approve", run, "--store", new, "--quiet")
    epochs = [int(epoch) for _, epoch in paid()]
    check("tool_ran_four_times", len(epochs), 4)
    check("each_epoch_is_greater", epochs, sorted(set(epochs)))


def test_commands_to_copy():
    """Printed commands name the store without its password, and can be used."""
    store = new_store()
    asked = store if kind == "sqlite" else f"{store}{'&' if '?' in store else '?'}password=s3kret"
    _, _, err = haft("run", pays(), "x", "--store", asked)
    lines = [line.split() for line in err.splitlines() if line.strip().startswith("haft approve")]
    check("one_command_is_printed", len(lines), 1)
    check("printed_command_has_no_password", "s3kret" in err, False)
    words = [word.strip("'") for word in lines[0]]
    check("printed_command_names_the_store", words[-2:], ["--store", store])
    check("printed_command_works", (haft(*words[1:], "--quiet")[0], len(paid())), (0, 1))


# ---- after a kill ----

MOVE = "haft migrate/0123456789abcdef"
FOR_EVER = 2 ** 63 - 1


def path_of(store):
    return store.removeprefix("sqlite:")


def change(store, sql, *values):
    base = sqlite3.connect(path_of(store))
    base.execute(sql, values)
    base.commit()
    base.close()


def double(store):
    """A copy of the whole store."""
    other = new_local()
    base, copy = sqlite3.connect(path_of(store)), sqlite3.connect(path_of(other))
    base.backup(copy)
    base.close()
    copy.close()
    return other


def leave(claimed, copied, step):
    """Stores and run as a move that was killed at this step leaves them."""
    old, new = new_local(), new_local()
    run, = wait_for_approval(old, 1)
    kept = double(old)
    if copied:
        migrate(old, new, "--move")
        owner = "" if step in ("free", "on") else f"{MOVE}/from/{kept}"
        change(new, "UPDATE runs SET owner = ?, lease = ?", owner, FOR_EVER if owner else 0)
        if step == "stale":
            change(new, "UPDATE runs SET turns = 77, epoch = 1")
        if step == "later":
            change(new, "UPDATE runs SET epoch = 1000")
        if step == "on":
            haft("approve", run, "--store", new, "--quiet")
    change(kept, "UPDATE runs SET owner = ?, lease = ?, epoch = epoch + 1",
           f"{MOVE}/{claimed}/{new}",
           FOR_EVER if claimed == "moved" else int(time.time() * 1000) + 7 * 24 * 3600 * 1000)
    return kept, new, run


def check_stuck(name, store, run):
    """No process can continue the run, and each attempt is refused at once."""
    haft("worker", "--store", store, "--until-idle", "--quiet")
    before = time.monotonic()
    for command in (("approve", run), ("cancel", run), ("resume", run)):
        status, _, err = haft(*command, "--store", store, "--quiet")
        check(f"{name} {command[0]}", (status, "moved" in err, "haft migrate --move" in err),
              (1, True, True))
    check(f"{name} at_once", time.monotonic() - before < LONG, True)


def test_a_move_that_was_cut_off():
    """Repeating the move to the same store completes it; another store is refused."""
    for claimed, copied, step in (("to", False, "claimed"), ("to", True, "copied"),
                                  ("to", True, "stale"), ("moved", True, "moved"),
                                  ("moved", True, "free"), ("moved", True, "on")):
        old, new, run = leave(claimed, copied, step)
        done = step == "on"
        before = len(paid())
        check_stuck(f"{step} old", old, run)
        if copied and step not in ("free", "on"):
            check_stuck(f"{step} new", new, run)
        check(f"{step} nothing_is_paid", len(paid()), before)
        other = new_local()
        status, result, _ = migrate(old, other, "--move")
        check(f"{step} move_to_another_store_is_refused",
              (status, counts(result),
               path_of(new) in result["failures"][0]["message"],
               listing(other), len(listing(old))),
              (1, (0, 0, 0, 1), True, [], 1))
        if not done:
            status, result, _ = migrate(old, new, "--move", "--dry-run")
            check(f"{step} dry_run_would_move_it", (status, result["failed"]), (0, 0))
        status, result, err = migrate(old, new, "--move")
        check(f"{step} repeated_move_completes",
              (status, result["failed"], listing(old)), (0, 0, []))
        check(f"{step} run_is_in_the_new_store_once",
              [(row["run"], row["state"]) for row in listing(new)],
              [(run, "ended" if done else "waiting")])
        haft("approve", run, "--store", new, "--quiet")
        check(f"{step} run_continues", [row["state"] for row in listing(new)], ["ended"])
        check(f"{step} run_is_paid_once", len(paid()), before + (not done))


def test_a_move_that_another_has_overtaken():
    """A copy with a later epoch is not removed: its maker may have handed the run over."""
    old, new, run = leave("to", True, "later")
    status, result, _ = migrate(old, new, "--move")
    check("copy_of_a_later_move_is_kept",
          (status, result["failed"], len(listing(old)), len(listing(new))),
          (1, 1, 1, 1))
    check_stuck("the_copy", new, run)


def test_a_moved_run_that_is_missing():
    """A run that was handed over but is missing from the new store is not removed from the old
    one."""
    old, new, run = leave("moved", True, "moved")
    change(new, "DELETE FROM runs")
    status, result, _ = migrate(old, new, "--move")
    message = result["failures"][0]["message"]
    check("missing_copy_is_reported", (status, "does not have it" in message), (1, True))
    check("run_with_a_missing_copy_is_kept", [row["run"] for row in listing(old)], [run])


def test_a_week_later():
    """The claim has expired and the run continued in the old store: the copy is replaced."""
    old, new, run = leave("to", True, "copied")
    change(old, "UPDATE runs SET lease = 1")
    haft("approve", run, "--store", old, "--quiet")
    check("run_continued_in_the_old_store", [row["state"] for row in listing(old)], ["ended"])
    before = contents(old)
    status, result, _ = migrate(old, new, "--move")
    check("outdated_copy_is_replaced",
          (status, listing(old), contents(new) == before), (0, [], True))
    check("call_was_paid_once", len(paid()), 1)


def test_interrupted():
    """Killed at any point, and repeated: each run is in one of the stores, and complete."""
    old, new = new_local(), new_store()
    for _ in range(8 if MANY else 3):
        fill(old)
    before = contents(old)
    kills = 0
    delays = [0.01 * n for n in range(1, 13, 1 if MANY else 2)]
    for delay in delays:
        process = subprocess.Popen([HAFT, "migrate", "--from", old, "--to", new, "--move"],
                                   cwd=scratch, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        kills += process.wait() != 0
        there = {run["run"] for run in listing(old)} | (
            {run["run"] for run in listing(new)})
        if there != set(before):
            check("no_run_is_lost_during_the_move", len(there), len(before))
    status, result, err = migrate(old, new, "--move")
    check("repeated_move_ends", (status, result["failed"], listing(old)), (0, 0, []))
    check("all_runs_are_moved_unchanged", contents(new) == before, True)
    check("moved_runs_have_no_owner",
          haft("worker", "--store", new, "--until-idle", "--quiet")[0], 0)
    print(f"# {kills} of {len(delays)} were killed")


TESTS = [test_there_and_back, test_messages, test_refusals, test_interrupted, test_two_movers,
         test_two_movers_to_one_store, test_killed_and_repeated_elsewhere, test_epochs_increase,
         test_commands_to_copy]
LOCAL = [test_a_move_that_was_cut_off, test_a_move_that_another_has_overtaken,
         test_a_moved_run_that_is_missing, test_a_week_later]
for kind, new_store in stores(parent := tempfile.mkdtemp()):
    for test in TESTS + (LOCAL if kind == "sqlite" else []):
        if len(sys.argv) > 1 and not any(word in test.__name__ for word in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            environment = {"PATH": os.environ["PATH"], "HOME": scratch}
            new_local = sqlite_stores(scratch)
            test()
subprocess.run(["rm", "-r", parent])
