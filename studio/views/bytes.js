// SPDX-License-Identifier: Apache-2.0
// bytes.js - the exact request and reply of each turn. What a request has in common with the one
// before it is shaded, and the first difference is marked: a provider's cache ends there.
import { replyBytes, requestBytes } from "../api.js";
import { commonPrefix } from "../diff.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { visible } from "../json.js";
import { copyButton, problem } from "../ui.js";

const AROUND = 3000; // characters that are shown on each side of the first difference

// The shared start is shown in part: its end is what matters.
function requestView(text, before) {
  const same = before === null ? 0 : commonPrefix(before, text);
  const from = Math.max(0, same - AROUND);
  const shared = h("span.same", null, visible(text.slice(from, same)));
  const rest = h("span", null);
  const node = h("pre.bytes", { tabindex: "0" },
    from > 0 ? h("button.more", { type: "button", onclick: (event) => {
      shared.prepend(...visible(text.slice(0, from)));
      event.target.remove();
    } }, `${format.bytes(from)} before`) : null,
    shared, before === null || same === text.length ? null
      : h("mark.first-difference", { title: "the first difference" }, "\u25b8"), rest);
  let shown = same;
  const more = h("button.more", { type: "button", onclick: () => grow(64) });
  const grow = (factor) => {
    const end = Math.min(text.length, shown + AROUND * factor);
    rest.append(...visible(text.slice(shown, end)));
    shown = end;
    more.remove();
    if (shown < text.length) {
      more.textContent = `${format.bytes(text.length - shown)} more`;
      node.append(more);
    }
  };
  grow(4);
  return { node, same };
}

function auditOf(block) {
  const reply = [...block.items].reverse().find((item) => item.type === "reply");
  return reply?.event.cache ?? null;
}

export default function bytesTab(place, view, query) {
  let turn = Number(query.get("turn")) || 0;
  let drawn = 0;
  let token = 0;
  const requests = new Map();
  const nav = h("div.filters", { role: "toolbar", "aria-label": "Turns" });
  const body = h("div.bytes-body");

  async function requestOf(number) {
    if (!requests.has(number)) {
      requests.set(number, await requestBytes(view.id, number));
    }
    return requests.get(number);
  }

  async function show(number) {
    turn = number;
    view.setQuery({ turn: number });
    drawNav();
    const mine = ++token;
    replace(body, h("p.dim.pad", null, "Loading\u2026"));
    try {
      const before = number > 1 ? await requestOf(number - 1).catch(() => null) : null;
      const text = await requestOf(number);
      const reply = await replyBytes(view.id, number).catch((error) => error);
      if (mine !== token) {
        return;
      }
      const { node, same } = requestView(text, before);
      const audit = auditOf(view.run.state.turns.get(number));
      replace(body,
        h("section", null, h("header.bytes-head", null, h("h2", null, "Request"),
          h("span.dim", null, format.bytes(text.length)),
          before === null ? null : h("span", null, `${format.percent(same, before.length)} of the `
            + "request before is repeated"),
          audit?.first_difference ? h("span.warn-text", null, `first difference at ${
            audit.first_difference}`, audit.cause ? `: ${audit.cause}` : "") : null,
          copyButton(text)), node),
        h("section", null, h("header.bytes-head", null, h("h2", null, "Reply"),
          reply instanceof Error ? null : [h("span.dim", null, format.bytes(reply.length)),
            copyButton(reply)]),
        reply instanceof Error ? problem(reply) : requestView(reply, null).node));
    } catch (error) {
      if (mine === token) {
        replace(body, problem(error));
      }
    }
  }

  function drawNav() {
    replace(nav, [...view.run.state.turns.keys()].map((number) => h("button.chip", {
      type: "button", "aria-pressed": number === turn ? "true" : "false",
      onclick: () => show(number) }, `turn ${number}`)));
    nav.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest",
      inline: "nearest" });
  }

  replace(place, nav, body);
  place.classList.add("fixed");
  return {
    draw() {
      const count = view.run.state.counts.turns;
      if (count !== drawn) {
        drawn = count;
        if (turn === 0 || turn > count) {
          turn = 0;
        }
        if (body.childElementCount === 0) {
          show(turn || 1);
        } else {
          drawNav();
        }
      } else if (count === 0 && view.run.state.finished) {
        replace(body, h("p.dim.pad", null, "This run has asked no model itself."));
      }
    },
    keys: { j: () => turn < drawn && show(turn + 1), k: () => turn > 1 && show(turn - 1) },
    close: () => {
      token++;
      place.classList.remove("fixed");
    } };
}
