/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/assembly.c: a reply is the same regardless of the size of its pieces. */
#include "base/limits.h"
#include "model/model.h"
#include "test.h"

/* A delta from a line: "text hello", "call 0 id name", "args 0 {...", "end 0", "usage 1 2 3",
 * "stop length". */
static haft__delta delta_of(haft_str line)
{
    static const struct {
        const char *word;
        haft__delta_kind kind;
    } kinds[] = {
        {"text", HAFT__DELTA_TEXT},    {"think", HAFT__DELTA_REASONING},
        {"call", HAFT__DELTA_CALL},    {"args", HAFT__DELTA_ARGUMENTS},
        {"end", HAFT__DELTA_CALL_END}, {"usage", HAFT__DELTA_USAGE},
        {"stop", HAFT__DELTA_STOP},
    };
    haft__delta delta = {0};
    uint64_t number = 0;
    haft_str word = haft__str_split(&line, ' ');
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(word, haft__str(kinds[i].word))) {
            delta.kind = kinds[i].kind;
        }
    }
    if (delta.kind == HAFT__DELTA_USAGE) {
        (void)haft__str_to_u64(haft__str_split(&line, ' '), &delta.usage.input);
        (void)haft__str_to_u64(haft__str_split(&line, ' '), &delta.usage.output);
        (void)haft__str_to_u64(line, &delta.usage.cached);
    } else if (delta.kind == HAFT__DELTA_STOP) {
        CHECK(haft__stop_reason_parse(line, &delta.stop), "%.*s", HAFT__ARG(line));
    } else if (delta.kind != HAFT__DELTA_TEXT && delta.kind != HAFT__DELTA_REASONING) {
        (void)haft__str_to_u64(haft__str_split(&line, ' '), &number);
        delta.index = (uint32_t)number;
        delta.id = delta.kind == HAFT__DELTA_CALL ? haft__str_split(&line, ' ') : delta.id;
    }
    delta.text = line;
    return delta;
}

static void write_reply(haft__buf *buf, const haft__reply *reply)
{
    haft__buf_addf(buf, "text %.*s\nthink %.*s\n", HAFT__ARG(reply->content),
                   HAFT__ARG(reply->reasoning));
    for (size_t i = 0; i < reply->call_count; i++) {
        haft__buf_addf(buf, "call %.*s %.*s %.*s\n", HAFT__ARG(reply->calls[i].id),
                       HAFT__ARG(reply->calls[i].name), HAFT__ARG(reply->calls[i].arguments));
    }
    haft__buf_addf(buf, "usage %d %d %d\nstop %s\n", (int)reply->usage.input,
                   (int)reply->usage.output, (int)reply->usage.cached,
                   haft__stop_reason_name(reply->stop));
}

/* The reply as text, or the error. Texts are fed `size` bytes at a time; 0: whole. */
static haft_status assemble(haft_str lines, size_t size, haft__buf *buf)
{
    haft__assembly assembly;
    haft__assembly_init(&assembly);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_error err = {0};
    haft_status status = HAFT_OK;
    while (lines.len > 0 && status == HAFT_OK) {
        haft__delta delta = delta_of(haft__str_split(&lines, '\n'));
        bool in_pieces = size > 0 && delta.kind != HAFT__DELTA_CALL;
        haft_str rest = delta.text;
        do {
            size_t length = in_pieces && size < rest.len ? size : rest.len;
            delta.text = (haft_str){rest.ptr, length};
            status = haft__assembly_add(&assembly, &delta, &err);
            rest = haft__str_skip(rest, length);
        } while (rest.len > 0 && status == HAFT_OK);
    }
    haft__reply reply;
    if (status == HAFT_OK) {
        status = haft__assembly_reply(&assembly, &arena, &reply, &err);
    }
    if (status == HAFT_OK) {
        write_reply(buf, &reply);
    } else {
        haft__buf_addf(buf, "%s", err.message);
    }
    haft__assembly_finish(&assembly);
    haft__arena_finish(&arena);
    return status;
}

static const struct {
    const char *name, *deltas, *reply;
    haft_status status;
} cases[] = {
    {"only an end", "stop stop", "text \nthink \nusage 0 0 0\nstop stop\n", HAFT_OK},
    {"text and reasoning",
     "think why\ntext Hello, \nusage 1 2 0\ntext world\nthink  not\nusage 5 6 "
     "7\nstop length",
     "text Hello, world\nthink why not\nusage 5 6 7\nstop length\n", HAFT_OK},
    {"a call", "call 0 id1 look\nargs 0 {\"q\":\nargs 0 1}\nend 0\nstop tool_calls",
     "text \nthink \ncall id1 look {\"q\":1}\nusage 0 0 0\nstop tool_calls\n", HAFT_OK},
    {"calls that come at the same time, the last first",
     "call 1 b find\nargs 1 [\ncall 0  look\nargs 0 {\nargs 1 ]\nend 1\nargs 0 }\nend 0\nstop "
     "tool_calls",
     "text \nthink \ncall  look {}\ncall b find []\nusage 0 0 0\nstop tool_calls\n", HAFT_OK},
    {"id and name repeated", "call 0 a look\nargs 0 x\ncall 0 b find\nargs 0 y\nend 0\nstop stop",
     "text \nthink \ncall a look xy\nusage 0 0 0\nstop stop\n", HAFT_OK},
    {"the stop before the end of a call", "call 0 a look\nstop tool_calls\nargs 0 {}\nend 0",
     "text \nthink \ncall a look {}\nusage 0 0 0\nstop tool_calls\n", HAFT_OK},
    {"no stop", "text half", "the reply was cut off before its end", HAFT_BAD_INPUT},
    {"a call without its end", "call 0 a look\nargs 0 {\nstop stop",
     "the reply was cut off in call 0", HAFT_BAD_INPUT},
    {"a call that was skipped", "call 1 a look\nend 1\nstop stop",
     "the reply was cut off in call 0", HAFT_BAD_INPUT},
    {"arguments before the call", "args 0 {}", "arguments of call 0, which has not begun",
     HAFT_BAD_INPUT},
    {"an end before the call", "end 2", "arguments of call 2, which has not begun", HAFT_BAD_INPUT},
    {"arguments after the end", "call 0 a look\nend 0\nargs 0 {}",
     "arguments of call 0, which is complete", HAFT_BAD_INPUT},
};

TEST(a_reply_does_not_depend_on_how_it_was_cut_up)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t size = 0; size <= 4; size++) {
            haft__buf found;
            haft__buf_init(&found, 1 << 16);
            CHECK_INT(assemble(haft__str(cases[i].deltas), size, &found), cases[i].status,
                      "%s, %zu bytes at a time", cases[i].name, size);
            CHECK_STR(haft__buf_str(&found), haft__str(cases[i].reply), "%s, %zu bytes at a time",
                      cases[i].name, size);
            haft__buf_finish(&found);
        }
    }
}

/* Every order in which the pieces of three calls can come gives the same calls. */
TEST(calls_stand_in_the_order_of_their_index)
{
    unsigned orders = 0;
    for (unsigned code = 0; code < 19683;
         code++) { /* nine digits of base 3: which call gets the next piece */
        unsigned rest = code, used[3] = {0, 0, 0};
        haft__buf deltas, found;
        haft__buf_init(&deltas, 4096);
        haft__buf_init(&found, 4096);
        for (int i = 0; i < 9; i++, rest /= 3) {
            unsigned call = rest % 3, piece = used[call]++;
            if (piece == 0) {
                haft__buf_addf(&deltas, "call %u i%u t%u\n", call, call, call);
            } else if (piece == 1) {
                haft__buf_addf(&deltas, "args %u x%u\n", call, call);
            } else if (piece == 2) {
                haft__buf_addf(&deltas, "end %u\n", call);
            }
        }
        if (used[0] == 3 && used[1] == 3) {
            haft__buf_addf(&deltas, "stop stop");
            CHECK_INT(assemble(haft__buf_str(&deltas), 0, &found), HAFT_OK, "order %u", code);
            CHECK_STR(haft__buf_str(&found),
                      HAFT__LIT("text \nthink \ncall i0 t0 x0\ncall i1 t1 x1\ncall i2 t2 x2\n"
                                "usage 0 0 0\nstop stop\n"),
                      "order %u", code);
            orders++;
        }
        haft__buf_finish(&deltas);
        haft__buf_finish(&found);
    }
    CHECK_INT(orders, 1680, "number of orders");
}

TEST(calls_are_bounded)
{
    haft__assembly assembly;
    haft__assembly_init(&assembly);
    haft_error err = {0};
    haft__delta delta = {.kind = HAFT__DELTA_CALL, .text = HAFT__LIT("look")};
    delta.index = HAFT__LIMIT_REPLY_CALLS - 1;
    CHECK_INT(haft__assembly_add(&assembly, &delta, &err), HAFT_OK, "at the limit");
    delta.index = HAFT__LIMIT_REPLY_CALLS;
    CHECK_INT(haft__assembly_add(&assembly, &delta, &err), HAFT_TOO_BIG, "past the limit");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("expected at most 1024 calls in a reply, found more"), "error message");
    delta.index = UINT32_MAX;
    CHECK_INT(haft__assembly_add(&assembly, &delta, &err), HAFT_TOO_BIG, "far past the limit");
    haft__assembly_finish(&assembly);
}

TEST(bytes_are_bounded)
{
    static const haft__delta_kind kinds[] = {HAFT__DELTA_TEXT, HAFT__DELTA_REASONING,
                                             HAFT__DELTA_ARGUMENTS};
    size_t half = HAFT__LIMIT_REPLY_BYTES / 2;
    char *text = test_alloc(half);
    memset(text, 'x', half);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        haft__assembly assembly;
        haft__assembly_init(&assembly);
        haft__delta begin = {.kind = HAFT__DELTA_CALL, .text = HAFT__LIT("look")};
        haft__delta delta = {.kind = kinds[i], .text = {text, half}};
        CHECK_INT(haft__assembly_add(&assembly, &begin, NULL), HAFT_OK, "begin the call");
        CHECK_INT(haft__assembly_add(&assembly, &delta, NULL), HAFT_OK, "half of the limit");
        CHECK_INT(haft__assembly_add(&assembly, &delta, NULL), HAFT_OK, "at the limit");
        delta.text.len = 1;
        CHECK_INT(haft__assembly_add(&assembly, &delta, NULL), HAFT_TOO_BIG, "past the limit");
        haft__assembly_finish(&assembly);
    }
}

TEST(assembling_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0; cases[i].status == HAFT_OK; n++) {
            char kept[8192]; /* a fixed buffer, so that only the code under test allocates */
            haft__buf found = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
            test_fail_allocation(n);
            haft_status status = assemble(haft__str(cases[i].deltas), 0, &found);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].name,
                      n);
            if (!failed) {
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}
