// SPDX-License-Identifier: Apache-2.0
// words.js - what the page says about events, states and reasons. The words for modes, violations
// and verdicts are those of the terminal.
import { amount, duration, excerpt, plural } from "./format.js";
import { plain } from "./hidden.js";

// Each state has a shape besides its colour: see .shape in studio.css.
export const STATES = {
  running: "running", queued: "queued", waiting: "waiting", damaged: "bad", done: "ok",
  direct: "ok", exhausted: "warn", incomplete: "warn", refused: "bad", violated: "bad",
  failed: "bad", cancelled: "off", expired: "off", // of runs
  suggested: "queued", answered: "running", rejected: "off", dropped: "off", ok: "ok",
  error: "bad", // of calls
  next: "queued",
};

export const ENDS = {
  done: "the model answered", direct: "answered without an agent",
  exhausted: "a limit was reached", incomplete: "the workflow is not complete",
  refused: "refused by a policy", violated: "the model broke the contract",
  failed: "something failed", cancelled: "somebody cancelled it",
  expired: "nobody answered in time", waiting: "a person or a client must answer",
  running: "a process works on it", queued: "no process works on it yet",
  damaged: "its stored data is not what was written",
};

export function mode(turn) {
  switch (turn.mode) {
    case "any": return "must use a tool";
    case "tool": return `must use ${turn.tool}`;
    case "auto": return "free to answer";
    case "none": return "must answer";
    default: return turn.mode ?? "";
  }
}

const CAME = {
  empty_reply: "it was empty",
  text_instead_of_call: "it was text, but a tool must be used",
  only_disallowed_calls: "it called only tools that are not allowed now",
  wrong_tool: "it called another tool than the one that must be used",
  calls_under_none: "it called a tool, but an answer was due",
};

export const VERDICTS = {
  approve: "approved", edit: "approved with other arguments", reject: "rejected",
  respond: "answered in place of the tool", answer: "answered", error: "reported as failed",
  retry: "to be repeated", expire: "expired",
};

export const REFUSALS = {
  unknown: "no such tool", not_allowed: "not allowed in this turn", invalid: "invalid arguments",
  guard: "too early", denied: "denied", over_limit: "over the limit", repeated: "repeated",
  not_revealed: "not found by a search yet", unavailable: "not available",
  tool_changed: "its definition has changed", no_evidence: "nothing points to its file",
  secret: "the arguments contain a secret", edited: "the state was edited",
};

export const PAUSES = {
  question: "Question", approval: "Approval", headless: "Call for a client",
  unknown_outcome: "Unknown outcome",
};

export function pauseWords(pause) {
  switch (pause.pause ?? pause.kind) {
    case "question": return "asks a question";
    case "approval": return "needs approval";
    case "headless": return "waits for a client";
    case "unknown_outcome": return "was interrupted: nobody knows whether it had its effect";
    default: return "waits";
  }
}

const names = (list, most = 6) => {
  const shown = (list ?? []).slice(0, most).map((one) => plain(one.name ?? one.node ?? one));
  return shown.join(", ") + ((list ?? []).length > most ? `, ${list.length - most} more` : "");
};

// The title, text and tone ("", "good", "warn", "bad") of an event that is no reply or call.
const NOTES = {
  tools_revealed: (e) => ({
    title: e.reason ? "The tools of a server changed"
      : `Found ${plural(e.tools.length, "tool")} of ${amount(e.deferred)}`,
    text: e.reason ? e.reason
      : `${e.automatic ? "search with the task" : `search for "${excerpt(plain(e.query), 80)}"`}: `
        + `${names(e.tools) || "nothing"}` }),
  tools_hidden: (e) => ({ title: `Hid ${plural(e.tools.length, "tool")}`,
    text: `${names(e.tools)}: at most ${e.cap} are shown` }),
  gate_opened: (e) => ({ tone: "good", title: "The gate opened",
    text: `${e.called.length} of ${e.threshold} distinct data tools were called: `
      + `${names(e.called)}. The model may answer.` }),
  context_changed: (e) => ({ title: e.what === "cleared"
    ? `Cleared ${plural(e.calls?.length ?? 0, "observation")}` : `Old turns ${e.what}`,
  text: `${amount(e.before)} \u2192 ${amount(e.after)} of ${amount(e.budget)} tokens, because `
    + e.why }),
  summary_started: (e) => ({ title: "A model summarises old turns", text: `${e.model}: ${e.why}` }),
  constrained: (e) => ({ title: "Only calls are possible",
    text: `the request carries a ${e.constraint === "gbnf" ? "grammar" : "schema"} `
      + `in format ${e.format}` }),
  option_refused: (e) => ({ tone: "warn", title: `The server refused ${e.member}`,
    text: e.message }),
  model_failed: (e) => ({ tone: "bad", title: "The model did not reply",
    text: `${e.status ? `HTTP ${e.status}: ` : ""}${e.message}` }),
  model_changed: (e) => ({ tone: "warn", title: "Another model is asked",
    text: `${e.from} \u2192 ${e.to}, because of a ${e.failure} failure` }),
  violation: (e) => ({ tone: "bad", title: `The reply was rejected: ${CAME[e.came] ?? e.came}`,
    text: e.text }),
  reminded: (e) => ({ tone: "warn", title: "Reminded: the workflow is not complete",
    text: e.text }),
  handed_off: (e) => ({ title: `Handed over to ${plain(e.agent)}`, text: `from ${plain(e.from)}` }),
  thread_state: (e) => ({ title: "Values from the thread", text: names(Object.keys(e.values)) }),
  graph_step: (e) => ({ title: e.edit ? "The state was edited" : e.step === 0 ? "Input"
    : `Step ${e.step} committed`,
  text: [e.updates && `changed ${names(Object.keys(e.updates)) || "nothing"}`,
    e.next?.length > 0 ? `next ${names(e.next)}` : "no node follows"].filter(Boolean).join("; ") }),
  spec_changed: (e) => ({ tone: "warn", title: `The spec was changed by ${plain(e.by ?? "?")}`,
    text: (e.changes ?? []).map(plain).join("; ") }),
  limit_reached: (e) => ({ tone: "warn", title: `Limit reached: ${e.limit}`,
    text: e.used_ms ? `${duration(e.used_ms)} of ${duration(e.limit_ms)}` : "" }),
  cancel_asked: (e) => ({ tone: "warn", title: `Cancelled by ${plain(e.by ?? "?")}`,
    text: e.why ?? "" }),
  intervention: (e) => ({ title: `${e.name}: ${e.what}`, text: e.why ?? "" }),
};

export function noteWords(event) {
  const found = NOTES[event.kind]?.(event) ?? { title: event.kind.replace(/_/g, " "), text: "" };
  return { tone: "", ...found };
}

// What happened in an event, in one line: for the log.
export function logWords(event) {
  switch (event.kind) {
    case "run_started": return excerpt(plain(event.task));
    case "turn_started": return `turn ${event.turn}: ${mode(event)}; ${event.reason}`;
    case "model_replied": return excerpt(plain(event.content)
      || event.calls.map((call) => plain(call.name)).join(", "));
    case "call_started": return `${event.call} ${plain(event.tool)}`;
    case "call_finished": return `${event.call} ${plain(event.tool)}: ${event.ok
      ? excerpt(plain(String(event.result ?? ""))) : plain(event.error?.message ?? "error")}`;
    case "call_refused": return `${event.call} ${plain(event.tool)}: ${event.why}`;
    case "call_asked": return excerpt(plain(event.question?.message ?? ""));
    case "paused": return `${event.call} ${plain(event.tool ?? "")} ${pauseWords(event)}`;
    case "answered": return `${event.call} ${VERDICTS[event.verdict] ?? event.verdict} by `
      + `${plain(event.by ?? "?")}`;
    case "artifact_stored": return plain(event.name);
    case "child_started": return `${event.call} starts ${plain(event.agent)}`;
    case "child_finished": return `${event.call} ${event.end}`;
    case "run_finished": return `${event.end}: ${event.reason}`;
    default: {
      const { title, text } = noteWords(event);
      return excerpt(text ? `${title}: ${text}` : title);
    }
  }
}

// Why a call was allowed or refused, in one sentence.
export function whyOf(call) {
  if (call.refused) {
    return `Refused: ${REFUSALS[call.refused.why] ?? call.refused.why}. ${call.refused.text
      .replace(/^Error: /, "")}`;
  }
  const turn = call.block.event;
  const allowed = turn?.allowed?.includes(call.tool)
    ? `Allowed: ${call.tool} is offered in this turn (${mode(turn)}).`
    : call.node ? `Allowed: node ${call.node} of the graph calls it.`
      : "Allowed: the tool can be called, although it is not offered in this turn.";
  if (call.answered) {
    return `${allowed} ${VERDICTS[call.answered.verdict] ?? call.answered.verdict} by `
      + `${plain(call.answered.by ?? "?")}.`;
  }
  if (call.paused) {
    return `${allowed} It ${pauseWords(call.paused)}.`;
  }
  if (call.finished?.cached) {
    return `${allowed} The result is from an earlier call with the same arguments.`;
  }
  return call.state === "dropped" ? "Dropped: the reply was rejected, or the run ended before it."
    : allowed;
}
