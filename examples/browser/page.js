// SPDX-License-Identifier: Apache-2.0
// The page answers the calls of two headless tools of here.yaml. In the root of the project:
//     haft serve examples/browser --allow-origin http://127.0.0.1:8000 &
//     python3 -m http.server --bind 127.0.0.1 8000
// and open http://127.0.0.1:8000/examples/browser/ (?haft=URL names another server).
import { Haft } from "../../clients/haft.js";

const url = new URLSearchParams(location.search).get("haft") ?? "http://127.0.0.1:8642";
const haft = new Haft({ url });
const list = document.getElementById("log");

const log = (text) => list.append(Object.assign(document.createElement("li"),
  { textContent: text }));

const allow = (what) => {
  if (!confirm(`The agent asks for ${what}. Allow it?`)) {
    throw new Error("the person did not allow it");
  }
};

haft.onTool("get_location", () => {
  allow("your location");
  return new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(
    ({ coords }) => resolve({ latitude: coords.latitude, longitude: coords.longitude }), reject));
}, { error: (error) => log(`no location: ${error.message}`) });

haft.onTool("write_clipboard", async ({ text }) => {
  allow("your clipboard");
  await navigator.clipboard.writeText(text);
});

document.getElementById("start").addEventListener("click", async () => {
  const { run } = await haft.start({ agent: "here", task: "Where am I?" });
  for await (const event of haft.serve(run)) {
    log(event.kind);
  }
  log((await haft.run(run)).answer);
});
