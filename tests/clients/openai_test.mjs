// SPDX-License-Identifier: Apache-2.0
// The official openai package against `haft mock-model`. openai_test.py starts this with the name
// that verdicts carry and the package's address. Each case has a server of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [NAME, CLIENT] = process.argv.slice(2);
const { default: OpenAI } = await import(CLIENT);

const ASK = { model: "gpt-5.4-mini", messages: [{ role: "user", content: "How is the weather?" }] };
const TOOL = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Weather of a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    strict: true,
  },
};
const CALL = { calls: [{ name: "get_weather", arguments: { city: "Köln" } }] };
const LONG = "It rains, and it will go on raining for quite a while. ".repeat(10);


const create = (ai, more) => ai.chat.completions.create({ ...ASK, ...more });

// The error that something ends in.
async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail("nothing failed");
}

async function check_failure(promise, kind, status, message) {
  const error = await failure(promise);
  assert.ok(error instanceof kind, `found ${error.constructor.name}: ${error.message}`);
  assert.equal(error.status, status);
  assert.match(error.message, message);
  return error;
}

async function gather(stream) {
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return chunks;
}

// name, replies of the script, what is done; optionally options of the command
const cases = [
  ["a_text", [{ text: LONG, usage: { input_tokens: 7, output_tokens: 3, cached_tokens: 2 } }],
    async (ai) => {
      const reply = await create(ai);
      assert.equal(reply.choices[0].message.content, LONG);
      assert.equal(reply.choices[0].finish_reason, "stop");
      assert.equal(reply.usage.total_tokens, 10);
      assert.equal(reply.usage.prompt_tokens_details.cached_tokens, 2);
      assert.equal(reply.model, ASK.model);
      assert.equal(reply._request_id, "req_1");
    }],
  ["a_call_and_its_result",
    [{ expect: { mode: "any", declared: ["get_weather"] }, ...CALL },
      { expect: { mode: "auto", contains: ["Köln", "rain"] }, text: "It rains." }],
    async (ai) => {
      const first = await create(ai, { tools: [TOOL], tool_choice: "required" });
      const { message } = first.choices[0];
      const [call] = message.tool_calls;
      assert.equal(first.choices[0].finish_reason, "tool_calls");
      assert.deepEqual(JSON.parse(call.function.arguments), { city: "Köln" });
      const result = { role: "tool", tool_call_id: call.id, content: "rain" };
      const messages = [...ASK.messages, message, result];
      const second = await create(ai, { messages, tools: [TOOL] });
      assert.equal(second.choices[0].message.content, "It rains.");
    }],
  ["a_stream", [{ text: LONG, reasoning: "hm", usage: { output_tokens: 3 } }],
    async (ai) => {
      const chunks = await gather(
        await create(ai, { stream: true, stream_options: { include_usage: true } }));
      const text = chunks.map((c) => c.choices[0]?.delta.content ?? "").join("");
      assert.equal(text, LONG);
      assert.ok(chunks.length > 10);
      assert.equal(chunks.at(-1).usage.completion_tokens, 3);
      assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
    }],
  ["the_helper_for_streams", [{ text: "So: ", ...CALL }],
    async (ai) => {
      const stream = ai.chat.completions.stream({ ...ASK, tools: [TOOL] });
      const reply = await stream.finalChatCompletion();
      const { message } = reply.choices[0];
      assert.equal(message.content, "So: ");
      assert.equal(message.tool_calls[0].function.name, "get_weather");
      assert.deepEqual(message.tool_calls[0].function.parsed_arguments, { city: "Köln" });
    }],
  ["the_helper_that_runs_tools",
    [CALL, { calls: [...CALL.calls, ...CALL.calls] },
      { expect: { contains: "rain in Köln" }, text: "Wet." }],
    async (ai) => {
      let calls = 0;
      const runner = ai.chat.completions.runTools({
        ...ASK,
        tools: [{
          type: "function",
          function: {
            ...TOOL.function,
            parse: JSON.parse,
            function: ({ city }) => {
              calls += 1;
              return `rain in ${city}`;
            },
          },
        }],
      });
      assert.equal(await runner.finalContent(), "Wet.");
      assert.equal(calls, 3);
    }],
  ["many_at_once", Array.from({ length: 20 }, (_, i) => ({ text: `${i}`, delay: 0.01 })),
    async (ai) => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => create(ai)));
      const texts = replies.map((reply) => Number(reply.choices[0].message.content));
      assert.deepEqual(texts.sort((a, b) => a - b), [...Array(20).keys()]);
      assert.equal(new Set(replies.map((reply) => reply.id)).size, 20);
    }],
  ["models", [],
    async (ai) => {
      const models = await gather(ai.models.list());
      assert.deepEqual(models.map((model) => model.id), ["script"]);
      await check_failure(ai.models.retrieve("x"), OpenAI.NotFoundError, 404, /Invalid URL/);
    }],
  ["a_bad_request", [],
    async (ai) => {
      const tools = [{ ...TOOL, function: { name: "get weather" } }];
      const error = await check_failure(
        create(ai, { tools }), OpenAI.BadRequestError, 400, /does not match pattern/);
      assert.equal(error.param, "tools[0].function.name");
      assert.equal(error.code, "invalid_value");
      assert.equal(error.type, "invalid_request_error");
      await check_failure(
        create(ai, { stream: true, n: 2 }), OpenAI.BadRequestError, 400, /Only 1 is supported/);
    }],
  ["an_expectation_that_fails", [{ expect: { mode: "any" }, text: "x" }],
    async (ai) => {
      await check_failure(create(ai), OpenAI.BadRequestError, 400,
        /the script expects mode any, found none/);
    }],
  ["kinds_of_errors",
    [401, 403, 404, 409, 422, 429, 500, 503].map((status) => ({
      error: { status, body: { error: { message: `says ${status}`, code: "c" } } } })),
    async (ai) => {
      for (const [status, kind] of [
        [401, OpenAI.AuthenticationError], [403, OpenAI.PermissionDeniedError],
        [404, OpenAI.NotFoundError], [409, OpenAI.ConflictError],
        [422, OpenAI.UnprocessableEntityError], [429, OpenAI.RateLimitError],
        [500, OpenAI.InternalServerError], [503, OpenAI.InternalServerError]]) {
        const error = await check_failure(create(ai), kind, status, new RegExp(`says ${status}`));
        assert.equal(error.code, "c");
      }
    }],
  ["errors_that_pass",
    [{ error: { status: 429, headers: { "retry-after-ms": 1 } } },
      { error: { status: 500, headers: { "retry-after-ms": "1" } } }, { text: "at last" }],
    async (ai) => {
      const reply = await ai.chat.completions.create(ASK, { maxRetries: 2 });
      assert.equal(reply.choices[0].message.content, "at last");
      assert.equal(reply._request_id, "req_3");
    }],
  ["an_error_that_is_not_retried",
    [{ error: { status: 500, headers: { "x-should-retry": "false" } } }, { text: "too late" }],
    async (ai) => {
      await check_failure(ai.chat.completions.create(ASK, { maxRetries: 2 }),
        OpenAI.InternalServerError, 500, /no body/);
    }],
  ["a_connection_that_breaks", [{ error: {} }, { text: LONG, cut: 300 }, { text: LONG, cut: 300 }],
    async (ai) => {
      await check_failure(create(ai), OpenAI.APIConnectionError, undefined, /./);
      assert.ok(await failure(create(ai)) instanceof Error);
      const stream = await create(ai, { stream: true });
      assert.ok(await failure(gather(stream)) instanceof Error);
    }],
  ["patience", [{ text: "x", delay: 3600 }, { text: "x", delay: 3600 }, { text: "y" }],
    async (ai) => {
      await check_failure(ai.chat.completions.create(ASK, { timeout: 50 }),
        OpenAI.APIConnectionTimeoutError, undefined, /timed out/);
      const controller = new AbortController();
      const waiting = failure(ai.chat.completions.create(ASK, { signal: controller.signal }));
      setTimeout(() => controller.abort(), 50);
      assert.ok(await waiting instanceof OpenAI.APIUserAbortError);
      assert.equal((await create(ai)).choices[0].message.content, "y");
    }],
  ["keys", [{ text: "x" }],
    async (ai) => {
      const nobody = ai.withOptions({ defaultHeaders: { Authorization: null } });
      await check_failure(create(nobody), OpenAI.AuthenticationError, 401, /API key/);
      assert.equal((await create(ai)).choices[0].message.content, "x");
    }, "--require-key"],
];

async function with_mock(directory, replies, options, act) {
  const path = join(directory, "script.json");
  await writeFile(path, JSON.stringify({ replies }));
  const mock = spawn(process.env.HAFT, ["mock-model", path, ...options],
    { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => mock.on("close", resolve));
  try {
    const lines = createInterface({ input: mock.stdout });
    const line = await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
    const baseURL = String(line).replace("listening on ", "");
    await act(new OpenAI({ baseURL, apiKey: "sk-any", maxRetries: 0 }));
  } finally {
    mock.kill("SIGTERM");
    assert.equal(await ended, 0);
  }
}

const directory = await mkdtemp(join(tmpdir(), "haft-openai-"));
let failed = false;
for (const [name, replies, act, ...options] of cases) {
  try {
    await with_mock(directory, replies, options, act);
    console.log(`ok ${NAME} ${name}`);
  } catch (error) {
    failed = true;
    console.log(String(error.stack ?? error).replace(/^/gm, "# "));
    console.log(`not ok ${NAME} ${name}`);
  }
}
await rm(directory, { recursive: true });
process.exitCode = failed ? 1 : 0;
