# SPDX-License-Identifier: Apache-2.0
"""haft with tools in Python, as a contender of ../shared/bench/peers: it speaks the protocol of
client.mjs. haft_python.py load|once url=URL model=mock-8 runs=N conc=N warm=N [mode=asyncio]"""
import asyncio
import json
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Annotated, Literal, TypedDict

SYSTEM = "You are a support agent. Use the tools to look things up, then answer briefly."
TASK = "Customer Ana (order ORD-00001042) wants a refund and the weather in Lisbon. Handle it."
scenario, options = sys.argv[1], dict(word.split("=", 1) for word in sys.argv[2:])
os.environ.update(OPENAI_BASE_URL=options["url"], OPENAI_API_KEY="x")
import haft  # noqa: E402


class Filters(TypedDict):
    lang: str
    tags: Annotated[list[str], {"maxItems": 10}]


# The id of the call is in the results, because a run whose results repeat counts as stuck.
@haft.tool(read_only=True)
def get_weather(city: Annotated[str, "City name", {"minLength": 1}],
                unit: Literal["celsius", "fahrenheit"],
                days: Annotated[int, {"minimum": 1, "maximum": 14}], call: haft.Call) -> dict:
    """Weather forecast for a city."""
    return {"call": call.id, "city": city, "unit": unit, "forecast": [21, 22, 19]}


@haft.tool(read_only=True)
def search_docs(query: Annotated[str, {"minLength": 1, "maxLength": 500}],
                top_k: Annotated[int, {"minimum": 1, "maximum": 50}], filters: Filters,
                call: haft.Call) -> dict:
    """Full text search over the knowledge base."""
    return {"call": call.id, "hits": [{"id": "kb-17", "score": 0.92, "title": "Refund policy"},
                                      {"id": "kb-20", "score": 0.71, "title": "Enterprise terms"}]}


@haft.tool(read_only=True)
def create_ticket(title: Annotated[str, {"minLength": 1, "maxLength": 120}], body: str,
                  priority: Literal["low", "normal", "high"],
                  assignees: Annotated[list[str], {"maxItems": 5}], call: haft.Call) -> dict:
    """Open a ticket in the tracker."""
    return {"call": call.id, "ticket": "T-881", "url": "tracker/T-881"}


@haft.tool(read_only=True)
def calc(op: Literal["add", "sub", "mul", "div"], a: float, b: float, call: haft.Call) -> dict:
    """Arithmetic on two numbers."""
    return {"call": call.id, "result": a + b if op == "add" else 0}


@haft.tool(read_only=True)
def lookup_order(order_id: Annotated[str, {"pattern": "^ORD-\\d{8}$"}], include_items: bool,
                 call: haft.Call) -> dict:
    """Order by id."""
    return {"call": call.id, "order_id": order_id, "status": "shipped", "total_cents": 12900,
            "items": [{"sku": "A1", "qty": 2}]}


TOOLS = [get_weather, search_docs, create_ticket, calc, lookup_order]


def check(result):
    if not result.answer.startswith("Done"):
        raise ValueError(f"bad answer {result.answer}")


def in_threads(agent, runs, width):
    def work(count):
        for _ in range(count):
            check(agent.run(TASK))
    threads = [threading.Thread(target=work, args=(runs // width,)) for _ in range(width)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


async def in_asyncio(agent, runs, width):
    async def work(count):
        for _ in range(count):
            check(await agent.start(TASK))
    await asyncio.gather(*(work(runs // width) for _ in range(width)))


def batch(agent, runs):
    width = min(int(options.get("conc", 1)), runs)
    if options.get("mode") == "asyncio":
        asyncio.run(in_asyncio(agent, runs, width))
    else:
        in_threads(agent, runs, width)


def main():
    runs = int(options.get("runs", 1))
    with tempfile.TemporaryDirectory() as directory, haft.Runtime() as runtime:
        spec = Path(directory) / "bench.yaml"
        spec.write_text(json.dumps({"haft": 1, "name": "bench", "instructions": SYSTEM,
                                    "model": f"openai:{options['model']}",
                                    "limits": {"turns": 5000}}))
        agent = runtime.agent(spec, TOOLS)
        if scenario == "once":
            check(agent.run(TASK))
            return
        batch(agent, int(options.get("warm", 0)) or 1)
        before, began = time.process_time(), time.monotonic()
        batch(agent, runs)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"runs": runs, "wall_ms": 1000 * (time.monotonic() - began),
                          "cpu_user_ms": 1000 * (time.process_time() - before), "cpu_sys_ms": 0,
                          "rss_peak_kb": used.ru_maxrss}))


main()
