// SPDX-License-Identifier: Apache-2.0
// markdown.js - the Markdown of models as a tree of plain data, and the tree as nodes. HTML in it
// is text. Only http and https links become links, and they show where they lead.

const MAX_INLINE = 20_000; // a longer paragraph is shown without emphasis and links
const MAX_DEPTH = 8;

const FENCE = /^ {0,3}(```+|~~~+)\s*([\w+#.-]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( {0,8})([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const TABLE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;
const INLINE = new RegExp("(`+)(.+?)\\1(?!`)" // 1, 2: code
  + "|\\*\\*(\\S(?:.*?\\S)?)\\*\\*" // 3: strong
  + "|(?<![\\w*])\\*(\\S(?:[^*]*?\\S)?)\\*(?![\\w*])" // 4: emphasis
  + "|(?<![\\w_])_(\\S(?:[^_]*?\\S)?)_(?![\\w_])" // 5: emphasis
  + "|!?\\[([^\\]\\n]{0,500})\\]\\((\\S{1,2000}?)(?:\\s+\"[^\"]*\")?\\)" // 6, 7: link
  + "|(https?://[^\\s<>()\\[\\]\"'`]{1,2000})", "su"); // 8: a bare link

export function safeLink(target) {
  try {
    const url = new URL(target);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

function link(label, target) {
  const href = safeLink(target);
  return href === null ? { type: "text", text: `${label} (${target})` }
    : { type: "link", href, text: label || href };
}

export function parseInline(text, depth = 0) {
  if (text.length > MAX_INLINE || depth > MAX_DEPTH) {
    return [{ type: "text", text }];
  }
  const nodes = [];
  let rest = text;
  while (rest.length > 0) {
    const match = INLINE.exec(rest);
    if (match === null) {
      break;
    }
    if (match.index > 0) {
      nodes.push({ type: "text", text: rest.slice(0, match.index) });
    }
    if (match[2] !== undefined) {
      nodes.push({ type: "code", text: match[2] });
    } else if (match[3] !== undefined) {
      nodes.push({ type: "strong", children: parseInline(match[3], depth + 1) });
    } else if (match[4] !== undefined || match[5] !== undefined) {
      nodes.push({ type: "em", children: parseInline(match[4] ?? match[5], depth + 1) });
    } else if (match[7] !== undefined) {
      nodes.push(link(match[6], match[7]));
    } else {
      const [target] = /^.*?(?=[.,;:!?]*$)/s.exec(match[8]);
      nodes.push(link("", target), { type: "text", text: match[8].slice(target.length) });
    }
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest.length > 0) {
    nodes.push({ type: "text", text: rest });
  }
  return nodes;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|")
  .map((cell) => parseInline(cell.trim()));

function takeFence(lines, at, blocks) {
  const [, fence, language] = FENCE.exec(lines[at]);
  const body = [];
  let i = at + 1;
  while (i < lines.length && !(lines[i].trim().startsWith(fence)
    && /^\s*[`~]+\s*$/.test(lines[i]))) {
    body.push(lines[i++]);
  }
  blocks.push({ type: "pre", language, text: body.join("\n") });
  return i + 1;
}

function takeList(lines, at, blocks, depth) {
  const [, indent, marker] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(marker);
  const items = [];
  let i = at;
  while (i < lines.length) {
    const match = ITEM.exec(lines[i]);
    if (match && match[1].length <= indent.length + 1) {
      if (match[1].length < indent.length || /\d/.test(match[2]) !== ordered) {
        break;
      }
      items.push([match[3]]);
    } else if (lines[i].trim() === "") {
      if (!ITEM.test(lines[i + 1] ?? "") && !/^ {2,}\S/.test(lines[i + 1] ?? "")) {
        break;
      }
      items[items.length - 1].push("");
    } else if (match || /^ {2,}/.test(lines[i])) {
      items[items.length - 1].push(lines[i].replace(/^ {1,4}/, ""));
    } else if (HEADING.test(lines[i]) || FENCE.test(lines[i])) {
      break;
    } else {
      items[items.length - 1].push(lines[i]);
    }
    i++;
  }
  blocks.push({ type: "list", ordered, start: ordered ? parseInt(marker, 10) : 1,
    items: items.map((body) => parseBlocks(body, depth + 1)) });
  return i;
}

function takeQuote(lines, at, blocks, depth) {
  const body = [];
  let i = at;
  while (i < lines.length && QUOTE.test(lines[i])) {
    body.push(QUOTE.exec(lines[i++])[1]);
  }
  blocks.push({ type: "quote", children: parseBlocks(body, depth + 1) });
  return i;
}

function takeTable(lines, at, blocks) {
  const rows = [];
  let i = at + 2;
  while (i < lines.length && lines[i].includes("|") && lines[i].trim() !== "") {
    rows.push(cells(lines[i++]));
  }
  blocks.push({ type: "table", head: cells(lines[at]), rows });
  return i;
}

function takeParagraph(lines, at, blocks) {
  const body = [];
  let i = at;
  do {
    body.push(lines[i++]);
  } while (i < lines.length && lines[i].trim() !== "" && !FENCE.test(lines[i])
    && !HEADING.test(lines[i]) && !QUOTE.test(lines[i]) && !ITEM.test(lines[i])
    && !RULE.test(lines[i]));
  blocks.push({ type: "p", children: parseInline(body.join("\n")) });
  return i;
}

function parseBlocks(lines, depth) {
  const blocks = [];
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    const heading = HEADING.exec(line);
    if (line.trim() === "") {
      i++;
    } else if (FENCE.test(line)) {
      i = takeFence(lines, i, blocks);
    } else if (heading) {
      blocks.push({ type: "heading", level: heading[1].length,
        children: parseInline(heading[2]) });
      i++;
    } else if (RULE.test(line)) {
      blocks.push({ type: "rule" });
      i++;
    } else if (depth < MAX_DEPTH && QUOTE.test(line)) {
      i = takeQuote(lines, i, blocks, depth);
    } else if (depth < MAX_DEPTH && ITEM.test(line)) {
      i = takeList(lines, i, blocks, depth);
    } else if (line.includes("|") && TABLE.test(lines[i + 1] ?? "")) {
      i = takeTable(lines, i, blocks);
    } else {
      i = takeParagraph(lines, i, blocks);
    }
  }
  return blocks;
}

export function parse(text) {
  return parseBlocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);
}

// `make` is h of dom.js, or a stand-in of a test.
function inlineNode(node, make) {
  switch (node.type) {
    case "code": return make("code", null, node.text);
    case "strong": return make("strong", null, node.children.map((n) => inlineNode(n, make)));
    case "em": return make("em", null, node.children.map((n) => inlineNode(n, make)));
    case "link": {
      const label = node.text === node.href ? [] : [make("span.target", null, ` ${node.href}`)];
      return make("a", { href: node.href, target: "_blank", rel: "noopener noreferrer" },
        node.text, label);
    }
    default: return node.text;
  }
}

function blockNode(block, make) {
  const inline = (nodes) => nodes.map((node) => inlineNode(node, make));
  const blocks = (nodes) => nodes.map((node) => blockNode(node, make));
  switch (block.type) {
    case "pre": return make("pre", { tabindex: "0" }, make("code", null, block.text));
    case "heading": // the page has its own headings above
      return make("p.heading", { data: { level: block.level } }, inline(block.children));
    case "rule": return make("hr");
    case "quote": return make("blockquote", null, blocks(block.children));
    case "list": {
      const items = block.items.map((item) => make("li", null, item.length === 1
        && item[0].type === "p" ? inline(item[0].children) : blocks(item)));
      return block.ordered ? make("ol", { start: block.start }, items) : make("ul", null, items);
    }
    case "table":
      return make("div.table", { tabindex: "0" }, make("table", null,
        make("thead", null, make("tr", null, block.head.map((c) => make("th", null, inline(c))))),
        make("tbody", null, block.rows.map((row) => make("tr", null,
          row.map((c) => make("td", null, inline(c))))))));
    default: return make("p", null, inline(block.children));
  }
}

export function render(text, make) {
  return make("div.markdown", null, parse(text).map((block) => blockNode(block, make)));
}
