/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_help.h - shared by the tests of MCP servers: a spec with servers, and a directory for the
 * files that haft keeps about them. */
#ifndef HAFT_TESTS_MCP_HELP_H
#define HAFT_TESTS_MCP_HELP_H

#include <unistd.h>

#include "exec/mcp/mcp_int.h"
#include "exec_help.h"

typedef struct help_mcp {
    help_exec exec;
    char place[64];                    /* the directory of these files */
    int times;                         /* how often a catalogue was reported */
    size_t count;                      /* of servers in the last catalogue */
    haft_str states, errors, warnings; /* of the servers, a space after each */
    haft_str names;                    /* of all tools, a space after each */
    haft_str changed;                  /* of tools that differ from the accepted ones */
} help_mcp;

static inline void help_mcp_begin(help_mcp *m)
{
    *m = (help_mcp){.times = 0};
    (void)snprintf(m->place, sizeof(m->place), "/tmp/haft-mcp-test-XXXXXX");
    CHECK(mkdtemp(m->place) != NULL, "no directory");
    help_begin(&m->exec);
    m->exec.exec->options.state = m->place;
}

static inline void help_mcp_end(help_mcp *m)
{
    help_end(&m->exec);
    help_remove(m->place);
}

/* Sets `mcp` of the spec. The text is JSON in which ' stands for ", @ for the path of
 * bad_server.py, and ~ for its directory. */
static inline void help_mcp_servers(help_mcp *m, const char *text)
{
    char server[4096];
    const char *root = getenv("HAFT_SOURCE_ROOT");
    (void)snprintf(server, sizeof(server), "%s/tests/mcp/bad_server.py", root);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '@') {
            haft__buf_add_str(&buf, haft__str(server));
        } else if (*c == '~') { /* the directory of bad_server.py */
            haft__buf_add(&buf, server, (size_t)(strrchr(server, '/') - server));
        } else {
            haft__buf_add_char(&buf, *c == '\'' ? '"' : *c);
        }
    }
    haft_str copy = haft__arena_copy(&m->exec.arena, haft__buf_str(&buf));
    haft_error err = {0};
    CHECK_INT(haft__json_read(&m->exec.arena, copy, NULL, &m->exec.spec.mcp, NULL, &err), HAFT_OK,
              "%s: %s", text, err.message);
    haft__buf_finish(&buf);
}

static inline haft_str help_join(help_mcp *m, haft_str before, haft_str word)
{
    return haft__arena_format(&m->exec.arena, "%.*s%.*s ", HAFT__ARG(before), HAFT__ARG(word));
}

/* Receives a catalogue. */
static inline void help_mcp_note(void *context, const haft__mcp_listing *listings, size_t count)
{
    help_mcp *m = context;
    m->times++;
    m->count = count;
    m->states = m->errors = m->warnings = m->names = m->changed = HAFT__LIT("");
    for (size_t i = 0; i < count; i++) {
        m->states = help_join(m, m->states, listings[i].state);
        m->errors = help_join(m, m->errors, listings[i].error);
        m->warnings = help_join(m, m->warnings, listings[i].warning);
        for (size_t k = 0; k < listings[i].tool_count; k++) {
            m->names = help_join(m, m->names, listings[i].tools[k].name);
            if (listings[i].changed != NULL && listings[i].changed[k]) {
                m->changed = help_join(m, m->changed, listings[i].tools[k].name);
            }
        }
    }
}

/* Asks all servers for their tools, and waits. */
static inline void help_mcp_list(help_mcp *m)
{
    haft__catalogue *catalogue = NULL;
    haft_error err = {0};
    int before = m->times;
    CHECK_INT(haft__exec_catalogue(m->exec.exec, &m->exec.spec, help_mcp_note, m, &catalogue, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(m->times, before, "the catalogue was reported before haft__exec_catalogue returned");
    uint64_t begun = haft__loop_now(m->exec.loop);
    while (m->times == before && haft__loop_now(m->exec.loop) - begun < HELP_PATIENCE_MS) {
        CHECK_INT(haft__loop_step(m->exec.loop, 1000, NULL), HAFT_OK, "no step");
    }
    CHECK_INT(m->times, before + 1, "reports of the catalogue");
}

#endif
