/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of every log: after a cut after any event it can be folded, and the continued run has
 * exactly the same events; and folding in several pieces gives the same state. */
#include "scenario_help.h"

/* The first `count` lines. */
static haft_str first_lines(haft_str log, size_t count)
{
    haft_str rest = log;
    for (size_t i = 0; i < count; i++) {
        (void)haft__str_split(&rest, '\n');
    }
    return (haft_str){log.ptr, log.len - rest.len};
}

static size_t count_lines(haft_str log)
{
    size_t count = 0;
    for (; log.len > 0; count++) {
        (void)haft__str_split(&log, '\n');
    }
    return count;
}

/* A host writes a binary result and the end of its call at once: no log ends between them. */
static bool ends_with_binary_result(haft_str log, size_t kept)
{
    static const char mark[] = "\"encoding\":\"base64\"";
    haft_str before = first_lines(log, kept - 1), until = first_lines(log, kept);
    return memmem(until.ptr + before.len, until.len - before.len, mark, strlen(mark)) != NULL;
}

static void check_cut(const help_scenario *scenario, haft_str log, size_t kept)
{
    help_run r;
    help_run_init_str(&r, scenario->spec, scenario->script);
    CHECK_INT(help_run_restore(&r, first_lines(log, kept)), HAFT_OK, "%s after %zu: %s %s",
              scenario->path, kept, r.err.where, r.err.message);
    CHECK_INT(r.drive.run.seq, kept, "%s", scenario->path);
    if (r.drive.run.stage != HAFT__RUN_ENDED) {
        CHECK_INT(help_scenario_play(scenario, &r), HAFT_OK, "%s after %zu: %s %s", scenario->path,
                  kept, r.err.where, r.err.message);
    }
    CHECK_STR(haft__buf_str(&r.log), log, "%s, cut after %zu", scenario->path, kept);
    help_run_finish(&r);
}

TEST(a_log_cut_after_any_event_continues_unchanged)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        haft_str log = help_scenario_log(&scenarios[i]);
        size_t lines = count_lines(log);
        for (size_t kept = 1; kept <= lines; kept++) {
            if (!ends_with_binary_result(log, kept)) {
                check_cut(&scenarios[i], log, kept);
            }
        }
    }
}

/* Folds the lines from a copy that is destroyed afterwards. */
static void fold(haft__run *run, haft_str lines, const char *what)
{
    haft_error err = {0};
    char *copy = malloc(lines.len + 1);
    if (copy == NULL) {
        abort();
    }
    if (lines.len > 0) {
        memcpy(copy, lines.ptr, lines.len);
    }
    haft_str rest = {copy, lines.len};
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        CHECK_INT(haft__run_fold(run, line, &err), HAFT_OK, "%s: %s %s", what, err.where,
                  err.message);
    }
    memset(copy, '?', lines.len);
    free(copy);
}

/* The state of a run, and its next decision. */
static void describe(haft__buf *buf, haft__decider *decider, const haft__run *run, uint64_t now_ms)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft_error err = {0};
    help_state(buf, run);
    CHECK_INT(haft__decide(decider, run, now_ms, &effect, &err), HAFT_OK, "%s", err.message);
    haft__buf_addf(buf, "effect %d ", effect.kind);
    haft__buf_add_str(buf, effect.kind == HAFT__EFFECT_EVENT ? effect.body : HAFT__LIT(""));
}

typedef struct fold_case {
    haft__arena arena;
    help_spec spec;
    haft__run run;
    haft__decider decider;
    haft__buf found;
} fold_case;

static void fold_case_init(fold_case *c, haft_str spec)
{
    haft__arena_init(&c->arena, 0);
    help_spec_init(&c->spec, &c->arena, spec);
    haft__buf_init(&c->found, 1 << 28);
    CHECK_INT(haft__run_init(&c->run, &c->arena, &c->spec.spec, HELP_KEY, NULL), HAFT_OK, "init");
    CHECK_INT(haft__decider_init(&c->decider, NULL), HAFT_OK, "init");
}

static void fold_case_finish(fold_case *c)
{
    haft__decider_finish(&c->decider);
    haft__buf_finish(&c->found);
    haft__arena_finish(&c->arena);
}

static void check_halves(const help_scenario *scenario, haft_str log, size_t half, size_t whole)
{
    fold_case once, twice;
    fold_case_init(&once, scenario->spec);
    fold_case_init(&twice, scenario->spec);
    haft_str first = first_lines(log, half), all = first_lines(log, whole);
    fold(&once.run, all, scenario->path);
    fold(&twice.run, first, scenario->path);
    describe(&twice.found, &twice.decider, &twice.run,
             5000000); /* deciding must not change the state */
    haft__buf_clear(&twice.found);
    fold(&twice.run, haft__str_skip(all, first.len), scenario->path);
    describe(&once.found, &once.decider, &once.run, once.run.last_ms + 10);
    describe(&twice.found, &twice.decider, &twice.run, twice.run.last_ms + 10);
    CHECK_STR(haft__buf_str(&twice.found), haft__buf_str(&once.found), "%s: %zu of %zu",
              scenario->path, half, whole);
    fold_case_finish(&once);
    fold_case_finish(&twice);
}

TEST(folding_in_two_parts_gives_the_same_state)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        haft_str log = help_scenario_log(&scenarios[i]);
        size_t lines = count_lines(log);
        for (size_t whole = 2; whole <= lines; whole++) {
            check_halves(&scenarios[i], log, 1 + whole % (whole - 1), whole);
            check_halves(&scenarios[i], log, whole / 2, whole);
        }
    }
}
