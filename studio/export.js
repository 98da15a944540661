// SPDX-License-Identifier: Apache-2.0
// export.js - saves a run as a file, made from its events, which the server has redacted. The HTML
// file is self-contained and has no script.
import { h } from "./dom.js";
import { render } from "./markdown.js";
import { markdownOf } from "./report.js";
import { button, dialog } from "./ui.js";

const STYLE = "body{font:15px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 "
  + "1rem;color:#1c1f24;background:#fff}pre{background:#f4f5f7;padding:.75rem;overflow:auto;"
  + "white-space:pre-wrap;border-radius:6px}code{font-family:ui-monospace,monospace;font-size:.9em}"
  + "table{border-collapse:collapse}td,th{border:1px solid #ccd0d7;padding:.25rem .5rem}"
  + ".heading{font-weight:650;font-size:1.15em;margin-top:1.6em}.target{color:#666;font-size:.85em}"
  + "blockquote{border-left:3px solid #ccd0d7;margin-left:0;padding-left:1rem}"
  + "@media(prefers-color-scheme:dark){body{color:#e3e6ea;background:#15171b}"
  + "pre{background:#1f2228}"
  + "td,th{border-color:#3a3f47}}";

export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// One HTML file from Markdown. The text becomes nodes first, so that no HTML in it survives.
export function htmlFile(title, markdown) {
  const text = (node) => new XMLSerializer().serializeToString(node);
  return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">${
    text(h("title", null, title))}<meta http-equiv="Content-Security-Policy" content="default-src `
    + `'none'; style-src 'unsafe-inline'"><style>${STYLE}</style></head><body>${
      text(render(markdown, h))}</body></html>\n`;
}

const FILES = {
  jsonl: ["application/x-ndjson",
    (state) => state.events.map((event) => `${JSON.stringify(event)}\n`)
    .join("")],
  md: ["text/markdown", markdownOf],
  html: ["text/html", (state) => htmlFile(`haft run ${state.run}`, markdownOf(state))],
};

export function exportMenu(state) {
  return button("Export\u2026", async () => {
    const kind = await dialog((close) => ({ title: "Export this run",
      body: [h("p.dim", null, "Secrets are redacted."), h("div.choices", null,
        [["jsonl", "Events (JSON lines)"], ["md", "Markdown"], ["html", "One HTML file"],
          ["print", "Print"]].map(([value, label]) => button(label, () => close(value))))],
      actions: [button("Cancel", () => close())] }));
    if (kind === "print") {
      window.print();
    } else if (kind) {
      const [type, make] = FILES[kind];
      save(`${state.run}.${kind}`, new Blob([make(state)], { type }));
    }
  });
}
