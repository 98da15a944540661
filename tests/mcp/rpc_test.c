/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/rpc.c: valid and invalid messages, and the errors that their sender gets. */
#include "mcp/rpc.h"

#include "base/limits.h"
#include "test.h"

static const haft__hash_key key = {1, 2};

/* ---- valid messages ---- */

static const struct {
    const char *text;
    haft__rpc_kind kind;
    const char *written; /* NULL: the same text */
} good[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", HAFT__RPC_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\",\"params\":{\"x\":1.0}}",
     HAFT__RPC_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"\"}", HAFT__RPC_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":-9223372036854775808,\"method\":\"m\"}", HAFT__RPC_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}", HAFT__RPC_NOTIFICATION, NULL},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":null}", HAFT__RPC_NOTIFICATION,
     "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}", HAFT__RPC_RESULT, NULL},
    {" {\"result\":{\"a\":[1]},\"more\":0,\n\"id\":\"x\",\"jsonrpc\":\"2.0\"}", HAFT__RPC_RESULT,
     "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"a\":[1]}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
     HAFT__RPC_ERROR, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1,\"message\":\"\",\"data\":[2]}}",
     HAFT__RPC_ERROR, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}",
     HAFT__RPC_ERROR, NULL},
    {"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}", HAFT__RPC_ERROR,
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}"},
};

/* Writes the message that was read. */
static void write_message(haft__buf *buf, const haft__rpc_message *message)
{
    haft__json_writer w;
    if (message->kind == HAFT__RPC_ERROR) {
        haft__rpc_write_error(buf, message->id, message->code, message->message, message->data);
        return;
    }
    haft__json_writer_init(&w, buf);
    if (message->kind == HAFT__RPC_RESULT) {
        haft__rpc_begin_result(&w, message->id);
        haft__json_add(&w, message->result);
        haft__rpc_end(&w);
        return;
    }
    haft__json_begin_object(&w);
    haft__json_key(&w, "jsonrpc");
    haft__json_add_str(&w, HAFT__LIT("2.0"));
    if (message->kind == HAFT__RPC_REQUEST) {
        haft__json_key(&w, "id");
        haft__json_add(&w, message->id);
    }
    haft__json_key(&w, "method");
    haft__json_add_str(&w, message->method);
    if (message->params.kind != HAFT__JSON_NULL) {
        haft__json_key(&w, "params");
        haft__json_add(&w, message->params);
    }
    haft__rpc_end(&w);
}

TEST(a_message_is_written_as_it_was_read)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        haft__arena arena;
        haft__buf buf;
        haft_error err = {0};
        haft__rpc_message message;
        haft__rpc_fault fault;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 16);
        haft_status status =
            haft__rpc_read(&arena, haft__str(good[i].text), key, &message, &fault, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s", good[i].text, err.message);
        if (status == HAFT_OK) {
            CHECK_INT(message.kind, good[i].kind, "%s", good[i].text);
            write_message(&buf, &message);
            CHECK_STR(haft__buf_str(&buf),
                      haft__str(good[i].written != NULL ? good[i].written : good[i].text), "%s",
                      good[i].text);
        }
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

/* ---- invalid messages ---- */

#define V "\"jsonrpc\":\"2.0\""

static const struct {
    const char *text;
    int code;
    const char *id; /* as text; "": no id */
    bool answer;
    const char *where, *message;
} bad[] = {
    {"", HAFT__RPC_PARSE, "", false, "1:1 (byte 0)", "expected a value, found the end"},
    {"{" V ",\"id\":1,\"method\":\"pi", HAFT__RPC_PARSE, "", false, NULL, NULL},
    {"{} {}", HAFT__RPC_PARSE, "", false, NULL, NULL},
    {"\xff", HAFT__RPC_PARSE, "", false, NULL, NULL},
    {"[]", HAFT__RPC_INVALID, "", false, "",
     "expected one message, found an array: batches are not supported"},
    {"[{" V ",\"id\":1,\"method\":\"ping\"}]", HAFT__RPC_INVALID, "", false, "", NULL},
    {"1", HAFT__RPC_INVALID, "", false, "", "expected an object, found number"},
    {"{}", HAFT__RPC_INVALID, "", false, "", "found neither a method nor a result or error"},
    {"{" V ",\"id\":5}", HAFT__RPC_INVALID, "5", false, "", NULL},
    {"{" V ",\"id\":null}", HAFT__RPC_INVALID, "", false, "", NULL},
    {"{" V ",\"id\":null,\"method\":\"m\"}", HAFT__RPC_INVALID, "", false, "/id",
     "expected a string or an integer as the id, found null"},
    {"{" V ",\"id\":1.5,\"method\":\"m\"}", HAFT__RPC_INVALID, "", false, "/id",
     "expected an integer of 64 bits as the id, found '1.5'"},
    {"{" V ",\"id\":1e2,\"method\":\"m\"}", HAFT__RPC_INVALID, "", false, "/id", NULL},
    {"{" V ",\"id\":9223372036854775808,\"method\":\"m\"}", HAFT__RPC_INVALID, "", false, "/id",
     NULL},
    {"{" V ",\"id\":true,\"method\":\"m\"}", HAFT__RPC_INVALID, "", false, "/id", NULL},
    {"{" V ",\"id\":{},\"result\":{}}", HAFT__RPC_INVALID, "", true, "/id", NULL},
    {"{" V ",\"id\":[1],\"error\":{\"code\":1,\"message\":\"\"}}", HAFT__RPC_INVALID, "", true,
     "/id", NULL},
    {"{\"id\":1,\"method\":\"m\"}", HAFT__RPC_INVALID, "1", false, "/jsonrpc",
     "expected \"2.0\", found nothing"},
    {"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", HAFT__RPC_INVALID, "1", false, "/jsonrpc",
     "expected \"2.0\", found number"},
    {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", HAFT__RPC_INVALID, "1", false, "/jsonrpc",
     "expected \"2.0\", found '1.0'"},
    {"{" V ",\"id\":1,\"method\":7}", HAFT__RPC_INVALID, "1", false, "/method",
     "expected a string, found number"},
    {"{" V ",\"id\":1,\"method\":null}", HAFT__RPC_INVALID, "1", false, "/method", NULL},
    {"{" V ",\"id\":\"q\",\"method\":\"m\",\"params\":[1]}", HAFT__RPC_INVALID, "q", false,
     "/params", "expected an object, found array"},
    {"{" V ",\"method\":\"m\",\"params\":\"x\"}", HAFT__RPC_INVALID, "", false, "/params", NULL},
    {"{" V ",\"id\":1,\"method\":\"m\",\"result\":{}}", HAFT__RPC_INVALID, "1", false, "",
     "found a method together with a result"},
    {"{" V ",\"id\":1,\"method\":\"m\",\"error\":{}}", HAFT__RPC_INVALID, "1", false, "",
     "found a method together with an error"},
    {"{" V ",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}", HAFT__RPC_INVALID,
     "1", true, "", "found both a result and an error"},
    {"{" V ",\"id\":1,\"result\":null}", HAFT__RPC_INVALID, "1", true, "/result",
     "expected an object, found null"},
    {"{" V ",\"id\":1,\"result\":[]}", HAFT__RPC_INVALID, "1", true, "/result", NULL},
    {"{" V ",\"result\":{}}", HAFT__RPC_INVALID, "", true, "/id",
     "expected the id of a request, found nothing"},
    {"{" V ",\"id\":null,\"result\":{}}", HAFT__RPC_INVALID, "", true, "/id", NULL},
    {"{" V ",\"id\":1,\"error\":\"no\"}", HAFT__RPC_INVALID, "1", true, "/error", NULL},
    {"{" V ",\"id\":1,\"error\":{}}", HAFT__RPC_INVALID, "1", true, "/error/code",
     "expected an integer of 64 bits, found nothing"},
    {"{" V ",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"\"}}", HAFT__RPC_INVALID, "1", true,
     "/error/code", NULL},
    {"{" V ",\"id\":1,\"error\":{\"code\":\"1\",\"message\":\"\"}}", HAFT__RPC_INVALID, "1", true,
     "/error/code", NULL},
    {"{" V ",\"id\":1,\"error\":{\"code\":1}}", HAFT__RPC_INVALID, "1", true, "/error/message",
     NULL},
    {"{" V ",\"id\":1,\"error\":{\"code\":1,\"message\":null}}", HAFT__RPC_INVALID, "1", true,
     "/error/message", NULL},
    {"{" V ",\"id\":1,\"method\":\"m\",\"method\":\"n\"}", HAFT__RPC_INVALID, "1", false, "",
     "a key occurs twice in one object"},
    {"{" V ",\"id\":1,\"result\":{\"a\":[{\"b\":1,\"b\":2}]}}", HAFT__RPC_INVALID, "1", true, "",
     "a key occurs twice in one object"},
};

TEST(an_invalid_message_is_a_fault_with_its_code_and_id)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        haft__arena arena;
        haft_error err = {0};
        haft__rpc_message message;
        haft__rpc_fault fault = {0};
        haft__arena_init(&arena, 0);
        haft_status status =
            haft__rpc_read(&arena, haft__str(bad[i].text), key, &message, &fault, &err);
        CHECK_INT(status, HAFT_BAD_INPUT, "%s: the status", bad[i].text);
        CHECK_INT(fault.code, bad[i].code, "%s: the code", bad[i].text);
        CHECK_INT(fault.answer, bad[i].answer, "%s: whether the sender gets an answer",
                  bad[i].text);
        CHECK_STR(haft__json_text(fault.id), haft__str(bad[i].id), "%s: the id", bad[i].text);
        CHECK(err.message[0] != '\0', "%s: no message", bad[i].text);
        if (bad[i].where != NULL) {
            CHECK_STR(haft__str(err.where), haft__str(bad[i].where), "%s", bad[i].text);
        }
        if (bad[i].message != NULL) {
            CHECK(strstr(err.message, bad[i].message) != NULL, "%s: %s", bad[i].text, err.message);
        }
        haft__arena_finish(&arena);
    }
}

/* ---- limits ---- */

/* Reads `head`, `count` times `piece`, and `tail`. */
static haft_status read_repeated(const char *head, char piece, size_t count, const char *tail,
                                 haft__rpc_fault *ret_fault, haft_error *err)
{
    size_t before = strlen(head), size = before + count + strlen(tail);
    char *text = test_alloc(size);
    memcpy(text, head, before);
    memset(text + before, piece, count);
    memcpy(text + before + count, tail, strlen(tail));
    haft__arena arena;
    haft__rpc_message message;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__rpc_read(&arena, (haft_str){text, size}, key, &message, ret_fault, err);
    haft__arena_finish(&arena);
    return status;
}

TEST(the_length_of_an_id_is_bounded)
{
    const char *head = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\"";
    haft__rpc_fault fault = {0};
    haft_error err = {0};
    CHECK_INT(read_repeated(head, 'x', HAFT__LIMIT_MCP_ID_BYTES, "\"}", &fault, &err), HAFT_OK,
              "%s", err.message);
    CHECK_INT(read_repeated(head, 'x', HAFT__LIMIT_MCP_ID_BYTES + 1, "\"}", &fault, &err),
              HAFT_TOO_BIG, "%s", err.message);
    CHECK_INT(fault.code, HAFT__RPC_INVALID, "the code");
    CHECK_STR(haft__str(err.message), HAFT__LIT("an id of 257 bytes, more than 256"), "message");
}

TEST(the_size_of_a_message_is_bounded)
{
    const char *head = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{}", *tail = "}";
    size_t room = HAFT__LIMIT_MCP_MESSAGE_BYTES - strlen(head) - strlen(tail);
    haft__rpc_fault fault = {0};
    haft_error err = {0};
    CHECK_INT(read_repeated(head, ' ', room, tail, &fault, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(read_repeated(head, ' ', room + 1, tail, &fault, &err), HAFT_TOO_BIG, "%s",
              err.message);
    CHECK_INT(fault.code, HAFT__RPC_INVALID, "the code");
}

static haft_status read_nested(size_t depth, haft__rpc_fault *ret_fault)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__buf_addf(&buf, "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"x\":");
    for (size_t i = 0; i < depth - 2; i++) {
        haft__buf_add_char(&buf, '[');
    }
    for (size_t i = 0; i < depth - 2; i++) {
        haft__buf_add_char(&buf, ']');
    }
    haft__buf_addf(&buf, "}}");
    haft__arena arena;
    haft__rpc_message message;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__rpc_read(&arena, haft__buf_str(&buf), key, &message, ret_fault, NULL);
    haft__arena_finish(&arena);
    haft__buf_finish(&buf);
    return status;
}

TEST(the_depth_of_a_message_is_bounded)
{
    haft__rpc_fault fault = {0};
    CHECK_INT(read_nested(HAFT__LIMIT_MCP_DEPTH, &fault), HAFT_OK, "at the limit");
    CHECK_INT(read_nested(HAFT__LIMIT_MCP_DEPTH + 1, &fault), HAFT_TOO_BIG, "past the limit");
    CHECK_INT(fault.code, HAFT__RPC_INVALID, "the code");
}

/* Reads a message in which '~' stands for a value that is too deep. */
static haft_status read_deep(const char *form, haft__arena *arena, haft__rpc_fault *ret_fault)
{
    haft__buf buf;
    haft__rpc_message message;
    haft__buf_init(&buf, 1 << 16);
    for (const char *p = form; *p != '\0'; p++) {
        for (size_t i = 0; *p == '~' && i <= HAFT__LIMIT_JSON_DEPTH; i++) {
            haft__buf_addf(&buf, "{\"id\":[\"\\\"]\",");
        }
        for (size_t i = 0; *p == '~' && i <= HAFT__LIMIT_JSON_DEPTH; i++) {
            haft__buf_addf(&buf, "0]}");
        }
        haft__buf_add(&buf, p, *p != '~');
    }
    haft_str text = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return haft__rpc_read(arena, text, key, &message, ret_fault, NULL);
}

TEST(the_id_of_a_message_that_is_too_deep_is_found)
{
    static const struct {
        const char *form, *id;
        bool answer, maybe_response;
    } rows[] = {
        {"{" V ",\"id\":7,\"result\":~}", "7", true, true},
        {"{\"result\" : ~ , \"id\" : \"a\" }", "a", true, true},
        {"{\"error\":~,\"id\":-7,\"jsonrpc\":\"2.0\"}", "-7", true, true},
        {"{\"x\":[true,{}],\"y\":\"}\",\"z\":\"\",\"result\":~,\"id\":7}", "7", true, true},
        {"{\"id\":7,\"result\":[~", "7", true, true},
        {"{\"id\":7,\"method\":\"m\",\"params\":~}", "7", false, false},
        {"{\"id\":7,\"params\":~}", "7", false, true},
        {"{\"method\":\"m\",\"params\":~}", "", false, false},
        {"{\"result\":~}", "", true, false},
        {"{\"id\":7,\"result\":~,\"id\":7}", "", true, false},
        {"{\"id\":1.5,\"result\":~}", "", true, false},
        {"{\"id\":null,\"result\":~}", "", true, false},
        {"{\"id\":[7],\"result\":~}", "", true, false},
        {"{\"result\":{\"id\":7,\"x\":~}}", "", true, false},
        {"[{\"id\":7,\"result\":~}]", "", false, false},
        {"~", "", false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__rpc_fault fault = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(read_deep(rows[i].form, &arena, &fault), HAFT_TOO_BIG, "%s: the status",
                  rows[i].form);
        CHECK_STR(haft__json_text(fault.id), haft__str(rows[i].id), "%s: the id", rows[i].form);
        CHECK_INT(fault.answer, rows[i].answer, "%s: whether the sender gets an answer",
                  rows[i].form);
        CHECK_INT(fault.maybe_response, rows[i].maybe_response, "%s: whether it may be a response",
                  rows[i].form);
        haft__arena_finish(&arena);
    }
}

/* Reads an array of items. The message, `params`, `x` and their keys are 7 more values. */
static haft_status read_wide(size_t values, haft__rpc_fault *ret_fault)
{
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"x\":[0";
    size_t items = values - 10, size = sizeof head - 1 + items * 2 + 3;
    char *text = test_alloc(size);
    memcpy(text, head, sizeof head - 1);
    for (size_t i = 0; i < items; i++) {
        memcpy(text + sizeof head - 1 + i * 2, ",0", 2);
    }
    memcpy(text + size - 3, "]}}", 3);
    haft__arena arena;
    haft__rpc_message message;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__rpc_read(&arena, (haft_str){text, size}, key, &message, ret_fault, NULL);
    haft__arena_finish(&arena);
    return status;
}

TEST(the_values_of_a_message_are_bounded)
{
    haft__rpc_fault fault = {0};
    CHECK_INT(read_wide(HAFT__LIMIT_MCP_VALUES, &fault), HAFT_OK, "at the limit");
    CHECK_INT(read_wide(HAFT__LIMIT_MCP_VALUES + 1, &fault), HAFT_TOO_BIG, "past the limit");
    CHECK_INT(fault.code, HAFT__RPC_INVALID, "the code");
}

TEST(reading_a_message_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__rpc_message message;
        haft__rpc_fault fault = {0};
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__rpc_read(&arena, haft__str(good[1].text), key, &message, &fault, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK_INT(fault.code, 0, "the code of a fault, but the message is valid");
        if (!failed) {
            break;
        }
    }
}

/* ---- ids and codes ---- */

TEST(ids_are_compared_with_their_type)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json one = haft__json_int(&arena, 1), text = haft__json_string(HAFT__LIT("1"));
    CHECK(haft__rpc_id_equal(one, haft__json_int(&arena, 1)), "1 is not equal to 1");
    CHECK(!haft__rpc_id_equal(one, text), "1 is equal to \"1\"");
    CHECK(!haft__rpc_id_equal(one, haft__json_int(&arena, 2)), "1 is equal to 2");
    CHECK(haft__rpc_id_valid(one) && haft__rpc_id_valid(text), "1 or \"1\" is not a valid id");
    CHECK(!haft__rpc_id_valid(haft__json_null()) && !haft__rpc_id_valid(haft__json_bool(true)),
          "null or true is a valid id");
    haft__arena_finish(&arena);
}

TEST(codes_have_names)
{
    CHECK_STR(haft__str(haft__rpc_code_name(-32700)), HAFT__LIT("parse error"),
              "the name of -32700");
    CHECK_STR(haft__str(haft__rpc_code_name(HAFT__RPC_VERSION)),
              HAFT__LIT("unsupported protocol version"), "the name of -32022");
    CHECK(haft__rpc_code_name(-32000) == NULL && haft__rpc_code_name(1) == NULL,
          "an unknown code has a name");
}

/* ---- writing piece by piece ---- */

TEST(messages_are_written_piece_by_piece)
{
    haft__arena arena;
    haft__buf buf;
    haft__json_writer w;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 16);
    haft__json_writer_init(&w, &buf);
    haft__rpc_begin_request(&w, 3, HAFT__LIT("tools/list"));
    haft__json_add(&w, haft__json_object(NULL, 0));
    haft__rpc_end(&w);
    haft__buf_add_char(&buf, '|');
    haft__json_writer_init(&w, &buf);
    haft__rpc_begin_notification(&w, HAFT__LIT("a\nb"));
    haft__json_add(&w, haft__json_object(NULL, 0));
    haft__rpc_end(&w);
    haft__buf_add_char(&buf, '|');
    haft__json_writer_init(&w, &buf);
    haft__rpc_begin_result(&w, haft__json_string(HAFT__LIT("s")));
    haft__json_add(&w, haft__json_object(NULL, 0));
    haft__rpc_end(&w);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}|"
                        "{\"jsonrpc\":\"2.0\",\"method\":\"a\\nb\",\"params\":{}}|"
                        "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"result\":{}}"),
              "three messages");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}
