// SPDX-License-Identifier: Apache-2.0
// haft.d.ts - the types of haft.js. Field names are those of docs/schemas/http.schema.json.

export interface Problem {
  message?: string; detail?: string; title?: string; where?: string; hint?: string;
  [name: string]: unknown;
}

export class HaftError extends Error {
  constructor(status: number, problem: Problem, cause?: unknown);
  /** The HTTP status, or 0 if the server could not be reached. */
  readonly status: number;
  readonly where: string;
  readonly hint: string;
  readonly problem: Problem;
}

export interface Usage {
  input_tokens: number; output_tokens: number; cached_tokens: number; cost_usd: number;
}

export type End = "done" | "direct" | "exhausted" | "incomplete" | "refused" | "violated"
  | "failed" | "cancelled" | "expired" | "waiting" | "running" | "queued";

export interface Pending {
  call: string;
  kind: "question" | "headless" | "approval" | "unknown_outcome";
  tool: string;
  arguments: any;
  question: string | null;
  deadline: string | null;
  binding: string | null;
}

export interface Run {
  run: string; thread: string; agent: string; task: string; user: string | null;
  parent: string | null; state: "queued" | "running" | "waiting" | "ended" | "damaged";
  end: End; answer: string; reason: string | null; exhausted: boolean; forced_final: boolean;
  turns: number; calls: number; usage: Usage; seq: number; created: string; updated: string;
  artifacts: { name: string; media_type: string; bytes: number; sha256: string }[];
  pending: Pending[];
  error: { status: string; where: string; message: string; hint: string } | null;
}

export interface RunRow {
  run: string; thread: string; parent: string | null; agent: string; task: string;
  user: string | null; state: Run["state"]; end: string | null; created: string; updated: string;
  turns: number; calls: number; seq: number;
}

/** An event of docs/events.md; progress events have `after` in place of `seq`. */
export interface HaftEvent {
  seq?: number; after?: number; at: string; run: string; kind: string;
  [field: string]: any;
}

export interface RunCreate {
  agent: string; task?: string; input?: unknown; thread?: string; user?: string; model?: string;
  limits?: Record<string, unknown>;
}

export interface Command {
  command: "answer" | "approve" | "reject" | "edit" | "again" | "fail" | "cancel" | "resume";
  call?: string; value?: unknown; binding?: string; why?: string; always?: boolean;
}

export interface FollowOptions {
  /** Only events after this seq. */
  since?: number;
  signal?: AbortSignal;
  onconnection?(connected: boolean, error: unknown): void;
}

export interface CallInfo { call: string; run: string; signal?: AbortSignal }

export interface ToolEvents {
  start?(args: any, info: CallInfo): void;
  success?(result: unknown, info: CallInfo): void;
  error?(error: unknown, info: CallInfo): void;
}

export interface StreamMessage { id?: string; event?: string; data?: string; comment?: true }

export class EventStreamParser {
  feed(text: string): Generator<StreamMessage>;
}

export class Haft {
  constructor(options?: { url?: string; token?: string; fetch?: typeof fetch });
  url: string;
  token: string | null;
  request(method: string, path: string, body?: unknown, options?: { signal?: AbortSignal;
    headers?: Record<string, string>; query?: Record<string, unknown> }): Promise<any>;
  open(method: string, path: string, body?: unknown, options?: { signal?: AbortSignal;
    headers?: Record<string, string>; query?: Record<string, unknown> }): Promise<Response>;
  get(path: string, query?: Record<string, unknown>, options?: { signal?: AbortSignal }):
    Promise<any>;
  start(run: RunCreate, key?: string | null): Promise<Run>;
  run(id: string): Promise<Run>;
  runs(query?: Record<string, unknown>): Promise<{ runs: RunRow[]; next: string | null }>;
  pending(query?: Record<string, unknown>): Promise<{ pending: (Omit<RunRow, "state" | "end">
    & { since: string; pending: Pending })[]; next: string | null }>;
  command(id: string, command: Command, key?: string): Promise<Run>;
  answer(id: string, call: string, value: unknown): Promise<Run>;
  approve(id: string, call: string, binding?: string): Promise<Run>;
  reject(id: string, call: string, why?: string): Promise<Run>;
  cancel(id: string, why?: string): Promise<Run>;
  resume(id: string): Promise<Run>;
  fork(id: string, at: Record<string, unknown>): Promise<Run>;
  events(id: string, options?: FollowOptions): AsyncGenerator<HaftEvent>;
  wait(id: string, options?: { signal?: AbortSignal }): Promise<Run>;
  onTool(name: string, execute: (args: any, info: CallInfo) => unknown, on?: ToolEvents): this;
  serve(id: string, options?: FollowOptions & { onerror?(error: unknown): void }):
    AsyncGenerator<HaftEvent>;
}
