/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/decode.c. */
#include "tool/decode.h"

#include <limits.h>

#include "declare_help.h"
#include "test.h"

#define REQUIRED                                                                                   \
    "\"text\":\"t\",\"count\":-7,\"ratio\":0.5,\"flag\":true,\"unit\":\"mile\","                   \
    "\"words\":[\"a\",\"\"],\"counts\":[1,9223372036854775807,-9223372036854775808],"              \
    "\"ratios\":[1,2.5e1],\"flags\":[true,false,true],\"units\":[\"mile\",\"metre\"],"             \
    "\"where\":{\"label\":\"home\",\"at\":{\"x\":1},\"path\":[{\"x\":2,\"y\":3},{\"x\":4}]}"

static void *decoded(haft__arena *arena, const haft_tool *tool, const char *json)
{
    void *args = NULL;
    haft_error err = {0};
    haft_status status =
        haft__arguments_decode(arena, tool->arguments, help_json(arena, json), &args, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s %s", json, err.where, err.message);
    return args;
}

TEST(every_type_is_decoded)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const sixteen_args *args = decoded(&arena, &sixteen_tool,
                                       "{" REQUIRED ",\"name\":\"n\",\"limit\":3,\"scale\":2,"
                                       "\"strict\":false,\"order\":\"down\"}");
    CHECK_STR(args->text, HAFT__LIT("t"), "text");
    CHECK_INT(args->count, -7, "count");
    CHECK(args->ratio == 0.5, "ratio %f", args->ratio);
    CHECK(args->flag, "flag");
    CHECK_STR(args->unit, HAFT__LIT("mile"), "unit");
    CHECK_INT(args->words.count, 2, "number of words");
    CHECK_STR(args->words.items[0], HAFT__LIT("a"), "the first word");
    CHECK(args->words.items[1].len == 0 && args->words.items[1].ptr != NULL, "an empty word");
    CHECK_INT(args->counts.count, 3, "number of counts");
    CHECK_INT(args->counts.items[1], LLONG_MAX, "the largest count");
    CHECK_INT(args->counts.items[2], LLONG_MIN, "the smallest count");
    CHECK(args->ratios.count == 2 && args->ratios.items[1] == 25, "ratios");
    CHECK(args->flags.count == 3 && !args->flags.items[1] && args->flags.items[2], "flags");
    CHECK_INT(args->units.count, 2, "number of units");
    CHECK_STR(args->units.items[1], HAFT__LIT("metre"), "the second unit");
    CHECK_STR(args->where.label, HAFT__LIT("home"), "label");
    CHECK(args->where.at.x == 1 && args->where.at.y == 2.5, "at, with a default inside");
    CHECK_INT(args->where.path.count, 2, "number of points");
    CHECK(args->where.path.items[0].y == 3 && args->where.path.items[1].x == 4
              && args->where.path.items[1].y == 2.5,
          "points of the path");
    CHECK(args->where.tags.items == NULL && args->where.tags.count == 0, "missing tags");
    CHECK_STR(args->name, HAFT__LIT("n"), "name");
    CHECK_INT(args->limit, 3, "limit");
    CHECK(args->scale == 2 && !args->strict, "scale and strict");
    CHECK_STR(args->order, HAFT__LIT("down"), "order");
    haft__arena_finish(&arena);
}

TEST(defaults_are_filled_in)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const sixteen_args *args = decoded(&arena, &sixteen_tool, "{" REQUIRED "}");
    CHECK_STR(args->name, HAFT__LIT("none"), "default of name");
    CHECK_INT(args->limit, 10, "default of limit");
    CHECK(args->scale == 1 && args->strict, "defaults of scale and strict");
    CHECK_STR(args->order, HAFT__LIT("up"), "default of order");
    haft__arena_finish(&arena);
}

TEST(an_optional_field_reports_whether_it_was_given)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const optional_args *none = decoded(&arena, &optional_tool, "{}");
    CHECK(none->text.ptr == NULL && !none->count.given && !none->ratio.given && !none->flag.given,
          "single values that are not given");
    CHECK(none->unit.ptr == NULL && none->at == NULL && none->words.items == NULL
              && none->counts.items == NULL && none->ratios.items == NULL
              && none->flags.items == NULL && none->units.items == NULL && none->path.items == NULL,
          "other fields that are not given");
    const optional_args *all =
        decoded(&arena, &optional_tool,
                "{\"text\":\"\",\"count\":0,\"ratio\":0,\"flag\":false,\"unit\":\"metre\","
                "\"at\":{\"x\":7},\"words\":[],\"counts\":[5],\"ratios\":[],\"flags\":[true],"
                "\"units\":[\"mile\"],\"path\":[{\"x\":1}],\"more\":1}");
    CHECK(all->text.ptr != NULL && all->text.len == 0, "an empty text that is given");
    CHECK(all->count.given && all->count.value == 0, "count");
    CHECK(all->ratio.given && all->ratio.value == 0, "ratio");
    CHECK(all->flag.given && !all->flag.value, "flag");
    CHECK_STR(all->unit, HAFT__LIT("metre"), "unit");
    CHECK(all->at != NULL && all->at->x == 7 && all->at->y == 2.5, "at");
    CHECK(all->words.items != NULL && all->words.count == 0, "an empty list is a list");
    CHECK(all->counts.count == 1 && all->counts.items[0] == 5, "counts");
    CHECK(all->flags.count == 1 && all->flags.items[0], "flags");
    CHECK_STR(all->units.items[0], HAFT__LIT("mile"), "units");
    CHECK(all->path.count == 1 && all->path.items[0].x == 1, "path");
    haft__arena_finish(&arena);
}

TEST(integers_are_decoded_exactly)
{
    static const struct {
        const char *json;
        long long wanted;
    } cases[] = {
        {"{\"count\":1.0}", 1},
        {"{\"count\":1e3}", 1000},
        {"{\"count\":120e-1}", 12},
        {"{\"count\":-0}", 0},
        {"{\"count\":9007199254740993}", 9007199254740993},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        const optional_args *args = decoded(&arena, &optional_tool, cases[i].json);
        CHECK_INT(args->count.value, cases[i].wanted, "%s", cases[i].json);
        haft__arena_finish(&arena);
    }
}

TEST(arguments_of_the_wrong_type_are_rejected)
{
    static const struct {
        const char *json, *error;
    } cases[] = {
        {"[]", " | expected an object, found array | "},
        {"{\"text\":1}", "/text | expected a string, found number | "},
        {"{\"text\":null}", "/text | expected a string, found null | "},
        {"{\"count\":\"1\"}", "/count | expected an integer, found string | "},
        {"{\"count\":1.5}", "/count | expected an integer of at most 64 bits, found 1.5 | "},
        {"{\"count\":9223372036854775808}",
         "/count | expected an integer of at most 64 bits, found 9223372036854775808 | "},
        {"{\"ratio\":true}", "/ratio | expected a number, found boolean | "},
        {"{\"ratio\":1e999}", "/ratio | 1e999 is too large for a number | "},
        {"{\"ratio\":-1e999}", "/ratio | -1e999 is too large for a number | "},
        {"{\"flag\":0}", "/flag | expected true or false, found number | "},
        {"{\"unit\":\"yard\"}", "/unit | 'yard' is not one of the values of unit | "},
        {"{\"unit\":1}", "/unit | expected a string, found number | "},
        {"{\"at\":1}", "/at | expected an object, found number | "},
        {"{\"at\":{}}", "/at | Missing required argument: x | "},
        {"{\"at\":{\"x\":\"a\"}}", "/at/x | expected a number, found string | "},
        {"{\"words\":\"a\"}", "/words | expected a list, found string | "},
        {"{\"words\":[\"a\",2]}", "/words/1 | expected a string, found number | "},
        {"{\"counts\":[1,2,1e99]}",
         "/counts/2 | expected an integer of at most 64 bits, found 1e99 | "},
        {"{\"units\":[\"inch\"]}", "/units/0 | 'inch' is not one of the values of units | "},
        {"{\"path\":[{\"x\":1},{\"x\":1,\"y\":[]}]}",
         "/path/1/y | expected a number, found array | "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        void *args = NULL;
        haft_error err = {0};
        haft__json json = help_json(&arena, cases[i].json);
        haft_status status =
            haft__arguments_decode(&arena, optional_tool.arguments, json, &args, &err);
        CHECK_INT(status, HAFT_BAD_INPUT, "%s", cases[i].json);
        CHECK_STR(help_error(&err), haft__str(cases[i].error), "%s", cases[i].json);
        CHECK(args == NULL, "%s: the output was written", cases[i].json);
        status = haft__arguments_decode(&arena, optional_tool.arguments, json, &args, NULL);
        CHECK_INT(status, HAFT_BAD_INPUT, "%s, without an error to fill in", cases[i].json);
        haft__arena_finish(&arena);
    }
}

TEST(missing_required_fields_are_reported)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    void *args = NULL;
    haft_error err = {0};
    haft_status status = haft__arguments_decode(&arena, sixteen_tool.arguments,
                                                help_json(&arena, "{}"), &args, &err);
    CHECK_INT(status, HAFT_BAD_INPUT, "decode an empty object");
    CHECK_STR(help_error(&err), HAFT__LIT(" | Missing required argument: text | "),
              "error message");
    haft__arena_finish(&arena);
}

/* A value that the schema accepts can be decoded; a value of a type that it rejects cannot. */
TEST(schema_and_decoder_agree)
{
    static const char *const values[] = {
        "null",       "true",   "0",  "1.5",       "\"mile\"",    "\"\"", "[]",     "[1]",
        "[\"mile\"]", "[true]", "{}", "{\"x\":1}", "[{\"x\":1}]", "[{}]", "[null]", "[[]]"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__checker *checker = haft__checker_create();
    haft__json schema_json = haft__json_null();
    const haft__schema *schema = NULL;
    haft_status status = haft__declare_schema(&arena, optional_tool.arguments, &schema_json, NULL);
    CHECK_INT(status, HAFT_OK, "make the schema");
    status = haft__schema_compile(&arena, schema_json, NULL, &schema, NULL);
    CHECK_INT(status, HAFT_OK, "compile the schema");
    unsigned valid = 0;
    for (size_t i = 0; i < optional_tool.arguments->count; i++) {
        for (size_t v = 0; v < COUNT(values); v++) {
            char json[64];
            const char *name = haft__field_at(optional_tool.arguments, i).name;
            (void)snprintf(json, sizeof(json), "{\"%s\":%s}", name, values[v]);
            haft__json arguments = help_json(&arena, json);
            haft__schema_report report = {0};
            void *args = NULL;
            status = haft__schema_check(schema, checker, arguments, &arena, &report, NULL);
            CHECK_INT(status, HAFT_OK, "%s", json);
            status =
                haft__arguments_decode(&arena, optional_tool.arguments, arguments, &args, NULL);
            CHECK_INT(status == HAFT_OK, report.valid, "%s", json);
            valid += report.valid;
        }
    }
    CHECK(valid >= 20, "only %u valid values", valid);
    haft__checker_destroy(checker);
    haft__arena_finish(&arena);
}

/* An arena that ends at any size: every allocation fails in one of the rounds. */
TEST(decoding_survives_an_arena_of_every_size)
{
    haft__arena values;
    haft__arena_init(&values, 0);
    haft__json arguments = help_json(&values, "{" REQUIRED "}");
    haft__json maybe = help_json(&values, "{\"at\":{\"x\":1},\"words\":[\"a\"]}");
    unsigned failures = 0;
    for (size_t size = 32; size < 8192; size += 32) {
        haft__arena arena;
        haft__arena_init(&arena, size);
        void *args = NULL;
        haft_error err = {0};
        haft_status status =
            haft__arguments_decode(&arena, sixteen_tool.arguments, arguments, &args, &err);
        CHECK(status == HAFT_OK || status == HAFT_TOO_BIG, "%zu bytes: %s", size, err.message);
        CHECK((status == HAFT_OK) == (args != NULL), "%zu bytes", size);
        failures += status != HAFT_OK;
        haft__arena_reset(&arena);
        args = NULL;
        status = haft__arguments_decode(&arena, optional_tool.arguments, maybe, &args, &err);
        CHECK((status == HAFT_OK) == (args != NULL), "%zu bytes", size);
        haft__arena_finish(&arena);
    }
    CHECK(failures > 0, "no arena was too small");
    haft__arena_finish(&values);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_error err = {0};
    void *args = NULL;
    test_fail_allocation(0);
    haft_status status = haft__arguments_decode(&arena, nothing_tool.arguments,
                                                haft__json_object(NULL, 0), &args, &err);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    CHECK(err.where[0] == '\0', "out of memory has a place: %s", err.where);
    haft__arena_finish(&arena);
}
