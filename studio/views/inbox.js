// SPDX-License-Identifier: Apache-2.0
// inbox.js - everything that waits for a person, over all runs; the oldest first. Nothing is
// approved together unless each is selected.
import { api } from "../api.js";
import { h, reconcile, replace } from "../dom.js";
import { plural } from "../format.js";
import { plain } from "../hidden.js";
import { jsonTree } from "../json.js";
import { button, confirm, emptyState, go, problem, runHref, toast, toastError } from "../ui.js";
import { followPending, pendingCard, refreshPending } from "../waiting.js";

const keyOf = (item) => `${item.run} ${item.call}`;

export default function inboxView(main, _words, query, { setQuery }) {
  const cards = h("div.cards");
  const status = h("span.dim", { role: "status" });
  const bulk = h("div.bulk", { hidden: true });
  const search = h("input.search", { type: "search", placeholder: "Filter  /",
    "aria-label": "Filter", value: query.get("text") ?? "", oninput: () => {
      setQuery({ text: search.value });
      draw();
    } });
  const picked = new Map();
  let items = [];
  let loaded = false;
  let focused = -1;

  const matches = (item) => `${item.agent} ${item.tool} ${item.question ?? ""} ${
    JSON.stringify(item.arguments)}`.toLowerCase().includes(search.value.trim().toLowerCase());
  const shown = () => items.filter(matches).sort((a, b) => Date.parse(a.since)
    - Date.parse(b.since));

  function make(item) {
    const box = item.kind === "approval" ? h("input", { type: "checkbox", "aria-label":
      "select for a batch", checked: picked.has(keyOf(item)), onchange: () => {
      box.checked ? picked.set(keyOf(item), item) : picked.delete(keyOf(item));
      drawBulk();
    } }) : null;
    const card = pendingCard(item, { link: h("span.of", null, " of ",
      go(runHref(item.run), plain(item.agent))) });
    card.tabIndex = -1;
    if (box) {
      card.querySelector("header").prepend(box);
    }
    card.addEventListener("focusin", () => {
      focused = [...cards.children].indexOf(card);
    });
    return card;
  }

  function draw() {
    const now = shown();
    status.textContent = now.length > 0 ? `${now.length} pending` : "";
    const known = new Set(items.map(keyOf));
    for (const key of picked.keys()) {
      if (!known.has(key)) {
        picked.delete(key);
      }
    }
    drawBulk();
    if (now.length === 0 && loaded) {
      replace(cards, items.length > 0 ? emptyState("Nothing matches")
        : emptyState("Nothing is pending", h("p", null, "Questions, approvals, calls for a client "
          + "and unknown outcomes of all runs appear here.")));
      return;
    }
    if (cards.firstElementChild?.classList.contains("empty")) {
      cards.replaceChildren();
    }
    reconcile(cards, now, { key: keyOf, make,
      version: (item) => `${item.binding} ${item.deadline}` });
  }

  function drawBulk() {
    bulk.hidden = picked.size === 0;
    replace(bulk, h("strong", null, `${picked.size} selected`),
      button(`Approve ${picked.size}\u2026`, approveAll, { kind: "primary" }),
      button("Clear", () => {
        picked.clear();
        cards.replaceChildren();
        draw();
      }, { kind: "link" }));
  }

  async function approveAll() {
    const batch = [...picked.values()];
    const yes = await confirm(`Approve ${plural(batch.length, "call")}?`,
      batch.map((item) => h("section", null, h("h3.mono", null, plain(item.tool)),
        jsonTree(item.arguments))), `Approve all ${batch.length}`);
    if (!yes) {
      return;
    }
    let done = 0;
    for (const item of batch) {
      try {
        await api.approve(item.run, item.call, item.binding);
        picked.delete(keyOf(item));
        done++;
      } catch (error) {
        toastError(error);
      }
    }
    toast(`Approved ${plural(done, "call")}`);
    refreshPending();
  }

  function move(by) {
    const all = [...cards.children];
    if (all.length > 0) {
      focused = Math.max(0, Math.min(all.length - 1, focused + by));
      all[focused].focus();
      all[focused].scrollIntoView({ block: "nearest" });
    }
  }

  const press = (act) => () => {
    const card = cards.children[focused];
    (card?.querySelector(`[data-act=${act}]`)
      ?? (act === "approve" ? card?.querySelector("textarea, input:not([type=checkbox])") : null))
      ?.[act === "approve" && !card.querySelector("[data-act=approve]") ? "focus" : "click"]();
  };

  replace(main, h("header.bar", null, h("h1", null, "Inbox"), status, h("span.grow"), search), bulk,
    cards);
  const stop = followPending((pending, error) => {
    if (error && !loaded) {
      replace(cards, problem(error));
      return;
    }
    loaded = true;
    items = pending;
    draw();
  });
  return { title: "Inbox", close: stop,
    keys: { j: () => move(1), k: () => move(-1), "/": () => search.focus(), a: press("approve"),
      r: press("reject"),
      Enter: () => cards.children[focused]?.querySelector("header a")?.click() } };
}
