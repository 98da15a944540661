// SPDX-License-Identifier: Apache-2.0
// haft.js - a client of `haft serve` for browsers and Node, without dependencies: runs, their
// events as an async iterator that resumes by itself, commands, and headless tools. Types:
// haft.d.ts.

const RETRY_MS = [100, 250, 500, 1000, 2000, 4000]; // waits between attempts, the last one repeats
const IDLE_MS = 45_000; // a stream is silent for 15 s at most; after this time it is dead

// An error that the server reported, or a connection that failed (status 0).
export class HaftError extends Error {
  constructor(status, problem, cause) {
    super(problem.message ?? problem.detail ?? problem.title ?? `HTTP ${status}`, { cause });
    this.name = "HaftError";
    this.status = status; // HTTP status, or 0
    this.where = problem.where ?? "";
    this.hint = problem.hint ?? "";
    this.problem = problem;
  }
}

const sleep = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(done, ms);
  function done() {
    clearTimeout(timer);
    signal?.removeEventListener("abort", done);
    resolve();
  }
  if (signal?.aborted) {
    done();
  }
  signal?.addEventListener("abort", done);
});

// A new signal that is aborted with `signal`, and a function that also aborts it.
function linked(signal) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (signal?.aborted) {
    abort();
  }
  signal?.addEventListener("abort", abort);
  return { signal: controller.signal, abort,
    release: () => signal?.removeEventListener("abort", abort) };
}

async function problemOf(response) {
  const text = await response.text().catch(() => "");
  let problem = { title: `HTTP ${response.status}`, detail: text.slice(0, 500) || undefined };
  try {
    const body = JSON.parse(text);
    problem = body.error && typeof body.error === "object" ? { ...body, ...body.error } : body;
  } catch {
    // a proxy answered
  }
  return new HaftError(response.status, problem ?? {});
}

// Splits an event stream into its messages: {id, event, data}. Comments become {comment: true}.
export class EventStreamParser {
  #rest = "";
  #message = {};

  *feed(text) {
    this.#rest += text;
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (this.#message.data !== undefined) {
          yield this.#message;
        }
        this.#message = {};
      } else if (line.startsWith(":")) {
        yield { comment: true };
      } else {
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "data") {
          this.#message.data = this.#message.data === undefined ? value
            : `${this.#message.data}\n${value}`;
        } else {
          this.#message[name] = value;
        }
      }
    }
  }
}

export class Haft {
  #tools = new Map();

  // options: {url, token, fetch}; `url` is the server's, such as http://127.0.0.1:8642.
  constructor(options = {}) {
    this.url = (options.url ?? "").replace(/\/+$/, "");
    this.token = options.token ?? null;
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  // One request. Returns the JSON of the response, or its text. Throws a HaftError.
  async request(method, path, body, { signal, headers, query } = {}) {
    const response = await this.open(method, path, body, { signal, headers, query });
    const text = await response.text();
    return /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== ""
      ? JSON.parse(text) : text;
  }

  async open(method, path, body, { signal, headers, query } = {}) {
    const all = { Accept: "application/json", ...headers };
    if (this.token) {
      all.Authorization = `Bearer ${this.token}`;
    }
    if (body !== undefined) {
      all["Content-Type"] = "application/json";
    }
    const words = new URLSearchParams(Object.entries(query ?? {})
      .filter(([, value]) => value !== undefined && value !== null && value !== ""));
    const url = this.url + (path === "/openapi.json" ? path : `/api/v1${path}`)
      + (words.size > 0 ? `?${words}` : "");
    let response;
    try {
      response = await this.fetch(url, { method, headers: all, signal,
        body: body === undefined ? undefined : JSON.stringify(body) });
    } catch (error) {
      if (signal?.aborted) {
        throw error;
      }
      throw new HaftError(0, { message: "the server cannot be reached" }, error);
    }
    if (!response.ok) {
      throw await problemOf(response);
    }
    return response;
  }

  get(path, query, options) {
    return this.request("GET", path, undefined, { ...options, query });
  }

  // ---- runs ----

  // {agent, task | input, thread?, user?, model?, limits?}; returns the run. The same key twice is
  // one run; a run of a thread that exists has no key.
  start(run, key = run.thread ? null : globalThis.crypto.randomUUID()) {
    return this.request("POST", "/runs", run,
      { headers: key === null ? {} : { "Idempotency-Key": key } });
  }

  run(id) {
    return this.get(`/runs/${id}`);
  }

  runs(query) {
    return this.get("/runs", query);
  }

  pending(query) {
    return this.get("/pending", query);
  }

  // {command: "answer" | "approve" | "reject" | "edit" | "again" | "fail" | "cancel" | "resume",
  // call?,
  // value?, binding?, why?}. The same key twice is one command.
  command(id, command, key = globalThis.crypto.randomUUID()) {
    return this.request("POST", `/runs/${id}/commands`, command,
      { headers: { "Idempotency-Key": key } });
  }

  answer(id, call, value) {
    return this.command(id, { command: "answer", call, value });
  }

  approve(id, call, binding) {
    return this.command(id, { command: "approve", call, binding });
  }

  reject(id, call, why) {
    return this.command(id, { command: "reject", call, why });
  }

  cancel(id, why) {
    return this.command(id, { command: "cancel", why });
  }

  resume(id) {
    return this.command(id, { command: "resume" });
  }

  fork(id, at) {
    return this.request("POST", `/runs/${id}/fork`, at);
  }

  // The events of a run, each once and in order, until it has ended; progress events have no seq.
  // If the connection breaks, the stream is opened again where it stopped.
  // options: {since, signal, onconnection(connected, error)}.
  async *events(id, options = {}) {
    let since = options.since ?? 0;
    let failures = 0;
    while (!options.signal?.aborted) {
      let failure = null;
      try {
        for await (const event of this.#stream(id, since, options)) {
          failures = 0;
          if (event.seq === undefined) {
            yield event;
          } else if (event.seq > since) {
            since = event.seq;
            yield event;
            if (event.kind === "run_finished") {
              return;
            }
          }
        }
      } catch (error) {
        if (options.signal?.aborted) {
          return;
        }
        if (error instanceof HaftError && error.status >= 400 && error.status < 500
          && error.status !== 408 && error.status !== 429) {
          throw error;
        }
        failure = error;
      }
      options.onconnection?.(false, failure);
      await sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)], options.signal);
    }
  }

  async *#stream(id, since, options) {
    const life = linked(options.signal);
    let timer = null;
    const awake = () => {
      clearTimeout(timer);
      timer = setTimeout(life.abort, IDLE_MS);
    };
    try {
      awake();
      const response = await this.open("GET", `/runs/${id}/events`, undefined,
        { signal: life.signal, query: { since },
          headers: { Accept: "text/event-stream", "Last-Event-ID": String(since) } });
      options.onconnection?.(true, null);
      const parser = new EventStreamParser();
      const decoder = new TextDecoder();
      for await (const bytes of chunks(response.body)) {
        awake();
        for (const message of parser.feed(decoder.decode(bytes, { stream: true }))) {
          if (!message.comment && message.event !== "end") {
            yield JSON.parse(message.data);
          }
        }
      }
    } finally {
      clearTimeout(timer);
      life.abort();
      life.release();
    }
  }

  // Waits until a run has ended or waits for somebody; returns it.
  async wait(id, { signal } = {}) {
    for (;;) {
      const run = await this.get(`/runs/${id}/wait`, { timeout: 60 }, { signal });
      if (run.end !== "running" && run.end !== "queued") {
        return run;
      }
    }
  }

  // ---- headless tools ----

  // Registers a function for a headless tool: (arguments, {call, run, signal}) => result. While
  // `serve` follows a run, its calls are answered with the result, or fail with the message of the
  // error that it throws. `on` may have start, success and error, for a page that shows it.
  onTool(name, execute, on = {}) {
    this.#tools.set(name, { execute, on });
    return this;
  }

  // Follows a run and answers its headless calls, until it has ended. Yields the events.
  async *serve(id, options = {}) {
    const answered = new Set();
    for await (const event of this.events(id, options)) {
      yield event;
      if (event.kind === "answered" || event.kind === "call_finished") {
        answered.add(event.call);
      } else if (event.kind === "paused" && event.pause === "headless"
        && this.#tools.has(event.tool)) {
        // Later: the events that are already here may have its answer.
        setTimeout(() => {
          if (!answered.has(event.call) && !options.signal?.aborted) {
            this.#execute(id, event, options).catch((error) => options.onerror?.(error));
          }
        }, 50);
      }
    }
  }

  async #execute(id, event, options) {
    const { execute, on } = this.#tools.get(event.tool);
    const info = { call: event.call, run: id, signal: options.signal };
    on.start?.(event.arguments, info);
    let value;
    try {
      value = { command: "answer", call: event.call,
        value: (await execute(event.arguments, info)) ?? null };
    } catch (error) {
      on.error?.(error, info);
      value = { command: "fail", call: event.call, why: String(error?.message ?? error) };
      await this.#deliver(id, value);
      return;
    }
    await this.#deliver(id, value);
    on.success?.(value.value, info);
  }

  // Another client may have answered first: that is no error.
  async #deliver(id, command) {
    try {
      await this.command(id, command, `${id}:${command.call}`);
    } catch (error) {
      if (!(error instanceof HaftError && error.status === 409)) {
        throw error;
      }
    }
  }
}

// Safari's streams are no async iterators.
async function* chunks(body) {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
