/* SPDX-License-Identifier: Apache-2.0 */
/* tool/traits.h - the traits of a tool, from specs and MCP servers and back to JSON. */
#ifndef HAFT_TOOL_TRAITS_H
#define HAFT_TOOL_TRAITS_H

#include "base/buf.h"
#include "base/limits.h"
#include "tool/tool.h"
#include "json/write.h"

/* Enough for every trait as people read it: the longest is a lane's name. */
#define HAFT__TRAIT_TEXT_BYTES (HAFT__LIMIT_TOOL_LANE_BYTES + 16)

/* A row of the table of traits (traits.c). */
typedef struct haft__trait haft__trait;
struct haft__trait {
    const char *key;  /* in specs, events and lists */
    const char *what; /* its description in haft.schema.json and docs/spec.md */
    bool is_flag;     /* true or false; `flag` is its offset in haft__traits */
    size_t flag;
    uint32_t declared;        /* the flag of a C tool: HAFT_READ_ONLY ...; 0: none */
    bool in_approvals;        /* rules of `approvals` can name it */
    const char *mcp_hint;     /* the annotation of MCP; NULL: none */
    const char *const *names; /* the values of a trait that is a name; NULL: it is none */
    size_t name_count;
    haft_status (*read)(const haft__trait *trait, haft__json value, haft__traits *traits,
                        haft_error *err);
    void (*write)(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits);
    /* The trait for people, written to `text` or static; "" when it says nothing. NULL: it is not
     * shown. */
    haft_str (*describe)(const haft__trait *trait, const haft__traits *traits,
                         char text[HAFT__TRAIT_TEXT_BYTES]);
    /* Whether it contradicts other traits, and whether it is within its limit; NULL: never, always.
     */
    haft_status (*check)(const haft__traits *traits, haft_error *err);
    haft_status (*check_limit)(const haft__traits *traits, haft_error *err);
};

/* All rows. */
const haft__trait *haft__traits_table(size_t *ret_count);

/* The row of a key; NULL when there is none. */
const haft__trait *haft__trait_find(haft_str key);

/* Whether a flag is set; false for a trait that is no flag. */
bool haft__trait_is_set(const haft__trait *trait, const haft__traits *traits);

/* What holds for a tool that says nothing: no promises, light, a minute for each attempt. */
#define HAFT__TRAITS_TIMEOUT_MS 60000U
void haft__traits_init(haft__traits *traits);

/* Reads an object of traits; a trait that is not named, or null, stays as it is. BAD_INPUT for an
 * unknown key (the hint names the nearest) or a wrong value, TOO_BIG past a limit; err->where is a
 * JSON Pointer into `object`, and *traits is left alone. A lane is borrowed from `object`. */
HAFT_MUST_USE haft_status haft__traits_read(haft__json object, haft__traits *traits,
                                            haft_error *err);

/* Whether they can all be true of one tool: nothing is destructive and read_only, only what is
 * read_only or idempotent is retried or cached, and numbers are within their limits. err->where is
 * a JSON Pointer as above. */
HAFT_MUST_USE haft_status haft__traits_check(const haft__traits *traits, haft_error *err);

/* From the `annotations` of an MCP tool (or null). They are hints of a server, never permission:
 * what is not said, or said in a way that contradicts itself, counts as MCP's cautious default, and
 * a hint of the wrong type as not said. */
void haft__traits_from_mcp(haft__json annotations, haft__traits *traits);

/* Writes the traits that MCP knows as members of `annotations`. */
void haft__traits_write_mcp(haft__json_writer *w, const haft__traits *traits);

/* Sets the traits that are flags from those of a C tool (haft_tool.traits). */
void haft__traits_from_flags(uint32_t flags, haft__traits *traits);

/* All flags that haft__traits_from_flags reads. */
uint32_t haft__traits_flags(void);

/* Appends the traits for people: "read_only, light, 10s". */
void haft__traits_describe(haft__buf *buf, const haft__traits *traits);

/* All of them as one object, which haft__traits_read reads back as the same. */
void haft__traits_write(haft__json_writer *w, const haft__traits *traits);

const char *haft__cost_name(haft__tool_cost cost);           /* "free", "light", "heavy" */
const char *haft__cache_scope_name(haft__cache_scope scope); /* "none", "run", "thread", "global" */

#endif
