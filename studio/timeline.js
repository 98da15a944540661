// SPDX-License-Identifier: Apache-2.0
// timeline.js - when a run asked models, ran calls and waited, as bars on a time axis on which long
// waits are folded.

const ms = (at) => Date.parse(at);

// [{kind: "model" | "tool" | "wait", label, start, end, state, call, seq}] in milliseconds.
export function barsOf(state, now = Date.now()) {
  const bars = [];
  let asked = null; // the time since when a model is asked
  for (const event of state.events) {
    switch (event.kind) {
      case "turn_started":
      case "summary_started":
      case "violation":
      case "option_refused":
      case "model_changed":
        asked = ms(event.at);
        break;
      case "model_replied":
      case "model_failed": {
        const end = ms(event.at);
        bars.push({ kind: "model", label: event.model ?? "model", end, seq: event.seq,
          start: Math.min(end, Math.max(asked ?? end, end - event.ms)), state:
            event.kind === "model_failed" ? "error" : "ok", call: null });
        break;
      }
      default:
    }
  }
  if (asked !== null && !state.finished && (bars.at(-1)?.kind !== "model" || bars.at(-1).end
    < asked) && state.events.at(-1).kind === "turn_started") {
    bars.push({ kind: "model", label: "model", start: asked, end: now, seq: state.seq,
      state: "running", call: null });
  }
  for (const call of state.calls.values()) {
    addCall(bars, call, state, now);
  }
  return bars.sort((a, b) => a.start - b.start || a.end - b.end);
}

function addCall(bars, call, state, now) {
  const more = { label: call.tool, call: call.id, seq: call.seq };
  const stop = state.finished ? ms(state.finished.at) : now;
  if (call.paused) {
    bars.push({ ...more, kind: "wait", start: ms(call.paused.at), state: call.answered ? "ok"
      : "waiting", end: call.answered ? ms(call.answered.at) : stop });
  }
  if (call.started) {
    const start = ms(call.started.at);
    bars.push({ ...more, kind: "tool", start, state: call.state,
      end: call.finished ? Math.max(start, ms(call.finished.at)) : stop });
  } else if (call.refused) {
    bars.push({ ...more, kind: "tool", start: ms(call.refused.at), end: ms(call.refused.at),
      state: "refused" });
  }
}

// Puts each bar into the first lane that is free, so that bars of one lane do not overlap.
export function lanesOf(bars) {
  const ends = [];
  return bars.map((bar) => {
    let lane = ends.findIndex((end) => end <= bar.start);
    if (lane < 0) {
      lane = ends.length;
    }
    ends[lane] = Math.max(bar.end, bar.start + 1);
    return { ...bar, lane };
  });
}

// Waits that nothing overlaps and that take more than a fifth of all work are folded to a fixed
// width. Returns {at(time) -> 0..1, folds: [{start, end, x, width}], span}.
export function axisOf(bars, start, end, fold = true) {
  const busy = bars.filter((bar) => bar.kind !== "wait").map((bar) => [bar.start, bar.end])
    .sort((a, b) => a[0] - b[0]);
  const gaps = [];
  let reached = start;
  for (const [from, to] of [...busy, [end, end]]) {
    if (from > reached) {
      gaps.push([reached, from]);
    }
    reached = Math.max(reached, to);
  }
  const idle = gaps.reduce((sum, [from, to]) => sum + to - from, 0);
  const work = Math.max(1, end - start - idle);
  const least = Math.max(1000, work / 5);
  const folded = fold ? gaps.filter(([from, to]) => to - from > least) : [];
  const width = Math.max(1, work * 0.04); // of a folded wait, in milliseconds of the axis
  const cut = folded.reduce((sum, [from, to]) => sum + to - from - width, 0);
  const span = Math.max(1, end - start - cut);
  const position = (time) => {
    let x = time - start;
    for (const [from, to] of folded) {
      if (time >= to) {
        x -= to - from - width;
      } else if (time > from) {
        x -= (time - from) * (1 - width / (to - from));
      }
    }
    return Math.max(0, Math.min(1, x / span));
  };
  return { at: position, span, folds: folded.map(([from, to]) => ({ start: from, end: to,
    x: position(from), width: width / span })) };
}
