// SPDX-License-Identifier: Apache-2.0
// An agent with two tools, whose events are shown as they come: node hello.mjs SPEC TASK.
import { Runtime, tool } from 'haft'

const number = { type: 'number' }
const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  readOnly: true,
  inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  run: ({ a, b }) => a + b
})
const forecast = tool({
  name: 'forecast',
  description: 'The weather of the next days.',
  readOnly: true,
  timeoutMs: 10000,
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: async ({ city }) => {
    await new Promise(resolve => setTimeout(resolve, 100)) // here a service would be asked
    return { city, days: [21, 22, 19] }
  }
})

const [spec, task] = process.argv.slice(2)
const runtime = new Runtime()
const run = runtime.agent(spec, [add, forecast]).start(task)
for await (const event of run) console.log(event.seq, event.kind)
console.log(run.answerText)
runtime.close()
