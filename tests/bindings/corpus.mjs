// SPDX-License-Identifier: Apache-2.0
// corpus.c in JavaScript: node corpus.mjs SPEC TASK ACTION...
import { Runtime, ToolError, tool } from 'haft'

const text = (description, rest = {}) => ({ type: 'string', description, ...rest })
const whole = (description, rest = {}) => ({ type: 'integer', description, ...rest })
const object = (properties, required) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false
})
const tools = [
  {
    name: 'add',
    description: 'Add two numbers.',
    readOnly: true,
    inputSchema: object({ a: whole('the first'), b: whole('the second', { default: 1 }) }, ['a']),
    run: ({ a, b }) => String(a + b)
  },
  {
    name: 'find',
    description: 'Find orders.',
    readOnly: true,
    cache: 'run',
    inputSchema: object(
      {
        query: text('words to look for'),
        state: {
          type: 'string',
          description: 'of the order',
          enum: ['open', 'paid'],
          default: 'open'
        }
      },
      ['query']
    ),
    run: async ({ query, state }) => ({ query, state })
  },
  {
    name: 'fail',
    description: 'Fail.',
    inputSchema: object(
      { told: { type: 'boolean', description: 'whether the model is told why' } },
      ['told']
    ),
    run: ({ told }) => {
      throw new ToolError(told ? 'no connection; try again later' : 'unknown')
    }
  },
  {
    name: 'pay',
    description: 'Pay money back.',
    needsApproval: true,
    idempotent: true,
    inputSchema: object({ to: text('who gets it'), cents: whole('how much') }, ['to', 'cents']),
    run: ({ to, cents }) => `${to} has ${cents} cents`
  },
  {
    name: 'quote',
    description: 'Quote a text.',
    readOnly: true,
    returnDirect: true,
    inputSchema: object({ text: text('the text') }, ['text']),
    run: args => `"${args.text}"`
  }
].map(tool)

function act(run, action) {
  const [, name, value] = /^(\w+)(?::(.*))?$/s.exec(action)
  if (name === 'approve') run.approve(undefined, value && JSON.parse(value))
  else if (name === 'answer') run.answer(undefined, JSON.parse(value))
  else if (name === 'reject') run.reject(undefined, value)
  else run.cancel()
}

async function show(run) {
  for await (const event of run) if (event.seq) console.log(JSON.stringify(event.data))
}

const [spec, task, ...actions] = process.argv.slice(2)
const runtime = new Runtime()
const run = runtime.agent(spec, tools).start(task)
await show(run)
for (const action of actions) {
  act(run, action)
  await show(run)
}
runtime.close()
