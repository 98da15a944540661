// SPDX-License-Identifier: Apache-2.0
// json.js - a JSON value as a tree that makes its nodes when they are opened. Hidden characters are
// shown; long texts are cut until somebody asks for the rest.
import { h, replace } from "./dom.js";
import { bytes, excerpt, plural } from "./format.js";
import { pieces, plain } from "./hidden.js";

const PAGE = 100; // entries of one level that are shown at once
const TEXT = 2000; // characters of a text that are shown at once

// A text with its hidden characters marked.
export function visible(text) {
  return pieces(text).map((piece) => (piece.hidden
    ? h("span.hidden-character", { title: `hidden character ${piece.text}` }, piece.text)
    : piece.text));
}

// A text of any length: its beginning, and a button for more of it.
export function longText(text, most = TEXT) {
  const node = h("span.long", null, visible(text.slice(0, most)));
  if (text.length > most) {
    const rest = h("button.more", { onclick: () => {
      rest.replaceWith(longText(text.slice(most), most * 16));
    } }, `${bytes(text.length - most)} more`);
    node.append(rest);
  }
  return node;
}

function scalar(value) {
  if (typeof value === "string") {
    return h("span.j-text", null, "\"", longText(value, 400), "\"");
  }
  return h(value === null ? "span.j-null" : `span.j-${typeof value}`, null, String(value));
}

function summary(value) {
  return Array.isArray(value) ? `[${plural(value.length, "item")}]`
    : `{${excerpt(Object.keys(value).slice(0, 8).map(plain).join(", "), 60)}}`;
}

function entries(value, list, from) {
  const keys = Object.keys(value);
  for (const key of keys.slice(from, from + PAGE)) {
    list.append(row(key, value[key]));
  }
  if (keys.length > from + PAGE) {
    const more = h("button.more", { onclick: () => {
      more.parentNode.remove();
      entries(value, list, from + PAGE);
    } }, `${keys.length - from - PAGE} more`);
    list.append(h("li", null, more));
  }
}

function row(key, value) {
  const name = key === null ? null : h("span.j-key", null, visible(key), ": ");
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0) {
    const empty = value !== null && typeof value === "object";
    return h("li", null, name, empty ? (Array.isArray(value) ? "[]" : "{}") : scalar(value));
  }
  const body = h("ul");
  const details = h("details", { ontoggle: () => {
    if (details.open && body.childElementCount === 0) {
      entries(value, body, 0);
    }
  } }, h("summary", null, name, h("span.j-sum", null, summary(value))), body);
  return h("li", null, details);
}

export function jsonTree(value) {
  const list = h("ul.json");
  if (value !== null && typeof value === "object" && Object.keys(value).length > 0) {
    entries(value, list, 0);
  } else {
    list.append(row(null, value));
  }
  return list;
}

// A result of a tool: a tree if it is JSON, else text.
export function valueView(value) {
  if (typeof value !== "string") {
    return jsonTree(value);
  }
  const start = value.trimStart()[0];
  if ((start === "{" || start === "[") && value.length < 4_000_000) {
    try {
      return jsonTree(JSON.parse(value));
    } catch {
      // it is text that begins like JSON
    }
  }
  return h("pre.text", { tabindex: "0" }, longText(value));
}

export function diffView(rows, context = 3) {
  const near = rows.map((row, i) => rows.slice(Math.max(0, i - context), i + context + 1)
    .some((other) => other.side !== " "));
  const body = h("pre.diff", { tabindex: "0" });
  let skipped = 0;
  const flush = () => {
    if (skipped > 0) {
      body.append(h("div.skip", null, `${plural(skipped, "equal line")}`));
      skipped = 0;
    }
  };
  rows.forEach((row, i) => {
    if (!near[i]) {
      skipped++;
      return;
    }
    flush();
    body.append(h(row.side === "+" ? "div.added" : row.side === "-" ? "div.removed" : "div", null,
      `${row.side} `, visible(row.text)));
  });
  flush();
  return rows.some((row) => row.side !== " ") ? body
    : replace(body, h("div.skip", null, "no difference"));
}
