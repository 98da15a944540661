// SPDX-License-Identifier: Apache-2.0
// store.js - folds the events of a run into what the page shows. The names are those of the events
// (docs/events.md). Every block and every call has a `version` that grows when it changes, so that
// a view draws only what has changed.

export const ENDED = new Set(["done", "direct", "exhausted", "incomplete", "refused", "violated",
  "failed", "cancelled", "expired"]);

export function emptyRun(id) {
  return {
    run: id,
    started: null, // the event run_started
    finished: null, // the event run_finished
    events: [],
    seq: 0,
    at: null, // of the last event
    blocks: [], // of the story, in order
    turns: new Map(), // number -> block
    calls: new Map(), // id -> call
    pending: new Map(), // id -> the event paused
    children: new Map(), // run id -> call
    gate: null,
    mode: null,
    format: null,
    context: null, // of the last reply: {estimated, tokens, reserve}
    graph: null, // {step, next, remaining, nodes: Map name -> state} in a run of a graph
    usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost_usd: null },
    prices: [],
    models: new Set(),
    counts: { turns: 0, calls: 0, refused: 0, violations: 0 },
    version: 0,
  };
}

function touch(state, block) {
  state.version++;
  if (block) {
    block.version++;
    block.end = state.at;
  }
}

function addBlock(state, kind, key, more) {
  const block = { kind, key, version: 0, at: state.at, end: state.at, items: [], usage: null,
    live: null, ...more };
  state.blocks.push(block);
  return block;
}

function current(state) {
  return state.blocks[state.blocks.length - 1] ?? addBlock(state, "start", "start", {});
}

function note(state, event) {
  const block = current(state);
  block.items.push({ type: "note", key: `e${event.seq}`, event, version: 0 });
  return block;
}

function callOf(state, id, event) {
  let call = state.calls.get(id);
  if (call === undefined) {
    const block = current(state);
    call = { id, tool: event.tool ?? event.name ?? "", arguments: undefined, text: null,
      state: "suggested", at: event.at, end: null, ms: null, seq: event.seq, own: false, version: 0,
        block,
      node: event.node ?? null, started: null, finished: null, refused: null, paused: null,
      answered: null, asked: null, child: null, childEnd: null, artifacts: [], progress: [],
      attempts: 0, retry: null, waited: 0 };
    state.calls.set(id, call);
    block.items.push({ type: "call", key: id, call });
  }
  if (event.call === id && !call.own) {
    call.own = true;
    call.seq = event.seq; // the first event of the call itself is its address
  }
  call.version++;
  call.block.version++;
  call.block.end = state.at;
  return call;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // malformed: the text is shown
  }
}

// The price of a reply in dollars, or null if no recorded price is for its model.
export function priceOf(prices, model, usage) {
  const rows = prices.filter((price) => price.model.endsWith(`:${model}`)
    || `${model}`.startsWith(price.model.slice(price.model.indexOf(":") + 1)));
  const price = rows[0] ?? (prices.length === 1 ? prices[0] : null);
  if (price === null) {
    return null;
  }
  const written = usage.cache_write_tokens ?? 0;
  const fresh = usage.input_tokens - usage.cached_tokens - written;
  return (fresh * price.input + usage.cached_tokens * price.cached
    + written * (price.cache_write ?? price.input) + usage.output_tokens * price.output) / 1e6;
}

function addUsage(state, block, event) {
  const cost = priceOf(state.prices, event.model, event.usage);
  for (const sum of [state.usage, block.usage ??= { input_tokens: 0, output_tokens: 0,
    cached_tokens: 0, cost_usd: null }]) {
    sum.input_tokens += event.usage.input_tokens;
    sum.output_tokens += event.usage.output_tokens;
    sum.cached_tokens += event.usage.cached_tokens;
    if (cost !== null) {
      sum.cost_usd = (sum.cost_usd ?? 0) + cost;
    }
  }
}

function nodeState(state, name, value) {
  if (name) {
    state.graph ??= { step: 0, next: [], remaining: null, nodes: new Map(), steps: [] };
    state.graph.nodes.set(name, value);
  }
}

function setCall(state, event, value) {
  const call = callOf(state, event.call, event);
  call.state = value;
  nodeState(state, event.node ?? call.node, { running: "running", waiting: "waiting", ok: "done",
    error: "failed", refused: "failed" }[value] ?? value);
  return call;
}

function openStep(state, number) {
  if (state.graph.next.length > 0) {
    addBlock(state, "step", `step:${number}`, { step: number, nodes: state.graph.next,
      updates: null });
    for (const { node } of state.graph.next) {
      nodeState(state, node, "next");
    }
  }
}

const APPLY = {
  run_started(state, event) {
    state.started = event;
    state.prices = event.prices ?? [];
    return addBlock(state, "start", "start", { event });
  },
  turn_started(state, event) {
    const block = addBlock(state, "turn", `turn:${event.turn}`, { turn: event.turn, event });
    state.turns.set(event.turn, block);
    state.gate = event.gate;
    state.mode = event.mode;
    state.format = event.format;
    state.counts.turns = event.turn;
    return block;
  },
  gate_opened(state, event) {
    state.gate = { called: event.called, threshold: event.threshold, open: true };
    return note(state, event);
  },
  model_replied(state, event) {
    const block = current(state);
    block.live = null;
    block.items.push({ type: "reply", key: `e${event.seq}`, event, version: 0 });
    addUsage(state, block, event);
    state.models.add(event.model);
    state.context = event.context ?? state.context;
    for (const suggested of event.calls) {
      const call = callOf(state, suggested.call, { ...event, tool: suggested.name });
      call.text = suggested.arguments;
      call.arguments ??= parsed(suggested.arguments);
      call.malformed = suggested.malformed ?? null;
    }
    return block;
  },
  model_failed(state, event) {
    current(state).live = null;
    return note(state, event);
  },
  violation(state, event) {
    const block = note(state, event);
    block.live = null;
    state.counts.violations++;
    for (const item of block.items) {
      if (item.type === "call" && item.call.state === "suggested") {
        item.call.state = "dropped";
        item.call.version++;
      } else if (item.type === "reply") {
        item.dropped = true; // every earlier reply of the turn was a violation, too
        item.version++;
      }
    }
    return block;
  },
  call_started(state, event) {
    const call = setCall(state, event, "running");
    call.started = event;
    call.tool = event.tool;
    call.arguments = event.arguments ?? call.arguments;
    call.attempts = event.attempt;
    state.pending.delete(event.call);
    if (event.attempt === 1) {
      state.counts.calls++;
    }
  },
  call_asked(state, event) {
    callOf(state, event.call, event).asked = event;
  },
  call_finished(state, event) {
    const call = setCall(state, event, event.ok ? "ok" : "error");
    call.finished = event;
    call.tool = event.tool;
    call.arguments = event.arguments ?? call.arguments;
    call.ms = event.ms;
    call.end = event.at;
    state.pending.delete(event.call);
  },
  call_refused(state, event) {
    const call = setCall(state, event, "refused");
    call.refused = event;
    call.tool = event.tool;
    call.end = event.at;
    state.pending.delete(event.call);
    state.counts.refused++;
  },
  paused(state, event) {
    const call = setCall(state, event, "waiting");
    call.paused = event;
    call.answered = null;
    call.tool = event.tool ?? call.tool;
    call.arguments = event.arguments ?? call.arguments;
    state.pending.set(event.call, event);
  },
  answered(state, event) {
    const call = callOf(state, event.call, event);
    call.answered = event;
    call.state = event.verdict === "reject" ? "rejected" : "answered";
    if (call.paused) {
      call.waited += Date.parse(event.at) - Date.parse(call.paused.at);
    }
    state.pending.delete(event.call);
  },
  artifact_stored(state, event) {
    callOf(state, event.call, event).artifacts.push(event);
  },
  child_started(state, event) {
    const call = callOf(state, event.call, event);
    call.child = event;
    state.children.set(event.child, call);
  },
  child_finished(state, event) {
    callOf(state, event.call, event).childEnd = event;
  },
  graph_step(state, event) {
    state.graph ??= { step: 0, next: [], remaining: null, nodes: new Map(), steps: [] };
    const block = current(state);
    for (const { node } of event.nodes ?? []) {
      nodeState(state, node, "done");
    }
    state.graph.step = event.step;
    state.graph.next = event.next ?? state.graph.next;
    state.graph.remaining = event.remaining_steps ?? state.graph.remaining;
    state.graph.steps.push(event);
    block.updates = event.updates ?? null;
    block.items.push({ type: "note", key: `e${event.seq}`, event, version: 0 });
    openStep(state, event.step + 1);
    return block;
  },
  run_finished(state, event) {
    state.finished = event;
    state.usage = { ...state.usage, ...event.usage };
    state.pending.clear();
    for (const call of state.calls.values()) {
      if (call.state === "waiting" || call.state === "running") {
        call.state = "dropped";
        call.version++;
        call.block.version++;
      }
    }
    return addBlock(state, "end", "end", { event });
  },
};

// Progress has no seq: it is shown until the event that it precedes.
function foldProgress(state, event) {
  if (event.kind === "model_progress") {
    const block = current(state);
    if (block.turn !== event.turn || event.after < state.seq) {
      return false;
    }
    block.live ??= { text: "", reasoning: "" };
    block.live.text += event.text ?? "";
    block.live.reasoning += event.reasoning ?? "";
    touch(state, block);
  } else if (event.kind === "model_retry") {
    const block = current(state);
    block.retry = event;
    block.live = null;
    touch(state, block);
  } else {
    const call = state.calls.get(event.call);
    if (call === undefined || call.finished) {
      return false;
    }
    if (event.kind === "call_progress") {
      call.progress.push(event.data);
      call.progress.splice(0, call.progress.length - 100);
    } else {
      call.retry = event;
    }
    call.version++;
    touch(state, call.block);
  }
  return true;
}

// Applies an event. Returns false for one that the state already has: a stream that comes back may
// repeat some. A gap is an error: the stream has to start again at `state.seq`.
export function fold(state, event) {
  if (event.seq === undefined || event.seq === null) {
    return foldProgress(state, event);
  }
  if (event.seq <= state.seq) {
    return false;
  }
  if (event.seq !== state.seq + 1) {
    throw new Error(`event ${event.seq} came after event ${state.seq}`);
  }
  state.seq = event.seq;
  state.at = event.at;
  state.events.push(event);
  const block = (APPLY[event.kind] ?? note)(state, event);
  touch(state, block);
  return true;
}

export function foldAll(id, events) {
  const state = emptyRun(id);
  for (const event of events) {
    fold(state, event);
  }
  return state;
}

// What the run does now: an end, "waiting" or "running".
export function stateOf(state) {
  if (state.finished) {
    return state.finished.end;
  }
  return state.pending.size > 0 ? "waiting" : "running";
}

// Milliseconds from start to end, or until now.
export function elapsed(state, now = Date.now()) {
  if (!state.started) {
    return null;
  }
  return (state.finished ? Date.parse(state.finished.at) : now) - Date.parse(state.started.at);
}
