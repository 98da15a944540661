// SPDX-License-Identifier: Apache-2.0
// hidden.js - makes characters visible that are invisible or change the order of text: what a
// person approves must be what runs. The characters are those of src/base/escape.c, and spaces that
// look like others.

const HIDDEN = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c"
  + "\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f"
  + "\\u2800\\u3000\\u3164\\ud800-\\udfff\\ue000-\\uf8ff\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff"
  + "\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}"
  + "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\u{f0000}-\\u{10ffff}]", "gu");

export function codePoint(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// [{text, hidden}]: a hidden piece is one character, and its text is its code point.
export function pieces(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > end) {
      found.push({ text: text.slice(end, match.index), hidden: false });
    }
    found.push({ text: codePoint(match[0]), hidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) {
    found.push({ text: text.slice(end), hidden: false });
  }
  return found;
}

export const hasHidden = (text) => text.search(HIDDEN) >= 0;

// The text with every hidden character as <U+202E>, for places that take only text.
export function plain(text) {
  return hasHidden(text)
    ? pieces(text).map((piece) => (piece.hidden ? `<${piece.text}>` : piece.text)).join("") : text;
}
