// SPDX-License-Identifier: Apache-2.0
// agents.js - the agents that this server serves.
import { agents } from "../api.js";
import { h, replace } from "../dom.js";
import { plain } from "../hidden.js";
import { startRun } from "../start.js";
import { button, command, emptyState, go, modelName } from "../ui.js";

export default function agentsView(main, _words, _query, { navigate, showError }) {
  const list = h("div.cards", null, h("p.dim", null, "Loading\u2026"));
  let closed = false;
  replace(main, h("header.bar", null, h("h1", null, "Agents")), list);
  agents().then(({ agents: found }) => {
    if (closed) {
      return;
    }
    replace(list, found.length === 0 ? emptyState("No agents", h("p", null,
      "This server serves no specs. Start it with a file or a folder:"),
    command("haft serve examples/")) : found.map((agent) => h("article.card", null,
      h("header", null, h("h2", null, go(`/studio/agents/${encodeURIComponent(agent.name)}`,
        plain(agent.name))), h("span.dim.mono", null, modelName(agent.model)), h("span.grow"),
      agent.error ? h("span.bad-text", null, plain(agent.error.message))
        : button("Start", () => startRun(navigate, agent.name))),
      agent.description ? h("p.dim", null, plain(agent.description)) : null)));
  }).catch((error) => !closed && showError(list, error));
  let at = -1;
  const move = (by) => {
    const links = [...list.querySelectorAll("h2 a")];
    at = Math.max(0, Math.min(links.length - 1, at + by));
    links[at]?.focus();
  };
  return { title: "Agents", close: () => { closed = true; },
    keys: { j: () => move(1), k: () => move(-1), n: () => startRun(navigate) } };
}
