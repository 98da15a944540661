// SPDX-License-Identifier: Apache-2.0
// api.js - the server's runs API, as the page uses it. Nothing else here knows a path of it.
import { Haft, HaftError } from "./haft.js";

export { HaftError };

const TOKEN = "haft-token";
const MAX_PAGES = 10; // of pending calls

// `haft serve --open` passes a token behind the '#', which browsers do not send to servers.
function tokenOfPage() {
  const match = /^#token=([\w.~+/=-]+)$/.exec(location.hash);
  if (match) {
    sessionStorage.setItem(TOKEN, match[1]);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(TOKEN);
}

export const api = new Haft({ url: "", token: tokenOfPage() });

export function setToken(token) {
  api.token = token;
  sessionStorage.setItem(TOKEN, token);
}

const agent = (name) => `/agents/${encodeURIComponent(name)}`;

// What this server offers, from its own description: acts that it lacks are not shown.
let offered = null;

export async function readOffer() {
  const { paths } = await api.request("GET", "/openapi.json");
  offered = new Set(Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods)
    .map((method) => `${method} ${path.replace(/^\/api\/v1/, "").replace(/\{[^}]*\}/g, "*")}`)));
}

// can("post /runs/*/fork")
export const can = (route) => offered?.has(route) ?? false;

export const agents = () => api.get("/agents");
export const agentOf = (name) => api.get(agent(name));
export const checkAgent = (name) => api.get(`${agent(name)}/check`);
export const explainAgent = (name, task) => api.request("POST", `${agent(name)}/explain`,
  task ? { task } : {});
export const toolsOf = (name) => api.get(`${agent(name)}/tools`);
export const runTool = (name, tool, args) => api.request("POST",
  `${agent(name)}/tools/${encodeURIComponent(tool)}`, { arguments: args });
export const searchTools = (name, query) => api.get(`${agent(name)}/search`, { query });
export const threadOf = (id) => api.get(`/threads/${id}`);
const textOf = async (path) => (await api.open("GET", path)).text();
export const requestBytes = (id, turn) => textOf(`/runs/${id}/turns/${turn}/request`);
export const replyBytes = (id, turn) => textOf(`/runs/${id}/turns/${turn}/reply`);
export const stateOfGraph = (id, step) => api.get(`/runs/${id}/state`, { step });
export const pictureOf = (id, kind) => api.get(`/runs/${id}/picture.svg`, { kind });
export const system = () => api.get("/system");
export const models = () => api.get("/models");
export const deleteRun = (id) => api.request("DELETE", `/runs/${id}`);
export const artifact = (id, name) => api.open("GET", `/runs/${id}/artifacts/${
  name.split("/").map(encodeURIComponent).join("/")}`, undefined, { headers: { Accept: "*/*" } });

// All pending calls, each with its run and agent.
export async function pendingCalls() {
  const all = [];
  let before = null;
  for (let page = 0; page < MAX_PAGES && (page === 0 || before); page++) {
    const { pending, next } = await api.pending({ limit: 1000, before });
    all.push(...pending.map(({ pending: call, ...run }) => ({ ...run, ...call })));
    before = next;
  }
  return all;
}

// All events so far, without waiting for more.
export async function eventsOf(id) {
  const all = [];
  for (let more = true; more;) {
    const page = await api.get(`/runs/${id}/events`, { since: all.at(-1)?.seq ?? 0 });
    all.push(...page.events);
    more = page.more && page.events.length > 0;
  }
  return all;
}
