// SPDX-License-Identifier: Apache-2.0
// waterfall.js - requests to models, calls and waits of a run and of the runs below it as bars.
import { eventsOf } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { foldAll } from "../store.js";
import { axisOf, barsOf } from "../timeline.js";
import { button, go, runHref, toastError } from "../ui.js";

const ROWS = 400; // rows that are drawn at once
const KINDS = { model: "model", tool: "tool", wait: "waits for a person or a client" };

export default function waterfallTab(place, view) {
  const children = new Map(); // run id -> {open, state}
  let fold = true;
  let zoom = 1;
  let limit = ROWS;
  let seen = -1;
  const chart = h("div.waterfall", { role: "list", "aria-label": "Waterfall" });
  const scroller = h("div.waterfall-scroll", { tabindex: "0" }, chart);
  const tools = h("div.filters");

  async function toggle(child) {
    const known = children.get(child);
    if (known) {
      known.open = !known.open;
    } else {
      try {
        children.set(child, { open: true, state: foldAll(child, await eventsOf(child)) });
      } catch (error) {
        toastError(error);
      }
    }
    drawAll();
  }

  // The rows from top to bottom: each bar of the run, and below a call the rows of its child run.
  function rowsOf(state, depth) {
    const rows = [];
    for (const bar of barsOf(state)) {
      const call = bar.call ? state.calls.get(bar.call) : null;
      const child = bar.kind === "tool" ? call?.child?.child : null;
      rows.push({ bar, depth, call, child, state });
      const below = child && children.get(child);
      if (below?.open) {
        rows.push(...rowsOf(below.state, depth + 1));
      }
    }
    return rows;
  }

  function rowNode({ bar, depth, call, child, state }, axis) {
    const left = axis.at(bar.start);
    const width = Math.max(0, axis.at(bar.end) - left);
    const own = state === view.run.state;
    const text = format.duration(bar.end - bar.start);
    const label = bar.kind === "wait" ? `${bar.label} waits` : bar.label;
    return h("div.wf-row", { role: "listitem", data: { key: call?.id ?? `e${bar.seq}` } },
      h("div.wf-name", { style: { "padding-left": `${8 + depth * 14}px` } },
        child ? button(children.get(child)?.open ? "\u25be" : "\u25b8", () => toggle(child),
          { kind: "icon", "aria-label": `run of ${plain(call.child.agent)}` }) : null,
        own ? button(plain(label), () => view.select(call ? { type: "call", key: call.id, call,
          seq: call.seq, version: call.version } : { type: "event", key: `e${bar.seq}`,
          event: state.events[bar.seq - 1], seq: bar.seq }), { kind: "row" })
          : go(`${runHref(state.run)}?event=${bar.seq}`, plain(label))),
      h("div.wf-track", null, h("div.wf-bar", { data: { kind: bar.kind, state: bar.state },
        title: `${KINDS[bar.kind]}: ${plain(label)}, ${text}`,
        style: { left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` } }),
      h("span.wf-ms", { style: left + width > 0.85
        ? { right: `calc(${(1 - left) * 100}% + 6px)` }
        : { left: `calc(${(left + width) * 100}% + 6px)` } }, text)));
  }

  function drawAll() {
    const { state } = view.run;
    if (!state.started) {
      return;
    }
    const start = Date.parse(state.started.at);
    const end = state.finished ? Date.parse(state.finished.at) : Date.now();
    const own = barsOf(state);
    const axis = axisOf(own, start, Math.max(end, start + 1), fold);
    const rows = rowsOf(state, 0);
    const legend = Object.entries(KINDS).map(([kind, words]) => h("span.legend", null,
      h("span.wf-bar", { data: { kind, state: "ok" } }), words));
    replace(tools, button(fold ? "Show waits in full" : "Fold long waits", () => {
      fold = !fold;
      drawAll();
    }), button("\u2212", () => setZoom(zoom / 2), { "aria-label": "Zoom out" }),
    button("+", () => setZoom(zoom * 2), { "aria-label": "Zoom in" }), h("span.grow"), legend);
    chart.style.setProperty("--zoom", zoom);
    replace(chart, h("div.wf-folds", { "aria-hidden": "true" }, axis.folds.map((gap) => h(
      "span.wf-fold", { style: { left: `${gap.x * 100}%`, width: `${gap.width * 100}%` },
        title: `${format.duration(gap.end - gap.start)} without work` },
      h("span", null, format.duration(gap.end - gap.start))))),
    rows.slice(0, limit).map((row) => rowNode(row, axis)),
    rows.length > limit ? button(`${rows.length - limit} more`, () => {
      limit *= 4;
      drawAll();
    }, { kind: "more" }) : null,
    rows.length === 0 ? h("p.dim.pad", null, "Nothing has run yet.") : null);
    mark(view.selected(), false);
  }

  function setZoom(value) {
    zoom = Math.max(1, Math.min(64, value));
    drawAll();
  }

  function mark(what, reveal = true) {
    for (const node of chart.querySelectorAll(".wf-row[aria-current]")) {
      node.removeAttribute("aria-current");
    }
    const row = what && chart.querySelector(`[data-key="${CSS.escape(what.key)}"]`);
    row?.setAttribute("aria-current", "true");
    if (reveal) {
      row?.scrollIntoView({ block: "nearest" });
    }
  }

  function move(by) {
    const all = [...chart.querySelectorAll(".wf-name > .row")];
    const at = all.findIndex((node) => node.closest("[aria-current]"));
    all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))]?.click();
  }

  replace(place, tools, scroller);
  place.classList.add("fixed");
  return {
    draw() {
      if (view.run.state.seq !== seen) {
        seen = view.run.state.seq;
        drawAll();
      }
    },
    mark, keys: { j: () => move(1), k: () => move(-1) },
    close: () => place.classList.remove("fixed"),
  };
}
