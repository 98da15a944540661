/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/declare.c. */
#include "tool/declare.h"

#include <math.h>

#include "base/limits.h"
#include "declare_help.h"
#include "test.h"

#define POINT(description)                                                                         \
    "{\"type\":\"object\"," description "\"properties\":{"                                         \
    "\"x\":{\"type\":\"number\",\"description\":\"To the right\"},"                                \
    "\"y\":{\"type\":\"number\",\"description\":\"Upwards\",\"default\":2.5}},"                    \
    "\"required\":[\"x\"],\"additionalProperties\":false}"

static const char sixteen_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"text\":{\"type\":\"string\",\"description\":\"Any text\"},"
    "\"count\":{\"type\":\"integer\",\"description\":\"How many\"},"
    "\"ratio\":{\"type\":\"number\",\"description\":\"How much\"},"
    "\"flag\":{\"type\":\"boolean\",\"description\":\"Whether\"},"
    "\"unit\":{\"type\":\"string\",\"description\":\"Of what\",\"enum\":[\"metre\",\"mile\"]},"
    "\"words\":{\"type\":\"array\",\"description\":\"Words\",\"items\":{\"type\":\"string\"}},"
    "\"counts\":{\"type\":\"array\",\"description\":\"Counts\",\"items\":{\"type\":\"integer\"}},"
    "\"ratios\":{\"type\":\"array\",\"description\":\"Ratios\",\"items\":{\"type\":\"number\"}},"
    "\"flags\":{\"type\":\"array\",\"description\":\"Flags\",\"items\":{\"type\":\"boolean\"}},"
    "\"units\":{\"type\":\"array\",\"description\":\"Units\",\"items\":{\"type\":\"string\","
    "\"enum\":[\"metre\",\"mile\"]}},"
    "\"where\":{\"type\":\"object\",\"description\":\"A place\",\"properties\":{"
    "\"label\":{\"type\":\"string\",\"description\":\"What it is called\"},"
    "\"at\":" POINT(
        "\"description\":\"Where it is\",") ","
                                            "\"path\":{\"type\":\"array\",\"items\":" POINT(
                                                "") "},"
                                                    "\"tags\":{\"type\":\"array\",\"description\":"
                                                    "\"Words for it\","
                                                    "\"items\":{\"type\":\"string\"}}},"
                                                    "\"required\":[\"label\",\"at\",\"path\"],"
                                                    "\"additionalProperties\":false},"
                                                    "\"name\":{\"type\":\"string\",\"description\":"
                                                    "\"A name\",\"default\":\"none\"},"
                                                    "\"limit\":{\"type\":\"integer\","
                                                    "\"description\":\"Most of "
                                                    "them\",\"default\":10},"
                                                    "\"scale\":{\"type\":\"number\","
                                                    "\"description\":\"A factor\",\"default\":1},"
                                                    "\"strict\":{\"type\":\"boolean\","
                                                    "\"description\":\"Whether "
                                                    "strictly\",\"default\":true},"
                                                    "\"order\":{\"type\":\"string\","
                                                    "\"description\":\"Which "
                                                    "way\",\"enum\":[\"up\",\"down\"],"
                                                    "\"default\":\"up\"}},"
                                                    "\"required\":[\"text\",\"count\",\"ratio\","
                                                    "\"flag\",\"unit\",\"words\",\"counts\","
                                                    "\"ratios\",\"flags\",\"units\",\"where\"],"
                                                    "\"additionalProperties\":false}";

static const char optional_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"text\":{\"type\":\"string\",\"description\":\"Any text\"},"
    "\"count\":{\"type\":\"integer\",\"description\":\"How many\"},"
    "\"ratio\":{\"type\":\"number\",\"description\":\"How much\"},"
    "\"flag\":{\"type\":\"boolean\",\"description\":\"Whether\"},"
    "\"unit\":{\"type\":\"string\",\"description\":\"Of what\",\"enum\":[\"metre\",\"mile\"]},"
    "\"at\":" POINT(
        "\"description\":\"Where\",") ","
                                      "\"words\":{\"type\":\"array\",\"description\":\"Words\","
                                      "\"items\":{\"type\":\"string\"}},"
                                      "\"counts\":{\"type\":\"array\",\"description\":\"Counts\","
                                      "\"items\":{\"type\":\"integer\"}},"
                                      "\"ratios\":{\"type\":\"array\",\"description\":\"Ratios\","
                                      "\"items\":{\"type\":\"number\"}},"
                                      "\"flags\":{\"type\":\"array\",\"description\":\"Flags\","
                                      "\"items\":{\"type\":\"boolean\"}},"
                                      "\"units\":{\"type\":\"array\",\"description\":\"Units\","
                                      "\"items\":{\"type\":\"string\","
                                      "\"enum\":[\"metre\",\"mile\"]}},"
                                      "\"path\":{\"type\":\"array\",\"description\":\"A "
                                      "way\",\"items\":" POINT(
                                          "") "}},"
                                              "\"required\":[],\"additionalProperties\":false}";

TEST(declarations_have_the_expected_schemas)
{
    static const char *const wanted[] = {
        sixteen_schema, optional_schema,
        "{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}"};
    for (size_t i = 0; help_tools()[i] != NULL; i++) {
        const haft_tool *tool = help_tools()[i];
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        const haft__schema *compiled = NULL;
        haft_error err = {0};
        haft_status status = haft__declare_schema(&arena, tool->arguments, &schema, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", tool->name, err.where, err.message);
        CHECK_STR(help_text(schema), haft__str(wanted[i]), "%s", tool->name);
        status = haft__schema_compile(&arena, schema, NULL, &compiled, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", tool->name, err.where, err.message);
        haft__arena_finish(&arena);
    }
}

TEST(defaults_are_written_as_json)
{
    static const struct {
        double number;
        const char *json;
        bool integer;
    } cases[] = {
        {0, "0", true},
        {-1, "-1", true},
        {0.1, "0.1", false},
        {1e300, "1e300", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_field field = {.name = "n",
                            .type = HAFT_FIELD_NUMBER,
                            .need = HAFT_FIELD_DEFAULT,
                            .number = cases[i].number};
        haft_object object = {sizeof(object), sizeof(double), &field, 1, sizeof(field)};
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        CHECK_INT(haft__declare_schema(&arena, &object, &schema, NULL), HAFT_OK, "%s",
                  cases[i].json);
        const haft__json *properties = haft__json_get(schema, HAFT__LIT("properties"));
        haft__json value = properties->members[0].value.members[1].value;
        CHECK_STR(haft__json_text(value), haft__str(cases[i].json), "the default");
        CHECK_INT(value.integer, cases[i].integer, "%s", cases[i].json);
        haft__arena_finish(&arena);
    }
}

static const char *const two[] = {"a", "b", NULL};
static const char *const none[] = {NULL};
static const haft_object empty_object = {0};
static const haft_field inner[] = {{.name = "bad name"}};
static const haft_object bad_object = {sizeof(haft_object), 16, inner, 1, sizeof(haft_field)};

/* Tables that no macro creates. The struct has 24 bytes. */
TEST(invalid_tables_are_rejected)
{
    static const struct {
        haft_field field;
        const char *error;
    } cases[] = {
        {{.name = NULL}, " | '' cannot be a field's name | "},
        {{.name = ""}, " | '' cannot be a field's name | "},
        {{.name = "a/b"}, " | 'a/b' cannot be a field's name | "},
        {{.name = "first"}, "/first | field 'first' occurs twice | "},
        {{.name = "f", .need = (haft_field_need)3}, "/f | field 'f' has an unknown need | "},
        {{.name = "f", .type = (haft_field_type)9}, "/f | field 'f' has an unknown type | "},
        {{.name = "f", .offset = 9}, "/f | field 'f' lies outside its struct | "},
        {{.name = "f", .offset = SIZE_MAX}, "/f | field 'f' lies outside its struct | "},
        {{.name = "f", .list = true, .offset = 16}, "/f | field 'f' lies outside its struct | "},
        {{.name = "f", .type = HAFT_FIELD_BOOLEAN, .offset = 24},
         "/f | field 'f' lies outside its struct | "},
        {{.name = "f", .type = HAFT_FIELD_BOOLEAN, .need = HAFT_FIELD_OPTIONAL, .offset = 23},
         "/f | field 'f' lies outside its struct | "},
        {{.name = "f", .need = HAFT_FIELD_DEFAULT}, "/f | field 'f' has no default | "},
        {{.name = "f", .need = HAFT_FIELD_DEFAULT, .list = true},
         "/f | field 'f' cannot have a default: a list or object is required or optional | "},
        {{.name = "f",
          .type = HAFT_FIELD_OBJECT,
          .object = &empty_object,
          .need = HAFT_FIELD_DEFAULT},
         "/f | field 'f' cannot have a default: a list or object is required or optional | "},
        {{.name = "f",
          .type = HAFT_FIELD_NUMBER,
          .need = HAFT_FIELD_DEFAULT,
          .number = (double)INFINITY},
         "/f | field 'f' has a default JSON cannot write | "},
        {{.name = "f", .type = HAFT_FIELD_ENUM}, "/f | field 'f' is an enum without values | "},
        {{.name = "f", .type = HAFT_FIELD_ENUM, .choices = none},
         "/f | field 'f' is an enum without values | "},
        {{.name = "f", .type = HAFT_FIELD_ENUM, .choices = two, .need = HAFT_FIELD_DEFAULT},
         "/f | field 'f' has a default that is not one of its values | "},
        {{.name = "f",
          .type = HAFT_FIELD_ENUM,
          .choices = two,
          .need = HAFT_FIELD_DEFAULT,
          .text = "c"},
         "/f | field 'f' has a default that is not one of its values | "},
        {{.name = "f", .type = HAFT_FIELD_OBJECT}, "/f | field 'f' has no object | "},
        {{.name = "f", .type = HAFT_FIELD_OBJECT, .object = &empty_object},
         "/f | the table of fields is not filled in | declare it with HAFT_OBJECT or HAFT_TOOL"},
        {{.name = "f", .type = HAFT_FIELD_OBJECT, .object = &bad_object},
         "/f | 'bad name' cannot be a field's name | "},
        {{.name = "f", .type = HAFT_FIELD_OBJECT, .object = &bad_object, .list = true},
         "/f | 'bad name' cannot be a field's name | "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_field fields[] = {{.name = "first"}, cases[i].field};
        haft_object object = {sizeof(object), 24, fields, 2, sizeof(haft_field)};
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        haft_error err = {0};
        haft_status status = haft__declare_schema(&arena, &object, &schema, &err);
        CHECK_INT(status, HAFT_BAD_INPUT, "case %zu", i);
        CHECK_STR(help_error(&err), haft__str(cases[i].error), "case %zu", i);
        CHECK_INT(schema.kind, HAFT__JSON_NULL, "case %zu: the output was written", i);
        CHECK_INT(haft__declare_schema(&arena, &object, &schema, NULL), HAFT_BAD_INPUT,
                  "case %zu without an error to fill in", i);
        haft__arena_finish(&arena);
    }
}

TEST(incomplete_objects_are_rejected)
{
    static const haft_field fields[1] = {{.name = "f"}};
    static const haft_object cases[] = {
        {0, 16, fields, 1, sizeof(haft_field)},
        {sizeof(haft_object), 0, fields, 0, sizeof(haft_field)},
        {sizeof(haft_object), 16, NULL, 1, sizeof(haft_field)},
        {sizeof(haft_object), 16, fields, 1, 8},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json schema;
        haft_error err = {0};
        CHECK_INT(haft__declare_schema(NULL, &cases[i], &schema, &err), HAFT_BAD_INPUT, "case %zu",
                  i);
        CHECK_STR(haft__str(err.message), HAFT__LIT("the table of fields is not filled in"),
                  "case %zu", i);
    }
}

/* A program built with an older header has shorter rows. */
TEST(rows_of_other_versions_may_be_shorter_or_longer)
{
    struct longer {
        haft_field field;
        long long more[2];
    } rows[] = {{{.name = "a"}, {7, 7}}, {{.name = "b", .offset = 16}, {7, 7}}};
    haft_object object = {sizeof(object), 32, &rows[0].field, 2, sizeof(rows[0])};
    CHECK(strcmp(haft__field_at(&object, 1).name, "b") == 0, "name in a longer row");
    CHECK_INT(haft__field_at(&object, 1).offset, 16, "offset in a longer row");
    object.field_size = offsetof(haft_field, text);
    rows[0].field.text = "not read";
    CHECK(haft__field_at(&object, 0).text == NULL, "a missing member of a shorter row");
}

TEST(the_number_of_fields_is_limited)
{
    haft_field fields[HAFT__LIMIT_TOOL_FIELDS + 1];
    char names[HAFT__LIMIT_TOOL_FIELDS + 1][4];
    memset(fields, 0, sizeof(fields));
    for (size_t i = 0; i < COUNT(fields); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%zu", i % 100);
        fields[i].name = names[i];
    }
    haft_object object = {sizeof(object), 16, fields, HAFT__LIMIT_TOOL_FIELDS, sizeof(haft_field)};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema;
    haft_error err = {0};
    CHECK_INT(haft__declare_schema(&arena, &object, &schema, &err), HAFT_OK, "%s", err.message);
    object.count++;
    CHECK_INT(haft__declare_schema(&arena, &object, &schema, &err), HAFT_TOO_BIG,
              "one field past the limit");
    CHECK_STR(haft__str(err.message), HAFT__LIT("17 fields, more than 16"), "%s", err.message);
    haft__arena_finish(&arena);
}

/* `width` fields at each of `depth` levels, the last of which are strings. */
static haft_status nest(size_t depth, size_t width, haft_error *err)
{
    haft_object objects[HAFT__LIMIT_TOOL_OBJECT_DEPTH + 1];
    haft_field fields[HAFT__LIMIT_TOOL_OBJECT_DEPTH + 1][16];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                        "i", "j", "k", "l", "m", "n", "o", "p"};
    memset(fields, 0, sizeof(fields));
    for (size_t level = 0; level < depth; level++) {
        for (size_t i = 0; i < width; i++) {
            fields[level][i].name = names[i];
            fields[level][i].type = level == 0 ? HAFT_FIELD_STRING : HAFT_FIELD_OBJECT;
            fields[level][i].object = level == 0 ? NULL : &objects[level - 1];
        }
        objects[level] =
            (haft_object){sizeof(haft_object), 16, fields[level], width, sizeof(haft_field)};
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema;
    haft_status status = haft__declare_schema(&arena, &objects[depth - 1], &schema, err);
    haft__arena_finish(&arena);
    return status;
}

TEST(depth_and_total_number_of_fields_are_limited)
{
    haft_error err = {0};
    CHECK_INT(nest(HAFT__LIMIT_TOOL_OBJECT_DEPTH, 1, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(nest(HAFT__LIMIT_TOOL_OBJECT_DEPTH + 1, 1, &err), HAFT_TOO_BIG,
              "objects past the depth limit");
    CHECK_STR(help_error(&err),
              HAFT__LIT("/a/a/a/a/a/a/a/a | more than 8 objects inside each other | "),
              "error message");
    CHECK_INT(HAFT__LIMIT_TOOL_FIELDS_TOTAL, 16 * 16,
              "the next checks are just below and above this limit");
    CHECK_INT(nest(2, 15, &err), HAFT_OK, "240 fields: %s", err.message);
    CHECK_INT(nest(2, 16, &err), HAFT_TOO_BIG, "272 fields");
    CHECK_STR(help_error(&err), HAFT__LIT("/p | more than 256 fields in all objects | "),
              "error message");
    CHECK_INT(nest(8, 16, &err), HAFT_TOO_BIG, "16 to the 8th fields");
}

TEST(a_long_pointer_is_truncated_at_its_end)
{
    haft_error err = {.where = "/2"};
    char step[65];
    memset(step, 'x', sizeof(step));
    step[64] = '\0';
    CHECK_INT(haft__field_prepend_pointer(HAFT_BAD_INPUT, step, &err), HAFT_BAD_INPUT,
              "the status stays the same");
    CHECK_INT(strlen(err.where), 67, "%s", err.where);
    CHECK(strcmp(err.where + 65, "/2") == 0, "%s", err.where);
    (void)haft__field_prepend_pointer(HAFT_BAD_INPUT, step, &err);
    CHECK_INT(strlen(err.where), sizeof(err.where) - 1, "%s", err.where);
    CHECK(err.where[0] == '/' && err.where[65] == '/', "%s", err.where);
}

TEST(schemas_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = haft__declare_schema(&arena, sixteen_tool.arguments, &schema, &err);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u: %s", n, err.message);
        CHECK((schema.kind == HAFT__JSON_NULL) == failed, "allocation %u", n);
        CHECK(err.where[0] == '\0', "allocation %u: at %s", n, err.where);
        if (!failed) {
            CHECK(n > 1, "at least two allocations");
            break;
        }
    }
}

TEST(schemas_survive_an_arena_of_any_size)
{
    bool made = false;
    for (size_t left = 0; !made && left < 65536; left += 8) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        help_leave(&arena, left);
        haft_status status = haft__declare_schema(&arena, sixteen_tool.arguments, &schema, NULL);
        (void)test_allow_allocations();
        made = status == HAFT_OK;
        CHECK(made || status == HAFT_NO_MEMORY, "%zu bytes: status %d", left, (int)status);
        CHECK(made == (schema.kind == HAFT__JSON_OBJECT), "%zu bytes", left);
        haft__arena_finish(&arena);
    }
    /* With enough arena, the text of a number, which is allocated elsewhere, is the last to
     * fail. */
    CHECK(made || !HAFT__ASAN, "the schema was never made");
}
