#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that are repeated after a crash: a command applies only to the pause that was open when
it was issued, and only --again runs a call again."""
import json

import crash_help as help
from crash_help import call, effect


def killed(store, effects, *words):
    """Runs the command, and kills haft when the tool has had its effect and is still running."""
    process = store.start(*words)
    seen = help.wait_for(lambda: len(help.effects(store)) == effects)
    process.kill()
    process.communicate()
    return bool(seen)


def begin(store, name, **traits):
    """A spec with one call that does not end until the test allows it."""
    go = store.folder / f"{name}.go"
    send = effect(store, "send", after=f"[ -e {go} ] || exec sleep 600", **traits)
    help.log_of(store).unlink(missing_ok=True)
    return help.spec(store, name, [[call("send")], "good"], [send]), go


def waits(store, run):
    return [(p["call"], p["kind"]) for p in store.shown(run)["pending"]]


UNKNOWN = [("c1.1", "unknown_outcome")]


def test_approvals(store):
    """The same approval, after a crash and after another process has opened the run."""
    path, go = begin(store, "approvals", needs_approval=True)
    store.haft("run", path, "go")
    run = store.runs("--limit", "1")[0]["run"]
    words = ("approve", run, "c1.1")
    begun = killed(store, 1, *words)
    go.write_text("")
    status, _, err = store.haft(*words)
    help.same(f"the_same_approval_after_a_crash_runs_nothing_{store.kind}",
              (begun, status, waits(store, run), len(help.effects(store))), (True, 4, UNKNOWN, 1))
    help.same(f"the_same_approval_after_a_crash_reports_the_unknown_outcome_{store.kind}",
              ("c1.1 was interrupted" in err, f"{run} c1.1 --again" in err), (True, True))
    help.same(f"more_approvals_after_a_crash_run_nothing_{store.kind}",
              ([store.haft(*w)[0] for w in (words, ("approve", run), words)],
               waits(store, run), len(help.effects(store))), ([4, 4, 4], UNKNOWN, 1))
    help.same(f"only_again_runs_the_call_{store.kind}",
              (store.haft(*words, "--again")[0], len(help.effects(store))), (0, 2))
    help.same(f"repeating_an_accepted_approval_runs_nothing_{store.kind}",
              ([store.haft(*words)[0], store.haft(*words, "--again")[0]],
               len(help.effects(store))), ([0, 0], 2))


def test_again(store):
    """A repeated --again does not run the call a third time."""
    path, go = begin(store, "again")
    killed(store, 1, "run", path, "go")
    run = store.runs("--limit", "1")[0]["run"]
    store.haft("resume", run)
    words = ("approve", run, "c1.1", "--again")
    begun = killed(store, 2, *words)
    go.write_text("")
    help.same(f"a_repeated_again_after_a_crash_runs_nothing_{store.kind}",
              (begun, store.haft(*words)[0], waits(store, run), len(help.effects(store))),
              (True, 4, UNKNOWN, 2))


def test_unseen(store):
    """A command for a call that was not pending does not answer the later unknown outcome."""
    rows = {"approve": ("c1.1",), "approve ": (), "approve  ": ("c1.1", "--again"),
            "answer": ("c1.1", '"x"'), "answer ": ('"x"',), "reject": ("c1.1",)}
    for n, (word, more) in enumerate(rows.items()):
        path, go = begin(store, f"unseen{n}")
        killed(store, 1, "run", path, "go")
        go.write_text("")
        run = store.runs("--limit", "1")[0]["run"]
        status, _, err = store.haft(word.strip(), run, *more)
        help.same(f"{word.strip()}_{'_'.join(more)}_after_a_crash_answers_nothing_{store.kind}",
                  (status, "was not pending when the command was issued" in err, waits(store, run),
                   len(help.effects(store))), (1, True, UNKNOWN, 1))
    path, go = begin(store, "object")
    killed(store, 1, "run", path, "go")
    go.write_text("")
    run = store.runs("--limit", "1")[0]["run"]
    status, out, _ = store.haft("answer", run, "c1.1", '"x"', "--json")
    result = json.loads(out)
    help.same(f"json_result_of_a_rejected_command_has_the_error_{store.kind}",
              (status, result["run"], result["end"], [p["kind"] for p in result["pending"]],
               "was not pending" in result["error"]["message"]),
              (1, run, "waiting", ["unknown_outcome"], True))
    help.same(f"an_approval_of_that_pause_runs_the_call_{store.kind}",
              (store.haft("approve", run, "c1.1")[0], len(help.effects(store))), (0, 2))


def test_no_call(store):
    """A command that the run rejects leaves the run unchanged."""
    path, _ = begin(store, "nocall")
    killed(store, 1, "run", path, "go")
    run = store.runs("--limit", "1")[0]["run"]
    help.same(f"an_unknown_call_leaves_the_run_unchanged_{store.kind}",
              (store.haft("approve", run, "c9.9")[0] != 0, waits(store, run)), (True, []))


help.for_each_store(test_approvals, test_again, test_unseen, test_no_call)
