// SPDX-License-Identifier: Apache-2.0
// haft, a tool-calling runtime for language-model agents. index.d.ts has the types and describes
// each function.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const native = require('./lib/haft.node')

const GUARD = path.join(__dirname, 'libexec', 'guard')
const WORDS = path.join(__dirname, 'share', 'words.vec')

// ---- errors ----

class HaftError extends Error {
  constructor(status, message, where = '', hint = '') {
    super([where, message].filter(Boolean).join(': ') + (hint ? ` (${hint})` : ''))
    this.name = 'HaftError'
    this.code = status
    this.where = where
    this.hint = hint
  }
}

class RunFailed extends HaftError {
  constructor(result) {
    super(
      'RUN_FAILED',
      `the run ${result.run} ended as ${result.end}` + (result.reason ? `: ${result.reason}` : '')
    )
    this.name = 'RunFailed'
    this.result = result
  }
}

class ToolError extends Error {
  constructor(message) {
    super(message)
    this.name = 'ToolError'
  }
}

native.setUp(HaftError, fs.existsSync(WORDS) ? WORDS : undefined)

// ---- tools ----

const TRAITS = {
  readOnly: native.READ_ONLY,
  idempotent: native.IDEMPOTENT,
  destructive: native.DESTRUCTIVE,
  returnDirect: native.RETURN_DIRECT,
  needsApproval: native.NEEDS_APPROVAL,
  polls: native.POLLS
}
const CACHES = { run: native.CACHE_RUN, thread: native.CACHE_THREAD, global: native.CACHE_GLOBAL }

class Tool {
  constructor(given) {
    if (typeof given.name !== 'string' || typeof given.description !== 'string') {
      throw new TypeError('a tool needs a name and a description')
    }
    if (typeof given.inputSchema !== 'object' || given.inputSchema === null) {
      throw new TypeError(`the tool ${given.name} needs an inputSchema, a JSON Schema`)
    }
    if (given.run !== undefined && typeof given.run !== 'function') {
      throw new TypeError(`run of the tool ${given.name} is not a function`)
    }
    Object.assign(this, given)
    Object.freeze(this)
  }
}

function tool(given) {
  return new Tool(given)
}

function traitsOf(given) {
  let traits = given.run ? native.QUEUED : 0
  for (const [name, flag] of Object.entries(TRAITS)) traits |= given[name] ? flag : 0
  return traits | (given.cost === 'heavy' ? native.COST_HEAVY : 0) | (CACHES[given.cache] ?? 0)
}

class Command {
  constructor(parts) {
    Object.assign(this, parts)
  }
}

class Call {
  #handle
  constructor(facts) {
    const { handle, arguments: json, ...rest } = facts
    this.#handle = handle
    Object.assign(this, rest)
    this.arguments = JSON.parse(json)
  }

  get cancelled() {
    return this.#handle === undefined || native.callCancelled(this.#handle)
  }

  progress(value) {
    if (this.#handle !== undefined) native.callEmit(this.#handle, JSON.stringify(value) ?? 'null')
  }

  static finish(call, kind, text) {
    const handle = call.#handle
    if (handle === undefined) return
    call.#handle = undefined
    try {
      native.callFinish(handle, kind, text)
    } catch (error) {
      const what = `the reply of the tool cannot be used: ${error.message}`
      native.callFinish(handle, native.ERROR, what)
    }
  }
}

function endCall(call, value) {
  let kind = native.TEXT
  let text = value
  if (typeof value !== 'string') {
    kind = value instanceof Command ? native.COMMAND : native.JSON
    try {
      text = JSON.stringify(value) ?? 'null'
    } catch (error) {
      failCall(call, error)
      return
    }
  }
  Call.finish(call, kind, text)
}

// The model reads the message: no stack, which may contain secrets.
function failCall(call, error) {
  const known = error instanceof ToolError
  const text =
    error instanceof Error
      ? known
        ? error.message
        : `${error.name}: ${error.message}`
      : String(error)
  Call.finish(call, native.ERROR, text.replaceAll('\0', '') || 'the tool failed')
}

async function perform(given, facts) {
  const call = new Call(facts)
  try {
    endCall(call, await given.run(call.arguments, call))
  } catch (error) {
    failCall(call, error)
  }
}

// ---- runtimes ----

const releasedAgents = new FinalizationRegistry(({ runtime, handle }) => {
  if (!runtime.closed) native.agentRelease(handle)
})
const releasedRuns = new FinalizationRegistry(({ runtime, slot }) => runtime.release(slot))

// What the callbacks of the module need: it does not refer to a Runtime that the program dropped.
class Core {
  closed = false
  failure = undefined
  tools = new Map()
  runs = new Map() // slot: a weak reference
  running = new Set() // runs that keep the process alive

  constructor(store, leaseMs) {
    this.handle = native.runtimeCreate(store, GUARD, leaseMs, items => this.dispatch(items))
  }

  check() {
    if (this.closed) throw new HaftError('BAD_STATE', 'the runtime is closed')
    if (this.failure) throw this.failure
    return this.handle
  }

  dispatch(items) {
    const changed = new Set()
    for (const [kind, first, ...rest] of items) {
      if (kind === 'call') {
        void perform(this.tools.get(first.tool), first)
      } else if (kind === 'failure') {
        this.failure = new HaftError(first, ...rest)
        for (const slot of this.runs.keys()) changed.add(slot)
      } else {
        const run = this.runs.get(first)?.deref()
        if (kind === 'event') run?._addEvent(...rest)
        changed.add(first)
      }
    }
    for (const slot of changed) this.runs.get(slot)?.deref()?._changed()
  }

  hold(run, running) {
    const before = this.running.size
    if (running) this.running.add(run)
    else this.running.delete(run)
    if ((before === 0) !== (this.running.size === 0) && !this.closed) {
      native.runtimeRef(this.handle, this.running.size > 0)
    }
  }

  release(slot) {
    this.runs.delete(slot)
    if (!this.closed) native.runRelease(this.handle, slot)
  }

  close() {
    if (this.closed) return
    const runs = [...this.runs.values()].map(run => run.deref()).filter(Boolean)
    for (const run of runs) run._leave()
    this.closed = true
    this.running.clear()
    this.runs.clear()
    native.runtimeClose(this.handle)
    for (const run of runs) run._changed()
  }
}

class Runtime {
  #core
  constructor({ store = 'memory:', leaseMs = 0 } = {}) {
    this.#core = new Core(store, leaseMs)
  }

  add(given) {
    const core = this.#core
    if (!(given instanceof Tool)) throw new TypeError('expected a tool: use the function tool()')
    if (core.tools.get(given.name) === given) return
    native.runtimeAddTool(core.check(), {
      name: given.name,
      description: given.description,
      inputSchema: JSON.stringify(given.inputSchema),
      outputSchema: given.outputSchema && JSON.stringify(given.outputSchema),
      lane: given.lane,
      traits: traitsOf(given),
      timeoutMs: given.timeoutMs ?? 0,
      cacheMs: given.cacheMs ?? 0,
      retries: given.retries ?? 0
    })
    core.tools.set(given.name, given)
  }

  agent(spec, tools = []) {
    for (const each of tools) this.add(each)
    return new Agent(this.#core, native.agentLoad(this.#core.check(), String(spec)))
  }

  open(id, tools = []) {
    for (const each of tools) this.add(each)
    return new Run(this.#core, native.runOpen(this.#core.check(), id))
  }

  close() {
    this.#core.close()
  }

  [Symbol.dispose ?? Symbol.for('dispose')]() {
    this.close()
  }
}

class Agent {
  #core
  #handle
  constructor(core, handle) {
    this.#core = core
    this.#handle = handle
    releasedAgents.register(this, { runtime: core, handle })
  }

  start(task, { thread, user, enqueue = false } = {}) {
    return new Run(
      this.#core,
      native.runStart(this.#core.check(), this.#handle, task, thread, user, enqueue)
    )
  }

  run(task, options) {
    return this.start(task, options).wait()
  }
}

// ---- runs ----

class Pause {
  #run
  constructor(run, data) {
    this.#run = run
    this.kind = data.kind
    this.call = data.call
    this.tool = data.tool
    this.arguments = data.arguments
    this.question = data.question
    this.data = data
  }

  answer(value) {
    this.#run.answer(this.call, value)
  }

  approve(replaced) {
    this.#run.approve(this.call, replaced)
  }

  reject(why) {
    this.#run.reject(this.call, why)
  }

  again() {
    this.#run.again(this.call)
  }
}

class Run {
  #core
  #slot
  #open = true
  #state = 'running'
  #end = 'waiting'
  #answer = ''
  #error
  #events = []
  #last = {} // the result when the run was closed
  #waiters = []

  constructor(core, [slot, id]) {
    this.#core = core
    this.#slot = slot
    this.id = id
    core.runs.set(slot, new WeakRef(this))
    releasedRuns.register(this, { runtime: core, slot }, this)
    this.#refresh()
  }

  // ---- what is known ----

  get state() {
    this.#refresh()
    return this.#state
  }

  get end() {
    this.#refresh()
    return this.#end
  }

  get answerText() {
    this.#refresh()
    return this.#answer
  }

  get pauses() {
    return this.result.pauses
  }

  get result() {
    this.#refresh()
    const data = this.#readResult()
    return {
      run: this.id,
      end: data.end,
      answer: data.answer,
      reason: data.error?.message ?? data.reason ?? '',
      pauses: (data.pending ?? []).map(each => new Pause(this, each)),
      data
    }
  }

  #readResult() {
    if (this.#open && !this.#core.closed) {
      this.#last = JSON.parse(native.runResult(this.#core.handle, this.#slot))
    }
    return this.#last
  }

  #refresh() {
    if (!this.#open || this.#state === 'stopped') return
    try {
      ;[this.#state, this.#end, this.#answer] = native.runState(this.#core.check(), this.#slot)
    } catch (error) {
      this.#state = 'stopped'
      this.#error = error
    }
    this.#core.hold(this, this.#state === 'running')
  }

  #check() {
    if (this.#state === 'stopped') throw this.#error
    if (!this.#open && this.#state === 'running') {
      throw new HaftError('BAD_STATE', `the run ${this.id} was closed`)
    }
  }

  // ---- events ----

  _addEvent(seq, json) {
    const data = JSON.parse(json)
    this.#events.push({ seq, kind: data.kind, data })
  }

  #drain() {
    if (!this.#open || this.#core.closed) return
    let event
    while ((event = native.runNextEvent(this.#core.handle, this.#slot)) !== undefined) {
      this._addEvent(...event)
    }
  }

  _changed() {
    this.#refresh()
    if (this.#open && !this.#core.closed) {
      native.runWantEvents(this.#core.handle, this.#slot, false)
    }
    for (const wake of this.#waiters.splice(0)) wake()
  }

  #change(events) {
    if (events) native.runWantEvents(this.#core.check(), this.#slot, true)
    return new Promise(resolve => this.#waiters.push(resolve))
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#events.length === 0) {
        this.#refresh()
        this.#drain()
      }
      if (this.#events.length > 0) {
        yield this.#events.shift()
      } else {
        this.#check()
        if (this.#state !== 'running') return
        await this.#change(true)
      }
    }
  }

  async wait() {
    while (this.state === 'running') {
      this.#check()
      await this.#change(false)
    }
    this.#check()
    const result = this.result
    if (result.end !== 'done' && result.end !== 'waiting') throw new RunFailed(result)
    return result
  }

  // ---- commands ----

  #command(name, call, text) {
    if (!this.#open) throw new HaftError('BAD_STATE', `the run ${this.id} was closed`)
    native.runCommand(this.#core.check(), this.#slot, name, call, text)
    this.#refresh()
  }

  answer(call, value) {
    this.#command('answer', call, JSON.stringify(value) ?? 'null')
  }

  approve(call, replaced) {
    this.#command('approve', call, replaced === undefined ? undefined : JSON.stringify(replaced))
  }

  reject(call, why) {
    this.#command('reject', call, why)
  }

  again(call) {
    this.#command('again', call)
  }

  cancel() {
    this.#command('cancel')
  }

  // The last that is known before the runtime closes or the run is released.
  _leave() {
    this.#refresh()
    this.#drain()
    this.#readResult()
    this.#open = false
    this.#core.hold(this, false)
    releasedRuns.unregister(this)
  }

  close() {
    if (!this.#open) return
    this._leave()
    this.#core.release(this.#slot)
    this._changed()
  }
}

module.exports = {
  Runtime,
  Agent,
  Run,
  Pause,
  Tool,
  Call,
  Command,
  HaftError,
  RunFailed,
  ToolError,
  tool,
  version: native.version
}
