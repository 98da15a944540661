// SPDX-License-Identifier: Apache-2.0
// form.js - a form from a JSON Schema. Whatever it cannot show as fields is edited as JSON; the
// server checks the value in any case.
import { h } from "./dom.js";

const SIMPLE = new Set(["string", "integer", "number", "boolean"]);

function typeOf(schema) {
  const type = Array.isArray(schema.type) ? schema.type.filter((t) => t !== "null") : [schema.type];
  return type.length === 1 ? type[0] : undefined;
}

// The fields of a schema, or null if only JSON can express its values.
export function fieldsOf(schema) {
  if (!schema || typeof schema !== "object" || typeOf(schema) !== "object" || !schema.properties
    || schema.$ref || schema.oneOf || schema.anyOf || schema.allOf) {
    return null;
  }
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, field]) => {
    const type = typeOf(field ?? {});
    const known = field && !field.$ref && (field.enum || SIMPLE.has(type));
    return { name, schema: field ?? {}, type, required: required.has(name),
      kind: !known ? "json" : field.enum ? "enum" : type };
  });
}

// Converts what a person typed into a value. Throws an Error with the reason.
export function readField(field, text) {
  if (text === "" && !field.required && field.kind !== "boolean") {
    return undefined;
  }
  switch (field.kind) {
    case "string": return text;
    case "boolean": return text === true || text === "true";
    case "enum": return field.schema.enum.find((value) => String(value) === text);
    case "integer":
      if (!/^[+-]?\d+$/.test(text.trim())) {
        throw new Error(`${field.name}: expected an integer, found "${text}"`);
      }
      return Number(text);
    case "number":
      if (text.trim() === "" || Number.isNaN(Number(text))) {
        throw new Error(`${field.name}: expected a number, found "${text}"`);
      }
      return Number(text);
    default:
      try {
        return JSON.parse(text);
      } catch (error) {
        throw new Error(`${field.name}: not valid JSON: ${error.message}`);
      }
  }
}

function shown(field, value) {
  if (value === undefined || value === null) {
    return "";
  }
  return field.kind === "json" ? JSON.stringify(value, null, 2) : String(value);
}

let ids = 0;

function input(field, value) {
  const id = `field-${++ids}`;
  const attributes = { id, name: field.name, "aria-required": field.required ? "true" : null,
    value: shown(field, value ?? field.schema.default), autocomplete: "off" };
  let node;
  if (field.kind === "boolean") {
    node = h("input", { ...attributes, value: null, type: "checkbox",
      checked: Boolean(value ?? field.schema.default) });
  } else if (field.kind === "enum") {
    node = h("select", { id, name: field.name }, field.required ? null : h("option", null, ""),
      field.schema.enum.map((one) => h("option", { selected: one === value }, String(one))));
  } else if (field.kind === "json") {
    node = h("textarea.mono", { ...attributes, rows: "4", spellcheck: "false" });
  } else if (field.kind === "string" && !field.schema.format) {
    const long = String(value ?? "").length > 60 || String(value ?? "").includes("\n");
    node = h("textarea", { ...attributes, rows: long ? "5" : "1" });
  } else {
    node = h("input", { ...attributes, inputmode: field.kind === "string" ? null : "decimal" });
  }
  const label = h("label", { for: id }, field.schema.title ?? field.name,
    field.required ? h("span.dim", null, " required") : null);
  const help = field.schema.description
    ? h("p.help", null, field.schema.description) : null;
  return { field, node, row: h("div.field", null, label, node, help),
    read: () => readField(field, field.kind === "boolean" ? node.checked : node.value) };
}

// {node, read(), focus()}: `read` returns the value or throws an Error for the person.
export function schemaForm(schema, value) {
  const fields = fieldsOf(schema);
  const raw = h("textarea.mono", { rows: "8", spellcheck: "false", "aria-label": "JSON",
    value: JSON.stringify(value ?? {}, null, 2) });
  const readRaw = () => {
    try {
      return JSON.parse(raw.value);
    } catch (error) {
      throw new Error(`not valid JSON: ${error.message}`);
    }
  };
  if (fields === null) {
    return { node: raw, read: readRaw, focus: () => raw.focus() };
  }
  const inputs = fields.map((field) => input(field, value?.[field.name]));
  const form = h("div.fields", null, inputs.map((one) => one.row),
    inputs.length === 0 ? h("p.dim", null, "No arguments.") : null);
  let json = false;
  const readForm = () => {
    const result = {};
    const known = new Set(fields.map((field) => field.name));
    for (const [name, other] of Object.entries(value ?? {})) {
      if (!known.has(name)) {
        result[name] = other;
      }
    }
    for (const one of inputs) {
      const read = one.read();
      if (read !== undefined) {
        result[one.field.name] = read;
      }
    }
    return result;
  };
  const toggle = h("button.link", { type: "button", onclick: () => {
    if (!json) {
      try {
        raw.value = JSON.stringify(readForm(), null, 2);
      } catch {
        // the JSON keeps its last valid value
      }
    }
    json = !json;
    (json ? form : raw).replaceWith(json ? raw : form);
    toggle.textContent = json ? "Edit as form" : "Edit as JSON";
  } }, "Edit as JSON");
  return { node: h("div", null, form, toggle), read: () => (json ? readRaw() : readForm()),
    focus: () => inputs[0]?.node.focus() };
}
