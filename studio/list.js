// SPDX-License-Identifier: Apache-2.0
// list.js - a list of any length: only the rows that can be seen exist.
import { h } from "./dom.js";

const SPARE = 8; // rows above and below the visible ones
const MAX_HEIGHT = 8_000_000; // browsers lose precision in higher elements

// The rows to draw for a scroll position; pure, for its test.
export function visibleRange(scroll, height, rowHeight, count) {
  const real = count * rowHeight;
  const scale = real > MAX_HEIGHT ? (real - height) / (MAX_HEIGHT - height) : 1;
  const top = scroll * scale;
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE);
  return { first, last, offset: first * rowHeight - top + scroll, height: Math.min(real,
    MAX_HEIGHT), scale };
}

// options: rowHeight, render(index) -> node with a child for each cell, onopen(index), label.
export function virtualList({ rowHeight, render, onopen, onselect, label, empty }) {
  const body = h("div.vlist-body", { role: "rowgroup" });
  const space = h("div.vlist-space", { role: "presentation" }, body);
  const root = h("div.vlist", { tabindex: "0", role: "grid", "aria-label": label }, space);
  let count = 0;
  let selected = -1;
  let drawn = new Map(); // index -> node
  let waiting = false;

  function draw(all = false) {
    waiting = false;
    const range = visibleRange(root.scrollTop, root.clientHeight || 600, rowHeight, count);
    const next = new Map();
    for (let i = range.first; i < range.last; i++) {
      let node = all ? undefined : drawn.get(i);
      if (node === undefined) {
        node = render(i);
        node.classList.add("vrow");
        node.id = `${label.replace(/\W/g, "-")}-${i}`;
        node.setAttribute("role", "row");
        node.setAttribute("aria-rowindex", i + 1);
        for (const cell of node.children) {
          cell.setAttribute("role", "gridcell");
        }
        node.dataset.index = i;
      }
      node.setAttribute("aria-selected", i === selected ? "true" : "false");
      next.set(i, node);
    }
    space.style.height = `${Math.max(range.height, 1)}px`;
    body.style.transform = `translateY(${range.offset}px)`;
    const same = !all && next.size === drawn.size && [...next.keys()].every((i) => drawn.has(i));
    if (!same) {
      body.replaceChildren(...next.values());
    }
    drawn = next;
    if (count === 0 && empty) {
      body.replaceChildren(h("div", { role: "row" }, h("div", { role: "gridcell" }, empty())));
    }
    root.setAttribute("aria-activedescendant", drawn.has(selected) ? drawn.get(selected).id : "");
  }

  function later() {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => draw());
    }
  }

  function show(index) {
    const scale = visibleRange(0, root.clientHeight, rowHeight, count).scale;
    const top = index * rowHeight;
    const seen = root.scrollTop * scale;
    if (top < seen) {
      root.scrollTop = top / scale;
    } else if (top + rowHeight > seen + root.clientHeight) {
      root.scrollTop = (top + rowHeight - root.clientHeight) / scale;
    }
  }

  root.addEventListener("scroll", later, { passive: true });
  new ResizeObserver(later).observe(root);
  body.addEventListener("click", (event) => {
    const row = event.target.closest(".vrow");
    if (row && !event.defaultPrevented && !event.target.closest("button, input, a")) {
      list.select(Number(row.dataset.index));
      onopen?.(selected, event);
    }
  });

  const list = {
    root,
    get selected() { return selected; },
    get count() { return count; },
    setCount(value) {
      count = value;
      selected = Math.min(selected, count - 1);
      root.setAttribute("aria-rowcount", count);
      draw(true);
    },
    redraw() { draw(true); },
    redrawRow(index) {
      drawn.delete(index);
      draw();
    },
    range() { return visibleRange(root.scrollTop, root.clientHeight || 600, rowHeight, count); },
    select(index, scroll = true) {
      if (count === 0) {
        return;
      }
      selected = Math.max(0, Math.min(count - 1, index));
      if (scroll) {
        show(selected);
      }
      draw();
      onselect?.(selected);
    },
    move(by) { list.select(selected < 0 ? (by > 0 ? 0 : count - 1) : selected + by); },
    open() {
      if (selected >= 0) {
        onopen?.(selected, null);
      }
    },
  };
  return list;
}
