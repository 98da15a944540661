// SPDX-License-Identifier: Apache-2.0
// align.js - compares two runs turn by turn.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function callsOf(block) {
  return block ? block.items.filter((item) => item.type === "call").map((item) => item.call) : [];
}

const resultOf = (call) => call.finished ? [call.finished.ok, call.finished.result,
  call.finished.error?.message] : call.refused ? ["refused", call.refused.why] : [call.state];

function pairCalls(a, b) {
  const rows = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const left = a[i] ?? null;
    const right = b[i] ?? null;
    const differs = [];
    if (!left || !right) {
      differs.push("only one run has it");
    } else {
      if (left.tool !== right.tool) {
        differs.push("tool");
      }
      if (!same(left.arguments ?? left.text, right.arguments ?? right.text)) {
        differs.push("arguments");
      }
      if (!same(resultOf(left), resultOf(right))) {
        differs.push("result");
      }
    }
    rows.push({ left, right, differs });
  }
  return rows;
}

const textOf = (block) => block ? block.items.filter((item) => item.type === "reply"
  && !item.dropped).map((item) => item.event.content).join("\n") : "";

// Rows of {key, left, right, differs, calls}; `left` and `right` are blocks or null.
export function align(a, b) {
  const blocks = (state) => state.blocks.filter((block) => block.kind !== "start");
  const right = new Map(blocks(b).map((block) => [block.key, block]));
  const keys = blocks(a).map((block) => block.key);
  const all = [...keys.filter((key) => key !== "end"),
    ...[...right.keys()].filter((key) => key !== "end" && !keys.includes(key)), "end"];
  const left = new Map(blocks(a).map((block) => [block.key, block]));
  return all.filter((key) => left.has(key) || right.has(key)).map((key) => {
    const one = left.get(key) ?? null;
    const two = right.get(key) ?? null;
    const calls = pairCalls(callsOf(one), callsOf(two));
    const differs = [];
    if (!one || !two) {
      differs.push("only one run has it");
    } else if (one.kind === "turn") {
      if (one.event.mode !== two.event.mode || one.event.tool !== two.event.tool) {
        differs.push("mode");
      }
      if (!same(one.event.allowed, two.event.allowed)) {
        differs.push("offered tools");
      }
      if (textOf(one) !== textOf(two)) {
        differs.push("text");
      }
    } else if (one.kind === "end") {
      if (one.event.end !== two.event.end) {
        differs.push("end");
      }
      if (one.event.answer !== two.event.answer) {
        differs.push("answer");
      }
    } else if (!same(one.updates, two.updates)) {
      differs.push("changes");
    }
    if (calls.some((row) => row.differs.length > 0)) {
      differs.push("calls");
    }
    return { key, left: one, right: two, differs, calls };
  });
}
