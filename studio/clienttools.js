// SPDX-License-Identifier: Apache-2.0
// clienttools.js - headless tools that this page can run: the place of the device, the clipboard. A
// person allows each call first; the browser asks for its own permission as well.
import { api } from "./api.js";
import { jsonTree } from "./json.js";
import { h } from "./dom.js";
import { confirm, toast } from "./ui.js";

const location = () => new Promise((resolve, reject) => {
  if (!navigator.geolocation) {
    reject(new Error("this browser has no location"));
    return;
  }
  navigator.geolocation.getCurrentPosition(({ coords, timestamp }) => resolve({
    latitude: coords.latitude, longitude: coords.longitude, accuracy_m: coords.accuracy,
    at: new Date(timestamp).toISOString() }), (error) => reject(new Error(error.message)),
  { timeout: 30_000 });
});

const TOOLS = {
  get_location: { what: "the location of this device", run: location },
  read_clipboard: { what: "the text in the clipboard",
    run: async () => ({ text: await navigator.clipboard.readText() }) },
  write_clipboard: { what: "to replace the text in the clipboard",
    run: async ({ text }) => {
      await navigator.clipboard.writeText(String(text ?? ""));
      return { written: String(text ?? "").length };
    } },
};

// Watches the events of a run: `see(event)`. Only calls that pause while the page is open and
// visible are offered; others stay in the inbox.
export function clientTools(run, signal) {
  const opened = Date.now();
  const answered = new Set();
  async function offer(event) {
    const tool = TOOLS[event.tool];
    const yes = await confirm(`Allow ${event.tool}?`, [h("p", null,
      `The agent asks for ${tool.what}.`), jsonTree(event.arguments ?? {})], "Allow");
    if (!yes || signal.aborted || answered.has(event.call)) {
      return;
    }
    let command;
    try {
      command = { command: "answer", call: event.call,
        value: await tool.run(event.arguments ?? {}) };
    } catch (error) {
      command = { command: "fail", call: event.call, why: error.message };
    }
    await api.command(run, command).catch((error) => toast(error.message, "bad"));
  }
  return { see(event) {
    if (event.kind === "answered" || event.kind === "call_finished") {
      answered.add(event.call);
    } else if (event.kind === "paused" && event.pause === "headless" && TOOLS[event.tool]
      && Date.parse(event.at) > opened - 10_000 && document.visibilityState === "visible") {
      setTimeout(() => !answered.has(event.call) && !signal.aborted && offer(event), 100);
    }
  } };
}
