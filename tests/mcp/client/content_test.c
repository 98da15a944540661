/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/content.c: the text of a result that a model sees. */
#include "mcp/client/content.h"

#include "base/buf.h"
#include "base/limits.h"
#include "mcp/definition_help.h"
#include "test.h"
#include "json/write.h"

static const haft__hash_key key = {1, 2};

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}"

static const struct {
    const char *result, *schema, *text;
    bool failed, json;
} good[] = {
    {"{\"isError\":true}", "null", "", true, false},
    {"{\"content\":[]}", "null", "", false, false},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"one\"}]}", "null", "one", false, false},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"\"},"
     "{\"type\":\"text\",\"text\":\"t\\u202ewo\"}]}",
     "null", "one\n\nt\xE2\x80\xAEwo", false, false},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}", SCHEMA, "no", true,
     false},
    {"{\"content\":[{\"type\":\"image\",\"data\":\"QUJD\",\"mimeType\":\"image/png\"},"
     "{\"type\":\"audio\",\"data\":\"QUI=\",\"mimeType\":\"audio/w\\u001bav\"},"
     "{\"type\":\"image\",\"data\":\"QQ==\",\"mimeType\":\"\"},"
     "{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"a\"}]}",
     "null",
     "[image image/png, 3 bytes]\n[audio audio/w<U+001B>av, 2 bytes]\n[image, 1 bytes]\n"
     "[image a, 0 bytes]",
     false, false},
    {"{\"content\":[{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\","
     "\"mimeType\":\"text/plain\",\"description\":\"An a.\"},{\"type\":\"resource_link\","
     "\"uri\":\"x:\\n\\u202e\"}]}",
     "null", "[link a file:///a text/plain: An a.]\n[link x:\n<U+202E>]", false, false},
    {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"t://x\",\"mimeType\":"
     "\"text/plain\",\"text\":\"inside\"}},{\"type\":\"resource\",\"resource\":{\"uri\":\"t://y\","
     "\"blob\":\"QUJD\"}}]}",
     "null", "[resource t://x text/plain]\ninside\n[resource t://y, 3 bytes]", false, false},
    {"{\"content\":[{\"type\":\"video\"}]}", "null", "[a block of unknown type video]", false,
     false},
    /* structured content */
    {"{\"structuredContent\":{\"n\":1}}", SCHEMA, "{\"n\":1}", false, true},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"{ \\\"n\\\": 1.0 }\"}],\"structuredContent\":"
     "{\"n\":1}}",
     SCHEMA, "{\"n\":1}", false, true},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"one\"}],\"structuredContent\":{\"n\":1}}", SCHEMA,
     "one", false, false},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":2}\"}],\"structuredContent\":"
     "{\"n\":1}}",
     SCHEMA, "{\"n\":2}", false, false},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":1}\"},{\"type\":\"image\",\"data\":"
     "\"\",\"mimeType\":\"a\"}],\"structuredContent\":{\"n\":1}}",
     SCHEMA, "{\"n\":1}\n[image a, 0 bytes]", false, false},
    {"{\"content\":[],\"structuredContent\":null}", "null", "null", false, true},
    {"{\"content\":[],\"structuredContent\":[1]}", "{\"type\":\"array\"}", "[1]", false, true},
    {"{\"content\":[],\"structuredContent\":7,\"isError\":true}", SCHEMA, "7", true, true},
};

TEST(a_result_becomes_text)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        haft__arena arena;
        haft__mcp_content content = {0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__mcp_content_read(
                      &arena, test_json(&arena, haft__str(good[i].result)), haft__json_null(),
                      test_json(&arena, haft__str(good[i].schema)), key, &content, &err),
                  HAFT_OK, "%s: %s", good[i].result, err.message);
        CHECK_STR(content.text, haft__str(good[i].text), "%s: the text", good[i].result);
        CHECK_INT(content.failed, good[i].failed, "%s: failed", good[i].result);
        CHECK_INT(content.json, good[i].json, "%s: JSON", good[i].result);
        CHECK_INT(content.has_value, strstr(good[i].result, "structuredContent") != NULL,
                  "%s: structured content", good[i].result);
        haft__arena_finish(&arena);
    }
}

static const struct {
    const char *result, *schema, *where, *message;
} bad[] = {
    {"{\"content\":{}}", "null", "/content", "expected an array, found object"},
    {"{\"isError\":\"yes\"}", "null", "/isError", "expected a boolean, found string"},
    {"{}", "null", "/content", "expected an array of content, found nothing"},
    {"{\"isError\":false}", SCHEMA, "/content", NULL},
    {"{\"task\":{\"taskId\":\"t\"}}", "null", "/task",
     "the server turned the call into a task, and haft does not support tasks"},
    {"{\"content\":[7]}", "null", "/content/0", "expected an object, found number"},
    {"{\"content\":[{}]}", "null", "/content/0/type", "expected a string, found null"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\"}]}", "null",
     "/content/1/text", "expected a string, found null"},
    {"{\"content\":[{\"type\":\"image\"}]}", "null", "/content/0/data", NULL},
    {"{\"content\":[{\"type\":\"audio\",\"data\":\"\"}]}", "null", "/content/0/mimeType", NULL},
    {"{\"content\":[{\"type\":\"resource_link\"}]}", "null", "/content/0/uri", NULL},
    {"{\"content\":[{\"type\":\"resource\"}]}", "null", "/content/0/resource/uri", NULL},
    {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a\"}}]}", "null",
     "/content/0/resource/text", NULL},
    {"{\"content\":[]}", SCHEMA, "/structuredContent", "has no structuredContent"},
    {"{\"structuredContent\":{}}", SCHEMA, "/structuredContent",
     "the result does not match the tool's output schema: "},
    {"{\"structuredContent\":{\"n\":\"x\"}}", SCHEMA, "/structuredContent/n", NULL},
    {"{\"structuredContent\":null}", SCHEMA, "/structuredContent", NULL},
};

TEST(a_wrong_result_is_reported_with_its_place)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        haft__arena arena;
        haft__mcp_content content;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__mcp_content_read(
                      &arena, test_json(&arena, haft__str(bad[i].result)), haft__json_null(),
                      test_json(&arena, haft__str(bad[i].schema)), key, &content, &err),
                  HAFT_BAD_INPUT, "%s", bad[i].result);
        CHECK_STR(haft__str(err.where), haft__str(bad[i].where), "%s", bad[i].result);
        CHECK(bad[i].message == NULL || strstr(err.message, bad[i].message) != NULL, "%s: %s",
              bad[i].result, err.message);
        haft__arena_finish(&arena);
    }
}

/* ---- bytes ---- */

TEST(the_bytes_of_blocks_are_kept_apart)
{
    haft__arena arena;
    haft__mcp_content content;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__json result = test_json(
        &arena,
        HAFT__LIT("{\"content\":[{\"type\":\"image\",\"data\":\"QQBC\",\"mimeType\":\"image/png\"},"
                  "{\"type\":\"text\",\"text\":\"t\"},"
                  "{\"type\":\"audio\",\"data\":\"QUJ[redacted]\",\"mimeType\":\"a/b\"},"
                  "{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"},"
                  "{\"type\":\"resource\",\"resource\":{\"uri\":\"t://y\",\"blob\":\"QUI=\"}}]}"));
    CHECK_INT(haft__mcp_content_read(&arena, result, haft__json_null(), haft__json_null(), key,
                                     &content, &err),
              HAFT_OK, "%s", err.message);
    CHECK_STR(content.text,
              HAFT__LIT("[image image/png, 3 bytes]\nt\n[audio a/b, 9 bytes] (not kept: its base64 "
                        "is not valid, or had a secret)\n[image image/png, 0 bytes]\n"
                        "[resource t://y, 2 bytes]"),
              "notes");
    CHECK_INT(content.blob_count, 2, "blocks that can be decoded");
    CHECK_STR(content.blobs[0].bytes, ((haft_str){"A\0B", 3}), "the image");
    CHECK_STR(content.blobs[0].media_type, HAFT__LIT("image/png"), "the type of the image");
    CHECK_STR(content.blobs[1].bytes, HAFT__LIT("AB"), "the resource");
    CHECK_STR(content.blobs[1].media_type, HAFT__LIT(""), "the type of the resource");
    haft__arena_finish(&arena);
}

/* ---- limits ---- */

static bool shows_all_blocks(int count)
{
    haft__arena arena;
    haft__buf buf;
    haft__mcp_content content = {0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s{\"type\":\"text\",\"text\":\"x\"}",
                       i > 0 ? "," : "{\"content\":[");
    }
    haft__buf_addf(&buf, "]}");
    CHECK_INT(haft__mcp_content_read(&arena, test_json(&arena, haft__buf_str(&buf)),
                                     haft__json_null(), haft__json_null(), key, &content, NULL),
              HAFT_OK, "%d blocks", count);
    bool all = !haft__str_ends_with(content.text, HAFT__LIT("\n[and 1 more blocks]"));
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    return all;
}

TEST(the_blocks_of_a_result_are_bounded)
{
    CHECK(shows_all_blocks(HAFT__LIMIT_MCP_BLOCKS), "at the limit");
    CHECK(!shows_all_blocks(HAFT__LIMIT_MCP_BLOCKS + 1), "past the limit");
}

/* Reads a result with `bytes` of text, in characters of two bytes; returns how many are shown. */
static size_t shown_bytes(size_t bytes, bool *ret_cut)
{
    haft__arena arena;
    haft__mcp_content content = {0};
    char *text = test_alloc(bytes);
    for (size_t i = 0; i < bytes; i++) {
        text[i] = i % 2 == 0 ? '\xC3' : '\xA4';
    }
    haft__json_member block[] = {
        {haft__json_string(HAFT__LIT("type")), haft__json_string(HAFT__LIT("text"))},
        {haft__json_string(HAFT__LIT("text")), haft__json_string((haft_str){text, bytes})}};
    haft__json object = haft__json_object(block, 2);
    haft__json_member result = {haft__json_string(HAFT__LIT("content")),
                                haft__json_array(&object, 1)};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__mcp_content_read(&arena, haft__json_object(&result, 1), haft__json_null(),
                                     haft__json_null(), key, &content, NULL),
              HAFT_OK, "%zu bytes", bytes);
    size_t length = content.text.len;
    *ret_cut =
        haft__str_ends_with(content.text, HAFT__LIT("\n[the rest of the result was cut off]"));
    haft__arena_finish(&arena);
    return length;
}

TEST(the_text_of_a_result_is_bounded)
{
    static const char note[] = "\n[the rest of the result was cut off]";
    size_t max = (HAFT__LIMIT_TOOL_RESULT_BYTES - (sizeof note - 1)) & ~(size_t)1;
    bool cut;
    CHECK_INT(shown_bytes(max, &cut), max, "bytes that are shown at the limit");
    CHECK(!cut, "the text at the limit was cut");
    CHECK(shown_bytes(max + 2, &cut) <= HAFT__LIMIT_TOOL_RESULT_BYTES,
          "more bytes are shown than the limit");
    CHECK(cut, "the cut is not reported");
}

TEST(reading_a_result_reports_a_failed_allocation)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        haft__arena values;
        haft__arena_init(&values, 0);
        haft__json result = test_json(&values, haft__str(good[i].result));
        haft__json schema = test_json(&values, haft__str(good[i].schema));
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__mcp_content content;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__mcp_content_read(&arena, result, haft__json_null(), schema,
                                                        key, &content, NULL);
            bool failed = test_allow_allocations();
            haft__arena_finish(&arena);
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "case %zu, allocation %u", i, n);
            if (!failed) {
                break;
            }
        }
        haft__arena_finish(&values);
    }
}

TEST(a_secret_is_checked_by_the_schema_and_not_shown)
{
    static const struct {
        const char *exact;
        bool good;
    } rows[] = {
        {"{\"content\":[],\"structuredContent\":{\"n\":12345678}}", true},
        {"{\"content\":[],\"structuredContent\":{\"n\":\"my-secret\"}}", false},
        {"{\"content\":[],\"structuredContent\":{\"n\":1,\"my-secret\":1}}", false},
    };
    const char *schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
                         "\"additionalProperties\":false}";
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__mcp_content content = {0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft__json result = test_json(
            &arena, HAFT__LIT("{\"content\":[],\"structuredContent\":{\"n\":\"[redacted]\"}}"));
        haft_status status =
            haft__mcp_content_read(&arena, result, test_json(&arena, haft__str(rows[i].exact)),
                                   test_json(&arena, haft__str(schema)), key, &content, &err);
        CHECK_INT(status, rows[i].good ? HAFT_OK : HAFT_BAD_INPUT, "%s", rows[i].exact);
        CHECK(strstr(err.message, "my-secret") == NULL && strstr(err.where, "my-secret") == NULL,
              "%s: %s", err.where, err.message);
        if (rows[i].good) {
            CHECK_STR(content.text, HAFT__LIT("{\"n\":\"[redacted]\"}"), "reported text");
        }
        haft__arena_finish(&arena);
    }
}
