/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/builder.c, with events made by hand; tests/json/stream_test.c has them from
 * the incremental reader. */
#include "json/builder.h"

#include "base/error.h"
#include "test.h"
#include "json/write.h"

/* An event, with its text if it has one. */
typedef struct row {
    haft__json_event_kind kind;
    haft__json_kind value;
    const char *text;
} row;

#define BEGIN(of)                                                                                  \
    {                                                                                              \
        HAFT__JSON_EVENT_BEGIN, HAFT__JSON_##of, ""                                                \
    }
#define END                                                                                        \
    {                                                                                              \
        HAFT__JSON_EVENT_END, HAFT__JSON_NULL, ""                                                  \
    }
#define KEY(text)                                                                                  \
    {                                                                                              \
        HAFT__JSON_EVENT_KEY, HAFT__JSON_STRING, text                                              \
    }
#define PART(text)                                                                                 \
    {                                                                                              \
        HAFT__JSON_EVENT_PART, HAFT__JSON_STRING, text                                             \
    }
#define SCALAR(of, text)                                                                           \
    {                                                                                              \
        HAFT__JSON_EVENT_SCALAR, HAFT__JSON_##of, text                                             \
    }
#define MORE                                                                                       \
    {                                                                                              \
        HAFT__JSON_EVENT_MORE, HAFT__JSON_NULL, ""                                                 \
    }

/* Adds the events. The text of each is overwritten before the next event. */
static haft_status add_all(haft__json_builder *builder, const row *rows, size_t count,
                           haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        char text[64];
        size_t length = strlen(rows[i].text);
        memcpy(text, rows[i].text, length);
        haft__json_event event = {.kind = rows[i].kind, .value = {.kind = (uint8_t)rows[i].value}};
        if (length > 0) {
            event.value.text = text;
            event.value.count = (uint32_t)length;
        }
        status = haft__json_builder_add(builder, &event, err);
        memset(text, '#', sizeof(text));
    }
    return status;
}

static const row document[] = {
    BEGIN(OBJECT),
    KEY("a"),
    BEGIN(ARRAY),
    SCALAR(NUMBER, "1.50"),
    MORE,
    SCALAR(TRUE, ""),
    SCALAR(NULL, ""),
    BEGIN(ARRAY),
    END,
    END,
    KEY("text"),
    PART("in "),
    PART("three "),
    MORE,
    SCALAR(STRING, "pieces"),
    KEY("last piece empty"),
    PART("x"),
    SCALAR(STRING, ""),
    KEY("empty"),
    SCALAR(STRING, ""),
    END,
    {HAFT__JSON_EVENT_DONE, HAFT__JSON_NULL, ""},
};

TEST(events_become_a_value_that_owns_its_texts)
{
    haft__arena arena;
    haft__json_builder builder;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__json_builder_init(&builder, &arena, NULL);
    CHECK(haft__json_builder_value(&builder) == NULL, "a value before the first event");
    CHECK_INT(add_all(&builder, document, COUNT(document) - 2, &err), HAFT_OK, "%s", err.message);
    CHECK(haft__json_builder_value(&builder) == NULL, "a value before the end");
    CHECK_INT(add_all(&builder, document + COUNT(document) - 2, 2, &err), HAFT_OK, "%s",
              err.message);
    const haft__json *value = haft__json_builder_value(&builder);
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    CHECK(value != NULL, "no value");
    haft__json_write(&buf, value != NULL ? *value : haft__json_null());
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("{\"a\":[1.50,true,null,[]],\"text\":\"in three pieces\","
                        "\"last piece empty\":\"x\",\"empty\":\"\"}"),
              "the value");
    haft__buf_finish(&buf);
    haft__json_builder_finish(&builder);
    haft__arena_finish(&arena);
}

static haft_status build_document(haft__json_builder *builder)
{
    return add_all(builder, document, COUNT(document), NULL);
}

/* Many members, so that the stack and the table for duplicate keys both have to grow. */
static haft_status build_large(haft__json_builder *builder)
{
    static const row begin = BEGIN(OBJECT), value = SCALAR(TRUE, ""), end = END;
    haft_status status = add_all(builder, &begin, 1, NULL);
    for (unsigned i = 0; i < 200 && status == HAFT_OK; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "key %u", i);
        row key = KEY(name);
        status = add_all(builder, &key, 1, NULL);
        status = status == HAFT_OK ? add_all(builder, &value, 1, NULL) : status;
    }
    return status == HAFT_OK ? add_all(builder, &end, 1, NULL) : status;
}

TEST(every_failed_allocation_in_the_builder_is_reported)
{
    static haft_status (*const builds[])(haft__json_builder *) = {build_document, build_large};
    for (size_t i = 0; i < COUNT(builds); i++) {
        bool failed = true;
        for (unsigned n = 0; failed; n++) {
            haft__arena arena;
            haft__json_builder builder;
            haft__arena_init(&arena, 0);
            haft__json_builder_init(&builder, &arena, NULL);
            test_fail_allocation(n);
            haft_status status = builds[i](&builder);
            failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "document %zu, allocation %u", i,
                      n);
            CHECK(failed || n > 1, "document %zu: only %u allocations were tried", i, n);
            haft__json_builder_finish(&builder);
            haft__arena_finish(&arena);
        }
    }
}

TEST(the_builder_rejects_events_past_its_limits)
{
    static const row pair[] = {BEGIN(ARRAY), SCALAR(TRUE, ""), SCALAR(TRUE, ""), END};
    static const row text[] = {PART("1234"), PART("5678"), SCALAR(STRING, "9")};
    static const row twice[] = {BEGIN(OBJECT), KEY("k"),         SCALAR(TRUE, ""),
                                KEY("k"),      SCALAR(TRUE, ""), END};
    static const struct {
        const char *name;
        const row *rows;
        size_t count, max_bytes, arena_bytes;
        uint32_t max_values;
        haft_status status;
        const char *message;
    } cases[] = {
        {"values at the limit", pair, COUNT(pair), 100, 0, 3, HAFT_OK, ""},
        {"one value more", pair, COUNT(pair), 100, 0, 2, HAFT_TOO_BIG,
         "expected at most 2 values, found more"},
        {"text at the limit", text, COUNT(text), 9, 0, 100, HAFT_OK, ""},
        {"the last piece is too much", text, COUNT(text), 8, 0, 100, HAFT_TOO_BIG, ""},
        {"a piece is too much", text, COUNT(text), 7, 0, 100, HAFT_TOO_BIG, ""},
        {"an array too large for the arena", pair, COUNT(pair), 100, 1, 100, HAFT_TOO_BIG, ""},
        {"a text too large for the arena", text, COUNT(text), 100, 1, 100, HAFT_TOO_BIG, ""},
        {"a key twice", twice, COUNT(twice), 100, 0, 100, HAFT_BAD_INPUT,
         "expected each key once in an object, found \"k\" more than once"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json_options options = HAFT__JSON_OPTIONS_INIT;
        options.max_values = cases[i].max_values;
        options.max_bytes = cases[i].max_bytes;
        options.reject_duplicates = true;
        haft__arena arena;
        haft__json_builder builder;
        haft_error err = {0};
        haft__arena_init(&arena, cases[i].arena_bytes);
        haft__json_builder_init(&builder, &arena, &options);
        CHECK_INT(add_all(&builder, cases[i].rows, cases[i].count, &err), cases[i].status, "%s: %s",
                  cases[i].name, err.message);
        if (cases[i].message[0] != '\0') {
            CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].name);
        }
        haft__json_builder_finish(&builder);
        haft__arena_finish(&arena);
    }
}
