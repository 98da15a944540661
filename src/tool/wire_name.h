/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/wire_name.h - names of tools as every model provider takes them.
 *
 * Inside, a name is "server:tool" of up to 128 bytes; on the wire it is ^[A-Za-z_][A-Za-z0-9_-]*$
 * of up to 64. The mapping is a pure function of the name, so that a history replays and a prompt
 * cache holds:
 *
 *     already fits, and has no "_-"      unchanged     search_database
 *     ':'                                _-_           docs:search   -> docs_-_search
 *     "_-"                               _-u           a_-b          -> a_-ub
 *     any other byte, and a digit or '-'
 *     at the start                       _-hXX         v1.read       -> v1_-h2eread
 *     an encoding of more than 64 bytes  its first 44 bytes or a few less, _-z, and 16 hex digits
 *                                        of a hash of the whole name
 *
 * All but the last can be decoded; the last is looked up among the names that are registered.
 */
#ifndef HAFT_TOOL_WIRE_NAME_H
#define HAFT_TOOL_WIRE_NAME_H

#include "base/buf.h"
#include "tool/registry.h"

#define HAFT__WIRE_NAME_BYTES 64

/* A name on the wire, NUL-terminated. */
typedef struct haft__wire_name {
    char text[HAFT__WIRE_NAME_BYTES + 1];
    uint8_t len;
} haft__wire_name;

/* `name` may be any bytes, but not none. */
haft__wire_name haft__wire_name_encode(haft_str name);

static inline haft_str haft__wire_name_str(const haft__wire_name *wire)
{
    return (haft_str){wire->text, wire->len};
}

/* Appends a name as a model writes it: what a model is told has names in this form. */
void haft__wire_name_add(haft__buf *buf, haft_str name);

/* The name that is encoded as `wire`, in `to`; false when there is none, or when it was hashed.
 * Exact: only what haft__wire_name_encode makes is decoded. */
bool haft__wire_name_decode(haft_str wire, char to[HAFT__WIRE_NAME_BYTES], size_t *ret_length);

/* The registered tool whose name is encoded as `wire`, hashed or not. NULL when there is none. */
const haft__tool *haft__wire_name_find_tool(const haft__tools *tools, haft_str wire);

#endif
