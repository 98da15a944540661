/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.c - redacts the host's secrets in messages of a server.
 *
 * Every message is redacted right after parsing, before any part of it is truncated, joined to one
 * line or shown, because half a secret cannot be recognised. Values are checked in haft's own
 * serialisation, so that the server's JSON escapes do not matter. Values that are sent back to the
 * server or compared (ids, cursors, definitions, states) stay unchanged. Tests:
 * tests/mcp/client/redact_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "json/read.h"

#define NOT_SHOWN HAFT__LIT("(not shown: it contains a secret)")

haft_status haft__mcp_client_redact_text(const haft__mcp_client *client, haft__arena *arena,
                                         haft_str *io_text, bool *ret_secret, haft_error *err)
{
    haft__buf out;
    *ret_secret = false;
    if (client->options.cleaner.clean == NULL || io_text->len == 0) {
        return HAFT_OK;
    }
    haft__buf_init(&out, HAFT__LIMIT_JSON_BYTES);
    bool secret = haft__clean(client->options.cleaner, *io_text, (haft__lost){false, false}, &out);
    haft_status status = haft__buf_check(&out, err);
    haft_str clean = haft__buf_str(&out);
    if (status == HAFT_TOO_BIG) {
        status = HAFT_OK;
        secret = true;
        clean = NOT_SHOWN;
    }
    if (status == HAFT_OK && secret) {
        *ret_secret = true;
        *io_text = haft__arena_copy(arena, clean);
        status = io_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&out);
    return status;
}

static haft_status read_clean(const haft__mcp_client *client, haft__arena *arena, haft_str text,
                              haft__json *ret_value, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_MCP_DEPTH;
    options.max_values = HAFT__LIMIT_MCP_VALUES;
    options.hash_key = client->options.origin.hash_key;
    haft_status status = haft__json_read(arena, text, &options, ret_value, NULL, NULL);
    if (status != HAFT_OK && status != HAFT_NO_MEMORY) {
        *ret_value = haft__json_string(NOT_SHOWN);
        return HAFT_OK;
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail_no_memory(err);
}

haft_status haft__mcp_client_redact_value(const haft__mcp_client *client, haft__arena *arena,
                                          haft__json *io_value, bool *ret_secret, haft_error *err)
{
    haft__buf text;
    *ret_secret = false;
    if (client->options.cleaner.clean == NULL || io_value->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, *io_value);
    haft_status status = haft__buf_check(&text, err);
    haft_str clean = haft__buf_str(&text);
    if (status == HAFT_OK) {
        status = haft__mcp_client_redact_text(client, arena, &clean, ret_secret, err);
    } else if (status == HAFT_TOO_BIG) {
        *ret_secret = true;
        clean = HAFT__LIT("");
        status = HAFT_OK;
    }
    if (status == HAFT_OK && *ret_secret) {
        status = read_clean(client, arena, clean, io_value, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status clean_message(const haft__mcp_client *client, haft__arena *arena,
                                 haft__rpc_message *message, haft_error *err)
{
    bool secret;
    haft__json result = message->result;
    haft_status status =
        haft__mcp_client_redact_value(client, arena, &message->result, &secret, err);
    message->exact = status == HAFT_OK && secret ? result : haft__json_null();
    if (status == HAFT_OK) {
        status = haft__mcp_client_redact_value(client, arena, &message->params, &secret, err);
    }
    if (status == HAFT_OK) {
        status = haft__mcp_client_redact_value(client, arena, &message->data, &secret, err);
    }
    return status == HAFT_OK
               ? haft__mcp_client_redact_text(client, arena, &message->message, &secret, err)
               : status;
}

haft_status haft__mcp_client_read_message(const haft__mcp_client *client, haft__arena *arena,
                                          haft_str text, haft__rpc_message *ret_message,
                                          haft__rpc_fault *ret_fault, haft_error *why)
{
    haft_status status =
        haft__rpc_read(arena, text, client->options.origin.hash_key, ret_message, ret_fault, why);
    bool secret = false;
    if (status == HAFT_OK) {
        return clean_message(client, arena, ret_message, why);
    }
    if (status != HAFT_NO_MEMORY && text.len <= HAFT__LIMIT_MCP_MESSAGE_BYTES) {
        /* the error quotes the message */
        haft_status cleaned = haft__mcp_client_redact_text(client, arena, &text, &secret, why);
        status = cleaned == HAFT_OK ? status : cleaned;
    }
    return secret ? haft__fail(why, status, "", "a message that contains a secret is not valid")
                  : status;
}
