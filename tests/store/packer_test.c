/* SPDX-License-Identifier: Apache-2.0 */
#include "store/packer.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

#define RUN "01m7f4m66mjgpq4yybty5t5wtp"
#define EVENT(seq, at)                                                                             \
    "{\"seq\":" seq ",\"at\":\"2026-11-15T08:19:20." at "Z\",\"run\":\"" RUN "\","

/* The lines, packed as events after event `seq`; valid until the test ends. */
static haft_str pack(const haft_str *lines, size_t count, uint64_t seq)
{
    haft__packer packer;
    haft__buf buf;
    haft__packer_init(&packer, HAFT__LIT(RUN), seq);
    haft__buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        haft__packer_pack(&packer, lines[i], &buf);
    }
    char *text = test_alloc(buf.len + 1);
    memcpy(text, buf.ptr, buf.len);
    haft_str packed = {text, buf.len};
    haft__buf_finish(&buf);
    haft__packer_finish(&packer);
    return packed;
}

static void check_back(haft_str packed, const haft_str *lines, size_t count, uint64_t seq)
{
    haft__packer packer;
    haft__packer_init(&packer, HAFT__LIT(RUN), seq);
    for (size_t i = 0; i < count; i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        CHECK(haft__packer_unpack(&packer, haft__str_split(&packed, '\n'), &buf), "line %zu", i);
        haft_str line = haft__buf_str(&buf);
        CHECK(line.len > 0 && line.ptr[line.len - 1] == '\n', "line %zu has no end", i);
        line.len--;
        CHECK_STR(line, lines[i], "line %zu", i);
        haft__buf_finish(&buf);
    }
    CHECK_INT(packed.len, 0, "bytes after the last line");
    CHECK_INT(packer.seq, seq + count, "sequence number of the last event");
    haft__packer_finish(&packer);
}

TEST(an_event_is_stored_without_the_columns_of_its_row)
{
    haft_str lines[] = {
        HAFT__LIT(EVENT("7", "404") "\"kind\":\"turn_started\",\"turn\":1}"),
        HAFT__LIT(EVENT("8", "404") "\"kind\":\"model_replied\"}"),
        HAFT__LIT(EVENT("9", "999") "\"kind\":\"call_started\"}"),
    };
    haft_str packed = pack(lines, COUNT(lines), 6);
    CHECK_STR(packed,
              HAFT__LIT("@1794730760404\"kind\":\"turn_started\",\"turn\":1}\n"
                        "@0\"kind\":\"model_replied\"}\n"
                        "@595\"kind\":\"call_started\"}\n"),
              "packed");
    check_back(packed, lines, COUNT(lines), 6);
}

TEST(a_line_that_does_not_match_its_row_is_stored_unchanged)
{
    static const char *const lines[] = {
        "",
        "@",
        "=",
        "{",
        "1",
        "{\"seq\":",
        "{\"seq\":7",
        "{\"seq\":7,",
        "{\"seq\":7,\"at\":\"2026-11-15T08:19:20.404Z",
        EVENT("6", "404") "\"kind\":1}",  /* another number */
        EVENT("07", "404") "\"kind\":1}", /* a number with a leading zero */
        EVENT("7", "404") "}",            /* no member after the head */
        EVENT("7", "404"),
        "{ \"seq\":7,\"at\":\"2026-11-15T08:19:20.404Z\",\"run\":\"" RUN "\",\"kind\":1}",
        "{\"seq\":7,\"at\":\"2026-11-15T08:19:20.404Z\",\"run\":\"" RUN "x\",\"kind\":1}",
        "{\"seq\":7,\"at\":\"2026-13-15T08:19:20.404Z\",\"run\":\"" RUN "\",\"kind\":1}",
        "{\"seq\":7,\"at\":\"2026-11-15T08:19:60.404Z\",\"run\":\"" RUN "\",\"kind\":1}",
        "{\"seq\":7,\"at\":\"2026-11-15T08:19:20.404Z\",\"kind\":1,\"run\":\"" RUN "\"}",
        "{\"seq\":7,\"at\":7,\"run\":\"" RUN "\",\"kind\":1}",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        haft_str line = haft__str(lines[i]), packed = pack(&line, 1, 6);
        CHECK_INT(packed.len, line.len + 2, "%s", lines[i]);
        CHECK(packed.ptr[0] == '=', "%s", lines[i]);
        check_back(packed, &line, 1, 6);
    }
}

/* A clock that was set back. */
TEST(an_event_older_than_the_last_is_stored_unchanged)
{
    haft_str lines[] = {
        HAFT__LIT(EVENT("1", "404") "\"kind\":1}"),
        HAFT__LIT(EVENT("2", "403") "\"kind\":1}"),
        HAFT__LIT(EVENT("3", "405") "\"kind\":1}"),
    };
    haft_str packed = pack(lines, COUNT(lines), 0);
    CHECK_STR(packed,
              HAFT__LIT("@1794730760404\"kind\":1}\n"
                        "=" EVENT("2", "403") "\"kind\":1}\n"
                                              "@1\"kind\":1}\n"),
              "packed");
    check_back(packed, lines, COUNT(lines), 0);
}

TEST(malformed_packed_data_is_rejected)
{
    static const char *const lines[] = {"",
                                        "x",
                                        "@",
                                        "@1",
                                        "@\"kind\"",
                                        "@-1\"kind\"",
                                        " =",
                                        "@x",
                                        "@1x\"",
                                        "@1",
                                        "@99999999999999999999\"kind\""};
    for (size_t i = 0; i < COUNT(lines); i++) {
        haft__packer packer;
        haft__buf buf;
        haft__packer_init(&packer, HAFT__LIT(RUN), 0);
        haft__buf_init(&buf, 1000);
        CHECK(!haft__packer_unpack(&packer, haft__str(lines[i]), &buf), "%s", lines[i]);
        haft__buf_finish(&buf);
        haft__packer_finish(&packer);
    }
}

TEST(without_memory_for_a_head_an_event_is_stored_unchanged)
{
    haft_str line = HAFT__LIT(EVENT("1", "404") "\"kind\":1}");
    haft__packer packer;
    haft__buf buf;
    haft__packer_init(&packer, HAFT__LIT(RUN), 0);
    haft__buf_init(&buf, 1000);
    (void)haft__buf_reserve(&buf, 500);
    test_fail_allocation(0);
    haft__packer_pack(&packer, line, &buf);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    check_back(haft__buf_str(&buf), &line, 1, 0);
    CHECK(buf.ptr[0] == '=', "the event was packed");
    haft__buf_finish(&buf);
    haft__packer_finish(&packer);
}
