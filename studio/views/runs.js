// SPDX-License-Identifier: Apache-2.0
// runs.js - all runs: a table of any length, filters in the address, acts on several runs.
import { api, deleteRun } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { virtualList } from "../list.js";
import { startRun } from "../start.js";
import { button, command, confirm, emptyState, go, runHref, runningTime, stateLabel, toast,
  toastError } from "../ui.js";

const FIRST = 100; // runs that are read again and again
const PAGE = 500;
const EVERY_MS = 2000;
const ROW = 40;
const MAX_USAGES = 60; // that are read at one scroll position
const FILTERS = ["text", "state", "agent", "user", "thread"];
const STATES = ["running", "queued", "waiting", "done", "direct", "exhausted", "incomplete",
  "refused", "violated", "failed", "cancelled", "expired"];
const OPEN = new Set(["running", "queued", "waiting"]);
const COLUMNS = ["", "State", "Agent", "Task", "Started", "Duration", "Turns", "Calls", "Tokens",
  "Cost"];

const stateOf = (run) => run.end ?? run.state;
const tokensOf = (usage) => (usage ? usage.input_tokens + usage.output_tokens : null);

function rowOf(run, usage, picked, toggle) {
  const ended = run.state === "ended";
  return h("div.run-row", { data: { run: run.run } },
    h("span", null, h("input", { type: "checkbox", checked: picked, tabindex: "-1",
      "aria-label": "select", onclick: () => toggle(run) })),
    stateLabel(stateOf(run)),
    h("span.agent", null, plain(run.name)),
    h("span.task", { title: plain(format.excerpt(run.task, 400)) },
      plain(format.excerpt(run.task, 200))),
    h("time.num", { datetime: run.created }, format.moment(run.created)),
    h("span.num", null, ended || run.state === "waiting"
      ? format.duration(Date.parse(run.updated) - Date.parse(run.created))
      : runningTime(run.created)),
    h("span.num", null, run.turns), h("span.num", null, run.calls),
    h("span.num", null, format.amount(tokensOf(usage))),
    h("span.num", null, format.cost(usage?.cost_usd)));
}

const version = (run) => `${run.run} ${run.state} ${run.end} ${run.seq}`;
const usageKey = (run) => `${run.run} ${run.seq}`;

export default function runsView(main, _words, query, { setQuery, navigate, showError }) {
  let runs = []; // newest first
  let next = null; // the cursor of the following page; null at the end
  let reading = null;
  let usageRead = 0;
  let loading = false;
  let closed = false;
  let timer = null;
  const picked = new Map();
  const usages = new Map(); // of the rows that were visible, by usageKey
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""]));

  const list = virtualList({ rowHeight: ROW, label: "Runs",
    render: (i) => rowOf(runs[i], usages.get(usageKey(runs[i])), picked.has(runs[i].run), toggle),
    onopen: (i) => navigate(runHref(runs[i].run)),
    empty: () => (loading ? h("p.dim.pad", null, "Loading\u2026") : noRuns()) });
  const status = h("span.dim", { role: "status" });
  const bulk = h("div.bulk", { hidden: true });

  function noRuns() {
    return FILTERS.some((name) => filters[name])
      ? emptyState("No run matches", h("p", null, "Change a filter above, or ",
        go("/studio/", "show all runs"), "."))
      : emptyState("No runs yet", h("p", null,
        "Start one with the button above, or in a terminal:"),
        command("haft run examples/report.yaml \"How does a run recover after kill -9?\""));
  }

  function toggle(run) {
    picked.has(run.run) ? picked.delete(run.run) : picked.set(run.run, run);
    list.redraw();
    drawBulk();
  }

  function drawBulk() {
    bulk.hidden = picked.size === 0;
    const ids = [...picked.keys()];
    replace(bulk, h("strong", null, `${format.plural(picked.size, "run")} selected`),
      picked.size === 2 ? button("Compare", () => navigate(`/studio/runs/${ids.join("...")}`))
        : null,
      button("Cancel\u2026", () => each("Cancel", (id) => api.cancel(id))),
      button("Resume\u2026", () => each("Resume", (id) => api.resume(id))),
      button("Delete\u2026", () => each("Delete", deleteRun), { kind: "danger" }),
      button("Clear", () => {
        picked.clear();
        list.redraw();
        drawBulk();
      }, { kind: "link" }));
  }

  async function each(label, act) {
    const runsOfAct = [...picked.values()];
    const yes = await confirm(`${label} ${format.plural(runsOfAct.length, "run")}?`,
      h("ul", null, runsOfAct.slice(0, 10).map((run) => h("li", null, plain(run.name), ": ",
        plain(format.excerpt(run.task, 80)))),
      runsOfAct.length > 10 ? h("li", null, `and ${runsOfAct.length - 10} more`) : null),
      label, label === "Delete" ? "danger" : "primary");
    if (!yes) {
      return;
    }
    let failed = 0;
    for (const run of runsOfAct) {
      try {
        await act(run.run);
        picked.delete(run.run);
      } catch (error) {
        failed++;
        toastError(error);
      }
    }
    toast(`${label}: ${format.plural(runsOfAct.length - failed, "run")}`);
    drawBulk();
    refresh();
  }

  const queryOf = (more) => ({ ...filters, state: OPEN.has(filters.state) ? filters.state : null,
    end: OPEN.has(filters.state) ? null : filters.state, ...more });

  function drawStatus() {
    status.textContent = runs.length === 0 ? "" : `${runs.length}${next ? "+" : ""} runs`;
  }

  // The list has no usage: it is read for the rows that stay visible for a moment.
  async function readUsage() {
    const mine = ++usageRead;
    const { first, last } = list.range();
    const wanted = runs.slice(first, last).filter((run) => !usages.has(usageKey(run)));
    for (const run of wanted.slice(0, MAX_USAGES)) {
      if (closed || mine !== usageRead) {
        return;
      }
      const found = await api.run(run.run).catch(() => null);
      usages.set(usageKey(run), found?.usage ?? null);
      const at = runs.findIndex((row) => row.run === run.run);
      if (!closed && at >= 0) {
        list.redrawRow(at);
      }
    }
  }

  function usageSoon() {
    clearTimeout(reading);
    reading = setTimeout(readUsage, 300);
  }

  // The first page again: new runs are put in front, known ones are brought up to date.
  async function refresh() {
    clearTimeout(timer);
    if (closed || loading || document.visibilityState !== "visible") {
      timer = closed ? null : setTimeout(refresh, EVERY_MS);
      return;
    }
    loading = true;
    try {
      const page = await api.runs(queryOf({ limit: FIRST }));
      if (closed) {
        return;
      }
      const old = new Map(runs.map((run) => [run.run, run]));
      const fresh = page.runs.filter((run) => !old.has(run.run));
      let changed = runs.length === 0 || fresh.length > 0;
      if (runs.length <= page.runs.length || fresh.length === page.runs.length) {
        changed ||= page.runs.length !== runs.length
          || page.runs.some((run, i) => version(run) !== version(runs[i]));
        runs = page.runs;
        next = page.next;
      } else {
        const byId = new Map(page.runs.map((run) => [run.run, run]));
        runs = [...fresh, ...runs.map((run) => {
          const now = byId.get(run.run);
          changed ||= now !== undefined && version(now) !== version(run);
          return now ?? run;
        })];
      }
      loading = false;
      if (changed) {
        const keep = runs.length > 0 && list.selected >= 0 ? list.selected + fresh.length : -1;
        list.setCount(runs.length);
        if (keep >= 0 && fresh.length > 0 && runs.length > fresh.length) {
          list.select(keep, false);
        }
      }
      drawStatus();
      usageRead++;
    usageSoon();
    } catch (error) {
      if (runs.length === 0 && !closed) {
        showError(list.root, error);
      }
    } finally {
      loading = false;
      timer = closed ? null : setTimeout(refresh, EVERY_MS);
    }
  }

  async function more() {
    if (loading || next === null || closed) {
      return;
    }
    loading = true;
    try {
      const page = await api.runs(queryOf({ limit: PAGE, before: next }));
      const known = new Set(runs.map((run) => run.run));
      runs = runs.concat(page.runs.filter((run) => !known.has(run.run)));
      next = page.next;
      list.setCount(runs.length);
      drawStatus();
    } catch (error) {
      toastError(error);
    } finally {
      loading = false;
    }
  }

  list.root.addEventListener("scroll", () => {
    usageSoon();
    if (list.range().last > runs.length - PAGE / 2) {
      more();
    }
  }, { passive: true });

  function setFilter(name, value) {
    filters[name] = value;
    setQuery({ [name]: value });
    runs = [];
    next = null;
    list.setCount(0);
    loading = false;
    refresh();
  }

  let typing = null;
  const search = h("input.search", { type: "search", placeholder: "Search tasks  /",
    "aria-label": "Search tasks", value: filters.text, oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => setFilter("text", search.value.trim()), 250);
    } });
  const select = (name, label, options) => h("select", { "aria-label": label,
    onchange: (event) => setFilter(name, event.target.value) },
  options.map(([value, text]) => h("option", { value, selected: value === filters[name] }, text)));
  const input = (name, label, width) => h("input", { "aria-label": label, placeholder: label,
    value: filters[name], style: { width }, onchange: (event) => setFilter(name,
      event.target.value.trim()) });

  replace(main,
    h("header.bar", null, h("h1", null, "Runs"), status, h("span.grow"),
      button("Start a run", () => startRun(navigate), { kind: "primary" })),
    h("div.filters", null, search,
      select("state", "State", [["", "any state"], ...STATES.map((state) => [state, state])]),
      input("agent", "agent", "10em"), input("user", "user", "10em"), filters.thread
        ? h("span.chip", null, "one thread ",
        button("\u00d7", () => navigate("/studio/"), { kind: "icon", "aria-label": "all threads" }))
        : null),
    bulk,
    h("div.run-row.run-head", { "aria-hidden": "true" }, COLUMNS.map((name, i) => h(
      i > 3 ? "span.num" : "span", null, name))),
    list.root);
  main.classList.add("fixed");
  list.setCount(0);
  refresh();
  return { title: "Runs",
    keys: { j: () => list.move(1), k: () => list.move(-1), Enter: () => list.open(),
      "/": () => search.focus(), n: () => startRun(navigate),
      x: () => list.selected >= 0 && toggle(runs[list.selected]),
      Escape: () => { if (picked.size > 0) { picked.clear(); list.redraw(); drawBulk(); } } },
    close: () => {
      closed = true;
      clearTimeout(timer);
      clearTimeout(typing);
      clearTimeout(reading);
    } };
}
