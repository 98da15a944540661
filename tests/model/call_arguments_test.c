/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/call_arguments.c. */
#include "model/call_arguments.h"

#include "test.h"

static const struct {
    const char *text, *written;
} cases[] = {
    {"", "{}"},
    {" \n", "{}"},
    {"{}", "{}"},
    {"{\"n\": 1.50}", "{\"n\": 1.50}"},
    {" {\"a\":[{}]}\n", " {\"a\":[{}]}\n"},
    {"{\"a\":1", "{\"not_an_object\":\"{\\\"a\\\":1\"}"},
    {"{} {}", "{\"not_an_object\":\"{} {}\"}"},
    {"[]", "{\"not_an_object\":\"[]\"}"},
    {"null", "{\"not_an_object\":\"null\"}"},
    {"\"{}\"", "{\"not_an_object\":\"\\\"{}\\\"\"}"},
    {"oops", "{\"not_an_object\":\"oops\"}"},
};

TEST(arguments_are_always_an_object)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        haft__call_arguments_write(&buf, haft__str(cases[i].text));
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].written), "%s", cases[i].text);
        haft__buf_finish(&buf);
    }
}

TEST(arguments_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            haft__buf buf;
            haft__buf_init(&buf, 4096);
            test_fail_allocation(n);
            haft__call_arguments_write(&buf, haft__str(cases[i].text));
            bool failed = test_allow_allocations();
            /* A text that is no object may show that before the failed allocation counts. */
            CHECK(failed ? buf.status == HAFT_NO_MEMORY
                               || haft__str_equal(haft__buf_str(&buf), haft__str(cases[i].written))
                         : buf.status == HAFT_OK,
                  "%s, allocation %u", cases[i].text, n);
            haft__buf_finish(&buf);
            if (!failed) {
                break;
            }
        }
    }
}
