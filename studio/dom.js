// SPDX-License-Identifier: Apache-2.0
// dom.js - makes elements. Text is always a text node: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

function set(node, name, value) {
  if (value === null || value === undefined || value === false) {
    return;
  }
  if (name.startsWith("on")) {
    node.addEventListener(name.slice(2), value);
  } else if (name === "style") {
    // By property: the content security policy forbids style attributes.
    for (const [property, text] of Object.entries(value)) {
      node.style.setProperty(property, text);
    }
  } else if (name === "data") {
    Object.assign(node.dataset, value);
  } else if (name === "value" || name === "checked" || name === "selected") {
    node[name] = value;
  } else {
    node.setAttribute(name, value === true ? "" : value);
  }
}

// Appends children: nodes, texts, numbers, arrays of them; null and false are left out.
export function append(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) {
      node.append(child instanceof Node ? child : String(child));
    }
  }
  return node;
}

// h("button.primary", {onclick}, "Save"): the classes are part of the name.
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length > 0) {
    node.className = classes.join(" ");
  }
  for (const [key, value] of Object.entries(attributes ?? {})) {
    set(node, key, value);
  }
  return append(node, ...children);
}

export function svg(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    set(node, key, value);
  }
  return append(node, ...children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, ...children);
}

// Keeps one child of `list` for each item, in order. `make(item)` creates a child; `update(child,
// item)` brings it up to date if its item is another object or `version(item)` has changed. A child
// whose item is unchanged is not touched, so that focus, selection and open parts stay.
export function reconcile(list, items, { key, version, make, update }) {
  const old = new Map();
  for (const child of list.children) {
    old.set(child.reconcileKey, child);
  }
  let at = list.firstElementChild;
  for (const item of items) {
    const name = key(item);
    const now = version(item);
    let child = old.get(name);
    old.delete(name);
    if (child === undefined) {
      child = make(item);
      child.reconcileKey = name;
    } else if (child.reconcileVersion !== now) {
      const next = update ? update(child, item) : make(item);
      if (next && next !== child) {
        next.reconcileKey = name;
        if (at === child) {
          at = next;
        }
        child.replaceWith(next);
        child = next;
      }
    }
    child.reconcileVersion = now;
    if (child === at) {
      at = at.nextElementSibling;
    } else {
      list.insertBefore(child, at);
    }
  }
  for (const child of old.values()) {
    child.remove();
  }
}
