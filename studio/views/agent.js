// SPDX-License-Identifier: Apache-2.0
// agent.js - one agent: its problems, which tools it gets for a task and why, the tool search, its
// tools as forms, and its spec.
import { agentOf, can, checkAgent, explainAgent, runTool, searchTools, toolsOf } from "../api.js";
import { h, replace } from "../dom.js";
import { schemaForm } from "../form.js";
import * as format from "../format.js";
import { plain } from "../hidden.js";
import { jsonTree, longText, valueView, visible } from "../json.js";
import { startRun } from "../start.js";
import { button, copyButton, dialog, field, fields, modelName, problem, shape,
  toastError } from "../ui.js";
import { mode } from "../words.js";

function problems(found) {
  return found.problems.length === 0 ? h("p.good-text", null, "No problems.")
    : h("ul.problems", null, found.problems.map((one) => h("li", { data: { tone: one.severity
      === "error" ? "bad" : "warn" } }, h("span.mono.dim", null, `${one.line}:${one.column} `),
    visible(one.message), one.hint ? h("span.dim", null, ` ${plain(one.hint)}`) : null)));
}

function toolRow(tool, open) {
  return h("li.tool-row", { data: { offered: tool.offered ? "yes" : "no" } },
    shape(tool.offered ? "ok" : "dropped"),
    button(plain(tool.name), () => open(tool.name), { kind: "row" }),
    h("span.dim", null, tool.server ? `${tool.source} ${plain(tool.server)}` : tool.source),
    h("span.tool-reason", null, plain(tool.reason), tool.search ? h("span.dim", null,
      ` rank ${tool.search.rank}${tool.search.score === null ? "" : `, score ${
        tool.search.score.toFixed(2)}`}, ${tool.search.why}`) : null));
}

function tree(found, open) {
  const offered = found.tools.filter((tool) => tool.offered);
  const out = found.tools.filter((tool) => !tool.offered);
  const turn = found.first_turn;
  return [
    fields(field("model", found.model), field("format", `${found.format}: ${found.format_reason}`),
      turn ? field("first turn", [h("span.mode", { data: { mode: turn.mode } }, mode(turn)), " ",
        plain(turn.reason)]) : null,
      field("deferred", found.deferred?.tools > 0 ? `${found.deferred.shown} of ${
        found.deferred.tools} shown, at most ${found.deferred.cap}` : null)),
    h("h3", null, `In the request: ${format.plural(offered.length, "tool")}`),
    h("ul.tools", null, offered.map((tool) => toolRow(tool, open))),
    out.length > 0 ? [h("h3", null, `Not in the request: ${out.length}`),
      h("ul.tools", null, out.map((tool) => toolRow(tool, open)))] : null,
    found.prompt ? h("details", null, h("summary", null, "The prompt that would be sent"),
      h("pre.text", null, longText(typeof found.prompt === "string" ? found.prompt
        : JSON.stringify(found.prompt, null, 2)))) : null,
    h("details", null, h("summary", null, "Everything"), jsonTree(found)),
  ];
}

// A test case for a test of the agent: the call and what it returned.
const caseOf = (agent, tool, args, result) => `${JSON.stringify({ agent, tool, arguments: args,
  result }, null, 2)}\n`;

async function toolForm(agent, tool) {
  if (!can("post /agents/*/tools/*")) {
    await dialog((close) => ({ title: tool.name, body: [h("p", null,
      visible(tool.description ?? "")),
      jsonTree(tool.input_schema ?? {})], submit: () => close(),
    actions: [h("button.primary", { type: "submit" }, "Close")] }));
    return;
  }
  await dialog((close) => {
    const form = schemaForm(tool.input_schema, {});
    const place = h("div", { "aria-live": "polite" });
    const submit = h("button.primary", { type: "submit" }, "Run");
    return { title: tool.name, focus: form.focus,
      body: [tool.description ? h("p.dim", null, visible(tool.description)) : null, form.node,
        place],
      submit: async () => {
        submit.disabled = true;
        try {
          const args = form.read();
          const result = await runTool(agent, tool.name, args);
          replace(place, h("h3", null, result.ok === false ? "Error" : "Result"),
            valueView(result.ok === false ? result.error : result.result ?? result),
            copyButton(() => caseOf(agent, tool.name, args, result), "Copy as a test case"));
        } catch (error) {
          replace(place, problem(error));
        }
        submit.disabled = false;
      },
      actions: [button("Close", () => close()), submit] };
  });
}

export default function agentView(main, [name], query, { navigate, setQuery, showError }) {
  let closed = false;
  let tools = [];
  const part = (title, ...children) => h("section.part", null, h("h2", null, title), children);
  const check = h("div");
  const why = h("div", { "aria-live": "polite" });
  const hits = h("div", { "aria-live": "polite" });
  const spec = h("div");
  const task = h("input", { id: "explain-task", value: query.get("task") ?? "" });
  const words = h("input", { id: "search-words" });
  const guard = (place, promise, show) => promise.then((found) => !closed && show(found))
    .catch((error) => !closed && showError(place, error));

  const open = (tool) => {
    const found = tools.find((one) => one.name === tool);
    found ? toolForm(name, found) : toastError(new Error(`${tool} cannot be run here`));
  };
  const explain = () => {
    setQuery({ task: task.value });
    guard(why, explainAgent(name, task.value), (found) => replace(why, tree(found, open)));
  };

  replace(main, h("header.bar", null, h("h1", null, plain(name)), h("span.grow"),
    button("Start a run", () => startRun(navigate, name), { kind: "primary" })),
  h("div.parts", null,
    !can("post /agents/*/explain") ? null : part("Tools for a task", h("form.inline",
      { onsubmit: (event) => {
      event.preventDefault();
      explain();
    } }, h("label", { for: "explain-task" }, "Task"), task,
    h("button.primary", { type: "submit" }, "Explain")), why),
    !can("get /agents/*/search") ? null : part("Tool search", h("form.inline",
      { onsubmit: (event) => {
      event.preventDefault();
      guard(hits, searchTools(name, words.value), ({ hits: found }) => replace(hits,
        found.length === 0 ? h("p.dim", null, "No tool matches.") : h("ol.hits", null,
          found.map((hit) => h("li", null, button(plain(hit.id ?? hit.name),
            () => open(hit.id ?? hit.name), { kind: "row" }),
          h("span.num", null, hit.score.toFixed(2)), h("span.dim", null, hit.why))))));
    } }, h("label", { for: "search-words" }, "Query"), words,
    h("button", { type: "submit" }, "Search")), hits),
    can("get /agents/*/check") ? part("Problems", check) : null, part("Spec", spec)));
  if (can("get /agents/*/check")) {
    guard(check, checkAgent(name), (found) => replace(check, problems(found)));
  }
  guard(spec, agentOf(name), (found) => replace(spec, fields(field("model", modelName(found.model)),
    field("kind", found.kind),
  found.error ? field("problem", plain(found.error.message)) : null,
  found.spec_hash ? field("hash", h("span.mono", null, found.spec_hash)) : null),
  found.spec ? jsonTree(found.spec) : null));
  if (can("post /agents/*/explain")) {
    toolsOf(name).then((found) => { tools = found.tools; }).catch(() => {}); // `explain` reports it
    explain();
  }
  return { title: name, close: () => { closed = true; },
    keys: { "/": () => task.focus(), n: () => startRun(navigate, name),
      Escape: () => navigate("/studio/agents") } };
}
