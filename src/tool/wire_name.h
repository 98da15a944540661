/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/wire_name.h - tool names in the form that every model provider accepts.
 *
 * A canonical name is "server:tool" of up to 128 bytes; a wire name is ^[A-Za-z_][A-Za-z0-9_-]*$ of
 * up to 64. The mapping is a pure function of the name, so that a history replays and a prompt
 * cache stays valid:
 *
 *     already fits, and has no "_-"      unchanged     search_database
 *     ':'                                _-_           docs:search   -> docs_-_search
 *     "_-"                               _-u           a_-b          -> a_-ub
 *     any other byte, and a digit or '-'
 *     at the start                       _-hXX         v1.read       -> v1_-h2eread
 *     an encoding of more than 64 bytes  its first 44 bytes or a few less, _-z, and 16 hex digits
 *                                        of a hash of the whole name
 *
 * All except the last form can be decoded. The last one is resolved among the registered names.
 */
#ifndef HAFT_TOOL_WIRE_NAME_H
#define HAFT_TOOL_WIRE_NAME_H

#include "base/buf.h"
#include "tool/registry.h"

#define HAFT__WIRE_NAME_BYTES 64

/* A wire name, NUL-terminated. */
typedef struct haft__wire_name {
    char text[HAFT__WIRE_NAME_BYTES + 1];
    uint8_t len;
} haft__wire_name;

/* `name` may have any bytes, but must not be empty. */
haft__wire_name haft__wire_name_encode(haft_str name);

static inline haft_str haft__wire_name_str(const haft__wire_name *wire)
{
    return (haft_str){wire->text, wire->len};
}

/* Appends a name in its wire form. All texts for the model use this form. */
void haft__wire_name_add(haft__buf *buf, haft_str name);

/* Decodes `wire` to `to`; false if it is not an encoding, or if it was hashed. Exact: only the
 * output of haft__wire_name_encode is decoded. */
bool haft__wire_name_decode(haft_str wire, char to[HAFT__WIRE_NAME_BYTES], size_t *ret_length);

/* The registered tool with that wire name, hashed or not; NULL if it does not exist. */
const haft__tool *haft__wire_name_find_tool(const haft__tools *tools, haft_str wire);

#endif
