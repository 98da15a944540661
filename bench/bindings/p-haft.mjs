// SPDX-License-Identifier: Apache-2.0
// haft with tools in JavaScript, as a contender of ../shared/bench/peers (client.mjs runs it).
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { Runtime, tool } from 'haft'
import { TOOLS, SYSTEM, PROMPT } from './tools.mjs'

export async function make({ url, store, db }) {
  process.env.OPENAI_BASE_URL = url
  process.env.OPENAI_API_KEY = 'x'
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-bench-'))
  const runtime = new Runtime(store === 'sqlite' ? { store: `sqlite:${db}` } : {})
  let calls = 0
  // The id of the call is in the result, because a run whose results repeat counts as stuck.
  const tools = TOOLS.map(each =>
    tool({
      name: each.name,
      description: each.description,
      inputSchema: z.toJSONSchema(each.schema),
      readOnly: true,
      run: (args, call) => {
        calls++
        return { call: call.id, ...each.fn(args) }
      }
    })
  )
  const agents = new Map()
  const agent = model => {
    if (!agents.has(model)) {
      const spec = path.join(directory, `${model}.yaml`)
      fs.writeFileSync(
        spec,
        JSON.stringify({
          haft: 1,
          name: 'bench',
          model: `openai:${model}`,
          instructions: SYSTEM,
          limits: { turns: 5000 }
        })
      )
      agents.set(model, runtime.agent(spec, tools))
    }
    return agents.get(model)
  }
  return {
    async run(model) {
      const before = calls
      const result = await agent(model).run(PROMPT)
      if (!result.answer.startsWith('Done')) throw new Error(`bad answer ${result.answer}`)
      return calls - before
    },
    close() {
      runtime.close()
      fs.rmSync(directory, { recursive: true })
    }
  }
}
