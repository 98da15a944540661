// SPDX-License-Identifier: Apache-2.0
// Runs the agent of pick_file.yaml and answers its call:
//     haft serve examples/clients & node examples/clients/ask.mjs http://127.0.0.1:8642
import { readFile } from "node:fs/promises";
import { Haft } from "../../clients/haft.js";

const haft = new Haft({ url: process.argv[2], token: process.env.HAFT_TOKEN });
const letter = new URL("../data/letter.txt", import.meta.url);

haft.onTool("pick_file", async ({ kind }) => {
  console.log(`the agent asks for a ${kind}`);
  return readFile(letter, "utf8");
});

const { run } = await haft.start({ agent: "pick_file", task: "What is the file?" });
for await (const event of haft.serve(run)) {
  console.log(event.seq ?? "-", event.kind);
}
console.log((await haft.run(run)).answer);
