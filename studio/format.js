// SPDX-License-Identifier: Apache-2.0
// format.js - durations, costs, sizes and times as text: the only place that formats them.

const NONE = "\u2013";
const SPACE = "\u00a0"; // between a number and its unit

function digits(value) {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

// Milliseconds: "63 ms", "1.2 s", "2 min 5 s", "3 h 12 min", "4 d 2 h".
export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) {
    return NONE;
  }
  if (ms < 1000) {
    return `${Math.max(0, Math.round(ms))}${SPACE}ms`;
  }
  if (ms < 59950) {
    return `${digits(ms / 1000)}${SPACE}s`;
  }
  const seconds = Math.round(ms / 1000);
  const parts = [[Math.floor(seconds / 86400), "d"], [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  const first = parts.findIndex(([count]) => count > 0);
  return parts.slice(first, first + 2).filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${SPACE}${unit}`).join(" ");
}

export function cost(usd) {
  if (usd === null || usd === undefined) {
    return NONE;
  }
  if (usd === 0) {
    return "$0";
  }
  return usd < 0.01 ? `$${Number(usd.toPrecision(2))}` : `$${usd.toFixed(2)}`;
}

// Counts of tokens, events and so on: "950", "1.2k", "34k", "1.2M".
export function amount(count) {
  if (count === null || count === undefined) {
    return NONE;
  }
  for (const [unit, size] of [["M", 1e6], ["k", 1e3]]) {
    if (count >= size * 0.9995) {
      return `${digits(count / size)}${unit}`;
    }
  }
  return String(count);
}

export function bytes(count) {
  if (count === null || count === undefined) {
    return NONE;
  }
  for (const [unit, size] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 2 ** 10]]) {
    if (count >= size) {
      return `${digits(count / size)}${SPACE}${unit}`;
    }
  }
  return plural(count, "byte");
}

export function plural(count, word) {
  return `${count}${SPACE}${word}${count === 1 ? "" : "s"}`;
}

export function percent(part, whole) {
  return whole > 0 ? `${Math.round((100 * part) / whole)}${SPACE}%` : NONE;
}

const two = (number) => String(number).padStart(2, "0");

// The time of day here, with milliseconds on request.
export function time(at, exact = false) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) {
    return NONE;
  }
  const text = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return exact ? `${text}.${String(date.getMilliseconds()).padStart(3, "0")}` : text;
}

// The time of day for today, else the date: "14:05:09", "19 Nov 14:05", "19 Nov 2025".
export function moment(at, now = new Date()) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) {
    return NONE;
  }
  if (date.toDateString() === now.toDateString()) {
    return time(at);
  }
  const month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
    "Dec"][date.getMonth()];
  return date.getFullYear() === now.getFullYear()
    ? `${date.getDate()} ${month} ${two(date.getHours())}:${two(date.getMinutes())}`
    : `${date.getDate()} ${month} ${date.getFullYear()}`;
}

// The last letters of an id distinguish runs of the same moment.
export function shortId(id) {
  return id.length > 10 ? `\u2026${id.slice(-6)}` : id;
}

// One line of at most `most` characters, never half a character.
export function excerpt(text, most = 120) {
  const start = text.slice(0, most * 4).replace(/[\ud800-\udbff]$/, "");
  const characters = Array.from(start.replace(/\s+/g, " ").trim());
  return characters.length > most || start.length < text.length
    ? `${characters.slice(0, most).join("")}\u2026` : characters.join("");
}

// Arguments of a call in one line: the values matter, so short objects lose their braces.
export function argumentsLine(args, most = 160) {
  if (args === null || args === undefined) {
    return "";
  }
  if (typeof args !== "object") {
    return excerpt(String(args), most);
  }
  let line = "";
  for (const [key, value] of Object.entries(args)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    line += `${line ? "  " : ""}${key}: ${excerpt(text ?? "null", most)}`;
    if (line.length > most) {
      break;
    }
  }
  return excerpt(line, most);
}
