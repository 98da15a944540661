/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/limits.h - every maximum in haft, in one table: name, default, what it bounds.
 *
 * Nothing that grows is unbounded. A row makes the constant HAFT__LIMIT_<NAME> and a line of
 * docs/limits.md (a test compares the two). Each limit is tested at its value and one past it.
 */
#ifndef HAFT_BASE_LIMITS_H
#define HAFT_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define HAFT__LIMITS(X)                                                                            \
    X(JSON_DEPTH, "json.depth", 256,                                                               \
      "arrays and objects inside each other: model output, results")                               \
    X(JSON_DEPTH_STRICT, "json.depth_strict", 64, "the same in specs and API bodies")              \
    X(JSON_BYTES, "json.bytes", 64 << 20, "bytes of one JSON text")                                \
    X(JSON_VALUES, "json.values", 8 << 20, "values in one JSON text, keys included")               \
    X(JSON_KEY_BYTES, "json.key_bytes", 64 << 10, "bytes of one object key, as written")           \
    X(JSON_NUMBER_BYTES, "json.number_bytes", 4096, "characters of one number")                    \
    X(JSON_DIGITS, "json.digits", 4096, "digits when numbers are compared or divided exactly")     \
    X(SCHEMA_NODES, "schema.nodes", 100000, "subschemas in one compiled schema")                   \
    X(SCHEMA_DOCUMENTS, "schema.documents", 256, "documents one schema may refer to")              \
    X(SCHEMA_PATTERNS, "schema.patterns", 10000, "regular expressions in one compiled schema")     \
    X(SCHEMA_BYTES, "schema.bytes", 64 << 20, "bytes one compiled schema takes beside its JSON")   \
    X(SCHEMA_URI_BYTES, "schema.uri_bytes", 4096, "bytes of a schema's URI")                       \
    X(SCHEMA_STEPS, "schema.steps", 10000000, "checks made while validating one instance")         \
    X(SCHEMA_NESTING, "schema.nesting", 512, "subschemas being applied inside each other")         \
    X(SCHEMA_ERRORS, "schema.errors", 32, "failures reported for one instance")                    \
    X(PATTERN_BYTES, "pattern.bytes", 4096, "bytes of one regular expression")                     \
    X(PATTERN_NESTING, "pattern.nesting", 128, "groups inside each other in one expression")       \
    X(PATTERN_REPEAT, "pattern.repeat", 65535, "count in a repeat such as {1,100}")                \
    X(PATTERN_LOOK_BEHIND, "pattern.look_behind", 255, "characters a look-behind looks back")      \
    X(PATTERN_MATCH, "pattern.match", 100000, "steps of one match, and 2 more for each byte")      \
    X(PATTERN_HEAP_KIB, "pattern.heap_kib", 16384, "KiB one match may take (PCRE2 heap limit)")    \
    X(NEAR_BYTES, "near.bytes", 64, "bytes of a name that a hint may suggest")                     \
    X(NEAR_NAMES, "near.names", 1000, "names looked at for one hint")                              \
    X(CHOICE_TOOLS, "choice.tools", 4096, "tools offered in one turn")                             \
    X(CHOICE_NAMES, "choice.names", 20, "tools, or phases, named in one text for a model")         \
    X(TOOL_NAME_BYTES, "tool.name_bytes", 128, "bytes of a tool's name")                           \
    X(TOOL_DESCRIPTION_BYTES, "tool.description_bytes", 16384, "bytes of a tool's description")    \
    X(TOOL_FIELDS, "tool.fields", 16, "fields of a tool declared in C")                            \
    X(TOOL_FIELDS_TOTAL, "tool.fields_total", 256, "the same, those of nested objects included")   \
    X(TOOL_OBJECT_DEPTH, "tool.object_depth", 8, "objects inside each other in a declaration")     \
    X(TOOL_COUNT, "tool.count", 16384, "tools in one registry")                                    \
    X(TOOL_ARGS, "tool.args", 64, "names in the `args` of a tool")                                 \
    X(TOOL_TIMEOUT_MS, "tool.timeout_ms", 86400000, "milliseconds one attempt of a call may take") \
    X(TOOL_RETRIES, "tool.retries", 10, "retries of a call after its first attempt")               \
    X(TOOL_LANE_BYTES, "tool.lane_bytes", 64, "bytes of a lane's name")                            \
    X(TOOL_RESULT_BYTES, "tool.result_bytes", 16 << 20, "bytes a tool's function may reply")       \
    X(SPEC_BYTES, "spec.bytes", 4 << 20, "bytes of one spec file")                                 \
    X(SPEC_VALUES, "spec.values", 250000, "values in one spec, with every alias written out")      \
    X(SPEC_PROBLEMS, "spec.problems", 100, "problems reported for one spec")                       \
    X(SPEC_TOOLS, "spec.tools", 4096, "tools in one spec")                                         \
    X(PLAN_CHARS, "prompt.plan_chars", 1500, "code points of the strategic plan in the prompt")    \
    X(REPLY_BYTES, "model.reply_bytes", 32 << 20, "bytes of one model reply")                      \
    X(REPLY_CALLS, "model.reply_calls", 1024, "calls in one model reply")                          \
    X(SCRIPT_REPLIES, "script.replies", 100000, "replies in one script")                           \
    X(OFFLINE_WORDS, "offline.words", 8, "words of a task that offline looks for")                 \
    X(OFFLINE_LINES, "offline.lines", 4000, "lines of results that offline keeps in mind")         \
    X(OFFLINE_FILES, "offline.files", 2000, "files in results that offline keeps in mind")         \
    X(OFFLINE_FACTS, "offline.facts", 512, "values in results that offline keeps in mind")         \
    X(OFFLINE_AT_ONCE, "offline.at_once", 3, "calls in one reply of offline")                      \
    X(OFFLINE_SEARCHES, "offline.searches", 6, "searches that offline makes unless it is forced")  \
    X(OFFLINE_READS, "offline.reads", 6, "reads that offline makes unless it is forced")           \
    X(OFFLINE_OTHERS, "offline.others", 8, "other calls of offline unless forced, and in a text")  \
    X(OFFLINE_LINE_CHARS, "offline.line_chars", 160, "code points of a line that offline quotes")  \
    X(OFFLINE_RESULT_CHARS, "offline.result_chars", 1500, "code points of any other result")       \
    X(OFFLINE_QUOTED_FILES, "offline.quoted_files", 6, "files quoted in a report of offline")      \
    X(OFFLINE_QUOTED_LINES, "offline.quoted_lines", 12, "lines of one file in such a report")      \
    X(OFFLINE_REFERENCES, "offline.references", 3, "lines that it names as the best")              \
    X(OFFLINE_KINDS, "offline.kinds", 8, "kinds of files that it lists")                           \
    X(OFFLINE_STEPS, "offline.steps", 40, "calls that it says it has made")                        \
    X(RUN_EVENTS, "run.events", 1000000, "events of one run")                                      \
    X(RUN_BYTES, "run.bytes", 512 << 20, "bytes of one run's events in memory")                    \
    X(ARENA_BYTES, "arena.bytes", 1 << 30, "bytes of one arena unless its owner says less")

enum {
#define X(name, key, value, what) HAFT__LIMIT_##name = (value),
    HAFT__LIMITS(X)
#undef X
};

typedef struct haft__limit {
    const char *key;
    int64_t value;
    const char *what;
} haft__limit;

/* The table above, in its order. */
const haft__limit *haft__limits(size_t *ret_count);

#endif
