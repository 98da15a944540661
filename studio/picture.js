// SPDX-License-Identifier: Apache-2.0
// picture.js - the server's SVG as nodes. Only elements and attributes that draw are taken, each
// made anew: no scripts, no links, no styles. The page's stylesheet has the classes.
import { svg } from "./dom.js";

const ELEMENTS = new Set(["svg", "g", "defs", "marker", "path", "rect", "circle", "ellipse",
  "line", "polyline", "polygon", "text", "tspan", "title"]);
const ATTRIBUTES = new Set(["width", "height", "viewBox", "class", "id", "d", "x", "y", "x1", "y1",
  "x2", "y2", "cx", "cy", "r", "rx", "ry", "points", "refX", "refY", "markerWidth",
  "markerHeight", "orient", "marker-end", "marker-start", "transform", "dx", "dy", "role"]);
const TOKEN = /<(\/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|([^<]+)/g;
const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: "\"", apos: "'" };

function decode(text) {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    const point = hex ? parseInt(hex, 16) : decimal ? Number(decimal) : null;
    if (point !== null) {
      return point <= 0x10ffff ? String.fromCodePoint(point) : "";
    }
    return ENTITIES[name] ?? all;
  });
}

function attributesOf(text) {
  const found = {};
  for (const [, name, value] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    const local = value.startsWith("url(") ? /^url\(#[\w-]+\)$/.test(value) : true;
    if (ATTRIBUTES.has(name) && local) {
      found[name] = decode(value);
    }
  }
  return found;
}

// The tree of an SVG: {name, attributes, children: [tree or text]}, or null if it is none.
export function parseSvg(text) {
  const top = { children: [] };
  const open = [top];
  let skipped = 0; // depth inside an element that is left out
  for (const [, closes, name, attributes, empty, words] of text.matchAll(TOKEN)) {
    const here = open[open.length - 1];
    if (words !== undefined) {
      if (skipped === 0 && (here.name === "text" || here.name === "tspan"
        || here.name === "title")) {
        here.children.push(decode(words));
      }
    } else if (closes) {
      if (skipped > 0) {
        skipped--;
      } else if (open.length > 1) {
        open.pop();
      }
    } else if (skipped > 0 || !ELEMENTS.has(name)) {
      skipped += empty ? 0 : 1;
    } else {
      const node = { name, attributes: attributesOf(attributes), children: [] };
      here.children.push(node);
      if (!empty) {
        open.push(node);
      }
    }
  }
  return top.children.find((node) => node.name === "svg") ?? null;
}

function build(tree) {
  return svg(tree.name, tree.attributes,
    tree.children.map((child) => (typeof child === "string" ? child : build(child))));
}

export function picture(text) {
  const tree = parseSvg(text);
  return tree === null ? null : build(tree);
}
