/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/runs/runs_cache.c. */
#include "cli/runs/runs_cache.h"

#include "base/hash.h"
#include "model/reply_help.h"

#define USAGE(input, cached) "'usage':{'input_tokens':" #input ",'cached_tokens':" #cached "}"

static const char log_text[] =
    "{'kind':'run_started'}\n"
    "{'kind':'turn_started','turn':1}\n"
    "{'kind':'model_replied'," USAGE(
        1000, 0) ",'cache':{'same_bytes':0,'bytes':0,"
                 "'first_difference':null,'cause':'first'}}\n"
                 "{'kind':'turn_started','turn':2}\n"
                 "{'kind':'model_replied'," USAGE(
                     2000, 900) ",'cache':{'same_bytes':500,'bytes':500,"
                                "'first_difference':null,'cause':null}}\n"
                                "{'kind':'turn_started','turn':3}\n"
                                "{'kind':'model_replied'," USAGE(
                                    3000,
                                    0) ",'cache':{'same_bytes':90,'bytes':900,"
                                       "'first_difference':'/tools/4','cause':'tools_revealed'}}\n"
                                       "{'kind':'turn_started','turn':4}\n"
                                       "{'kind':'model_replied'," USAGE(10, 0) "}\n";

static const char wanted[] =
    "turn   input tok     cached          same start as the previous request\n"
    "   1       1000          0     0 %  first\n"
    "   2       2000        900    45 %  500 of 500 bytes (100 %)\n"
    "   3       3000          0     0 %  90 of 900 bytes (10 %); tools_revealed at /tools/4\n"
    "   4         10          0     0 %  not audited\n"
    " all       6010        900    14 %  4 replies, 1 break\n";

TEST(the_audit_of_a_log_has_a_line_for_each_reply)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    CHECK_INT(haft__runs_cache_write(&buf, help_quotes(log_text), (haft__hash_key){1, 2}, NULL),
              HAFT_OK, "status");
    CHECK_STR(haft__buf_str(&buf), haft__str(wanted), "lines");
    haft__buf_finish(&buf);
}
