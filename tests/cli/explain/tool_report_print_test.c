/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/explain/tool_report_print.c: servers and all tools, with verdicts. */
#include "cli/explain/tool_report_print.h"

#include "engine/ops/preview_help.h"
#include "json/read.h"

#define SEARCH "  + tool_search              builtin, neutral: a built-in, enabled\n"
#define UNDECLARED                                                                                 \
    "  ~ tool_search              builtin, neutral: not enabled, but can be called: there are "    \
    "deferred tools\n"

TEST(verdicts_on_servers_are_printed)
{
    static const struct {
        const char *spec, *start, *shown;
    } rows[] = {
        {"agent; tools=look", "",
         "  + look                     command, data: declared in the spec\n"},
        {"agent; max_mcp=1; tools=write,other; context=1000; own_bytes=404", "",
         "  + write                    command, data: shown: found by the search, rank 1, score N "
         "(name)\n"
         "  - other                    command, data: deferred: the spec's tools take about 101 of "
         "1000 tokens, more than 10 % (max_tools_share)\n" SEARCH},
        {"agent; max_mcp=1; server=docs,search,write; server=dead!error; server=off!disabled", "",
         SEARCH "  - docs:search              mcp, data: deferred: no search has shown it\n"
                "  + docs:write               mcp, data: shown: found by the search, rank 1, "
                "score N (exact name)\n"
                "  - dead:*                   mcp: it does not answer\n"
                "  - off:*                    mcp: the server is disabled\n"},
        {"agent; no_search; server=docs,write", "",
         UNDECLARED "  - docs:write               mcp, data: deferred: no search has shown it\n"},
        {"workflow; provider=mistral; tools=look,store_artifact", "",
         "  + look                     command, data: declared in the spec\n"
         "  ~ store_artifact           builtin, artifact: declared when the gate opens\n"},
        {"agent; server=docs,zzz; phase=one+docs:zzz", "docs:z",
         "  + docs:zzz                 mcp, data: shown: the spec names it\n"},
        {"agent; tools=grep,glob; builtin_allow=gr*; mcp_allow=docs:a*+mail:*+gone:*; "
         "mcp_deny=*:x+*:ab+mail:*; server=docs,ab,b; server=mail,c; server=web,d",
         "",
         "  + grep                     builtin, data: a built-in, enabled\n"
         "  - glob                     builtin, data: not in builtins.allow\n"
         "  - docs:ab                  mcp, data: denied by mcp.deny \"*:ab\"\n"
         "  - docs:b                   mcp, data: not in mcp.allow\n"
         "  - mail:c                   mcp, data: the server is denied by mcp.deny \"mail:*\"\n"
         "  - web:d                    mcp, data: the server is not in mcp.allow\n"
         "  - mail:*                   mcp: the server is denied by mcp.deny \"mail:*\"\n"
         "  - web:*                    mcp: the server is not in mcp.allow\n"},
        {"agent; tools=grep; builtin_deny=x+*ep", "",
         "  - grep                     builtin, data: denied by builtins.deny \"*ep\"\n"},
        {"agent; server=docs,search,write; server=mail,send", "docs:w",
         "  + docs:write               mcp, data: shown: found by the search, rank 1, score N "
         "(exact "
         "name)\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__first_turn_preview first;
        char *text = NULL;
        size_t length = 0;
        haft__arena_init(&arena, 0);
        help_preview(rows[i].spec, "docs write", &arena, &s, &first);
        FILE *out = open_memstream(&text, &length);
        (void)haft__tool_report_print(out, &first, haft__str(rows[i].start));
        (void)fclose(out);
        CHECK_STR(help_without_scores((haft_str){text, length}), haft__str(rows[i].shown),
                  "row %zu", i);
        free(text);
        haft__arena_finish(&arena);
    }
}

TEST(a_tool_that_was_not_found_is_not_shown_below_the_cap_either)
{
    static const char *const tasks[] = {"", " \n", "weigh an elephant"};
    for (size_t i = 0; i < COUNT(tasks); i++) {
        haft__arena arena;
        help_spec s;
        haft__first_turn_preview first;
        char *text = NULL;
        size_t length = 0;
        haft__arena_init(&arena, 0);
        help_preview("agent; server=docs,find", tasks[i], &arena, &s, &first);
        FILE *out = open_memstream(&text, &length);
        CHECK_INT(haft__tool_report_print_mcp(out, &first, HAFT__LIT("")), 1, "number of lines");
        (void)fclose(out);
        CHECK_STR(((haft_str){text, length}),
                  HAFT__LIT("  - docs:find                mcp, data: deferred: no search has shown "
                            "it\n"),
                  "task %zu", i);
        free(text);
        haft__arena_finish(&arena);
    }
}

TEST(limit_is_printed_with_its_reason)
{
    static const struct {
        const char *spec, *shown;
    } rows[] = {
        {"agent; tools=look", ""},
        {"agent; hosted; server=docs,search",
         "  1 deferred tool, 1 shown: at most 10 (cap for a hosted model)\n"},
        {"agent; max_mcp=1; server=docs,search,write",
         "  2 deferred tools, 1 shown: at most 1 (max_mcp_tools)\n"},
        {"agent; size_b=3; server=docs,a,b,c",
         "  3 deferred tools, 2 shown: at most 2 (cap for a model of 3 B)\n"},
        {"agent; server=docs,search",
         "  1 deferred tool, 1 shown: at most 2 (cap for a model of unknown size)\n"},
        {"agent; mcp_deny=docs:b; server=docs,search,b; server=off!disabled,c",
         "  1 deferred tool, 1 shown: at most 2 (cap for a model of unknown size); 2 more tools "
         "of servers cannot be used\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__first_turn_preview first;
        char *text = NULL;
        size_t length = 0;
        haft__arena_init(&arena, 0);
        help_preview(rows[i].spec, "search a b c", &arena, &s, &first);
        FILE *out = open_memstream(&text, &length);
        haft__tool_report_print_limit(out, &first);
        (void)fclose(out);
        CHECK_STR(((haft_str){text, length}), haft__str(rows[i].shown), "row %zu", i);
        free(text);
        haft__arena_finish(&arena);
    }
}

TEST(a_server_with_an_unknown_list_is_reported)
{
    haft__arena arena;
    help_spec s;
    haft__first_turn_preview first;
    char *text = NULL;
    size_t length = 0;
    haft__arena_init(&arena, 0);
    help_spec_init(&s, &arena, HAFT__LIT("agent; server=nobody_asked_this_one"));
    CHECK_INT(haft__first_turn_decide(&arena, &s.spec, HAFT__LIT(""), HELP_KEY, &first, NULL),
              HAFT_OK, "deciding the first turn");
    FILE *out = open_memstream(&text, &length);
    CHECK_INT(haft__tool_report_print_mcp(out, &first, HAFT__LIT("")), 1, "number of lines");
    (void)fclose(out);
    CHECK_STR(((haft_str){text, length}),
              HAFT__LIT("  - nobody_asked_this_one:*  mcp: deferred: the tools are not known yet; "
                        "a run lists them\n"),
              "printed line");
    free(text);
    haft__arena_finish(&arena);
}

TEST(states_and_warnings_are_printed)
{
    static const struct {
        const char *state, *warning, *left_out;
        uint64_t left_out_all;
        size_t tools;
        const char *states, *lines, *remarks;
    } rows[] = {
        {"configured", "", "null", 0, 0,
         "  docs: configured (configured in the spec; not asked for its tools yet)\n", "", ""},
        {"known", "", "null", 0, 1,
         "  docs: known (the tools are cached; the server need not run), 1 "
         "tool\n",
         "", ""},
        {"started", "", "null", 0, 2,
         "  docs: started (the server is running and has listed its tools), 2 tools\n", "", ""},
        {"known", "", "null", 0, 0,
         "  docs: known (the tools are cached; the server need not run), 0 tools\n",
         "  - docs:*                   mcp: the server has no tools\n", ""},
        {"used", "it \x1b is damaged",
         "[{\"tool\":\"a b\",\"reason\":\"a bad name\"},{\"tool\":\"\",\"reason\":\"the list is "
         "cut\"}]",
         5, 0,
         "  docs: used (the server is running, and one of its tools has been called), 0 tools, 5 "
         "left out\n"
         "    warning: it \\u001b is damaged\n",
         "  - docs:*                   mcp: the server has no usable tools\n"
         "  - docs:a b mcp, left out: a bad name\n  - docs:* mcp, left out: the list is cut\n"
         "  - docs:* mcp, left out: 3 more\n",
         "haft: warning: 5 tools of the MCP server docs cannot be used\n"
         "  hint: `haft tools SPEC` prints the reasons\n"
         "haft: warning: the MCP server docs: it \\u001b is damaged\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        char *texts[3] = {NULL};
        size_t lengths[3] = {0};
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, HAFT__LIT("agent; server=docs,search"));
        haft__mcp_listing listing = {.server = HAFT__LIT("docs"),
                                     .state = haft__str(rows[i].state),
                                     .error = HAFT__LIT(""),
                                     .tool_count = rows[i].tools,
                                     .warning = haft__str(rows[i].warning),
                                     .left_out_all = rows[i].left_out_all};
        CHECK_INT(haft__json_read(&arena, haft__str(rows[i].left_out), NULL, &listing.left_out,
                                  NULL, NULL),
                  HAFT_OK, "reading left_out");
        haft__first_turn_preview first = {
            .run.spec = &s.spec, .listings = &listing, .listing_count = 1};
        FILE *out = open_memstream(&texts[0], &lengths[0]);
        haft__tool_report_print_servers(out, &first);
        (void)fclose(out);
        out = open_memstream(&texts[1], &lengths[1]);
        if (i > 0) {
            (void)haft__tool_report_print(out, &first, HAFT__LIT(""));
            CHECK_INT(haft__tool_report_print(out, &first, HAFT__LIT("docs:x")), 0,
                      "tools of other servers");
        }
        (void)fclose(out);
        out = open_memstream(&texts[2], &lengths[2]);
        haft__tool_report_print_warnings(out, &listing, 1);
        (void)fclose(out);
        CHECK_STR(((haft_str){texts[0], lengths[0]}), haft__str(rows[i].states), "row %zu: states",
                  i);
        CHECK_STR(((haft_str){texts[1], lengths[1]}), haft__str(rows[i].lines), "row %zu: lines",
                  i);
        CHECK_STR(((haft_str){texts[2], lengths[2]}), haft__str(rows[i].remarks),
                  "row %zu: remarks", i);
        for (size_t k = 0; k < COUNT(texts); k++) {
            free(texts[k]);
        }
        haft__arena_finish(&arena);
    }
}
