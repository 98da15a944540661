/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/repair.c: repaired texts, rejected texts with their place, and that truncated
 * text is never accepted as complete. */
#include "json/repair.h"

#include "json_help.h"
#include "json/write.h"

/* Repairs and reads `text`. Returns the value without white space, or "STATUS where: message". */
static haft_str repair_and_read(haft_str text, const haft__json_options *options,
                                bool *ret_repaired)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json value;
    haft__json_notes notes = {0};
    haft_error err = {0};
    if (haft__json_read_tolerant(&arena, text, options, &value, &notes, &err) == HAFT_OK) {
        haft__json_write(&buf, value);
        CHECK_INT(err.status, HAFT_OK, "%.*s: an error is left behind", HAFT__ARG(text));
    } else {
        haft__buf_addf(&buf, "%s %s: %s", haft_status_name(err.status), err.where, err.message);
    }
    CHECK_INT(buf.status, HAFT_OK, "writing");
    haft_str result = help_keep(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    *ret_repaired = notes.repaired;
    return result;
}

typedef struct mending {
    const char *text, *wanted;
} mending;

static const mending good[] = {
    /* Fences. */
    {"```json\n{\"a\":1}\n```", "{\"a\":1}"},
    {"```JSON\r\n{\"a\":1}\r\n```\r\n", "{\"a\":1}"},
    {"```\n[1]\n```", "[1]"},
    {"\n ``` json \n[1]\n ```  \n", "[1]"},
    {"~~~json\n[1]\n~~~", "[1]"},
    {"~~~~\n[1]\n~~~~~~", "[1]"},
    {"```c++\n[1]```", "[1]"},
    {"```[1]```", "[1]"},
    {"``` {\"a\":1} ```", "{\"a\":1}"},
    {"```json [1]```", "[1]"},
    {"```json[1]```", "[1]"},
    {"```json\n12\n```", "12"},
    {"```json\n12```", "12"},
    {"```12```", "12"},
    {"```true```", "true"},
    {"```json\n{\"a\":1}", "{\"a\":1}"},
    {"```json\n{\"a\":1}\n", "{\"a\":1}"},
    {"```json\n\"a\"", "\"a\""},
    {"```\n12\n", "12"},
    {"```\n12 // 3", "12"},
    {"```\nnull", "null"},
    {"```json\n{\"a\":\"```\"}\n```", "{\"a\":\"```\"}"},
    {"```json\n{\"a\":\"x\n```\ny\"}\n```", "{\"a\":\"x\\n```\\ny\"}"},
    {"````\n[\"```\"]\n````", "[\"```\"]"},
    /* Raw control characters. */
    {"\"a\nb\"", "\"a\\nb\""},
    {"\"a\r\n\tb\"", "\"a\\r\\n\\tb\""},
    {"\"\x01\x1F\b\f\"", "\"\\u0001\\u001f\\b\\f\""},
    {"{\"a\nb\":\"\n\n\"}", "{\"a\\nb\":\"\\n\\n\"}"},
    {"\"\x7F\n\"", "\"\x7F\\n\""},
    /* Trailing commas. */
    {"[1,]", "[1]"},
    {"[1 , ]", "[1]"},
    {"{\"a\":1,}", "{\"a\":1}"},
    {"{\"a\":[1,2,],\"b\":{\"c\":\"d\",},}", "{\"a\":[1,2],\"b\":{\"c\":\"d\"}}"},
    {"[[],]", "[[]]"},
    {"[{},]", "[{}]"},
    {"[\"a\",]", "[\"a\"]"},
    {"[true,]", "[true]"},
    {"[1, // one\n 2, /* two */ ]", "[1,2]"},
    {"[1,\n2,\n]\n", "[1,2]"},
    /* Python literals. */
    {"True", "true"},
    {"False", "false"},
    {"None", "null"},
    {"{\"a\":True,\"b\":[None,False]}", "{\"a\":true,\"b\":[null,false]}"},
    {"[True,true,\"True\"]", "[true,true,\"True\"]"},
    /* Single quotes. */
    {"''", "\"\""},
    {"'a'", "\"a\""},
    {"{'a':'b'}", "{\"a\":\"b\"}"},
    {"'say \"hi\"'", "\"say \\\"hi\\\"\""},
    {"'say \\\"hi\\\"'", "\"say \\\"hi\\\"\""},
    {"'it\\'s'", "\"it's\""},
    {"\"it\\'s\"", "\"it's\""},
    {"'\\\\'", "\"\\\\\""},
    {"'\\u0041\\n'", "\"A\\n\""},
    {"'a\nb'", "\"a\\nb\""},
    {"'\xC3\xA9'", "\"\xC3\xA9\""},
    {"['a', \"b\", '']", "[\"a\",\"b\",\"\"]"},
    {"['# no', \"// comment\", '/* here */']", "[\"# no\",\"// comment\",\"/* here */\"]"},
    /* Comments. */
    {"// a\n[1]", "[1]"},
    {"# a\n[1]", "[1]"},
    {"[1] // a", "[1]"},
    {"[1] # a", "[1]"},
    {"[1] //", "[1]"},
    {"[1] /**/", "[1]"},
    {"[1,/* [ \" ' */2]", "[1,2]"},
    {"[1,//\r2]", "[1,2]"},
    {"/***/[/*/ */1/* / * */]", "[1]"},
    {"# a\n12\n", "12"},
    {"/**/-1.5 ", "-1.5"},
    {"12 # a", "12"},
    {"12/**/", "12"},
    {"# a\nTrue", "true"},
    {"{\"a\" /* key */ : // value\n 1}", "{\"a\":1}"},
    /* All at once. */
    {"```json\n{\n  // what to do\n  'name': 'it\\'s \"x\"',\n  \"ok\": True, # yes\n"
     "  \"text\": \"a\nb\",\n}\n```\n",
     "{\"name\":\"it's \\\"x\\\"\",\"ok\":true,\"text\":\"a\\nb\"}"},
};

TEST(text_that_is_almost_json_is_repaired)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        bool repaired = false;
        haft_str found = repair_and_read(haft__str(good[i].text), NULL, &repaired);
        CHECK_STR(found, haft__str(good[i].wanted), "%s", good[i].text);
        CHECK(repaired, "%s is not reported as repaired", good[i].text);
    }
    bool repaired = false;
    CHECK_STR(repair_and_read(HAFT__LIT("\"\0\""), NULL, &repaired), HAFT__LIT("\"\\u0000\""),
              "NUL");
}

TEST(valid_json_is_unchanged)
{
    static const mending cases[] = {
        {" [1, {\"a\": \"it's // # /* */ True\"}] ", "[1,{\"a\":\"it's // # /* */ True\"}]"},
        {"\"```\"", "\"```\""},
        {"12", "12"},
        {"-1.50E+3", "-1.50E+3"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool repaired = true;
        haft_str found = repair_and_read(haft__str(cases[i].text), NULL, &repaired);
        CHECK_STR(found, haft__str(cases[i].wanted), "%s", cases[i].text);
        CHECK(!repaired, "%s is reported as repaired", cases[i].text);
    }
}

TEST(text_that_cannot_be_repaired_is_rejected_with_its_place)
{
    static const mending cases[] = {
        {"", "1:1 (byte 0): expected a value, found the end of the text"},
        {"Here: {}", "1:1 (byte 0): expected a value, found 'H'"},
        {"NaN", "1:1 (byte 0): expected a value, found 'N'"},
        {"[Infinity]", "1:2 (byte 1): expected a value or ']', found 'I'"},
        {"undefined", "1:1 (byte 0): expected a value, found 'u'"},
        {"{a: 1}", "1:2 (byte 1): expected a key in double quotes or '}', found 'a'"},
        {"{True: 1}", "1:2 (byte 1): expected a key in double quotes or '}', found 'T'"},
        {"[+1]", "1:2 (byte 1): expected a value or ']', found '+'"},
        {"0x10", "1:2 (byte 1): expected nothing after the value, found 'x'"},
        {"[,]", "1:2 (byte 1): expected a value or ']', found ','"},
        {"[1,,2]", "1:4 (byte 3): expected a value, found ','"},
        {"[1,,]", "1:4 (byte 3): expected a value, found ','"},
        {"{,}", "1:2 (byte 1): expected a key in double quotes or '}', found ','"},
        {"{\"a\":,}", "1:6 (byte 5): expected a value, found ','"},
        {"{\"a\",}", "1:6 (byte 5): expected ':' after the key, found '}'"},
        {"{'a':1,} ,", "1:10 (byte 9): expected nothing after the value, found ','"},
        {"[1,}", "1:4 (byte 3): expected ',' or ']' after the item, found '}'"},
        {"Trueish", "1:1 (byte 0): expected a value, found 'T'"},
        {"xTrue", "1:1 (byte 0): expected a value, found 'x'"},
        {"True1", "1:1 (byte 0): expected a value, found 'T'"},
        {"[True False]", "1:7 (byte 6): expected ',' or ']' after the item, found 'F'"},
        {"-None", "1:2 (byte 1): expected a digit in the number, found 'N'"},
        {"\"\\x41\"", "1:3 (byte 2): expected one of \"\\/bfnrtu after a backslash, found 'x'"},
        {"'\\x41'", "1:3 (byte 2): expected one of \"\\/bfnrtu after a backslash, found 'x'"},
        {"'a\\\nb'",
         "1:4 (byte 3): expected one of \"\\/bfnrtu after a backslash, found byte 0x0A"},
        {"'\\u12'", "1:6 (byte 5): expected four hex digits after \\u, found '''"},
        {"{'it's': 1}", "1:6 (byte 5): expected ':' after the key, found 's'"},
        {"{'a' 'b'}", "1:6 (byte 5): expected ':' after the key, found '''"},
        {"'''a'''", "1:3 (byte 2): expected nothing after the value, found '''"},
        {"1/**/2", "1:6 (byte 5): expected nothing after the value, found '2'"},
        {"[1] /", "1:5 (byte 4): expected nothing after the value, found '/'"},
        {"\xEF\xBB\xBF[1,]", "1:1 (byte 0): expected a value, found byte 0xEF"},
        /* Cut off. */
        {"{'a': 'b", "1:9 (byte 8): expected the end of the string, found the end of the text"},
        {"'", "1:2 (byte 1): expected the end of the string, found the end of the text"},
        {"'a\\",
         "1:4 (byte 3): expected one of \"\\/bfnrtu after a backslash, found the end of the "
         "text"},
        {"'a\\'", "1:5 (byte 4): expected the end of the string, found the end of the text"},
        {"[1, /* two", "1:5 (byte 4): expected */ at the end of the comment, found '/'"},
        {"/*", "1:1 (byte 0): expected */ at the end of the comment, found '/'"},
        {"/*/", "1:1 (byte 0): expected */ at the end of the comment, found '/'"},
        {"[1, // ]", "1:9 (byte 8): expected a value, found the end of the text"},
        {"[True,", "1:7 (byte 6): expected a value, found the end of the text"},
        {"Tru", "1:1 (byte 0): expected a value, found 'T'"},
        /* Fences. */
        {"```", "1:4 (byte 3): expected a value, found the end of the text"},
        {"```json", "1:8 (byte 7): expected a value, found the end of the text"},
        {"```json\n", "2:1 (byte 8): expected a value, found the end of the text"},
        {"```True", "1:8 (byte 7): expected a value, found the end of the text"},
        {"```12 ", "1:7 (byte 6): expected a value, found the end of the text"},
        {"```json\n```", "2:1 (byte 8): expected a value, found '`'"},
        {"```json\n{\n```", "3:1 (byte 10): expected a key in double quotes or '}', found '`'"},
        {"```json\n[1,\n```", "3:1 (byte 12): expected a value, found '`'"},
        {"```json\n{\"a\": ```1}",
         "2:10 (byte 17): expected nothing after the closing fence, found "
         "'1'"},
        {"```\n```12", "2:4 (byte 7): expected nothing after the closing fence, found '1'"},
        {"```\n[1]\n```\nThat is it.", "4:1 (byte 12): expected nothing after the closing fence, "
                                       "found 'T'"},
        {"```\n[1]\n``", "3:1 (byte 8): expected nothing after the value, found '`'"},
        {"````\n[1]\n```", "3:1 (byte 9): expected nothing after the value, found '`'"},
        {"```\n[1]\n~~~", "3:1 (byte 8): expected nothing after the value, found '~'"},
        {"``\n[1]\n``", "1:1 (byte 0): expected a value, found '`'"},
        {"[1]\n```", "2:1 (byte 4): expected nothing after the value, found '`'"},
        {"```yes [1]```", "1:4 (byte 3): expected a value, found 'y'"},
        {"```\n12", "2:3 (byte 6): expected a closing fence or a new line after the number, found "
                    "the end of the text"},
        {"```\n[True, 12", "2:10 (byte 13): expected ',' or ']' after the item, found the end of "
                           "the text"},
        /* A number at the very end, of which more may be missing. */
        {"// c\n12", "2:3 (byte 7): expected a new line after the number, found the end of the "
                     "text"},
        {"# x\n-1", "2:3 (byte 6): expected a new line after the number, found the end of the "
                    "text"},
        {"/**/1.5", "1:8 (byte 7): expected a new line after the number, found the end of the "
                    "text"},
        {"/**/1e+5", "1:9 (byte 8): expected a new line after the number, found the end of the "
                     "text"},
        {"```\n-1.5e3", "2:7 (byte 10): expected a closing fence or a new line after the number, "
                        "found the end of the text"},
        /* After a repair that changes the length, the place is still that in the original. */
        {"['\"\"\"\"',\n'\\'\\'', \"\n\n\", /*\n*/ ?]",
         "5:4 (byte 29): expected a value, found '?'"},
        {"{'a':\"\x01\x02\x03\", 'b' 1}", "1:17 (byte 16): expected ':' after the key, found '1'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool repaired = false;
        char wanted[256];
        (void)snprintf(wanted, sizeof(wanted), "BAD_INPUT %s", cases[i].wanted);
        haft_str found = repair_and_read(haft__str(cases[i].text), NULL, &repaired);
        CHECK_STR(found, haft__str(wanted), "%s", cases[i].text);
        CHECK(!repaired, "%s is reported as repaired", cases[i].text);
    }
}

/* Each valid text, truncated anywhere, is rejected or has its complete value. */
TEST(truncated_text_is_never_accepted_as_complete)
{
    unsigned refused = 0;
    for (size_t i = 0; i < COUNT(good); i++) {
        haft_str text = haft__str(good[i].text), wanted = haft__str(good[i].wanted);
        bool number = strchr("]}\"el", wanted.ptr[wanted.len - 1]) == NULL;
        for (size_t length = 0; length < text.len; length++) {
            bool repaired = false;
            haft_str found = repair_and_read((haft_str){text.ptr, length}, NULL, &repaired);
            bool bad = haft__str_starts_with(found, HAFT__LIT("BAD_INPUT"));
            /* The prefix 1 of 12 is valid JSON; repaired text does not have this flaw. */
            CHECK(bad || (number && !repaired) || haft__str_equal(found, wanted),
                  "%.*s read as %.*s", (int)length, text.ptr, HAFT__ARG(found));
            refused += bad;
        }
    }
    CHECK(refused > 500, "only %u cuts were refused", refused);
}

TEST(options_apply_to_repaired_text)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    bool repaired;
    options.max_depth = 2;
    CHECK_STR(repair_and_read(HAFT__LIT("# a\n[[1,],]"), &options, &repaired), HAFT__LIT("[[1]]"),
              "at the depth limit");
    CHECK_STR(repair_and_read(HAFT__LIT("# a\n[[[1,],],]"), &options, &repaired),
              HAFT__LIT("TOO_BIG 2:3 (byte 6): expected at most 2 levels of nesting, found more"),
              "past the depth limit");
    CHECK_STR(repair_and_read(HAFT__LIT("[[[1]]]"), &options, &repaired),
              HAFT__LIT("TOO_BIG 1:3 (byte 2): expected at most 2 levels of nesting, found more"),
              "past the depth limit, valid JSON");
    options.max_bytes = 6;
    CHECK_STR(repair_and_read(HAFT__LIT("\"\n\n\""), &options, &repaired), HAFT__LIT("\"\\n\\n\""),
              "six bytes");
    CHECK_STR(repair_and_read(HAFT__LIT("\"\n\n\n\""), &options, &repaired),
              HAFT__LIT("TOO_BIG : the text is longer than 6 bytes"), "eight bytes");
    options.max_bytes = 1000;
    options.reject_duplicates = true;
    CHECK_STR(repair_and_read(HAFT__LIT("{'a':1, 'a':2}"), &options, &repaired),
              HAFT__LIT("BAD_INPUT 1:2 (byte 1): expected each key once in an object, found \"a\" "
                        "more than once"),
              "duplicate keys");
}

TEST(notes_are_about_the_repaired_text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft__json_notes notes = {0};
    haft_str text = HAFT__LIT("{'a':1,'a':'\\uD800',}");
    CHECK_INT(haft__json_read_tolerant(&arena, text, NULL, &value, &notes, NULL), HAFT_OK,
              "reading");
    CHECK_INT(notes.duplicate_keys, 1, "duplicate keys");
    CHECK_INT(notes.lone_surrogates, 1, "lone surrogates");
    CHECK(notes.repaired, "repaired");
    haft__arena_finish(&arena);
}

TEST(repaired_text_lives_in_the_arena)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    char text[] = "['abc', 12.5,]";
    haft__json value;
    CHECK_INT(haft__json_read_tolerant(&arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK,
              "reading");
    memset(text, 'x', sizeof(text) - 1);
    CHECK_STR(haft__json_text(value.items[0]), HAFT__LIT("abc"), "a string");
    CHECK_STR(haft__json_text(value.items[1]), HAFT__LIT("12.5"), "a number");
    haft__arena_finish(&arena);
}

TEST(repairing_survives_every_failed_allocation)
{
    haft_str text = HAFT__LIT("{'a': [1, {'b': 'c\\n\n'},], 'a': None}");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json value;
        haft__json_notes notes = {0};
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = haft__json_read_tolerant(&arena, text, NULL, &value, &notes, &err);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK_INT(err.status, status, "allocation %u", n);
        CHECK_INT(notes.repaired, !failed, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n >= 2, "only %u allocations failed", n);
            break;
        }
    }
    haft__arena arena;
    haft__arena_init(&arena, 64);
    haft__json value;
    haft_str longer =
        HAFT__LIT("['0123456789012345678901234567890123456789012345678901234567890']");
    CHECK_INT(haft__json_read_tolerant(&arena, longer, NULL, &value, NULL, NULL), HAFT_TOO_BIG,
              "an arena that is too small");
    haft__arena_finish(&arena);
}

/* Each of these would take minutes if the work were quadratic. */
TEST(repairing_takes_linear_time)
{
    static const struct {
        const char *first, *again, *last;
    } cases[] = {
        {"[", "1,", "]"},  {"[1", ",", "]"},       {"```\n", "`` ", ""}, {"#", "#\n", "[1]"},
        {"/*", "/*", ""},  {"/*", "*/ /*", "*/1"}, {"'", "\\'\"", "'"},  {"\"", "\n", "\""},
        {"'a", "'", ""},   {"[", "[", ""},         {"", "True", ""},     {"[1", " ", ",]"},
        {"`", "`", "[1]"}, {"```", " ", "[1]"},    {"```", "a", "[1]"},
    };
    const size_t times = 500000;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t unit = strlen(cases[i].again);
        char *text = test_alloc(unit * times + 32);
        size_t at = strlen(cases[i].first);
        memcpy(text, cases[i].first, at);
        for (size_t k = 0; k < times; k++, at += unit) {
            memcpy(text + at, cases[i].again, unit);
        }
        memcpy(text + at, cases[i].last, strlen(cases[i].last));
        at += strlen(cases[i].last);
        bool repaired = false;
        haft_str found = repair_and_read((haft_str){text, at}, NULL, &repaired);
        CHECK(found.len > 0, "no result for %s%s...", cases[i].first, cases[i].again);
    }
    /* A long fence, then rows of fence characters that are one too short to close it. */
    char *text = test_alloc(2 * times);
    memset(text, '`', 2 * times);
    text[times] = '\n';
    bool repaired = false;
    haft_str found = repair_and_read((haft_str){text, 2 * times}, NULL, &repaired);
    CHECK(haft__str_starts_with(found, HAFT__LIT("BAD_INPUT 2:1 ")), "%.*s", HAFT__ARG(found));
}
