/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/downlevel/drop_nulls.c: nulls that mean a missing property. */
#include "schema/downlevel/drop_nulls.h"

#include "base/buf.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"

static const struct {
    const char *name, *schema, *value, *wanted;
} rows[] = {
    {"a property that may be left out",
     OBJECT("\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\"}"), "{\"a\":\"x\",\"b\":null}",
     "{\"a\":\"x\"}"},
    {"a required property",
     "{\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":"
     "\"string\"}}}",
     "{\"a\":null,\"b\":null}", "{\"a\":null}"},
    {"null among the types", OBJECT("\"a\":{\"type\":[\"string\",\"null\"]}"), "{\"a\":null}",
     "{\"a\":null}"},
    {"the type null", OBJECT("\"a\":{\"type\":\"null\"}"), "{\"a\":null}", "{\"a\":null}"},
    {"types without null", OBJECT("\"a\":{\"type\":[\"string\",\"integer\"]}"), "{\"a\":null}",
     "{}"},
    {"any value", OBJECT("\"a\":{},\"b\":true"), "{\"a\":null,\"b\":null}",
     "{\"a\":null,\"b\":null}"},
    {"no value", OBJECT("\"a\":false"), "{\"a\":null}", "{}"},
    {"enums", OBJECT("\"a\":{\"enum\":[1,null]},\"b\":{\"enum\":[1]}"), "{\"a\":null,\"b\":null}",
     "{\"a\":null}"},
    {"constants", OBJECT("\"a\":{\"const\":null},\"b\":{\"const\":1}"), "{\"a\":null,\"b\":null}",
     "{\"a\":null}"},
    {"one of several alternatives allows null",
     OBJECT("\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]},"
            "\"b\":{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}"),
     "{\"a\":null,\"b\":null}", "{\"a\":null}"},
    {"every part of allOf must allow null",
     OBJECT("\"a\":{\"allOf\":[{},{\"type\":\"null\"}]},"
            "\"b\":{\"allOf\":[{},{\"type\":\"integer\"}]}"),
     "{\"a\":null,\"b\":null}", "{\"a\":null}"},
    {"references",
     "{\"$defs\":{\"s\":{\"type\":\"string\"},\"n\":{}},\"properties\":{\"a\":{\"$ref\":"
     "\"#/$defs/s\"},\"b\":{\"$ref\":\"#/$defs/n\"},\"c\":{\"$ref\":\"#/$defs/none\"}}}",
     "{\"a\":null,\"b\":null,\"c\":null}", "{\"b\":null,\"c\":null}"},
    {"a reference at the root",
     "{\"$ref\":\"#/$defs/o\",\"$defs\":{\"o\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}}",
     "{\"a\":null}", "{}"},
    {"references that lead nowhere", OBJECT("\"a\":{\"$ref\":\"#/properties/a\"}"), "{\"a\":null}",
     "{\"a\":null}"},
    {"a root that refers to itself", "{\"$ref\":\"#\"}", "{\"a\":null,\"b\":[null]}",
     "{\"a\":null,\"b\":[null]}"},
    {"properties in parts",
     "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}}},{\"required\":[\"b\"],"
     "\"properties\":{\"b\":{\"type\":\"string\"}}}]}",
     "{\"a\":null,\"b\":null}", "{\"b\":null}"},
    {"alternatives that differ",
     "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\"}}},"
     "{\"properties\":{\"a\":{}}}]}",
     "{\"a\":null,\"b\":null}", "{\"a\":null}"},
    {"nulls inside objects", OBJECT("\"o\":" OBJECT("\"a\":{\"type\":\"string\"}")),
     "{\"o\":{\"a\":null,\"z\":1}}", "{\"o\":{\"z\":1}}"},
    {"nulls inside arrays", OBJECT("\"l\":{\"items\":" OBJECT("\"a\":{\"type\":\"string\"}") "}"),
     "{\"l\":[{\"a\":null},{\"a\":\"x\"},null]}", "{\"l\":[{},{\"a\":\"x\"},null]}"},
    {"nulls inside tuples",
     OBJECT("\"l\":{\"prefixItems\":[{},{\"properties\":{\"a\":{\"type\":\"string\"}}}]}"),
     "{\"l\":[{\"a\":null},{\"a\":null},{\"a\":null}]}", "{\"l\":[{\"a\":null},{},{\"a\":null}]}"},
    {"arrays behind a reference",
     "{\"$defs\":{\"l\":{\"items\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}},"
     "\"properties\":{\"l\":{\"$ref\":\"#/$defs/l\"}}}",
     "{\"l\":[{\"a\":null}]}", "{\"l\":[{}]}"},
    {"endless alternatives", "{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}",
     "{\"a\":null}", "{\"a\":null}"},
    {"members without a schema", OBJECT(""), "{\"a\":null,\"b\":[{\"c\":null}]}",
     "{\"a\":null,\"b\":[{\"c\":null}]}"},
    {"a schema that is not valid", "7", "{\"a\":null}", "{\"a\":null}"},
    {"a value that is not an object", OBJECT("\"a\":{\"type\":\"string\"}"), "null", "null"},
};

static haft__json read(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

TEST(nulls_that_mean_a_missing_property_are_left_out)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__buf found;
        haft__json value = haft__json_null();
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 20);
        CHECK_INT(haft__schema_drop_nulls(read(&arena, rows[i].schema), read(&arena, rows[i].value),
                                          &arena, &value, NULL),
                  HAFT_OK, "%s", rows[i].name);
        haft__json_write(&found, value);
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].wanted), "%s", rows[i].name);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

TEST(dropping_nulls_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena texts;
        haft__arena_init(&texts, 0);
        haft__json schema = read(&texts, rows[i].schema), value = read(&texts, rows[i].value);
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft_error err = {0};
            haft__json made = haft__json_null();
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__schema_drop_nulls(schema, value, &arena, &made, &err);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", rows[i].name,
                      n);
            haft__arena_finish(&arena);
            if (!failed) {
                break;
            }
        }
        haft__arena_finish(&texts);
    }
}
