/* SPDX-License-Identifier: Apache-2.0 */
/* remove_runs.c - `haft runs rm` and `gc`. Tests: tests/cli/store_test.py, children_test.py. */
#include "base/error.h"
#include "base/str.h"
#include "cli/runs/runs_request.h"
#include "engine/ops/retention.h"
#include "tool/duration.h"

static void print_removed(const haft__runs_request *a, uint64_t count, bool dry_run)
{
    (void)fprintf(a->cli->out, "{\"removed\":%llu,\"dry_run\":%s}\n", (unsigned long long)count,
                  dry_run ? "true" : "false");
}

haft__exit_status haft__runs_remove(haft__runs_request *a)
{
    haft_status status = haft__runs_open_store(a);
    if (status == HAFT_OK) {
        status = haft__retention_remove_run(a->runtime, &a->cli->arena, haft__str(a->name), a->err);
    }
    if (status == HAFT_OK && haft__args_has(a->args, "json")) {
        print_removed(a, 1, false);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

/* Reads the values of --state, which can be given several times. */
static haft_status read_ends(const haft__runs_request *a, haft__retention_rules *rules)
{
    size_t at = 0;
    haft_str *ends = haft__arena_array(&a->cli->arena, a->args->given_count, sizeof(*ends));
    if (ends == NULL) {
        return haft__arena_fail(&a->cli->arena, a->err);
    }
    for (const char *word; (word = haft__args_next(a->args, "state", &at)) != NULL;) {
        if (!haft__retention_is_end(haft__str(word))) {
            haft_status status = haft__fail(a->err, HAFT_BAD_INPUT, "--state",
                                            "expected the end of a run, found '%s'", word);
            return haft__hint(a->err, status,
                              "done, direct, exhausted, incomplete, refused, violated, failed, "
                              "cancelled or expired; runs that have not ended are never removed");
        }
        ends[rules->end_count++] = haft__str(word);
    }
    rules->ends = ends;
    return HAFT_OK;
}

static haft_status read_rules(const haft__runs_request *a, haft__retention_rules *ret_rules)
{
    const char *older = haft__args_text(a->args, "older", NULL);
    *ret_rules = (haft__retention_rules){.has_age = older != NULL,
                                         .has_keep = haft__args_has(a->args, "keep"),
                                         .keep = haft__args_number(a->args, "keep", 0),
                                         .dry_run = haft__args_has(a->args, "dry-run")};
    haft_status status = older != NULL
                             ? haft__duration_parse(haft__str(older), &ret_rules->age_ms, a->err)
                             : HAFT_OK;
    if (status != HAFT_OK) {
        haft__error_prepend_location(a->err, "--older");
        return status;
    }
    return read_ends(a, ret_rules);
}

haft__exit_status haft__runs_gc(haft__runs_request *a)
{
    haft__retention_rules rules;
    uint64_t count = 0;
    haft_status status = read_rules(a, &rules);
    if (status == HAFT_OK) {
        status = haft__runs_open_store(a);
    }
    if (status == HAFT_OK) {
        status = haft__retention_apply(a->runtime, &a->cli->arena, &rules, &count, a->err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__args_has(a->args, "json")) {
        print_removed(a, count, rules.dry_run);
    } else {
        (void)fprintf(a->cli->out, "%llu run%s %sremoved\n", (unsigned long long)count,
                      count == 1 ? "" : "s", rules.dry_run ? "would be " : "");
    }
    return HAFT__EXIT_DONE;
}
