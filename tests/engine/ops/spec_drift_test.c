/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/spec_drift.c; runs that continue with another spec are in
 * tests/cli/respec_test.py. */
#include "engine/ops/spec_drift.h"

#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/engine_help.h"

#define NONE (-1)

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0, "%s", path);
    CHECK(file == NULL || fclose(file) == 0, "%s", path);
}

static void on_report(void *context, haft__spec_drift_finding finding, const char *path,
                      haft_str changes, haft_error *err)
{
    (void)path;
    (void)err;
    *(int *)context = (int)finding;
    CHECK((changes.len > 0) == (finding == HAFT__SPEC_DRIFT_CHANGED),
          "changes without a changed file, or a changed file without changes");
}

#define SPEC "{\"haft\":1,\"name\":\"test\",\"model\":\"offline\"}"

TEST(a_changed_file_is_rejected_unless_the_caller_chooses)
{
    static const struct {
        const char *text; /* of the file now; NULL: it does not exist */
        haft__spec_drift_policy policy;
        haft_status status;
        int finding;
    } rows[] = {
        {SPEC, HAFT__SPEC_DRIFT_REJECT, HAFT_OK, NONE},
        {SPEC "\n", HAFT__SPEC_DRIFT_REJECT, HAFT_OK, NONE},
        {"{\"haft\":1,\"name\":\"other\",\"model\":\"offline\"}", HAFT__SPEC_DRIFT_REJECT,
         HAFT_BAD_INPUT, HAFT__SPEC_DRIFT_CHANGED},
        {"{\"haft\":1,\"name\":\"other\",\"model\":\"offline\"}", HAFT__SPEC_DRIFT_ACCEPT, HAFT_OK,
         NONE},
        {"{\"haft\":1,\"name\":\"other\",\"model\":\"offline\"}", HAFT__SPEC_DRIFT_KEEP, HAFT_OK,
         NONE},
        {"{\"haft\":1,\"nam\":\"other\"}", HAFT__SPEC_DRIFT_ACCEPT, HAFT_BAD_INPUT,
         HAFT__SPEC_DRIFT_INVALID},
        {"{\"haft\":1,\"name\":\"test\"}", HAFT__SPEC_DRIFT_REJECT, HAFT_OK, NONE},
        {NULL, HAFT__SPEC_DRIFT_ACCEPT, HAFT_BAD_INPUT, HAFT__SPEC_DRIFT_MISSING},
        {NULL, HAFT__SPEC_DRIFT_REJECT, HAFT_OK, NONE}, /* opening the file reports it */
        {NULL, HAFT__SPEC_DRIFT_KEEP, HAFT_OK, NONE},
    };
    help_host h;
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    char path[96];
    help_host_init(&h, "memory:");
    (void)snprintf(path, sizeof(path), "%s/agent.json", h.directory);
    write_text(path, SPEC);
    CHECK_INT(haft_agent_load(h.runtime, path, &agent, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int finding = NONE;
        haft_error err = {0};
        haft__spec_drift drift;
        haft__spec_drift_options options = {.policy = rows[i].policy,
                                            .by = HAFT__LIT("me"),
                                            .report = on_report,
                                            .context = &finding};
        if (rows[i].text != NULL) {
            write_text(path, rows[i].text);
        } else {
            (void)unlink(path);
        }
        haft__spec_drift_watch(&drift, h.runtime, &options);
        CHECK_INT(haft__spec_drift_check(&drift, &run->state, &err), rows[i].status, "row %zu: %s",
                  i, err.message);
        CHECK_INT(finding, rows[i].finding, "row %zu", i);
        haft__spec_drift_finish(&drift);
    }
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}
