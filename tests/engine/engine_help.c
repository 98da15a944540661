/* SPDX-License-Identifier: Apache-2.0 */
/* engine_help.c - see engine_help.h. */
#include "engine_help.h"

#include <unistd.h>

#include "base/str.h"

#define SETTLE_MS 300000U

void help_host_init(help_host *h, const char *store)
{
    *h = (help_host){.directory = "/tmp/haft-engine-XXXXXX"};
    CHECK(mkdtemp(h->directory) != NULL, "no directory");
    haft__buf_init(&h->text, (size_t)64 << 20);
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    options.store = store;
    haft_status status = haft_runtime_create(&options, &h->runtime, &h->err);
    CHECK_INT(status, HAFT_OK, "%s", h->err.message);
}

void help_host_finish(help_host *h)
{
    char path[128];
    haft_runtime_destroy(h->runtime);
    for (unsigned i = 1; i <= h->agents; i++) {
        (void)snprintf(path, sizeof(path), "%s/%u.json", h->directory, i);
        (void)unlink(path);
    }
    (void)rmdir(h->directory);
    haft__buf_finish(&h->text);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool good = file != NULL && fputs(text, file) >= 0;
    CHECK(file != NULL && fclose(file) == 0 && good, "%s cannot be written", path);
}

haft_agent *help_host_agent(help_host *h, const char *members, const char *script)
{
    char path[128];
    haft_agent *agent = NULL;
    unsigned number = ++h->agents;
    haft__buf_clear(&h->text);
    haft__buf_addf(&h->text, "{\"haft\":1,\"name\":\"test\"%s%s", members[0] != '\0' ? "," : "",
                   members);
    if (script != NULL) {
        (void)snprintf(path, sizeof(path), "%s/%u.json", h->directory, number);
        write_file(path, script);
        haft__buf_addf(&h->text, ",\"model\":\"script:%u.json\"", number);
    }
    haft__buf_add_char(&h->text, '}');
    (void)snprintf(path, sizeof(path), "%s/spec.json", h->directory);
    haft_status status = haft__agent_load_text(h->runtime, haft__buf_str(&h->text), haft__str(path),
                                               HAFT__SPEC_NEW, &agent, &h->err);
    CHECK_INT(status, HAFT_OK, "%s: %s", h->err.where, h->err.message);
    return agent;
}

haft_run *help_host_start(help_host *h, const char *members, const char *script, const char *task)
{
    haft_run *run = NULL;
    haft_agent *agent = help_host_agent(h, members, script);
    if (agent != NULL) {
        CHECK_INT(haft_run_start(agent, task, NULL, &run, &h->err), HAFT_OK, "%s", h->err.message);
    }
    haft_agent_release(agent);
    return run;
}

void help_host_settle(help_host *h, haft_run *run)
{
    uint64_t start = haft__loop_now(h->runtime->loop);
    while (run != NULL && haft_run_state(run) == HAFT_RUNNING
           && haft__loop_now(h->runtime->loop) - start < SETTLE_MS) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
    CHECK(run != NULL && haft_run_state(run) != HAFT_RUNNING,
          "the run does not pause, stop or end");
}

haft_str help_host_events(help_host *h, haft_run *run)
{
    haft_event event;
    haft__buf_clear(&h->text);
    while (run != NULL && haft_run_next_event(run, &event)) {
        haft__buf_add_str(&h->text, event.json);
        haft__buf_add_char(&h->text, '\n');
    }
    return haft__buf_str(&h->text);
}

haft_str help_host_kinds(help_host *h, haft_run *run)
{
    haft_event event;
    haft__buf_clear(&h->text);
    while (run != NULL && haft_run_next_event(run, &event)) {
        haft_str rest = event.json;
        for (int i = 0; i < 3; i++) { /* the envelope has three members */
            (void)haft__str_split(&rest, ',');
        }
        (void)haft__str_split(&rest, '"');
        (void)haft__str_split(&rest, '"');
        (void)haft__str_split(&rest, '"');
        haft_str kind = haft__str_split(&rest, '"');
        haft__buf_addf(&h->text, "%s%.*s", h->text.len > 0 ? " " : "", HAFT__ARG(kind));
    }
    return haft__buf_str(&h->text);
}
