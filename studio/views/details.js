// SPDX-License-Identifier: Apache-2.0
// details.js - everything known about what is selected: a call, a turn, or an event.
import { artifact, can } from "../api.js";
import { h } from "../dom.js";
import { save } from "../export.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { jsonTree, valueView, visible } from "../json.js";
import { canFork } from "../start.js";
import { button, copyButton, field, fields, gateMeter, go, runHref, stateLabel, toastError }
  from "../ui.js";
import { mode, whyOf } from "../words.js";

const section = (title, ...children) => h("section", null, h("h3", null, title), children);

const linkTo = (seq) => `${location.origin}${location.pathname}?event=${seq}`;

const forkButton = (label, onclick) => (canFork() ? button(label, onclick) : null);

function head(title, seq, more) {
  return h("header", null, h("h2", null, title), h("div.actions", null, more,
    seq ? copyButton(() => linkTo(seq), `#${seq}`) : null));
}

function download(run, one) {
  return button(`Save ${one.name}`, async () => {
    try {
      save(one.name, await (await artifact(run.id, one.name)).blob());
    } catch (error) {
      toastError(error);
    }
  });
}

function callDetails({ call }, run, { fork, select }) {
  const finished = call.finished;
  const args = call.arguments ?? (call.text === null ? {} : call.text);
  const events = run.state.events.filter((event) => event.call === call.id);
  return [
    head(h("span.mono", null, visible(call.tool)), call.seq, forkButton("Fork here\u2026",
      () => fork(
      call.paused ? { call: call.id } : call.block.step ? { step: call.block.step - 1 }
        : { turn: Math.max(0, (call.block.turn ?? 1) - 1) }))),
    h("p.why", null, visible(whyOf(call))),
    fields(field("state", stateLabel(call.state)), field("call", call.id),
      field("node", call.node), field("took", finished ? format.duration(call.ms) : null),
      field("waited", call.waited > 0 ? format.duration(call.waited) : null),
      field("attempts", call.attempts > 1 ? call.attempts : null),
      field("cached", finished?.cached ? "yes" : null),
      field("repaired", call.started?.repaired ? "the arguments were repaired" : null),
      field("child", call.child ? go(runHref(call.child.child), plain(call.child.agent)) : null)),
    section("Arguments", valueView(args)),
    call.answered ? section("Answer", fields(field("verdict", call.answered.verdict),
      field("by", plain(call.answered.by ?? "")), field("why", call.answered.why)),
    call.answered.value !== null && call.answered.value !== undefined
      ? valueView(call.answered.value) : null) : null,
    finished ? section(finished.ok ? "Result" : "Error", valueView(finished.ok ? finished.result
      : finished.error)) : null,
    call.refused ? section("What the model reads", h("pre.text", null,
      visible(call.refused.text))) : null,
    finished?.note ? section("Note to the model", h("pre.text", null, visible(finished.note)))
      : null,
    call.progress.length > 0 && !finished ? section("Progress", jsonTree(call.progress)) : null,
    call.artifacts.map((one) => section("Artifact", fields(field("name", plain(one.name)),
      field("type", one.media_type), field("size", format.bytes(one.bytes)),
      field("SHA-256", h("span.mono", null, one.sha256))), download(run, one))),
    section("Events", h("ul.events", null, events.map((event) => h("li", null,
      button([h("span.num", null, `#${event.seq}`), event.kind], () => select({ type: "event",
        key: `e${event.seq}`, event, seq: event.seq }), { kind: "row" }),
      h("time.dim", null, format.time(event.at, true)))))),
  ];
}

function blockDetails({ block }, run, { fork, openTab }) {
  if (block.kind === "turn") {
    const turn = block.event;
    const usage = block.usage;
    return [
      head(`Turn ${block.turn}`, turn.seq, [forkButton("Fork after\u2026", () => fork({
        turn: block.turn })), can("get /runs/*/turns/*/request") ? button("Bytes",
        () => openTab("bytes", { turn: block.turn })) : null]),
      h("p.why", null, `${mode(turn)}: ${plain(turn.reason)}`),
      fields(field("mode", turn.mode), field("format", turn.format), field("gate",
        gateMeter(turn.gate)), field("last turn", turn.final ? "yes: a limit was reached" : null),
      field("took", format.duration(Date.parse(block.end) - Date.parse(block.at))),
      usage ? [field("input tokens", String(usage.input_tokens)), field("from the cache",
        String(usage.cached_tokens)), field("output tokens", String(usage.output_tokens)),
      field("cost", format.cost(usage.cost_usd))] : null,
      field("model", [...run.state.models].join(", "))),
      section("Allowed", h("div.chips", null, turn.allowed.map((name) => h("span.chip.offered",
        null,
        plain(name))))),
      section("Declared", h("div.chips", null, turn.declared.map((name) => h(
        turn.allowed.includes(name) ? "span.chip.offered" : "span.chip.withheld", null,
        plain(name))))),
      h("p", null, go(`/studio/agents/${encodeURIComponent(run.state.started.name)}`,
        "Why each tool is in or out")),
    ];
  }
  if (block.kind === "step") {
    return [head(`Step ${block.step}`, null, forkButton("Fork after\u2026", () => fork({
      step: block.step }))), block.updates ? section("Changes", jsonTree(block.updates))
      : h("p.dim", null, "It is not committed yet."), section("Nodes", jsonTree(block.nodes))];
  }
  return [head(block.kind === "end" ? "End" : "Start", block.event?.seq),
    block.event ? jsonTree(block.event) : null];
}

export function detailsOf(selected, run, acts) {
  switch (selected.type) {
    case "call": return callDetails(selected, run, acts);
    case "block": return blockDetails(selected, run, acts);
    default: return [head(selected.event.kind, selected.seq), h("p.dim", null,
      format.time(selected.event.at, true)), jsonTree(selected.event)];
  }
}
