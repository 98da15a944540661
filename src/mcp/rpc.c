/* SPDX-License-Identifier: Apache-2.0 */
/* rpc.c - parses and writes JSON-RPC messages. Tests: tests/mcp/rpc_test.c. */
#include "mcp/rpc.h"

#include "base/error.h"
#include "base/str.h"
#include "json/number.h"
#include "json/object.h"
#include "json/read.h"

const char *haft__rpc_code_name(int64_t code)
{
    static const struct {
        int64_t code;
        const char *name;
    } names[] = {
#define X(name, number, text) {number, text},
        HAFT__RPC_CODES(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        if (names[i].code == code) {
            return names[i].name;
        }
    }
    return NULL;
}

/* ---- ids ---- */

bool haft__rpc_id_valid(haft__json id)
{
    int64_t number;
    if (id.kind == HAFT__JSON_STRING) {
        return id.count <= HAFT__LIMIT_MCP_ID_BYTES;
    }
    return id.kind == HAFT__JSON_NUMBER && id.integer != 0
           && haft__number_to_int64(haft__json_text(id), &number);
}

bool haft__rpc_id_equal(haft__json a, haft__json b)
{
    return a.kind == b.kind && haft__str_equal(haft__json_text(a), haft__json_text(b));
}

/* ---- reading ---- */

static haft_status fail_type(const char *where, const char *what, const haft__json *found,
                             haft_error *err)
{
    return found != NULL
               ? haft__json_fail_type(*found, where, what, err)
               : haft__fail(err, HAFT_BAD_INPUT, where, "expected %s, found nothing", what);
}

static haft_status read_id(const haft__json *id, haft_error *err)
{
    if (id->kind == HAFT__JSON_STRING && !haft__rpc_id_valid(*id)) {
        return haft__fail(err, HAFT_TOO_BIG, "/id", "an id of %u bytes, more than %d", id->count,
                          HAFT__LIMIT_MCP_ID_BYTES);
    }
    if (id->kind == HAFT__JSON_NUMBER && !haft__rpc_id_valid(*id)) {
        return haft__fail(err, HAFT_BAD_INPUT, "/id",
                          "expected an integer of 64 bits as the id, found '%.*s'",
                          HAFT__ARG(haft__json_text(*id)));
    }
    return haft__rpc_id_valid(*id) ? HAFT_OK
                                   : fail_type("/id", "a string or an integer as the id", id, err);
}

static haft_status read_request(haft__json object, haft__rpc_message *message, haft_error *err)
{
    const haft__json *method = haft__json_get(object, HAFT__LIT("method"));
    const haft__json *params = haft__json_get(object, HAFT__LIT("params"));
    if (method->kind != HAFT__JSON_STRING) {
        return fail_type("/method", "a string", method, err);
    }
    if (params != NULL && params->kind != HAFT__JSON_NULL && params->kind != HAFT__JSON_OBJECT) {
        return fail_type("/params", "an object", params, err);
    }
    message->method = haft__json_text(*method);
    message->params = params != NULL ? *params : haft__json_null();
    return HAFT_OK;
}

static haft_status read_error(haft__json error, haft__rpc_message *message, haft_error *err)
{
    if (error.kind != HAFT__JSON_OBJECT) {
        return fail_type("/error", "an object", &error, err);
    }
    const haft__json *code = haft__json_get(error, HAFT__LIT("code"));
    const haft__json *text = haft__json_get(error, HAFT__LIT("message"));
    const haft__json *data = haft__json_get(error, HAFT__LIT("data"));
    if (code == NULL || code->kind != HAFT__JSON_NUMBER
        || !haft__number_to_int64(haft__json_text(*code), &message->code)) {
        return fail_type("/error/code", "an integer of 64 bits", code, err);
    }
    if (text == NULL || text->kind != HAFT__JSON_STRING) {
        return fail_type("/error/message", "a string", text, err);
    }
    message->message = haft__json_text(*text);
    message->data = data != NULL ? *data : haft__json_null();
    return HAFT_OK;
}

static haft_status read_response(haft__json object, haft__rpc_message *message, haft_error *err)
{
    const haft__json *result = haft__json_get(object, HAFT__LIT("result"));
    const haft__json *error = haft__json_get(object, HAFT__LIT("error"));
    if (result != NULL && error != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "found both a result and an error");
    }
    if (error != NULL) {
        return read_error(*error, message, err);
    }
    if (result == NULL || result->kind != HAFT__JSON_OBJECT) {
        return fail_type("/result", "an object", result, err);
    }
    message->result = *result;
    return HAFT_OK;
}

/* Determines the kind by the keys, even for an invalid message. */
static haft_status read_kind(haft__json object, haft__rpc_message *message, haft__rpc_fault *fault,
                             haft_error *err)
{
    bool method = haft__json_get(object, HAFT__LIT("method")) != NULL;
    bool result = haft__json_get(object, HAFT__LIT("result")) != NULL;
    bool error = haft__json_get(object, HAFT__LIT("error")) != NULL;
    bool id = haft__json_get(object, HAFT__LIT("id")) != NULL;
    fault->answer = !method && (result || error);
    fault->maybe_response = id && (result || error || !method);
    message->kind = method && id ? HAFT__RPC_REQUEST
                    : method     ? HAFT__RPC_NOTIFICATION
                    : error      ? HAFT__RPC_ERROR
                                 : HAFT__RPC_RESULT;
    if (!method && !result && !error) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "found neither a method nor a result or error");
    }
    if (method && (result || error)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "found a method together with %s",
                          result ? "a result" : "an error");
    }
    return HAFT_OK;
}

static haft_status check_version(haft__json object, haft_error *err)
{
    const haft__json *version = haft__json_get(object, HAFT__LIT("jsonrpc"));
    if (version == NULL || version->kind != HAFT__JSON_STRING) {
        return fail_type("/jsonrpc", "\"2.0\"", version, err);
    }
    return haft__str_equal(haft__json_text(*version), HAFT__LIT("2.0"))
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "/jsonrpc", "expected \"2.0\", found '%.*s'",
                            HAFT__ARG(haft__json_text(*version)));
}

/* Reads the id first, so that later faults contain it. An error may have no id. */
static haft_status read_message_id(haft__json object, haft__rpc_message *message,
                                   haft__rpc_fault *fault, haft_error *err)
{
    const haft__json *id = haft__json_get(object, HAFT__LIT("id"));
    bool has_no_id = id == NULL || id->kind == HAFT__JSON_NULL;
    if (has_no_id && message->kind == HAFT__RPC_RESULT) {
        return fail_type("/id", "the id of a request", id, err);
    }
    if (id == NULL || (has_no_id && message->kind == HAFT__RPC_ERROR)) {
        return HAFT_OK;
    }
    haft_status status = read_id(id, err);
    if (status == HAFT_OK) {
        message->id = fault->id = *id;
    }
    return status;
}

static haft_status read_object(haft__json object, bool duplicates, haft__rpc_message *message,
                               haft__rpc_fault *fault, haft_error *err)
{
    haft_status status = read_kind(object, message, fault, err);
    haft_status id = read_message_id(object, message, fault, status == HAFT_OK ? err : NULL);
    status = status == HAFT_OK ? id : status;
    if (status == HAFT_OK) {
        status = check_version(object, err);
    }
    if (status == HAFT_OK && duplicates) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "a key occurs twice in one object");
    }
    bool has_method = message->kind == HAFT__RPC_REQUEST || message->kind == HAFT__RPC_NOTIFICATION;
    return status != HAFT_OK ? status
           : has_method      ? read_request(object, message, err)
                             : read_response(object, message, err);
}

haft_status haft__rpc_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                           haft__rpc_message *ret_message, haft__rpc_fault *ret_fault,
                           haft_error *err)
{
    haft__json value;
    haft__json_notes notes = {0};
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_MCP_DEPTH;
    options.max_bytes = HAFT__LIMIT_MCP_MESSAGE_BYTES;
    options.max_values = HAFT__LIMIT_MCP_VALUES;
    options.hash_key = hash_key;
    haft__rpc_fault fault = {.code = HAFT__RPC_PARSE};
    haft__rpc_message message = {.kind = HAFT__RPC_REQUEST};
    haft_status status = haft__json_read(arena, text, &options, &value, &notes, err);
    if (status == HAFT_OK) {
        fault.code = HAFT__RPC_INVALID;
        status = value.kind == HAFT__JSON_OBJECT
                     ? read_object(value, notes.duplicate_keys > 0, &message, &fault, err)
                 : value.kind == HAFT__JSON_ARRAY
                     ? haft__fail(err, HAFT_BAD_INPUT, "",
                                  "expected one message, found an array: batches are not supported")
                     : fail_type("", "an object", &value, err);
    } else if (status == HAFT_TOO_BIG) {
        fault.code = HAFT__RPC_INVALID; /* the message may be valid JSON */
        haft__rpc_read_envelope(arena, text, &fault);
    }
    if (status == HAFT_OK) {
        *ret_message = message;
    } else if (status != HAFT_NO_MEMORY) {
        *ret_fault = fault;
    }
    return status;
}

/* ---- writing ---- */

static void begin(haft__json_writer *w)
{
    haft__json_begin_object(w);
    haft__field_text(w, "jsonrpc", HAFT__LIT("2.0"));
}

static void add_id(haft__json_writer *w, haft__json id)
{
    haft__field_value(w, "id", id);
}

static void add_method(haft__json_writer *w, haft_str method)
{
    haft__field_text(w, "method", method);
}

void haft__rpc_begin_request(haft__json_writer *w, int64_t id, haft_str method)
{
    begin(w);
    haft__field_number(w, "id", id);
    add_method(w, method);
    haft__json_key(w, "params");
}

void haft__rpc_begin_notification(haft__json_writer *w, haft_str method)
{
    begin(w);
    add_method(w, method);
    haft__json_key(w, "params");
}

void haft__rpc_begin_result(haft__json_writer *w, haft__json id)
{
    begin(w);
    add_id(w, id);
    haft__json_key(w, "result");
}

void haft__rpc_end(haft__json_writer *w)
{
    haft__json_end_object(w);
}

void haft__rpc_write_error(haft__buf *buf, haft__json id, int64_t code, haft_str message,
                           haft__json data)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    begin(&w);
    add_id(&w, id);
    haft__json_key(&w, "error");
    haft__json_begin_object(&w);
    haft__json_key(&w, "code");
    haft__json_add_int(&w, code);
    haft__field_text(&w, "message", message);
    if (data.kind != HAFT__JSON_NULL) {
        haft__field_value(&w, "data", data);
    }
    haft__json_end_object(&w);
    haft__json_end_object(&w);
}
