/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/servers.c: servers and their tools, with verdicts. */
#include "cli/servers.h"

#include "../run/run_help.h"

TEST(servers_with_their_verdicts)
{
    static const struct {
        const char *spec, *start, *shown, *json;
    } rows[] = {
        {"agent; tools=look", "", "", "[]"},
        {"agent; max_mcp=1; server=docs,search,write; server=dead!error; server=off!disabled", "",
         "  + docs:search              mcp, data: revealed\n"
         "  - docs:write               mcp, data: deferred: past the cap of tools of servers\n"
         "  - dead:*                   mcp: it has an error\n"
         "  - off:*                    mcp: the server is disabled\n",
         "[{\"name\":\"docs\",\"state\":\"started\",\"tools\":2,\"reason\":null},{\"name\":"
         "\"dead\",\"state\":\"configured\",\"tools\":0,\"reason\":\"it has an error\"},{\"name\":"
         "\"off\",\"state\":\"started\",\"tools\":0,\"reason\":\"the server is disabled\"}]"},
        {"agent; server=docs,search,write; server=mail,send", "docs:w",
         "  + docs:write               mcp, data: revealed\n", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__reveal reveal;
        haft__buf json;
        haft__json_writer w;
        char *text = NULL;
        size_t length = 0;
        haft__arena_init(&arena, 0);
        haft__buf_init(&json, 1 << 16);
        haft__json_writer_init(&w, &json);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        CHECK_INT(haft__reveal_decide(&s.spec, s.servers.listings, s.servers.count, &arena,
                                      HELP_KEY, &reveal, NULL),
                  HAFT_OK, "row %zu", i);
        FILE *out = open_memstream(&text, &length);
        (void)haft__servers_print(out, &s.spec, &reveal, haft__str(rows[i].start));
        (void)fclose(out);
        CHECK_STR(((haft_str){text, length}), haft__str(rows[i].shown), "row %zu", i);
        haft__servers_write(&w, &s.spec, &reveal);
        if (rows[i].json != NULL) {
            CHECK_STR(haft__buf_str(&json), haft__str(rows[i].json), "row %zu", i);
        }
        free(text);
        haft__buf_finish(&json);
        haft__arena_finish(&arena);
    }
}

TEST(a_server_that_nobody_has_asked_is_deferred)
{
    haft__arena arena;
    help_spec s;
    haft__reveal reveal;
    char *text = NULL;
    size_t length = 0;
    haft__arena_init(&arena, 0);
    help_spec_init(&s, &arena, HAFT__LIT("agent; server=docs,search"));
    CHECK_INT(haft__servers_look(&arena, &s.spec, HELP_KEY, &reveal, NULL), HAFT_OK, "look");
    FILE *out = open_memstream(&text, &length);
    CHECK_INT(haft__servers_print(out, &s.spec, &reveal, HAFT__LIT("")), 1, "lines");
    (void)fclose(out);
    CHECK_STR(((haft_str){text, length}),
              HAFT__LIT("  - docs:*                   mcp: deferred: nobody has asked it for its "
                        "tools yet; a run does\n"),
              "shown");
    free(text);
    haft__arena_finish(&arena);
}
