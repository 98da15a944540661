// SPDX-License-Identifier: Apache-2.0
// The installed npm package: runs, pauses, errors, many runs, workers, leaks. node_test.py runs it
// in an empty project: node node_cases.mjs NAME DIRECTORY [KEYS [WORD]].
import assert from 'node:assert'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { Runtime, RunFailed, HaftError, ToolError, Tool, tool, version } from 'haft'

const [name, directory, keys, only] = process.argv.slice(2)
const RUNS = 1000
const read = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] }
const call = (name, args = {}) => ({ name, arguments: args })
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

async function test(title, body) {
  if (only && !title.startsWith(only)) return
  try {
    await body()
    console.log(`ok ${name} ${title}`)
  } catch (error) {
    for (const line of String(error.stack).split('\n')) console.log(`# ${line}`)
    console.log(`not ok ${name} ${title}`)
    process.exitCode = 1
  }
}

// A spec whose model gives the replies; a list is a reply with these calls.
function write(title, replies, parts = {}) {
  fs.writeFileSync(
    path.join(directory, `${title}.script.yaml`),
    JSON.stringify({
      replies: replies.map(each => (Array.isArray(each) ? { calls: each } : { text: each }))
    })
  )
  const spec = path.join(directory, `${title}.yaml`)
  fs.writeFileSync(
    spec,
    JSON.stringify({
      haft: 1,
      name: title,
      model: `script:${title}.script.yaml`,
      instructions: 'You answer.',
      ...parts
    })
  )
  return spec
}

const getOrder = tool({
  name: 'get_order',
  description: 'Look up one order.',
  readOnly: true,
  inputSchema: {
    ...read,
    properties: { ...read.properties, currency: { type: 'string', default: 'EUR' } }
  },
  run: ({ number, currency }) => ({ number, total: `12.50 ${currency}` })
})
const refund = tool({
  name: 'refund',
  description: 'Pay money back.',
  needsApproval: true,
  idempotent: true,
  inputSchema: read,
  run: async ({ number }, call) => (await sleep(1), `${number} ${call.id} ${call.attempt}`)
})
const talk = tool({
  name: 'talk',
  description: 'Report progress.',
  readOnly: true,
  inputSchema: { type: 'object' },
  run: (_, call) => (call.progress({ half: true }), 'talked')
})
const circle = {}
circle.self = circle
const HOW = {
  told: () => {
    throw new ToolError('no such order; ask for its number')
  },
  bug: () => undefined.x,
  text: () => {
    throw 'only text'
  },
  rejected: async () => {
    await sleep(1)
    throw new RangeError('far')
  },
  circle: () => circle,
  long: () => 'x'.repeat(30000000),
  nul: () => 'a\0b',
  nothing: () => undefined
}
const fail = tool({
  name: 'fail',
  description: 'Fail.',
  readOnly: true,
  inputSchema: { type: 'object', properties: { how: { type: 'string' } } },
  run: ({ how }) => HOW[how]()
})
const pick = tool({ name: 'pick', description: 'The user picks.', inputSchema: { type: 'object' } })
const tools = [getOrder, refund, talk, fail, pick]

async function events(run) {
  const found = []
  for await (const event of run) found.push(event)
  return found
}
const results = found =>
  found
    .filter(each => each.kind === 'call_finished')
    .map(({ data }) => (data.ok ? data.result : data.error.message))
const throwsCode = (body, code) =>
  assert.throws(body, error => error instanceof HaftError && error.code === code)

const runtime = new Runtime()
const start = (title, replies, parts) =>
  runtime.agent(write(title, replies, parts), tools).start('Do it')

await test('events_come_in_order_and_arguments_have_defaults', async () => {
  const run = start('plain', [[call('get_order', { number: '7' })], 'It is paid.'])
  const found = await events(run)
  assert.deepEqual(
    found.filter(each => each.seq > 0).map(each => each.seq),
    [1, 2, 3, 4, 5, 6, 7, 8]
  )
  assert.deepEqual(results(found), ['{"number":7,"total":"12.50 EUR"}'])
  assert.deepEqual([run.state, run.end, run.answerText], ['ended', 'done', 'It is paid.'])
  assert.deepEqual(await events(run), [])
})
await test('progress_is_an_event', async () => {
  const found = await events(start('progress', [[call('talk')], 'So.']))
  assert.deepEqual(
    found.filter(each => each.kind === 'call_progress').map(each => each.data.data),
    [{ half: true }]
  )
})
const REFUND = [[call('refund', { number: 7 })], 'Done.']
await test('a_pause_can_be_approved_edited_and_rejected', async () => {
  for (const [how, wanted] of [
    [pause => pause.approve(), ['7 c1.1 1']],
    [pause => pause.approve({ number: 2 }), ['2 c1.1 1']],
    [pause => pause.reject('too much'), []]
  ]) {
    const run = start('approve', REFUND)
    const result = await run.wait()
    assert.equal(result.end, 'waiting')
    assert.deepEqual(
      result.pauses.map(each => [each.kind, each.call, each.tool, each.arguments]),
      [['approval', 'c1.1', 'refund', { number: 7 }]]
    )
    how(run.pauses[0])
    assert.deepEqual(results(await events(run)), wanted)
    assert.deepEqual(run.pauses, [])
  }
})
await test('a_client_answers_a_headless_call', async () => {
  const run = start('headless', [[call('pick')], 'Picked.'])
  const [pause] = (await run.wait()).pauses
  pause.answer({ letter: 'b' })
  assert.deepEqual(results(await events(run)), ['{"letter":"b"}'])
})
await test('a_run_can_be_cancelled', async () => {
  const run = start('cancel', REFUND)
  await run.wait()
  run.cancel()
  await assert.rejects(
    run.wait(),
    error => error instanceof RunFailed && error.result.end === 'cancelled'
  )
})
await test('exceptions_of_tools_become_errors_that_the_model_reads', async () => {
  const run = start(
    'failing',
    [...Object.keys(HOW).map(how => [call('fail', { how })]), 'I give up.'],
    { limits: { turns: 20 } }
  )
  const found = results(await events(run))
  const wanted = [
    'no such order; ask',
    'TypeError: Cannot read',
    'only text',
    'RangeError: far',
    'TypeError: Converting circular',
    'the reply of the tool cannot',
    'the reply of the tool cannot',
    'null'
  ]
  assert.deepEqual(
    found.map((text, i) => text.startsWith(wanted[i]) || text),
    wanted.map(() => true)
  )
  assert.equal(run.answerText, 'I give up.')
})
await test('a_tool_has_a_time_limit', async () => {
  let seen
  const endless = tool({
    name: 'endless',
    description: 'Wait.',
    readOnly: true,
    timeoutMs: 50,
    inputSchema: { type: 'object' },
    run: async (_, call) => {
      while (!call.cancelled) await sleep(5)
      seen = true
      return 'late'
    }
  })
  const run = runtime.agent(write('limits', [[call('endless')], 'Over.']), [endless]).start('x')
  assert.match(results(await events(run))[0], /timeout/)
  for (let i = 0; i < 1000 && !seen; i++) await sleep(5)
  assert.ok(seen)
})
await test('a_tool_can_run_an_agent', async () => {
  const nested = tool({
    name: 'nested',
    description: 'Run another agent.',
    readOnly: true,
    inputSchema: { type: 'object' },
    run: async () =>
      (await start('plain', [[call('get_order', { number: 1 })], 'In.']).wait()).answer
  })
  const result = await runtime
    .agent(write('nested', [[call('nested'), call('nested')], 'Out.']), [nested])
    .run('x')
  assert.equal(result.answer, 'Out.')
})
await test('errors_have_a_code', async () => {
  throwsCode(() => runtime.agent(path.join(directory, 'none.yaml')), 'IO')
  throwsCode(() => runtime.agent(write('bad', [], { phases: 1 })), 'BAD_INPUT')
  throwsCode(() => runtime.open('zz'), 'NOT_FOUND')
  throwsCode(() => new Runtime({ store: 'ftp://x' }), 'UNSUPPORTED')
  throwsCode(
    () => start('plain', ['x']) && runtime.agent(path.join(directory, 'plain.yaml')).start('a\0b'),
    'BAD_INPUT'
  )
  throwsCode(
    () => runtime.agent(path.join(directory, 'plain.yaml')).start('x', { thread: '1' }),
    'BAD_INPUT'
  )
  throwsCode(() => runtime.agent(path.join(directory, 'plain.yaml')).start(7), 'BAD_INPUT')
  throwsCode(() => runtime.add(tool({ ...fail })), 'BAD_INPUT')
  assert.throws(() => runtime.add({ name: 'x' }), TypeError)
  assert.throws(() => tool({ name: 'x' }), TypeError)
  const ended = start('plain', ['Done.'])
  await ended.wait()
  throwsCode(() => ended.approve(), 'BAD_STATE')
  await assert.rejects(start('silent', [[call('talk')]]).wait(), RunFailed)
})
await test('an_exception_in_the_programs_own_code_is_its_own', async () => {
  const run = start('plain', ['Done.'])
  await assert.rejects(
    (async () => {
      for await (const _ of run) throw new Error('mine')
    })(),
    /mine/
  )
  assert.equal((await run.wait()).answer, 'Done.')
})

// ---- other parts of Node go on ----

await test('child_processes_of_node_end_while_haft_runs_commands', async () => {
  const spec = write('command', [[call('echo', {})], [call('echo', {})], 'Said.'], {
    tools: [
      {
        name: 'echo',
        description: 'Say it.',
        command: ['echo', 'hello'],
        traits: { read_only: true }
      }
    ]
  })
  const child = spawn('sleep', ['0.1'])
  const run = runtime.agent(spec).start('x')
  const [found] = await Promise.all([events(run), once(child, 'exit')])
  assert.match(results(found)[0], /hello/)
  const [code] = await once(spawn('true'), 'exit')
  assert.equal(code, 0)
})
if (keys) {
  await test('https_of_haft_and_https_of_node_use_their_own_openssl', async () => {
    const options = {
      key: fs.readFileSync(path.join(keys, 'key.pem')),
      cert: fs.readFileSync(path.join(keys, 'cert.pem'))
    }
    let requests = 0
    const server = https
      .createServer(options, (_, response) => {
        requests++
        response.setHeader('content-type', 'application/json').end('{"state":"shipped"}')
      })
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `https://localhost:${server.address().port}/`
    const spec = write('https', [[call('ask')], 'Asked.'], {
      tools: [
        {
          name: 'ask',
          description: 'Ask.',
          http: { method: 'GET', url, allow_private: true },
          traits: { read_only: true }
        }
      ]
    })
    const found = results(await events(runtime.agent(spec).start('x')))
    const own = await new Promise((resolve, reject) =>
      https.get(url, { ca: options.cert }, resolve).on('error', reject)
    )
    own.resume()
    server.close()
    assert.match(found[0], /shipped|certificate|SSL/i)
    assert.equal(own.statusCode, 200)
    console.log(`# ${found[0].slice(0, 100)}; ${requests} requests`)
  })
}

// ---- many runs ----

const add = tool({
  name: 'add',
  description: 'Add.',
  readOnly: true,
  inputSchema: { type: 'object' },
  run: async ({ a, b }) => {
    await null
    return a + b
  }
})
const manySpec = write('many', [
  [call('add', { a: 2, b: 3 }), call('add', { a: 4, b: 5 })],
  [call('add', { a: 1, b: 1 })],
  'Nine.'
])
let many = runtime.agent(manySpec, [add])
async function batch(count, width = 100) {
  const answers = []
  for (let left = count; left > 0; left -= width) {
    answers.push(
      ...(await Promise.all(
        Array.from({ length: width }, async (_, i) => {
          if (i % 2) return (await many.run('x')).answer
          const run = many.start('x')
          await events(run)
          return run.answerText
        })
      ))
    )
  }
  return answers
}
const settle = async () => {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.()
    await sleep(20)
  }
}
await test('1000_runs_with_tools_in_javascript', async () => {
  assert.deepEqual([...new Set(await batch(RUNS))], ['Nine.'])
})
await test('runs_leave_no_memory', async () => {
  // A store in memory keeps every run. A file in memory is fast.
  const file = fs.mkdtempSync(
    path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : directory, 'haft-')
  )
  const own = new Runtime({ store: `sqlite:${file}/runs.db` })
  many = own.agent(manySpec, [add])
  await batch(RUNS)
  await settle()
  const outside = () => process.memoryUsage().rss - process.memoryUsage().heapTotal
  let grown = Infinity // a leak grows in every round; the heap of V8 does not
  for (let round = 0; round < 4 && grown > 3000; round++) {
    const before = outside()
    await batch(2 * RUNS)
    await settle()
    grown = Math.min(grown, (outside() - before) / 1024)
  }
  own.close()
  fs.rmSync(file, { recursive: true })
  console.log(
    `# 2,000 runs more: ${Math.round(grown)} KiB more, of ${Math.round(outside() / 1024)}`
  )
  assert.ok(grown < 6000, `${grown} KiB`) // three KiB for each run; a run has more
})
runtime.close()
await test('a_closed_runtime_says_so', () => {
  throwsCode(() => many.start('x'), 'BAD_STATE')
  runtime.close()
})
await test('runtimes_leave_no_descriptors', async () => {
  const count = () => fs.readdirSync('/proc/self/fd').length
  let before
  for (let i = 0; i < 40; i++) {
    const own = new Runtime({ store: `sqlite:${directory}/many.db` })
    await own.agent(path.join(directory, 'many.yaml'), [add]).run('x')
    own.close()
    await sleep(1)
    if (i === 10) before = count()
  }
  assert.ok(count() <= before, `${count()} of ${before}`)
})

// ---- workers ----

const WORKER = `
import { parentPort, workerData } from 'node:worker_threads'
import { Runtime, tool } from 'haft'
const add = tool({ name: 'add', description: 'Add.', readOnly: true,
  inputSchema: { type: 'object' },
  run: ({ a, b }) => {
    if (!workerData.hang) return a + b
    parentPort.postMessage('started')
    return new Promise(() => {})
  } })
const runtime = new Runtime()
const agent = runtime.agent(workerData.spec, [add])
const run = async () => (await agent.run('x')).answer
const answers = await Promise.all(Array.from({ length: 50 }, run))
runtime.close()
parentPort.postMessage(answers)
`
const worker = hang => {
  fs.writeFileSync('worker.mjs', WORKER)
  return new Worker(path.resolve('worker.mjs'), {
    workerData: { spec: path.join(directory, 'many.yaml'), hang }
  })
}
await test('workers_have_their_own_runtimes', async () => {
  const found = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const [[answers], [code]] = await Promise.all(
        (one => [once(one, 'message'), once(one, 'exit')])(worker(false))
      )
      return [new Set(answers).size, answers.length, code]
    })
  )
  assert.deepEqual(found, Array(4).fill([1, 50, 0]))
})
await test('a_worker_can_be_terminated_in_the_middle_of_a_run', async () => {
  for (let i = 0; i < 3; i++) {
    const one = worker(true)
    await once(one, 'message')
    assert.equal(await one.terminate(), 1)
  }
  globalThis.gc?.()
})

// ---- programs that end ----

const PROGRAM = `
import { Runtime, tool } from 'haft'
const [spec, store, how] = process.argv.slice(2)
const add = tool({ name: 'add', description: 'Add.', readOnly: true,
  inputSchema: { type: 'object' },
  run: () => { how === 'hold' || setTimeout(end, 20); return new Promise(() => {}) } })
const runtime = new Runtime({ store: 'sqlite:' + store })
const run = runtime.agent(spec, [add]).start('x')
console.log(run.id)
function end() {
  if (how === 'exit') process.exit(3)
  if (how === 'throw') throw new Error('mine')
  if (how === 'close') runtime.close()
  if (how === 'kill') process.kill(process.pid, 'SIGTERM')
}
`
for (const [how, wanted] of Object.entries({ exit: 3, throw: 1, close: 0, kill: 'SIGTERM' })) {
  await test(`a_program_ends_in_the_middle_of_a_run_by_${how}`, async () => {
    fs.writeFileSync('program.mjs', PROGRAM)
    const store = path.join(directory, `${how}.db`)
    const child = spawn(
      process.execPath,
      ['program.mjs', path.join(directory, 'many.yaml'), store, how],
      { stdio: ['ignore', 'pipe', 'ignore'] }
    )
    let id = ''
    child.stdout.on('data', data => {
      id += data
    })
    const [code, signal] = await once(child, 'exit')
    assert.equal(signal ?? code, wanted)
    const own = new Runtime({ store: `sqlite:${store}` })
    assert.equal((await own.open(id.trim(), [add]).wait()).answer, 'Nine.')
    own.close()
  })
}
await test('a_run_that_waits_does_not_keep_the_process', () => {
  const spec = write('waits', REFUND)
  fs.writeFileSync(
    'waits.mjs',
    `import { Runtime, tool } from 'haft'
    const refund = tool({ name: 'refund', description: 'Pay.', needsApproval: true,
      inputSchema: { type: 'object' }, run: () => 1 })
    await new Runtime().agent('${spec}', [refund]).run('x')`
  )
  execFileSync(process.execPath, ['waits.mjs'], { timeout: 60000 })
})
await test('the_module_works_with_require_and_has_a_version', () => {
  const text = execFileSync(process.execPath, [
    '-e',
    "const { Runtime, tool } = require('haft'); console.log(typeof Runtime, typeof tool)"
  ])
  assert.equal(String(text).trim(), 'function function')
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.ok(pick instanceof Tool)
})
