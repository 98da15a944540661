// SPDX-License-Identifier: Apache-2.0
// ui.js - the small parts that all views are made of.
import { append, h, replace } from "./dom.js";
import * as format from "./format.js";
import { plain } from "./hidden.js";
import { ENDS, STATES } from "./words.js";

export function shape(state) {
  return h("span.shape", { data: { state: STATES[state] ?? "queued" }, "aria-hidden": "true" });
}

export function stateLabel(state) {
  return h("span.state", { data: { state: STATES[state] ?? "queued" }, title: ENDS[state] ?? "" },
    shape(state), state);
}

export function button(label, onclick, more = {}) {
  const { kind = "", ...attributes } = more;
  return h(`button${kind && `.${kind}`}`, { type: "button", onclick, ...attributes }, label);
}

// A link inside the page; main.js follows it without loading the page again.
export function go(href, ...children) {
  return h("a", { href }, ...children);
}

export const modelName = (model) => (model ? plain([model.provider, model.model].filter(Boolean)
  .join(":")) : "");

export const runHref = (id) => `/studio/runs/${id}`;

export function field(label, value) {
  return value === null || value === undefined || value === "" ? null
    : [h("dt", null, label), h("dd", null, value)];
}

export function fields(...rows) {
  return h("dl.facts", null, rows);
}

export function copyButton(text, label = "Copy") {
  const node = button(label, async () => {
    await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
    node.textContent = "Copied";
    setTimeout(() => { node.textContent = label; }, 1200);
  }, { kind: "link" });
  return node;
}

// A bar of how much of a budget is used.
export function meter(label, used, limit, text) {
  const part = limit > 0 ? Math.min(1, used / limit) : 0;
  const full = part >= 0.9;
  return h("span.meter", { title: `${label}: ${text}`, data: { full: full ? "yes" : "no" } },
    h("span.meter-label", null, label),
    limit > 0 ? h("span.meter-track", { role: "meter", "aria-label": label, "aria-valuemin": "0",
      "aria-valuemax": limit, "aria-valuenow": Math.min(used, limit), "aria-valuetext": text },
    h("span.meter-fill", { style: { width: `${(part * 100).toFixed(1)}%` } })) : null,
    h("span.meter-text", null, text));
}

// A dot for each data tool that the gate wants, filled if it was called.
export function gateMeter(gate) {
  if (!gate || gate.threshold === 0) {
    return null;
  }
  const dots = Array.from({ length: Math.min(gate.threshold, 20) }, (_, i) => h("span.gate-dot",
    { data: { filled: i < gate.called.length ? "yes" : "no" }, title: gate.called[i] ?? "" }));
  const text = gate.open ? "open" : `${gate.called.length} of ${gate.threshold}`;
  return h("span.gate", { role: "img", title: gate.called.map(plain).join(", "),
    "aria-label": `gate ${text}: ${gate.called.map(plain).join(", ") || "nothing called"}` },
  h("span.meter-label", null, "gate"), dots, h("span.meter-text", null, text));
}

export function problem(error) {
  return h("div.problem", { role: "alert" }, h("strong", null, error.message),
    error.where ? h("p", null, error.where) : null, error.hint ? h("p.dim", null, error.hint)
      : null);
}

export function emptyState(title, ...children) {
  return h("div.empty", null, h("h2", null, title), children);
}

export function command(text) {
  return h("p.command", null, h("code", null, text), copyButton(text));
}

// ---- messages at the edge of the page ----

export function toast(text, tone = "") {
  const place = document.getElementById("toasts");
  const node = h("div.toast", { data: { tone } }, text,
    button("\u00d7", () => node.remove(), { kind: "icon", "aria-label": "Dismiss" }));
  place.append(node);
  setTimeout(() => node.remove(), tone === "bad" ? 12_000 : 5000);
}

export function toastError(error) {
  toast([error.message, error.hint].filter(Boolean).join(" \u2013 "), "bad");
}

// ---- dialogs ----

// Shows a dialog; `build(close)` gives {title, body, actions, focus}. Resolves with close's value,
// or undefined if it was dismissed.
export function dialog(build) {
  return new Promise((resolve) => {
    let result;
    const close = (value) => {
      result = value;
      node.close();
    };
    const node = h("dialog", { "aria-labelledby": "dialog-title", onclose: () => {
      node.remove();
      resolve(result);
    }, onclick: (event) => {
      if (event.target === node) {
        close();
      }
    } });
    const parts = build(close);
    append(node, h("form", { method: "dialog", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      parts.submit?.();
    } }, h("header", null, h("h2", { id: "dialog-title" }, parts.title),
      button("\u00d7", () => close(), { kind: "icon", "aria-label": "Close" })),
    h("div.dialog-body", null, parts.body),
    h("footer", null, parts.actions)));
    document.body.append(node);
    node.showModal();
    parts.focus?.();
  });
}

export function confirm(title, text, label, kind = "primary") {
  return dialog((close) => {
    const yes = h(`button.${kind}`, { type: "submit" }, label);
    return { title, body: typeof text === "string" ? h("p", null, text) : text,
      submit: () => close(true), focus: () => yes.focus(),
      actions: [button("Cancel", () => close()), yes] };
  });
}

// A deadline that counts down.
export function countdown(deadline) {
  const left = Date.parse(deadline) - Date.now();
  return h("time.countdown", { datetime: deadline, data: { deadline,
    soon: left < 60_000 ? "yes" : "no" }, title: format.moment(deadline) },
  left > 0 ? `${format.duration(left)} left` : "deadline passed");
}

// Brings all times of the page up to date; main.js calls it each second.
export function tick() {
  for (const node of document.querySelectorAll("[data-deadline]")) {
    const left = Date.parse(node.dataset.deadline) - Date.now();
    node.textContent = left > 0 ? `${format.duration(left - (left % 1000))} left`
      : "deadline passed";
    node.dataset.soon = left < 60_000 ? "yes" : "no";
  }
  for (const node of document.querySelectorAll("[data-since]")) {
    const ms = Date.now() - Date.parse(node.dataset.since);
    node.textContent = format.duration(ms - (ms % 1000));
  }
}

export function runningTime(since) {
  return h("time", { data: { since } }, format.duration(Date.now() - Date.parse(since)));
}

export function show(place, ...children) {
  return replace(place, children);
}
