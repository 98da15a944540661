/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/mcp.h"

#include "../run/run_help.h"
#include "base/str.h"

typedef struct told {
    int times;
    size_t count;
    char text[256];
} told;

static void keep_told(void *context, const haft__mcp_listing *listings, size_t count)
{
    told *t = context;
    t->times++;
    t->count = count;
    if (count > 0) {
        (void)snprintf(t->text, sizeof(t->text), "%.*s %.*s: %.*s", HAFT__ARG(listings[0].server),
                       HAFT__ARG(listings[0].state), HAFT__ARG(listings[0].error));
    }
}

static void list(told *t, bool cancel)
{
    haft__arena arena;
    help_spec s;
    haft__loop *loop = NULL;
    haft__exec *exec = NULL;
    haft__catalogue *catalogue = NULL;
    haft__arena_init(&arena, 0);
    help_spec_init(&s, &arena, HAFT__LIT("agent; server=off!disabled; server=docs,search"));
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "no loop");
    CHECK_INT(haft__exec_create(&(haft__exec_options){.loop = loop}, &exec, NULL), HAFT_OK,
              "no exec");
    CHECK_INT(haft__exec_catalogue(exec, &s.spec, keep_told, t, &catalogue, NULL), HAFT_OK, "list");
    CHECK_INT(t->times, 0, "it was told while it started");
    if (cancel) {
        haft__catalogue_cancel(catalogue);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    haft__exec_destroy(exec);
    haft__loop_destroy(loop);
    haft__arena_finish(&arena);
}

TEST(every_server_that_may_be_used_is_told)
{
    told t = {0};
    list(&t, false);
    CHECK(t.times == 1 && t.count == 1, "%d times, %zu servers", t.times, t.count);
    CHECK_STR(haft__str(t.text),
              HAFT__LIT("docs configured: MCP servers cannot be reached by this build"), "docs");
}

TEST(a_list_that_is_not_wanted_is_not_told)
{
    told t = {0};
    list(&t, true);
    CHECK_INT(t.times, 0, "times");
}
