// SPDX-License-Identifier: Apache-2.0
// main.js - the frame of the page: navigation, addresses, keys, theme, and the state of the
// connection. Each view is a module that draws itself into <main>.
import { can, HaftError, readOffer, setToken } from "./api.js";
import { h, replace } from "./dom.js";
import { button, dialog, emptyState, go, problem, tick } from "./ui.js";
import { inboxCount } from "./waiting.js";
import agentView from "./views/agent.js";
import agentsView from "./views/agents.js";
import compareView from "./views/compare.js";
import inboxView from "./views/inbox.js";
import runView from "./views/run.js";
import runsView from "./views/runs.js";
import systemView from "./views/system.js";
import threadView from "./views/thread.js";

const ID = "[0-7][0-9a-hjkmnp-tv-z]{25}";
const VIEWS = [
  [/^\/studio\/?$/, runsView, "runs"],
  [/^\/studio\/inbox$/, inboxView, "inbox"],
  [new RegExp(`^/studio/runs/(${ID})\\.\\.\\.(${ID})$`), compareView, "runs"],
  [new RegExp(`^/studio/runs/(${ID})$`), runView, "runs"],
  [new RegExp(`^/studio/threads/(${ID})$`), threadView, "runs"],
  [/^\/studio\/agents$/, agentsView, "agents"],
  [/^\/studio\/agents\/([^/]+)$/, agentView, "agents"],
  [/^\/studio\/system$/, systemView, "system"],
];
const NAV = [["runs", "Runs", "/studio/"], ["inbox", "Inbox", "/studio/inbox"],
  ["agents", "Agents", "/studio/agents"], ["system", "System", "/studio/system"]];

const main = document.getElementById("main");
let view = null; // {keys, close}

// ---- theme ----

const THEMES = ["system", "light", "dark"];

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("haft-theme", theme);
}

function nextTheme() {
  const now = document.documentElement.dataset.theme;
  applyTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
  drawNav();
}

// ---- navigation ----

function drawNav(active = document.getElementById("nav").dataset.active ?? "runs") {
  const nav = document.getElementById("nav");
  nav.dataset.active = active;
  const theme = document.documentElement.dataset.theme;
  replace(nav,
    h("a.brand", { href: "/studio/", "aria-label": "haft studio" },
      h("img", { src: "/studio/app/icon.svg", alt: "", width: "20", height: "20" }),
      h("span", null, "haft")),
    h("ul", null, NAV.filter(([name]) => name !== "system"
      || can("get /system")).map(([name, label, href]) => h("li", null,
      h("a", { href, "aria-current": name === active ? "page" : null }, h("span", null, label),
        name === "inbox" ? h("span.badge", { id: "inbox-count" }) : null)))),
    h("div.nav-foot", null,
      button(`Theme: ${theme}`, nextTheme, { kind: "link" }),
      button("Keys ?", showKeys, { kind: "link" })));
  drawInboxCount(inboxCount());
}

function drawInboxCount(count) {
  const badge = document.getElementById("inbox-count");
  if (badge) {
    badge.textContent = count > 0 ? (count > 99 ? "99+" : count) : "";
    badge.hidden = count === 0;
    badge.setAttribute("aria-label", `${count} pending`);
  }
}

export function navigate(href, { replaceState = false } = {}) {
  const url = new URL(href, location.href);
  if (replaceState) {
    history.replaceState({ scroll: 0 }, "", url);
  } else {
    history.replaceState({ ...history.state, scroll: main.scrollTop }, "");
    history.pushState({ scroll: 0 }, "", url);
  }
  route();
}

// Changes the query of the address without drawing the view again.
export function setQuery(changes, { push = false } = {}) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "" || value === undefined) {
      url.searchParams.delete(name);
    } else {
      url.searchParams.set(name, value);
    }
  }
  if (url.href !== location.href) {
    history[push ? "pushState" : "replaceState"](history.state, "", url);
  }
}

function notFound() {
  replace(main, emptyState("No such page", h("p", null, go("/studio/", "All runs"))));
  return {};
}

const context = { navigate, setQuery, connection };

function route() {
  view?.close?.();
  for (const open of document.querySelectorAll("dialog[open]")) {
    open.close();
  }
  connection(true);
  const path = location.pathname;
  const found = VIEWS.find(([pattern]) => pattern.test(path));
  main.className = "";
  drawNav(found?.[2] ?? "");
  let words;
  try {
    words = found ? found[0].exec(path).slice(1).map(decodeURIComponent) : [];
  } catch {
    words = null; // not valid percent-encoding
  }
  view = found && words ? found[1](main, words, new URLSearchParams(location.search), context)
    : notFound();
  document.title = `${view.title ?? "haft"} \u00b7 haft studio`;
  main.focus({ preventScroll: true });
}

// ---- the connection ----

function connection(connected, error = null) {
  const place = document.getElementById("connection");
  place.hidden = connected;
  if (!connected) {
    place.textContent = `Not connected${error?.message ? `: ${error.message}` : ""}. `
      + "Trying again; nothing is lost.";
  }
}

let asking = null;

// Asks for a token once, whoever needed it. Resolves when there is one.
export function askForToken() {
  asking ??= dialog((close) => {
    const input = h("input", { type: "password", autocomplete: "off", id: "token",
      required: true });
    return { title: "This server wants a token", focus: () => input.focus(),
      body: [h("label", { for: "token" }, "Token"), input,
        h("p.help", null, "An operator creates one with ", h("code", null, "haft token create"),
          ". This page keeps it until the tab is closed.")],
      submit: () => close(input.value.trim()),
      actions: [h("button.primary", { type: "submit" }, "Continue")] };
  }).then((token) => {
    asking = null;
    if (token) {
      setToken(token);
      route();
    }
  });
  return asking;
}

window.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof HaftError && event.reason.status === 401) {
    event.preventDefault();
    askForToken();
  }
});

// Shows an error of loading in place of a view.
export function showError(place, error) {
  if (error instanceof HaftError && error.status === 401) {
    askForToken();
  }
  replace(place, problem(error));
}

// ---- keys ----

const KEYS = [
  ["j k \u2193 \u2191", "next, previous"], ["Enter", "open"], ["Esc", "close, go back"],
  ["/", "search or filter"], ["a", "approve or answer what is focused"],
  ["r", "reject what is focused"], ["f", "fork here"], ["1 \u2026 5", "tabs of a run"],
  ["x", "select a run"], ["g r", "runs"], ["g i", "inbox"], ["g a", "agents"], ["g s", "system"],
  ["n", "start a run"], ["?", "this map"],
];

function showKeys() {
  dialog((close) => ({ title: "Keys",
    body: h("dl.keys", null, KEYS.map(([keys, what]) => [h("dt", null,
      keys.split(" ").map((key) => h("kbd", null, key))), h("dd", null, what)])),
    submit: () => close(), actions: [h("button.primary", { type: "submit" }, "Close")] }));
}

let prefix = 0; // when 'g' was pressed

const isText = (node) => node.isContentEditable
  || (node.matches?.("input, textarea, select") && node.type !== "checkbox");

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) {
    return;
  }
  if (isText(event.target)) {
    if (event.key === "Escape") {
      event.target.blur();
      main.focus({ preventScroll: true });
      event.preventDefault();
    }
    return;
  }
  const go = { r: "/studio/", i: "/studio/inbox", a: "/studio/agents", s: "/studio/system" };
  if (Date.now() - prefix < 1200 && go[event.key]) {
    prefix = 0;
    event.preventDefault();
    navigate(go[event.key]);
    return;
  }
  prefix = event.key === "g" ? Date.now() : 0;
  const name = { ArrowDown: "j", ArrowUp: "k" }[event.key] ?? event.key;
  if (name === "?") {
    showKeys();
  } else if (name === "Enter" && event.target.closest("button, a, summary, label")) {
    return; // it does what it says
  } else if (view?.keys?.[name]) {
    view.keys[name](event);
  } else if (name === "Escape") {
    if (history.length > 1) {
      history.back();
    }
  } else {
    return;
  }
  event.preventDefault();
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey
    || event.shiftKey || link.target || link.hasAttribute("download")) {
    return;
  }
  const url = new URL(link.href);
  if (url.origin === location.origin && url.pathname.startsWith("/studio") && !url.hash) {
    event.preventDefault();
    navigate(url.href);
  }
});
window.addEventListener("popstate", route);
document.addEventListener("haft:inbox", (event) => drawInboxCount(event.detail));
setInterval(tick, 1000);

applyTheme(THEMES.includes(localStorage.getItem("haft-theme"))
  ? localStorage.getItem("haft-theme") : "system");
Object.assign(context, { askForToken, showError });
readOffer().catch((error) => connection(false, error)).then(route);
