/* SPDX-License-Identifier: Apache-2.0 */
/* tool/traits.h - the traits of a tool: read from specs and MCP servers, written as JSON. */
#ifndef HAFT_TOOL_TRAITS_H
#define HAFT_TOOL_TRAITS_H

#include "base/buf.h"
#include "base/limits.h"
#include "tool/tool.h"
#include "json/write.h"

/* Enough for the description of every trait: the longest is the name of a lane. */
#define HAFT__TRAIT_TEXT_BYTES (HAFT__LIMIT_TOOL_LANE_BYTES + 16)

/* A row of the table of traits (traits.c). */
typedef struct haft__trait haft__trait;
struct haft__trait {
    const char *key;  /* in specs, events and lists */
    const char *what; /* its description in haft.schema.json and docs/spec.md */
    bool is_flag;     /* a boolean; `flag` is its offset in haft__traits */
    size_t flag;
    uint32_t declared;        /* the flag of a C tool: HAFT_READ_ONLY ...; 0: no flag */
    bool in_approvals;        /* rules of `approvals` can name it */
    const char *mcp_hint;     /* the MCP annotation; NULL: no annotation */
    const char *const *names; /* the values of an enumerated trait; else NULL */
    size_t name_count;
    haft_status (*read)(const haft__trait *trait, haft__json value, haft__traits *traits,
                        haft_error *err);
    void (*write)(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits);
    /* Describes the trait for people, in `text` or static; "" for a default value. NULL: the trait
     * is not shown. */
    haft_str (*describe)(const haft__trait *trait, const haft__traits *traits,
                         char text[HAFT__TRAIT_TEXT_BYTES]);
    /* Checks that the trait does not contradict other traits and is within its limit; NULL: no
     * check. */
    haft_status (*check)(const haft__traits *traits, haft_error *err);
    haft_status (*check_limit)(const haft__traits *traits, haft_error *err);
};

/* All rows of the table. */
const haft__trait *haft__traits_table(size_t *ret_count);

/* The row of a key; NULL if the key is unknown. */
const haft__trait *haft__trait_find(haft_str key);

/* Whether a flag is set; false for a trait that is not a flag. */
bool haft__trait_is_set(const haft__trait *trait, const haft__traits *traits);

/* The defaults of a tool: no flags, cost light, one minute for each attempt. */
#define HAFT__TRAITS_TIMEOUT_MS 60000U
void haft__traits_init(haft__traits *traits);

/* Reads an object of traits; a missing or null trait keeps its value. BAD_INPUT for an unknown key
 * (the hint names the nearest) or a wrong value, TOO_BIG past a limit; err->where is a JSON Pointer
 * into `object`, and *traits stays unchanged. A lane is borrowed from `object`. */
HAFT_MUST_USE haft_status haft__traits_read(haft__json object, haft__traits *traits,
                                            haft_error *err);

/* Checks that the traits are consistent: no tool is both destructive and read_only, only a
 * read_only or idempotent tool is retried or cached, and numbers are within their limits.
 * err->where is a JSON Pointer as above. */
HAFT_MUST_USE haft_status haft__traits_check(const haft__traits *traits, haft_error *err);

/* Reads the `annotations` of an MCP tool (or null). They are hints of a server and grant no
 * permission: if a hint is missing, contradictory or of the wrong type, the cautious default of MCP
 * is used. */
void haft__traits_from_mcp(haft__json annotations, haft__traits *traits);

/* Writes the traits that exist in MCP as members of `annotations`. */
void haft__traits_write_mcp(haft__json_writer *w, const haft__traits *traits);

/* Sets the boolean traits from the flags of a C tool (haft_tool.traits). */
void haft__traits_from_flags(uint32_t flags, haft__traits *traits);

/* Whether a second attempt cannot repeat an effect: the tool is read_only or idempotent. */
bool haft__traits_are_repeatable(const haft__traits *traits);

/* Whether a call runs again after a transient failure of this attempt; the first attempt is 1. */
bool haft__traits_allow_retry(const haft__traits *traits, uint32_t attempt);

/* All flags that haft__traits_from_flags reads. */
uint32_t haft__traits_flags(void);

/* Appends the traits for people: "read_only, light, 10s". */
void haft__traits_describe(haft__buf *buf, const haft__traits *traits);

/* Writes all traits as one object, which haft__traits_read reads back unchanged. */
void haft__traits_write(haft__json_writer *w, const haft__traits *traits);

const char *haft__cost_name(haft__tool_cost cost);           /* "free", "light", "heavy" */
const char *haft__cache_scope_name(haft__cache_scope scope); /* "none", "run", "thread", "global" */

#endif
