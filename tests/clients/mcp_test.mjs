// SPDX-License-Identifier: Apache-2.0
// The official MCP SDK against `haft mcp`, over stdio and HTTP. mcp_test.py starts this with the
// name that verdicts carry, the SDK's place, the command and the address of a server.
import assert from "node:assert/strict";

const [NAME, SDK, HAFT, URL_OF_SERVER] = process.argv.slice(2);
const { Client } = await import(`${SDK}/index.js`);
const { StdioClientTransport } = await import(`${SDK}/stdio.js`);
const { StreamableHTTPClientTransport } = await import(`${SDK}/streamableHttp.js`);
const { ElicitRequestSchema } = await import(`${SDK}/../types.js`);

const transports = {
  stdio: () =>
    new StdioClientTransport({ command: HAFT, args: ["mcp", "agent.json", "--store", "memory:"] }),
  http: () => new StreamableHTTPClientTransport(new URL(URL_OF_SERVER)),
};

const cases = {
  async lists(client) {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["docs_-_add", "danger", "slow", "run_helper"],
    );
    assert.equal(tools[0].annotations.readOnlyHint, true);
  },
  async calls(client) {
    const found = await client.callTool({ name: "docs_-_add", arguments: { a: 20, b: "22" } });
    assert.deepEqual(found.content, [{ type: "text", text: "42" }]);
  },
  async is_told_of_bad_arguments(client) {
    const found = await client.callTool({ name: "docs_-_add", arguments: { a: 1 } });
    assert.equal(found.isError, true);
    assert.match(found.content[0].text, /b/);
  },
  async is_asked(client) {
    const found = await client.callTool({ name: "danger", arguments: {} });
    assert.deepEqual(found.content, [{ type: "text", text: "it is done" }]);
  },
  async sees_progress(client) {
    const seen = [];
    const found = await client.callTool(
      { name: "run_helper", arguments: { task: "Do it" } },
      undefined,
      { onprogress: (progress) => seen.push(progress.progress) },
    );
    assert.equal(found.content[0].text, "Done.");
    assert.ok(seen.length >= 1, "nothing was reported"); // the SDK drops what comes with the answer
    assert.deepEqual(seen, [...seen].sort((a, b) => a - b));
  },
  async cancels(client) {
    const controller = new AbortController();
    const call = client.callTool({ name: "slow", arguments: {} }, undefined, {
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 50);
    await assert.rejects(call);
    await client.ping();
  },
  async has_no_such_tool(client) {
    await assert.rejects(client.callTool({ name: "nobody", arguments: {} }), /nobody/);
  },
};

let failed = 0;
for (const [kind, make] of Object.entries(transports)) {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, async () => ({
    action: "accept",
    content: { approve: true },
  }));
  await client.connect(make());
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run(client);
      console.log(`ok ${NAME} ${kind}_${name}`);
    } catch (error) {
      failed++;
      console.log(`# ${error.message.replaceAll("\n", "\n# ")}\nnot ok ${NAME} ${kind}_${name}`);
    }
  }
  await client.close();
}
process.exit(failed > 0 ? 1 : 0);
