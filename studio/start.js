// SPDX-License-Identifier: Apache-2.0
// start.js - the dialogs that make a run: a new one, or a fork of another.
import { agents, api, can } from "./api.js";
import { h } from "./dom.js";
import { plain } from "./hidden.js";
import { button, dialog, runHref, toastError } from "./ui.js";

function labelled(label, id, node, help) {
  node.id = id;
  return h("div.field", null, h("label", { for: id }, label), node,
    help ? h("p.help", null, help) : null);
}

// Shows the dialog and posts what it gives. `post(values)` returns the new run.
async function ask(title, parts, submitLabel, post, navigate) {
  const made = await dialog((close) => {
    const problem = h("p.problem", { role: "alert", hidden: true });
    const submit = h("button.primary", { type: "submit" }, submitLabel);
    return { title, focus: parts.focus, body: [parts.body, problem],
      submit: async () => {
        submit.disabled = true;
        try {
          close(await post(parts.read()));
        } catch (error) {
          problem.hidden = false;
          problem.textContent = [error.message, error.hint].filter(Boolean).join(" \u2013 ");
        }
        submit.disabled = false;
      },
      actions: [button("Cancel", () => close()), submit] };
  });
  if (made) {
    navigate(runHref(made.run));
  }
}

export async function startRun(navigate, chosen = null, thread = null) {
  let found;
  try {
    found = (await agents()).agents;
  } catch (error) {
    toastError(error);
    return;
  }
  const select = h("select", null, found.map((agent) => h("option", { value: agent.name,
    selected: agent.name === chosen }, plain(agent.name))));
  const task = h("textarea", { rows: "4" });
  const model = h("input", { placeholder: "that of the agent" });
  await ask("Start a run", {
    focus: () => task.focus(),
    body: found.length === 0 ? h("p", null, "This server serves no agents: start it as ",
      h("code", null, "haft serve SPEC"), ".")
      : [labelled("Agent", "start-agent", select), labelled("Task", "start-task", task),
        h("details", null, h("summary", null, "Model"),
          labelled("Model", "start-model", model, "provider:model"))],
    read: () => ({ agent: select.value, task: task.value, model: model.value || undefined,
      thread: thread ?? undefined }),
  }, "Start", (values) => api.start(values), navigate);
}

export const canFork = () => can("post /runs/*/fork");

// `point`: {call} or {at: seq} or {turn} or {step}, or {} for the start. A fork at a call waits for
// its answer; every other one continues.
export async function forkRun(navigate, run, point) {
  const answer = h("textarea", { rows: "3" });
  const task = h("textarea", { rows: "3" });
  const [[kind, value] = ["start"]] = Object.entries(point);
  const words = { call: `where ${value} was pending`, at: `after event ${value}`,
    turn: value === 0 ? "before the first turn" : `after turn ${value}`,
      step: `after step ${value}`,
    start: "from the start" };
  await ask(`Fork ${words[kind]}`, {
    focus: () => (kind === "call" ? answer : task).focus(),
    body: [h("p.dim", null, "A new run begins with the events of this one up to that point. This "
      + "run stays as it is."),
    kind === "call" ? labelled("Another answer", "fork-answer", answer,
      "In place of the tool, if it "
      + "was an approval. Empty: the new run waits at the call.") : null,
    kind === "start" ? labelled("Another task", "fork-task", task, "Empty: the same task.") : null],
    read: () => ({ answer: answer.value, fork: kind === "call" ? point : kind !== "start"
      ? { ...point, start: true } : task.value ? { task: task.value } : { turn: 0, start: true } }),
  }, "Fork", async ({ fork, answer: text }) => {
    const made = await api.fork(run, fork);
    if (kind === "call" && text) {
      await api.answer(made.run, value, text);
    }
    return made;
  }, navigate);
}
