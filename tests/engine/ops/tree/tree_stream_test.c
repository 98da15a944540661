/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tree/tree_stream.c. */
#include "engine/ops/tree/tree_stream.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/object.h"
#include "json/read.h"

#define AT(seq, second, run, rest)                                                                 \
    "{\"seq\":" seq ",\"at\":\"2026-01-01T00:00:0" second ".000Z\",\"run\":\"" run "\"," rest "}"  \
    "\n"
#define START(seq, second, run) AT(seq, second, run, "\"kind\":\"run_started\"")
#define TURN(seq, second, run)  AT(seq, second, run, "\"kind\":\"turn_started\"")
#define CHILD(seq, second, run, of)                                                                \
    AT(seq, second, run, "\"kind\":\"child_started\",\"child\":\"" of "\"")
#define FINISH(seq, second, run, of)                                                               \
    AT(seq, second, run, "\"kind\":\"child_finished\",\"child\":\"" of "\"")
#define A "01m7f695e3nrwbnz5x52brkr9a"
#define B "01m7f695e3nrwbnz5x52brkr9b"
#define C "01m7f695e3nrwbnz5x52brkr9c"

/* "a1 b1 a2": the last letter of the run and the seq of each event, with its path. */
static void summarise(haft_str lines, haft__buf *text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    while (lines.len > 0) {
        haft__json event = haft__json_null();
        haft_str line = haft__str_split(&lines, '\n');
        CHECK_INT(haft__json_read(&arena, line, NULL, &event, NULL, NULL), HAFT_OK, "%.*s",
                  HAFT__ARG(line));
        haft_str run = haft__object_text(event, "run"), path = haft__object_text(event, "path");
        CHECK(haft__json_get(event, HAFT__LIT("path")) != NULL, "%.*s", HAFT__ARG(line));
        haft__buf_addf(text, "%c%llu%s%.*s ", run.ptr[run.len - 1],
                       (unsigned long long)haft__object_number(event, "seq", 0),
                       path.len > 0 ? ":" : "", HAFT__ARG(path));
    }
    haft__arena_finish(&arena);
}

TEST(events_of_a_tree_are_one_stream)
{
    static const struct {
        const char *what;
        const char *logs[3]; /* of A, B and C; the paths of B and C are c1.1 and c1.2 */
        const char *stream;
    } rows[] = {
        {"one run", {START("1", "0", A) TURN("2", "1", A), "", ""}, "a1 a2 "},
        {"the earlier event comes first",
         {START("1", "0", A) CHILD("2", "1", A, B) CHILD("3", "1", A, C) FINISH("4", "6", A, B),
          START("1", "1", B) TURN("2", "5", B), START("1", "2", C) TURN("2", "3", C)},
         "a1 a2 a3 b1:c1.1 c1:c1.2 c2:c1.2 b2:c1.1 a4 "},
        {"clocks that differ: a child begins after its start and ends before its end",
         {START("1", "4", A) CHILD("2", "5", A, B) FINISH("3", "6", A, B) TURN("4", "6", A),
          START("1", "1", B) TURN("2", "9", B), ""},
         "a1 a2 b1:c1.1 b2:c1.1 a3 a4 "},
        {"a child that was removed",
         {CHILD("1", "0", A, B) FINISH("2", "1", A, B), "", ""},
         "a1 a2 "},
        {"a run below a child",
         {CHILD("1", "0", A, B) FINISH("2", "1", A, B),
          CHILD("1", "0", B, C) FINISH("2", "0", B, C), TURN("1", "8", C)},
         "a1 b1:c1.1 c1:c1.2 b2:c1.1 a2 "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        haft__buf stream, found;
        haft__tree_log logs[3] = {
            {HAFT__LIT(A), HAFT__LIT(""), haft__str(rows[i].logs[0])},
            {HAFT__LIT(B), HAFT__LIT("c1.1"), haft__str(rows[i].logs[1])},
            {HAFT__LIT(C), HAFT__LIT("c1.2"), haft__str(rows[i].logs[2])},
        };
        haft__buf_init(&stream, 1 << 16);
        haft__buf_init(&found, 1 << 12);
        CHECK_INT(haft__tree_stream_write(&stream, logs, 3, (haft__hash_key){0, 0}, &err), HAFT_OK,
                  "%s: %s", rows[i].what, err.message);
        summarise(haft__buf_str(&stream), &found);
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].stream), "%s", rows[i].what);
        haft__buf_finish(&stream);
        haft__buf_finish(&found);
    }
}

TEST(a_line_that_is_no_event_is_an_error)
{
    haft_error err = {0};
    haft__buf stream;
    haft__tree_log log = {HAFT__LIT(A), HAFT__LIT(""), HAFT__LIT("{\n")};
    haft__buf_init(&stream, 1 << 12);
    CHECK_INT(haft__tree_stream_write(&stream, &log, 1, (haft__hash_key){0, 0}, &err),
              HAFT_BAD_INPUT, "%s", err.message);
    haft__buf_finish(&stream);
}
