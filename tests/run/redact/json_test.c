/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/redact/json.c: redacted JSON is still JSON. */
#include "run/redact_help.h"

#include "json/json_help.h"

#define R HAFT__REDACTED

static const struct {
    const char *secrets, *text, *wanted;
} cases[] = {
    {"hunter2hunter2", "{\"a\":\"hunter2hunter2\"}", "{\"a\":\"" R "\"}"},
    {"hunter2hunter2", "{\"hunter2hunter2\":1}", "{\"" R "\":1}"},
    {"hunter2hunter2", "[\"x hunter2hunter2\",\"hunter2hunter2 y\"]", "[\"x " R "\",\"" R " y\"]"},
    {"hunter2hunter2", "\"hunter2hunter2\"", "\"" R "\""},
    /* escapes */
    {"nabcdefgh", "\"\\nabcdefgh\"", "\"" R "\""},
    {"nabcdefgh", "\"\\\\nabcdefgh\"", "\"\\\\" R "\""},
    {"0041abcd", "\"\\u0041abcd\"", "\"" R "\""},
    {"41abcdef", "\"x\\u0041abcdef\"", "\"x" R "\""},
    {"abcdefg\\", "\"abcdefg\\nx\"", "\"" R "x\""},
    {"abcdefg\\", "\"abcdefg\\\"x\"", "\"" R "x\""},
    {"abcdefg\\u0", "\"abcdefg\\u0041x\"", "\"" R "x\""},
    {"abcdefg\\|n1234567", "\"abcdefg\\n1234567\"", "\"" R "\""},
    {"abcdefgh|ijklmnop", "\"\\nabcdefgh\\tijklmnop\\n\"", "\"\\n" R "\\t" R "\\n\""},
    /* outside of strings */
    {"12345678", "12345678", "\"" R "\""},
    {"12345678", "{\"pin\":12345678}", "{\"pin\":\"" R "\"}"},
    {"12345678", "[1,-9123456780e5, 2]", "[1,\"" R "\", 2]"},
    {"12345678", "[\"12345678\", 12345678 ]", "[\"" R "\", \"" R "\" ]"},
    {"1,2,3,4,5", "[0,[1,2,3,4,5],6]", "[0,\"" R "\",6]"},
    {"{\"k\":\"v\",\"n\":1}", " {\"a\":[ {\"k\":\"v\",\"n\":1} ],\"b\":2} ",
     " {\"a\":[ \"" R "\" ],\"b\":2} "},
    {"a\":\"bcdef", "{\"x\":0,\"y\":{\"a\":\"bcdefg\"}}", "{\"x\":0,\"y\":\"" R "\"}"},
    {"\"abcdefgh", "{\"x\":\"abcdefgh\",\"y\":1}", "{\"x\":\"" R "\",\"y\":1}"},
    {"abcdefgh\"", "{\"x\":\"abcdefgh\",\"y\":1}", "{\"x\":\"" R "\",\"y\":1}"},
    {"abcdefgh\"", "{\"abcdefgh\":1}", "\"" R "\""},
    {"truefals|true,false", "[true,false]", "\"" R "\""},
    {"1],[2],[", "[[0],[1],[2],[3]]", "\"" R "\""},
    {"12345678|1,2,3,4,", "[12345678,[12345678,[1,2,3,4,5]]]", "[\"" R "\",[\"" R "\",\"" R "\"]]"},
    {"abcdefgh|12345678,", "[\"abcdefgh\",12345678,1]", "\"" R "\""},
    {"abcdefgh|12345678,1", "{\"a\":\"abcdefgh\",\"b\":[12345678,1]}",
     "{\"a\":\"" R "\",\"b\":\"" R "\"}"},
    /* white space and keys with space before the colon */
    {"hunter2hunter2", "{ \"hunter2hunter2\" \n: [ ] }", "{ \"" R "\" \n: [ ] }"},
    /* not JSON: treated as text */
    {"12345678", "{\"pin\":12345678", "{\"pin\":" R},
    {"12345678", "12345678 9", R " 9"},
    {"12345678", "{12345678}", "{" R "}"},
    {"nabcdefgh", "\\nabcdefgh", "\\" R},
};

TEST(json_stays_json)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_redacted(cases[i].secrets, haft__str(cases[i].text), haft__str(cases[i].wanted));
        haft__arena arena;
        haft__json value;
        haft__arena_init(&arena, 0);
        haft_status before =
            haft__json_read(&arena, haft__str(cases[i].text), NULL, &value, NULL, NULL);
        haft_status after =
            haft__json_read(&arena, haft__str(cases[i].wanted), NULL, &value, NULL, NULL);
        CHECK(before != HAFT_OK || after == HAFT_OK, "%s is not JSON", cases[i].wanted);
        haft__arena_finish(&arena);
    }
}

/* Every sequence of these pieces that is JSON, with secrets that are sequences of the same bytes.
 */
TEST(every_short_json_stays_json)
{
    static const char *const pieces[] = {"\"", "12345678", "{", "}", "[", "]", ":", ",", "\\", "n"};
    static const haft_str secrets[] = {{"12345678", 8},     {"n12345678", 9},  {"12345678\\", 9},
                                       {"\"12345678", 9},   {"12345678\"", 9}, {"12345678,", 9},
                                       {"12345678\":", 10}, {"[12345678", 9},  {"8,12345678", 10},
                                       {"8\":\"12345", 9}};
    unsigned texts = 0, changed = 0;
    for (unsigned code = 0; code < 10000000; code++) {
        char text[64];
        size_t length = 0;
        for (unsigned i = 0, rest = code; i < 7; i++, rest /= 10) {
            size_t size = strlen(pieces[rest % 10]);
            memcpy(text + length, pieces[rest % 10], size);
            length += size;
        }
        /* Most sequences are not JSON; their first and last piece show that. */
        bool likely = (text[0] == '{' && text[length - 1] == '}')
                      || (text[0] == '[' && text[length - 1] == ']')
                      || (text[0] == '"' && text[length - 1] == '"');
        haft__arena arena;
        haft__json value;
        haft__arena_init(&arena, 0);
        if (likely
            && haft__json_read(&arena, (haft_str){text, length}, NULL, &value, NULL, NULL)
                   == HAFT_OK) {
            haft__buf out;
            bool any = false;
            haft__buf_init(&out, 1 << 12);
            haft_str from = {text, length};
            haft_str some[3] = {secrets[code % COUNT(secrets)], secrets[code / 7 % COUNT(secrets)],
                                secrets[code / 77 % COUNT(secrets)]};
            CHECK_INT(help_redact(some, 3, from, &any, &out), HAFT_OK, "redact the text");
            CHECK_INT(haft__json_read(&arena, haft__buf_str(&out), NULL, &value, NULL, NULL),
                      HAFT_OK, "%.*s became %.*s", HAFT__ARG(from), HAFT__ARG(haft__buf_str(&out)));
            texts++;
            changed += any;
            haft__buf_finish(&out);
        }
        haft__arena_finish(&arena);
    }
    CHECK(texts > 1000 && changed > 400, "%u texts, %u changed", texts, changed);
}

/* The maximum depth of JSON, and one level more, which is then treated as text. */
TEST(deep_json_is_redacted_as_json_or_as_text)
{
    for (size_t depth = HAFT__LIMIT_JSON_DEPTH; depth <= HAFT__LIMIT_JSON_DEPTH + 1; depth++) {
        char text[1024], wanted[1024];
        size_t length = 0, size = 0;
        bool past = depth > HAFT__LIMIT_JSON_DEPTH;
        haft_str secret = HAFT__LIT("12345678"), mark = HAFT__LIT("\"" R "\"");
        mark = past ? HAFT__LIT(R) : mark;
        memset(text, '[', depth);
        memset(wanted, '[', depth);
        memcpy(text + depth, secret.ptr, secret.len);
        memcpy(wanted + depth, mark.ptr, mark.len);
        length = depth + secret.len;
        size = depth + mark.len;
        memset(text + length, ']', depth);
        memset(wanted + size, ']', depth);
        help_check_redacted("12345678", (haft_str){text, length + depth},
                            (haft_str){wanted, size + depth});
    }
}
