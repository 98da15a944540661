// SPDX-License-Identifier: Apache-2.0

/** A value that JSON can express. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** The version of the library. */
export const version: string

/** An error of the library. */
export class HaftError extends Error {
  /** "BAD_INPUT", "NOT_FOUND" ...: the status of the C API, or "RUN_FAILED". */
  readonly code: string
  /** A place: a JSON Pointer, line:column or URL; may be empty. */
  readonly where: string
  /** What to do about it; may be empty. */
  readonly hint: string
}

/** A run has ended, and not with an answer. */
export class RunFailed extends HaftError {
  readonly result: Result
}

/** Thrown by a tool: the model reads its message instead of a result. */
export class ToolError extends Error {
  constructor(message: string)
}

/** The reply of a tool that is a node of a graph. */
export class Command {
  constructor(parts: { update?: object, goto?: string | string[], send?: { to: string, arg: object }[] })
}

/** The facts about the call that a tool is working on. */
export interface Call {
  readonly id: string
  readonly tool: string
  readonly arguments: Record<string, any>
  readonly run: string
  readonly thread: string
  /** The user the run acts for; empty if none is set. */
  readonly user: string
  /** The same for every attempt of this call. */
  readonly idempotencyKey: string
  /** From 1. */
  readonly attempt: number
  /** After the present one. */
  readonly remainingTurns: number
  /** It grows each time the run gets a new owner. */
  readonly epoch: number
  /** Whether the call was cancelled, timed out or has ended; a long tool then returns. */
  readonly cancelled: boolean
  /** Reports progress: readers of the run's events get it as call_progress. */
  progress(value: Json): void
}

export interface ToolOptions<Arguments = any> {
  name: string
  /** For the model: what it does and when to use it. */
  description: string
  /** A JSON Schema with "type": "object". */
  inputSchema: object
  /** A JSON Schema of the result. */
  outputSchema?: object
  /** Gets valid arguments, with defaults filled in. A string is the text that the model reads; any
   * other value becomes JSON. Without it the tool is headless: a client of the run answers. */
  run?: (args: Arguments, call: Call) => unknown
  /** It changes nothing. */
  readOnly?: boolean
  /** The same call twice has the effect of one call. */
  idempotent?: boolean
  /** Its effect cannot be undone. */
  destructive?: boolean
  /** Its reply is the answer of the run. */
  returnDirect?: boolean
  /** A person must approve each call. */
  needsApproval?: boolean
  /** The model may repeat the call until something has changed. */
  polls?: boolean
  cost?: 'light' | 'heavy'
  /** Where calls with the same arguments share a result. */
  cache?: 'run' | 'thread' | 'global'
  cacheMs?: number
  /** Of one attempt; a minute by default. */
  timeoutMs?: number
  /** Only for a tool that is readOnly or idempotent. */
  retries?: number
  /** Calls of one lane never overlap. */
  lane?: string
}

export interface Tool extends Readonly<ToolOptions> {}

/** Checks and freezes the description of a tool. */
export function tool<Arguments = any>(given: ToolOptions<Arguments>): Tool

/** The store and the connections of many runs, on the event loop of this thread. The process stays
 * alive while a run is running; runs that wait do not keep it. */
export class Runtime {
  /** `store` is "memory:" (the default), "sqlite:PATH" or "postgres://...". */
  constructor(options?: { store?: string, leaseMs?: number })
  /** Adds a tool for agents that are loaded afterwards, and for runs that are opened. */
  add(tool: Tool): void
  /** Loads a spec from a YAML or JSON file. */
  agent(spec: string | URL, tools?: Iterable<Tool>): Agent
  /** Opens a run of the store: its id, a prefix of it, or "last". It continues, unless it waits or
   * has ended. */
  open(id: string, tools?: Iterable<Tool>): Run
  /** Stops all runs in this process; a durable store keeps them. */
  close(): void
}

export interface StartOptions {
  /** The id of a thread, whose earlier runs the model sees. */
  thread?: string
  /** The user the run acts for. */
  user?: string
  /** Only write the run to the store; another process runs it. */
  enqueue?: boolean
}

/** A loaded spec. */
export class Agent {
  private constructor()
  start(task: string, options?: StartOptions): Run
  /** Starts a run and waits until it waits or has ended. */
  run(task: string, options?: StartOptions): Promise<Result>
}

/** An event of a run, or a progress event, whose `seq` is 0. */
export interface Event {
  seq: number
  kind: string
  /** The whole event. */
  data: Record<string, any>
}

/** A call that waits for a person or a client. */
export class Pause {
  private constructor()
  readonly kind: 'question' | 'headless' | 'approval' | 'unknown_outcome'
  readonly call: string
  readonly tool: string
  readonly arguments: Record<string, any> | null
  readonly question: string | null
  /** An item of `pending` of the result. */
  readonly data: Record<string, any>
  /** Answers a question, or gives the result of the call. */
  answer(value: Json): void
  /** Runs the call, with other arguments if they are given. */
  approve(replaced?: object): void
  /** Does not run the call; the model reads why. */
  reject(why?: string): void
  /** Repeats a call whose outcome is unknown. */
  again(): void
}

export interface Result {
  /** The id of the run. */
  run: string
  /** "done", "failed" ...; "waiting" while it waits. */
  end: string
  answer: string
  reason: string
  pauses: Pause[]
  /** What the command `haft run --json` prints: also turns, calls, usage, artifacts. */
  data: Record<string, any>
}

/** A run of an agent. Iterate over it for its events, with `for await`: the iteration ends when the
 * run waits or has ended. */
export class Run implements AsyncIterable<Event> {
  private constructor()
  /** 26 characters; with it any process opens the run again from a durable store. */
  readonly id: string
  readonly state: 'running' | 'waiting' | 'ended' | 'stopped'
  /** "done", "failed" ...; "waiting" before the run has ended. */
  readonly end: string
  /** The answer; empty before the run has ended. */
  readonly answerText: string
  /** The calls of this run, and of runs below it, that wait now. */
  readonly pauses: Pause[]
  readonly result: Result
  [Symbol.asyncIterator](): AsyncIterator<Event>
  /** Waits until the run waits or has ended. Rejects with RunFailed if it ends without an answer. */
  wait(): Promise<Result>
  /** Undefined as the call: the only pending one. "c3.1/c1.2" is a call of a child run. */
  answer(call: string | undefined, value: Json): void
  approve(call?: string, replaced?: object): void
  reject(call?: string, why?: string): void
  again(call?: string): void
  /** Cancels the run and everything it has started. */
  cancel(): void
  /** Releases the run. It is not cancelled: a durable store keeps it. */
  close(): void
}
