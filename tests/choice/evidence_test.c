/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/evidence.c: what counts as evidence, the verdicts, and their texts. */
#include "choice_help.h"

TEST(a_free_call_costs_nothing_and_a_heavy_one_as_much_as_four_light_ones)
{
    CHECK_INT(haft__evidence_cost(HAFT__COST_FREE), 0, "free");
    CHECK_INT(haft__evidence_cost(HAFT__COST_LIGHT), 1, "light");
    CHECK_INT(haft__evidence_cost(HAFT__COST_HEAVY), 4, "heavy");
}

static const struct {
    const char *result, *path;
    bool want;
} listings[] = {
    {"src/a.c", "src/a.c", true},
    {"src/b.c\nsrc/a.c\n(2 more files match)", "src/a.c", true},
    {"src/a.c:12:    int a;", "src/a.c", true},
    {"./src/a.c:12:x", "src/a.c", true},
    {"src/a.c", "./src/a.c", true},
    {"src/a.cpp", "src/a.c", false},
    {"old/src/a.c", "src/a.c", false},
    {"src/b.c:3:#include \"src/a.c\"", "src/a.c", false}, /* a text that a file contains */
    {"src/a.c", "src", false},
    {"src", "src/a.c", false},
    {"", "src/a.c", false},
    {"src/a.c", "", false},
    {"src/a\\nb.c", "src/a\nb.c", true}, /* results show names with escapes */
    {"src/a\\\\x2d.c:3:x", "src/a\\x2d.c", true},
    {"src/a\\nb.c", "src/a\\nb.c", false},
    {"(no line matches 'src/a.c'; 3 files were searched)", "src/a.c", false},
};

TEST(a_result_lists_a_file_at_the_start_of_a_line)
{
    for (size_t i = 0; i < COUNT(listings); i++) {
        CHECK_INT(haft__evidence_lists(haft__str(listings[i].result), haft__str(listings[i].path)),
                  listings[i].want, "case %zu: %s", i, listings[i].result);
    }
}

static const struct {
    const char *task, *path;
    bool want;
} tasks[] = {
    {"What does src/a.c do?", "src/a.c", true},
    {"What does a.c do?", "src/a.c", true},
    {"Read src/a.c.", "src/a.c", true},
    {"Read src/a.c...", "src/a.c", true},
    {"Read src/a.c.orig", "src/a.c", false},
    {"Read 'src/a.c', please", "./src/a.c", true},
    {"What does map.h declare?", "src/base/map.h", true},
    {"What does my-map.h declare?", "src/base/map.h", false},
    {"What does map.hpp declare?", "src/base/map.h", false},
    {"What does lib/map.h declare?", "src/base/map.h", true}, /* the same name */
    {"How does a map grow?", "src/base/map.h", false},
    {"Read the Makefile", "Makefile", true},
    {"", "src/a.c", false},
    {"Read it", "", false},
};

TEST(a_task_names_a_file_by_its_path_or_its_last_part)
{
    for (size_t i = 0; i < COUNT(tasks); i++) {
        CHECK_INT(haft__evidence_names(haft__str(tasks[i].task), haft__str(tasks[i].path)),
                  tasks[i].want, "case %zu: %s", i, tasks[i].task);
    }
}

TEST(a_task_with_many_dots_is_read_once)
{
    haft__buf task;
    haft__buf_init(&task, 4 << 20);
    for (size_t i = 0; i < 2 << 20; i++) {
        haft__buf_add_char(&task, '.');
    }
    haft__buf_add_char(&task, 'a');
    CHECK(haft__evidence_names(haft__buf_str(&task), HAFT__LIT("src/.")), "a dot is a word");
    CHECK(!haft__evidence_names(haft__buf_str(&task), HAFT__LIT("src/..b")), "another name");
    haft__buf_finish(&task);
}

static const struct {
    const char *name;
    haft__evidence_facts facts;
    const char *result; /* NULL: no cheaper call has finished */
    haft__evidence_verdict want;
} verdicts[] = {
    {"a free call", {.cost = HAFT__COST_FREE, .cheaper = true}, NULL, HAFT__EVIDENCE_FINE},
    {"a light call", {.cost = HAFT__COST_LIGHT, .cheaper = true}, NULL, HAFT__EVIDENCE_FINE},
    {"a heavy call first",
     {.cost = HAFT__COST_HEAVY, .cheaper = true, .path = {"a.c", 3}},
     NULL,
     HAFT__EVIDENCE_MISSING},
    {"a heavy call for a file that a result lists",
     {.cost = HAFT__COST_HEAVY, .cheaper = true, .path = {"a.c", 3}},
     "a.c:1:x",
     HAFT__EVIDENCE_FINE},
    {"a heavy call for another file",
     {.cost = HAFT__COST_HEAVY, .cheaper = true, .path = {"b.c", 3}},
     "a.c:1:x",
     HAFT__EVIDENCE_MISSING},
    {"a heavy call for a file that the task names",
     {.cost = HAFT__COST_HEAVY, .cheaper = true, .path = {"b.c", 3}, .task = {"Read b.c", 8}},
     NULL,
     HAFT__EVIDENCE_FINE},
    {"a heavy call without a file, first",
     {.cost = HAFT__COST_HEAVY, .cheaper = true},
     NULL,
     HAFT__EVIDENCE_MISSING},
    {"a heavy call without a file, after a cheaper one",
     {.cost = HAFT__COST_HEAVY, .cheaper = true},
     "3 rows",
     HAFT__EVIDENCE_FINE},
    {"no cheaper tool is offered",
     {.cost = HAFT__COST_HEAVY, .path = {"a.c", 3}},
     NULL,
     HAFT__EVIDENCE_FINE},
    {"the mode names the tool",
     {.cost = HAFT__COST_HEAVY, .cheaper = true, .forced = true, .path = {"a.c", 3}},
     NULL,
     HAFT__EVIDENCE_FINE},
    {"exactly what is left",
     {.cost = HAFT__COST_HEAVY, .cost_used = 36},
     NULL,
     HAFT__EVIDENCE_FINE},
    {"more than what is left",
     {.cost = HAFT__COST_HEAVY, .cost_used = 37},
     NULL,
     HAFT__EVIDENCE_OVER_BUDGET},
    {"a light call with the last unit",
     {.cost = HAFT__COST_LIGHT, .cost_used = 39},
     NULL,
     HAFT__EVIDENCE_FINE},
    {"a light call after it",
     {.cost = HAFT__COST_LIGHT, .cost_used = 40},
     NULL,
     HAFT__EVIDENCE_OVER_BUDGET},
    {"a budget that is exceeded", /* a changed spec has a lower one */
     {.cost = HAFT__COST_LIGHT, .cost_used = 50},
     NULL,
     HAFT__EVIDENCE_OVER_BUDGET},
    {"a call that repeats another one after it",
     {.cost = HAFT__COST_LIGHT, .repeated = true, .cost_used = 40},
     NULL,
     HAFT__EVIDENCE_FINE},
    {"a free call after it", {.cost = HAFT__COST_FREE, .cost_used = 50}, NULL, HAFT__EVIDENCE_FINE},
};

TEST(a_heavy_call_needs_evidence_and_every_call_needs_budget)
{
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        haft__evidence_facts facts = verdicts[i].facts;
        haft_str result = haft__str(verdicts[i].result != NULL ? verdicts[i].result : "");
        facts.results = &result;
        facts.result_count = verdicts[i].result != NULL ? 1 : 0;
        facts.cost_budget = 40;
        CHECK_INT(haft__evidence_judge(&facts), verdicts[i].want, "%s", verdicts[i].name);
    }
}

static const struct {
    haft__evidence_verdict verdict;
    const char *path, *names, *want;
} texts[] = {
    {HAFT__EVIDENCE_FINE, "a.c", "glob grep", ""},
    {HAFT__EVIDENCE_MISSING, "a.c", "glob grep",
     "Error: read is refused: it is an expensive call, and no result so far has pointed to "
     "\"a.c\". First call glob, grep to find where the answer is, then call read for a file that "
     "a result lists."},
    {HAFT__EVIDENCE_MISSING, "", "grep",
     "Error: read is refused: it is an expensive call, and no cheaper call has a result yet. "
     "First call grep."},
    {HAFT__EVIDENCE_OVER_BUDGET, "a.c", "glob",
     "Not run: read costs 4, and 38 of the cost budget of 40 are used. Call glob, or answer with "
     "what you have."},
    {HAFT__EVIDENCE_OVER_BUDGET, "a.c", "",
     "Not run: read costs 4, and 38 of the cost budget of 40 are used. Answer with what you have."},
};

TEST(a_refusal_says_what_to_do_instead)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        size_t count = 0;
        const haft_str *names = help_names(texts[i].names, &count);
        haft__evidence_facts facts = {.tool = HAFT__LIT("read"),
                                      .cost = HAFT__COST_HEAVY,
                                      .path = haft__str(texts[i].path),
                                      .cost_used = 38,
                                      .cost_budget = 40};
        haft__evidence_explain(&buf, &facts, texts[i].verdict, names, count);
        CHECK_STR(haft__buf_str(&buf), haft__str(texts[i].want), "case %zu", i);
        haft__buf_finish(&buf);
    }
}

TEST(a_used_up_cost_budget_ends_the_calls_of_a_run_with_the_rule_only)
{
    haft__spec spec = help_spec();
    haft__usage usage = {.cost_units = 40};
    spec.choice.cost_budget = 40;
    CHECK(haft__budget_check(&spec, &usage).what == NULL, "without the rule");
    spec.choice.evidence_first = true;
    haft__spent_budget spent = haft__budget_check(&spec, &usage);
    CHECK_STR(haft__str(spent.what), HAFT__LIT("cost"), "at the budget");
    CHECK_INT(spent.used, 40, "used");
    CHECK_INT(spent.limit, 40, "limit");
    usage.cost_units = 39;
    CHECK(haft__budget_check(&spec, &usage).what == NULL, "one below");
}
