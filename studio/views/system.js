// SPDX-License-Identifier: Apache-2.0
// system.js - the server, its store, its workers and the models that it can reach.
import { can, models, system } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { jsonTree } from "../json.js";
import { field, fields, modelName } from "../ui.js";

const EVERY_MS = 5000;

function value(key, one) {
  if (one === null || one === undefined) {
    return null;
  }
  if (typeof one === "object") {
    return jsonTree(one);
  }
  return /_ms$/.test(key) ? format.duration(one) : /_bytes$/.test(key) ? format.bytes(one)
    : String(one);
}

export default function systemView(main, _words, _query, { showError }) {
  let closed = false;
  let timer = null;
  const place = h("div");
  const list = h("div", null, h("p.dim", null, "Loading\u2026"));
  replace(main, h("header.bar", null, h("h1", null, "System"), h("span.grow"),
    h("a", { href: "/metrics", target: "_blank" }, "metrics"),
    h("a", { href: "/openapi.json", target: "_blank" }, "API")),
  h("div.parts", null, h("section.part", null, h("h2", null, "Server"), place),
    h("section.part", null, h("h2", null, "Models"), list)));
  const close = () => {
    closed = true;
    clearTimeout(timer);
  };
  async function read() {
    try {
      const found = await system();
      if (!closed) {
        replace(place, fields(Object.entries(found).map(([key, one]) => field(
          key.replace(/_(ms|bytes)$/, "").replace(/_/g, " "), value(key, one)))));
      }
    } catch (error) {
      if (!closed) {
        showError(place, error);
      }
    }
    if (!closed) {
      timer = setTimeout(read, EVERY_MS);
    }
  }
  read();
  if (!can("get /models")) {
    replace(list);
    return { title: "System", keys: {}, close };
  }
  models().then((found) => !closed && replace(list, h("ul.tools", null, (found.models)
    .map((one) => h("li.tool-row", null, h("span.mono", null, modelName(one)),
      h("span.dim", null, `of ${format.excerpt(one.agents.join(", "), 100)}`))))))
    .catch((error) => !closed && showError(list, error));
  return { title: "System", keys: {}, close };
}
