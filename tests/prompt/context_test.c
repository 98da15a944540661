/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/context.c: tables of histories, and properties of random ones. */
#include "prompt/context.h"

#include "base/buf.h"
#include "base/str.h"
#include "test.h"

#define MAX_PARTS 64

/* A history in letters: S system prompt, T task, A message of the assistant, u of the user, o
 * observation, k spared observation, c stub, p result that reveals tools. The number after a letter
 * is its size in tokens; without a number, 100. */
static size_t read_parts(const char *text, haft__context_part parts[MAX_PARTS])
{
    size_t count = 0;
    while (*text != '\0') {
        char letter = *text++;
        uint64_t size = 0;
        for (; *text >= '0' && *text <= '9'; text++) {
            size = size * 10 + (uint64_t)(*text - '0');
        }
        parts[count++] = (haft__context_part){
            .tokens = size > 0 ? size : 100,
            .stub_tokens = 20,
            .is_head = letter == 'S' || letter == 'T',
            .is_observation = letter == 'o' || letter == 'k' || letter == 'p',
            .is_spared = letter == 'k' || letter == 'p',
            .begins_turn = letter == 'A',
            .is_pinned = letter == 'p',
        };
    }
    return count;
}

/* "clear 0010", "replace up to 5, text 60", "keep" or "full". */
static void describe(haft__buf *buf, const haft__context_plan *plan, size_t count)
{
    switch (plan->action) {
    case HAFT__CONTEXT_KEEP: haft__buf_addf(buf, "keep"); return;
    case HAFT__CONTEXT_FULL: haft__buf_addf(buf, "full"); return;
    case HAFT__CONTEXT_REPLACE:
        haft__buf_addf(buf, "replace up to %zu, text %llu", plan->end,
                       (unsigned long long)plan->text);
        return;
    case HAFT__CONTEXT_CLEAR:
        haft__buf_addf(buf, "clear ");
        for (size_t i = 0; i < count; i++) {
            haft__buf_addf(buf, "%d", plan->cleared[i]);
        }
        return;
    }
}

TEST(old_parts_are_shortened_first)
{
    static const struct {
        const char *name, *parts;
        uint64_t budget;
        haft__context_rule clear, replace;
        const char *plan;
    } cases[] = {
        {"everything fits", "STAoAo", 2000, {true, 75, 1}, {true, 90, 1}, "keep"},
        {"old observations", "STAoAoAo", 1000, {true, 75, 1}, {true, 90, 1}, "clear 00010100"},
        {"as many as are kept", "STAoAo", 700, {true, 75, 2}, {.on = false}, "keep"},
        {"a spared tool", "STAkAo200Ao", 1000, {true, 75, 1}, {true, 90, 1}, "clear 00000100"},
        {"too little to be worth it", "STAo50Au400Ao", 1300, {true, 75, 1}, {.on = false}, "keep"},
        {"too little, but the request does not fit",
         "STAo50Au400Ao",
         1040,
         {true, 75, 1},
         {.on = false},
         "clear 00010000"},
        {"stubs already", "STAcAcAcAo", 1200, {true, 75, 1}, {true, 90, 1}, "keep"},
        {"then old turns",
         "STAcAcAcAo",
         950,
         {true, 75, 1},
         {true, 90, 2},
         "replace up to 6, text 190"},
        {"fewer turns stay, if the request does not fit otherwise",
         "STAcAcAc600Ao",
         900,
         {.on = false},
         {true, 90, 3},
         "replace up to 8, text 180"},
        {"a turn that reveals tools stays",
         "STApAcAcAo",
         950,
         {true, 75, 1},
         {true, 90, 2},
         "replace up to 8, text 190"},
        {"new observations at last", "STAo900", 800, {true, 75, 3}, {true, 90, 1}, "clear 0001"},
        {"only the largest of them",
         "STAo900o200",
         900,
         {true, 75, 3},
         {.on = false},
         "clear 00010"},
        {"nothing is left", "S900TAo", 800, {true, 75, 1}, {true, 90, 1}, "full"},
        {"no rule is on", "STAoAo", 500, {.on = false}, {.on = false}, "full"},
        {"no turn yet", "S900T", 800, {true, 75, 1}, {true, 90, 1}, "full"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf found;
        haft__context_part parts[MAX_PARTS];
        haft__context_plan plan;
        size_t count = read_parts(cases[i].parts, parts);
        haft__context_facts facts = {.parts = parts,
                                     .count = count,
                                     .factor = 1000,
                                     .budget = cases[i].budget,
                                     .clear = cases[i].clear,
                                     .replace = cases[i].replace,
                                     .most_text = cases[i].budget / 5};
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1000);
        CHECK_INT(haft__context_plan_request(&facts, &arena, &plan, NULL), HAFT_OK, "%s",
                  cases[i].name);
        describe(&found, &plan, count);
        CHECK_STR(haft__buf_str(&found), haft__str(cases[i].plan), "%s", cases[i].name);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

/* ---- random histories ---- */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 16;
}

static size_t random_parts(uint32_t *seed, haft__context_part parts[MAX_PARTS])
{
    char text[2 * MAX_PARTS] = "ST";
    size_t length = 2;
    while (length < 40) {
        text[length++] = 'A';
        for (uint32_t calls = next_random(seed) % 4; calls > 0 && length < 46; calls--) {
            text[length++] = "ookp"[next_random(seed) % 4];
        }
        if (next_random(seed) % 5 == 0) {
            text[length++] = 'u';
        }
    }
    text[length] = '\0';
    size_t count = read_parts(text, parts);
    for (size_t i = 0; i < count; i++) {
        parts[i].tokens = 21 + next_random(seed) % 300;
    }
    return count;
}

/* Applies a plan. Checks that calls and results stay together: only whole turns are removed. */
static size_t apply(const haft__context_plan *plan, haft__context_part parts[MAX_PARTS],
                    size_t count, uint64_t *text)
{
    bool removed[MAX_PARTS];
    size_t stay_count = 0;
    if (plan->action == HAFT__CONTEXT_CLEAR) {
        for (size_t i = 0; i < count; i++) {
            CHECK(!plan->cleared[i] || parts[i].is_observation, "only observations are cleared");
            parts[i].tokens = plan->cleared[i] ? parts[i].stub_tokens : parts[i].tokens;
            parts[i].is_observation = parts[i].is_observation && !plan->cleared[i];
        }
        return count;
    }
    size_t number = haft__context_mark_removed(parts, count, plan->end, removed);
    CHECK(number > 0 && plan->end < count && parts[plan->end].begins_turn, "a turn stays");
    for (size_t i = 0; i < count; i++) {
        bool follows = i > 0 && !parts[i].begins_turn && !parts[i].is_head && !parts[i - 1].is_head;
        CHECK(!follows || removed[i] == removed[i - 1], "a turn is removed as a whole");
        CHECK(!removed[i] || (!parts[i].is_head && !parts[i].is_pinned), "heads and pins stay");
        if (!removed[i]) {
            parts[stay_count++] = parts[i];
        }
    }
    *text = plan->text;
    return stay_count;
}

TEST(plans_of_random_histories_end_and_keep_turns_whole)
{
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        haft__arena arena;
        haft__context_part parts[MAX_PARTS];
        uint64_t text = 0;
        size_t count = random_parts(&seed, parts);
        haft__context_plan plan = {.action = HAFT__CONTEXT_CLEAR};
        haft__context_rule clear = {next_random(&seed) % 4 > 0, 50 + next_random(&seed) % 50,
                                    next_random(&seed) % 4};
        haft__context_rule replace = {next_random(&seed) % 4 > 0, 60 + next_random(&seed) % 40,
                                      next_random(&seed) % 5};
        uint64_t budget = 300 + next_random(&seed) % 6000;
        size_t steps = 0;
        haft__arena_init(&arena, 0);
        for (bool changed = true; changed; steps++) {
            haft__context_facts facts = {.parts = parts,
                                         .count = count,
                                         .fixed = 50 + text,
                                         .factor = 700 + next_random(&seed) % 1000,
                                         .budget = budget,
                                         .clear = clear,
                                         .replace = replace,
                                         .old_text = text,
                                         .most_text = budget / 5};
            CHECK_INT(haft__context_plan_request(&facts, &arena, &plan, NULL), HAFT_OK, "plan");
            changed = plan.action == HAFT__CONTEXT_CLEAR || plan.action == HAFT__CONTEXT_REPLACE;
            CHECK(plan.action != HAFT__CONTEXT_KEEP || plan.before <= budget,
                  "round %d: a request that does not fit is kept", round);
            count = changed ? apply(&plan, parts, count, &text) : count;
        }
        CHECK(steps < 2 * MAX_PARTS, "round %d: %zu plans", round, steps);
        haft__arena_finish(&arena);
    }
}
