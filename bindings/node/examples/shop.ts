// SPDX-License-Identifier: Apache-2.0
// The agent of a shop: node shop.ts [RUN]. Kill it whenever you like: RUN continues it.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Runtime, tool } from 'haft'
const here = new URL('../..', import.meta.url).pathname
const number = { type: 'integer', description: 'of the order, for instance 1042' }
const getOrder = tool<{ number: number }>({ name: 'get_order', description: 'Look up one order of the shop.',
  readOnly: true, inputSchema: { type: 'object', properties: { number }, required: ['number'] },
  run: args => JSON.parse(readFileSync(`${here}/../examples/shop/orders/${args.number}.json`, 'utf8')) })
const refund = tool<{ number: number, euros: number }>({ name: 'refund', description: 'Pay money back to a customer.',
  needsApproval: true, idempotent: true,
  inputSchema: { type: 'object', properties: { number, euros: { type: 'number' } }, required: ['number', 'euros'] },
  run: (args, call) => `${args.euros} euros were paid back for order ${args.number}, once: ${call.idempotencyKey}` })

const runtime = new Runtime({ store: 'sqlite:shop.db' })
const agent = runtime.agent(`${here}/examples/shop.yaml`, [getOrder, refund])
const run = process.argv[2] ? runtime.open(process.argv[2]) : agent.start('Refund order 1042.')
console.log('run', run.id)
const terminal = createInterface(process.stdin, process.stdout)
for (let result = await run.wait(); result.end === 'waiting'; result = await run.wait())
  for (const pause of result.pauses)
    await terminal.question(`${pause.tool} ${JSON.stringify(pause.arguments)}, y or n? `) === 'y' ? pause.approve() : pause.reject()
console.log(run.answerText)
terminal.close()
