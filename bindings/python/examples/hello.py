# SPDX-License-Identifier: Apache-2.0
"""An agent with two tools, whose events are shown as they come: python hello.py SPEC TASK."""
import asyncio
import sys
from typing import Annotated, Literal

import haft


@haft.tool(read_only=True)
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b

@haft.tool(read_only=True, timeout=10)
async def forecast(city: Annotated[str, "such as Lisbon"],
                   unit: Literal["celsius", "fahrenheit"] = "celsius") -> dict:
    """The weather of the next days."""
    await asyncio.sleep(0.1)  # here a service would be asked
    return {"city": city, "unit": unit, "days": [21, 22, 19]}

async def main(spec: str, task: str) -> None:
    with haft.Runtime() as runtime:
        run = runtime.agent(spec, [add, forecast]).start(task)
        async for event in run:
            print(event.seq, event.kind)
        print(run.answer_text)
asyncio.run(main(*sys.argv[1:]))
