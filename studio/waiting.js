// SPDX-License-Identifier: Apache-2.0
// waiting.js - the pending calls of all runs, read again while the page is visible; and the forms
// that answer them.
import { agentOf, api, can, pendingCalls, toolsOf } from "./api.js";
import { diffJson } from "./diff.js";
import { h, replace } from "./dom.js";
import { schemaForm } from "./form.js";
import { plain } from "./hidden.js";
import { diffView, jsonTree, visible } from "./json.js";
import { button, confirm, countdown, dialog, fields, field, toast, toastError } from "./ui.js";
import { PAUSES } from "./words.js";

const EVERY_MS = 3000;

let pending = [];
let timer = null;
const readers = new Set();

export const inboxCount = () => pending.length;

async function read() {
  timer = null;
  if (document.visibilityState === "visible") {
    try {
      pending = await pendingCalls();
      document.dispatchEvent(new CustomEvent("haft:inbox", { detail: pending.length }));
      for (const reader of readers) {
        reader(pending, null);
      }
    } catch (error) {
      for (const reader of readers) {
        reader(pending, error);
      }
    }
  }
  clearTimeout(timer);
  timer = setTimeout(read, readers.size > 0 ? EVERY_MS : EVERY_MS * 5);
}

// Calls `reader(pending, error)` with each new list. Returns a function that ends it.
export function followPending(reader) {
  readers.add(reader);
  refreshPending();
  return () => readers.delete(reader);
}

export function refreshPending() {
  clearTimeout(timer);
  read();
}

document.addEventListener("visibilitychange", refreshPending);
setTimeout(read, 0);

// ---- answering ----

// `item` has root, run, call, kind, tool, arguments, question, binding, asks.
async function send(item, command, done) {
  try {
    await api.command(item.run, { call: item.call, ...command });
    toast(done);
    refreshPending();
    return true;
  } catch (error) {
    if (error.status === 409) {
      toast(`${error.message} ${error.hint}`.trim(), "warn");
      refreshPending();
    } else {
      toastError(error);
    }
    return false;
  }
}

async function schemaOf(item) {
  if (item.asks?.schema) {
    return item.asks.schema;
  }
  try {
    const tools = can("get /agents/*/tools") ? (await toolsOf(item.agent)).tools
      : (await agentOf(item.agent)).spec?.tools;
    return tools?.find((tool) => tool.name === item.tool)?.input_schema ?? null;
  } catch {
    return null; // the agent may not be served here any more
  }
}

export async function approve(item) {
  const yes = await confirm(`Approve ${plain(item.tool)}?`, [
    h("p", null, "The call runs with exactly these arguments:"), jsonTree(item.arguments),
  ], "Approve");
  return yes && send(item, { command: "approve", binding: item.binding },
    `Approved ${plain(item.tool)}`);
}

export async function again(item) {
  const yes = await confirm(`Run ${plain(item.tool)} again?`,
    "It may have had its effect already. If it had, it happens twice.", "Run again", "danger");
  return yes && send(item, { command: "again" }, `${plain(item.tool)} runs again`);
}

export async function reject(item) {
  const why = await dialog((close) => {
    const input = h("textarea", { rows: "3", id: "why" });
    return { title: `Reject ${plain(item.tool)}`, focus: () => input.focus(),
      body: [h("label", { for: "why" }, "Reason, which the model reads"), input],
      submit: () => close(input.value),
      actions: [button("Cancel", () => close()), h("button.danger", { type: "submit" },
        "Reject")] };
  });
  return why !== undefined && send(item, { command: "reject", why: why || undefined },
    `Rejected ${plain(item.tool)}`);
}

export async function edit(item) {
  const schema = await schemaOf(item);
  const value = await dialog((close) => {
    const form = schemaForm(schema, item.arguments);
    const problem = h("p.problem", { role: "alert", hidden: true });
    const preview = h("div");
    const check = () => {
      try {
        const next = form.read();
        problem.hidden = true;
        replace(preview, diffView(diffJson(item.arguments, next)));
        return next;
      } catch (error) {
        problem.hidden = false;
        problem.textContent = error.message;
        return undefined;
      }
    };
    const body = h("div", { oninput: check }, form.node, problem,
      h("h3", null, "Changes"), preview);
    check();
    return { title: `Edit ${plain(item.tool)}`, body, focus: form.focus,
      submit: () => {
        const next = check();
        if (next !== undefined) {
          close(next);
        }
      },
      actions: [button("Cancel", () => close()),
        h("button.primary", { type: "submit" }, "Approve with these arguments")] };
  });
  return value !== undefined && send(item, { command: "edit", value, binding: item.binding },
    `Approved ${plain(item.tool)} with other arguments`);
}

// The form for an answer: text for a question, fields for an MCP form, JSON for a client's result.
function answerForm(item, done, others) {
  const question = item.kind === "question" && !item.asks;
  const choices = question && Array.isArray(item.arguments?.choices) ? item.arguments.choices
    : null;
  const form = item.asks?.schema ? schemaForm(item.asks.schema) : null;
  const input = form ? null : h(question ? "textarea" : "textarea.mono", { rows: question ? "2"
    : "4",
    "aria-label": question ? "Answer" : "Result as JSON",
    placeholder: question ? "Answer" : "Result as JSON",
    value: question && typeof item.arguments?.default === "string" ? item.arguments.default : "" });
  const submit = async (value) => {
    buttons.forEach((one) => { one.disabled = true; });
    if (await send(item, { command: "answer", value }, "Answered")) {
      done?.();
    }
    buttons.forEach((one) => { one.disabled = false; });
  };
  const read = () => {
    try {
      const value = form ? { action: "accept", content: form.read() }
        : question ? input.value : JSON.parse(input.value);
      submit(value);
    } catch (error) {
      toast(error.message, "bad");
    }
  };
  const buttons = [h("button.primary", { type: "submit" }, "Answer")];
  if (item.asks) {
    buttons.push(button("Decline", () => submit({ action: "decline" })));
  }
  return h("form.answer", { onsubmit: (event) => {
    event.preventDefault();
    read();
  } }, choices ? h("div.choices", null, choices.map((choice) => button(plain(String(choice)),
    () => submit(String(choice))))) : null,
  form?.node ?? input, h("div.actions", null, buttons, others));
}

// A pending call with what can be done about it.
export function pendingCard(item, { done, link } = {}) {
  const actions = [];
  if (item.kind === "approval") {
    actions.push(button("Approve", () => approve(item).then((ok) => ok && done?.()),
      { kind: "primary", data: { act: "approve" } }),
    button("Edit\u2026", () => edit(item).then((ok) => ok && done?.())));
  } else if (item.kind === "unknown_outcome") {
    actions.push(button("Run again\u2026", () => again(item).then((ok) => ok && done?.()),
      { data: { act: "approve" } }));
  }
  actions.push(button("Reject\u2026", () => reject(item).then((ok) => ok && done?.()),
    { kind: "quiet", data: { act: "reject" } }));
  const answers = item.kind !== "approval";
  return h("article.pending", { data: { kind: item.kind } },
    h("header", null, h("span.kind", null, PAUSES[item.kind] ?? item.kind),
      h("strong.mono", null, visible(item.tool ?? "")), link ?? null,
      item.deadline ? countdown(item.deadline) : null),
    item.question ? h("p.question", null, visible(item.question)) : null,
    item.reason ? h("p.dim", null, visible(item.reason)) : null,
    item.asks?.url ? h("p", null, "The server asks to open ",
      h("span.target", null, visible(item.asks.url))) : null,
    item.kind === "question" && !item.asks ? null
      : fields(field("arguments", jsonTree(item.arguments ?? {}))),
    answers ? answerForm(item, done, actions) : h("div.actions", null, actions));
}
