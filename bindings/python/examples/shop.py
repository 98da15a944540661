# SPDX-License-Identifier: Apache-2.0
"""The agent of a shop: python shop.py [RUN]. Kill it whenever you like: RUN continues it."""
import json, pathlib, sys
import haft
HERE = pathlib.Path(__file__).parents[2]

@haft.tool(read_only=True)
def get_order(number: int) -> dict:
    """Look up one order of the shop by its number, for instance 1042."""
    return json.loads((HERE / f"../examples/shop/orders/{number}.json").read_text())

@haft.tool(needs_approval=True, idempotent=True)
def refund(number: int, euros: float, call: haft.Call) -> str:
    """Pay money back to the customer of an order."""
    return f"{euros} euros were paid back for order {number}, once: {call.idempotency_key}"

with haft.Runtime("sqlite:shop.db") as runtime:
    agent = runtime.agent(HERE / "examples/shop.yaml", [get_order, refund])
    run = runtime.open(sys.argv[1]) if sys.argv[1:] else agent.start("Refund order 1042.")
    print("run", run.id, flush=True)
    while run.wait() == "waiting":
        for pause in run.pauses:
            agreed = input(f"{pause.tool} {pause.arguments}, y or n? ") == "y"
            pause.approve() if agreed else pause.reject("the shop does not agree")
    print(run.answer_text)
