// SPDX-License-Identifier: Apache-2.0
// Tests of the modules of studio/ that need no browser. pure_test.py starts this with the name that
// verdicts carry.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [NAME] = process.argv.slice(2);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
// Without a package.json above them, node takes .js files for CommonJS.
const place = await mkdtemp(join(tmpdir(), "haft-studio-"));
await cp(join(ROOT, "studio"), place, { recursive: true });
await cp(join(ROOT, "clients/haft.js"), join(place, "haft.js"));
await writeFile(join(place, "package.json"), "{\"type\":\"module\"}");
const load = (name) => import(join(place, name));

const format = await load("format.js");
const hidden = await load("hidden.js");
const diff = await load("diff.js");
const markdown = await load("markdown.js");
const store = await load("store.js");
const timeline = await load("timeline.js");
const { align } = await load("align.js");
const { visibleRange } = await load("list.js");
const { fieldsOf, readField } = await load("form.js");
const { parseSvg } = await load("picture.js");
const { fenced, markdownOf } = await load("report.js");
const words = await load("words.js");
const { EventStreamParser, Haft, HaftError } = await load("haft.js");

const space = (text) => text.replace(/\u00a0/g, " ");
const golden = async (name) => (await readFile(join(ROOT, "tests/run/golden", name), "utf8"))
  .trim().split("\n").map((line) => JSON.parse(line));

const RUN = "00000000000000000000000001";
const at = (ms) => new Date(1_000_000 + ms).toISOString();
let seq = 0;
const event = (kind, ms, more) => ({ seq: ++seq, at: at(ms), run: RUN, kind, ...more });
const started = () => {
  seq = 0;
  return event("run_started", 0, { version: 1, name: "test", task: "t", thread: RUN, parent: null,
    user: null });
};
const turn = (number, ms, more) => event("turn_started", ms, { turn: number, mode: "any",
  tool: null, allowed: ["find"], declared: ["find"], format: "native", reason: "r", gate: null,
  final: false, ...more });
const reply = (ms, calls, content = "") => event("model_replied", ms, { content, reasoning: "",
  calls, usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 0 }, stop: "stop",
  model: "m", ms: 5 });
const suggested = (call, name = "find") => ({ call, model_call: call, name,
  arguments: "{\"q\":1}" });
const call = (kind, ms, id, more) => event(kind, ms, { call: id, tool: "find", ...more });

// A response that streams `pieces` and then ends.
function stream(pieces) {
  return new Response(new ReadableStream({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(new TextEncoder().encode(piece)));
      controller.close();
    },
  }), { headers: { "Content-Type": "text/event-stream" } });
}

const message = (one) => `id: ${one.seq}\nevent: ${one.kind}\ndata: ${JSON.stringify(one)}\n\n`;

const cases = {
  durations_costs_and_sizes() {
    for (const [ms, text] of [[0, "0 ms"], [-5, "0 ms"], [999, "999 ms"], [1000, "1 s"],
      [1240, "1.2 s"], [9_940, "9.9 s"], [12_300, "12 s"], [59_949, "60 s"], [60_000, "1 min"],
      [125_000, "2 min 5 s"], [3_600_000, "1 h"], [3_661_000, "1 h 1 min"],
      [352_800_000, "4 d 2 h"], [null, "\u2013"], [undefined, "\u2013"], [NaN, "\u2013"]]) {
      assert.equal(space(format.duration(ms)), text, String(ms));
    }
    for (const [usd, text] of [[0, "$0"], [0.00012, "$0.00012"], [0.0123, "$0.01"],
      [1.256, "$1.26"], [null, "\u2013"]]) {
      assert.equal(format.cost(usd), text);
    }
    for (const [count, text] of [[0, "0"], [999, "999"], [1000, "1k"], [1240, "1.2k"],
      [34_400, "34k"], [999_900, "1M"], [1_250_000, "1.3M"], [null, "\u2013"]]) {
      assert.equal(format.amount(count), text);
    }
    for (const [count, text] of [[1, "1 byte"], [1023, "1023 bytes"], [1024, "1 KB"],
      [5 * 2 ** 20, "5 MB"]]) {
      assert.equal(space(format.bytes(count)), text);
    }
    assert.equal(format.time("not a time"), "\u2013");
  },

  excerpts_never_cut_a_character() {
    assert.equal(format.excerpt("\u{1f600}".repeat(10), 3), `${"\u{1f600}".repeat(3)}\u2026`);
    assert.equal(format.excerpt("a\n\n  b\tc"), "a b c");
    assert.equal(format.argumentsLine({ q: "x y", n: 7, o: { a: 1 } }), "q: x y n: 7 o: {\"a\":1}");
    const began = Date.now();
    format.excerpt("x".repeat(5_000_000));
    format.argumentsLine({ q: "x".repeat(5_000_000) });
    assert.ok(Date.now() - began < 5000, "a long line is cut before it is read");
  },

  hidden_characters_are_those_of_the_program() {
    assert.equal(hidden.plain("a\u202eb\u200bc"), "a<U+202E>b<U+200B>c");
    assert.equal(hidden.plain("tab\tand\nline, Köln, 漢字"), "tab\tand\nline, Köln, 漢字");
    assert.deepEqual(hidden.pieces("\u{e0041}x"), [{ text: "U+E0041", hidden: true },
      { text: "x", hidden: false }]);
  },

  async every_hidden_range_of_the_program_is_hidden_here() {
    const source = await readFile(join(ROOT, "src/base/escape.c"), "utf8");
    const ranges = [...source.slice(0, source.indexOf("bool haft__escape_is_hidden"))
      .matchAll(/\{(0x[0-9A-F]+), (0x[0-9A-F]+)\}/g)];
    assert.ok(ranges.length > 20, `${ranges.length}`);
    for (const [, first, last] of ranges) {
      for (const code of [Number(first), Number(last)]) {
        if (code !== 0x09 && code !== 0x0a) {
          assert.ok(hidden.hasHidden(String.fromCodePoint(code)), code.toString(16));
        }
      }
    }
  },

  differences_of_texts() {
    const text = (rows) => rows.map((row) => row.side + row.text).join("|");
    assert.equal(text(diff.diffLines("a\nb\nc", "a\nx\nc")), " a|-b|+x| c");
    assert.equal(text(diff.diffLines("", "")), " ");
    assert.equal(text(diff.diffLines("a\na\na", "a\na")), " a| a|-a");
    assert.equal(text(diff.diffJson({ a: 1 }, { a: 2 })), " {|-  \"a\": 1|+  \"a\": 2| }");
    const big = Array.from({ length: 3000 }, (_, i) => `${i}`).join("\n");
    assert.equal(diff.diffLines(big, big.replace(/\d+/g, (n) => `${n}x`)).length, 6000);
    for (const [a, b, same] of [["", "", 0], ["abc", "abd", 2], ["abc", "abc", 3], ["a", "b", 0],
      ["ab", "abc", 2]]) {
      assert.equal(diff.commonPrefix(a, b), same, `${a} ${b}`);
    }
  },

  markdown_becomes_data_and_never_html() {
    const kinds = (text) => markdown.parse(text).map((block) => block.type).join(" ");
    assert.equal(kinds("# a\n\ntext\n\n- x\n- y\n\n1. z\n\n> q\n\n```c\nint\n```\n\n---"),
      "heading p list list quote pre rule");
    assert.equal(kinds("|a|b|\n|-|-|\n|1|2|"), "table");
    assert.deepEqual(markdown.parseInline("a **b** `c*` _d_"), [{ type: "text", text: "a " },
      { type: "strong", children: [{ type: "text", text: "b" }] }, { type: "text", text: " " },
      { type: "code", text: "c*" }, { type: "text", text: " " },
      { type: "em", children: [{ type: "text", text: "d" }] }]);
    assert.deepEqual(markdown.parseInline("haft__json_read and 2*3*4"),
      [{ type: "text", text: "haft__json_read and 2*3*4" }]);
    assert.equal(markdown.parse("<script>alert(1)</script>")[0].children[0].text,
      "<script>alert(1)</script>");
    assert.equal(markdown.parse("```\nnever closed")[0].text, "never closed");
  },

  only_web_links_are_links() {
    for (const target of ["javascript:alert(1)", "data:text/html,x", "file:///etc", "//x", "/x",
      "JaVaScRiPt:x", "vbscript:x", "blob:x", ""]) {
      assert.equal(markdown.safeLink(target), null, target);
      const nodes = markdown.parseInline(`[click](${target || "x"})`);
      assert.ok(nodes.every((node) => node.type !== "link"), target);
    }
    assert.deepEqual(markdown.parseInline("see https://example.org/a."), [
      { type: "text", text: "see " }, { type: "link", href: "https://example.org/a",
        text: "https://example.org/a" }, { type: "text", text: "." }]);
  },

  hostile_markdown_ends_soon() {
    const began = Date.now();
    for (const text of ["*".repeat(20_000), "[".repeat(20_000), "`".repeat(19_999),
      "> ".repeat(5000), "- ".repeat(5000), `${"  ".repeat(200)}- x\n`.repeat(500),
        "|".repeat(9999),
      "**a".repeat(6000), "_a ".repeat(6000), "x".repeat(5_000_000)]) {
      markdown.parse(text);
    }
    assert.ok(Date.now() - began < 60_000, `${Date.now() - began} ms`);
  },

  async a_workflow_is_folded() {
    const events = await golden("workflow.jsonl");
    const state = store.foldAll(events[0].run, events);
    const end = events.at(-1);
    assert.equal(state.seq, events.length);
    assert.equal(store.stateOf(state), end.end);
    assert.equal(state.counts.turns, end.turns);
    assert.equal(state.counts.calls, end.calls);
    assert.equal(state.usage.input_tokens, end.usage.input_tokens);
    assert.equal(state.pending.size, 0);
    assert.equal(state.gate.open, true);
    assert.equal(state.counts.violations, events.filter((one) => one.kind === "violation").length);
    const shown = state.blocks.flatMap((block) => block.items)
      .filter((item) => item.type === "call").length;
    assert.equal(shown, state.calls.size, "each call is in one card");
    for (const one of state.calls.values()) {
      assert.ok(words.whyOf(one).length > 10, one.id);
    }
    for (const one of events) {
      assert.ok(words.logWords(one).length > 0, one.kind);
    }
  },

  events_that_come_twice_change_nothing_and_gaps_are_errors() {
    const state = store.emptyRun(RUN);
    const first = started();
    assert.equal(store.fold(state, first), true);
    assert.equal(store.fold(state, first), false);
    assert.throws(() => store.fold(state, { ...first, seq: 3 }), /event 3 came after event 1/);
    assert.equal(state.events.length, 1);
  },

  a_kind_that_this_page_does_not_know_is_a_note() {
    const state = store.foldAll(RUN, [started(), turn(1, 1), event("brand_new", 2, {})]);
    assert.equal(state.blocks.at(-1).items[0].event.kind, "brand_new");
    assert.equal(words.noteWords(state.events[2]).title, "brand new");
  },

  a_pause_is_pending_until_it_is_answered() {
    const state = store.foldAll(RUN, [started(), turn(1, 1), reply(2, [suggested("c1.1")]),
      call("paused", 3, "c1.1", { pause: "approval", arguments: { q: 1 }, question: null,
        deadline: null })]);
    assert.equal(store.stateOf(state), "waiting");
    assert.equal(state.calls.get("c1.1").state, "waiting");
    store.fold(state, call("answered", 5003, "c1.1", { by: "ana", verdict: "reject",
      value: null }));
    assert.equal(state.pending.size, 0);
    assert.equal(state.calls.get("c1.1").waited, 5000);
    store.fold(state, call("call_refused", 5004, "c1.1", { why: "denied", text: "Error: no" }));
    assert.equal(state.calls.get("c1.1").state, "refused");
    assert.equal(words.whyOf(state.calls.get("c1.1")), "Refused: denied. no");
  },

  a_rejected_reply_drops_its_calls() {
    const state = store.foldAll(RUN, [started(), turn(1, 1), reply(2, [suggested("c1.1")], "text"),
      event("violation", 3, { turn: 1, mode: "any", tool: null, came: "only_disallowed_calls",
        try: 1, text: "no" }), reply(4, [suggested("c1.2")])]);
    assert.equal(state.calls.get("c1.1").state, "dropped");
    assert.equal(state.calls.get("c1.2").state, "suggested");
    const replies = state.blocks.at(-1).items.filter((item) => item.type === "reply");
    assert.deepEqual(replies.map((item) => Boolean(item.dropped)), [true, false]);
  },

  streamed_text_is_shown_until_its_reply() {
    const state = store.foldAll(RUN, [started(), turn(1, 1)]);
    const progress = (text, after) => ({ after, at: at(2), run: RUN, kind: "model_progress",
      turn: 1, text });
    assert.equal(store.fold(state, progress("Hel", 2)), true);
    store.fold(state, progress("lo", 2));
    assert.equal(state.blocks.at(-1).live.text, "Hello");
    assert.equal(store.fold(state, progress("old", 1)), false);
    store.fold(state, reply(3, [], "Hello"));
    assert.equal(state.blocks.at(-1).live, null);
  },

  prices_give_the_cost_of_a_turn() {
    const prices = [{ model: "openai:small", input: 1, output: 10, cached: 0.1 }];
    const usage = { input_tokens: 1000, output_tokens: 100, cached_tokens: 500 };
    assert.equal(store.priceOf(prices, "small", usage), 0.00155);
    assert.equal(store.priceOf([], "small", usage), null);
    assert.equal(store.priceOf([...prices, { ...prices[0], model: "x:y" }], "other", usage), null);
  },

  steps_of_a_graph_are_cards() {
    const step = (number, ms, next, more) => event("graph_step", ms, { step: number, updates: {},
      remaining_steps: 9 - number, next: next.map((node) => ({ node, by: ["start"] })), ...more });
    const state = store.foldAll(RUN, [started(), step(0, 1, ["a", "b"]),
      call("call_started", 2, "n1.1", { node: "a", arguments: {}, attempt: 1 }),
      call("call_finished", 3, "n1.1", { node: "a", ok: true, result: "x", ms: 1 }),
      step(1, 4, ["c"], { nodes: [{ node: "a", by: [] }, { node: "b", by: [] }] })]);
    assert.deepEqual(state.blocks.map((block) => block.key), ["start", "step:1", "step:2"]);
    assert.equal(state.graph.nodes.get("a"), "done");
    assert.equal(state.graph.nodes.get("c"), "next");
  },

  ten_thousand_events_are_folded_in_less_than_a_second() {
    const events = [started()];
    for (let i = 1; events.length < 10_000; i++) {
      events.push(turn(i, i * 10), reply(i * 10 + 1, [suggested(`c${i}.1`)]),
        call("call_started", i * 10 + 2, `c${i}.1`, { arguments: { q: i }, attempt: 1 }),
        call("call_finished", i * 10 + 3, `c${i}.1`, { ok: true, result: "x", ms: 1 }));
    }
    const began = performance.now();
    const state = store.foldAll(RUN, events);
    console.log(`# ${events.length} events: ${Math.round(performance.now() - began)} ms`);
    assert.equal(state.blocks.length, state.counts.turns + 1);
  },

  bars_and_lanes_do_not_overlap() {
    const state = store.foldAll(RUN, [started(), turn(1, 0), reply(10, [suggested("c1.1"),
      suggested("c1.2")]), call("call_started", 11, "c1.1", { arguments: {}, attempt: 1 }),
    call("call_started", 12, "c1.2", { arguments: {}, attempt: 1 }),
    call("call_finished", 20, "c1.1", { ok: true, result: "", ms: 9 }),
    call("call_finished", 30, "c1.2", { ok: true, result: "", ms: 18 })]);
    const bars = timeline.barsOf(state);
    assert.deepEqual(bars.map((bar) => [bar.kind, bar.end - bar.start]), [["model", 5],
      ["tool", 9], ["tool", 18]]);
    assert.deepEqual(timeline.lanesOf(bars).map((bar) => bar.lane), [0, 0, 1]);
  },

  long_waits_are_folded() {
    const bars = [{ kind: "model", start: 0, end: 1000 }, { kind: "wait", start: 1000,
      end: 86_401_000 }, { kind: "tool", start: 86_401_000, end: 86_402_000 }];
    const axis = timeline.axisOf(bars, 0, 86_402_000);
    assert.equal(axis.folds.length, 1);
    assert.ok(axis.at(1000) > 0.4 && axis.at(86_401_000) < 0.6, `${axis.at(1000)}`);
    assert.equal(axis.at(0), 0);
    assert.equal(axis.at(86_402_000), 1);
    const plain = timeline.axisOf(bars, 0, 86_402_000, false);
    assert.ok(plain.at(1000) < 0.001);
  },

  runs_are_compared_by_turn() {
    const make = (mode, result) => store.foldAll(RUN, [started(), turn(1, 1, { mode }),
      reply(2, [suggested("c1.1")]), call("call_started", 3, "c1.1", { arguments: { q: 1 },
        attempt: 1 }), call("call_finished", 4, "c1.1", { ok: true, result, ms: 1 })]);
    assert.deepEqual(align(make("any", "x"), make("any", "x")).map((row) => row.differs), [[]]);
    assert.deepEqual(align(make("any", "x"), make("auto", "y"))[0].differs, ["mode", "calls"]);
    const longer = make("any", "x");
    store.fold(longer, turn(2, 9));
    assert.deepEqual(align(make("any", "x"), longer).map((row) => row.differs), [[],
      ["only one run has it"]]);
  },

  a_list_of_any_length_draws_only_what_is_seen() {
    const top = visibleRange(0, 800, 40, 100_000);
    assert.deepEqual([top.first, top.last, top.height], [0, 28, 4_000_000]);
    const huge = visibleRange(8_000_000 - 800, 800, 40, 10_000_000);
    assert.equal(huge.last, 10_000_000);
    assert.ok(huge.last - huge.first < 60);
    assert.deepEqual(visibleRange(0, 800, 40, 0).last, 0);
  },

  forms_come_from_schemas() {
    const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" },
      s: { type: "string" }, e: { enum: [1, 2] }, b: { type: "boolean" }, o: { type: "object" },
      x: { type: ["number", "null"] } } };
    const fields = fieldsOf(schema);
    assert.deepEqual(fields.map((one) => one.kind), ["integer", "string", "enum", "boolean", "json",
      "number"]);
    assert.equal(readField(fields[0], "7"), 7);
    assert.throws(() => readField(fields[0], "7.5"), /expected an integer, found "7.5"/);
    assert.throws(() => readField(fields[0], ""), /n: expected an integer/);
    assert.equal(readField(fields[1], ""), undefined);
    assert.equal(readField(fields[2], "2"), 2);
    assert.equal(readField(fields[3], true), true);
    assert.deepEqual(readField(fields[4], "{\"a\":1}"), { a: 1 });
    assert.throws(() => readField(fields[4], "{"), /o: not valid JSON/);
    assert.equal(readField(fields[5], "0.5"), 0.5);
    assert.equal(fieldsOf({ type: "object", properties: {}, oneOf: [] }), null);
    assert.equal(fieldsOf(null), null);
  },

  pictures_lose_what_does_not_draw() {
    const tree = parseSvg("<svg width=\"1\" onload=\"x()\"><style>a{}</style><script>alert(1)"
      + "</script><foreignObject><p>x</p></foreignObject><a href=\"javascript:x\"><rect/></a>"
      + "<rect x=\"1\" style=\"fill:url(http://x)\" fill=\"url(http://x)\"/>"
      + "<text class=\"name\">a &lt;b&gt; &amp;</text><path marker-end=\"url(#arrow)\" d=\"M0\"/>"
      + "<path marker-end=\"url(http://x)\"/></svg>");
    assert.deepEqual(tree.attributes, { width: "1" });
    assert.deepEqual(tree.children.map((node) => [node.name, node.attributes, node.children]), [
      ["rect", { x: "1" }, []], ["text", { class: "name" }, ["a <b> &"]],
      ["path", { "marker-end": "url(#arrow)", d: "M0" }, []], ["path", {}, []]]);
    assert.equal(parseSvg("no picture"), null);
  },

  async a_run_becomes_markdown() {
    const events = await golden("workflow.jsonl");
    const text = markdownOf(store.foldAll(events[0].run, events));
    assert.match(text, /^# /);
    assert.match(text, /## Turn 1: must use a tool/);
    assert.match(text, /Refused: too early/);
    assert.equal(fenced("a ``` b"), "````\na ``` b\n````");
  },

  an_event_stream_is_the_same_wherever_it_is_split() {
    const text = ": beat\n\nid: 1\r\nevent: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:2\n\n";
    for (let size = 1; size < text.length; size++) {
      const parser = new EventStreamParser();
      const found = [];
      for (let i = 0; i < text.length; i += size) {
        found.push(...parser.feed(text.slice(i, i + size)));
      }
      assert.deepEqual(found.filter((one) => !one.comment), [{ id: "1", event: "x",
        data: "{\"a\":\n1}" }, { data: "2" }], `pieces of ${size}`);
    }
  },

  async a_broken_stream_is_resumed_and_shows_each_event_once() {
    const events = [started(), turn(1, 1), event("run_finished", 2, { end: "done" })];
    const all = events.map(message).join("");
    for (let size = 0; size < all.length; size += 7) {
      const asked = [];
      const client = new Haft({ url: "http://x", fetch: async (url, options) => {
        asked.push(options.headers["Last-Event-ID"]);
        const since = Number(new URL(url).searchParams.get("since"));
        const rest = events.filter((one) => one.seq > since - 1).map(message).join("");
        return stream([asked.length === 1 ? all.slice(0, size) : rest]);
      } });
      const found = [];
      for await (const one of client.events(RUN)) {
        found.push(one.seq);
      }
      assert.deepEqual(found, [1, 2, 3], `cut after ${size}`);
    }
  },

  async errors_of_the_server_are_thrown() {
    const answer = (status, body, type) => new Haft({ url: "http://x",
      fetch: async () => new Response(
      body, { status, headers: { "Content-Type": type } }) });
    await assert.rejects(answer(409, JSON.stringify({ title: "Conflict", detail: "d", error: {
      message: "answered already", hint: "look", where: "c1.1" } }), "application/problem+json")
      .run(RUN), (error) => error instanceof HaftError && error.status === 409
        && error.message === "answered already" && error.hint === "look");
    await assert.rejects(answer(502, "<html>bad", "text/html").run(RUN),
      (error) => error.status === 502 && error.message === "<html>bad");
    await assert.rejects(new Haft({ url: "http://x", fetch: async () => {
      throw new TypeError("fetch failed");
    } }).run(RUN), (error) => error.status === 0 && /cannot be reached/.test(error.message));
    const gone = new Haft({ url: "http://x", fetch: async () => new Response("",
      { status: 404 }) });
    await assert.rejects(gone.events(RUN).next(), (error) => error.status === 404);
  },
};

let failed = false;
for (const [name, run] of Object.entries(cases)) {
  try {
    await run();
    console.log(`ok ${NAME} ${name}`);
  } catch (error) {
    failed = true;
    console.log(String(error.stack ?? error).replace(/^/gm, "# "));
    console.log(`not ok ${NAME} ${name}`);
  }
}
await rm(place, { recursive: true });
process.exitCode = failed ? 1 : 0;
