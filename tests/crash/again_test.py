#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said again after a crash: it is for what waited when it was said, and nothing runs twice
but by a word that says so."""
import json

import crash_help as help
from crash_help import call, effect


def killed(store, effects, *words):
    """Says it, and kills haft when the tool has had its effect and goes on."""
    process = store.start(*words)
    seen = help.wait_for(lambda: len(help.effects(store)) == effects)
    process.kill()
    process.communicate()
    return bool(seen)


def begin(store, name, **traits):
    """A spec with one call that does not come to its end until somebody lets it."""
    go = store.folder / f"{name}.go"
    send = effect(store, "send", after=f"[ -e {go} ] || exec sleep 600", **traits)
    help.log_of(store).unlink(missing_ok=True)
    return help.spec(store, name, [[call("send")], "good"], [send]), go


def waits(store, run):
    return [(p["call"], p["kind"]) for p in store.shown(run)["pending"]]


UNKNOWN = [("c1.1", "unknown_outcome")]


def test_approvals(store):
    """The same approval, behind a crash and behind somebody who has taken the run up."""
    path, go = begin(store, "approvals", needs_approval=True)
    store.haft("run", path, "go")
    run = store.runs("--limit", "1")[0]["run"]
    words = ("approve", run, "c1.1")
    begun = killed(store, 1, *words)
    go.write_text("")
    status, _, err = store.haft(*words)
    help.same(f"the_same_approval_behind_a_crash_runs_nothing_{store.kind}",
              (begun, status, waits(store, run), len(help.effects(store))), (True, 4, UNKNOWN, 1))
    help.same(f"and_says_what_is_known_{store.kind}",
              ("its outcome is unknown" in err, f"{run} c1.1 --again" in err), (True, True))
    help.same(f"nor_does_it_once_that_is_known_{store.kind}",
              ([store.haft(*w)[0] for w in (words, ("approve", run), words)],
               waits(store, run), len(help.effects(store))), ([4, 4, 4], UNKNOWN, 1))
    help.same(f"but_a_word_for_it_does_{store.kind}",
              (store.haft(*words, "--again")[0], len(help.effects(store))), (0, 2))
    help.same(f"and_all_of_it_can_be_said_again_{store.kind}",
              ([store.haft(*words)[0], store.haft(*words, "--again")[0]],
               len(help.effects(store))), ([0, 0], 2))


def test_again(store):
    """The word for it is for one time as well."""
    path, go = begin(store, "again")
    killed(store, 1, "run", path, "go")
    run = store.runs("--limit", "1")[0]["run"]
    store.haft("resume", run)
    words = ("approve", run, "c1.1", "--again")
    begun = killed(store, 2, *words)
    go.write_text("")
    help.same(f"again_behind_a_crash_runs_nothing_{store.kind}",
              (begun, store.haft(*words)[0], waits(store, run), len(help.effects(store))),
              (True, 4, UNKNOWN, 2))


def test_unseen(store):
    """Whatever is said to a call that waited for nobody, it is no answer to what comes of that."""
    rows = {"approve": ("c1.1",), "approve ": (), "approve  ": ("c1.1", "--again"),
            "answer": ("c1.1", '"x"'), "answer ": ('"x"',), "reject": ("c1.1",)}
    for n, (word, more) in enumerate(rows.items()):
        path, go = begin(store, f"unseen{n}")
        killed(store, 1, "run", path, "go")
        go.write_text("")
        run = store.runs("--limit", "1")[0]["run"]
        status, _, err = store.haft(word.strip(), run, *more)
        help.same(f"{word.strip()}_{'_'.join(more)}_behind_a_crash_is_no_answer_{store.kind}",
                  (status, "waited for nobody when this was said" in err, waits(store, run),
                   len(help.effects(store))), (1, True, UNKNOWN, 1))
    path, go = begin(store, "object")
    killed(store, 1, "run", path, "go")
    go.write_text("")
    run = store.runs("--limit", "1")[0]["run"]
    status, out, _ = store.haft("answer", run, "c1.1", '"x"', "--json")
    told = json.loads(out)
    help.same(f"and_the_object_says_so_{store.kind}",
              (status, told["run"], told["end"], [p["kind"] for p in told["pending"]],
               "waited for nobody" in told["error"]["message"]),
              (1, run, "waiting", ["unknown_outcome"], True))
    help.same(f"once_that_is_known_it_is_one_{store.kind}",
              (store.haft("approve", run, "c1.1")[0], len(help.effects(store))), (0, 2))


def test_no_call(store):
    """What cannot be said to a run leaves it as it is."""
    path, _ = begin(store, "nocall")
    killed(store, 1, "run", path, "go")
    run = store.runs("--limit", "1")[0]["run"]
    help.same(f"a_call_that_is_not_there_leaves_the_run_as_it_is_{store.kind}",
              (store.haft("approve", run, "c9.9")[0] != 0, waits(store, run)), (True, []))


help.for_each_store(test_approvals, test_again, test_unseen, test_no_call)
