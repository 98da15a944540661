#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed wheel: runs, events, pauses and errors."""
import asyncio
import itertools
import sys
import threading
import time

import place

place.enter_python()
import haft  # noqa: E402
from script import check, wait_for  # noqa: E402
from specs import call, write  # noqa: E402

HERE = place.temporary("runs")
LATER = threading.Event()


@haft.tool(read_only=True)
def get_order(number: int, currency: str = "EUR") -> dict:
    """Look up one order."""
    return {"number": number, "total": f"12.50 {currency}"}


@haft.tool(needs_approval=True, idempotent=True)
def refund(number: int, euros: float, call: haft.Call) -> str:
    """Pay money back."""
    return f"{type(euros).__name__} {euros} for {number}: {call.id} of {call.run}, {call.attempt}"


@haft.tool(read_only=True)
async def forecast(city: str) -> list[int]:
    """The weather."""
    await asyncio.sleep(0.01)
    return [21, len(city)]


@haft.tool(read_only=True)
def talk(call: haft.Call) -> str:
    """Report progress."""
    call.progress({"half": True})
    call.progress("done")
    return "talked"


@haft.tool(read_only=True)
def fail(how: str) -> object:
    """Fail."""
    if how == "told":
        raise haft.ToolError("no such order; ask for its number")
    if how == "exit":
        raise SystemExit(3)
    return {"bug": lambda: [][1], "bytes": lambda: b"1", "nan": lambda: float("nan"),
            "long": lambda: "x" * 30_000_000, "nul": lambda: "a\0b", "surrogate": lambda: "\ud800"
            }[how]()


PICK = haft.Tool(name="pick", description="The user picks.", input_schema={"type": "object"},
                 run=None)
TOOLS = [get_order, refund, forecast, talk, fail, PICK]


def results(events):
    return [event["result"] if event["ok"] else event["error"]["message"] for event in events
            if event.kind == "call_finished"]


def run_with(replies, name, runtime, **parts):
    return runtime.agent(write(HERE, replies, name, **parts), TOOLS).start("Do it")


with haft.Runtime() as runtime:
    run = run_with([[call("get_order", number="7")], "It is paid."], "plain", runtime)
    events = list(run)
    check("events_come_in_order", [event.seq for event in events if event.seq > 0],
          list(range(1, 9)))
    check("arguments_are_converted_and_have_defaults", results(events),
          ['{"number":7,"total":"12.50 EUR"}'])
    check("a_run_ends_with_its_answer", (run.state, run.end, run.answer_text),
          ("ended", "done", "It is paid."))
    check("an_event_has_its_fields", (events[0].kind, events[0]["task"]), ("run_started", "Do it"))
    check("an_ended_run_has_no_other_events", list(run), [])

    run = run_with([[call("forecast", city="Lisbon")], "Warm."], "async", runtime)
    check("a_coroutine_is_a_tool_of_a_plain_run", (results(run), run.answer_text),
          (["[21,6]"], "Warm."))

    run = run_with([[call("talk")], "So."], "progress", runtime)
    check("progress_of_a_tool_is_an_event",
          [event["data"] for event in run if event.kind == "call_progress"],
          [{"half": True}, "done"])

    # ---- pauses ----
    REFUND = [[call("refund", number=7, euros=5)], "Done."]
    run = run_with(REFUND, "approve", runtime)
    check("a_run_that_waits_has_its_pauses",
          (run.wait(), [(each.kind, each.call, each.tool, each.arguments) for each in run.pauses]),
          ("waiting", [("approval", "c1.1", "refund", {"number": 7, "euros": 5})]))
    run.pauses[0].approve()
    check("an_approved_call_runs", results(run),
          [f"float 5.0 for 7: c1.1 of {run.id}, 1"])
    check("an_answered_pause_is_gone", run.pauses, [])

    run = run_with(REFUND, "edit", runtime)
    run.wait()
    run.pauses[0].approve({"number": 7, "euros": 2})
    check("an_approval_can_change_the_arguments", results(run),
          [f"float 2.0 for 7: c1.1 of {run.id}, 1"])

    run = run_with(REFUND, "reject", runtime)
    run.wait()
    run.pauses[0].reject("too much")
    check("the_model_reads_why_a_call_was_rejected",
          [event["text"] for event in run if event.kind == "call_refused"
           and "too much" in event["text"]] != [])

    run = run_with([[call("pick")], "Picked."], "headless", runtime)
    run.wait()
    run.pauses[0].answer({"letter": "b"})
    check("a_client_answers_a_headless_call", (results(run), run.result.answer),
          (['{"letter":"b"}'], "Picked."))

    run = run_with([[call("forecast", city="Rome"), call("talk")],
                    [call("request_user_input", question="Which?")], "Fine."], "question", runtime,
                   tools=[{"builtin": ["request_user_input"]}])
    run.wait()
    check("a_question_is_a_pause", [(each.kind, each.question) for each in run.pauses],
          [("question", "Which?")])
    run.answer(None, "the blue one")
    check("an_answer_continues_the_run", run.wait(), "ended")

    run = run_with(REFUND, "cancel", runtime)
    run.wait()
    run.cancel()
    run.wait()
    check("a_run_can_be_cancelled", run.end, "cancelled")

    # ---- tools that fail ----
    HOW = {"told": "no such order; ask for its number",
           "bug": "IndexError: list index out of range",
           "exit": "SystemExit: 3", "bytes": "TypeError: the tool returned a bytes",
           "nan": "ValueError: Out of range float values", "long": "the reply of the tool cannot",
           "nul": "a\\u0000b", "surrogate": "?"}
    run = run_with([[call("fail", how=how)] for how in HOW] + ["I give up."], "failing", runtime,
                   limits={"turns": 20})
    found = results(run)
    check("exceptions_become_errors_that_the_model_reads",
          [text.startswith(wanted) for text, wanted in zip(found, HOW.values())], [True] * len(HOW))
    check("a_run_survives_tools_that_fail", run.answer_text, "I give up.")

    # ---- errors of the program ----
    def error_of(function, *arguments, **named):
        try:
            function(*arguments, **named)
        except Exception as error:  # the test prints any other class
            return type(error).__name__
        return "nothing"

    agent = runtime.agent(HERE / "plain.yaml")
    done = agent.start("x")
    done.wait()
    for name, function, wanted in [
            ("no_such_spec", lambda: runtime.agent(HERE / "none.yaml"), "InputOutputError"),
            ("bad_spec", lambda: runtime.agent(write(HERE, [], "bad", phases=1)), "BadInput"),
            ("no_such_run", lambda: runtime.open("zz"), "NotFound"),
            ("no_such_store", lambda: haft.Runtime("ftp://x"), "Unsupported"),
            ("bad_thread", lambda: agent.start("x", thread="1"), "BadInput"),
            ("a_text_with_nul", lambda: agent.start("a\0b"), "BadInput"),
            ("not_a_tool", lambda: runtime.add(len), "TypeError"),
            ("no_docstring", lambda: haft.tool(lambda number: 1), "TypeError"),
            ("a_tool_twice", lambda: runtime.add(haft.Tool(
                name="fail", description="x", input_schema={"type": "object"}, run=len)),
             "BadInput"),
            ("traits_that_contradict", lambda: haft.Runtime().agent(HERE / "plain.yaml", [haft.Tool(
                name="both", description="x", input_schema={"type": "object"}, run=len,
                read_only=True, destructive=True)]), "BadInput"),
            ("a_command_after_the_end", lambda: done.answer(None, 1), "BadState"),
            ("a_run_that_fails",
             lambda: runtime.agent(write(HERE, [[call("talk")]], "silent")).run("x"), "RunFailed")]:
        check(f"error_of_{name}", error_of(function), wanted)
    try:
        runtime.agent(write(HERE, [], "worse", modle="x"))
    except haft.BadInput as error:
        check("an_error_has_its_place_and_its_hint",
              ("worse.yaml:" in error.where, "model" in error.hint or "model" in error.message),
              (True, True))
    check("an_error_of_the_library_is_also_of_a_python_class",
          (issubclass(haft.BadInput, ValueError), issubclass(haft.InputOutputError, OSError)),
          (True, True))

    # ---- asyncio ----
    async def many():
        agent = runtime.agent(HERE / "async.yaml")
        runs = [agent.start("x") for _ in range(20)]
        ended = await asyncio.gather(*runs)
        kinds = [event.kind async for event in agent.start("x")]
        paused = runtime.agent(HERE / "approve.yaml").start("x")
        assert (await paused).end == "waiting"
        paused.approve()
        return {each.answer for each in ended}, kinds[-1], (await paused).end

    check("runs_are_awaitable", asyncio.run(many()), ({"Warm."}, "run_finished", "done"))

    async def failing():
        return await runtime.agent(HERE / "silent.yaml").start("x")

    check("await_raises_if_a_run_fails", error_of(asyncio.run, failing()), "RunFailed")

    # ---- callbacks cannot block each other ----
    @haft.tool(read_only=True)
    def nested(deep: int) -> str:
        """Run another agent."""
        return runtime.agent(HERE / "async.yaml").run("x").answer

    run = runtime.agent(write(HERE, [[call("nested", deep=1)] * 3, "Deep."], "nested"),
                        [nested]).start("x")
    check("tools_can_run_agents_of_the_same_runtime", (run.wait(60), run.answer_text),
          ("ended", "Deep."))

    ticks = itertools.count()

    @haft.tool(read_only=True)
    def slow(call: haft.Call) -> str:
        """Wait for the test."""
        LATER.wait(60)
        return "late"

    run = runtime.agent(write(HERE, [[call("slow")], "Late."], "slow"), [slow]).start("x")
    waiting = threading.Thread(target=run.wait)
    waiting.start()
    check("other_threads_work_while_one_waits",
          wait_for(lambda: next(ticks) > 50, pause=0.001))
    check("a_wait_has_a_timeout", run.wait(0.01), "running")
    LATER.set()
    waiting.join()
    check("and_the_run_then_ends", run.answer_text, "Late.")

    # ---- time limits ----
    seen = []

    @haft.tool(read_only=True, timeout=0.1)
    def polite(call: haft.Call) -> str:
        """Return when the call is cancelled."""
        seen.append(wait_for(lambda: call.cancelled, 60))
        return "too late"

    @haft.tool(read_only=True, timeout=0.1)
    async def endless() -> str:
        """Never return."""
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return ""

    run = runtime.agent(write(HERE, [[call("polite")], [call("endless")], "Over."], "limits"),
                        [polite, endless]).start("x")
    found = results(run)
    check("a_tool_has_a_time_limit", ["timeout" in text for text in found], [True, True])
    check("functions_and_coroutines_notice_it", wait_for(lambda: len(seen) == 2) and seen,
          [True, "cancelled"])

check("a_closed_runtime_says_so", error_of(lambda: run.approve()), "BadState")
check("a_run_of_a_closed_runtime_keeps_its_end", error_of(lambda: runtime.open("last")), "BadState")

# ---- a durable store ----
STORE = f"sqlite:{HERE}/runs.db"
with haft.Runtime(STORE) as runtime:
    run = run_with(REFUND, "durable", runtime)
    run.wait()
    kept = run.id
with haft.Runtime(STORE) as runtime:
    run = runtime.open(kept, TOOLS)
    check("an_opened_run_has_its_pauses", [each.tool for each in run.pauses], ["refund"])
    run.approve()
    check("and_continues", (run.wait(), run.answer_text), ("ended", "Done."))
check("the_module_has_types_and_a_version",
      (haft.__version__.count("."), (place.Path(haft.__file__).parent / "py.typed").exists()),
      (2, True))
print(f"# Python {sys.version.split()[0]}, {time.process_time():.1f} s of CPU")
