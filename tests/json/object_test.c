/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/object.c. */
#include "json/object.h"

#include "base/arena.h"
#include "base/buf.h"
#include "test.h"
#include "json/read.h"

TEST(text_of_a_member_is_empty_unless_it_is_a_string_or_number)
{
    static const struct {
        const char *key, *wanted;
    } rows[] = {{"s", "abc"}, {"n", "1.50"}, {"z", ""}, {"o", ""}, {"missing", ""}};
    haft__arena arena;
    haft__json object = haft__json_null();
    haft__arena_init(&arena, 0);
    haft_str text = haft__str("{\"s\":\"abc\",\"n\":1.50,\"z\":null,\"o\":{}}");
    CHECK_INT(haft__json_read(&arena, text, NULL, &object, NULL, NULL), HAFT_OK, "reading");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str found = haft__object_text(object, rows[i].key);
        CHECK_STR(found, haft__str(rows[i].wanted), "%s", rows[i].key);
        CHECK(found.ptr != NULL, "%s", rows[i].key);
    }
    haft__arena_finish(&arena);
}

TEST(fields_are_written_with_their_keys)
{
    haft__buf buf;
    haft__json_writer w;
    haft__buf_init(&buf, 1024);
    haft__json_writer_init(&w, &buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "a", haft__str("\"x\""));
    haft__field_text_or_null(&w, "b", haft__str(""));
    haft__field_text_or_null(&w, "c", haft__str("y"));
    haft__field_number(&w, "d", 7);
    haft__field_flag(&w, "e", true);
    haft__field_null(&w, "f");
    haft__json_end_object(&w);
    CHECK_STR(
        haft__buf_str(&buf),
        haft__str("{\"a\":\"\\\"x\\\"\",\"b\":null,\"c\":\"y\",\"d\":7,\"e\":true,\"f\":null}"),
        "all kinds");
    haft__buf_finish(&buf);
}
