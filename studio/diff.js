// SPDX-License-Identifier: Apache-2.0
// diff.js - differences between two texts, by lines, and the common start of two texts.

const MAX_CELLS = 4_000_000; // a greater middle part counts as wholly different

// The lengths of the longest common subsequences of all suffixes, as rows of one array.
function table(a, b) {
  const width = b.length + 1;
  const cells = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      cells[i * width + j] = a[i] === b[j] ? cells[(i + 1) * width + j + 1] + 1
        : Math.max(cells[(i + 1) * width + j], cells[i * width + j + 1]);
    }
  }
  return { cells, width };
}

function middle(a, b) {
  if (a.length * b.length > MAX_CELLS) {
    return [...a.map((text) => ({ side: "-", text })), ...b.map((text) => ({ side: "+", text }))];
  }
  const { cells, width } = table(a, b);
  const rows = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push({ side: " ", text: a[i++] });
      j++;
    } else if (j >= b.length
      || (i < a.length && cells[(i + 1) * width + j] >= cells[i * width + j + 1])) {
      rows.push({ side: "-", text: a[i++] });
    } else {
      rows.push({ side: "+", text: b[j++] });
    }
  }
  return rows;
}

// [{side: " " | "-" | "+", text}], a row for each line.
export function diffLines(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < a.length - start && end < b.length - start
    && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end++;
  }
  const same = (text) => ({ side: " ", text });
  return [...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same)];
}

export function diffJson(before, after) {
  const text = (value) => JSON.stringify(value, null, 2) ?? "";
  return diffLines(text(before), text(after));
}

// How many characters two texts have in common at their start.
export function commonPrefix(a, b) {
  let low = 0;
  let high = Math.min(a.length, b.length);
  while (low < high) {
    const half = (low + high + 1) >> 1;
    if (a.startsWith(b.slice(low, half), low)) {
      low = half;
    } else {
      high = half - 1;
    }
  }
  return low;
}
