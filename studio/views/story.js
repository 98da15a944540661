// SPDX-License-Identifier: Apache-2.0
// story.js - the turns of a run as cards: what the model might do and why, what it said, what ran
// and what was refused. Cards of long runs are made when they come near the visible part.
import { h, reconcile, replace } from "../dom.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { longText, visible } from "../json.js";
import { render } from "../markdown.js";
import { stateOf } from "../store.js";
import { go, runHref, shape, stateLabel } from "../ui.js";
import { pendingCard } from "../waiting.js";
import { ENDS, mode, noteWords, REFUSALS, VERDICTS } from "../words.js";

const NEAR = 1500; // pixels around the visible part in which cards are drawn
const CALLS = 200; // calls of one turn that are shown at once
const LONG_TEXT = 30_000; // a longer reply is shown as plain text

function text(value) {
  return value.length > LONG_TEXT ? h("pre.text", { tabindex: "0" }, longText(value))
    : render(plain(value), h);
}

const sameTools = (a, b) => a && b && a.allowed.join("\n") === b.allowed.join("\n")
  && a.declared.join("\n") === b.declared.join("\n");

function chips(turn, before) {
  if (sameTools(turn, before)) {
    return null;
  }
  const allowed = new Set(turn.allowed);
  const declared = new Set(turn.declared);
  const withheld = turn.declared.filter((name) => !allowed.has(name));
  const chip = (kind, title) => (name) => h(`span.chip.${kind}`, { title }, plain(name));
  const many = (names, make, most = 16) => [names.slice(0, most).map(make),
    names.length > most ? h("span.dim", null, `${names.length - most} more`) : null];
  return h("div.chips", null,
    h("span.meter-label", null, "offered"),
    turn.allowed.length === 0 ? h("span.dim", null, "no tool") : null,
    many(turn.allowed.filter((name) => declared.has(name)), chip("offered",
      "may run in this turn")),
    many(turn.allowed.filter((name) => !declared.has(name)), chip("callable",
      "may run, but is not in the request"), 4),
    withheld.length > 0 ? [h("span.meter-label", null, "withheld"), many(withheld,
      chip("withheld", "in the request, but must not run in this turn"))] : null);
}

function resultLine(call) {
  if (call.refused) {
    return [h("strong", null, REFUSALS[call.refused.why] ?? call.refused.why), " \u2013 ",
      visible(format.excerpt(call.refused.text.replace(/^Error: /, ""), 400))];
  }
  if (call.finished) {
    const { ok, result, error, truncated } = call.finished;
    if (!ok) {
      return [h("strong", null, "error"), " \u2013 ", visible(format.excerpt(error?.message ?? "",
        300)), error?.hint ? h("span.dim", null, ` ${plain(format.excerpt(error.hint, 200))}`)
          : null];
    }
    return [visible(format.excerpt(typeof result === "string" ? result : JSON.stringify(result),
      200)) || h("span.dim", null, "empty"), truncated ? h("span.dim", null, " (truncated)")
        : null];
  }
  if (call.state === "dropped") {
    return h("span.dim", null, "dropped");
  }
  if (call.progress.length > 0) {
    return h("span.dim", null, format.excerpt(JSON.stringify(call.progress.at(-1)), 200));
  }
  return call.retry ? h("span.dim", null, `attempt ${call.retry.attempt} in `,
    format.duration(call.retry.wait_ms), `: ${plain(call.retry.reason)}`) : null;
}

function answeredLine(call) {
  const { answered } = call;
  return answered ? h("div.call-answer", null, VERDICTS[answered.verdict] ?? answered.verdict,
    " by ", plain(answered.by ?? "?"), answered.why ? `: ${plain(answered.why)}` : "",
    call.waited >= 1000 ? h("span.dim", null, ` after ${format.duration(call.waited)}`) : null)
    : null;
}

function callRow(call, view) {
  const line = resultLine(call);
  const args = call.arguments ?? call.text;
  return h("div.call", { data: { key: call.id, state: call.state }, tabindex: "-1" },
    h("button.call-line", { type: "button", onclick: () => view.select({ type: "call",
      key: call.id, call, seq: call.seq, version: call.version }) },
    shape(call.state), h("span.call-name.mono", null, plain(call.tool)),
    h("span.call-args.mono", null, visible(format.argumentsLine(args))),
    h("span.call-ms", null, call.finished ? [call.finished.cached ? "cached " : "",
      format.duration(call.ms)] : call.state)),
    call.paused && call.state === "waiting" ? pendingCard({ ...call.paused, run: view.id,
      kind: call.paused.pause, agent: view.run.state.started?.name, asks: asksOf(call) }) : null,
    answeredLine(call),
    line && h(call.refused || call.finished?.ok === false ? "div.call-result.bad"
      : "div.call-result", null, line),
    call.child ? h("div.call-child", null, go(runHref(call.child.child), plain(call.child.agent)),
      call.childEnd ? [" ", stateLabel(call.childEnd.end), h("span.dim", null,
        ` ${format.plural(call.childEnd.turns, "turn")}, `,
        format.cost(call.childEnd.usage.cost_usd))] : h("span.dim", null, " runs")) : null,
    call.artifacts.length > 0 ? h("div.call-child", null, call.artifacts.map((one) => h(
      "span.chip.offered", null, plain(one.name), " ", format.bytes(one.bytes)))) : null);
}

function asksOf(call) {
  const asked = call.asked?.question;
  return asked ? { server: asked.server, mode: asked.mode, schema: asked.schema, url: asked.url }
    : undefined;
}

function replyOf(item) {
  const { content, reasoning, stop } = item.event;
  return h("div.reply", { data: { key: item.key, dropped: item.dropped ? "yes" : "no" } },
    reasoning ? h("details.reasoning", null, h("summary", null, "reasoning",
      h("span.dim", null, ` ${format.excerpt(plain(reasoning), 100)}`)),
    h("pre.text", null, longText(reasoning))) : null,
    content ? text(content) : null,
    stop === "length" ? h("p.note", { data: { tone: "warn" } },
      "The token limit cut this reply.") : null);
}

function noteOf(item, view) {
  const { title, text: words, tone } = noteWords(item.event);
  return h("div.note", { data: { key: item.key, tone }, tabindex: "-1" },
    h("button.note-line", { type: "button", onclick: () => view.select({ type: "event",
      key: item.key, event: item.event, seq: item.event.seq }) },
    h("strong", null, title), words ? h("span.note-text", null, " ", visible(
      format.excerpt(words, 400))) : null));
}

function itemNode(item, view) {
  return item.type === "call" ? callRow(item.call, view)
    : item.type === "reply" ? replyOf(item) : noteOf(item, view);
}

const hasContent = (item) => item.type !== "reply" || item.event.content !== ""
  || item.event.reasoning !== "" || item.event.stop === "length";

function usageOf(block) {
  const usage = block.usage;
  const ms = Date.parse(block.end) - Date.parse(block.at);
  return h("span.turn-usage", null,
    usage && usage.input_tokens + usage.output_tokens > 0 ? [h("span", { title: "input \u2192 "
      + "output tokens" }, `${format.amount(usage.input_tokens)} \u2192 ${
      format.amount(usage.output_tokens)}`),
    usage.cached_tokens > 0 ? h("span", { title: "input tokens from the provider's cache" },
      `${format.percent(usage.cached_tokens, usage.input_tokens)} cached`) : null,
    usage.cost_usd !== null ? h("span", null, format.cost(usage.cost_usd)) : null] : null,
    h("span", null, format.duration(ms)));
}

function head(block, view) {
  const open = () => view.select({ type: "block", key: block.key, block, seq: block.event?.seq,
    version: block.version });
  if (block.kind === "turn") {
    const turn = block.event;
    return [h("header", null, h("button.turn-title", { type: "button", onclick: open },
      `Turn ${block.turn}`), h("span.mode", { data: { mode: turn.mode } }, mode(turn)),
    h("span.reason", null, plain(turn.reason)), usageOf(block)),
    chips(turn, view.run.state.turns.get(block.turn - 1)?.event)];
  }
  if (block.kind === "step") {
    return h("header", null, h("button.turn-title", { type: "button", onclick: open },
      `Step ${block.step}`), h("span.reason", null,
      block.nodes.map((one) => plain(one.node)).join(", ")), usageOf(block));
  }
  if (block.kind === "end") {
    const { end, reason, answer } = block.event;
    return [h("header", null, h("button.turn-title", { type: "button", onclick: open }, "End"),
      stateLabel(end), h("span.reason", null, plain(reason ?? ENDS[end] ?? ""))),
    answer ? h("div.answer-text", null, text(answer)) : null];
  }
  return h("header", null, h("button.turn-title", { type: "button", onclick: open }, "Start"),
    null);
}

// The parts of a card that are already there stay; only changed ones are made again.
function fill(card, block, view) {
  const items = block.items.filter(hasContent);
  const limit = Number(card.dataset.limit ?? CALLS);
  const body = card.querySelector(":scope > .items") ?? h("div.items");
  const live = block.live;
  replace(card, head(block, view), body,
    items.length > limit ? h("button.more", { type: "button", onclick: () => {
      card.dataset.limit = limit * 4;
      fill(card, block, view);
    } }, `${items.length - limit} more`) : null,
    live ? h("div.reply.live", { "aria-live": "off" }, live.reasoning ? h("p.dim", null,
      plain(live.reasoning.slice(-600))) : null, live.text ? text(live.text) : null) : null);
  reconcile(body, items.slice(0, limit), { key: (item) => item.key,
    version: (item) => (item.type === "call" ? item.call.version : item.version),
    make: (item) => itemNode(item, view) });
  card.dataset.state = block.kind === "end" ? "end" : block.items.some((item) => item.call?.state
    === "waiting") ? "waiting" : "";
}

function guessHeight(block) {
  return 70 + Math.min(block.items.length, CALLS) * 52;
}

export default function storyTab(place, view) {
  const list = h("ol.story");
  const foot = h("p.story-foot", { role: "status" });
  const scroller = place;
  const blocks = new Map(); // card -> block
  let atEnd = false;

  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const block = blocks.get(entry.target);
      if (entry.isIntersecting && block) {
        draw1(entry.target, block);
      } else if (block && entry.target.dataset.drawn) {
        entry.target.dataset.far = "yes";
      }
    }
  }, { root: scroller, rootMargin: `${NEAR}px 0px` });

  function draw1(card, block) {
    delete card.dataset.far;
    if (card.dataset.drawn !== String(block.version)) {
      const first = !card.dataset.drawn;
      fill(card, block, view);
      card.dataset.drawn = block.version;
      card.style.minHeight = "";
      if (first) {
        mark(view.selected(), false);
      }
    }
  }

  function make(block) {
    const card = h("li.turn", { data: { kind: block.kind, key: block.key } });
    card.style.minHeight = `${guessHeight(block)}px`;
    blocks.set(card, block);
    observer.observe(card);
    return card;
  }

  function draw() {
    atEnd = scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 80;
    const state = view.run.state;
    reconcile(list, state.blocks.filter((block) => block.kind !== "start"
      || block.items.length > 0), { key: (block) => block.key, version: (block) => block.version,
      make, update: (card, block) => {
        if (card.dataset.drawn && !card.dataset.far) {
          draw1(card, block);
        }
        return card;
      } });
    const now = stateOf(state);
    foot.textContent = state.seq === 0 ? "Loading\u2026" : state.finished ? ""
      : now === "waiting" ? "Waiting for an answer." : "Running\u2026";
    foot.dataset.state = now;
    // Follow what happens from now on, not what the page loads.
    const { row } = view.run;
    if (atEnd && row && row.state !== "ended" && state.seq > row.seq && !view.selected()) {
      scroller.scrollTop = scroller.scrollHeight;
    }
  }

  // Every part that j and k stop at, in order.
  const stops = () => [...list.querySelectorAll(".turn > header .turn-title, .call-line, "
    + ".note-line")];

  function move(by) {
    const all = stops();
    const at = all.findIndex((node) => node.getAttribute("aria-current") === "true");
    const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? (by > 0 ? 0 : all.length - 1)
      : at + by))];
    next?.click();
    next?.focus({ preventScroll: true });
  }

  function mark(what, reveal) {
    for (const node of list.querySelectorAll("[aria-current]")) {
      node.removeAttribute("aria-current");
    }
    if (!what) {
      return;
    }
    const block = what.block ?? what.call?.block
      ?? view.run.state.blocks.find((one) => one.items.some((item) => item.key === what.key));
    const card = list.querySelector(`:scope > [data-key="${CSS.escape(block?.key ?? "")}"]`);
    if (!card) {
      return;
    }
    draw1(card, block);
    const part = what.type === "block" ? card.querySelector(".turn-title")
      : card.querySelector(`[data-key="${CSS.escape(what.key)}"] button`) ?? card;
    part.setAttribute("aria-current", "true");
    if (reveal) {
      part.scrollIntoView({ block: "nearest" });
    }
  }

  place.append(list, foot);
  return { draw, mark, keys: { j: () => move(1), k: () => move(-1) },
    close: () => observer.disconnect() };
}
