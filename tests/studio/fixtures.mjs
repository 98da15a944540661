// SPDX-License-Identifier: Apache-2.0
// fixtures.mjs - the agents, servers and browsers of the tests of the studio.
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { HAFT, STUDIO_PACKAGES, STUDIO_CHROMIUM, STUDIO_SCRATCH, STUDIO_STORE } = process.env;
export const SCRATCH = STUDIO_SCRATCH;

// Texts that a page must never take for anything but text.
export const HOSTILE = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>"
  + "[click](javascript:window.hacked=1) <svg onload=window.hacked=1> \u202etxt.exe\u202c\u200b";

const tool = (name, more) => ({ name, description: `Does ${name}.`,
  input_schema: { type: "object", properties: { q: { type: "string", description: "What." },
    n: { type: "integer" } }, required: ["q"] }, ...more });
const say = (name, more) => tool(name, { command: ["echo", `it is ${name}`], ...more });
const call = (name, q, more) => ({ name, arguments: { q, ...more } });

const AGENTS = {
  asker: { spec: { tools: [{ builtin: ["request_user_input"] }] },
    replies: [{ calls: [{ name: "request_user_input", arguments: { question: "Which colour?",
      choices: ["red", "blue"] } }] }, { text: "The answer is **noted**." }] },
  sender: { spec: { tools: [say("send", { traits: { needs_approval: true } })] },
    replies: [{ calls: [call("send", "to \u202eana\u202c"), call("send", "to bob")] },
      { text: "Both are decided." }] },
  worker: { spec: { tools: [say("look"), say("find"), say("send")], choice: {
    min_tools_for_auto: 2 }, limits: { turns: 8, calls: 20, tokens: 10000 } },
  replies: [{ text: "I know it already." }, { calls: [call("look", "a")], usage: {
    input_tokens: 900, output_tokens: 30, cached_tokens: 0 } },
  { calls: [call("find", "b"), { name: "find", arguments: { qery: "b" } }], usage: {
    input_tokens: 1200, output_tokens: 40, cached_tokens: 800 } },
  { text: "Found **two** things in `a` and `b`." }] },
  hostile: { spec: { tools: [tool("fetch"), tool("long", { command: ["sh", "-c",
    "head -c 5000000 /dev/zero | tr '\\0' x"] })] }, results: { fetch: [HOSTILE] },
    replies: [{ text: HOSTILE, calls: [call("fetch", HOSTILE), call("long", "long")] },
      { text: `# ${HOSTILE}\n\n\`\`\`\n${HOSTILE}\n\`\`\`\n\n|${HOSTILE}|b|\n|-|-|\n|1|2|` }] },
  slow: { spec: { tools: [say("look")] }, replies: [{ calls: [call("look", "a")], delay: 1 },
    { calls: [call("look", "b")], delay: 3 }, { text: "It took a while.", delay: 3 }] },
  turns: { spec: { tools: [tool("look")], limits: { turns: 2600, calls: 3000 } },
    replies: [...Array.from({ length: 2500 }, (_, i) => ({ text: `Reply ${i}.`,
      calls: [call("look", `${i}`)] })), { text: "All turns are over." }],
    results: { look: "x" } },
  wide: { spec: { tools: [tool("look")], limits: { turns: 3, calls: 1024 } },
    replies: [{ calls: Array.from({ length: 1024 }, (_, i) => call("look", `${i}`)) },
      { text: "All calls are over." }], results: { look: "x" } },
  client: { spec: { tools: [{ name: "get_location", description: "The place of the device.",
    headless: true }] },
  replies: [{ calls: [{ name: "get_location" }] }, { text: "You are somewhere." }] },
};

export async function writeAgents() {
  const place = join(SCRATCH, "agents");
  await mkdir(place, { recursive: true });
  for (const [name, { spec, replies, results }] of Object.entries(AGENTS)) {
    await writeFile(join(place, `${name}.yaml`), JSON.stringify({ haft: 1, name,
      model: `script:${name}.script.json`, instructions: "Help.", ...spec }));
    await writeFile(join(place, `${name}.script.json`), JSON.stringify({ replies, results }));
  }
  return place;
}

// A server on a free port, or on `port` again after it was killed.
export async function serve(specs, { port = 0, store = STUDIO_STORE, more = [] } = {}) {
  const child = spawn(HAFT, ["serve", ...specs, "--listen", `127.0.0.1:${port}`, "--store", store,
    ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
  const url = String(line).replace("listening on ", "");
  if (!url.startsWith("http://")) {
    throw new Error(`haft serve ended: ${line}`);
  }
  return { url, port: Number(new URL(url).port), pid: child.pid,
    kill: (signal = "SIGKILL") => { child.kill(signal); return ended; } };
}

export async function browser() {
  const { chromium } = await import(pathToFileURL(join(STUDIO_PACKAGES,
    "playwright-core/index.mjs")));
  return chromium.launch({ executablePath: STUDIO_CHROMIUM, args: ["--no-sandbox"] });
}

export const axePath = join(STUDIO_PACKAGES, "axe-core/axe.min.js");

export const haft = (...words) => new Promise((resolve, reject) => {
  const child = spawn(HAFT, words, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (data) => { text += data; });
  child.on("close", (status) => resolve({ status, text }));
  child.on("error", reject);
});
