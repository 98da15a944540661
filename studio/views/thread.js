// SPDX-License-Identifier: Apache-2.0
// thread.js - a conversation: the runs of a thread one after the other, and a box for the next
// message. To edit an earlier message is to fork its run.
import { api, eventsOf, threadOf } from "../api.js";
import { h, reconcile, replace } from "../dom.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { longText } from "../json.js";
import { render } from "../markdown.js";
import { canFork, forkRun, startRun } from "../start.js";
import { emptyRun, fold, stateOf } from "../store.js";
import { button, emptyState, go, runHref, stateLabel, toastError } from "../ui.js";
import { pendingCard } from "../waiting.js";

const EVERY_MS = 2000;

export default function threadView(main, [thread], _query, { navigate, showError, connection }) {
  const states = new Map(); // run id -> {state, version}
  let rows = [];
  let timer = null;
  let following = null; // {id, abort}
  const closing = new AbortController();
  const list = h("ol.chat", { "aria-live": "polite" });
  const box = h("textarea", { rows: "2", "aria-label": "Message", placeholder: "Message",
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        send();
      }
    } });
  const acts = h("div.actions");

  const last = () => rows.at(-1);
  const isOpen = (row) => row && row.state !== "ended";

  function turnOf(row) {
    const { state } = states.get(row.run) ?? { state: emptyRun(row.run) };
    const live = state.blocks.at(-1)?.live;
    const replies = state.blocks.flatMap((block) => block.items).filter((item) => item.type
      === "reply" && !item.dropped && item.event.content);
    const answer = state.finished?.answer || (state.finished ? "" : replies.at(-1)?.event.content)
      || "";
    const calls = [...state.calls.values()].filter((call) => call.state !== "dropped");
    return h("li.chat-run", null,
      h("div.message.user", null, longText(row.task), canFork() ? button("Edit\u2026",
        () => forkRun(navigate, row.run, {}), { kind: "link" }) : null),
      h("p.chat-calls", null, go(runHref(row.run), plain(row.name)), " ",
        stateLabel(state.seq > 0 ? stateOf(state) : row.end ?? row.state),
        h("span.dim", null, ` ${format.plural(calls.length, "call")}${calls.length > 0 ? `: ${
          format.excerpt([...new Set(calls.map((call) => plain(call.tool)))].join(", "), 100)}`
          : ""}`)),
      [...state.pending.values()].map((item) => pendingCard({ ...item, run: row.run,
        kind: item.pause, agent: row.name })),
      answer || live?.text ? h("div.message.agent", null, render(plain(answer || live.text), h))
        : null,
      state.finished && canFork() ? h("div.actions", null, button("Regenerate",
        () => regenerate(row), { kind: "link" })) : null);
  }

  async function regenerate(row) {
    try {
      const made = await api.fork(row.run, { turn: 0, start: true });
      navigate(`/studio/threads/${made.thread}`);
    } catch (error) {
      toastError(error);
    }
  }

  function draw() {
    reconcile(list, rows, { key: (row) => row.run, make: turnOf,
      version: (row) => `${states.get(row.run)?.state.version} ${row.state} ${row.end}` });
    replace(acts, isOpen(last()) ? button("Stop", () => api.cancel(last().run).catch(toastError),
      { kind: "danger" }) : null, button("Other agent\u2026", () => startRun(navigate,
      last()?.name ?? null, thread)), button("Send", send, { kind: "primary" }));
  }

  async function send() {
    const task = box.value.trim();
    if (task === "" || !last()) {
      return;
    }
    try {
      await api.start({ agent: last().name, task, thread });
      box.value = "";
      read();
    } catch (error) {
      toastError(error);
    }
  }

  async function follow(row) {
    if (following?.id === row.run) {
      return;
    }
    following?.abort.abort();
    const abort = new AbortController();
    following = { id: row.run, abort };
    const entry = states.get(row.run) ?? { state: emptyRun(row.run) };
    states.set(row.run, entry);
    try {
      for await (const event of api.events(row.run, { signal: abort.signal,
        since: entry.state.seq, onconnection: (on, error) => !abort.signal.aborted
          && connection(on, error) })) {
        if (fold(entry.state, event)) {
          requestAnimationFrame(draw);
        }
      }
    } catch (error) {
      toastError(error);
    }
    if (following?.abort === abort) {
      following = null;
    }
  }

  async function load(row) {
    if (!states.has(row.run)) {
      const entry = { state: emptyRun(row.run) };
      states.set(row.run, entry);
      for (const event of await eventsOf(row.run)) {
        fold(entry.state, event);
      }
      draw();
    }
  }

  async function read() {
    clearTimeout(timer);
    try {
      const found = await threadOf(thread);
      if (closing.signal.aborted) {
        return;
      }
      rows = found.runs.filter((row) => !row.parent);
      if (rows.length === 0) {
        replace(list, emptyState("No such thread", go("/studio/", "All runs")));
        return;
      }
      draw();
      rows.filter((row) => !isOpen(row)).forEach((row) => load(row).catch(toastError));
      const open = rows.find(isOpen);
      if (open) {
        follow(open);
      }
    } catch (error) {
      if (rows.length === 0 && !closing.signal.aborted) {
        showError(list, error);
      }
    }
    if (!closing.signal.aborted) {
      timer = setTimeout(read, EVERY_MS);
    }
  }

  replace(main, h("header.bar", null, h("h1", null, "Thread"),
    h("span.id.mono", null, format.shortId(thread)), h("span.grow"),
    go(`/studio/?thread=${thread}`, "its runs")), list,
  h("form.chat-box", { onsubmit: (event) => event.preventDefault() }, box, acts));
  read();
  return { title: "Thread", keys: { "/": () => box.focus() }, close: () => {
    closing.abort();
    following?.abort.abort();
    clearTimeout(timer);
  } };
}
