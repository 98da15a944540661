// SPDX-License-Identifier: Apache-2.0
// compare.js - two runs side by side, aligned by turn, with what differs marked.
import { align } from "../align.js";
import { eventsOf } from "../api.js";
import { diffLines } from "../diff.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { diffView, visible } from "../json.js";
import { canFork, forkRun } from "../start.js";
import { elapsed, foldAll, stateOf } from "../store.js";
import { button, field, fields, go, runHref, shape, stateLabel } from "../ui.js";
import { mode, REFUSALS } from "../words.js";

function summary(state, other, navigate) {
  const tokens = (run) => run.usage.input_tokens + run.usage.output_tokens;
  const row = (name, of, shown) => field(name, h("span", { data: { differs: of(state) === of(other)
    ? "no" : "yes" } }, shown(of(state))));
  const last = Math.max(0, state.counts.turns - 1);
  return h("div.compare-head", null, h("h2", null, stateLabel(stateOf(state)), " ",
    go(runHref(state.run), plain(state.started?.name ?? state.run)), h("span.id.mono", null,
      format.shortId(state.run))),
  h("p.task", null, visible(format.excerpt(state.started?.task ?? "", 200))),
  fields(row("took", (run) => elapsed(run), format.duration),
    row("turns", (run) => run.counts.turns, String), row("calls", (run) => run.counts.calls,
      String),
    row("refused", (run) => run.counts.refused, String), row("tokens", tokens, format.amount),
    row("cost", (run) => run.usage.cost_usd, format.cost),
    row("end", (run) => stateOf(run), String)),
  canFork() ? button("Fork\u2026", () => forkRun(navigate, state.run, last > 0 ? { turn: last }
    : {})) : null);
}

function outcome(call) {
  if (call.refused) {
    return `refused: ${REFUSALS[call.refused.why] ?? call.refused.why}`;
  }
  return call.finished ? (call.finished.ok ? plain(format.excerpt(String(typeof call.finished.result
    === "string" ? call.finished.result : JSON.stringify(call.finished.result)), 120))
    : `error: ${plain(call.finished.error?.message ?? "")}`) : call.state;
}

function callCell(call, run, differs) {
  return call ? h("a.compare-call", { href: `${runHref(run.run)}?event=${call.seq}`,
    data: { differs: differs.length > 0 ? "yes" : "no" } }, shape(call.state),
  h("span.mono", null, plain(call.tool)), h("span.mono.dim", null, visible(
    format.argumentsLine(call.arguments ?? call.text, 90))),
  h("span.compare-result", null, outcome(call))) : h("span.compare-none", null, "\u2013");
}

function blockCell(block, run) {
  if (!block) {
    return h("div.compare-none", null, "\u2013");
  }
  const title = block.kind === "turn" ? `Turn ${block.turn}` : block.kind === "step"
    ? `Step ${block.step}` : "End";
  const replies = block.items.filter((item) => item.type === "reply" && item.event.content);
  return h("div", null, h("header", null, h("strong", null, title),
    block.kind === "turn" ? h("span.mode", { data: { mode: block.event.mode } }, mode(block.event))
      : block.kind === "end" ? stateLabel(block.event.end) : null,
    block.kind === "turn" ? h("span.reason", null, plain(block.event.reason)) : null),
  replies.map((item) => h(item.dropped ? "p.dropped" : "p", null,
    visible(format.excerpt(item.event.content, 300)))),
  block.kind === "end" && run.finished.answer ? h("p", null,
    visible(format.excerpt(run.finished.answer, 300))) : null);
}

export default function compareView(main, [left, right], query, { navigate, showError }) {
  let closed = false;
  let onlyDifferent = query.get("different") === "1";
  const body = h("div.compare", null, h("p.dim.pad", null, "Loading\u2026"));

  function rowNode(row, a, b) {
    return h("section.compare-row", { data: { differs: row.differs.length > 0 ? "yes" : "no" } },
      row.differs.length > 0 ? h("p.compare-why", null, `differs: ${row.differs.join(", ")}`)
        : null,
      h("div.pair", null, blockCell(row.left, a), blockCell(row.right, b)),
      row.calls.map((pair) => h("div.pair", null, callCell(pair.left, a, pair.differs),
        callCell(pair.right, b, pair.differs))),
      row.key === "end" && row.differs.includes("answer") ? h("details", null, h("summary", null,
        "Difference of the answers"), diffView(diffLines(a.finished.answer ?? "",
        b.finished.answer ?? ""))) : null);
  }

  function draw(a, b) {
    const rows = align(a, b);
    const first = rows.findIndex((row) => row.differs.length > 0);
    replace(body, h("div.pair.sticky", null, summary(a, b, navigate), summary(b, a, navigate)),
      h("p.compare-sum", null, first < 0 ? "The runs do not differ."
        : `${rows.filter((row) => row.differs.length > 0).length} of ${rows.length} parts differ; `
          + `the first difference is in ${rows[first].key.replace(":", " ")}.`,
      h("label.check", null, h("input", { type: "checkbox", checked: onlyDifferent,
        onchange: (event) => {
          onlyDifferent = event.target.checked;
          draw(a, b);
        } }), "only differences")),
      rows.filter((row) => !onlyDifferent || row.differs.length > 0).map((row) => rowNode(row, a,
        b)));
  }

  replace(main, h("header.bar", null, h("h1", null, "Compare"), h("span.grow"),
    button("Swap", () => navigate(`/studio/runs/${right}...${left}`))), body);
  Promise.all([eventsOf(left), eventsOf(right)]).then(([a, b]) => {
    if (!closed) {
      draw(foldAll(left, a), foldAll(right, b));
    }
  }).catch((error) => !closed && showError(body, error));

  const rows = () => [...body.querySelectorAll("[data-differs=yes].compare-row")];
  let at = -1;
  const move = (by) => {
    const all = rows();
    at = Math.max(0, Math.min(all.length - 1, at + by));
    all[at]?.scrollIntoView({ block: "center" });
    all[at]?.querySelector("a")?.focus({ preventScroll: true });
  };
  return { title: "Compare", close: () => { closed = true; },
    keys: { j: () => move(1), k: () => move(-1) } };
}
