// SPDX-License-Identifier: Apache-2.0
// Reads a streamed reply with an official client and prints it in a neutral form. sdk_test.py
// starts this with the directory of the packages, the client and the URL of a mock.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [place, client, url] = process.argv.slice(2);
const require = createRequire(join(place, "index.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const SCHEMA = {
  type: "object",
  properties: { a: { type: "integer" } },
  required: ["a"],
  additionalProperties: false,
};
const ADD = { name: "add", description: "Add a number." };
const ASK = [{ role: "user", content: "Add it up." }];
const parse = (text) => JSON.parse(text);

const readers = {
  async openai_chat() {
    const { default: OpenAI } = await load("openai");
    const ai = new OpenAI({ apiKey: "k", baseURL: `${url}/v1` });
    const { choices, usage } = await ai.chat.completions
      .stream({
        model: "gpt-4o-mini",
        messages: ASK,
        tools: [{ type: "function", function: { ...ADD, parameters: SCHEMA } }],
        stream_options: { include_usage: true },
      })
      .finalChatCompletion();
    return {
      text: choices[0].message.content,
      calls: choices[0].message.tool_calls.map(({ function: call }) => [
        call.name,
        parse(call.arguments),
      ]),
      tokens: usage.total_tokens,
    };
  },

  async openai_responses() {
    const { default: OpenAI } = await load("openai");
    const ai = new OpenAI({ apiKey: "k", baseURL: `${url}/v1` });
    const response = await ai.responses
      .stream({
        model: "gpt-6.1-sol",
        input: ASK,
        store: false,
        tools: [{ type: "function", ...ADD, parameters: SCHEMA, strict: true }],
      })
      .finalResponse();
    const of = (type) => response.output.filter((item) => item.type === type);
    return {
      thinking: of("reasoning")[0].summary[0].text,
      text: of("message")[0].content[0].text,
      calls: of("function_call").map((item) => [item.name, parse(item.arguments)]),
      tokens: response.usage.total_tokens,
    };
  },

  async anthropic() {
    const { default: Anthropic } = await load("@anthropic-ai/sdk");
    const ai = new Anthropic({ apiKey: "k", baseURL: url });
    const message = await ai.messages
      .stream({
        model: "claude-sonnet-5-5",
        max_tokens: 1000,
        messages: ASK,
        tools: [{ ...ADD, input_schema: SCHEMA }],
      })
      .finalMessage();
    const of = (type) => message.content.filter((block) => block.type === type);
    const { input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
    return {
      thinking: of("thinking")[0].thinking,
      signed: of("thinking")[0].signature.length > 0,
      text: of("text")[0].text,
      calls: of("tool_use").map((block) => [block.name, block.input]),
      tokens: input_tokens + cache_read_input_tokens + output_tokens,
    };
  },

  async gemini() {
    const { GoogleGenAI } = await load("@google/genai");
    const ai = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } });
    const stream = await ai.models.generateContentStream({
      model: "gemini-3.8-flash",
      contents: ASK.map(({ content }) => ({ role: "user", parts: [{ text: content }] })),
      config: { tools: [{ functionDeclarations: [{ ...ADD, parametersJsonSchema: SCHEMA }] }] },
    });
    const parts = [];
    let tokens = 0;
    for await (const chunk of stream) {
      parts.push(...(chunk.candidates[0].content?.parts ?? []));
      tokens = chunk.usageMetadata.totalTokenCount;
    }
    const join = (thought) =>
      parts.filter((p) => p.text && !!p.thought === thought).map((p) => p.text).join("");
    const calls = parts.filter((p) => p.functionCall);
    return {
      thinking: join(true),
      signed: calls[0].thoughtSignature.length > 0,
      text: join(false),
      calls: calls.map((p) => [p.functionCall.name, p.functionCall.args]),
      tokens,
    };
  },

  async ollama() {
    const { Ollama } = await load("ollama");
    const ai = new Ollama({ host: url });
    const parameters = { type: "object", properties: SCHEMA.properties };
    const stream = await ai.chat({
      model: "m",
      messages: ASK,
      stream: true,
      tools: [{ type: "function", function: { ...ADD, parameters } }],
    });
    const found = { thinking: "", text: "", calls: [], tokens: 0 };
    for await (const { message, prompt_eval_count = 0, eval_count = 0 } of stream) {
      found.thinking += message.thinking ?? "";
      found.text += message.content;
      for (const { function: call } of message.tool_calls ?? []) {
        found.calls.push([call.name, call.arguments]);
      }
      found.tokens += prompt_eval_count + eval_count;
    }
    return found;
  },
};

console.log(JSON.stringify(await readers[client]()));
