// SPDX-License-Identifier: Apache-2.0
// graph.js - the graph of a run as the server draws it, with the state of its nodes; a slider shows
// the state after each step.
import { pictureOf, stateOfGraph } from "../api.js";
import { h, replace } from "../dom.js";
import { jsonTree } from "../json.js";
import { picture } from "../picture.js";
import { canFork } from "../start.js";
import { button, problem, shape } from "../ui.js";

// The boxes of the nodes by name: each box is followed by the text with its name.
function boxesOf(root) {
  const boxes = new Map();
  for (const name of root.querySelectorAll("text.name")) {
    let box = name.previousElementSibling;
    while (box && box.tagName !== "rect" && box.tagName !== "path") {
      box = box.previousElementSibling;
    }
    if (box) {
      boxes.set(name.textContent, box);
    }
  }
  return boxes;
}

export default function graphTab(place, view, query) {
  let boxes = null;
  let step = query.get("step") === null ? null : Number(query.get("step"));
  let seen = -1;
  let token = 0;
  const drawing = h("div.graph", { tabindex: "0" });
  const bar = h("div.filters");
  const values = h("section.graph-state");

  async function load() {
    try {
      const image = picture(await pictureOf(view.id, "graph"));
      if (image === null) {
        replace(drawing, h("p.dim.pad", null, "The server sent no picture."));
        return;
      }
      image.setAttribute("aria-label", "the graph of this run");
      replace(drawing, image);
      boxes = boxesOf(image);
      mark();
    } catch (error) {
      replace(drawing, error.status === 404 || error.status === 409 || error.status === 422
        ? h("p.dim.pad", null, "This run has no graph: it is one agent. Story and Waterfall show "
          + "what it did.") : problem(error));
    }
  }

  // The states of the nodes after a step: those of its steps so far, and those that come next.
  function statesAt() {
    const { graph } = view.run.state;
    if (!graph) {
      return new Map();
    }
    if (step === null || step >= graph.step) {
      return graph.nodes;
    }
    const states = new Map();
    for (const one of graph.steps.filter((other) => other.step <= step)) {
      (one.nodes ?? []).forEach(({ node }) => states.set(node, "done"));
      if (one.step === step) {
        (one.next ?? []).forEach(({ node }) => states.set(node, "next"));
      }
    }
    return states;
  }

  function mark() {
    const states = statesAt();
    for (const [name, box] of boxes ?? []) {
      if (states.has(name)) {
        box.dataset.state = states.get(name);
      } else {
        delete box.dataset.state;
      }
    }
  }

  async function showState() {
    const { graph } = view.run.state;
    const mine = ++token;
    if (!graph || graph.steps.length === 0) {
      return;
    }
    const last = graph.step;
    const at = step ?? last;
    replace(bar, h("label", { for: "step" }, `step ${at} of ${last}`),
      h("input", { type: "range", id: "step", min: "0", max: String(last), value: String(at),
        oninput: (event) => setStep(Number(event.target.value)) }),
      button("Live", () => setStep(null), { disabled: step === null }),
      canFork() ? button("Fork after this step\u2026", () => view.fork({ step: at })) : null,
        h("span.grow"),
      [["next", "next"], ["running", "running"], ["waiting", "waiting"], ["done", "done"],
        ["failed", "failed"]].map(([state, words]) => h("span.legend", null, shape(state), words)));
    try {
      const found = await stateOfGraph(view.id, at);
      if (mine === token) {
        replace(values, h("h3", null, `State after step ${at}`), jsonTree(found.state));
      }
    } catch (error) {
      if (mine === token) {
        replace(values, problem(error));
      }
    }
  }

  function setStep(value) {
    step = value;
    view.setQuery({ step });
    mark();
    const focused = document.activeElement?.id === "step";
    showState();
    if (focused) {
      bar.querySelector("#step").focus();
    }
  }

  replace(place, bar, h("div.graph-parts", null, drawing, values));
  load();
  const move = (by) => {
    const last = view.run.state.graph?.step ?? 0;
    setStep(Math.max(0, Math.min(last, (step ?? last) + by)));
  };
  return {
    draw() {
      const { graph, seq } = view.run.state;
      if (seq !== seen) {
        seen = seq;
        mark();
        if (graph && graph.steps.length !== Number(bar.dataset.steps ?? -1)) {
          bar.dataset.steps = graph.steps.length;
          showState();
        }
      }
    },
    keys: { j: () => move(1), k: () => move(-1) },
    close: () => { token++; },
  };
}
