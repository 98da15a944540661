/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/parse_request_int.h - checks and rejections, shared by the parse_*.c
 * files. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_PARSE_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_PARSE_REQUEST_INT_H

#include "model/providers/openai_chat/parse_request.h"

#define HAFT__CHAT_PARAM_SIZE 96

typedef struct haft__chat_reader {
    haft__arena *arena;
    haft__hash_key hash_key;
    haft__chat_parsed *asked;
    haft__chat_server_kind like;
    haft_status status; /* HAFT_OK unless out of memory */
    haft_error *err;
} haft__chat_reader;

/* The kinds that a value may have. */
typedef enum haft__chat_value_kind {
    HAFT__CHAT_STRING = 1 << 0,
    HAFT__CHAT_OBJECT = 1 << 1,
    HAFT__CHAT_ARRAY = 1 << 2,
    HAFT__CHAT_BOOLEAN = 1 << 3,
    HAFT__CHAT_INTEGER = 1 << 4,
    HAFT__CHAT_DECIMAL = 1 << 5,
    HAFT__CHAT_NULL = 1 << 6,
} haft__chat_value_kind;

/* These functions return false if the reading must stop: the request is rejected or memory is
 * exhausted. */

/* Rejects the request; `code` may be NULL, `param` empty. Always false. */
bool haft__chat_reject(haft__chat_reader *r, const char *code, const char *param,
                       const char *format, ...) HAFT__PRINTF(4, 5);
bool haft__chat_no_memory(haft__chat_reader *r);

/* "a string", "null". */
const char *haft__chat_describe(haft__json value);

/* Checks that the value is of one of these kinds (a set of haft__chat_value_kind). */
bool haft__chat_check_kind(haft__chat_reader *r, haft__json value, unsigned kinds,
                           const char *param);

/* Checks that the object has only members with these names, which are separated by blanks. */
bool haft__chat_check_members(haft__chat_reader *r, haft__json object, const char *names,
                              const char *param);

/* Checks that the text is one of these words, which are separated by blanks. */
bool haft__chat_check_word(haft__chat_reader *r, haft_str text, const char *words,
                           const char *param);

/* A required member of these kinds. `param` is the object's. */
bool haft__chat_require_member(haft__chat_reader *r, haft__json object, const char *name,
                               unsigned kinds, const char *param, haft__json *ret_value);

/* An optional member; null if it is absent. */
bool haft__chat_optional_member(haft__chat_reader *r, haft__json object, const char *name,
                                unsigned kinds, const char *param, haft__json *ret_value);

/* `function` of a tool, a call or a choice must have a valid name. */
bool haft__chat_require_name(haft__chat_reader *r, haft__json function, const char *param,
                             haft_str *ret_wire);

/* Decodes a wire name; an undecodable name stays unchanged. */
bool haft__chat_decode(haft__chat_reader *r, haft_str wire, haft_str *ret_name);

/* parse_constraint.c */
bool haft__chat_read_constraint(haft__chat_reader *r, haft__json body);

bool haft__chat_read_messages(haft__chat_reader *r, haft__json listed);
bool haft__chat_read_tools(haft__chat_reader *r, haft__json listed);
bool haft__chat_read_choice(haft__chat_reader *r, haft__json choice);

#endif
