// SPDX-License-Identifier: Apache-2.0
// log.js - the events of a run as they are, with a filter.
import { h, replace } from "../dom.js";
import { time } from "../format.js";
import { visible } from "../json.js";
import { virtualList } from "../list.js";
import { logWords } from "../words.js";

const DECISIONS = new Set(["turn_started", "gate_opened", "context_changed", "summary_started",
  "constrained", "model_changed", "violation", "reminded", "call_started", "call_refused", "paused",
  "tools_hidden", "child_started", "handed_off", "graph_step", "run_finished", "artifact_stored"]);

export default function logTab(place, view, query) {
  let text = query.get("log") ?? "";
  let shown = [];
  let seen = 0;

  const list = virtualList({ rowHeight: 28, label: "Events",
    render: (i) => {
      const event = shown[i];
      return h("div.log-row", { data: { kind: event.kind } },
        h("span.num.dim", null, `#${event.seq}`), h("time.dim", null, time(event.at, true)),
        h("span.mono.log-kind", { title: DECISIONS.has(event.kind) ? "a decision" : "an input" },
          event.kind), h("span.log-text", null, visible(logWords(event))));
    },
    onopen: (i) => open(i), onselect: (i) => open(i),
    empty: () => h("p.dim.pad", null, "No event matches.") });

  const open = (i) => shown[i] && view.selected()?.key !== `e${shown[i].seq}` && view.select({
    type: "event", key: `e${shown[i].seq}`, event: shown[i], seq: shown[i].seq });

  function matches(event) {
    const needle = text.trim().toLowerCase();
    return needle === "" || event.kind.includes(needle)
      || JSON.stringify(event).toLowerCase().includes(needle);
  }

  function draw() {
    const { events } = view.run.state;
    if (events.length !== seen) {
      const fresh = events.slice(seen).filter(matches);
      seen = events.length;
      shown = shown.concat(fresh);
      list.setCount(shown.length);
      count.textContent = `${shown.length} of ${events.length} events`;
    }
  }

  let typing = null;
  const filter = h("input.search", { type: "search",
    placeholder: "Filter: a kind, a call, a word  /",
    "aria-label": "Filter events", value: text, oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => {
        text = filter.value;
        view.setQuery({ log: text });
        seen = 0;
        shown = [];
        list.setCount(0);
        draw();
      }, 150);
    } });
  const count = h("span.dim", { role: "status" });
  replace(place, h("div.filters", null, filter, count), list.root);
  place.classList.add("fixed");
  return { draw,
    mark: (what) => {
      const at = what ? shown.findIndex((event) => event.seq === what.seq) : -1;
      if (at >= 0 && at !== list.selected) {
        list.select(at);
      }
    },
    open: () => list.open(),
    keys: { j: () => list.move(1), k: () => list.move(-1), "/": () => filter.focus() },
    close: () => {
      clearTimeout(typing);
      place.classList.remove("fixed");
    } };
}
