// SPDX-License-Identifier: Apache-2.0
// Tests of the studio in a browser. studio_test.py starts this with the name that verdicts carry
// and the kind of store.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { Haft } from "../../clients/haft.js";
import { axePath, browser, haft, HOSTILE, SCRATCH, serve, writeAgents } from "./fixtures.mjs";

const [NAME, STORE] = process.argv.slice(2);
const LONG = process.env.HAFT_LONG === "1";
const MS = Number(process.env.STUDIO_MS ?? 60_000); // only ends a test that hangs
const DESKTOP = { width: 1280, height: 860 };

const specs = await writeAgents();
let server = await serve([specs]);
const chrome = await browser();
const api = new Haft({ url: server.url });
const axe = await readFile(axePath, "utf8");
const outside = []; // requests to other origins
const errors = []; // of the page's console

async function open(path, options = {}) {
  const context = await chrome.newContext({ viewport: DESKTOP, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const own = server.url;
  page.setDefaultTimeout(MS);
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== own) {
      outside.push(request.url());
    }
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
      errors.push(message.text());
    }
  });
  page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
  await page.goto(server.url + path);
  return page;
}

const runPath = (id) => `/studio/runs/${id}`;
const start = (agent, task = "Do it.") => api.start({ agent, task });
const ended = (id) => api.wait(id);
const story = (page) => page.locator(".story");

// The violations that axe-core finds, in one line each.
async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0,
    200)} ${node.any.map((check) => check.message).join("; ").slice(0, 200)}`));
}

// The time until `what` is there, printed as a figure.
async function timed(label, what) {
  const began = performance.now();
  await what();
  console.log(`# ${label}: ${Math.round(performance.now() - began)} ms`);
}

const cases = {
  async a_run_shows_why_each_call_was_allowed_or_refused() {
    const { run } = await start("worker", "Look for two things.");
    await ended(run);
    const page = await open("/studio/");
    await page.getByText("Look for two things.").first().click();
    await story(page).getByText("The reply was rejected: it was text").waitFor();
    const text = await story(page).innerText();
    for (const wanted of ["Turn 1", "must use a tool", "0 of 2 data tools called", "offered",
      "invalid arguments", "The gate opened", "free to answer", "it is look",
      "900 \u2192 30", "67\u00a0% cached"]) {
      assert.ok(text.includes(wanted), `${wanted} is not in:\n${text}`);
    }
    await story(page).locator(".call-line", { hasText: "find" }).first().click();
    await page.locator(".details .why", { hasText: "Allowed: find is offered" }).waitFor();
    assert.match(page.url(), /event=\d+/);
    const details = page.url();
    await page.goto(details);
    await page.locator(".details .why", { hasText: "Allowed: find is offered" }).waitFor();
    assert.equal(await page.locator(".gate-dot[data-filled=yes]").count(), 2);
    await page.context().close();
  },

  async a_question_is_answered_in_the_story() {
    const { run } = await start("asker");
    const page = await open(runPath(run));
    await page.locator(".pending .question", { hasText: "Which colour?" }).waitFor();
    await page.getByRole("button", { name: "blue", exact: true }).click();
    await page.locator(".answer-text strong", { hasText: "noted" }).waitFor();
    const found = await api.run(run);
    assert.equal(found.end, "done");
    await page.context().close();
  },

  async approvals_show_hidden_characters_and_are_edited_and_rejected() {
    const { run } = await start("sender");
    const page = await open(runPath(run));
    await page.locator(".pending").nth(1).waitFor();
    assert.equal(await page.locator(".pending .hidden-character", { hasText: "U+202E" }).count(),
      1);
    await page.locator(".pending").first().getByRole("button", { name: "Edit" }).click();
    await page.locator("dialog textarea").first().fill("to eve");
    await page.locator("dialog .diff .added", { hasText: "to eve" }).waitFor();
    await page.getByRole("button", { name: "Approve with these arguments" }).click();
    await page.locator(".call-answer", { hasText: "approved with other arguments" }).waitFor();
    await page.getByRole("button", { name: "Reject" }).click();
    await page.locator("dialog textarea").fill("not bob");
    await page.locator("dialog").getByRole("button", { name: "Reject" }).click();
    await page.locator(".answer-text", { hasText: "Both are decided." }).waitFor();
    const { events } = await api.get(`/runs/${run}/events`);
    assert.deepEqual(events.find((one) => one.kind === "call_started").arguments, { q: "to eve" });
    assert.equal(events.find((one) => one.verdict === "reject").why ?? events.find((one) =>
      one.verdict === "reject").value, "not bob");
    await page.context().close();
  },

  async two_people_approve_the_same_call() {
    const { run } = await start("sender");
    const [first, second] = await Promise.all([open(runPath(run)), open(runPath(run))]);
    for (const page of [first, second]) {
      await page.locator(".pending").nth(1).waitFor();
      await page.locator(".pending").first().getByRole("button", { name: "Approve" }).click();
      await page.locator("dialog").waitFor();
    }
    await first.locator("dialog").getByRole("button", { name: "Approve" }).click();
    await first.locator(".call-answer", { hasText: "approved" }).waitFor();
    await second.locator("dialog").getByRole("button", { name: "Approve" }).click();
    await second.locator(".call-answer", { hasText: "approved" }).waitFor();
    await api.command(run, { command: "reject", call: "c1.2", why: "no" });
    await ended(run);
    const { events } = await api.get(`/runs/${run}/events`);
    assert.equal(events.filter((one) => one.kind === "call_started").length, 1);
    assert.equal(events.filter((one) => one.kind === "answered" && one.call === "c1.1").length, 1);
    await first.context().close();
    await second.context().close();
  },

  async the_inbox_approves_an_explicit_batch() {
    const { run } = await start("sender", "Batch.");
    const page = await open("/studio/inbox");
    const cards = page.locator(".pending", { hasText: "sender" });
    await cards.nth(1).waitFor();
    const badge = page.locator("#inbox-count");
    assert.ok(Number(await badge.innerText()) >= 2);
    for (const index of [0, 1]) {
      await cards.nth(index).locator("input[type=checkbox]").check();
    }
    await page.getByRole("button", { name: "Approve 2" }).click();
    await page.getByRole("button", { name: "Approve all 2" }).click();
    await cards.first().waitFor({ state: "detached" });
    assert.equal((await ended(run)).end, "done");
    await page.context().close();
  },

  async everything_works_by_keys_alone() {
    const { run } = await start("asker", "Key by key.");
    const page = await open("/studio/");
    await page.locator(".vrow").first().waitFor();
    await page.keyboard.press("?");
    await page.locator("dialog dl.keys").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("Key by key");
    await page.waitForURL(/text=Key/);
    await page.locator(".vrow", { hasText: "Key by key." }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(run));
    await page.locator(".pending").waitFor();
    await page.keyboard.press("j");
    await page.locator("[aria-current=true]").waitFor();
    await page.locator(".details").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".details").waitFor({ state: "hidden" });
    await page.keyboard.press("2");
    await page.locator(".waterfall").waitFor();
    assert.match(page.url(), /tab=waterfall/);
    await page.keyboard.press("4");
    await page.locator(".log-row").first().waitFor();
    await page.keyboard.press("k");
    await page.locator(".details .json").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.waitForURL(/inbox/);
    await page.locator(".pending").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("colour");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await page.keyboard.type("green");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".toast", { hasText: "Answered" }).waitFor();
    await page.goBack();
    assert.match(page.url(), new RegExp(run));
    await page.context().close();
    await api.cancel(run).catch(() => {});
  },

  async a_run_is_started_followed_cancelled_and_deleted() {
    const page = await open("/studio/");
    await page.locator(".vrow").first().waitFor();
    await page.keyboard.press("n");
    await page.locator("dialog select").selectOption("slow");
    await page.locator("dialog textarea").fill("Take your time.");
    await page.locator("dialog").getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/runs\/[0-7]/);
    await page.locator(".call-line", { hasText: "look" }).first().waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.locator(".run-title .state", { hasText: "cancelled" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/studio\/$/);
    await page.context().close();
  },

  async a_killed_server_loses_and_doubles_nothing() {
    const { run } = await start("slow", "Survive.");
    const page = await open(runPath(run));
    await page.locator(".call-line", { hasText: "look" }).first().waitFor();
    await server.kill();
    await page.locator("#connection", { hasText: "Not connected" }).waitFor();
    server = await serve([specs], { port: server.port });
    await page.locator("#connection").waitFor({ state: "hidden" });
    await page.locator(".answer-text", { hasText: "It took a while." }).waitFor();
    assert.equal(await page.locator(".turn[data-kind=turn]").count(), 3);
    assert.equal(await page.locator(".call").count(), 2);
    await page.keyboard.press("4");
    const { events } = await api.get(`/runs/${run}/events`);
    await page.getByText(`${events.length} of ${events.length} events`).waitFor();
    await page.context().close();
  },

  async hostile_content_stays_text() {
    const { run } = await start("hostile", HOSTILE);
    await ended(run);
    const page = await open(runPath(run));
    await page.locator(".answer-text").waitFor();
    assert.equal(await page.locator("main img, main script, main svg[onload]").count(), 0);
    assert.equal(await page.locator("main a[href^=javascript]").count(), 0);
    await page.locator(".call-line").first().click();
    await page.locator(".details .hidden-character").first().waitFor();
    await page.locator(".call-line").nth(1).click();
    await page.locator(".details .more").first().click();
    await page.keyboard.press("4");
    await page.locator(".log-row").first().waitFor();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    for (const path of ["/studio/", "/studio/agents/hostile", "/studio/runs/x", "/studio/nowhere",
      `/studio/?text=${encodeURIComponent(HOSTILE)}`, "/studio/agents/%3Cimg%20src=x%3E"]) {
      await page.goto(server.url + path);
      await page.locator("main > *").first().waitFor();
      assert.equal(await page.evaluate(() => window.hacked), undefined, path);
    }
    await page.context().close();
  },

  async a_thread_is_a_conversation() {
    const first = await start("asker", "A first message.");
    await api.wait(first.run);
    await api.answer(first.run, "c1.1", "red");
    await ended(first.run);
    const page = await open(`/studio/threads/${first.thread}`);
    await page.locator(".message.agent", { hasText: "noted" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("A second message.");
    await page.keyboard.press("Enter");
    await page.locator(".message.user", { hasText: "A second message." }).waitFor();
    await page.locator(".pending .question").waitFor();
    await page.getByRole("button", { name: "red", exact: true }).click();
    await page.locator(".message.agent", { hasText: "noted" }).nth(1).waitFor();
    await page.context().close();
  },

  async a_run_is_exported() {
    const { run } = await start("worker", "Export me.");
    await ended(run);
    const page = await open(runPath(run));
    await page.locator(".answer-text").waitFor();
    for (const [label, wanted] of [["Events (JSON lines)", /^\{"seq":1,/], ["Markdown",
      /^# worker/],
      ["One HTML file", /^<!DOCTYPE html>[^]*default-src 'none'[^]*must use a tool/]]) {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([page.waitForEvent("download"),
        page.locator("dialog").getByRole("button", { name: label }).click()]);
      assert.match(await readFile(await download.path(), "utf8"), wanted);
    }
    await page.context().close();
  },

  async a_run_is_forked_with_another_answer_and_compared() {
    const { run } = await start("sender", "Fork me.");
    await api.wait(run);
    for (const one of (await api.run(run)).pending) {
      await api.approve(run, one.call, one.binding);
      for await (const event of api.events(run)) { // the fork would not know its outcome
        if (event.kind === "call_finished" && event.call === one.call) {
          break;
        }
      }
    }
    await ended(run);
    const page = await open(runPath(run));
    await page.locator(".call-line").nth(1).click();
    await page.getByRole("button", { name: "Fork here" }).click();
    await page.locator("#fork-answer").fill("it is something else");
    await page.locator("dialog").getByRole("button", { name: "Fork", exact: true }).click();
    await page.waitForURL((url) => !url.href.includes(run));
    await page.locator(".answer-text").waitFor();
    await page.getByText("it is something else").first().waitFor();
    const fork = /runs\/(\w+)/.exec(page.url())[1];
    await page.goto(server.url + runPath(`${run}...${fork}`));
    await page.locator(".compare-call[data-differs=yes]").first().waitFor();
    await page.context().close();
  },

  async requests_and_replies_are_shown_with_what_they_share() {
    const { runs } = await api.runs({ agent: "worker", limit: 1 });
    const page = await open(`${runPath(runs[0].run)}?tab=bytes&turn=2`);
    await page.locator(".first-difference").waitFor();
    assert.ok((await page.locator(".same").first().innerText()).length > 100);
    await page.getByRole("heading", { name: "Reply" }).waitFor();
    await page.context().close();
  },

  async an_agent_explains_its_tools() {
    const page = await open("/studio/agents/worker");
    await page.getByText("In the request: 3").waitFor();
    await page.getByText("No problems.").or(page.locator(".problems li").first()).waitFor();
    await page.getByRole("button", { name: "look" }).click();
    await page.locator("dialog", { hasText: "Does look." }).waitFor();
    await page.goto(`${server.url}/studio/system`);
    await page.getByText("uptime").waitFor();
    await page.context().close();
  },

  async two_runs_are_compared() {
    const { runs } = await api.runs({ agent: "worker", limit: 2 });
    const page = await open(runPath(`${runs[0].run}...${runs[1].run}`));
    await page.getByText("parts differ").or(page.getByText("do not differ")).waitFor();
    assert.equal(await page.locator(".compare-head").count(), 2);
    await page.context().close();
  },

  async no_view_has_an_accessibility_violation() {
    const asked = await start("asker", "For axe.");
    const sent = await start("sender", "For axe.");
    const { runs } = await api.runs({ agent: "worker", limit: 2 });
    const done = runs[0].run;
    const wrong = [];
    const paths = ["/studio/", "/studio/inbox", runPath(asked.run), runPath(sent.run),
      runPath(done),
      `${runPath(done)}?event=4`, `${runPath(done)}?tab=waterfall`, `${runPath(done)}?tab=log`,
        `${runPath(done)}?tab=bytes`,
      runPath(`${done}...${runs[1].run}`), `/studio/threads/${runs[0].thread}`, "/studio/agents",
      "/studio/agents/worker", "/studio/system", "/studio/nowhere"];
    for (const colorScheme of LONG ? ["light", "dark"] : ["dark"]) {
      const page = await open(paths[0], { colorScheme });
      for (const path of LONG ? paths : [paths[1], paths[5]]) {
        await page.goto(server.url + path);
        await page.locator("main > *").first().waitFor();
        await page.locator("h1, .empty h2, .problem").first().waitFor();
        await page.waitForTimeout(300); // for what is read after the first drawing
        wrong.push(...(await violations(page)).map((one) => `${colorScheme} ${path} ${one}`));
      }
      await page.context().close();
    }
    await api.cancel(asked.run);
    await api.cancel(sent.run);
    assert.deepEqual(wrong, []);
  },

  async a_headless_tool_runs_in_the_page_after_a_person_allows_it() {
    const page = await open("/studio/", { permissions: ["geolocation"],
      geolocation: { latitude: 50.94, longitude: 6.96 } });
    const { run } = await start("client");
    await page.goto(server.url + runPath(run));
    await page.locator("dialog", { hasText: "Allow get_location?" }).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.locator(".answer-text", { hasText: "You are somewhere." }).waitFor();
    const { events } = await api.get(`/runs/${run}/events`);
    assert.match(JSON.stringify(events.find((one) => one.kind === "answered").value), /50\.94/);
    await page.context().close();
  },

  async a_slow_connection_shows_everything_once() {
    const { run } = await start("worker", "Slowly.");
    await ended(run);
    const page = await open("/studio/");
    const session = await page.context().newCDPSession(page);
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 300,
      downloadThroughput: 20_000, uploadThroughput: 20_000 });
    await page.goto(server.url + runPath(run));
    await page.locator(".answer-text").waitFor();
    assert.equal(await page.locator(".turn[data-kind=turn]").count(), 3);
    await page.context().close();
  },

  async a_revoked_token_is_asked_for_again() {
    const file = `${SCRATCH}/tokens`;
    const tokens = ["a", "b"].map((letter) => letter.repeat(40));
    await writeFile(file, `${tokens[0]}\n`, { mode: 0o600 });
    const guarded = await serve([specs], { more: ["--token-file", file], store: `sqlite:${SCRATCH
    }/guarded.db` });
    const first = server;
    server = guarded;
    try {
      const page = await open(`/studio/#token=${tokens[0]}`);
      await page.locator(".empty", { hasText: "No runs yet" }).waitFor();
      assert.ok(!page.url().includes(tokens[0]), "the token leaves the address");
      await writeFile(file, `${tokens[1]}\n`);
      await page.locator("dialog", { hasText: "This server wants a token" }).waitFor();
      await page.locator("#token").fill(tokens[1]);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.locator(".empty", { hasText: "No runs yet" }).waitFor();
      await page.context().close();
    } finally {
      server = first;
      await guarded.kill("SIGTERM");
    }
  },

  async ten_thousand_events_and_calls_are_readable() {
    for (const [agent, last, kind] of [["turns", "All turns are over.", "turns"],
      ["wide", "All calls are over.", "calls in one turn"]]) {
      const { run } = await start(agent);
      await ended(run);
      const page = await open("/studio/");
      await timed(`opening a run of ${(await api.run(run)).seq} events (${kind})`, async () => {
        await page.goto(server.url + runPath(run));
        await page.locator(".run-title .state", { hasText: "done" }).waitFor();
      });
      await page.locator(".run-body").evaluate((node) => { node.scrollTop = node.scrollHeight; });
      await page.locator(".answer-text", { hasText: last }).waitFor();
      const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
      assert.ok(nodes < 30_000, `${nodes} elements`);
      await page.keyboard.press("4");
      await page.locator(".log-row").first().waitFor();
      await page.keyboard.press("2");
      await page.locator(".wf-row").first().waitFor();
      await page.context().close();
    }
    return null;
  },

  async a_hundred_thousand_runs_are_listed() {
    if (STORE !== "sqlite") {
      return "the rows are copied in a file";
    }
    const file = `${SCRATCH}/many.db`;
    await haft("run", `${specs}/worker.yaml`, "One of many.", "--quiet", "--store",
      `sqlite:${file}`);
    execFileSync("python3", [new URL("many_runs.py", import.meta.url).pathname, file, "100000"]);
    const many = await serve([specs], { store: `sqlite:${file}` });
    const first = server;
    server = many;
    try {
      const page = await open("/studio/inbox");
      await timed("the first rows of 100,000 runs", async () => {
        await page.goto(`${server.url}/studio/`);
        await page.locator(".vrow").first().waitFor();
      });
      const list = page.locator(".vlist");
      await timed("scrolling through all pages", async () => {
        for (let before = 0; ;) {
          await list.evaluate((node) => { node.scrollTop = node.scrollHeight; });
          await page.waitForTimeout(20);
          const text = await page.locator("header.bar [role=status]").innerText();
          if (text === "100000 runs") {
            break;
          }
          before++;
          assert.ok(before < 20_000, text);
        }
      });
      assert.ok(await page.locator(".vrow").count() < 100);
      await page.keyboard.press("k");
      await page.locator(".vrow[aria-selected=true][data-index='99999']").waitFor();
      await page.context().close();
    } finally {
      server = first;
      await many.kill("SIGTERM");
    }
    return null;
  },

  async the_first_load_is_small() {
    const page = await open("/studio/nowhere");
    let bytes = 0;
    let requests = 0;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      requests++;
      bytes += encodedDataLength;
    });
    await timed("time until the list of runs is there", async () => {
      await page.goto(`${server.url}/studio/`);
      await page.locator(".vrow").first().waitFor();
    });
    console.log(`# first load: ${requests} requests, ${bytes} bytes`);
    assert.ok(bytes > 10_000 && bytes < 200_000, `${bytes}`);
    await page.context().close();
  },

  nothing_is_requested_from_outside_and_nothing_is_blocked() {
    assert.deepEqual(outside, []);
    assert.deepEqual(errors, []);
  },
};

// `make test` runs these; `make check-studio` runs all, on each kind of store.
const SHORT = new Set(["a_run_shows_why_each_call_was_allowed_or_refused",
  "approvals_show_hidden_characters_and_are_edited_and_rejected",
  "everything_works_by_keys_alone", "hostile_content_stays_text",
  "a_run_is_forked_with_another_answer_and_compared", "no_view_has_an_accessibility_violation",
  "nothing_is_requested_from_outside_and_nothing_is_blocked"]);
for (const task of ["A first run to compare.", "A second run to compare."]) {
  await ended((await start("worker", task)).run);
}
const wanted = process.env.STUDIO_CASES?.split(" ");
let failed = false;
for (const [name, run] of Object.entries(cases)) {
  if (wanted ? !wanted.some((word) => name.includes(word)) : !LONG && !SHORT.has(name)) {
    continue;
  }
  const began = Date.now();
  try {
    const skipped = await run();
    console.log(`# ${name}: ${Date.now() - began} ms`);
    console.log(skipped ? `skip ${NAME} ${name}_${STORE}: ${skipped}`
      : `ok ${NAME} ${name}_${STORE}`);
  } catch (error) {
    failed = true;
    console.log(String(error.stack ?? error).replace(/^/gm, "# "));
    console.log(`not ok ${NAME} ${name}_${STORE}`);
  }
}
await chrome.close();
await server.kill("SIGTERM");
process.exitCode = failed ? 1 : 0;
