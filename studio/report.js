// SPDX-License-Identifier: Apache-2.0
// report.js - a run as Markdown: what it was asked, what it might do, what it did, and why.
import * as format from "./format.js";
import { plain } from "./hidden.js";
import { stateOf } from "./store.js";
import { mode, noteWords, whyOf } from "./words.js";

const MAX_RESULT = 2000; // characters of a result

// A fence that is longer than any in the text.
export function fenced(text, language = "") {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const cut = (text) => (text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}\n\u2026 (${
  format.bytes(text.length - MAX_RESULT)} more)` : text);
const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function callLines(call) {
  const { finished } = call;
  return [`- **${plain(call.tool)}** (${call.id}, ${call.state}${finished ? `, ${
    format.duration(call.ms)}` : ""}). ${plain(whyOf(call))}`, "",
  fenced(cut(plain(asText(call.arguments ?? call.text ?? {}))), "json"), "",
  ...(finished ? [fenced(cut(plain(asText(finished.ok ? finished.result : finished.error) ?? ""))),
    ""] : [])];
}

function blockLines(block) {
  const title = block.kind === "turn" ? `## Turn ${block.turn}: ${mode(block.event)}`
    : block.kind === "step" ? `## Step ${block.step}` : null;
  const lines = title ? [title, ""] : [];
  if (block.kind === "turn") {
    lines.push(`${plain(block.event.reason)}. Offered: ${block.event.allowed.map((name) => `\`${
      plain(name)}\``).join(", ") || "no tool"}.`, "");
  }
  for (const item of block.items) {
    if (item.type === "call") {
      lines.push(...callLines(item.call));
    } else if (item.type === "note") {
      const { title: words, text } = noteWords(item.event);
      lines.push(`> **${plain(words)}** ${plain(text).replace(/\s+/g, " ")}`, "");
    } else if (item.event.content) {
      lines.push(item.dropped ? fenced(plain(item.event.content)) : plain(item.event.content), "");
    }
  }
  return lines;
}

export function markdownOf(state) {
  const { started, finished, usage } = state;
  const tokens = usage.input_tokens + usage.output_tokens;
  return [`# ${plain(started?.name ?? "Run")}`, "", `- run: ${state.run}`,
    `- state: ${stateOf(state)}${finished ? `, because ${plain(finished.reason ?? "")}` : ""}`,
    `- started: ${started?.at}`, `- turns: ${state.counts.turns}, calls: ${state.counts.calls}, `
    + `refused: ${state.counts.refused}, tokens: ${format.amount(tokens)}, cost: ${
      format.cost(usage.cost_usd)}`, "", "## Task", "", plain(started?.task ?? ""), "",
    ...state.blocks.filter((block) => block.kind !== "end").flatMap(blockLines),
    ...(finished?.answer ? ["## Answer", "", plain(finished.answer), ""] : [])].join("\n");
}
