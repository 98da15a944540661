// SPDX-License-Identifier: Apache-2.0
// run.js - one run: its header, its tabs and the details of what is selected. One stream of events
// feeds the store; each tab draws from it.
import { agentOf, api, can, deleteRun } from "../api.js";
import { h, replace } from "../dom.js";
import { exportMenu } from "../export.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { longText } from "../json.js";
import { canFork, forkRun } from "../start.js";
import { elapsed, emptyRun, fold, stateOf } from "../store.js";
import { button, confirm, copyButton, dialog, emptyState, gateMeter, go, meter, runHref,
  runningTime, stateLabel, toast, toastError } from "../ui.js";
import { ENDS, mode } from "../words.js";
import { clientTools } from "../clienttools.js";
import bytesTab from "./bytes.js";
import { detailsOf } from "./details.js";
import graphTab from "./graph.js";
import logTab from "./log.js";
import storyTab from "./story.js";
import waterfallTab from "./waterfall.js";

const TABS = [["story", "Story", storyTab], ["waterfall", "Waterfall", waterfallTab],
  ["graph", "Graph", graphTab, "get /runs/*/picture.svg"], ["log", "Log", logTab],
  ["bytes", "Bytes", bytesTab, "get /runs/*/turns/*/request"]];

async function act(what, done) {
  try {
    await what();
    toast(done);
  } catch (error) {
    toastError(error);
  }
}

function budgetBars(state, limits) {
  const usage = state.usage;
  const tokens = usage.input_tokens + usage.output_tokens;
  const context = state.context;
  return [
    meter("turns", state.counts.turns, limits?.turns ?? 0, limits?.turns
      ? `${state.counts.turns} of ${limits.turns}` : String(state.counts.turns)),
    meter("calls", state.counts.calls, limits?.calls ?? 0, limits?.calls
      ? `${state.counts.calls} of ${limits.calls}` : String(state.counts.calls)),
    meter("tokens", tokens, limits?.tokens ?? 0, limits?.tokens
      ? `${format.amount(tokens)} of ${format.amount(limits.tokens)}` : format.amount(tokens)),
    meter("cost", usage.cost_usd ?? 0, limits?.usd ?? 0, limits?.usd
      ? `${format.cost(usage.cost_usd)} of ${format.cost(limits.usd)}`
      : format.cost(usage.cost_usd)),
    context?.tokens ? meter("context", context.estimated, context.tokens,
      `${format.amount(context.estimated)} of ${format.amount(context.tokens)}`) : null,
  ];
}

// The part of the page above the tabs.
function header(place, run, limits, acts) {
  const { state } = run;
  const started = state.started;
  const now = stateOf(state);
  const turn = state.turns.get(state.counts.turns)?.event;
  const title = h("h1", null, started ? plain(started.name) : "Run",
    h("span.id.mono", { title: state.run }, format.shortId(state.run)), copyButton(state.run));
  replace(place,
    h("div.run-title", null, stateLabel(now), title, h("span.grow"), acts),
    started ? h("p.task", null, longText(started.task, 300)) : null,
    h("div.run-facts", null,
      started ? h("span", null, h("span.meter-label", null, "started"),
        h("time", { datetime: started.at, title: started.at }, format.moment(started.at))) : null,
      h("span", null, h("span.meter-label", null, "took"), state.finished
        ? format.duration(elapsed(state)) : started ? runningTime(started.at) : "\u2013"),
      turn && !state.finished ? h("span", null, h("span.meter-label", null, "now"), mode(turn))
        : null,
      gateMeter(state.gate), budgetBars(state, limits),
      started?.parent ? h("span", null, h("span.meter-label", null, "part of"),
        go(runHref(started.parent), format.shortId(started.parent))) : null,
      started ? h("span", null, h("span.meter-label", null, "thread"),
        go(`/studio/threads/${started.thread}`, format.shortId(started.thread))) : null,
      started?.user ? h("span", null, h("span.meter-label", null, "user"), plain(started.user))
        : null),
    state.finished && state.finished.end !== "done" ? h("p.end-reason", null,
      `${ENDS[now] ?? now}: ${plain(state.finished.reason ?? "")}`) : null);
}

export default function runView(main, [id], query, context) {
  const { navigate, setQuery, connection, showError } = context;
  const run = { id, state: emptyRun(id), row: null }; // row: as it was when the page was opened
  const abort = new AbortController();
  const offered = TABS.filter(([, , , route]) => !route || can(route));
  let limits = null;
  let tab = null;
  let selected = null; // {type, ...}: what the details show
  let drawing = false;
  let loaded = false;

  const top = h("header.run-header");
  const body = h("div.run-body", { id: "run-body" });
  const details = h("aside.details", { "aria-label": "Details", tabindex: "-1", hidden: true });
  const tabs = h("div.tabs", { role: "tablist" });

  function acts() {
    const now = stateOf(run.state);
    const ended = run.state.finished !== null;
    return h("div.actions", null,
      ended ? null : button("Cancel\u2026", async () => {
        const yes = await confirm("Cancel this run?", "Calls that run are stopped. The run ends.",
          "Cancel the run", "danger");
        return yes && act(() => api.cancel(id), "Cancelled");
      }),
      !ended && now !== "waiting" ? button("Resume", () => act(() => api.resume(id), "Resumed"))
        : null,
      canFork() ? button("Fork\u2026", () => fork({}),
        { title: "f forks at what is selected" }) : null,
      button("Compare\u2026", compare), exportMenu(run.state),
      ended ? button("Delete\u2026", remove, { kind: "quiet" }) : null);
  }

  async function remove() {
    const yes = await confirm("Delete this run?", "Its events and artifacts are removed for good.",
      "Delete", "danger");
    if (yes) {
      try {
        await deleteRun(id);
        toast("Deleted");
        navigate("/studio/");
      } catch (error) {
        toastError(error);
      }
    }
  }

  async function compare() {
    let rows = [];
    try {
      rows = (await api.runs({ limit: 50, agent: run.state.started?.name })).runs
        .filter((row) => row.run !== id);
    } catch (error) {
      toastError(error);
      return;
    }
    const other = await dialog((close) => ({ title: "Compare with",
      body: rows.length === 0 ? "There is no other run of this agent."
        : h("ul.choose", null, rows.map((row) => h("li", null, button([
          stateLabel(row.end ?? row.state), h("span", null, plain(format.excerpt(row.task, 80))),
          h("time.dim", null, format.moment(row.created))], () => close(row.run),
        { kind: "row" })))),
      actions: [button("Cancel", () => close())] }));
    if (other) {
      navigate(`/studio/runs/${id}...${other}`);
    }
  }

  function fork(point) {
    if (canFork()) {
      forkRun(navigate, id, point);
    }
  }

  // ---- selection ----

  function select(what, { reveal = true, history = true } = {}) {
    selected = what;
    if (history) {
      setQuery({ event: what?.seq ?? null });
    }
    drawDetails();
    tab?.mark?.(what, reveal);
  }

  function drawDetails() {
    details.hidden = selected === null;
    body.parentNode.dataset.details = selected === null ? "no" : "yes";
    if (selected !== null) {
      const keep = details.dataset.key === selected.key ? details.scrollTop : 0;
      details.dataset.key = selected.key;
      replace(details, h("div.details-close", null, button("\u00d7", () => select(null),
        { kind: "icon", "aria-label": "Close details" })),
      detailsOf(selected, run, { fork, navigate, select, openTab }));
      details.scrollTop = keep;
    }
  }

  // What has the event: a call, a turn, a reply, a note.
  function find(seq) {
    const event = run.state.events[seq - 1];
    if (!event) {
      return null;
    }
    const call = event.call && run.state.calls.get(event.call);
    if (call) {
      return { type: "call", key: call.id, call, seq };
    }
    const block = event.kind === "turn_started" ? run.state.turns.get(event.turn) : null;
    return block ? { type: "block", key: block.key, block, seq }
      : { type: "event", key: `e${seq}`, event, seq };
  }

  // ---- tabs ----

  const view = { id, run, select, fork, navigate, setQuery, find, openTab,
    selected: () => selected };

  function openTab(name, more = {}) {
    const [key, , make] = offered.find(([one]) => one === name) ?? TABS[0];
    tab?.close?.();
    body.replaceChildren();
    setQuery({ tab: key === "story" ? null : key, turn: null, ...more }, { push: loaded });
    [...tabs.children].forEach((one) => {
      const on = one.dataset.tab === key;
      one.setAttribute("aria-selected", on ? "true" : "false");
      one.tabIndex = on ? 0 : -1;
    });
    body.setAttribute("aria-label", key);
    tab = make(body, view, new URLSearchParams(location.search));
    tab.draw?.();
    if (selected) {
      tab.mark?.(selected, true);
    }
  }

  replace(tabs, offered.map(([name, label], i) => h("button.tab", { type: "button", role: "tab",
    data: { tab: name }, "aria-controls": "run-body", title: `key ${i + 1}`,
    onclick: () => openTab(name) }, label)));
  tabs.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) {
      const all = [...tabs.children];
      const at = (all.indexOf(event.target) + by + all.length) % all.length;
      all[at].focus();
      all[at].click();
      event.stopPropagation();
    }
  });
  body.setAttribute("role", "tabpanel");

  // ---- events ----

  function draw() {
    drawing = false;
    if (abort.signal.aborted) {
      return;
    }
    header(top, run, limits, acts());
    tab?.draw?.();
    if (selected?.type === "call" || selected?.type === "block") {
      const version = (selected.call ?? selected.block).version;
      if (version !== selected.version) {
        selected.version = version;
        drawDetails();
      }
    }
  }

  function later() {
    if (!drawing) {
      drawing = true;
      requestAnimationFrame(draw);
    }
  }

  async function follow() {
    const tools = clientTools(id, abort.signal);
    try {
      run.row = await api.run(id);
      for await (const event of api.events(id, { signal: abort.signal, since: run.state.seq,
        onconnection: (on, error) => !abort.signal.aborted && connection(on, error) })) {
        if (fold(run.state, event)) {
          tools.see(event);
          later();
        }
        if (!loaded && run.state.started) {
          begin();
        }
      }
      connection(true);
    } catch (error) {
      if (!abort.signal.aborted) {
        if (run.state.seq === 0 && error.status === 404) {
          replace(main, emptyState("No such run", h("p", null, "It may have been deleted. ",
            go("/studio/", "All runs"))));
        } else {
          showError(body, error);
        }
      }
    }
  }

  // The first events have arrived.
  function begin() {
    loaded = true;
    document.title = `${plain(run.state.started.name)} \u00b7 haft studio`;
    agentOf(run.state.started.name).then((agent) => {
      limits = agent.spec?.limits ?? null;
      later();
    }).catch(() => {}); // the agent need not be served here
    const seq = Number(query.get("event"));
    if (seq > 0) {
      requestAnimationFrame(() => {
        const what = find(seq);
        if (what) {
          select(what, { history: false });
        }
      });
    }
  }

  replace(main, top, tabs, h("div.run-middle", { data: { details: "no" } }, body, details));
  main.classList.add("fixed");
  header(top, run, limits, null);
  openTab(query.get("tab") ?? "story", query.get("turn") ? { turn: query.get("turn") } : {});
  follow();

  const keys = { Escape: () => (selected ? select(null) : navigate("/studio/")),
    f: () => {
      const call = selected?.call;
      fork(call?.paused ? { call: call.id } : call ? { turn: Math.max(0, (call.block.turn ?? 1)
        - 1) } : selected?.block?.turn ? { turn: selected.block.turn } : {});
    },
    a: () => body.querySelector("[data-act=approve], .answer textarea, .answer input")?.click()
      ?? body.querySelector(".answer textarea")?.focus(),
    r: () => body.querySelector("[data-act=reject]")?.click(),
    Enter: () => (tab.open ? tab.open() : details.focus()) };
  for (const name of ["j", "k", "/"]) {
    keys[name] = (event) => tab.keys?.[name]?.(event);
  }
  offered.forEach(([name], i) => { keys[i + 1] = () => openTab(name); });
  return { title: "Run", keys, close: () => {
    abort.abort();
    tab?.close?.();
  } };
}
